//! The format `html`: one page that needs nothing but a browser, and no script.
//!
//! The policy of the page allows its own style sheet, by its hash, and nothing else: no script,
//! no image, no request. Text is escaped by `maud`; no link leads out of the page.

mod hex;
mod picture;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::{TOOL, VERSION, named};
use crate::evidence::{Evidence, VerdictName};
use crate::report::Report;
use crate::safe::SafeText;
use crate::story::{self, Heading, Quote, Story};
use crate::style::Charset;

/// The style sheet. It names no resource.
const STYLE: &str = include_str!("html/style.css");

/// Writes the report.
pub(crate) fn render(report: &Report) -> String {
    let sessions = named(report);
    let outcome = story::outcome(report.leading());
    let title = format!("{}: {}", outcome.head(), outcome.title);
    let mut out = page(&title, &body(report, &sessions, &outcome)).into_string();
    out.push('\n');
    out
}

fn page(title: &str, body: &Markup) -> Markup {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(STYLE.as_bytes()))
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

fn body(report: &Report, sessions: &[(&str, &Evidence)], outcome: &Story<'_>) -> Markup {
    html! {
        header class=(class(outcome.heading)) {
            p.verdict { (outcome.head()) }
            h1 { (outcome.title) }
            @if let Some(name) = report.leading_name() { p { "in " (name.as_str()) } }
            @if let Some(location) = &outcome.location { p { (location) } }
        }
        main {
            @if let Some(rows) = report.rows() { (table(rows.noun(), sessions)) }
            @for (index, (name, evidence)) in sessions.iter().enumerate() {
                (session(index, name, evidence))
            }
            @if sessions.len() > 1 { (side_by_side(sessions)) }
        }
        footer {
            p {
                "Made by " (TOOL) " " (VERSION) ". What a server wrote is quoted as untrusted text: "
                "escaped, cut, and stripped of secrets."
            }
        }
    }
}

fn class(heading: Heading) -> &'static str {
    match heading {
        Heading::Error => "bad",
        Heading::Inconclusive => "unknown",
        Heading::Advice => "advice",
        Heading::Ok => "good",
    }
}

fn verdict_class(evidence: &Evidence) -> &'static str {
    match evidence.verdict {
        VerdictName::Violation => "bad",
        VerdictName::Inconclusive => "unknown",
        VerdictName::ValidStdout => "good",
    }
}

fn table(noun: &str, sessions: &[(&str, &Evidence)]) -> Markup {
    html! {
        table.rows {
            thead { tr { th { (noun) } th { "verdict" } th { "first violation" } th { "messages" } } }
            tbody {
                @for (index, (name, evidence)) in sessions.iter().enumerate() {
                    tr class=(verdict_class(evidence)) {
                        td { a href={ "#session-" (index + 1) } { (name) } }
                        td { (story::outcome(evidence).head()) }
                        td {
                            @if let Some(finding) = &evidence.first_violation { (finding.place()) }
                        }
                        td.number { (evidence.accepted) }
                    }
                }
            }
        }
    }
}

fn session(index: usize, name: &str, evidence: &Evidence) -> Markup {
    html! {
        section id={ "session-" (index + 1) } {
            h2 { (name) }
            @for story in story::of(evidence) { (tell(&story)) }
            @if let Some(finding) = &evidence.first_violation { (hex::dump(finding)) }
            (deadlines(evidence))
            @if !evidence.events.is_empty() {
                details open {
                    summary { "The session" }
                    (picture::session(evidence, picture::Detail::Full))
                }
            }
            (stderr(evidence))
            (facts(evidence))
        }
    }
}

