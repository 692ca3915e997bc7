//! The file that a crash of Polypath leaves, to be sent with a report: version, options, place, and the calls that led there. Nothing of the
//! user's program is in it: no values of options, no names of files, and no message that was put together from data.

use clap::CommandFactory as _;
use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files that are kept; the oldest go.
const KEPT: usize = 20;

/// Leaves the file, once in a process: the engine goes on after a panic on a path, and meets the next one.
pub fn leave(info: &PanicHookInfo<'_>, trace: &Backtrace) {
    static LEFT: AtomicBool = AtomicBool::new(false);
    if LEFT.swap(true, Ordering::Relaxed) {
        return;
    }
    match write(info, trace) {
        Ok(path) => say::err!(
            "polypath: this is an error of Polypath itself. {} tells where it happened, and has nothing of your program or your files: send it with a report.",
            path.display()
        ),
        Err(error) => say::err!(
            "polypath: this is an error of Polypath itself; no report of it could be left: {error}"
        ),
    }
}

fn write(info: &PanicHookInfo<'_>, trace: &Backtrace) -> io::Result<PathBuf> {
    let dir = toolchain::cache::root()?.join("crashes");
    fs::create_dir_all(&dir).map_err(toolchain::cache::at(&dir))?;
    forget(&dir)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |since| since.as_secs());
    let path = dir.join(format!("crash-{seconds}-{}.txt", std::process::id()));
    fs::write(&path, text(info, trace)).map_err(toolchain::cache::at(&path))?;
    Ok(path)
}

/// Removes the oldest files where there are too many: names begin with the time.
fn forget(dir: &Path) -> io::Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    files.sort();
    let surplus = (files.len() + 1).saturating_sub(KEPT);
    files.iter().take(surplus).try_for_each(fs::remove_file)
}

fn text(info: &PanicHookInfo<'_>, trace: &Backtrace) -> String {
    let words = std::env::args().skip(1);
    let mut out = format!(
        "polypath {} on {}-{}\noptions: {}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        options(words).join(" ")
    );
    let place = info.location().map(ToString::to_string);
    let place = place.unwrap_or_else(|| "an unknown place".into());
    // A message that is part of the program; one that was made may have data of the user's.
    let fixed = info.payload().downcast_ref::<&'static str>();
    let message = fixed
        .copied()
        .unwrap_or("(the message is left out: it may have parts of the program)");
    // Writing to a string does not fail.
    writeln!(out, "at {place}: {message}\n\n{trace}").ok();
    out
}

/// The commands and the names of options, without values and operands.
fn options(words: impl Iterator<Item = String>) -> Vec<String> {
    let all = crate::Cli::command();
    let mut command = Some(&all);
    let mut names = Vec::new();
    for word in words.take_while(|word| word != "--") {
        if let Some(name) = word.strip_prefix("--") {
            command = None;
            let name = name.split('=').next().unwrap_or(name);
            names.push(format!("--{name}"));
            continue;
        }
        command = command.and_then(|outer| outer.find_subcommand(&word));
        names.extend(command.map(|inner| inner.get_name().to_owned()));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_names_of_options_and_nothing_that_users_wrote() {
        let of = |line: &str| options(line.split(' ').map(String::from)).join(" ");
        assert_eq!(
            of("run secret.c --time 3 --out=/home/me --sym-stdin 4 -- --password x"),
            "run --time --out --sym-stdin"
        );
        assert_eq!(
            of("java test secret.jar --package com.secret"),
            "java test --package"
        );
        assert_eq!(of("run run"), "run");
    }

    #[test]
    fn messages_with_data_are_left_out() {
        use std::sync::Mutex;
        static TEXT: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(|info| {
            let trace = Backtrace::force_capture();
            TEXT.lock().unwrap().push(text(info, &trace));
        }));
        let data = "of the user".to_owned();
        for made in [false, true] {
            let caught = std::panic::catch_unwind(|| {
                assert!(made, "a fixed message");
                panic!("data {data}");
            });
            assert!(caught.is_err());
        }
        std::panic::set_hook(before);
        let texts = TEXT.lock().unwrap();
        assert!(texts[0].contains("crash.rs") && texts[0].contains("a fixed message"));
        assert!(texts[1].contains("crash.rs") && !texts[1].contains("of the user"));
    }
}
