//! Quotients and square roots.

use crate::fpu::Fpu;
use crate::logic::Logic;
use crate::round::Reach;
use crate::unpacked::{Exact, Unpacked};

impl<L: Logic> Fpu<'_, L> {
    /// a / b.
    pub fn divide(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let negative = l.xor(&a.negative, &b.negative);
        let invalid = l.or(&l.and(&a.infinite, &b.infinite), &l.and(&a.zero, &b.zero));
        let finite = l.and(&a.is_finite(l), &b.is_finite(l));
        let ordinary = l.and(&finite, &l.not(&b.zero));
        // The quotient of two numbers with the same exponent lies above 1/2: one bit more than the precision is left
        // then.
        let zeros = self.format.precision() + 1;
        let (quotient, inexact) = l.divide(&a.significand, zeros, &b.significand);
        let large = l.bit(zeros, &quotient);
        let doubled = l.append_zeros(&l.low(zeros, &quotient), 1);
        let significand = l.choose(&large, &quotient, &doubled);
        let wide = l.width(&a.exponent) + 2;
        let exponent = |x: &Unpacked<L>| l.sign_extend(wide, &x.exponent);
        let less = l.extend(wide, &l.bit_of(&l.not(&large)));
        let exact = Exact {
            negative: negative.clone(),
            zero: a.zero.clone(),
            exponent: l.subtract(&l.subtract(&exponent(a), &exponent(b)), &less),
            significand: l.concat(&significand, &l.bit_of(&inexact)),
        };
        let (least, most) = self.format.exponents();
        let number = self.round(
            &exact,
            Reach::new(least - most - 1, most - least),
            &ordinary,
        );
        let result = self.choose(&b.infinite, &self.zero(&negative), &number);
        let infinite = l.or(&a.infinite, &b.zero);
        let result = self.choose(&infinite, &self.infinite(&negative), &result);
        let by_zero = l.and(&b.zero, &l.and(&a.is_finite(l), &l.not(&a.zero)));
        self.raise(&by_zero, |flags| &mut flags.divide_by_zero);
        let no_nan = l.not(&l.or(&l.or(&a.nan, &b.nan), &invalid));
        // A division by zero comes before denormal operands.
        self.look_for_denormals(&[a, b], &l.and(&no_nan, &l.not(&by_zero)));
        self.checked(a, b, &invalid, &result)
    }

    /// The square root of a.
    pub fn square_root(&self, a: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let invalid = l.and(&l.and(&a.negative, &l.not(&a.zero)), &l.not(&a.nan));
        let positive = l.and(&a.is_finite(l), &l.not(&invalid));
        // Of an odd exponent one factor 2 moves to the radicand.
        let odd = l.bit(0, &a.exponent);
        let precision = self.format.precision();
        let doubled = l.append_zeros(&a.significand, 1);
        let radicand = l.choose(&odd, &doubled, &l.extend(precision + 1, &a.significand));
        let (root, inexact) = l.square_root(&radicand, precision + 3);
        let exact = Exact {
            negative: a.negative.clone(),
            zero: a.zero.clone(),
            exponent: l.extract(l.width(&a.exponent) - 1, 1, &a.exponent),
            significand: l.concat(&root, &l.bit_of(&inexact)),
        };
        let (least, most) = self.format.exponents();
        let reach = Reach::new(least.div_euclid(2), most / 2);
        let number = self.round(&exact, reach, &positive);
        let result = self.choose(&a.infinite, a, &number);
        let no_nan = l.not(&l.or(&a.nan, &invalid));
        self.look_for_denormals(&[a], &no_nan);
        self.checked(a, a, &invalid, &result)
    }
}
