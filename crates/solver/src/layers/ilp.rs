//! Integer linear programs (see [`crate::ilp`]); tried rarely while they rarely decide.

use super::record::Record;
use crate::cx::Cx;
use crate::ilp::Programs;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};

/// One query in so many is tried while the layer rarely decides.
const RARELY: u32 = 16;

pub(crate) struct Ilp {
    programs: Programs,
    /// None of the optimistic layer, which is always asked.
    record: Option<Record>,
    /// Queries let pass.
    passed: u32,
}

impl Ilp {
    /// The pre-check, or the optimistic integers of `--theory lia`.
    pub fn new(optimistic: bool) -> Ilp {
        Ilp {
            programs: Programs::new(optimistic),
            record: (!optimistic).then(Record::default),
            passed: 0,
        }
    }

    /// Has the layer decided enough lately, or is it this query's turn?
    fn is_promising(&mut self) -> bool {
        if !self.record.as_ref().is_some_and(|r| r.is_poor(RARELY)) {
            return true;
        }
        self.passed += 1;
        self.passed.is_multiple_of(RARELY)
    }
}

impl Layer for Ilp {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if !Programs::fits(cx.pool, query) || !self.is_promising() {
            return Outcome::Unknown(Why::Incomplete);
        }
        let outcome = self.programs.decide(cx, query);
        if matches!(outcome, Outcome::Unknown(Why::TooLarge)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        if let Some(record) = &mut self.record {
            record.note(!matches!(outcome, Outcome::Unknown(_)));
        }
        outcome
    }
}
