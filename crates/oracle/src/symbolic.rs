//! Symbolic fidelity: the paths of a small program equal brute force over all its inputs.
//!
//! A program reads its input by one `klee_make_symbolic` of one or two bytes and ends by returning
//! from `main` or by `abort()`. Natively it is compiled, unoptimized, together with a driver that calls
//! `main` for every input and hashes the control-flow edges passed (`-fsanitize-coverage=trace-pc`).
//! Then:
//! - every test's input must end natively as the test says;
//! - the tests' inputs must take every native path there is;
//! - no two tests may take the same one, unless the header says that the engine forks more finely
//!   than the program branches (`finer`: inside the libc, or by objects behind a pointer);
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
const HEADER: &str = "#include <stddef.h>\n#include <stdint.h>\n\
    void klee_make_symbolic(void *, size_t, const char *);\nvoid klee_assume(uintptr_t);\n";
/// Stands for `abort()` among the exit statuses.
const ABORTED: i32 = 256;

/// Input → (hash of the path, outcome); inputs that `klee_assume` excludes are missing.
type BruteForce = BTreeMap<u32, (u64, i32)>;

fn brute_force(source: &Path, bytes: u32) -> Result<BruteForce> {
    let scratch = Scratch::new("brute")?;
    let path = |name: &str| scratch.path().join(name);
    std::fs::write(path("driver.c"), DRIVER)?;
    std::fs::create_dir(path("klee"))?;
    std::fs::write(path("klee/klee.h"), HEADER)?;
    let clang = |arguments: &[&str], inputs: &[&Path], output: &str| -> Result<()> {
        let mut clang = Command::new("clang-19");
        clang.args(["-O0", "-w"]).arg("-I").arg(scratch.path());
        clang
            .args(arguments)
            .args(inputs)
            .arg("-o")
            .arg(path(output));
        let usage = measure(&mut clang, Duration::from_secs(60))?;
        ensure!(usage.code() == 0, "clang-19: {}", usage.last_words());
        Ok(())
    };
    let traced = [
        "-c",
        "-Dmain=program_main",
        "-Dabort=program_abort",
        "-fsanitize-coverage=trace-pc",
    ];
    clang(&traced, &[source], "program.o")?;
    let bytes = format!("-DBYTES={bytes}");
    let parts = [&path("program.o"), &path("driver.c"), Path::new("-lm")];
    clang(&[&bytes], &parts, "all")?;
    let usage = measure(&mut Command::new(path("all")), Duration::from_secs(60))?;
    ensure!(
        usage.code() == 0,
        "the driver failed with status {}",
        usage.code()
    );
    let mut all = BTreeMap::new();
    for line in String::from_utf8_lossy(&usage.stdout).lines() {
        let fields: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        if let [input, hash, outcome] = fields[..] {
            all.insert(input as u32, (hash, outcome as i32));
        }
    }
    Ok(all)
}

/// Checks one program, compiled with `flags` and run with `options`; what is wrong, in words.
pub fn check(
    polypath: &Path,
    source: &Path,
    flags: &[&str],
    options: &[&str],
) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    // The header says how much input there is: /* bytes: N */
    let bytes = text
        .split("bytes: ")
        .nth(1)
        .and_then(|t| t.get(..1))
        .and_then(|t| t.parse().ok());
    let bytes: u32 = bytes.with_context(|| format!("{}: no 'bytes: N'", source.display()))?;
    ensure!((1..=2).contains(&bytes), "one or two bytes");
    let finer = text.lines().next().is_some_and(|l| l.contains("finer"));
    let brute = brute_force(source, bytes)?;

    let scratch = Scratch::new("symbolic")?;
    let out = scratch.path().join("out");
    let mut command = Command::new(polypath);
    command.arg("run").args(["--quiet", "--cc-flag=-w"]);
    command.args(flags.iter().map(|f| format!("--cc-flag={f}")));
    command.args(options).arg("--out").arg(&out).arg(source);
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
    let (run, stats) = Run::read(&out)?.whole()?;
    if let Some(halted) = &stats.halted {
        wrong.push(format!("halted: {halted}"));
    }
    let mut taken = BTreeSet::new();
    for test in &run.tests {
        let mut input = 0;
        let bytes = test.objects.iter().flat_map(|(_, bytes)| bytes);
        for (i, byte) in bytes.take(4).enumerate() {
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
        let Some((path, native)) = brute.get(&input) else {
            wrong.push(format!("input {input:#x} is excluded by an assumption"));
            continue;
        };
        if *native != outcome {
            wrong.push(format!(
                "input {input:#x}: outcome {outcome}, natively {native}"
            ));
        }
        if !taken.insert(*path) && !finer {
            wrong.push(format!("input {input:#x}: a second test of its path"));
        }
    }
    let mut missed: BTreeMap<u64, u32> = brute.iter().map(|(i, (path, _))| (*path, *i)).collect();
    let paths = missed.len();
    missed.retain(|path, _| !taken.contains(path));
    if let Some(input) = missed.values().next() {
        let n = missed.len();
        wrong.push(format!(
            "{n} of {paths} paths were missed, one is that of {input:#x}"
        ));
    }
    Ok(wrong)
}

/// Checks that a program without symbolic input does natively what it does under Polypath; see
/// [`fidelity::compare`].
pub fn concrete(polypath: &Path, source: &Path, flags: &[&str]) -> Result<Option<String>> {
    fidelity::compare(
        polypath,
        &fidelity::ConcreteProgram::beside(source).with_flags(flags),
    )
}
