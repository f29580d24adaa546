//! Recordings, which have no client side: what is found does not depend on whether a frame could be
//! vouched for as a whole.

use std::borrow::Cow;
use std::time::Duration;

use inspect::{
    Detector, Inspector, MessageSchema, Messages, RuleSet, SchemaAnswer, Setting, Subject,
};
use model::{Event, EventKind, Layer, NotChecked, Outcome, ProtocolVersion, RuleId, Seq, Verdict};
use proptest::prelude::*;

/// Knows no notification and finds everything else in order.
#[derive(Debug)]
struct Anything;

impl MessageSchema for Anything {
    fn check(&self, _: ProtocolVersion, subject: Subject<'_>, _: &[u8]) -> SchemaAnswer {
        match subject {
            Subject::Notification { .. } => SchemaAnswer::UnknownMethod,
            Subject::Request { .. } | Subject::Result { .. } => SchemaAnswer::Conforms,
        }
    }
}

fn judge<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, rules: &RuleSet) -> Verdict {
    let mut detector = Inspector::new(rules.clone());
    let mut push = |kind| detector.push(&Event { seq: Seq(0), at: Duration::ZERO, kind });
    for piece in pieces {
        let step = push(EventKind::Stdout(Cow::Borrowed(piece)));
        assert!(step.accepted.is_empty() || rules.messages == Messages::HandedBack);
    }
    push(EventKind::StdoutEof);
    Box::new(detector).finish()
}

fn counted() -> RuleSet {
    let mut rules = RuleSet::without_client();
    rules.messages = Messages::Counted;
    rules
}

fn rules() -> impl Strategy<Value = RuleSet> {
    let schema = prop_oneof![Just(None), Just(Some(&Anything as &'static dyn MessageSchema))];
    let versions: Vec<_> = ProtocolVersion::ALL.into_iter().map(Some).chain([None]).collect();
    let canary = prop_oneof![3 => Just(None), 1 => Just(Some(Box::from(&b"text"[..])))];
    let most = prop_oneof![3 => Just(64 * 1024 * 1024), 1 => 0u64..200];
    let set = prop_oneof![Just(Setting::Catalogue), Just(Setting::Off), Just(Setting::Allow)];
    (schema, prop::sample::select(versions), canary, most, set).prop_map(
        |(schema, protocol, canary, max_frame_bytes, setting)| {
            let mut rules = counted();
            (rules.schema, rules.protocol) = (schema, protocol);
            (rules.canary, rules.max_frame_bytes) = (canary, max_frame_bytes);
            rules.set(RuleId::InvalidJson, setting);
            rules
        },
    )
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?",
        r"[a-zA-Z :,{}\[\]é€😀\u{FFFD}]{0,40}".prop_map(|text| format!("\"{text}\"")),
        prop::sample::select(vec![
            r#""\u00e9 \n\t\\\"""#,
            r#""\ud83d\ude00""#,
            r#""\ud83d""#,
            r#""\ufffd""#,
            "\"\u{FFFD}\"",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let keys = prop::sample::select(vec![
            "a",
            "b",
            "c",
            "resultType",
            "protocolVersion",
            "a key that is longer than a word",
            "",
            r"\u0061",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|values| format!("[{}]", values.join(", "))),
            prop::collection::vec((keys, inner), 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn frame() -> impl Strategy<Value = String> {
    let id =
        prop::sample::select(vec!["1", "\"list-3\"", "-7", "1.0", "null", "12345678901234567"]);
    let shape = prop::sample::select(vec![
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":VALUE}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":VALUE}"#,
        r#"{"result":{"b":VALUE,"a":VALUE},"jsonrpc":"2.0","id":ID}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"text","data":VALUE}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":ID,"message":VALUE}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":VALUE}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":VALUE}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{},"x":VALUE}"#,
        r#"[{"jsonrpc":"2.0","id":ID,"result":{"a":VALUE}}]"#,
    ]);
    (shape, id, value())
        .prop_map(|(shape, id, value)| shape.replace("ID", id).replace("VALUE", &value))
}

/// What is done to the bytes of a frame.
#[derive(Clone, Debug)]
enum Change {
    Replace(u8),
    Insert(u8),
    Remove,
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let telling = b"{}[]\",:\\ \t\r0129eE.-utfn\xEF".to_vec();
    let byte = prop_oneof![any::<u8>(), prop::sample::select(telling)];
    let change = prop_oneof![
        byte.clone().prop_map(Change::Replace),
        byte.prop_map(Change::Insert),
        Just(Change::Remove),
    ];
    let changed = (frame(), prop::option::weighted(0.3, (any::<prop::sample::Index>(), change)))
        .prop_map(|(frame, change)| {
            let mut bytes = frame.into_bytes();
            match change {
                None => {}
                Some((at, Change::Replace(byte))) => *at.get_mut(&mut bytes) = byte,
                Some((at, Change::Insert(byte))) => bytes.insert(at.index(bytes.len()), byte),
                Some((at, Change::Remove)) => _ = bytes.remove(at.index(bytes.len())),
            }
            bytes.push(b'\n');
            bytes
        });
    prop::collection::vec(changed, 1..5).prop_map(|frames| frames.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn frames_that_are_vouched_for_are_frames_without_a_finding(
        rules in rules(),
        stream in stream(),
        cut in any::<prop::sample::Index>(),
    ) {
        let exactly = judge(stream.chunks(1), &rules);
        prop_assert_eq!(&judge([stream.as_slice()], &rules), &exactly);
        let (head, tail) = stream.split_at(cut.index(stream.len()));
        prop_assert_eq!(&judge([head, tail], &rules), &exactly);
        let mut handed_back = rules;
        handed_back.messages = Messages::HandedBack;
        prop_assert_eq!(&judge([stream.as_slice()], &handed_back), &exactly);
    }
}

#[test]
fn what_a_recording_of_plain_results_shows() {
    let mut rules = counted();
    rules.schema = Some(&Anything);
    let frame = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"é\"}}\n";
    let verdict = judge([frame.repeat(3).as_bytes()], &rules);
    assert_eq!(verdict.outcome, Outcome::ValidStdout);
    assert_eq!((verdict.accepted, verdict.frames), (3, 3));
    assert_eq!(verdict.stdout_bytes, 3 * frame.len() as u64);
    let layers = [Layer::Framing, Layer::Json, Layer::JsonRpc, Layer::Mcp];
    assert_eq!(verdict.layers_reached, layers);
    assert!(verdict.not_checked.contains(&NotChecked::SchemaOfResults));
    // A place behind plain frames is counted from the first byte of the stream.
    let stream = format!("{frame}{frame}{{]\n");
    let verdict = judge([stream.as_bytes()], &rules);
    let Outcome::Violation(finding) = verdict.outcome else { panic!("{:?}", verdict.outcome) };
    assert_eq!(finding.position.stream().0, 2 * frame.len() as u64 + 1);
    assert_eq!(finding.position.frame().map(|frame| frame.0), Some(3));
}
