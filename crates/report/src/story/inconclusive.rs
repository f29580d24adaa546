//! A run that did not test what it was to test: why, and what to do.

use model::{Inconclusive, LaunchFailure, Untested};

use super::finding::deadlines;
use super::{Heading, Label, Quote, Story, cleanup, count, not_checked, reproduce, state, stderr};
use crate::evidence::{Evidence, Origin};

pub(super) fn inconclusive<'a>(reason: &Inconclusive, evidence: &'a Evidence) -> Story<'a> {
    let (summary, help) = words(reason);
    let mut story = Story::new(Heading::Inconclusive, Some(reason.name()), summary);
    if let Some(detail) = &evidence.reason_detail {
        let what = match reason {
            Inconclusive::Untested(Untested::ToolNotListed { .. }) => "the tool: ",
            Inconclusive::Untested(Untested::ReplyNotReadable { .. }) => "the reply to: ",
            Inconclusive::Untested(Untested::ListNotFinished { .. }) => "the list: ",
            Inconclusive::Launch(_) => "the cause: ",
            _ => "",
        };
        story.item(Label::Note, format!("{what}{detail}"));
    }
    match reason {
        Inconclusive::Launch(_) => command(&mut story, evidence),
        _ => {
            story.item(
                Label::Note,
                format!(
                    "this proves nothing about the server; stdout so far had no fault: {} in {} ({})",
                    count(evidence.accepted, "message"),
                    count(evidence.frames, "frame"),
                    count(evidence.stdout_bytes, "byte"),
                ),
            );
            deadlines(&mut story, evidence);
            if let Some(state) = state::sentence(evidence) {
                story.item(Label::Note, state);
            }
            if let Some(phase) = evidence.timeout_phase {
                story.item(Label::Note, format!("the session was in phase {phase}"));
            }
            not_checked(&mut story, evidence);
            cleanup(&mut story, evidence);
            if evidence.origin == Origin::Run || evidence.stderr.bytes > 0 {
                stderr(&mut story, evidence);
            }
        }
    }
    story.item(Label::Help, help);
    reproduce(&mut story, evidence);
    story
}

/// What was to be launched, and where.
fn command(story: &mut Story<'_>, evidence: &Evidence) {
    if let Some(arguments) = &evidence.command {
        let what = "the arguments, one a line:";
        story.quote(Label::Note, what, Quote::Lines(arguments.clone()));
    }
    if let Some(executable) = &evidence.executable {
        story.item(Label::Note, format!("the program's file: {executable}"));
    }
    if let Some(cwd) = &evidence.cwd {
        story.item(Label::Note, format!("the working directory: {cwd}"));
    }
}

/// What happened, and what to do.
fn words(reason: &Inconclusive) -> (&'static str, &'static str) {
    match reason {
        Inconclusive::Launch(failure) => launch_words(*failure),
        Inconclusive::TotalTimeout => (
            "the time for the whole run was spent before the session ended",
            "give the run more time with --total-timeout",
        ),
        Inconclusive::StdoutCap => (
            "the server wrote more to stdout than one run reads",
            "find out what the server writes so much of; a recorded stdout can be judged without \
             this cap by mcp-stdio-probe check FILE",
        ),
        Inconclusive::NotInitialized => (
            "the server refused to be initialised, so nothing else could be tested",
            "look at stderr, and give the server the arguments, variables and files that it needs",
        ),
        Inconclusive::NotDiscovered => (
            "the server does not know server/discover, so this revision could not be tested",
            "ask for a revision with a handshake by --protocol",
        ),
        Inconclusive::NothingToJudge => (
            "the input holds not one message",
            "record the stdout of a whole session, from its first byte",
        ),
        Inconclusive::Interrupted => {
            ("the run was stopped before the session ended", "run it again and let it end")
        }
        Inconclusive::Incomplete => (
            "the session did not reach its end, and the rule that says why is allowed",
            "leave --allow out, or see the advice below",
        ),
        Inconclusive::Untested(Untested::ListNotFinished { .. }) => (
            "a list has more pages than are asked for, so its end was not read",
            "let nextCursor come to an end: the last page has none",
        ),
        Inconclusive::Untested(Untested::ToolNotListed { .. }) => (
            "a tool was not called, since the server does not list it",
            "give --call a name that the server's tools/list reply holds",
        ),
        Inconclusive::Untested(Untested::NoTool) => (
            "the server has no tool that this session could call",
            "name a tool and its arguments with --call, or let tools that only read be called by \
             --call-all-safe",
        ),
        Inconclusive::Untested(Untested::ReplyNotReadable { .. }) => (
            "the next step could not be made, since the reply before it lacks what is needed",
            "compare the result with the schema of the protocol revision",
        ),
    }
}

fn launch_words(failure: LaunchFailure) -> (&'static str, &'static str) {
    match failure {
        LaunchFailure::ProgramNotFound => (
            "the server could not be launched: its program was not found",
            "give the path of the program, or the name of one that PATH leads to; the command \
             and its arguments follow --, each as an argument of its own",
        ),
        LaunchFailure::InterpreterNotFound => (
            "the server could not be launched: the interpreter that its first line names was not \
             found",
            "install the interpreter, or name it as the program and the script as its argument",
        ),
        LaunchFailure::DirectoryNotFound => (
            "the server could not be launched: its working directory was not found",
            "give a working directory that exists",
        ),
        LaunchFailure::PermissionDenied => (
            "the server could not be launched: its program may not be executed",
            "make the file executable (chmod +x), or name its interpreter as the program; a \
             directory cannot be launched",
        ),
        LaunchFailure::NotExecutable => (
            "the server could not be launched: its program is in no format that this system \
             executes",
            "a script needs a first line such as #!/usr/bin/env node; a binary must be built for \
             this system",
        ),
        LaunchFailure::ArgumentsTooLong => (
            "the server could not be launched: its arguments and environment are too long",
            "pass long values by a file",
        ),
        LaunchFailure::InvalidArgument => (
            "the server could not be launched: an argument or a variable holds a NUL byte",
            "look for what built the argument or the variable",
        ),
        LaunchFailure::System => (
            "the server could not be launched: the system refused to start another process",
            "look at the limits on processes, open files and memory, then run it again",
        ),
    }
}
