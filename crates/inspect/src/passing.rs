//! Frames that are vouched for as they are read, without the exact machine.
//!
//! Only where there is no client side, so that a plain message has nothing that it could be matched
//! with, and where nobody takes the messages.

use model::{Layer, NotChecked};

use crate::inspector::Inspector;
use crate::judge::LARGE_FRAME_BYTES;
use crate::mcp;
use crate::plain::{Plain, PlainKind, Replacement};
use crate::rule_set::{Correlation, Messages};

/// How far the bytes of one event hold whole frames that are UTF-8.
pub(crate) enum Decoded {
    /// Not looked at yet.
    NotYet,
    /// Until so many bytes before their end.
    Until { left: usize },
}

impl Decoded {
    /// The whole frames at the start of the rest of an event's bytes, as far as they are UTF-8.
    /// They are looked at once.
    fn of<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let left = match *self {
            Self::Until { left } => left,
            Self::NotYet => {
                let whole = memchr::memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
                let left = rest.len() - decoded_bytes(&rest[..whole]);
                *self = Self::Until { left };
                left
            }
        };
        &rest[..rest.len().saturating_sub(left)]
    }
}

/// How many bytes are UTF-8, from the first on.
fn decoded_bytes(bytes: &[u8]) -> usize {
    // The answer that says where costs more, and is seldom asked for.
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => text.len(),
        Err(_) => {
            simdutf8::compat::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
        }
    }
}

impl Inspector {
    /// Passes over the frames at the start of these bytes that are vouched for, and tells how many
    /// bytes those are.
    pub(crate) fn pass_plain(&mut self, rest: &[u8], decoded: &mut Decoded) -> usize {
        if !self.may_pass() {
            return 0;
        }
        let text = decoded.of(rest);
        let mut passed = 0;
        let mut results = 0;
        while let Some(plain) = self.plain.read(&text[passed..]) {
            if !self.passes(plain, &text[passed..passed + plain.len]) {
                break;
            }
            self.end_plain(plain.len as u64);
            results += usize::from(plain.kind == PlainKind::Result);
            passed += plain.len + 1;
        }
        if passed > 0 {
            self.reached(results);
        }
        passed
    }

    /// Whether a message may be passed over at all.
    fn may_pass(&self) -> bool {
        // From 2026-07-28 on layer 4 asks more of every result.
        let later = self.version.is_some_and(|version| !version.has_handshake());
        self.rules.correlation == Correlation::Off
            && self.rules.messages == Messages::Counted
            && self.canary.is_none()
            && !later
    }

    /// Whether no rule beyond those that `plain` knows has anything to say.
    fn passes(&self, plain: Plain, frame: &[u8]) -> bool {
        let most = self.rules.max_frame_bytes.min(LARGE_FRAME_BYTES);
        if frame.len() as u64 > most {
            return false;
        }
        let layer_4_looks = self.rules.schema.is_some();
        let unseen =
            || plain.replacement == Replacement::NotSeen && !mcp::holds_raw_replacement(frame);
        match plain.kind {
            PlainKind::Call => !layer_4_looks,
            PlainKind::Result => !layer_4_looks || unseen(),
            // Layer 4 has no rule for an error.
            PlainKind::Error => true,
        }
    }

