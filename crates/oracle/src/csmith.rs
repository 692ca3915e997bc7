//! Randomly generated C programs (Yang et al., Finding and understanding bugs in C
//! compilers, PLDI 2011) at -O0, -O1 and -O2, under Polypath and natively (the system's C
//! compiler and libc: nothing of ours). Csmith's programs are free of undefined behavior and
//! print a checksum of their globals.

use crate::fidelity::{ConcreteProgram, ProgramEnding, difference, engine, native};
use crate::measure::measure;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Where Debian's libcsmith-dev puts `csmith.h`.
const INCLUDE: &str = "-I/usr/include/csmith";
/// The levels of optimization at which each program is run.
pub const LEVELS: &[&str] = &["-O0", "-O1", "-O2"];

/// Whether csmith and its headers are installed.
pub fn available() -> bool {
    let header = Path::new("/usr/include/csmith/csmith.h").is_file();
    header
        && Command::new("csmith")
            .arg("--version")
            .output()
            .is_ok_and(|o| o.status.success())
}

/// Writes the program of a seed.
pub fn generate(seed: u64, source: &Path) -> Result<()> {
    let mut command = Command::new("csmith");
    command
        .arg("--seed")
        .arg(seed.to_string())
        .arg("--output")
        .arg(source);
    // Programs of moderate size find as much and end sooner.
    command.args(["--max-funcs", "6", "--max-block-depth", "3", "--no-argc"]);
    let usage = measure(&mut command, Duration::from_secs(30))?;
    ensure!(
        usage.code() == 0 && source.is_file(),
        "csmith --seed {seed}: {}",
        usage.last_words()
    );
    Ok(())
}

/// One program at all levels: the levels that failed, with the reason; `None` when the native run
/// does not end (csmith does not promise it). The source of a failing one stays in `dir`.
pub fn check(polypath: &Path, seed: u64, dir: &Path) -> Result<Option<Vec<(String, String)>>> {
    let source = dir.join(format!("csmith-{seed}.c"));
    generate(seed, &source)?;
    let program = ConcreteProgram {
        source: source.clone(),
        ..ConcreteProgram::default()
    };
    let Some(expected): Option<ProgramEnding> =
        native(&["cc"], &program.with_flags(&["-O1", INCLUDE]))?
    else {
        std::fs::remove_file(&source)?;
        return Ok(None);
    };
    let mut failed = Vec::new();
    for level in LEVELS {
        let wrong = match engine(polypath, &program.with_flags(&[level, INCLUDE]))? {
            Ok(ending) => difference(&expected, &ending),
            Err(wrong) => Some(wrong),
        };
        failed.extend(wrong.map(|w| (level.to_string(), w)));
    }
    if failed.is_empty() {
        std::fs::remove_file(&source)?;
    }
    Ok(Some(failed))
}
