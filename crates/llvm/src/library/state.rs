//! Variables through which earlier calls act on a function.

use crate::ffi::{Module, Value};
use llvm_sys::LLVMLinkage::{LLVMInternalLinkage, LLVMPrivateLinkage};
use llvm_sys::LLVMOpcode::{LLVMGetElementPtr, LLVMLoad};
use llvm_sys::LLVMValueKind::LLVMConstantExprValueKind;
use std::collections::BTreeSet;

/// The defined variables that the library, or its user, may have written before the call.
pub fn writable(module: Module) -> BTreeSet<String> {
    let variables = module
        .globals()
        .filter(|g| !g.is_declaration() && !g.is_global_constant());
    let is_local = |g: &Value| matches!(g.linkage(), LLVMInternalLinkage | LLVMPrivateLinkage);
    variables
        .filter(|g| !is_local(g) || !is_only_read(*g))
        .map(Value::name)
        .collect()
}

/// Whether an address is used by loads alone.
fn is_only_read(address: Value) -> bool {
    address.uses().into_iter().all(|user| {
        let is_constant = user.value_kind() == LLVMConstantExprValueKind;
        match (user.is_instruction(), is_constant) {
            (true, _) if user.opcode() == LLVMLoad => true,
            (true, _) if user.opcode() == LLVMGetElementPtr => is_only_read(user),
            (_, true) if user.const_opcode() == LLVMGetElementPtr => is_only_read(user),
            _ => false,
        }
    })
}
