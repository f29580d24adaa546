//! The JSON Schema of `case.json`, derived from the types that read it.

use crate::format::CaseFile;

/// The schema as JSON text, ending with a newline.
///
/// # Panics
///
/// Never: a schema is JSON.
#[must_use]
pub fn case_schema() -> String {
    let mut schema = schemars::schema_for!(CaseFile);
    schema.insert("title".to_owned(), "A case of the corpus (case.json)".into());
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}
