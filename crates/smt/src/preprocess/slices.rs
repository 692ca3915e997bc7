//! Pass `slices`: a symbol of which only separate slices are read is one symbol per slice.
//!
//! Extracts that overlap belong to one slice; bits that none reads are 0. The parts then share no symbol: a query
//! falls into smaller ones, and a slice of 8 bits has its set of values. Bytes stay whole for that reason. (Core
//! slicing without cutting through a slice: Bruttomesso and Sharygina, "A scalable decision procedure for
//! fixed-width bit-vectors", ICCAD 2009.)

use super::{Pass, PassContext, Preprocess, Substitutions};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Symbol, Term};

/// Symbols of fewer bits stay whole.
const MIN_WIDTH: u32 = 9;

/// The pass.
pub(super) struct Slices;

impl Pass for Slices {
    fn name(&self) -> &'static str {
        "slices"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        split(query, around.pool, &mut around.stats.slices)
    }
}

/// Applies the rule; counts the symbols that were split.
pub(super) fn split(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let mut slices: FxHashMap<Symbol, Vec<(u32, u32)>> = FxHashMap::default();
    let mut whole: FxHashSet<Symbol> = FxHashSet::default();
    let candidate = |pool: &Pool, t: Term| {
        let symbol = pool.as_symbol(t)?;
        matches!(pool.sort(t), Sort::BitVec(width) if width >= MIN_WIDTH).then_some(symbol)
    };
    for t in pool.cone(&query.conjuncts) {
        for &k in pool.children(t) {
            let Some(symbol) = candidate(pool, k) else {
                continue;
            };
            if pool.op(t) == Op::Extract {
                let (high, low) = pool.extract_bounds(t);
                slices.entry(symbol).or_default().push((low, high + 1));
            } else {
                whole.insert(symbol);
            }
        }
    }
    let mut split: Vec<(Symbol, Vec<(u32, u32)>)> = slices
        .into_iter()
        .filter(|(s, _)| !whole.contains(s))
        .collect();
    split.sort_unstable();
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    for (symbol, slices) in split {
        let place = pool.symbol_term(symbol);
        let (width, groups) = (pool.width(place), groups(slices));
        if groups == [(0, width)] {
            continue; // slices that overlap may cover all of it
        }
        let value = joined(pool, width, &groups);
        places.insert(place, value);
        query.gone.push((symbol, value));
    }
    if places.is_empty() {
        return false;
    }
    *count += places.len() as u64;
    let kept = std::mem::take(&mut query.conjuncts);
    query.replace(pool, kept, &Substitutions::of_symbols(places), &mut 0);
    true
}

/// The unions of slices that overlap, lowest first.
fn groups(mut slices: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    slices.sort_unstable();
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for (low, end) in slices {
        match groups.last_mut() {
            Some(last) if low < last.1 => last.1 = last.1.max(end),
            _ => groups.push((low, end)),
        }
    }
    groups
}

/// New symbols for the slices, with zeros for what is not read.
fn joined(pool: &mut Pool, width: u32, groups: &[(u32, u32)]) -> Term {
    let mut parts = Vec::new();
    let mut at = 0;
    for &(low, end) in groups {
        if low > at {
            parts.push(pool.zero(low - at));
        }
        let symbol = pool.new_symbol("slice", Sort::BitVec(end - low));
        parts.push(pool.symbol_term(symbol));
        at = end;
    }
    if at < width {
        parts.push(pool.zero(width - at));
    }
    let mut parts = parts.into_iter();
    let lowest = parts.next().expect("a slice is not empty");
    parts.fold(lowest, |low, part| pool.concat(part, low))
}
