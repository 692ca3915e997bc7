//! Suite `csmith`: randomly generated C programs (Yang et al., Finding and understanding bugs in C
//! compilers, PLDI 2011) at -O0, -O1 and -O2, under Polypath and natively (the system's C
//! compiler and libc: nothing of ours). Csmith's programs are free of undefined behaviour and
//! print a checksum of their globals. The source of a failing one is kept.

use crate::Context;
use crate::fidelity::{Ending, Program, difference, engine, native};
use crate::measure::measure;
use crate::report::{Cell, Report};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where Debian's libcsmith-dev puts `csmith.h`.
const INCLUDE: &str = "-I/usr/include/csmith";
const LEVELS: &[&str] = &["-O0", "-O1", "-O2"];

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
/// does not end (csmith does not promise it).
pub fn check(polypath: &Path, seed: u64, dir: &Path) -> Result<Option<Vec<(String, String)>>> {
    let source = dir.join(format!("csmith-{seed}.c"));
    generate(seed, &source)?;
    let program = Program {
        source: source.clone(),
        ..Program::default()
    };
    let Some(expected): Option<Ending> = native(&["cc"], &program.with_flags(&["-O1", INCLUDE]))?
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

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    ensure!(
        available(),
        "csmith or its headers are missing: apt-get install csmith libcsmith-dev"
    );
    let dir: PathBuf = context.out.join("csmith");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut report = Report::new(
        "Generated programs against their native run",
        &["", "count"],
    );
    let (mut compared, mut endless, mut wrong) = (0u64, 0u64, 0u64);
    for seed in context.first_seed..context.first_seed + context.count {
        match check(&context.polypath, seed, &dir)? {
            None => endless += 1,
            Some(failed) => {
                compared += LEVELS.len() as u64;
                wrong += failed.len() as u64;
                for (level, why) in failed {
                    say::err!("csmith: seed {seed} {level}: {why}");
                    report.failures.push(format!("seed {seed} {level}: {why}"));
                }
            }
        }
        if (seed + 1 - context.first_seed).is_multiple_of(50) {
            say::err!("csmith: {compared} runs compared, {wrong} differ");
        }
    }
    let mut row = |name: &str, n: u64| report.rows.push(vec![Cell::from(name), Cell::from(n)]);
    row("runs compared", compared);
    row("differing", wrong);
    row("programs whose native run does not end", endless);
    if wrong > 0 {
        report
            .remarks
            .push(format!("sources of failing programs: {}", dir.display()));
    }
    Ok(report)
}
