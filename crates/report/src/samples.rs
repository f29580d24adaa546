//! Findings, verdicts and facts for the tests of this crate.

use std::time::Duration;

use model::{
    Advice, Cleanup, Cut, Detail, Event, EventKind, ExitStatus, Finding, FrameBytes, FrameNo,
    FrameOffset, Inconclusive, LadderStep, LadderStepName, LaunchFailure, Layer, Level, NotChecked,
    Outcome, PendingRequest, Phase, Position, ProtocolVersion, RawId, ReapState, RuleId, Sent, Seq,
    StreamOffset, Untested, Verdict,
};

use crate::Timeline;
use crate::facts::{
    Command, EnvironmentVariable, Mode, RunFacts, Secret, SoftwareFact, StderrFacts,
    VariableSource, VersionFact,
};
use crate::redact::Edge;

/// A finding in frame 2, at a byte of bytes that were kept whole.
pub(crate) fn in_frame(rule: RuleId, frame: &[u8], byte: u64) -> Finding {
    Finding {
        rule,
        level: Level::Must,
        position: Position::InFrame {
            frame: FrameNo(2),
            byte: FrameOffset(byte),
            stream: StreamOffset(159 + byte),
        },
        phase: Phase::Discovery,
        pending: Some(PendingRequest { id: RawId::new("\"list-3\""), method: "tools/list".into() }),
        at: Duration::from_micros(212_900),
        detail: Detail::None,
        frame_bytes: Some(FrameBytes { prefix: frame.into(), len: frame.len() as u64 }),
    }
}

/// A finding that no frame shows.
pub(crate) fn after_frames(rule: RuleId, detail: Detail) -> Finding {
    Finding {
        position: Position::AfterFrames { stream: StreamOffset(159) },
        detail,
        frame_bytes: None,
        ..in_frame(rule, b"", 0)
    }
}

pub(crate) fn verdict(outcome: Outcome) -> Verdict {
    Verdict {
        outcome,
        advice: Vec::new(),
        accepted: 1,
        frames: 2,
        stdout_bytes: 203,
        layers_reached: vec![Layer::Framing, Layer::Json],
        protocol: Some(ProtocolVersion::V2025_11_25),
        not_checked: vec![NotChecked::Schema],
        cut_by_us: Cut::Not,
    }
}

pub(crate) fn violation(finding: Finding) -> Verdict {
    verdict(Outcome::Violation(Box::new(finding)))
}

pub(crate) fn inconclusive(reason: Inconclusive) -> Verdict {
    verdict(Outcome::Inconclusive(reason))
}

pub(crate) fn advice(rule: RuleId, count: u64) -> Advice {
    Advice { finding: Finding { level: Level::Advice, ..in_frame(rule, b"{}\r", 2) }, count }
}

pub(crate) fn stderr(bytes: &[u8]) -> StderrFacts {
    StderrFacts {
        bytes: bytes.len() as u64,
        lines: bytes.split_inclusive(|byte| *byte == b'\n').count() as u64,
        head: bytes.to_vec(),
        tail: Vec::new(),
        dropped: 0,
    }
}

pub(crate) fn secret(name: &str, value: &str) -> Secret {
    Secret { name: name.to_owned(), value: value.into() }
}

/// The facts of a live run.
pub(crate) fn run() -> RunFacts {
    let command = Command {
        argv: ["node", "server.js"].map(Into::into).into(),
        executable: Some("/usr/bin/node".into()),
        cwd: Some("/srv/demo".into()),
        environment: vec![
            EnvironmentVariable { name: "PATH".into(), source: VariableSource::Inherited },
            EnvironmentVariable { name: "DEMO_KEY".into(), source: VariableSource::Set },
        ],
    };
    RunFacts {
        reproduce: ["mcp-stdio-probe", "run", "--", "node", "server.js"].map(Into::into).into(),
        cleanup: Some(Cleanup {
            child_reaped: ReapState::Reaped,
            steps: vec![LadderStep {
                name: LadderStepName::CloseStdin,
                at: Duration::from_millis(230),
            }],
            ..Cleanup::of_nothing()
        }),
        ..RunFacts::new(Mode::Run(command))
    }
}

