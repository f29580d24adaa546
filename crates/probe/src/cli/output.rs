//! Where reports, messages and nothing else go.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use report::{Charset, Color, Format, Redaction, Report, Style, render};

use super::args::{ColorChoice, OutputArguments, Target};
use super::{NAME, Status, UsageError};

/// The narrowest and the widest report that a terminal's size leads to, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=120;

/// Checks what reports are asked for, before anything is run.
pub(crate) fn targets(arguments: &OutputArguments) -> Result<Vec<Target>, UsageError> {
    let mut targets = arguments.formats.clone();
    if targets.iter().filter(|target| target.file.is_none()).count() > 1 {
        return Err(UsageError::new("at most one --format may go to stdout"));
    }
    if targets.is_empty() {
        targets.push(Target { format: Format::Human, file: None });
        // Nothing was asked for, so the report may go where its reader looks for it.
        if is_github() {
            targets.push(Target { format: Format::Github, file: None });
        }
    }
    for file in targets.iter().filter_map(|target| target.file.as_deref()) {
        if let Err(error) = writable(file) {
            return Err(UsageError::new(format!("cannot write {}: {error}", file.display())));
        }
    }
    Ok(targets)
}

/// Whether secrets are replaced. In CI a report is published, so showing them there takes a
/// second word.
pub(crate) fn redaction(arguments: &OutputArguments) -> Result<Redaction, UsageError> {
    if !arguments.no_redact {
        return Ok(Redaction::On);
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    if in_ci && !arguments.yes_leak {
        return Err(UsageError::new(
            "--no-redact would publish secrets, since this is a CI job; --yes-leak insists",
        ));
    }
    say("warning: nothing is redacted; do not publish this report");
    Ok(Redaction::Off)
}

fn writable(file: &Path) -> io::Result<()> {
    File::options().append(true).create(true).open(file).map(drop)
}

/// Writes every report that is asked for.
pub(crate) fn reports(
    report: &Report,
    targets: &[Target],
    color: ColorChoice,
) -> Result<(), UsageError> {
    // stdout first: a file that cannot be written must not cost what can be shown.
    let (to_stdout, to_files): (Vec<_>, Vec<_>) =
        targets.iter().partition(|target| target.file.is_none());
    if targets.iter().any(|target| target.format == Format::Github) {
        summarise(report);
    }
    for target in to_stdout.into_iter().chain(to_files) {
        match &target.file {
            None => {
                print(&render(report, target.format, &style(Some(color))))?;
            }
            Some(file) => {
                let plain = Style { color: Color::Never, ..style(None) };
                fs::write(file, render(report, target.format, &plain)).map_err(|error| {
                    UsageError::new(format!("cannot write {}: {error}", file.display()))
                })?;
            }
        }
    }
    Ok(())
}

/// Whether a job of GitHub Actions runs this command.
fn is_github() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Adds the report to the summary of the step, if there is a place for it. Annotations are cut
/// after a few lines; the summary is not.
fn summarise(report: &Report) {
    let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) else {
        return;
    };
    let text = render(report, Format::Markdown, &style(None));
    let written = File::options().append(true).create(true).open(&file);
    if let Err(error) = written.and_then(|mut file| file.write_all(text.as_bytes())) {
        // The summary is an extra: the report itself must not be lost with it.
        say(&format!("warning: {}", UsageError::new(format!("no step summary: {error}"))));
    }
}

/// Writes to stdout. A reader that has gone away is no error of ours.
pub(crate) fn print(text: &str) -> Result<Status, UsageError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(UsageError::new(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(Status::Valid),
    }
}

/// Says one line on stderr.
pub(crate) fn say(line: &str) {
    // There is nobody left to tell if stderr is gone.
    _ = writeln!(io::stderr().lock(), "{NAME}: {line}");
}

/// Says a report on stderr.
pub(crate) fn say_at_length(report: &str) {
    _ = io::stderr().lock().write_all(report.as_bytes());
}

/// How a report on stdout looks.
pub(crate) fn style(color: Option<ColorChoice>) -> Style {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let color = match color.unwrap_or(ColorChoice::Never) {
        ColorChoice::Always => Color::Ansi,
        ColorChoice::Never => Color::Never,
        ColorChoice::Auto if set("NO_COLOR") => Color::Never,
        ColorChoice::Auto if set("CLICOLOR_FORCE") || set("FORCE_COLOR") => Color::Ansi,
        ColorChoice::Auto => {
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            if io::stdout().is_terminal() && !dumb { Color::Ansi } else { Color::Never }
        }
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = columns
        .map_or(Style::default().width, |width: usize| width.clamp(*WIDTHS.start(), *WIDTHS.end()));
    Style { color, width, charset: charset() }
}

/// What the locale can show: the first of these variables that is set decides.
fn charset() -> Charset {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    match locale {
        Some(locale) if !locale.to_ascii_lowercase().replace('-', "").contains("utf8") => {
            Charset::Ascii
        }
        _ => Charset::Unicode,
    }
}
