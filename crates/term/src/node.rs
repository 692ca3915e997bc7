//! Handles, operators and the 24-byte node.

use serde::{Deserialize, Serialize};

/// Handle of a term in a [`Pool`](crate::Pool). `Term(0)` is [`Term::NONE`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Term(pub u32);

impl Term {
    /// "No term": what a concrete register holds.
    pub const NONE: Term = Term(0);
    /// The constant 0 of width 1. The same handle in every pool, collected or not.
    pub const FALSE: Term = Term(1);
    /// The constant 1 of width 1. The same handle in every pool, collected or not.
    pub const TRUE: Term = Term(2);

    /// Is this [`Term::NONE`]?
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Is this a term?
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Debug for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// Dense index of a free variable of a pool.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// Operators. Comparisons have three members only: the constructors turn `ule`, `sge`, … into
/// [`Op::Not`] of [`Op::Ult`] or [`Op::Slt`] with the operands swapped.
///
/// To add an operator: a variant here (bit-vector operators lie between `Not` and `Ite`, those over
/// floats after `FpFromBits`), its constructor in `build/`, its meaning in `semantics` and `wide` or
/// (of floats) in crate `float`, with arms in `fpu` and `lower`, what is known of its value in `info` and
/// `domain::forward`, `Pool::rebuild`, `Printer::pieces`, a lane loop in `truth`, an arm in `Tape::run`; then
/// `tests/common` gives it naive semantics, and all other tests apply to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Op {
    /// The place of `Term::NONE`; never the operator of a term.
    None,
    /// Constant of at most 64 bits.
    Const,
    /// Constant of more than 64 bits.
    ConstWide,
    /// Free variable of any sort.
    Symbol,
    /// Bitwise complement.
    Not,
    /// Two's complement.
    Neg,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient; x / 0 = ~0.
    Udiv,
    /// Signed quotient, rounded to zero; x / 0 = 1 for x < 0, else ~0.
    Sdiv,
    /// Unsigned remainder; x % 0 = x.
    Urem,
    /// Signed remainder with the sign of the dividend; x % 0 = x.
    Srem,
    /// Left shift; 0 when the amount is the width or more.
    Shl,
    /// Logical right shift; 0 when the amount is the width or more.
    Lshr,
    /// Arithmetic right shift; the sign everywhere when the amount is the width or more.
    Ashr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// First child above the second.
    Concat,
    /// Bits of a bit-vector: [`Pool::extract_bounds`](crate::Pool::extract_bounds).
    Extract,
    /// Zero extension.
    Zext,
    /// Sign extension.
    Sext,
    /// Equality of bit-vectors, arrays or integers (floats are compared by their bit patterns).
    Eq,
    /// Unsigned less-than.
    Ult,
    /// Signed less-than.
    Slt,
    /// If-then-else over any sort.
    Ite,
    /// Array of 8-bit elements with given content, 0 past its end.
    ArrayBytes,
    /// Array with one value everywhere.
    ArrayConst,
    /// Array element, with optional bounds of the index.
    Select,
    /// Array with one element replaced.
    Store,
    /// Integer constant.
    IntConst,
    /// Sum of two integers. Sums are chains; read them by
    /// [`Pool::linear`](crate::Pool::linear).
    IntAdd,
    /// Integer (second operand) times a constant (first operand).
    IntMul,
    /// Quotient by a constant other than 0, as SMT-LIB's `div`: the remainder is not negative.
    IntDiv,
    /// Remainder by a constant other than 0, as SMT-LIB's `mod`: 0 <= x mod k < |k|.
    IntMod,
    /// First integer at most the second, width 1.
    IntLe,
    /// Float with the given bit pattern.
    FpFromBits,
    /// Bit pattern of a float.
    FpToBits,
    /// Sum.
    FAdd,
    /// Difference.
    FSub,
    /// Product.
    FMul,
    /// Quotient.
    FDiv,
    /// Remainder with truncated quotient: C's `fmod`, LLVM's `frem`.
    FRem,
    /// Remainder with the quotient rounded to nearest: C's `remainder`, SMT-LIB's `fp.rem`.
    FRemainder,
    /// a * b + c, rounded once.
    Fma,
    /// Square root.
    FSqrt,
    /// Flipped sign, of NaN too.
    FNeg,
    /// Cleared sign, of NaN too.
    FAbs,
    /// Smaller operand; the other when one is NaN (C's `fmin`). Of unlike zeros the first, in X87 the negative one.
    FMin,
    /// Larger operand; the other when one is NaN (C's `fmax`). Of unlike zeros the first, in X87 the positive one.
    FMax,
    /// Rounding to an integral value.
    FRound,
    /// Comparison, width 1.
    FCmp,
    /// Conversion between formats.
    FpToFp,
    /// Conversion to a signed integer; NaN and out of range give the smallest one.
    FpToSint,
    /// Conversion to an unsigned integer; NaN and out of range give all ones.
    FpToUint,
    /// Conversion from a signed integer.
    SintToFp,
    /// Conversion from an unsigned integer.
    UintToFp,
    /// A function of the mathematical library.
    FCall,
}

