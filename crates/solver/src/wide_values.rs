//! Values of terms over one symbol of 9 to 16 bits: a character of Java, a half-word.
//!
//! Terms that programs make of characters are the same over whole ranges of them, so what is kept of a term are its *runs*: where its value
//! changes. The values that a path leaves of a symbol are ranges, too: those that all conditions over the symbol alone allow.

use crate::path::PathCondition;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use term::{Points, Pool, Relocation, Symbol, Term};

/// What a term can be, each with the number of values of its symbol for which it is so.
pub type ValueCounts = SmallVec<[(u64, u32); 8]>;

/// ValueCounts of a term at most.
const MOST_CLASSES: usize = 64;
/// ValueRuns of a term at most.
const MOST_RUNS: usize = 1 << 12;
/// Terms of more nodes are not looked at.
const MOST_NODES: u32 = 512;
/// Work of looking at one term.
const MOST_WORK: u64 = 1 << 24;
/// Terms that are kept.
const KEPT: usize = 1 << 12;

/// A term by ranges of its symbol's values.
struct ValueRuns {
    /// What it can be.
    values: Vec<u64>,
    /// The first value of each range, and what the term is in it: the number of that among the values.
    runs: Vec<(u32, u8)>,
    /// Behind the last value.
    end: u32,
}

impl ValueRuns {
    fn of(pool: &Pool, t: Term, symbol: Symbol) -> Option<ValueRuns> {
        if pool.size_hint(t) > MOST_NODES {
            return None;
        }
        let last = u16::MAX >> (16 - pool.symbol_sort(symbol).bits());
        let all: Vec<u16> = (0..=last).collect();
        let table = Points::one()
            .times(symbol, &all)
            .values(pool, t, MOST_WORK)?;
        let mut found = ValueRuns {
            values: Vec::new(),
            runs: Vec::new(),
            end: u32::from(last) + 1,
        };
        let mut before = None;
        for (at, value) in (0..).zip(table) {
            if before == Some(value) {
                continue;
            }
            before = Some(value);
            let known = found.values.iter().position(|&v| v == value);
            let class = known.unwrap_or(found.values.len());
            if class == found.values.len() {
                found.values.push(value);
            }
            if class >= MOST_CLASSES || found.runs.len() >= MOST_RUNS {
                return None;
            }
            found.runs.push((at, class as u8));
        }
        Some(found)
    }

    /// The ranges, each with its end and what the term is in it.
    fn ranges(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let ends = self.runs.iter().skip(1).map(|run| run.0);
        let ends = ends.chain([self.end]);
        let runs = self.runs.iter().zip(ends);
        runs.map(|(&(first, class), end)| (first, end, usize::from(class)))
    }

    /// The parts of these ranges in which the term is not zero.
    fn within(&self, ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut left = Vec::new();
        let mut from = 0;
        for (first, end, class) in self.ranges() {
            if self.values[class] == 0 {
                continue;
            }
            while ranges.get(from).is_some_and(|range| range.1 <= first) {
                from += 1;
            }
            let met = ranges[from..].iter().take_while(|range| range.0 < end);
            left.extend(met.map(|range| (range.0.max(first), range.1.min(end))));
        }
        left
    }

    /// How many values of these ranges each class has.
    fn count(&self, ranges: &[(u32, u32)]) -> ValueCounts {
        let mut classes: ValueCounts = self.values.iter().map(|&value| (value, 0)).collect();
        let mut from = 0;
        for (first, end, class) in self.ranges() {
            while ranges.get(from).is_some_and(|range| range.1 <= first) {
                from += 1;
            }
            let met = ranges[from..].iter().take_while(|range| range.0 < end);
            let met = met.map(|range| range.1.min(end) - range.0.max(first));
            classes[class].1 += met.sum::<u32>();
        }
        classes.retain(|class| class.1 > 0);
        classes
    }
}

/// ValueRuns by term (weakly, as the tables of bytes); `None` for terms that are too much.
#[derive(Default)]
pub(crate) struct WideTables {
    runs: FxHashMap<Term, Option<Rc<ValueRuns>>>,
}

