//! `polypath man` and `polypath completions`: what a shell and its users read about the commands, made from the command line's own
//! description.

use anyhow::Context as _;
use clap::CommandFactory;
use std::path::PathBuf;

use crate::exit::{Exit, UsageError};

#[derive(clap::Args)]
#[command(after_help = "polypath man run | man -l -        read a page
polypath man --to DIR              write all pages, as packages do")]
pub struct Args {
    /// The command whose page is printed, such as `run` or `java test`; without one, that of polypath
    #[arg(conflicts_with = "to", value_name = "COMMAND")]
    command: Vec<String>,
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut all = crate::Cli::command();
    if let Some(dir) = &args.to {
        std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        clap_mangen::generate_to(all, dir).with_context(|| dir.display().to_string())?;
        return Ok(Exit::Nothing);
    }
    all.build();
    let mut page = &all;
    for word in &args.command {
        page = page.find_subcommand(word).ok_or_else(|| {
            UsageError(format!("there is no command '{}'", args.command.join(" ")))
        })?;
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone()).render(&mut text)?;
    say::out_part!("{}", String::from_utf8_lossy(&text));
    Ok(Exit::Nothing)
}

#[derive(clap::Args)]
#[command(after_help = "source <(polypath completions bash)    in bash, for this session")]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

pub fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut crate::Cli::command(),
        "polypath",
        &mut text,
    );
    say::out_part!("{}", String::from_utf8_lossy(&text));
    Ok(Exit::Nothing)
}
