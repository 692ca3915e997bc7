//! Hides facts that passes must not use behind calls of functions that they cannot look into.
//!
//! - **Addresses.** A pass knows the size of a variable and the content of a constant. For an access whose index can
//!   be wrong it concludes that the index is right: `a[i]` of an array of one element becomes `a[0]`, and `z[i]` of a
//!   table of zeros becomes zero. So each access that can fail (see `guard`) gets its address from a call of
//!   [`ADDRESS`], which returns its operand. [`reveal`] takes these calls out when the passes are done.
//! - **Conversions** of floats to integers have no result where the number does not fit, and passes fold them to
//!   poison, select between them, or move them. x86-64 has a result, so lowering makes the operation of it.
//! - **Shifts** by the width or more are the same; x86-64 takes the amount modulo the width. If no check stands before
//!   a shift, it gets the amount modulo the width.
//! - **Variables without a value.** A read before the first write gives zero (our documented meaning), and not any
//!   value that a pass likes: promotion to registers would join "no value" with any other one.

use crate::ffi::{Module, Type, Value, c};
use crate::guard;
use crate::instrument::MARKER_PREFIX;
use crate::types::Types;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::LLVMConstantIntValueKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// `T (T)` for pointers and vectors of pointers: gives its operand back.
const ADDRESS: &str = "__polypath_mark_address.";
/// `integer (float)`: the conversions as x86-64 computes them.
const TO_SIGNED: &str = "__polypath_mark_to_signed.";
const TO_UNSIGNED: &str = "__polypath_mark_to_unsigned.";

/// Is it the marker of a conversion to an integer, and of one with a sign?
pub fn conversion(name: &str) -> Option<bool> {
    match name {
        _ if name.starts_with(TO_SIGNED) => Some(true),
        _ if name.starts_with(TO_UNSIGNED) => Some(false),
        _ => None,
    }
}

/// Puts things behind opaque calls.
pub struct Hider {
    module: Module,
    builder: LLVMBuilderRef,
}

impl Hider {
    /// For one module, whose context outlives it.
    pub fn new(module: Module) -> Hider {
        // SAFETY: the context lives as long as the process; `drop` disposes the builder.
        let builder = unsafe { LLVMCreateBuilderInContext(module.context()) };
        Hider { module, builder }
    }

    /// The operand of an instruction becomes an address that passes know nothing about.
    pub fn address(&self, user: Value, operand: u32) {
        let pointer = user.operand(operand);
        let ty = pointer.ty();
        let name = format!("{ADDRESS}{}", ty.print());
        self.before(user);
        let hidden = self.call(&name, ty, pointer);
        user.set_operand(operand, hidden);
    }

    /// Conversions of a function to integers become calls that lowering knows.
    pub fn conversions(&self, f: Value) {
        let found: Vec<Value> = f
            .blocks()
            .flat_map(|b| b.instructions())
            .filter(|i| matches!(i.opcode(), LLVMFPToSI | LLVMFPToUI))
            .collect();
        for inst in found {
            let prefix = if inst.opcode() == LLVMFPToSI {
                TO_SIGNED
            } else {
                TO_UNSIGNED
            };
            let (from, to) = (inst.operand(0), inst.ty());
            let name = format!("{prefix}{}.{}", from.ty().print(), to.print());
            self.before(inst);
            let call = self.call(&name, to, from);
            inst.replace_all_uses(call);
            inst.erase();
        }
    }

    /// The amount of a shift of a width that machines have becomes what they make of it. Others are not meant by any
    /// machine instruction and stay.
    pub fn shift(&self, inst: Value) {
        let ty = inst.ty();
        let width = ty.scalar().int_width();
        if !width.is_power_of_two() || width < 32 {
            return;
        }
        let amount = inst.operand(1);
        if amount.value_kind() == LLVMConstantIntValueKind && amount.zext_value() < u64::from(width)
        {
            return;
        }
        self.before(inst);
        // SAFETY: constants of the type of the amount, and an instruction before the shift.
        unsafe {
            let scalar = LLVMConstInt(ty.scalar().0, u64::from(width) - 1, 0);
            let mask = if ty.is_vector() {
                let mut all = vec![scalar; ty.vector_len() as usize];
                LLVMConstVector(all.as_mut_ptr(), ty.vector_len())
            } else {
                scalar
            };
            let cut = LLVMBuildAnd(self.builder, amount.0, mask, c"".as_ptr());
            inst.set_operand(1, Value(cut));
        }
    }

