//! Queries over one number of up to some twenty bits that read constant tables: a code point looked up in stages, a hash of three bytes.
//!
//! A circuit of such a table has as many gates as the table has bits, and each question about it costs seconds; all values of the number
//! are a million or two, which are looked at in a few milliseconds. A number of four bytes has fewer values than its bytes: its range is in conditions on all of
//! them, from which facts about each byte follow ([`crate::facts`]).

use crate::domain::ByteSet;
use crate::facts::{self, Network};
use crate::query::Query;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Symbol, Term};

/// Assignments of one grid for a query that reads tables.
pub(super) const MOST_POINTS: usize = 1 << 21;
/// Symbols of such a query.
const MOST_SYMBOLS: usize = 8;
/// Terms of such a query: each is computed at each assignment.
const MOST_TERMS: usize = 4000;
/// Bytes of a table from which on it counts: circuits of smaller ones are quick.
const TABLE: usize = 1024;
/// Conditions of more terms than this tell no range.
const RANGE_SIZE: u32 = 64;

/// What conditions say of bytes.
pub(super) struct Narrowed {
    /// The values that are left of each byte.
    pub sets: FxHashMap<Symbol, ByteSet>,
    /// The conditions from which that follows.
    pub by: Vec<Term>,
}

/// Does the query read a constant table of some size, and is it no larger than can be computed at each assignment?
pub(super) fn reads_tables(pool: &Pool, query: &Query<'_>) -> bool {
    if query.slice.symbols.len() > MOST_SYMBOLS {
        return false;
    }
    let mut conditions = query.slice.terms.to_vec();
    conditions.push(query.cond);
    if !conditions.iter().any(|&t| pool.has_array(t)) {
        return false;
    }
    let cone = pool.cone(&conditions);
    let is_table = |&t: &Term| {
        let array = pool.child(t, 0);
        pool.op(array) == Op::ArrayBytes && pool.array_content(array).len() >= TABLE
    };
    let mut reads = cone.iter().filter(|&&t| pool.op(t) == Op::Select);
    cone.len() <= MOST_TERMS && reads.any(is_table)
}

/// What the query's conjuncts say of its bytes; `None` if they contradict each other, which others will find.
pub(super) fn narrowed(pool: &mut Pool, query: &Query<'_>) -> Option<Narrowed> {
    // Tables say little of their indices.
    let is_range = |t: &Term| pool.size_hint(*t) <= RANGE_SIZE && !pool.has_array(*t);
    let by: Vec<Term> = query.slice.terms.iter().copied().filter(is_range).collect();
    let mut network = Network::new(pool, &by);
    for &condition in &by {
        let (t, holds) = facts::literal(pool, condition);
        network.assert(pool, t, holds).ok()?;
    }
    let mut sets = FxHashMap::default();
    for &symbol in &query.slice.symbols {
        if pool.symbol_sort(symbol) != Sort::BitVec(8) {
            continue;
        }
        let t = pool.symbol_term(symbol);
        let mut left = query.pc.domain(symbol);
        if let Some(fact) = network.fact(t) {
            let mut possible = ByteSet::EMPTY;
            let values = left.iter().filter(|&v| fact.has(u64::from(v), 8));
            values.for_each(|v| possible.insert(v));
            left = possible;
        }
        sets.insert(symbol, left);
    }
    Some(Narrowed { sets, by })
}