impl Op {
    /// Does the operator make or take floating-point values?
    pub fn is_float(self) -> bool {
        self >= Op::FpFromBits
    }

    /// Does the operator take integers only? ([`Op::Eq`] and [`Op::Ite`] take any sort.)
    pub fn is_int(self) -> bool {
        matches!(
            self,
            Op::IntConst | Op::IntAdd | Op::IntMul | Op::IntDiv | Op::IntMod | Op::IntLe
        )
    }

    /// May the two bit-vector operands be exchanged?
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq | Op::FAdd | Op::FMul
        )
    }
}

/// A node. Constants keep their value in `kids` (`arity` 0). What `imm` and `aux` hold depends on
/// the operator, see the accessors of `Pool`; nodes know the widths that evaluation needs:
/// `aux` is the operand width of `Eq`, `Ult`, `Slt`, `Zext`, `Sext` and the low part's of `Concat`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub arity: u8,
    pub imm: u8,
    pub spare: u8,
    pub sort: u32,
    pub kids: [Term; 3],
    pub aux: u32,
}

const _: () = assert!(std::mem::size_of::<Node>() == 24);

impl Node {
    pub fn new(op: Op, sort: u32, kids: &[Term]) -> Node {
        let mut inline = [Term::NONE; 3];
        inline[..kids.len()].copy_from_slice(kids);
        Node {
            op,
            arity: kids.len() as u8,
            imm: 0,
            spare: 0,
            sort,
            kids: inline,
            aux: 0,
        }
    }

    #[inline]
    pub fn with_aux(mut self, aux: u32) -> Node {
        self.aux = aux;
        self
    }

    #[inline]
    pub fn with_imm(mut self, imm: u8) -> Node {
        self.imm = imm;
        self
    }

    #[inline]
    pub fn constant(width: u32, value: u64) -> Node {
        let mut node = Node::new(Op::Const, width, &[]);
        node.kids[0] = Term(value as u32);
        node.kids[1] = Term((value >> 32) as u32);
        node
    }

    #[inline]
    pub fn value(&self) -> u64 {
        self.kids[0].0 as u64 | (self.kids[1].0 as u64) << 32
    }

    #[inline]
    pub fn children(&self) -> &[Term] {
        &self.kids[..self.arity as usize]
    }

    #[inline]
    pub fn words(&self) -> [u64; 3] {
        let head = self.op as u32 | (self.arity as u32) << 8 | (self.imm as u32) << 16;
        [
            head as u64 | (self.sort as u64) << 32,
            self.kids[0].0 as u64 | (self.kids[1].0 as u64) << 32,
            self.kids[2].0 as u64 | (self.aux as u64) << 32,
        ]
    }

    /// All 64 bits are good: [`crate::table`] sorts by the top ones. Two folded 128-bit products,
    /// as in wyhash.
    #[inline]
    pub fn hash(&self) -> u64 {
        let fold = |a: u64, b: u64| {
            let product = a as u128 * b as u128;
            product as u64 ^ (product >> 64) as u64
        };
        let [a, b, c] = self.words();
        let first = fold(a ^ 0xa076_1d64_78bd_642f, b ^ 0xe703_7ed1_a0b4_28db);
        fold(first ^ c, 0x8ebc_6af0_9c88_c6e3)
    }
}

impl PartialEq for Node {
    #[inline]
    fn eq(&self, other: &Node) -> bool {
        self.words() == other.words()
    }
}
