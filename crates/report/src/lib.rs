//! Evidence of one run, and the reports made of it.
//!
//! Callers fill [`RunFacts`] and hand them over with a verdict; [`Evidence`] redacts, makes safe
//! and caps them; a [`Report`] is about one or several of them; [`render`] writes it and sees
//! nothing but the evidence. Nothing here
//! starts a process, reads a clock or does IO.

mod caps;
mod evidence;
mod excerpt;
mod explain;
mod facts;
mod formats;
mod hint;
mod human;
mod redact;
mod report;
mod rules;
mod safe;
#[cfg(test)]
mod samples;
#[cfg(feature = "json-schema")]
mod schema;
mod shell;
mod story;
mod style;
mod timeline;

pub use evidence::{
    AdviceEvidence, Classification, CleanupEvidence, ConfigurationEvidence, DeadlineEvidence,
    EventEvidence, Evidence, FindingEvidence, FrameEvidence, LadderStepEvidence, Origin,
    PackageEvidence, SCHEMA_VERSION, SdkEvidence, SoftwareEvidence, StderrEvidence, Truncation,
    Variable, VerdictName, VersionEvidence, What, names_a_secret,
};
pub use excerpt::{Excerpt, HexPrefix, HexWindow, Omission};
pub use explain::explain;
pub use facts::{
    Command, ConfigurationFact, DeadlineFact, EnvironmentVariable, Expiry, MIN_SECRET_BYTES, Mode,
    PackageFact, Place, PlaceKind, RunFacts, Secret, SoftwareFact, StderrFacts, StdoutWindow,
    VariableSource, VersionFact,
};
pub use formats::jsonl::EventStream;
pub use hint::{Hint, guess};
pub use redact::{Edge, Edges, Located, Redacted, Redaction, Redactor};
pub use report::{Difference, Report, Rows, SessionEvidence};
pub use rules::rules;
pub use safe::{Cap, SafeText, Sanitised, Untrusted};
#[cfg(feature = "json-schema")]
pub use schema::report_schema;
pub use shell::CommandLine;
pub use style::{Charset, Color, Format, Style, UnknownFormat};
pub use timeline::Timeline;

/// Writes a report. It ends with exactly one newline.
#[must_use]
pub fn render(report: &Report, format: Format, style: &Style) -> String {
    match format {
        Format::Human => human::render(report, style),
        Format::Json => formats::json::render(report),
        Format::Jsonl => formats::jsonl::render(report),
        Format::Junit => formats::junit::render(report),
        Format::Sarif => formats::sarif::render(report),
        Format::Github => formats::github::render(report),
        Format::Tap => formats::tap::render(report),
        Format::Markdown => formats::markdown::render(report),
        #[cfg(feature = "html")]
        Format::Html => formats::html::render(report),
        Format::Trace => formats::trace::render(report),
    }
}
