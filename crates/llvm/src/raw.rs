//! Reads that the front end added to the program (`--check uninit`).
//!
//! To set a bit-field, clang reads the bytes around it and puts them back; to pass or return a structure in registers,
//! it reads members, padding and all. Such a load is *raw*: it may read bytes that were never written, which the
//! machine then tracks bit by bit (`exec::observe`). So a load that is taken for raw by mistake hides nothing: the
//! error is reported where the value is used. All other loads are errors at once if a byte was never written.
//!
//! The result of a function that ended without a value is such a read, too: C leaves only its use undefined (6.9.1). Clang
//! reads it from a variable of its own that nothing has set, or returns no value at all, where we put such a variable.
//!
//! The mark is made before any pass, which might join a mask and a comparison.

use crate::ffi::{Module, Type, Value};
use crate::marks::MetadataKind;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::*;

/// The kind of metadata that marks a load as raw.
pub fn kind(module: Module) -> u32 {
    MetadataKind::Raw.number(module)
}

/// Marks the raw loads of a module.
pub fn mark(module: Module) {
    for f in module.functions().filter(|f| !f.is_declaration()) {
        // Debug information names the program's variables, so that the others are clang's.
        let is_named = f.subprogram().is_some();
        let all: Vec<Value> = f.blocks().flat_map(|b| b.instructions()).collect();
        for inst in all {
            match inst.opcode() {
                LLVMLoad if only_moves_bits(inst, is_named) => mark_load(module, inst),
                LLVMRet if inst.operand_count() == 1 && inst.operand(0).is_undef() => {
                    return_variable(module, inst);
                }
                _ => {}
            }
        }
    }
}

fn mark_load(module: Module, load: Value) {
    // SAFETY: an empty node of the module's context.
    unsafe {
        let node = LLVMMDNodeInContext2(module.context(), std::ptr::null_mut(), 0);
        let node = LLVMMetadataAsValue(module.context(), node);
        LLVMSetMetadata(load.0, kind(module), node);
    }
}

/// A return without a value returns that of a variable which nothing sets.
fn return_variable(module: Module, ret: Value) {
    let ty = ret.operand(0).ty();
    let location = ret.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
    // SAFETY: the builder stands before the return, in the function whose result has this type.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.context());
        LLVMPositionBuilderBefore(builder, ret.0);
        LLVMSetCurrentDebugLocation2(builder, location);
        let variable = LLVMBuildAlloca(builder, ty.0, c"".as_ptr());
        let load = Value(LLVMBuildLoad2(builder, ty.0, variable, c"".as_ptr()));
        LLVMDisposeBuilder(builder);
        mark_load(module, load);
        ret.set_operand(0, load);
    }
}

/// Whether [`mark`] has marked this load.
pub fn is_raw(module: Module, load: Value) -> bool {
    // SAFETY: looking a piece of metadata up.
    unsafe { !LLVMGetMetadata(load.0, kind(module)).is_null() }
}

fn only_moves_bits(load: Value, is_named: bool) -> bool {
    let users = load.uses();
    !users.is_empty() && users.iter().all(|user| moves_bits(load, *user, is_named))
}

fn moves_bits(load: Value, user: Value, is_named: bool) -> bool {
    if !user.is_instruction() {
        return false;
    }
    match user.opcode() {
        LLVMAnd | LLVMOr | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr | LLVMTrunc | LLVMBitCast
        | LLVMFreeze | LLVMPHI | LLVMInsertValue | LLVMExtractValue | LLVMInsertElement
        | LLVMExtractElement | LLVMShuffleVector => true,
        LLVMSelect => user.operand(0) != load,
        LLVMStore => user.operand(1) != load && !is_whole(load, true),
        LLVMRet => !is_whole(load, false) || is_named && is_of_result(load),
        LLVMCall | LLVMInvoke => {
            let is_intrinsic = user.callee().is_some_and(|f| f.intrinsic_id() != 0);
            !is_intrinsic && user.called_value() != load && !is_promised(load, user)
        }
        _ => false,
    }
}

/// Does the call promise that its argument has a value? Clang marks arguments that the program passes, and not the
/// parts of a structure.
fn is_promised(argument: Value, call: Value) -> bool {
    // SAFETY: the name with its length; a missing attribute is null.
    let has = |place: u32| unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"noundef".as_ptr(), 7);
        let of_callee = call
            .callee()
            .filter(|f| place <= f.param_count())
            .is_some_and(|f| !LLVMGetEnumAttributeAtIndex(f.0, place, kind).is_null());
        of_callee || !LLVMGetCallSiteEnumAttribute(call.0, place, kind).is_null()
    };
    (0..call.arg_count()).any(|i| call.arg(i) == argument && has(i + 1))
}

/// Does a load read clang's own variable for the result?
fn is_of_result(load: Value) -> bool {
    let variable = load.operand(0);
    variable.is_instruction()
        && variable.opcode() == LLVMAlloca
        && matches!(variable.name().as_str(), "" | "retval")
}

/// Is this a number or a pointer that the program has there under the same type, as far as that is known? Of a `member`
/// it may be the only one of a structure, too.
fn is_whole(load: Value, member: bool) -> bool {
    let ty = load.ty();
    let is_scalar = match ty.kind() {
        // No type of C has three or six bytes, say.
        LLVMIntegerTypeKind => ty.int_width().is_power_of_two(),
        LLVMPointerTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMX86_FP80TypeKind => true,
        _ => false,
    };
    let pointer = load.operand(0);
    let opcode = match pointer.value_kind() {
        LLVMInstructionValueKind => Some(pointer.opcode()),
        LLVMConstantExprValueKind => Some(pointer.const_opcode()),
        _ => None,
    };
    is_scalar
        && match (pointer.value_kind(), opcode) {
            (LLVMGlobalVariableValueKind, _) => pointer.value_type() == ty,
            (_, Some(LLVMAlloca)) => pointer.allocated_type() == ty,
            (_, Some(LLVMGetElementPtr)) => {
                member && !is_saved_register(pointer) && element(pointer) == ty
            }
            _ => true,
        }
}

/// Is this where `va_arg` finds a register that was passed? Its offset has 32 bits; what the program adds has 64.
fn is_saved_register(gep: Value) -> bool {
    let index = gep.operand(1).ty();
    gep.operand_count() == 2 && index.is_int() && index.int_width() == 32
}

/// The type of what an address computation leads to.
fn element(gep: Value) -> Type {
    (2..gep.operand_count()).fold(gep.gep_source(), |ty, i| {
        if ty.is_struct() {
            ty.field(gep.operand(i).zext_value() as u32)
        } else {
            ty.element()
        }
    })
}
