//! The receiver of trials: which of the assignments that the solver tries are worth a run.
//!
//! The conditions of a path are compiled once to a tape. A trial is judged by the first condition
//! that it violates: a run on it follows the path up to there and takes the other side
//! ("Multiplex symbolic execution", section 3.1). One trial is kept for each such place, if the
//! condition's origin lets a run take the other side, and if the caller says that this side is
//! still unexplored.

use crate::path::PathCondition;
use crate::query::{Model, Technique, Trials};
use std::time::Instant;
use term::{Pool, Scratch, Tape, Term};

/// A partial solution that was kept.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Values of the input.
    pub assignment: Model,
    /// Who tried it.
    pub technique: Technique,
    /// Conditions satisfied before the first violated one; their number when none is violated.
    pub prefix: usize,
    /// Seconds since the receiver was made.
    pub seconds: f64,
}

/// Judges the trials of one query.
pub struct Receiver<'a> {
    tape: Tape,
    scratch: Scratch,
    /// By condition, and one more for assignments that satisfy all: may a trial be kept there?
    open: Vec<bool>,
    is_unexplored: Box<dyn FnMut(usize) -> bool + 'a>,
    begun: Instant,
    /// The trials kept, in the order of their arrival.
    pub kept: Vec<Trial>,
    /// Trials judged.
    pub judged: u64,
}

impl<'a> Receiver<'a> {
    /// A receiver for a query about these conditions, any of which may be violated.
    /// `is_unexplored(k)` says whether a run that takes the other side at condition `k` leads to
    /// something new; it is asked at most once for each `k` (and for `k` = their number).
    pub fn new(
        pool: &Pool,
        conditions: &[Term],
        is_unexplored: impl FnMut(usize) -> bool + 'a,
    ) -> Receiver<'a> {
        Receiver {
            tape: Tape::compile(pool, conditions),
            scratch: Scratch::new(),
            open: vec![true; conditions.len() + 1],
            is_unexplored: Box::new(is_unexplored),
            begun: Instant::now(),
            kept: Vec::new(),
            judged: 0,
        }
    }

    /// A receiver for the query whether a condition is feasible on a path. Only conjuncts whose
    /// origin is openable are opened; the condition asked is the last one.
    pub fn of_path(
        pool: &Pool,
        path: &PathCondition,
        cond: Term,
        is_unexplored: impl FnMut(usize) -> bool + 'a,
    ) -> Receiver<'a> {
        let terms: Vec<Term> = path.iter().map(|c| c.term).chain([cond]).collect();
        let mut receiver = Receiver::new(pool, &terms, is_unexplored);
        for (open, conjunct) in receiver.open.iter_mut().zip(path.iter()) {
            *open = conjunct.origin.is_openable();
        }
        receiver
    }
}

impl Trials for Receiver<'_> {
    fn tried(&mut self, a: &Model, by: Technique) {
        self.judged += 1;
        self.tape.run(a, &mut self.scratch);
        let conditions = self.open.len() - 1;
        let violated = |k: &usize| self.tape.value(&self.scratch, *k) & 1 == 0;
        let prefix = (0..conditions).find(violated).unwrap_or(conditions);
        if !std::mem::replace(&mut self.open[prefix], false) || !(self.is_unexplored)(prefix) {
            return;
        }
        self.kept.push(Trial {
            assignment: a.clone(),
            technique: by,
            prefix,
            seconds: self.begun.elapsed().as_secs_f64(),
        });
    }
}
