//! The command, which `x` asks for interpreters of Python. (That it has a test lets `cargo test` build it with everything else.)

use std::process::Command;

#[test]
fn a_wrong_word_gets_the_words_that_there_are() {
    let output = Command::new(env!("CARGO_BIN_EXE_polypath-oracle"))
        .arg("solver")
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("polypath-oracle solvers"), "{said}");
}
