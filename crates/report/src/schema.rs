//! The JSON Schema of the format `json`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::evidence::Evidence;
use crate::report::{Rows, SessionEvidence};
use crate::safe::SafeText;

/// A report as it is written.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is wanted")]
struct ReportShape {
    /// The evidence of the one session, or of the one of several that leads the report.
    #[schemars(flatten)]
    leading: Evidence,
    /// The name of the session that leads the report. Only with several.
    #[schemars(default)]
    leading_session: Option<SafeText>,
    /// What the rows of `sessions` are. Only with several.
    #[schemars(default)]
    rows: Option<Rows>,
    /// Every session or server, in order. Only with several.
    #[schemars(default)]
    sessions: Option<Vec<SessionEvidence>>,
}

/// The JSON Schema of the format `json`, with a newline at its end. Members are only ever added
/// while `schema_version` stays the same, so the schema forbids no other.
///
/// # Panics
///
/// Never: a schema is JSON.
#[must_use]
pub fn report_schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<ReportShape>();
    schema.insert("title".to_owned(), "A report of mcp-stdio-probe (--format json)".into());
    if let Some(required) = schema.get_mut("required").and_then(|list| list.as_array_mut()) {
        let several = ["leading_session", "rows", "sessions"];
        required.retain(|name| !several.iter().any(|several| name == several));
    }
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}
