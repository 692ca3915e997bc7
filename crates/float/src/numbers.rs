//! The logic of numbers: every bit-vector is a known value.

use crate::logic::Logic;
use crate::natural::Natural;
use std::marker::PhantomData;

/// The logic whose bit-vectors are numbers: `Numbers<u128>` for those of up to 128 bits, `Numbers<BigUint>` for all.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<N>(PhantomData<N>);

impl<N> Numbers<N> {
    /// The logic.
    pub const fn new() -> Numbers<N> {
        Numbers(PhantomData)
    }
}

impl<N> Default for Numbers<N> {
    fn default() -> Numbers<N> {
        Numbers::new()
    }
}

/// A number and the width of the bit-vector that it is the value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<N> {
    value: N,
    width: u32,
}

impl<N: Natural> Number<N> {
    /// The number `value`, which must have at most `width` bits.
    #[inline]
    pub fn new(width: u32, value: N) -> Number<N> {
        debug_assert!(1 <= width && width <= N::MAX_WIDTH && value.length() <= width);
        Number { value, width }
    }

    /// The value.
    pub fn value(&self) -> &N {
        &self.value
    }

    /// The value in two's complement, of at most 64 bits.
    pub(crate) fn signed(&self) -> i64 {
        let value = self.value.to_u128().unwrap_or(0) as u64;
        let shift = 64 - self.width;
        ((value << shift) as i64) >> shift
    }

    /// The value, as an amount to shift by.
    fn amount(&self) -> u32 {
        let amount = self.value.to_u128().unwrap_or(u128::MAX);
        u32::try_from(amount).unwrap_or(u32::MAX)
    }
}

impl<N: Natural> Logic for Numbers<N> {
    type Bool = bool;
    type Bits = Number<N>;

    #[inline(always)]
    fn truth(&self, value: bool) -> bool {
        value
    }
    #[inline(always)]
    fn not(&self, a: &bool) -> bool {
        !a
    }
    #[inline(always)]
    fn and(&self, a: &bool, b: &bool) -> bool {
        *a & *b
    }
    #[inline(always)]
    fn or(&self, a: &bool, b: &bool) -> bool {
        *a | *b
    }
    #[inline(always)]
    fn xor(&self, a: &bool, b: &bool) -> bool {
        a ^ b
    }
    #[inline(always)]
    fn choose_bool(&self, condition: &bool, a: &bool, b: &bool) -> bool {
        if *condition { *a } else { *b }
    }

