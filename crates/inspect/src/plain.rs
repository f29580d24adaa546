//! A whole frame at once: whether it is, beyond doubt, a message that no rule has anything to say
//! of.
//!
//! Most frames of a recording are such messages, and proving that of a whole frame costs a
//! fraction of what the exact machine costs, which must be able to stop at any byte. Nothing is
//! decided here: whatever is rare, long, advised against or wrong is left to the exact machine,
//! which then reads the frame from its first byte. So no verdict depends on what is vouched for.

mod text;

use text::{MAX_NAME_BYTES, Text};

pub(crate) use text::Replacement;

/// The deepest nesting that is read here.
const MAX_DEPTH: usize = 64;
/// The most keys of one object: each is compared with all before it.
const MAX_KEYS_OF_OBJECT: usize = 64;

/// How most messages begin.
const USUAL: &[u8] = br#"{"jsonrpc":"2.0","id":"#;

/// What a frame is that was vouched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) kind: PlainKind,
    /// The length of the frame without its 0x0A.
    pub(crate) len: usize,
    pub(crate) replacement: Replacement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainKind {
    /// A request or a notification.
    Call,
    Result,
    Error,
}

/// Reads frames. What it holds is room that is used again.
#[derive(Debug, Default)]
pub(crate) struct PlainReader {
    /// Hashes of the keys of each open object.
    hashes: Vec<u32>,
    /// The containers round the innermost.
    outer: Vec<Container>,
}

