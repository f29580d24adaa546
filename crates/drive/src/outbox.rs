//! The server's stdin: messages that wait to be written, and who closed it.

use std::collections::VecDeque;
use std::io;

use model::{EventKind, Side, Untaken};

use crate::feed::Feed;
use crate::pipe::{PipeWriter, Put};

/// The server's stdin, with what is still to be written to it.
pub(crate) struct Outbox {
    pipe: Option<PipeWriter>,
    waiting: VecDeque<Message>,
    waiting_bytes: usize,
}

struct Message {
    line: Vec<u8>,
    written: usize,
}

impl Outbox {
    pub(crate) fn new(pipe: PipeWriter) -> Self {
        Self { pipe: Some(pipe), waiting: VecDeque::new(), waiting_bytes: 0 }
    }

    /// Adds a message. It is dropped if stdin is closed.
    pub(crate) fn add(&mut self, line: Vec<u8>) {
        if self.pipe.is_some() {
            self.waiting_bytes += line.len();
            self.waiting.push_back(Message { line, written: 0 });
        }
    }

    /// The pipe, if there is something to write to it.
    pub(crate) fn to_write(&self) -> Option<&PipeWriter> {
        self.pipe.as_ref().filter(|_| !self.waiting.is_empty())
    }

    /// Whether stdin is open on our side.
    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Bytes that wait to be written.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// What the server has not taken. None if stdin is closed, or if it cannot be seen.
    pub(crate) fn untaken(&self) -> Option<Untaken> {
        let unread = self.pipe.as_ref()?.unread().ok()?;
        Some(Untaken { unread, unwritten: self.waiting_bytes as u64 })
    }

    /// Writes as much as the pipe takes now. If nobody can read it any more, says so and closes
    /// it: that by itself ends nothing.
    ///
    /// # Errors
    ///
    /// Any other failure of the pipe.
    pub(crate) fn write(&mut self, feed: &mut Feed<'_>) -> io::Result<()> {
        while let (Some(pipe), Some(message)) = (&self.pipe, self.waiting.front_mut()) {
            match pipe.write(&message.line[message.written..])? {
                Put::Full => break,
                Put::Bytes(count) => {
                    message.written += count;
                    self.waiting_bytes -= count;
                    let (written, total) = (message.written, message.line.len());
                    if written == total {
                        self.waiting.pop_front();
                    }
                    feed.push(EventKind::WriteProgress {
                        written: written as u64,
                        total: total as u64,
                    });
                }
                Put::Closed => {
                    feed.push(EventKind::WriteFailed);
                    self.close(Side::Server, feed);
                }
            }
        }
        Ok(())
    }

    /// Closes stdin, with whatever still waits to be written. Does nothing if it is closed.
    pub(crate) fn close(&mut self, by: Side, feed: &mut Feed<'_>) {
        if self.pipe.take().is_some() {
            self.waiting.clear();
            self.waiting_bytes = 0;
            feed.push(EventKind::StdinClosed { by });
        }
    }
}
