//! The files of clients: one reader, and a table of what differs between them.

use std::time::Duration;

use crate::entry::{
    Argument, Arity, Entry, Input, Kind, Need, Secrecy, Setting, Template, Term, Timeouts, program,
};
use crate::error::Problem;
use crate::format::Format;
use crate::launch::fixed;
use crate::tree::{Fault, Member, Node, Text, Value};

/// What differs between the files of clients.
struct Layout {
    /// The member that holds the servers.
    root: &'static str,
    command: Command,
    /// The member that holds the variables.
    variables: &'static str,
    values: Values,
    /// The member that names variables to pass on.
    forwarded: Option<&'static str>,
    switch: Switch,
    /// The member that names a file of variables.
    env_file: Option<&'static str>,
    timeouts: &'static [(&'static str, Unit, Waits)],
}

/// How a command is written.
enum Command {
    /// `command`, and `args` beside it.
    Program,
    /// As `Program`; or `command` is an object of `path`, `args` and `env`.
    ProgramOrObject,
    /// `command` is the whole line, one argument an item.
    Line,
}

/// What a variable can be set to.
enum Values {
    Texts,
    /// A string, a number, or null to take it away.
    TextsNumbersAndNull,
}

/// How a server is switched off.
enum Switch {
    None,
    /// `disabled: true`.
    Disabled,
    /// `enabled: false`.
    Enabled,
}

#[derive(Clone, Copy)]
enum Unit {
    Seconds,
    Milliseconds,
}

#[derive(Clone, Copy)]
enum Waits {
    Startup,
    Reply,
}

const PLAIN: Layout = Layout {
    root: "mcpServers",
    command: Command::Program,
    variables: "env",
    values: Values::Texts,
    forwarded: None,
    switch: Switch::None,
    env_file: None,
    timeouts: &[],
};

fn layout(format: Format) -> Layout {
    match format {
        Format::ClaudeDesktop | Format::ClaudeCode | Format::Mcpb | Format::Registry => PLAIN,
        Format::VsCode => Layout {
            root: "servers",
            values: Values::TextsNumbersAndNull,
            env_file: Some("envFile"),
            ..PLAIN
        },
        Format::Cursor => Layout { env_file: Some("envFile"), ..PLAIN },
        Format::Windsurf => Layout { switch: Switch::Disabled, ..PLAIN },
        Format::Zed => Layout {
            root: "context_servers",
            command: Command::ProgramOrObject,
            switch: Switch::Enabled,
            ..PLAIN
        },
        Format::Codex => Layout {
            root: "mcp_servers",
            forwarded: Some("env_vars"),
            switch: Switch::Enabled,
            timeouts: &[
                ("startup_timeout_sec", Unit::Seconds, Waits::Startup),
                ("startup_timeout_ms", Unit::Milliseconds, Waits::Startup),
                ("tool_timeout_sec", Unit::Seconds, Waits::Reply),
            ],
            ..PLAIN
        },
        Format::Opencode => Layout {
            root: "mcp",
            command: Command::Line,
            variables: "environment",
            switch: Switch::Enabled,
            timeouts: &[("timeout", Unit::Milliseconds, Waits::Reply)],
            ..PLAIN
        },
        Format::Gemini => {
            Layout { timeouts: &[("timeout", Unit::Milliseconds, Waits::Reply)], ..PLAIN }
        }
        Format::Inspector => Layout {
            timeouts: &[
                ("connectionTimeout", Unit::Milliseconds, Waits::Startup),
                ("requestTimeout", Unit::Milliseconds, Waits::Reply),
            ],
            ..PLAIN
        },
    }
}

