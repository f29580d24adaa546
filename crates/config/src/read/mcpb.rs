//! The manifest of an MCPB bundle (revisions 0.1 to 0.4).

use std::path::{Path, PathBuf};

use crate::entry::{
    Arity, Entry, Input, Kind, Need, Secrecy, Setting, Template, Term, Timeouts, program,
};
use crate::error::Problem;
use crate::launch::fixed;
use crate::tree::{Fault, Member, Node, Text, Value};

/// The overrides that hold here.
const PLATFORM: &str = "linux";

/// The one server of a bundle that is unpacked in `directory`.
pub(super) fn entries(tree: &Node, directory: &Path) -> Result<Vec<Entry>, Fault> {
    // The first revisions called it `dxt_version`.
    if tree.get("dxt_version").is_none() {
        tree.required("manifest_version", Node::text)?;
    }
    let name = tree.required("name", Node::text)?;
    let server =
        tree.required("server", |node, member| node.members(member).map(|_| node.clone()))?;
    let template = template(tree, &server, directory)?;
    Ok(vec![Entry {
        name: name.value,
        place: server.place,
        kind: Kind::Stdio,
        template: Ok(template),
    }])
}

fn template(tree: &Node, server: &Node, directory: &Path) -> Result<Template, Fault> {
    let kind = server.required("type", Node::text)?;
    let config = server.get("mcp_config");
    let inputs = tree.optional("user_config", inputs)?.unwrap_or_default();
    let bundle = Some(match directory.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => directory.to_owned(),
    });
    let blank = Template {
        program: Term::from(kind.clone()),
        args: Vec::new(),
        env: Vec::new(),
        forwarded: Vec::new(),
        env_file: None,
        cwd: None,
        timeouts: Timeouts::default(),
        inputs,
        bundle,
    };
    match (kind.value.as_str(), config) {
        ("node" | "python" | "binary" | "uv", Some(config)) => {
            let chosen = |member: &str| {
                let overrides = config.get("platform_overrides").and_then(|all| all.get(PLATFORM));
                // An override takes the place of the whole member.
                match overrides {
                    Some(node) if node.get(member).is_some() => node,
                    _ => config,
                }
            };
            let command = chosen("command").required("command", Node::text)?;
            let args = chosen("args").optional("args", Node::texts)?.unwrap_or_default();
            let env = chosen("env").optional("env", variables)?.unwrap_or_default();
            Ok(Template { program: program(command)?.into(), args: fixed(args), env, ..blank })
        }
        // The host runs a project of uv by itself when the manifest does not say how.
        ("uv", None) => {
            let entry = server.required("entry_point", Node::text)?;
            let text = |value: &str| Text { value: value.to_owned(), place: entry.place };
            let args = [text("run"), text("--directory"), text("${__dirname}"), entry.clone()];
            Ok(Template { program: text("uv").into(), args: fixed(args), ..blank })
        }
        ("node" | "python" | "binary", None) => {
            Err((server.place, Problem::Missing("mcp_config".to_owned())))
        }
        (other, _) => {
            let member = "server.type".to_owned();
            Err((kind.place, Problem::UnknownValue { member, value: other.to_owned() }))
        }
    }
}

fn variables(node: &Node, name: &str) -> Result<Vec<(Text, Setting)>, Fault> {
    let setting = |member: &Member| {
        let value = member.node.text(&format!("{name}.{}", member.name))?;
        let name = Text { value: member.name.clone(), place: member.place };
        Ok((name, Setting::Value(value.into())))
    };
    node.members(name)?.iter().map(setting).collect()
}

fn inputs(node: &Node, name: &str) -> Result<Vec<Input>, Fault> {
    let input = |member: &Member| {
        let node = &member.node;
        let kind = node.required("type", Node::text)?;
        if !["string", "number", "boolean", "directory", "file"].contains(&kind.value.as_str()) {
            let member = format!("user_config.{}.type", member.name);
            return Err((kind.place, Problem::UnknownValue { member, value: kind.value }));
        }
        Ok(Input {
            id: member.name.clone(),
            place: member.place,
            default: node.optional("default", defaults)?,
            choices: Vec::new(),
            need: match node.is_set("required")? {
                true => Need::Required,
                false => Need::Optional,
            },
            arity: match node.is_set("multiple")? {
                true => Arity::Several,
                false => Arity::One,
            },
            secrecy: Secrecy::new(node.is_set("sensitive")?),
        })
    };
    node.members(name)?.iter().map(input).collect()
}

/// A value, or a list of them.
fn defaults(node: &Node, name: &str) -> Result<Vec<String>, Fault> {
    match &node.value {
        Value::Array(items) => {
            items.iter().map(|item| item.scalar(name).map(|text| text.value)).collect()
        }
        _ => Ok(vec![node.scalar(name)?.value]),
    }
}
