//! KLEE's original encoding of constant arrays.

use super::super::read::is_at;
use crate::circuit::Circuit;
use crate::circuit::circuits::{Bits, constant};
use crate::query::Why;

/// Comparisons that one read may cost.
const MAX_COMPARISONS: usize = 1 << 20;

/// The flushing encoding (vanilla KLEE): the array is a chain of writes over all elements, so a
/// read is one comparison and choice for each.
pub(super) fn flushed(
    circuit: &mut Circuit,
    bytes: &[u8],
    index: &Bits,
    elem: usize,
) -> Result<Bits, Why> {
    if bytes.len() > MAX_COMPARISONS {
        return Err(Why::TooLarge);
    }
    let mut result = constant(elem, 0);
    for (i, &byte) in bytes.iter().enumerate() {
        let same = is_at(circuit, index, i as u64);
        let value = constant(elem, byte as u64);
        result = circuit.aig.choose(same, &value, &result);
    }
    Ok(result)
}
