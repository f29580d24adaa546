//! What layer 4 hands over to whoever knows the schemas: which message, as what, by which
//! revisions; and what it says it did not check.

use std::sync::Mutex;
use std::time::Duration;

use inspect::{Detector, Inspector, MessageSchema, RuleSet, SchemaAnswer, Subject};
use model::{
    Event, EventKind, KeepBody, NotChecked, Outcome, ProtocolVersion, RawId, Sent, Seq, Verdict,
};

/// A schema to which every message conforms in one revision, and which writes down what it is
/// asked.
#[derive(Debug)]
struct Witness {
    conforms_in: Option<ProtocolVersion>,
    asked: Mutex<Vec<Question>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Question {
    version: ProtocolVersion,
    subject: String,
    message: String,
}

impl MessageSchema for Witness {
    fn check(
        &self,
        version: ProtocolVersion,
        subject: Subject<'_>,
        message: &[u8],
    ) -> SchemaAnswer {
        let subject = match subject {
            Subject::Result { request } => format!("result of {request}"),
            Subject::Request { method } => format!("request {method}"),
            Subject::Notification { method } => format!("notification {method}"),
        };
        let message = String::from_utf8(message.to_vec()).expect("layer 1 has passed it");
        self.asked.lock().expect("no test panics in here").push(Question {
            version,
            subject,
            message,
        });
        if self.conforms_in.is_none_or(|only| only == version) {
            SchemaAnswer::Conforms
        } else {
            SchemaAnswer::UnknownMethod
        }
    }
}

struct Session {
    inspector: Inspector,
    witness: &'static Witness,
}

impl Session {
    fn with(mut rules: RuleSet, conforms_in: Option<ProtocolVersion>) -> Self {
        // The rules hold a schema for ever: in the program there is one.
        let witness: &'static Witness =
            Box::leak(Box::new(Witness { conforms_in, asked: Mutex::default() }));
        rules.schema = Some(witness);
        Self { inspector: Inspector::new(rules), witness }
    }

    fn live() -> Self {
        Self::with(RuleSet::default(), None)
    }

    fn recorded() -> Self {
        Self::with(RuleSet::without_client(), None)
    }

    fn push(&mut self, kind: EventKind<'_>) {
        self.inspector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    }

    fn request(&mut self, id: i64, method: &str) {
        let (id, method, keep_body) = (RawId::integer(id), method.into(), KeepBody::Drop);
        self.push(EventKind::Sent(Sent::Request { id, method, params: None, keep_body }));
    }

    /// What is asked because of this line.
    fn line(&mut self, line: &str) -> Vec<Question> {
        self.push(EventKind::Stdout(format!("{line}\n").into_bytes().into()));
        std::mem::take(&mut *self.witness.asked.lock().expect("no test panics in there"))
    }

    /// The revisions by which this line is judged, in the order in which they are asked.
    fn versions(&mut self, line: &str) -> Vec<ProtocolVersion> {
        self.line(line).into_iter().map(|question| question.version).collect()
    }

    fn end(self) -> Verdict {
        Box::new(self.inspector).finish()
    }

    /// Of what layer 4 says that it did not check it.
    fn not_checked(self) -> Vec<NotChecked> {
        let others = [NotChecked::ToolCalls, NotChecked::Correlation];
        let all = self.end().not_checked.into_iter();
        all.filter(|what| !others.contains(what)).collect()
    }
}

const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;

fn initialized(revision: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":31,"result":{{"protocolVersion":"{revision}"}}}}"#)
}

fn result(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// A notification of so many bytes.
fn notification_of(bytes: usize) -> String {
    let around = r#"{"jsonrpc":"2.0","method":"m","params":{"text":""}}"#.len();
    let text = "x".repeat(bytes - around);
    format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"text":"{text}"}}}}"#)
}

