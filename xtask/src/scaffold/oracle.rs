//! The oracle as an author states it on the command line.
//!
//! What is plain counting is counted here; what is a judgement must be said. The detector is
//! never asked.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use clap::Args;
use corpus::{
    AdviceExpectation, CaseFile, Clean, Expectation, OneOrMany, Oracle, Todo, ValidStdout,
    Violation,
};
use model::{Phase, ProtocolVersion, RuleId, TailEnd};

use crate::Complaints;
use crate::frames::Frames;

/// What a person says must be found.
#[derive(Args, Clone, Debug, Default)]
pub struct StatedOracle {
    /// The only revision for which the oracle holds. Without it: every one.
    #[arg(long, value_name = "REVISION", value_parser = revision)]
    pub protocol: Option<ProtocolVersion>,
    /// Nothing must be found but the advice that is named.
    #[arg(long, conflicts_with = "rule")]
    pub clean: bool,
    /// The rule that is broken first.
    #[arg(long, value_parser = rule)]
    pub rule: Option<RuleId>,
    /// The frame, from 1; `none` for a finding that no frame shows.
    #[arg(long, requires = "rule", value_name = "N|none")]
    pub frame: Option<Frame>,
    /// The byte in the frame that proves it, from 0.
    #[arg(long, requires = "rule", value_name = "N")]
    pub byte: Option<u64>,
    /// The byte in all of stdout. Counted from frame and byte.
    #[arg(long, requires = "rule", value_name = "N")]
    pub byte_in_stream: Option<u64>,
    /// The messages accepted before. Counted where every frame before can only be one message.
    #[arg(long, requires = "rule", value_name = "N")]
    pub clean_before: Option<u64>,
    /// The phase; several if the order of events leaves it open. Not without a client side.
    #[arg(long, requires = "rule", value_parser = phase)]
    pub phase: Vec<Phase>,
    /// The method of the oldest request without a reply. Without a client side there is none.
    #[arg(long, requires = "rule", value_name = "METHOD|none")]
    pub pending: Option<Pending>,
    /// What ended the output inside the frame. Without a script it is the end of the file.
    #[arg(long, requires = "rule", value_name = "eof|exit|deadline", value_parser = tail_end)]
    pub end: Option<TailEnd>,
    /// Advice beside it.
    #[arg(long, value_name = "RULE[@FRAME:BYTE][*COUNT]")]
    pub advice: Vec<StatedAdvice>,
}

/// A frame, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// No frame shows it.
    None,
    /// This one.
    Number(u64),
}

impl FromStr for Frame {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(Self::None) } else { text.parse().map(Self::Number) }
    }
}

/// The method of a request, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Every request has its reply.
    None,
    /// The oldest request without a reply has this method.
    Method(String),
}

impl FromStr for Pending {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "none" { Self::None } else { Self::Method(text.to_owned()) })
    }
}

/// Advice as an author states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedAdvice(AdviceExpectation);

/// Advice that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdviceForm;

impl fmt::Display for AdviceForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("advice has the form RULE, RULE@FRAME:BYTE or RULE@FRAME:BYTE*COUNT")
    }
}

impl std::error::Error for AdviceForm {}

impl FromStr for StatedAdvice {
    type Err = AdviceForm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| AdviceForm);
        let (text, count) = match text.split_once('*') {
            Some((text, count)) => (text, number(count)?),
            None => (text, 1),
        };
        let (name, place) = match text.split_once('@') {
            Some((name, place)) => {
                let (frame, byte) = place.split_once(':').ok_or(AdviceForm)?;
                (name, Some((number(frame)?, number(byte)?)))
            }
            None => (text, None),
        };
        rule(name).map_err(|_| AdviceForm)?;
        Ok(Self(AdviceExpectation {
            rule: name.to_owned(),
            frame: place.map(|(frame, _)| frame),
            byte: place.map(|(_, byte)| byte),
            count,
        }))
    }
}

fn revision(text: &str) -> Result<ProtocolVersion, String> {
    text.parse()
        .map_err(|()| format!("known are {}", ProtocolVersion::ALL.map(|v| v.name()).join(", ")))
}

fn rule(text: &str) -> Result<RuleId, String> {
    text.parse().map_err(|_| "`mcp-stdio-probe rules` lists the rules".to_owned())
}

fn phase(text: &str) -> Result<Phase, String> {
    text.parse().map_err(|()| format!("known are {}", Phase::ALL.map(Phase::name).join(", ")))
}

fn tail_end(text: &str) -> Result<TailEnd, String> {
    let all = [TailEnd::Eof, TailEnd::Exit, TailEnd::Deadline];
    all.into_iter().find(|end| end.name() == text).ok_or("eof, exit or deadline".to_owned())
}

impl StatedOracle {
    /// The oracle for the bytes of a case; `TODO` if nothing was stated.
    pub(super) fn oracle(&self, file: &CaseFile, stdout: &[u8]) -> Result<Oracle, Complaints> {
        let advice: Vec<_> = self.advice.iter().map(|advice| advice.0.clone()).collect();
        let expectation = match self.rule {
            Some(rule) => Expectation::Violation(self.violation(rule, file, stdout, advice)?),
            None if self.clean => {
                Expectation::Clean(Clean { verdict: ValidStdout::ValidStdout, advice })
            }
            None if advice.is_empty() && self.protocol.is_none() => {
                return Ok(Oracle::Open(Todo::Todo));
            }
            None => {
                return Err(vec!["--advice and --protocol need --rule or --clean".to_owned()]);
            }
        };
        let key = self.protocol.map_or("all", ProtocolVersion::name);
        Ok(Oracle::ByRevision(BTreeMap::from([(key.to_owned(), expectation)])))
    }

