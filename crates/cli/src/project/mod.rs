//! What `polypath test` explores: what a `polypath.toml` says ([`read`]), or the functions of a library ([`of_libraries`]). Plain
//! values, and the words of a run.

mod library;
mod read;
#[cfg(test)]
mod tests;

use crate::exit::UsageError;
use crate::options::{OptionKey, TargetArgs, Value, Whose};
use clap::error::{ContextKind, ContextValue};
pub use library::{LibraryWish, of_libraries};
pub use read::read;
use std::path::{Path, PathBuf};
use testcase::Suppression;

/// The name of the file.
pub const NAME: &str = "polypath.toml";

/// Where results go if nothing says it.
const OUT: &str = "polypath-results";

/// A mistake in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// All of a file's mistakes as one.
pub fn usage(file: &Path, faults: &[Mistake]) -> UsageError {
    let lines = faults.iter().map(|fault| {
        let Mistake { line, text } = fault;
        format!("{}:{line}: {text}", file.display())
    });
    UsageError(lines.collect::<Vec<_>>().join("\npolypath: "))
}

/// The content of the file.
#[derive(Clone, Debug)]
pub struct Project {
    /// The directory that has one directory for each target.
    pub out: PathBuf,
    /// The command that builds the programs, for a shell.
    pub build: Option<String>,
    /// Does a suppression that fits nothing count?
    pub stale_fails: bool,
    /// At least one.
    pub targets: Vec<Target>,
    /// With the lines where they begin.
    pub suppressions: Vec<(usize, Suppression)>,
}

/// A program, and how it is explored.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: String,
    /// Whose options it has.
    pub of: Whose,
    pub program: String,
    pub arguments: Vec<String>,
    /// Are its tests run natively?
    pub replay: bool,
    /// Each option once: those of the target, and those of the file that its command has.
    pub settings: Vec<Setting>,
    /// Where it begins.
    pub line: usize,
    /// Did somebody name it? That a function which was only found in a library cannot be called is no mistake.
    pub is_named: bool,
}

/// An option in the file.
#[derive(Clone, Debug)]
pub struct Setting {
    pub name: String,
    pub value: Value,
    pub line: usize,
}

/// The words of a target's run.
#[derive(Clone, Debug)]
pub struct Words {
    /// Options that may be changed when the run is continued.
    pub changeable: Vec<String>,
    /// The others.
    pub fixed: Vec<String>,
    /// The program, and its arguments behind `--`.
    pub program: Vec<String>,
}

impl Words {
    /// All of them, those of the command excepted.
    pub fn all(&self) -> Vec<String> {
        [&self.changeable[..], &self.fixed, &self.program].concat()
    }
}

impl Target {
    /// The words of its run, in which these options of a command line take the place of those in the file.
    ///
    /// # Errors
    /// What the command line has must not stand there.
    pub fn words(&self, more: &[String]) -> Result<Words, UsageError> {
        let mut program = vec![self.program.clone()];
        if !self.arguments.is_empty() {
            program.push("--".into());
            program.extend(self.arguments.iter().cloned());
        }
        let told = |e: clap::Error| UsageError(format!("{}: {}", self.name, brief(&e)));
        let alone: Vec<String> = [more, std::slice::from_ref(&self.program)].concat();
        // What others require may stand in the file: then clap knows no names.
        let given = match TargetArgs::read(self.of, &alone) {
            Ok(asked) => asked.given(),
            Err(_) if !more.is_empty() => {
                let all = [more, &self.file_words(&[]).all()].concat();
                let asked = TargetArgs::read(self.of, &all).map_err(told)?;
                let is_said = |key: &OptionKey| {
                    let long = format!("--{}", key.name());
                    more.iter()
                        .any(|w| *w == long || w.starts_with(&format!("{long}=")))
                };
                asked.given().into_iter().filter(is_said).collect()
            }
            Err(_) => Vec::new(),
        };
        if let Some((name, why)) = given
            .iter()
            .find_map(|key| Some((key.name(), key.not_in_file()?)))
        {
            return Err(UsageError(format!("--{name}: {why}")));
        }
        let replaced: Vec<&str> = given.iter().map(OptionKey::name).collect();
        let mut words = self.file_words(&replaced);
        if given.iter().all(OptionKey::may_change) {
            words.changeable.extend(more.iter().cloned());
        } else {
            words.fixed.extend(more.iter().cloned());
        }
        words.program = program;
        Ok(words)
    }

    /// The words of the file, but for these options.
    fn file_words(&self, without: &[&str]) -> Words {
        let mut words = Words {
            changeable: Vec::new(),
            fixed: Vec::new(),
            program: vec![self.program.clone()],
        };
        for setting in &self.settings {
            let key = OptionKey::named(self.of, &setting.name);
            let key = key.filter(|key| !without.contains(&key.name()));
            let Some(key) = key else { continue };
            // (Their values were looked at when the file was read.)
            let of_key = key.words(&setting.value).unwrap_or_default();
            if key.may_change() {
                words.changeable.extend(of_key);
            } else {
                words.fixed.extend(of_key);
            }
        }
        words
    }

    /// Reads its words as the command does, without looking at any file.
    ///
    /// # Errors
    /// The mistake, at the place in the file where it is.
    pub fn asked(&self, words: &Words) -> Result<TargetArgs, Mistake> {
        let asked = TargetArgs::read(self.of, &words.all()).map_err(|e| {
            let named = match e.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(name)) => name.clone(),
                _ => String::new(),
            };
            let name = named.trim_start_matches('-');
            let name = name.split([' ', '=', '[']).next().unwrap_or_default();
            let setting = self.settings.iter().find(|s| s.name == name);
            Mistake {
                line: setting.map_or(self.line, |s| s.line),
                text: format!("target {}: {}", self.name, brief(&e)),
            }
        })?;
        match asked.settle() {
            Ok(()) => Ok(asked),
            Err(e) => Err(Mistake {
                line: self.line,
                text: format!("target {}: {e:#}", self.name),
            }),
        }
    }
}

/// clap's message in one line.
fn brief(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|l| {
        let is_general = l.starts_with("Usage:") || l.starts_with("For more information");
        !l.is_empty() && !is_general
    });
    let text = lines.collect::<Vec<_>>().join("; ");
    text.trim_start_matches("error: ").to_string()
}
