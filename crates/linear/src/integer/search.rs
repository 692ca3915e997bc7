//! Branch and bound over the simplex, with Gomory cuts at the root and now and then below. What costs more than a short
//! search is tried after so many branches: cubes, dives, forms that the lattice misses, a reduced basis.
//!
//! Depth first, the side nearer to the fractional value first; a refutation of one side that does
//! not rest on the branch is one of the whole (backjumping). The stack is explicit.

use super::Integers;
use crate::check::{Observer, ProofCheck};
use crate::form::Var;
use crate::proof::{Conclusion, StepId};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;

/// Rounds of cuts at the root. More make dense systems several times slower (measured).
const ROOT_ROUNDS: usize = 1;
/// Below the root, every so many branches one round.
const CUT_PERIOD: u64 = 32;
/// Branches of one search before each cube test: a search that ends soon needs none.
const CUBES: [u64; 3] = [8, 100, 1000];
/// The same before each round of dives.
const DIVES: [u64; 4] = [4, 16, 200, 2000];
/// Those that end when dives find too little.
const EARLY_DIVES: usize = 2;
/// From so many branches of one search on, they are on forms that the lattice misses, if there are any; for every so many
/// branches one, all that is tight counts.
const FORMS: (u64, u64) = (4, 8);

/// After so many branches the search begins anew on a reduced basis, if there is one.
const REDUCTION: u64 = 30;

/// A branch that is open.
struct OpenBranch {
    var: Var,
    /// The first side's bound; the other side lies beyond it.
    side: Side,
    value: Rational,
    hypothesis: StepId,
    /// Variables when the branch was opened.
    vars: usize,
    /// The first side's hypothesis and refutation, once it is refuted.
    first: Option<(StepId, StepId)>,
}

enum NodeOutcome {
    Solved,
    OutOfTicks,
    Refuted(StepId),
    Fractional(Var),
}

impl Integers {
    /// `Ok(true)`: the solution is stored. `Ok(false)`: out of budget. `Err`: refuted.
    pub(super) fn search(
        &mut self,
        ticks: &mut Ticks,
        observer: &mut dyn Observer,
    ) -> Result<bool, StepId> {
        let mut branches: Vec<OpenBranch> = Vec::new();
        let mut rounds = ROOT_ROUNDS;
        let begun = self.stats.branches;
        let mut order: Option<Vec<Var>> = None;
        let result = loop {
            let mut refuted = match self.node(rounds, ticks, observer) {
                NodeOutcome::Solved => break Ok(true),
                NodeOutcome::OutOfTicks => break Ok(false),
                NodeOutcome::Refuted(step) => step,
                NodeOutcome::Fractional(v) => {
                    let made = self.stats.branches - begun;
                    if CUBES.contains(&made) && self.cube(ticks) {
                        self.stats.by_cubes += 1;
                        break Ok(true);
                    }
                    if let Some(number) = DIVES.iter().position(|&at| at == made)
                        && self.are_dives_worth_it(number)
                    {
                        self.stats.dives += 1;
                        if self.dive(number as u64, ticks) {
                            self.stats.by_dives += 1;
                            break Ok(true);
                        }
                    }
                    if made == REDUCTION {
                        for branch in branches.drain(..).rev() {
                            self.simplex.pop();
                            self.simplex.truncate(branch.vars);
                        }
                        order = self.reduced(ticks);
                        self.stats.branches += 1;
                        continue;
                    }
                    let is_wide = made.is_multiple_of(FORMS.1);
                    let mut ordered = order.iter().flatten().copied();
                    let first = ordered.find(|&y| !self.simplex.value(y).is_integer());
                    let form = if made >= FORMS.0 && first.is_none() {
                        self.missed_form(is_wide, ticks)
                    } else {
                        None
                    };
                    let v = first.or(form).unwrap_or(v);
                    self.stats.branches += 1;
                    rounds = self.stats.branches.is_multiple_of(CUT_PERIOD) as usize;
                    match self.open(&mut branches, v) {
                        Ok(()) => continue,
                        Err(step) => step,
                    }
                }
            };
            // Close branches until one has another side.
            loop {
                let Some(branch) = branches.last_mut() else {
                    return Err(refuted);
                };
                self.simplex.pop();
                self.simplex.truncate(branch.vars);
                if !self.proof.rests_on(refuted, branch.hypothesis) {
                    branches.pop();
                    continue;
                }
                let closed = (branch.hypothesis, refuted);
                if let Some(first) = branch.first {
                    let (low, high) = match branch.side {
                        Side::Upper => (closed, first),
                        Side::Lower => (first, closed),
                    };
                    refuted = self.proof.cases(low, high);
                    branches.pop();
                    continue;
                }
                branch.first = Some(closed);
                branch.value = &branch.value + &branch.side.sign();
                branch.side = branch.side.flip();
                match self.descend(branch) {
                    Ok(()) => break,
                    Err(step) => refuted = step,
                }
            }
        };
        for _ in &branches {
            self.simplex.pop();
        }
        result
    }

