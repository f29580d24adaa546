//! The recipes for CI that this repository ships: `action.yml` and the hooks against their
//! schemas, the scripts by shellcheck, and the scripts themselves, run as a runner would.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::Complaints;
use crate::command::{Failure, install, output, program, succeed, target_directory};
use crate::workspace;

/// Tools from PyPI that know the schemas, pinned.
const TOOLS: [&str; 2] = ["check-jsonschema==0.39.0", "pre-commit==4.7.0"];

const SCRIPTS: [&str; 3] = ["action/install.sh", "action/probe.sh", ".ci/run"];

/// Checks the recipes.
pub fn run() -> Complaints {
    let mut complaints = Complaints::new();
    for outcome in [shellcheck(), schemas()] {
        complaints.extend(outcome.err().map(|failure| failure.to_string()));
    }
    match install().and_then(|probe| scripts(&probe)) {
        Ok(wrong) => complaints.extend(wrong),
        Err(failure) => complaints.push(failure.to_string()),
    }
    if complaints.is_empty() {
        println!("recipes: scripts, schemas and runs of the action are in order");
    }
    complaints
}

fn shellcheck() -> Result<(), Failure> {
    succeed(program("shellcheck").current_dir(workspace::root()).args(SCRIPTS)).map(drop)
}

fn schemas() -> Result<(), Failure> {
    let environment = target_directory().join("recipe-tools");
    if !environment.join("bin/pre-commit").is_file() {
        succeed(program("python3").args(["-m", "venv"]).arg(&environment))?;
        succeed(program(environment.join("bin/pip")).args(["install", "--quiet"]).args(TOOLS))?;
    }
    let tool = |name: &str| {
        let mut command = program(environment.join("bin").join(name));
        command.current_dir(workspace::root());
        command
    };
    let schema = ["--builtin-schema"];
    succeed(tool("check-jsonschema").args(schema).args(["vendor.github-actions", "action.yml"]))?;
    let workflow = ["vendor.github-workflows", ".github/workflows/ci.yml"];
    succeed(tool("check-jsonschema").args(schema).args(workflow))?;
    succeed(tool("pre-commit").args(["validate-manifest", ".pre-commit-hooks.yaml"])).map(drop)
}

/// What a runner gives a step.
struct Runner {
    directory: TempDir,
}

/// How a step ended, and what it left for the next one.
struct Step {
    status: Option<i32>,
    outputs: String,
    summary: String,
    said: String,
}

impl Step {
    fn output(&self, name: &str) -> Option<&str> {
        self.outputs.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
    }
}

impl Runner {
    fn new() -> Result<Self, Failure> {
        let failure = |source| Failure::Start { program: "a runner".to_owned(), source };
        TempDir::new().map(|directory| Self { directory }).map_err(failure)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn step<V: AsRef<OsStr>>(&self, script: &str, inputs: &[(&str, V)]) -> Result<Step, Failure> {
        let (outputs, summary) = (self.path("outputs"), self.path("summary"));
        for file in [&outputs, &summary] {
            fs::write(file, "")
                .map_err(|source| Failure::Start { program: file.display().to_string(), source })?;
        }
        let mut command: Command = program("bash");
        command
            .arg(workspace::root().join(script))
            .current_dir(self.directory.path())
            .env("GITHUB_OUTPUT", &outputs)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("RUNNER_TEMP", self.directory.path())
            .env("ACTION_PATH", workspace::root());
        for (name, value) in inputs {
            command.env(name, value);
        }
        let ended = output(&mut command)?;
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        Ok(Step {
            status: ended.status.code(),
            outputs: read(&outputs),
            summary: read(&summary),
            said: String::from_utf8(ended.stderr).unwrap_or_default(),
        })
    }
}

fn scripts(probe: &Path) -> Result<Complaints, Failure> {
    let runner = Runner::new()?;
    let mut wrong = Complaints::new();
    let mut demand = |what: &str, holds: Holds, step: &Step| {
        if matches!(holds, Holds::No) {
            wrong.push(format!("recipes: {what}; status {:?}: {}", step.status, step.said.trim()));
        }
    };
    // An archive with the right hash is unpacked, and one with another is not.
    let archive = runner.path("release.tar.gz");
    let directory = probe.parent().unwrap_or(Path::new("."));
    succeed(
        program("tar").arg("-czf").arg(&archive).arg("-C").arg(directory).arg("mcp-stdio-probe"),
    )?;
    let hash = succeed(program("sha256sum").arg(&archive))?.stdout;
    let hash = String::from_utf8(hash).unwrap_or_default();
    let hash = hash.split(' ').next().unwrap_or_default().to_owned();
    let named = archive.display().to_string();
    let with = |hash: &str| {
        [("PROBE_ARCHIVE".to_owned(), named.clone()), ("PROBE_SHA256".to_owned(), hash.to_owned())]
    };
    let step = |inputs: &[(String, String)]| {
        let inputs: Vec<(&str, &str)> =
            inputs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        runner.step("action/install.sh", &inputs)
    };
    let forged = step(&with(&"0".repeat(64)))?;
    let refused =
        forged.status == Some(2) && !runner.path("mcp-stdio-probe/mcp-stdio-probe").exists();
    demand("an archive with another hash must be refused", refused.into(), &forged);
    let installed = step(&with(&hash))?;
    let binary = installed.output("binary").unwrap_or_default().to_owned();
    demand("an archive with its hash must be installed", (!binary.is_empty()).into(), &installed);

    let run = |inputs: &[(&str, &str)]| {
        let mut all = vec![("PROBE_BINARY", binary.as_str())];
        all.extend_from_slice(inputs);
        runner.step("action/probe.sh", &all)
    };
    let clean = format!("{binary}\n__demo-server\nclean");
    let valid = run(&[("PROBE_COMMAND", &clean)])?;
    let holds = valid.status == Some(0)
        && valid.output("verdict") == Some("valid-stdout")
        && valid.output("report").is_some_and(|path| Path::new(path).is_file())
        && !valid.summary.is_empty();
    demand("a clean server must be valid, with report and summary", holds.into(), &valid);
    let sarif = runner.path("report.sarif").display().to_string();
    let banner = format!("{binary}\n__demo-server\nbanner");
    let violation = run(&[("PROBE_COMMAND", &banner), ("PROBE_SARIF", &sarif)])?;
    let holds = violation.status == Some(1)
        && violation.output("verdict") == Some("violation")
        && Path::new(&sarif).is_file();
    demand("a banner must be a violation, with SARIF", holds.into(), &violation);
    let gone = run(&[("PROBE_COMMAND", "/no/such/program")])?;
    let holds = gone.output("verdict") == Some("not-launched");
    demand("a missing program must be told apart", holds.into(), &gone);
    let both = run(&[("PROBE_COMMAND", &clean), ("PROBE_PACKAGE", "npm:x")])?;
    demand("two targets must be refused", (both.status == Some(2)).into(), &both);
    // A probe that passes everything is no probe.
    let blind = runner.step("action/probe.sh", &[("PROBE_BINARY", "true")])?;
    demand("a probe that cannot fail must be red", (blind.status == Some(70)).into(), &blind);
    Ok(wrong)
}

enum Holds {
    Yes,
    No,
}

impl From<bool> for Holds {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}
