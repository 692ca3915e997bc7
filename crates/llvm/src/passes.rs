//! LLVM passes between instrumentation and lowering.
//!
//! First promotion of locals to registers; then undefined values become zero (our documented
//! meaning, which no later pass can change), and the memory accesses of the program under test
//! become volatile, so that no pass deletes a null or out-of-bounds access; then clean-up and what
//! makes the interpreted code short.

use crate::Options;
use crate::ffi::{Module, Value, run_passes};
use crate::instrument::is_own;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;

/// Clean-up after promotion. No lookup tables and no range checks out of switches: they would hide
/// branches; no fix-point verification, because it aborts the process.
pub const CLEAN_UP: &str = "function(early-cse,instcombine<no-verify-fixpoint>,\
simplifycfg<no-switch-to-lookup;no-switch-range-to-icmp>,adce)";

pub fn optimise(module: Module, options: &Options) -> Result<(), String> {
    if !options.uninit {
        run_passes(module, "function(sroa)")?;
    }
    for f in module.functions().filter(|f| !f.is_declaration()) {
        let own = is_own(f);
        for block in f.blocks() {
            for inst in block.instructions() {
                if !options.uninit {
                    zero_undefined(inst);
                }
                if own && matches!(inst.opcode(), LLVMLoad | LLVMStore) {
                    unsafe { LLVMSetVolatile(inst.0, 1) };
                }
            }
        }
    }
    run_passes(module, options.passes.as_deref().unwrap_or(CLEAN_UP))
}

fn zero_undefined(inst: Value) {
    if inst.opcode() == LLVMShuffleVector {
        return; // its second operand is often poison on purpose
    }
    for i in 0..inst.operand_count() {
        let operand = inst.operand(i);
        if operand.is_undef() {
            inst.set_operand(i, unsafe { Value(LLVMConstNull(operand.ty().0)) });
        }
    }
}
