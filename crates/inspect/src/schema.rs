//! The interface of layer 4: whoever knows the schemas of the protocol plugs in here.
//!
//! The detector hands over one whole message and asks whether it conforms; where in the frame a
//! fault stands, and what the answer means for the verdict, it decides itself.

use std::fmt::Debug;

use model::ProtocolVersion;

/// Knows what each protocol revision says of the messages that a server sends.
pub trait MessageSchema: Debug + Sync {
    /// Checks one message: a JSON object that passed the layers below, not deeper than 128, of
    /// numbers that a double can hold and without unpaired surrogates.
    fn check(&self, version: ProtocolVersion, subject: Subject<'_>, message: &[u8])
    -> SchemaAnswer;
}

/// What a message is, which decides what it must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A reply with a result.
    Result {
        /// The method of the request that it answers.
        request: &'a str,
    },
    /// A request of the server.
    Request {
        /// Its method.
        method: &'a str,
    },
    /// A notification.
    Notification {
        /// Its method.
        method: &'a str,
    },
}

/// What the schemas say of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaAnswer {
    /// It conforms.
    Conforms,
    /// It does not, for these reasons, in no order.
    Mismatch(Vec<Mismatch>),
    /// The revision knows no request or notification of a server by this name.
    UnknownMethod,
    /// It could not be read.
    Unreadable,
}

/// A value that does not conform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where the value stands in the message: a JSON pointer (RFC 6901). A member that is
    /// missing is a fault of the object that lacks it.
    pub pointer: Box<str>,
    /// Why, in a few words that hold nothing of the value itself.
    pub reason: Box<str>,
}