    /// Local variables that promotion makes registers of begin as zero. Those that stay in memory do so in the machine.
    pub fn zero_variables(&self, types: &Types, f: Value) {
        if f.is_declaration() {
            return;
        }
        let variables: Vec<Value> = f
            .first_block()
            .instructions()
            .filter(|i| i.opcode() == LLVMAlloca && becomes_registers(types, *i))
            .collect();
        for variable in variables {
            let mut at = variable;
            while at.opcode() == LLVMAlloca {
                // SAFETY: an `alloca` is no terminator, so an instruction follows it.
                at = unsafe { Value(LLVMGetNextInstruction(at.0)) };
            }
            self.before(at);
            let size = types.size(variable.allocated_type());
            // SAFETY: the builder stands behind the variable, and the size is that of its type.
            unsafe {
                let context = self.module.context();
                let zero = LLVMConstInt(LLVMInt8TypeInContext(context), 0, 0);
                let size = LLVMConstInt(LLVMInt64TypeInContext(context), size, 0);
                LLVMBuildMemSet(self.builder, variable.0, zero, size, 1);
            }
        }
    }

    fn before(&self, at: Value) {
        let location = at.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
        // SAFETY: `at` is an instruction in a block; no location is null.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, at.0);
            LLVMSetCurrentDebugLocation2(self.builder, location);
        }
    }

    /// Calls a function of the value alone that has no effect: equal calls are one to passes, unneeded ones go.
    fn call(&self, name: &str, result: Type, operand: Value) -> Value {
        let f = self
            .module
            .function(name)
            .unwrap_or_else(|| self.declare(name, result, operand.ty()));
        // SAFETY: the builder stands in a block, and the operand has the type of the parameter.
        unsafe {
            let mut operand = operand.0;
            Value(LLVMBuildCall2(
                self.builder,
                f.value_type().0,
                f.0,
                &mut operand,
                1,
                c"".as_ptr(),
            ))
        }
    }

    fn declare(&self, name: &str, result: Type, parameter: Type) -> Value {
        debug_assert!(name.starts_with(MARKER_PREFIX));
        let context = self.module.context();
        // SAFETY: types of this context; names with their lengths; `f` is the new function.
        unsafe {
            let mut parameter = parameter.0;
            let ty = LLVMFunctionType(result.0, &mut parameter, 1, 0);
            let f = LLVMAddFunction(self.module.0, c(name).as_ptr(), ty);
            // `memory(none)` is the value 0.
            for word in [
                "memory",
                "nounwind",
                "willreturn",
                "nofree",
                "nosync",
                "nocallback",
            ] {
                let kind = LLVMGetEnumAttributeKindForName(word.as_ptr().cast(), word.len());
                let attribute = LLVMCreateEnumAttribute(context, kind, 0);
                LLVMAddAttributeAtIndex(f, llvm_sys::LLVMAttributeFunctionIndex, attribute);
            }
            Value(f)
        }
    }
}

impl Drop for Hider {
    fn drop(&mut self) {
        // SAFETY: made in `new`, and not used again.
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}

/// Does promotion make registers of this variable? Those are accessed at known places inside of it, and not volatile.
fn becomes_registers(types: &Types, variable: Value) -> bool {
    guard::is_private(variable) && {
        let mut work = vec![variable];
        let mut is_promoted = true;
        while let Some(pointer) = work.pop() {
            for user in pointer.uses() {
                is_promoted &= match user.opcode() {
                    LLVMLoad | LLVMStore => !user.is_volatile(),
                    LLVMGetElementPtr => {
                        work.push(user);
                        guard::constant_gep(types, user).is_some()
                    }
                    LLVMBitCast => {
                        work.push(user);
                        true
                    }
                    _ => true,
                };
            }
        }
        is_promoted
    }
}

/// Takes the calls that hide addresses out again.
pub fn reveal(module: Module) {
    let markers: Vec<Value> = module
        .functions()
        .filter(|f| f.is_declaration() && f.name().starts_with(ADDRESS))
        .collect();
    for marker in markers {
        for call in marker.uses() {
            call.replace_all_uses(call.arg(0));
            call.erase();
        }
        // SAFETY: nothing uses it any more.
        unsafe { LLVMDeleteFunction(marker.0) };
    }
}