    fn violation(
        &self,
        rule: RuleId,
        file: &CaseFile,
        stdout: &[u8],
        advice: Vec<AdviceExpectation>,
    ) -> Result<Violation, Complaints> {
        let frames = Frames::of(stdout);
        let scripted = file.script.is_some();
        let place = self.place(&frames, scripted).map_err(|complaint| vec![complaint])?;
        let clean_before = self.clean_before.or_else(|| match place.frame {
            Some(frame) => messages_before(&frames, frame),
            None if !scripted => messages_before(&frames, frames.complete() + 1),
            None => None,
        });
        let tail = matches!(rule, RuleId::PartialFrame | RuleId::UnterminatedFrame);
        let end = match (tail, scripted, self.end) {
            (true, false, None) => Some(TailEnd::Eof),
            (_, _, end) => end,
        };
        let mut complaints = Complaints::new();
        let mut need = |option: &str, missing: bool| {
            if missing {
                complaints.push(must_be_said(option));
            }
        };
        need("clean-before", clean_before.is_none());
        need("phase", scripted && self.phase.is_empty());
        need("pending", scripted && self.pending.is_none());
        need("end", tail && end.is_none());
        let Some(clean_before) = clean_before.filter(|_| complaints.is_empty()) else {
            return Err(complaints);
        };
        Ok(Violation {
            rule: rule.name().to_owned(),
            frame: place.frame,
            byte: place.byte,
            byte_in_stream: place.byte_in_stream,
            clean_before,
            phase: self.phases(),
            pending: match &self.pending {
                Some(Pending::Method(method)) => Some(method.clone()),
                Some(Pending::None) | None => None,
            },
            end: end.map(|end| end.name().to_owned()),
            partial_bytes: if tail { place.byte } else { None },
            advice,
        })
    }

    /// Where the finding stands. The byte in the stream follows from frame and byte.
    fn place(&self, frames: &Frames<'_>, scripted: bool) -> Result<Place, String> {
        let place = match (self.frame, self.byte) {
            (None, _) => return Err(must_be_said("frame")),
            (Some(Frame::Number(_)), None) => return Err(must_be_said("byte")),
            (Some(Frame::None), Some(_)) => {
                return Err("--byte is a byte of a frame, and --frame is none".to_owned());
            }
            (Some(Frame::None), None) => {
                let end = (!scripted).then(|| frames.len());
                let at =
                    self.byte_in_stream.or(end).ok_or_else(|| must_be_said("byte-in-stream"))?;
                Place { frame: None, byte: None, byte_in_stream: at }
            }
            (Some(Frame::Number(frame)), Some(byte)) => {
                let at = frames
                    .offset(frame, byte)
                    .ok_or_else(|| format!("frame {frame} has no byte {byte}"))?;
                Place { frame: Some(frame), byte: Some(byte), byte_in_stream: at }
            }
        };
        match self.byte_in_stream {
            Some(said) if said != place.byte_in_stream => Err(format!(
                "--byte-in-stream is {said}, and frame and byte name {}",
                place.byte_in_stream
            )),
            _ => Ok(place),
        }
    }

    fn phases(&self) -> Option<OneOrMany> {
        let mut names = self.phase.iter().map(|phase| phase.name().to_owned());
        match (names.next(), names.len()) {
            (None, _) => None,
            (Some(one), 0) => Some(OneOrMany::One(one)),
            (Some(first), _) => Some(OneOrMany::Many([first].into_iter().chain(names).collect())),
        }
    }
}

fn must_be_said(option: &str) -> String {
    format!("--{option} must be said: it cannot be counted")
}

/// Where a finding stands.
#[derive(Clone, Copy)]
struct Place {
    frame: Option<u64>,
    byte: Option<u64>,
    byte_in_stream: u64,
}

/// The messages before the fault in this frame. Every earlier frame was accepted, or the fault
/// would be there, and each is one message unless it is a batch: then None.
fn messages_before(frames: &Frames<'_>, frame: u64) -> Option<u64> {
    let is_batch = |number| {
        let bytes = frames.frame(number).unwrap_or_default();
        bytes.trim_ascii_start().starts_with(b"[")
    };
    (!(1..=frame).any(is_batch)).then_some(frame.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use corpus::AdviceExpectation;

    use super::{AdviceForm, Frame, Pending, StatedAdvice};

    #[test]
    fn advice_has_a_place_and_a_count_or_neither() {
        let advice = |frame, byte, count| {
            let rule = "carriage-return".to_owned();
            Ok(StatedAdvice(AdviceExpectation { rule, frame, byte, count }))
        };
        assert_eq!("carriage-return".parse(), advice(None, None, 1));
        assert_eq!("carriage-return@1:163".parse(), advice(Some(1), Some(163), 1));
        assert_eq!("carriage-return@1:163*4".parse(), advice(Some(1), Some(163), 4));
        for text in ["", "no-such-rule", "carriage-return@1", "carriage-return@x:1"] {
            assert_eq!(text.parse::<StatedAdvice>(), Err(AdviceForm), "{text}");
        }
    }

    #[test]
    fn none_is_no_frame_and_no_request() {
        assert_eq!("none".parse(), Ok(Frame::None));
        assert_eq!("2".parse(), Ok(Frame::Number(2)));
        assert!("first".parse::<Frame>().is_err());
        assert_eq!("none".parse(), Ok(Pending::None));
        assert_eq!("tools/list".parse(), Ok(Pending::Method("tools/list".to_owned())));
    }
}
