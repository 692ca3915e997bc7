//! The IR of the programs in `tests/c` as text and back.

#[path = "../../ir/tests/text/normal.rs"]
mod normal;

use ir::Verified;
use ir::parse::parse;
use ir::print::print;
use polypath_llvm::{LowerOptions, lower_program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// `None`: it uses variables of libc, which is not here.
fn lower(source: &Path, flags: &[&str]) -> Option<Verified> {
    let stem = source.file_stem().unwrap().to_string_lossy();
    let bitcode = format!("polypath-text-{}-{stem}.bc", std::process::id());
    let bitcode = std::env::temp_dir().join(bitcode);
    let status = Command::new("clang-19")
        .args([
            "-w",
            "-c",
            "-emit-llvm",
            "-g",
            "-Xclang",
            "-disable-llvm-passes",
        ])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&bitcode)
        .status();
    assert!(status.unwrap().success(), "{}", source.display());
    let mut options = LowerOptions {
        inputs: vec![bitcode.clone()],
        ..LowerOptions::default()
    };
    options.checks = vocab::Checks::parse("div,shift,overflow,bounds").unwrap();
    let module = lower_program(&options);
    std::fs::remove_file(bitcode).unwrap();
    match module {
        Ok(module) => Some(module),
        Err(e) if e.contains("undefined symbol") => None,
        Err(e) => panic!("{}: {e}", source.display()),
    }
}

#[test]
fn real_modules_come_back() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/c");
    let files = std::fs::read_dir(directory).unwrap();
    let mut sources: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
    sources.retain(|s| s.extension().is_some_and(|e| e == "c"));
    sources.sort();
    let mut programs = 0;
    let mut instructions = std::collections::BTreeSet::new();
    for source in &sources {
        let what = source.display().to_string();
        let Some(module) = lower(source, &["-O1"]) else {
            continue;
        };
        programs += 1;
        let text = print(&module);
        let back = parse(&text).unwrap_or_else(|e| panic!("{what}: {e}"));
        normal::assert_equal(&module, &back, &what);
        assert_eq!(text, print(&back), "{what}");
        Verified::new(back).unwrap_or_else(|e| panic!("{what}: {e}"));
        instructions.extend(module.code.iter().map(|inst| inst.name()));
    }
    // Else these programs say too little.
    assert!(programs >= 15, "{programs} programs");
    assert!(instructions.len() >= 55, "{instructions:?}");
}
