//! Sums.

use crate::format::FloatFormat;
use crate::fpu::{Fpu, Reading};
use crate::logic::Logic;
use crate::round::Reach;
use crate::unpacked::{Exact, Unpacked};

impl<L: Logic> Fpu<'_, L> {
    /// a + b.
    pub fn add(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let invalid = self.opposed(a, b);
        let valid = l.and(&a.is_finite(l), &b.is_finite(l));
        let sum = self.exact_sum(&self.exact(a), &self.exact(b));
        let (least, most) = self.format.exponents();
        let reach = Reach {
            exact_below: true,
            ..Reach::new(least, most + 1)
        };
        let number = self.round(&sum, reach, &valid);
        let result = self.choose(&b.infinite, b, &number);
        let result = self.choose(&a.infinite, a, &result);
        let no_nan = l.not(&l.or(&l.or(&a.nan, &b.nan), &invalid));
        self.look_for_denormals(&[a, b], &no_nan);
        self.checked(a, b, &invalid, &result)
    }

    /// a - b.
    pub fn subtract(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        // A NaN keeps its sign.
        let negated = Unpacked {
            negative: self.logic.not(&b.negative),
            ..b.clone()
        };
        self.add(a, &negated)
    }

    /// a * b + c, rounded once. A NaN comes from the product's operands first, as if it were made of two instructions.
    ///
    /// In the machine's reading it is what the C library's functions compute, which compilers call for processors
    /// without the instruction. Musl's `fma` for `double` adds a zero after rounding, so that an underflowed product
    /// loses its sign, and gives a NaN that is added to ordinary numbers back as it is.
    pub fn multiply_add(&self, a: &Unpacked<L>, b: &Unpacked<L>, c: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let senseless = l.or(&l.and(&a.infinite, &b.zero), &l.and(&a.zero, &b.infinite));
        let negative = l.xor(&a.negative, &b.negative);
        let factors_finite = l.and(&a.is_finite(l), &b.is_finite(l));
        let infinite = l.or(&a.infinite, &b.infinite);
        let product = self.choose(&infinite, &self.infinite(&negative), &self.zero(&negative));
        // NaN or infinite, or else any number.
        let product = self.checked(a, b, &senseless, &product);
        let invalid = self.opposed(&product, c);

        let valid = l.and(&factors_finite, &c.is_finite(l));
        let exact = self.exact_product(a, b);
        let wide = l.width(&exact.exponent);
        let addend = Exact {
            exponent: l.sign_extend(wide, &c.exponent),
            significand: l.append_zeros(&c.significand, self.format.precision()),
            ..self.exact(c)
        };
        let lowest = |x: Exact<L>| Exact {
            exponent: l.choose(&x.zero, &l.constant(wide, -1 << (wide - 1)), &x.exponent),
            ..x
        };
        let sum = self.exact_sum(&lowest(exact), &lowest(addend));
        let (least, most) = self.format.exponents();
        let reach = Reach::new(2 * least, 2 * most + 2);
        let number = self.round(&sum, reach, &valid);
        let result = self.choose(&c.infinite, c, &number);
        let result = self.choose(&product.infinite, &product, &result);
        let no_nan = l.not(&l.or(&l.or(&product.nan, &c.nan), &invalid));
        self.look_for_denormals(&[a, b, c], &no_nan);
        let result = self.checked(&product, c, &invalid, &result);
        if self.reading == Reading::SmtLib || self.format != FloatFormat::DOUBLE {
            return result;
        }
        let negative = l.choose_bool(
            &l.xor(&negative, &c.negative),
            &self.rounding.downward,
            &c.negative,
        );
        let zeros = l.and(&result.zero, &c.zero);
        let result = self.choose(&zeros, &self.zero(&negative), &result);
        let ordinary = l.and(&factors_finite, &l.not(&l.or(&a.zero, &b.zero)));
        self.choose(&l.and(&c.nan, &ordinary), c, &result)
    }

    /// Infinities with opposite signs.
    fn opposed(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> L::Bool {
        let l = self.logic;
        let both = l.and(&a.infinite, &b.infinite);
        l.and(&both, &l.xor(&a.negative, &b.negative))
    }

    /// The sum of two exact numbers of equal widths. Of a zero the exponent must not be above the other one's.
    ///
    /// The smaller number is shifted to the larger one's exponent with three more bits, the last one sticky: if more
    /// than one bit falls out, the difference loses at most one leading bit.
    fn exact_sum(&self, a: &Exact<L>, b: &Exact<L>) -> Exact<L> {
        let l = self.logic;
        let wide = l.width(&a.exponent) + 2;
        let exponent = |x: &Exact<L>| l.sign_extend(wide, &x.exponent);
        let distance = l.subtract(&exponent(a), &exponent(b));
        let level = l.is_zero(&distance);
        let below = l.less(&a.significand, &b.significand);
        let swap = l.or(&l.is_negative(&distance), &l.and(&level, &below));
        let opposite = l.subtract(&l.zeros(wide), &distance);
        let distance = l.choose(&swap, &opposite, &distance);
        let large = l.choose(&swap, &b.significand, &a.significand);
        let small = l.choose(&swap, &a.significand, &b.significand);
        let width = l.width(&a.significand) + 4;
        let guarded = |bits: &L::Bits| l.extend(width, &l.append_zeros(bits, 3));
        let large = guarded(&large);
        let small = l.shift_right_sticky(&guarded(&small), &distance);
        let differs = l.xor(&a.negative, &b.negative);
        let sum = l.choose(
            &differs,
            &l.subtract(&large, &small),
            &l.add(&large, &small),
        );
        let (significand, places) = l.normalize(&sum);
        let exponent = l.choose(&swap, &exponent(b), &exponent(a));
        let exponent = l.add(&exponent, &l.constant(wide, 1));
        let room = l.width(&places).max(wide) + 1;
        let exponent = l.subtract(&l.sign_extend(room, &exponent), &l.extend(room, &places));
        let zero = l.is_zero(&sum);
        let of_larger = l.choose_bool(&swap, &b.negative, &a.negative);
        let of_zero = l.choose_bool(&differs, &self.rounding.downward, &a.negative);
        Exact {
            negative: l.choose_bool(&zero, &of_zero, &of_larger),
            zero,
            exponent,
            significand,
        }
    }
}
