//! Pass `narrow`: a symbol that the conjuncts bound keeps the bits it can use.
//!
//! The ranges of the layer `intervals`, from all conjuncts together. A symbol with one value is that value; one whose
//! high bits are zero is the extension of a narrower symbol. Known bits and intervals of everything above follow when the
//! terms are made again, comparisons that they decide go, and products and divisions get smaller circuits.
//! Conjuncts are never dropped by what they say themselves: they hold by the new symbol's width.

use super::Preprocess;
use crate::domain::TruthTables;
use crate::layers::Ranges;
use crate::path::PathCondition;
use rustc_hash::FxHashMap;
use term::{Pool, Sort, Symbol, Term};

/// Symbols that are looked at.
const MAX_SYMBOLS: usize = 20_000;

/// One pass; `path` holds the conjuncts. Counts the symbols.
pub(super) fn narrow(
    query: &mut Preprocess,
    pool: &mut Pool,
    path: &PathCondition,
    tables: &mut TruthTables,
    count: &mut u64,
) -> bool {
    let mut ranges = Ranges::new(pool, path, &query.conjuncts);
    let symbols: Vec<Symbol> = query.symbols(pool);
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    for symbol in symbols.into_iter().take(MAX_SYMBOLS) {
        let Sort::BitVec(width @ 2..=64) = pool.symbol_sort(symbol) else {
            continue;
        };
        let place = pool.symbol_term(symbol);
        let range = ranges.range(pool, tables, place);
        let used = 64 - range.hi.leading_zeros();
        let value = if range.lo == range.hi {
            pool.bv(width, range.lo)
        } else if range.lo < range.hi && used < width && width > 8 {
            let symbol = pool.new_symbol("narrow", Sort::BitVec(used));
            let symbol = pool.symbol_term(symbol);
            pool.zext(width, symbol)
        } else {
            continue;
        };
        places.insert(place, value);
        query.gone.push((symbol, value));
    }
    if places.is_empty() {
        return false;
    }
    *count += places.len() as u64;
    let kept = std::mem::take(&mut query.conjuncts);
    let replaced = places.keys().copied().collect();
    query.replace(pool, kept, &places, &replaced, &mut 0);
    true
}
