//! Sorts of terms, and the small enumerations that parameterise floating-point operators.

/// A binary floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum FloatFormat {
    /// IEEE binary16.
    Half,
    /// bfloat16: binary32 cut to its upper half.
    BFloat,
    /// IEEE binary32, C's `float`.
    Single,
    /// IEEE binary64, C's `double`.
    Double,
    /// x87 double extended, 80 bits with an explicit integer bit.
    X87,
    /// IEEE binary128.
    Quad,
}

impl FloatFormat {
    /// Every format, in the order of its discriminant.
    pub const ALL: [FloatFormat; 6] = [
        FloatFormat::Half,
        FloatFormat::BFloat,
        FloatFormat::Single,
        FloatFormat::Double,
        FloatFormat::X87,
        FloatFormat::Quad,
    ];

    /// Width of the format's bit pattern.
    pub const fn bits(self) -> u32 {
        match self {
            FloatFormat::Half | FloatFormat::BFloat => 16,
            FloatFormat::Single => 32,
            FloatFormat::Double => 64,
            FloatFormat::X87 => 80,
            FloatFormat::Quad => 128,
        }
    }

    /// Width of the exponent field (`eb` of SMT-LIB).
    pub const fn exponent_bits(self) -> u32 {
        match self {
            FloatFormat::Half => 5,
            FloatFormat::BFloat | FloatFormat::Single => 8,
            FloatFormat::Double => 11,
            FloatFormat::X87 | FloatFormat::Quad => 15,
        }
    }

    /// Precision: significand bits with the hidden (or explicit) integer bit (`sb` of SMT-LIB).
    pub const fn precision(self) -> u32 {
        match self {
            FloatFormat::Half => 11,
            FloatFormat::BFloat => 8,
            FloatFormat::Single => 24,
            FloatFormat::Double => 53,
            FloatFormat::X87 => 64,
            FloatFormat::Quad => 113,
        }
    }
}

/// IEEE rounding-direction attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum RoundingMode {
    /// To nearest, ties to even (RNE).
    NearestEven,
    /// To nearest, ties away from zero (RNA).
    NearestAway,
    /// Toward plus infinity (RTP).
    TowardPositive,
    /// Toward minus infinity (RTN).
    TowardNegative,
    /// Toward zero (RTZ).
    TowardZero,
}

impl RoundingMode {
    /// Every mode, in the order of its discriminant.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// The SMT-LIB abbreviation.
    pub const fn smt_name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "RNE",
            RoundingMode::NearestAway => "RNA",
            RoundingMode::TowardPositive => "RTP",
            RoundingMode::TowardNegative => "RTN",
            RoundingMode::TowardZero => "RTZ",
        }
    }
}

/// Predicates of a floating-point comparison, as LLVM names them: `O…` is false when an operand
/// is NaN, `U…` is true then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum FloatPredicate {
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
}

impl FloatPredicate {
    /// Every predicate, in the order of its discriminant.
    pub const ALL: [FloatPredicate; 14] = {
        use FloatPredicate::*;
        [
            Oeq, Ogt, Oge, Olt, Ole, One, Ord, Ueq, Ugt, Uge, Ult, Ule, Une, Uno,
        ]
    };

    /// The truth of the predicate for the outcome of a comparison (`None`: unordered).
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        use FloatPredicate::*;
        use std::cmp::Ordering::*;
        match order {
            None => matches!(self, Ueq | Ugt | Uge | Ult | Ule | Une | Uno),
            Some(Less) => matches!(self, Olt | Ole | One | Ord | Ult | Ule | Une),
            Some(Equal) => matches!(self, Oeq | Oge | Ole | Ord | Ueq | Uge | Ule),
            Some(Greater) => matches!(self, Ogt | Oge | One | Ord | Ugt | Uge | Une),
        }
    }

    /// The predicate that holds exactly when this one does not.
    pub fn negated(self) -> FloatPredicate {
        use FloatPredicate::*;
        match self {
            Oeq => Une,
            Ogt => Ule,
            Oge => Ult,
            Olt => Uge,
            Ole => Ugt,
            One => Ueq,
            Ord => Uno,
            Ueq => One,
            Ugt => Ole,
            Uge => Olt,
            Ult => Oge,
            Ule => Ogt,
            Une => Oeq,
            Uno => Ord,
        }
    }

    /// The predicate that holds of (b, a) exactly when this one holds of (a, b).
    pub fn swapped(self) -> FloatPredicate {
        use FloatPredicate::*;
        match self {
            Ogt => Olt,
            Oge => Ole,
            Olt => Ogt,
            Ole => Oge,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Oeq | One | Ord | Ueq | Une | Uno => self,
        }
    }
}

