//! An integer linear program in a canonical form, its solver, and a cache of results.
//!
//! Variables are numbered in the order in which the linearizer meets them, so that queries of equal
//! structure give equal programs whatever their symbols are called ("caching of ILP solutions",
//! section 4.2 of "Type and interval aware array constraint solving for symbolic execution").

use hashbrown::HashMap;
use linear::{Form, IntegerVerdict, Integers, Observer, Rational, Side, Ticks, Var};
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;

/// Programs kept.
const KEPT: usize = 512;
/// Programs with more rows are not kept.
const MAX_ROWS: usize = 64;
/// Tag of the variables' own ranges.
const RANGE: u32 = u32::MAX;

/// `low <= form <= high`, either end possibly absent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Row {
    pub form: Form,
    pub low: Option<Rational>,
    pub high: Option<Rational>,
}

/// Ranges of variables and rows over them.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct IntegerProgram {
    pub ranges: Vec<(Rational, Rational)>,
    pub rows: Vec<Row>,
}

/// The outcome of a program.
#[derive(Clone, Debug)]
pub(super) enum Solved {
    /// Values of the variables.
    Values(Vec<Rational>),
    /// Rows that contradict each other (and the ranges).
    Contradiction(Vec<u32>),
    /// The budget was used up.
    Open,
}

impl IntegerProgram {
    /// A new variable with a range.
    pub fn variable(&mut self, low: Rational, high: Rational) -> Var {
        self.ranges.push((low, high));
        Var(self.ranges.len() as u32 - 1)
    }

    /// The least and the greatest value of a form within the ranges.
    pub fn extent(&self, form: &Form) -> (Rational, Rational) {
        let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
        for (v, c) in form.terms() {
            let (l, h) = &self.ranges[v.at()];
            let (l, h) = if c.is_positive() { (l, h) } else { (h, l) };
            low.add_product(c, l);
            high.add_product(c, h);
        }
        (low, high)
    }

    /// As variables and bounds; `Err`: rows that contradict each other at once.
    pub fn load(&self) -> Result<Integers, Vec<u32>> {
        let mut problem = Integers::new();
        let plain = |core: Vec<u32>| core.into_iter().filter(|&r| r != RANGE).collect::<Vec<_>>();
        for (low, high) in &self.ranges {
            let v = problem.new_var();
            let low = problem.assert(v, Side::Lower, low, RANGE);
            low.and_then(|()| problem.assert(v, Side::Upper, high, RANGE))
                .map_err(plain)?;
        }
        for (i, row) in self.rows.iter().enumerate() {
            let tag = i as u32;
            if row.form.is_zero() {
                let below = row.low.as_ref().is_some_and(Rational::is_positive);
                if below || row.high.as_ref().is_some_and(Rational::is_negative) {
                    return Err(vec![tag]);
                }
                continue;
            }
            let v = match row.form.terms() {
                [(v, c)] if c.is_one() => *v,
                _ => problem.define(&row.form),
            };
            for (side, end) in [(Side::Lower, &row.low), (Side::Upper, &row.high)] {
                if let Some(end) = end {
                    problem.assert(v, side, end, tag).map_err(plain)?;
                }
            }
        }
        Ok(problem)
    }

    /// Looks for integer values.
    pub fn solve(&self, ticks: &mut Ticks, observer: &mut dyn Observer) -> (Solved, u64) {
        let mut problem = match self.load() {
            Ok(problem) => problem,
            Err(rows) => return (Solved::Contradiction(rows), 0),
        };
        let solved = match problem.solve(ticks, observer) {
            IntegerVerdict::Sat => Solved::Values(problem.solution()[..self.ranges.len()].to_vec()),
            IntegerVerdict::Unsat(core) => {
                Solved::Contradiction(core.into_iter().filter(|&r| r != RANGE).collect())
            }
            IntegerVerdict::OutOfTicks => Solved::Open,
        };
        (solved, problem.simplex().stats.pivots)
    }
}

/// Programs solved lately, oldest dropped first. Programs hold no terms, so a collection of terms
/// does not concern them.
#[derive(Default)]
pub(super) struct Cache {
    solved: HashMap<IntegerProgram, Solved, FxBuildHasher>,
    order: VecDeque<IntegerProgram>,
}

impl Cache {
    /// The outcome of an equal program.
    pub fn get(&self, program: &IntegerProgram) -> Option<&Solved> {
        self.solved.get(program)
    }

    /// Keeps an outcome.
    pub fn put(&mut self, program: IntegerProgram, solved: Solved) {
        if program.rows.len() > MAX_ROWS || self.solved.contains_key(&program) {
            return;
        }
        if self.order.len() >= KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.solved.remove(&oldest);
        }
        self.order.push_back(program.clone());
        self.solved.insert(program, solved);
    }
}
