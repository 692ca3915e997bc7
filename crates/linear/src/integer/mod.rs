//! Linear constraints over the integers: propagation, equality elimination, simplex, cuts and cubes, branch and bound on
//! variables, forms and reduced bases. Every refutation has a proof (`proof.rs`), which a debug build checks.
//!
//! Order of work: bounds are propagated through the rows (`propagate.rs`), equations are solved over the integers
//! (`equalities.rs`), then the search (`search.rs`) asks the simplex, adds cuts (`cuts.rs`) and branches. A search that
//! does not end soon looks for a cube of edge 1 (`cube.rs`), fixes variables one after the other (`dive.rs`), branches on forms that the lattice of the tight constraints
//! misses (`lattice.rs`), and begins anew on a reduced basis of the equations' solutions (`reduction.rs`). All of it runs
//! inside one level of the simplex that is undone at the end, so the caller's bounds stay as they were. Incomplete
//! where variables have no bounds: then the budget ends the search.

mod cube;
mod cuts;
mod dive;
mod equalities;
mod implied;
mod lattice;
mod propagate;
mod reduction;
mod search;

use crate::check::{Observer, ProofCheck};
use crate::form::{Form, Var};
use crate::optimize::Optimum;
use crate::proof::{Conclusion, Proof, StepId};
use crate::rational::Rational;
use crate::simplex::{BoundTerm, Conflict, Side, Simplex};
use crate::ticks::Ticks;
pub use implied::{Clash, Implied, Needed};

/// Outcome of a search for integers.
#[derive(Clone, Debug)]
pub enum IntegerVerdict {
    /// There are values: [`Integers::solution`].
    Sat,
    /// There are none, because of the bounds with these tags (ascending).
    Unsat(Vec<u32>),
    /// The budget was used up.
    OutOfTicks,
}

/// What the integer layer did.
#[derive(Clone, Copy, Default, Debug)]
pub struct IntegerStats {
    /// Searches.
    pub solves: u64,
    /// Refutations by propagation alone.
    pub by_propagation: u64,
    /// Refutations by equations alone.
    pub by_equations: u64,
    /// Bounds tightened by propagation and by equations.
    pub tightened: u64,
    /// Solutions found by a cube test.
    pub by_cubes: u64,
    /// Rounds of dives.
    pub dives: u64,
    /// Solutions found by a dive.
    pub by_dives: u64,
    /// Cuts added.
    pub cuts: u64,
    /// Branches.
    pub branches: u64,
    /// Forms that were made to branch on.
    pub forms: u64,
    /// Searches begun anew on a reduced basis.
    pub reductions: u64,
}

/// Integer variables, their bounds, and the proof of what is derived.
#[derive(Clone, Default, Debug)]
pub struct Integers {
    simplex: Simplex,
    proof: Proof,
    /// Length of the proof at each level.
    marks: Vec<usize>,
    solution: Vec<Rational>,
    /// Check every proof, in release builds too.
    validating: bool,
    /// What has been done so far.
    pub stats: IntegerStats,
}

impl Integers {
    /// No variables.
    pub fn new() -> Integers {
        Integers::default()
    }

    /// A new integer variable.
    pub fn new_var(&mut self) -> Var {
        self.simplex.new_var()
    }

    /// A variable that equals a form with integer coefficients and at least one term.
    pub fn define(&mut self, form: &Form) -> Var {
        assert!(
            form.is_integral(),
            "integer forms have integer coefficients"
        );
        self.simplex.define(form)
    }

    /// The simplex below, to look at.
    pub fn simplex(&self) -> &Simplex {
        &self.simplex
    }

    /// Marks a point to which [`Self::pop`] returns.
    pub fn push(&mut self) {
        self.simplex.push();
        self.marks.push(self.proof.len());
    }

    /// Undoes every bound since the last mark.
    pub fn pop(&mut self) {
        self.simplex.pop();
        self.proof
            .truncate(self.marks.pop().expect("pop without push"));
    }

    /// Adds a bound, rounded to the integers that the variable can take. `Err`: the tags of bounds
    /// that cannot hold together.
    pub fn assert(
        &mut self,
        v: Var,
        side: Side,
        value: &Rational,
        reason: u32,
    ) -> Result<(), Vec<u32>> {
        let mut unit = Rational::ZERO;
        match self.simplex.definition(v) {
            None => unit = Rational::ONE,
            Some(definition) => {
                for (_, c) in definition.terms() {
                    unit = unit.gcd(c);
                    if unit.is_one() {
                        break;
                    }
                }
            }
        }
        let steps = value / &unit;
        let rounded = match side {
            Side::Lower => steps.ceil(),
            Side::Upper => steps.floor(),
        };
        let rounded = &rounded * &unit;
        let mut step = self.proof.given(v, side, value.clone(), reason);
        if rounded != *value {
            step = self.rounded(v, side, step, &unit, &rounded);
        }
        self.bound(v, side, rounded, step).map_err(|step| {
            self.validate(step);
            self.proof.core(step)
        })
    }

    /// The steps from `v <= value` to a multiple of the unit below it.
    fn rounded(
        &mut self,
        v: Var,
        side: Side,
        step: StepId,
        unit: &Rational,
        value: &Rational,
    ) -> StepId {
        let own = Form::var(v);
        let form = self.simplex.definition(v).unwrap_or(&own);
        let factor = &side.sign() / unit;
        let part = Conclusion::AtMost(form.scaled(&factor), value * &factor);
        let part = self.proof.sum(vec![(step, Rational::ONE)], part);
        let whole = Conclusion::Bound(v, side, value.clone());
        self.proof.sum(vec![(part, Rational::ONE)], whole)
    }

