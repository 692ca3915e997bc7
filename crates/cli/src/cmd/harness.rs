//! `polypath harness LIBRARY --entry FUNCTION`

use crate::exit::Exit;
use crate::options::ParameterArgs;
use run::harness::{self, Scratch};
use std::path::PathBuf;

/// Writes the C driver by which `polypath run LIBRARY --entry FUNCTION` tests a function.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// A C source, bitcode, or a file of `polypath cc`: an object, an archive, a binary
    library: PathBuf,

    /// The function; FILE:FUNCTION if several have the name
    #[arg(long, value_name = "FUNCTION")]
    entry: String,

    #[command(flatten)]
    parameters: ParameterArgs,

    /// A flag for the compiler when LIBRARY is a source (repeatable)
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    cc_flag: Vec<String>,

    /// File for the driver [default: standard output]
    #[arg(short, long, value_name = "FILE.c")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  polypath harness list.c --entry list_insert -o driver.c
  polypath run list.c --entry list_insert --harness driver.c      after driver.c was edited
  polypath harness libz.a --entry inflate_table --array-len lens=codes:8";

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut say = |text: &str| say::err!("polypath: {text}");
    let scratch = Scratch::new()?;
    let library = harness::cut(
        &args.library,
        &args.cc_flag,
        &args.entry,
        &args.parameters.0,
        &scratch,
        &mut say,
    )?;
    let driver = args.parameters.0.driver(&library, false)?;
    for note in &driver.notes {
        say(&format!("note: {note}"));
    }
    match &args.output {
        Some(path) => std::fs::write(path, driver.source)?,
        None => say::out_part!("{}", driver.source),
    }
    Ok(Exit::Nothing)
}
