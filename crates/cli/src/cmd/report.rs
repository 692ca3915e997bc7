//! `polypath report DIR`

use std::path::PathBuf;

use crate::exit::Exit;

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The output directory of a run, e.g. polypath-last
    dir: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  polypath report polypath-last && xdg-open polypath-last/report.html
  polypath replay polypath-last; polypath report polypath-last      with what native runs confirmed

Files in DIR: report.html (one page, no network), lcov.info (genhtml, editors), report.sarif (code hosts),
junit.xml (build servers); of a Java run also jacoco.xml (line coverage).";

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let written = testcase::report::run(&args.dir)?;
    for problem in &written.problems {
        say::err!("polypath: {problem}");
    }
    for file in &written.files {
        say::out!("{}", file.display());
    }
    // What could not be read is not in the reports.
    Ok(if written.problems.is_empty() {
        Exit::Nothing
    } else {
        Exit::Failed
    })
}
