//! What is known of the native fuzzers of a run while it goes on: their figures, and words for the user.

use crate::figures::short;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The figures of all fuzzers of a run together.
#[derive(Clone, Copy, Debug, Default)]
pub struct FuzzFigures {
    /// They could not be started.
    pub has_failed: bool,
    /// Fuzzers that work.
    pub processes: u64,
    /// Executions, also those of fuzzers that have ended.
    pub executions: u64,
    /// A second, lately.
    pub rate: f64,
    /// Inputs that any of them keeps, and those of them that others had found.
    pub corpus: u64,
    /// See there.
    pub imported: u64,
    /// Edges that the best of them has covered, of all.
    pub edges: (u64, u64),
    /// Inputs that end the program by a signal, and that take too long.
    pub crashes: u64,
    /// See there.
    pub hangs: u64,
}

/// Words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FuzzWords {
    /// What goes on, which `--quiet` suppresses.
    Note(String),
    /// What is missing.
    Failure(String),
}

/// See the module.
#[derive(Clone, Default)]
pub struct FuzzBoard(Arc<Mutex<Posted>>);

#[derive(Default)]
struct Posted {
    figures: FuzzFigures,
    words: Vec<FuzzWords>,
    failures: Vec<String>,
}

impl FuzzBoard {
    /// The figures of the last look.
    pub fn figures(&self) -> FuzzFigures {
        self.lock().figures
    }

    /// Those of a look.
    pub fn set(&self, figures: FuzzFigures) {
        self.lock().figures = figures;
    }

    /// The fuzzers could not be started, for this reason.
    pub fn fail(&self, why: String) {
        self.lock().figures.has_failed = true;
        self.say(FuzzWords::Failure(why));
    }

    /// Has something to say to the user.
    pub fn say(&self, words: FuzzWords) {
        let mut posted = self.lock();
        if let FuzzWords::Failure(text) = &words {
            posted.failures.push(text.clone());
        }
        posted.words.push(words);
    }

    /// What the user has not been told yet.
    pub fn words(&self) -> Vec<FuzzWords> {
        std::mem::take(&mut self.lock().words)
    }

    /// All that is missing.
    pub fn failures(&self) -> Vec<String> {
        self.lock().failures.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Posted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FuzzFigures {
    /// For the status line.
    pub fn status(&self) -> String {
        if self.has_failed {
            return String::new();
        }
        if self.processes == 0 {
            return "  fuzzers starting".into();
        }
        let crashes = match self.crashes {
            0 => String::new(),
            n => format!(", {n} crashing"),
        };
        format!(
            "  fuzzing: {} runs ({}/s), {}/{} edges{crashes}",
            short(self.executions),
            short(self.rate.round() as u64),
            self.edges.0,
            self.edges.1
        )
    }

    /// For the end of the run.
    pub fn told(&self) -> String {
        format!(
            "fuzzers: {} runs, {} kept, {} of {} edges, {} crash the program and {} take too long",
            short(self.executions),
            vocab::counted(self.corpus, "input"),
            self.edges.0,
            self.edges.1,
            self.crashes,
            self.hangs,
        )
    }

    /// For the end of a run that has found no error.
    pub fn unexplained(&self) -> String {
        let inputs = vocab::counted(self.crashes, "input");
        let are = vocab::are(self.crashes);
        format!(
            "{inputs} of the fuzzers {are} killed by a signal natively, and the exploration has found no error there yet: see the crashes/ of \
             their directories"
        )
    }

    /// In `stats.json`.
    pub fn stats(&self) -> [(&'static str, u64); 7] {
        [
            ("fuzz_executions", self.executions),
            ("fuzz_corpus", self.corpus),
            ("fuzz_imported", self.imported),
            ("fuzz_edges", self.edges.0),
            ("fuzz_total_edges", self.edges.1),
            ("fuzz_crashes", self.crashes),
            ("fuzz_hangs", self.hangs),
        ]
    }
}
