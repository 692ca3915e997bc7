//! Which NaN an operation gives, and the flags of operands.
//!
//! SSE takes the first NaN among the operands, made quiet; x87 takes the quiet one of a quiet and a signalling NaN,
//! of two alike the one with the larger significand, and of equal ones the positive one (Intel 64 manual, volume 1,
//! tables 4-7 and 8-10). An invalid operation gives the default NaN.

use crate::fpu::{Fpu, Reading};
use crate::logic::Logic;
use crate::unpacked::Unpacked;

impl<L: Logic> Fpu<'_, L> {
    /// The position of the bit that makes a NaN quiet.
    fn quiet_position(&self) -> u32 {
        self.format.precision() - 2
    }

    /// The answer to an operation without a meaning.
    pub(crate) fn default_nan(&self) -> L::Bits {
        let (l, format) = (self.logic, self.format);
        let sign = l.bit_of(&l.truth(self.reading == Reading::Machine));
        let ones = format.exponent_bits() + 1 + u32::from(format.has_integer_bit());
        let magnitude = l.append_zeros(&l.ones(ones), format.precision() - 2);
        l.concat(&sign, &magnitude)
    }

    /// A NaN.
    pub(crate) fn not_a_number(&self, pattern: L::Bits) -> Unpacked<L> {
        let l = self.logic;
        Unpacked {
            nan: l.truth(true),
            zero: l.truth(false),
            pattern,
            ..self.zero(&l.truth(false))
        }
    }

    /// Of a NaN: is it an encoding that x87 does not support?
    pub(crate) fn is_unsupported(&self, x: &Unpacked<L>) -> L::Bool {
        let l = self.logic;
        if !self.format.has_integer_bit() {
            return l.truth(false);
        }
        l.not(&l.bit(self.format.stored_bits() - 1, &x.pattern))
    }

    /// A NaN that is signalling, or an unsupported encoding.
    pub(crate) fn is_signaling(&self, x: &Unpacked<L>) -> L::Bool {
        let l = self.logic;
        let loud = l.not(&l.bit(self.quiet_position(), &x.pattern));
        l.and(&x.nan, &l.or(&loud, &self.is_unsupported(x)))
    }

    /// The pattern of a NaN made quiet.
    pub(crate) fn quieted(&self, pattern: &L::Bits) -> L::Bits {
        let l = self.logic;
        let at = self.quiet_position();
        let top = l.extract(l.width(pattern) - 1, at + 1, pattern);
        let upper = l.concat(&top, &l.ones(1));
        match at {
            0 => upper,
            _ => l.concat(&upper, &l.low(at, pattern)),
        }
    }

    /// Of two operands, at least one of them a NaN: the NaN that an instruction gives. A unary one has the same twice.
    fn propagated(&self, a: &Unpacked<L>, b: &Unpacked<L>) -> L::Bits {
        let l = self.logic;
        if self.reading == Reading::SmtLib {
            return self.default_nan();
        }
        if !self.format.has_integer_bit() {
            return self.quieted(&l.choose(&a.nan, &a.pattern, &b.pattern));
        }
        let (loud_a, loud_b) = (self.is_signaling(a), self.is_signaling(b));
        let payload = |x: &Unpacked<L>| l.low(self.format.stored_bits(), &self.quieted(&x.pattern));
        let (payload_a, payload_b) = (payload(a), payload(b));
        let negative = |x: &Unpacked<L>| l.bit(self.format.bits() - 1, &x.pattern);
        let positive = l.and(&l.not(&negative(a)), &negative(b));
        let larger = l.choose_bool(
            &l.equal(&payload_a, &payload_b),
            &positive,
            &l.less(&payload_b, &payload_a),
        );
        let of_two = l.choose_bool(&l.xor(&loud_a, &loud_b), &loud_b, &larger);
        let first = l.choose_bool(&l.and(&a.nan, &b.nan), &of_two, &a.nan);
        let chosen = self.quieted(&l.choose(&first, &a.pattern, &b.pattern));
        let unsupported = |x: &Unpacked<L>| l.and(&x.nan, &self.is_unsupported(x));
        let invalid = l.or(&unsupported(a), &unsupported(b));
        l.choose(&invalid, &self.default_nan(), &chosen)
    }

    /// The result of an operation: a NaN where an operand is one or the operation is invalid, else `result`. Raises the
    /// flags of the operands.
    pub(crate) fn checked(
        &self,
        a: &Unpacked<L>,
        b: &Unpacked<L>,
        invalid: &L::Bool,
        result: &Unpacked<L>,
    ) -> Unpacked<L> {
        let l = self.logic;
        let nan = l.or(&a.nan, &b.nan);
        let loud = l.or(&self.is_signaling(a), &self.is_signaling(b));
        self.raise(&l.or(&loud, invalid), |flags| &mut flags.invalid);
        let pattern = l.choose(&nan, &self.propagated(a, b), &self.default_nan());
        let none = l.or(&nan, invalid);
        self.choose(&none, &self.not_a_number(pattern), result)
    }

    /// A sum or product of `b` and `a` as that of `a` and `b`: the same but for which NaN it is, if both are NaNs.
    pub fn in_order(&self, a: &Unpacked<L>, b: &Unpacked<L>, swapped: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let nan = l.or(&a.nan, &b.nan);
        Unpacked {
            pattern: l.choose(&nan, &self.propagated(a, b), &swapped.pattern),
            ..swapped.clone()
        }
    }

    /// Raises the flag of subnormal operands, where `numbers` holds: no operand is a NaN, and the operation is valid. A
    /// pseudo-denormal of x87, whose value is normal, counts too.
    pub(crate) fn look_for_denormals(&self, operands: &[&Unpacked<L>], numbers: &L::Bool) {
        let l = self.logic;
        for x in operands {
            let denormal = l.or(&self.is_subnormal(x), &x.pseudo);
            self.raise(&l.and(numbers, &denormal), |flags| &mut flags.denormal);
        }
    }
}
