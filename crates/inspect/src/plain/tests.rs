//! What is vouched for, what is not, and where the limits are.

use rstest::rstest;

use super::text::{MAX_KEY_BYTES, MAX_KEYS, MAX_NAME_BYTES, MAX_NUMBER_BYTES};
use super::{MAX_DEPTH, MAX_KEYS_OF_OBJECT, Plain, PlainKind, PlainReader, Replacement};

fn read(frame: &str) -> Option<Plain> {
    PlainReader::default().read(format!("{frame}\n").as_bytes())
}

fn kind(frame: &str) -> Option<PlainKind> {
    let plain = read(frame)?;
    assert_eq!(plain.len, frame.len(), "{frame}");
    Some(plain.kind)
}

fn result(value: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":{value}}}}}"#)
}

fn is_vouched(value: &str) -> bool {
    kind(&result(value)) == Some(PlainKind::Result)
}

#[rstest]
#[case(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, PlainKind::Result)]
#[case(r#"{"jsonrpc":"2.0","id":"list-3","result":{"tools":[]}}"#, PlainKind::Result)]
#[case(r#"{"result":{},"jsonrpc":"2.0","id":-1}"#, PlainKind::Result)]
#[case(r#"{ "jsonrpc" : "2.0" , "id" :	1 , "result" : { } }"#, PlainKind::Result)]
#[case(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"é \"x\""}}"#, PlainKind::Error)]
#[case(r#"{"jsonrpc":"2.0","id":1,"error":{"message":"","data":[1],"code":0}}"#, PlainKind::Error)]
#[case(r#"{"jsonrpc":"2.0","id":"s","method":"ping"}"#, PlainKind::Call)]
#[case(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"a":1}}"#, PlainKind::Call)]
#[case(r#"{"method":"a","params":{"protocolVersion":1},"jsonrpc":"2.0","id":0}"#, PlainKind::Call)]
fn a_plain_message_is_vouched_for(#[case] frame: &str, #[case] expected: PlainKind) {
    assert_eq!(kind(frame), Some(expected));
}