    #[inline(always)]
    fn width(&self, a: &Number<N>) -> u32 {
        a.width
    }
    #[inline(always)]
    fn constant(&self, width: u32, value: i64) -> Number<N> {
        let value = if value >= 0 || width <= 128 {
            N::from_u128(i128::from(value) as u128).low(width)
        } else {
            let below = N::from_u128(value.unsigned_abs().into());
            N::from_u128(0).minus(&below, width)
        };
        Number::new(width, value)
    }
    #[inline(always)]
    fn bit_of(&self, a: &bool) -> Number<N> {
        Number::new(1, N::from_u128((*a).into()))
    }
    #[inline(always)]
    fn choose(&self, condition: &bool, a: &Number<N>, b: &Number<N>) -> Number<N> {
        debug_assert_eq!(a.width, b.width);
        if *condition { a } else { b }.clone()
    }
    #[inline(always)]
    fn equal(&self, a: &Number<N>, b: &Number<N>) -> bool {
        debug_assert_eq!(a.width, b.width);
        a.value == b.value
    }
    #[inline(always)]
    fn less(&self, a: &Number<N>, b: &Number<N>) -> bool {
        debug_assert_eq!(a.width, b.width);
        a.value < b.value
    }
    #[inline(always)]
    fn extract(&self, high: u32, low: u32, a: &Number<N>) -> Number<N> {
        debug_assert!(low <= high && high < a.width);
        let width = high - low + 1;
        Number::new(width, a.value.right(low).low(width))
    }
    #[inline(always)]
    fn concat(&self, high: &Number<N>, low: &Number<N>) -> Number<N> {
        let width = high.width + low.width;
        Number::new(width, high.value.left(low.width, width).or(&low.value))
    }
    #[inline(always)]
    fn sign_extend(&self, width: u32, a: &Number<N>) -> Number<N> {
        debug_assert!(width >= a.width);
        if a.value.length() < a.width || width == a.width {
            return Number::new(width, a.value.clone());
        }
        let ones = self.constant(width - a.width, -1);
        Number::new(width, ones.value.left(a.width, width).or(&a.value))
    }
    #[inline(always)]
    fn add(&self, a: &Number<N>, b: &Number<N>) -> Number<N> {
        debug_assert_eq!(a.width, b.width);
        Number::new(a.width, a.value.plus(&b.value, a.width))
    }
    #[inline(always)]
    fn subtract(&self, a: &Number<N>, b: &Number<N>) -> Number<N> {
        debug_assert_eq!(a.width, b.width);
        Number::new(a.width, a.value.minus(&b.value, a.width))
    }
    #[inline(always)]
    fn multiply(&self, a: &Number<N>, b: &Number<N>) -> Number<N> {
        debug_assert_eq!(a.width, b.width);
        Number::new(a.width, a.value.times(&b.value, a.width))
    }
    #[inline(always)]
    fn shift_left(&self, a: &Number<N>, by: &Number<N>) -> Number<N> {
        Number::new(a.width, a.value.left(by.amount().min(a.width), a.width))
    }
    #[inline(always)]
    fn shift_right(&self, a: &Number<N>, by: &Number<N>) -> Number<N> {
        Number::new(a.width, a.value.right(by.amount().min(a.width)))
    }
    #[inline(always)]
    fn normalize(&self, a: &Number<N>) -> (Number<N>, Number<N>) {
        let count = a.width - a.value.length();
        let bits = 32 - a.width.leading_zeros();
        (
            Number::new(a.width, a.value.left(count, a.width)),
            Number::new(bits, N::from_u128(count.into())),
        )
    }
    /// Long division, by as many bits at a time as there is room for above the remainder.
    fn divide(&self, a: &Number<N>, zeros: u32, b: &Number<N>) -> (Number<N>, bool) {
        let width = zeros + 1;
        if b.value.length() == 0 {
            return (self.zeros(width), false);
        }
        let (quotient, mut rest) = a.value.divided(&b.value);
        let mut quotient = quotient.low(width);
        let mut left = zeros;
        while left > 0 {
            let step = left.min(N::MAX_WIDTH - rest.length());
            let (digits, next) = rest.left(step, N::MAX_WIDTH).divided(&b.value);
            quotient = quotient.left(step, width).or(&digits);
            rest = next;
            left -= step;
        }
        (Number::new(width, quotient), rest.length() > 0)
    }
    #[inline(always)]
    fn modulo(&self, a: &Number<N>, b: &Number<N>) -> Number<N> {
        if b.value.length() == 0 {
            return b.clone();
        }
        Number::new(b.width, a.value.divided(&b.value).1)
    }
    /// Digit by digit, two bits of the radicand a step.
    fn square_root(&self, a: &Number<N>, zeros: u32) -> (Number<N>, bool) {
        let steps = (a.width + zeros) / 2;
        let (mut root, mut rest) = (N::from_u128(0), N::from_u128(0));
        // The radicand ends at this position of `a`, which may have an odd width: its pairs lie across.
        let mut position = i64::from(a.width);
        for _ in 0..steps {
            position -= 2;
            let pair = if position >= 0 {
                a.value.right(position as u32).low(2)
            } else if position == -1 {
                a.value.clone().low(1).left(1, 2)
            } else {
                N::from_u128(0)
            };
            rest = rest.left(2, steps + 3).or(&pair);
            let trial = root.left(2, steps + 3).or(&N::from_u128(1));
            root = root.left(1, steps);
            if rest >= trial {
                rest = rest.minus(&trial, steps + 3);
                root = root.or(&N::from_u128(1));
            }
        }
        (Number::new(steps, root), rest.length() > 0)
    }

    #[inline(always)]
    fn shift_right_sticky(&self, a: &Number<N>, by: &Number<N>) -> Number<N> {
        let by = by.amount().min(a.width);
        let shifted = a.value.right(by);
        let lost = by > 0 && a.value.clone().low(by).length() > 0;
        Number::new(a.width, shifted.or(&N::from_u128(lost.into())))
    }
}
