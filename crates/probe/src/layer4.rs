//! Layer 4, if it is part of this build (the feature `schema`).

use inspect::{MessageSchema, RuleSet};
use model::{Layer, RuleId};

/// What knows the schemas. None in a build without them: the report then says so.
pub(crate) fn schema() -> Option<&'static dyn MessageSchema> {
    #[cfg(feature = "schema")]
    {
        Some(schema::mcp())
    }
    #[cfg(not(feature = "schema"))]
    {
        None
    }
}

/// The rules of a session by default.
pub(crate) fn rules() -> RuleSet {
    let mut rules = RuleSet::default();
    rules.schema = schema();
    rules
}

/// Whether this build judges by a rule at all.
pub(crate) fn judges(rule: RuleId) -> bool {
    schema().is_some() || rule.rule().layer != Layer::Mcp
}
