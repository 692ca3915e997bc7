//! Queries in the order in which the executor asked them: a path's conjuncts pushed and popped as the search goes on.

use super::log::Log;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// The files of a program's first queries.
#[derive(Clone)]
pub struct Stream {
    pub program: String,
    base: PathBuf,
}

impl Stream {
    /// Writes the files `BASE.definitions` and `BASE.steps`.
    pub fn write(log: &Log, program: &str, base: PathBuf) -> Result<Stream> {
        let mut steps = String::new();
        for step in &log.steps {
            steps.push_str(&step.pop.to_string());
            step.push
                .iter()
                .for_each(|c| steps.push_str(&format!("\t{c}")));
            steps.push('\n');
        }
        std::fs::write(base.with_extension("definitions"), log.definitions())?;
        std::fs::write(base.with_extension("steps"), steps)?;
        Ok(Stream::open(program, base))
    }

    /// The stream whose files are there.
    pub fn open(program: &str, base: PathBuf) -> Stream {
        Stream {
            program: program.into(),
            base,
        }
    }

    fn read(&self, extension: &str) -> Result<String> {
        let path = self.base.with_extension(extension);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Number of queries.
    pub fn queries(&self) -> Result<usize> {
        Ok(self.read("steps")?.lines().count())
    }

    /// The stream as a script, with a limit for each check.
    pub fn script(&self, limit: f64) -> Result<PathBuf> {
        let milliseconds = (limit * 1000.0) as u64;
        let mut text = format!("(set-option :timeout {milliseconds})\n");
        text.push_str(&self.read("definitions")?);
        for line in self.read("steps")?.lines() {
            let mut words = line.split('\t');
            match words.next() {
                None | Some("0") => {}
                Some(pop) => text.push_str(&format!("(pop {pop})\n")),
            }
            words.for_each(|c| text.push_str(&format!("(push 1)\n(assert {c})\n")));
            text.push_str("(check-sat)\n");
        }
        let path = self.base.with_extension("smt2");
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// The files' name, without its extension.
    pub fn base(&self) -> &Path {
        &self.base
    }
}

/// Where the streams of a collection lie.
pub(super) fn base(dir: &Path, program: &str) -> PathBuf {
    dir.join(format!("{program}-stream"))
}
