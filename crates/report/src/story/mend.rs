//! What to do about a finding, in words that fit what was seen.

use model::{ExitStatus, RuleId};

use super::state;
use crate::evidence::{Evidence, FindingEvidence, Particular};

/// What to do. It is the catalogue's advice where nothing more is known.
pub(super) fn mend(finding: &FindingEvidence, evidence: &Evidence) -> String {
    match (finding.rule, &finding.particular) {
        (RuleId::ExitBeforeFrame | RuleId::ExitBeforeResponse, Particular::Exit(status)) => {
            exit(finding.rule, *status)
        }
        (RuleId::ExitWhileIdle, Particular::Exit(status)) if *status != ExitStatus::SUCCESS => {
            exit(finding.rule, *status)
        }
        (RuleId::IdChanged, Particular::Id { got, sent: Some(sent) }) => {
            let (right, wrong) = match sent.as_str().starts_with('"') {
                true => ("as a string, with quotes", "without quotes"),
                false => ("as a number, without quotes", "with quotes"),
            };
            format!(
                "send back {sent}, {right}, as it stood in the request; the reply has {got}, {wrong}"
            )
        }
        (RuleId::UnknownId, Particular::Id { got, .. }) => match &finding.request_id {
            Some(asked) => format!(
                "copy the id of the request into the reply: the oldest open request has the id \
                 {asked}, not {got}"
            ),
            None => finding.rule.rule().mend.to_owned(),
        },
        (RuleId::NoResponse, _) => match &finding.method {
            Some(method) => format!(
                "answer every request: the handler of {method} never answered, or its reply was \
                 not flushed; if the method is unknown to the server, answer with the error code \
                 -32601; if the server is only slow, give it more time with --startup-timeout or \
                 --reply-timeout"
            ),
            None => finding.rule.rule().mend.to_owned(),
        },
        _ => revision(finding.rule.rule().mend, evidence),
    }
}

/// What to do about a process that ended while it was needed.
fn exit(rule: RuleId, status: ExitStatus) -> String {
    match status {
        ExitStatus::Code(0) => {
            let other = match rule {
                RuleId::ExitBeforeFrame => {
                    "an entry point that is never called, or a program that is no MCP server"
                }
                _ => "or a read loop that ends after a message",
            };
            format!(
                "the program ended by itself and says that all is well: it must go on reading \
                 stdin until stdin is closed; look for an async main that returns, a missing \
                 await, {other}"
            )
        }
        ExitStatus::Code(code) => format!(
            "look at stderr for the error behind exit status {code}: an uncaught error must \
             become an error reply, a missing dependency or a wrong argument must be mended"
        ),
        ExitStatus::Signal(signal) => format!(
            "find out what sent {name}, or why the program crashed with it: native code, memory \
             that ran out, an abort; stderr may say more",
            name = state::name(signal)
        ),
    }
}

/// Text in which the revision in force has its name.
pub(super) fn revision(text: &str, evidence: &Evidence) -> String {
    let name = match evidence.protocol {
        Some(version) => format!("the revision {version}"),
        None => "the protocol revision (none was negotiated yet)".to_owned(),
    };
    text.replace("the negotiated revision", &name)
}
