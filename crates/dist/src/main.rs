//! `polypath-dist`: makes what users install, for `./x dist`. [`tree`] is the one description of what is installed where; each form is a
//! way to pack that tree. The same programs and the same C library give the same bytes.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod archive;
mod bundle;
mod deb;
mod image;
mod programs;
mod sbom;
mod tree;
mod wheel;
mod zip;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};

/// The version of all parts.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The machine that the programs are for, as names of files have it.
const MACHINE: &str = "x86_64-linux";

/// Packs Polypath for its users.
#[derive(Parser)]
#[command(
    after_help = "`./x dist` builds the programs first, and `./x dist --test` tries each form on fresh systems."
)]
struct Args {
    /// The directory with the programs, as cargo built them
    #[arg(long, value_name = "DIR")]
    programs: PathBuf,
    /// The top of the source tree
    #[arg(long, value_name = "DIR", default_value = ".")]
    source: PathBuf,
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "dist-out")]
    out: PathBuf,
    /// What to make; may be given several times
    #[arg(long, value_enum, default_values_t = [Form::Tar, Form::Deb, Form::Wheel])]
    form: Vec<Form>,
    /// For an image: the file system of a Debian in which the package is installed (`dist/trial image` makes it)
    #[arg(long, value_name = "DIR", required_if_eq("form", "image"))]
    root: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// An archive that runs from any folder, and one with the debug information
    Tar,
    /// A package for Debian 12, 13 and Ubuntu 24.04
    Deb,
    /// A package for Python's pip, with LLVM in it; needs patchelf
    Wheel,
    /// A container's image, as an OCI layout
    Image,
}

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    match make(&args) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            say::err!("polypath-dist: {error:#}");
            std::process::ExitCode::from(3)
        }
    }
}

fn make(args: &Args) -> Result<()> {
    fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    if args.form.contains(&Form::Image) {
        let root = args.root.as_deref().context("an image needs --root")?;
        let name = format!("polypath-{VERSION}-{MACHINE}-image.tar");
        written(&args.out.join(name), |file| image::write(root, file))?;
    }
    if !args.form.iter().any(|&form| form != Form::Image) {
        return Ok(());
    }
    let work = args.out.join("work");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work)?;
    let programs = programs::split(&args.programs, &work)?;
    say::err!("polypath-dist: building the C library");
    let sysroot = work.join(toolchain::sysroot::folder());
    fs::create_dir_all(&sysroot)?;
    toolchain::sysroot::install(&sysroot, &mut |text| say::err!("polypath-dist: {text}"))?;
    say::err!("polypath-dist: building the C++ library");
    let cxx = work.join(toolchain::cxx::folder());
    toolchain::cxx::install(&cxx, &sysroot, &mut |text| {
        say::err!("polypath-dist: {text}")
    })?;
    let all = tree::installed(&args.source, &programs, [&sysroot, &cxx], &work)?;
    let base = format!("polypath-{VERSION}-{MACHINE}");
    if args.form.contains(&Form::Tar) {
        let name = format!("{base}.tar.gz");
        written(&args.out.join(name), |file| {
            archive::gzip(file, |out| archive::write(&all, &base, out))
        })?;
        let debug = tree::debug(&programs)?;
        let name = format!("{base}-debug.tar.gz");
        written(&args.out.join(name), |file| {
            archive::gzip(file, |out| archive::write(&debug, &base, out))
        })?;
    }
    if args.form.contains(&Form::Deb) {
        let name = format!("polypath_{VERSION}_amd64.deb");
        written(&args.out.join(name), |file| deb::write(&all, file))?;
    }
    if args.form.contains(&Form::Wheel) {
        let wheel = wheel::make(all, &work)?;
        written(&args.out.join(&wheel.name), |file| wheel.write(file))?;
    }
    fs::remove_dir_all(&work)?;
    Ok(())
}

/// Writes a file that appears whole or not at all, and says how large it is.
fn written(path: &Path, write: impl FnOnce(&mut fs::File) -> Result<()>) -> Result<()> {
    let made = path.with_extension("part");
    let mut file = fs::File::create(&made).with_context(|| made.display().to_string())?;
    write(&mut file).with_context(|| path.display().to_string())?;
    fs::rename(&made, path)?;
    let size = fs::metadata(path)?.len();
    say::out!("{} ({} kB)", path.display(), size >> 10);
    Ok(())
}
