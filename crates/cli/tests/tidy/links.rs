//! Links from page to page lead to files that are there.

use super::root;
use std::fs;
use std::path::{Path, PathBuf};

fn pages(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// The targets of the links of a page, `](target)`, but for those to other hosts and to places of the page itself.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#', ' ']).next())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains('`'))
}

#[test]
fn links_of_a_page_are_found() {
    let text = "[a](b.md), [c](../d.md#e), [f](#g), [h](https://i/j), ![k](l.svg)";
    let found: Vec<&str> = targets(text).collect();
    assert_eq!(found, ["b.md", "../d.md", "l.svg"]);
}

#[test]
fn links_lead_to_files() {
    let root = root();
    let mut all = Vec::new();
    pages(&root.join("docs"), &mut all);
    for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        all.push(root.join(name));
    }
    let mut broken = Vec::new();
    for page in &all {
        let text = fs::read_to_string(page).expect("text");
        let dir = page.parent().expect("a directory");
        for target in targets(&text) {
            if !dir.join(target).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The manual's site has the files of `docs` alone, and a page README.md by another name.
#[test]
fn links_of_the_manual_work_on_its_site() {
    let docs = root().join("docs");
    let book = fs::read_to_string(docs.join("book.toml")).expect("the book");
    let mut all = Vec::new();
    pages(&docs, &mut all);
    let mut broken = Vec::new();
    for page in &all {
        let below = page.strip_prefix(&docs).expect("a page of the manual");
        if page.ends_with("README.md") {
            let moved = format!("\"/{}\" =", below.with_extension("html").display());
            assert!(book.contains(&moved), "book.toml has no redirect: {moved}");
        }
        let text = fs::read_to_string(page).expect("text");
        for target in targets(&text) {
            let path = page.parent().expect("a directory").join(target);
            let inside = path.canonicalize().is_ok_and(|p| p.starts_with(&docs));
            if !inside || path.is_dir() {
                broken.push(format!("{}: {target}", below.display()));
            }
        }
    }
    assert!(broken.is_empty(), "not in the site: {}", broken.join(", "));
}

/// The manual ([`SUMMARY.md`](../../../../docs/SUMMARY.md), which mdBook reads) has every page.
#[test]
fn each_page_is_in_the_manual() {
    let docs = root().join("docs");
    let mut all = Vec::new();
    pages(&docs, &mut all);
    let summary = docs.join("SUMMARY.md");
    let text = fs::read_to_string(&summary).expect("the summary");
    let listed: Vec<PathBuf> = targets(&text).map(|target| docs.join(target)).collect();
    let missing: Vec<_> = all
        .iter()
        .filter(|page| **page != summary && !listed.contains(page))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
