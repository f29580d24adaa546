//! Tools that cargo does not bring along, each in the version that the tasks were written for.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::command::{Failure, cargo, output, program, succeed, target_directory};

/// A tool and its version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    name: &'static str,
    version: &'static str,
    /// How it is asked for its version.
    asked: &'static [&'static str],
}

/// Makes mutants of Rust sources and runs their tests.
pub(crate) const MUTANTS: Wanted =
    Wanted { name: "cargo-mutants", version: "27.1.0", asked: &["mutants", "--version"] };

/// Runs fuzz targets.
pub(crate) const FUZZ: Wanted =
    Wanted { name: "cargo-fuzz", version: "0.13.2", asked: &["--version"] };

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// A tool that is there.
#[derive(Debug)]
pub(crate) struct Tool {
    path: PathBuf,
}

impl Tool {
    /// The tool as it is found on PATH or was installed before; else installs it, which takes one
    /// or two minutes.
    pub(crate) fn find_or_install(wanted: Wanted) -> Result<Self, Failure> {
        let root = target_directory().join("tools");
        let own = root.join("bin").join(wanted.name);
        for path in [own.as_path(), Path::new(wanted.name)] {
            if is_it(path, wanted) {
                return Ok(Self { path: path.to_owned() });
            }
        }
        println!("installing {wanted}");
        succeed(
            cargo()
                .args(["install", "--quiet", "--locked", "--force", wanted.name, "--version"])
                .arg(wanted.version)
                .arg("--root")
                .arg(&root)
                // Its own, so that nothing of this workspace is built anew after it.
                .arg("--target-dir")
                .arg(root.join("build")),
        )?;
        Ok(Self { path: own })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether a program is there and says that it is the tool, in the version wanted.
fn is_it(path: &Path, wanted: Wanted) -> bool {
    output(program(path).args(wanted.asked)).is_ok_and(|output| {
        let said = String::from_utf8(output.stdout).unwrap_or_default();
        output.status.success() && said.trim() == wanted.to_string()
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Wanted, is_it};

    #[test]
    fn another_version_is_another_tool() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let wanted = Wanted { name: "cargo", version: "0.0.1", asked: &["--version"] };
        assert!(!is_it(Path::new(&cargo), wanted));
        assert!(!is_it(Path::new("/no/such/tool"), wanted));
    }
}
