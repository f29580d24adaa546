//! What one report is about: one session, or several under their names.
//!
//! A row is a session of a profile or a server of a configuration file. The first violation of
//! the whole leads the report; the rows stand beside it in the same shape.

mod difference;
#[cfg(test)]
mod tests;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::caps;
use crate::evidence::{Evidence, VerdictName};
use crate::redact::Redactor;
use crate::safe::{SafeText, Untrusted};

pub use difference::Difference;

/// What one report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report(Content);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    One(Box<Evidence>),
    Several { rows: Rows, sessions: Vec<SessionEvidence> },
}

/// What the rows of a report are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum Rows {
    /// Sessions with the same server. The first is the plain one, to which the others are
    /// compared.
    Sessions,
    /// Servers, which have nothing to do with each other.
    Servers,
    /// Recordings, which have nothing to do with each other.
    Recordings,
}

/// The evidence of one session among several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct SessionEvidence {
    /// The session's name, or the server's.
    pub name: SafeText,
    /// How the session came out differently from the plain one, in a fixed order. Null for the
    /// plain session itself, and where there is none.
    pub differs_from_plain: Option<Vec<Difference>>,
    /// What was found.
    #[serde(flatten)]
    pub evidence: Evidence,
}

impl Rows {
    /// `session`, `server` or `recording`.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Sessions => "session",
            Self::Servers => "server",
            Self::Recordings => "recording",
        }
    }
}

impl SessionEvidence {
    /// Evidence under a name, which is made safe.
    #[must_use]
    pub fn new(name: &str, evidence: Evidence) -> Self {
        Self { name: Self::safe_name(name), differs_from_plain: None, evidence }
    }

    /// A name, made safe.
    pub(crate) fn safe_name(name: &str) -> SafeText {
        let name = Redactor::new(&[]).redact_whole(name.as_bytes()).bytes;
        Untrusted::new(&name).text(caps::WORD)
    }
}

impl Report {
    /// A report of one session, without a name.
    #[must_use]
    pub fn one(evidence: Evidence) -> Self {
        Self(Content::One(Box::new(evidence)))
    }

    /// A report of several sessions or servers, in the order in which they are to be shown. None
    /// if there are none: nothing tested is no report.
    ///
    /// Of [`Rows::Sessions`] the first is the plain session; how the others differ from it is
    /// worked out here.
    #[must_use]
    pub fn several(rows: Rows, mut sessions: Vec<SessionEvidence>) -> Option<Self> {
        let (plain, others) = sessions.split_first_mut()?;
        if rows == Rows::Sessions {
            for other in others {
                other.differs_from_plain =
                    Some(difference::between(&plain.evidence, &other.evidence));
            }
        }
        Some(Self(Content::Several { rows, sessions }))
    }

    /// The evidence that leads the report: of the first session with a violation, else of the
    /// first that proved nothing, else of the first.
    #[must_use]
    pub fn leading(&self) -> &Evidence {
        match &self.0 {
            Content::One(evidence) => evidence,
            Content::Several { sessions, .. } => &sessions[leading(sessions)].evidence,
        }
    }

    /// What the rows are. None for one session without a name.
    #[must_use]
    pub fn rows(&self) -> Option<Rows> {
        match &self.0 {
            Content::One(_) => None,
            Content::Several { rows, .. } => Some(*rows),
        }
    }

    /// The named sessions, in order. Empty for one session without a name.
    #[must_use]
    pub fn sessions(&self) -> &[SessionEvidence] {
        match &self.0 {
            Content::One(_) => &[],
            Content::Several { sessions, .. } => sessions,
        }
    }

    /// The name of the session that leads the report.
    pub(crate) fn leading_name(&self) -> Option<&SafeText> {
        let sessions = self.sessions();
        (!sessions.is_empty()).then(|| &sessions[leading(sessions)].name)
    }
}

/// The place of the session that leads a report. There is at least one.
fn leading(sessions: &[SessionEvidence]) -> usize {
    let first = |verdict| sessions.iter().position(|session| session.evidence.verdict == verdict);
    first(VerdictName::Violation).or_else(|| first(VerdictName::Inconclusive)).unwrap_or(0)
}

impl From<Evidence> for Report {
    fn from(evidence: Evidence) -> Self {
        Self::one(evidence)
    }
}

/// The leading evidence, and the rows beside it.
#[derive(Serialize)]
struct Top<'a> {
    #[serde(flatten)]
    leading: &'a Evidence,
    /// The name of the session that the members above are those of.
    leading_session: &'a SafeText,
    rows: Rows,
    sessions: &'a [SessionEvidence],
}

impl Serialize for Report {
    /// One session without a name is its evidence and nothing else.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Content::One(evidence) => evidence.serialize(serializer),
            Content::Several { rows, sessions } => {
                let leading = &sessions[leading(sessions)];
                Top {
                    leading: &leading.evidence,
                    leading_session: &leading.name,
                    rows: *rows,
                    sessions,
                }
                .serialize(serializer)
            }
        }
    }
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("what", self.what)?;
        map.serialize_entry("plain", &self.plain)?;
        map.serialize_entry("here", &self.here)?;
        map.end()
    }
}
