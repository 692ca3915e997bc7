//! Command blocks of the tutorial and of the how-to pages are run, or say why they are not.

use crate::manual::{Fenced, blocks, docs, pages};
use crate::messages::TOOLS;
use std::fs;

/// What is wrong with a block, if anything is.
fn complaint(block: &Fenced<'_>) -> Option<String> {
    let mut info = block.info.splitn(3, ',');
    match (info.next().expect("a language"), info.next(), info.next()) {
        // Without a language it would be run.
        ("", ..) => Some("a block needs a language (`text`, if it has none)".to_owned()),
        ("console", None, _) => block.text.iter().find_map(|line| command(line)),
        ("console", Some("ignore"), Some(why)) if !why.trim().is_empty() => None,
        ("console", ..) => Some("`console,ignore,REASON` is the form of what is not run".into()),
        ("sh" | "bash" | "shell" | "trycmd", ..) => {
            Some("a block of commands is `console`, and run, or `console,ignore,REASON`".into())
        }
        _ => None,
    }
}

/// What is wrong with a line of commands that are run: programs that trycmd does not know, it passes over.
fn command(line: &str) -> Option<String> {
    let mut words = line.strip_prefix("$ ")?.split(' ');
    let program = words.find(|word| !word.contains('='))?;
    let is_known = program == "polypath" || TOOLS.contains(&program);
    let shell = ["|", "&&", ";", ">", "<", "*", "cd"];
    if !is_known {
        return Some(format!("`{program}` is no tool of messages.rs"));
    }
    let sign = words.find(|word| shell.contains(word))?;
    Some(format!("there is no shell that would know `{sign}`"))
}

#[test]
fn each_block_of_commands_is_run_or_says_why_not() {
    let (mut wrong, mut run) = (Vec::new(), 0);
    for name in pages() {
        let text = fs::read_to_string(docs().join(&name)).expect("a page");
        let (blocks, outside) = blocks(&text);
        let complaints = blocks
            .iter()
            .filter_map(|block| complaint(block).map(|what| (block.line, what)));
        wrong.extend(complaints.map(|(line, what)| format!("{name}:{line}: {what}")));
        // What a list goes on with is indented less.
        let mut before = "";
        for (line, text) in outside {
            if text.starts_with("    ") && before.is_empty() {
                wrong.push(format!("{name}:{line}: a block without a fence"));
            }
            before = text.trim();
        }
        let is_run = blocks.iter().any(|block| block.info == "console");
        let scratch = ["in", "out"].map(|e| docs().join(&name).with_extension(e));
        for dir in scratch.iter().filter(|_| is_run) {
            if !dir.is_dir() {
                wrong.push(format!("{name}: no directory {}", dir.display()));
            }
        }
        run += usize::from(is_run);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(run > 5, "commands of {run} pages are run");
}

#[test]
fn what_is_wrong_with_a_block_is_told() {
    let bad = "```sh\nls\n```\n```console,ignore\n$ x\n```\n```\n```\n```console\n$ wget x\n```\n```console\n$ ls | cat\n```\n";
    let good = "```console\n$ A=b ls\n```\n```console,ignore,needs two machines, or more\n$ x\n```\n```text\n```\n";
    let count = |page| {
        let (blocks, _) = blocks(page);
        (blocks.len(), blocks.iter().filter_map(complaint).count())
    };
    assert_eq!((count(bad), count(good)), ((5, 5), (3, 0)));
}
