//! Dives: variables get values one after the other, and what follows from each by propagation is theirs, too.
//!
//! In rows of quotients and carries (sums modulo a number, digits) the relaxation says little of the integers, since a fractional quotient
//! satisfies any of them, and branches on quotients go round in circles. But once the variables on which these depend have values, all
//! others follow. So variables are fixed in the order of the number of their rows, each at the value of the relaxation
//! (the first time) or at a random one, and at another one if that is contradictory; after some of these the dive ends. Dives are known from
//! mixed-integer programming (Berthold, "Primal heuristics for mixed integer programs", 2006, section 3.2); there, linear programs
//! are solved between the steps, here only at the end.

use super::Integers;
use crate::check::{NoObserver, ProofCheck};
use crate::form::Var;
use crate::proof::{Conclusion, StepId};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;

/// Dives each time.
const TRIES: u64 = 4;
/// Values of a variable that are tried.
const VALUES: u64 = 4;
/// The part of the ticks that are left which all of these may take, and the most.
const SHARE: u64 = 8;
const MOST_TICKS: u64 = 1_000_000;

impl Integers {
    /// Dives some times; `true`: the solution is stored. The bounds stay as they are. Dives with other numbers take other values.
    pub(super) fn dive(&mut self, number: u64, ticks: &mut Ticks) -> bool {
        let order = self.by_rows();
        let mut own = ticks.part((ticks.left() / SHARE).min(MOST_TICKS));
        let found = (0..TRIES).any(|attempt| {
            let steps = self.proof.len();
            // The first one of all goes by the relaxation.
            let mut choice = (number * TRIES + attempt > 0).then(|| number * TRIES + attempt);
            let (levels, is_whole) = self.fix_all(&order, &mut choice, &mut own);
            (0..levels).for_each(|_| self.simplex.pop());
            self.proof.truncate(steps);
            is_whole
        });
        ticks.spend(own.spent());
        found
    }

    /// The variables without a definition, those in most rows first.
    fn by_rows(&self) -> Vec<Var> {
        let vars = self.simplex.vars();
        let mut rows = vec![0u32; vars];
        let all = (0..vars as u32).map(Var);
        for definition in all.clone().filter_map(|v| self.simplex.definition(v)) {
            for (v, _) in definition.terms() {
                rows[v.at()] += 1;
            }
        }
        let plain = all.filter(|&v| self.simplex.definition(v).is_none());
        let mut order: Vec<Var> = plain.collect();
        order.sort_by_key(|v| std::cmp::Reverse(rows[v.at()]));
        order
    }

    /// Fixes the variables that have both bounds, each in a level: how many there are; and is the solution stored?
    fn fix_all(
        &mut self,
        order: &[Var],
        choice: &mut Option<u64>,
        ticks: &mut Ticks,
    ) -> (usize, bool) {
        let mut levels = 0;
        for &v in order {
            let bounds = [Side::Lower, Side::Upper].map(|side| self.simplex.bound(v, side));
            let [Some(low), Some(high)] = bounds else {
                continue;
            };
            if self.simplex.is_fixed(v) {
                continue;
            }
            let (low, high) = (low.value.real.clone(), high.value.real.clone());
            let near = self.simplex.value(v).real.round();
            let near = near.max(low.clone()).min(high.clone());
            let is_fixed = (0..VALUES).any(|k| {
                let value = match choice {
                    Some(state) => chosen(&low, &high, state),
                    None if k == 0 => near.clone(),
                    None => chosen(&low, &high, &mut (levels as u64 + k)),
                };
                self.simplex.push();
                levels += 1;
                let is_possible = self.fix(v, &value, ticks).is_ok();
                if !is_possible {
                    self.simplex.pop();
                    levels -= 1;
                }
                is_possible
            });
            if !is_fixed || ticks.left() == 0 {
                return (levels, false);
            }
        }
        let ProofCheck::Feasible = self.simplex.check(ticks, &mut NoObserver) else {
            return (levels, false);
        };
        let vars = (0..self.simplex.vars() as u32).map(Var);
        let is_whole = vars.clone().all(|v| self.simplex.value(v).is_integer());
        if is_whole {
            self.solution = vars.map(|v| self.simplex.value(v).real.clone()).collect();
        }
        (levels, is_whole)
    }

    /// Gives a variable a value, and propagates. `Err`: a contradiction.
    fn fix(&mut self, v: Var, value: &Rational, ticks: &mut Ticks) -> Result<(), StepId> {
        for side in [Side::Lower, Side::Upper] {
            let bound = Conclusion::Bound(v, side, value.clone());
            let step = self.proof.hypothesis(bound);
            self.bound(v, side, value.clone(), step)?;
        }
        let mut changed = vec![false; self.simplex.vars()];
        changed[v.at()] = true;
        self.propagate_from(changed, ticks)
    }
}

/// A random value between two integers, by a linear congruential generator (Knuth's MMIX): an end once in four times.
fn chosen(low: &Rational, high: &Rational, state: &mut u64) -> Rational {
    let mut next = || {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    };
    let range = (high - low).to_i64();
    match (next() % 8, range) {
        (0, _) => low.clone(),
        (1, _) => high.clone(),
        (_, Some(range)) if range < 1 << 31 => {
            low + &Rational::from((next() % (range as u64 + 1)) as i64)
        }
        // Wide ranges: near the lower end, which is at least not far from the relaxation's small numbers.
        _ => low + &Rational::from((next() >> 8) as i64),
    }
}