fn tell(story: &Story<'_>) -> Markup {
    html! {
        article class=(class(story.heading)) {
            h3 { (story.head()) ": " (story.title) }
            @if let Some(location) = &story.location { p.place { (location) } }
            @if let Some(snippet) = &story.snippet {
                @let (text, caret) = snippet.excerpt.marked(Charset::Unicode);
                pre.frame {
                    span.number { (snippet.frame) }
                    @match caret {
                        Some(caret) => {
                            (&text[..caret.start])
                            mark { @if caret.is_empty() { "\u{2038}" } @else { (&text[caret.clone()]) } }
                            (&text[caret.end..])
                        }
                        None => { (text) }
                    }
                }
                @if let Some(label) = snippet.label { p.label { (label) } }
            }
            ul {
                @for item in &story.items {
                    li class=(item.label.word()) {
                        b { (item.label.word()) } " " (item.text)
                        @match &item.quote {
                            Quote::Nothing => {}
                            Quote::Lines(lines) => { (lines_of(lines)) }
                            Quote::Command(command) => {
                                pre { (command.text(Charset::Unicode).as_str()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn lines_of(lines: &[SafeText]) -> Markup {
    let lines: Vec<&str> = lines.iter().map(SafeText::as_str).collect();
    html! { pre { (lines.join("\n")) } }
}

/// A bar for each deadline: the part of it that was used.
fn deadlines(evidence: &Evidence) -> Markup {
    html! {
        @if !evidence.deadlines.is_empty() {
            details open[evidence.deadlines.iter().any(|deadline| deadline.expired)] {
                summary { "Deadlines" }
                table.deadlines {
                    @for deadline in &evidence.deadlines {
                        tr class=(if deadline.expired { "bad" } else { "good" }) {
                            td { (deadline.name) }
                            td { (picture::bar(deadline.elapsed_ms, deadline.budget_ms)) }
                            td.number {
                                (deadline.elapsed_ms) " of " (deadline.budget_ms) " ms"
                                @if deadline.expired { ", passed" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn stderr(evidence: &Evidence) -> Markup {
    let stderr = &evidence.stderr;
    html! {
        @if stderr.bytes > 0 {
            details {
                summary { "stderr: " (stderr.lines) " lines, " (stderr.bytes) " bytes" }
                (lines_of(&stderr.excerpt))
            }
        }
    }
}

/// What is left: how it was run, and how it ended.
fn facts(evidence: &Evidence) -> Markup {
    let layers = |layers: &[model::Layer]| {
        let names: Vec<&str> = layers.iter().map(|layer| layer.name()).collect();
        names.join(", ")
    };
    html! {
        details {
            summary { "Facts" }
            dl {
                @if let Some(command) = &evidence.command {
                    dt { "command" } dd { (lines_of(command)) }
                }
                @if let Some(executable) = &evidence.executable {
                    dt { "executable" } dd { code { (executable.as_str()) } }
                }
                @if let Some(cwd) = &evidence.cwd {
                    dt { "working directory" } dd { code { (cwd.as_str()) } }
                }
                @if let Some(software) = &evidence.software {
                    dt { "package" }
                    dd {
                        (software.ecosystem) " " (software.name.as_str())
                        @if let Some(version) = &software.version { " " (version.as_str()) }
                        ", " code { (software.manifest.as_str()) }
                    }
                }
                @if let Some(version) = &evidence.version {
                    dt { "version" } dd { (lines_of(&version.output)) }
                }
                @if let Some(protocol) = evidence.protocol { dt { "protocol" } dd { (protocol) } }
                dt { "layers reached" } dd { (layers(&evidence.layers_reached)) }
                @if !evidence.layers_not_reached.is_empty() {
                    dt { "layers not reached" } dd { (layers(&evidence.layers_not_reached)) }
                }
                @if !evidence.not_checked.is_empty() {
                    dt { "not checked" }
                    dd {
                        @for (index, what) in evidence.not_checked.iter().enumerate() {
                            @if index > 0 { ", " }
                            (what.name())
                        }
                    }
                }
                @if let Some(cleanup) = &evidence.cleanup {
                    dt { "cleanup" }
                    dd { "process " (cleanup.process) ", readers " (cleanup.readers) }
                }
                @if !evidence.environment.is_empty() {
                    dt { "variables" }
                    dd {
                        @for (index, variable) in evidence.environment.iter().enumerate() {
                            @if index > 0 { ", " }
                            code { (variable.name.as_str()) } " (" (variable.source) ")"
                        }
                    }
                }
                @for cut in &evidence.truncated {
                    dt { "left out" } dd { (cut.what) ": " (cut.kept) " of " (cut.seen) " kept" }
                }
            }
        }
    }
}

fn side_by_side(sessions: &[(&str, &Evidence)]) -> Markup {
    html! {
        section {
            h2 { "Side by side" }
            div.columns {
                @for (name, evidence) in sessions {
                    figure {
                        figcaption { (name) }
                        (picture::session(evidence, picture::Detail::Brief))
                    }
                }
            }
        }
    }
}

/// Standard base64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for (index, place) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = if index <= chunk.len() { DIGITS[bits >> place & 63] } else { b'=' };
            out.push(char::from(digit));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_its_standard() {
        // RFC 4648 section 10.
        let cases = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(cases.map(|text| base64(text.as_bytes())), encoded);
    }
}
