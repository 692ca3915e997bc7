//! Fidelity: what runs under Polypath does what it does natively.
//!
//! Programs are discovered by directory: `tests/c` (concrete, at -O0, -O1 and -O2) and
//! `tests/symbolic` and `tests/symbolic-float` (all paths against brute force over all inputs). Csmith's generated programs
//! run where csmith is installed; POLYPATH_CSMITH=N says how many (thousands: `./x bench csmith`).

use std::path::{Path, PathBuf};
use testkit::in_parallel;

fn polypath() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_polypath"))
}

/// The C sources of a directory below `tests`, by name. POLYPATH_ONLY=NAME picks one.
fn sources(dir: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests")
        .join(dir);
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut found: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    let only = std::env::var("POLYPATH_ONLY").ok();
    found.retain(|p| p.extension().is_some_and(|e| e == "c"));
    found.retain(|p| {
        only.as_ref()
            .is_none_or(|o| p.file_stem().is_some_and(|s| s == &o[..]))
    });
    found.sort();
    found
        .iter()
        .map(|p| p.canonicalize().expect("a path"))
        .collect()
}

fn matrix(dir: &str, levels: &[&'static str]) -> Vec<(PathBuf, &'static str)> {
    let sources = sources(dir);
    assert!(
        !sources.is_empty() || std::env::var_os("POLYPATH_ONLY").is_some(),
        "no programs"
    );
    levels
        .iter()
        .flat_map(|l| sources.iter().map(|s| (s.clone(), *l)))
        .collect()
}

#[test]
fn concrete_programs_do_what_they_do_natively() {
    let _limit = testkit::limit();
    in_parallel(&matrix("c", &["-O0", "-O1", "-O2"]), |(source, level)| {
        let name = source
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match oracle::symbolic::concrete(polypath(), source, &[level]) {
            Ok(None) => Vec::new(),
            Ok(Some(wrong)) => vec![format!("{name} {level}: {wrong}")],
            Err(e) => vec![format!("{name} {level}: {e:#}")],
        }
    });
}

fn paths_equal_brute_force(dir: &str, levels: &[&'static str], options: &[&str]) {
    hold(&matrix(dir, levels), options);
}

fn hold(programs: &[(PathBuf, &'static str)], options: &[&str]) {
    in_parallel(programs, |(source, level)| {
        let name = source
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match oracle::symbolic::check(polypath(), source, &[level], options) {
            Ok(wrong) => wrong
                .into_iter()
                .map(|w| format!("{name} {level}: {w}"))
                .collect(),
            Err(e) => vec![format!("{name} {level}: {e:#}")],
        }
    });
}

#[test]
fn paths_of_small_programs_equal_brute_force() {
    let _limit = testkit::limit();
    paths_equal_brute_force("symbolic", &["-O0", "-O1"], &[]);
}

#[test]
fn concolic_paths_equal_brute_force() {
    let _limit = testkit::limit();
    paths_equal_brute_force(
        "symbolic",
        &["-O0"],
        &["--mode", "concolic", "--search", "dfs"],
    );
}

#[test]
fn multiplexed_paths_equal_brute_force() {
    let _limit = testkit::limit();
    let options = ["--mode", "concolic", "--partial-solutions"];
    paths_equal_brute_force("symbolic", &["-O0"], &options);
}

#[test]
fn float_paths_equal_brute_force() {
    let _limit = testkit::limit();
    let simulated = ["--fp-solver", "isc"];
    paths_equal_brute_force("symbolic-float", &["-O0", "-O1"], &simulated);
    for method in ["bvfp", "auto"] {
        paths_equal_brute_force("symbolic-float", &["-O0"], &["--fp-solver", method]);
    }
}

#[test]
fn concolic_float_paths_equal_brute_force() {
    let _limit = testkit::limit();
    // Each program by one of the methods: what they find of it stands above.
    let all = matrix("symbolic-float", &["-O0"]);
    for (first, method) in ["isc", "bvfp", "auto"].into_iter().enumerate() {
        let programs: Vec<_> = all.iter().skip(first).step_by(3).cloned().collect();
        hold(&programs, &["--fp-solver", method, "--mode", "concolic"]);
    }
}

#[test]
fn generated_programs_do_what_they_do_natively() {
    let _limit = testkit::limit();
    if !testkit::need("csmith") {
        return;
    }
    let count = std::env::var("POLYPATH_CSMITH")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(8);
    let dir = std::env::temp_dir().join("polypath-csmith");
    std::fs::create_dir_all(&dir).expect("a directory");
    let seeds: Vec<u64> = (1..=count).collect();
    in_parallel(&seeds, |seed| {
        match oracle::csmith::check(polypath(), *seed, &dir) {
            Ok(None) => Vec::new(),
            Ok(Some(failed)) => failed
                .into_iter()
                .map(|(level, why)| format!("seed {seed} {level}: {why}"))
                .collect(),
            Err(e) => vec![format!("seed {seed}: {e:#}")],
        }
    });
}
