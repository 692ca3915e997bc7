//! `polypath test` on libraries with planted bugs (`tests/functions/planted`).
//!
//! A line with `PLANTED` has a bug that calls of the public interface bring about; that they do is shown natively, by `users.c`
//! under the sanitizers. A line with `CONTRACT` fails only where a caller breaks the contract that the header states. So all of
//! the first kind have to be found, and without a mark; and nothing else may be told without one. `KNOWN` says of a line of the
//! second kind that it is told without a mark today.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use testkit::{Place, engine, place};

const LIBRARIES: [&str; 4] = ["ring", "text", "table", "record"];

/// File and line.
type Line = (String, u64);

/// The lines of the libraries with a word.
fn marked(place: &Place, word: &str) -> BTreeSet<Line> {
    let mut lines = BTreeSet::new();
    for library in LIBRARIES {
        let file = format!("{library}.c");
        let text = place.text(&file);
        let numbered = (1..).zip(text.lines());
        let with = numbered.filter(|(_, line)| line.contains(word));
        lines.extend(with.map(|(at, _)| (file.clone(), at)));
    }
    lines
}

fn copy(place: &Place) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/functions/planted");
    for file in std::fs::read_dir(folder).expect("the folder") {
        let path = file.expect("a file").path();
        let name = path.file_name().expect("a name").to_str().expect("text");
        place.write(name, std::fs::read_to_string(&path).expect("text"));
    }
}

#[test]
fn users_of_the_libraries_come_to_each_planted_bug() {
    if !testkit::need("sanitizers") || !testkit::need("clang-19") {
        return;
    }
    let place = place!("planted-natively");
    copy(&place);
    let mut reached = BTreeSet::new();
    let mut compile = Command::new("clang-19");
    compile
        .current_dir(&place)
        .args(["-g", "-O0", "-o", "users"]);
    compile.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    compile
        .arg("users.c")
        .args(LIBRARIES.map(|l| format!("{l}.c")));
    let compiled = compile.output().expect("clang");
    assert!(compiled.status.success(), "{compiled:?}");
    let planted = marked(&place, "PLANTED");
    for case in 0..planted.len() {
        let mut run = Command::new(place.join("users"));
        let ran = run.arg(case.to_string()).output().expect("it starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_ne!(ran.status.code(), Some(7), "case {case} shows nothing");
        // What is named first is where it happens; other places had to do with the object before.
        let first_named = |(file, line): &Line| {
            let at = format!("{file}:{line}");
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
            let mut named = said.match_indices(&at);
            let (place, _) = named.find(|(i, at)| ends(&said[i + at.len()..]))?;
            Some(place)
        };
        let named = planted
            .iter()
            .filter_map(|line| Some((first_named(line)?, line)));
        let line = named.min().map(|(_, line)| line);
        reached.insert(
            line.unwrap_or_else(|| panic!("case {case}: {said}"))
                .clone(),
        );
    }
    assert_eq!(reached, planted);
}

#[test]
fn planted_bugs_are_found_and_broken_contracts_are_marked() {
    let Some(place) = engine!("planted") else {
        return;
    };
    copy(&place);
    for library in LIBRARIES {
        let source = format!("{library}.c");
        let ran = place.polypath(["cc", "-g", "-O0", "-c", &source]);
        assert_eq!(ran.code, 0, "{}", ran.text());
    }
    let mut archive = Command::new("llvm-ar-19");
    archive.current_dir(&place).args(["rcs", "libplanted.a"]);
    archive.args(LIBRARIES.map(|l| format!("{l}.o")));
    assert!(archive.status().expect("llvm-ar").success());
    let headers = LIBRARIES.map(|l| format!("--header={l}.h"));
    let options = ["test", "libplanted.a", "--cpu-time", "60", "--no-replay"];
    let words = options.into_iter().chain(headers.iter().map(|h| &h[..]));
    let ran = place.polypath(words);
    assert_eq!(ran.code, 1, "{}", ran.text());

    let record = place.json("polypath-results/test.json");
    let mut told: BTreeMap<Line, bool> = BTreeMap::new();
    for error in record["errors"].as_array().expect("a list") {
        let file = Path::new(error["file"].as_str().expect("a file"));
        let file = file.file_name().expect("a name").to_string_lossy();
        let line = error["line"].as_u64().expect("a number");
        let is_marked = !error["precondition"].is_null();
        *told.entry((file.into_owned(), line)).or_insert(true) &= is_marked;
    }
    let unmarked = told.iter().filter(|(_, is_marked)| !**is_marked);
    let unmarked: BTreeSet<Line> = unmarked.map(|(line, _)| line.clone()).collect();
    let planted = marked(&place, "PLANTED");
    let missed: Vec<&Line> = planted.difference(&unmarked).collect();
    assert!(missed.is_empty(), "missed {missed:?}: {}", ran.text());
    let known = marked(&place, "KNOWN");
    let allowed: BTreeSet<Line> = planted.union(&known).cloned().collect();
    let wrong: Vec<&Line> = unmarked.difference(&allowed).collect();
    assert!(wrong.is_empty(), "not marked {wrong:?}: {}", ran.text());
    // What only a broken contract reaches is told, too, with its condition.
    let contracts = marked(&place, "CONTRACT");
    let shown = contracts.iter().filter(|line| told.contains_key(*line));
    assert!(shown.count() * 10 >= contracts.len() * 9, "{told:?}");
}
