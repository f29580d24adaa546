//! Manual pages and shell completions, made of the command line itself.

use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::Complaints;
use crate::generated::{COMPLETIONS, Generated, MANUAL};

/// The shells for which there are completions.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

pub(super) fn generate_all() -> Result<Vec<Generated>, Complaints> {
    let mut command = probe::command_line().disable_help_subcommand(true);
    let mut files: Vec<Generated> = SHELLS
        .into_iter()
        .map(|shell| {
            let mut bytes = Vec::new();
            let name = command.get_name().to_owned();
            generate(shell, &mut command, &name, &mut bytes);
            let path = format!("{COMPLETIONS}/{name}.{}", ending(shell)).into();
            Generated { path, bytes }
        })
        .collect();
    command.build();
    page(&command, &mut files)?;
    for task in command.get_subcommands().filter(|task| !task.is_hide_set()) {
        page(task, &mut files)?;
    }
    Ok(files)
}

fn ending(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        _ => "fish",
    }
}

fn page(command: &Command, files: &mut Vec<Generated>) -> Result<(), Complaints> {
    let page = Man::new(command.clone());
    let name = page.get_filename();
    let mut bytes = Vec::new();
    page.render(&mut bytes).map_err(|error| vec![format!("{MANUAL}/{name}: {error}")])?;
    files.push(Generated { path: format!("{MANUAL}/{name}").into(), bytes });
    Ok(())
}
