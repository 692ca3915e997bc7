//! `polypath run`, then `polypath replay` and `polypath report`, on a program with five errors.

use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc < 2) return 3;
    char *s = argv[1], *h = malloc(4);
    if (s[0] == 'o') h[s[1] & 7] = 1;
    if (s[0] == 'd') printf("%d\n", 100 / (s[1] - 'x'));
    if (s[0] == 'n') *(volatile int *)0 = 1;
    if (s[0] == 'a') assert(s[1] != 'b');
    if (s[0] == 'f') { free(h); if (s[1] == 'f') free(h); return 1; }
    puts(s[0] > 'k' ? "big" : "small");
    free(h);
    return s[0] > 'k';
}
"#;

fn polypath(dir: &Path, args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_polypath");
    Command::new(binary)
        .args(args)
        .current_dir(dir)
        .output()
        .expect("polypath starts")
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn every_test_replays_and_every_error_is_confirmed() {
    let lower = Path::new(env!("CARGO_BIN_EXE_polypath")).with_file_name("polypath-lower");
    if !lower.exists() || toolchain::tools::find_program("clang-19").is_none() {
        eprintln!("skipped: polypath-lower is not built or clang-19 is not installed");
        return;
    }
    let dir = std::env::temp_dir().join(format!("polypath-cli-replay-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("t.c"), PROGRAM).unwrap();
    let run = polypath(
        &dir,
        &[
            "run",
            "--time",
            "60",
            "--out",
            "out",
            "t.c",
            "--sym-arg",
            "2",
        ],
    );
    assert_eq!(run.status.code(), Some(1), "{}", text(&run));

    // From elsewhere: names mean what they meant in the run.
    let out = dir.join("out");
    let replay = polypath(
        Path::new("/"),
        &["replay", "--time", "20", out.to_str().unwrap()],
    );
    let words = text(&replay);
    assert_eq!(replay.status.code(), Some(1), "{words}");
    assert_eq!(words.matches(": confirmed: ").count(), 5, "{words}");
    for wrong in [
        "different",
        "time-out",
        "not run",
        "not reproduced",
        "diverge",
        "not tried",
    ] {
        assert!(!words.contains(wrong), "{words}");
    }
    assert!(words.contains("same path"), "{words}");

    let report = polypath(&dir, &["report", "out"]);
    assert_eq!(report.status.code(), Some(0), "{}", text(&report));
    for name in ["report.html", "lcov.info", "report.sarif", "junit.xml"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn what_is_no_run_is_refused() {
    let nothing = polypath(Path::new("/"), &["replay", "/nowhere"]);
    assert_eq!(nothing.status.code(), Some(3));
    assert!(text(&nothing).contains("/nowhere"));
    let no_run = polypath(Path::new("/"), &["report", "/"]);
    assert!(
        text(&no_run).contains("not an output directory"),
        "{}",
        text(&no_run)
    );
    assert_eq!(
        polypath(Path::new("/"), &["replay", "--time", "-1", "/"])
            .status
            .code(),
        Some(2)
    );
}
