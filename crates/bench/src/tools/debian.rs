//! Debian source packages, fetched and built by their own build systems, under `polypath build` or natively with sanitizers. Trees are kept
//! in the cache, and built once for a way of building and a C library.

use super::trees::work_dir;
use super::{Context, fresh_dir};
use anyhow::{Result, bail};
use oracle::measure::{Usage, measure};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A package, and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct DebianSource<'a> {
    /// Debian's name of the source package.
    pub name: &'a str,
    /// The folder of the cache for its tree.
    pub folder: &'a str,
    /// Libraries that are added first; the build sees no others.
    pub libraries: &'a [&'a str],
    /// Names of steps, and the shell commands that run in the source's directory.
    pub steps: &'a [(&'a str, &'a str)],
    /// What the steps run under.
    pub compiler: Compiler,
    /// What the build makes.
    pub product: &'a str,
    /// A tree with another key is built anew.
    pub key: &'a str,
}

/// Which compiler a package's own build system is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// `polypath build`.
    Polypath,
    /// The system's C compiler with these flags, which ask for sanitizers.
    Sanitizers(&'static str),
}

/// A build may take so long.
const PATIENCE: Duration = Duration::from_secs(3600);

/// The built tree, and how many seconds its build took.
///
/// # Errors
/// It cannot be fetched or built.
pub fn built(context: &Context, source: &DebianSource<'_>) -> Result<(PathBuf, f64)> {
    let dir = work_dir()?.join(source.folder);
    fs::create_dir_all(&dir)?;
    let tree = dir.join(source.name);
    let mark = tree.join(".polypath-built");
    if let Ok(text) = fs::read_to_string(&mark)
        && let Some((seconds, built)) = text.split_once('\n')
        && built == source.key
    {
        return Ok((tree, seconds.parse()?));
    }
    for library in source.libraries {
        let mut add = Command::new(&context.polypath);
        let usage = measure(add.args(["add", library]), PATIENCE)?;
        if usage.code() != 0 {
            bail!("polypath add {library}: {}", last_lines(&usage.stderr, 25));
        }
    }
    fresh_dir(&tree)?;
    toolchain::libraries::fetch_source(source.name, &tree)?;
    let mut seconds = 0.0;
    for (step, commands) in source.steps {
        let log = tree.join(format!(".polypath-{step}.log"));
        let usage = build(context, source, &tree, commands)?;
        fs::write(&log, [usage.stdout.as_slice(), &usage.stderr].concat())?;
        seconds += usage.wall_s;
        if usage.timed_out || usage.code() != 0 {
            let end = [last_lines(&usage.stdout, 5), last_lines(&usage.stderr, 15)].join("\n");
            bail!("{step} fails ({}):\n{end}", log.display());
        }
    }
    if !tree.join(source.product).is_file() {
        bail!("the build made no {}", source.product);
    }
    fs::write(mark, format!("{seconds:.0}\n{}", source.key))?;
    Ok((tree, seconds.round()))
}

fn build(
    context: &Context,
    source: &DebianSource<'_>,
    tree: &Path,
    commands: &str,
) -> Result<Usage> {
    let mut command = match source.compiler {
        Compiler::Polypath => {
            let mut command = Command::new(&context.polypath);
            command.args(["build", "--"]).arg("sh");
            command
        }
        Compiler::Sanitizers(flags) => {
            let bin = sanitizing(tree, flags)?;
            let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
            let all = std::iter::once(bin).chain(std::env::split_paths(&path));
            let mut command = Command::new("sh");
            command.env("PATH", std::env::join_paths(all)?);
            // (Programs that the build runs may leak.)
            command.env("ASAN_OPTIONS", "detect_leaks=0");
            command
        }
    };
    command
        .args(["-ec", commands])
        .current_dir(tree)
        .env(toolchain::libraries::VISIBLE, source.libraries.join(" "))
        .env("FORCE_UNSAFE_CONFIGURE", "1")
        .env("POLYPATH_QUIET", "1");
    measure(&mut command, PATIENCE)
}

/// A directory with compilers that add the sanitizers.
fn sanitizing(tree: &Path, flags: &str) -> Result<PathBuf> {
    let bin = tree.join(".polypath-bin");
    fs::create_dir_all(&bin)?;
    for name in ["cc", "gcc"] {
        let script = bin.join(name);
        let text = format!("#!/bin/sh\nexec /usr/bin/{name} -g {flags} \"$@\"\n");
        fs::write(&script, text)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    }
    Ok(bin)
}

/// The end of a command's output, for messages.
fn last_lines(text: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.trim().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
