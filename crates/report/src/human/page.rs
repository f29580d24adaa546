//! The layout of a report for a person: headings, gutter, wrapping, colours.

use annotate_snippets::renderer::{
    DEFAULT_EMPHASIS_STYLE, DEFAULT_ERROR_STYLE, DEFAULT_HELP_STYLE, DEFAULT_LINE_NUM_STYLE,
    DEFAULT_NOTE_STYLE, DEFAULT_WARNING_STYLE, Style as Paint,
};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::excerpt::Excerpt;
use crate::report::Rows;
use crate::safe::{SafeText, ascii, columns_of};
use crate::story::{Heading, Label, Quote, Story};
use crate::style::{Charset, Color, Style};

/// A report that is being written.
pub(super) struct Page<'a> {
    style: &'a Style,
    /// The digits of the frame number of the block, which set the gutter's place.
    digits: usize,
    /// Which of several sessions the next block is about, until it was said.
    about: Option<String>,
    out: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self { style, digits: 1, about: None, out: String::new() }
    }

    /// Says in the next block which of several sessions it is about.
    pub(super) fn about(&mut self, name: Option<&SafeText>, rows: Rows) {
        self.about = name.map(|name| format!("{} {name}", rows.noun()));
    }

    /// Begins a block.
    pub(super) fn heading(&mut self, heading: Heading, head: &str, text: &str) {
        self.digits = 1;
        let paint = match heading {
            Heading::Error => DEFAULT_ERROR_STYLE,
            Heading::Advice | Heading::Inconclusive => DEFAULT_WARNING_STYLE,
            Heading::Ok => DEFAULT_NOTE_STYLE,
        };
        let word = head.to_owned();
        let whole = format!("{word}: {}", self.spell(text));
        for (index, line) in wrap(&whole, self.style.columns() - 4).iter().enumerate() {
            match line.strip_prefix(&word).filter(|_| index == 0) {
                Some(rest) => {
                    self.paint(paint, &word);
                    self.paint(DEFAULT_EMPHASIS_STYLE, rest);
                    self.out.push('\n');
                }
                None => {
                    self.bar();
                    self.out.push_str(&format!(" {line}\n"));
                }
            }
        }
    }

    /// Writes all that is to be said of an outcome or a piece of advice.
    pub(super) fn story(&mut self, story: &Story<'_>) {
        self.heading(story.heading, &story.head(), &story.title);
        let frame = story.snippet.as_ref().map(|snippet| snippet.frame);
        if let Some(location) = &story.location {
            self.location(frame, location);
        }
        if let Some(snippet) = &story.snippet {
            self.snippet(snippet.frame, snippet.excerpt, snippet.label);
        }
        for item in &story.items {
            self.item(item.label, &item.text);
            match &item.quote {
                Quote::Nothing => {}
                Quote::Lines(lines) => self.quote(lines.iter().map(SafeText::as_str)),
                Quote::Command(command) => {
                    self.quote([command.text(self.style.charset).as_str().to_owned()]);
                }
            }
        }
    }

    /// Says where a finding is.
    fn location(&mut self, frame: Option<u64>, text: &str) {
        let text = match self.about.take() {
            Some(about) => format!("{text}, {about}"),
            None => text.to_owned(),
        };
        self.digits = frame.map_or(1, |frame| frame.to_string().len());
        let arrow = format!("{}-->", " ".repeat(self.digits));
        self.paint(DEFAULT_LINE_NUM_STYLE, &arrow);
        let text = self.spell(&text);
        let width = self.style.columns().saturating_sub(self.digits + ARROW_LEAD);
        for (index, line) in wrap(&text, width).iter().enumerate() {
            if index > 0 {
                self.bar();
                self.out.push_str("  ");
            }
            self.out.push_str(&format!(" {line}\n"));
        }
    }

    /// Shows an excerpt with a caret under the byte of the fault.
    fn snippet(&mut self, frame: u64, excerpt: &Excerpt, label: Option<&str>) {
        let (text, caret) = excerpt.marked(self.style.charset);
        let end = text.len();
        let annotation = match caret {
            Some(caret) => {
                // What is long is underlined as far as its words have room behind it.
                let taken = self.digits + SNIPPET_LEAD + label.map_or(0, columns_of);
                let before = columns_of(&text[..caret.start]).min(LINE_LEAD);
                let room = self.style.columns().saturating_sub(taken + before);
                let caret = caret.start..caret.start + fitting(&text[caret], room);
                AnnotationKind::Primary.span(caret).label(label)
            }
            None => AnnotationKind::Visible.span(0..end),
        };
        let snippet = Snippet::source(text)
            .line_start(usize::try_from(frame).unwrap_or(usize::MAX))
            .annotation(annotation);
        let renderer = match self.style.color {
            Color::Never => Renderer::plain(),
            Color::Ansi => Renderer::styled(),
        }
        .term_width(self.style.columns());
        let group = Group::with_level(Level::ERROR).element(snippet);
        self.out.push_str(&renderer.render(&[group]));
        self.out.push('\n');
        self.bar();
        self.out.push('\n');
    }

    /// Adds an item, wrapped at the width.
    fn item(&mut self, label: Label, text: &str) {
        if let Some(about) = self.about.take() {
            self.item(Label::Note, &about);
        }
        let word = label.word();
        let text = self.spell(text);
        for (index, line) in
            wrap(&text, self.style.columns().saturating_sub(self.digits + 1 + ITEM_LEAD))
                .iter()
                .enumerate()
        {
            if index == 0 {
                self.indent();
                self.paint(DEFAULT_LINE_NUM_STYLE, "= ");
                self.paint(
                    match label {
                        Label::Help => DEFAULT_HELP_STYLE,
                        Label::Note | Label::Hint => DEFAULT_EMPHASIS_STYLE,
                    },
                    &format!("{word}:"),
                );
                self.out.push_str(&format!(" {line}\n"));
            } else {
                self.bar();
                self.out.push_str(&format!("{}{line}\n", " ".repeat(ITEM_LEAD - 1)));
            }
        }
    }

    /// Adds lines that are not wrapped, each behind the gutter.
    pub(super) fn quote<T: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = T>) {
        for line in lines {
            let line = self.spell(line.as_ref());
            self.bar();
            self.out.push_str(&format!("{}{line}\n", " ".repeat(ITEM_LEAD - 1)));
        }
    }

    /// Ends a block.
    pub(super) fn blank_line(&mut self) {
        self.out.push('\n');
    }

    /// The report: no line ends with a blank, and one newline ends it.
    pub(super) fn finish(self) -> String {
        let mut out = String::with_capacity(self.out.len());
        for line in self.out.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn indent(&mut self) {
        self.out.push_str(&" ".repeat(self.digits + 1));
    }

    fn bar(&mut self) {
        self.indent();
        self.paint(DEFAULT_LINE_NUM_STYLE, "|");
    }

    fn spell(&self, text: &str) -> String {
        match self.style.charset {
            Charset::Unicode => text.to_owned(),
            Charset::Ascii => ascii(text),
        }
    }

    fn paint(&mut self, paint: Paint, text: &str) {
        match self.style.color {
            Color::Never => self.out.push_str(text),
            Color::Ansi => self.out.push_str(&format!("{paint}{text}{paint:#}")),
        }
    }
}

