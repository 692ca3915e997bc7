//! The `polypath` command.
//!
//! To add a subcommand: write `cmd/NAME.rs` with `pub struct Args` (a clap `Args`) and
//! `pub fn run(args: Args) -> anyhow::Result<Exit>`, then add its module to `cmd/mod.rs` and its arm to
//! `Command` here.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod allocator;
mod budget;
mod cmd;
mod crash;
mod exit;
mod options;
mod project;
mod words;

use clap::{CommandFactory, FromArgMatches, Parser};
use exit::Exit;
use std::ffi::OsString;

/// Tests C and Java programs by running them on symbolic input.
#[derive(Parser)]
#[command(name = "polypath", version, after_help = exit::HELP, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// The command for which a shorthand command stands.
    fn meant(self) -> Result<Cli, clap::Error> {
        match self.command {
            Command::Cluster(args) => parse(args.words()),
            command => Ok(Cli { command }),
        }
    }
}

#[derive(clap::Subcommand)]
enum Command {
    /// Compile and link C like clang; the results also carry their bitcode
    Cc(cmd::cc::Args),
    /// Compile and link C++ like clang++, with libc++
    #[command(name = "c++")]
    Cxx(cmd::cc::Args),
    /// Run a build (make, configure, cmake, ...) with `polypath cc` as its compiler
    Build(cmd::build::Args),
    /// Build a library (zlib, openssl, ncurses, ...) from its Debian source for programs built so
    Add(cmd::add::Args),
    /// Write the whole-program bitcode of a binary built so
    Extract(cmd::extract::Args),
    /// Explore a program's paths and write test cases
    Run(Box<options::RunArgs>),
    /// Fuzz a program or a fuzz target natively, and explore its paths beside that
    Fuzz(Box<cmd::fuzz::Args>),
    /// Explore Java programs
    Java(cmd::java::Args),
    /// Test a project as its polypath.toml says: run, replay, report
    Test(cmd::test::Args),
    /// Write the driver by which `polypath run --entry` tests a single function
    Harness(cmd::harness::Args),
    /// Decide an SMT-LIB 2 script, or hold an SMT-LIB dialogue
    Solve(cmd::solve::Args),
    /// Print tests, errors and statistics of a run
    Show(cmd::show::Args),
    /// Write tests as files, also those that are in the pack
    Export(cmd::export::Args),
    /// Run the tests natively and compare; confirm the errors
    Replay(cmd::replay::Args),
    /// Write reports of a run: HTML, lcov, SARIF, JUnit
    Report(cmd::report::Args),
    /// Explore on the machines of a cluster: Ray
    Cluster(cmd::cluster::Args),
    /// Let this machine explore, too, for a run on another one
    Worker(cmd::worker::Args),
    /// Explore a part of a run (started by the run)
    #[command(name = run::jobs::PART, hide = true)]
    Part,
    /// Fuzz beside a run (started by `polypath fuzz`)
    #[command(name = fuzz::PART, hide = true)]
    FuzzPart,
    /// Explain a kind of error, or a loss
    Explain(cmd::explain::Args),
    /// List the tools of this machine, with versions
    Doctor(cmd::doctor::Args),
    /// Remove what was built once and is kept in the cache
    Clean(cmd::clean::Args),
    /// Print the manual page of a command
    Man(cmd::man::Args),
    /// Print what a shell needs to complete commands and options
    Completions(cmd::man::CompletionsArgs),
}

impl Command {
    fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::Cc(args) => cmd::cc::run(toolchain::driver::Language::C, &args),
            Command::Cxx(args) => cmd::cc::run(toolchain::driver::Language::Cxx, &args),
            Command::Build(args) => cmd::build::run(&args),
            Command::Add(args) => cmd::add::run(&args),
            Command::Extract(args) => cmd::extract::run(&args),
            Command::Run(args) => cmd::run::run(&args),
            Command::Fuzz(args) => cmd::fuzz::run(&args),
            Command::Java(args) => cmd::java::run(&args),
            Command::Test(args) => cmd::test::run(&args),
            Command::Harness(args) => cmd::harness::run(&args),
            Command::Solve(args) => cmd::solve::run(&args),
            Command::Show(args) => cmd::show::run(&args),
            Command::Export(args) => cmd::export::run(&args),
            Command::Replay(args) => cmd::replay::run(&args),
            Command::Report(args) => cmd::report::run(&args),
            Command::Cluster(_) => unreachable!("it stands for another command"),
            Command::Worker(args) => cmd::worker::run(&args),
            Command::Part => cmd::part::run(),
            Command::FuzzPart => cmd::fuzz::part(),
            Command::Explain(args) => cmd::explain::run(&args),
            Command::Doctor(args) => cmd::doctor::run(&args),
            Command::Clean(args) => cmd::clean::run(&args),
            Command::Man(args) => cmd::man::run(&args),
            Command::Completions(args) => cmd::man::completions(&args),
        }
    }
}

