//! The programs as users get them: without debug information, which is kept in files of its own that debuggers find by a link.

use anyhow::{Context as _, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that are installed: name and where.
pub const PROGRAMS: [(&str, Below); 2] = [
    ("polypath", Below::Bin),
    // Started by polypath alone.
    ("polypath-lower", Below::Parts),
];

/// Where a program is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Among the commands of the user.
    Bin,
    /// Among the parts of Polypath ([`host::installed::FOLDER`]).
    Parts,
}

/// The version of the GNU C library that suffices: that of Debian 10, and older than that of Ubuntu 20.04. (`./x dist` links for it.)
pub const GLIBC: (u32, u32) = (2, 28);

/// A program and its debug information.
pub struct Split {
    pub name: &'static str,
    pub place: Below,
    pub stripped: PathBuf,
    pub debug: PathBuf,
}

/// Splits each program of `from`; the results are in `work`.
///
/// # Errors
/// A program is not there, or `llvm-objcopy-19` fails.
pub fn split(from: &Path, work: &Path) -> Result<Vec<Split>> {
    PROGRAMS
        .iter()
        .map(|&(name, place)| {
            let whole = from.join(name);
            if !whole.is_file() {
                bail!(
                    "{} was not built (cargo build --workspace)",
                    whole.display()
                );
            }
            let debug = work.join(format!("{name}.debug"));
            let stripped = work.join(name);
            objcopy(&["--only-keep-debug"], &whole, &debug)?;
            let link = format!("--add-gnu-debuglink={}", debug.display());
            // Names of functions stay, for the report that a crash leaves.
            objcopy(&["--strip-debug", &link], &whole, &stripped)?;
            let needed = glibc_of(&stripped)?;
            if needed > GLIBC {
                let (found, told) = (version(needed), version(GLIBC));
                bail!("{name} needs glibc {found}, and its packages say {told}");
            }
            Ok(Split {
                name,
                place,
                stripped,
                debug,
            })
        })
        .collect()
}

fn objcopy(options: &[&str], from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("llvm-objcopy-19")
        .args(options)
        .args([from, to])
        .status()
        .context("llvm-objcopy-19 (apt-get install llvm-19)")?;
    if !status.success() {
        bail!("llvm-objcopy-19 {} failed", from.display());
    }
    Ok(())
}

/// A version in words.
pub fn version((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// The newest version of the GNU C library that a program asks for.
fn glibc_of(program: &Path) -> Result<(u32, u32)> {
    asked_glibc(program)?.with_context(|| format!("{}: no version of glibc", program.display()))
}

/// The newest version of the GNU C library that a program or shared library asks for, if it asks for one at all.
///
/// # Errors
/// `llvm-readelf-19` is missing, or fails.
pub fn asked_glibc(file: &Path) -> Result<Option<(u32, u32)>> {
    let words = command(
        Command::new("llvm-readelf-19")
            .arg("--version-info")
            .arg(file),
    )?;
    Ok(newest_glibc(&words))
}

/// The names of the shared libraries that a program or a shared library needs.
///
/// # Errors
/// `llvm-readelf-19` is missing, or fails.
pub fn needed(file: &Path) -> Result<BTreeSet<String>> {
    let words = command(
        Command::new("llvm-readelf-19")
            .arg("--needed-libs")
            .arg(file),
    )?;
    let names = words.lines().map(str::trim);
    Ok(names
        .filter(|line| line.contains(".so"))
        .map(String::from)
        .collect())
}

/// What a command prints.
///
/// # Errors
/// It is not there, or it fails.
pub fn command(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The newest version of `GLIBC_MAJOR.MINOR` in a text.
fn newest_glibc(text: &str) -> Option<(u32, u32)> {
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_counts() {
        let text = "Name: GLIBC_2.4 Flags\nName: GLIBC_2.35 Flags\nName: GLIBC_2.9";
        assert_eq!(newest_glibc(text), Some((2, 35)));
        assert_eq!(newest_glibc("GLIBC_PRIVATE"), None);
    }
}
