//! Instructions: one table, of which their operands, their text and what the verifier asks of their fields are made
//! (see [`crate::fields`]). `w` is a width in bits.
//!
//! How to add one: its row here with its meaning, its lowering in `llvm`, its arms in `exec` (there is no wildcard
//! arm, so the compiler leads you), and a new `file::VERSION`. If it refers to a table of the module (kind `table`), it
//! takes arms in `verify`, `print` and `parse`, too.

use crate::fields::{Blank, Fields, IntegerField};
use crate::operands::{Operands, converted_from, converted_to};
use crate::ops::*;
use crate::{FloatFormat, FloatPredicate, FuncId, Pc, SiteId, StrId};
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
    /// Whether it is a constant.
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

instructions! {
    // --- integers up to 64 bits ---
    Add { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    Sub { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    Mul { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    UDiv { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    SDiv { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    URem { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    SRem { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    Shl { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    LShr { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    AShr { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    And { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    Or { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    Xor { w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    Eq { w: u8 = width, dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    Ne { w: u8 = width, dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    Ult { w: u8 = width, dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    Ule { w: u8 = width, dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    Slt { w: u8 = width, dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    Sle { w: u8 = width, dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    Un { op: UnOp = word, w: u8 = width, dst: Reg = write(w), a: Val = read(w) }
        if op != UnOp::Bswap || w % 8 == 0, "byte swap of odd bits";
    /// `dst = a`, also zero extension; `w` is the width of `a`, `to >= w` that of `dst`.
    Zext { w: u8 = width, to: u8 = width, dst: Reg = write(to), a: Val = read(w) }
        if w <= to, "extension narrows";
    Sext { w: u8 = width, to: u8 = width, dst: Reg = write(to), a: Val = read(w) }
        if w <= to, "extension narrows";
    /// The low `to` bits of `a`, which is `w` wide.
    Trunc { w: u8 = width, to: u8 = width, dst: Reg = write(to), a: Val = read(w) }
        if to <= w, "truncation widens";
    /// `w` bits of `dst` are `a` if the one bit `c` is set, else `b`.
    Select { w: u8 = width, dst: Reg = write(w), c: Val = read(1), a: Val = read(w), b: Val = read(w) };
    /// `dst = a`, a value of `w` bits.
    Copy { w: u8 = width, dst: Reg = write(w), a: Val = read(w) };
    /// Register `dst` gets the result of `w` bits, `dst + 1` the overflow bit. `op` is add, sub or mul.
    Overflow { op: BinOp = word, signed: bool = flag(signed unsigned), w: u8 = width, dst: Reg = write_flag(w),
        a: Val = read(w), b: Val = read(w) }
        if matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul), "overflow of another operation";
    /// Funnel shift: the high (`left`) or low `w` bits of `(a ++ b)` shifted by `c mod w`.
    Funnel { left: bool = flag(left right), w: u8 = width, dst: Reg = write(w), a: Val = read(w), b: Val = read(w),
        c: Val = read(w) };
    /// `dst = base + index * scale`, 64 bits.
    Index { dst: Reg = write(64), base: Val = read(64), index: Val = read(64), scale: u32 = number };

    // --- wide integers, w > 64 ---
    WideBin { op: BinOp = word, w: u16 = width(65..=65535), dst: Reg = write(w), a: Val = read(w), b: Val = read(w) };
    WideCmp { op: CmpOp = word, w: u16 = width(65..=65535), dst: Reg = write(1), a: Val = read(w), b: Val = read(w) };
    WideUn { op: UnOp = word, w: u16 = width(65..=65535), dst: Reg = write(w), a: Val = read(w) }
        if op != UnOp::Bswap || w % 8 == 0, "byte swap of odd bits";
    /// Between widths of which at least one is above 64.
    WideCast { op: CastOp = word, from: u16 = width(1..=65535), to: u16 = width(1..=65535), dst: Reg = write(to),
        a: Val = read(from) }
        if from.max(to) > 64 && if op == CastOp::Trunc { to <= from } else { from <= to }, "widths of a wide cast";

    // --- floats ---
    FloatBin { op: FloatBinOp = word, format: FloatFormat = word, dst: Reg = write(format), a: Val = read(format),
        b: Val = read(format) };
    FloatUn { op: FloatUnOp = word, format: FloatFormat = word, dst: Reg = write(format), a: Val = read(format) };
    /// `a * b + c` rounded once.
    FloatFma { format: FloatFormat = word, dst: Reg = write(format), a: Val = read(format), b: Val = read(format),
        c: Val = read(format) };
    FloatCmp { op: FloatPredicate = word, format: FloatFormat = word, dst: Reg = write(1), a: Val = read(format),
        b: Val = read(format) };
    FloatCast { from: FloatFormat = word, to: FloatFormat = word, dst: Reg = write(to), a: Val = read(from) };
    /// Between a float and an integer of `w` bits. `saturating` as in `llvm.fpto*i.sat`.
    FloatConv { op: ConvOp = word, saturating: bool = flag(saturating plain), format: FloatFormat = word,
        w: u8 = width(1..=128), dst: Reg = write(converted_to(*op, *format, *w)),
        a: Val = read(converted_from(*op, *format, *w)) };

    // --- memory ---
    /// `bytes` in 1..=8, little endian, zero extended.
    Load { bytes: u8 = width(1..=8), dst: Reg = write(bytes * 8), address: Val = read(64) };
    /// A load that the front end makes, to put bits back or to split a structure into registers: it takes bytes along that
    /// were never written.
    LoadRaw { bytes: u8 = width(1..=8), dst: Reg = write(bytes * 8), address: Val = read(64) };
    Store { bytes: u8 = width(1..=8), address: Val = read(64), value: Val = read(bytes * 8) };
    /// Load from `base + index * scale`.
    LoadIndex { bytes: u8 = width(1..=8), dst: Reg = write(bytes * 8), base: Val = read(64), index: Val = read(64),
        scale: u32 = number };
    /// Load from `base + offset`.
    LoadOffset { bytes: u8 = width(1..=8), dst: Reg = write(bytes * 8), base: Val = read(64), offset: i32 = number };
    /// Store to `base + offset`.
    StoreOffset { bytes: u8 = width(1..=8), base: Val = read(64), offset: i32 = number, value: Val = read(bytes * 8) };
    /// Store to `base + index * scale`.
    StoreIndex { bytes: u8 = width(1..=8), base: Val = read(64), index: Val = read(64), scale: u32 = number,
        value: Val = read(bytes * 8) };
    /// A stack object of `size` bytes in this frame; lives until the frame ends or `StackRestore`.
    Alloca { align: u16 = number, dst: Reg = write(64), size: Val = read(64), name: StrId = string }
        if align.is_power_of_two(), "alignment";
    /// `dst` is where the stack ends, for `StackRestore`.
    StackSave { dst: Reg = write(64) };
    /// The variable at this address begins to live (again): its bytes can be accessed.
    ScopeStart { address: Val = read(64), size: u32 = number };
    /// The variable's scope ends: its bytes cannot be accessed any more.
    ScopeEnd { address: Val = read(64), size: u32 = number };
    /// Frees the stack objects made since the `StackSave` that gave this mark.
    StackRestore { mark: Val = read(64) };
    /// No overlap check.
    MemCopy { dst: Val = read(64), src: Val = read(64), len: Val = read(64) };
    MemMove { dst: Val = read(64), src: Val = read(64), len: Val = read(64) };
    /// `byte` is 8 bits wide.
    MemSet { dst: Val = read(64), byte: Val = read(8), len: Val = read(64) };

    // --- control ---
    Jump { target: Pc = label };
    /// `c` is one bit.
    Branch { c: Val = read(1), then: Pc = label, other: Pc = label };
    /// A comparison whose only use is the branch.
    CmpBranch { op: CmpOp = word, w: u8 = width, a: Val = read(w), b: Val = read(w), then: Pc = label,
        other: Pc = label };
    Switch { w: u8 = width, value: Val = read(w), table: u32 = table };
    /// A direct call of a function that is not variadic; `args` and `count` name a run of
    /// [`crate::Module::operands`].
    Call { callee: FuncId = table, dst: Reg = table, args: u32 = table, count: u16 = table };
    /// Any other call, by index into [`crate::Module::call_sites`].
    CallSite { site: u32 = table };
    /// Stands behind a call that an exception may end. The path goes on at `target`; if an exception passes and a clause of
    /// [`crate::Module::pads`] at `clauses` applies to it, at `pad`, with the results of the call unwritten.
    Invoked { target: Pc = label, pad: Pc = label, clauses: u32 = table };
    /// Returns the run of operands.
    Ret { values: u32 = table, count: u16 = table };
    /// Reaching this is undefined behavior of the program.
    Unreachable;
    /// `llvm.trap` and friends.
    Trap;
    /// Something that the front end cannot translate: ends the path with this name.
    Unsupported { what: StrId = string };

    // --- the rest ---
    Cover { site: SiteId = site };
    Check { kind: CheckKind = word, w: u8 = width, a: Val = read(w), b: Val = read(w) };
    WideCheck { kind: CheckKind = word, w: u16 = width(65..=65535), a: Val = read(w), b: Val = read(w) };
    /// Stands before a float operation. Either (`look`) the program's exceptions are looked for: can it raise one? Or
    /// (`raise`) it sets the flags that the program can read. An operand that the operation does not have is another one
    /// again.
    CheckFloat { raise: bool = flag(raise look), op: FloatOp = word, format: FloatFormat = word, a: Val = read(format),
        b: Val = read(format), c: Val = read(format) };
    /// The same before a [`Inst::FloatCast`].
    CheckFloatCast { raise: bool = flag(raise look), from: FloatFormat = word, to: FloatFormat = word,
        a: Val = read(from) };
    /// The same before a [`Inst::FloatConv`].
    CheckFloatConv { raise: bool = flag(raise look), op: ConvOp = word, format: FloatFormat = word,
        w: u8 = width(1..=128), a: Val = read(converted_from(*op, *format, *w)) };
}

const _: () = assert!(size_of::<Inst>() <= 24);
