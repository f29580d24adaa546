//! Packages that need no registry: installed by the ecosystem's own client, launched, and gone.

use std::fs;
use std::future::{Future, pending, ready};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use packages::{Ecosystem, InstallError, Installed, Spec, install};
use tempfile::TempDir;

/// A package's client that has not ended by then will not.
const ENOUGH: Duration = Duration::from_secs(240);

fn install_from(
    path: &Path,
    bin: Option<&str>,
    deadline: Duration,
    stop: impl Future<Output = ()>,
) -> Result<Installed, InstallError> {
    let spec = Spec::parse(path.to_str().expect("a temporary path is UTF-8"))?;
    install(&spec, bin, deadline, stop)
}

/// What the installed command prints.
#[expect(clippy::disallowed_methods, reason = "the command prints one line; nothing is probed")]
fn printed(installed: &Installed) -> String {
    let output = Command::new(&installed.entry).output().expect("the entry is a program");
    String::from_utf8(output.stdout).expect("it prints text")
}

fn node_package(directory: &Path, manifest: &str) -> PathBuf {
    let path = directory.join("package");
    fs::create_dir_all(&path).expect("it can be made");
    fs::write(path.join("package.json"), manifest).expect("it can be written");
    let script = "#!/usr/bin/env node\nconsole.log('hello from node')\n";
    fs::write(path.join("cli.js"), script).expect("it can be written");
    path
}

#[test]
fn a_directory_of_node_is_packed_installed_and_gone() {
    let directory = TempDir::new().unwrap();
    let manifest = r#"{"name": "@s/hello", "version": "1.2.3", "bin": "cli.js"}"#;
    let path = node_package(directory.path(), manifest);
    let installed = install_from(&path, None, ENOUGH, pending()).unwrap();
    assert_eq!((installed.package.name.as_str(), installed.bin.as_str()), ("@s/hello", "hello"));
    assert_eq!(installed.package.version, "1.2.3");
    assert_eq!(installed.ecosystem, Ecosystem::Npm);
    assert!(installed.runtime.starts_with("node v"), "{}", installed.runtime);
    assert_eq!(printed(&installed), "hello from node\n");
    let prefix = installed.prefix().to_owned();
    assert!(installed.entry.starts_with(&prefix));
    drop(installed);
    assert!(!prefix.exists());
}

#[test]
fn a_package_of_node_without_the_command_wanted_is_refused() {
    let directory = TempDir::new().unwrap();
    let refused = |manifest: &str, bin: Option<&str>| {
        install_from(&node_package(directory.path(), manifest), bin, ENOUGH, pending()).unwrap_err()
    };
    let none = refused(r#"{"name": "a", "version": "1.0.0"}"#, None);
    assert!(matches!(none, InstallError::NoCommand { .. }), "{none}");
    let two = r#"{"name": "a", "version": "1.0.0", "bin": {"x": "cli.js", "y": "cli.js"}}"#;
    let several = refused(two, None);
    assert!(matches!(&several, InstallError::SeveralCommands { names } if *names == ["x", "y"]));
    let other = refused(two, Some("z"));
    assert!(matches!(other, InstallError::NoSuchCommand { .. }), "{other}");
    assert!([none, several, other].iter().all(InstallError::is_usage));
}

#[test]
fn a_package_that_needs_a_newer_runtime_is_told_apart() {
    let directory = TempDir::new().unwrap();
    let manifest =
        r#"{"name": "a", "version": "1.0.0", "bin": "cli.js", "engines": {"node": ">=99"}}"#;
    let path = node_package(directory.path(), manifest);
    match install_from(&path, None, ENOUGH, pending()) {
        Err(InstallError::WrongRuntime { detail }) => assert!(detail.contains(">=99"), "{detail}"),
        other => panic!("{:?}", other.map(|installed| installed.package)),
    }
}

#[test]
fn an_installation_that_hangs_is_ended_with_all_its_processes() {
    let directory = TempDir::new().unwrap();
    let (pid_file, left_file) = (directory.path().join("pid"), directory.path().join("left"));
    let manifest = format!(
        r#"{{"name": "a", "version": "1.0.0", "bin": "cli.js", "scripts": {{"prepack": "mktemp > '{}'; echo $$ > '{}'; exec tail -f /dev/null"}}}}"#,
        left_file.display(),
        pid_file.display()
    );
    let path = node_package(directory.path(), &manifest);
    let hung = install_from(&path, None, Duration::from_secs(10), pending()).unwrap_err();
    assert!(matches!(hung, InstallError::TimedOut { .. }), "{hung}");
    let pid = fs::read_to_string(&pid_file).expect("the script was begun").trim().to_owned();
    // A killed process may still wait to be reaped by whoever inherits it.
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
    // What a client puts among the temporary files when it is stopped goes with the prefix.
    let left = fs::read_to_string(&left_file).expect("the script was begun").trim().to_owned();
    assert!(left.starts_with('/') && !Path::new(&left).exists(), "{left}");
    let stopped = install_from(&path, None, ENOUGH, ready(())).unwrap_err();
    assert!(matches!(stopped, InstallError::Stopped), "{stopped}");
}

#[test]
fn a_wheel_is_installed_into_an_environment_of_its_own() {
    let directory = TempDir::new().unwrap();
    let wheel = directory.path().join("hello_py-0.5-py3-none-any.whl");
    let mut writer = zip::ZipWriter::new(fs::File::create(&wheel).unwrap());
    let info = "hello_py-0.5.dist-info";
    let files = [
        ("hello_py.py".to_owned(), "def main():\n    print('hello from python')\n"),
        (format!("{info}/METADATA"), "Metadata-Version: 2.1\nName: hello-py\nVersion: 0.5\n"),
        (format!("{info}/WHEEL"), "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (format!("{info}/entry_points.txt"), "[console_scripts]\nhello = hello_py:main\n"),
        (format!("{info}/RECORD"), "hello_py.py,,\n"),
    ];
    for (name, content) in files {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let installed = install_from(&wheel, None, ENOUGH, pending()).unwrap();
    assert_eq!((installed.package.name.as_str(), installed.bin.as_str()), ("hello-py", "hello"));
    assert_eq!(installed.package.version, "0.5");
    let integrity = installed.integrity.as_deref().expect("a file has a hash");
    assert!(integrity.starts_with("sha256:") && integrity.len() == 7 + 64, "{integrity}");
    assert_eq!(printed(&installed), "hello from python\n");
}

#[test]
fn a_crate_is_built_and_installed() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    fs::create_dir(root.join("src")).unwrap();
    let manifest =
        "[package]\nname = \"hello-rs\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(root.join("Cargo.toml"), manifest).unwrap();
    fs::write(root.join("src/main.rs"), "fn main() { println!(\"hello from rust\"); }\n").unwrap();
    let installed = install_from(root, None, ENOUGH, pending()).unwrap();
    assert_eq!(installed.bin, "hello-rs");
    assert_eq!(installed.package.version, "0.1.0");
    assert_eq!(printed(&installed), "hello from rust\n");
}
