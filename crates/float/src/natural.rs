//! Natural numbers as the values of bit-vectors.

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive, Zero};

/// Natural numbers of up to [`Natural::MAX_WIDTH`] bits.
pub trait Natural: Clone + Ord + std::fmt::Debug {
    /// The widest number, in bits.
    const MAX_WIDTH: u32;

    /// A small number.
    fn from_u128(value: u128) -> Self;
    /// The number, if it has at most 128 bits.
    fn to_u128(&self) -> Option<u128>;
    /// The position of the highest bit that is set, counted from 1; 0 for 0.
    fn length(&self) -> u32;
    /// The `width` low bits.
    fn low(self, width: u32) -> Self;
    /// The number without its `by` low bits.
    fn right(&self, by: u32) -> Self;
    /// The low `width` bits of the number shifted left.
    fn left(&self, by: u32, width: u32) -> Self;
    /// Bitwise or.
    fn or(&self, other: &Self) -> Self;
    /// The low `width` bits of the sum of two numbers that have no more.
    fn plus(&self, other: &Self, width: u32) -> Self;
    /// The low `width` bits of the difference of two numbers that have no more.
    fn minus(&self, other: &Self, width: u32) -> Self;
    /// The low `width` bits of the product of two numbers that have no more.
    fn times(&self, other: &Self, width: u32) -> Self;
    /// Quotient and remainder by a number other than 0.
    fn divided(&self, by: &Self) -> (Self, Self);
}

/// The `width` low bits set, `1 <= width <= 128`.
pub(crate) const fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl Natural for u128 {
    const MAX_WIDTH: u32 = 128;

    #[inline(always)]
    fn from_u128(value: u128) -> u128 {
        value
    }
    #[inline(always)]
    fn to_u128(&self) -> Option<u128> {
        Some(*self)
    }
    #[inline(always)]
    fn length(&self) -> u32 {
        128 - self.leading_zeros()
    }
    #[inline(always)]
    fn low(self, width: u32) -> u128 {
        self & mask(width)
    }
    #[inline(always)]
    fn right(&self, by: u32) -> u128 {
        self.checked_shr(by).unwrap_or(0)
    }
    #[inline(always)]
    fn left(&self, by: u32, width: u32) -> u128 {
        self.checked_shl(by).unwrap_or(0) & mask(width)
    }
    #[inline(always)]
    fn or(&self, other: &u128) -> u128 {
        self | other
    }
    #[inline(always)]
    fn plus(&self, other: &u128, width: u32) -> u128 {
        self.wrapping_add(*other) & mask(width)
    }
    #[inline(always)]
    fn minus(&self, other: &u128, width: u32) -> u128 {
        self.wrapping_sub(*other) & mask(width)
    }
    #[inline(always)]
    fn times(&self, other: &u128, width: u32) -> u128 {
        self.wrapping_mul(*other) & mask(width)
    }
    #[inline(always)]
    fn divided(&self, by: &u128) -> (u128, u128) {
        match (u64::try_from(*self), u64::try_from(*by)) {
            (Ok(a), Ok(b)) => ((a / b).into(), (a % b).into()),
            _ => (self / by, self % by),
        }
    }
}

impl Natural for BigUint {
    const MAX_WIDTH: u32 = u32::MAX;

    fn from_u128(value: u128) -> BigUint {
        value.into()
    }
    fn to_u128(&self) -> Option<u128> {
        ToPrimitive::to_u128(self)
    }
    fn length(&self) -> u32 {
        self.bits() as u32
    }
    fn low(self, width: u32) -> BigUint {
        if self.length() <= width {
            return self;
        }
        self & ((BigUint::one() << width) - 1u32)
    }
    fn right(&self, by: u32) -> BigUint {
        self >> by
    }
    fn left(&self, by: u32, width: u32) -> BigUint {
        if by >= width {
            return BigUint::zero();
        }
        Natural::low(self << by, width)
    }
    fn or(&self, other: &BigUint) -> BigUint {
        self | other
    }
    fn plus(&self, other: &BigUint, width: u32) -> BigUint {
        Natural::low(self + other, width)
    }
    fn minus(&self, other: &BigUint, width: u32) -> BigUint {
        if self >= other {
            return self - other;
        }
        (BigUint::one() << width) + self - other
    }
    fn times(&self, other: &BigUint, width: u32) -> BigUint {
        Natural::low(self * other, width)
    }
    fn divided(&self, by: &BigUint) -> (BigUint, BigUint) {
        self.div_rem(by)
    }
}
