//! Kinds of types, values and instructions, as numbers of which a library may know more than we do.
//!
//! An enumeration of Rust must not have a value that it does not name, so each number is compared first. What is not named
//! becomes one that every user refuses with the text of the thing.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use std::ffi::c_uint;

/// The last numbers that `llvm-sys` names; those between that are not named follow.
const LAST_TYPE: c_uint = LLVMTypeKind::LLVMTargetExtTypeKind as c_uint;
const LAST_VALUE: c_uint = LLVMValueKind::LLVMConstantPtrAuthValueKind as c_uint;
const LAST_OPCODE: c_uint = LLVMOpcode::LLVMPtrToAddr as c_uint;

/// The kind of x86's MMX type until LLVM 19, which had no operations that we lower.
const MMX: c_uint = 15;

/// A number below the first opcode, and one that was given up.
const NO_OPCODES: [c_uint; 2] = [0, 6];

/// The kind of a type.
///
/// # Safety
/// The type is live.
pub unsafe fn type_kind(ty: LLVMTypeRef) -> LLVMTypeKind {
    // SAFETY: a C enumeration is passed as a number; those that are named become the enumeration.
    unsafe {
        type Raw = unsafe extern "C" fn(LLVMTypeRef) -> c_uint;
        type Named = unsafe extern "C" fn(LLVMTypeRef) -> LLVMTypeKind;
        match std::mem::transmute::<Named, Raw>(LLVMGetTypeKind)(ty) {
            MMX => LLVMTypeKind::LLVMTargetExtTypeKind,
            n if n <= LAST_TYPE => std::mem::transmute::<c_uint, LLVMTypeKind>(n),
            _ => LLVMTypeKind::LLVMTargetExtTypeKind,
        }
    }
}

/// The kind of a value.
///
/// # Safety
/// The value is live.
pub unsafe fn value_kind(value: LLVMValueRef) -> LLVMValueKind {
    // SAFETY: as in `type_kind`.
    unsafe {
        type Raw = unsafe extern "C" fn(LLVMValueRef) -> c_uint;
        type Named = unsafe extern "C" fn(LLVMValueRef) -> LLVMValueKind;
        match std::mem::transmute::<Named, Raw>(LLVMGetValueKind)(value) {
            n if n <= LAST_VALUE => std::mem::transmute::<c_uint, LLVMValueKind>(n),
            _ => LLVMValueKind::LLVMConstantPtrAuthValueKind,
        }
    }
}

/// The opcode of an instruction or of a constant expression, as `ask` tells it.
///
/// # Safety
/// The value is live and of the sort that `ask` is for.
pub unsafe fn opcode(
    ask: unsafe extern "C" fn(LLVMValueRef) -> LLVMOpcode,
    value: LLVMValueRef,
) -> LLVMOpcode {
    // SAFETY: as in `type_kind`.
    unsafe {
        type Raw = unsafe extern "C" fn(LLVMValueRef) -> c_uint;
        type Named = unsafe extern "C" fn(LLVMValueRef) -> LLVMOpcode;
        match std::mem::transmute::<Named, Raw>(ask)(value) {
            n if n <= LAST_OPCODE && !NO_OPCODES.contains(&n) => {
                std::mem::transmute::<c_uint, LLVMOpcode>(n)
            }
            _ => LLVMOpcode::LLVMUserOp1,
        }
    }
}
