//! Constant arrays as choices between their distinct values, after KLEE-Array.

use super::super::read::is_between;
use crate::circuit::Circuit;
use crate::circuit::circuits::{Bits, constant};
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::FxHashMap;

/// Merges repeated values (Perry, Mattavelli, Zhang and Cadar, "Accelerating array constraints in symbolic execution",
/// ISSTA 2017): a choice between the distinct values, each under the condition that the index is in one of its runs;
/// the most frequent value is the default.
pub(super) fn merged(
    circuit: &mut Circuit,
    bytes: &[u8],
    index: &Bits,
    elem: usize,
) -> Result<Bits, Why> {
    let mut runs: FxHashMap<u8, Vec<(u64, u64)>> = FxHashMap::default();
    let mut start = 0;
    for i in 1..=bytes.len() {
        if i == bytes.len() || bytes[i] != bytes[start] {
            let run = (start as u64, i as u64 - 1);
            runs.entry(bytes[start]).or_default().push(run);
            start = i;
        }
    }
    // Past the end everything is zero.
    if (bytes.len() as u64) < term::mask(index.len() as u32) {
        runs.entry(0)
            .or_default()
            .push((bytes.len() as u64, u64::MAX));
    }
    let mut runs: Vec<(u8, Vec<(u64, u64)>)> = runs.into_iter().collect();
    runs.sort_unstable_by(|(v, a), (w, b)| (b.len(), v).cmp(&(a.len(), w)));
    let mut runs = runs.into_iter();
    let Some((common, _)) = runs.next() else {
        return Ok(constant(elem, 0));
    };
    let mut result = constant(elem, common as u64);
    for (value, runs) in runs {
        let within: Vec<Lit> = runs
            .iter()
            .map(|&(first, last)| is_between(circuit, index, first, last))
            .collect();
        let any = circuit.aig.or_all(within);
        let value = constant(elem, value as u64);
        result = circuit.aig.choose(any, &value, &result);
    }
    Ok(result)
}
