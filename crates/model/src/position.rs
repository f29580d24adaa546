//! Where on stdout something is: frame numbers and byte offsets.

use std::fmt;

/// The number of a frame on stdout, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameNo(pub u64);

impl FrameNo {
    /// The first frame of a stream.
    pub const FIRST: Self = Self(1);

    /// The frame after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A byte offset inside one frame, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameOffset(pub u64);

/// A byte offset in the whole of stdout, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamOffset(pub u64);

macro_rules! display_number {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}
display_number!(FrameNo, FrameOffset, StreamOffset);

/// Where a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// At a byte of a frame. For something that is missing, the byte is the end of the frame:
    /// the offset of its 0x0A, or the length of an unterminated tail.
    InFrame {
        /// The frame.
        frame: FrameNo,
        /// The byte that proves the fault, from the start of the frame.
        byte: FrameOffset,
        /// The same byte, from the start of the stream.
        stream: StreamOffset,
    },
    /// After the last frame, for what no frame shows (silence, an exit).
    AfterFrames {
        /// The length of stdout so far.
        stream: StreamOffset,
    },
}

impl Position {
    /// The frame, if the finding has one.
    #[must_use]
    pub fn frame(self) -> Option<FrameNo> {
        match self {
            Self::InFrame { frame, .. } => Some(frame),
            Self::AfterFrames { .. } => None,
        }
    }

    /// The byte inside the frame, if the finding has one.
    #[must_use]
    pub fn byte(self) -> Option<FrameOffset> {
        match self {
            Self::InFrame { byte, .. } => Some(byte),
            Self::AfterFrames { .. } => None,
        }
    }

    /// The offset in the whole of stdout.
    #[must_use]
    pub fn stream(self) -> StreamOffset {
        match self {
            Self::InFrame { stream, .. } | Self::AfterFrames { stream } => stream,
        }
    }
}
