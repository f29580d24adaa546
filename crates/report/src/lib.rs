//! Evidence of one run, and the reports made of it.
//!
//! Callers fill [`RunFacts`] and hand them over with a verdict; [`Evidence`] redacts, makes safe
//! and caps them; a [`Report`] is about one or several of them; [`render`] writes it and sees
//! nothing but the evidence. Nothing here
//! starts a process, reads a clock or does IO.

mod caps;
mod evidence;
mod excerpt;
mod facts;
mod hint;
mod human;
mod json;
mod redact;
mod report;
mod rules;
mod safe;
#[cfg(test)]
mod samples;
mod shell;
mod style;

pub use evidence::{
    AdviceEvidence, Classification, CleanupEvidence, DeadlineEvidence, Evidence, FindingEvidence,
    LadderStepEvidence, Origin, SCHEMA_VERSION, StderrEvidence, Variable, VerdictName,
    names_a_secret,
};
pub use excerpt::{Excerpt, HexPrefix, Omission};
pub use facts::{
    Command, DeadlineFact, EnvironmentVariable, Expiry, MIN_SECRET_BYTES, Mode, RunFacts, Secret,
    StderrFacts, VariableSource,
};
pub use hint::{Hint, guess};
pub use redact::{Edge, Edges, Located, Redacted, Redactor};
pub use report::{Difference, Report, Rows, SessionEvidence};
pub use rules::{explain, rules};
pub use safe::{Cap, SafeText, Sanitised, Untrusted};
pub use shell::CommandLine;
pub use style::{Charset, Color, Format, Style, UnknownFormat};

/// Writes a report. It ends with exactly one newline.
#[must_use]
pub fn render(report: &Report, format: Format, style: &Style) -> String {
    match format {
        Format::Human => human::render(report, style),
        Format::Json => json::render(report),
    }
}
