//! The page of `--format html` in a real browser: hostile text stays text, nothing is loaded or
//! run, and the page is photographed, to be looked at by a person.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use corpus::{Chunking, events, load_all, replay, revision_shown, rule_set};
use inspect::Inspector;
use model::{
    Advice, Cut, Detail, Finding, FrameBytes, FrameNo, FrameOffset, Layer, Level, Outcome, Phase,
    Position, RuleId, StreamOffset, Verdict,
};
use report::{
    Evidence, Format, Mode, Report, Rows, RunFacts, SessionEvidence, StderrFacts, Style, Timeline,
    render,
};

use crate::Complaints;
use crate::command::{Failure, output, program, target_directory};
use crate::workspace::Workspace;

/// What an attacker would have a page do. Each would change the title, load something, or open a
/// dialog if it were more than text.
const PAYLOADS: &[&str] = &[
    "<script>document.title='PWNED'</script>",
    "</script><script>alert('PWNED')</script>",
    "<img src=x onerror=\"document.title='PWNED'\">",
    "<svg onload=\"document.title='PWNED'\">",
    "</title><script>document.title='PWNED'</script>",
    "</style><script>document.title='PWNED'</script>",
    "\" onmouseover=\"document.title='PWNED'\" x=\"",
    "' autofocus onfocus='document.title=1' x='",
    "<iframe src=\"javascript:parent.document.title='PWNED'\"></iframe>",
    "<a href=\"javascript:document.title='PWNED'\">click</a>",
    "<link rel=stylesheet href=//203.0.113.1/x.css>",
    "<meta http-equiv=refresh content=\"0;url=//203.0.113.1/\">",
    "<base href=//203.0.113.1/>",
    "<object data=x></object><embed src=x>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<!--><script>document.title='PWNED'</script>-->",
    "&lt;script&gt;document.title='PWNED'&lt;/script&gt;",
    "]]><script>document.title='PWNED'</script>",
    "\u{202e}\u{2066}<b>\u{2069}\u{0}\u{1b}[31m",
    "{{constructor.constructor('document.title=1')()}}",
    "url(//203.0.113.1/x) expression(alert(1))",
    "##[error]x ::error::x",
];

/// What must not be in the page as the browser understood it.
const FORBIDDEN: &[&str] =
    &["<script", "<img", "<iframe", "<object", "<embed", "<link", "<base", "<math", "<form", " on"];

/// How a page is photographed.
const VIEWS: &[(&str, &[&str])] = &[
    ("light", &["--window-size=1100,2400"]),
    (
        "dark",
        &[
            "--window-size=1100,2400",
            "--force-dark-mode",
            "--blink-settings=preferredColorScheme=0",
        ],
    ),
    ("narrow", &["--window-size=420,2400"]),
];

/// Checks pages with hostile text, and photographs some reports.
pub fn run() -> Complaints {
    let directory = target_directory().join("html-check");
    let made = fs::create_dir_all(&directory).map_err(|error| error.to_string());
    match made.and_then(|()| pages()) {
        Ok(pages) => {
            let look = |page| check(&directory, page).unwrap_or_else(|error| vec![error]);
            let mut complaints: Complaints = pages.iter().flat_map(look).collect();
            // A check that sees nothing wrong in this page sees nothing at all.
            if look(&control()).len() < 3 {
                complaints.push("control: the faults of a hostile page are not seen".to_owned());
            }
            println!("html-check: {} pages in {}", pages.len(), directory.display());
            complaints
        }
        Err(error) => vec![error],
    }
}

/// A page that is checked.
struct Page {
    name: &'static str,
    html: String,
}

/// A page that runs a script, loads an image and has a handler.
fn control() -> Page {
    let html = "<!DOCTYPE html><html><head><title>x</title></head><body>\
        <script>document.title = 'PWNED'; console.error('x');</script>\
        <img src=x onerror=\"document.title = 'PWNED'\"></body></html>";
    Page { name: "control", html: html.to_owned() }
}

fn pages() -> Result<Vec<Page>, String> {
    let hostile: Vec<SessionEvidence> =
        PAYLOADS.iter().map(|payload| SessionEvidence::new(payload, attacked(payload))).collect();
    let hostile = Report::several(Rows::Servers, hostile).ok_or("there are no payloads")?;
    let alone = Report::one(attacked(PAYLOADS[4]));
    let cases = ["startup-banner", "invalid-utf8", "hang", "ok-plain"];
    let sessions: Result<Vec<SessionEvidence>, String> =
        cases.iter().map(|case| Ok(SessionEvidence::new(case, replayed(case)?))).collect();
    let several = Report::several(Rows::Sessions, sessions?).ok_or("there are no cases")?;
    let page = |name, report: &Report| Page {
        name,
        html: render(report, Format::Html, &Style::default()),
    };
    Ok(vec![
        page("hostile", &hostile),
        page("hostile-alone", &alone),
        page("banner", &Report::one(replayed("startup-banner")?)),
        page("utf8", &Report::one(replayed("invalid-utf8")?)),
        page("several", &several),
    ])
}

