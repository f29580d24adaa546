//! Our ends of the three pipes: non-blocking, each with one buffer that is reused and grows when
//! there is more to read than most servers ever write at once.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::{Errno, ioctl_fionread, read, retry_on_intr, write};
use rustix::pipe::fcntl_getpipe_size;
use tokio::net::unix::pipe;

/// As large as a pipe is by default, so that one buffer takes all that it holds.
const BUFFER_BYTES: usize = 64 * 1024;
/// What a buffer begins with: most messages fit. Larger ones would be given back to the system
/// after each session, and the page faults of the next cost more than all its reads.
const FIRST_BUFFER_BYTES: usize = 4 * 1024;

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
    buffer: Vec<u8>,
    capacity: usize,
}

impl PipeReader {
    /// Takes over the read end of a pipe. Must be called within a runtime.
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        let capacity = fcntl_getpipe_size(&fd).unwrap_or(BUFFER_BYTES);
        Ok(Self {
            // Each end of a pipe is a description of its own: the server's end stays blocking.
            pipe: pipe::Receiver::from_owned_fd(fd)?,
            buffer: vec![0; FIRST_BUFFER_BYTES],
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
        self.fill(limit, |pipe, buffer| {
            loop {
                match pipe.try_read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    outcome => return outcome,
                }
            }
        })
    }

    /// Reads at most `limit` bytes, whatever is known of its readiness. `Nothing` means that the
    /// pipe was empty at this moment.
    pub(crate) fn read_now(&mut self, limit: usize) -> io::Result<Got> {
        self.fill(limit, |pipe, buffer| Ok(retry_on_intr(|| read(pipe, &mut *buffer))?))
    }

    /// Reads once, and once more into a larger buffer if the first was filled.
    fn fill(
        &mut self,
        limit: usize,
        read: impl Fn(&pipe::Receiver, &mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Got> {
        let first = limit.min(self.buffer.len());
        let count = match read(&self.pipe, &mut self.buffer[..first]) {
            Ok(0) => return Ok(Got::End),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Got::Nothing),
            Err(error) => return Err(error),
        };
        if count < self.buffer.len() || count == BUFFER_BYTES {
            return Ok(Got::Bytes(count));
        }
        self.buffer.resize(BUFFER_BYTES, 0);
        let more = limit.min(BUFFER_BYTES);
        // The end, or an error, will be met again by the next read.
        let rest = read(&self.pipe, &mut self.buffer[count..more]).unwrap_or(0);
        Ok(Got::Bytes(count + rest))
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
    fn one_read_takes_all_that_the_pipe_holds_and_no_more_than_the_limit() {
        in_runtime(async || {
            let text: Vec<u8> = (0..BUFFER_BYTES).map(|place| (place % 251) as u8).collect();
            let sizes = [FIRST_BUFFER_BYTES - 1, FIRST_BUFFER_BYTES, FIRST_BUFFER_BYTES + 1];
            for size in [&sizes[..], &[BUFFER_BYTES]].concat() {
                for limit in [size - 1, size, size + 1] {
                    let (theirs, ours) = rustix::pipe::pipe().unwrap();
                    let mut reader = PipeReader::new(theirs).unwrap();
                    assert_eq!(write(&ours, &text[..size]).unwrap(), size);
                    reader.ready().await.unwrap();
                    let taken = size.min(limit);
                    assert_eq!(reader.read_ready(limit).unwrap(), Got::Bytes(taken));
                    assert!(reader.bytes(taken) == &text[..taken]);
                    let left = if limit < size { Got::Bytes(1) } else { Got::Nothing };
                    assert_eq!(reader.read_now(limit).unwrap(), left);
                    drop(ours);
                    assert_eq!(reader.read_now(limit).unwrap(), Got::End);
                }
            }
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
