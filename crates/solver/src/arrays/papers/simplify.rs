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
    let mut runs = RunsByValue::default();
    let mut start = 0;
    for i in 1..=bytes.len() {
        if i == bytes.len() || bytes[i] != bytes[start] {
            let run = (start as u64, i as u64 - 1);
            runs.entry(bytes[start].into()).or_default().push(run);
            start = i;
        }
    }
    // Past the end everything is zero.
    if (bytes.len() as u64) < term::mask(index.len() as u32) {
        runs.entry(0)
            .or_default()
            .push((bytes.len() as u64, u64::MAX));
    }
    Ok(choice(circuit, runs, index, elem))
}

/// Inclusive ranges of an index, by the value that is read there; together they are all indices.
pub(super) type RunsByValue = FxHashMap<u64, Vec<(u64, u64)>>;

/// A choice between values: each where the index is in one of its runs, the one with the most runs where no other is.
pub(super) fn choice(circuit: &mut Circuit, runs: RunsByValue, index: &Bits, width: usize) -> Bits {
    let mut runs: Vec<(u64, Vec<(u64, u64)>)> = runs.into_iter().collect();
    runs.sort_unstable_by(|(v, a), (w, b)| (b.len(), v).cmp(&(a.len(), w)));
    let mut runs = runs.into_iter();
    let Some((common, _)) = runs.next() else {
        return constant(width, 0);
    };
    let mut result = constant(width, common);
    for (value, runs) in runs {
        let within: Vec<Lit> = runs
            .iter()
            .map(|&(first, last)| is_between(circuit, index, first, last))
            .collect();
        let any = circuit.aig.or_all(within);
        let value = constant(width, value);
        result = circuit.aig.choose(any, &value, &result);
    }
    result
}
