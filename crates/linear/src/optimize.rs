//! The least or greatest value of a variable over the rationals: primal simplex from a feasible
//! assignment, Bland's rule.
//!
//! The answer comes with the bounds that imply it (the dual solution), so that it can be used as
//! a step of a proof.

use crate::delta::Delta;
use crate::form::Var;
use crate::rational::Rational;
use crate::simplex::{BoundTerm, Side, Simplex};
use crate::ticks::Ticks;

/// Outcome of an optimization.
#[derive(Clone, Debug)]
pub enum Optimum {
    /// The end of the variable's range, and bounds whose sum with the multipliers implies it.
    At(Delta, Vec<BoundTerm>),
    /// There is no end.
    Unbounded,
    /// The budget was used up; the assignment is still feasible.
    OutOfTicks,
}

impl Simplex {
    /// The end of a variable's range: the minimum for [`Side::Lower`], the maximum for
    /// [`Side::Upper`]. The present assignment must be feasible, and stays so.
    pub fn optimize(&mut self, goal: Var, side: Side, ticks: &mut Ticks) -> Optimum {
        if !self.is_basic(goal) {
            let Some(&place) = self.tableau.column(goal).first() else {
                return self.own_bound(goal, side);
            };
            // Exchanging without moving: the variable that leaves is within its bounds.
            ticks.spend(self.tableau.pivot(place.row, goal));
        }
        loop {
            if let Some(bound) = self.bound(goal, side)
                && bound.value == *self.value(goal)
            {
                return self.own_bound(goal, side);
            }
            let row = self.tableau.row_of(goal).expect("made basic");
            if !ticks.spend(1 + self.rows() as u64) {
                return Optimum::OutOfTicks;
            }
            let Some((entering, up)) = self.improving(row, goal, side) else {
                return Optimum::At(self.value(goal).clone(), self.dual(row, goal, side));
            };
            match self.ratio(entering, up, goal, side) {
                None => return Optimum::Unbounded,
                Some((None, target)) => {
                    ticks.spend(self.move_to(entering, target));
                }
                Some((Some(leaving), target)) => {
                    self.stats.optimizing_pivots += 1;
                    let row = self.tableau.row_of(leaving).expect("a basic variable");
                    ticks.spend(self.pivot_to(row, leaving, entering, target));
                    if leaving == goal {
                        return self.own_bound(goal, side);
                    }
                }
            }
        }
    }

    fn own_bound(&self, v: Var, side: Side) -> Optimum {
        match self.bound(v, side) {
            None => Optimum::Unbounded,
            Some(bound) => Optimum::At(
                bound.value.clone(),
                vec![BoundTerm {
                    var: v,
                    side,
                    bound: bound.clone(),
                    factor: Rational::ONE,
                }],
            ),
        }
    }

    /// Does the goal rise with a variable of its row?
    fn rises(&self, row: u32, coefficient: &Rational) -> bool {
        self.tableau.basic_coefficient(row).is_positive() != coefficient.is_positive()
    }

    /// The least variable whose move improves the goal, and whether it moves up.
    fn improving(&self, row: u32, goal: Var, side: Side) -> Option<(Var, bool)> {
        let entries = self.tableau.row(row).iter().filter(|e| e.var != goal);
        entries
            .map(|e| {
                let up = self.rises(row, &e.coefficient) == (side == Side::Upper);
                (e.var, up)
            })
            .filter(|&(v, up)| self.can_move(v, up))
            .min()
    }

    /// How far a variable can move: the basic variable that stops it (none for its own bound) and
    /// the value that the stopped variable takes.
    fn ratio(
        &self,
        entering: Var,
        up: bool,
        goal: Var,
        side: Side,
    ) -> Option<(Option<Var>, Delta)> {
        let own = if up { Side::Upper } else { Side::Lower };
        let mut best: Option<(Delta, Option<Var>, Delta)> = self.bound(entering, own).map(|b| {
            let distance = b.value.minus(self.value(entering));
            let distance = if up {
                distance
            } else {
                distance.scaled(&Rational::MINUS_ONE)
            };
            (distance, None, b.value.clone())
        });
        for &place in self.tableau.column(entering) {
            let basic = self.tableau.basic(place.row);
            let rises = self.rises(place.row, self.tableau.at(place)) == up;
            let limit = if rises { Side::Upper } else { Side::Lower };
            debug_assert!(basic != goal || limit == side);
            let Some(bound) = self.bound(basic, limit) else {
                continue;
            };
            let ratio = (self.tableau.basic_coefficient(place.row) / self.tableau.at(place)).abs();
            let room = bound.value.minus(self.value(basic));
            let room = if rises {
                room.scaled(&ratio)
            } else {
                room.scaled(&-&ratio)
            };
            let better = match &best {
                None => true,
                Some((least, who, _)) => {
                    room < *least || (room == *least && who.is_some_and(|w| basic < w))
                }
            };
            if better {
                best = Some((room, Some(basic), bound.value.clone()));
            }
        }
        best.map(|(_, who, target)| (who, target))
    }

    /// The bounds that hold the goal where it is.
    fn dual(&self, row: u32, goal: Var, side: Side) -> Vec<BoundTerm> {
        let own = self.tableau.basic_coefficient(row).abs();
        let entries = self.tableau.row(row).iter().filter(|e| e.var != goal);
        entries
            .map(|e| {
                let limit = if self.rises(row, &e.coefficient) {
                    side
                } else {
                    side.flip()
                };
                BoundTerm {
                    var: e.var,
                    side: limit,
                    bound: self.bound(e.var, limit).expect("it cannot move").clone(),
                    factor: &e.coefficient.abs() / &own,
                }
            })
            .collect()
    }
}
