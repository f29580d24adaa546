//! Tests of `formats`: each is read by a parser that shares nothing with its writer, whatever
//! the bytes of the server are.

use model::{EventKind, Outcome, RuleId};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use rstest::rstest;
use serde_json::Value;

use crate::safe::tests::hostile_bytes;
use crate::samples::{
    advice, hostile_runs, in_frame, obeys_ci_command, run, stderr, verdict, violation,
};
use crate::{EventStream, Evidence, Format, Report, Rows, SessionEvidence, Style, render};

fn write(report: &Report, format: Format) -> String {
    render(report, format, &Style::default())
}

fn banner() -> Evidence {
    let mut facts = run();
    facts.stderr = stderr(b"starting\n");
    Evidence::new(&violation(in_frame(RuleId::InvalidJson, b"READY <b>`x`</b>", 0)), facts)
}

fn denied() -> Evidence {
    let mut judged = verdict(Outcome::ValidStdout);
    judged.advice.push(advice(RuleId::CarriageReturn, 4));
    Evidence::new(&judged, run())
}

fn several(name: &str, evidence: &[Evidence]) -> Report {
    let sessions = evidence.iter().enumerate();
    let sessions = sessions
        .map(|(n, evidence)| SessionEvidence::new(&format!("{name} {n}"), evidence.clone()));
    Report::several(Rows::Servers, sessions.collect()).expect("there are sessions")
}

/// What holds of every format.
fn assert_safe(text: &str, format: Format) {
    assert!(text.ends_with('\n'), "{format}: {text:?}");
    let hides = |character: char| {
        character.is_control() && character != '\n'
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    assert_eq!(text.chars().find(|character| hides(*character)), None, "{format}: {text:?}");
    let obeyed: Vec<&str> = text.lines().filter(|line| obeys_ci_command(line).is_some()).collect();
    if format != Format::Github {
        assert_eq!(obeyed, Vec::<&str>::new(), "{format}");
        return;
    }
    assert_eq!(obeyed.len(), text.lines().count());
    assert!(obeyed.len() <= 20);
    for line in obeyed {
        let begins = ["::error title=", "::warning title=", "::notice title="];
        assert!(begins.iter().any(|begin| line.starts_with(begin)), "{line}");
        // A runner also looks for the older form anywhere in a line.
        let rest = line.trim_start_matches(':');
        assert!(!rest.contains("##["), "{line}");
    }
}

/// Reads a report as whoever takes its format does.
fn assert_parses(text: &str, format: Format) {
    assert_safe(text, format);
    match format {
        Format::Human | Format::Github => {}
        Format::Json | Format::Sarif | Format::Trace => {
            serde_json::from_str::<Value>(text).expect("it is JSON");
        }
        Format::Jsonl => {
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).expect("a line is JSON");
                assert!(line["type"].is_string() && line["session"].is_string());
            }
        }
        Format::Junit => assert_junit(text),
        Format::Tap => assert_tap(text),
        Format::Markdown => assert_markdown(text),
        Format::Html => assert_html(text),
    }
}

fn assert_junit(text: &str) {
    let document = roxmltree::Document::parse(text).expect("it is XML");
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    let total = |name: &str| -> usize {
        document.root_element().attribute(name).expect("it is there").parse().expect("a number")
    };
    assert_eq!(count("testcase"), total("tests"));
    assert_eq!(count("failure"), total("failures"));
    assert_eq!(count("error"), total("errors"));
    assert_eq!(count("skipped"), 0);
}

/// The grammar of version 14, as far as a report may use it.
fn assert_tap(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let plan = lines.next().and_then(|plan| plan.strip_prefix("1..")).expect("the plan");
    let mut points = 0;
    let mut yaml = false;
    for line in lines {
        match line {
            "  ---" if !yaml => yaml = true,
            "  ..." if yaml => yaml = false,
            _ if yaml => {
                let (name, value) = line.trim_start().split_once(": ").expect("a member");
                assert!(
                    name.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte))
                );
                serde_json::from_str::<Value>(value).expect("a string or a number");
            }
            _ => {
                points += 1;
                let rest = line.strip_prefix("not ").unwrap_or(line);
                let rest = rest.strip_prefix(&format!("ok {points} - ")).expect("a test point");
                assert!(!rest.replace("\\\\", "").replace("\\#", "").contains('#'), "{line}");
            }
        }
    }
    assert_eq!(plan, points.to_string());
    assert!(!yaml);
}

