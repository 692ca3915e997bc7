//! `polypath fuzz PROGRAM`: native fuzzers and an exploration on one corpus.

use crate::exit::{Exit, UsageError};
use crate::options::RunArgs;
use run::plan::FuzzPlan;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is no option of `polypath run`.
#[derive(clap::Args)]
#[command(next_help_heading = "Fuzzers")]
pub struct Own {
    /// Time for one input of a fuzzer, in milliseconds (afl-fuzz -t)
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=3_600_000), conflicts_with = "resume")]
    exec_timeout: u64,
    /// Address space of the program in a fuzzer, in MiB; 0: no limit (afl-fuzz -m)
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(..=1 << 30), conflicts_with = "resume")]
    exec_memory: u64,
    /// A dictionary of tokens, in the form of AFL++ (-x) and libFuzzer (-dict)
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    dict: Option<PathBuf>,
}

/// `polypath fuzz` has the options of `polypath run`, and its own.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    own: Own,
    #[command(flatten)]
    run: RunArgs,
}

/// Fuzzes and explores.
///
/// # Errors
/// Wrong usage, a program that cannot be run, files that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let tokens = match &args.own.dict {
        Some(file) => tokens(file)?,
        None => Vec::new(),
    };
    let plan = FuzzPlan {
        processes: 1,
        time: Duration::from_millis(args.own.exec_timeout),
        memory_mb: args.own.exec_memory,
        tokens,
    };
    super::run::begin(args.run.fuzz_plan(plan)?)
}

/// The tokens of a dictionary.
fn tokens(file: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    let name = file.display();
    let text = std::fs::read(file).map_err(|e| UsageError(format!("--dict {name}: {e}")))?;
    let tokens = fuzz::tokens_of(&text);
    let tokens =
        tokens.map_err(|(line, why)| UsageError(format!("--dict {name}: line {line}: {why}")));
    Ok(tokens?)
}

/// Fuzzes for a run, as standard input says.
///
/// # Errors
/// The program does not start, or files cannot be written.
pub fn part() -> anyhow::Result<Exit> {
    fuzz::part(std::io::stdin(), &mut |text| {
        say::err!("polypath: the fuzzers' programs: {text}");
    })?;
    Ok(Exit::Nothing)
}