impl WideTables {
    fn runs(&mut self, pool: &Pool, t: Term, symbol: Symbol) -> Option<Rc<ValueRuns>> {
        if self.runs.len() >= KEPT {
            self.runs.clear();
        }
        let runs = self.runs.entry(t);
        let runs = runs.or_insert_with(|| ValueRuns::of(pool, t, symbol).map(Rc::new));
        runs.clone()
    }

    /// The values that conditions of a path over the symbol alone leave of it, as ranges, each with its end; a condition that is too much leaves all.
    fn domain(&mut self, pool: &Pool, path: &PathCondition, symbol: Symbol) -> Vec<(u32, u32)> {
        let mut left = vec![(0, 1 << pool.symbol_sort(symbol).bits())];
        for &position in path.alone(symbol) {
            if let Some(runs) = self.runs(pool, path.term_at(position), symbol) {
                left = runs.within(&left);
            }
        }
        left
    }

    /// The values that a path leaves of a symbol for which a condition over it holds, as ranges. `None` if the condition is too much, or
    /// another one of the path is.
    pub fn allowed(
        &mut self,
        pool: &Pool,
        path: &PathCondition,
        condition: Term,
        symbol: Symbol,
    ) -> Option<Vec<(u32, u32)>> {
        let mut left = vec![(0, 1 << pool.symbol_sort(symbol).bits())];
        let positions = path.alone(symbol).iter();
        for term in positions.map(|&p| path.term_at(p)).chain([condition]) {
            left = self.runs(pool, term, symbol)?.within(&left);
        }
        Some(left)
    }

    /// What a term can be on a path. `None` if it is too much.
    pub fn left(
        &mut self,
        pool: &Pool,
        path: &PathCondition,
        t: Term,
        symbol: Symbol,
    ) -> Option<ValueCounts> {
        let runs = self.runs(pool, t, symbol)?;
        let domain = self.domain(pool, path, symbol);
        Some(runs.count(&domain))
    }

    /// Terms were renumbered: translates the runs, or drops them when the numbers are not known.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        let known = std::mem::take(&mut self.runs);
        if let Some(relocation) = relocation {
            let known = known.into_iter();
            self.runs = known
                .filter_map(|(t, runs)| Some((relocation.get(t)?, runs)))
                .collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Solver, SolverOptions};
    use term::Sort;

    /// Against a look at each value.
    #[test]
    fn what_is_left_is_what_enumeration_leaves() {
        for width in [9u32, 12, 16] {
            let (mut pool, mut solver) = (Pool::new(), Solver::new(SolverOptions::default()));
            let symbol = pool.new_symbol("c", Sort::BitVec(width));
            let c = pool.symbol_term(symbol);
            let wide = pool.zext(32, c);
            let constant = |pool: &mut Pool, x: u64| pool.bv(32, x);
            let table: Vec<u8> = (0..=255u32).map(|x| ((x * x) % 7) as u8).collect();
            let array = pool.array_bytes(&table);
            let high = pool.extract(width - 1, width - 8, c);
            let index = pool.zext(64, high);
            let read = pool.select(array, index);
            let (a, b) = (constant(&mut pool, 97), constant(&mut pool, 300));
            let conditions = [pool.uge(wide, a), pool.ult(wide, b)];
            let mut path = PathCondition::new();
            let mut wanted = [0; 7];
            for (taken, from, to) in [(0, 0, 1 << width), (1, 97, 1 << width), (2, 97, 300)] {
                if taken > 0 {
                    let condition = conditions[taken - 1];
                    solver.push(&mut pool, &mut path, condition, Origin::Branch);
                }
                wanted.fill(0);
                let class = |x: u32| usize::from(table[(x >> (width - 8)) as usize]);
                (from..to).for_each(|x| wanted[class(x)] += 1);
                let mut left = solver.classes_left(&pool, &path, read).unwrap();
                left.sort_unstable();
                let all = (0..).zip(wanted.iter().copied());
                let all: Vec<(u64, u32)> = all.filter(|class| class.1 > 0).collect();
                assert_eq!(left.to_vec(), all, "{width} bits, {taken} conditions");
            }
            // By the low bits the table changes at most values: that is kept of a short symbol only.
            let low = pool.extract(7, 0, c);
            let index = pool.zext(64, low);
            let read = pool.select(array, index);
            let is_known = solver.classes_left(&pool, &path, read).is_some();
            assert_eq!(is_known, width < 16, "{width} bits");
        }
    }
}
