//! The reports of every case in every format, read by parsers that are not ours: XML, SARIF by
//! its published schema, JSON by ours, TAP.

use std::fs;
use std::path::Path;

use corpus::{Case, Chunking, events, load_all, replay, revision_shown, rule_set};
use inspect::Inspector;
use report::{
    Evidence, Format, Mode, Report, Rows, RunFacts, SessionEvidence, StderrFacts, Style, Timeline,
    render,
};
use tempfile::TempDir;

use crate::Complaints;
use crate::command::{output, program, succeed};
use crate::generated::REPORT_SCHEMA;
use crate::workspace::Workspace;

/// The parsers, from the npm registry, each with its version. The last one carries the schema
/// that the authors of SARIF published.
const PARSERS: &[&str] = &[
    "ajv@8.20.0",
    "fast-xml-parser@5.12.1",
    "tap-parser@18.3.4",
    "@microsoft/jest-sarif@1.0.0-beta.0",
];

/// The program that has them read the reports.
const READER: &str = "xtask/formats/read.mjs";

/// Writes the reports and has them read.
pub fn run() -> Complaints {
    match attempt() {
        Ok(complaints) => complaints,
        Err(error) => vec![error],
    }
}

fn attempt() -> Result<Complaints, String> {
    let here = Workspace::here();
    let directory = TempDir::new().map_err(|error| error.to_string())?;
    let reports = directory.path().join("reports");
    fs::create_dir(&reports).map_err(|error| error.to_string())?;
    let cases = load_all(&here.corpus())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut complaints = Complaints::new();
    let mut sessions = Vec::new();
    for case in &cases {
        let evidence = evidence(case)?;
        sessions.push(SessionEvidence::new(&case.file.id, evidence.clone()));
        complaints.extend(write(&reports, &case.file.id, &evidence.into())?);
    }
    let all = Report::several(Rows::Servers, sessions).ok_or("there are no cases")?;
    complaints.extend(write(&reports, "all-of-them", &all)?);
    let mut npm = program("npm");
    npm.args(["install", "--silent", "--no-save", "--ignore-scripts", "--legacy-peer-deps"]);
    npm.arg("--prefix").arg(directory.path()).args(PARSERS);
    succeed(&mut npm).map_err(|failure| failure.to_string())?;
    let reader = directory.path().join("read.mjs");
    fs::copy(here.path(READER), &reader).map_err(|error| format!("{READER}: {error}"))?;
    let mut node = program("node");
    node.arg(&reader).arg(&reports).arg(here.path(REPORT_SCHEMA));
    let read = output(&mut node).map_err(|failure| failure.to_string())?;
    let told = String::from_utf8(read.stdout).unwrap_or_default();
    let (last, faults) = match told.trim_end().rsplit_once('\n') {
        Some((faults, last)) => (last, faults),
        None => (told.trim_end(), ""),
    };
    complaints.extend(faults.lines().map(str::to_owned));
    if !read.status.success() && faults.is_empty() {
        complaints
            .push(format!("{READER}: {}", String::from_utf8(read.stderr).unwrap_or_default()));
    }
    println!("formats: {last}");
    Ok(complaints)
}

fn evidence(case: &Case) -> Result<Evidence, String> {
    let wrong = |error: corpus::ScriptError| format!("{}: {error}", case.file.id);
    let rules = rule_set(case, Some(revision_shown(&case.file)));
    let verdict =
        replay(case, Chunking::AsScripted, Box::new(Inspector::new(rules))).map_err(wrong)?;
    let mut facts = RunFacts::new(Mode::Replay { case: case.file.id.clone() });
    facts.calls.clone_from(&case.file.run.calls);
    facts.stderr = StderrFacts {
        bytes: case.stderr.len() as u64,
        lines: case.stderr.split_inclusive(|byte| *byte == b'\n').count() as u64,
        head: case.stderr.clone(),
        tail: Vec::new(),
        dropped: 0,
    };
    facts.timeline = Timeline::new(events(case, Chunking::AsScripted).map_err(wrong)?);
    Ok(Evidence::new(&verdict, facts))
}

/// Writes one report in every format, and looks at its bytes.
fn write(directory: &Path, id: &str, report: &Report) -> Result<Complaints, String> {
    let mut complaints = Complaints::new();
    for format in Format::ALL {
        let text = render(report, *format, &Style::default());
        let hidden = |character: char| {
            character.is_control() && character != '\n'
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        if text.chars().any(hidden) {
            complaints.push(format!("{id}.{format}: a control character"));
        }
        // By the rule of the runner: a command begins a line, or stands anywhere in the old form.
        let obeyed = |line: &str| {
            line.trim_start().starts_with("::") && *format != Format::Github || line.contains("##[")
        };
        if let Some(line) = text.lines().find(|line| obeyed(line)) {
            complaints.push(format!("{id}.{format}: a runner would obey: {line}"));
        }
        fs::write(directory.join(format!("{id}.{format}")), text)
            .map_err(|error| error.to_string())?;
    }
    Ok(complaints)
}