#[test]
fn a_message_is_handed_over_as_what_it_is() {
    let mut session = Session::live();
    session.request(31, "initialize");
    session.request(42, "tools/call");
    for (line, subject) in [
        (initialized("2025-03-26"), "result of initialize"),
        (result(42), "result of tools/call"),
        (NOTE.to_owned(), "notification notifications/message"),
        (r#"{"jsonrpc":"2.0","id":42,"method":"ping"}"#.to_owned(), "request ping"),
    ] {
        let (version, subject) = (ProtocolVersion::V2025_03_26, subject.to_owned());
        let expected = Question { version, subject, message: line.clone() };
        assert_eq!(session.line(&format!(" {line}\t")), [expected]);
    }
    assert_eq!(session.not_checked(), []);
}

/// An error is a matter of layer 3, and a reply to nothing one of layer 5.
#[test]
fn what_no_schema_belongs_to_is_not_said_to_be_unchecked() {
    let mut session = Session::live();
    session.request(31, "initialize");
    session.line(&initialized("2025-06-18"));
    session.request(42, "tools/call");
    let error = r#"{"jsonrpc":"2.0","id":42,"error":{"code":1,"message":"m"}}"#;
    assert_eq!(session.line(error), []);
    assert_eq!(session.line(&result(43)), []);
    assert_eq!(session.not_checked(), []);
}

#[test]
fn of_a_recording_the_results_are_not_checked() {
    let mut session = Session::recorded();
    session.line(&initialized("2025-06-18"));
    session.line(NOTE);
    assert_eq!(session.line(r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}}"#), []);
    assert_eq!(session.not_checked(), [], "it holds no other result");

    let mut session = Session::recorded();
    assert_eq!(session.line(&result(32)), []);
    assert_eq!(session.not_checked(), [NotChecked::SchemaOfResults]);
}

#[test]
fn a_message_is_judged_by_the_revision_in_force() {
    let (old, new) = (ProtocolVersion::V2024_11_05, ProtocolVersion::V2025_06_18);
    for rules in [RuleSet::default(), RuleSet::without_client()] {
        let mut asked_for = rules.clone();
        asked_for.protocol = Some(new);
        for (rules, in_force) in [(rules, old), (asked_for, new)] {
            let mut session = Session::with(rules, None);
            session.request(31, "initialize");
            assert_eq!(session.versions(&initialized("2024-11-05")), [in_force]);
            assert_eq!(session.versions(NOTE), [in_force]);
        }
    }
}

/// A tool may answer with a member of that name, too.
#[test]
fn another_result_that_names_a_revision_is_not_judged_by_it() {
    let mut session = Session::with(RuleSet::default(), Some(ProtocolVersion::V2024_11_05));
    session.request(30, "initialize");
    session.request(31, "tools/call");
    let asked = session.versions(&initialized("2025-06-18"));
    assert_eq!(asked, WITH_HANDSHAKE_NEWEST_FIRST, "no revision is settled yet");
}

const WITH_HANDSHAKE_NEWEST_FIRST: [ProtocolVersion; 4] = [
    ProtocolVersion::V2025_11_25,
    ProtocolVersion::V2025_06_18,
    ProtocolVersion::V2025_03_26,
    ProtocolVersion::V2024_11_05,
];

/// Before a revision is settled a message must fit one of those that the session may be of.
#[test]
fn an_open_revision_is_any_that_has_the_handshake_which_was_begun() {
    let oldest = Some(ProtocolVersion::V2024_11_05);
    let mut session = Session::with(RuleSet::default(), oldest);
    let all: Vec<_> = ProtocolVersion::ALL.into_iter().rev().collect();
    assert_eq!(session.versions(NOTE), all, "nothing was sent");
    session.request(32, "server/discover");
    assert_eq!(session.versions(NOTE), all);
    session.request(31, "initialize");
    assert_eq!(session.versions(NOTE), WITH_HANDSHAKE_NEWEST_FIRST);
    assert_eq!(session.end().advice.len(), 0);

    let mut session = Session::with(RuleSet::without_client(), oldest);
    assert_eq!(session.versions(NOTE), all, "a recording may be of any");
}

#[test]
fn of_a_revision_that_nobody_knows_nothing_is_checked() {
    for mut session in [Session::live(), Session::recorded()] {
        session.request(31, "initialize");
        assert_eq!(session.line(&initialized("2099-01-01")), []);
        assert_eq!(session.line(NOTE), []);
        let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#;
        assert_eq!(session.line(error), []);
        assert_eq!(session.line(NOTE), [], "an error settles no revision");
        session.request(42, "tools/call");
        session.line(&result(42));
        assert_eq!(session.line(NOTE), [], "nor does a result that names none");
        let verdict = session.end();
        assert!(verdict.not_checked.contains(&NotChecked::SchemaOfUnknownRevision));
        assert_eq!(verdict.protocol, None);
    }
}

#[test]
fn a_result_that_names_no_revision_leaves_it_open() {
    for mut session in [Session::live(), Session::recorded()] {
        session.request(31, "initialize");
        session.line(&result(31));
        assert_eq!(session.versions(NOTE).len(), 1, "it is asked until one revision has it");
    }
}

/// A parser refuses a number that no double holds, and half a surrogate pair: each alone is
/// replaced before a message is handed over.
#[test]
fn a_message_is_handed_over_in_a_form_that_every_parser_reads() {
    for (text, handed_over) in [
        ("[1e400]", "[1e300]"),
        (r#"["\ud800"]"#, r#"["\ufffd"]"#),
        (r#"["\ud800",-1e400]"#, r#"["\ufffd",-1e300]"#),
        ("[1e300]", "[1e300]"),
    ] {
        let line = NOTE.replace("{}", &format!(r#"{{"data":{text}}}"#));
        let asked = Session::live().line(&line);
        assert_eq!(asked[0].message, line.replace(text, handed_over));
    }
    let long = NOTE.replace("{}", &format!(r#"{{"data":{}}}"#, "9".repeat(70_000)));
    let mut session = Session::live();
    assert_eq!(session.line(&long), []);
    assert_eq!(session.not_checked(), [NotChecked::SchemaOfLargeMessage]);
}

#[test]
fn messages_are_checked_up_to_8_mib_and_in_a_recording_up_to_64_kib() {
    let most = [(Session::live as fn() -> Session, 8_388_608), (Session::recorded, 65_536)];
    for (session, most) in most {
        let mut whole = session();
        assert!(!whole.line(&notification_of(most)).is_empty());
        assert_eq!(whole.not_checked(), []);
        let mut larger = session();
        assert_eq!(larger.line(&notification_of(most + 1)), []);
        assert_eq!(larger.not_checked(), [NotChecked::SchemaOfLargeMessage]);
        // Blanks round a message count: it is the frame that is held.
        let mut blank = session();
        assert_eq!(blank.line(&format!("{} ", notification_of(most))), []);
    }
}

#[test]
fn messages_are_checked_up_to_200_000_values_and_a_nesting_of_128() {
    let values = |count: usize| {
        let ones = vec!["1"; count].join(",");
        NOTE.replace("{}", &format!(r#"{{"data":[{ones}]}}"#))
    };
    // The message, its three members and the list itself are values, too.
    let mut session = Session::live();
    assert!(!session.line(&values(200_000 - 5)).is_empty());
    assert_eq!(session.line(&values(200_000 - 4)), []);
    assert_eq!(session.not_checked(), [NotChecked::SchemaOfLargeMessage]);

    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        NOTE.replace("{}", &format!(r#"{{"data":{open}{close}}}"#))
    };
    let mut session = Session::live();
    assert!(!session.line(&nested(128 - 2)).is_empty());
    assert_eq!(session.line(&nested(128 - 1)), []);
    let verdict = session.end();
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfDeepMessage));
    assert!(!matches!(verdict.outcome, Outcome::Violation(_)));
}
