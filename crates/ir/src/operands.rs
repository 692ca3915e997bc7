//! The registers that an instruction reads and writes, and its targets, for the verifier and the register allocator.
//! The answers come from the table of instructions.

use crate::{ConvOp, FloatFormat, Inst, Reg, Val};

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
    /// An operand that is read.
    fn reads(&mut self, value: &mut Val, width: u32);
    /// A destination.
    fn writes(&mut self, register: &mut Reg, width: u32);
}

impl Inst {
    /// Nothing runs after it in straight line.
    pub fn ends_block(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::CmpBranch { .. }
                | Inst::Switch { .. }
                | Inst::Invoked { .. }
                | Inst::Ret { .. }
                | Inst::Unreachable
                | Inst::Trap
                | Inst::Unsupported { .. }
        )
    }
}

/// Bits of a conversion's source.
pub(crate) fn converted_from(op: ConvOp, format: FloatFormat, w: u8) -> u32 {
    match op {
        ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => format.bits(),
        ConvOp::SignedToFloat | ConvOp::UnsignedToFloat => u32::from(w),
    }
}

/// Bits of a conversion's result.
pub(crate) fn converted_to(op: ConvOp, format: FloatFormat, w: u8) -> u32 {
    match op {
        ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => u32::from(w),
        ConvOp::SignedToFloat | ConvOp::UnsignedToFloat => format.bits(),
    }
}
