//! Bounds, extremes and lists of values of a term under a path, by which symbolic addresses and sizes are resolved.
//!
//! In order: constants; a term over one byte that shares no conjunct with others is evaluated at every value left to
//! the byte; ranges; then questions `t <= m`, starting at the bound that the ranges give (it is usually attained), by
//! bisection.

use crate::model::Model;
use crate::path::PathCondition;
use crate::query::{Ask, Outcome, Why};
use crate::solver::Solver;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use term::{Pool, Sort, Symbol, Term};

/// Unsigned bounds of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// No value is below.
    pub lo: u64,
    /// No value is above.
    pub hi: u64,
    /// Are both ends attained?
    pub exact: bool,
}

/// The least (or greatest) value found.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// The best value that was attained.
    pub value: u64,
    /// No value is better than this. Exact when equal to `value`.
    pub bound: u64,
    /// Attains `value`.
    pub model: Model,
}

/// Values that a term takes.
#[derive(Clone, Debug)]
pub struct TermValues {
    /// Distinct values, each with a model of the path that gives it; the witness's value first.
    pub values: Vec<(u64, Model)>,
    /// Are there no others?
    pub complete: bool,
    /// Why the list stopped early, when a query was not decided.
    pub why: Option<Why>,
}

impl Solver {
    /// Unsigned bounds of `t` (at most 64 bits wide). With `cheap`, no SAT solver is asked.
    pub fn bounds(&mut self, pool: &mut Pool, t: Term, cheap: bool, mut ask: Ask<'_>) -> Bounds {
        let pc = ask.path;
        if let Some(value) = pool.as_const(t) {
            return Bounds {
                lo: value,
                hi: value,
                exact: true,
            };
        }
        if let Some(table) = self.free_byte_values(pool, pc, t) {
            let values = || table.iter().map(|&(_, v)| v);
            return Bounds {
                lo: values()
                    .min()
                    .expect("a byte set on a feasible path is not empty"),
                hi: values()
                    .max()
                    .expect("a byte set on a feasible path is not empty"),
                exact: true,
            };
        }
        if cheap {
            let (lo, hi) = self.outer(pool, pc, t);
            return Bounds {
                lo,
                hi,
                exact: lo == hi,
            };
        }
        let low = self.minimum(pool, t, ask.again());
        let high = self.maximum(pool, t, ask);
        Bounds {
            lo: low.bound,
            hi: high.bound,
            exact: low.bound == low.value && high.bound == high.value,
        }
    }

    /// Bounds of a term over one byte by the values that are left to the byte, which may share conjuncts with others; `None` for other
    /// terms. They hold on the path, and are not the best.
    pub fn byte_bounds(&mut self, pool: &Pool, pc: &PathCondition, t: Term) -> Option<Bounds> {
        let (symbol, table) = self.byte_table(pool, t)?;
        let values = || {
            pc.domain(symbol)
                .iter()
                .map(|byte| table[usize::from(byte)])
        };
        let (lo, hi) = (values().min()?, values().max()?);
        Some(Bounds {
            lo,
            hi,
            exact: lo == hi,
        })
    }

    /// The least value of `t` under the path.
    pub fn minimum(&mut self, pool: &mut Pool, t: Term, ask: Ask<'_>) -> Extreme {
        self.extreme(pool, t, true, ask)
    }

    /// The greatest value of `t` under the path.
    pub fn maximum(&mut self, pool: &mut Pool, t: Term, ask: Ask<'_>) -> Extreme {
        self.extreme(pool, t, false, ask)
    }

