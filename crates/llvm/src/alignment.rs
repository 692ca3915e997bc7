//! Accesses for which x86-64 has instructions that fault at an address that is not aligned (`--check align`).
//!
//! Scalars are read and written at any address. A vector (or a `__float128`, which lies in a vector register) whose
//! type promises a multiple of 16 is moved by `movaps` and the like, and 16 bytes at once are exchanged by
//! `cmpxchg16b`. The front end's `align` has the alignment of the source: 1 if it asks for an unaligned access.
//! Vectors that are larger than the processor's registers are moved in parts of a register each.

use crate::ffi::Value;
use crate::types::Types;
use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::LLVMFP128TypeKind;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::LLVMGetOrdering;

/// The smallest vector register.
const REGISTER: u64 = 16;

/// The largest alignment that an address is said to have.
const MOST: u64 = 1 << 32;

/// An access that needs an aligned address.
pub struct Access {
    /// The address.
    pub pointer: Value,
    /// The power of two that the address has to be a multiple of.
    pub align: u64,
}

/// The alignment that an instruction needs, unless its address is aligned in any case.
pub fn access(types: &Types, f: Value, inst: Value) -> Option<Access> {
    let (pointer, ty) = match inst.opcode() {
        LLVMLoad => (inst.operand(0), inst.ty()),
        LLVMStore => (inst.operand(1), inst.operand(0).ty()),
        LLVMAtomicRMW | LLVMAtomicCmpXchg => (inst.operand(0), inst.operand(1).ty()),
        _ => return None,
    };
    let size = types.store_size(ty);
    if size < REGISTER {
        return None;
    }
    let plain = matches!(inst.opcode(), LLVMLoad | LLVMStore);
    // SAFETY: a load or a store has an ordering.
    let is_atomic = !plain || unsafe { LLVMGetOrdering(inst.0) } != LLVMAtomicOrderingNotAtomic;
    let register = match () {
        () if is_atomic || ty.kind() == LLVMFP128TypeKind => REGISTER,
        () if !ty.is_vector() => return None,
        () if f.has_feature("+avx512f") => 64,
        () if f.has_feature("+avx") => 32,
        () => REGISTER,
    };
    let whole = 1 << size.ilog2();
    let align = u64::from(inst.alignment()).min(register).min(whole);
    (align >= REGISTER && known(types, pointer) < align).then_some(Access { pointer, align })
}

/// A power of two that an address surely is a multiple of.
fn known(types: &Types, pointer: Value) -> u64 {
    let (mut at, mut align) = (pointer, MOST);
    loop {
        let opcode = match at.value_kind() {
            LLVMInstructionValueKind => at.opcode(),
            LLVMConstantExprValueKind => at.const_opcode(),
            LLVMGlobalVariableValueKind if !at.is_declaration() => {
                return align.min(u64::from(at.alignment()).max(1));
            }
            _ => return 1,
        };
        match opcode {
            LLVMAlloca => return align.min(u64::from(at.alignment()).max(1)),
            LLVMBitCast => at = at.operand(0),
            LLVMGetElementPtr if !at.ty().is_vector() => {
                align = align.min(steps(types, at));
                at = at.operand(0);
            }
            LLVMCall
                if at
                    .callee()
                    .is_some_and(|f| f.name().starts_with("llvm.threadlocal.address")) =>
            {
                at = at.arg(0);
            }
            _ => return 1,
        }
    }
}

/// A power of two that each step of an address computation is a multiple of.
fn steps(types: &Types, gep: Value) -> u64 {
    let mut ty = gep.gep_source();
    let mut align = MOST;
    for i in 1..gep.operand_count() {
        let index = gep.operand(i);
        let is_constant = index.value_kind() == LLVMConstantIntValueKind;
        // An index that is not constant is a multiple of one element.
        let n = if is_constant { index.sext_value() } else { 1 };
        let step;
        (step, ty) = types.gep_step(ty, i == 1, n);
        align = align.min(1 << step.trailing_zeros().min(MOST.ilog2()));
    }
    align
}
