//! Queries over few input bits, decided by looking at every assignment; see [`crate::grid`].
//!
//! In the chain twice: with little work, for what takes less than a circuit; and, behind the SAT solvers, with more, for what
//! they left open. Where nothing limits their effort, all of it is spent before them.

use super::{Env, Layer};
use crate::grid::Grids;
use crate::query::{Budget, Outcome, Query, Trials, Why};
use std::cell::RefCell;
use std::rc::Rc;
use term::Relocation;

/// Work ([`term::work`]) that one query may take: some ten milliseconds.
const WORK: u64 = 1 << 24;
/// The part of a query's effort that is spent before it gets a circuit.
const FIRST_PART: u64 = 16;

#[derive(Default)]
pub(super) struct Enumeration {
    /// Shared by both places in the chain.
    grids: Rc<RefCell<Grids>>,
    is_last: bool,
}

impl Enumeration {
    /// The same for the end of the chain.
    pub fn at_the_end(&self) -> Enumeration {
        Enumeration {
            grids: Rc::clone(&self.grids),
            is_last: true,
        }
    }
}

impl Layer for Enumeration {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let part = if self.is_last { 1 } else { FIRST_PART };
        let work = WORK.min(budget.effort / part);
        let outcome = self.grids.borrow_mut().decide(env, query, work, trials);
        outcome.unwrap_or(Outcome::Unknown(Why::Incomplete))
    }

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        if !self.is_last {
            self.grids.borrow_mut().relocate(relocation);
        }
    }
}
