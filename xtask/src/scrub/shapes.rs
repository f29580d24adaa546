//! Mail addresses, home directories, private hosts, and the names of users.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Kind;

type Hit = (Range<usize>, Kind);

/// Names in home directories that are nobody's.
const NOBODY: &[&str] = &[
    "user",
    "username",
    "users",
    "name",
    "you",
    "your-name",
    "me",
    "runner",
    "app",
    "node",
    "root",
    "admin",
    "test",
    "dev",
    "guest",
    "shared",
    "default",
    "public",
    "vscode",
    "ubuntu",
];

/// Endings of private host names.
const PRIVATE: &[&str] = &["local", "lan", "internal", "intranet", "corp", "home", "localdomain"];

/// Hosts with such an ending that every machine knows.
const COMMON: &[&str] =
    &["localhost.localdomain", "host.docker.internal", "metadata.google.internal"];

/// Domains in which nobody has an address.
const RESERVED: &[&str] =
    &["example.com", "example.org", "example.net", "example", "invalid", "test"];

/// Users of mail-like addresses that are no person.
const NO_PERSON: &[&str] = &["git", "noreply", "no-reply"];

/// Variables that hold the user's name.
const VARIABLES: &[&str] = &["USER=", "USERNAME=", "LOGNAME="];

/// The shortest name that is looked for outside paths: shorter ones are parts of every text.
const MIN_NAME_BYTES: usize = 3;

/// Everything found, in no order, perhaps overlapping.
pub(super) fn hits(bytes: &[u8]) -> Vec<Hit> {
    let mut hits = emails(bytes);
    hits.extend(hosts(bytes));
    let homes = homes(bytes);
    let variables = variables(bytes);
    let names: BTreeSet<&[u8]> = homes
        .iter()
        .chain(&variables)
        .map(|(range, _)| &bytes[range.clone()])
        .filter(|name| name.len() >= MIN_NAME_BYTES)
        .collect();
    for name in names {
        let places = occurrences(bytes, name).filter(|range| is_word(bytes, range));
        hits.extend(places.map(|range| (range, Kind::UserName)));
    }
    // A name in a path is a path first: of two hits in one place the first one counts.
    homes.into_iter().chain(variables).chain(hits).collect()
}

fn occurrences<'a>(bytes: &'a [u8], needle: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    let len = needle.len();
    let windows = bytes.windows(len.max(1)).enumerate();
    windows.filter(move |(_, window)| *window == needle).map(move |(at, _)| at..at + len)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-') || !byte.is_ascii()
}

fn is_word(bytes: &[u8], range: &Range<usize>) -> bool {
    !joins(bytes, range.start.checked_sub(1)) && !joins(bytes, Some(range.end))
}

/// Whether the byte at an offset makes one word with its neighbour.
fn joins(bytes: &[u8], at: Option<usize>) -> bool {
    let byte = at.and_then(|at| bytes.get(at));
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// The longest run of such bytes that begins at an offset.
fn run(bytes: &[u8], start: usize, kind: impl Fn(u8) -> bool) -> Range<usize> {
    start..start + bytes[start..].iter().take_while(|byte| kind(**byte)).count()
}

/// The longest run of such bytes that ends at an offset.
fn run_back(bytes: &[u8], end: usize, kind: impl Fn(u8) -> bool) -> Range<usize> {
    end - bytes[..end].iter().rev().take_while(|byte| kind(**byte)).count()..end
}

fn text(bytes: &[u8], range: Range<usize>) -> &str {
    std::str::from_utf8(&bytes[range]).unwrap_or_default()
}

fn emails(bytes: &[u8]) -> Vec<Hit> {
    let user = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte);
    let domain = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let mut hits = Vec::new();
    for at in occurrences(bytes, b"@").map(|range| range.start) {
        let user = run_back(bytes, at, user);
        let mut domain = run(bytes, at + 1, domain);
        // A full stop at the end is the sentence's.
        domain.end -= text(bytes, domain.clone()).len()
            - text(bytes, domain.clone()).trim_end_matches(['.', '-']).len();
        let (name, host) = (text(bytes, user.clone()), text(bytes, domain.clone()));
        let top = host.rsplit_once('.').map_or("", |(_, top)| top);
        let real = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
        let reserved = RESERVED.iter().any(|suffix| {
            host.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        if !user.is_empty() && real && !reserved && !NO_PERSON.contains(&name) {
            hits.push((user.start..domain.end, Kind::Email));
        }
    }
    hits
}

/// `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`, and the last two with JSON's escapes: the name.
fn homes(bytes: &[u8]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for directory in ["home", "Users"] {
        for place in occurrences(bytes, directory.as_bytes()) {
            let Some(separator) = ["\\\\", "\\/", "/", "\\"]
                .into_iter()
                .find(|separator| bytes[place.end..].starts_with(separator.as_bytes()))
            else {
                continue;
            };
            if !bytes[..place.start].ends_with(separator.as_bytes()) || in_url(bytes, place.start) {
                continue;
            }
            let name = run(bytes, place.end + separator.len(), is_name_byte);
            let known = text(bytes, name.clone()).to_ascii_lowercase();
            if !name.is_empty() && !NOBODY.contains(&known.as_str()) {
                hits.push((name, Kind::HomePath));
            }
        }
    }
    hits
}

/// Whether an offset lies in the URL of something that is not a file of this machine.
fn in_url(bytes: &[u8], at: usize) -> bool {
    let before = run_back(bytes, at, |byte| {
        !byte.is_ascii_whitespace() && !b"\"'`<>()[]{},".contains(&byte)
    });
    let before = &bytes[before];
    let scheme = before.windows(3).position(|window| window == b"://");
    scheme.is_some_and(|scheme| !before[..scheme].ends_with(b"file"))
}

fn variables(bytes: &[u8]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for variable in VARIABLES {
        for place in occurrences(bytes, variable.as_bytes()) {
            let name = run(bytes, place.end, is_name_byte);
            let known = text(bytes, name.clone()).to_ascii_lowercase();
            if !joins(bytes, place.start.checked_sub(1))
                && !name.is_empty()
                && !NOBODY.contains(&known.as_str())
            {
                hits.push((name, Kind::UserName));
            }
        }
    }
    hits
}

/// Names and addresses of private networks.
fn hosts(bytes: &[u8]) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let word = run(bytes, at, |byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
        at = word.end + 1;
        let trimmed = text(bytes, word.clone()).trim_end_matches('.');
        let private = match trimmed.rsplit_once('.') {
            Some((name, top)) => {
                let lower = trimmed.to_ascii_lowercase();
                PRIVATE.contains(&top)
                    && !name.is_empty()
                    && !name.starts_with('.')
                    && !COMMON.contains(&lower.as_str())
            }
            None => false,
        };
        if private || is_private_address(trimmed) {
            hits.push((word.start..word.start + trimmed.len(), Kind::HostName));
        }
    }
    hits
}

fn is_private_address(word: &str) -> bool {
    word.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_private())
}
