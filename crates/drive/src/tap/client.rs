//! What the client says, line by line: enough to match the server's replies with its requests.

use model::{KeepBody, Phase, RawId, Sent};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Longer lines of the client are passed on like all others, but not read.
const LONGEST: usize = 16 * 1024 * 1024;

/// Collects the lines of a client.
#[derive(Debug, Default)]
pub(super) struct ClientLines {
    line: Vec<u8>,
    length: Length,
}

/// Whether the whole line is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    #[default]
    Whole,
    /// Its beginning was dropped, since it is longer than is read.
    TooLong,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

impl ClientLines {
    /// Takes bytes of the client, and hands on each message that they complete.
    pub(super) fn take(&mut self, bytes: &[u8], mut message: impl FnMut(Sent)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = piece.strip_suffix(b"\n");
            let rest = line.unwrap_or(piece);
            if self.line.len() + rest.len() > LONGEST {
                self.length = Length::TooLong;
                self.line = Vec::new();
            }
            if line.is_none() || !self.line.is_empty() {
                if self.length == Length::Whole {
                    self.line.extend_from_slice(rest);
                }
                if line.is_some() {
                    self.read(None, &mut message);
                }
            } else {
                self.read(Some(rest), &mut message);
            }
        }
    }

    /// Reads a line that came in one piece, or the one that was collected.
    fn read(&mut self, whole: Option<&[u8]>, message: &mut impl FnMut(Sent)) {
        if self.length == Length::Whole
            && let Some(sent) = sent(whole.unwrap_or(&self.line))
        {
            message(sent);
        }
        self.line.clear();
        self.length = Length::Whole;
    }
}

/// The message on a line. None if it is none: that is the client's affair.
fn sent(line: &[u8]) -> Option<Sent> {
    let Envelope { id, method, params } = serde_json::from_slice(line).ok()?;
    let id = id.map(|id| RawId::new(id.get()));
    let params = params.map(|params| params.get().into());
    match (id, method) {
        (Some(id), Some(method)) => {
            Some(Sent::Request { id, method: method.into(), params, keep_body: KeepBody::Drop })
        }
        (None, Some(method)) => Some(Sent::Notification { method: method.into() }),
        (Some(id), None) => Some(Sent::Reply { id }),
        (None, None) => None,
    }
}

/// The phase that begins with a message of the client. None for a reply, which begins nothing.
pub(super) fn phase(sent: &Sent) -> Option<Phase> {
    Some(match sent {
        Sent::Reply { .. } | Sent::Malformed => return None,
        Sent::Notification { .. } => Phase::Handshake,
        Sent::Request { method, .. } => match &**method {
            "initialize" | "server/discover" => Phase::Startup,
            method if method.ends_with("/list") => Phase::Discovery,
            _ => Phase::Call,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(pieces: &[&[u8]]) -> Vec<Sent> {
        let mut lines = ClientLines::default();
        let mut messages = Vec::new();
        for piece in pieces {
            lines.take(piece, |sent| messages.push(sent));
        }
        messages
    }

    #[test]
    fn messages_are_read_however_they_are_cut() {
        let text: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{}}\nnoise\n\
            {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"id\":7,\"result\":{}}\n";
        let whole = messages(&[text]);
        assert_eq!(whole.len(), 3);
        let Sent::Request { id, method, params, .. } = &whole[0] else { panic!("a request") };
        assert_eq!((id.as_str(), &**method, params.as_deref()), ("\"a\"", "ping", Some("{}")));
        assert!(matches!(&whole[2], Sent::Reply { id } if id.as_str() == "7"));
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(messages(&bytes), whole);
        for cut in 0..text.len() {
            let (one, other) = text.split_at(cut);
            assert_eq!(messages(&[one, other]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_beyond_measure_is_not_read_and_the_next_one_is() {
        let long = vec![b'x'; LONGEST];
        let pieces: [&[u8]; 4] =
            [b"{\"id\":1,\"method\":\"", &long, b"\"}\n", b"{\"method\":\"m\"}\n"];
        assert!(
            matches!(&messages(&pieces)[..], [Sent::Notification { method }] if &**method == "m")
        );
    }
}
