//! The index-based transformation.

use super::positions::{ContentRead, Numbered};
use crate::circuit::{Circuit, Lowered};
use rustc_hash::FxHashSet;
use term::{Assignment, Op, Pool, Scratch, Tape, Term};

/// Conditions with more terms are left to the value-based transformation.
const MOST_TERMS: usize = 4096;

/// Is a read looked at as a whole, or is its index looked into?
type IsRead = fn(&Pool, ContentRead) -> bool;

/// Where the walk down from a condition stops: at reads whose indices read nothing, so that nested reads go as well; or else
/// at the first reads that it meets.
const STOPS: [IsRead; 2] = [|pool, read| !pool.has_array(read.base), |_, _| true];

/// A condition on reads at one index as a condition on that index. Unknown if it depends on anything else.
pub(super) fn by_index(
    circuit: &mut Circuit,
    pool: &Pool,
    condition: Term,
    work: &mut Vec<Term>,
) -> Lowered {
    if pool.has_float(condition) || pool.has_int(condition) {
        return Lowered::Unknown;
    }
    for stop in STOPS {
        let Some((terms, reads)) = reads(pool, condition, stop) else {
            continue;
        };
        let Some(index) = Numbered::of(circuit, pool, reads[0].base, work) else {
            return Lowered::Later;
        };
        let Some(positions) = index.positions(pool, &reads) else {
            continue;
        };
        let tape = Tape::over(pool, &[condition], &terms);
        let (mut scratch, nothing) = (Scratch::new(), Assignment::new());
        let mut holds = |byte: &dyn Fn(&ContentRead) -> u8| {
            for (input, read) in reads.iter().enumerate() {
                tape.set(&mut scratch, input, byte(read).into());
            }
            tape.run(&nothing, &mut scratch);
            tape.value(&scratch, 0) & 1
        };
        let outside = holds(&|_| 0);
        let truth: Vec<(u64, u64)> = positions
            .iter()
            .map(|&(number, value)| (number, holds(&|read| read.byte(pool, value))))
            .collect();
        return Lowered::Bits(index.choice(circuit, &truth, outside, 1));
    }
    Lowered::Unknown
}

/// The reads that a condition is made of, if these are at one index and all other leaves are constants.
fn reads(pool: &Pool, condition: Term, stop: IsRead) -> Option<(Vec<Term>, Vec<ContentRead>)> {
    let (mut terms, mut reads): (Vec<Term>, Vec<ContentRead>) = (Vec::new(), Vec::new());
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack = vec![condition];
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        if seen.len() > MOST_TERMS || pool.op(t) == Op::Symbol {
            return None;
        }
        match ContentRead::of(pool, t).filter(|&read| stop(pool, read)) {
            Some(read) => {
                if reads.first().is_some_and(|first| first.base != read.base) {
                    return None;
                }
                terms.push(t);
                reads.push(read);
            }
            None => stack.extend_from_slice(pool.children(t)),
        }
    }
    (!reads.is_empty()).then_some((terms, reads))
}
