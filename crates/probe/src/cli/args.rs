//! The command line: what can be asked for, and how it is refused.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use corpus::Family;
use inspect::{RuleSet, Setting};
use model::{ProtocolVersion, RuleId};
use report::{Format, UnknownFormat};

use crate::judge::SheetFormat;

/// Proves that an MCP server's stdout carries nothing but valid, UTF-8, newline-delimited MCP
/// messages.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-stdio-probe",
    version,
    after_help = "Exit status: 0 valid · 1 violation · 2 usage or configuration · 3 could not launch · \
                  4 inconclusive otherwise · 70 internal fault"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Launch a server as a client would, and judge every byte of its stdout
    Run(Box<RunArguments>),
    /// Judge a recorded stdout, or a directory made by `run --record`
    Check(CheckArguments),
    /// Stand between a client and a server: pass everything on unchanged, and judge it on the way
    Tap(TapArguments),
    /// Show with two built-in servers that the probe works
    Demo(DemoArguments),
    /// Prove that the probe still fails when it must, with the corpus's cases or with a server of
    /// yours, corrupted in every known way
    SelfTest(SelfTestArguments),
    /// Be the server of a case: a negative control for any client or harness
    Play(PlayArguments),
    /// Grade another detector, client or test tool by the corpus
    Judge(Box<JudgeArguments>),
    /// List the rules
    Rules,
    /// Explain a rule
    Explain {
        /// The rule's id
        #[arg(value_parser = parse_rule)]
        rule: RuleId,
    },
    /// Be the parent of a detector that is judged
    #[command(name = "__detector", hide = true)]
    Detector(DetectorArguments),
    /// Be one of the servers of `demo`
    #[command(name = "__demo-server", hide = true)]
    DemoServer {
        /// Which one
        server: DemoServer,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PlayArguments {
    /// List the cases with what must be found in them, and those that no process can play
    #[arg(long, conflicts_with = "case")]
    pub(crate) list: bool,
    /// How to list them
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "list")]
    pub(crate) list_format: ListFormat,
    /// List the operators, with what they do
    #[arg(long, conflicts_with_all = ["case", "list"])]
    pub(crate) list_operators: bool,
    /// Run the server after `--`, and corrupt what it writes in the way of this operator
    #[arg(long, value_name = "OPERATOR", conflicts_with = "case", requires = "server")]
    pub(crate) mutate: Option<String>,
    /// A recording of the untouched session, made by `run --record`
    #[arg(long, value_name = "DIR", requires = "mutate")]
    pub(crate) recording: Option<PathBuf>,
    /// Where to tell what must be found
    #[arg(long, value_name = "FILE", requires = "mutate", hide = true)]
    pub(crate) promise: Option<PathBuf>,
    /// The case's id
    #[arg(required_unless_present_any = ["list", "list_operators", "mutate", "end_by"])]
    pub(crate) case: Option<String>,
    /// Be one of the processes that the server of the case leaves behind
    #[arg(long, hide = true)]
    pub(crate) left: Option<u32>,
    /// End by this signal
    #[arg(long, hide = true)]
    pub(crate) end_by: Option<i32>,
    /// Outlive the client, if that is what the server of the case does: whoever asks for it
    /// ends what is left
    #[arg(long, hide = true)]
    pub(crate) stay: bool,
    /// Note in this file how far the client came
    #[arg(long, hide = true)]
    pub(crate) trace: Option<PathBuf>,
    /// The server's command and its arguments, for --mutate
    #[arg(last = true, num_args = 1.., requires = "mutate", value_name = "COMMAND")]
    pub(crate) server: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    /// A profile that comes with the command, or the file of one
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) profile: Option<String>,
    /// List the profiles that come with the command
    #[arg(long)]
    pub(crate) list_profiles: bool,
    /// Give the recorded bytes on the detector's standard input instead of a server
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Ask only this case (repeatable)
    #[arg(long = "case", value_name = "ID")]
    pub(crate) cases: Vec<String>,
    /// Ask only the cases of this rule, or of `valid-stdout` (repeatable)
    #[arg(long = "rule", value_name = "RULE|valid-stdout", value_parser = parse_classification)]
    pub(crate) rules: Vec<String>,
    /// Ask only the cases with this tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Ask only the cases of this family (repeatable)
    #[arg(long = "family", value_name = "FAMILY", value_parser = parse_family)]
    pub(crate) families: Vec<Family>,
    /// Seconds for one case [default: the profile's, or 30]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Cases asked at the same time [default: the number of cores]
    #[arg(long, value_name = "COUNT")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// What the detector's output says where it names the fault of a rule (repeatable; `*` is
    /// every rule)
    #[arg(long = "reason", value_name = "RULE=REGEX", value_parser = parse_reason)]
    pub(crate) reasons: Vec<(String, String)>,
    /// How to show the grades
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: SheetFormat,
    /// The detector's command, with {server}, {config} or {case} in it; after a profile's
    /// command, more arguments for it
    #[arg(last = true, value_name = "DETECTOR")]
    pub(crate) detector: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct DetectorArguments {
    #[arg(long)]
    pub(crate) timeout_ms: u64,
    #[arg(long)]
    pub(crate) stdin: Option<PathBuf>,
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct SelfTestArguments {
    /// Set an environment variable of the server (repeatable)
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE", requires = "server")]
    pub(crate) env: Vec<OsString>,
    /// The server's command and its arguments; without it the corpus's cases are played
    #[arg(last = true, num_args = 1.., value_name = "COMMAND")]
    pub(crate) server: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DemoServer {
    Clean,
    Banner,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Set an environment variable of the server (repeatable)
    // Read later: an error of clap's would repeat what may be a secret.
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE")]
    pub(crate) env: Vec<OsString>,
    /// Pass PATH only, instead of the variables that client SDKs pass
    #[arg(long, conflicts_with = "inherit_env")]
    pub(crate) env_minimal: bool,
    /// Pass the whole environment
    #[arg(long)]
    pub(crate) inherit_env: bool,
    /// The server's working directory; `temp` is an empty temporary one
    #[arg(long, value_name = "DIR|temp")]
    pub(crate) cwd: Option<PathBuf>,
    /// Run this command too, which is the server's own, without its launcher; the report says who
    /// of the two wrote what is no message. Split into words as a shell would; none is involved
    #[arg(long, value_name = "COMMAND", conflicts_with = "record")]
    pub(crate) compare_command: Option<String>,
    /// Run this command once, before the server, and tell in the report what it prints, such as
    /// `node --version`: at most 4 KiB and 5 s, never taken for output of the server
    #[arg(long, value_name = "COMMAND")]
    pub(crate) version_cmd: Option<String>,
    /// Run the server in a namespace of users, processes and mounts of its own, if the system
    /// allows that; the report says whether it did
    #[arg(long)]
    pub(crate) isolate: bool,
    /// Call a tool with JSON arguments (repeatable)
    #[arg(long = "call", value_name = "TOOL=JSON")]
    pub(crate) calls: Vec<String>,
    /// Also call every tool that says it only reads, if its arguments can be made from its schema
    #[arg(long)]
    pub(crate) call_all_safe: bool,
    /// What the client side does: the name of a built-in scenario, or a file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) scenario: Option<PathBuf>,
    /// A text that the server logs: stderr must hold it, and stdout must not
    #[arg(long, value_name = "TEXT")]
    pub(crate) canary: Option<String>,
    /// Give the text to the server in this variable
    #[arg(long, value_name = "NAME", requires = "canary")]
    pub(crate) canary_env: Option<OsString>,
    /// How many sessions: one, or all that faults need which one session does not show
    #[arg(long, value_name = "PROFILE", default_value = "quick", conflicts_with_all = ["scenario", "record"])]
    pub(crate) profile: Profile,
    /// In the full profile, one more session with this variable; those with one name are one
    /// session (repeatable)
    #[arg(long, value_name = "NAME:VARIABLE=VALUE")]
    pub(crate) vary: Vec<OsString>,
    /// In the full profile, one more session in which a line is no message
    #[arg(long)]
    pub(crate) malformed_line: bool,
    /// Seconds from the launch to the first reply
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    pub(crate) startup_timeout: Duration,
    /// Seconds from a request to its reply; notifications do not extend it
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    pub(crate) reply_timeout: Duration,
    /// Seconds for each step of the shutdown ladder
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    pub(crate) shutdown_timeout: Duration,
    /// Seconds for the whole session before its shutdown [default: 60, or more if the other
    /// deadlines need it]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) total_timeout: Option<Duration>,
    /// Keep the raw transcript in a new directory, in the form that `check` reads
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The server's command and its arguments, or the arguments of a package's command; no shell
    /// is involved
    #[arg(last = true, num_args = 1.., value_name = "COMMAND")]
    pub(crate) server: Vec<OsString>,
}

/// What is launched, if not a command.
#[derive(Debug, Args)]
pub(crate) struct SourceArguments {
    /// Launch the servers of a client's configuration file, a registry entry or an `.mcpb` bundle
    /// (repeatable) [default, without a command: the project files found here]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Whose file it is, where its name does not tell
    #[arg(long, value_name = "FORMAT", value_parser = parse_config_format)]
    pub(crate) config_format: Option<config::Format>,
    /// Only this server of the configuration (repeatable) [default: all that its client would
    /// launch]
    #[arg(long = "server", value_name = "NAME")]
    pub(crate) servers: Vec<String>,
    /// The value of an input that the configuration asks for (repeatable)
    // Read later: an error of clap's would repeat what may be a secret.
    #[arg(long = "input", value_name = "ID=VALUE")]
    pub(crate) inputs: Vec<OsString>,
    /// What to do with a reference that cannot be resolved: refuse it, or do as the client does
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub(crate) expand: Expand,
    /// Show what would be launched, and launch nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// How many servers are probed at the same time [default: one a processor]
    #[arg(long, value_name = "NUMBER", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    /// Install a package into a temporary prefix and launch its command: `npm:`, `pypi:` or
    /// `cargo:` and NAME[@VERSION], or a local .tgz, wheel, sdist or directory
    #[arg(long, value_name = "PACKAGE", conflicts_with_all = ["config", "servers", "list"])]
    pub(crate) package: Option<String>,
    /// Which of the package's commands
    #[arg(long, value_name = "NAME", requires = "package")]
    pub(crate) bin: Option<String>,
    /// Probe the package also through its ecosystem's launcher (npx, uvx), to tell its noise from
    /// the server's
    #[arg(long, requires = "package")]
    pub(crate) launcher: bool,
    /// Seconds for each step of the installation
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_seconds)]
    pub(crate) install_timeout: Duration,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Expand {
    Strict,
    Client,
}

/// How many sessions a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    Quick,
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// How many are judged at the same time [default: one a processor]
    #[arg(long, value_name = "NUMBER", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    /// Recorded stdouts, `-` for standard input, or directories made by `run --record`
    #[arg(value_name = "FILE|-|DIR", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TapArguments {
    /// Write a line of JSON for each frame of both directions: number, time, length, id, method
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Show the text of each frame on stderr, messages and all else alike, escaped
    #[arg(long)]
    pub(crate) view: bool,
    /// Keep the raw session in a new directory, in the form that `check` and `new-incident` read
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// The server's command and its arguments; no shell is involved
    #[arg(last = true, required = true, num_args = 1.., value_name = "COMMAND")]
    pub(crate) server: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// When to colour the reports
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Args)]
pub(crate) struct JudgingArguments {
    /// The protocol revision to ask for, or by which to judge a recording; `auto` asks the server
    /// for its era first, in a process of its own
    #[arg(long, value_name = "REVISION|auto", value_parser = parse_protocol)]
    pub(crate) protocol: Option<Asked>,
    /// Fail on a rule that is advice, or on all of them (`--deny advice`)
    #[arg(long, value_name = "RULE|advice", value_parser = parse_denial)]
    pub(crate) deny: Vec<Denial>,
    /// Report a rule as advice instead of failing on it
    #[arg(long, value_name = "RULE", value_parser = parse_rule)]
    pub(crate) allow: Vec<RuleId>,
    /// The largest frame that is read [default: 67108864]
    #[arg(long, value_name = "BYTES", value_parser = parse_frame_bytes)]
    pub(crate) max_frame_bytes: Option<u64>,
}

