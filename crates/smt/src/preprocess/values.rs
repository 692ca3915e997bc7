//! Pass `value`: a byte that has one value left becomes that value.
//!
//! A path keeps the set of values that the conjuncts over one byte alone leave of it.

use super::{Pass, PassContext, Preprocess, Substitutions};
use rustc_hash::FxHashMap;
use term::Sort;

/// The pass.
pub(super) struct SingleValues;

impl Pass for SingleValues {
    fn name(&self) -> &'static str {
        "value"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        let pool = &mut *around.pool;
        let path = query.path(pool, around.solver);
        let mut places = FxHashMap::default();
        for symbol in query.symbols(pool) {
            if pool.symbol_sort(symbol) != Sort::BitVec(8) {
                continue;
            }
            let domain = path.domain(symbol);
            if let (Some(value), 1) = (domain.first(), domain.len()) {
                let value = pool.bv(8, value as u64);
                places.insert(pool.symbol_term(symbol), value);
                query.gone.push((symbol, value));
                around.stats.values += 1;
            }
        }
        let kept = std::mem::take(&mut query.conjuncts);
        query.replace(pool, kept, &Substitutions::of_symbols(places), &mut 0)
    }
}