    /// Records a bound that a step concludes; `Err`: the step of a contradiction.
    fn bound(&mut self, v: Var, side: Side, value: Rational, step: StepId) -> Result<(), StepId> {
        let result = self.simplex.assert(v, side, value.into(), step);
        result.map_err(|conflict| self.proof.conflict(conflict))
    }

    /// Are there rational values within the bounds? `Err`: tags of bounds that conflict.
    pub fn check_relaxation(
        &mut self,
        ticks: &mut Ticks,
        observer: &mut dyn Observer,
    ) -> Result<bool, Vec<u32>> {
        match self.simplex.check(ticks, observer) {
            ProofCheck::Feasible => Ok(true),
            ProofCheck::OutOfTicks => Ok(false),
            ProofCheck::Conflict(conflict) => Err(self.core_of(conflict)),
        }
    }

    fn core_of(&mut self, conflict: Conflict) -> Vec<u32> {
        let len = self.proof.len();
        let step = self.proof.conflict(conflict);
        self.validate(step);
        let core = self.proof.core(step);
        self.proof.truncate(len);
        core
    }

    /// The end of a variable's range over the rationals, rounded inwards, with the tags of the
    /// bounds it rests on. `None`: no end, or out of budget. The relaxation must be feasible
    /// ([`Self::check_relaxation`]).
    pub fn extreme(
        &mut self,
        v: Var,
        side: Side,
        ticks: &mut Ticks,
    ) -> Option<(Rational, Vec<u32>)> {
        let Optimum::At(value, parts) = self.simplex.optimize(v, side, ticks) else {
            return None;
        };
        let value = match side {
            Side::Lower => value.real.ceil(),
            Side::Upper => value.real.floor(),
        };
        debug_assert!(self.dual_holds(v, side, &value, &parts));
        let mut reasons = Vec::new();
        for part in &parts {
            reasons.extend(self.proof.core(part.bound.reason));
        }
        reasons.sort_unstable();
        reasons.dedup();
        Some((value, reasons))
    }

    /// Do the parts of a dual solution, with the opposite bound, contradict each other?
    fn dual_holds(&self, v: Var, side: Side, value: &Rational, parts: &[BoundTerm]) -> bool {
        let mut proof = self.proof.clone();
        let beyond = value + &side.sign();
        let opposite = proof.given(v, side.flip(), beyond, u32::MAX);
        let mut sum: Vec<(StepId, Rational)> = vec![(opposite, Rational::ONE)];
        sum.extend(parts.iter().map(|p| (p.bound.reason, p.factor.clone())));
        let step = proof.sum(sum, Conclusion::False);
        proof.check(&self.simplex, step).is_ok()
    }

    /// Looks for integer values within the bounds.
    pub fn solve(&mut self, ticks: &mut Ticks, observer: &mut dyn Observer) -> IntegerVerdict {
        self.stats.solves += 1;
        let steps = self.proof.len();
        let vars = self.simplex.vars();
        self.simplex.push();
        let outcome = self
            .show_way(ticks, observer)
            .and_then(|()| self.prepare(ticks))
            .and_then(|()| self.search(ticks, observer));
        let verdict = match outcome {
            Ok(true) => IntegerVerdict::Sat,
            Ok(false) => IntegerVerdict::OutOfTicks,
            Err(step) => {
                self.validate(step);
                IntegerVerdict::Unsat(self.proof.core(step))
            }
        };
        self.simplex.pop();
        self.simplex.truncate(vars);
        self.proof.truncate(steps);
        verdict
    }

    /// For an observer: the simplex from where it stands, as in the paper's algorithm. Propagated bounds would
    /// move its beginning close to a solution, and what lies between is what the observer is after.
    fn show_way(&mut self, ticks: &mut Ticks, observer: &mut dyn Observer) -> Result<(), StepId> {
        if !observer.is_watching() {
            return Ok(());
        }
        match self.simplex.check(ticks, observer) {
            ProofCheck::Conflict(conflict) => Err(self.proof.conflict(conflict)),
            ProofCheck::Feasible | ProofCheck::OutOfTicks => Ok(()),
        }
    }

    /// Propagation, equations, propagation of what they gave. `Err`: a contradiction.
    fn prepare(&mut self, ticks: &mut Ticks) -> Result<(), StepId> {
        let propagated = self.propagate(ticks);
        self.stats.by_propagation += propagated.is_err() as u64;
        propagated?;
        let solved = self.equalities(ticks);
        self.stats.by_equations += solved.is_err() as u64;
        if solved? {
            self.propagate(ticks)?;
        }
        Ok(())
    }

    /// The values of the last [`IntegerVerdict::Sat`], by variable (those that existed then).
    pub fn solution(&self) -> &[Rational] {
        &self.solution
    }

    /// Checks the proof of every refutation from now on; debug builds always do. A proof that
    /// fails is a bug and panics.
    pub fn check_proofs(&mut self) {
        self.validating = true;
    }

    fn validate(&self, step: StepId) {
        if (self.validating || cfg!(debug_assertions))
            && let Err(fault) = self.proof.check(&self.simplex, step)
        {
            panic!("a refutation failed its check: {fault}");
        }
    }
}
