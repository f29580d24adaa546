//! The ids of the live client in a recorded case.
//!
//! The bytes of a case hold the constant ids of the plan. Whoever launches the case has ids of
//! its own, so wherever an `id` member holds the id of a request that the case's client sends,
//! the live one takes its place. Nothing else changes.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;
use model::RawId;

/// A place where the id of a request stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The bytes of the id.
    pub(crate) range: Range<usize>,
    /// The request, by its id in the plan.
    pub(crate) request: RawId,
    spelling: Spelling,
}

/// How the id is spelled, against the way in which the client spelled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// In the same way.
    Same,
    /// A number as a string.
    Quoted,
    /// An integer with a fraction of zero.
    Fraction,
    /// An integer with an exponent.
    Exponent,
}

/// Every place in the bytes of one stream where the id of one of these requests stands.
pub(crate) fn marks(bytes: &[u8], requests: &[RawId]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for key in KEYS {
        for found in memmem::find_iter(bytes, key) {
            let Some(at) = after_colon(bytes, found + key.len()) else { continue };
            let range = at..at + token_length(&bytes[at..]);
            let mark = requests.iter().find_map(|request| {
                let spelling = spelling(&bytes[range.clone()], request)?;
                Some(Mark { range: range.clone(), request: request.clone(), spelling })
            });
            marks.extend(mark);
        }
    }
    marks.sort_by_key(|mark| mark.range.start);
    marks
}

/// The member's name, with none, one or both of its letters escaped.
const KEYS: [&[u8]; 4] = [br#""id""#, br#""\u0069d""#, br#""i\u0064""#, br#""\u0069\u0064""#];

fn after_colon(bytes: &[u8], from: usize) -> Option<usize> {
    let blanks = |from: usize| {
        let rest = bytes.get(from..)?;
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        Some(from + rest.iter().take_while(blank).count())
    };
    let colon = blanks(from)?;
    (bytes.get(colon) == Some(&b':')).then(|| blanks(colon + 1))?
}

/// The length of the string or number at the beginning; 0 for anything else.
fn token_length(bytes: &[u8]) -> usize {
    if bytes.first() != Some(&b'"') {
        let number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        return bytes.iter().take_while(number).count();
    }
    let mut at = 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(b'\n') | None => return 0,
            Some(_) => at += 1,
        }
    }
}

fn spelling(token: &[u8], request: &RawId) -> Option<Spelling> {
    let request = request.as_str();
    if token == request.as_bytes() {
        return Some(Spelling::Same);
    }
    if token.first() == Some(&b'"') {
        let text: String = serde_json::from_slice(token).ok()?;
        let same = serde_json::from_str(request).is_ok_and(|id: String| id == text);
        return match (same, text == request) {
            (true, _) => Some(Spelling::Same),
            (false, true) => Some(Spelling::Quoted),
            (false, false) => None,
        };
    }
    let value = |text: &str| text.parse::<f64>().ok();
    let token = str::from_utf8(token).ok()?;
    let number = value(token)?;
    (Some(number) == value(request)).then(|| match token.contains(['e', 'E']) {
        true => Spelling::Exponent,
        false => Spelling::Fraction,
    })
}

/// The ids that the live client has given to the requests of the plan.
#[derive(Debug, Default)]
pub(crate) struct LiveIds(BTreeMap<RawId, RawId>);

impl LiveIds {
    /// Takes note of the live id of a request.
    pub(crate) fn learn(&mut self, request: RawId, live: RawId) {
        self.0.insert(request, live);
    }

    /// The live id in the place of one of the plan; any other id as it is.
    pub(crate) fn of(&self, id: &RawId) -> RawId {
        self.0.get(id).unwrap_or(id).clone()
    }

