//! The raw query log: every query as asked, before any layer sees it, as one SMT-LIB 2 script.
//!
//! `queries.smt2` is what the caller would say to an incremental solver: each conjunct of the path
//! on a level of its own, a query's condition on one more. Paths that follow each other share
//! their first conjuncts, so levels are popped to those, and every term is printed once. Any
//! solver with `:global-declarations` executes the script; a query by itself is what stands on the
//! levels at its `check-sat`, with the definitions it mentions.

use crate::path::PathCondition;
use crate::stats::SolverStats;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use term::{Names, Pool, Relocation, Term};

/// The file in the log's directory.
const FILE: &str = "queries.smt2";

const HEAD: &str = "(set-option :global-declarations true)\n(set-logic ALL)\n";

pub(crate) struct QueryLog {
    /// Not buffered: the end of a run does not come back here.
    file: File,
    names: Names,
    /// The condition on each level.
    levels: Vec<String>,
    text: String,
}

impl QueryLog {
    pub fn new(dir: &Path) -> Result<QueryLog, String> {
        let failed = |what: &Path| {
            let what = what.display().to_string();
            move |e: std::io::Error| format!("cannot make the query log {what}: {e}")
        };
        fs::create_dir_all(dir).map_err(failed(dir))?;
        let path = dir.join(FILE);
        Ok(QueryLog {
            file: File::create(&path).map_err(failed(&path))?,
            names: Names::new(),
            levels: Vec::new(),
            text: HEAD.into(),
        })
    }

    /// Writes one query. What cannot be written is counted and shown in the statistics; the run
    /// goes on.
    pub fn write(&mut self, pool: &Pool, pc: &PathCondition, cond: Term, stats: &mut SolverStats) {
        let mut definitions = String::new();
        let mut due: Vec<String> = Vec::with_capacity(pc.len() + 1);
        let terms = pc.iter().map(|c| c.term);
        for term in terms.chain((cond != Term::TRUE).then_some(cond)) {
            due.push(self.names.define(pool, term, &mut definitions));
        }
        let known = self.levels.iter().zip(&due);
        let mut common = known.take_while(|(a, b)| a == b).count();
        if definitions.contains("(assert") {
            common = 0; // the pattern of a float holds on all levels
        }
        let text = &mut self.text;
        if common < self.levels.len() {
            let _ = writeln!(text, "(pop {})", self.levels.len() - common);
        }
        text.push_str(&definitions);
        for condition in &due[common..] {
            let _ = writeln!(text, "(push 1)\n(assert {condition})");
        }
        text.push_str("(check-sat)\n");
        self.levels = due;
        if self.file.write_all(text.as_bytes()).is_err() {
            stats.log_failures += 1;
        }
        text.clear();
    }

    /// Terms were renumbered.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        self.names.relocate(relocation);
    }
}
