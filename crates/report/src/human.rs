//! The format `human`: for a person who does not know the transport.
//!
//! Every line after the first of a block begins with an indented gutter (`|`, `=`, `-->` or a
//! frame number), so that nothing a server wrote can stand at the start of a line.

mod page;
mod table;
#[cfg(test)]
mod tests;

use crate::report::Report;
use crate::story::{self, Story};
use crate::style::Style;
use page::Page;

pub(crate) use page::wrap;

/// Writes stories alone.
pub(crate) fn text(stories: &[Story<'_>], style: &Style) -> String {
    let mut page = Page::new(style);
    write(&mut page, stories);
    page.finish()
}

fn write(page: &mut Page<'_>, stories: &[Story<'_>]) {
    for (index, story) in stories.iter().enumerate() {
        if index > 0 {
            page.blank_line();
        }
        page.story(story);
    }
}

/// Writes the report.
pub(crate) fn render(report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    if let Some(rows) = report.rows() {
        table::table(&mut page, rows, report.sessions());
        page.blank_line();
        page.about(report.leading_name(), rows);
    }
    write(&mut page, &story::of(report.leading()));
    page.finish()
}
