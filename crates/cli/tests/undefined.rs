//! What C11 calls undefined (Annex J.2), row by row: what a run finds, what the compiler finds, what nobody does and why.
//!
//! The rows stand in the programs of `tests/verdicts/undefined`, each as a comment before its code:
//!
//! - `//# CLAUSE | WHAT`: the code up to the next row has a marker `//~ KIND`, so a run finds it.
//! - `//# CLAUSE | WHAT | found: in NAME`: the marker is in the function NAME of the same file.
//! - `//# CLAUSE | WHAT`, then lines `//! CODE`: clang refuses this code or warns about it (`-std=c11 -Wall -Wextra -pedantic`).
//! - `//# CLAUSE | WHAT | native: WHY`, `not: WHY`, `pending: WHY`: a run does not find it; its code, if it has any, has no marker.
//!
//! The programs themselves are run by `verdicts.rs`, which wants exactly the marked errors. The truth of `docs/undefined.md` is here:
//! it has these rows, in the order of clauses (`POLYPATH_BLESS=1` writes it).

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What becomes of a row.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    /// A run reports these kinds.
    Run(Vec<String>),
    /// Clang refuses this code, or warns about it.
    Compiler(String),
    /// Not reported, with the word that says how, and the reason.
    Silent(&'static str, String),
}

#[derive(Clone, Debug)]
struct Row {
    clause: String,
    what: String,
    verdict: Verdict,
    file: String,
}

/// The words of rows that a run does not find.
const SILENT: &[&str] = &["native", "not", "pending"];

/// The kinds that a line's marker names.
fn marked(line: &str) -> impl Iterator<Item = &str> {
    let kinds = line.split_once("//~").map_or("", |(_, kinds)| kinds);
    kinds.split_whitespace()
}

/// The kinds that are marked in a function at the outermost level.
fn marked_in(source: &str, name: &str) -> Vec<String> {
    let head = format!("{name}(");
    let starts = |line: &&str| !line.starts_with([' ', '/', '}']) && line.contains(&head);
    let mut kinds = Vec::new();
    let mut lines = source.lines().skip_while(|line| !starts(line));
    if let Some(first) = lines.next() {
        kinds.extend(marked(first).map(str::to_string));
        if !first.contains('}') {
            let body = lines.take_while(|line| !line.starts_with('}'));
            kinds.extend(body.flat_map(marked).map(str::to_string));
        }
    }
    kinds
}

/// The rows of one program.
fn rows(file: &str, source: &str) -> Result<Vec<Row>, String> {
    let mut all = Vec::new();
    // What stands before the first row is no row.
    for block in source.split("//# ").skip(1) {
        let (head, code) = block.split_once('\n').unwrap_or((block, ""));
        let mut parts = head.split(" | ").map(str::trim);
        let (Some(clause), Some(what)) = (parts.next(), parts.next()) else {
            return Err(format!("{file}: a row without a text: {head}"));
        };
        let told = |problem: &str| format!("{file}: {problem}: {head}");
        let kinds: Vec<String> = code.lines().flat_map(marked).map(str::to_string).collect();
        let snippet: Vec<&str> = code
            .lines()
            .filter_map(|l| l.strip_prefix("//! "))
            .collect();
        let verdict = match parts.next() {
            None if !snippet.is_empty() => Verdict::Compiler(snippet.join("\n") + "\n"),
            None if kinds.is_empty() => return Err(told("neither a marker nor a reason")),
            None => Verdict::Run(kinds),
            Some(said) => {
                let (word, why) = said.split_once(": ").ok_or(told("no verdict"))?;
                if word == "found" {
                    let name = why.strip_prefix("in ").ok_or(told("no function"))?;
                    let kinds = marked_in(source, name);
                    if kinds.is_empty() {
                        return Err(told("no marker in its function"));
                    }
                    Verdict::Run(kinds)
                } else {
                    let word = SILENT.iter().find(|w| **w == word);
                    if !kinds.is_empty() {
                        return Err(told("a marker in a row that is not found"));
                    }
                    Verdict::Silent(word.ok_or(told("no such verdict"))?, why.to_string())
                }
            }
        };
        all.push(Row {
            clause: clause.to_string(),
            what: what.to_string(),
            verdict,
            file: file.to_string(),
        });
    }
    Ok(all)
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the root of the repository")
}

