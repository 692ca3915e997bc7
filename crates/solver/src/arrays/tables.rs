//! Elements of constant content at the indices `lo, lo + step, … hi`, which intervals and types leave to a read.

use crate::circuit::circuits::Bits;
use crate::sat::Lit;
use rustc_hash::FxHashMap;

/// Fewer elements are always a tree.
const FEW: u64 = 32;

/// Longer progressions are not given together.
pub(super) const LARGEST: u64 = 1 << 14;

/// `lo, lo + step, … ` up to `hi`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Progression {
    pub lo: u64,
    pub hi: u64,
    /// A power of two.
    pub step: u64,
}

impl Progression {
    /// The indices in a window that known low bits of the index leave.
    pub fn of(index: &Bits, (lo, hi): (u64, u64)) -> Progression {
        let (step, residue) = known_residue(index);
        let lo = lo.saturating_add(residue.wrapping_sub(lo) & (step - 1));
        Progression { lo, hi, step }
    }

    /// How many there are below a length.
    pub fn count(self, length: u64) -> u64 {
        match self.hi.min(length.wrapping_sub(1)).checked_sub(self.lo) {
            Some(far) if length > 0 => far / self.step + 1,
            _ => 0,
        }
    }

    /// Does it have all that the other one has?
    pub(super) fn covers(self, other: Progression) -> bool {
        self.lo <= other.lo
            && self.hi >= other.hi
            && other.step.is_multiple_of(self.step)
            && (other.lo - self.lo).is_multiple_of(self.step)
    }

    /// One that covers both.
    pub(super) fn hull(self, other: Progression) -> Progression {
        let step = self.step.min(other.step);
        let apart = self.lo.abs_diff(other.lo) & (step - 1);
        Progression {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            // What divides the step and the distance.
            step: if apart == 0 {
                step
            } else {
                1 << apart.trailing_zeros()
            },
        }
    }
}

/// The residue of an index that its known low bits imply: it is `residue` modulo `step`.
pub(super) fn known_residue(index: &Bits) -> (u64, u64) {
    let known = index.iter().take(32).take_while(|l| l.is_const()).count();
    let residue = (0..known).map(|i| u64::from(index[i] == Lit::TRUE) << i);
    (1 << known, residue.sum())
}

/// Is a multiplexer tree over these elements larger than the elements one by one? In literals of clauses: a
/// gate of the tree has 18; an element 16, and a share of its index's gate.
pub(super) fn is_random(content: &[u8], elements: Progression) -> bool {
    let count = elements.count(content.len() as u64);
    if count < FEW {
        return false; // a round of refinement costs more than the tree
    }
    let gates = multiplexers(content, elements);
    gates as u64 * 9 > count * 10
}

/// Gates of the tree: the nodes of the reduced decision diagrams of the eight bits that decide between two
/// that are not constant.
fn multiplexers(content: &[u8], elements: Progression) -> usize {
    let count = elements.count(content.len() as u64);
    let Some(far) = count.checked_sub(1) else {
        return 0;
    };
    let last = elements.lo + far * elements.step;
    let differing = 64 - (elements.lo ^ last).leading_zeros();
    let size = 1usize << differing.saturating_sub(elements.step.trailing_zeros());
    if size as u64 > 2 * LARGEST {
        return 0;
    }
    let mut levels: Vec<u32> = Vec::with_capacity(8 * size);
    let first = elements.lo & !((1u64 << differing) - 1) | elements.lo & (elements.step - 1);
    for bit in 0..8 {
        for k in 0..size as u64 {
            let at = (first + k * elements.step).clamp(elements.lo, last);
            levels.push(u32::from(content[at as usize] >> bit & 1));
        }
    }
    let mut gates = 0;
    let mut width = size;
    let mut next = 2u32;
    while width > 1 {
        let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        levels = levels
            .chunks_exact(2)
            .map(|pair| {
                if pair[0] == pair[1] {
                    return pair[0];
                }
                *ids.entry((pair[0], pair[1])).or_insert_with(|| {
                    // The bit itself and its complement are no gates.
                    gates += usize::from(pair[0] > 1 || pair[1] > 1);
                    next += 1;
                    next
                })
            })
            .collect();
        width /= 2;
    }
    gates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_is_a_tree_and_what_does_not_is_given_one_by_one() {
        let all = Progression {
            lo: 0,
            hi: u64::MAX,
            step: 1,
        };
        let letters: Vec<u8> = (0..=255u8)
            .map(|c| c.is_ascii_alphabetic().into())
            .collect();
        assert!(!is_random(&letters, all));
        let count: Vec<u8> = (0..=255).collect();
        assert_eq!(multiplexers(&count, all), 0, "the index itself");
        let mut x = 1u32;
        let noise: Vec<u8> = (0..1024)
            .map(|_| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 24) as u8
            })
            .collect();
        assert!(is_random(&noise, all));
        let narrow = Progression {
            lo: 1000,
            hi: 1001,
            step: 1,
        };
        assert!(!is_random(&noise, narrow));
        for (lo, hi, step) in [(0, 3, 1), (1022, 5000, 4), (5000, 6000, 1), (3, 3, 8)] {
            let _ = is_random(&noise, Progression { lo, hi, step });
            assert!(!is_random(&[], Progression { lo, hi, step }));
        }
    }

    #[test]
    fn hulls_cover_both() {
        let all: Vec<Progression> = [(0, 9, 1), (4, 40, 4), (6, 10, 2), (5, 33, 4), (8, 8, 8)]
            .map(|(lo, hi, step)| Progression { lo, hi, step })
            .into();
        for &a in &all {
            for &b in &all {
                let hull = a.hull(b);
                assert!(hull.covers(a) && hull.covers(b), "{a:?} {b:?} {hull:?}");
            }
        }
        assert!(!all[1].covers(all[3]), "another residue");
        assert_eq!(all[1].count(41), 10);
        assert_eq!(all[1].count(4), 0);
        assert_eq!(all[1].count(0), 0);
    }
}