/// The servers of a client's file.
pub(super) fn entries(tree: &Node, format: Format) -> Result<Vec<Entry>, Fault> {
    let layout = layout(format);
    let servers = tree.required(layout.root, |node, name| node.members(name).map(<[_]>::to_vec))?;
    let inputs = match format {
        Format::VsCode => tree.optional("inputs", inputs)?.unwrap_or_default(),
        _ => Vec::new(),
    };
    let lists = match format {
        Format::Gemini => Lists::of(tree)?,
        _ => Lists::default(),
    };
    servers.iter().map(|server| entry(server, &layout, &inputs, &lists)).collect()
}

fn entry(
    server: &Member,
    layout: &Layout,
    inputs: &[Input],
    lists: &Lists,
) -> Result<Entry, Fault> {
    let node = &server.node;
    node.members(&server.name)?;
    let entry =
        |kind, template| Entry { name: server.name.clone(), place: server.place, kind, template };
    if is_remote(node)? {
        let why = "the client connects to it; there is nothing to launch";
        return Ok(entry(Kind::Remote, Err(Problem::NotLaunchable(why.to_owned()))));
    }
    let off = match layout.switch {
        Switch::None => false,
        Switch::Disabled => node.is_set("disabled")?,
        Switch::Enabled => !node.optional("enabled", Node::boolean)?.unwrap_or(true),
    };
    let kind = match off || lists.leave_out(&server.name) {
        true => Kind::Disabled,
        false => Kind::Stdio,
    };
    Ok(entry(kind, Ok(template(node, layout, inputs)?)))
}

/// By its `type`, or because it has an address.
fn is_remote(node: &Node) -> Result<bool, Fault> {
    let kind = node.optional("type", Node::text)?;
    let has_address =
        ["url", "serverUrl", "httpUrl"].into_iter().any(|name| node.get(name).is_some());
    match kind.as_ref().map(|text| text.value.as_str()) {
        None => Ok(has_address && node.get("command").is_none()),
        Some("stdio" | "local") => Ok(false),
        Some("http" | "sse" | "streamable-http" | "streamableHttp" | "ws" | "remote") => Ok(true),
        Some(other) => {
            let place = kind.as_ref().map_or(node.place, |text| text.place);
            let value = other.to_owned();
            Err((place, Problem::UnknownValue { member: "type".to_owned(), value }))
        }
    }
}

fn template(node: &Node, layout: &Layout, inputs: &[Input]) -> Result<Template, Fault> {
    let (command, args, variables) = command(node, layout)?;
    let mut timeouts = Timeouts::default();
    for (name, unit, waits) in layout.timeouts {
        let Some(amount) = node.optional(name, Node::amount)? else { continue };
        let seconds = match unit {
            Unit::Seconds => amount,
            Unit::Milliseconds => amount / 1000.0,
        };
        let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        match waits {
            Waits::Startup => timeouts.startup = time,
            Waits::Reply => timeouts.reply = time,
        }
    }
    let text_of = |name: &str| node.optional(name, Node::text).map(|text| text.map(Term::from));
    Ok(Template {
        program: program(command)?.into(),
        args,
        env: variables,
        forwarded: match layout.forwarded {
            Some(name) => node.optional(name, forwarded)?.unwrap_or_default(),
            None => Vec::new(),
        },
        env_file: layout.env_file.map(text_of).transpose()?.flatten(),
        cwd: text_of("cwd")?,
        timeouts,
        inputs: inputs.to_vec(),
        bundle: None,
    })
}

type Parts = (Text, Vec<Argument>, Vec<(Text, Setting)>);

