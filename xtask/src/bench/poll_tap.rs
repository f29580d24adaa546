//! The smallest tap there can be: one thread that waits for either side and passes on what it
//! reads. It keeps nothing, judges nothing and survives nothing. What ours adds is measured
//! beside it.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::Stdio;

use rustix::event::{PollFd, PollFlags, poll};

use crate::Complaints;
use crate::command::program;

/// Passes on what goes to and comes from a command until that has said all it has to say.
#[must_use]
pub fn run(command: &[String]) -> Complaints {
    match pass(command) {
        Ok(()) => Complaints::new(),
        Err(error) => vec![error.to_string()],
    }
}

fn pass(command: &[String]) -> io::Result<()> {
    let [name, arguments @ ..] = command else {
        return Err(io::Error::other("there is no command"));
    };
    let mut server = program(name);
    let mut child = server.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut to_server = child.stdin.take();
    let mut from_server = child.stdout.take().expect("stdout is a pipe");
    let (stdin, stdout) = (io::stdin(), io::stdout());
    // Without the buffers of the standard streams, which would hold lines back.
    let mut from_client = std::fs::File::from(stdin.as_fd().try_clone_to_owned()?);
    let mut to_client = std::fs::File::from(stdout.as_fd().try_clone_to_owned()?);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let readable = |fd: PollFd<'_>| !fd.revents().is_empty();
        let mut ends = vec![PollFd::new(&from_server, PollFlags::IN)];
        if to_server.is_some() {
            ends.push(PollFd::new(&from_client, PollFlags::IN));
        }
        poll(&mut ends, None)?;
        let ready: Vec<bool> = ends.into_iter().map(readable).collect();
        if ready[0] {
            match from_server.read(&mut buffer)? {
                0 => break,
                count => to_client.write_all(&buffer[..count])?,
            }
        }
        if ready.get(1) == Some(&true) {
            match (from_client.read(&mut buffer)?, &mut to_server) {
                (count, Some(server)) if count > 0 => server.write_all(&buffer[..count])?,
                _ => to_server = None,
            }
        }
    }
    child.wait().map(drop)
}
