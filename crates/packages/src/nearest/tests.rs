//! Tests of `nearest`, with directories as package managers leave them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use super::nearest;

fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().expect("a temporary directory can be made");
    for (path, text) in files {
        put(directory.path(), path, text);
    }
    directory
}

fn put(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
    fs::write(path, text).expect("it can be written");
}

/// `npm demo 1.2.3 package.json`, the manifest told from the directory on.
fn found(directory: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let directory = directory.canonicalize().expect("it is there");
    let found = nearest(Path::new(program), &arguments, &directory)?;
    let manifest = found.manifest.strip_prefix(&directory).expect("it is inside").display();
    let version = found.version.as_deref().unwrap_or("-");
    Some(format!("{} {} {version} {manifest}", found.ecosystem.name(), found.name))
}

const NPM: &str = r#"{ "name": "demo", "version": "1.2.3" }"#;
const METADATA: &str = "Metadata-Version: 2.1\nName: demo\nVersion: 4.5\n\nVersion: 9\n";

#[rstest]
#[case::script("/usr/bin/node", &["dist/index.js"])]
#[case::options("/usr/bin/node", &["--no-warnings", "-r", "dotenv", "dist/index.js", "--port", "1"])]
#[case::without_its_ending("node", &["dist/index"])]
#[case::directory("node", &["."])]
#[case::other_runtime("/opt/bun", &["run", "dist/index.js"])]
#[case::program("dist/index.js", &[])]
fn the_package_of_a_script_is_the_nearest_with_a_name(
    #[case] program: &str,
    #[case] arguments: &[&str],
) {
    // A file that only says which modules are meant is no package.
    let tree = tree(&[
        ("package.json", NPM),
        ("dist/package.json", r#"{ "type": "module" }"#),
        ("dist/index.js", ""),
    ]);
    let found = found(tree.path(), program, arguments);
    assert_eq!(found.as_deref(), Some("npm demo 1.2.3 package.json"));
}

#[rstest]
#[case::plain("node_modules/inner")]
#[case::with_a_scope("node_modules/@scope/inner")]
fn an_installed_package_is_not_that_of_the_project_round_it(#[case] place: &str) {
    let script = format!("{place}/index.js");
    let tree = tree(&[("package.json", NPM), (&script, "")]);
    assert_eq!(found(tree.path(), "node", &[&script]), None);
    put(tree.path(), &format!("{place}/package.json"), r#"{ "name": "inner" }"#);
    let expected = format!("npm inner - {place}/package.json");
    assert_eq!(found(tree.path(), "node", &[&script]), Some(expected));
    // As npm links commands.
    fs::create_dir(tree.path().join("bin")).expect("it can be made");
    symlink(tree.path().join(&script), tree.path().join("bin/inner")).expect("it can be linked");
    assert!(found(tree.path(), "bin/inner", &[]).is_some_and(|found| found.contains("inner")));
}

#[rstest]
#[case::script("python3.13", &["-u", "src/server.py"])]
#[case::module("/usr/bin/python3", &["-m", "src.server"])]
fn a_script_of_python_belongs_to_the_project_round_it(
    #[case] program: &str,
    #[case] arguments: &[&str],
) {
    let project = "[project]\nname = \"demo\"\ndynamic = [\"version\"]\n";
    let tree = tree(&[("pyproject.toml", project), ("package.json", NPM), ("src/server.py", "")]);
    let found = found(tree.path(), program, arguments);
    assert_eq!(found.as_deref(), Some("pypi demo - pyproject.toml"));
}

#[rstest]
#[case::command("venv/bin/demo", &[])]
#[case::script("python", &["venv/lib/python3.13/site-packages/pkg/server.py"])]
#[case::module("venv/bin/python3", &["-m", "pkg"])]
fn what_an_installer_wrote_down_names_the_package(
    #[case] program: &str,
    #[case] arguments: &[&str],
) {
    let site = "venv/lib/python3.13/site-packages";
    let tree = tree(&[
        ("venv/bin/demo", "#!python"),
        ("venv/bin/python3", ""),
        (&format!("{site}/pkg/server.py"), ""),
        (&format!("{site}/pkg/__main__.py"), ""),
        (&format!("{site}/aaa-1.dist-info/RECORD"), "aaa/x.py,,\n"),
        (&format!("{site}/demo-4.5.dist-info/RECORD"), "../../../bin/demo,,\npkg/server.py,,\n"),
        (&format!("{site}/demo-4.5.dist-info/METADATA"), METADATA),
    ]);
    // The module's program is told by its full path, as the launcher found it.
    let full = tree.path().join(program);
    let program = if arguments.first() == Some(&"-m") {
        full.to_str().expect("it is UTF-8")
    } else {
        program
    };
    let expected = format!("pypi demo 4.5 {site}/demo-4.5.dist-info/METADATA");
    assert_eq!(found(tree.path(), program, arguments), Some(expected));
}

#[test]
fn a_program_that_cargo_built_has_the_package_of_its_name() {
    let manifest = "[package]\nname = \"demo\"\nversion = \"0.3.0\"\n[[bin]]\nname = \"other\"\n";
    let files = ["target/debug/demo", "target/release/other", "target/debug/third", "demo"];
    let tree = tree(&[("Cargo.toml", manifest)]);
    for file in files {
        put(tree.path(), file, "");
    }
    let found = files.map(|file| found(tree.path(), file, &[]));
    let demo = || Some("cargo demo 0.3.0 Cargo.toml".to_owned());
    assert_eq!(found, [demo(), demo(), None, None]);
}

#[rstest]
#[case::code("node", &["-e", "x.js"])]
#[case::no_such_file("node", &["y.js"])]
#[case::no_such_program("/no/such/program", &[])]
#[case::broken("node", &["broken/x.js"])]
#[case::no_package("node", &["repo/inside/x.js"])]
fn what_cannot_be_known_is_not_guessed(#[case] program: &str, #[case] arguments: &[&str]) {
    let tree = tree(&[
        ("package.json", NPM),
        ("x.js", ""),
        ("broken/.git/HEAD", ""),
        ("broken/package.json", "{ \"name\": 7 }"),
        ("broken/x.js", ""),
        ("repo/.git/HEAD", ""),
        ("repo/inside/x.js", ""),
    ]);
    assert_eq!(found(tree.path(), program, arguments), None);
}
