//! `equality`: `symbol = term` goes, and the term takes the symbol's place; `known`: a conjunct that occurs inside
//! another one is true there (its negation false), and of two terms that a conjunct calls equal, the larger one becomes the
//! smaller one in the others.
//!
//! All definitions that lead in no circle are taken at once, so that a chain of any length goes in one pass: a depth-first
//! walk over the defined symbols orders them, and leaves out a definition that would close a circle. In
//! `concat(constants, symbol, constants) = term` the symbol is defined, too; what the constants say stays as a conjunct.

use super::{Pass, PassContext, Preprocess, Substitutions};
use crate::stats::PassStats;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use term::{Op, Pool, Sort, Symbol, Term};

/// The pass.
pub(super) struct Definitions;

impl Pass for Definitions {
    fn name(&self) -> &'static str {
        "equality, known"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        propagate(query, around.pool, around.stats)
    }
}

/// A conjunct that says what a symbol is.
struct Definition {
    symbol: Symbol,
    value: Term,
    /// Where it stands among the conjuncts.
    conjunct: usize,
    /// What the conjunct says beyond that, if it does.
    rest: Option<Term>,
}

/// One pass of `equality` and `known`; whether anything changed.
pub(super) fn propagate(query: &mut Preprocess, pool: &mut Pool, stats: &mut PassStats) -> bool {
    let definitions = gather(pool, &query.conjuncts);
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
    let mut gone = Vec::with_capacity(definitions.len());
    let mut kept: Vec<Option<Term>> = query.conjuncts.iter().copied().map(Some).collect();
    for i in order(pool, &definitions) {
        let definition = &definitions[i];
        let value = substitute(pool, definition.value, &mut rebuilt);
        let place = pool.symbol_term(definition.symbol);
        rebuilt.insert(place, value);
        places.insert(place, value);
        kept[definition.conjunct] = definition.rest;
        gone.push((definition.symbol, definition.value));
    }
    stats.equalities += gone.len() as u64;
    let replaced: FxHashSet<Term> = places.keys().copied().collect();
    let kept: Vec<Term> = kept.into_iter().flatten().collect();
    let mut owners: FxHashMap<Term, Term> = FxHashMap::default();
    for &t in kept.iter().filter(|t| !pool.is_const(**t)) {
        let (key, value) = match pool.op(t) {
            Op::Not => (pool.child(t, 0), Term::FALSE),
            _ => (t, Term::TRUE),
        };
        places.entry(key).or_insert(value);
        // What is put in is not looked at again: no symbol that goes may be in it.
        if replaced.is_empty()
            && let Some((larger, smaller)) = equation(pool, t)
            && let Entry::Vacant(place) = places.entry(larger)
        {
            place.insert(smaller);
            owners.insert(t, larger);
        }
    }
    let any = !gone.is_empty();
    // A symbol is evaluated after those that its value reads, and the last one that went first.
    query.gone.extend(gone.into_iter().rev());
    let places = Substitutions {
        of: places,
        replaced,
        owners,
    };
    query.replace(pool, kept, &places, &mut stats.known) || any
}

/// The larger and the smaller side of an equation. The order is total, and no term is as large as one that it is part of: so an
/// equation is only changed by those whose larger side is smaller than its own, and all together mean what they did.
fn equation(pool: &Pool, t: Term) -> Option<(Term, Term)> {
    if pool.op(t) != Op::Eq || pool.has_float(t) {
        return None;
    }
    let [a, b] = [0, 1].map(|k| pool.child(t, k));
    if pool.sort(a) == Sort::Int {
        return None;
    }
    let size = |t: Term| (!pool.is_const(t), pool.size_hint(t), t);
    let (larger, smaller) = if size(a) > size(b) { (a, b) } else { (b, a) };
    (!pool.is_const(larger)).then_some((larger, smaller))
}

