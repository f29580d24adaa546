//! `--protocol auto`: servers of either era are spoken to as they expect.

use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;

/// Answers what is asked by `$RESULT` where the method is `$KNOWN`, else by an error.
const SERVER: &str = r#"
while read -r line; do
  case $line in *'"id":'*) ;; *) continue;; esac
  id=$(printf '%s' "$line" | sed 's/.*"id":\([^,}]*\).*/\1/')
  case $line in
    *"\"method\":\"$KNOWN\""*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$RESULT}";;
    *) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}";;
  esac
done
"#;
const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}"#;
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;

#[rstest]
#[case::without_a_handshake("server/discover", DISCOVERED, "2026-07-28")]
#[case::with_a_handshake("initialize", INITIALIZED, "2025-06-18")]
fn the_era_is_that_of_the_server(
    #[case] known: &str,
    #[case] result: &str,
    #[case] revision: &str,
) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-stdio-probe"));
    command.args(["run", "--protocol", "auto", "--format", "json"]);
    command.args(["--env", &format!("KNOWN={known}"), "--env", &format!("RESULT={result}")]);
    let output = command.args(["--", "sh", "-c", SERVER]).output().expect("the command runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("it writes a report");
    assert_eq!(report["verdict"], "valid-stdout", "{report:#}");
    assert_eq!(report["protocol"], revision);
    assert_eq!(output.status.code(), Some(0));
}
