//! `server.json` of the MCP registry: each package is a server that a client could launch. Both
//! spellings are read: `registryType`, and `registry_type` of older files.

use crate::entry::{
    Argument, Arity, Entry, Input, Kind, Need, Secrecy, Setting, Source, Template, Term, Timeouts,
};
use crate::error::Problem;
use crate::launch::fixed;
use crate::tree::{Fault, Node, Text};

/// The packages of an entry, and then its remotes.
pub(super) fn entries(tree: &Node) -> Result<Vec<Entry>, Fault> {
    tree.required("name", Node::text)?;
    let packages = tree.optional("packages", |node, name| node.items(name).map(<[_]>::to_vec))?;
    let remotes = tree.optional("remotes", |node, name| node.items(name).map(<[_]>::to_vec))?;
    let mut entries: Vec<Entry> =
        packages.unwrap_or_default().iter().map(package).collect::<Result<_, _>>()?;
    for remote in remotes.unwrap_or_default() {
        let url = remote.required("url", Node::text)?;
        entries.push(Entry {
            name: url.value,
            place: remote.place,
            kind: Kind::Remote,
            template: Err(not_launched()),
        });
    }
    Ok(entries)
}

fn not_launched() -> Problem {
    Problem::NotLaunchable("the client connects to it; there is nothing to launch".to_owned())
}

/// A member in either spelling.
fn either<'a>(node: &'a Node, camel: &str) -> Option<&'a Node> {
    node.get(camel).or_else(|| {
        let mut snake = String::new();
        for character in camel.chars() {
            if character.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(character.to_ascii_lowercase());
        }
        node.get(&snake)
    })
}

fn text_of(node: &Node, name: &str) -> Result<Option<Text>, Fault> {
    either(node, name).map(|node| node.text(name)).transpose()
}

fn needed(node: &Node, name: &str) -> Result<Text, Fault> {
    text_of(node, name)?.ok_or((node.place, Problem::Missing(name.to_owned())))
}

fn flag(node: &Node, name: &str) -> Result<bool, Fault> {
    Ok(either(node, name).map(|node| node.boolean(name)).transpose()?.unwrap_or(false))
}

fn package(node: &Node) -> Result<Entry, Fault> {
    let registry = needed(node, "registryType")?;
    let identifier = needed(node, "identifier")?;
    let version = text_of(node, "version")?;
    if let Some(version) = version.as_ref().filter(|version| !is_exact(&version.value)) {
        return Err((version.place, Problem::InexactVersion(version.value.clone())));
    }
    let transport = match node.get("transport") {
        Some(transport) => Some(transport.required("type", Node::text)?),
        None => None,
    };
    let entry = |kind, template| Entry {
        name: format!("{}:{}", registry.value, identifier.value),
        place: node.place,
        kind,
        template,
    };
    match transport.as_ref().map(|text| text.value.as_str()) {
        None | Some("stdio") => {}
        Some("streamable-http" | "sse") => {
            let why = "it is launched, but speaks HTTP and not through stdout".to_owned();
            return Ok(entry(Kind::Remote, Err(Problem::NotLaunchable(why))));
        }
        Some(other) => {
            let place = transport.as_ref().map_or(node.place, |text| text.place);
            let (member, value) = ("transport.type".to_owned(), other.to_owned());
            return Err((place, Problem::UnknownValue { member, value }));
        }
    }
    let template = template(node, &registry, &identifier, version.as_ref())?;
    Ok(entry(Kind::Stdio, template))
}

/// One version, and neither a range nor a tag.
fn is_exact(version: &str) -> bool {
    let is_range = |character| matches!(character, '^' | '~' | '>' | '<' | '*' | '=' | '|' | ' ');
    let has_wildcard = version.split('.').any(|part| part.eq_ignore_ascii_case("x"));
    !version.is_empty() && version != "latest" && !version.contains(is_range) && !has_wildcard
}

