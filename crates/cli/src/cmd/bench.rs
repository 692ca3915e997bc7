//! `polypath bench SUITE`

use std::path::PathBuf;

use bench::{Context, SUITES};

use crate::exit::Exit;

#[derive(clap::Args)]
pub struct Args {
    /// The experiment; without it they are listed
    suite: Option<String>,
    /// Where tables, JSON, plots and the runs' outputs go
    #[arg(long, default_value = "polypath-bench", value_name = "DIR")]
    out: PathBuf,
    /// Seconds for each run
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Seeds for each configuration; the table shows medians
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Generated programs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// First seed of the generated programs
    #[arg(long, value_name = "N", default_value_t = 1)]
    first_seed: u64,
    /// Only these programs or cases
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// A searcher to compare (repeatable)
    #[arg(long = "search", value_name = "NAME")]
    searchers: Vec<String>,
    /// Further options for each `polypath run`, after `--`
    #[arg(last = true, value_name = "OPTIONS")]
    run_options: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let Some(suite) = &args.suite else {
        for suite in SUITES {
            say::out!("{:<12} {}", suite.name, suite.help);
        }
        return Ok(Exit::Nothing);
    };
    if !SUITES.iter().any(|s| s.name == suite) {
        let names: Vec<_> = SUITES.iter().map(|s| s.name).collect();
        say::err!(
            "polypath: no suite '{suite}'; there are: {}",
            names.join(", ")
        );
        return Ok(Exit::Usage);
    }
    let context = Context {
        polypath: std::env::current_exe()?,
        out: std::path::absolute(&args.out)?,
        time: args.time,
        seeds: args.seeds,
        first_seed: args.first_seed,
        count: args.count,
        only: args.only,
        searchers: args.searchers,
        run_options: args.run_options,
    };
    // A missed goal is a failure of ours.
    Ok(if bench::run(suite, &context)? {
        Exit::Nothing
    } else {
        Exit::Failed
    })
}
