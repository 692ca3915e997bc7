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
    for (i, line) in [
        "run -max-time=1min --optimize --libc=uclibc --posix-runtime --output-dir=KLEE p.c --sym-args 0 1 2",
        "run p.c --output-dir=CBMC --bounds-check --trace xyz",
        "p.c --output-dir=FIRST",
        "run --output-dir=FLAG p.c -DX=1",
    ]
    .iter()
    .enumerate()
    {
        let args: Vec<&str> = line.split(' ').collect();
        let (code, said) = polypath(&dir, &args);
        assert_eq!(code, 2, "{line}: {said}");
        let proposed = said.lines().find_map(|l| l.strip_prefix("polypath: try: polypath "));
        let proposed = proposed.unwrap_or_else(|| panic!("{line}: {said}"));
        let args: Vec<&str> = proposed.split(' ').collect();
        let (code, said) = polypath(&dir, &args);
        assert_eq!(code, 0, "{proposed}: {said}");
        let out = ["KLEE", "CBMC", "FIRST", "FLAG"][i];
        assert!(dir.join(out).join("stats.json").exists(), "{proposed}: {said}");
    }
}

#[test]
fn the_place_of_a_run_that_does_not_begin_is_given_back() {
    let Some(dir) = place("out") else { return };
    fs::write(dir.join("broken.c"), "int main(void) { return }\n").unwrap();
    let (code, said) = polypath(&dir, &["run", "broken.c", "--out", "a/b"]);
    assert_eq!(code, 2, "{said}");
    assert!(!dir.join("a").exists(), "nothing stays");
    let (code, said) = polypath(&dir, &["run", "broken.c"]);
    assert_eq!(code, 2, "{said}");
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
