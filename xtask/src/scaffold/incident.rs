//! `new-incident`: a case of captured bytes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use corpus::{
    Case, CaseFile, Chunking, Family, Loaded, Origin, compare, expectation_for, load_case,
    load_each, replay, rule_set,
};
use inspect::Inspector;
use model::ProtocolVersion;

use super::capture::Capture;
use super::oracle::StatedOracle;
use super::{case_json, create_all, print_owed, refuse_name};
use crate::Complaints;
use crate::names::{CaseName, prefix};
use crate::scrub::{self, Found};
use crate::workspace::{Workspace, name, sorted};

/// Makes a case of captured bytes.
#[derive(Args, Clone, Debug)]
pub struct NewIncident {
    /// What happens, in kebab-case: `tip-line-at-startup`.
    pub name: String,
    /// The captured stdout, or a directory made by `mcp-stdio-probe run --record`.
    #[arg(long, value_name = "FILE|DIR")]
    pub stdout: PathBuf,
    /// The captured stderr.
    #[arg(long, value_name = "FILE")]
    pub stderr: Option<PathBuf>,
    /// The public report.
    #[arg(long, value_name = "URL")]
    pub source: String,
    /// When it was seen.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub seen: Option<String>,
    /// Replace mail addresses, tokens and names by as many other bytes.
    #[arg(long)]
    pub redact: bool,
    /// What must be found.
    #[command(flatten)]
    pub oracle: StatedOracle,
}

/// What is done about personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Personal {
    /// It is shown, and left where it is.
    Show,
    /// It is replaced.
    Replace,
}

impl NewIncident {
    /// Writes the case. Complaints are reasons for which nothing was written.
    #[must_use]
    pub fn run(&self, workspace: &Workspace) -> Complaints {
        match self.prepare(workspace) {
            Ok(prepared) => prepared.write(workspace),
            Err(complaints) => complaints,
        }
    }

    /// Everything that can be refused, before anything is written.
    fn prepare(&self, workspace: &Workspace) -> Result<Prepared, Complaints> {
        let mut complaints = refuse_name(workspace, &self.name);
        complaints.extend(self.refuse_source(workspace));
        let capture = Capture::read(&self.stdout, self.stderr.as_ref());
        let mut capture = match capture {
            Ok(capture) if complaints.is_empty() => capture,
            Ok(_) => return Err(complaints),
            Err(complaint) => {
                complaints.push(complaint);
                return Err(complaints);
            }
        };
        let personal = if self.redact { Personal::Replace } else { Personal::Show };
        let found = scrub_capture(&mut capture, personal);
        let redacted = match personal {
            Personal::Show => Vec::new(),
            Personal::Replace => kinds(&found),
        };
        let origin =
            Origin::Incident { url: self.source.clone(), seen: self.seen.clone(), redacted };
        let mut file = CaseFile {
            run: capture.run.clone(),
            script: capture.script.clone(),
            ..CaseFile::begun(next_id(workspace, &self.name), origin)
        };
        file.expect = self.oracle.oracle(&file, &capture.stdout)?;
        Ok(Prepared { file, capture, found, personal })
    }

    fn refuse_source(&self, workspace: &Workspace) -> Complaints {
        if !self.source.starts_with("https://") {
            return vec![format!("{}: not the https URL of a public report", self.source)];
        }
        let Loaded { cases, .. } = load_each(&workspace.corpus());
        let cites = |case: &&Case| match &case.file.origin {
            Origin::Incident { url, .. } => same_report(url, &self.source),
            _ => false,
        };
        let other = cases.iter().find(cites);
        other
            .map(|case| format!("{}: cited by {}", self.source, case.file.id))
            .into_iter()
            .collect()
    }
}

/// A case that can be written.
struct Prepared {
    file: CaseFile,
    capture: Capture,
    found: Vec<(&'static str, Found)>,
    personal: Personal,
}

impl Prepared {
    fn write(self, workspace: &Workspace) -> Complaints {
        let id = self.file.id.as_str();
        let directory = workspace.corpus().join(Family::Incidents.directory()).join(id);
        let json = case_json(&self.file);
        let mut files = vec![("case.json", json.as_slice()), ("stdout.raw", &self.capture.stdout)];
        if let Some(stderr) = &self.capture.stderr {
            files.push(("stderr.raw", stderr));
        }
        let complaints = create_all(&directory, &files);
        if !complaints.is_empty() {
            return complaints;
        }
        println!("{}: {} files", workspace.shown(&directory), files.len());
        self.print_personal();
        match load_case(Family::Incidents, &directory) {
            Ok(case) => print_agreement(&case),
            Err(error) => return vec![error.to_string()],
        }
        print_owed(workspace, &[id], &["cargo xtask regen", "cargo test --workspace"]);
        Complaints::new()
    }

