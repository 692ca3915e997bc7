//! Random numbers for generated tests.

/// The generator xorshift64* (Vigna, 2016). Its sequences never change: a seed that a failing test prints, or that a
/// regression test names, keeps its meaning.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Neighboring seeds give unrelated sequences.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 64 random bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        let bits = self.next();
        // The upper bits are the better ones.
        let bits = if n >> 31 == 0 { bits >> 33 } else { bits };
        bits % n
    }

    /// An index of a list with `n` members.
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// One of the items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())].clone()
    }

    /// Whether something happens that happens so many times of a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn sequences_stay_what_they_were() {
        let mut random = Random::new(1);
        let first = [random.next(), random.next(), random.below(1000)];
        assert_eq!(
            first,
            [973_819_730_272_012_410, 6_108_091_081_255_984_487, 273]
        );
    }

    #[test]
    fn every_value_of_a_small_range_comes() {
        let mut random = Random::new(7);
        let mut seen = [false; 7];
        for _ in 0..200 {
            seen[(random.range(-3, 3) + 3) as usize] = true;
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!((0..50).filter(|_| random.chance(100)).count(), 50);
        assert_eq!((0..50).filter(|_| random.chance(0)).count(), 0);
    }
}
