//! Complaints about single cases, and about cases that are too much alike.

use std::collections::BTreeMap;

use corpus::{Case, Chunking, Family, Oracle, Origin, events};

use super::positions;
use super::rules::RuleTable;
use super::{Code, Complaint};
use crate::names::{CaseName, prefix};
use crate::programs::misdescribed;
use crate::scrub;
use crate::workspace::name;

/// Complaints about one case.
pub(super) struct Complainer<'a> {
    pub(super) case: &'a str,
    pub(super) complaints: &'a mut Vec<Complaint>,
}

impl Complainer<'_> {
    pub(super) fn say(&mut self, code: Code, text: impl Into<String>, mend: impl Into<String>) {
        self.complaints.push(Complaint::new(code, self.case, text, mend));
    }
}

pub(super) fn check(cases: &[Case], table: &RuleTable, complaints: &mut Vec<Complaint>) {
    for case in cases {
        let mut complainer = Complainer { case: &case.file.id, complaints };
        identity(case, &mut complainer);
        words(case, &mut complainer);
        bytes(case, &mut complainer);
        origin(case, &mut complainer);
        match &case.file.expect {
            Oracle::Open(_) => {
                complainer.say(Code::C1, "expect is TODO", "say what must be found");
            }
            Oracle::ByRevision(_) => positions::check(case, table, &mut complainer),
        }
    }
    same_names(cases, complaints);
    same_bytes(cases, complaints);
}

fn identity(case: &Case, complainer: &mut Complainer<'_>) {
    let id = case.file.id.as_str();
    let directory = name(&case.path);
    if directory != id {
        complainer.say(
            Code::C1,
            format!("its directory is named {directory}"),
            "rename one of them",
        );
    }
    if case.file.schema != 1 {
        complainer.say(Code::C1, "unknown version of the format", "write \"schema\": 1");
    }
    let wanted = case.family.and_then(prefix);
    if let Some(wanted) = wanted
        && CaseName::parse(id).is_none_or(|name| name.prefix != wanted)
    {
        complainer.say(
            Code::C1,
            format!("the id does not have the form {wanted}-NNNN-what-happens"),
            "rename the case",
        );
    }
}

fn words(case: &Case, complainer: &mut Complainer<'_>) {
    for (field, text) in [("title", &case.file.title), ("why", &case.file.why)] {
        if text.trim().is_empty() || text.contains("TODO") {
            complainer.say(Code::C1, format!("{field} is not written"), "edit case.json");
        }
    }
}

fn bytes(case: &Case, complainer: &mut Complainer<'_>) {
    if let Err(error) = events(case, Chunking::AsScripted) {
        let mend = match case.family {
            Some(Family::Recordings) => "edit the script, or run `cargo xtask regen`",
            _ => "edit the script",
        };
        complainer.say(Code::C2, error.to_string(), mend);
    }
    for text in case.file.program.iter().flat_map(|program| misdescribed(case, program)) {
        complainer.say(Code::C2, text, "edit `program`, or the files that it names");
    }
    if case.file.script.is_none() && !case.stderr.is_empty() {
        complainer.say(
            Code::C2,
            "there is a stderr.raw, and no script that refers to it",
            "write a script, or remove the file",
        );
    }
}

fn origin(case: &Case, complainer: &mut Complainer<'_>) {
    let fits = match (case.family, &case.file.origin) {
        (Some(Family::Recordings), Origin::Fixture)
        | (Some(Family::Synthetic), Origin::Synthetic)
        | (Some(Family::Controls), Origin::Control) => true,
        (Some(Family::Incidents), Origin::Incident { url, .. }) => {
            if !url.starts_with("https://") {
                complainer.say(
                    Code::C4,
                    "an incident without the URL of a public report",
                    "write origin.url, beginning with https://",
                );
            }
            for (stream, bytes) in [("stdout", &case.stdout), ("stderr", &case.stderr)] {
                for found in scrub::scan(bytes).iter().filter(|found| found.kind.is_secret()) {
                    complainer.say(
                        Code::C4,
                        format!("{stream} holds personal data: {found}"),
                        "replace it by as many other bytes, and say so in origin.redacted",
                    );
                }
            }
            true
        }
        _ => false,
    };
    if !fits {
        complainer.say(
            Code::C4,
            "the origin is not that of its directory",
            "edit origin.kind, or move the case",
        );
    }
}

fn family_of(case: &Case) -> &'static str {
    case.family.map_or("elsewhere", Family::directory)
}

/// Ids and serial numbers are permanent, so that none is ever used twice.
fn same_names(cases: &[Case], complaints: &mut Vec<Complaint>) {
    let mut ids = BTreeMap::new();
    let mut serials = BTreeMap::new();
    for case in cases {
        let id = case.file.id.as_str();
        if let Some(other) = ids.insert(id, case) {
            complaints.push(Complaint::new(
                Code::C1,
                id,
                format!("{} in {} has this id too", name(&other.path), family_of(other)),
                "choose another",
            ));
        } else if let Some(name) = CaseName::parse(id)
            && let Some(other) = serials.insert((name.prefix, name.serial), id)
        {
            complaints.push(Complaint::new(
                Code::C1,
                id,
                format!("{other} has this serial number too"),
                "choose the next free one",
            ));
        }
    }
}

fn same_bytes(cases: &[Case], complaints: &mut Vec<Complaint>) {
    let mut seen: BTreeMap<(&[u8], &[u8], String), &str> = BTreeMap::new();
    for case in cases {
        let script = format!("{:?} {:?}", case.file.script, case.file.run);
        let id = case.file.id.as_str();
        // A recording belongs to its fixture, whatever else has its bytes.
        if case.family != Some(Family::Recordings)
            && let Some(other) = seen.insert((&case.stdout, &case.stderr, script), id)
        {
            complaints.push(Complaint::new(
                Code::C5,
                id,
                format!("{other} has the same bytes and script"),
                "drop one; what differs by revision belongs into one oracle",
            ));
        }
    }
}
