//! What the commands say, word for word: `messages/*.trycmd` are command lines with their output, each file in a
//! scratch copy of the directory `NAME.in` beside it. The commands of `docs/tutorial.md` are run in the same way. `[..]` stands for what differs from run to run.
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
        .case("tests/messages/*.trycmd")
        .case("../../docs/tutorial.md");
}

/// The sources that the tutorial shows are those that its commands run on.
#[test]
fn the_tutorial_shows_the_files_that_it_runs() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = std::fs::read_to_string(docs.join("tutorial.md")).expect("the tutorial");
    let shown: Vec<&str> = text
        .split("```c\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a text"))
        .collect();
    let names = ["share.c", "field.c", "count.c"];
    let files = names.map(|name| {
        std::fs::read_to_string(docs.join("tutorial.in").join(name)).expect("a source")
    });
    assert_eq!(shown, files.each_ref().map(String::as_str));
}
