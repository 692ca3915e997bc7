//! Instructions. `w` is a width in bits, 1..=64 unless the instruction is a wide one.
//!
//! How to add one: add the variant here with its meaning, its row in `verify` and `print`, its
//! lowering in `llvm`, its arm in `exec` (there is no wildcard arm, so the compiler leads you).

use crate::{FuncId, Pc, SiteId, StrId};
use serde::{Deserialize, Serialize};

/// A register of the current frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Reg(pub u32);

/// An operand: a register, or a pooled constant when the top bit is set. A wide operand names its
/// first register or constant; the others follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Val(pub u32);

const CONST_BIT: u32 = 1 << 31;

impl Val {
    /// The operand that reads register `r`.
    pub const fn reg(r: Reg) -> Val {
        Val(r.0)
    }
    /// The operand that reads entry `index` of the constant pool.
    pub const fn constant(index: u32) -> Val {
        Val(index | CONST_BIT)
    }
    pub const fn is_const(self) -> bool {
        self.0 & CONST_BIT != 0
    }
    /// The index into registers or constants.
    pub const fn index(self) -> usize {
        (self.0 & !CONST_BIT) as usize
    }
    /// The operand of the `n`-th following limb.
    pub const fn limb(self, n: u32) -> Val {
        Val(self.0 + n)
    }
}

impl From<Reg> for Val {
    fn from(r: Reg) -> Val {
        Val::reg(r)
    }
}

/// Integer operations, for wide instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
}

/// Unary integer operations. `Ctlz` and `Cttz` of zero give the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnOp {
    Ctlz,
    Cttz,
    Ctpop,
    Bswap,
    Bitreverse,
}

/// Width changes of wide integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CastOp {
    Zext,
    Sext,
    Trunc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatFormat {
    Half,
    BFloat,
    Single,
    Double,
    /// x87 extended precision, 80 bits in two registers.
    X87,
    /// IEEE quad, 128 bits in two registers.
    Quad,
}

impl FloatFormat {
    /// Bits of the format.
    pub const fn bits(self) -> u32 {
        match self {
            FloatFormat::Half | FloatFormat::BFloat => 16,
            FloatFormat::Single => 32,
            FloatFormat::Double => 64,
            FloatFormat::X87 => 80,
            FloatFormat::Quad => 128,
        }
    }
    /// Registers that a value takes.
    pub const fn slots(self) -> u32 {
        self.bits().div_ceil(64)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest, ties to even (`rint`, `nearbyint`, `roundeven`).
    RoundEven,
    /// To the nearest, ties away from zero (`round`).
    RoundAway,
}

/// Float comparisons: `O` is false on NaN, `U` is true on NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Conversions between floats and integers. `w` of the instruction is the integer's width, up to
/// 128 (wide integers take several registers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConvOp {
    FloatToSigned,
    FloatToUnsigned,
    SignedToFloat,
    UnsignedToFloat,
}

/// What a [`Inst::Check`] looks for in its operands, before the operation itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
}

