//! The message plan, step by step, without a process.

use model::{ProtocolVersion, Sent};

use super::*;

/// Plays replies to a plan; what it does is told one word an action.
struct Play<'p> {
    client: Client<'p>,
}

fn told(actions: &[Action]) -> Vec<String> {
    actions
        .iter()
        .map(|action| match action {
            Action::Begin(phase) => phase.to_string(),
            Action::Send(outgoing) => match &outgoing.sent {
                Sent::Request { id, method, .. } => format!("{method} {id}"),
                Sent::Notification { method } => method.to_string(),
                Sent::Reply { id } => format!("reply {id}"),
            },
            Action::Untested(Untested::ToolNotListed { tool }) => format!("not listed: {tool}"),
            Action::Untested(Untested::ReplyNotReadable { method }) => {
                format!("not readable: {method}")
            }
            Action::Untested(Untested::ListNotFinished { method }) => {
                format!("not finished: {method}")
            }
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
        protocol: ProtocolVersion::V2025_06_18,
        calls: tools.iter().map(|tool| ToolCall::new(*tool, "{}").unwrap()).collect(),
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
    let Some(Action::Send(page)) = actions.last() else {
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
