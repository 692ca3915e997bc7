//! KLEE-Array: arrays leave the constraints before a solver sees them (Perry, Mattavelli, Zhang and Cadar, "Accelerating array
//! constraints in symbolic execution", ISSTA 2017).
//!
//! * The index-based transformation ([`condition`]): a condition that reads constant arrays at one index, and depends on
//!   nothing else, is evaluated for each element, and becomes the disjunction of the runs of indices for which it holds.
//! * The value-based one ([`element`]): what is left is a choice between the distinct elements, of as many bytes as an access
//!   reads. Bytes of accesses that may overlap are chosen one by one, as with `array-simplify`.
//!
//! Both are built in place of the circuits above the reads: there they take a term as large as can be, as the paper takes
//! whole constraints. Beyond an array's end its elements are zero, as with the other methods.

mod condition;
mod element;
mod positions;

use crate::circuit::{Circuit, Lowered};
use term::{Op, Pool, Sort, Term};

/// A term by the index-based or else the value-based transformation; unknown where neither applies.
pub(super) fn whole(circuit: &mut Circuit, pool: &Pool, t: Term, work: &mut Vec<Term>) -> Lowered {
    match (pool.op(t), pool.sort(t)) {
        (_, Sort::BitVec(1)) => condition::by_index(circuit, pool, t, work),
        (Op::Select | Op::Concat, Sort::BitVec(_)) => element::by_value(circuit, pool, t, work),
        _ => Lowered::Unknown,
    }
}