fn command(node: &Node, layout: &Layout) -> Result<Parts, Fault> {
    let arguments = |node: &Node| node.optional("args", Node::texts).map(Option::unwrap_or_default);
    let of = |node: &Node| {
        let read = |node: &Node, name: &str| variables(node, name, &layout.values);
        node.optional(layout.variables, read).map(Option::unwrap_or_default)
    };
    match (&layout.command, node.get("command").map(|command| &command.value)) {
        (Command::Line, _) => {
            let line = node.required("command", |node, name| {
                let texts = node.texts(name)?;
                if texts.is_empty() {
                    return Err((node.place, Problem::Empty(name.to_owned())));
                }
                Ok(texts)
            })?;
            let mut line = line.into_iter();
            let first = line.next().expect("it is not empty");
            Ok((first, fixed(line), of(node)?))
        }
        (Command::ProgramOrObject, Some(Value::Object(_))) => {
            let inner = node.get("command").expect("it is there");
            Ok((inner.required("path", Node::text)?, fixed(arguments(inner)?), of(inner)?))
        }
        (Command::Program | Command::ProgramOrObject, _) => {
            Ok((node.required("command", Node::text)?, fixed(arguments(node)?), of(node)?))
        }
    }
}

fn variables(node: &Node, name: &str, values: &Values) -> Result<Vec<(Text, Setting)>, Fault> {
    // Clients write `"env": null` for an empty one.
    if node.value == Value::Null {
        return Ok(Vec::new());
    }
    let members = node.members(name)?;
    let setting = |member: &Member| {
        let path = format!("{name}.{}", member.name);
        let setting = match (values, &member.node.value) {
            (Values::TextsNumbersAndNull, Value::Null) => Setting::Removed,
            (Values::TextsNumbersAndNull, Value::Number(_)) => {
                Setting::Value(member.node.scalar(&path)?.into())
            }
            _ => Setting::Value(member.node.text(&path)?.into()),
        };
        Ok((Text { value: member.name.clone(), place: member.place }, setting))
    };
    members.iter().map(setting).collect()
}

/// Names of variables, each a string or an object with a `name`.
fn forwarded(node: &Node, member: &str) -> Result<Vec<Text>, Fault> {
    node.items(member)?
        .iter()
        .map(|item| match &item.value {
            Value::Object(_) => item.required("name", Node::text),
            _ => item.text(&format!("{member}[]")),
        })
        .collect()
}

/// The `inputs` of VS Code.
fn inputs(node: &Node, member: &str) -> Result<Vec<Input>, Fault> {
    node.items(member)?
        .iter()
        .map(|item| {
            let id = item.required("id", Node::text)?;
            let kind = item.required("type", Node::text)?;
            let choices = match kind.value.as_str() {
                "promptString" | "command" => Vec::new(),
                "pickString" => item.required("options", options)?,
                _ => {
                    let member = "inputs[].type".to_owned();
                    return Err((kind.place, Problem::UnknownValue { member, value: kind.value }));
                }
            };
            let default = item.optional("default", Node::text)?.map(|text| vec![text.value]);
            Ok(Input {
                id: id.value,
                place: id.place,
                default,
                choices,
                need: Need::Optional,
                arity: Arity::One,
                secrecy: Secrecy::new(item.is_set("password")?),
            })
        })
        .collect()
}

/// The choices of an input, each a string or an object with a `value`.
fn options(node: &Node, member: &str) -> Result<Vec<String>, Fault> {
    node.items(member)?
        .iter()
        .map(|item| match &item.value {
            Value::Object(_) => item.required("value", Node::text).map(|text| text.value),
            _ => item.text(&format!("{member}[]")).map(|text| text.value),
        })
        .collect()
}

/// The lists by which Gemini CLI leaves out servers.
#[derive(Default)]
struct Lists {
    allowed: Option<Vec<Text>>,
    excluded: Vec<Text>,
}

impl Lists {
    fn of(tree: &Node) -> Result<Self, Fault> {
        let Some(node) = tree.get("mcp") else { return Ok(Self::default()) };
        Ok(Self {
            allowed: node.optional("allowed", Node::texts)?,
            excluded: node.optional("excluded", Node::texts)?.unwrap_or_default(),
        })
    }

    fn leave_out(&self, name: &str) -> bool {
        let has = |list: &[Text]| list.iter().any(|text| text.value == name);
        has(&self.excluded) || self.allowed.as_ref().is_some_and(|allowed| !has(allowed))
    }
}
