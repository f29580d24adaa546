//! The command `mcp-stdio-probe`.

use std::process::ExitCode;

fn main() -> ExitCode {
    probe::main(std::env::args_os()).into()
}