    /// Are dives tried in this round of a search? The early ones only as long as they find something now and then: there may be as many short
    /// searches as there are assignments of the atoms.
    fn are_dives_worth_it(&self, round: usize) -> bool {
        round >= EARLY_DIVES || self.stats.dives < 8 * (self.stats.by_dives + 1)
    }

    /// Opens the side of a branch: a level with one more bound.
    fn descend(&mut self, branch: &mut OpenBranch) -> Result<(), StepId> {
        let bound = match self.simplex.definition(branch.var) {
            // The variable may be gone when the proof is checked.
            Some(form) => {
                let sign = branch.side.sign();
                Conclusion::AtMost(form.scaled(&sign), &branch.value * &sign)
            }
            None => Conclusion::Bound(branch.var, branch.side, branch.value.clone()),
        };
        branch.hypothesis = self.proof.hypothesis(bound);
        self.simplex.push();
        let value = branch.value.clone();
        self.bound(branch.var, branch.side, value, branch.hypothesis)
    }

    fn open(&mut self, branches: &mut Vec<OpenBranch>, var: Var) -> Result<(), StepId> {
        let value = self.simplex.value(var).real.clone();
        let (side, value) = if value.fraction() < Rational::new(1, 2) {
            (Side::Upper, value.floor())
        } else {
            (Side::Lower, value.ceil())
        };
        let mut branch = OpenBranch {
            var,
            side,
            value,
            hypothesis: 0,
            vars: self.simplex.vars(),
            first: None,
        };
        let result = self.descend(&mut branch);
        branches.push(branch);
        result
    }

    /// The relaxation, with rounds of cuts while they are allowed.
    fn node(
        &mut self,
        mut rounds: usize,
        ticks: &mut Ticks,
        observer: &mut dyn Observer,
    ) -> NodeOutcome {
        loop {
            match self.simplex.check(ticks, observer) {
                ProofCheck::OutOfTicks => return NodeOutcome::OutOfTicks,
                ProofCheck::Conflict(conflict) => {
                    return NodeOutcome::Refuted(self.proof.conflict(conflict));
                }
                ProofCheck::Feasible => {}
            }
            let Some(v) = self.fractional() else {
                let vars = (0..self.simplex.vars() as u32).map(Var);
                self.solution = vars.map(|v| self.simplex.value(v).real.clone()).collect();
                return NodeOutcome::Solved;
            };
            observer.at_branch(&self.simplex);
            if rounds == 0 {
                return NodeOutcome::Fractional(v);
            }
            rounds -= 1;
            match self.cut(ticks) {
                Err(step) => return NodeOutcome::Refuted(step),
                Ok(0) => return NodeOutcome::Fractional(v),
                Ok(_) => {}
            }
        }
    }

    /// What to branch on: a variable without a definition and with a fractional value, the one with the smallest range;
    /// if all those lack a bound, a form that has both, since only there branches come to an end.
    fn fractional(&self) -> Option<Var> {
        let mut best: Option<(u8, Rational, Var)> = None;
        let mut is_solved = true;
        for v in (0..self.simplex.vars() as u32).map(Var) {
            if self.simplex.value(v).is_integer() {
                continue;
            }
            let is_form = self.simplex.definition(v).is_some();
            is_solved &= is_form;
            let low = self.simplex.bound(v, Side::Lower);
            let high = self.simplex.bound(v, Side::Upper);
            let key = match (low, high) {
                (Some(l), Some(h)) => (is_form as u8, &h.value.real - &l.value.real, v),
                _ if is_form => continue,
                _ => (2, Rational::ZERO, v),
            };
            if best.as_ref().is_none_or(|b| key < *b) {
                best = Some(key);
            }
        }
        best.filter(|_| !is_solved).map(|(_, _, v)| v)
    }
}
