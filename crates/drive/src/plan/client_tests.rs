//! The message plan, step by step, without a process.

use model::{ProtocolVersion, Sent};

use super::*;
use crate::scenario::Scenario;

/// Plays replies to a plan; what it does is told one word an action.
struct Play<'p> {
    client: Client<'p>,
}

fn told(actions: &[Action]) -> Vec<String> {
    actions
        .iter()
        .filter(|action| !matches!(action, Action::AwaitReplies))
        .map(|action| match action {
            Action::Begin(phase) => phase.to_string(),
            Action::GiveUp => "give up".to_owned(),
            Action::ReadSlowly(_) => "read slowly".to_owned(),
            Action::CloseStdout => "close stdout".to_owned(),
            Action::AwaitReplies => unreachable!("left out"),
            Action::AwaitRepliesWithin(time) => format!("within {} ms", time.as_millis()),
            Action::AwaitQuiet { quiet, .. } => format!("quiet for {} ms", quiet.as_millis()),
            Action::Send(outgoing) => match &outgoing.sent {
                Sent::Request { id, method, .. } => format!("{method} {id}"),
                Sent::Notification { method } => method.to_string(),
                Sent::Reply { id } => format!("reply {id}"),
                Sent::Malformed => "no message".to_owned(),
            },
            Action::Untested(Untested::ToolNotListed { tool }) => format!("not listed: {tool}"),
            Action::Untested(Untested::ReplyNotReadable { method }) => {
                format!("not readable: {method}")
            }
            Action::Untested(Untested::ListNotFinished { method }) => {
                format!("not finished: {method}")
            }
            Action::Untested(Untested::NoTool) => "no tool".to_owned(),
            Action::Finish => "finish".to_owned(),
        })
        .collect()
}

fn result(id: &str, result: &str) -> Accepted {
    Accepted {
        kind: MessageKind::Result,
        id: Some(RawId::new(id)),
        method: None,
        body: Some(
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes().into(),
        ),
    }
}

fn error(id: &str) -> Accepted {
    Accepted { kind: MessageKind::Error, id: Some(RawId::new(id)), method: None, body: None }
}

impl<'p> Play<'p> {
    fn new(plan: &'p Plan) -> Self {
        let mut client = Client::new(plan);
        assert_eq!(told(&client.start()), ["startup", "initialize 31"]);
        Self { client }
    }

