//! `polypath extract BINARY [-o X.bc]`

use std::path::PathBuf;

use crate::exit::Exit;
use toolchain::extract::Link;

#[derive(clap::Args)]
pub struct Args {
    /// A binary or object file built by `polypath cc`
    binary: PathBuf,
    /// File for the bitcode [default: BINARY.bc]
    #[arg(short, long, value_name = "X.bc")]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let output = args.output.clone().unwrap_or_else(|| {
        let mut name = args.binary.clone().into_os_string();
        name.push(".bc");
        name.into()
    });
    let modules = toolchain::extract::modules(&args.binary)?;
    let count = modules.len();
    toolchain::link::link(modules, &output)?;
    say::err!("polypath: {}: {count} modules", output.display());
    match toolchain::extract::link(&args.binary)? {
        Link::Recorded(words) if !words.is_empty() => say::err!(
            "polypath: note: the names are those of the sources: what the linker's options made of them ({words}) is in the binary only"
        ),
        _ => {}
    }
    Ok(Exit::Nothing)
}