#[rstest]
#[case::nothing("")]
#[case::blank(" ")]
#[case::no_object("[]")]
#[case::scalar("1")]
#[case::blank_before(r#" {"jsonrpc":"2.0","id":1,"result":{}}"#)]
#[case::blank_behind(r#"{"jsonrpc":"2.0","id":1,"result":{}} "#)]
#[case::carriage_return("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r")]
#[case::carriage_return_inside("{\"jsonrpc\":\"2.0\",\r\"id\":1,\"result\":{}}")]
#[case::two(r#"{"jsonrpc":"2.0","id":1,"result":{}}{}"#)]
#[case::open(r#"{"jsonrpc":"2.0","id":1,"result":{}"#)]
#[case::open_usual(r#"{"jsonrpc":"2.0","id":1"#)]
#[case::only_usual(r#"{"jsonrpc":"2.0","id":1}"#)]
#[case::version(r#"{"jsonrpc":"1.0","id":1,"result":{}}"#)]
#[case::version_number(r#"{"jsonrpc":2.0,"id":1,"result":{}}"#)]
#[case::no_version(r#"{"id":1,"result":{}}"#)]
#[case::no_id(r#"{"jsonrpc":"2.0","result":{}}"#)]
#[case::error_without_id(r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#)]
#[case::null_id(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#)]
#[case::float_id(r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#)]
#[case::exponent_id(r#"{"jsonrpc":"2.0","id":1e2,"result":{}}"#)]
#[case::exponent_id(r#"{"jsonrpc":"2.0","id":1E2,"result":{}}"#)]
#[case::escaped_id(r#"{"jsonrpc":"2.0","id":"\u0031","result":{}}"#)]
#[case::boolean_id(r#"{"jsonrpc":"2.0","id":true,"result":{}}"#)]
#[case::id_cut_short(r#"{"jsonrpc":"2.0","id":"a,"result":{}}"#)]
#[case::result_no_object(r#"{"jsonrpc":"2.0","id":1,"result":[]}"#)]
#[case::params_no_object(r#"{"jsonrpc":"2.0","method":"a","params":[]}"#)]
#[case::error_no_object(r#"{"jsonrpc":"2.0","id":1,"error":[]}"#)]
#[case::empty_error(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#)]
#[case::error_without_code(r#"{"jsonrpc":"2.0","id":1,"error":{"message":""}}"#)]
#[case::error_without_message(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#)]
#[case::code_float(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}"#)]
#[case::code_string(r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}"#)]
#[case::message_number(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":2}}"#)]
#[case::error_extra(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","a":2}}"#)]
#[case::code_twice(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","code":1}}"#)]
#[case::message_twice(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","message":""}}"#)]
#[case::data_twice(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":1,"data":1}}"#)]
#[case::nothing_to_do(r#"{"jsonrpc":"2.0","id":1}"#)]
#[case::result_and_error(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#)]
#[case::method_and_result(r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#)]
#[case::params_of_result(r#"{"jsonrpc":"2.0","id":1,"result":{},"params":{}}"#)]
#[case::params_of_error(r#"{"jsonrpc":"2.0","id":1,"params":{},"error":{"code":1,"message":""}}"#)]
#[case::extra(r#"{"jsonrpc":"2.0","id":1,"result":{},"x":1}"#)]
#[case::key_with_escape(r#"{"jsonrpc":"2.0","\u0069d":1,"result":{}}"#)]
#[case::jsonrpc_twice(r#"{"jsonrpc":"2.0","id":1,"jsonrpc":"2.0","result":{}}"#)]
#[case::jsonrpc_twice_unusual(r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}"#)]
#[case::id_twice(r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#)]
#[case::id_twice_unusual(r#"{"id":1,"jsonrpc":"2.0","id":1,"result":{}}"#)]
#[case::method_twice(r#"{"jsonrpc":"2.0","method":"a","method":"a"}"#)]
#[case::params_twice(r#"{"jsonrpc":"2.0","method":"a","params":{},"params":{}}"#)]
#[case::result_twice(r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#)]
#[case::error_twice(
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"error":{"code":1,"message":""}}"#
)]
#[case::method_number(r#"{"jsonrpc":"2.0","method":1}"#)]
#[case::revision(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#)]
#[case::revision_later(
    r#"{"jsonrpc":"2.0","id":1,"result":{"a":{},"protocolVersion":"2025-11-25"}}"#
)]
#[case::no_colon(r#"{"jsonrpc""2.0","id":1,"result":{}}"#)]
#[case::no_comma(r#"{"jsonrpc":"2.0" "id":1,"result":{}}"#)]
#[case::comma_at_the_end(r#"{"jsonrpc":"2.0","id":1,"result":{},}"#)]
#[case::comma_at_the_end_of_error(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"",}}"#)]
fn anything_else_is_left_to_the_exact_machine(#[case] frame: &str) {
    assert_eq!(read(frame), None);
}

#[rstest]
#[case("[]")]
#[case("{}")]
#[case("[ ]")]
#[case("{ }")]
#[case("[[],{},[{}]]")]
#[case("[1, 2 ,3	, 4]")]
#[case(r#"{"a":{"a":{"a":1},"b":1},"b":1}"#)]
#[case(r#"[{"a":1},{"a":1}]"#)]
#[case(r#"{"protocolVersion":1}"#)]
#[case(r#"{"a\nb":1}"#)]
#[case("true")]
#[case("false")]
#[case("null")]
#[case("[true,false,null]")]
#[case("0")]
#[case("-0")]
#[case("123456789012345")]
#[case("-123456789012345")]
#[case("0.5")]
#[case("1.25e3")]
#[case("1e+99")]
#[case("1E-99")]
#[case("0e0")]
#[case(r#""""#)]
#[case(r#""a\"b\\c\/d\b\f\n\r\te""#)]
#[case(r#""\u00e9\uABCD\ud83d\ude00\uDBFF\uDFFF\uE000\uD7FF""#)]
#[case(r#""é€😀""#)]
fn any_value_of_json_is_vouched_for(#[case] value: &str) {
    // A key with an escape is a key that the exact machine decodes.
    assert_eq!(is_vouched(value), !value.contains(r"a\nb"), "{value}");
}

