//! Weighted sampling in O(log n): a complete binary tree of partial sums over slots.
//!
//! Each inner node is recomputed from its children on an update, so rounding errors do not
//! accumulate however long the run is; a slot of weight 0 is never drawn.

use fastrand::Rng;

#[derive(Clone, Debug, Default)]
pub(crate) struct SumTree {
    /// `sums[1]` is the root, `sums[capacity + i]` is slot `i`.
    sums: Vec<f64>,
    capacity: usize,
    pub operations: u64,
}

impl SumTree {
    /// The weight of a slot; 0 for one never set.
    pub fn get(&self, slot: usize) -> f64 {
        if slot < self.capacity {
            self.sums[self.capacity + slot]
        } else {
            0.0
        }
    }

    /// Sets a slot's weight, which must be finite and not negative.
    pub fn set(&mut self, slot: usize, weight: f64) {
        debug_assert!(weight.is_finite() && weight >= 0.0);
        if slot >= self.capacity {
            self.grow(slot + 1);
        }
        let mut i = self.capacity + slot;
        self.sums[i] = weight;
        while i > 1 {
            i /= 2;
            self.operations += 1;
            self.sums[i] = self.sums[2 * i] + self.sums[2 * i + 1];
        }
    }

    /// Slots with a positive weight, by slot.
    pub fn weights(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let leaves = self.sums.iter().skip(self.capacity).copied().enumerate();
        leaves.filter(|(_, weight)| *weight > 0.0)
    }

    fn grow(&mut self, slots: usize) {
        let capacity = slots.next_power_of_two().max(16);
        let mut sums = vec![0.0; 2 * capacity];
        if self.capacity > 0 {
            sums[capacity..capacity + self.capacity].copy_from_slice(&self.sums[self.capacity..]);
        }
        for i in (1..capacity).rev() {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
        // Amortised by the doubling, therefore not counted.
        (self.sums, self.capacity) = (sums, capacity);
    }

    /// The sum of all weights.
    #[cfg(test)]
    pub fn total(&self) -> f64 {
        if self.capacity == 0 {
            0.0
        } else {
            self.sums[1]
        }
    }

    /// A slot drawn by weight; `None` when all weights are 0.
    pub fn sample(&mut self, rng: &mut Rng) -> Option<usize> {
        if self.capacity == 0 || self.sums[1] <= 0.0 {
            return None;
        }
        let mut i = 1;
        let mut r = rng.f64() * self.sums[1];
        while i < self.capacity {
            self.operations += 1;
            let (left, right) = (self.sums[2 * i], self.sums[2 * i + 1]);
            // Rounding may push `r` to the edge: never enter an empty side.
            if right <= 0.0 || (left > 0.0 && r < left) {
                i *= 2;
            } else {
                r -= left;
                i = 2 * i + 1;
            }
        }
        Some(i - self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_by_weight_and_never_an_empty_slot() {
        let (mut t, mut rng) = (SumTree::default(), Rng::with_seed(3));
        assert_eq!(t.sample(&mut rng), None);
        for (slot, w) in [(0, 1.0), (3, 3.0), (40, 6.0), (41, 0.0)] {
            t.set(slot, w);
        }
        t.set(0, 0.0);
        let mut seen = [0u32; 64];
        for _ in 0..9000 {
            seen[t.sample(&mut rng).unwrap()] += 1;
        }
        assert_eq!(seen[3] + seen[40], 9000);
        assert!((2700..3300).contains(&seen[3]), "{}", seen[3]);
        assert_eq!(t.total(), 9.0);
        t.set(3, 0.0);
        t.set(40, 0.0);
        assert_eq!(t.sample(&mut rng), None);
    }

    #[test]
    fn tiny_weights_beside_huge_ones_do_not_break_it() {
        let (mut t, mut rng) = (SumTree::default(), Rng::with_seed(3));
        t.set(0, 1e-280);
        t.set(1, 1e280);
        assert_eq!(t.sample(&mut rng), Some(1));
        t.set(1, 0.0);
        assert_eq!(t.sample(&mut rng), Some(0));
    }
}
