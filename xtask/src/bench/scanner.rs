//! The detector in memory, beside what a program would do that trusts libraries: simdutf8, then
//! serde_json for the envelope, with the members left as they are. Also how its time grows.

use std::hint::black_box;
use std::time::Duration;

use inspect::{Detector, Inspector, Messages, RuleSet};
use model::{Event, EventKind, Outcome, Seq, Verdict};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::corpora::Corpus;
use super::{Row, thread_time};

/// Bytes of a stream that is read again and again.
const STREAM: usize = 4 * 1024 * 1024;
/// The detector is given at most this many bytes at once, whole frames if one fits, as `check`
/// gives them.
const CHUNK: usize = 256 * 1024;
const REPETITIONS: usize = 15;

/// What a program reads of a message that it takes on trust.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: &'a str,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// How many times as fast as the libraries the detector is, corpus by corpus.
pub(super) fn rows() -> Vec<Row> {
    Corpus::ALL.into_iter().map(row).collect()
}

fn row(corpus: Corpus) -> Row {
    let stream = corpus.stream(STREAM);
    let ratios = (0..REPETITIONS).map(|_| {
        let libraries = quickest(|| envelopes(&stream));
        let detector = quickest(|| judge(&stream, CHUNK, corpus.name()));
        libraries.as_secs_f64() / detector.as_secs_f64()
    });
    Row::of(&format!("scanner/{}", corpus.name()), ratios)
}

/// The least processor time of three: what a busy machine adds is never wanted.
fn quickest<T>(mut operation: impl FnMut() -> T) -> Duration {
    let times = (0..3).map(|_| {
        let before = thread_time();
        black_box(operation());
        thread_time().saturating_sub(before)
    });
    times.min().unwrap_or_default()
}

fn envelopes(stream: &[u8]) -> usize {
    let mut seen = 0;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', stream) {
        let text = simdutf8::basic::from_utf8(&stream[start..end]).expect("a corpus is UTF-8");
        let message: Envelope<'_> = serde_json::from_str(text).expect("a corpus is of messages");
        let members = [message.id, message.method, message.params, message.result, message.error];
        seen += message.jsonrpc.len() + members.into_iter().flatten().count();
        start = end + 1;
    }
    seen
}

/// Judges a stream that must be without fault.
fn judge(stream: &[u8], chunk: usize, what: &str) {
    let verdict = verdict(stream, chunk);
    assert!(
        verdict.outcome == Outcome::ValidStdout,
        "{what} is not judged to its end: {:?}",
        verdict.outcome
    );
}

fn verdict(stream: &[u8], chunk: usize) -> Verdict {
    let mut rules = RuleSet::without_client();
    rules.messages = Messages::Counted;
    let mut detector = Box::new(Inspector::new(rules));
    let mut push = |seq: usize, kind: EventKind<'_>| {
        detector.push(&Event { seq: Seq(seq as u64), at: Duration::ZERO, kind });
    };
    let mut rest = stream;
    let mut seq = 0;
    while !rest.is_empty() {
        let most = &rest[..chunk.min(rest.len())];
        let whole = memchr::memrchr(b'\n', most).map_or(most.len(), |newline| newline + 1);
        let (piece, after) = rest.split_at(whole);
        push(seq, EventKind::Stdout(piece.into()));
        rest = after;
        seq += 1;
    }
    push(seq, EventKind::StdoutEof);
    detector.finish()
}

/// A series of inputs, each twice as large as the one before.
struct Series {
    name: &'static str,
    /// The size of the first.
    from: usize,
    chunk: usize,
    input: fn(usize) -> Vec<u8>,
}

const SERIES: &[Series] = &[
    Series { name: "frame-length", from: 1 << 20, chunk: 4096, input: long_frame },
    Series { name: "keys", from: 1 << 14, chunk: CHUNK, input: many_keys },
    Series { name: "depth", from: 1 << 17, chunk: CHUNK, input: deep },
    Series { name: "blanks", from: 1 << 20, chunk: CHUNK, input: blanks },
    Series { name: "findings", from: 1 << 12, chunk: CHUNK, input: advised },
    Series { name: "one-byte-writes", from: 1 << 16, chunk: 1, input: |n| Corpus::Small.stream(n) },
];

/// Doublings of each series.
const DOUBLINGS: i32 = 3;

/// By which factor time grows when the input doubles: 2 is linear, 4 is quadratic.
pub(super) fn growth() -> Vec<Row> {
    SERIES
        .iter()
        .map(|series| {
            let small = (series.input)(series.from);
            let large = (series.input)(series.from << DOUBLINGS);
            let factors = (0..5).map(|_| {
                let small = quickest(|| verdict(&small, series.chunk));
                let large = quickest(|| verdict(&large, series.chunk));
                (large.as_secs_f64() / small.as_secs_f64()).powf(1.0 / f64::from(DOUBLINGS))
            });
            Row::of(&format!("growth/{}", series.name), factors)
        })
        .collect()
}

fn result(value: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{value}}}\n").into_bytes()
}

fn long_frame(bytes: usize) -> Vec<u8> {
    result(&format!("{{\"text\":\"{}\"}}", "x".repeat(bytes)))
}

fn many_keys(keys: usize) -> Vec<u8> {
    let members: Vec<String> = (0..keys).map(|key| format!("\"key-{key}\":{key}")).collect();
    result(&format!("{{{}}}", members.join(",")))
}

fn deep(levels: usize) -> Vec<u8> {
    result(&format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels)))
}

/// A blank line would end the judging; blanks inside a message do not.
fn blanks(count: usize) -> Vec<u8> {
    result(&format!("{{\"a\":[{}]}}", " ".repeat(count)))
}

/// Every frame ends in CR LF, which is advised against each time.
fn advised(frames: usize) -> Vec<u8> {
    let frame = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\r\n");
    (0..frames).map(frame).collect::<String>().into_bytes()
}