    fn announcing(plan: &'p Plan, capabilities: &str) -> (Self, Vec<String>) {
        let mut play = Self::new(plan);
        let actions = play.on([result("31", &format!(r#"{{"capabilities":{capabilities}}}"#))]);
        (play, actions)
    }

    fn on<const N: usize>(&mut self, replies: [Accepted; N]) -> Vec<String> {
        for reply in replies {
            self.client.take(reply);
        }
        told(&self.client.proceed())
    }
}

fn calling(tools: &[&str]) -> Plan {
    Plan {
        calls: tools.iter().map(|tool| ToolCall::new(*tool, "{}").unwrap()).collect(),
        ..Plan::ordinary(ProtocolVersion::V2025_06_18)
    }
}

#[test]
fn a_server_without_capabilities_is_asked_for_an_unknown_method_at_once() {
    let plan = Plan::default();
    let (mut play, actions) = Play::announcing(&plan, "{}");
    assert_eq!(
        actions,
        ["handshake", "notifications/initialized", "call", "mcp-stdio-probe/unknown 71"]
    );
    assert_eq!(play.on([error("71")]), ["finish"]);
}

#[test]
fn all_announced_lists_are_one_step_and_so_are_their_next_pages() {
    let plan = calling(&["b"]);
    let (mut play, actions) =
        Play::announcing(&plan, r#"{"resources":{},"prompts":{},"tools":{},"logging":{}}"#);
    assert_eq!(
        actions[2..],
        [
            "discovery",
            "tools/list \"list-3\"",
            "prompts/list \"list-4\"",
            "resources/list \"list-5\"",
            "resources/templates/list \"list-6\""
        ]
    );
    assert_eq!(
        play.on([
            result("\"list-6\"", r#"{"nextCursor":"t2"}"#),
            error("\"list-5\""),
            result("\"list-4\"", r#"{"nextCursor":null}"#),
            result("\"list\\u002d3\"", r#"{"tools":[{"name":"a"}],"nextCursor":"2"}"#),
        ]),
        ["discovery", "tools/list \"list-3.2\"", "resources/templates/list \"list-6.2\""]
    );
    assert_eq!(
        play.on([
            result("\"list-6.2\"", "{}"),
            result("\"list-3.2\"", r#"{"tools":[{"name":"b"}]}"#),
        ]),
        ["call", "tools/call 42"]
    );
    assert_eq!(play.on([result("42", "{}")]), ["call", "mcp-stdio-probe/unknown 71"]);
    assert_eq!(play.on([error("71")]), ["finish"]);
}

#[test]
fn a_cursor_is_sent_back_as_the_server_wrote_it() {
    let plan = Plan::default();
    let (mut play, _) = Play::announcing(&plan, r#"{"prompts":{}}"#);
    play.client.take(result("\"list-4\"", r#"{"nextCursor":"\ud800\/"}"#));
    let actions = play.client.proceed();
    let Some(Action::Send(page)) = actions.get(1) else {
        panic!("{actions:?}");
    };
    assert_eq!(
        page.line,
        b"{\"jsonrpc\":\"2.0\",\"id\":\"list-4.2\",\"method\":\"prompts/list\",\"params\":\
          {\"cursor\":\"\\ud800\\/\"}}\n"
    );
}

#[test]
fn a_repeated_cursor_ends_a_list() {
    let plan = Plan::default();
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    let again = r#"{"nextCursor":""}"#;
    assert_eq!(play.on([result("\"list-3\"", again)]), ["discovery", "tools/list \"list-3.2\""]);
    assert_eq!(play.on([result("\"list-3.2\"", again)]), ["call", "mcp-stdio-probe/unknown 71"]);
}

#[test]
fn a_list_that_goes_on_and_on_is_not_taken_for_read() {
    let plan = Plan::default();
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    let mut id = "\"list-3\"".to_owned();
    for page in 2..=256 {
        let actions = play.on([result(&id, &format!(r#"{{"nextCursor":"{page}"}}"#))]);
        id = format!("\"list-3.{page}\"");
        assert_eq!(actions, ["discovery".to_owned(), format!("tools/list {id}")]);
    }
    assert_eq!(
        play.on([result(&id, r#"{"nextCursor":"257"}"#)]),
        ["not finished: tools/list", "finish"]
    );
}

#[test]
fn calls_follow_one_another_until_one_is_not_listed() {
    let plan = calling(&["a", "b", "c"]);
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    assert_eq!(
        play.on([result("\"list-3\"", r#"{"tools":[{"name":"b"},{"name":"\u0061"}]}"#)]),
        ["call", "tools/call 42"]
    );
    // An integral float answers an integer.
    assert_eq!(play.on([error("4.20e1")]), ["call", "tools/call 43"]);
    assert_eq!(play.on([result("43", "{}")]), ["not listed: c", "finish"]);
}

#[test]
fn without_tools_announced_or_listed_no_tool_is_called() {
    let plan = calling(&["a"]);
    let (_, actions) = Play::announcing(&plan, r#"{"prompts":null}"#);
    assert_eq!(actions[2..], ["not listed: a", "finish"]);
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    assert_eq!(play.on([error("\"list-3\"")]), ["not listed: a", "finish"]);
}

#[test]
fn an_error_reply_to_initialize_ends_the_session() {
    let plan = calling(&["a"]);
    assert_eq!(Play::new(&plan).on([error("31")]), ["finish"]);
}

#[test]
fn what_the_next_step_depends_on_must_be_readable() {
    let plan = calling(&["a"]);
    assert_eq!(Play::new(&plan).on([result("31", "{}")]), ["not readable: initialize", "finish"]);
    let mut too_long = result("31", "{}");
    too_long.body = None;
    assert_eq!(Play::new(&plan).on([too_long]), ["not readable: initialize", "finish"]);
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    assert_eq!(
        play.on([result("\"list-3\"", r#"{"tools":[{}]}"#)]),
        ["not readable: tools/list", "finish"]
    );
    // With no call to make, nobody reads the names.
    let plan = Plan::default();
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    assert_eq!(
        play.on([result("\"list-3\"", r#"{"tools":[{}]}"#)]),
        ["call", "mcp-stdio-probe/unknown 71"]
    );
    let (mut play, _) = Play::announcing(&plan, r#"{"resources":{}}"#);
    assert_eq!(
        play.on([result("\"list-5\"", "{}"), result("\"list-6\"", r#"{"nextCursor":1}"#)]),
        ["not readable: resources/templates/list", "finish"]
    );
}

#[test]
fn an_id_too_long_to_keep_belongs_to_the_only_open_request() {
    let plan = Plan::default();
    let mut play = Play::new(&plan);
    let mut reply = result("31", r#"{"capabilities":{}}"#);
    reply.id = None;
    assert_eq!(play.on([reply])[2..], ["call", "mcp-stdio-probe/unknown 71"]);
}

fn playing(steps: &str) -> Plan {
    let text = format!("{{\"scenario\":1,\"title\":\"t\",\"steps\":[{steps}]}}");
    let scenario = Scenario::parse("test", &text).unwrap();
    Plan { scenario, ..calling(&["a"]) }
}

#[test]
fn what_is_sent_is_awaited_when_the_scenario_says_so() {
    let plan = playing(
        r#"{"send":{"id":7,"method":"x"}},{"wait-for-quiet":{"ms":5,"at-most-ms":9}},
           {"send":{"method":"n"}},"expect",{"send":{"id":8,"method":"y"}}"#,
    );
    let mut client = Client::new(&plan);
    assert_eq!(told(&client.start()), ["startup", "x 7", "idle", "quiet for 5 ms"]);
    assert!(!client.awaits_replies());
    assert_eq!(told(&client.proceed()), ["startup", "n"]);
    assert!(client.awaits_replies());
    client.take(result("7", "{}"));
    // Whatever is open at the end is awaited too.
    assert_eq!(told(&client.proceed()), ["call", "y 8"]);
    assert!(client.awaits_replies());
    client.take(result("8", "{}"));
    assert_eq!(told(&client.proceed()), ["finish"]);
}

#[test]
fn replies_that_came_during_a_wait_are_not_awaited_again() {
    let plan = playing(
        r#"{"send":{"id":7,"method":"x"}},{"wait-for-quiet":{"ms":5,"at-most-ms":9}},"expect",
           "close-stdin-now""#,
    );
    let mut client = Client::new(&plan);
    client.start();
    client.take(result("7", "{}"));
    assert_eq!(told(&client.proceed()), ["finish"]);
}

#[test]
fn what_is_given_up_or_cancelled_is_awaited_no_longer() {
    let plan = playing(
        r#"{"send-together":[{"id":7,"method":"x"},{"id":"a","method":"y"}]},
           {"expect-within":{"ms":3}},{"send":{"id":8,"method":"z"}},"cancel-open""#,
    );
    let mut client = Client::new(&plan);
    assert_eq!(told(&client.start()), ["startup", "x 7", "y \"a\"", "within 3 ms"]);
    client.take(result("7", "{}"));
    client.give_up();
    assert_eq!(
        told(&client.proceed()),
        ["call", "z 8", "notifications/cancelled", "give up", "finish"]
    );
}

#[test]
fn stdin_is_closed_at_once_where_the_scenario_says_so() {
    let plan = playing(r#"{"send":{"id":7,"method":"x"}},"close-stdin-now""#);
    assert_eq!(told(&Client::new(&plan).start()), ["startup", "x 7", "finish"]);
    let plan = playing("\"close-stdin-now\"");
    assert_eq!(told(&Client::new(&plan).start()), ["finish"]);
}

#[test]
fn without_a_handshake_it_discovers_and_listens() {
    let plan = Plan::ordinary(ProtocolVersion::V2026_07_28);
    let mut client = Client::new(&plan);
    assert!(!client.answers_requests());
    assert_eq!(told(&client.start()), ["startup", "server/discover 32"]);
    client.take(result(
        "32",
        r#"{"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":false}}}"#,
    ));
    assert_eq!(
        told(&client.proceed()),
        ["discovery", "tools/list \"list-3\"", "prompts/list \"list-4\""]
    );
    client.take(result("\"list-3\"", r#"{"tools":[]}"#));
    client.take(result("\"list-4\"", r#"{"prompts":[]}"#));
    assert_eq!(told(&client.proceed()), ["call", "mcp-stdio-probe/unknown 71"]);
    client.take(error("71"));
    assert_eq!(told(&client.proceed()), ["call", "subscriptions/listen \"listen-7\""]);
    client.take(Accepted {
        kind: MessageKind::Notification,
        id: None,
        method: Some(ACKNOWLEDGED.into()),
        body: None,
    });
    assert_eq!(told(&client.proceed()), ["notifications/cancelled", "finish"]);
}

#[test]
fn what_announces_no_changes_is_not_listened_to() {
    let plan = Plan::ordinary(ProtocolVersion::V2026_07_28);
    let mut client = Client::new(&plan);
    client.start();
    client.take(result("32", r#"{"capabilities":{"tools":{}}}"#));
    client.proceed();
    client.take(result("\"list-3\"", r#"{"tools":[]}"#));
    client.proceed();
    client.take(error("71"));
    assert_eq!(told(&client.proceed()), ["finish"]);
}

#[test]
fn safe_tools_are_called_after_the_named_ones() {
    let plan = Plan { more_calls: MoreCalls::Safe, ..calling(&["a"]) };
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    let tools = r#"{"tools":[{"name":"b","annotations":{"readOnlyHint":true}},{"name":"a"}]}"#;
    let mut actions = play.on([result("\"list-3\"", tools)]);
    assert_eq!(actions, ["call", "tools/call 42"]);
    actions = play.on([result("42", "{}")]);
    assert_eq!(actions, ["call", "tools/call 43"]);
    assert_eq!(play.on([result("43", "{}")]), ["call", "mcp-stdio-probe/unknown 71"]);
}

#[test]
fn long_calls_need_a_tool_with_a_text() {
    let steps = r#""initialize","initialized","lists",
        {"large-calls":{"copies":2,"characters":3}}"#;
    let plan = playing(steps);
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    let actions = play.on([result("\"list-3\"", r#"{"tools":[{"name":"a"}]}"#)]);
    assert_eq!(actions, ["no tool", "finish"]);
    let calls = vec![ToolCall::new("a", r#"{"x":""}"#).unwrap()];
    let plan = Plan { calls, ..playing(steps) };
    let (mut play, _) = Play::announcing(&plan, r#"{"tools":{}}"#);
    let actions = play.on([result("\"list-3\"", r#"{"tools":[{"name":"a"}]}"#)]);
    assert_eq!(actions, ["call", "tools/call 42", "tools/call 43"]);
}
