//! The `polypath` command.
//!
//! To add a subcommand: write `cmd/NAME.rs` with `pub struct Args` (a clap `Args`) and
//! `pub fn run(args: Args) -> anyhow::Result<Exit>`, then add its module to `cmd/mod.rs` and its arm to
//! `Command` here.

mod cmd;
mod exit;
mod session;

use clap::Parser;
use exit::Exit;

/// Forks allocate and free small things all the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives memory that is free inside the allocator back to the system.
pub(crate) fn release_memory() {
    // SAFETY: mi_collect has no preconditions.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Tests C programs by running them on symbolic input.
#[derive(Parser)]
#[command(name = "polypath", version, after_help = exit::HELP, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Compile and link C like clang; the results also carry their bitcode
    Cc(cmd::cc::Args),
    /// Compile and link C++ like clang++ (without exceptions and without a standard library)
    #[command(name = "c++")]
    Cxx(cmd::cc::Args),
    /// Run a build (make, configure, cmake, ...) with `polypath cc` as its compiler
    Build(cmd::build::Args),
    /// Write the whole-program bitcode of a binary built so
    Extract(cmd::extract::Args),
    /// Explore a program's paths and write test cases
    Run(Box<cmd::run::RunArgs>),
    /// Write the driver by which `polypath run --entry` tests a single function
    Harness(cmd::harness::Args),
    /// Decide an SMT-LIB 2 script, or hold an SMT-LIB dialogue
    Solve(cmd::solve::Args),
    /// Run the tests natively and compare; confirm the errors
    Replay(cmd::replay::Args),
    /// Write reports of a run: HTML, lcov, SARIF, JUnit
    Report(cmd::report::Args),
    /// Run an experiment: tables, JSON and plots
    Bench(cmd::bench::Args),
    /// Show what was found on this machine, with versions
    Doctor(cmd::doctor::Args),
}

impl Command {
    fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::Cc(args) => cmd::cc::run(toolchain::driver::Language::C, &args),
            Command::Cxx(args) => cmd::cc::run(toolchain::driver::Language::Cxx, &args),
            Command::Build(args) => cmd::build::run(&args),
            Command::Extract(args) => cmd::extract::run(&args),
            Command::Run(args) => cmd::run::run(&args),
            Command::Harness(args) => cmd::harness::run(&args),
            Command::Solve(args) => cmd::solve::run(&args),
            Command::Replay(args) => cmd::replay::run(&args),
            Command::Report(args) => cmd::report::run(&args),
            Command::Bench(args) => cmd::bench::run(args),
            Command::Doctor(args) => cmd::doctor::run(&args),
        }
    }
}

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let outcome = match cmd::cc::as_compiler(&arguments) {
        Some(outcome) => outcome,
        None => match Cli::try_parse_from(arguments) {
            Ok(cli) => cli.command.run(),
            Err(error) => {
                // Help and version are no mistakes. If the terminal is gone there is nobody to tell.
                let _ = error.print();
                return if error.use_stderr() {
                    Exit::Usage
                } else {
                    Exit::Nothing
                }
                .into();
            }
        },
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("polypath: {error:#}");
            if error.is::<exit::UsageError>() {
                Exit::Usage
            } else {
                Exit::Failed
            }
            .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
