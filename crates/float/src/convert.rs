//! Conversions between formats.

use crate::fpu::{Fpu, Reading};
use crate::logic::Logic;
use crate::round::Reach;
use crate::unpacked::Unpacked;

impl<L: Logic> Fpu<'_, L> {
    /// A float of the unit `source`, rounded to this unit's format. In the machine's reading a NaN keeps its sign and
    /// the upper bits of its payload and becomes quiet.
    pub fn convert(&self, source: &Fpu<'_, L>, x: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let (least, most) = source.format.exponents();
        let reach = Reach::new(least, most);
        let number = self.round(&source.exact(x), reach, &x.is_finite(l));
        let result = self.choose(&x.infinite, &self.infinite(&x.negative), &number);
        let loud = source.is_signaling(x);
        self.raise(&loud, |flags| &mut flags.invalid);
        let denormal = source.is_subnormal(x);
        self.raise(&denormal, |flags| &mut flags.denormal);
        let pattern = match self.reading {
            Reading::Machine => self.converted_nan(source, x),
            Reading::SmtLib => self.default_nan(),
        };
        self.choose(&x.nan, &self.not_a_number(pattern), &result)
    }

    fn converted_nan(&self, source: &Fpu<'_, L>, x: &Unpacked<L>) -> L::Bits {
        let l = self.logic;
        let (have, want) = (source.format.precision() - 1, self.format.precision() - 1);
        let payload = l.low(have, &x.pattern);
        let payload = if have > want {
            l.extract(have - 1, have - want, &payload)
        } else {
            l.append_zeros(&payload, want - have)
        };
        let ones = self.format.exponent_bits() + u32::from(self.format.has_integer_bit());
        let magnitude = l.concat(&l.ones(ones), &payload);
        let sign = l.extract(
            source.format.bits() - 1,
            source.format.bits() - 1,
            &x.pattern,
        );
        let quiet = self.quieted(&l.concat(&sign, &magnitude));
        l.choose(&source.is_unsupported(x), &self.default_nan(), &quiet)
    }
}
