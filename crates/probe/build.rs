//! Puts every profile into the command.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let directory = root.join("profiles");
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut profiles: Vec<PathBuf> = fs::read_dir(&directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    profiles.sort();
    let mut table = "const PROFILES: &[(&str, &str)] = &[\n".to_owned();
    for profile in profiles.iter().filter(|path| path.extension().is_some_and(|ext| ext == "json"))
    {
        let name = profile.file_stem().unwrap_or_default().display().to_string();
        let path = profile.display().to_string();
        writeln!(table, "    ({name:?}, include_str!({path:?})),")
            .expect("a String takes every text");
    }
    table.push_str("];\n");
    fs::write(out.join("profiles.rs"), table)
}
