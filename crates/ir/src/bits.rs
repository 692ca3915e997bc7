//! The low bits of a register: an integer narrower than 64 bits has the bits above its width zero.

/// The low `width` bits set, `1 <= width <= 64`.
#[inline(always)]
pub fn mask(width: impl Into<u32>) -> u64 {
    u64::MAX >> ((64 - width.into()) & 63)
}

/// `value`, `width` bits wide, as a signed number; `1 <= width <= 64`.
#[inline(always)]
pub fn signed(width: impl Into<u32>, value: u64) -> i64 {
    let shift = (64 - width.into()) & 63;
    ((value << shift) as i64) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_widths_have_their_masks_and_signs() {
        for width in 1..=64u32 {
            assert_eq!(mask(width).count_ones(), width);
            assert_eq!(mask(width).trailing_ones(), width);
            assert_eq!(signed(width, mask(width)), -1);
            assert_eq!(signed(width, mask(width) >> 1), (mask(width) >> 1) as i64);
        }
    }
}