    /// A range of the bytes of a stream, with the live ids in the places of its marks.
    pub(crate) fn put(&self, bytes: &[u8], range: Range<usize>, marks: &[Mark]) -> Vec<u8> {
        let mut put = Vec::with_capacity(range.len());
        let mut from = range.start;
        for mark in marks.iter().filter(|mark| mark.range.end > range.start) {
            if mark.range.start >= range.end {
                break;
            }
            let Some(live) = self.spell(mark) else { continue };
            // A mark that the range cuts in two is written whole where it begins.
            if mark.range.start >= range.start {
                put.extend_from_slice(&bytes[from..mark.range.start]);
                put.extend_from_slice(live.as_bytes());
            }
            from = mark.range.end.min(range.end);
        }
        put.extend_from_slice(&bytes[from..range.end]);
        put
    }

    /// None for a request that the client has not sent, and for a spelling that its id cannot
    /// have: a string has neither quotes to gain nor a fraction.
    fn spell(&self, mark: &Mark) -> Option<String> {
        let live = self.0.get(&mark.request)?.as_str();
        let number = !live.starts_with('"');
        match mark.spelling {
            Spelling::Same => Some(live.to_owned()),
            Spelling::Quoted if number => Some(format!("\"{live}\"")),
            Spelling::Fraction if number => Some(format!("{live}.0")),
            Spelling::Exponent if number => Some(format!("{live}e0")),
            Spelling::Quoted | Spelling::Fraction | Spelling::Exponent => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::RawId;

    use super::{LiveIds, marks};

    fn played(bytes: &str, live: &str) -> String {
        let requests = [RawId::integer(31), RawId::new("\"list-3\"")];
        let marks = marks(bytes.as_bytes(), &requests);
        let mut ids = LiveIds::default();
        for request in requests {
            ids.learn(request, RawId::new(live));
        }
        let put = ids.put(bytes.as_bytes(), 0..bytes.len(), &marks);
        String::from_utf8(put).unwrap()
    }

    #[test]
    fn the_live_id_takes_the_place_of_the_planned_one_as_it_is_spelled() {
        assert_eq!(played(r#"{"id" : 31}"#, "0"), r#"{"id" : 0}"#);
        assert_eq!(played(r#"{"id":"list-3"}"#, "1"), r#"{"id":1}"#);
        assert_eq!(played(r#"{"i\u0064":31}"#, "1"), r#"{"i\u0064":1}"#);
        assert_eq!(played(r#"{"id":"list\u002d3"}"#, "1"), r#"{"id":1}"#);
        assert_eq!(played(r#"{"id":"31"}"#, "0"), r#"{"id":"0"}"#);
        assert_eq!(played(r#"{"id":31.0}"#, "7"), r#"{"id":7.0}"#);
        assert_eq!(played(r#"{"id":3.1E1}"#, "7"), r#"{"id":7e0}"#);
        assert_eq!(played("{\n \"id\":\n 31", "\"a\""), "{\n \"id\":\n \"a\"");
    }

    #[test]
    fn everything_else_is_byte_for_byte() {
        for bytes in [
            r#"{"id":32}"#,
            r#"{"id":310}"#,
            r#"{"id":31.5}"#,
            r#"{"id":["list-3"]}"#,
            r#"{"id":null,"ids":31}"#,
            r#"{"text":"{\"id\":31}"}"#,
            "\"id\"",
            "\"id\":",
            "\"id\":\"31",
        ] {
            assert_eq!(played(bytes, "0"), bytes);
        }
        // An id of the client that cannot be spelled so stays another one than the client's.
        assert_eq!(played(r#"{"id":"31"}"#, "\"a\""), r#"{"id":"31"}"#);
    }

    #[test]
    fn a_cut_through_an_id_does_not_lose_it() {
        let bytes = br#"{"id":31,"result":{}}"#;
        let marks = marks(bytes, &[RawId::integer(31)]);
        let mut ids = LiveIds::default();
        ids.learn(RawId::integer(31), RawId::integer(12_345));
        for cut in 0..=bytes.len() {
            let mut put = ids.put(bytes, 0..cut, &marks);
            put.extend(ids.put(bytes, cut..bytes.len(), &marks));
            assert_eq!(put, br#"{"id":12345,"result":{}}"#, "cut at {cut}");
        }
    }
}
