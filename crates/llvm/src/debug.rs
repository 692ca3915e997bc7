//! Names of locals from debug information, before anything is optimized.

use crate::ffi::{Module, Value};
use crate::libllvm;
use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use llvm_sys::prelude::*;

/// Takes what we need from the debug information of a freshly read module and drops the rest but for
/// the line tables: types and variables make linking and passes slow.
pub fn reduce(module: Module) -> Result<(), String> {
    if libllvm::has("LLVMDbgVariableRecordGetVariable") {
        name_locals_by_records(module);
    } else if libllvm::version_opened() < 21 {
        // Debug intrinsics instead of records: the C API can walk only those. In LLVM 21 it can do neither, and locals
        // keep the names that the bitcode gives them.
        // SAFETY: sets a flag of a live module, before anything else looks at its debug information.
        unsafe { LLVMSetIsNewDbgInfoFormat(module.0, 0) };
        name_locals(module);
    }
    Ok(())
}

/// As [`name_locals`], of debug records, which stay.
fn name_locals_by_records(module: Module) {
    let functions = module.functions().filter(|f| !f.is_declaration());
    for inst in functions
        .flat_map(|f| f.blocks())
        .flat_map(|b| b.instructions())
    {
        // SAFETY: the records of a live instruction; a declaration has a value, a variable and a place.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(inst.0);
            while !record.is_null() {
                if LLVMDbgRecordGetKind(record) == LLVMDbgRecordKind::LLVMDbgRecordDeclare {
                    let object = LLVMDbgVariableRecordGetValue(record, 0);
                    let variable = LLVMDbgVariableRecordGetVariable(record);
                    let name =
                        variable_name(Value(LLVMMetadataAsValue(module.context(), variable)));
                    if !object.is_null()
                        && let Some(name) = name
                    {
                        name_object(Value(object), &name, LLVMDbgRecordGetDebugLoc(record));
                    }
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
    }
}

/// Gives a variable on the stack its name, and the place where it is declared, in case that the stack has no room for it.
fn name_object(object: Value, name: &str, declared: LLVMMetadataRef) {
    if !object.is_instruction() || object.opcode() != LLVMAlloca {
        return;
    }
    object.set_name(name);
    if object.debug_loc().is_none() && !declared.is_null() {
        // SAFETY: the place is one of the function of this instruction.
        unsafe { LLVMInstructionSetDebugLoc(object.0, declared) };
    }
}

/// Names stack objects after the source variables they hold and drops the debug intrinsics, which
/// would only slow the passes down.
fn name_locals(module: Module) {
    for f in module.functions().filter(|f| !f.is_declaration()) {
        for block in f.blocks() {
            for inst in block.instructions() {
                // SAFETY: asks for the class of a live instruction; the answer is only compared with null.
                if inst.opcode() != LLVMCall || unsafe { LLVMIsADbgInfoIntrinsic(inst.0).is_null() }
                {
                    continue;
                }
                // SAFETY: the same.
                if !unsafe { LLVMIsADbgDeclareInst(inst.0).is_null() }
                    && let (Some(object), Some(name)) =
                        (wrapped(inst.operand(0)), variable_name(inst.operand(1)))
                {
                    let declared = inst.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
                    name_object(object, &name, declared);
                }
                inst.erase();
            }
        }
    }
}

/// Whether a module was compiled from the sources of our sysroot (libc, run time), by the directories
/// of its compile units: `.../sysroot-HASH/src/...`. One that was joined with the program is not.
pub fn is_runtime(module: Module) -> bool {
    const UNITS: &std::ffi::CStr = c"llvm.dbg.cu";
    // SAFETY: operands of named metadata and of a node; null operands are skipped.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module.0, UNITS.as_ptr()) as usize;
        if count == 0 {
            return false;
        }
        let mut units = vec![std::ptr::null_mut(); count];
        LLVMGetNamedMetadataOperands(module.0, UNITS.as_ptr(), units.as_mut_ptr());
        units.iter().all(|unit| {
            is_of_sysroot(crate::ffi::Metadata(LLVMValueAsMetadata(*unit)).scope_file())
        })
    }
}

/// Whether a function of the program's modules is one of libc (a module may join the program with it), or of a header of the C++
/// library: what that makes of templates is the library's.
pub fn is_runtime_function(f: Value) -> bool {
    f.subprogram().is_some_and(|subprogram| {
        let file = subprogram.scope_file();
        is_of_sysroot(file) || is_below_sysroot(file, &["include", "c++"])
    })
}

fn is_of_sysroot(file: Option<crate::ffi::Metadata>) -> bool {
    is_below_sysroot(file, &["src"])
}

/// Whether the file lies in this directory of a sysroot.
fn is_below_sysroot(file: Option<crate::ffi::Metadata>, directory: &[&str]) -> bool {
    file.is_some_and(|f| {
        let path = f.file_path();
        let mut parts = path.split('/');
        parts.any(|p| p.strip_prefix("sysroot-").is_some_and(|h| h.len() == 16))
            && directory.iter().all(|name| parts.next() == Some(*name))
    })
}

/// Whether a module is the driver of `polypath run --entry` (which a constant marks): it runs the program under test
/// and is no part of it.
pub fn is_driver(module: Module) -> bool {
    module
        .global("__polypath_harness")
        .is_some_and(|g| !g.is_declaration())
}

/// The value inside a metadata operand.
pub fn wrapped(operand: Value) -> Option<Value> {
    // SAFETY: for a wrapped value LLVM reports exactly one operand, the value itself.
    unsafe {
        if LLVMGetMDNodeNumOperands(operand.0) != 1 {
            return None;
        }
        let mut value = std::ptr::null_mut();
        LLVMGetMDNodeOperands(operand.0, &mut value);
        (!value.is_null() && LLVMIsAInstruction(value) == value).then_some(Value(value))
    }
}

/// A local variable's name: its second operand.
fn variable_name(operand: Value) -> Option<String> {
    // SAFETY: operands of a node; strings are recognized before they are read.
    unsafe {
        let count = LLVMGetMDNodeNumOperands(operand.0) as usize;
        let mut operands = vec![std::ptr::null_mut(); count];
        LLVMGetMDNodeOperands(operand.0, operands.as_mut_ptr());
        let name = *operands.get(1)?;
        if name.is_null() || LLVMIsAMDString(name).is_null() {
            return None;
        }
        let mut len = 0;
        let bytes = LLVMGetMDString(name, &mut len);
        Some(
            String::from_utf8_lossy(std::slice::from_raw_parts(bytes.cast(), len as usize))
                .into_owned(),
        )
    }
}
