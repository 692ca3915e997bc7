//! Binary floating-point formats.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A binary floating-point format: the widths of its exponent field and of its significand. All formats but
/// [`FloatFormat::X87`] are those of IEEE 754, with a hidden integer bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct FloatFormat(u16);

/// Set in the code of the format whose integer bit is stored.
const EXPLICIT: u16 = 1 << 15;
const PRECISION_BITS: u32 = 10;

impl FloatFormat {
    /// IEEE binary16.
    pub const HALF: FloatFormat = FloatFormat::of(5, 11);
    /// bfloat16: binary32 cut to its upper half.
    pub const BFLOAT: FloatFormat = FloatFormat::of(8, 8);
    /// IEEE binary32, C's `float`.
    pub const SINGLE: FloatFormat = FloatFormat::of(8, 24);
    /// IEEE binary64, C's `double`.
    pub const DOUBLE: FloatFormat = FloatFormat::of(11, 53);
    /// x87 double extended, 80 bits with an explicit integer bit. Encodings whose integer bit contradicts their
    /// exponent: pseudo-denormals are numbers; unnormals, pseudo-infinities and pseudo-NaNs are *unsupported*, which
    /// every operation treats as invalid.
    pub const X87: FloatFormat = FloatFormat(FloatFormat::of(15, 64).0 | EXPLICIT);
    /// IEEE binary128.
    pub const QUAD: FloatFormat = FloatFormat::of(15, 113);

    /// The formats that have names.
    pub const NAMED: &'static [FloatFormat] = &[
        FloatFormat::HALF,
        FloatFormat::BFLOAT,
        FloatFormat::SINGLE,
        FloatFormat::DOUBLE,
        FloatFormat::X87,
        FloatFormat::QUAD,
    ];

    /// The widest exponent field, in bits.
    pub const MAX_EXPONENT_BITS: u32 = 30;
    /// The largest precision, in bits.
    pub const MAX_PRECISION: u32 = (1 << PRECISION_BITS) - 1;

    const fn of(exponent_bits: u32, precision: u32) -> FloatFormat {
        FloatFormat((exponent_bits << PRECISION_BITS | precision) as u16)
    }

    /// The IEEE format of `eb` exponent bits and `sb` significand bits, the hidden one included (as in SMT-LIB's
    /// `(_ FloatingPoint eb sb)`).
    ///
    /// # Errors
    ///
    /// If the theory has no such format (fewer than 2 bits each), or it is beyond [`FloatFormat::MAX_EXPONENT_BITS`] or
    /// [`FloatFormat::MAX_PRECISION`].
    pub const fn new(eb: u32, sb: u32) -> Result<FloatFormat, FormatError> {
        let exponent_fits = 2 <= eb && eb <= FloatFormat::MAX_EXPONENT_BITS;
        let precision_fits = 2 <= sb && sb <= FloatFormat::MAX_PRECISION;
        if exponent_fits && precision_fits {
            Ok(FloatFormat::of(eb, sb))
        } else {
            Err(FormatError { eb, sb })
        }
    }

    /// A number for the format, below 2^16.
    #[inline]
    pub const fn code(self) -> u16 {
        self.0
    }

    /// The format with this [`FloatFormat::code`]; `None` if it is of none.
    #[inline]
    pub const fn from_code(code: u16) -> Option<FloatFormat> {
        let format = FloatFormat(code);
        let known = if format.has_integer_bit() {
            code == FloatFormat::X87.0
        } else {
            FloatFormat::new(format.exponent_bits(), format.precision()).is_ok()
        };
        if known { Some(format) } else { None }
    }

    /// Is the integer bit of the significand stored?
    #[inline]
    pub const fn has_integer_bit(self) -> bool {
        self.0 & EXPLICIT != 0
    }

    /// Width of the exponent field (`eb` of SMT-LIB).
    #[inline]
    pub const fn exponent_bits(self) -> u32 {
        (self.0 & !EXPLICIT) as u32 >> PRECISION_BITS
    }

    /// Precision: significand bits with the hidden (or explicit) integer bit (`sb` of SMT-LIB).
    #[inline]
    pub const fn precision(self) -> u32 {
        self.0 as u32 & FloatFormat::MAX_PRECISION
    }

    /// Width of the significand field.
    #[inline]
    pub const fn stored_bits(self) -> u32 {
        self.precision() - !self.has_integer_bit() as u32
    }

    /// Width of the format's bit pattern.
    #[inline]
    pub const fn bits(self) -> u32 {
        1 + self.exponent_bits() + self.stored_bits()
    }

    /// Largest exponent of a finite number, which is also the bias.
    pub const fn max_exponent(self) -> i64 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    /// Smallest exponent of a normal number.
    pub const fn min_exponent(self) -> i64 {
        1 - self.max_exponent()
    }

    /// The least and the greatest exponent of a number, subnormal ones normalized.
    pub(crate) const fn exponents(self) -> (i64, i64) {
        let below = self.precision() as i64 - 1;
        (self.min_exponent() - below, self.max_exponent())
    }

    /// Is every number of the other format one of this?
    pub const fn has_all_of(self, other: FloatFormat) -> bool {
        let ((low, high), (others_low, others_high)) = (self.exponents(), other.exponents());
        self.precision() >= other.precision() && low <= others_low && high >= others_high
    }

    /// Width of a signed exponent of an unpacked number: subnormal ones are normalized, and zero lies below them.
    pub(crate) const fn unpacked_exponent_bits(self) -> u32 {
        let most = self.max_exponent() + self.precision() as i64;
        65 - most.leading_zeros()
    }

    /// The format's name in the IR, if it has one.
    pub fn name(self) -> Option<&'static str> {
        const NAMES: [&str; 6] = ["Half", "BFloat", "Single", "Double", "X87", "Quad"];
        let at = FloatFormat::NAMED
            .iter()
            .position(|&format| format == self)?;
        Some(NAMES[at])
    }
}