/// The first definition of each symbol that has one.
fn gather(pool: &mut Pool, conjuncts: &[Term]) -> Vec<Definition> {
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    let mut definitions = Vec::new();
    let mut uses: Option<FxHashMap<Symbol, IntegerUses>> = None;
    for (conjunct, &t) in conjuncts.iter().enumerate() {
        let found = match definition(pool, t) {
            Some((symbol, value)) => Some((symbol, value, None)),
            None if pool.op(t) == Op::Eq && pool.sort(pool.child(t, 0)) == Sort::Int => {
                let uses = uses.get_or_insert_with(|| integer_uses(pool, conjuncts));
                integer(pool, t, uses).map(|(symbol, value)| (symbol, value, None))
            }
            None => padded(pool, t),
        };
        if let Some((symbol, value, rest)) = found.filter(|found| seen.insert(found.0)) {
            definitions.push(Definition {
                symbol,
                value,
                conjunct,
                rest,
            });
        }
    }
    definitions
}

/// The symbol of a bit-vector or an array.
fn free(pool: &Pool, t: Term) -> Option<Symbol> {
    let symbol = pool.as_symbol(t)?;
    matches!(pool.sort(t), Sort::BitVec(_) | Sort::Array { .. }).then_some(symbol)
}

/// May the term take the symbol's place?
fn is_fit(pool: &Pool, symbol: Symbol, value: Term) -> bool {
    let is_plain = !pool.has_float(value) || pool.op(value) == Op::FpToBits;
    !pool.set_contains(pool.symbols(value), symbol) && is_plain
}

/// The symbol that a conjunct defines, and what it is equal to.
fn definition(pool: &Pool, t: Term) -> Option<(Symbol, Term)> {
    if let Some(symbol) = free(pool, t) {
        return Some((symbol, Term::TRUE));
    }
    match pool.op(t) {
        Op::Not => Some((free(pool, pool.child(t, 0))?, Term::FALSE)),
        Op::Eq => [(0, 1), (1, 0)].into_iter().find_map(|(x, y)| {
            let (symbol, value) = (free(pool, pool.child(t, x))?, pool.child(t, y));
            is_fit(pool, symbol, value).then_some((symbol, value))
        }),
        _ => None,
    }
}

/// The conjuncts that an integer occurs in.
#[derive(Clone, Copy, Default)]
struct IntegerUses {
    all: usize,
    /// Those that have no other symbol.
    alone: usize,
}

fn integer_uses(pool: &Pool, conjuncts: &[Term]) -> FxHashMap<Symbol, IntegerUses> {
    let mut uses: FxHashMap<Symbol, IntegerUses> = FxHashMap::default();
    for &t in conjuncts.iter().filter(|t| pool.has_int(**t)) {
        let is_alone = pool.single_symbol(t).is_some();
        for symbol in pool.set_iter(pool.symbols(t)) {
            if pool.symbol_sort(symbol) == Sort::Int {
                let own = uses.entry(symbol).or_default();
                own.all += 1;
                own.alone += usize::from(is_alone);
            }
        }
    }
    uses
}

/// The integer that an equation defines, and what it is equal to: one with the factor 1 or -1 whose value makes no sum longer, since it is
/// another integer plus a number, or since all other conjuncts with it but one at most are about it alone (a slack variable with its bounds).
fn integer(
    pool: &mut Pool,
    t: Term,
    uses: &FxHashMap<Symbol, IntegerUses>,
) -> Option<(Symbol, Term)> {
    let linear = pool.linear_atom(t)?;
    let is_short = linear.monomials.len() <= 2;
    let (symbol, k) = linear
        .monomials
        .iter()
        .enumerate()
        .find_map(|(k, (atom, factor))| {
            let symbol = pool.as_symbol(*atom)?;
            let is_unit = *factor.magnitude() == 1u32.into();
            let own = uses.get(&symbol).copied().unwrap_or_default();
            let is_slack = own.all <= own.alone + 2;
            (is_unit && (is_short || is_slack)).then_some((symbol, k))
        })?;
    let mut rest = linear;
    let (_, factor) = rest.monomials.remove(k);
    let rest = pool.linear_term(&rest);
    let value = pool.int_scale(&-factor, rest);
    is_fit(pool, symbol, value).then_some((symbol, value))
}

