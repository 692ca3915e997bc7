//! What the commands say, word for word: `messages/*.trycmd` are command lines with their output, each file in a
//! scratch copy of the directory `NAME.in` beside it. The pages of the [manual](crate::manual) are run in the same way. `[..]` stands for what differs from
//! run to run.
//!
//! `POLYPATH_BLESS=1` writes what they say now. Read the difference: whoever meets a message has nothing else.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// What a command line of these files and of the manual may begin with beside `polypath`. trycmd passes over a program that it does not
/// know; so [`compare`] tells it where these are.
pub const TOOLS: &[&str] = &["cat", "cmake", "ctest", "javac", "ls", "make", "rustc"];

/// No command of these files takes so long on a machine that does anything else.
const MOST: Duration = Duration::from_secs(240);

/// Runs the command lines of files and compares their output. `test` is the full name of the test that asks, which is started once more to write
/// what the commands say now.
///
/// # Panics
/// A command says something else than its file, or is not in `PATH`.
pub fn compare<'a>(test: &str, files: impl IntoIterator<Item = &'a str>) {
    if std::env::var_os("POLYPATH_BLESS").is_some() && std::env::var_os("TRYCMD").is_none() {
        let this = std::env::current_exe().expect("the test's own path");
        let blessed = Command::new(this)
            .args(["--exact", test])
            .env("TRYCMD", "overwrite")
            .status();
        assert!(blessed.expect("the test starts once more").success());
        return;
    }
    let cases = trycmd::TestCases::new();
    cases.env("POLYPATH_JOBS", "1").timeout(MOST);
    for tool in TOOLS {
        cases.register_bin(*tool, in_path(tool));
    }
    for file in files {
        cases.case(file);
    }
}

/// Where a tool is. A command line that needs one that is nowhere fails with these words.
fn in_path(tool: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").expect("PATH");
    let mut places = std::env::split_paths(&path).map(|dir| dir.join(tool));
    let found = places.find(|file| file.is_file());
    found.ok_or_else(|| format!("{tool} is in no directory of PATH"))
}

#[test]
fn commands_say_what_is_written() {
    let _limit = testkit::limit();
    // Programs that cannot be compiled are among them.
    if testkit::engine!("messages").is_none() {
        return;
    }
    compare(
        "messages::commands_say_what_is_written",
        ["tests/messages/*.trycmd"],
    );
}
