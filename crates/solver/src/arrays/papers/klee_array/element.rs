//! The value-based transformation, for elements of several bytes.

use super::positions::{ContentRead, Numbered};
use crate::circuit::{Circuit, Lowered};
use term::{Op, Pool, Term};

/// Bytes of the largest element.
const LARGEST: usize = 8;

/// Consecutive bytes of a constant array as a choice between its distinct elements, if no two of them overlap. Unknown if the
/// term is something else, or a byte that may be any.
pub(super) fn by_value(
    circuit: &mut Circuit,
    pool: &Pool,
    t: Term,
    work: &mut Vec<Term>,
) -> Lowered {
    let Some(bytes) = consecutive(pool, t) else {
        return Lowered::Unknown;
    };
    let Some(index) = Numbered::of(circuit, pool, bytes[0].base, work) else {
        return Lowered::Later;
    };
    if index.stride == 1 || index.stride < bytes.len() as i128 {
        return Lowered::Unknown;
    }
    let Some(positions) = index.positions(pool, &bytes) else {
        return Lowered::Unknown;
    };
    let element = |value: u64| {
        let bytes = bytes.iter().rev().map(|read| read.byte(pool, value));
        bytes.fold(0, |bits, byte| bits << 8 | u64::from(byte))
    };
    let elements: Vec<(u64, u64)> = positions
        .iter()
        .map(|&(number, value)| (number, element(value)))
        .collect();
    Lowered::Bits(index.choice(circuit, &elements, 0, 8 * bytes.len()))
}

/// The reads of which a term is the concatenation, lowest first, if they are of consecutive bytes of one array.
fn consecutive(pool: &Pool, t: Term) -> Option<Vec<ContentRead>> {
    let mut bytes: Vec<ContentRead> = Vec::new();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if pool.op(t) == Op::Concat {
            stack.extend_from_slice(pool.children(t));
            continue;
        }
        let read = ContentRead::of(pool, t)?;
        if let Some(below) = bytes.last() {
            let follows = read.distance == below.distance.wrapping_add(1);
            if !follows || (read.array, read.base) != (below.array, below.base) {
                return None;
            }
        }
        bytes.push(read);
        if bytes.len() > LARGEST {
            return None;
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}