#[rstest]
#[case("")]
#[case("[")]
#[case("{")]
#[case("]")]
#[case("[}")]
#[case("{]")]
#[case("[1,]")]
#[case("[,1]")]
#[case("[1 2]")]
#[case("{,}")]
#[case(r#"{"a"}"#)]
#[case(r#"{"a":}"#)]
#[case(r#"{"a":1,}"#)]
#[case(r#"{"a":1 "b":1}"#)]
#[case(r#"{"a":1]"#)]
#[case(r#"{"a":1:"b":1}"#)]
#[case("{a:1}")]
#[case("[1}")]
#[case("tru")]
#[case("trux")]
#[case("TRUE")]
#[case("fals")]
#[case("falsx")]
#[case("nul")]
#[case("nulx")]
#[case("truee")]
#[case("NaN")]
#[case("-")]
#[case("+1")]
#[case("01")]
#[case("-01")]
#[case(".5")]
#[case("1.")]
#[case("1.e1")]
#[case("1e")]
#[case("1e+")]
#[case("1e100")]
#[case("1.5.5")]
#[case("1-1")]
#[case("--1")]
#[case("-a")]
#[case(":")]
#[case("/")]
#[case("'a'")]
#[case("\"a")]
#[case("\"a\u{1}\"")]
#[case("\"a\tb\"")]
#[case(r#""\x""#)]
#[case(r#""\"#)]
#[case(r#""\u12""#)]
#[case(r#""\u123""#)]
#[case(r#""\u12g4""#)]
#[case(r#""\u/234""#)]
#[case(r#""\u:234""#)]
#[case(r#""\u@234""#)]
#[case(r#""\u`234""#)]
#[case(r#""\ud83d""#)]
#[case(r#""\ud83dx""#)]
#[case(r#""\ud83d\n""#)]
#[case(r#""\ud83d\u0041""#)]
#[case(r#""\ud83d\ud83d\ude00""#)]
#[case(r#""\ude00""#)]
#[case(r#""\udc00""#)]
#[case(r#""\udfff""#)]
#[case(r#""\ud800""#)]
#[case(r#""\udbff""#)]
#[case(r#""\ud800\udbff""#)]
#[case(r#""\ud800\ue000""#)]
fn a_value_with_a_fault_or_a_shade_is_not(#[case] value: &str) {
    assert!(!is_vouched(value), "{value}");
}

#[rstest]
#[case(r#"{"a":1,"a":1}"#)]
#[case(r#"{"a":1,"b":1,"a":1}"#)]
#[case(r#"{"a":{"a":1},"a":1}"#)]
#[case(r#"{"a":[],"a":1}"#)]
#[case(r#"{"":1,"":1}"#)]
#[case(r#"{"abcdefg":1,"abcdefg":1}"#)]
#[case(r#"{"abcdefgh":1,"abcdefgh":1}"#)]
#[case(r#"{"abcdefghi":1,"abcdefghi":1}"#)]
#[case(r#"{"abcdefghijklmnopq":1,"abcdefghijklmnopq":1}"#)]
#[case(r#"{"a":1,"\u0061":1}"#)]
fn a_key_that_stands_twice_is_not(#[case] value: &str) {
    assert!(!is_vouched(value), "{value}");
}