    fn extreme(&mut self, pool: &mut Pool, t: Term, least: bool, mut ask: Ask<'_>) -> Extreme {
        let (pc, witness, budget) = (ask.path, ask.witness, ask.budget);
        if let Some(table) = self.free_byte_values(pool, pc, t) {
            let symbol = pool.single_symbol(t).expect("a term over one byte");
            let best = if least {
                table.iter().min_by_key(|e| (e.1, e.0))
            } else {
                table.iter().max_by_key(|e| (e.1, e.0))
            };
            let &(byte, value) = best.expect("a byte set on a feasible path is not empty");
            let mut model = witness.clone();
            model.set(symbol, byte as u64);
            return Extreme {
                value,
                bound: value,
                model,
            };
        }
        let deadline = budget.deadline();
        let mut model = witness.clone();
        let mut best = self.evaluator.eval(pool, t, witness);
        let width = pool.width(t);
        let (lo, hi) = self.outer(pool, pc, t);
        let mut bound = if least { lo } else { hi };
        let mut first = true;
        while bound != best {
            let distance = best.abs_diff(bound);
            // The first question is whether the bound is attained.
            let step = if first { 0 } else { (distance - 1) / 2 };
            first = false;
            let middle = if least { bound + step } else { bound - step };
            let limit = pool.bv(width, middle);
            let cond = if least {
                pool.ule(t, limit)
            } else {
                pool.uge(t, limit)
            };
            let left = budget.rest(deadline);
            self.stats.bound_queries += 1;
            let question = Ask {
                witness: &model,
                budget: &left,
                ..ask.again()
            };
            match self.feasible(pool, cond, question) {
                Outcome::Sat(better) => {
                    best = self.evaluator.eval(pool, t, &better);
                    model = better;
                }
                Outcome::Unsat(_) => bound = if least { middle + 1 } else { middle - 1 },
                Outcome::Unknown(_) => break,
            }
        }
        Extreme {
            value: best,
            bound,
            model,
        }
    }

    /// Up to `limit` values of `t` under the path, the witness's first.
    pub fn values(
        &mut self,
        pool: &mut Pool,
        t: Term,
        limit: usize,
        mut ask: Ask<'_>,
    ) -> TermValues {
        let (pc, witness, budget) = (ask.path, ask.witness, ask.budget);
        let deadline = budget.deadline();
        let value = self.evaluator.eval(pool, t, witness);
        let mut values = vec![(value, witness.clone())];
        if let Some(table) = self.free_byte_values(pool, pc, t) {
            let symbol = pool.single_symbol(t).expect("a term over one byte");
            let mut seen: FxHashSet<u64> = FxHashSet::from_iter([value]);
            let mut complete = true;
            for (byte, value) in table {
                if !seen.insert(value) {
                    continue;
                }
                if values.len() >= limit {
                    complete = false;
                    break;
                }
                let mut model = witness.clone();
                model.set(symbol, byte as u64);
                values.push((value, model));
            }
            return TermValues {
                values,
                complete,
                why: None,
            };
        }
        let width = pool.width(t);
        let mut others = Term::TRUE;
        let mut current = value;
        loop {
            let constant = pool.bv(width, current);
            let differs = pool.ne(t, constant);
            others = pool.and(others, differs);
            let left = budget.rest(deadline);
            self.stats.bound_queries += 1;
            let question = Ask {
                budget: &left,
                ..ask.again()
            };
            let (complete, why) = match self.feasible(pool, others, question) {
                Outcome::Sat(_) if values.len() >= limit => (false, None),
                Outcome::Sat(model) => {
                    current = self.evaluator.eval(pool, t, &model);
                    values.push((current, model));
                    continue;
                }
                Outcome::Unsat(_) => (true, None),
                Outcome::Unknown(why) => (false, Some(why)),
            };
            return TermValues {
                values,
                complete,
                why,
            };
        }
    }

    /// Bounds from ranges alone.
    fn outer(&mut self, pool: &Pool, pc: &PathCondition, t: Term) -> (u64, u64) {
        if !self.use_domains {
            return pool.interval(t);
        }
        self.catch_up();
        let range = self.ranges.range(pool, &mut self.tables, pc, t);
        (range.lo, range.hi)
    }

    /// For a term over one byte: the byte, and the term at each of its values.
    fn byte_table(&mut self, pool: &Pool, t: Term) -> Option<(Symbol, Rc<[u64; 256]>)> {
        self.catch_up();
        let symbol = pool.single_symbol(t)?;
        let is_byte = pool.symbol_sort(symbol) == Sort::BitVec(8);
        let is_known = self.use_domains && is_byte && matches!(pool.sort(t), Sort::BitVec(..=64));
        is_known.then(|| (symbol, self.values.table(pool, t, symbol)))
    }

    /// For a term over one byte that is in no conjunct with other symbols: its value at each value
    /// left to the byte.
    fn free_byte_values(
        &mut self,
        pool: &Pool,
        pc: &PathCondition,
        t: Term,
    ) -> Option<Vec<(u8, u64)>> {
        let (symbol, values) = self.byte_table(pool, t).filter(|_| pc.is_consistent())?;
        if pc.group_of(symbol).is_some() {
            return None;
        }
        let bytes = pc.domain(symbol).iter();
        let table: Vec<(u8, u64)> = bytes
            .map(|byte| (byte, values[usize::from(byte)]))
            .collect();
        (!table.is_empty()).then_some(table)
    }
}