/// Which revision is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// That of the server's era.
    Auto,
    Revision(ProtocolVersion),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Denial {
    Advice,
    Rule(RuleId),
}

impl JudgingArguments {
    /// Applies what the user asked for to a set of rules.
    pub(crate) fn apply(&self, rules: &mut RuleSet) {
        for denial in &self.deny {
            match denial {
                Denial::Advice => rules.deny_advice(),
                Denial::Rule(rule) => rules.set(*rule, Setting::Deny),
            }
        }
        for rule in &self.allow {
            rules.set(*rule, Setting::Allow);
        }
        if let Some(max) = self.max_frame_bytes {
            rules.max_frame_bytes = max;
        }
        rules.protocol = self.revision();
    }

    /// The one revision that is asked for.
    pub(crate) fn revision(&self) -> Option<ProtocolVersion> {
        match self.protocol? {
            Asked::Auto => None,
            Asked::Revision(revision) => Some(revision),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// The report's format, to stdout or to a file (repeatable; at most one to stdout): human,
    /// json, jsonl, junit, sarif, github, tap, md, html, trace [default: human, and in GitHub
    /// Actions its annotations and step summary too]
    #[arg(long = "format", value_name = "FORMAT[=FILE]", value_parser = parse_target)]
    pub(crate) formats: Vec<Target>,
    /// When to colour the report
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Show secrets, and what calls and tools hold: for reports that nobody else sees
    #[arg(long)]
    pub(crate) no_redact: bool,
    /// Let --no-redact through where CI=true: whoever reads the log reads the secrets
    #[arg(long, requires = "no_redact")]
    pub(crate) yes_leak: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// A report that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) format: Format,
    /// None is stdout.
    pub(crate) file: Option<PathBuf>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "not a number of seconds above 0".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(time) }
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("not a number above 0".to_owned()),
    }
}