impl PlainReader {
    /// Vouches for the frame at the start of these bytes, which are UTF-8 wherever they hold a
    /// whole frame.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<Plain> {
        let mut text = Text::new(bytes);
        let kind = self.message(&mut text)?;
        text.is_next(b'\n').then_some(Plain { kind, len: text.at, replacement: text.replacement })
    }

    fn message(&mut self, text: &mut Text<'_>) -> Option<PlainKind> {
        let mut members = Members::default();
        if text.bytes.starts_with(USUAL) {
            text.at = USUAL.len();
            members.jsonrpc = Once::Done;
            members.id = Once::Done;
            text.id()?;
            if text.ends_object()? {
                return None;
            }
        } else {
            text.take(b'{')?;
            text.blanks();
        }
        loop {
            match text.key()? {
                b"jsonrpc" => {
                    members.jsonrpc.set()?;
                    if text.string()? != b"2.0" {
                        return None;
                    }
                }
                b"id" => {
                    members.id.set()?;
                    text.id()?;
                }
                b"method" => {
                    members.method.set()?;
                    if text.string()?.len() > MAX_NAME_BYTES {
                        return None;
                    }
                }
                b"params" => {
                    members.params.set()?;
                    self.object(text, Of::Anything)?;
                }
                b"result" => {
                    members.result.set()?;
                    self.object(text, Of::Result)?;
                }
                b"error" => {
                    members.error.set()?;
                    self.error(text)?;
                }
                _ => return None,
            }
            if text.ends_object()? {
                return members.kind();
            }
        }
    }

    /// An error with its code and message.
    fn error(&mut self, text: &mut Text<'_>) -> Option<()> {
        let (mut code, mut message, mut data) = (Once::Never, Once::Never, Once::Never);
        text.take(b'{')?;
        text.blanks();
        loop {
            match text.key()? {
                b"code" => {
                    code.set()?;
                    text.integer()?;
                }
                b"message" => {
                    message.set()?;
                    text.take(b'"')?;
                    text.string_end()?;
                }
                b"data" => {
                    data.set()?;
                    self.value(text, Of::Anything)?;
                }
                _ => return None,
            }
            if text.ends_object()? {
                return (code == Once::Done && message == Once::Done).then_some(());
            }
        }
    }

    fn object(&mut self, text: &mut Text<'_>, of: Of) -> Option<()> {
        if text.is_next(b'{') { self.value(text, of) } else { None }
    }

    /// Any value.
    fn value(&mut self, text: &mut Text<'_>, of: Of) -> Option<()> {
        self.outer.clear();
        self.hashes.clear();
        let mut innermost = Container::None;
        loop {
            // A value begins here.
            match text.next()? {
                b'"' => text.string_end()?,
                b'{' => {
                    let object = Container::Object { first: self.hashes.len() };
                    self.enter(&mut innermost, object)?;
                    text.blanks();
                    if text.is_next(b'}') {
                        text.at += 1;
                        innermost = self.leave(innermost);
                    } else {
                        self.key(text, of, self.hashes.len())?;
                        continue;
                    }
                }
                b'[' => {
                    self.enter(&mut innermost, Container::Array)?;
                    text.blanks();
                    if text.is_next(b']') {
                        text.at += 1;
                        innermost = self.leave(innermost);
                    } else {
                        continue;
                    }
                }
                b't' => text.literal(b"rue")?,
                b'f' => text.literal(b"alse")?,
                b'n' => text.literal(b"ull")?,
                first => text.number(first)?,
            }
            // It has ended, and perhaps containers with it.
            loop {
                if innermost == Container::None {
                    return Some(());
                }
                text.blanks();
                match (text.next()?, innermost) {
                    (b',', Container::Array) => {
                        text.blanks();
                        break;
                    }
                    (b',', Container::Object { first }) => {
                        text.blanks();
                        self.key(text, of, first)?;
                        break;
                    }
                    (b'}', Container::Object { .. }) | (b']', Container::Array) => {
                        innermost = self.leave(innermost);
                    }
                    _ => return None,
                }
            }
        }
    }

    fn enter(&mut self, innermost: &mut Container, inner: Container) -> Option<()> {
        self.outer.push(std::mem::replace(innermost, inner));
        (self.outer.len() <= MAX_DEPTH).then_some(())
    }

    /// Leaves a container, and gives the one around it.
    fn leave(&mut self, innermost: Container) -> Container {
        if let Container::Object { first } = innermost {
            self.hashes.truncate(first);
        }
        self.outer.pop().unwrap_or(Container::None)
    }

    /// The next key of an object whose first hash is this one. It has no other by its hash.
    fn key(&mut self, text: &mut Text<'_>, of: Of, first: usize) -> Option<()> {
        let start = text.at;
        let hash = text.key_hash()?;
        // From an initialize result on, its revision is in force.
        if of == Of::Result
            && self.outer.len() == 1
            && text.bytes[start..].starts_with(b"\"protocolVersion\"")
        {
            return None;
        }
        let others = &self.hashes[first..];
        if others.len() == MAX_KEYS_OF_OBJECT || among(others, hash) {
            return None;
        }
        self.hashes.push(hash);
        Some(())
    }
}

/// A container that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    None,
    Array,
    /// The hashes of its keys begin here.
    Object {
        first: usize,
    },
}

/// What a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Anything,
    Result,
}

/// Whether something was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Once {
    #[default]
    Never,
    Done,
}

impl Once {
    /// None for the second time.
    fn set(&mut self) -> Option<()> {
        (std::mem::replace(self, Self::Done) == Self::Never).then_some(())
    }
}

/// The members of a message.
#[derive(Debug, Default)]
struct Members {
    jsonrpc: Once,
    id: Once,
    method: Once,
    params: Once,
    result: Once,
    error: Once,
}

impl Members {
    /// What they make together, if no member is missing or too many.
    fn kind(&self) -> Option<PlainKind> {
        use Once::{Done, Never};
        match (self.jsonrpc, self.id, self.method, self.params, self.result, self.error) {
            (Done, _, Done, _, Never, Never) => Some(PlainKind::Call),
            (Done, Done, Never, Never, Done, Never) => Some(PlainKind::Result),
            (Done, Done, Never, Never, Never, Done) => Some(PlainKind::Error),
            _ => None,
        }
    }
}

/// Whether a hash is among others. Without early exit, so that several are compared at once.
fn among(others: &[u32], hash: u32) -> bool {
    others.iter().fold(false, |found, &other| found | (other == hash))
}

#[cfg(test)]
mod tests;