/// All rows, in the order of clauses.
fn all_rows() -> Vec<Row> {
    let dir = root().join("tests/verdicts/undefined");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("the directory of programs")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy();
        let source = std::fs::read_to_string(&path).expect("a program");
        all.extend(rows(&name, &source).unwrap_or_else(|e| panic!("{e}")));
    }
    let numbers = |clause: &str| -> Vec<u32> {
        let first = clause.split(',').next().unwrap_or_default();
        first.split('.').map(|n| n.parse().expect(clause)).collect()
    };
    all.sort_by_key(|row| numbers(&row.clause));
    all
}

fn page(rows: &[Row]) -> String {
    let count = |of: &dyn Fn(&Verdict) -> bool| rows.iter().filter(|r| of(&r.verdict)).count();
    let silent = |word: &str| count(&|v| matches!(v, Verdict::Silent(w, _) if *w == word));
    let mut text = String::from(HEADER);
    let totals = [
        (
            "run",
            count(&|v| matches!(v, Verdict::Run(_))),
            "a run reports it, with an input",
        ),
        (
            "compiler",
            count(&|v| matches!(v, Verdict::Compiler(_))),
            "clang refuses it, or warns with `-std=c11 -Wall -Wextra -pedantic`",
        ),
        (
            "native",
            silent("native"),
            "not reported; natively it may do harm",
        ),
        ("not", silent("not"), "not reported, for the reason given"),
        ("pending", silent("pending"), "not reported yet"),
    ];
    text += "| verdict | rows | meaning |\n|---|---|---|\n";
    for (word, n, meaning) in totals.iter().filter(|(_, n, _)| *n > 0) {
        writeln!(text, "| {word} | {n} | {meaning} |").expect("a string takes it");
    }
    text += "\n| clause | what | verdict | how |\n|---|---|---|---|\n";
    for row in rows {
        let (word, how) = match &row.verdict {
            Verdict::Run(kinds) => {
                let mut kinds = kinds.clone();
                kinds.sort();
                kinds.dedup();
                ("run", format!("`{}` ({})", kinds.join(" "), row.file))
            }
            Verdict::Compiler(_) => ("compiler", String::new()),
            Verdict::Silent(word, why) => (*word, why.clone()),
        };
        let what = &row.what;
        writeln!(text, "| {} | {what} | {word} | {how} |", row.clause).expect("a string takes it");
    }
    text
}

const HEADER: &str = "\
# What C calls undefined

Annex J.2 of C11 lists what is undefined in C; rows of it that name several things are several rows here, and some of clause 7
are added that the annex has in one sentence (7.1.4, 7.24.1). The checks are those of `--check
memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow`
([errors.md](errors.md)); each row that is found has code in a program of `tests/verdicts/undefined`, which also takes a path
without the defect. This page is written by `POLYPATH_BLESS=1 cargo test -p polypath-cli --test suite undefined::`.

";

#[test]
fn the_page_has_the_rows_of_the_programs() {
    let path = root().join("docs/undefined.md");
    let text = page(&all_rows());
    if std::env::var_os("POLYPATH_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the page can be written");
    }
    let has = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        has == text,
        "docs/undefined.md is not what the programs say: POLYPATH_BLESS=1"
    );
}

/// Does clang say something against this code?
fn is_refused(code: &str) -> bool {
    let mut child = Command::new("clang-19")
        .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"])
        .args(["-fsyntax-only", "-xc", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("clang-19 starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(code.as_bytes()).expect("clang reads");
    drop(input);
    !child.wait().expect("clang ends").success()
}

#[test]
fn clang_says_something_against_the_rows_that_are_its_own() {
    if !testkit::need("clang-19") {
        return;
    }
    assert!(!is_refused("extern int x;\n"));
    let accepted: Vec<Row> = all_rows()
        .into_iter()
        .filter(|row| matches!(&row.verdict, Verdict::Compiler(code) if !is_refused(code)))
        .collect();
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn a_row_without_its_evidence_is_refused() {
    let parse = |text: &str| rows("a.c", text).map(|rows| rows[0].verdict.clone());
    let found = parse("//# 6.5.7 | A shift\nx << 99; //~ shift\n");
    assert_eq!(found, Ok(Verdict::Run(vec!["shift".into()])));
    let elsewhere = "int f(int x) {\n    return x; //~ null\n}\n//# 6.5 | A\n";
    assert!(parse(elsewhere).is_err());
    let named = elsewhere.replace("| A", "| A | found: in f");
    assert_eq!(parse(&named), Ok(Verdict::Run(vec!["null".into()])));
    assert!(parse(&named.replace("in f", "in g")).is_err());
    assert!(parse("//# 6.5 | A | not: harmless\nx; //~ null\n").is_err());
    assert!(parse("//# 6.5 | A | perhaps: harmless\n").is_err());
    assert!(parse("//# 6.5\n").is_err());
}
