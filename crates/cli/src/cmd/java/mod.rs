//! `polypath java`: the methods of Java programs (`docs/java.md`).

mod claim;
mod kinds;
mod options;
mod record;
mod run;

use crate::exit::Exit;

/// Explores Java programs.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Explore the paths of a method and write test cases
    Run(Box<options::RunArgs>),
}

/// Runs the subcommand.
///
/// # Errors
/// Wrong usage, a JDK that is missing, files that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(args) => run::run(args),
    }
}
