//! `polypath report DIR`

mod serve;

use std::path::PathBuf;

use crate::exit::Exit;

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The output directory of a run, e.g. polypath-last
    dir: PathBuf,
    /// Show the run in a browser on this machine while it goes on; ends with the run, and then writes the files
    #[arg(long)]
    serve: bool,
    /// The port of --serve; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0, requires = "serve")]
    port: u16,
}

const EXAMPLES: &str = "\
Examples:
  polypath report polypath-last && xdg-open polypath-last/report.html
  polypath replay polypath-last; polypath report polypath-last      with what native runs confirmed
  polypath report polypath-last --serve                             while the run goes on; prints the address

Files in DIR: report.html (one page, no network), lcov.info (genhtml, editors), report.sarif (code hosts),
junit.xml (build servers); of a Java run also jacoco.xml (line coverage).";

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.serve {
        serve::serve(&args.dir, args.port)?;
    }
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
