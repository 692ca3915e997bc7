//! Before the solver is asked for the other side of a branch, neighbours of the state's witness are tried.
//!
//! As in concolic mode (`dse::Neighbours`): one of a few inputs may take a branch for which a SAT solver works for
//! milliseconds. A neighbour differs in bytes that the condition depends on, so only the conjuncts of its slice have
//! to be evaluated. Earlier successes at the same place of the program decide what this may cost (`dse::Trust`).

use super::Fork;
use crate::state::State;
use dse::{Neighbours, Trust, changeable};
use explore::MachineStats;
use solver::{Ask, Budget, Model, Outcome, Reasoner, Slice};
use term::{Evaluator, Pool, Term};

/// Neighbours that are tried before one query.
const TRIED: usize = 256;
/// Conjuncts of a slice that tell which bytes to change: the last ones.
const LOOKED_AT: usize = 64;
/// Work of leaving one conjunct to be evaluated.
const CONJUNCT: u64 = 16;

/// What is known about neighbours so far.
pub(super) struct Near {
    neighbours: Neighbours,
    trust: Trust,
    /// An evaluator of its own: the reasoner's has the values of terms under the witness.
    evaluator: Evaluator,
}

impl Default for Near {
    fn default() -> Near {
        Near {
            neighbours: Neighbours::default(),
            trust: Trust::of_states(),
            evaluator: Evaluator::default(),
        }
    }
}

impl Near {
    /// Gives back the room of values, after a collection.
    pub fn shed(&mut self) {
        self.evaluator = Evaluator::new();
    }

    /// The slice of the path that `cond` depends on, if neighbours of the witness are worth trying here.
    fn slice(&mut self, pool: &mut Pool, s: &State, cond: Term, site: u64) -> Option<Slice> {
        if pool.single_symbol(cond).is_some() || pool.has_float(cond) {
            return None;
        }
        (self.trust.allowance(site) > 0).then(|| Slice::of(pool, &s.path, cond))
    }

    /// A neighbour of the witness on the path that satisfies `cond`, if one is found at the price that is paid here.
    fn neighbour(
        &mut self,
        pool: &mut Pool,
        s: &State,
        cond: Term,
        slice: &Slice,
        site: u64,
    ) -> Option<Model> {
        let allowed = self.trust.allowance(site);
        let last = slice.terms.iter().rev().take(LOOKED_AT).copied();
        let symbols = changeable(pool, &[cond], &last.collect::<Vec<Term>>());
        let each = Trust::cost(CONJUNCT * slice.terms.len() as u64);
        let mut cost = each;
        let mut found = None;
        let evaluator = &mut self.evaluator;
        for _ in 0..TRIED {
            if cost >= allowed || found.is_some() || symbols.is_empty() {
                break;
            }
            let work = term::work::spent();
            found = self.neighbours.of(pool, &symbols, &s.witness);
            found = found.filter(|model| {
                evaluator.eval(pool, cond, model) != 0
                    && evaluator.first_false(pool, &slice.terms, model).is_none()
            });
            cost += each + term::work::spent() - work;
        }
        self.trust.tried_neighbours(site, cost);
        if found.is_some() {
            self.trust.neighbour_opened(site, site);
        }
        found
    }
}

impl Fork {
    /// Whether the path allows `cond`, which the witness violates.
    pub(in crate::policy) fn other_side(
        &mut self,
        reason: &mut Reasoner,
        stats: &mut MachineStats,
        s: &State,
        cond: Term,
        budget: &Budget,
    ) -> Outcome {
        let Fork { near, overheard } = self;
        let site = u64::from(s.hot.pc);
        reason.solver.meter.enter();
        let slice = near.slice(&mut reason.pool, s, cond, site);
        let neighbour = slice
            .as_ref()
            .and_then(|slice| near.neighbour(&mut reason.pool, s, cond, slice, site));
        reason.solver.meter.leave();
        if let Some(model) = neighbour {
            stats.neighbours += 1;
            near.neighbours.remember(&model);
            return Outcome::Sat(model);
        }
        let before = reason.work();
        let is_small = reason.pool.single_symbol(cond).is_some();
        let ask = Ask::new(&s.path, &s.witness, budget);
        let ask = ask.with_slice(slice.as_ref()).heard_by(overheard);
        let outcome = reason.feasible(cond, ask);
        let work = reason.work() - before;
        near.trust.asked(site, work, is_small);
        if let Outcome::Sat(model) = &outcome {
            near.neighbours.remember(model);
        }
        outcome
    }
}