/// Else many messages would be read twice. Every two of these differ in one byte or in length.
#[test]
fn keys_that_differ_a_little_have_different_hashes() {
    let mut keys: Vec<String> = (0..=40).map(|len| "k".repeat(len)).collect();
    for len in 1..=40 {
        for at in 0..len {
            for other in ["l", "j", "K", "0"] {
                let mut key = "k".repeat(len);
                key.replace_range(at..=at, other);
                keys.push(key);
            }
        }
    }
    for pair in keys.chunks(MAX_KEYS_OF_OBJECT - 1) {
        let members: Vec<String> = pair.iter().map(|key| format!("\"{key}\":0")).collect();
        let object = format!("{{{}}}", members.join(","));
        assert!(is_vouched(&object), "{object}");
    }
    // And across all of them: each beside each of its own length.
    for one in keys.iter().step_by(7) {
        for other in keys.iter().step_by(11).filter(|other| *other != one) {
            assert!(is_vouched(&format!(r#"{{"{one}":0,"{other}":0}}"#)), "{one} {other}");
        }
    }
}

#[test]
fn what_is_large_is_left_to_the_exact_machine() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    // The result itself is one level.
    assert!(is_vouched(&nested(MAX_DEPTH - 1)));
    assert!(!is_vouched(&nested(MAX_DEPTH)));
    let object = |keys: usize| {
        let members: Vec<String> = (0..keys).map(|key| format!("\"k{key}\":{key}")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(is_vouched(&object(MAX_KEYS_OF_OBJECT)));
    assert!(!is_vouched(&object(MAX_KEYS_OF_OBJECT + 1)));
    // One key is that of the result's own member.
    let objects = |keys: usize| {
        let objects: Vec<&str> = (0..keys).map(|_| r#"{"a":0}"#).collect();
        format!("[{}]", objects.join(","))
    };
    assert!(is_vouched(&objects(MAX_KEYS - 1)));
    assert!(!is_vouched(&objects(MAX_KEYS)));
    let key = |len: usize| format!(r#"{{"{}":0}}"#, "k".repeat(len));
    assert!(is_vouched(&key(MAX_KEY_BYTES)));
    assert!(!is_vouched(&key(MAX_KEY_BYTES + 1)));
    let id = |len| format!(r#"{{"jsonrpc":"2.0","id":"{}","result":{{}}}}"#, "i".repeat(len));
    assert_eq!(kind(&id(MAX_NAME_BYTES)), Some(PlainKind::Result));
    assert_eq!(kind(&id(MAX_NAME_BYTES + 1)), None);
    let method = |len| format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "m".repeat(len));
    assert_eq!(kind(&method(MAX_NAME_BYTES)), Some(PlainKind::Call));
    assert_eq!(kind(&method(MAX_NAME_BYTES + 1)), None);
    assert!(!is_vouched("1234567890123456"));
    let number = |len: usize| format!("0.{}", "1".repeat(len - 2));
    assert!(is_vouched(&number(MAX_NUMBER_BYTES)));
    assert!(!is_vouched(&number(MAX_NUMBER_BYTES + 1)));
}

#[test]
fn a_replacement_character_in_an_escape_is_told() {
    use Replacement::{Escaped, NotSeen};
    let told = |value: &str| read(&result(value)).map(|plain| plain.replacement);
    for value in [r#""a\n""#, r#""a\u0041""#, r#""\ufffc""#, r#""\\ufffd""#, "\"\u{FFFD}\""] {
        assert_eq!(told(value), Some(NotSeen), "{value}");
    }
    assert_eq!(told(r#""\ufffd""#), Some(Escaped));
    assert_eq!(told(r#"["\uFffD\u0041"]"#), Some(Escaped));
    // Of the frame before it nothing is left.
    let mut reader = PlainReader::default();
    let mut read = |value: &str| reader.read(format!("{}\n", result(value)).as_bytes());
    assert_eq!(read(r#""\ufffd""#).map(|plain| plain.replacement), Some(Escaped));
    assert_eq!(read(r#"[{"a":[{"b":"#), None);
    assert_eq!(read(r#"[{"a":1,"b":2}]"#).map(|plain| plain.replacement), Some(NotSeen));
}

#[test]
fn a_frame_ends_at_its_newline_and_not_before() {
    let frame =
        r#"{"jsonrpc":"2.0","id":1,"result":{"key":"some text that is longer than a word"}}"#;
    let mut reader = PlainReader::default();
    for end in 0..=frame.len() {
        assert_eq!(reader.read(&frame.as_bytes()[..end]), None, "{end}");
    }
    for behind in ["", "x", "\n", "{\"jsonrpc\":\"2.0\""] {
        let plain = reader.read(format!("{frame}\n{behind}").as_bytes());
        assert_eq!(plain.map(|plain| plain.len), Some(frame.len()));
    }
    for end in 0..frame.len() {
        assert_eq!(reader.read(format!("{}\n", &frame[..end]).as_bytes()), None, "{end}");
    }
}