    fn print_personal(&self) {
        let done = match self.personal {
            Personal::Show => "found",
            Personal::Replace => "replaced",
        };
        for (stream, found) in &self.found {
            println!("{done} in {stream}: {found}");
        }
        if self.personal == Personal::Show && !self.found.is_empty() {
            println!("remove the directory and add --redact, unless all of this may be published");
        }
    }
}

fn scrub_capture(capture: &mut Capture, personal: Personal) -> Vec<(&'static str, Found)> {
    let scrub = |stream, bytes: &mut Vec<u8>| -> Vec<_> {
        let found = match personal {
            Personal::Show => scrub::scan(bytes),
            Personal::Replace => scrub::redact(bytes),
        };
        found.into_iter().map(|found| (stream, found)).collect()
    };
    let mut found = scrub("stdout", &mut capture.stdout);
    if let Some(stderr) = &mut capture.stderr {
        found.extend(scrub("stderr", stderr));
    }
    found
}

fn kinds(found: &[(&'static str, Found)]) -> Vec<String> {
    let mut kinds: Vec<String> = found.iter().map(|(_, found)| found.kind.to_string()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Says whether the detector agrees with what a person stated, and where it does not; never
/// what it says instead, which must not become the oracle. Without a statement it is not asked.
fn print_agreement(case: &Case) {
    match disagreement(case) {
        None => {}
        Some(fields) if fields.is_empty() => println!("the detector agrees with the oracle"),
        Some(fields) => {
            let fields = fields.into_iter().collect::<Vec<_>>().join(", ");
            println!("the detector does not agree with the oracle: {fields}");
            println!("count again; if you are right, the detector is wrong, and its tests say so");
        }
    }
}

/// In what the detector differs from the oracle. None if there is no oracle.
fn disagreement(case: &Case) -> Option<BTreeSet<String>> {
    let mut fields = None;
    for version in ProtocolVersion::ALL {
        let Some(expected) = expectation_for(&case.file, version) else { continue };
        let fields = fields.get_or_insert_with(BTreeSet::new);
        let detector = Box::new(Inspector::new(rule_set(case, Some(version))));
        match replay(case, Chunking::AsScripted, detector) {
            Ok(verdict) => fields.extend(compare(expected, &verdict).iter().map(|text| {
                text.split_once(':').map_or(text.as_str(), |(field, _)| field).to_owned()
            })),
            Err(error) => {
                fields.insert(error.to_string());
            }
        }
    }
    fields
}

/// The id with the next free serial number.
fn next_id(workspace: &Workspace, slug: &str) -> String {
    let family = Family::Incidents;
    let cases = sorted(&workspace.corpus().join(family.directory())).unwrap_or_default();
    let serials = cases.iter().filter_map(|path| {
        let name = name(path);
        CaseName::parse(&name).map(|name| name.serial)
    });
    let next = serials.max().unwrap_or(0) + 1;
    let prefix = prefix(family).expect("incidents have a prefix");
    format!("{prefix}-{next:04}-{slug}")
}

/// Whether two URLs name the same report: a place in its page makes no difference.
fn same_report(one: &str, other: &str) -> bool {
    let page = |url: &str| -> String {
        let page = url.split_once('#').map_or(url, |(page, _)| page);
        page.trim_end_matches('/').to_ascii_lowercase()
    };
    page(one) == page(other)
}

#[cfg(test)]
mod tests {
    use super::same_report;

    #[test]
    fn a_place_in_a_page_is_no_other_report() {
        let report = "https://example.org/issue/1";
        assert!(same_report(report, "https://example.org/issue/1#comment-7"));
        assert!(same_report(report, "https://Example.org/issue/1/"));
        assert!(!same_report(report, "https://example.org/issue/12"));
    }
}
