//! Functions of the mathematical library.

use crate::FloatFormat;

/// A function of C's mathematical library that can be one operation. Its values are those of some library's code; the
/// standard does not define them to the last bit.
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

    /// The function with this C name, and the format that the name's suffix says: `sin`, `sinf`.
    pub fn of_name(name: &str) -> Option<(MathFunction, FloatFormat)> {
        let of = |name: &str| MathFunction::ALL.into_iter().find(|f| f.name() == name);
        let single = || Some((of(name.strip_suffix('f')?)?, FloatFormat::SINGLE));
        of(name).map(|f| (f, FloatFormat::DOUBLE)).or_else(single)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_says_the_format() {
        let double = |f| Some((f, FloatFormat::DOUBLE));
        assert_eq!(MathFunction::of_name("sin"), double(MathFunction::Sin));
        assert_eq!(
            MathFunction::of_name("expf"),
            Some((MathFunction::Exp, FloatFormat::SINGLE))
        );
        for other in ["sinl", "f", "erf", "sinff", "sincos", ""] {
            assert_eq!(MathFunction::of_name(other), None, "{other}");
        }
    }
}
