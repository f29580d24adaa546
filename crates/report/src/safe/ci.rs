//! The commands that CI systems look for in the log, and where one would begin.

/// Commands that are obeyed wherever they stand in a line: GitHub's older form, Azure Pipelines,
/// TeamCity, GitLab's collapsible sections.
const ANYWHERE: [&[u8]; 5] = [b"##[", b"##vso[", b"##teamcity[", b"section_start", b"section_end"];

/// Whether a CI command would begin at this byte if it were shown as it is.
///
/// GitHub obeys `::name` at the start of a line that was trimmed. A report may wrap its lines at
/// any blank, so every `::` after a blank counts as one at the start.
pub(super) fn begins_command(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    match rest.first() {
        Some(b'#' | b's' | b'S') => ANYWHERE.iter().any(|command| {
            rest.len() >= command.len() && rest[..command.len()].eq_ignore_ascii_case(command)
        }),
        Some(b':') => rest.starts_with(b"::") && matches!(bytes[..at].last(), None | Some(b' ')),
        _ => false,
    }
}
