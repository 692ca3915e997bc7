//! `docs/syscalls.md` has a row for each system call of the table, and says of each whether it is refused.

use polypath_linux as linux;
use std::collections::BTreeMap;

/// Numbers of system calls are below this one.
const NUMBERS: u64 = 1024;

#[test]
fn the_page_has_a_row_for_each_call() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/syscalls.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let mut rows = BTreeMap::new();
    for line in page.lines().filter(|l| l.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 6, "{line}");
        assert!(cells[1..5].iter().all(|cell| !cell.is_empty()), "{line}");
        // What is left out is named.
        assert_eq!(cells[3] == "–", cells[4] == "–", "{line}");
        let name = cells[1].trim_matches('`').to_string();
        let is_refused = cells[2].starts_with("refused (");
        assert!(rows.insert(name, is_refused).is_none(), "twice: {line}");
    }
    let table: BTreeMap<String, bool> = (0..NUMBERS)
        .map(|nr| (linux::syscall_name(nr).to_string(), !linux::modelled(nr)))
        .filter(|(name, _)| name != "syscall")
        .collect();
    assert!(table.len() > 200);
    assert_eq!(rows, table);
}