fn main() -> std::process::ExitCode {
    run::process::started();
    run::process::set_release(allocator::release);
    say::set_asked_to_end(host::signals::came);
    std::panic::set_hook(Box::new(tell_panic));
    allocator::set_up();
    // The message of a panic stands on stderr already; the status says whose fault it is.
    let status = std::panic::catch_unwind(command).unwrap_or_else(|_| Exit::Failed.into());
    say::settle();
    status
}

/// What Rust itself says of a panic, to a reader that nobody waits for.
fn tell_panic(info: &std::panic::PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("<unnamed>");
    say::err!("\nthread '{name}' {info}");
    let trace = std::backtrace::Backtrace::force_capture();
    // Asked for by RUST_BACKTRACE=1.
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|asked| asked != "0") {
        say::err!("stack backtrace:\n{trace}");
    }
    crash::leave(info, &trace);
}

fn command() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let [_, mode] = arguments.as_slice()
        && mode == testcase::replay::sandbox::WORKER
    {
        testcase::replay::sandbox::worker_main();
    }
    if let [_, mode, program @ ..] = arguments.as_slice()
        && mode == fence::launch::MODE
    {
        fence::launch::main(program);
    }
    if !host::installed::is_known() {
        say::err!(
            "polypath: there is no /proc here, without which a program does not find its own parts: mount -t proc proc /proc"
        );
        return Exit::Failed.into();
    }
    let outcome = match cmd::cc::as_compiler(&arguments) {
        Some(outcome) => outcome,
        None => match parse(arguments).and_then(Cli::meant) {
            Ok(cli) => cli.command.run(),
            Err(error) => return refuse(&error).into(),
        },
    };
    let exit = match outcome {
        Ok(exit) => exit,
        Err(error) => {
            say::err!("polypath: {error:#}");
            Exit::of_error(&error)
        }
    };
    match say::lost() {
        Some(why) => {
            say::err!("polypath: cannot write to standard output: {why}");
            Exit::Failed
        }
        None => exit,
    }
    .into()
}

/// Reads a command line, which is that of this process from now on.
fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    if options::is_said(&arguments) {
        command = options::lenient(command);
    }
    let matches = command.try_get_matches_from(&arguments)?;
    let cli = Cli::from_arg_matches(&matches)?;
    if !matches!(cli.command, Command::Cluster(_)) {
        run::process::set_arguments(arguments);
    }
    Ok(cli)
}

/// Help and version, and command lines that clap refuses: with advice where the words are known.
fn refuse(error: &clap::Error) -> Exit {
    // Help and version are no mistakes. If the terminal is gone there is nobody to tell.
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Nothing;
    }
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|w| w.to_string_lossy().into_owned())
        .collect();
    let said = error.to_string();
    let said = said.lines().next().unwrap_or_default();
    if let Some(place) = words.first().and_then(|w| words::moved(w)) {
        say::err!("{said}\n\npolypath: {place}");
        return Exit::Usage;
    }
    let advice = words::advise(&Cli::command(), &words);
    let Some(advice) = advice else {
        use std::io::IsTerminal;
        if std::io::stderr().is_terminal() {
            // In colours. If the terminal is gone there is nobody to tell.
            let _ = error.print();
        } else {
            say::err_part!("{}", error.render());
        }
        return Exit::Usage;
    };
    // clap's advice is about similar names of ours; this one knows whose the words are.
    say::err!("{said}\n");
    for line in advice.lines() {
        say::err!("polypath: {line}");
    }
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
