//! The order of findings: frame, layer, byte, then the catalogue.

use std::time::Duration;

use model::{Detail, Finding, FrameNo, FrameOffset, Level, Phase, Position, RuleId, StreamOffset};

/// A finding at a byte of a frame that begins at an offset of the stream.
fn in_frame(rule: RuleId, frame: u64, start: u64, byte: u64) -> Finding {
    let position = Position::InFrame {
        frame: FrameNo(frame),
        byte: FrameOffset(byte),
        stream: StreamOffset(start + byte),
    };
    at(rule, position)
}

/// A finding without a frame, made when so many bytes had been read.
fn after_frames(rule: RuleId, stream: u64) -> Finding {
    at(rule, Position::AfterFrames { stream: StreamOffset(stream) })
}

fn at(rule: RuleId, position: Position) -> Finding {
    Finding {
        rule,
        level: Level::Advice,
        position,
        phase: Phase::Call,
        pending: None,
        at: Duration::ZERO,
        detail: Detail::None,
        frame_bytes: None,
    }
}

#[test]
fn findings_stand_by_frame_then_layer_then_byte_then_catalogue() {
    // The first frame ends before byte 100, the second before byte 300.
    let expected = [
        in_frame(RuleId::CarriageReturn, 1, 0, 90),
        in_frame(RuleId::DuplicateKey, 1, 0, 10),
        in_frame(RuleId::LoneSurrogate, 1, 0, 10),
        in_frame(RuleId::DuplicateKey, 1, 0, 20),
        in_frame(RuleId::ExtraMember, 1, 0, 5),
        after_frames(RuleId::LeakedDescendant, 100),
        in_frame(RuleId::CarriageReturn, 2, 100, 190),
        in_frame(RuleId::NumberRange, 2, 100, 3),
        in_frame(RuleId::ReplacementCharacter, 2, 100, 1),
        after_frames(RuleId::LeakedDescendant, 300),
        after_frames(RuleId::NonzeroExit, 300),
    ];
    for (number, first) in expected.iter().enumerate() {
        for second in &expected[number + 1..] {
            assert!(first.order() < second.order(), "{first:?}\nis not before\n{second:?}");
        }
    }
}

#[test]
fn a_position_says_where_it_is() {
    let inside = in_frame(RuleId::InvalidJson, 2, 100, 7).position;
    assert_eq!(inside.frame(), Some(FrameNo(2)));
    assert_eq!((inside.byte(), inside.stream()), (Some(FrameOffset(7)), StreamOffset(107)));
    let outside = after_frames(RuleId::NoResponse, 300).position;
    assert_eq!((outside.frame(), outside.byte()), (None, None));
    assert_eq!(outside.stream(), StreamOffset(300));
}
