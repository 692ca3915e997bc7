//! What stands before a run: words of other tools, the directory of the results, the first sign of life.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use testkit::{Place, engine};

const PROGRAM: &str = "int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'x'; }\n";

fn place(name: &str) -> Option<Place> {
    let place = engine!(name)?;
    place.write("p.c", PROGRAM);
    Some(place)
}

fn polypath(place: &Place, args: &[&str]) -> (i32, String) {
    let ran = place.polypath(args);
    (ran.code, ran.stderr)
}

/// The command line that is proposed for one of another tool's is accepted and does what was meant.
#[test]
fn command_lines_of_other_tools_lead_to_ours() {
    let Some(dir) = place("words") else { return };
    for (i, (line, words)) in [
        (
            "run -max-time=1min --optimize --libc=uclibc --posix-runtime --output-dir=KLEE p.c --sym-args 0 1 2",
            "--libc=uclibc is an option of KLEE; not needed",
        ),
        ("run p.c --output-dir=CBMC --bounds-check --trace xyz", "--bounds-check is an option of CBMC"),
        ("p.c --output-dir=FIRST", "`polypath run` explores a program"),
        ("run --output-dir=FLAG p.c -DX=1", "--cc-flag=-DX=1"),
    ]
    .iter()
    .enumerate()
    {
        let args: Vec<&str> = line.split(' ').collect();
        let (code, said) = polypath(&dir, &args);
        assert_eq!(code, 2, "{line}: {said}");
        assert!(said.contains(words), "{line}: {said}");
        let proposed = said.lines().find_map(|l| l.strip_prefix("polypath: try: polypath "));
        let proposed = proposed.unwrap_or_else(|| panic!("{line}: {said}"));
        let args: Vec<&str> = proposed.split(' ').collect();
        let (code, said) = polypath(&dir, &args);
        assert_eq!(code, 0, "{proposed}: {said}");
        let out = ["KLEE", "CBMC", "FIRST", "FLAG"][i];
        assert!(dir.join(out).join("stats.json").exists(), "{proposed}: {said}");
    }
    let (code, said) = polypath(&dir, &["run", "p.c", "--out", "at", "--", "@@"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("--sym-files"), "{said}");
}

#[test]
fn the_experiments_are_elsewhere() {
    let (code, said) = polypath(&testkit::place!("bench"), &["bench", "core"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("./x bench SUITE"), "{said}");
}

#[test]
fn the_place_of_the_results_is_looked_at_first() {
    let Some(dir) = place("out") else { return };
    // Would not compile: what is said is about the place.
    fs::write(dir.join("broken.c"), "int main(void) { return }\n").unwrap();
    fs::write(dir.join("file"), "").unwrap();
    fs::create_dir_all(dir.join("full/sub")).unwrap();
    for (out, words) in [
        ("file", "a file is in the way"),
        ("full", "not empty"),
        ("file/x", "file/x"),
    ] {
        let (code, said) = polypath(&dir, &["run", "broken.c", "--out", out]);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(words) && !said.contains("compil"), "{said}");
    }
    // What was taken for a run that does not begin is given back.
    let (code, said) = polypath(&dir, &["run", "broken.c", "--out", "a/b"]);
    assert_eq!(code, 3, "{said}");
    assert!(!dir.join("a").exists(), "nothing stays");
    let (code, said) = polypath(&dir, &["run", "broken.c"]);
    assert_eq!(code, 3, "{said}");
    assert!(
        !dir.join("polypath-out-0").exists()
            && fs::symlink_metadata(dir.join("polypath-last")).is_err()
    );
    // An empty directory of the user's stays his.
    fs::create_dir(dir.join("mine")).unwrap();
    polypath(&dir, &["run", "broken.c", "--out", "mine"]);
    assert_eq!(fs::read_dir(dir.join("mine")).unwrap().count(), 0);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let Some(dir) = place("locked") else { return };
    let locked = dir.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        testkit::skip("root may write everywhere");
        return;
    }
    let (code, said) = polypath(&dir, &["run", "p.c", "--out", "locked/out"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("locked/out: Permission denied"), "{said}");
}

/// Before a compiler is started the user reads what is being done, on a terminal or not.
#[test]
fn the_first_line_says_what_is_done() {
    let Some(dir) = place("first") else { return };
    let (_, said) = polypath(&dir, &["run", "p.c"]);
    assert_eq!(
        said.lines().next(),
        Some("polypath: compiling p.c"),
        "{said}"
    );
    fs::write(dir.join("lib.c"), "int f(int x) { return x == 3; }\n").unwrap();
    let (_, said) = polypath(&dir, &["run", "lib.c", "--entry", "f"]);
    assert_eq!(
        said.lines().next(),
        Some("polypath: compiling lib.c for f"),
        "{said}"
    );
}