/// One instruction, 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inst {
    // --- integers up to 64 bits ---
    Add {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Sub {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Mul {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    UDiv {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    SDiv {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    URem {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    SRem {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Shl {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    LShr {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    AShr {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    And {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Or {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Xor {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    /// `dst` is one bit.
    Eq {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Ne {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Ult {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Ule {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Slt {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Sle {
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    Un {
        op: UnOp,
        w: u8,
        dst: Reg,
        a: Val,
    },
    /// `dst = a`, also zero extension; `w` is the width of `a`, `to >= w` that of `dst`.
    Zext {
        w: u8,
        to: u8,
        dst: Reg,
        a: Val,
    },
    Sext {
        w: u8,
        to: u8,
        dst: Reg,
        a: Val,
    },
    /// The low `to` bits of `a`, which is `w` wide.
    Trunc {
        w: u8,
        to: u8,
        dst: Reg,
        a: Val,
    },
    /// `w` bits of `dst` are `a` if the one bit `c` is set, else `b`.
    Select {
        w: u8,
        dst: Reg,
        c: Val,
        a: Val,
        b: Val,
    },
    /// `dst = a`, a value of `w` bits.
    Copy {
        w: u8,
        dst: Reg,
        a: Val,
    },
    /// Register `dst` gets the result of `w` bits, `dst + 1` the overflow bit. `op` is add, sub or mul.
    Overflow {
        op: BinOp,
        signed: bool,
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
    },
    /// Funnel shift: the high (`left`) or low `w` bits of `(a ++ b)` shifted by `c mod w`.
    Funnel {
        left: bool,
        w: u8,
        dst: Reg,
        a: Val,
        b: Val,
        c: Val,
    },
    /// `dst = base + index * scale`, 64 bits.
    Index {
        dst: Reg,
        base: Val,
        index: Val,
        scale: u32,
    },

    // --- wide integers, w > 64 ---
    WideBin {
        op: BinOp,
        w: u16,
        dst: Reg,
        a: Val,
        b: Val,
    },
    /// `dst` is one bit.
    WideCmp {
        op: CmpOp,
        w: u16,
        dst: Reg,
        a: Val,
        b: Val,
    },
    WideUn {
        op: UnOp,
        w: u16,
        dst: Reg,
        a: Val,
    },
    /// Between widths of which at least one is above 64.
    WideCast {
        op: CastOp,
        from: u16,
        to: u16,
        dst: Reg,
        a: Val,
    },

    // --- floats ---
    FloatBin {
        op: FloatBinOp,
        format: FloatFormat,
        dst: Reg,
        a: Val,
        b: Val,
    },
    FloatUn {
        op: FloatUnOp,
        format: FloatFormat,
        dst: Reg,
        a: Val,
    },
    /// `a * b + c` rounded once.
    FloatFma {
        format: FloatFormat,
        dst: Reg,
        a: Val,
        b: Val,
        c: Val,
    },
    /// `dst` is one bit.
    FloatCmp {
        op: FloatPredicate,
        format: FloatFormat,
        dst: Reg,
        a: Val,
        b: Val,
    },
    FloatCast {
        from: FloatFormat,
        to: FloatFormat,
        dst: Reg,
        a: Val,
    },
    /// Between a float and an integer of `w` bits. `saturating` as in `llvm.fpto*i.sat`.
    FloatConv {
        op: ConvOp,
        saturating: bool,
        format: FloatFormat,
        w: u8,
        dst: Reg,
        a: Val,
    },

    // --- memory ---
    /// `bytes` in 1..=8, little endian, zero extended.
    Load {
        bytes: u8,
        dst: Reg,
        address: Val,
    },
    Store {
        bytes: u8,
        address: Val,
        value: Val,
    },
    /// Load from `base + index * scale`.
    LoadIndex {
        bytes: u8,
        dst: Reg,
        base: Val,
        index: Val,
        scale: u32,
    },
    /// Load from `base + offset`.
    LoadOffset {
        bytes: u8,
        dst: Reg,
        base: Val,
        offset: i32,
    },
    /// Store to `base + offset`.
    StoreOffset {
        bytes: u8,
        base: Val,
        offset: i32,
        value: Val,
    },
    /// Store to `base + index * scale`.
    StoreIndex {
        bytes: u8,
        base: Val,
        index: Val,
        scale: u32,
        value: Val,
    },
    /// A stack object of `size` bytes in this frame; lives until the frame ends or `StackRestore`.
    Alloca {
        align: u16,
        dst: Reg,
        size: Val,
        name: StrId,
    },
    StackSave {
        dst: Reg,
    },
    /// The variable at this address begins to live (again): its bytes can be accessed.
    ScopeStart {
        address: Val,
        size: u32,
    },
    /// The variable's scope ends: its bytes cannot be accessed any more.
    ScopeEnd {
        address: Val,
        size: u32,
    },
    StackRestore {
        mark: Val,
    },
    /// No overlap check.
    MemCopy {
        dst: Val,
        src: Val,
        len: Val,
    },
    MemMove {
        dst: Val,
        src: Val,
        len: Val,
    },
    /// `byte` is 8 bits wide.
    MemSet {
        dst: Val,
        byte: Val,
        len: Val,
    },

    // --- control ---
    Jump {
        target: Pc,
    },
    /// `c` is one bit.
    Branch {
        c: Val,
        then: Pc,
        other: Pc,
    },
    /// A comparison whose only use is the branch.
    CmpBranch {
        op: CmpOp,
        w: u8,
        a: Val,
        b: Val,
        then: Pc,
        other: Pc,
    },
    Switch {
        w: u8,
        value: Val,
        table: u32,
    },
    /// A direct call of a function that is not variadic; `args` and `count` name a run of
    /// [`crate::Module::operands`].
    Call {
        callee: FuncId,
        dst: Reg,
        args: u32,
        count: u16,
    },
    /// Any other call, by index into [`crate::Module::call_sites`].
    CallSite {
        site: u32,
    },
    /// Returns the run of operands.
    Ret {
        values: u32,
        count: u16,
    },
    /// Reaching this is undefined behaviour of the program.
    Unreachable,
    /// `llvm.trap` and friends.
    Trap,
    /// Something that the front end cannot translate: ends the path with this name.
    Unsupported {
        what: StrId,
    },

    // --- the rest ---
    Cover {
        site: SiteId,
    },
    Check {
        kind: CheckKind,
        w: u8,
        a: Val,
        b: Val,
    },
    /// Fills the `va_list` at the address with the frame's variable arguments.
    VaStart {
        list: Val,
    },
    VaCopy {
        dst: Val,
        src: Val,
    },
    ThreadPointer {
        dst: Reg,
    },
}

const _: () = assert!(size_of::<Inst>() <= 24);
