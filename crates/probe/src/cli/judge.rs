//! `judge`: grade somebody else's detector by the corpus.

use std::ffi::OsString;
use std::num::NonZero;
use std::time::Duration;

use super::args::{DetectorArguments, JudgeArguments};
use super::run::own_executable;
use super::{Status, UsageError, output};
use crate::judge::{
    Examination, Input, NotExamined, Pattern, Profile, Sheet, Supervised, Wanted, examine,
    names_the_server, select, shipped, supervise,
};

/// For one case, unless the profile or the user says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) fn judge(arguments: &JudgeArguments) -> Result<Status, UsageError> {
    if arguments.list_profiles {
        return list();
    }
    let mut profile = match &arguments.profile {
        Some(name) => Profile::find(name).map_err(|error| UsageError::new(error.to_string()))?,
        None => Profile::of_command(Vec::new()),
    };
    let mut command: Vec<OsString> = profile.command.iter().map(OsString::from).collect();
    command.extend(arguments.detector.iter().cloned());
    if command.is_empty() {
        return Err(UsageError::new("no detector: give its command after `--`, or --profile"));
    }
    if arguments.stdin {
        profile.input = Input::Stdin;
    }
    if profile.input == Input::Server && !names_the_server(&command) {
        return Err(UsageError::new(
            "the detector's command says nowhere where the server goes: {server} or {config}, or \
             --stdin",
        ));
    }
    for (rule, pattern) in &arguments.reasons {
        let pattern = Pattern::try_from(pattern.clone())
            .map_err(|error| UsageError::new(format!("--reason {rule}: {error}")))?;
        profile.reasons.insert(rule.clone(), pattern);
    }
    let wanted = Wanted {
        cases: arguments.cases.clone(),
        rules: arguments.rules.clone(),
        tags: arguments.tags.clone(),
        families: arguments.families.clone(),
    };
    let embedded = corpus::embedded();
    let known = |id: &String| embedded.iter().any(|case| case.file.id == *id);
    if let Some(unknown) = wanted.cases.iter().find(|id| !known(id)) {
        return Err(UsageError::new(format!(
            "no case is named {unknown:?}; `play --list` lists them"
        )));
    }
    let tagged = |tag: &String| embedded.iter().any(|case| case.file.tags.contains(tag));
    if let Some(unknown) = wanted.tags.iter().find(|tag| !tagged(tag)) {
        return Err(UsageError::new(format!("no case has the tag {unknown:?}")));
    }
    let selection = select(embedded, &wanted, profile.input);
    if selection.asked.is_empty() {
        // Every filter must let a case through.
        let reasons: Vec<String> = selection
            .left_out
            .iter()
            .map(|(why, count)| format!("{count}: {}", why.reason()))
            .collect();
        let why = match reasons.is_empty() {
            true => "none is let through by every filter at once".to_owned(),
            false => reasons.join("; "),
        };
        output::say(&format!("error: no case can be asked ({why})"));
        return Ok(Status::Inconclusive);
    }
    let limit = profile.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let examination = Examination {
        program: own_executable()?,
        profile: &profile,
        command,
        selection: &selection,
        timeout: arguments.timeout.or(limit).unwrap_or(TIMEOUT),
        jobs: arguments.jobs.or_else(cores).map_or(1, NonZero::get),
    };
    let answers = match examine(&examination) {
        Ok(answers) => answers,
        Err(error @ NotExamined::NotStarted(_)) => {
            let hint = profile.install.as_ref().map(|how| format!("; to install it: {how}"));
            output::say(&format!(
                "error: {}{}",
                UsageError::new(error.to_string()),
                hint.unwrap_or_default()
            ));
            return Ok(Status::NotLaunched);
        }
        Err(error) => return Err(UsageError::new(error.to_string())),
    };
    let sheet = Sheet { detector: &profile.name, selection: &selection, answers: &answers };
    output::print(&sheet.render(arguments.format))?;
    Ok(if sheet.is_right() { Status::Valid } else { Status::Violation })
}

fn cores() -> Option<NonZero<usize>> {
    std::thread::available_parallelism().ok()
}

fn list() -> Result<Status, UsageError> {
    let profiles = shipped().map_err(|error| UsageError::new(error.to_string()))?;
    let width = profiles.iter().map(|profile| profile.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for profile in &profiles {
        text.push_str(&format!("{:width$}  {}\n", profile.name, profile.about));
        if let Some(install) = &profile.install {
            text.push_str(&format!("{:width$}  {install}\n", ""));
        }
    }
    output::print(&text)
}

/// Is the parent of one detector.
pub(crate) fn detector(arguments: &DetectorArguments) -> Result<Status, UsageError> {
    let order = Supervised {
        command: arguments.command.clone(),
        timeout: Duration::from_millis(arguments.timeout_ms),
        stdin: arguments.stdin.clone(),
    };
    let became = supervise(&order)
        .map_err(|error| UsageError::new(format!("cannot be a detector's parent: {error}")))?;
    let text = serde_json::to_string(&became)
        .map_err(|error| UsageError::new(format!("cannot say what became of it: {error}")))?;
    output::print(&text)
}
