//! Bytes with conjuncts over several bytes: the fast path of the solver has dealt with an empty intersection and with
//! bytes on their own; here the remaining values are tried on the slice.

use crate::cx::Cx;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Technique, Why};
use term::Sort;

/// Values tried before the query is handed on.
const TRIES: usize = 12;

pub(crate) struct Domains;

impl Layer for Domains {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if !query.witness_holds {
            return Outcome::Unknown(Why::Incomplete);
        }
        let Some(symbol) = cx.pool.single_symbol(query.cond) else {
            return Outcome::Unknown(Why::Incomplete);
        };
        if cx.pool.symbol_sort(symbol) != Sort::BitVec(8) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let allowed = cx.tables.get(cx.pool, query.cond, symbol);
        let left = query.pc.domain(symbol).intersect(&allowed);
        let count = left.len() as usize;
        // Evenly over the set, so that a far corner is met too.
        let step = count.div_ceil(TRIES).max(1);
        for value in left.iter().step_by(step) {
            let mut candidate = query.witness.clone();
            candidate.set(symbol, value as u64);
            cx.trials.tried(&candidate, Technique::Domain);
            if cx.holds_all(&query.slice.terms, &candidate) {
                return Outcome::Sat(candidate);
            }
        }
        if step == 1 && only_this_byte_is_free(query, cx, symbol) {
            let core = query.slice.terms.clone();
            return Outcome::Unsat(core);
        }
        Outcome::Unknown(Why::Incomplete)
    }
}

/// Is every other byte of the slice down to one value? Then trying all values was a proof.
fn only_this_byte_is_free(query: &Query<'_>, cx: &Cx<'_>, symbol: term::Symbol) -> bool {
    query.slice.symbols.iter().all(|&s| {
        s == symbol || (cx.pool.symbol_sort(s) == Sort::BitVec(8) && query.pc.domain(s).len() == 1)
    })
}