/// The columns of ` | ` and of the blanks round the words behind a caret.
const SNIPPET_LEAD: usize = 6;

/// The columns before a caret that are left where a line is too long.
const LINE_LEAD: usize = 40;

/// How many bytes of the text fit into the columns. At least those of its first character.
fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += columns_of(&text[at..at + character.len_utf8()]);
        if used > columns && at > 0 {
            return at;
        }
    }
    text.len()
}

/// The columns of `--> `.
const ARROW_LEAD: usize = 4;

/// The columns of `= note: `.
const ITEM_LEAD: usize = 8;

/// Cuts text into lines at its blanks. A word longer than the width stands alone on its line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let columns = columns_of(word);
        let line = lines.last_mut().expect("there is always a line");
        if used > 0 && used + 1 + columns > width {
            lines.push(word.to_owned());
            used = columns;
        } else {
            if used > 0 || !line.is_empty() {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += columns;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{fitting, wrap};

    #[rstest]
    #[case::short("one two", 10, &["one two"])]
    #[case::exact("one two", 7, &["one two"])]
    #[case::wraps("one two three", 8, &["one two", "three"])]
    #[case::long_word("a verylongword b", 4, &["a", "verylongword", "b"])]
    #[case::empty("", 4, &[""])]
    fn text_wraps_at_blanks(#[case] text: &str, #[case] width: usize, #[case] lines: &[&str]) {
        assert_eq!(wrap(text, width), lines);
    }

    #[rstest]
    #[case::all("abc", 3, 3)]
    #[case::cut("abcd", 3, 3)]
    #[case::at_least_one("\u{e9}b", 0, 2)]
    #[case::wide("\u{6f22}\u{5b57}", 3, 3)]
    #[case::nothing("", 3, 0)]
    fn an_underline_ends_where_there_is_no_room(
        #[case] text: &str,
        #[case] columns: usize,
        #[case] bytes: usize,
    ) {
        assert_eq!(fitting(text, columns), bytes);
    }
}
