//! Rounding to integral values.

use crate::fpu::{Fpu, Reading};
use crate::logic::Logic;
use crate::unpacked::{Exact, Unpacked};

/// A finite number rounded to an integer, as far as it had a fraction: `integer` 2^`scale`.
pub(crate) struct Integral<L: Logic> {
    /// One bit more than the precision.
    pub integer: L::Bits,
    /// How much the unit of the number's last place is above 1, in two's complement; negative where there was a
    /// fraction.
    pub scale: L::Bits,
    pub inexact: L::Bool,
}

impl<L: Logic> Fpu<'_, L> {
    /// The fraction of a finite number is shifted out, and the rest rounded.
    pub(crate) fn integral(&self, x: &Unpacked<L>) -> Integral<L> {
        let l = self.logic;
        let precision = self.format.precision();
        let wide = l.width(&x.exponent) + 1;
        let last = l.constant(wide, i64::from(precision) - 1);
        let scale = l.subtract(&l.sign_extend(wide, &x.exponent), &last);
        let places = l.subtract(&l.zeros(wide), &scale);
        let places = l.choose(&l.is_negative(&scale), &places, &l.zeros(wide));
        let shifted = l.shift_right_sticky(&l.append_zeros(&x.significand, 2), &places);
        let kept = l.extract(precision + 1, 2, &shifted);
        let (guard, sticky) = (l.bit(1, &shifted), l.bit(0, &shifted));
        let odd = l.bit(0, &kept);
        let up = self
            .rounding
            .rounds_up(l, &x.negative, &odd, &guard, &sticky);
        let width = precision + 1;
        Integral {
            integer: l.add(&l.extend(width, &kept), &l.extend(width, &l.bit_of(&up))),
            scale,
            inexact: l.or(&guard, &sticky),
        }
    }

    /// `a` rounded to an integral value; raises `inexact` if it was none. In the machine's reading a NaN stays as it
    /// is, signalling or not: the functions of the C library give it back.
    pub fn round_to_integral(&self, a: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let Integral {
            integer,
            scale,
            inexact,
        } = self.integral(a);
        let (significand, places) = l.normalize(&integer);
        let precision = self.format.precision();
        let wide = self.format.unpacked_exponent_bits();
        // The integer's first bit has the weight 2^precision.
        let top = l.constant(wide, i64::from(precision));
        let exponent = l.subtract(&top, &l.extend(wide, &places));
        let most = self.format.max_exponent();
        let beyond = l.not(&l.is_below(&exponent, most + 1));
        let mut number = self.fits(&Exact {
            negative: a.negative.clone(),
            zero: l.is_zero(&integer),
            exponent,
            significand: l.extract(precision, 1, &significand),
        });
        // Where the largest number has a fraction.
        if i64::from(precision) > most + 1 {
            number = self.choose(&beyond, &self.infinite(&a.negative), &number);
        }
        let fraction = l.and(&l.is_negative(&scale), &a.is_finite(l));
        self.raise(&l.and(&fraction, &inexact), |flags| &mut flags.inexact);
        let result = self.choose(&fraction, &number, a);
        match self.reading {
            Reading::Machine => result,
            Reading::SmtLib => self.checked(a, a, &l.truth(false), &result),
        }
    }
}