/// Evidence with the payload wherever a server or a user can put text.
fn attacked(payload: &str) -> Evidence {
    let finding = Finding {
        rule: RuleId::InvalidJson,
        level: Level::Must,
        position: Position::InFrame {
            frame: FrameNo(1),
            byte: FrameOffset(1),
            stream: StreamOffset(1),
        },
        phase: Phase::Startup,
        pending: None,
        at: Duration::from_millis(12),
        detail: Detail::None,
        frame_bytes: Some(FrameBytes {
            prefix: payload.as_bytes().into(),
            len: payload.len() as u64,
        }),
    };
    let advice = Finding { rule: RuleId::CarriageReturn, level: Level::Advice, ..finding.clone() };
    let verdict = Verdict {
        outcome: Outcome::Violation(Box::new(finding)),
        advice: vec![Advice { finding: advice, count: 1 }],
        accepted: 0,
        frames: 1,
        stdout_bytes: payload.len() as u64,
        layers_reached: vec![Layer::Framing],
        protocol: None,
        not_checked: Vec::new(),
        cut_by_us: Cut::Not,
    };
    let mut facts = RunFacts::new(Mode::Run(report::Command {
        argv: vec!["server".into(), payload.into()],
        executable: Some(payload.into()),
        cwd: Some(payload.into()),
        environment: Vec::new(),
    }));
    facts.case = Some(payload.to_owned());
    facts.reproduce = vec!["mcp-stdio-probe".into(), "run".into(), payload.into()];
    facts.stderr = StderrFacts {
        bytes: payload.len() as u64,
        lines: 1,
        head: payload.as_bytes().to_vec(),
        tail: Vec::new(),
        dropped: 0,
    };
    Evidence::new(&verdict, facts)
}

fn replayed(id: &str) -> Result<Evidence, String> {
    let cases = load_all(&Workspace::here().corpus())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let case = cases.iter().find(|case| case.file.id == id).ok_or(format!("no case {id}"))?;
    let rules = rule_set(case, Some(revision_shown(&case.file)));
    let verdict = replay(case, Chunking::AsScripted, Box::new(Inspector::new(rules)))
        .map_err(|error| error.to_string())?;
    let mut facts = RunFacts::new(Mode::Replay { case: id.to_owned() });
    let events = events(case, Chunking::AsScripted).map_err(|error| error.to_string())?;
    // A script has no clock; a picture needs one.
    let timed = events.into_iter().zip(0..).map(|(mut event, index)| {
        event.at = Duration::from_millis(index * 20 + index / 4 * 150);
        event
    });
    facts.timeline = Timeline::new(timed);
    Ok(Evidence::new(&verdict, facts))
}

fn check(directory: &Path, page: &Page) -> Result<Complaints, String> {
    let file = directory.join(format!("{}.html", page.name));
    fs::write(&file, &page.html).map_err(|error| error.to_string())?;
    let mut complaints = Complaints::new();
    let loaded = output(browser(&file).arg("--dump-dom")).map_err(missing)?;
    let dom = text(loaded.stdout);
    if !dom.contains("</html>") {
        complaints.push(format!("{}: the browser shows nothing", page.name));
    }
    if dom.contains("<title>PWNED") {
        complaints.push(format!("{}: a script ran", page.name));
    }
    for tag in tags(&dom) {
        for forbidden in FORBIDDEN.iter().filter(|forbidden| begins(tag, forbidden)) {
            complaints.push(format!("{}: the page has {forbidden} in <{tag}>", page.name));
        }
    }
    // What the policy stops, and any error, is told on the console.
    let console = text(loaded.stderr);
    let told = console.lines().filter(|line| line.contains(":CONSOLE"));
    complaints.extend(told.map(|line| format!("{}: {line}", page.name)));
    for (view, options) in VIEWS {
        let picture = directory.join(format!("{}-{view}.png", page.name));
        let screenshot = format!("--screenshot={}", picture.display());
        output(browser(&file).args(*options).arg(screenshot)).map_err(missing)?;
        if !picture.is_file() {
            complaints.push(format!("{}: no picture of the {view} view", page.name));
        }
    }
    let paper = directory.join(format!("{}-print.pdf", page.name));
    let print = format!("--print-to-pdf={}", paper.display());
    output(browser(&file).arg("--no-pdf-header-footer").arg(print)).map_err(missing)?;
    if !paper.is_file() {
        complaints.push(format!("{}: it cannot be printed", page.name));
    }
    Ok(complaints)
}

/// Every tag of a page, without its brackets.
fn tags(dom: &str) -> impl Iterator<Item = &str> {
    dom.split('<').skip(1).filter_map(|piece| piece.split_once('>').map(|(tag, _)| tag))
}

/// Whether a tag is of the kind, or has an attribute of it.
fn begins(tag: &str, forbidden: &str) -> bool {
    match forbidden.strip_prefix('<') {
        Some(name) => tag.starts_with(name),
        // What stands in quotes is a value.
        None => tag.split('"').step_by(2).any(|names| names.contains(forbidden)),
    }
}

fn browser(file: &Path) -> Command {
    let mut browser = program("chromium");
    browser.args([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--hide-scrollbars",
        "--enable-logging=stderr",
        "--timeout=10000",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ]);
    let address: PathBuf = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    browser.arg(format!("file://{}", address.display()));
    browser
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

fn missing(failure: Failure) -> String {
    format!("{failure}; this check needs Debian's chromium")
}
