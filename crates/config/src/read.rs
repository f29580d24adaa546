//! From the text of a file to its entries.

mod client;
mod mcpb;
mod registry;

use std::fs;
use std::path::Path;

use crate::archive::{Limits, unpack};
use crate::entry::File;
use crate::error::{ConfigError, Place, Problem};
use crate::format::Format;
use crate::tree::{Comments, Fault, Node, parse_json, parse_toml};

/// Reads a file. `format` says whose it is; None leaves that to its name and its members.
///
/// # Errors
///
/// If it cannot be read, breaks the grammar of its format, or says something that its client
/// refuses: the place and the reason of the first such thing.
pub fn read(path: &Path, format: Option<Format>) -> Result<File, ConfigError> {
    let error = |place, problem| ConfigError { file: path.to_owned(), place, problem };
    let bytes = fs::read(path).map_err(|why| error(None, Problem::Unreadable(why.to_string())))?;
    let text = String::from_utf8(bytes).map_err(|why| {
        let valid = why.utf8_error().valid_up_to();
        let before = std::str::from_utf8(&why.as_bytes()[..valid]).unwrap_or_default();
        error(Some(Place::of(before, valid)), Problem::NotUtf8)
    })?;
    let at = |(place, problem): Fault| error(Some(place), problem);
    let (tree, format) = parse(path, &text, format).map_err(at)?;
    let format = format.ok_or_else(|| error(None, Problem::UnknownFormat))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let entries = match format {
        Format::Mcpb => mcpb::entries(&tree, directory).map_err(at)?,
        Format::Registry => registry::entries(&tree).map_err(at)?,
        client => client::entries(&tree, client).map_err(at)?,
    };
    if entries.is_empty() {
        return Err(error(None, Problem::NoServers));
    }
    Ok(File { path: path.to_owned(), format, entries })
}

/// Unpacks an `.mcpb` bundle into an empty directory, and reads its manifest there. Places are
/// those of the manifest; the file is the bundle.
///
/// # Errors
///
/// If the bundle is refused, or its manifest is.
pub fn read_bundle(bundle: &Path, directory: &Path, limits: Limits) -> Result<File, ConfigError> {
    unpack(bundle, directory, limits).map_err(|error| ConfigError {
        file: bundle.to_owned(),
        place: None,
        problem: Problem::Refused(error.to_string()),
    })?;
    let file = read(&directory.join("manifest.json"), Some(Format::Mcpb))
        .map_err(|error| ConfigError { file: bundle.join("manifest.json"), ..error })?;
    Ok(File { path: bundle.to_owned(), ..file })
}

fn parse(path: &Path, text: &str, format: Option<Format>) -> Result<(Node, Option<Format>), Fault> {
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    if format.map_or(is_toml, |format| format == Format::Codex) {
        return Ok((parse_toml(text)?, Some(Format::Codex)));
    }
    // The members say whose file it is, and that says whether it may have comments.
    let tree = parse_json(text, Comments::Allowed)?;
    let members: Vec<&str> = match tree.members("the file") {
        Ok(members) => members.iter().map(|member| member.name.as_str()).collect(),
        Err(fault) => return Err(fault),
    };
    let format = format.or_else(|| Format::guess(path, &members));
    if format.is_some_and(|format| comments(format) == Comments::Refused) {
        parse_json(text, Comments::Refused)?;
    }
    Ok((tree, format))
}

/// Whether the client takes comments. Where its documentation does not say, they are let pass:
/// what would be launched is plain either way.
fn comments(format: Format) -> Comments {
    match format {
        Format::VsCode
        | Format::Cursor
        | Format::Windsurf
        | Format::Zed
        | Format::Codex
        | Format::Opencode
        | Format::Gemini => Comments::Allowed,
        Format::ClaudeDesktop
        | Format::ClaudeCode
        | Format::Inspector
        | Format::Mcpb
        | Format::Registry => Comments::Refused,
    }
}
