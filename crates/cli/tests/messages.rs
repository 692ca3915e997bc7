//! What the commands say, word for word: `messages/*.trycmd` are command lines with their output, each file in a
//! scratch copy of the directory `NAME.in` beside it. `[..]` stands for what differs from run to run.
//!
//! `POLYPATH_BLESS=1` writes what they say now. Read the difference: whoever meets a message has nothing else.

use std::process::Command;

#[test]
fn commands_say_what_is_written() {
    let _limit = testkit::limit();
    // Programs that cannot be compiled are among them.
    if testkit::engine!("messages").is_none() {
        return;
    }
    if std::env::var_os("POLYPATH_BLESS").is_some() && std::env::var_os("TRYCMD").is_none() {
        let this = std::env::current_exe().expect("the test's own path");
        let blessed = Command::new(this)
            .args(["--exact", "messages::commands_say_what_is_written"])
            .env("TRYCMD", "overwrite")
            .status();
        assert!(blessed.expect("the test starts once more").success());
        return;
    }
    trycmd::TestCases::new()
        .env("POLYPATH_JOBS", "1")
        .case("tests/messages/*.trycmd");
}
