//! Source files: finding them, and showing them with coverage or around an error.

use crate::coverage::{BranchCoverage, FileCoverage};
use crate::origin;
use maud::{Markup, PreEscaped, Render, html};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Source texts by the name that the compiler recorded.
#[derive(Default)]
pub struct Sources {
    /// Directories in which relative names are looked up, in addition to the current one.
    roots: Vec<PathBuf>,
    texts: BTreeMap<String, Option<Vec<String>>>,
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

    /// The lines of a file; `None` if it is not there (any more) or no regular text file.
    pub fn lines(&mut self, name: &str) -> Option<&[String]> {
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

fn load(path: &Path) -> Option<Vec<String>> {
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_SIZE {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(
        String::from_utf8_lossy(&bytes)
            .lines()
            .map(str::to_owned)
            .collect(),
    )
}

/// A few lines around `line`, which is marked.
pub fn excerpt(lines: &[String], line: u32, around: u32) -> Markup {
    let first = line.saturating_sub(around).max(1);
    let last = line.saturating_add(around);
    let lines = (1u32..).zip(lines).skip(first as usize - 1);
    html! {
        pre.src {
            @for (n, text) in lines.take_while(|(n, _)| *n <= last) {
                span.hit[n == line] { i { (n) } (highlight(text)) }
            }
        }
    }
}

/// A line with an error.
pub struct Finding {
    pub line: u32,
    pub what: String,
}

/// The whole file with line colors, branch marks and findings; line N has the anchor `ID-N`.
pub fn listing(
    lines: Option<&[String]>,
    file: &FileCoverage,
    id: &str,
    findings: &[Finding],
) -> Markup {
    let Some(lines) = lines else {
        let why = if origin::is_known(&file.path) {
            "The source file was not found; coverage is counted all the same."
        } else {
            "The functions of the program without source positions; their branches are counted all the same."
        };
        return html! { p.none { (why) } };
    };
    let hits: BTreeMap<u32, bool> = file.lines.iter().copied().collect();
    let mut branches: BTreeMap<u32, Vec<&BranchCoverage>> = BTreeMap::new();
    for b in &file.branches {
        branches.entry(b.line).or_default().push(b);
    }
    let color = |n: u32, here: &[&BranchCoverage]| {
        let is_partial = |b: &&BranchCoverage| b.taken.contains(&true) && b.taken.contains(&false);
        match hits.get(&n) {
            Some(true) if here.iter().any(is_partial) => "p",
            Some(true) => "y",
            Some(false) => "n",
            None => "",
        }
    };
    let found = |n: u32| {
        let here = findings.iter().filter(|f| f.line == n);
        let what: Vec<&str> = here.map(|f| f.what.as_str()).collect();
        (!what.is_empty()).then(|| (format!("{id}-{n}"), what.join("; ")))
    };
    html! {
        pre.src.cov {
            @for (n, text) in (1u32..).zip(lines) {
                @let here = branches.get(&n).map_or(&[][..], Vec::as_slice);
                @let (anchor, what) = found(n).unzip();
                span.(color(n, here)).err[what.is_some()] id=[anchor] title=[what] {
                    i { (n) } b { (marks(here)) } (highlight(text))
                }
            }
        }
    }
}

/// One square per outcome, at most eight; a title describes the others.
fn marks(branches: &[&BranchCoverage]) -> Markup {
    const SHOWN: usize = 8;
    let outcomes: Vec<bool> = branches
        .iter()
        .flat_map(|b| b.taken.iter().copied())
        .collect();
    let taken = outcomes.iter().filter(|t| **t).count();
    html! {
        @if !outcomes.is_empty() {
            u title={ (taken) " of " (outcomes.len()) " branch outcomes taken" } {
                @for t in outcomes.iter().take(SHOWN) {
                    s.t[*t] {}
                }
                @if outcomes.len() > SHOWN { "+" }
            }
        }
    }
}

const KEYWORDS: &[&str] = &[
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while", "true", "false", "NULL",
];

/// C, line by line: keywords, strings, numbers, line comments. (Block comments over several lines
/// are not followed; the colors are a help, nothing depends on them.)
fn highlight(line: &str) -> Markup {
    let mut out = String::new();
    let mut rest = line;
    if line.trim_start().starts_with('#') {
        return html! { em.pp { (line) } };
    }
    if line.trim_start().starts_with("* ") || line.trim_start().starts_with("*/") {
        return html! { em.cm { (line) } };
    }
    while let Some(c) = rest.chars().next() {
        let (class, length) = if rest.starts_with("//") {
            ("cm", rest.len())
        } else if rest.starts_with("/*") {
            ("cm", rest.find("*/").map_or(rest.len(), |n| n + 2))
        } else if c == '"' || c == '\'' {
            ("st", quoted(rest, c))
        } else if c.is_ascii_digit() {
            (
                "nu",
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
                    .unwrap_or(rest.len()),
            )
        } else if c.is_ascii_alphabetic() || c == '_' {
            let n = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            (
                if KEYWORDS.contains(&&rest[..n]) {
                    "kw"
                } else {
                    ""
                },
                n,
            )
        } else {
            ("", c.len_utf8())
        };
        let (token, after) = rest.split_at(length);
        if class.is_empty() {
            token.render_to(&mut out);
        } else {
            html! { em.(class) { (token) } }.render_to(&mut out);
        }
        rest = after;
    }
    PreEscaped(out)
}

/// Length of a quoted token, its closing quote included.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlighting_keeps_the_text() {
        for line in [
            "if (x < \"a\\\"b\") y = 'é'; // <é>",
            "\"open",
            "  # define X 0x1F",
            "/* a */ b / c é",
        ] {
            let html = highlight(line).into_string();
            let mut plain = String::new();
            let mut inside = false;
            for c in html.chars() {
                match c {
                    '<' => inside = true,
                    '>' => inside = false,
                    c if !inside => plain.push(c),
                    _ => {}
                }
            }
            assert_eq!(plain, line.render().into_string());
        }
    }

    #[test]
    fn excerpts_at_the_edges() {
        let lines: Vec<String> = (1..=5).map(|n| format!("line{n}")).collect();
        let excerpt = |line| excerpt(&lines, line, 2).into_string();
        assert!(excerpt(0).contains("line2"));
        assert!(excerpt(5).contains("line3"));
        assert!(!excerpt(u32::MAX).contains("line"));
    }
}
