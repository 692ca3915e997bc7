//! Remainders, which are exact.

use crate::fpu::Fpu;
use crate::logic::Logic;
use crate::unpacked::{Exact, Unpacked};

impl<L: Logic> Fpu<'_, L> {
    /// C's `fmod`: a - n b, where n is a / b rounded toward zero. It has the sign of `a`.
    pub fn modulo(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let distance = self.distance(a, b, 0);
        let rest = self.shifted_modulo(&a.significand, &distance, &b.significand);
        let (significand, places) = l.normalize(&rest);
        let wide = l.width(&distance);
        let exponent = l.sign_extend(wide, &b.exponent);
        let number = self.fits(&Exact {
            negative: a.negative.clone(),
            zero: l.is_zero(&rest),
            exponent: l.subtract(&exponent, &l.extend(wide, &places)),
            significand,
        });
        self.remaining(a, b, &l.is_negative(&distance), &number)
    }

    /// C's `remainder`, SMT-LIB's `fp.rem`: a - n b, where n is a / b rounded to the nearest integer, ties to even.
    pub fn remainder(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        // In units of half the divisor's last bit; modulo twice the divisor, so that the quotient's last bit shows.
        let distance = self.distance(a, b, 1);
        let width = self.format.precision() + 2;
        let divisor = l.extend(width, &l.append_zeros(&b.significand, 1));
        let twice = l.append_zeros(&b.significand, 2);
        let rest = self.shifted_modulo(&a.significand, &distance, &twice);
        let odd = l.not(&l.less(&rest, &divisor));
        let rest = l.choose(&odd, &l.subtract(&rest, &divisor), &rest);
        let opposite = l.subtract(&divisor, &rest);
        let tie = l.equal(&rest, &opposite);
        let beyond = l.or(&l.less(&opposite, &rest), &l.and(&tie, &odd));
        let rest = l.choose(&beyond, &opposite, &rest);
        let rest = l.low(self.format.precision(), &rest);
        let (significand, places) = l.normalize(&rest);
        let wide = l.width(&distance);
        let exponent = l.sign_extend(wide, &b.exponent);
        let exponent = l.subtract(&exponent, &l.constant(wide, 1));
        let zero = l.is_zero(&rest);
        let turned = l.and(&beyond, &l.not(&zero));
        let number = self.fits(&Exact {
            negative: l.xor(&a.negative, &turned),
            zero,
            exponent: l.subtract(&exponent, &l.extend(wide, &places)),
            significand,
        });
        self.remaining(a, b, &l.is_negative(&distance), &number)
    }

    /// By how much the exponent of `a` is above that of `b`, plus a constant.
    fn distance(&self, a: &Unpacked<L>, b: &Unpacked<L>, plus: i64) -> L::Bits {
        let l = self.logic;
        let wide = l.width(&a.exponent) + 2;
        let exponent = |x: &Unpacked<L>| l.sign_extend(wide, &x.exponent);
        let distance = l.subtract(&exponent(a), &exponent(b));
        l.add(&distance, &l.constant(wide, plus))
    }

    /// `a` 2^`power` modulo `b`, where the power is not negative: the power of two by squaring modulo the divisor.
    fn shifted_modulo(&self, a: &L::Bits, power: &L::Bits, b: &L::Bits) -> L::Bits {
        let l = self.logic;
        let width = l.width(b);
        let product = |x: &L::Bits, y: &L::Bits| {
            let extend = |bits: &L::Bits| l.extend(2 * width, bits);
            l.modulo(&l.multiply(&extend(x), &extend(y)), b)
        };
        let mut result = l.constant(width, 1);
        for at in (0..l.width(power) - 1).rev() {
            result = product(&result, &result);
            let doubled = l.append_zeros(&result, 1);
            let doubled = l.modulo(&doubled, b);
            result = l.choose(&l.bit(at, power), &doubled, &result);
        }
        product(&l.extend(width, a), &result)
    }

    /// The remainder of any operands, if it is `number` where it is not the dividend.
    fn remaining(
        &self,
        a: &Unpacked<L>,
        b: &Unpacked<L>,
        small: &L::Bool,
        number: &Unpacked<L>,
    ) -> Unpacked<L> {
        let l = self.logic;
        let unchanged = l.or(&l.or(small, &a.zero), &b.infinite);
        let dividend = Unpacked {
            pseudo: l.truth(false),
            ..a.clone()
        };
        let result = self.choose(&unchanged, &dividend, number);
        let invalid = l.or(&a.infinite, &b.zero);
        let invalid = l.and(&invalid, &l.not(&l.or(&a.nan, &b.nan)));
        self.checked(a, b, &invalid, &result)
    }
}
