//! Symbolic fidelity: the paths of a small program equal brute force over all its inputs.
//!
//! A program reads its input by one `klee_make_symbolic` of one or two bytes and ends by returning
//! from `main` or by `abort()`. Natively it is compiled together with a driver that calls `main` for
//! every input, with a hash over the control-flow edges passed (`-fsanitize-coverage=trace-pc`).
//! Then:
//! - every test's input must end natively as the test says;
//! - every outcome (exit status or abort) that brute force finds must have a test, and no other;
//! - there are as many completed paths as brute force finds distinct edge hashes, or fewer, as the
//!   engine may have merged branches into selects, but never fewer than distinct outcomes;
//! - nothing may be halted, parked or unsupported.

use crate::fidelity;
use crate::measure::measure;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testcase::replay::sandbox::Scratch;
use testcase::{ErrorKind, ExitKind, Run};

/// Runs the program (compiled with `-Dmain=program_main`) for each input.
const DRIVER: &str = r#"
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int program_main(void);
static unsigned input;
static uint64_t hash;
static jmp_buf out;
__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc(void) {
    hash = (hash ^ (uintptr_t)__builtin_return_address(0)) * 0x9E3779B97F4A7C15u;
    hash = hash << 23 | hash >> 41;
}
void klee_make_symbolic(void *p, size_t n, const char *name) { (void)name; memcpy(p, &input, n); }
void klee_assume(uintptr_t c) { if (!c) longjmp(out, 1); }
void program_abort(void) { longjmp(out, 2); }
int main(void) {
    for (input = 0; input < 1u << 8 * BYTES; input++) {
        hash = 1;
        int how = setjmp(out), status = 0;
        if (how == 0) status = program_main() & 255;
        if (how == 1) continue;
        printf("%u %llu %d\n", input, (unsigned long long)hash, how == 2 ? 256 : status);
    }
    return 0;
}
"#;
/// Stands for `abort()` among the exit statuses.
const ABORTED: i32 = 256;

struct BruteForce {
    /// Input → outcome; inputs that `klee_assume` excludes are missing.
    outcome_of: BTreeMap<u32, i32>,
    paths: usize,
}

fn brute_force(polypath: &Path, source: &Path, bytes: u32) -> Result<BruteForce> {
    let scratch = Scratch::new("brute")?;
    let path = |name: &str| scratch.path().join(name);
    std::fs::write(path("driver.c"), DRIVER)?;
    let compile = |what: &Path, object: &str, flags: &[&str]| -> Result<()> {
        let mut cc = Command::new(polypath);
        cc.args(["cc", "-O0", "-w", "-c"])
            .args(flags)
            .arg(what)
            .arg("-o")
            .arg(path(object));
        let usage = measure(&mut cc, Duration::from_secs(60))?;
        ensure!(
            usage.code() == 0,
            "{} does not compile: {}",
            what.display(),
            usage.last_words()
        );
        Ok(())
    };
    let program = [
        "-Dmain=program_main",
        "-Dabort=program_abort",
        "-fsanitize-coverage=trace-pc",
    ];
    compile(source, "program.o", &program)?;
    compile(
        &path("driver.c"),
        "driver.o",
        &[&format!("-DBYTES={bytes}")],
    )?;
    let mut link = Command::new(polypath);
    link.arg("cc")
        .arg(path("program.o"))
        .arg(path("driver.o"))
        .arg("-o")
        .arg(path("all"));
    let usage = measure(&mut link, Duration::from_secs(60))?;
    ensure!(usage.code() == 0, "linking: {}", usage.last_words());
    let usage = measure(&mut Command::new(path("all")), Duration::from_secs(60))?;
    ensure!(
        usage.code() == 0,
        "the driver failed with status {}",
        usage.code()
    );
    let (mut outcome_of, mut hashes) = (BTreeMap::new(), BTreeSet::new());
    for line in String::from_utf8_lossy(&usage.stdout).lines() {
        let fields: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [input, hash, outcome] = fields[..] else {
            continue;
        };
        outcome_of.insert(input as u32, outcome as i32);
        hashes.insert(hash);
    }
    Ok(BruteForce {
        outcome_of,
        paths: hashes.len(),
    })
}

/// Checks one program; what is wrong, in words.
pub fn check(polypath: &Path, source: &Path, flags: &[&str]) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    // The header says how much input there is: /* bytes: N */
    let bytes = text
        .split("bytes: ")
        .nth(1)
        .and_then(|t| t.get(..1))
        .and_then(|t| t.parse().ok());
    let bytes: u32 = bytes.with_context(|| format!("{}: no 'bytes: N'", source.display()))?;
    ensure!((1..=2).contains(&bytes), "one or two bytes");
    let brute = brute_force(polypath, source, bytes)?;

    let scratch = Scratch::new("symbolic")?;
    let out = scratch.path().join("out");
    let mut command = Command::new(polypath);
    command.arg("run").args(["--quiet", "--cc-flag=-w"]);
    command.args(flags.iter().map(|f| format!("--cc-flag={f}")));
    command.arg("--out").arg(&out).arg(source);
    command.current_dir(scratch.path());
    let usage = measure(&mut command, Duration::from_secs(120))?;
    let mut wrong = Vec::new();
    if usage.timed_out || usage.code() > 1 {
        wrong.push(format!(
            "polypath: exit {}: {}",
            usage.code(),
            usage.last_words()
        ));
        return Ok(wrong);
    }
    let run = Run::read(&out)?;
    let stats = run.stats.clone().unwrap_or_default();
    if let Some(halted) = &stats.halted {
        wrong.push(format!("halted: {halted}"));
    }
    let mut seen = BTreeSet::new();
    for test in &run.tests {
        let mut input = 0;
        for (i, byte) in test
            .objects
            .iter()
            .flat_map(|(_, bytes)| bytes)
            .take(4)
            .enumerate()
        {
            input |= u32::from(*byte) << (8 * i);
        }
        let outcome = match &test.expected.exit {
            ExitKind::Status(status) => status & 255,
            ExitKind::Signal(6) | ExitKind::Error(ErrorKind::Abort) => ABORTED,
            other => {
                wrong.push(format!("input {input:#x}: ends with {other:?}"));
                continue;
            }
        };
        if brute.outcome_of.get(&input) != Some(&outcome) {
            let native = brute.outcome_of.get(&input);
            wrong.push(format!(
                "input {input:#x}: outcome {outcome}, natively {native:?}"
            ));
        }
        seen.insert(outcome);
    }
    let outcomes: BTreeSet<i32> = brute.outcome_of.values().copied().collect();
    for missed in outcomes.difference(&seen) {
        let (input, _) = brute
            .outcome_of
            .iter()
            .find(|(_, o)| *o == missed)
            .unwrap_or((&0, &0));
        wrong.push(format!("outcome {missed} (of input {input:#x}) was missed"));
    }
    let paths = stats.completed_paths as usize;
    if paths > brute.paths || paths < outcomes.len() {
        let (n, most) = (outcomes.len(), brute.paths);
        wrong.push(format!(
            "{paths} paths; brute force has {n} outcomes on {most} paths"
        ));
    }
    Ok(wrong)
}

/// Checks that a program without symbolic input does natively what it does under Polypath; see
/// [`fidelity::compare`].
pub fn concrete(polypath: &Path, source: &Path, flags: &[&str]) -> Result<Option<String>> {
    fidelity::compare(
        polypath,
        &fidelity::Program::beside(source).with_flags(flags),
    )
}
