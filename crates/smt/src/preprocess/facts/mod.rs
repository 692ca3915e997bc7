//! Pass `facts`: facts about terms that follow from the conjuncts decide other terms.
//!
//! The facts are those of [`solver::facts`]: known bits and intervals, in both directions.
//!
//! A conjunct must not be decided by facts that follow from itself. The conjuncts go in order of size, and each is
//! made smaller with the facts of those before it only: terms with one value left become that value, and a conjunct
//! that follows is dropped. So the ones up to each are equivalent to what they were, by induction. Conjuncts that say
//! nothing about their operands are asserted last and made smaller with all facts of the others. What follows from all
//! of them is used where it cannot hurt: as a contradiction, and for symbols, which are replaced everywhere by their
//! known bits with new symbols between them.

use super::{Pass, PassContext, Preprocess, Substitutions};
use crate::stats::PassStats;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::facts::{Contradiction, Network, literal};
use term::{Pool, Sort, Symbol, Term};

/// Queries with more terms are left alone.
const MAX_TERMS: usize = 400_000;
/// Terms visited to make conjuncts smaller that say something, in terms of the query.
const MAX_VISITS: usize = 4;
/// A symbol becomes at most this many parts.
const MAX_PARTS: usize = 6;
/// Symbols up to this width are not taken apart: the layers keep sets of values of bytes.
const MIN_WIDTH: u32 = 9;

/// The pass.
pub(super) struct Facts;

impl Pass for Facts {
    fn name(&self) -> &'static str {
        "facts"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        learn(query, around.pool, around.stats)
    }
}

/// Applies the rule.
fn learn(query: &mut Preprocess, pool: &mut Pool, stats: &mut PassStats) -> bool {
    let size = pool.cone(&query.conjuncts).len();
    if size > MAX_TERMS || query.is_contradiction(pool) {
        return false;
    }
    let mut network = Network::new(pool, &query.conjuncts);
    let Ok(simplified) = simplify(query, pool, &mut network, size * MAX_VISITS, stats) else {
        query.conjuncts = vec![Term::FALSE];
        stats.facts += 1;
        return true;
    };
    let symbols = query.symbols(pool);
    let changed = simplified != query.conjuncts;
    if changed {
        query.conjuncts = simplified;
        query.flatten(pool);
    }
    replace_symbols(query, pool, &network, &symbols, stats) || changed
}

/// The conjuncts, each made smaller by the facts of those before it; the network has all facts then.
fn simplify(
    query: &Preprocess,
    pool: &mut Pool,
    network: &mut Network,
    mut visits: usize,
    stats: &mut PassStats,
) -> Result<Vec<Term>, Contradiction> {
    let mut order: Vec<usize> = (0..query.conjuncts.len()).collect();
    order.sort_by_key(|&at| pool.size_hint(query.conjuncts[at]));
    let mut result = query.conjuncts.clone();
    let mut quiet = Vec::new();
    for at in order {
        let (t, holds) = literal(pool, query.conjuncts[at]);
        match network.value(t) {
            Some(value) if value != holds as u64 => return Err(Contradiction),
            Some(_) => {
                result[at] = Term::TRUE;
                stats.facts += 1;
            }
            None if network.teaches(pool, t, holds) => {
                result[at] = smaller(pool, network, t, holds, &mut visits, stats);
                network.assert(pool, t, holds)?;
            }
            None => quiet.push((at, t, holds)),
        }
    }
    let mut memo = FxHashMap::default();
    for &(at, t, holds) in &quiet {
        result[at] = match network.value(t) {
            Some(value) if value != holds as u64 => return Err(Contradiction),
            Some(_) => {
                stats.facts += 1;
                Term::TRUE
            }
            None => rebuilt(pool, network, t, holds, &mut memo, stats),
        };
    }
    for (_, t, holds) in quiet {
        network.assert(pool, t, holds)?;
    }
    Ok(result)
}

