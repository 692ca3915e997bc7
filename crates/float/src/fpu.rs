//! The unit that computes: packing, unpacking, and what operations have in common.

use crate::flags::Flags;
use crate::format::FloatFormat;
use crate::logic::Logic;
use crate::rounding::{Rounding, RoundingMode};
use crate::unpacked::{Exact, Unpacked};
use std::cell::RefCell;

/// How what the standard leaves open is answered. The two readings are never mixed in one computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As x86-64 code does it: NaNs have payloads, which SSE and x87 instructions propagate by their rules (all
    /// formats but x87's follow SSE's), and an invalid operation gives the negative quiet NaN without payload.
    Machine,
    /// As the theory of SMT-LIB has it: there is one NaN, here the positive quiet one without payload.
    SmtLib,
}

/// Computes with floats of one format, in one reading and rounding mode; exceptions accumulate in its flags.
pub struct Fpu<'l, L: Logic> {
    pub(crate) logic: &'l L,
    pub(crate) format: FloatFormat,
    pub(crate) reading: Reading,
    pub(crate) rounding: Rounding<L>,
    flags: RefCell<Flags<L::Bool>>,
}

impl<'l, L: Logic> Fpu<'l, L> {
    /// A unit with no flag raised.
    pub fn new(
        logic: &'l L,
        format: FloatFormat,
        reading: Reading,
        rounding: Rounding<L>,
    ) -> Fpu<'l, L> {
        Fpu {
            logic,
            format,
            reading,
            rounding,
            flags: RefCell::new(Flags::none(logic)),
        }
    }

    /// A unit with a constant rounding mode.
    pub fn constant(
        logic: &'l L,
        format: FloatFormat,
        reading: Reading,
        mode: RoundingMode,
    ) -> Fpu<'l, L> {
        Fpu::new(logic, format, reading, Rounding::constant(logic, mode))
    }

    /// The flags that operations raised so far.
    pub fn flags(&self) -> Flags<L::Bool> {
        self.flags.borrow().clone()
    }

    /// Raises flags where the condition holds.
    pub(crate) fn raise(
        &self,
        condition: &L::Bool,
        flags: impl for<'f> Fn(&'f mut Flags<L::Bool>) -> &'f mut L::Bool,
    ) {
        let mut all = self.flags.borrow_mut();
        let flag = flags(&mut all);
        *flag = self.logic.or(flag, condition);
    }

    /// Takes a bit pattern apart.
    pub fn unpack(&self, pattern: &L::Bits) -> Unpacked<L> {
        let (l, format) = (self.logic, self.format);
        let (eb, stored) = (format.exponent_bits(), format.stored_bits());
        let field = l.extract(stored + eb - 1, stored, pattern);
        let stored_significand = l.low(stored, pattern);
        let low_exponent = l.is_zero(&field);
        let top_exponent = l.equal(&field, &l.ones(eb));
        let (significand, fraction_zero, unsupported) = if format.has_integer_bit() {
            let fraction = l.low(stored - 1, pattern);
            let missing = l.not(&l.or(&low_exponent, &l.bit(stored - 1, pattern)));
            (stored_significand, l.is_zero(&fraction), missing)
        } else {
            let hidden = l.bit_of(&l.not(&low_exponent));
            let zero = l.is_zero(&stored_significand);
            let significand = l.concat(&hidden, &stored_significand);
            (significand, zero, l.truth(false))
        };
        let supported = l.not(&unsupported);
        let (normal, places) = l.normalize(&significand);
        // The exponent of the field, less the places that a subnormal significand moved by.
        let wide = format.unpacked_exponent_bits();
        let constant = |value| l.constant(wide, value);
        let biased = l.subtract(&l.extend(wide, &field), &constant(format.max_exponent()));
        let exponent = l.choose(&low_exponent, &constant(format.min_exponent()), &biased);
        let exponent = l.subtract(&exponent, &l.extend(wide, &places));
        let special = l.and(&top_exponent, &supported);
        let pseudo = if format.has_integer_bit() && self.reading == Reading::Machine {
            l.and(&low_exponent, &l.bit(stored - 1, pattern))
        } else {
            l.truth(false)
        };
        let number = l.and(&special, &l.not(&fraction_zero));
        Unpacked {
            nan: l.or(&number, &unsupported),
            infinite: l.and(&special, &fraction_zero),
            zero: l.and(&low_exponent, &l.is_zero(&significand)),
            negative: l.bit(format.bits() - 1, pattern),
            exponent,
            significand: normal,
            pseudo,
            pattern: match self.reading {
                Reading::Machine => pattern.clone(),
                Reading::SmtLib => self.default_nan(),
            },
        }
    }

    /// The bit pattern of a float.
    pub fn pack(&self, x: &Unpacked<L>) -> L::Bits {
        let (l, format) = (self.logic, self.format);
        let (eb, stored) = (format.exponent_bits(), format.stored_bits());
        let width = format.unpacked_exponent_bits();
        let constant = |value| l.constant(width, value);
        let subnormal = self.is_below_normal(x);
        let places = l.subtract(&constant(format.min_exponent()), &x.exponent);
        let places = l.choose(&subnormal, &places, &l.zeros(width));
        let significand = l.shift_right(&x.significand, &places);
        let biased = l.add(&x.exponent, &constant(format.max_exponent()));
        let field = l.choose(&subnormal, &l.zeros(width), &biased);
        let number = l.concat(&l.low(eb, &field), &l.low(stored, &significand));
        let magnitude = l.choose(&x.infinite, &self.infinity(), &number);
        let pattern = l.concat(&l.bit_of(&x.negative), &magnitude);
        l.choose(&l.or(&x.nan, &x.pseudo), &x.pattern, &pattern)
    }

    /// The pattern of an infinity without its sign.
    fn infinity(&self) -> L::Bits {
        let (l, format) = (self.logic, self.format);
        let ones = format.exponent_bits() + u32::from(format.has_integer_bit());
        l.append_zeros(&l.ones(ones), format.precision() - 1)
    }

    /// Of a number: is it zero or subnormal?
    pub(crate) fn is_below_normal(&self, x: &Unpacked<L>) -> L::Bool {
        self.logic.is_below(&x.exponent, self.format.min_exponent())
    }

    /// An infinity.
    pub(crate) fn infinite(&self, negative: &L::Bool) -> Unpacked<L> {
        let l = self.logic;
        Unpacked {
            infinite: l.truth(true),
            zero: l.truth(false),
            ..self.zero(negative)
        }
    }

    /// A zero.
    pub(crate) fn zero(&self, negative: &L::Bool) -> Unpacked<L> {
        let (l, format) = (self.logic, self.format);
        let lowest = format.min_exponent() - i64::from(format.precision());
        Unpacked {
            nan: l.truth(false),
            infinite: l.truth(false),
            zero: l.truth(true),
            negative: negative.clone(),
            exponent: l.constant(format.unpacked_exponent_bits(), lowest),
            significand: l.zeros(format.precision()),
            pseudo: l.truth(false),
            pattern: self.default_nan(),
        }
    }

    /// A number of this format as an exact one.
    pub(crate) fn exact(&self, x: &Unpacked<L>) -> Exact<L> {
        Exact {
            negative: x.negative.clone(),
            zero: x.zero.clone(),
            exponent: x.exponent.clone(),
            significand: x.significand.clone(),
        }
    }

    /// `a` where the condition holds, else `b`.
    pub(crate) fn choose(
        &self,
        condition: &L::Bool,
        a: &Unpacked<L>,
        b: &Unpacked<L>,
    ) -> Unpacked<L> {
        Unpacked::choose(self.logic, condition, a, b)
    }

    /// `x` with its sign flipped, of a NaN too.
    pub fn negate(&self, x: &Unpacked<L>) -> Unpacked<L> {
        self.with_sign(x, &self.logic.not(&x.negative))
    }

    /// `x` without its sign, of a NaN too.
    pub fn absolute(&self, x: &Unpacked<L>) -> Unpacked<L> {
        self.with_sign(x, &self.logic.truth(false))
    }

    /// `x` with another sign. In SMT-LIB's reading NaN has none.
    fn with_sign(&self, x: &Unpacked<L>, negative: &L::Bool) -> Unpacked<L> {
        let l = self.logic;
        let rest = l.low(self.format.bits() - 1, &x.pattern);
        Unpacked {
            negative: negative.clone(),
            pattern: match self.reading {
                Reading::Machine => l.concat(&l.bit_of(negative), &rest),
                Reading::SmtLib => x.pattern.clone(),
            },
            ..x.clone()
        }
    }
}
