//! Sets of small numbers that are cheap to copy: states share them until one adds something.

use std::rc::Rc;

/// A set of numbers.
#[derive(Clone, Debug, Default)]
pub struct BitSet(Rc<Vec<u64>>);

impl BitSet {
    /// Adds a number.
    pub fn insert(&mut self, n: u32) {
        if self.contains(n) {
            return;
        }
        let words = Rc::make_mut(&mut self.0);
        let at = n as usize / 64;
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        words[at] |= 1 << (n % 64);
    }

    /// Is the number in it?
    pub fn contains(&self, n: u32) -> bool {
        let word = self.0.get(n as usize / 64);
        word.is_some_and(|w| w >> (n % 64) & 1 != 0)
    }

    /// The numbers, 64 to a word, the smallest in the lowest bit of the first.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().zip(0..).flat_map(|(&word, at)| {
            let rest = |w: &u64| Some(w & (w - 1)).filter(|&w| w != 0);
            let words = std::iter::successors(Some(word).filter(|&w| w != 0), rest);
            words.map(move |w| at * 64 + w.trailing_zeros())
        })
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }

    /// How many of them are not in the other set.
    pub fn count_without(&self, other: &BitSet) -> u32 {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        let words = self.0.iter().zip(others);
        words.map(|(w, o)| (w & !o).count_ones()).sum()
    }

    /// Are all of them in the other set?
    pub fn is_subset(&self, other: &BitSet) -> bool {
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        self.0.iter().zip(others).all(|(w, o)| w & !o == 0)
    }

    /// Adds those of the other set.
    pub fn add(&mut self, other: &BitSet) {
        let words = Rc::make_mut(&mut self.0);
        if words.len() < other.0.len() {
            words.resize(other.0.len(), 0);
        }
        for (w, o) in words.iter_mut().zip(&*other.0) {
            *w |= o;
        }
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(&self, other: &BitSet) -> BitSet {
        let both = self.0.iter().zip(&*other.0).map(|(a, b)| a & b);
        BitSet(Rc::new(both.collect()))
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        numbers.into_iter().for_each(|n| set.insert(n));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn they_are_sets() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..200 {
            let mut draw = || -> BTreeSet<u32> {
                let n = rng.usize(..40);
                (0..n).map(|_| rng.usize(..300) as u32).collect()
            };
            let (a, b) = (draw(), draw());
            let (x, y): (BitSet, BitSet) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            assert!(x.iter().eq(a.iter().copied()));
            assert_eq!(x.len() as usize, a.len());
            assert_eq!(x.is_empty(), a.is_empty());
            assert_eq!(x.is_subset(&y), a.is_subset(&b));
            assert_eq!(x.count_without(&y) as usize, a.difference(&b).count());
            assert!(x.and(&y).iter().eq(a.intersection(&b).copied()));
            let mut both = x.clone();
            both.add(&y);
            assert!(both.iter().eq(a.union(&b).copied()));
            assert!(x.iter().eq(a.iter().copied()), "a copy changes by itself");
        }
    }
}
