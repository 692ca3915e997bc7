//! `docs/builtins.md` has a row for each function that the engine supplies, each function whose calls are looked at, and
//! each file of `runtime/` that takes the place of a library.

use polypath_env_c::builtin_names;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The names of the rows of each table of the page.
fn tables() -> Vec<BTreeSet<String>> {
    let page = std::fs::read_to_string(root().join("docs/builtins.md")).expect("the page is there");
    let mut tables = Vec::new();
    for line in page.lines() {
        if line.starts_with("|---") {
            tables.push(BTreeSet::new());
        }
        if !line.starts_with("| `") {
            continue;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 6, "{line}");
        assert!(cells[1..5].iter().all(|cell| !cell.is_empty()), "{line}");
        // What is left out is named.
        assert_eq!(cells[3] == "–", cells[4] == "–", "{line}");
        let table = tables.last_mut().expect("a row stands in a table");
        let name = cells[1].trim_matches('`').to_string();
        assert!(table.insert(name), "twice: {line}");
    }
    tables
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The sources below a directory of `runtime/`, by their path in it.
fn sources(directory: &str) -> Vec<String> {
    let mut found = Vec::new();
    let path = root().join("runtime").join(directory);
    for entry in std::fs::read_dir(path).expect("the directory is there") {
        let entry = entry.expect("it can be read");
        let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(sources(&name));
        } else if name.ends_with(".c") || name.ends_with(".s") {
            found.push(name);
        }
    }
    found
}

#[test]
fn the_page_has_a_row_for_each_builtin() {
    let tables = tables();
    let [builtins, looked_at, files] = &tables[..] else {
        panic!("{} tables", tables.len());
    };
    let names = |all: &[&str]| -> BTreeSet<String> { all.iter().map(|n| n.to_string()).collect() };
    let supplied: Vec<&str> = builtin_names().collect();
    assert!(supplied.len() > 150);
    assert_eq!(*builtins, names(&supplied));
    let asked: Vec<&str> = [vocab::CONTRACTS, vocab::STUBS].concat();
    assert_eq!(*looked_at, names(&asked));
    let there: BTreeSet<String> = ["glibc", "rt", "musl/src"]
        .into_iter()
        .flat_map(sources)
        .collect();
    assert_eq!(*files, there);
}
