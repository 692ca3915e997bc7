//! The receiver of trials: which of the assignments that the solver tries are worth a run.
//!
//! A trial is judged by the first condition that it violates: a run on it follows the path up to there and
//! takes the other side ("Multiplex symbolic execution", section 3.1). One trial is kept for each such place, if
//! the condition's origin lets a run take the other side, and if the caller says that this side is
//! still unexplored.
//!
//! Most queries are decided after a trial or two, in less time than the conditions of a long path take to be compiled.
//! So trials wait until the query is answered; a few are evaluated up to the condition that they violate, more of them
//! on a tape.

use crate::model::Model;
use crate::path::PathCondition;
use crate::query::{Technique, Trials};
use std::time::Instant;
use term::{Evaluator, Pool, Scratch, Tape, Term};

/// Trials of one query that wait to be judged; later ones are dropped.
const MOST: usize = 256;
/// With more trials than this the conditions are compiled.
const FEW: usize = 4;

/// A partial solution that was kept.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Values of the input.
    pub assignment: Model,
    /// The technique that tried it.
    pub technique: Technique,
    /// Conditions satisfied before the first violated one; their number when none is violated.
    pub prefix: usize,
    /// Seconds since the receiver was made.
    pub seconds: f64,
}

/// A trial that was not looked at.
struct PendingTrial {
    assignment: Model,
    technique: Technique,
    seconds: f64,
}

/// Collects the trials of one query, and judges them when it is answered.
pub struct Receiver<'a> {
    conditions: Vec<Term>,
    /// By condition, and one more for assignments that satisfy all: may a trial be kept there?
    open: Vec<bool>,
    is_unexplored: Box<dyn FnMut(usize) -> bool + 'a>,
    begun: Instant,
    waiting: Vec<PendingTrial>,
    /// Trials seen.
    pub seen: u64,
}

impl<'a> Receiver<'a> {
    /// A receiver for a query about these conditions, any of which may be violated.
    /// `is_unexplored(k)` says whether a run that takes the other side at condition `k` leads to
    /// something new; it is asked at most once for each `k` (and for `k` = their number).
    pub fn new(
        conditions: Vec<Term>,
        is_unexplored: impl FnMut(usize) -> bool + 'a,
    ) -> Receiver<'a> {
        Receiver {
            open: vec![true; conditions.len() + 1],
            conditions,
            is_unexplored: Box::new(is_unexplored),
            begun: Instant::now(),
            waiting: Vec::new(),
            seen: 0,
        }
    }

    /// A receiver for the query whether a condition is feasible on a path. Only conjuncts whose
    /// origin is openable are opened; the condition asked is the last one.
    pub fn of_path(
        path: &PathCondition,
        cond: Term,
        is_unexplored: impl FnMut(usize) -> bool + 'a,
    ) -> Receiver<'a> {
        let terms: Vec<Term> = path.iter().map(|c| c.term).chain([cond]).collect();
        let mut receiver = Receiver::new(terms, is_unexplored);
        for (open, conjunct) in receiver.open.iter_mut().zip(path.iter()) {
            *open = conjunct.origin.is_openable();
        }
        receiver
    }

    /// The trials that are worth a run, in the order of their arrival.
    pub fn judge(mut self, pool: &Pool, evaluator: &mut Evaluator) -> Vec<Trial> {
        let waiting = std::mem::take(&mut self.waiting);
        let tape = (waiting.len() > FEW).then(|| Tape::compile(pool, &self.conditions));
        let mut scratch = Scratch::new();
        let mut kept = Vec::new();
        let all = self.conditions.len();
        for PendingTrial {
            assignment,
            technique,
            seconds,
        } in waiting
        {
            let violated = match &tape {
                None => evaluator.first_false(pool, &self.conditions, &assignment),
                Some(tape) => {
                    tape.run(&assignment, &mut scratch);
                    (0..all).find(|&k| tape.value(&scratch, k) & 1 == 0)
                }
            };
            let prefix = violated.unwrap_or(all);
            if std::mem::replace(&mut self.open[prefix], false) && (self.is_unexplored)(prefix) {
                kept.push(Trial {
                    assignment,
                    technique,
                    prefix,
                    seconds,
                });
            }
        }
        kept
    }
}

impl Trials for Receiver<'_> {
    fn tried(&mut self, a: &Model, by: Technique) {
        self.seen += 1;
        if self.waiting.len() < MOST {
            self.waiting.push(PendingTrial {
                assignment: a.clone(),
                technique: by,
                seconds: self.begun.elapsed().as_secs_f64(),
            });
        }
    }
}