impl fmt::Debug for FloatFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Float({}, {})", self.exponent_bits(), self.precision()),
        }
    }
}

impl From<FloatFormat> for u16 {
    fn from(format: FloatFormat) -> u16 {
        format.code()
    }
}

impl TryFrom<u16> for FloatFormat {
    type Error = String;

    fn try_from(code: u16) -> Result<FloatFormat, String> {
        FloatFormat::from_code(code).ok_or_else(|| format!("{code} is no float format"))
    }
}

/// A format that does not exist or is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatError {
    eb: u32,
    sb: u32,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no floating-point format of {} exponent and {} significand bits: 2 to {} and 2 to {} are supported",
            self.eb,
            self.sb,
            FloatFormat::MAX_EXPONENT_BITS,
            FloatFormat::MAX_PRECISION
        )
    }
}

impl std::error::Error for FormatError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_formats_have_the_widths_of_their_standards() {
        let widths = |f: FloatFormat| (f.bits(), f.exponent_bits(), f.precision());
        assert_eq!(widths(FloatFormat::HALF), (16, 5, 11));
        assert_eq!(widths(FloatFormat::BFLOAT), (16, 8, 8));
        assert_eq!(widths(FloatFormat::SINGLE), (32, 8, 24));
        assert_eq!(widths(FloatFormat::DOUBLE), (64, 11, 53));
        assert_eq!(widths(FloatFormat::X87), (80, 15, 64));
        assert_eq!(widths(FloatFormat::QUAD), (128, 15, 113));
        assert_eq!(FloatFormat::DOUBLE.min_exponent(), -1022);
        assert_eq!(format!("{:?}", FloatFormat::X87), "X87");
    }

    #[test]
    fn wider_formats_have_all_numbers_of_narrower_ones() {
        let chain = [
            FloatFormat::HALF,
            FloatFormat::SINGLE,
            FloatFormat::DOUBLE,
            FloatFormat::X87,
            FloatFormat::QUAD,
        ];
        for pair in chain.windows(2) {
            assert!(pair[1].has_all_of(pair[0]) && !pair[0].has_all_of(pair[1]));
        }
        assert!(!FloatFormat::HALF.has_all_of(FloatFormat::BFLOAT));
        assert!(!FloatFormat::BFLOAT.has_all_of(FloatFormat::HALF));
    }

    #[test]
    fn codes_are_those_of_formats() {
        for code in 0..=u16::MAX {
            if let Some(format) = FloatFormat::from_code(code) {
                assert_eq!(format.code(), code);
                assert_eq!(FloatFormat::try_from(u16::from(format)), Ok(format));
                if format != FloatFormat::X87 {
                    let (eb, sb) = (format.exponent_bits(), format.precision());
                    assert_eq!(FloatFormat::new(eb, sb), Ok(format));
                }
            }
        }
        for (eb, sb) in [
            (1, 1),
            (1, 5),
            (5, 1),
            (31, 5),
            (5, 1024),
            (1_000_000, 1_000_000),
        ] {
            let error = FloatFormat::new(eb, sb).unwrap_err().to_string();
            assert!(
                error.contains(&format!("of {eb} exponent and {sb}")),
                "{error}"
            );
        }
    }
}
