//! Whole lines that are written between two frames, or before the first or after the last.

use model::RuleId;

use crate::draft::Draft;
use crate::operator::{Operator, Place, Sample, must};
use crate::promise::{At, Corruption};
use crate::view::View;

pub(crate) const OPERATORS: &[Operator] = &[
    must("insert-banner", "A line for people is printed", |view, place| {
        sample(
            view,
            place,
            &[
                (b"Example MCP Server v1.4 running on stdio\n", RuleId::InvalidJson, 0),
                (b"   Listening on stdio\n", RuleId::InvalidJson, 3),
                (b"********************\n", RuleId::InvalidJson, 0),
                (b"> example@1.4.0 start\n", RuleId::InvalidJson, 0),
            ],
        )
    }),
    must("insert-log-line", "A log line is printed", |view, place| {
        sample(
            view,
            place,
            &[
                (b"INFO: ready\n", RuleId::InvalidJson, 0),
                // A number is a JSON text, and nothing may follow it.
                (b"2026-01-31 12:00:00 INFO ready\n", RuleId::InvalidJson, 4),
                (b"12:00:00 ready\n", RuleId::InvalidJson, 2),
                // An array opens, and no value begins so.
                (b"[INFO] ready\n", RuleId::InvalidJson, 1),
                // The first element is a number, and a hyphen cannot follow it.
                (b"[2026-01-31] ready\n", RuleId::InvalidJson, 5),
                (b"-- ready --\n", RuleId::InvalidJson, 1),
                (b"\"ready\" is the word\n", RuleId::InvalidJson, 8),
                (b"true: ready\n", RuleId::InvalidJson, 4),
                (b"trying again\n", RuleId::InvalidJson, 2),
            ],
        )
    }),
    must("insert-json-log", "A log record is printed as JSON", |view, place| {
        let text = b"{\"level\":\"info\",\"message\":\"ready\"}\n";
        let at = boundary(view, place)?;
        let spoiled = Draft::insert(at, *text).must(RuleId::JsonrpcVersion, at + text.len() - 1);
        Some(spoiled.beside(RuleId::ExtraMember, At::Byte(at + 1)))
    }),
    must("insert-bare-envelope", "A message that says nothing is written", |view, place| {
        sample(view, place, &[(b"{\"jsonrpc\":\"2.0\"}\n", RuleId::UnknownKind, 17)])
    }),
    must(
        "insert-object-dump",
        "An object is printed by a language other than JSON",
        |view, place| {
            sample(
                view,
                place,
                &[
                    (b"{'level': 'info'}\n", RuleId::InvalidJson, 1),
                    (b"{ level: 'info' }\n", RuleId::InvalidJson, 2),
                    (b"[object Object]\n", RuleId::InvalidJson, 1),
                    (b"map[level:info]\n", RuleId::InvalidJson, 0),
                ],
            )
        },
    ),
    must("insert-pretty-json", "An object is printed over several lines", |view, place| {
        sample(
            view,
            place,
            &[
                (b"{\n  \"level\": \"info\"\n}\n", RuleId::SplitMessage, 1),
                (b"[\n  1,\n  2\n]\n", RuleId::SplitMessage, 1),
                (b"{\"level\": \"info\",\n\"count\": 1}\n", RuleId::SplitMessage, 17),
            ],
        )
    }),
    must("insert-scalar-line", "A single value is printed", |view, place| {
        sample(
            view,
            place,
            &[
                (b"42\n", RuleId::NotAnObject, 0),
                (b"-1.5e3\n", RuleId::NotAnObject, 0),
                (b"  \"ready\"\n", RuleId::NotAnObject, 2),
                (b"true\n", RuleId::NotAnObject, 0),
                (b"null \n", RuleId::NotAnObject, 0),
            ],
        )
    }),
    must("insert-empty-batch", "An array without a message is written", |view, place| {
        sample(view, place, &[(b"[]\n", RuleId::BatchArray, 0), (b" [ ]\n", RuleId::BatchArray, 1)])
    }),
    must("insert-ansi-line", "A coloured line is printed", |view, place| {
        sample(
            view,
            place,
            &[
                (b"\x1b[32mready\x1b[0m\n", RuleId::InvalidJson, 0),
                (b"  \x1b[2K\x1b[1G\n", RuleId::InvalidJson, 2),
            ],
        )
    }),
    must("insert-non-ascii-line", "A line begins with a character beyond ASCII", |view, place| {
        sample(
            view,
            place,
            &[
                ("✓ ready\n".as_bytes(), RuleId::InvalidJson, 0),
                (" \u{1F680} los\n".as_bytes(), RuleId::InvalidJson, 1),
                ("サーバー\n".as_bytes(), RuleId::InvalidJson, 0),
                ("\u{a0}\n".as_bytes(), RuleId::InvalidJson, 0),
            ],
        )
    }),
    must("insert-blank-line", "An empty line is printed", |view, place| {
        sample(view, place, &[(b"\n", RuleId::EmptyFrame, 0)])
    }),
    must("insert-spaces-line", "A line of blanks is printed", |view, place| {
        let blanks: [Sample; 2] =
            [(b"    \n", RuleId::EmptyFrame, 4), (b"\t \n", RuleId::EmptyFrame, 2)];
        sample(view, place, &blanks)
    }),
    must(
        "insert-crlf-blank-line",
        "An empty line that ends with CR LF is printed",
        |view, place| sample(view, place, &[(b"\r\n", RuleId::EmptyFrame, 1)]),
    ),
    must("insert-stack-trace", "The lines of a stack trace are printed", |view, place| {
        sample(
            view,
            place,
            &[
                (
                    b"Traceback (most recent call last):\n  File \"server.py\", line 3\n\n",
                    RuleId::InvalidJson,
                    0,
                ),
                (b"\n    at main (server.js:3:1)\n", RuleId::EmptyFrame, 0),
                (b"    at main (server.js:3:1)\n", RuleId::InvalidJson, 4),
            ],
        )
    }),
    must("insert-progress-bar", "A progress bar is drawn with carriage returns", |view, place| {
        sample(
            view,
            place,
            &[
                (b"\rLoading 10%\rLoading 50%\n", RuleId::InvalidJson, 1),
                ("\r 10%|█ |\r 50%|██|\n".as_bytes(), RuleId::InvalidJson, 4),
            ],
        )
    }),
    must("insert-nul-line", "A line of NUL bytes is written", |view, place| {
        sample(view, place, &[(b"\0\0\0\0\n", RuleId::InvalidJson, 0)])
    }),
    must("insert-latin-1-line", "A line in a legacy code page is printed", |view, place| {
        sample(
            view,
            place,
            &[
                (b"Serveur pr\xEAt\n", RuleId::DecodeError, 10),
                (b"caf\xE9\n", RuleId::DecodeError, 3),
                // The first two bytes could begin a character, the third cannot be its third.
                (b"\xE2\x82x\n", RuleId::DecodeError, 0),
            ],
        )
    }),
    must("insert-utf-16-line", "A line is printed as UTF-16", |view, place| {
        sample(
            view,
            place,
            &[
                (b"\xFF\xFEo\0k\0\n\0", RuleId::DecodeError, 0),
                (b"\xFE\xFF\0o\0k\0\n", RuleId::DecodeError, 0),
                // Without a mark it is UTF-8 with NUL bytes.
                (b"o\0k\0\n\0", RuleId::InvalidJson, 0),
                (b"1\x002\0\n\0", RuleId::InvalidJson, 1),
            ],
        )
    }),
    must("insert-content-length", "A header as in the Language Server Protocol is written", {
        |view, place| {
            sample(
                view,
                place,
                &[
                    (b"Content-Length: 78\r\n\r\n", RuleId::ContentLengthHeader, 0),
                    (b"content-length:120\n", RuleId::ContentLengthHeader, 0),
                    (
                        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
                        RuleId::ContentLengthHeader,
                        0,
                    ),
                ],
            )
        }
    }),
];

/// The offset of a frame's first byte, or of the end of stdout.
pub(super) fn boundary(view: &View<'_>, place: Place) -> Option<usize> {
    match view.frames.get(place.frame) {
        Some(frame) => Some(frame.start),
        // Without a frame there is no moment at which more could be written.
        None => view.frames.last().map(|last| last.end + 1),
    }
}

/// One of several texts is written at a boundary.
fn sample(view: &View<'_>, place: Place, samples: &[Sample]) -> Option<Corruption> {
    let at = boundary(view, place)?;
    let (text, rule, byte) = place.choose(samples)?;
    Some(Draft::insert(at, text).must(rule, at + byte))
}
