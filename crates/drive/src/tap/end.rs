//! The four ends of a tap's two directions: pipes, sockets, terminals or files, read and written
//! without waiting.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read, retry_on_intr, write};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// As large as a pipe is by default, so that one read takes all that it holds.
const BUFFER_BYTES: usize = 64 * 1024;

/// Our own stdin and stdout, taken from the process: nothing else can read or write them any
/// more, and dropping one closes it for the client.
#[derive(Debug)]
pub struct ClientPipes {
    pub(super) input: OwnedFd,
    pub(super) output: OwnedFd,
}

impl ClientPipes {
    /// Takes stdin and stdout. What is printed later goes nowhere.
    ///
    /// # Errors
    ///
    /// If one of them is closed, or there is no descriptor left.
    pub fn take() -> io::Result<Self> {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        let nowhere = std::fs::File::options().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&nowhere)?;
        rustix::stdio::dup2_stdout(&nowhere)?;
        Ok(Self { input, output })
    }
}

/// A descriptor that does not make us wait.
///
/// A client may share the description of its end with others, so that its flags are put back.
struct End {
    before: OFlags,
    watched: Watched,
}

enum Watched {
    Polled(AsyncFd<OwnedFd>),
    /// A file is always ready.
    Ready(OwnedFd),
}

impl End {
    fn new(fd: OwnedFd, interest: Interest) -> io::Result<Self> {
        let before = fcntl_getfl(&fd)?;
        fcntl_setfl(&fd, before | OFlags::NONBLOCK)?;
        #[expect(
            deprecated,
            reason = "it asks of a descriptor what an OwnedFd grants: to stay the same, and open"
        )]
        let watched = match AsyncFd::try_with_interest(fd, interest) {
            Ok(fd) => Watched::Polled(fd),
            Err(error) => {
                let (fd, source) = error.into_parts();
                if source.kind() != io::ErrorKind::PermissionDenied {
                    return Err(source);
                }
                Watched::Ready(fd)
            }
        };
        Ok(Self { before, watched })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match &self.watched {
            Watched::Polled(fd) => fd.get_ref().as_fd(),
            Watched::Ready(fd) => fd.as_fd(),
        }
    }

    async fn ready(&self, interest: Interest) {
        if let Watched::Polled(fd) = &self.watched {
            // If it cannot be awaited, the next read or write says why.
            _ = fd.ready(interest).await;
        }
    }

    /// Reads or writes. None if that would mean to wait.
    fn now(
        &self,
        interest: Interest,
        mut act: impl FnMut(BorrowedFd<'_>) -> Result<usize, Errno>,
    ) -> Option<Result<usize, Errno>> {
        let mut act = |fd: BorrowedFd<'_>| retry_on_intr(|| act(fd)).map_err(io::Error::from);
        let outcome = match &self.watched {
            // It remembers that there was nothing, and then waits for more.
            Watched::Polled(fd) => fd.try_io(interest, |fd| act(fd.as_fd())),
            Watched::Ready(fd) => act(fd.as_fd()),
        };
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(error) => Some(Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))),
            Ok(count) => Some(Ok(count)),
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // If it cannot be put back, there is nobody to tell.
        _ = fcntl_setfl(self.fd(), self.before);
    }
}

/// One direction: from whoever writes to whoever reads, through one buffer.
pub(super) struct Flow {
    source: Option<End>,
    target: Option<End>,
    buffer: Box<[u8]>,
    /// What was read last and not written yet.
    waiting: std::ops::Range<usize>,
}

/// What a turn of a direction came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// This many bytes were read, and passed on as far as that goes without waiting.
    Passed(usize),
    /// Whoever writes has closed, and all that it wrote was passed on.
    SourceClosed,
    /// Whoever reads has closed.
    TargetClosed,
}

impl Flow {
    pub(super) fn new(source: OwnedFd, target: OwnedFd) -> io::Result<Self> {
        Ok(Self {
            source: Some(End::new(source, Interest::READABLE)?),
            target: Some(End::new(target, Interest::WRITABLE)?),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            waiting: 0..0,
        })
    }

    /// Waits until a turn may do something. For ever, once the direction is closed.
    pub(super) async fn ready(&self) {
        match (&self.source, &self.target) {
            (Some(_), Some(target)) if !self.waiting.is_empty() => {
                target.ready(Interest::WRITABLE).await;
            }
            (Some(source), Some(_)) => source.ready(Interest::READABLE).await,
            // The next turn tells.
            (Some(_), None) => {}
            (None, _) => std::future::pending().await,
        }
    }

    /// Passes on what waits, or else reads once and passes that on at once.
    pub(super) fn turn(&mut self) -> Turn {
        let mut fresh = 0;
        if self.waiting.is_empty() {
            let Some(source) = &self.source else { return Turn::SourceClosed };
            let buffer = &mut self.buffer;
            match source.now(Interest::READABLE, |fd| read(fd, &mut buffer[..])) {
                None => return Turn::Passed(0),
                // A terminal that was hung up gives an error where a pipe just ends.
                Some(Ok(0) | Err(_)) => {
                    self.close();
                    return Turn::SourceClosed;
                }
                Some(Ok(count)) => fresh = count,
            }
            self.waiting = 0..fresh;
        }
        let Some(target) = &self.target else { return Turn::TargetClosed };
        let waiting = &self.buffer[self.waiting.clone()];
        match target.now(Interest::WRITABLE, |fd| write(fd, waiting)) {
            None => {}
            Some(Ok(count)) => self.waiting.start += count,
            // What was read is judged all the same; the next turn tells.
            Some(Err(_)) => self.target = None,
        }
        Turn::Passed(fresh)
    }

    /// The bytes that the last turn read.
    pub(super) fn bytes(&self, count: usize) -> &[u8] {
        &self.buffer[..count]
    }

    /// Whether there is still somebody to read from.
    pub(super) fn is_open(&self) -> bool {
        self.source.is_some()
    }

    /// Closes both ends.
    pub(super) fn close(&mut self) {
        self.source = None;
        self.target = None;
        self.waiting = 0..0;
    }
}
