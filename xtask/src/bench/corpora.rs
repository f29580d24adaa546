//! What is measured: streams of one kind of frame each, all of them without fault, since a
//! fault ends the judging and would make it look fast.

use std::fmt::Write as _;

/// A kind of frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corpus {
    /// Results of 144 bytes.
    Small,
    /// Lists of tools, 20 KiB each.
    Tools,
    /// One string of base64, 1 MiB.
    Base64,
    /// Text full of `\n` and `\"`.
    Escaped,
    /// Text of two and three byte characters.
    NonAscii,
    /// Text written as `\uXXXX`.
    Unicode,
}

impl Corpus {
    pub(super) const ALL: [Self; 6] =
        [Self::Small, Self::Tools, Self::Base64, Self::Escaped, Self::NonAscii, Self::Unicode];

    /// What rows and floors call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Tools => "tools",
            Self::Base64 => "base64",
            Self::Escaped => "escaped",
            Self::NonAscii => "non-ascii",
            Self::Unicode => "unicode-escapes",
        }
    }

    /// At least this many bytes of whole frames, each with an id of its own.
    pub(super) fn stream(self, bytes: usize) -> Vec<u8> {
        let mut stream = String::with_capacity(bytes + bytes / 8);
        let mut id = 0_u64;
        while stream.len() < bytes {
            id += 1;
            let _ = writeln!(stream, r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, self.result());
        }
        stream.into_bytes()
    }

    fn result(self) -> String {
        match self {
            Self::Small => text("The weather in Paris is 21 degrees, light wind from the west."),
            Self::Tools => {
                let tools: Vec<String> = (0..64).map(tool).collect();
                format!(r#"{{"tools":[{}]}}"#, tools.join(","))
            }
            Self::Base64 => text(&"iVBORw0KGgoAAAANSUhEUgAA".repeat(1024 * 1024 / 24)),
            Self::Escaped => text(&r#"a \"quoted\" line\n\tand a path C:\\x\n"#.repeat(64)),
            Self::NonAscii => text(&"Grüße aus Zürich, 日本語のテキスト。".repeat(64)),
            Self::Unicode => text(&r"\u00e9\u65e5\u672c\ud83d\ude00".repeat(64)),
        }
    }
}

fn text(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)
}

fn tool(number: usize) -> String {
    format!(
        r#"{{"name":"tool_{number}","description":"Looks up record {number} and returns the fields that were asked for.","inputSchema":{{"type":"object","properties":{{"query":{{"type":"string","description":"What to look for"}},"limit":{{"type":"integer","minimum":1}}}},"required":["query"]}}}}"#
    )
}
