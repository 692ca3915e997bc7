//! Indices of arrays inside of objects (`--check bounds`), as UBSan's `-fsanitize=array-bounds` sees them.
//!
//! `s.a[i]` that leaves `a` may still be in `s`, which no check of memory can tell. The front end's code shows the
//! array: an index into an array type, and a sum of an array (`*(s.a + i)`), which is the same in C. As in UBSan, an
//! array at the end of a structure, which may continue behind it, is not checked, and the address one behind the last
//! element may be taken. An array that is an object of its own is left to the checks of memory.

use crate::ffi::{Type, Value};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind;

/// An index of an array that has to be below a limit.
pub struct Index {
    /// The instruction that makes use of it.
    pub user: Value,
    /// The index.
    pub index: Value,
    /// The smallest index that is out of bounds.
    pub limit: u64,
}

/// The index that an instruction uses, if it may be beyond its limit.
pub fn index(inst: Value) -> Option<Index> {
    let used = match inst.opcode() {
        LLVMGetElementPtr => {
            let (index, len) = array_index(inst)?;
            let limit = len + u64::from(!is_accessed(inst));
            let user = inst;
            Some(Index { user, index, limit })
        }
        // At a constant address of a global variable.
        LLVMLoad | LLVMStore => {
            let address = inst.operand(u32::from(inst.opcode() == LLVMStore));
            let is_constant = address.value_kind() == LLVMValueKind::LLVMConstantExprValueKind;
            let (index, limit) = array_index(address).filter(|_| is_constant)?;
            let user = inst;
            Some(Index { user, index, limit })
        }
        _ => None,
    };
    let is_constant = |v: Value| v.value_kind() == LLVMValueKind::LLVMConstantIntValueKind;
    used.filter(|i| !is_constant(i.index) || i.index.zext_value() >= i.limit)
}

/// Index and length of a step into an array that is a part of something.
fn array_index(gep: Value) -> Option<(Value, u64)> {
    if !is_gep(gep) {
        return None;
    }
    let (array, base, index) = match gep.operand_count() {
        3 => (gep.gep_source(), gep.operand(0), gep.operand(2)),
        2 => {
            let (array, base) = decayed(gep.operand(0))?;
            if array.element() != gep.gep_source() {
                return None;
            }
            (array, base, gep.operand(1))
        }
        _ => return None,
    };
    if !array.is_array() || array.array_len() == 0 {
        return None;
    }
    if !index.ty().is_int() || index.ty().int_width() != 64 || is_at_end(base) {
        return None;
    }
    let object = match base.value_kind() {
        LLVMValueKind::LLVMGlobalVariableValueKind => Some(base.value_type()),
        LLVMValueKind::LLVMInstructionValueKind if base.opcode() == LLVMAlloca => {
            Some(base.allocated_type())
        }
        _ => None,
    };
    match object {
        Some(object) if object == array => None,
        // The first member, unless it is the only one.
        Some(object) if object.is_struct() && object.field_count() == 1 => None,
        _ => Some((index, array.array_len())),
    }
}

/// The array whose first element this is the address of, and the array's own address: the front end writes a step of
/// zero into it, or nothing at a constant address.
fn decayed(address: Value) -> Option<(Type, Value)> {
    if !is_gep(address) {
        return None;
    }
    let source = address.gep_source();
    let is_first =
        |v: Value| v.value_kind() == LLVMValueKind::LLVMConstantIntValueKind && v.zext_value() == 0;
    if source.is_array() && address.operand_count() == 3 && is_first(address.operand(2)) {
        return Some((source, address.operand(0)));
    }
    let mut ty = source;
    for i in 2..address.operand_count() {
        ty = match ty {
            ty if ty.is_array() => ty.element(),
            ty if ty.is_struct() => ty.field(address.operand(i).zext_value() as u32),
            _ => return None,
        };
    }
    let is_constant = address.value_kind() == LLVMValueKind::LLVMConstantExprValueKind;
    (is_constant && ty.is_array()).then_some((ty, address))
}

fn is_gep(v: Value) -> bool {
    match v.value_kind() {
        LLVMValueKind::LLVMInstructionValueKind => v.opcode() == LLVMGetElementPtr,
        LLVMValueKind::LLVMConstantExprValueKind => v.const_opcode() == LLVMGetElementPtr,
        _ => false,
    }
}

/// Is this the last member of a structure that is not itself followed by something?
fn is_at_end(member: Value) -> bool {
    let mut at = member;
    let mut is_member = false;
    while is_gep(at) && at.gep_source().is_struct() {
        let mut ty = at.gep_source();
        for i in 2..at.operand_count() {
            if !ty.is_struct() {
                return false;
            }
            let field = at.operand(i).zext_value() as u32;
            if field + 1 != ty.field_count() {
                return false;
            }
            ty = ty.field(field);
        }
        is_member = true;
        at = at.operand(0);
    }
    is_member
}

/// Is what the address leads to loaded, stored or gone into?
fn is_accessed(address: Value) -> bool {
    address.uses().into_iter().any(|user| match user.opcode() {
        LLVMLoad | LLVMGetElementPtr => true,
        LLVMStore => user.operand(1) == address,
        _ => false,
    })
}
