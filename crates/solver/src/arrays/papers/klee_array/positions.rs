//! Reads of constant arrays at a common index, and the values of the index that meet an element.

use super::super::super::scaled::Scaled;
use super::super::super::tables::known_residue;
use super::super::simplify::{RunsByValue, choice};
use crate::circuit::Circuit;
use crate::circuit::circuits::Bits;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Term, mask};

/// Arrays with more elements together are left to the reads of single bytes.
const MOST: usize = 1 << 16;

/// A read of constant content at `base + distance`.
#[derive(Clone, Copy)]
pub(super) struct ContentRead {
    pub array: Term,
    pub base: Term,
    pub distance: u64,
}

impl ContentRead {
    /// The read that a term is.
    pub fn of(pool: &Pool, t: Term) -> Option<ContentRead> {
        if pool.op(t) != Op::Select || pool.op(pool.child(t, 0)) != Op::ArrayBytes {
            return None;
        }
        let (array, index) = (pool.child(t, 0), pool.child(t, 1));
        let (mut base, mut distance) = (index, 0);
        if pool.op(index) == Op::Add {
            let kids = [pool.child(index, 0), pool.child(index, 1)];
            match kids.map(|kid| pool.as_const(kid)) {
                [Some(by), None] => (base, distance) = (kids[1], by),
                [None, Some(by)] => (base, distance) = (kids[0], by),
                _ => {}
            }
        }
        Some(ContentRead {
            array,
            base,
            distance,
        })
    }

    /// The byte that is read where the base has a value.
    pub fn byte(&self, pool: &Pool, base: u64) -> u8 {
        let at = usize::try_from(base.wrapping_add(self.distance)).ok();
        let byte = at.and_then(|at| pool.array_content(self.array).get(at));
        byte.copied().unwrap_or(0)
    }
}

/// An index with its possible values numbered: it is `stride * k + offset`.
pub(super) struct Numbered {
    /// The bits of `k`.
    bits: Bits,
    pub stride: i128,
    offset: i128,
}

impl Numbered {
    /// Numbers the values of an index; `None` if a term, now on `work`, needs bits first.
    pub fn of(
        circuit: &Circuit,
        pool: &Pool,
        index: Term,
        work: &mut Vec<Term>,
    ) -> Option<Numbered> {
        if let Some(scaled) = Scaled::of(pool, index, (0, u64::MAX)) {
            return Some(Numbered {
                bits: circuit.wanted(scaled.inner, work)?,
                stride: scaled.scale.stride,
                offset: scaled.scale.offset,
            });
        }
        let bits = circuit.wanted(index, work)?;
        let (step, residue) = known_residue(&bits);
        Some(Numbered {
            bits: bits[step.trailing_zeros() as usize..].to_vec(),
            stride: step.into(),
            offset: residue.into(),
        })
    }

    /// The greatest number.
    fn last(&self) -> u64 {
        mask(self.bits.len() as u32)
    }

    /// The number of a value, if the index can have it.
    fn number(&self, value: u64) -> Option<u64> {
        let far = i128::from(value) - self.offset;
        let is_met = far >= 0 && far % self.stride == 0;
        let number = u64::try_from(far / self.stride).ok().filter(|_| is_met)?;
        (number <= self.last()).then_some(number)
    }

    /// The values of the index, with their numbers and ascending, at which one of the reads meets an element; `None` if these
    /// are too many.
    pub fn positions(&self, pool: &Pool, reads: &[ContentRead]) -> Option<Vec<(u64, u64)>> {
        let lengths = reads.iter().map(|r| pool.array_content(r.array).len());
        if lengths.sum::<usize>() > MOST {
            return None;
        }
        let mut positions = Vec::new();
        for read in reads {
            let (low, high) = pool.interval(read.base);
            for at in 0..pool.array_content(read.array).len() as u64 {
                let value = at.wrapping_sub(read.distance);
                if (low..=high).contains(&value)
                    && let Some(number) = self.number(value)
                {
                    positions.push((number, value));
                }
            }
        }
        positions.sort_unstable();
        positions.dedup();
        Some(positions)
    }

    /// The choice between the values at these numbers (ascending); at all others there is the value `outside`.
    pub fn choice(
        &self,
        circuit: &mut Circuit,
        values: &[(u64, u64)],
        outside: u64,
        width: usize,
    ) -> Bits {
        let mut by_value: RunsByValue = FxHashMap::default();
        for (value, first, last) in runs(values, outside, self.last()) {
            by_value.entry(value).or_default().push((first, last));
        }
        choice(circuit, by_value, &self.bits, width)
    }
}

/// The maximal runs of one value over the numbers up to `last`: value, first and last number.
fn runs(values: &[(u64, u64)], outside: u64, last: u64) -> Vec<(u64, u64, u64)> {
    let mut runs: Vec<(u64, u64, u64)> = Vec::new();
    let mut go_on = |value: u64, from: u64, to: u64| match runs.last_mut() {
        Some((of, _, end)) if *of == value => *end = to,
        _ => runs.push((value, from, to)),
    };
    let mut next = Some(0);
    for &(number, value) in values {
        if let Some(from) = next.filter(|&from| from < number) {
            go_on(outside, from, number - 1);
        }
        go_on(value, number, number);
        next = number.checked_add(1).filter(|&next| next <= last);
    }
    if let Some(from) = next {
        go_on(outside, from, last);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal_and_cover_every_number() {
        let values = [(2, 7), (3, 7), (4, 0), (9, 5)];
        let expected = [(0, 0, 1), (7, 2, 3), (0, 4, 8), (5, 9, 9), (0, 10, 15)];
        assert_eq!(runs(&values, 0, 15), expected);
        assert_eq!(runs(&[(0, 1), (1, 1)], 1, u64::MAX), [(1, 0, u64::MAX)]);
        assert_eq!(runs(&[(u64::MAX, 3)], 4, u64::MAX)[1].0, 3);
        assert_eq!(runs(&[], 4, 1), [(4, 0, 1)]);
    }
}
