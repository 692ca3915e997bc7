//! Queries over few input bits, decided by looking at every assignment; see [`crate::grid`].
//!
//! It stands in the chain twice: with little work, for queries that take less than a circuit; and, behind the SAT
//! solvers, with more work, for queries that they left open. If their effort is not limited, all of the work is spent
//! before them.

use crate::cx::Cx;
use crate::grid::Grids;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};
use std::cell::RefCell;
use std::rc::Rc;
use term::Relocation;

/// Largest work ([`term::work`]) of one query: some ten milliseconds.
const WORK: u64 = 1 << 24;
/// The part of a query's effort that is spent before it gets a circuit.
const FIRST_PART: u64 = 16;
/// The same of a query that reads tables, whatever its effort: to build its circuit, which nothing interrupts, takes more than that.
const WIDE_WORK: u64 = 1 << 26;
/// Queries with less effort get no circuit worth speaking of.
const WIDE_FROM: u64 = 1 << 20;

#[derive(Default)]
pub(crate) struct Enumeration {
    /// Shared by both places in the chain.
    grids: Rc<RefCell<Grids>>,
    is_last: bool,
}

impl Enumeration {
    /// The same for another place in the chain, the last one or not.
    pub fn at(&self, is_last: bool) -> Enumeration {
        Enumeration {
            grids: Rc::clone(&self.grids),
            is_last,
        }
    }
}

impl Layer for Enumeration {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let part = if self.is_last { 1 } else { FIRST_PART };
        let work = WORK.min(cx.budget.effort / part);
        let is_worth = cx.budget.effort >= WIDE_FROM;
        let wide = if is_worth { WIDE_WORK } else { work };
        let outcome = self.grids.borrow_mut().decide(cx, query, work, wide);
        outcome.unwrap_or_else(|why| match why {
            // There is no more.
            Why::Budget if work == WORK && wide == WIDE_WORK => Outcome::Unknown(Why::Incomplete),
            why => Outcome::Unknown(why),
        })
    }

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        if !self.is_last {
            self.grids.borrow_mut().relocate(relocation);
        }
    }
}
