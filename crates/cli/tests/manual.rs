//! The pages of the manual that show what to type, the tutorial and the how-to pages, do what they show: each command in a block `console` is run, in a
//! scratch copy of the directory `PAGE.in`, and its output is compared. A block that is not run says so, with the reason
//! (`console,ignore,REASON`); [`tidy`](crate::tidy) knows no third kind. `POLYPATH_BLESS=1` writes what the commands say now.

use std::fs;
use std::path::{Path, PathBuf};

/// The directory of the manual.
pub fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The names of the pages that stand in `SUMMARY.md` in front of the reference, where its parts are *Tutorial* and *How to*.
pub fn pages() -> Vec<String> {
    let summary = fs::read_to_string(docs().join("SUMMARY.md")).expect("the summary");
    let (guides, _) = summary.split_once("# Reference").expect("a reference");
    let links = guides.split("](").skip(1);
    let targets = links.map(|rest| rest.split(')').next().expect("a target").to_owned());
    let pages: Vec<String> = targets.collect();
    assert!(pages.len() > 10, "{pages:?}");
    pages
}

/// A fenced block of a page.
pub struct Fenced<'a> {
    /// The line of its fence, from 1 on.
    pub line: usize,
    /// What stands behind the fence.
    pub info: &'a str,
    /// Its lines.
    pub text: Vec<&'a str>,
}

/// The fenced blocks of a page, and its lines outside of them with their numbers.
pub fn blocks(page: &str) -> (Vec<Fenced<'_>>, Vec<(usize, &str)>) {
    let (mut blocks, mut outside) = (Vec::new(), Vec::new());
    let mut lines = (1..).zip(page.lines());
    while let Some((line, text)) = lines.next() {
        let Some(info) = text.strip_prefix("```") else {
            outside.push((line, text));
            continue;
        };
        let inside = lines.by_ref().take_while(|(_, text)| *text != "```");
        blocks.push(Fenced {
            line,
            info,
            text: inside.map(|(_, text)| text).collect(),
        });
    }
    (blocks, outside)
}

#[test]
fn the_manual_does_what_it_shows() {
    let _limit = testkit::limit();
    let tools = ["java", "cmake", "gcc", "rustc", "llvm-22"];
    if testkit::engine!("manual").is_none() || !tools.into_iter().all(testkit::need) {
        return;
    }
    let pages: Vec<String> = pages()
        .iter()
        .map(|p| docs().join(p).display().to_string())
        .collect();
    crate::messages::compare(
        "manual::the_manual_does_what_it_shows",
        pages.iter().map(String::as_str),
    );
}

/// Sources that pages show are those that their commands run on.
#[test]
fn pages_show_the_files_that_they_run() {
    const SOURCES: &[&str] = &["c", "java", "rust", "toml", "make", "cmake"];
    let mut shown = 0;
    for page in pages() {
        let text = fs::read_to_string(docs().join(&page)).expect("a page");
        let inputs = docs().join(&page).with_extension("in");
        let (blocks, _) = blocks(&text);
        if !blocks.iter().any(|b| b.info == "console") {
            continue;
        }
        let files = files(&inputs);
        for block in blocks.iter().filter(|b| SOURCES.contains(&b.info)) {
            let text = block.text.join("\n") + "\n";
            assert!(
                files.contains(&text),
                "{page}:{}: no file of {} has this text",
                block.line,
                inputs.display()
            );
            shown += 1;
        }
    }
    assert!(shown > 5, "{shown} sources");
}

/// The texts of the files below a directory.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                fs::read_to_string(path).into_iter().collect()
            }
        })
        .collect()
}
