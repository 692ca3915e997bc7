//! Random numbers for generated inputs: a seed always gives the same ones.

/// The generator splitmix64 (Steele et al., OOPSLA 2014). Its sequences never change: the generated instances that the
/// pages of experiments speak of are made of them.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound above 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.bits() >> 32) as u32 % bound
    }

    /// One of a list that is not empty.
    pub fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u32) as usize]
    }
}
