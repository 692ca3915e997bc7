//! Crashes and time-outs of a coverage build leave their counts.

use polypath_testcase as testcase;
use std::fs;
use std::process::Command;
use std::time::Duration;
use testcase::replay::sandbox::{Config, NativeEnd, Sandbox};

use crate::common::launcher;
use testcase::{TestCase, gcov};

#[test]
fn runs_that_crash_or_hang_are_counted() {
    let _limit = testkit::limit();
    if !testkit::need("gcc") {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let source = r#"
        #include <stdlib.h>
        int main(int c, char **v) {
            if (v[1][0] == 'a') abort();
            if (v[1][0] == 'n') *(volatile int *)0 = 1;
            if (v[1][0] == 'l') for (;;);
            return 0;
        }"#;
    fs::write(base.path().join("p.c"), source).unwrap();
    let gcc = Command::new("gcc")
        .args(["-O0", "--coverage", "p.c", "-o", "p"])
        .current_dir(base.path())
        .status();
    assert!(gcc.unwrap().success());
    let library = gcov::flush_library(base.path()).unwrap();
    let limits = gcov::limits(&library, Duration::from_secs(3));
    let program = base.path().join("p");
    let sandbox = Sandbox::new(Config {
        launcher: launcher(),
        ..gcov::surroundings(&program, &library, base.path())
    })
    .unwrap();
    let counts = || {
        let files = fs::read_dir(base.path())
            .unwrap()
            .map(|e| e.unwrap().path());
        files
            .into_iter()
            .find(|p| p.extension().is_some_and(|e| e == "gcda"))
    };
    for (arg, end) in [
        ("a", NativeEnd::Exited(134)),
        ("n", NativeEnd::Exited(139)),
        ("l", NativeEnd::TimedOut),
        ("x", NativeEnd::Exited(0)),
    ] {
        let test = TestCase {
            args: vec![b"p".to_vec(), arg.as_bytes().to_vec()],
            ..TestCase::default()
        };
        let seen = sandbox.run(&program, &test, &limits).unwrap();
        assert_eq!(seen.end, end, "{arg}");
        let counts = counts().unwrap_or_else(|| panic!("{arg}: no counts"));
        fs::remove_file(counts).unwrap();
    }
}
