//! `polypath add LIBRARY…`

use toolchain::libraries::{self, recipes};

use crate::exit::Exit;

#[derive(clap::Args)]
pub struct Args {
    /// Libraries, by the names of `--list`, of Debian's packages, of a header (zlib.h) or of an archive (-lz)
    #[arg(
        value_name = "LIBRARY",
        required_unless_present = "list",
        allow_hyphen_values = true
    )]
    names: Vec<String>,
    /// List the libraries, and those that are installed
    #[arg(long)]
    list: bool,
    /// Fetch the source again, and build it if there is another version
    #[arg(long)]
    update: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.list {
        return list();
    }
    let mut wanted = Vec::new();
    for name in &args.names {
        let Some(recipe) = recipes::meant_by(name) else {
            say::err!("polypath: no library '{name}' is known (polypath add --list)");
            return Ok(Exit::Usage);
        };
        wanted.push(recipe);
    }
    let polypath = std::env::current_exe()?;
    for recipe in wanted {
        let progress = &mut |text: &str| say::err!("polypath add: {text}");
        let added = libraries::add(recipe, args.update, &polypath, progress)?;
        say::err!(
            "polypath add: {} {} is there",
            recipe.name,
            added.version()?
        );
        // For scripts: --with-openssl=$(polypath add openssl).
        say::out!("{}", added.prefix.display());
    }
    Ok(Exit::Nothing)
}

fn list() -> anyhow::Result<Exit> {
    let added = match toolchain::sysroot::existing()? {
        Some(sysroot) => libraries::added(&sysroot)?,
        None => Vec::new(),
    };
    for recipe in recipes::RECIPES {
        let version = match added.iter().find(|a| a.recipe.name == recipe.name) {
            Some(added) => added.version()?,
            None => "-".into(),
        };
        let libraries: Vec<String> = recipe.libraries.iter().map(|l| format!("-l{l}")).collect();
        say::out!(
            "{:<14} {:<24} {}",
            recipe.name,
            version,
            libraries.join(" ")
        );
    }
    Ok(Exit::Nothing)
}
