//! The check: pivots until every basic variable is within its bounds, or a row shows that it
//! cannot be.
//!
//! The leaving variable is the least violated one. The entering variable is the one with the
//! shortest column, which keeps fill-in low; after [`PATIENCE`] pivots of one check it is the
//! least one, which makes the rule Bland's and the check terminate.

use crate::delta::Delta;
use crate::form::Var;
use crate::rational::Rational;
use crate::simplex::{BoundTerm, Conflict, Side, Simplex};
use crate::ticks::Ticks;

/// Pivots of one check before the fall-back to Bland's rule.
const PATIENCE: u64 = 60;

/// Outcome of a check.
#[derive(Clone, Debug)]
pub enum ProofCheck {
    /// The values satisfy every row and bound.
    Feasible,
    /// They cannot.
    Conflict(Conflict),
    /// The budget was used up.
    OutOfTicks,
}

/// Sees the assignment before every pivot: a *partial solution*, which satisfies some of the
/// bounds (papers on multiplex symbolic execution, Algorithm 2).
pub trait Observer {
    /// The values are in `simplex`.
    fn before_pivot(&mut self, simplex: &Simplex);

    /// The values in `simplex` satisfy all bounds, but some that have to be integers are not: a node of branch and bound.
    fn at_branch(&mut self, _simplex: &Simplex) {}

    /// Whether anybody looks. Then the simplex goes its way before propagation shortens it.
    fn is_watching(&self) -> bool {
        true
    }
}

/// Nobody looks.
pub struct NoObserver;

impl Observer for NoObserver {
    fn before_pivot(&mut self, _: &Simplex) {}

    fn is_watching(&self) -> bool {
        false
    }
}

impl Simplex {
    /// Looks for values that satisfy all bounds.
    pub fn check(&mut self, ticks: &mut Ticks, observer: &mut dyn Observer) -> ProofCheck {
        self.stats.checks += 1;
        let mut pivots = 0;
        while let Some((leaving, side, target)) = self.next_violated() {
            if !ticks.spend(1 + self.rows() as u64 / 8) {
                self.suspect(leaving);
                return ProofCheck::OutOfTicks;
            }
            observer.before_pivot(self);
            let row = self.tableau.row_of(leaving).expect("a basic variable");
            let Some(entering) = self.entering(row, leaving, side, pivots >= PATIENCE) else {
                self.suspect(leaving);
                let conflict = self.row_conflict(row, leaving, side);
                debug_assert!(self.is_contradiction(&conflict));
                return ProofCheck::Conflict(conflict);
            };
            pivots += 1;
            self.stats.pivots += 1;
            self.stats.bland += (pivots == PATIENCE) as u64;
            ticks.spend(self.pivot_to(row, leaving, entering, target));
        }
        ProofCheck::Feasible
    }

    /// A variable of the row that can move so that the basic one moves away from the violated
    /// bound.
    fn entering(&self, row: u32, leaving: Var, side: Side, bland: bool) -> Option<Var> {
        let flip = self.direction(row, side);
        let mut best: Option<(usize, Var)> = None;
        for e in self.tableau.row(row) {
            if e.var == leaving || !self.can_move(e.var, e.coefficient.is_positive() ^ flip) {
                continue;
            }
            let key = if bland {
                0
            } else {
                self.tableau.column(e.var).len()
            };
            if best.is_none_or(|b| (key, e.var) < b) {
                best = Some((key, e.var));
            }
        }
        best.map(|(_, v)| v)
    }

    /// With positive coefficients, does the basic variable reach its bound when others *fall*?
    fn direction(&self, row: u32, side: Side) -> bool {
        // basic = -Σ aⱼ/b·xⱼ: it rises with xⱼ when aⱼ and b have different signs.
        let same_sign_falls = self.tableau.basic_coefficient(row).is_positive();
        (side == Side::Lower) == same_sign_falls
    }

    /// Can a non-basic variable rise (or fall)?
    pub(crate) fn can_move(&self, v: Var, up: bool) -> bool {
        let side = if up { Side::Upper } else { Side::Lower };
        match self.bound(v, side) {
            None => true,
            Some(b) if up => *self.value(v) < b.value,
            Some(b) => *self.value(v) > b.value,
        }
    }

    /// The bounds that keep the row's basic variable beyond its bound.
    fn row_conflict(&self, row: u32, leaving: Var, side: Side) -> Conflict {
        let own = self.tableau.basic_coefficient(row).abs();
        let flip = self.direction(row, side);
        let parts = self.tableau.row(row).iter().map(|e| {
            let side = if e.var == leaving {
                side
            } else if e.coefficient.is_positive() ^ flip {
                Side::Upper
            } else {
                Side::Lower
            };
            BoundTerm {
                var: e.var,
                side,
                bound: self.bound(e.var, side).expect("it cannot move").clone(),
                factor: &e.coefficient.abs() / &own,
            }
        });
        Conflict(parts.collect())
    }

    /// Exchanges basic and non-basic and sets the one that leaves to `target`. Returns the work.
    pub(crate) fn pivot_to(&mut self, row: u32, leaving: Var, entering: Var, target: Delta) -> u64 {
        let entry = self.tableau.row(row).iter().find(|e| e.var == entering);
        let coefficient = entry.expect("it stands in the row").coefficient.clone();
        let own = self.tableau.basic_coefficient(row);
        let is_short = own.is_small()
            && coefficient.is_small()
            && self.value(leaving).real.is_small()
            && self.value(entering).real.is_small();
        let mut anew = std::mem::take(&mut self.anew);
        if is_short {
            let ratio: Rational = &(-own) / &coefficient;
            let step = target.minus(self.value(leaving)).scaled(&ratio);
            self.values[leaving.at()] = target;
            self.values[entering.at()].add_product(&step, &Rational::ONE);
            for i in 0..self.tableau.column(entering).len() {
                let place = self.tableau.column(entering)[i];
                if place.row == row {
                    continue;
                }
                if self.tableau.basic_coefficient(place.row).is_one() {
                    self.shift_basic(place.row, &step, &self.tableau.at(place).clone());
                } else {
                    anew.push(place.row);
                }
            }
        } else {
            // A step would be a long fraction; the sums of the rows are as good, and of integers as a rule.
            self.values[leaving.at()] = target;
            anew.extend(self.tableau.column(entering).iter().map(|place| place.row));
        }
        let work = self.tableau.pivot(row, entering);
        for row in anew.drain(..) {
            self.settle_basic(row);
        }
        self.anew = anew;
        if self.violated(entering).is_some() {
            self.suspect(entering);
        }
        work
    }
}
