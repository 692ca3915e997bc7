//! What is known of unmarked errors: whether a user of the library can bring them about through its public interface. The list
//! (`verdicts.tsv`) was made by reading the code, and by drivers of the public interface where in doubt.

use anyhow::{Result, ensure};
use std::path::Path;

/// Library, kind, function, file:line, verdict, reason; `#` begins a comment.
const LIST: &str = include_str!("verdicts.tsv");

/// What an unmarked error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Calls that the library's documentation allows bring it about.
    Real,
    /// They cannot.
    False,
}

/// A line of the list.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    pub library: &'a str,
    pub kind: &'a str,
    /// The function with the error.
    pub function: &'a str,
    /// Name of the file without its directory, and line.
    pub place: &'a str,
    pub verdict: Verdict,
    pub reason: &'a str,
}

/// The list.
///
/// # Errors
/// A line is not one.
pub fn list() -> Result<Vec<Judged<'static>>> {
    let lines = LIST
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(judged).collect()
}

fn judged(line: &str) -> Result<Judged<'_>> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[library, kind, function, place, verdict, reason] = &fields[..] else {
        anyhow::bail!("verdicts.tsv: {} columns: {line}", fields.len());
    };
    let verdict = match verdict {
        "real" => Verdict::Real,
        "false" => Verdict::False,
        other => anyhow::bail!("verdicts.tsv: `{other}` is no verdict: {line}"),
    };
    ensure!(!reason.is_empty(), "verdicts.tsv: no reason: {line}");
    Ok(Judged {
        library,
        kind,
        function,
        place,
        verdict,
        reason,
    })
}

/// An error's place as the list has it.
pub fn place(file: &str, line: u64) -> String {
    let name = Path::new(file).file_name().unwrap_or_default();
    format!("{}:{line}", name.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::super::java;
    use super::super::table::LIBRARIES;
    use super::*;

    #[test]
    fn every_line_is_a_verdict_about_a_library_of_the_suite() {
        let list = list().expect("a list");
        for (at, judged) in list.iter().enumerate() {
            let c = LIBRARIES.iter().map(|l| l.name);
            let mut names = c.chain(java::LIBRARIES.iter().map(|l| l.name));
            assert!(names.any(|name| name == judged.library), "{judged:?}");
            let is_kind = |k: &&testcase::ErrorKind| k.id() == judged.kind;
            assert!(
                testcase::ErrorKind::ALL.iter().any(|k| is_kind(&k)),
                "{judged:?}"
            );
            let (file, line) = judged.place.split_once(':').expect("file:line");
            assert!(
                !file.contains('/') && line.parse::<u32>().is_ok(),
                "{judged:?}"
            );
            let key = |j: &Judged<'static>| (j.library, j.kind, j.function, j.place);
            assert!(
                list[..at].iter().all(|other| key(other) != key(judged)),
                "twice: {judged:?}"
            );
        }
        assert!(judged("libcsv\tnull\tf\tf.c:1\tperhaps\twhy").is_err());
        assert!(judged("libcsv\tnull").is_err());
        assert_eq!(place("/a/b/c.c", 7), "c.c:7");
    }
}