    /// Notes how far the frames came, so many of which are results.
    fn reached(&mut self, results: usize) {
        self.layers.extend([Layer::Framing, Layer::Json, Layer::JsonRpc]);
        if self.rules.schema.is_some() {
            self.layers.insert(Layer::Mcp);
            if results > 0 {
                self.not_checked.insert(NotChecked::SchemaOfResults);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{Layer, ProtocolVersion};
    use rstest::rstest;

    use super::{Decoded, LARGE_FRAME_BYTES};
    use crate::inspector::Inspector;
    use crate::plain::{Plain, PlainKind, Replacement};
    use crate::rule_set::{Correlation, Messages, RuleSet};
    use crate::schema::{MessageSchema, SchemaAnswer, Subject};

    const RESULT: &[u8] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"é\"}}\n".as_bytes();
    const ERROR: &[u8] =
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\\ufffd\"}}\n";
    const CALL: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n";

    #[derive(Debug)]
    struct Anything;

    impl MessageSchema for Anything {
        fn check(&self, _: ProtocolVersion, _: Subject<'_>, _: &[u8]) -> SchemaAnswer {
            SchemaAnswer::Conforms
        }
    }

    fn counted() -> RuleSet {
        let mut rules = RuleSet::without_client();
        rules.messages = Messages::Counted;
        rules
    }

    fn with_schema() -> RuleSet {
        let mut rules = counted();
        rules.schema = Some(&Anything);
        rules
    }

    /// How many bytes a detector passes over.
    fn passed(rules: RuleSet, bytes: &[u8]) -> usize {
        Inspector::new(rules).pass_plain(bytes, &mut Decoded::NotYet)
    }

    #[test]
    fn whole_plain_frames_are_passed_over_up_to_the_first_that_is_not() {
        let two = [RESULT, CALL].concat();
        assert_eq!(passed(counted(), &two), two.len());
        for rest in
            [&b"no message\n"[..], b"{\"jsonrpc\":\"2.0\"", b"\xff\n", RESULT.trim_ascii_end()]
        {
            assert_eq!(passed(counted(), &[&two, rest].concat()), two.len());
        }
        // What is not UTF-8 ends what is looked at, even if it stands in a later frame.
        let broken =
            [RESULT, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}\n", RESULT];
        assert_eq!(passed(counted(), &broken.concat()), RESULT.len());
        assert_eq!(passed(counted(), b""), 0);
    }

    #[test]
    fn the_bytes_of_an_event_are_looked_at_once() {
        let odd = b"odd\n";
        let bytes = [RESULT, odd, CALL, CALL, b"{\"js"].concat();
        let mut inspector = Inspector::new(counted());
        let mut decoded = Decoded::NotYet;
        let first = inspector.pass_plain(&bytes, &mut decoded);
        assert_eq!(first, RESULT.len());
        assert!(matches!(decoded, Decoded::Until { left: 4 }));
        let rest = &bytes[first + odd.len()..];
        assert_eq!(inspector.pass_plain(rest, &mut decoded), 2 * CALL.len());
        assert_eq!(inspector.pass_plain(b"{\"js", &mut decoded), 0);
        // More is known to be no text than is left.
        assert_eq!(inspector.pass_plain(b"{", &mut decoded), 0);
        assert_eq!(
            inspector.layers.iter().copied().collect::<Vec<_>>(),
            [Layer::Framing, Layer::Json, Layer::JsonRpc]
        );
        assert!(inspector.accepted_any());
    }

    #[test]
    fn nothing_is_passed_over_where_somebody_looks_closer() {
        let rules = |change: fn(&mut RuleSet)| {
            let mut rules = counted();
            change(&mut rules);
            rules
        };
        let looked_at = [
            rules(|rules| rules.correlation = Correlation::On),
            rules(|rules| rules.messages = Messages::HandedBack),
            rules(|rules| rules.canary = Some(Box::from(&b"text"[..]))),
            rules(|rules| rules.protocol = Some(ProtocolVersion::V2026_07_28)),
        ];
        for rules in looked_at {
            assert_eq!(passed(rules, RESULT), 0);
        }
        let earlier = rules(|rules| rules.protocol = Some(ProtocolVersion::V2025_11_25));
        assert_eq!(passed(earlier, RESULT), RESULT.len());
    }

    #[rstest]
    #[case(RESULT, true)]
    #[case(ERROR, true)]
    #[case(CALL, false)]
    #[case("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\u{FFFD}\"}}\n".as_bytes(), false)]
    #[case(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\\ufffd\"}}\n", false)]
    fn layer_4_looks_closer_where_it_has_a_rule(#[case] frame: &[u8], #[case] plain: bool) {
        assert_eq!(passed(with_schema(), frame), if plain { frame.len() } else { 0 });
        assert_eq!(passed(counted(), frame), frame.len());
    }

    #[test]
    fn layer_4_is_reached_where_there_is_one() {
        let mut inspector = Inspector::new(with_schema());
        inspector.pass_plain(ERROR, &mut Decoded::NotYet);
        assert!(inspector.layers.contains(&Layer::Mcp));
        let before = inspector.not_checked.len();
        inspector.pass_plain(RESULT, &mut Decoded::NotYet);
        assert_eq!(inspector.not_checked.len(), before + 1);
    }

    #[test]
    fn frames_beyond_a_limit_are_not_passed_over() {
        let len = RESULT.len() as u64 - 1;
        for (most, plain) in [(len - 1, false), (len, true), (len + 1, true)] {
            let mut rules = counted();
            rules.max_frame_bytes = most;
            assert_eq!(passed(rules, RESULT) > 0, plain, "{most}");
        }
        let inspector = Inspector::new(counted());
        let bytes = vec![b' '; LARGE_FRAME_BYTES as usize + 1];
        for (len, plain) in [(bytes.len() - 1, true), (bytes.len(), false)] {
            let kind = PlainKind::Result;
            let read = Plain { kind, len, replacement: Replacement::NotSeen };
            assert_eq!(inspector.passes(read, &bytes[..len]), plain, "{len}");
        }
    }
}
