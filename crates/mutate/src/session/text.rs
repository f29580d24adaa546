//! JSON text in the many forms that the grammar allows.

use std::fmt::Write as _;

/// How one message is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The order of an object's members: it begins with this one, counted round.
    pub first_member: usize,
    /// The blanks between tokens.
    pub spacing: Spacing,
    /// How texts are spelled.
    pub spelling: Spelling,
}

/// The blanks between tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// None.
    #[default]
    Compact,
    /// One space after each colon and comma.
    AfterSeparators,
    /// Spaces and tabs wherever the grammar allows them, before and after the message too.
    Wide,
}

/// How texts are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// As UTF-8.
    #[default]
    Raw,
    /// In ASCII, everything else as `\uXXXX`.
    Escaped,
}

/// Writes messages, each in the next layout and with the next texts.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    texts: &'a [String],
    layouts: &'a [Layout],
    written_texts: usize,
    written_lines: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(texts: &'a [String], layouts: &'a [Layout]) -> Self {
        Self { texts, layouts, written_texts: 0, written_lines: 0 }
    }

    fn layout(&self) -> Layout {
        let index = self.written_lines % self.layouts.len().max(1);
        self.layouts.get(index).copied().unwrap_or_default()
    }

    /// The next text, as a JSON string.
    pub(super) fn text(&mut self) -> String {
        let index = self.written_texts % self.texts.len().max(1);
        self.written_texts += 1;
        let text = self.texts.get(index).map_or("", String::as_str);
        quoted(text, self.layout().spelling)
    }

    /// An object of members whose values are JSON already.
    pub(super) fn object(&self, members: &[(&str, &str)]) -> String {
        let Layout { first_member, spacing, .. } = self.layout();
        let (colon, comma, inside) = match spacing {
            Spacing::Compact => (":", ",", ""),
            Spacing::AfterSeparators => (": ", ", ", ""),
            Spacing::Wide => (" : ", "\t, ", " "),
        };
        let mut order = members.to_vec();
        order.rotate_left(first_member % members.len().max(1));
        let order: Vec<String> =
            order.iter().map(|(key, value)| format!("\"{key}\"{colon}{value}")).collect();
        format!("{{{inside}{}{inside}}}", order.join(comma))
    }

    /// A whole line: a message with `jsonrpc` and these members.
    pub(super) fn line(&mut self, members: &[(&str, &str)]) -> Vec<u8> {
        let mut all = vec![("jsonrpc", "\"2.0\"")];
        all.extend_from_slice(members);
        let object = self.object(&all);
        let line = match self.layout().spacing {
            Spacing::Wide => format!("\t {object}  \n"),
            Spacing::Compact | Spacing::AfterSeparators => format!("{object}\n"),
        };
        self.written_lines += 1;
        line.into_bytes()
    }
}

fn quoted(text: &str, spelling: Spelling) -> String {
    let mut out = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            _ if character < ' ' || (spelling == Spelling::Escaped && !character.is_ascii()) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("a String takes every text");
                }
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{Layout, Spacing, Spelling, Writer, quoted};

    #[test]
    fn texts_are_spelled_as_asked() {
        assert_eq!(quoted("a\"\\\n\u{1}é😀", Spelling::Raw), "\"a\\\"\\\\\\n\\u0001é😀\"");
        assert_eq!(quoted("é😀", Spelling::Escaped), "\"\\u00e9\\ud83d\\ude00\"");
    }

    #[test]
    fn layouts_are_taken_in_turn() {
        let wide =
            Layout { first_member: 1, spacing: Spacing::Wide, spelling: Spelling::default() };
        let layouts = [Layout::default(), wide];
        let mut writer = Writer::new(&[], &layouts);
        assert_eq!(writer.line(&[("id", "1")]), b"{\"jsonrpc\":\"2.0\",\"id\":1}\n");
        assert_eq!(writer.line(&[("id", "1")]), b"\t { \"id\" : 1\t, \"jsonrpc\" : \"2.0\" }  \n");
    }
}
