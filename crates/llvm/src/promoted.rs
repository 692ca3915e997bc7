//! The stack size of variables that became registers.
//!
//! A compiler keeps small variables in registers, too, but has arrays and structures on the stack. Promotion takes
//! some of those out of memory, where the machine would count them; so each function records their size in bytes.

use crate::ffi::{Module, Value};
use crate::marks::PROMOTED;
use crate::types::Types;
use llvm_sys::LLVMOpcode::LLVMAlloca;
use llvm_sys::LLVMValueKind::LLVMConstantIntValueKind;

/// Bytes of arrays and structures that a function has no more in memory, since they became registers; they take of the stack all the
/// same.
pub fn bytes(f: Value) -> u64 {
    f.string_attribute(PROMOTED)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// Bytes of the function's variables of fixed size that a compiler does not keep in registers.
pub fn bytes_of_variables(types: &Types, f: Value) -> u64 {
    f.blocks()
        .flat_map(|b| b.instructions())
        .filter(|i| i.opcode() == LLVMAlloca)
        .filter_map(|alloca| {
            let (ty, count) = (alloca.allocated_type(), alloca.operand(0));
            let is_fixed = count.value_kind() == LLVMConstantIntValueKind;
            // Promotion names the parts so that stay in memory.
            let is_part = || alloca.name().contains(".sroa.");
            (is_fixed && (ty.is_struct() || ty.is_array() || is_part()))
                .then(|| types.size(ty).saturating_mul(count.zext_value()))
        })
        .fold(0, u64::saturating_add)
}

/// Marks a function that had so many bytes of such variables before promotion.
pub fn mark(module: Module, types: &Types, f: Value, before: u64) {
    let promoted = before.saturating_sub(bytes_of_variables(types, f));
    if promoted > 0 {
        f.set_string_attribute(module, PROMOTED, &promoted.to_string());
    }
}
