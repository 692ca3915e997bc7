//! `polypath test` on libraries with planted bugs (`tests/functions/planted`).
//!
//! A line with `PLANTED` has a bug that calls of the public interface bring about; that they do is shown natively, by `users.c`
//! under the sanitizers. A line with `CONTRACT` fails only where a caller breaks the contract that the header states. So all of
//! the first kind have to be found, and without a mark; and nothing else may be told without one. `KNOWN` says of a line of the
//! second kind that it is told without a mark today.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::{Attended, Place, engine, place};

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
    let options = ["test", "libplanted.a", "--time", "280", "--no-replay"];
    let words = options.into_iter().chain(headers.iter().map(|h| &h[..]));
    // Some contracts are that a pointer which is used without a look is not null.
    let words = words.chain(["--", "--null"]);
    let planted = marked(&place, "PLANTED");
    let contracts = marked(&place, "CONTRACT");
    // How much it finds in a second is the machine's: it is interrupted when it has found enough.
    let results = place.join("polypath-results");
    let mut run = Attended::begin(place.command().args(words));
    let mut looked = Instant::now();
    run.until("all are found", |_| {
        if looked.elapsed() < Duration::from_millis(500) {
            return false;
        }
        looked = Instant::now();
        is_enough(&told(&found(&results)), &planted, &contracts)
    });
    run.signal("-INT");
    let (code, said) = run.end();
    assert!([1, 130].contains(&code), "{code}: {said}");

    let record = place.json("polypath-results/test.json");
    let told = told(record["errors"].as_array().expect("a list"));
    let unmarked = unmarked(&told);
    let missed: Vec<&Line> = planted.difference(&unmarked).collect();
    assert!(missed.is_empty(), "missed {missed:?}: {said}");
    let known = marked(&place, "KNOWN");
    let allowed: BTreeSet<Line> = planted.union(&known).cloned().collect();
    let wrong: Vec<&Line> = unmarked.difference(&allowed).collect();
    assert!(wrong.is_empty(), "not marked {wrong:?}: {said}");
    // What only a broken contract reaches is told, too, with its condition.
    assert!(is_enough(&told, &planted, &contracts), "{told:?}");
}

/// The errors that the targets in a directory of results have told so far. A file that is being replaced is read the next time.
fn found(results: &Path) -> Vec<Value> {
    let targets = std::fs::read_dir(results).into_iter().flatten().flatten();
    let texts = targets.filter_map(|t| std::fs::read_to_string(t.path().join("errors.json")).ok());
    let lists = texts.filter_map(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
    lists.flatten().collect()
}

/// The lines with errors, and whether each is marked wherever it is told.
fn told(errors: &[Value]) -> BTreeMap<Line, bool> {
    let mut told: BTreeMap<Line, bool> = BTreeMap::new();
    for error in errors {
        let file = Path::new(error["file"].as_str().expect("a file"));
        let file = file.file_name().expect("a name").to_string_lossy();
        let line = error["line"].as_u64().expect("a number");
        let is_marked = !error["precondition"].is_null();
        *told.entry((file.into_owned(), line)).or_insert(true) &= is_marked;
    }
    told
}

fn unmarked(told: &BTreeMap<Line, bool>) -> BTreeSet<Line> {
    let unmarked = told.iter().filter(|(_, is_marked)| !**is_marked);
    unmarked.map(|(line, _)| line.clone()).collect()
}

/// Whether all planted bugs are found, and nine of ten broken contracts.
fn is_enough(
    told: &BTreeMap<Line, bool>,
    planted: &BTreeSet<Line>,
    contracts: &BTreeSet<Line>,
) -> bool {
    let shown = contracts.iter().filter(|line| told.contains_key(*line));
    planted.is_subset(&unmarked(told)) && shown.count() * 10 >= contracts.len() * 9
}
