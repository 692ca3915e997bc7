//! Rounding of exact numbers.

use crate::fpu::Fpu;
use crate::logic::Logic;
use crate::unpacked::{Exact, Unpacked};

/// What is known of an exact number that is to be rounded, from the operation that it comes from: a circuit has no part for
/// what cannot happen.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    /// The least exponent that it can have, unless it is zero.
    pub least: i64,
    /// The greatest one.
    pub most: i64,
    /// A number below the normal ones is a float as it is, as sums of floats are (Hauser, "Handling floating-point
    /// exceptions in numeric programs", TOPLAS 1996).
    pub exact_below: bool,
}

impl Reach {
    /// Exponents from the least to the greatest one.
    pub fn new(least: i64, most: i64) -> Reach {
        Reach {
            least,
            most,
            exact_below: false,
        }
    }
}

/// A significand where a subnormal number is rounded, the exponent that it had, and the places that it was shifted by.
struct Shift<L: Logic> {
    significand: L::Bits,
    exponent: L::Bits,
    places: L::Bits,
}

impl<L: Logic> Fpu<'_, L> {
    /// An exact number within a reach as a float of the format, rounded. `raises` says where its exceptions count, and
    /// outside of it the result is any.
    ///
    /// A number below the normal ones is shifted right to where its last bit has the weight of the last bit of a
    /// subnormal number, rounded there, and shifted back.
    pub(crate) fn round(&self, x: &Exact<L>, reach: Reach, raises: &L::Bool) -> Unpacked<L> {
        let (l, format) = (self.logic, self.format);
        let precision = format.precision();
        // The precision, a guard bit, and a sticky one for all that follow.
        let width = precision + 2;
        let have = l.width(&x.significand);
        let significand = if have <= width {
            l.append_zeros(&x.significand, width - have)
        } else {
            let rest = l.is_nonzero(&l.low(have - width, &x.significand));
            l.join_last(&l.extract(have - 1, have - width, &x.significand), &rest)
        };
        let least = format.min_exponent();
        // Room for a carry and for every constant below.
        let wide = l.width(&x.exponent).max(format.unpacked_exponent_bits()) + 1;
        let exponent = l.sign_extend(wide, &x.exponent);

        let may_be_subnormal = reach.least < least;
        let subnormal = if may_be_subnormal {
            l.is_below(&exponent, least)
        } else {
            l.truth(false)
        };
        let shift = (may_be_subnormal && !reach.exact_below)
            .then(|| self.subnormal_shift(&significand, &exponent, &subnormal));
        let (shifted, exponent_in) = match &shift {
            Some(shift) => (&shift.significand, &shift.exponent),
            None => (&significand, &exponent),
        };

        let parts = |bits: &L::Bits| {
            let kept = l.extract(width - 1, width - precision, bits);
            let guard = l.bit(width - precision - 1, bits);
            let sticky = l.is_nonzero(&l.low(width - precision - 1, bits));
            (kept, guard, sticky)
        };
        let (kept, guard, sticky) = parts(shifted);
        let odd = l.bit(0, &kept);
        let up = self
            .rounding
            .rounds_up(l, &x.negative, &odd, &guard, &sticky);
        let one_more = |bits: &L::Bits, up: &L::Bool| {
            let wide = precision + 1;
            l.add(&l.extend(wide, bits), &l.extend(wide, &l.bit_of(up)))
        };
        let mut sum = one_more(&kept, &up);
        if let Some(shift) = &shift {
            sum = l.shift_left(&sum, &shift.places);
        }
        let carry = l.bit(precision, &sum);
        // Where there is a carry, all bits below it are 0.
        let first = l.or(&carry, &l.bit(precision - 1, &sum));
        let rounded = l.concat(&l.bit_of(&first), &l.low(precision - 1, &sum));
        let exponent_out = l.add(exponent_in, &l.extend(wide, &l.bit_of(&carry)));

        let zero = match shift {
            Some(_) => l.or(&x.zero, &l.is_zero(&sum)),
            None => x.zero.clone(),
        };
        let number = l.and(raises, &l.not(&x.zero));
        let inexact = l.and(&number, &l.or(&guard, &sticky));
        // A carry is one more than the greatest exponent.
        let overflow = if reach.most < format.max_exponent() {
            l.truth(false)
        } else {
            let above = l.not(&l.is_below(&exponent_out, format.max_exponent() + 1));
            l.and(&l.not(&x.zero), &above)
        };
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

    /// A significand shifted right to where the last bit of a subnormal number is, if it is one.
    fn subnormal_shift(
        &self,
        significand: &L::Bits,
        exponent: &L::Bits,
        subnormal: &L::Bool,
    ) -> Shift<L> {
        let (l, wide) = (self.logic, self.logic.width(exponent));
        let least = self.format.min_exponent();
        let lowest = least - i64::from(self.format.precision());
        // What is even below half the smallest number counts like a quarter of it.
        let vanishing = l.is_below(exponent, lowest);
        let halved = l.shift_right_sticky(significand, &l.ones(1));
        let significand = l.choose(&vanishing, &halved, significand);
        let exponent = l.choose(&vanishing, &l.constant(wide, lowest), exponent);
        let places = l.subtract(&l.constant(wide, least), &exponent);
        let places = l.choose(subnormal, &places, &l.zeros(wide));
        Shift {
            significand: l.shift_right_sticky(&significand, &places),
            exponent,
            places,
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
