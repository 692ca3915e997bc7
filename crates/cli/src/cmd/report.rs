//! `polypath report DIR`

use std::path::PathBuf;

use crate::exit::Exit;

#[derive(clap::Args)]
pub struct Args {
    /// The output directory of a run, e.g. polypath-last
    dir: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let written = testcase::report::run(&args.dir)?;
    for problem in &written.problems {
        eprintln!("polypath: {problem}");
    }
    for file in &written.files {
        println!("{}", file.display());
    }
    Ok(Exit::Nothing)
}