/// Nothing becomes a link, an image or HTML.
fn assert_markdown(text: &str) {
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
        let active = match &event {
            Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => true,
            Event::Start(tag) => matches!(
                tag,
                Tag::Link { .. }
                    | Tag::Image { .. }
                    | Tag::HtmlBlock
                    | Tag::FootnoteDefinition(_)
                    | Tag::BlockQuote(_)
            ),
            _ => false,
        };
        assert!(!active, "{event:?} in {text}");
    }
}

/// Only elements and attributes of ours, no script, no link that leaves the page.
fn assert_html(text: &str) {
    const ELEMENTS: [&str; 47] = [
        "!DOCTYPE",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "footer",
        "p",
        "h1",
        "h2",
        "h3",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "section",
        "article",
        "pre",
        "span",
        "mark",
        "ul",
        "li",
        "b",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "code",
        "div",
        "figure",
        "figcaption",
        "svg",
        "text",
        "line",
        "path",
        "circle",
        "rect",
        "i",
        "br",
        "g",
    ];
    let mut rest = text;
    let mut open = Vec::new();
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("a tag ends");
        rest = after;
        let name = tag.split_whitespace().next().expect("a tag has a name");
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        assert!(ELEMENTS.contains(&name), "<{tag}>");
        if !matches!(name, "!DOCTYPE" | "meta") {
            open.push(name);
        }
        // Every value stands in quotes, so what stands between the quotes is names.
        for (index, piece) in tag.split('"').enumerate() {
            if index % 2 == 0 {
                assert!(!piece.contains(" on") && !piece.contains("src"), "<{tag}>");
            }
        }
        if name == "a" {
            assert!(tag.starts_with("a href=\"#session-"), "<{tag}>");
        }
        if name == "style" {
            rest = rest.split_once("</style>").expect("the sheet ends").1;
            open.pop();
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    assert!(text.contains("default-src 'none'; style-src 'sha256-"));
}

#[rstest]
fn each_format_parses(
    #[values(0, 1, 2, 3)] which: usize,
    #[values(
        Format::Json,
        Format::Jsonl,
        Format::Junit,
        Format::Sarif,
        Format::Github,
        Format::Tap,
        Format::Markdown,
        Format::Html,
        Format::Trace
    )]
    format: Format,
) {
    let report = match which {
        0 => banner().into(),
        1 => denied().into(),
        2 => Evidence::new(&verdict(Outcome::ValidStdout), run()).into(),
        _ => several("server", &[denied(), banner()]),
    };
    assert_parses(&write(&report, format), format);
}

#[test]
fn every_format_has_a_name_of_its_own() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(*format));
    }
}

#[test]
fn a_finding_is_an_annotation() {
    let text = write(&banner().into(), Format::Github);
    let help = RuleId::InvalidJson.rule().mend.replace('%', "%25");
    assert_eq!(
        text,
        format!(
            "::error title=error[invalid-json]%3A node::a line on stdout is not JSON%0Astdout \
             frame 2 (the 2nd line), byte 0 (byte 159 of the stream), counted from 0, phase \
             discovery, 212 ms%0AREADY <b>`x`</b>\
             %0Ahelp: {help}\n"
        )
    );
}

#[test]
fn no_more_annotations_are_written_than_are_shown() {
    let text = write(&several("s", &vec![banner(); 25]), Format::Github);
    assert_eq!(text.lines().count(), 10);
    assert!(text.lines().last().is_some_and(|line| line.contains("::16 more;")), "{text}");
}

