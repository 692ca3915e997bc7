//! The receiver of the solver's trials for `--partial-solutions`.
//!
//! A trial is judged by the first condition that it violates, in the order of the script: it
//! would take the other side there. One for each such place is kept, and what reaches a place
//! where another trial went already is dropped.

use smtlib::{Declaration, Sorts, write};
use solver::{Model, Technique, Trials};
use std::time::Instant;
use term::{Pool, Scratch, Tape, Term};

/// A trial that was kept.
pub(super) struct Kept {
    pub technique: &'static str,
    /// Conditions satisfied before the first violated one.
    pub prefix: usize,
    /// Seconds since the check began.
    pub seconds: f64,
    pub model: Model,
}

/// Judges the trials of one check.
pub(super) struct Receiver {
    tape: Tape,
    scratch: Scratch,
    conditions: usize,
    /// By the first violated condition; one more for models.
    taken: Vec<bool>,
    begun: Instant,
    pub kept: Vec<Kept>,
}

impl Receiver {
    /// A receiver for the check of these conditions.
    pub fn new(pool: &Pool, conditions: &[Term]) -> Receiver {
        Receiver {
            tape: Tape::compile(pool, conditions),
            scratch: Scratch::new(),
            conditions: conditions.len(),
            taken: vec![false; conditions.len() + 1],
            begun: Instant::now(),
            kept: Vec::new(),
        }
    }
}

impl Trials for Receiver {
    fn tried(&mut self, model: &Model, by: Technique) {
        self.tape.run(model, &mut self.scratch);
        let violated = |k: &usize| self.tape.value(&self.scratch, *k) & 1 == 0;
        let prefix = (0..self.conditions)
            .find(violated)
            .unwrap_or(self.conditions);
        if std::mem::replace(&mut self.taken[prefix], true) {
            return;
        }
        self.kept.push(Kept {
            technique: by.name(),
            prefix,
            seconds: self.begun.elapsed().as_secs_f64(),
            model: model.clone(),
        });
    }
}

/// One line of a comment about a trial.
pub(super) fn line(
    pool: &Pool,
    sorts: &Sorts,
    declarations: &[Declaration],
    of: usize,
    kept: &Kept,
) -> String {
    let mut text = format!(
        "; partial-solution {} prefix {}/{of} time {:.6}",
        kept.technique, kept.prefix, kept.seconds
    );
    for declaration in declarations {
        let value = super::check::value_of(pool, declaration, &kept.model);
        let value = match declaration.params.len() {
            0 => write::value(sorts, declaration.sort, &value),
            _ => super::check::interpretation(sorts, declaration, &value),
        };
        text.push_str(&format!(" ({} {value})", write::symbol(&declaration.name)));
    }
    text
}
