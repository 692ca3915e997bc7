//! `polypath build -- CMD…`

use crate::exit::Exit;
use std::process::Command;
use toolchain::build::{BuildError, Variables};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the variables that a build.sh of OSS-Fuzz uses, where they are not set: CFLAGS, CXXFLAGS, SRC (here), OUT (./out),
    /// WORK (./work), SANITIZER and the like
    #[arg(long)]
    oss_fuzz: bool,
    /// The build command, e.g. `-- ./configure`, `-- make -j4`, `-- cmake -B out`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true,
        value_name = "CMD"
    )]
    command: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  polypath build -- ./configure && polypath build -- make -j4
  polypath build -- cmake -B out && polypath build -- cmake --build out
  polypath build --oss-fuzz -- ./build.sh                   the fuzz targets of an OSS-Fuzz project (docs/fuzz.md)
  polypath run ./src/prog --sym-args 0 2 4 --time 60        the new binary is also the program to run

Compilers are found by CC, CXX and their names in PATH; they make native code that carries its bitcode. LIB_FUZZING_ENGINE
links fuzz targets.
The exit status is that of CMD (127: there is no such command).";

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    // The build must not be the one that finds out that the libc is missing, in the middle of its output.
    toolchain::sysroot::ensure(&mut |text| say::err!("polypath: {text}"))?;
    let polypath = std::env::current_exe()?;
    let variables = if args.oss_fuzz {
        Variables::OssFuzz
    } else {
        Variables::Plain
    };
    let ran = toolchain::build::run(&polypath, &args.command, variables, Command::status);
    let (status, lines) = match ran {
        Ok(ended) => ended,
        // As shells, env and nice do it.
        Err(BuildError::NotStarted(command, why)) => {
            say::err!("polypath: {command}: {why}");
            let is_missing = why.kind() == std::io::ErrorKind::NotFound;
            return Ok(Exit::Status(if is_missing { 127 } else { 126 }));
        }
        Err(error) => return Err(error.into()),
    };
    for line in lines {
        say::err!("polypath build: {line}");
    }
    Ok(Exit::of(status))
}
