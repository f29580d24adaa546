//! `run --list`: what would be launched, without launching it.

use std::collections::BTreeSet;
use std::ffi::OsString;

use config::{Entry, File, Kind, Launch, Surroundings};
use report::{Cap, CommandLine, Format, Redactor, Untrusted};
use serde_json::{Value, json};

use super::args::RunArguments;
use super::configured::{Read, secrets, strictness};
use super::{Status, UsageError, output};

/// As much of a name, a path or a complaint as is shown.
const SHOWN: Cap = Cap { columns: 400, bytes: 2000 };

/// One row of the list.
struct Row<'a> {
    file: &'a File,
    entry: &'a Entry,
    /// Whether it would be launched now.
    chosen: Chosen,
    launch: Result<Launch, Vec<config::ConfigError>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Yes,
    No,
}

/// Lists every server of the files, and whether it would be launched.
pub(crate) fn list(
    arguments: &RunArguments,
    read: &[Read],
    chosen: &[(&File, &Entry)],
    surroundings: &Surroundings,
) -> Result<Status, UsageError> {
    let targets = output::targets(&arguments.output)?;
    let mut rows = Vec::new();
    for Read { file, .. } in read {
        for entry in &file.entries {
            let is_it = |(of, one): &(&File, &Entry)| of.path == file.path && *one == entry;
            rows.push(Row {
                file,
                entry,
                chosen: if chosen.iter().any(is_it) { Chosen::Yes } else { Chosen::No },
                launch: file.launch(entry, surroundings, strictness(arguments)),
            });
        }
    }
    for target in &targets {
        let text = match target.format {
            Format::Json => {
                let mut text = serde_json::to_string_pretty(&as_json(&rows))
                    .map_err(|error| UsageError::new(format!("cannot write the list: {error}")))?;
                text.push('\n');
                text
            }
            _ => as_text(&rows),
        };
        match &target.file {
            None => _ = output::print(&text)?,
            Some(path) => std::fs::write(path, text).map_err(|error| {
                UsageError::new(format!("cannot write {}: {error}", path.display()))
            })?,
        }
    }
    let broken = rows.iter().any(|row| row.chosen == Chosen::Yes && row.launch.is_err());
    Ok(if broken { Status::Usage } else { Status::Valid })
}

fn safe(text: &str, redactor: &Redactor) -> String {
    let redacted = redactor.redact_whole(text.as_bytes());
    Untrusted::new(&redacted.bytes).text(SHOWN).as_str().to_owned()
}

fn kind(row: &Row<'_>) -> &'static str {
    match (row.entry.kind, row.chosen) {
        (Kind::Remote, _) => "remote, not launched",
        (Kind::Disabled, Chosen::No) => "disabled, not launched",
        (Kind::Disabled, Chosen::Yes) => "disabled, launched because it is named",
        (Kind::Stdio, Chosen::No) => "not chosen",
        (Kind::Stdio, Chosen::Yes) => "launched",
    }
}

fn redactor(launch: &Launch) -> Redactor {
    Redactor::new(&secrets(launch))
}

fn command_line(launch: &Launch, redactor: &Redactor) -> String {
    let words: Vec<OsString> =
        std::iter::once(&launch.program).chain(&launch.args).map(OsString::from).collect();
    let charset = output::style(None).charset;
    match CommandLine::new(&words, redactor) {
        Some(line) => line.text(charset).as_str().to_owned(),
        None => "a command too long to show".to_owned(),
    }
}

/// The names of the variables; of two with one name one is enough.
fn names(launch: &Launch) -> BTreeSet<&str> {
    launch.env.iter().map(|variable| variable.name.as_str()).collect()
}

fn as_text(rows: &[Row<'_>]) -> String {
    let none = Redactor::new(&[]);
    let mut out = String::new();
    for row in rows {
        let (file, entry) = (row.file, row.entry);
        out.push_str(&format!(
            "{}:{} ({}) {}: {}\n",
            safe(&file.path.display().to_string(), &none),
            entry.place,
            file.format,
            safe(&entry.name, &none),
            kind(row),
        ));
        match &row.launch {
            Ok(launch) => {
                let redactor = redactor(launch);
                let mut line =
                    |name: &str, text: &str| out.push_str(&format!("  {name}: {text}\n"));
                line("command", &command_line(launch, &redactor));
                let names: Vec<String> =
                    names(launch).into_iter().map(|name| safe(name, &none)).collect();
                if !names.is_empty() {
                    line("variables", &names.join(" "));
                }
                line("directory", &safe(&launch.cwd.display().to_string(), &none));
                for warning in &launch.warnings {
                    line("warning", &format!("{}: {}", warning.place, safe(&warning.text, &none)));
                }
            }
            Err(_) if entry.kind == Kind::Remote => {}
            Err(errors) => {
                for error in errors {
                    out.push_str(&format!("  error: {}\n", safe(&error.to_string(), &none)));
                }
            }
        }
    }
    out
}

fn as_json(rows: &[Row<'_>]) -> Value {
    let none = Redactor::new(&[]);
    let server = |row: &Row<'_>| {
        let mut value = json!({
            "file": safe(&row.file.path.display().to_string(), &none),
            "line": row.entry.place.line,
            "column": row.entry.place.column,
            "format": row.file.format.name(),
            "server": safe(&row.entry.name, &none),
            "kind": match row.entry.kind {
                Kind::Stdio => "stdio",
                Kind::Disabled => "disabled",
                Kind::Remote => "remote",
            },
            "launched": row.chosen == Chosen::Yes,
        });
        match &row.launch {
            Ok(launch) => {
                let redactor = redactor(launch);
                let words = std::iter::once(&launch.program).chain(&launch.args);
                value["command"] = words.map(|word| safe(word, &redactor)).collect();
                value["variables"] =
                    names(launch).into_iter().map(|name| safe(name, &none)).collect();
                value["cwd"] = safe(&launch.cwd.display().to_string(), &none).into();
                value["warnings"] = launch
                    .warnings
                    .iter()
                    .map(|warning| format!("{}: {}", warning.place, safe(&warning.text, &none)))
                    .collect();
            }
            Err(errors) => {
                value["errors"] =
                    errors.iter().map(|error| safe(&error.to_string(), &none)).collect();
            }
        }
        value
    };
    json!({ "schema_version": 1, "servers": rows.iter().map(server).collect::<Vec<_>>() })
}
