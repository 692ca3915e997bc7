//! Runs coreutils' tests once with a recorder (`runtime/record.c`) in the place of each program.
//!
//! All happens in a directory below the system's temporary one, which a user without rights can
//! reach: TOP/real has the programs, TOP/src the recorders, TOP/tests and TOP/init.cfg come from the
//! tree, TOP/work/TEST is where a test runs, TOP/records is what it leaves. The result is kept until
//! recorder, harvest or tree change. A test that fails is no concern of ours: its commands count.

use super::USER;
use super::user::{as_user, is_root};
use anyhow::{Context, Result, ensure};
use oracle::measure::measure;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Seconds for one test.
const TEST_LIMIT: Duration = Duration::from_secs(40);
const RECORDER: &str = include_str!("../../../runtime/record.c");

/// The harvest of a tree, made if it is not there.
pub fn ensure(tree: &Path) -> Result<PathBuf> {
    let uid = geteuid().as_raw();
    let top = std::env::temp_dir().join(format!("polypath-make-check-{uid}"));
    let mut key = DefaultHasher::new();
    (
        RECORDER,
        include_str!("harvest.rs"),
        fs::read(tree.join(".polypath-built")).ok(),
    )
        .hash(&mut key);
    let key = format!("{:016x}", key.finish());
    let done = top.join("done");
    if fs::read_to_string(&done).is_ok_and(|k| k == key) {
        return Ok(top);
    }
    if top.exists() {
        let _ = Command::new("chmod")
            .args(["-R", "u+rwx"])
            .arg(&top)
            .stderr(Stdio::null())
            .status();
        fs::remove_dir_all(&top).with_context(|| format!("cannot clear {}", top.display()))?;
    }
    prepare(tree, &top)?;
    record(&top)?;
    fs::write(done, key)?;
    Ok(top)
}

fn prepare(tree: &Path, top: &Path) -> Result<()> {
    for dir in ["real", "src", "lib", "work", "records"] {
        fs::create_dir_all(top.join(dir))?;
    }
    let copied = Command::new("cp")
        .arg("-a")
        .arg(tree.join("tests"))
        .arg(tree.join("init.cfg"))
        .arg(top)
        .status()?;
    ensure!(
        copied.success(),
        "cannot copy the tests of {}",
        tree.display()
    );
    fs::copy(tree.join("lib/config.h"), top.join("lib/config.h"))?;
    let source = top.join("record.c");
    fs::write(&source, RECORDER)?;
    let recorder = top.join("recorder");
    let built = Command::new("cc")
        .args(["-O1", "-static", "-w", "-o"])
        .arg(&recorder)
        .arg(&source)
        .status();
    ensure!(
        built.context("cannot start cc")?.success(),
        "the recorder does not compile"
    );
    for entry in fs::read_dir(tree.join("src"))? {
        let entry = entry?;
        let meta = entry.metadata()?;
        let name = entry.file_name();
        let is_program = meta.is_file() && meta.permissions().mode() & 0o111 != 0;
        let is_elf = || {
            fs::File::open(entry.path()).and_then(|mut f| {
                let mut magic = [0; 4];
                std::io::Read::read_exact(&mut f, &mut magic).map(|()| magic == *b"\x7fELF")
            })
        };
        if is_program && is_elf().unwrap_or(false) {
            fs::copy(entry.path(), top.join("real").join(&name))?;
            // Not a symbolic link: the recorder knows its name from its own path.
            fs::hard_link(&recorder, top.join("src").join(&name))?;
        }
    }
    if is_root() {
        for dir in ["work", "records"] {
            chown(top.join(dir), Some(USER), Some(USER))?;
        }
    }
    Ok(())
}

fn record(top: &Path) -> Result<()> {
    let mut tests = Vec::new();
    for dir in fs::read_dir(top.join("tests"))? {
        let dir = dir?.path();
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "sh" || e == "pl") {
                tests.push(path);
            }
        }
    }
    // The tests of factor are generated; these two make them.
    tests.retain(|t| !t.ends_with("factor/run.sh") && !t.ends_with("factor/create-test.sh"));
    tests.sort();
    let mut programs: Vec<String> = fs::read_dir(top.join("src"))?
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    programs.sort();
    let programs = programs.join(" ");
    let next = AtomicUsize::new(0);
    let total = tests.len();
    let job = || -> Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(test) = tests.get(index) else {
                return Ok(());
            };
            run_test(top, test, &programs)?;
            if (index + 1).is_multiple_of(50) {
                say::err!("make-check: recording, {} of {total} tests", index + 1);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(job)).collect();
        workers.into_iter().try_for_each(|w| match w.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Runs one test as `make check` does, in a directory of its own.
fn run_test(top: &Path, test: &Path, programs: &str) -> Result<()> {
    let relative = test.strip_prefix(top)?.to_string_lossy().into_owned();
    let name = relative.trim_start_matches("tests/").replace('/', "-");
    let dir = top.join("work").join(&name);
    fs::create_dir_all(&dir)?;
    if is_root() {
        chown(&dir, Some(USER), Some(USER))?;
    }
    let mut command = Command::new("sh");
    command.args(["-c", "exec 9>&2; exec \"$@\"", "sh"]);
    if relative.ends_with(".pl") {
        command.args(["perl", "-w", "-MCuSkip", "-MCoreutils"]);
        command.arg(format!("-I{}", top.join("tests").display()));
        command.arg(format!("-MCuTmpdir qw({relative})"));
    } else {
        command.arg("bash");
    }
    command.arg(test).current_dir(&dir).env_clear();
    let mut path = top.join("src").into_os_string();
    path.push(":/usr/bin:/bin");
    command.env("PATH", path);
    for name in [
        "srcdir",
        "top_srcdir",
        "abs_srcdir",
        "abs_top_srcdir",
        "abs_top_builddir",
    ] {
        command.env(name, top);
    }
    command
        .env("built_programs", programs)
        .env("TMPDIR", &dir)
        .env("HOME", &dir);
    command.env("CONFIG_HEADER", top.join("lib/config.h"));
    command.env("CU_TEST_NAME", format!("coreutils,{name}"));
    command.envs([
        ("fail", "0"),
        ("host_os", "linux-gnu"),
        ("host_triplet", "x86_64-pc-linux-gnu"),
        ("CC", "cc"),
        ("AWK", "awk"),
        ("EGREP", "grep -E"),
        ("EXEEXT", ""),
        ("MAKE", "make"),
        ("VERSION", "9.1"),
        ("PACKAGE_VERSION", "9.1"),
        ("PERL", "perl"),
        ("SHELL", "/bin/bash"),
        ("LC_ALL", "C"),
        ("LOCALE_FR", "none"),
        ("LOCALE_FR_UTF8", "none"),
    ]);
    as_user(&mut command);
    measure(&mut command, TEST_LIMIT)?;
    end_leftovers(&dir);
    let _ = Command::new("chmod")
        .args(["-R", "u+rwx"])
        .arg(&dir)
        .stderr(Stdio::null())
        .status();
    let _ = fs::remove_dir_all(&dir);
    Ok(())
}

/// Ends what a test left running in its directory.
fn end_leftovers(dir: &Path) {
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_string_lossy().parse::<i32>();
        let pid = pid.ok().and_then(Pid::from_raw);
        let here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(dir));
        if let (Some(pid), true) = (pid, here) {
            // It works in the test's own directory, which only the test knew. One that is gone meanwhile is an error.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
