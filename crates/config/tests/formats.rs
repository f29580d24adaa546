//! Files of every format, each with the launch worked out by hand from the format's
//! documentation: `files/FORMAT/CASE.json` (or `.toml`) and `CASE.launch` beside it.
//!
//! A `.launch` file says for each server what its client launches (`--expand client`), and, in
//! lines that begin with `strict`, what `--expand strict` complains of. `wrong` says where and why
//! the file is refused. `FILES` stands for the directory of the files.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::{
    ConfigError, Entry, File, Format, Kind, Launch, Origin, Secret, Strictness, Surroundings, read,
};

/// A format is tried with at least so many files.
const LEAST: usize = 6;

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

fn surroundings() -> Surroundings {
    let environment = [
        ("HOME", "/home/u"),
        ("TOKEN", "tok-123456"),
        ("HOST", "db.example"),
        ("PORT", "8080"),
        ("EMPTY", ""),
        ("MCP_STDIO_PROBE_INPUT_GIVEN", "given-value"),
    ];
    Surroundings {
        environment: environment
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .collect(),
        home: Some(PathBuf::from("/home/u")),
        workspace: PathBuf::from("/project"),
        inputs: vec![("password".to_owned(), "hunter-2-hunter".to_owned())],
        set: BTreeSet::new(),
    }
}

#[test]
fn every_file_leads_to_the_launch_that_was_worked_out_by_hand() {
    let mut differences = Vec::new();
    for format in Format::ALL {
        let directory = files().join(format.name());
        let mut cases = 0;
        for entry in std::fs::read_dir(&directory).expect("every format has files") {
            let expected = entry.expect("it can be read").path();
            if expected.extension().is_none_or(|extension| extension != "launch") {
                continue;
            }
            cases += 1;
            let extension = if format == Format::Codex { "toml" } else { "json" };
            let found = told(&expected.with_extension(extension), format);
            let wanted = std::fs::read_to_string(&expected).expect("it is text");
            if found != wanted {
                let shown = expected.display();
                differences.push(format!("{shown}\nwanted\n{wanted}found\n{found}"));
            }
        }
        assert!(cases >= LEAST, "{format} has {cases} files");
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// What becomes of a file, in the form of the `.launch` files.
fn told(path: &Path, format: Format) -> String {
    let mut text = std::fs::read_to_string(path).expect("every .launch has its file");
    // An env file is named by a path; the copy names it by the one that it has here.
    let root = files().display().to_string();
    let copy = tempfile::TempDir::new().expect("a temporary directory can be made");
    let mut read_from = path.to_owned();
    if text.contains("FILES") {
        text = text.replace("FILES", &root);
        read_from = copy.path().join(path.file_name().expect("a file has a name"));
        std::fs::write(&read_from, text).expect("it can be written");
    }
    let mut out = String::new();
    match read(&read_from, Some(format)) {
        Ok(file) => {
            for entry in &file.entries {
                server(&mut out, &file, entry);
            }
        }
        Err(error) => {
            let place = error.place.map_or("-".to_owned(), |place| place.to_string());
            writeln!(out, "wrong {place} {}", error.problem).expect("a string takes it");
        }
    }
    out.replace(&root, "FILES")
}

fn server(out: &mut String, file: &File, entry: &Entry) {
    let kind = match entry.kind {
        Kind::Stdio => "stdio",
        Kind::Disabled => "disabled",
        Kind::Remote => "remote",
    };
    writeln!(out, "server {} {} {kind}", entry.name, entry.place).expect("a string takes it");
    let (client, strict) = (
        file.launch(entry, &surroundings(), Strictness::Client),
        file.launch(entry, &surroundings(), Strictness::Strict),
    );
    match &client {
        Ok(launch) => launched(out, launch),
        Err(errors) => complaints(out, "error", errors),
    }
    match (client.is_ok(), strict) {
        (_, Ok(_)) => {}
        // What both complain of is told once, unless strictness adds something.
        (false, Err(errors)) if Some(&errors) == client.as_ref().err() => {}
        (_, Err(errors)) => complaints(out, "strict", &errors),
    }
}

fn complaints(out: &mut String, word: &str, errors: &[ConfigError]) {
    for error in errors {
        let place = error.place.expect("a fault of an entry has a place");
        writeln!(out, "  {word} {place} {}", error.problem).expect("a string takes it");
    }
}

fn launched(out: &mut String, launch: &Launch) {
    let words = std::iter::once(&launch.program).chain(&launch.args).map(|word| quoted(word));
    let words: Vec<String> = words.collect();
    writeln!(out, "  argv {}", words.join(" ")).expect("a string takes it");
    for variable in &launch.env {
        let origin = match variable.origin {
            Origin::File => "file",
            Origin::EnvFile => "envfile",
            Origin::Environment => "environment",
        };
        let (name, value, place) = (&variable.name, &variable.value, variable.place);
        writeln!(out, "  env {name}={value} ({origin} {place})").expect("a string takes it");
    }
    for name in &launch.unset {
        writeln!(out, "  unset {name}").expect("a string takes it");
    }
    writeln!(out, "  cwd {}", launch.cwd.display()).expect("a string takes it");
    let waits = [("startup", launch.timeouts.startup), ("reply", launch.timeouts.reply)];
    let waits: Vec<String> = waits
        .into_iter()
        .filter_map(|(name, time)| {
            time.map(|time: Duration| format!("{name} {} s", time.as_secs_f64()))
        })
        .collect();
    if !waits.is_empty() {
        writeln!(out, "  waits {}", waits.join(", ")).expect("a string takes it");
    }
    for (word, secrets) in [("secret", &launch.secrets), ("borrowed", &launch.borrowed)] {
        let mut names: Vec<&str> =
            secrets.iter().map(|secret: &Secret| secret.name.as_str()).collect();
        if word == "secret" {
            names.dedup();
        }
        if !names.is_empty() {
            writeln!(out, "  {word} {}", names.join(" ")).expect("a string takes it");
        }
    }
    for warning in &launch.warnings {
        writeln!(out, "  warning {} {}", warning.place, warning.text).expect("a string takes it");
    }
}

fn quoted(word: &str) -> String {
    match word {
        "" => "\"\"".to_owned(),
        _ if word.contains(' ') => format!("'{word}'"),
        _ => word.to_owned(),
    }
}
