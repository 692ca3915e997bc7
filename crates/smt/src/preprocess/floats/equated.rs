//! Pass `equated`: an equation of a float symbol and a term says what the symbol is.
//!
//! SMT-LIB's `=` on floats is a condition on numbers, signs and NaNs ([`Pool::fp_same`]), which no other pass reads as an equation. Here it
//! becomes one of bit-vectors, which `equality` substitutes. That says more: which of the processor's NaNs the symbol is. Scripts cannot
//! tell, so it may be said once of each symbol, as long as no symbol is said to depend on itself: then the symbols have such values one
//! after the other, whatever the others are.

use super::{Pass, PassContext, Preprocess};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{FloatPredicate, Op, Pool, Symbol, Term};

/// Symbols that are looked at to see that none depends on itself, for all equations of a query.
const MOST_LOOKED_AT: usize = 1 << 20;

/// The pass.
pub(in crate::preprocess) struct EquatedFloats;

impl Pass for EquatedFloats {
    fn name(&self) -> &'static str {
        "equated"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        let before = around.stats.equated;
        equate(around.pool, &mut query.conjuncts, &mut around.stats.equated);
        around.stats.equated > before
    }
}

/// Replaces equations of floats; counts them.
pub(super) fn equate(pool: &mut Pool, conjuncts: &mut [Term], count: &mut u64) {
    let mut needs: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
    let mut room = MOST_LOOKED_AT;
    for conjunct in conjuncts {
        let Some((a, b)) = operands(pool, *conjunct) else {
            continue;
        };
        for (float, value) in [(a, b), (b, a)] {
            let Some(symbol) = symbol_of(pool, float) else {
                continue;
            };
            let own: Vec<Symbol> = pool.set_iter(pool.symbols(value)).collect();
            if needs.contains_key(&symbol) || depends(&needs, &own, symbol, &mut room) {
                continue;
            }
            needs.insert(symbol, own);
            let (pattern, bits) = (pool.child(float, 0), pool.fp_to_bits(value));
            *conjunct = pool.eq(pattern, bits);
            *count += 1;
            break;
        }
    }
}

/// The operands of an equation of floats.
fn operands(pool: &mut Pool, t: Term) -> Option<(Term, Term)> {
    if pool.op(t) != Op::Or || !pool.has_float(t) {
        return None;
    }
    let sides = [0, 1].map(|k| pool.child(t, k));
    let both_nan = sides.into_iter().filter(|&side| pool.op(side) == Op::And);
    let both_nan: Vec<[Term; 2]> = both_nan
        .map(|side| [0, 1].map(|k| pool.child(side, k)))
        .collect();
    both_nan.into_iter().find_map(|nans| {
        let is_nan = |t: Term| {
            let is_it = pool.op(t) == Op::FCmp
                && pool.predicate(t) == FloatPredicate::Uno
                && pool.child(t, 0) == pool.child(t, 1);
            is_it.then(|| pool.child(t, 0))
        };
        let [Some(a), Some(b)] = nans.map(is_nan) else {
            return None;
        };
        if pool.sort(a) != pool.sort(b) {
            return None;
        }
        let is_same = pool.fp_same(a, b) == t || pool.fp_same(b, a) == t;
        is_same.then_some((a, b))
    })
}

/// The symbol whose bits a float has.
fn symbol_of(pool: &Pool, t: Term) -> Option<Symbol> {
    if pool.op(t) != Op::FpFromBits || pool.op(pool.child(t, 0)) != Op::Symbol {
        return None;
    }
    pool.single_symbol(t)
}

/// Does one of the symbols need this one? Yes, if there is no room to look.
fn depends(
    needs: &FxHashMap<Symbol, Vec<Symbol>>,
    from: &[Symbol],
    symbol: Symbol,
    room: &mut usize,
) -> bool {
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    let mut stack = from.to_vec();
    while let Some(at) = stack.pop() {
        if at == symbol || *room == 0 {
            return true;
        }
        *room -= 1;
        if seen.insert(at) {
            stack.extend(needs.get(&at).into_iter().flatten());
        }
    }
    false
}
