//! `polypath build -- CMD…`

use crate::exit::Exit;

#[derive(clap::Args)]
pub struct Args {
    /// The build command, e.g. `-- ./configure`, `-- make -j4`, `-- cmake -B out`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true,
        value_name = "CMD"
    )]
    command: Vec<String>,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    // The build must not be the one that finds out that the libc is missing, in the middle of its output.
    toolchain::sysroot::ensure(&mut |text| eprintln!("polypath: {text}"))?;
    let polypath = std::env::current_exe()?;
    Ok(Exit::of(toolchain::build::run(&polypath, &args.command)?))
}
