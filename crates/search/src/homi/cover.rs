//! Set cover: few sets that hold everything that all of them hold (section 3.2.1 of the paper).

use super::bits::BitSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Greedy set cover: the set that adds most is taken until nothing is added, the earliest of equal ones. The indices of
/// the sets, in the order in which they were taken.
///
/// What a set adds only gets less as others are taken, so it is counted anew only when the set would be next.
pub fn greedy<'a>(sets: impl Iterator<Item = &'a BitSet>) -> Vec<usize> {
    greedy_beyond(&mut BitSet::default(), sets, usize::MAX)
}

/// The same where some numbers are covered already, to which those of the sets are added, and for so many sets at most.
pub fn greedy_beyond<'a>(
    covered: &mut BitSet,
    sets: impl Iterator<Item = &'a BitSet>,
    most: usize,
) -> Vec<usize> {
    let sets: Vec<&BitSet> = sets.collect();
    let all = sets.iter().enumerate();
    let all = all.map(|(i, set)| (set.count_without(covered), Reverse(i)));
    let mut heap: BinaryHeap<(u32, Reverse<usize>)> = all.filter(|(adds, _)| *adds > 0).collect();
    let mut taken = Vec::new();
    while taken.len() < most
        && let Some((promised, Reverse(i))) = heap.pop()
    {
        let adds = sets[i].count_without(covered);
        if adds == 0 {
            continue;
        }
        if adds < promised {
            heap.push((adds, Reverse(i)));
            continue;
        }
        covered.add(sets[i]);
        taken.push(i);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The number of sets in a smallest cover, by trying all.
    fn smallest(sets: &[BitSet]) -> usize {
        let mut all = BitSet::default();
        sets.iter().for_each(|s| all.add(s));
        let covers = |choice: u32| {
            let mut some = BitSet::default();
            let chosen = (0..sets.len()).filter(|i| choice >> i & 1 != 0);
            chosen.for_each(|i| some.add(&sets[i]));
            all.is_subset(&some)
        };
        let choices = (0..1u32 << sets.len()).filter(|&c| covers(c));
        let sizes = choices.map(|c| c.count_ones() as usize);
        sizes.min().expect("all of them are a cover")
    }

    /// Greedy set cover as it is defined.
    fn plain(sets: &[BitSet]) -> Vec<usize> {
        let (mut covered, mut taken) = (BitSet::default(), Vec::new());
        loop {
            let adds = |i: &usize| (sets[*i].count_without(&covered), Reverse(*i));
            let Some(best) = (0..sets.len()).max_by_key(adds) else {
                return taken;
            };
            if sets[best].count_without(&covered) == 0 {
                return taken;
            }
            covered.add(&sets[best]);
            taken.push(best);
        }
    }

    #[test]
    fn what_is_covered_already_does_not_count_and_the_limit_holds() {
        let sets: [BitSet; 4] = [
            [1, 2, 3].into_iter().collect(),
            [4].into_iter().collect(),
            [5, 6].into_iter().collect(),
            [6, 7, 8].into_iter().collect(),
        ];
        let mut covered: BitSet = [1, 2, 3].into_iter().collect();
        assert_eq!(greedy_beyond(&mut covered, sets.iter(), 2), [3, 1]);
        assert_eq!(covered.iter().collect::<Vec<_>>(), [1, 2, 3, 4, 6, 7, 8]);
        assert_eq!(greedy_beyond(&mut covered, sets.iter(), 2), [2]);
    }

    #[test]
    fn a_cover_is_whole_and_within_the_bound_of_the_greedy_algorithm() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..300 {
            let (count, universe) = (rng.usize(..10), 1 + rng.usize(..20));
            let mut set = || -> BitSet {
                let n = rng.usize(..8);
                (0..n).map(|_| rng.usize(..universe) as u32).collect()
            };
            let sets: Vec<BitSet> = (0..count).map(|_| set()).collect();
            let taken = greedy(sets.iter());
            assert_eq!(taken, plain(&sets));
            let (mut all, mut some) = (BitSet::default(), BitSet::default());
            sets.iter().for_each(|s| all.add(s));
            taken.iter().for_each(|&i| some.add(&sets[i]));
            assert!(all.is_subset(&some));
            // Harmonic number of the largest set, times the optimum (Chvátal 1979).
            let largest = sets.iter().map(BitSet::len).max().unwrap_or(0);
            let bound: f64 = (1..=largest).map(|k| 1.0 / f64::from(k)).sum();
            let optimum = smallest(&sets);
            assert!(taken.len() as f64 <= bound * optimum as f64 + 1e-9);
            assert!(taken.len() >= optimum);
        }
    }
}
