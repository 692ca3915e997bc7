//! Suppressions: bugs that a team has looked at and accepts, with the reason. They stay in all results, marked.

use crate::bug::{self, Bug};
use crate::kind::ErrorKind;
use crate::names::readable;
use crate::read::Run;
use crate::{origin, output};
use anyhow::{Context, Result};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// A suppression fits the bugs of its kind at its place. It has a file or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The source file: relative to the project's directory, or as much of the end of its path as tells it apart.
    pub file: Option<String>,
    /// The function that the place is in, with or without its parameters, and of a class with or without the class.
    pub function: Option<String>,
    /// The line, which moves with each edit above it.
    pub line: Option<u32>,
    /// Why the bug is accepted.
    pub reason: String,
}

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.id())?;
        if let Some(file) = &self.file {
            write!(f, " at {file}")?;
        }
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(function) = &self.function {
            write!(f, " in {function}")?;
        }
        Ok(())
    }
}

impl Suppression {
    /// Does it fit this bug of a project in this directory?
    pub fn fits(&self, bug: &Bug<'_>, project: &Path) -> bool {
        let error = bug.shown();
        self.kind == error.kind
            && self.line.is_none_or(|line| line == error.line)
            && self
                .function
                .as_ref()
                .is_none_or(|f| is_function(f, &error.function))
            && self.is_in(&error.file, project)
    }

    /// Is its file this one, or does it name none?
    pub fn is_in(&self, file: &str, project: &Path) -> bool {
        let wanted = self.file.as_ref();
        wanted.is_none_or(|wanted| is_file(Path::new(wanted), file, project))
    }
}

/// Does the user mean this file, as the debug information has it?
fn is_file(wanted: &Path, file: &str, project: &Path) -> bool {
    if !origin::is_known(file) {
        return false;
    }
    let file = plain(Path::new(file));
    let wanted = plain(wanted);
    // Of a file of the project, it is known which one is meant.
    if file.starts_with(project) {
        return file == plain(&project.join(&wanted));
    }
    // It was compiled elsewhere, or its name is relative to a directory that nobody knows.
    file.ends_with(&wanted) || (file.is_relative() && wanted.ends_with(&file))
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Does the user mean this function?
fn is_function(wanted: &str, function: &str) -> bool {
    let readable = readable(function);
    let bare = readable.split('(').next().unwrap_or_default();
    let within = |name: &str| {
        let class = name.strip_suffix(wanted);
        class.is_some_and(|class| class.ends_with('.') || class.ends_with("::"))
    };
    [function, &readable, bare].contains(&wanted) || within(&readable) || within(bare)
}

/// Marks in a run's `errors.json` the bugs that have a reason to be suppressed, and takes older marks away. Reports then show the marks.
///
/// # Errors
/// The errors cannot be read or written.
pub fn mark(dir: &Path, reason: &mut dyn FnMut(&Bug<'_>) -> Option<String>) -> Result<()> {
    let run = Run::without_tests(dir)?;
    if !run.errors_known {
        return Ok(());
    }
    let mut marked = run.errors.clone();
    for bug in bug::bugs(&run.errors) {
        let reason = reason(&bug);
        for (error, mark) in run.errors.iter().zip(&mut marked) {
            if error.is_bug_of(bug.shown()) {
                mark.suppressed.clone_from(&reason);
            }
        }
    }
    if marked == run.errors {
        return Ok(());
    }
    let written: Result<()> = output::write_errors(&run.dir, &marked).map_err(Into::into);
    written.with_context(|| format!("cannot write {}", run.dir.join("errors.json").display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ErrorRecord;

    fn error(file: &str, function: &str) -> ErrorRecord {
        ErrorRecord {
            kind: ErrorKind::Null,
            file: file.into(),
            function: function.into(),
            line: 7,
            ..ErrorRecord::default()
        }
    }

    fn fits(file: Option<&str>, function: Option<&str>, error: &ErrorRecord) -> bool {
        let suppression = Suppression {
            kind: ErrorKind::Null,
            file: file.map(Into::into),
            function: function.map(Into::into),
            line: None,
            reason: "why".into(),
        };
        let bugs = bug::bugs([error]);
        suppression.fits(&bugs[0], Path::new("/home/me/project"))
    }

    #[test]
    fn a_file_of_the_project_is_one_file() {
        let read = error("/home/me/project/src/read.c", "read_old");
        assert!(fits(Some("src/read.c"), None, &read));
        assert!(fits(Some("./lib/../src/read.c"), Some("read_old"), &read));
        assert!(fits(Some("/home/me/project/src/read.c"), None, &read));
        assert!(!fits(Some("read.c"), None, &read));
        assert!(!fits(Some("src/read.c"), Some("read"), &read));
        let other = error("/home/me/project/old/src/read.c", "read_old");
        assert!(!fits(Some("src/read.c"), None, &other));
    }

    #[test]
    fn a_file_from_elsewhere_is_known_by_the_end_of_its_path() {
        let built_there = error("/build/src/read.c", "f");
        assert!(fits(Some("src/read.c"), None, &built_there));
        assert!(!fits(Some("ead.c"), None, &built_there));
        let java = error("app/Reader.java", "app.Reader.read");
        assert!(fits(Some("src/main/java/app/Reader.java"), None, &java));
        assert!(fits(Some("Reader.java"), None, &java));
        assert!(!fits(Some("src/Other.java"), None, &java));
        assert!(!fits(Some("read.c"), None, &error(origin::UNKNOWN, "f")));
    }

    #[test]
    fn a_function_has_a_name_with_and_without_more() {
        let of = |function| error("/x.cpp", function);
        for name in ["ns::Class::method", "ns::Class::method(int)", "method"] {
            assert!(
                fits(None, Some(name), &of("_ZN2ns5Class6methodEi")),
                "{name}"
            );
        }
        assert!(!fits(None, Some("thod"), &of("_ZN2ns5Class6methodEi")));
        assert!(fits(None, Some("Reader.read"), &of("app.Reader.read")));
    }
}