/// The symbol between constants that a conjunct defines, what it is equal to, and what is left of the conjunct.
fn padded(pool: &mut Pool, t: Term) -> Option<(Symbol, Term, Option<Term>)> {
    if pool.op(t) != Op::Eq {
        return None;
    }
    [(0, 1), (1, 0)].into_iter().find_map(|(x, y)| {
        let (side, value) = (pool.child(t, x), pool.child(t, y));
        let (low, symbol) = only_symbol(pool, side)?;
        if !is_fit(pool, symbol, value) {
            return None;
        }
        let place = pool.symbol_term(symbol);
        let width = pool.width(place);
        let own = pool.extract(low + width - 1, low, value);
        let mut rest = Term::TRUE;
        for (high, low) in [(pool.width(side), low + width), (low, 0)] {
            if high > low {
                let constant = pool.extract(high - 1, low, side);
                let bits = pool.extract(high - 1, low, value);
                let equal = pool.eq(constant, bits);
                rest = pool.and(rest, equal);
            }
        }
        Some((symbol, own, (rest != Term::TRUE).then_some(rest)))
    })
}

/// The symbol in a concatenation of it and constants, after the number of bits below it.
fn only_symbol(pool: &Pool, side: Term) -> Option<(u32, Symbol)> {
    if pool.op(side) != Op::Concat {
        return None;
    }
    let mut found = None;
    let mut low = 0;
    let mut parts = vec![side];
    while let Some(part) = parts.pop() {
        if pool.op(part) == Op::Concat {
            parts.extend([pool.child(part, 0), pool.child(part, 1)]); // the lower one is next
            continue;
        }
        if !pool.is_const(part) {
            if found.is_some() {
                return None;
            }
            found = Some((low, free(pool, part)?));
        }
        low += pool.width(part);
    }
    found
}

/// The definitions to take, each after those of the symbols that its value reads: a depth-first walk, without the definitions that
/// would close a circle.
fn order(pool: &Pool, definitions: &[Definition]) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        /// Its walk has begun.
        Open,
        Done,
    }
    let by_symbol = definitions.iter().enumerate().map(|(i, d)| (d.symbol, i));
    let by_symbol: FxHashMap<Symbol, usize> = by_symbol.collect();
    let read = |i: usize| pool.set_iter(pool.symbols(definitions[i].value));
    let mut states = vec![State::New; definitions.len()];
    let mut order = Vec::with_capacity(definitions.len());
    for start in 0..definitions.len() {
        let mut walk = Vec::new();
        if states[start] == State::New {
            states[start] = State::Open;
            walk.push((start, read(start)));
        }
        while let Some((i, symbols)) = walk.last_mut() {
            let i = *i;
            match symbols.find_map(|symbol| by_symbol.get(&symbol)) {
                Some(&next) if states[next] == State::New => {
                    states[next] = State::Open;
                    walk.push((next, read(next)));
                }
                // It would be part of its own value: its conjunct stays.
                Some(&next) if states[next] == State::Open => {
                    states[i] = State::Done;
                    walk.pop();
                }
                Some(_) => {}
                None => {
                    states[i] = State::Done;
                    order.push(i);
                    walk.pop();
                }
            }
        }
    }
    order
}

/// A term with values for the symbols that have some in `rebuilt`, where all that was rebuilt before is found again.
fn substitute(pool: &mut Pool, root: Term, rebuilt: &mut FxHashMap<Term, Term>) -> Term {
    let mut work = vec![root];
    while let Some(&t) = work.last() {
        if rebuilt.contains_key(&t) {
            work.pop();
            continue;
        }
        let old = pool.children(t).to_vec();
        let before = work.len();
        work.extend(old.iter().filter(|k| !rebuilt.contains_key(k)));
        if work.len() > before {
            continue;
        }
        work.pop();
        let new: Vec<Term> = old.iter().map(|k| rebuilt[k]).collect();
        let own = if new == old { t } else { pool.rebuild(t, &new) };
        rebuilt.insert(t, own);
    }
    rebuilt[&root]
}

#[cfg(test)]
mod tests;