#[test]
fn sarif_points_at_the_frame_and_keeps_its_fingerprint() {
    let log: Value = serde_json::from_str(&write(&banner().into(), Format::Sarif)).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "invalid-json");
    assert_eq!(result["level"], "error");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["byteOffset"]), (&2.into(), &159.into()));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), RuleId::ALL.len());
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], "invalid-json");
    let fingerprint = |text: &[u8]| {
        let evidence = Evidence::new(&violation(in_frame(RuleId::InvalidJson, text, 0)), run());
        let log: Value = serde_json::from_str(&write(&evidence.into(), Format::Sarif)).unwrap();
        log["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    assert_eq!(fingerprint(b"added 80 packages in 3s"), fingerprint(b"added 7 packages in 12s"));
    assert_ne!(fingerprint(b"added 80 packages"), fingerprint(b"up to date"));
}

#[test]
fn what_proved_nothing_is_green_nowhere() {
    let stopped =
        Evidence::new(&crate::samples::inconclusive(model::Inconclusive::Interrupted), run());
    let text = |format| write(&stopped.clone().into(), format);
    assert!(text(Format::Tap).contains("\nnot ok 1 - node\n"));
    assert!(
        text(Format::Junit).contains("<error message=")
            || text(Format::Junit).contains("<error type=")
    );
    assert!(text(Format::Github).starts_with("::error title=inconclusive[interrupted]"));
    let log: Value = serde_json::from_str(&text(Format::Sarif)).unwrap();
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert!(text(Format::Html).contains("class=\"unknown\""));
}

/// Events in which a secret comes in pieces, as id and as text.
fn in_pieces() -> Vec<model::Event<'static>> {
    let kinds = [
        EventKind::StepBegan(model::Phase::Startup),
        EventKind::Stdout(b"{\"jsonrpc\":\"2.0\",\"id\":\"sword".to_vec().into()),
        EventKind::Stderr(b"sword".to_vec().into()),
        EventKind::Stderr(b"fish-1234".to_vec().into()),
        EventKind::Stdout(b"fish-1234\",\"result\":{}}\n".to_vec().into()),
        EventKind::Stdout(b"tail sword".to_vec().into()),
        EventKind::StdoutEof,
        EventKind::Stderr(b"end".to_vec().into()),
    ];
    let events = kinds.into_iter().zip(0_u64..).map(|(kind, seq)| model::Event {
        seq: model::Seq(seq),
        at: std::time::Duration::from_millis(seq),
        kind,
    });
    events.collect()
}

fn with_a_secret() -> crate::RunFacts {
    crate::RunFacts { secrets: vec![crate::samples::secret("KEY", "swordfish-1234")], ..run() }
}

#[test]
fn a_live_session_has_the_lines_of_its_report() {
    let mut facts = with_a_secret();
    facts.timeline = crate::Timeline::new(in_pieces());
    let mut judged = violation(in_frame(RuleId::InvalidJson, b"tail sword", 0));
    judged.advice.push(advice(RuleId::CarriageReturn, 4));
    let evidence = Evidence::new(&judged, facts);
    let mut stream = EventStream::new(with_a_secret(), None);
    let mut text = stream.begin();
    for event in in_pieces() {
        text.push_str(&stream.event(&event));
    }
    text.push_str(&stream.end(&evidence));
    assert_eq!(text, write(&evidence.into(), Format::Jsonl));
    assert_parses(&text, Format::Jsonl);
    assert!(!text.contains("fish") && text.contains("[REDACTED:KEY]"), "{text}");
}

#[test]
fn each_line_of_a_live_session_comes_with_its_event() {
    let mut stream = EventStream::new(with_a_secret(), Some("cold"));
    assert!(
        stream
            .begin()
            .starts_with("{\"type\":\"session\",\"schema_version\":1,\"session\":\"cold\"")
    );
    let lines: Vec<usize> =
        in_pieces().iter().map(|event| stream.event(event).lines().count()).collect();
    // What stderr says is counted until something else happens.
    assert_eq!(lines, [1, 0, 0, 0, 2, 0, 2, 0]);
}

#[test]
fn a_live_session_without_end_does_not_fill_the_disk() {
    let mut stream = EventStream::new(run(), None);
    let mut lines = 0;
    for seq in 0..110 {
        let kind = EventKind::Stdout("\n".repeat(1000).into_bytes().into());
        let at = std::time::Duration::ZERO;
        lines += stream.event(&model::Event { seq: model::Seq(seq), at, kind }).lines().count();
    }
    assert_eq!(lines, 100_000);
    let evidence = Evidence::new(&verdict(Outcome::ValidStdout), run());
    let end = stream.end(&evidence);
    assert!(end.starts_with("{\"type\":\"truncated\",\"session\":\"node\",\"what\":\"events\",\"kept\":100000,\"seen\":110000}\n"), "{end}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_format_parses_whatever_the_server_wrote(bytes in hostile_bytes(), byte in 0_u64..300) {
        let runs = hostile_runs(&bytes, byte);
        let evidence: Vec<Evidence> =
            runs.into_iter().map(|(judged, facts)| Evidence::new(&judged, facts)).collect();
        let name = bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
        let all = several(&name, &evidence);
        for report in evidence.into_iter().map(Report::one).chain([all]) {
            for format in Format::ALL {
                assert_parses(&write(&report, *format), *format);
            }
        }
    }
}
