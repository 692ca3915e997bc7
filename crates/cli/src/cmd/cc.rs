//! `polypath cc` and `polypath c++`, also under the names `polypath-cc`, `cc`, `gcc`, … of symbolic links.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Context;
use toolchain::driver::{self, Language};

use crate::exit::Exit;

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// As for clang. POLYPATH_QUIET=1 silences our own notes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0.., value_name = "ARGS")]
    arguments: Vec<String>,
}

/// If the process was called as a compiler: the outcome. A compiler's arguments are none of clap's
/// business (`--help`, `--version` and `-v` are clang's).
pub fn as_compiler(arguments: &[OsString]) -> Option<anyhow::Result<Exit>> {
    let name = Path::new(arguments.first()?).file_name()?.to_str()?;
    let (language, skip) = match (
        Language::of_program_name(name),
        arguments.get(1).and_then(|a| a.to_str()),
    ) {
        (Some(language), _) => (language, 1),
        (None, Some("cc")) => (Language::C, 2),
        (None, Some("c++")) => (Language::Cxx, 2),
        (None, _) => return None,
    };
    let text = arguments[skip..]
        .iter()
        .map(|a| a.to_str().map(String::from))
        .collect::<Option<Vec<_>>>();
    Some(
        text.context("an argument is not UTF-8")
            .and_then(|arguments| run(language, &Args { arguments })),
    )
}

pub fn run(language: Language, args: &Args) -> anyhow::Result<Exit> {
    let quiet = std::env::var_os("POLYPATH_QUIET").is_some_and(|v| !v.is_empty() && v != "0");
    Ok(Exit::of(driver::run(language, &args.arguments, quiet)?))
}
