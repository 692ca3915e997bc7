//! `polypath export DIR [TEST]... --to DIR`

use crate::exit::{Exit, UsageError};
use anyhow::Context;
use std::path::PathBuf;
use testcase::{Located, Run, TestCase, read, testdir};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The output directory of a run, and tests of it by name or number; without one, all its tests. Or tests by their
    /// paths
    #[arg(required = true, value_name = "DIR [TEST]")]
    what: Vec<PathBuf>,
    /// The directory to write to, which is made; a test of the same name there is an error
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Of all tests, only those that covered something new or ended in an error
    #[arg(long)]
    new: bool,
}

const EXAMPLES: &str = "\
Examples:
  polypath export polypath-last 24791 --to kept        a test that is in the pack, as files
  polypath export polypath-last --new --to kept        all tests that show something

Each test gets a directory with its input as raw files, and a .ktest in KLEE's format beside it, as in DIR/tests.";

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let located = Located::all(&args.what)?;
    let names_tests = located.iter().any(|l| l.test.is_some());
    std::fs::create_dir_all(&args.to)
        .with_context(|| format!("cannot create {}", args.to.display()))?;
    let mut written = 0;
    let mut write = |test: &TestCase| -> anyhow::Result<()> {
        let name = testcase::test_name(test.id);
        let path = args.to.join(&name);
        if path.exists() {
            let why = format!("{}: there is a test of this name", path.display());
            return Err(UsageError(why).into());
        }
        testdir::store(&args.to, test)
            .with_context(|| format!("cannot write {}", path.display()))?;
        written += 1;
        Ok(())
    };
    let mut problems = Vec::new();
    for of in &located {
        if of.test.is_some() {
            let test = of.read().map_err(|e| UsageError(format!("{e:#}")))?;
            write(&test.context("a test was named")?)?;
        } else if !names_tests {
            let run = Run::without_tests(&of.run)?;
            let mut failed = None;
            read::each_test(&run.dir.join("tests"), &mut problems, &mut |test| {
                let is_wanted = !args.new || test.covered_new || test.error.is_some();
                if is_wanted && failed.is_none() {
                    failed = write(&test).err();
                }
            })?;
            if let Some(e) = failed {
                return Err(e);
            }
        }
    }
    for problem in &problems {
        say::err!("polypath: {problem}");
    }
    say::out!("{written} tests written to {}", args.to.display());
    Ok(if problems.is_empty() {
        Exit::Nothing
    } else {
        Exit::Failed
    })
}
