//! All values of a term over one byte.
//!
//! Terms without lanes ([`crate::columns`]) take the slow way: a tape run 256 times.
//!
//! Along a path, terms grow at their root: `x = x % 2 ? 3 * x + 1 : x / 2` on one byte makes each condition the last
//! one and a few nodes. So the values of large cones are kept by term, nodes near the root first, and a cone is
//! walked down to what is known only. What is kept has a bound, and goes with the next collection of the pool.

use crate::assignment::Assignment;
use crate::columns::{
    self, Columns, KEPT_FROM, KEPT_SIZE, KnownColumn, KnownColumns, MOST_STEPS, POINTS,
};
use crate::node::{Symbol, Term};
use crate::pool::Pool;
use crate::sort::Sort;
use crate::tape::{Scratch, Tape};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Tables of one generation, of 2 KiB each; there are two.
const KEPT: usize = 2048;
/// Terms kept of one that is evaluated byte by byte.
const KEPT_NEAR: usize = 64;

/// Values of terms over one byte, least recently used ones dropped first.
#[derive(Default)]
struct TruthCache {
    /// Epoch of the pool that the terms are of.
    epoch: u64,
    young: FxHashMap<Term, Box<[u64; POINTS]>>,
    old: FxHashMap<Term, Box<[u64; POINTS]>>,
}

impl TruthCache {
    /// Forgets the terms of another pool or from before a collection.
    fn start(&mut self, pool: &Pool) {
        if self.epoch != pool.epoch {
            self.epoch = pool.epoch;
            self.young.clear();
            self.old.clear();
        }
    }

    fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    fn add(&mut self, t: Term, values: Box<[u64; POINTS]>) {
        if self.young.len() >= KEPT {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(t, values);
    }

    /// Keeps the values of a large cone, as far as they fit: those near the root, which stand last.
    fn keep(&mut self, pool: &Pool, columns: &mut Columns) {
        let steps = columns.len();
        if steps < KEPT_FROM && (self.is_empty() || !columns.extends(pool)) {
            return;
        }
        for at in steps.saturating_sub(KEPT / 2)..steps {
            if let Some(t) = columns.worth_keeping(pool, at) {
                let mut values = Box::new([0; POINTS]);
                columns.values(at, &mut values[..], |x| x);
                self.add(t, values);
            }
        }
        columns.shrink();
    }
}

impl KnownColumns for TruthCache {
    /// Afterwards the term is young, so that it is there until the next [`Self::add`].
    fn has(&mut self, pool: &Pool, t: Term) -> bool {
        if self.is_empty() || pool.size_hint(t) < KEPT_SIZE {
            return false;
        }
        if self.young.contains_key(&t) {
            return true;
        }
        match self.old.remove(&t) {
            Some(values) => {
                self.young.insert(t, values);
                true
            }
            None => false,
        }
    }

    fn column(&self, _: &Pool, t: Term) -> KnownColumn<'_> {
        KnownColumn::Long(&self.young[&t])
    }
}

thread_local! {
    static KEPT_VALUES: RefCell<TruthCache> = RefCell::default();
}

impl Tape {
    /// The values of `condition`, of width 1, for all 256 values of its only free symbol `symbol`:
    /// bit v of the result (bit v % 64 of word v / 64) is its value when the symbol is v.
    pub fn truth_table(pool: &Pool, condition: Term, symbol: Symbol) -> [u64; 4] {
        debug_assert_eq!(pool.width(condition), 1);
        let fast = quickly(pool, condition, symbol, Columns::truth);
        fast.unwrap_or_else(|| {
            let mut table = [0; 4];
            slowly(pool, condition, symbol, |value, result| {
                table[value / 64] |= result << (value % 64)
            });
            table
        })
    }

    /// The values of `t`, of at most 64 bits, for all 256 values of its only free symbol.
    pub fn value_table(pool: &Pool, t: Term, symbol: Symbol) -> Box<[u64; POINTS]> {
        debug_assert!(pool.width(t) <= 64);
        let mut table = Box::new([0; POINTS]);
        let fast = quickly(pool, t, symbol, |columns| {
            columns.values(columns.len() - 1, &mut table[..], |x| x);
        });
        if fast.is_none() {
            slowly(pool, t, symbol, |value, result| table[value] = result);
        }
        table
    }
}

fn slowly(pool: &Pool, t: Term, symbol: Symbol, mut take: impl FnMut(usize, u64)) {
    let mut roots = vec![t];
    near(pool, &mut roots);
    let tape = Tape::compile(pool, &roots);
    let mut tables: Vec<_> = roots[1..].iter().map(|_| Box::new([0; POINTS])).collect();
    let (mut scratch, mut assignment) = (Scratch::new(), Assignment::new());
    for value in 0..POINTS {
        assignment.set(symbol, value as u64);
        tape.run(&assignment, &mut scratch);
        take(value, tape.value(&scratch, 0));
        for (k, table) in tables.iter_mut().enumerate() {
            table[value] = tape.value(&scratch, k + 1);
        }
    }
    KEPT_VALUES.with_borrow_mut(|kept| {
        kept.start(pool);
        for (&root, table) in roots[1..].iter().zip(tables) {
            kept.add(root, table);
        }
    });
}

/// Adds the terms just below the first one that are worth keeping.
fn near(pool: &Pool, roots: &mut Vec<Term>) {
    let mut at = 0;
    while at < roots.len() {
        for &kid in pool.children(roots[at]) {
            let fits = matches!(pool.sort(kid), Sort::BitVec(1..=64));
            if fits
                && roots.len() < KEPT_NEAR
                && pool.size_hint(kid) >= KEPT_SIZE
                && !roots.contains(&kid)
            {
                roots.push(kid);
            }
        }
        at += 1;
    }
}

/// Computes the term's columns, unless it has none, and lets `take` read the root's.
fn quickly<R>(pool: &Pool, t: Term, symbol: Symbol, take: impl FnOnce(&Columns) -> R) -> Option<R> {
    columns::with(|columns| {
        KEPT_VALUES.with_borrow_mut(|kept| {
            kept.start(pool);
            columns.plan(pool, t, Some(symbol), kept, MOST_STEPS)?;
            columns.run(pool, kept);
            let taken = take(columns);
            kept.keep(pool, columns);
            Some(taken)
        })
    })
}