fn parse_config_format(text: &str) -> Result<config::Format, String> {
    text.parse().map_err(|_| {
        let names: Vec<&str> = config::Format::ALL.iter().map(|format| format.name()).collect();
        format!("not a format ({})", names.join(", "))
    })
}

fn parse_frame_bytes(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => Err("not a number of bytes above 0".to_owned()),
    }
}

fn parse_protocol(text: &str) -> Result<Asked, String> {
    if text == "auto" {
        return Ok(Asked::Auto);
    }
    text.parse().map(Asked::Revision).map_err(|()| {
        let names: Vec<&str> = ProtocolVersion::ALL.iter().map(|version| version.name()).collect();
        format!("neither auto nor a released revision ({})", names.join(", "))
    })
}

fn parse_rule(text: &str) -> Result<RuleId, String> {
    text.parse().map_err(|error| format!("{error}; `mcp-stdio-probe rules` lists them"))
}

fn parse_classification(text: &str) -> Result<String, String> {
    match text {
        "valid-stdout" => Ok(text.to_owned()),
        _ => parse_rule(text).map(|rule| rule.name().to_owned()),
    }
}

fn parse_reason(text: &str) -> Result<(String, String), String> {
    let (rule, pattern) = text.split_once('=').ok_or("not RULE=REGEX")?;
    if rule != "*" {
        parse_rule(rule)?;
    }
    Ok((rule.to_owned(), pattern.to_owned()))
}

fn parse_family(text: &str) -> Result<Family, String> {
    let names = Family::ALL.map(Family::directory);
    let found = Family::ALL.into_iter().find(|family| family.directory() == text);
    found.ok_or_else(|| format!("not a family ({})", names.join(", ")))
}

fn parse_denial(text: &str) -> Result<Denial, String> {
    if text == "advice" { Ok(Denial::Advice) } else { parse_rule(text).map(Denial::Rule) }
}

fn parse_target(text: &str) -> Result<Target, String> {
    let (name, file) = match text.split_once('=') {
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let format = name.parse().map_err(|unknown: UnknownFormat| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("{unknown} ({})", names.join(", "))
    })?;
    Ok(Target { format, file })
}
