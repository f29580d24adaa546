//! Our ends of the three pipes: non-blocking, each with one buffer that is reused.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::{Errno, ioctl_fionread, read, retry_on_intr, write};
use rustix::pipe::fcntl_getpipe_size;
use tokio::net::unix::pipe;

/// As large as a pipe is by default, so that one read takes all that it holds.
const BUFFER_BYTES: usize = 64 * 1024;

/// What one read of a pipe brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// This many bytes, at the start of the buffer.
    Bytes(usize),
    /// Nothing for now.
    Nothing,
    /// The end: nobody holds the other end open.
    End,
}

/// The end of a pipe from which we read.
pub(crate) struct PipeReader {
    pipe: pipe::Receiver,
    buffer: Box<[u8]>,
    capacity: usize,
}

impl PipeReader {
    /// Takes over the read end of a pipe. Must be called within a runtime.
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        let capacity = fcntl_getpipe_size(&fd).unwrap_or(BUFFER_BYTES);
        Ok(Self {
            // Each end of a pipe is a description of its own: the server's end stays blocking.
            pipe: pipe::Receiver::from_owned_fd(fd)?,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            capacity,
        })
    }

    /// Waits until a read may bring something.
    pub(crate) async fn ready(&self) -> io::Result<()> {
        self.pipe.readable().await
    }

    /// Reads at most `limit` bytes after [`ready`](Self::ready). `Nothing` only means that there
    /// is no need to try again before it is ready once more.
    pub(crate) fn read_ready(&mut self, limit: usize) -> io::Result<Got> {
        let limit = limit.min(self.buffer.len());
        loop {
            match self.pipe.try_read(&mut self.buffer[..limit]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return got(outcome),
            }
        }
    }

    /// Reads at most `limit` bytes, whatever is known of its readiness. `Nothing` means that the
    /// pipe was empty at this moment.
    pub(crate) fn read_now(&mut self, limit: usize) -> io::Result<Got> {
        let limit = limit.min(self.buffer.len());
        let buffer = &mut self.buffer[..limit];
        got(retry_on_intr(|| read(&self.pipe, &mut *buffer)).map_err(io::Error::from))
    }

    /// The bytes that the last read brought.
    pub(crate) fn bytes(&self, count: usize) -> &[u8] {
        &self.buffer[..count]
    }

    /// As many bytes as the pipe can hold at one moment.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

/// The end of a pipe to which we write. Dropping it closes it.
pub(crate) struct PipeWriter(pipe::Sender);

/// What one write to a pipe did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It took this many bytes.
    Bytes(usize),
    /// It is full for now.
    Full,
    /// Nobody holds the other end open any more.
    Closed,
}

impl PipeWriter {
    /// Takes over the write end of a pipe. Must be called within a runtime.
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        Ok(Self(pipe::Sender::from_owned_fd(fd)?))
    }

    /// How many bytes the pipe holds that nobody has read.
    pub(crate) fn unread(&self) -> io::Result<u64> {
        Ok(ioctl_fionread(&self.0)?)
    }

    /// Waits until a write may do something.
    pub(crate) async fn ready(&self) -> io::Result<()> {
        self.0.writable().await
    }

    /// Writes as much as the pipe takes now.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<Put> {
        // Readiness is known only once the runtime has looked, and forgotten only by a write that
        // goes through it. So that one comes first, and a pipe that it refuses is tried itself.
        match self.0.try_write(bytes) {
            Ok(count) => return Ok(Put::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Put::Closed),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
        match retry_on_intr(|| write(&self.0, bytes)) {
            Ok(count) => Ok(Put::Bytes(count)),
            Err(Errno::PIPE) => Ok(Put::Closed),
            Err(Errno::AGAIN) => Ok(Put::Full),
            Err(error) => Err(error.into()),
        }
    }
}

fn got(outcome: io::Result<usize>) -> io::Result<Got> {
    match outcome {
        Ok(0) => Ok(Got::End),
        Ok(count) => Ok(Got::Bytes(count)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Got::Nothing),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_runtime(test: impl AsyncFnOnce()) {
        tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(test());
    }

    #[test]
    fn a_read_tells_bytes_from_nothing_from_the_end() {
        in_runtime(async || {
            let (theirs, ours) = rustix::pipe::pipe().unwrap();
            let mut reader = PipeReader::new(theirs).unwrap();
            assert_eq!(reader.read_now(9).unwrap(), Got::Nothing);
            write(&ours, b"abc").unwrap();
            assert_eq!(reader.read_now(2).unwrap(), Got::Bytes(2));
            assert_eq!(reader.bytes(2), b"ab");
            reader.ready().await.unwrap();
            assert_eq!(reader.read_ready(9).unwrap(), Got::Bytes(1));
            drop(ours);
            reader.ready().await.unwrap();
            assert_eq!(reader.read_ready(9).unwrap(), Got::End);
        });
    }

    #[test]
    fn a_write_tells_full_from_closed() {
        in_runtime(async || {
            let (theirs, ours) = rustix::pipe::pipe().unwrap();
            let writer = PipeWriter::new(ours).unwrap();
            let much = vec![b'x'; 1024 * 1024];
            let Put::Bytes(taken) = writer.write(&much).unwrap() else {
                panic!("an empty pipe takes something");
            };
            assert!(taken < much.len());
            assert_eq!(writer.write(&much).unwrap(), Put::Full);
            let mut reader = PipeReader::new(theirs).unwrap();
            assert!(matches!(reader.read_now(usize::MAX).unwrap(), Got::Bytes(_)));
            writer.ready().await.unwrap();
            assert!(matches!(writer.write(b"y").unwrap(), Put::Bytes(1)));
            drop(reader);
            assert_eq!(writer.write(b"y").unwrap(), Put::Closed);
        });
    }
}
