//! Two encodings of one query in turn: integers as variables of the simplex, and as circuits.
//!
//! Circuits learn how digits and carries depend on each other, which rows of the simplex see only when all bits have
//! values; the simplex finds sums that no bit decides at once. It is not known beforehand which one a query needs. So
//! both get a small budget, then both four times as much, until one answers or the whole budget is used: as a
//! portfolio of two on one processor (Gomes and Selman, "Algorithm portfolios", Artificial Intelligence 2001), where
//! doubling costs a constant factor at most.
//!
//! Only where conditions below disjunctions depend on integers and all integers have both bounds, with few bits
//! together. Other queries, queries with bit-vectors, and those with a receiver of the simplex's trials have one
//! encoding.

use super::decide::encode_and_search;
use super::encode::{IntegerEncoding, chosen_integers};
use super::ranges::IntegerRanges;
use solver::theory::SearchAnswer;
use solver::{Budget, Cx, Query, Why};
use term::{Op, Pool, Sort, Term};

/// Conflicts of the first turn, of rows (which cost less than those of circuits) and of bits.
const FIRST: [(IntegerEncoding, u64); 2] = [
    (IntegerEncoding::Rows, 16_000),
    (IntegerEncoding::Bits, 4_000),
];
/// How much longer the next turns are.
const GROWTH: u64 = 4;
/// Bits of all integers together.
const MAX_BITS: u64 = 1024;
/// Bits of one integer: of wide ones the simplex knows more than circuits do.
const MAX_WIDTH: u64 = 8;

/// Decides the conditions of a query.
pub(super) fn decide(cx: &mut Cx<'_>, query: &Query<'_>) -> SearchAnswer {
    let result = if cx.trials.wanted() || !is_narrow(cx.pool, &query.conditions()) {
        encode_and_search(cx, query, IntegerEncoding::Rows)
    } else {
        in_turn(cx, query)
    };
    result.unwrap_or_else(SearchAnswer::Unknown)
}

fn in_turn(cx: &mut Cx<'_>, query: &Query<'_>) -> Result<SearchAnswer, Why> {
    let whole = cx.budget;
    let mut left = whole.conflicts;
    let mut turn = 1u64;
    loop {
        for (method, first) in FIRST {
            let part = Budget {
                conflicts: first.saturating_mul(turn).min(left),
                ..whole
            };
            let why = match cx.within(part, |cx| encode_and_search(cx, query, method)) {
                Ok(SearchAnswer::Unknown(why)) | Err(why) => why,
                answer => return answer,
            };
            left -= part.conflicts;
            let is_late = cx.is_late();
            if left == 0 || is_late {
                return Err(if is_late { Why::Timeout } else { why });
            }
        }
        turn = turn.saturating_mul(GROWTH);
    }
}

/// Do choices depend on integers, and are all of these few bits?
fn is_narrow(pool: &Pool, conditions: &[Term]) -> bool {
    let cone = pool.cone(conditions);
    let is_bits = |&t: &Term| !matches!(pool.sort(t), Sort::Int | Sort::BitVec(1));
    if cone.iter().any(is_bits) || chosen_integers(pool, &cone, conditions).is_empty() {
        return false;
    }
    let ranges = IntegerRanges::find(pool, &cone, conditions);
    let integers = cone.iter().filter(|&&t| pool.sort(t) == Sort::Int);
    let mut symbols = integers.filter(|&&t| pool.op(t) == Op::Symbol);
    let mut bits = 0;
    symbols.all(|&t| {
        let width = ranges.both(t).map(|(low, high)| (high - low).bits());
        bits += width.unwrap_or(u64::MAX / 2).min(MAX_BITS + 1);
        width.is_some_and(|width| width <= MAX_WIDTH) && bits <= MAX_BITS
    })
}
