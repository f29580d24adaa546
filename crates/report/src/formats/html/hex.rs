//! The bytes round the fault, as a hex dump.

use maud::{Markup, html};

use crate::evidence::FindingEvidence;

/// Bytes of one line.
const COLUMNS: usize = 16;

/// The bytes round the fault, after redaction; without them the beginning of the frame.
pub(super) fn dump(finding: &FindingEvidence) -> Markup {
    let (digits, fault) = match (&finding.hex_window, &finding.hex_prefix) {
        (Some(window), _) => (window.hex.as_str(), window.fault),
        (None, Some(prefix)) => (prefix.as_str(), None),
        (None, None) => return html! {},
    };
    let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(byte).collect();
    html! {
        @if !bytes.is_empty() {
            details open {
                summary { "The bytes, after secrets were replaced" }
                table.hex {
                    @for (line, chunk) in bytes.chunks(COLUMNS).enumerate() {
                        tr {
                            @for column in 0..COLUMNS {
                                td class=[is_fault(fault, line, column).then_some("fault")] {
                                    @if let Some(byte) = chunk.get(column) { (format!("{byte:02x}")) }
                                }
                            }
                            td.text {
                                @for (column, byte) in chunk.iter().enumerate() {
                                    // Each character stands alone, so that no two of them make
                                    // a command of a CI runner.
                                    @if is_fault(fault, line, column) { mark { (shown(*byte)) } }
                                    @else { i { (shown(*byte)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn is_fault(fault: Option<usize>, line: usize, column: usize) -> bool {
    fault == Some(line * COLUMNS + column)
}

fn byte(digits: &[u8]) -> u8 {
    let digit = |at: usize| {
        let digit = digits.get(at).map_or('0', |digit| char::from(*digit));
        digit.to_digit(16).unwrap_or(0) as u8
    };
    digit(0) << 4 | digit(1)
}

fn shown(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '\u{b7}' }
}
