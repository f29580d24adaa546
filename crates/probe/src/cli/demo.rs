//! `demo`: two built-in servers, through real processes: one must pass, one must fail.

use drive::{LaunchSpec, Session};
use inspect::Inspector;
use model::{Outcome, RuleId};
use report::{Evidence, Format};

use super::args::{DemoArguments, DemoServer, Target};
use super::run::{Isolation, containment, own_executable};
use super::{NAME, Status, UsageError, output};
use crate::cli::stop::Stopped;
use crate::{facts, layer4};

pub(crate) fn demo(arguments: &DemoArguments) -> Result<Status, UsageError> {
    let targets = [Target { format: Format::Human, file: None }];
    let mut misjudged = Vec::new();
    for server in [DemoServer::Clean, DemoServer::Banner] {
        let name = server_name(server);
        let launch = LaunchSpec::new(own_executable()?).args(["__demo-server", name]);
        let containment = containment(Isolation::Usual);
        let session = Session { containment, ..Session::new(launch) };
        let stopped = Stopped;
        let detector = Box::new(Inspector::new(layer4::rules()));
        let run = drive::run_blocking_until(&session, detector, &mut (), stopped.stop());
        let reproduce = [NAME, "run", "--", NAME, "__demo-server", name];
        let reproduce = reproduce.into_iter().map(Into::into).collect();
        let facts = facts::of_run(&session.launch, &run, reproduce);
        output::say(&format!("demo: a server {}", about(server)));
        output::reports(&Evidence::new(&run.verdict, facts).into(), &targets, arguments.color)?;
        if let Some(signal) = stopped.by() {
            return Ok(Status::Signal(signal));
        }
        if !judged_rightly(server, &run.verdict.outcome) {
            misjudged.push(name);
        }
    }
    if misjudged.is_empty() {
        output::say("demo: both came out as they must: the clean server passed, the banner failed");
        Ok(Status::Valid)
    } else {
        output::say(&format!("demo: misjudged: {}", misjudged.join(", ")));
        Ok(Status::Internal)
    }
}

fn server_name(server: DemoServer) -> &'static str {
    match server {
        DemoServer::Clean => "clean",
        DemoServer::Banner => "banner",
    }
}

fn about(server: DemoServer) -> &'static str {
    match server {
        DemoServer::Clean => "that writes nothing but messages; its log goes to stderr",
        DemoServer::Banner => "that prints a banner on stdout when it starts",
    }
}

fn judged_rightly(server: DemoServer, outcome: &Outcome) -> bool {
    match (server, outcome) {
        (DemoServer::Clean, Outcome::ValidStdout) => true,
        (DemoServer::Banner, Outcome::Violation(finding)) => {
            finding.rule == RuleId::InvalidJson
                && finding.position.frame() == Some(model::FrameNo::FIRST)
        }
        _ => false,
    }
}
