//! Before the solver is asked for the other side of a branch, neighbours of the state's witness are tried.
//!
//! As in concolic mode (`dse::Neighbours`): one of a few inputs may take a branch for which a SAT solver works for milliseconds.
//! A neighbour differs in bytes that the condition depends on, so only the conjuncts of its slice have to be evaluated. What
//! that may cost is decided by what it brought at the same place of the program (`dse::Trust`).

use crate::machine::Machine;
use crate::state::State;
use dse::{Neighbours, Trust, changeable};
use solver::{Ask, Budget, Model, Outcome, Slice};
use term::{Evaluator, Term};

/// Neighbours that are tried before one query.
const TRIED: usize = 256;
/// Conjuncts of a slice that tell which bytes to change: the last ones.
const LOOKED_AT: usize = 64;
/// Work of leaving one conjunct to be evaluated.
const CONJUNCT: u64 = 16;

/// What is known of neighbours so far.
pub(crate) struct Near {
    neighbours: Neighbours,
    trust: Trust,
    /// That of the machine has the values of terms under the witness.
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
}

impl Machine {
    /// Whether the path allows `cond`, which the witness violates.
    pub(crate) fn other_side(&mut self, s: &State, cond: Term, budget: &Budget) -> Outcome {
        let site = u64::from(s.pc);
        self.solver.meter.enter();
        let slice = self.near_slice(s, cond, site);
        let neighbour = slice
            .as_ref()
            .and_then(|slice| self.neighbour(s, cond, slice, site));
        self.solver.meter.leave();
        if let Some(model) = neighbour {
            self.stats.neighbours += 1;
            self.near.neighbours.remember(&model);
            return Outcome::Sat(model);
        }
        let before = self.work();
        let is_small = self.pool.single_symbol(cond).is_some();
        let outcome = self.solver.feasible(
            &mut self.pool,
            cond,
            Ask::new(&s.path, &s.witness, budget)
                .with_slice(slice.as_ref())
                .heard_by(&mut self.overheard),
        );
        let work = self.work() - before;
        self.near.trust.asked(site, work, is_small);
        if let Outcome::Sat(model) = &outcome {
            self.near.neighbours.remember(model);
        }
        outcome
    }

    /// What of the path matters for `cond`, if neighbours of the witness are worth something here.
    fn near_slice(&mut self, s: &State, cond: Term, site: u64) -> Option<Slice> {
        let Machine { near, pool, .. } = self;
        if pool.single_symbol(cond).is_some() || pool.has_float(cond) {
            return None;
        }
        (near.trust.allowance(site) > 0).then(|| Slice::of(pool, &s.path, cond))
    }

    /// A neighbour of the witness on the path that satisfies `cond`, if one is found for what that is worth here.
    fn neighbour(&mut self, s: &State, cond: Term, slice: &Slice, site: u64) -> Option<Model> {
        let Machine { near, pool, .. } = self;
        let allowed = near.trust.allowance(site);
        let last = slice.terms.iter().rev().take(LOOKED_AT).copied();
        let symbols = changeable(pool, &[cond], &last.collect::<Vec<Term>>());
        let each = Trust::cost(CONJUNCT * slice.terms.len() as u64);
        let mut cost = each;
        let mut found = None;
        for _ in 0..TRIED {
            if cost >= allowed || found.is_some() || symbols.is_empty() {
                break;
            }
            let work = term::work::spent();
            found = near.neighbours.of(pool, &symbols, &s.witness);
            found = found.filter(|model| {
                near.evaluator.eval(pool, cond, model) != 0
                    && near
                        .evaluator
                        .first_false(pool, &slice.terms, model)
                        .is_none()
            });
            cost += each + term::work::spent() - work;
        }
        near.trust.tried_neighbours(site, cost);
        if found.is_some() {
            near.trust.neighbour_opened(site, site);
        }
        found
    }
}
