//! Messages against the schemas: every schema is built, and each sort of reason is given.

use inspect::{SchemaAnswer, Subject};
use model::ProtocolVersion::{self, V2024_11_05, V2025_03_26, V2025_11_25, V2026_07_28};
use rstest::rstest;

fn check(version: ProtocolVersion, subject: Subject<'_>, message: &str) -> SchemaAnswer {
    schema::mcp().check(version, subject, message.as_bytes())
}

/// The pointers and reasons, sorted.
fn mismatches(
    version: ProtocolVersion,
    subject: Subject<'_>,
    message: &str,
) -> Vec<(String, String)> {
    let SchemaAnswer::Mismatch(found) = check(version, subject, message) else {
        panic!("{message}: no mismatch");
    };
    let mut found: Vec<_> =
        found.iter().map(|found| (found.pointer.to_string(), found.reason.to_string())).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn every_schema_of_every_revision_is_built() {
    assert!(schema::build_all() > 5 * 20);
}

#[test]
fn every_definition_that_is_named_is_there() {
    for version in ProtocolVersion::ALL {
        let definitions = schema::definitions(version);
        let text = definitions.to_string();
        for name in text.split("\"#/$defs/").skip(1) {
            let name = name.split('"').next().unwrap();
            assert!(definitions.get(name).is_some(), "{version}: {name}");
        }
    }
}

#[rstest]
#[case::missing("tools/list", "{}", "/result", "`tools` is missing")]
#[case::null(
    "tools/list",
    r#"{"tools":[],"nextCursor":null}"#,
    "/result/nextCursor",
    "is null, not a string"
)]
#[case::wrong_type("tools/list", r#"{"tools":{}}"#, "/result/tools", "is an object, not an array")]
#[case::every_item(
    "tools/list",
    r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b"}]}"#,
    "/result/tools/1",
    "`inputSchema` is missing"
)]
#[case::constant(
    "tools/list",
    r#"{"tools":[{"name":"a","inputSchema":{"type":"string"}}]}"#,
    "/result/tools/0/inputSchema/type",
    "is not \"object\""
)]
#[case::unknown_tag(
    "tools/call",
    r#"{"content":[{"type":"x"}]}"#,
    "/result/content/0/type",
    "is none of \"audio\", \"image\", \"resource\", \"resource_link\", \"text\""
)]
#[case::chosen_branch(
    "tools/call",
    r#"{"content":[{"type":"image","data":""}]}"#,
    "/result/content/0",
    "`mimeType` is missing"
)]
#[case::untagged_union(
    "resources/read",
    r#"{"contents":[{"uri":"a:b"}]}"#,
    "/result/contents/0",
    "`text` or `blob` is missing"
)]
#[case::range(
    "resources/list",
    r#"{"resources":[{"uri":"a:b","name":"","annotations":{"priority":1.5}}]}"#,
    "/result/resources/0/annotations/priority",
    "is more than 1"
)]
#[case::unknown_request("x/y", r#"{"_meta":[]}"#, "/result/_meta", "is an array, not an object")]
fn a_result_is_judged_by_its_request(
    #[case] request: &str,
    #[case] result: &str,
    #[case] pointer: &str,
    #[case] reason: &str,
) {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    let found = mismatches(V2025_11_25, Subject::Result { request }, &message);
    assert_eq!(found, [(pointer.to_owned(), reason.to_owned())]);
}

#[test]
fn a_reason_holds_nothing_of_the_value() {
    let message = r#"{"result":{"tools":[{"name":{"secret-key":"secret-text"},"inputSchema":{"type":"secret-type"}}],"nextCursor":4711}}"#;
    for (pointer, reason) in
        mismatches(V2025_11_25, Subject::Result { request: "tools/list" }, message)
    {
        assert!(!reason.contains("secret") && !reason.contains("4711"), "{pointer}: {reason}");
    }
}

#[test]
fn requests_and_notifications_are_judged_by_their_methods() {
    let log = Subject::Notification { method: "notifications/message" };
    let good = r#"{"method":"notifications/message","params":{"level":"info","data":null}}"#;
    let bare = r#"{"method":"notifications/message"}"#;
    assert_eq!(check(V2024_11_05, log, good), SchemaAnswer::Conforms);
    let missing = [(String::new(), "`params` is missing".to_owned())];
    assert_eq!(mismatches(V2024_11_05, log, bare), missing);
    let ping = Subject::Request { method: "ping" };
    assert_eq!(check(V2025_11_25, ping, r#"{"id":1,"method":"ping"}"#), SchemaAnswer::Conforms);
    assert_eq!(check(V2026_07_28, ping, "{}"), SchemaAnswer::UnknownMethod);
    let other = Subject::Notification { method: "notifications/x" };
    assert_eq!(check(V2025_11_25, other, "{}"), SchemaAnswer::UnknownMethod);
}

#[test]
fn a_revision_has_its_own_facts() {
    let call = Subject::Result { request: "tools/call" };
    let audio = r#"{"result":{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}}"#;
    assert!(matches!(check(V2024_11_05, call, audio), SchemaAnswer::Mismatch(_)));
    assert_eq!(check(V2025_03_26, call, audio), SchemaAnswer::Conforms);
    let titled = r#"{"result":{"tools":[{"name":"a","title":1,"inputSchema":{"type":"object"}}]}}"#;
    let list = Subject::Result { request: "tools/list" };
    assert_eq!(check(V2025_03_26, list, titled), SchemaAnswer::Conforms);
    assert!(matches!(check(V2025_11_25, list, titled), SchemaAnswer::Mismatch(_)));
    let input = r#"{"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}}"#;
    assert!(matches!(check(V2025_11_25, call, input), SchemaAnswer::Mismatch(_)));
    assert_eq!(check(V2026_07_28, call, input), SchemaAnswer::Conforms);
}

#[test]
fn depth_is_the_callers_business() {
    let depth = 2000;
    let deep = format!(r#"{{"result":{{"x":{}{}}}}}"#, "[".repeat(depth), "]".repeat(depth));
    let unknown = Subject::Result { request: "x" };
    assert_eq!(check(V2025_11_25, unknown, &deep), SchemaAnswer::Conforms);
    assert_eq!(check(V2025_11_25, unknown, "{"), SchemaAnswer::Unreadable);
}
