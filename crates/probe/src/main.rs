//! The command `mcp-stdio-probe`.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    match args.get(1) {
        // Before anything else, for every run waits for it.
        Some(task) if task == drive::SUPERVISE => drive::supervise(&args[2..]),
        _ => probe::main(args).end(),
    }
}
