//! Rounding of exact numbers.

use crate::fpu::Fpu;
use crate::logic::Logic;
use crate::unpacked::{Exact, Unpacked};

impl<L: Logic> Fpu<'_, L> {
    /// An exact number as a float of the format, rounded. `raises` says where its exceptions count.
    ///
    /// A number below the normal ones is shifted right to where its last bit has the weight of the last bit of a
    /// subnormal number, rounded there, and shifted back.
    pub(crate) fn round(&self, x: &Exact<L>, raises: &L::Bool) -> Unpacked<L> {
        let (l, format) = (self.logic, self.format);
        let precision = format.precision();
        // A guard bit and a sticky one at least.
        let missing = (precision + 2).saturating_sub(l.width(&x.significand));
        let significand = l.append_zeros(&x.significand, missing);
        let width = l.width(&significand);
        let least = format.min_exponent();
        let lowest = least - i64::from(precision);
        // Room for a carry and for every constant below.
        let wide = l.width(&x.exponent).max(format.unpacked_exponent_bits()) + 1;
        let constant = |value| l.constant(wide, value);
        let exponent = l.sign_extend(wide, &x.exponent);

        // What is even below half the smallest number counts like a quarter of it.
        let vanishing = l.is_below(&exponent, lowest);
        let subnormal = l.is_below(&exponent, least);
        let halved = l.shift_right_sticky(&significand, &l.ones(1));
        let significand_in = l.choose(&vanishing, &halved, &significand);
        let exponent_in = l.choose(&vanishing, &constant(lowest), &exponent);
        let places = l.subtract(&constant(least), &exponent_in);
        let places = l.choose(&subnormal, &places, &l.zeros(wide));
        let shifted = l.shift_right_sticky(&significand_in, &places);

        let parts = |bits: &L::Bits| {
            let kept = l.extract(width - 1, width - precision, bits);
            let guard = l.bit(width - precision - 1, bits);
            let sticky = l.is_nonzero(&l.low(width - precision - 1, bits));
            (kept, guard, sticky)
        };
        let (kept, guard, sticky) = parts(&shifted);
        let odd = l.bit(0, &kept);
        let up = self
            .rounding
            .rounds_up(l, &x.negative, &odd, &guard, &sticky);
        let one_more = |bits: &L::Bits, up: &L::Bool| {
            let wide = precision + 1;
            l.add(&l.extend(wide, bits), &l.extend(wide, &l.bit_of(up)))
        };
        let sum = l.shift_left(&one_more(&kept, &up), &places);
        let carry = l.bit(precision, &sum);
        let first = l.append_zeros(&l.ones(1), precision - 1);
        let rounded = l.choose(&carry, &first, &l.low(precision, &sum));
        let exponent_out = l.add(&exponent_in, &l.extend(wide, &l.bit_of(&carry)));

        let zero = l.or(&x.zero, &l.is_zero(&sum));
        let number = l.and(raises, &l.not(&x.zero));
        let inexact = l.and(&number, &l.or(&guard, &sticky));
        let above = l.not(&l.is_below(&exponent_out, format.max_exponent() + 1));
        let overflow = l.and(&l.not(&x.zero), &above);
        let infinite = l.and(
            &overflow,
            &self.rounding.overflows_to_infinity(l, &x.negative),
        );

        // Tiny, unless rounding as if there were no smallest exponent reaches the smallest normal number.
        let (kept, guard, sticky) = parts(&significand);
        let up = self
            .rounding
            .rounds_up(l, &x.negative, &l.bit(0, &kept), &guard, &sticky);
        let reaches = l.bit(precision, &one_more(&kept, &up));
        let next = l.not(&l.is_below(&exponent, least - 1));
        let tiny = l.and(&subnormal, &l.not(&l.and(&next, &reaches)));
        let overflows = l.and(raises, &overflow);
        self.raise(&l.or(&inexact, &overflows), |flags| &mut flags.inexact);
        self.raise(&overflows, |flags| &mut flags.overflow);
        self.raise(&l.and(&inexact, &tiny), |flags| &mut flags.underflow);

        let bits = format.unpacked_exponent_bits();
        let largest = l.constant(bits, format.max_exponent());
        let exponent_out = l.choose(&overflow, &largest, &l.low(bits, &exponent_out));
        let rounded = l.choose(&overflow, &l.ones(precision), &rounded);
        let nothing = self.zero(&x.negative);
        Unpacked {
            infinite,
            exponent: l.choose(&zero, &nothing.exponent, &exponent_out),
            significand: l.choose(&zero, &nothing.significand, &rounded),
            zero,
            ..nothing
        }
    }

    /// An exact number that is a float of the format: nothing is rounded. Its significand has the format's precision.
    pub(crate) fn fits(&self, x: &Exact<L>) -> Unpacked<L> {
        let l = self.logic;
        let nothing = self.zero(&x.negative);
        let exponent = l.low(self.format.unpacked_exponent_bits(), &x.exponent);
        Unpacked {
            zero: x.zero.clone(),
            exponent: l.choose(&x.zero, &nothing.exponent, &exponent),
            significand: l.choose(&x.zero, &nothing.significand, &x.significand),
            ..nothing
        }
    }
}