/// Functions of the C mathematical library that stay one term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum MathFunction {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Pow,
    Cbrt,
    Hypot,
}

impl MathFunction {
    /// Every function, in the order of its discriminant.
    pub const ALL: [MathFunction; 23] = {
        use MathFunction::*;
        [
            Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Exp,
            Exp2, Expm1, Log, Log2, Log10, Log1p, Pow, Cbrt, Hypot,
        ]
    };

    /// Number of arguments.
    pub const fn arity(self) -> usize {
        match self {
            MathFunction::Atan2 | MathFunction::Pow | MathFunction::Hypot => 2,
            _ => 1,
        }
    }

    /// The C name of the `double` version.
    pub const fn name(self) -> &'static str {
        use MathFunction::*;
        match self {
            Sin => "sin",
            Cos => "cos",
            Tan => "tan",
            Asin => "asin",
            Acos => "acos",
            Atan => "atan",
            Atan2 => "atan2",
            Sinh => "sinh",
            Cosh => "cosh",
            Tanh => "tanh",
            Asinh => "asinh",
            Acosh => "acosh",
            Atanh => "atanh",
            Exp => "exp",
            Exp2 => "exp2",
            Expm1 => "expm1",
            Log => "log",
            Log2 => "log2",
            Log10 => "log10",
            Log1p => "log1p",
            Pow => "pow",
            Cbrt => "cbrt",
            Hypot => "hypot",
        }
    }
}

/// The sort of a term. A Boolean is a bit-vector of width 1 (true = 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// Bit-vector of the given width, 1 ..= [`Sort::MAX_WIDTH`].
    BitVec(u32),
    /// Floating-point number. Its value is a bit pattern: NaN payloads are kept.
    Float(FloatFormat),
    /// Total map from bit-vectors to bit-vectors.
    Array {
        /// Width of an index, at most [`Sort::MAX_INDEX`].
        index: u32,
        /// Width of an element, at most [`Sort::MAX_ELEM`].
        elem: u32,
    },
    /// Mathematical integer.
    Int,
    /// Real number. Reserved: no constructor makes one yet.
    Real,
}

const TAG: u32 = 29;

impl Sort {
    /// Widest bit-vector.
    pub const MAX_WIDTH: u32 = 1 << 24;
    /// Widest index of an array.
    pub const MAX_INDEX: u32 = 0x1fff;
    /// Widest element of an array.
    pub const MAX_ELEM: u32 = 0xffff;

    /// Packs the sort into a word: the tag in the three top bits; a bit-vector is its width.
    pub(crate) const fn encode(self) -> u32 {
        match self {
            Sort::BitVec(width) => width,
            Sort::Float(format) => 1 << TAG | format as u32,
            Sort::Array { index, elem } => 2 << TAG | index << 16 | elem,
            Sort::Int => 3 << TAG,
            Sort::Real => 4 << TAG,
        }
    }

    pub(crate) const fn decode(code: u32) -> Sort {
        match code >> TAG {
            0 => Sort::BitVec(code),
            1 => Sort::Float(FloatFormat::ALL[(code & 7) as usize]),
            2 => Sort::Array {
                index: (code >> 16) & 0x1fff,
                elem: code & 0xffff,
            },
            3 => Sort::Int,
            _ => Sort::Real,
        }
    }

    /// Bits of a value of this sort: a bit-vector's width or a float's pattern; 0 otherwise.
    pub const fn bits(self) -> u32 {
        match self {
            Sort::BitVec(width) => width,
            Sort::Float(format) => format.bits(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_survive_encoding() {
        let mut sorts = vec![
            Sort::BitVec(1),
            Sort::BitVec(Sort::MAX_WIDTH),
            Sort::Array { index: 64, elem: 8 },
            Sort::Array { index: 1, elem: 64 },
            Sort::Array {
                index: Sort::MAX_INDEX,
                elem: Sort::MAX_ELEM,
            },
            Sort::Int,
            Sort::Real,
        ];
        sorts.extend(FloatFormat::ALL.map(Sort::Float));
        for sort in sorts {
            assert_eq!(Sort::decode(sort.encode()), sort);
        }
    }

    #[test]
    fn predicates_negate_and_swap() {
        use std::cmp::Ordering::*;
        for predicate in FloatPredicate::ALL {
            for order in [None, Some(Less), Some(Equal), Some(Greater)] {
                assert_eq!(predicate.holds(order), !predicate.negated().holds(order));
                let reversed = order.map(std::cmp::Ordering::reverse);
                assert_eq!(predicate.holds(order), predicate.swapped().holds(reversed));
            }
        }
    }
}
