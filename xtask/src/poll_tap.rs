//! The smallest tap there can be: one thread that waits for either side and passes on what it
//! reads. It judges nothing and survives nothing. What ours adds is measured beside it, and on
//! either side of ours two of them write down what passes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::Stdio;

use rustix::event::{PollFd, PollFlags, poll};

use crate::Complaints;
use crate::command::program;

/// The file of a record with what the client said.
pub(crate) const TO_SERVER: &str = "to-server";
/// The file of a record with what the server said.
pub(crate) const FROM_SERVER: &str = "from-server";

/// Passes on what goes to and comes from a command until that has said all it has to say, and
/// writes it down in a directory if one is given.
#[must_use]
pub fn run(command: &[String], record: Option<&Path>) -> Complaints {
    match pass(command, record) {
        Ok(()) => Complaints::new(),
        Err(error) => vec![error.to_string()],
    }
}

fn pass(command: &[String], record: Option<&Path>) -> io::Result<()> {
    let [name, arguments @ ..] = command else {
        return Err(io::Error::other("there is no command"));
    };
    let file = |name: &str| record.map(|record| File::create(record.join(name))).transpose();
    let mut server = program(name);
    let mut child = server.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut to_server = child.stdin.take().map(|to| Direction { to, record: None });
    if let Some(direction) = &mut to_server {
        direction.record = file(TO_SERVER)?;
    }
    let mut from_server = child.stdout.take().expect("stdout is a pipe");
    // Without the buffers of the standard streams, which would hold lines back.
    let mut from_client = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let to_client = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut to_client = Direction { to: to_client, record: file(FROM_SERVER)? };
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let mut ends = vec![PollFd::new(&from_server, PollFlags::IN)];
        if to_server.is_some() {
            ends.push(PollFd::new(&from_client, PollFlags::IN));
        }
        poll(&mut ends, None)?;
        let ready: Vec<bool> = ends.iter().map(|end| !end.revents().is_empty()).collect();
        if ready[0] {
            match from_server.read(&mut buffer)? {
                0 => break,
                count => to_client.pass(&buffer[..count])?,
            }
        }
        if ready.get(1) == Some(&true) {
            match (from_client.read(&mut buffer)?, &mut to_server) {
                (count, Some(server)) if count > 0 => server.pass(&buffer[..count])?,
                _ => to_server = None,
            }
        }
    }
    child.wait().map(drop)
}

struct Direction<W> {
    to: W,
    record: Option<File>,
}

impl<W: Write> Direction<W> {
    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.record.as_mut().map_or(Ok(()), |record| record.write_all(bytes))
    }
}
