//! A planted secret, in every encoding, wherever a run can bring it, cut at every place: no report
//! in any format holds a part of it.

use model::{Finding, FrameBytes, PendingRequest, Phase, RawId, RuleId};
use rstest::rstest;

use super::Evidence;
use crate::facts::{Mode, StderrFacts};
use crate::redact::Redaction;
use crate::redact::tests::{PLANTED, planted};
use crate::samples::{in_frame, run, secret, violation};
use crate::{EventStream, Format, Style, Timeline, render};

/// The first bytes of a frame, as if a cap had cut the rest.
fn cut_frame(frame: &[u8], kept: usize) -> Finding {
    let mut finding = in_frame(RuleId::InvalidJson, frame, 0);
    let prefix = frame[..kept.min(frame.len())].into();
    finding.frame_bytes = Some(FrameBytes { prefix, len: frame.len() as u64 });
    finding
}

/// The secret in arguments, variables, stderr, stdout and the result of a call, with what is
/// kept of each cut at `cut` bytes.
fn evidence(value: &[u8], cut: usize, redaction: Redaction) -> [Evidence; 2] {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().copied().map(char::from).collect(),
    };
    let mut facts = run();
    facts.redaction = redaction;
    facts.secrets.push(secret("DEMO_KEY", PLANTED));
    if let Mode::Run(command) = &mut facts.mode {
        command.argv.push(format!("--token={PLANTED}").into());
    }
    facts.reproduce.push(format!("--token={PLANTED}").into());
    facts.calls.push(format!("echo={}", serde_json::json!({ "text": PLANTED })));
    let line = [b"key ", value, b" end\n"].concat();
    let cut = cut.min(line.len());
    facts.stderr = StderrFacts {
        bytes: 2 * line.len() as u64 + 10,
        lines: 3,
        head: line[..cut].to_vec(),
        tail: line[cut..].to_vec(),
        dropped: 10,
    };
    let chunks = [&line[..cut], &line[cut..]].map(|chunk| chunk.to_vec());
    facts.timeline = Timeline::new(chunks.into_iter().zip(0..).map(|(chunk, seq)| model::Event {
        seq: model::Seq(seq),
        at: std::time::Duration::from_millis(seq),
        kind: model::EventKind::Stdout(chunk.into()),
    }));
    let result = format!(r#"{{"jsonrpc":"2.0","id":42,"result":{{"content":[{{"text":"{text}"#);
    let mut of_call = cut_frame(result.as_bytes(), result.len() - text.len() + cut);
    of_call.phase = Phase::Call;
    of_call.pending = Some(PendingRequest { id: RawId::new("42"), method: "tools/call".into() });
    [cut_frame(&line, cut), of_call]
        .map(|finding| Evidence::new(&violation(finding), facts.clone()))
}

#[rstest]
fn no_report_holds_a_part_of_a_planted_secret(
    #[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] encoding: usize,
) {
    let value = planted(encoding);
    // Escapes are spelled again by a report, so its text is compared as letters: those that the
    // secret has and no report uses.
    let window = if encoding == 0 { 4 } else { 8 };
    let spelled: Vec<char> = match std::str::from_utf8(&value) {
        Ok(text) => text.chars().collect(),
        Err(_) => value.iter().copied().map(char::from).collect(),
    };
    let parts: Vec<String> =
        spelled.windows(window).map(|part| part.iter().collect::<String>()).collect();
    let letters: Vec<char> = PLANTED.chars().collect();
    let plain: Vec<String> = letters.windows(4).map(|part| part.iter().collect()).collect();
    let hex: String = PLANTED.bytes().map(|byte| format!("{byte:02x}")).collect();
    for cut in 0..value.len() + 9 {
        for evidence in evidence(&value, cut, Redaction::On) {
            let report = evidence.into();
            // Every format is a view of one evidence: those that show most at every cut, all of
            // them at some.
            let some = [Format::Human, Format::Json];
            let formats = if cut % 16 == 5 { Format::ALL } else { some.as_slice() };
            for format in formats {
                let text = render(&report, *format, &Style::default());
                for part in parts.iter().chain(&plain) {
                    assert!(!text.contains(part.as_str()), "{format}, cut {cut}: {part} in {text}");
                }
                for start in (0..hex.len() - 8).step_by(2) {
                    let part = &hex[start..start + 8];
                    assert!(!text.contains(part), "{format}, cut {cut}: {part} in {text}");
                }
            }
        }
    }
}

/// The lines of a live session whose server puts the text into its id and method, in two pieces,
/// and ends inside the text.
fn live(text: &str, cut: usize, redaction: Redaction) -> String {
    let mut facts = run();
    facts.redaction = redaction;
    facts.secrets.push(secret("DEMO_KEY", PLANTED));
    let message = serde_json::json!({ "jsonrpc": "2.0", "id": text, "method": text });
    let frame = format!("{message}\n").into_bytes();
    let cut = cut.min(frame.len());
    let tail = text.as_bytes()[..cut.min(text.len())].to_vec();
    let kinds = [
        model::EventKind::Stdout(frame[..cut].to_vec().into()),
        model::EventKind::Stderr(text.as_bytes().to_vec().into()),
        model::EventKind::Stdout(frame[cut..].to_vec().into()),
        model::EventKind::Stdout(tail.into()),
        model::EventKind::StdoutEof,
    ];
    let mut stream = EventStream::new(facts, None);
    let mut lines = stream.begin();
    for (kind, seq) in kinds.into_iter().zip(0..) {
        let at = std::time::Duration::from_millis(seq);
        lines.push_str(&stream.event(&model::Event { seq: model::Seq(seq), at, kind }));
    }
    lines
}

#[rstest]
fn no_line_of_a_live_session_holds_a_part_of_a_planted_secret(
    #[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] encoding: usize,
) {
    let value = planted(encoding);
    let Ok(text) = std::str::from_utf8(&value) else { return };
    let letters: Vec<char> = PLANTED.chars().collect();
    let spelled: Vec<char> = text.chars().collect();
    let window = if encoding == 0 { 4 } else { 8 };
    let parts = letters.windows(4).chain(spelled.windows(window));
    let parts: Vec<String> = parts.map(|part| part.iter().collect()).collect();
    for cut in 0..2 * text.len() + 40 {
        let lines = live(text, cut, Redaction::On);
        for part in &parts {
            assert!(!lines.contains(part.as_str()), "cut {cut}: {part} in {lines}");
        }
    }
    // The search sees what is not replaced.
    let open = live(PLANTED, 10, Redaction::Off);
    assert!(open.contains(&PLANTED[..4]), "{open}");
}

#[test]
fn the_search_sees_what_is_not_replaced() {
    for evidence in evidence(PLANTED.as_bytes(), 40, Redaction::Off) {
        let report = evidence.into();
        for format in Format::ALL.iter().filter(|format| **format != Format::Trace) {
            let text = render(&report, *format, &Style::default());
            let part: String = PLANTED.chars().take(4).collect();
            let hex: String = PLANTED.bytes().take(4).map(|byte| format!("{byte:02x}")).collect();
            assert!(text.contains(&part) || text.contains(&hex), "{format}: {text}");
        }
    }
}
