//! The operations, comparisons, conversions and checks of instructions: enumerations whose variants are their names in
//! the text.

use float::{FloatFormat, FloatPredicate};
use serde::{Deserialize, Serialize};

/// An enumeration whose values are words of the text.
pub trait Word: Copy + 'static {
    /// All values, in the order of the declaration.
    const ALL: &'static [Self];

    /// The variant's name.
    fn word(self) -> &'static str;

    /// Is it one of [`Word::ALL`]?
    fn exists(self) -> bool {
        true
    }
}

macro_rules! words {
    ($($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs)] // Variants whose names are not the usual ones say what they mean.
        pub enum $name { $($(#[$doc])* $variant),* }

        impl Word for $name {
            const ALL: &'static [$name] = &[$($name::$variant),*];

            fn word(self) -> &'static str {
                match self { $($name::$variant => stringify!($variant)),* }
            }
        }
    )*};
}

words! {
    /// Integer operations, for wide instructions.
    pub enum BinOp {
        Add,
        Sub,
        Mul,
        UDiv,
        SDiv,
        URem,
        SRem,
        Shl,
        LShr,
        AShr,
        And,
        Or,
        Xor,
    }

    /// Integer comparisons; the front end swaps operands for the rest.
    pub enum CmpOp {
        Eq,
        Ne,
        Ult,
        Ule,
        Slt,
        Sle,
    }

    /// Unary integer operations. `Ctlz` and `Cttz` of zero give the width.
    pub enum UnOp {
        Ctlz,
        Cttz,
        Ctpop,
        Bswap,
        Bitreverse,
    }

    /// Width changes of wide integers.
    pub enum CastOp {
        Zext,
        Sext,
        Trunc,
    }

    /// Float operations with two operands.
    pub enum FloatBinOp {
        Add,
        Sub,
        Mul,
        Div,
        /// C's `fmod`.
        Rem,
        /// IEEE `minNum`/`maxNum` as C's `fmin`/`fmax`.
        Min,
        Max,
        CopySign,
    }

    /// Float operations with one operand.
    pub enum FloatUnOp {
        Neg,
        Abs,
        Sqrt,
        Floor,
        Ceil,
        Trunc,
        /// To the nearest, ties to even (`roundeven`).
        RoundEven,
        /// In the direction that the program has set, mostly as `RoundEven` (`rint`, `nearbyint`).
        RoundCurrent,
        /// To the nearest, ties away from zero (`round`).
        RoundAway,
    }

    /// Conversions between floats and integers. `w` of the instruction is the integer's width, up to
    /// 128 (wide integers take several registers).
    pub enum ConvOp {
        FloatToSigned,
        FloatToUnsigned,
        SignedToFloat,
        UnsignedToFloat,
    }

    /// Operations whose floating-point exceptions a [`crate::Inst::CheckFloat`] looks for.
    pub enum FloatOp {
        Add,
        Sub,
        Mul,
        Div,
        /// C's `fmod`.
        Rem,
        /// `a * b + c`, rounded once.
        Fma,
        Sqrt,
        /// A call of a function that gave `a` for `b` and `c`.
        Call,
        /// To an integral value in the current direction (`rint`).
        Round,
        /// A comparison that is invalid on NaNs (C's `<`).
        Compare,
    }

    /// What a [`crate::Inst::Check`] or [`crate::Inst::WideCheck`] looks for in its operands, before the operation itself.
    pub enum CheckKind {
        /// `b == 0`.
        DivZero,
        /// `b == 0`, or `a / b` overflows.
        SignedDiv,
        /// `b >= w`.
        Shift,
        SignedAdd,
        SignedSub,
        SignedMul,
        /// Ranges of `b` bytes whose starts are `a` bytes apart overlap, and are not the same.
        Overlap,
        /// `a >= b`: an index and its limit.
        Index,
        /// `a == 0`: there is no first bit.
        Zero,
        /// `a` is no multiple of `b`, a power of two.
        Misaligned,
    }
}

impl Word for FloatFormat {
    const ALL: &'static [FloatFormat] = FloatFormat::NAMED;

    fn word(self) -> &'static str {
        self.name().unwrap_or("?")
    }

    fn exists(self) -> bool {
        self.name().is_some()
    }
}

impl Word for FloatPredicate {
    const ALL: &'static [FloatPredicate] = &FloatPredicate::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}
