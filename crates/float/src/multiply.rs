//! Products.

use crate::fpu::Fpu;
use crate::logic::Logic;
use crate::round::Reach;
use crate::unpacked::{Exact, Unpacked};

impl<L: Logic> Fpu<'_, L> {
    /// a * b.
    pub fn multiply(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let infinite = l.or(&a.infinite, &b.infinite);
        let zero = l.or(&a.zero, &b.zero);
        let invalid = l.and(&infinite, &zero);
        let valid = l.and(&a.is_finite(l), &b.is_finite(l));
        let product = self.exact_product(a, b);
        let (least, most) = self.format.exponents();
        let reach = Reach::new(2 * least, 2 * most + 1);
        let number = self.round(&product, reach, &valid);
        let result = self.choose(&infinite, &self.infinite(&product.negative), &number);
        let no_nan = l.not(&l.or(&l.or(&a.nan, &b.nan), &invalid));
        self.look_for_denormals(&[a, b], &no_nan);
        self.checked(a, b, &invalid, &result)
    }

    /// The product of two finite numbers.
    pub(crate) fn exact_product(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Exact<L> {
        let l = self.logic;
        let wide = l.width(&a.exponent) + 1;
        let width = 2 * self.format.precision();
        let extend = |bits: &L::Bits| l.extend(width, bits);
        let product = l.multiply(&extend(&a.significand), &extend(&b.significand));
        let large = l.bit(width - 1, &product);
        let doubled = l.append_zeros(&l.low(width - 1, &product), 1);
        let exponent = |x: &Unpacked<L>| l.sign_extend(wide, &x.exponent);
        let sum = l.add(&exponent(a), &exponent(b));
        Exact {
            negative: l.xor(&a.negative, &b.negative),
            zero: l.or(&a.zero, &b.zero),
            exponent: l.add(&sum, &l.extend(wide, &l.bit_of(&large))),
            significand: l.choose(&large, &product, &doubled),
        }
    }
}
