//! Source files: finding them, and what the page shows of them beside their lines.

use crate::coverage::FileCoverage;
use crate::origin;
use maud::{Markup, html};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Source texts by the name that the compiler recorded.
#[derive(Default)]
pub struct Sources {
    /// Directories in which relative names are looked up, in addition to the current one.
    roots: Vec<PathBuf>,
    texts: BTreeMap<String, Option<String>>,
}

/// Larger files are not shown.
const MAX_SIZE: u64 = 8 << 20;

impl Sources {
    /// Sources of a program that stands at `program`.
    pub fn new(program: Option<&Path>) -> Sources {
        let roots = program
            .and_then(Path::parent)
            .map(Path::to_owned)
            .into_iter()
            .collect();
        Sources {
            roots,
            texts: BTreeMap::new(),
        }
    }

    /// The text of a file; `None` if it is not there (any more) or no regular text file.
    pub fn text(&mut self, name: &str) -> Option<&str> {
        if !self.texts.contains_key(name) {
            let text = self.candidates(name).iter().find_map(|p| load(p));
            self.texts.insert(name.to_owned(), text);
        }
        self.texts[name].as_deref()
    }

    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let given = PathBuf::from(name);
        let mut all = vec![given.clone()];
        all.extend(host::installed::moved(&given));
        for root in &self.roots {
            all.push(root.join(&given));
            // The tree may have moved: try the file's name beside the program.
            all.extend(given.file_name().map(|n| root.join(n)));
        }
        all
    }
}

fn load(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_SIZE {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A few lines around `line`, which is marked. The page's script colors what stands in `code`.
pub fn excerpt(text: &str, line: u32, around: u32) -> Markup {
    let first = line.saturating_sub(around).max(1);
    let last = line.saturating_add(around);
    let lines = (1u32..).zip(text.lines()).skip(first as usize - 1);
    html! {
        pre.src {
            @for (n, text) in lines.take_while(|(n, _)| *n <= last) {
                span.hit[n == line] { i { (n) } code { (text) } }
            }
        }
    }
}

/// A line with an error.
pub struct Finding {
    pub line: u32,
    pub what: String,
}

/// Why a file has no text on the page.
pub fn why_missing(file: &FileCoverage) -> &'static str {
    if origin::is_known(&file.path) {
        "The source file was not found; coverage is counted all the same."
    } else {
        "The functions of the program without source positions; their branches are counted all the same."
    }
}

/// What the page's script shows beside the lines of a source.
#[derive(Serialize)]
struct Notes<'a> {
    /// A letter for each line: `y` was reached, `p` was reached but not with every outcome of its branches, `n` was not, a space has no code. What
    /// is left out at the end has none, either.
    colors: String,
    /// By line: the first outcomes of its branches, `t` taken and `f` not; how many were taken; how many there are.
    branches: BTreeMap<u32, (String, usize, usize)>,
    /// By line: its errors.
    errors: BTreeMap<u32, Vec<&'a str>>,
}

/// A source behind one line of notes on what the exploration reached (JSON).
pub fn annotated(text: &str, file: &FileCoverage, findings: &[Finding]) -> String {
    /// Outcomes of a line that have a square.
    const SQUARES: usize = 8;
    let mut outcomes: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
    for b in &file.branches {
        outcomes.entry(b.line).or_default().extend(&b.taken);
    }
    let partial: BTreeSet<u32> = file
        .branches
        .iter()
        .filter(|b| b.taken.contains(&true) && b.taken.contains(&false))
        .map(|b| b.line)
        .collect();
    let all = text.lines().count();
    let mut colors = String::new();
    for &(line, is_reached) in &file.lines {
        let before = line.saturating_sub(1) as usize;
        // Lines are in order, and a file may have changed since it was compiled.
        if before < colors.len() || before >= all || line == 0 {
            continue;
        }
        colors.extend(std::iter::repeat_n(' ', before - colors.len()));
        colors.push(match is_reached {
            _ if !is_reached => 'n',
            _ if partial.contains(&line) => 'p',
            _ => 'y',
        });
    }
    let branches = outcomes.into_iter().filter(|(_, all)| !all.is_empty());
    let branches = branches.map(|(line, all)| {
        let first = all.iter().take(SQUARES);
        let letters = first.map(|taken| if *taken { 't' } else { 'f' }).collect();
        let taken = all.iter().filter(|taken| **taken).count();
        (line, (letters, taken, all.len()))
    });
    let mut errors: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for finding in findings {
        errors.entry(finding.line).or_default().push(&finding.what);
    }
    let notes = Notes {
        colors,
        branches: branches.collect(),
        errors,
    };
    let notes = serde_json::to_string(&notes).expect("maps with numbers for keys are JSON");
    format!("{notes}\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::BranchCoverage;

    #[test]
    fn notes_of_a_source() {
        let branch = |line, taken: &[bool]| BranchCoverage {
            line,
            taken: taken.to_vec(),
            ..BranchCoverage::default()
        };
        let file = FileCoverage {
            lines: vec![(0, true), (2, true), (3, false), (5, true), (9, true)],
            branches: vec![branch(2, &[true, false]), branch(5, &[true; 9])],
            ..FileCoverage::default()
        };
        let finding = Finding {
            line: 3,
            what: "null: </script>".into(),
        };
        let text = annotated("a\nb\nc\nd\ne\nf\n", &file, &[finding]);
        let (notes, text) = text.split_once('\n').expect("two lines");
        assert_eq!(text, "a\nb\nc\nd\ne\nf\n");
        assert_eq!(
            notes,
            r#"{"colors":" pn y","branches":{"2":["tf",1,2],"5":["tttttttt",9,9]},"errors":{"3":["null: </script>"]}}"#
        );
    }

    #[test]
    fn excerpts_at_the_edges() {
        let lines: Vec<String> = (1..=5).map(|n| format!("line{n}")).collect();
        let text = lines.join("\n");
        let excerpt = |line| excerpt(&text, line, 2).into_string();
        assert!(excerpt(0).contains("line2"));
        assert!(excerpt(5).contains("line3"));
        assert!(!excerpt(u32::MAX).contains("line"));
    }
}