/// A conjunct that says something, with the values of its terms put in their places.
fn smaller(
    pool: &mut Pool,
    network: &Network,
    t: Term,
    holds: bool,
    visits: &mut usize,
    stats: &mut PassStats,
) -> Term {
    // Most have no such term.
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack = vec![t];
    let mut is_known = false;
    while let Some(t) = stack.pop() {
        if *visits == 0 {
            is_known = false;
            break;
        }
        *visits -= 1;
        for &k in pool.children(t) {
            if pool.is_const(k) || !seen.insert(k) {
                continue;
            }
            match network.value(k) {
                Some(_) => is_known = true,
                None => stack.push(k),
            }
        }
    }
    match is_known {
        true => rebuilt(pool, network, t, holds, &mut FxHashMap::default(), stats),
        false if holds => t,
        false => pool.not(t),
    }
}

/// A conjunct with the values of the terms below its root put in their places.
fn rebuilt(
    pool: &mut Pool,
    network: &Network,
    root: Term,
    holds: bool,
    memo: &mut FxHashMap<Term, Term>,
    stats: &mut PassStats,
) -> Term {
    let mut stack = vec![(root, false)];
    while let Some((t, is_ready)) = stack.pop() {
        if memo.contains_key(&t) {
            continue;
        }
        let value = network.value(t).filter(|_| t != root && !pool.is_const(t));
        let own = match value {
            Some(value) => {
                stats.facts += 1;
                pool.bv(pool.width(t), value)
            }
            None if is_ready => {
                let new: Vec<Term> = pool.children(t).iter().map(|k| memo[k]).collect();
                if new[..] == *pool.children(t) {
                    t
                } else {
                    pool.rebuild(t, &new)
                }
            }
            None => {
                stack.push((t, true));
                stack.extend(pool.children(t).iter().map(|&k| (k, false)));
                continue;
            }
        };
        memo.insert(t, own);
    }
    let own = memo[&root];
    if holds { own } else { pool.not(own) }
}

/// Symbols with known bits become those bits with new symbols between them; those that occur once stay whole, since
/// they may make their operator free (`unconstrained`).
fn replace_symbols(
    query: &mut Preprocess,
    pool: &mut Pool,
    network: &Network,
    symbols: &[Symbol],
    stats: &mut PassStats,
) -> bool {
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    let edges = query.edges(pool, &pool.cone(&query.conjuncts));
    for &symbol in symbols {
        let place = pool.symbol_term(symbol);
        let (Sort::BitVec(width), Some(fact)) = (pool.symbol_sort(symbol), network.fact(place))
        else {
            continue;
        };
        let value = match fact.value() {
            Some(value) => pool.bv(width, value),
            None if edges.get(&place) == Some(&1) => continue,
            None => match parts(pool, fact.zeros, fact.ones, width) {
                Some(parts) => parts,
                None => continue,
            },
        };
        places.insert(place, value);
        query.gone.push((symbol, value));
    }
    if places.is_empty() {
        return false;
    }
    stats.narrowed += places.len() as u64;
    let kept = std::mem::take(&mut query.conjuncts);
    query.replace(pool, kept, &Substitutions::of_symbols(places), &mut 0);
    true
}

/// Known bits and new symbols, if that is worth it.
fn parts(pool: &mut Pool, zeros: u64, ones: u64, width: u32) -> Option<Term> {
    let known = zeros | ones;
    let is_known = |bit: u32| known >> bit & 1 == 1;
    if known == 0 || width < MIN_WIDTH {
        return None;
    }
    let changes = (1..width).filter(|&b| is_known(b) != is_known(b - 1));
    let mut starts: Vec<u32> = std::iter::once(0).chain(changes).collect();
    if starts.len() > MAX_PARTS {
        return None;
    }
    starts.push(width);
    let mut result: Option<Term> = None;
    for ends in starts.windows(2) {
        let (from, width) = (ends[0], ends[1] - ends[0]);
        let part = if is_known(from) {
            pool.bv(width, ones >> from)
        } else {
            let symbol = pool.new_symbol("part", Sort::BitVec(width));
            pool.symbol_term(symbol)
        };
        result = Some(match result {
            Some(low) => pool.concat(part, low),
            None => part,
        });
    }
    result
}

#[cfg(test)]
mod tests;
