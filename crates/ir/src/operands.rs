//! Which registers an instruction reads and writes: one match that the verifier, the printer's
//! checks and the register allocator share.
//!
//! Operands that live in tables (arguments of calls, values of returns) are not reported; their
//! owner walks the tables.

use crate::{CastOp, ConvOp, FloatFormat, Inst, Reg, Val};

/// Registers that an integer of `w` bits takes.
pub const fn slots(w: u32) -> u32 {
    w.div_ceil(64)
}

/// Width in bits of slot `n` of a value of `w` bits.
pub const fn slot_width(w: u32, n: u32) -> u32 {
    let rest = w - n * 64;
    if rest < 64 { rest } else { 64 }
}

/// Receives the operands of one instruction, each with its width in bits. A width above 64 names
/// the first of several consecutive registers.
pub trait Operands {
    fn reads(&mut self, value: &mut Val, width: u32);
    fn writes(&mut self, register: &mut Reg, width: u32);
}

impl Inst {
    /// Reports reads, then writes. The destination of [`Inst::Call`] is not reported, because the
    /// callee's results say how many registers it has.
    pub fn operands(&mut self, o: &mut impl Operands) {
        match self {
            Inst::Add { w, dst, a, b }
            | Inst::Sub { w, dst, a, b }
            | Inst::Mul { w, dst, a, b }
            | Inst::UDiv { w, dst, a, b }
            | Inst::SDiv { w, dst, a, b }
            | Inst::URem { w, dst, a, b }
            | Inst::SRem { w, dst, a, b }
            | Inst::Shl { w, dst, a, b }
            | Inst::LShr { w, dst, a, b }
            | Inst::AShr { w, dst, a, b }
            | Inst::And { w, dst, a, b }
            | Inst::Or { w, dst, a, b }
            | Inst::Xor { w, dst, a, b } => {
                let w = u32::from(*w);
                o.reads(a, w);
                o.reads(b, w);
                o.writes(dst, w);
            }
            Inst::Eq { w, dst, a, b }
            | Inst::Ne { w, dst, a, b }
            | Inst::Ult { w, dst, a, b }
            | Inst::Ule { w, dst, a, b }
            | Inst::Slt { w, dst, a, b }
            | Inst::Sle { w, dst, a, b } => {
                let w = u32::from(*w);
                o.reads(a, w);
                o.reads(b, w);
                o.writes(dst, 1);
            }
            Inst::Un { op: _, w, dst, a } | Inst::Copy { w, dst, a } => {
                o.reads(a, u32::from(*w));
                o.writes(dst, u32::from(*w));
            }
            Inst::Zext { w, to, dst, a }
            | Inst::Sext { w, to, dst, a }
            | Inst::Trunc { w, to, dst, a } => {
                o.reads(a, u32::from(*w));
                o.writes(dst, u32::from(*to));
            }
            Inst::Select { w, dst, c, a, b } => {
                let w = u32::from(*w);
                o.reads(c, 1);
                o.reads(a, w);
                o.reads(b, w);
                o.writes(dst, w);
            }
            Inst::Overflow {
                op: _,
                signed: _,
                w,
                dst,
                a,
                b,
            } => {
                let w = u32::from(*w);
                o.reads(a, w);
                o.reads(b, w);
                let mut flag = Reg(dst.0 + 1);
                o.writes(dst, w);
                o.writes(&mut flag, 1);
            }
            Inst::Funnel {
                left: _,
                w,
                dst,
                a,
                b,
                c,
            } => {
                let w = u32::from(*w);
                o.reads(a, w);
                o.reads(b, w);
                o.reads(c, w);
                o.writes(dst, w);
            }
            Inst::Index {
                dst,
                base,
                index,
                scale: _,
            } => {
                o.reads(base, 64);
                o.reads(index, 64);
                o.writes(dst, 64);
            }
            Inst::WideBin {
                op: _,
                w,
                dst,
                a,
                b,
            } => {
                let w = u32::from(*w);
                o.reads(a, w);
                o.reads(b, w);
                o.writes(dst, w);
            }
            Inst::WideCmp {
                op: _,
                w,
                dst,
                a,
                b,
            } => {
                let w = u32::from(*w);
                o.reads(a, w);
                o.reads(b, w);
                o.writes(dst, 1);
            }
            Inst::WideUn { op: _, w, dst, a } => {
                o.reads(a, u32::from(*w));
                o.writes(dst, u32::from(*w));
            }
            Inst::WideCast {
                op: CastOp::Zext | CastOp::Sext | CastOp::Trunc,
                from,
                to,
                dst,
                a,
            } => {
                o.reads(a, u32::from(*from));
                o.writes(dst, u32::from(*to));
            }
            Inst::FloatBin {
                op: _,
                format,
                dst,
                a,
                b,
            } => {
                o.reads(a, format.bits());
                o.reads(b, format.bits());
                o.writes(dst, format.bits());
            }
            Inst::FloatUn {
                op: _,
                format,
                dst,
                a,
            } => {
                o.reads(a, format.bits());
                o.writes(dst, format.bits());
            }
            Inst::FloatFma {
                format,
                dst,
                a,
                b,
                c,
            } => {
                o.reads(a, format.bits());
                o.reads(b, format.bits());
                o.reads(c, format.bits());
                o.writes(dst, format.bits());
            }
            Inst::FloatCmp {
                op: _,
                format,
                dst,
                a,
                b,
            } => {
                o.reads(a, format.bits());
                o.reads(b, format.bits());
                o.writes(dst, 1);
            }
            Inst::FloatCast { from, to, dst, a } => {
                o.reads(a, from.bits());
                o.writes(dst, to.bits());
            }
            Inst::FloatConv {
                op,
                saturating: _,
                format,
                w,
                dst,
                a,
            } => {
                let (from, to) = conversion_widths(*op, *format, u32::from(*w));
                o.reads(a, from);
                o.writes(dst, to);
            }
            Inst::Load {
                bytes,
                dst,
                address,
            } => {
                o.reads(address, 64);
                o.writes(dst, u32::from(*bytes) * 8);
            }
            Inst::Store {
                bytes,
                address,
                value,
            } => {
                o.reads(address, 64);
                o.reads(value, u32::from(*bytes) * 8);
            }
            Inst::LoadIndex {
                bytes,
                dst,
                base,
                index,
                scale: _,
            } => {
                o.reads(base, 64);
                o.reads(index, 64);
                o.writes(dst, u32::from(*bytes) * 8);
            }
            Inst::LoadOffset {
                bytes,
                dst,
                base,
                offset: _,
            } => {
                o.reads(base, 64);
                o.writes(dst, u32::from(*bytes) * 8);
            }
            Inst::StoreOffset {
                bytes,
                base,
                offset: _,
                value,
            } => {
                o.reads(base, 64);
                o.reads(value, u32::from(*bytes) * 8);
            }
            Inst::StoreIndex {
                bytes,
                base,
                index,
                scale: _,
                value,
            } => {
                o.reads(base, 64);
                o.reads(index, 64);
                o.reads(value, u32::from(*bytes) * 8);
            }
            Inst::Alloca {
                align: _,
                dst,
                size,
                name: _,
            } => {
                o.reads(size, 64);
                o.writes(dst, 64);
            }
            Inst::StackSave { dst } | Inst::ThreadPointer { dst } => o.writes(dst, 64),
            Inst::StackRestore { mark } => o.reads(mark, 64),
            Inst::ScopeStart { address, .. } | Inst::ScopeEnd { address, .. } => {
                o.reads(address, 64)
            }
            Inst::MemCopy { dst, src, len } | Inst::MemMove { dst, src, len } => {
                o.reads(dst, 64);
                o.reads(src, 64);
                o.reads(len, 64);
            }
            Inst::MemSet { dst, byte, len } => {
                o.reads(dst, 64);
                o.reads(byte, 8);
                o.reads(len, 64);
            }
            Inst::Branch {
                c,
                then: _,
                other: _,
            } => o.reads(c, 1),
            Inst::CmpBranch {
                op: _,
                w,
                a,
                b,
                then: _,
                other: _,
            } => {
                o.reads(a, u32::from(*w));
                o.reads(b, u32::from(*w));
            }
            Inst::Switch { w, value, table: _ } => o.reads(value, u32::from(*w)),
            Inst::Check { kind: _, w, a, b } => {
                o.reads(a, u32::from(*w));
                o.reads(b, u32::from(*w));
            }
            Inst::VaStart { list } => o.reads(list, 64),
            Inst::VaCopy { dst, src } => {
                o.reads(dst, 64);
                o.reads(src, 64);
            }
            Inst::Jump { target: _ }
            | Inst::Call {
                callee: _,
                dst: _,
                args: _,
                count: _,
            }
            | Inst::CallSite { site: _ }
            | Inst::Ret {
                values: _,
                count: _,
            }
            | Inst::Unreachable
            | Inst::Trap
            | Inst::Unsupported { what: _ }
            | Inst::Cover { site: _ } => {}
        }
    }

    /// Reports the branch targets that the instruction itself holds (not those of a switch table).
    pub fn targets(&mut self, mut f: impl FnMut(&mut crate::Pc)) {
        match self {
            Inst::Jump { target } => f(target),
            Inst::Branch { c: _, then, other }
            | Inst::CmpBranch {
                op: _,
                w: _,
                a: _,
                b: _,
                then,
                other,
            } => {
                f(then);
                f(other);
            }
            _ => {}
        }
    }

    /// Nothing runs after it in straight line.
    pub fn ends_block(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::CmpBranch { .. }
                | Inst::Switch { .. }
                | Inst::Ret { .. }
                | Inst::Unreachable
                | Inst::Trap
                | Inst::Unsupported { .. }
        )
    }
}

/// Widths of source and destination of a conversion.
fn conversion_widths(op: ConvOp, format: FloatFormat, w: u32) -> (u32, u32) {
    match op {
        ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => (format.bits(), w),
        ConvOp::SignedToFloat | ConvOp::UnsignedToFloat => (w, format.bits()),
    }
}
