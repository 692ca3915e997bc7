//! Conversions from and to integers.

use crate::fpu::Fpu;
use crate::integral::Integral;
use crate::logic::Logic;
use crate::round::Reach;
use crate::unpacked::{Exact, Unpacked};

impl<L: Logic> Fpu<'_, L> {
    /// An integer of any width, in two's complement if it is `signed`, as a float.
    pub fn from_integer(&self, signed: bool, integer: &L::Bits) -> Unpacked<L> {
        let l = self.logic;
        let width = l.width(integer);
        let negative = if signed {
            l.is_negative(integer)
        } else {
            l.truth(false)
        };
        let opposite = l.subtract(&l.zeros(width), integer);
        let magnitude = l.choose(&negative, &opposite, integer);
        let (significand, places) = l.normalize(&magnitude);
        let wide = l.width(&places) + 1;
        let top = l.constant(wide, i64::from(width) - 1);
        let exact = Exact {
            negative,
            zero: l.is_zero(integer),
            exponent: l.subtract(&top, &l.extend(wide, &places)),
            significand,
        };
        self.round(&exact, Reach::new(0, i64::from(width) - 1), &l.truth(true))
    }

    /// A float rounded to an integer of `width` bits, in two's complement if it is `signed`; and does it fit? What
    /// the integer is where it does not fit (and for NaNs), the caller decides. Raises `invalid` there, and otherwise
    /// `inexact`.
    pub fn to_integer(&self, signed: bool, width: u32, x: &Unpacked<L>) -> (L::Bits, L::Bool) {
        let l = self.logic;
        let Integral {
            integer,
            scale,
            inexact,
        } = self.integral(x);
        // Room for 2^width, which what is below it may be rounded to.
        let room = (width + 1).max(l.width(&integer));
        let wide = l
            .width(&x.exponent)
            .max(64 - u64::from(width).leading_zeros())
            + 1;
        let exponent = l.sign_extend(wide, &x.exponent);
        let near = l.is_below(&exponent, i64::from(width));
        let none = l.zeros(l.width(&scale));
        let places = l.choose(&l.is_negative(&scale), &none, &scale);
        let magnitude = l.shift_left(&l.extend(room, &integer), &places);
        let limit = |power: u32| l.append_zeros(&l.extend(room - power, &l.ones(1)), power);
        let below = |power: u32| match power {
            0 => l.is_zero(&magnitude),
            _ => l.less(&magnitude, &limit(power)),
        };
        let in_range = if signed {
            let least = l.and(&x.negative, &l.equal(&magnitude, &limit(width - 1)));
            l.or(&below(width - 1), &least)
        } else {
            let negative = l.and(&x.negative, &l.is_nonzero(&magnitude));
            l.and(&below(width), &l.not(&negative))
        };
        let fits = l.and(&l.and(&x.is_finite(l), &near), &in_range);
        self.raise(&l.not(&fits), |flags| &mut flags.invalid);
        self.raise(&l.and(&fits, &inexact), |flags| &mut flags.inexact);
        let magnitude = l.low(width, &magnitude);
        let opposite = l.subtract(&l.zeros(width), &magnitude);
        (l.choose(&x.negative, &opposite, &magnitude), fits)
    }
}