/// The order is that of the registry: the runtime, its arguments, the package, its arguments.
fn template(
    node: &Node,
    registry: &Text,
    identifier: &Text,
    version: Option<&Text>,
) -> Result<Result<Template, Problem>, Fault> {
    let own = |value: &str| Text { value: value.to_owned(), place: registry.place };
    let named = |separator: &str| Text {
        value: match version {
            Some(version) => format!("{}{separator}{}", identifier.value, version.value),
            None => identifier.value.clone(),
        },
        place: identifier.place,
    };
    let runtime = arguments(node, "runtimeArguments")?;
    let package = arguments(node, "packageArguments")?;
    let env = variables(node)?;
    let hint = text_of(node, "runtimeHint")?;
    let says = |flags: &[&str]| {
        runtime.iter().any(|argument| {
            let words = argument.flag.iter().chain([&argument.value.text]);
            words.into_iter().any(|word| flags.contains(&word.value.as_str()))
        })
    };
    let hinted = |usual: &str| hint.as_ref().is_none_or(|hint| hint.value == usual);
    let mut args = Vec::new();
    let usual = match registry.value.as_str() {
        "npm" => {
            // Without it npx asks on a terminal before it installs.
            if hinted("npx") && !says(&["-y", "--yes"]) {
                args.extend(fixed([own("-y")]));
            }
            args.extend(runtime);
            args.extend(fixed([named("@")]));
            "npx"
        }
        "pypi" => {
            args.extend(runtime);
            args.extend(fixed([named("@")]));
            "uvx"
        }
        "nuget" => {
            args.extend(runtime);
            args.extend(fixed([named("@")]));
            if hinted("dnx") {
                args.extend(fixed([own("--yes"), own("--")]));
            }
            "dnx"
        }
        "oci" => {
            args.extend(fixed([own("run"), own("-i"), own("--rm")]));
            args.extend(runtime);
            // By name alone, so that no value stands in the command line.
            for (name, _) in &env {
                args.extend(fixed([own("-e"), name.clone()]));
            }
            args.extend(fixed([named(":")]));
            "docker"
        }
        "mcpb" => {
            let why = "a bundle is downloaded first; give the .mcpb file itself".to_owned();
            return Ok(Err(Problem::NotLaunchable(why)));
        }
        "cargo" | "go" => {
            let why = format!(
                "{} has no command that fetches and runs a package; install it, and give its command",
                registry.value
            );
            return Ok(Err(Problem::NotLaunchable(why)));
        }
        other => {
            let (member, value) = ("registryType".to_owned(), other.to_owned());
            return Err((registry.place, Problem::UnknownValue { member, value }));
        }
    };
    args.extend(package);
    Ok(Ok(Template {
        program: hint.unwrap_or_else(|| own(usual)).into(),
        args,
        env,
        forwarded: Vec::new(),
        env_file: None,
        cwd: None,
        timeouts: Timeouts::default(),
        inputs: Vec::new(),
        bundle: None,
    }))
}

fn arguments(node: &Node, member: &str) -> Result<Vec<Argument>, Fault> {
    let Some(list) = either(node, member) else { return Ok(Vec::new()) };
    let arguments = list.items(member)?.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
    Ok(arguments.into_iter().flatten().collect())
}

/// None for an argument that the user is not asked for and that has no value.
fn argument(node: &Node) -> Result<Option<Argument>, Fault> {
    let kind = needed(node, "type")?;
    match kind.value.as_str() {
        "positional" => {
            let hint = text_of(node, "valueHint")?;
            let value = value(node, hint.as_ref())?;
            Ok(value.map(|value| Argument { flag: None, value }))
        }
        "named" => {
            let name = needed(node, "name")?;
            match value(node, Some(&name))? {
                Some(value) => Ok(Some(Argument { flag: Some(name), value })),
                // A flag: nothing about it speaks of a value.
                None => Ok(Some(name.into())),
            }
        }
        other => {
            let (member, value) = ("type".to_owned(), other.to_owned());
            Err((kind.place, Problem::UnknownValue { member, value }))
        }
    }
}

/// The value of an argument or a variable: the one written, or one that the user is asked for by
/// the name of `asked`. None if nothing says that there is one.
fn value(node: &Node, asked: Option<&Text>) -> Result<Option<Term>, Fault> {
    let secrecy = Secrecy::new(flag(node, "isSecret")?);
    if let Some(text) = text_of(node, "value")? {
        let inputs = match node.get("variables") {
            Some(variables) => variables
                .members("variables")?
                .iter()
                .map(|member| {
                    let id = Text { value: member.name.clone(), place: member.place };
                    input(&member.node, &id)
                })
                .collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        return Ok(Some(Term { text, inputs, secrecy, source: Source::Written }));
    }
    let speaks =
        ["default", "valueHint", "format", "choices", "placeholder", "isRequired", "isSecret"];
    let has_value = speaks.into_iter().any(|name| either(node, name).is_some());
    let Some(asked) = asked.filter(|_| has_value) else {
        return Ok(None);
    };
    // `--port` is given as `port`.
    let id = Text { value: asked.value.trim_start_matches('-').to_owned(), place: asked.place };
    let source = Source::Asked(input(node, &id)?);
    Ok(Some(Term { text: id, inputs: Vec::new(), secrecy, source }))
}

fn input(node: &Node, id: &Text) -> Result<Input, Fault> {
    let default = match text_of(node, "value")? {
        Some(value) => Some(value),
        None => either(node, "default").map(|node| node.scalar("default")).transpose()?,
    };
    let choices = match either(node, "choices") {
        Some(choices) => choices.texts("choices")?.into_iter().map(|text| text.value).collect(),
        None => Vec::new(),
    };
    Ok(Input {
        id: id.value.clone(),
        place: id.place,
        default: default.map(|text| vec![text.value]),
        choices,
        need: match flag(node, "isRequired")? {
            true => Need::Required,
            false => Need::Optional,
        },
        arity: match flag(node, "isRepeated")? {
            true => Arity::Several,
            false => Arity::One,
        },
        secrecy: Secrecy::new(flag(node, "isSecret")?),
    })
}

fn variables(node: &Node) -> Result<Vec<(Text, Setting)>, Fault> {
    let Some(list) = either(node, "environmentVariables") else { return Ok(Vec::new()) };
    list.items("environmentVariables")?
        .iter()
        .map(|item| {
            let name = needed(item, "name")?;
            let term = match value(item, Some(&name))? {
                Some(term) => term,
                None => Term {
                    text: name.clone(),
                    inputs: Vec::new(),
                    secrecy: Secrecy::Public,
                    source: Source::Asked(input(item, &name)?),
                },
            };
            Ok((name, Setting::Value(term)))
        })
        .collect()
}
