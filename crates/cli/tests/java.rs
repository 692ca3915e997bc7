//! Small Java programs against brute force: each `tests/java/paths/NAME.java` has a method `path` with at most 16 bits of
//! input, whose result names its path. A plain JVM calls it with all values.
//!
//! The first line says what the run is to claim: `// complete` (then its outcomes are all that there are), `// loses` (then it
//! must not claim to be complete, and its outcomes are among them), or `// every` (it must not claim to be complete, and has all outcomes).
//! Each test of each third program takes the same way through the blocks of the program on a plain JVM, where no other thread takes part.

use crate::java_brute::{brute, outcomes};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use testkit::{in_parallel, java, place};

#[test]
fn paths_are_those_of_brute_force() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("paths");
    let mut sources: Vec<PathBuf> = fs::read_dir(java::source("paths"))
        .expect("programs")
        .map(|e| e.expect("an entry").path())
        .collect();
    sources.sort();
    sources.push(java::source("Brute.java"));
    java::compile(&place, &[], &sources);
    sources.pop();
    let numbered: Vec<(usize, PathBuf)> = sources.into_iter().enumerate().collect();
    in_parallel(&numbered, |(number, source)| {
        let class = source.file_stem().expect("a name").to_str().expect("text");
        let text = fs::read_to_string(source).expect("a program");
        let claim = text.lines().next().unwrap_or_default();
        assert!(
            ["// complete", "// loses", "// every"].contains(&claim),
            "{class}: no claim"
        );
        let entry = format!("{class}.path");
        let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
        command
            .current_dir(&*place)
            .env("POLYPATH_JAVA_CHECK", "1")
            .args([
                "java", "run", "classes", "--entry", &entry, "--out", class, "--time", "300",
            ]);
        let ran = command.output().expect("polypath");
        let said = String::from_utf8_lossy(&ran.stderr);
        let stats = fs::read(place.join(class).join("stats.json"))
            .unwrap_or_else(|e| panic!("{class}: {e}\n{said}"));
        let stats: serde_json::Value = serde_json::from_slice(&stats).expect("statistics");
        assert_eq!(
            stats["java_wrong"].as_array().map(Vec::len),
            Some(0),
            "{class}: {said}"
        );
        let (found, all) = (outcomes(&place.join(class)), brute(&place, class));
        if claim != "// loses" {
            assert_eq!(found, all, "{class}: {said}");
        }
        if claim == "// complete" {
            assert!(stats["halted"].is_null(), "{class}: {said}");
        } else {
            assert!(
                !stats["java_losses"].as_array().expect("a list").is_empty(),
                "{class}"
            );
            assert!(
                !stats["halted"].is_null() && found.is_subset(&all),
                "{class}: {said}"
            );
        }
        // The tests of each third.
        if number % 3 != 0 {
            return Vec::new();
        }
        let replayed = place.polypath(["replay", class]);
        let said = replayed.text();
        assert!(matches!(replayed.code, 0 | 1), "{class}: {said}");
        let losses = stats["java_losses"].to_string();
        if !losses.contains("order") {
            let summary = place.json(&format!("{class}/replay.json"));
            assert_eq!(summary["followed"], stats["tests"], "{class}: {said}");
        }
        Vec::new()
    });
}
