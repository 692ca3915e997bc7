//! Reflection, handles, serialization and the like look into objects past their methods. What they do with a value that depends on input is
//! not followed: then a run must not claim that everything was explored.

use serde_json::Value;
use std::process::Command;
use testkit::{java, place};

/// Ways that are not followed, and ways that look like these but are.
const LOST: [&str; 17] = [
    "md5",
    "reflectWide",
    "reflectRefused",
    "fieldPutWide",
    "fieldWide",
    "varHandleOver",
    "arrayWide",
    "handleBound",
    "handleConverted",
    "varHandleSet",
    "varHandleGet",
    "varHandleArray",
    "serial",
    "proxy",
    "deflate",
    "ident",
    "swap",
];
const FOLLOWED: [&str; 38] = [
    "sha1",
    "sha256",
    "sha512",
    "handle",
    "handleGet",
    "handleSet",
    "handleVirtual",
    "handleNew",
    "handleGeneric",
    "zip",
    "fieldPut",
    "fieldPutNull",
    "arrayGet",
    "arraySet",
    "arrayGetBox",
    "arraySetBox",
    "arrayIndex",
    "arrayRange",
    "arrayOver",
    "arrayRefused",
    "reflect",
    "reflectBox",
    "reflectObject",
    "reflectSmall",
    "reflectNew",
    "reflectVirtual",
    "reflectLibrary",
    "reflectWrong",
    "queue",
    "future",
    "clone",
    "fieldSet",
    "fieldGet",
    "fieldGetBox",
    "fieldOver",
    "fieldStatic",
    "fieldSmall",
    "fieldOther",
];

/// What a thread of the program does is followed, in one order of many.
const FOLLOWED_IN_ORDER: &str = "thread";

#[test]
fn what_looks_into_objects_is_named() {
    let place = place!("peeks");
    java::compile(&place, &[], &[java::source("peeks/Peeks.java")]);
    for how in LOST.iter().chain(&FOLLOWED).chain([&FOLLOWED_IN_ORDER]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
        command.current_dir(&*place).env("POLYPATH_JAVA_CHECK", "1");
        command.args(["java", "run", "classes", "--entry", &format!("Peeks.{how}")]);
        command.args([
            "--jobs", "1", "--time", "300", "--junit", "none", "--out", how,
        ]);
        let output = command.output().expect("polypath");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let run = testcase::Run::read(&place.join(how)).unwrap_or_else(|e| panic!("{e}: {said}"));
        let stats = run.stats.expect("stats.json");
        let found = run.tests.iter().any(|test| {
            let expected = String::from_utf8_lossy(&test.expected.stderr).into_owned();
            expected.starts_with("threw java.lang.ArithmeticException")
        });
        if FOLLOWED.contains(how) {
            assert!(found && stats.halted.is_none(), "{how}: {said}");
        } else if *how == FOLLOWED_IN_ORDER {
            let halted = stats.halted.unwrap_or_default();
            assert!(
                found && halted.contains("one order only"),
                "{halted}: {said}"
            );
        } else {
            let halted = stats.halted.unwrap_or_default();
            assert!(
                halted.contains("values ") || halted.contains("results "),
                "{how}: found {found}, {halted}: {said}"
            );
            let losses: &Value = &stats.more["java_losses"];
            assert!(
                losses.as_array().is_some_and(|l| !l.is_empty()),
                "{how}: {losses}"
            );
        }
    }
}
