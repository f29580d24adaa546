//! The client side of a played case: its messages, line by line.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, BufRead};

use model::RawId;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A message of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Its method; None for a reply.
    pub(crate) method: Option<Box<str>>,
    /// Its id; None for a notification.
    pub(crate) id: Option<RawId>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// The client side's messages, line by line.
pub(crate) struct Client<R> {
    lines: R,
    /// Messages that came before the reply that was awaited.
    held: VecDeque<Message>,
}

/// Whether there is still a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Gone,
}

impl<R: BufRead> Client<R> {
    pub(crate) fn new(lines: R) -> Self {
        Self { lines, held: VecDeque::new() }
    }

    /// The next message; None at the end of stdin. What is no message is passed over: a broken
    /// client is not what a case shows.
    pub(crate) fn message(&mut self) -> io::Result<Option<Message>> {
        match self.held.pop_front() {
            Some(held) => Ok(Some(held)),
            None => self.read(),
        }
    }

    /// Waits for the reply to a request of the server. Ids are compared as JSON values.
    pub(crate) fn reply(&mut self, id: &RawId) -> io::Result<Presence> {
        let value = |id: &RawId| serde_json::from_str::<Value>(id.as_str()).ok();
        while let Some(message) = self.read()? {
            if message.method.is_none() && message.id.as_ref().and_then(value) == value(id) {
                return Ok(Presence::There);
            }
            self.held.push_back(message);
        }
        Ok(Presence::Gone)
    }

    /// Reads stdin to its end, whatever comes.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        io::copy(&mut self.lines, &mut io::sink()).map(drop)
    }

    fn read(&mut self) -> io::Result<Option<Message>> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.lines.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            let Ok(Envelope { method, id }) = serde_json::from_slice(&line) else { continue };
            return Ok(Some(Message {
                method: method.map(Box::from),
                id: id.map(|id| RawId::new(id.get())),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use model::RawId;

    use super::{Client, Presence};

    #[test]
    fn what_comes_before_an_awaited_reply_is_not_lost() {
        let lines =
            "no message\n{\"method\":\"tools/list\",\"id\":7}\n{\"id\":\"a\",\"result\":{}}\n";
        let mut client = Client::new(lines.as_bytes());
        assert_eq!(client.reply(&RawId::new("\"\\u0061\"")).unwrap(), Presence::There);
        let held = client.message().unwrap().expect("the request was held");
        assert_eq!(held.method.as_deref(), Some("tools/list"));
        assert_eq!(held.id, Some(RawId::integer(7)));
        assert_eq!(client.message().unwrap(), None);
    }
}