/// The command that a CI runner would obey in a log, by the rules of the runners: GitHub trims a
/// line and looks for `::` at its start, and for `##[` anywhere; Azure Pipelines, TeamCity and
/// GitLab look for their own words.
pub(crate) fn obeys_ci_command(log: &str) -> Option<&str> {
    log.lines().find(|line| {
        let lower = line.to_ascii_lowercase();
        line.trim().starts_with("::")
            || ["##[", "##vso[", "##teamcity[", "section_start:", "section_end:"]
                .iter()
                .any(|command| lower.contains(command))
    })
}

/// Every kind of outcome with the bytes wherever a server or a user can put bytes.
pub(crate) fn hostile_runs(bytes: &[u8], byte: u64) -> Vec<(Verdict, RunFacts)> {
    let text = String::from_utf8(bytes.to_vec())
        .unwrap_or_else(|_| bytes.iter().copied().map(char::from).collect());
    let mut facts = run();
    facts.stderr = stderr(bytes);
    facts.launch_failure = Some(text.clone());
    facts.case = Some(text.clone());
    facts.timeout_phase = Some(Phase::Discovery);
    facts.reproduce.push(text.clone().into());
    facts.timeline = timeline(bytes, &text);
    facts.software = Some(SoftwareFact {
        ecosystem: "npm",
        name: text.clone(),
        version: Some(text.clone()),
        manifest: text.clone().into(),
    });
    facts.version = Some(VersionFact {
        command: vec![text.clone().into()],
        exit_status: None,
        output: bytes.to_vec(),
        cut: Edge::Cut,
    });
    if let Mode::Run(command) = &mut facts.mode {
        command.argv.push(text.clone().into());
        command.cwd = Some(text.clone().into());
    }
    let mut in_a_frame = in_frame(RuleId::InvalidJson, bytes, byte.min(bytes.len() as u64));
    in_a_frame.detail = Detail::Id { got: RawId::new(text.clone()), sent: None };
    if let Some(request) = &mut in_a_frame.pending {
        request.method = text.clone().into();
    }
    let mut with_advice = verdict(Outcome::ValidStdout);
    with_advice.advice.push(Advice { finding: in_a_frame.clone(), count: 2 });
    let check = RunFacts::new(Mode::Check { input: text.clone().into() });
    vec![
        (violation(in_a_frame.clone()), facts.clone()),
        (violation(in_a_frame), check),
        (violation(after_frames(RuleId::NoResponse, Detail::None)), facts.clone()),
        (with_advice, facts.clone()),
        (inconclusive(Inconclusive::NotInitialized), facts.clone()),
        (inconclusive(Inconclusive::Launch(LaunchFailure::System)), facts.clone()),
        (
            inconclusive(Inconclusive::Untested(Untested::ToolNotListed { tool: text.into() })),
            facts,
        ),
    ]
}

/// A timeline with the bytes as frames, and the text as id and method.
fn timeline(bytes: &[u8], text: &str) -> Timeline {
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let frame =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":{}}}\n", json(text), json(text));
    let kinds = vec![
        EventKind::StepBegan(Phase::Handshake),
        EventKind::Sent(Sent::Reply { id: RawId::new(text) }),
        EventKind::Stdout(bytes.to_vec().into()),
        EventKind::Stdout(frame.into_bytes().into()),
        EventKind::Stderr(bytes.to_vec().into()),
        EventKind::StdoutEof,
        EventKind::Exited(ExitStatus::Code(1)),
    ];
    Timeline::new(kinds.into_iter().zip(0..).map(|(kind, seq)| Event {
        seq: Seq(seq),
        at: Duration::from_millis(seq * 150),
        kind,
    }))
}
