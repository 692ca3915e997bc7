//! LLVM passes between instrumentation and lowering.
//!
//! Undefined values become zero first (our documented meaning, which no later pass can change); then locals are
//! promoted to registers; then repeated loads are removed. From there on all memory accesses of the program under test
//! are volatile (those that can fail are from the beginning, see `guard`); then passes clean up and shorten the
//! interpreted code. `docs/passes.md` lists what each pass can conclude, and from which facts.

use crate::LowerOptions;
use crate::ffi::{Module, Value, run_passes};
use crate::guard;
use crate::instrument::is_own;
use crate::opaque::{self, Hider};
use crate::promoted;
use crate::types::Types;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use rustc_hash::FxHashSet;
use vocab::Check;

/// Clean-up after promotion. No lookup tables and no range checks out of switches: they would hide
/// branches; no fix-point verification, because it aborts the process. `indvars` widens counters, so
/// that an index needs no extension on each access.
pub const CLEAN_UP: &str = "function(early-cse,instcombine<no-verify-fixpoint>,\
simplifycfg<no-switch-to-lookup;no-switch-range-to-icmp>,loop(indvars),early-cse,\
instcombine<no-verify-fixpoint>,adce)";

/// Options of passes that the pipeline's text cannot say: loop conditions stay as the program wrote
/// them, and loops are not replaced by closed forms of their results.
const PASS_OPTIONS: [&std::ffi::CStr; 3] =
    [c"polypath-lower", c"-disable-lftr", c"-replexitval=never"];

/// Sets `PASS_OPTIONS`; once per process.
pub fn set_pass_options() {
    let list = PASS_OPTIONS.map(|o| o.as_ptr());
    // SAFETY: plain strings that live for ever; LLVM copies what it keeps.
    unsafe {
        llvm_sys::support::LLVMParseCommandLineOptions(
            list.len() as i32,
            list.as_ptr(),
            c"".as_ptr(),
        );
    }
}

/// Runs the passes that may run after coverage sites and checks were marked.
///
/// # Errors
/// What LLVM says about a pipeline that it cannot parse.
pub fn optimize(module: Module, options: &LowerOptions) -> Result<(), String> {
    let functions = || module.functions().filter(|f| !f.is_declaration());
    let zero_all_undefined = || {
        functions()
            .flat_map(|f| f.blocks())
            .flat_map(|b| b.instructions())
            .for_each(zero_undefined);
    };
    let types = Types::new(module);
    let variables: Vec<u64> = functions()
        .map(|f| promoted::bytes_of_variables(&types, f))
        .collect();
    if !options.checks.has(Check::Uninit) {
        zero_all_undefined();
        let hider = Hider::new(module);
        functions().for_each(|f| hider.zero_variables(&types, f));
        run_passes(module, "function(sroa)")?;
        zero_all_undefined();
        for f in functions() {
            let live = live_values(f);
            guard::release_loads(module, f, |load| !live.contains(&load));
        }
        // Loads of what was just loaded (or stored to a variable) go; the first access of each address stays.
        run_passes(module, "function(early-cse<memssa>)")?;
    }
    for f in functions().filter(|f| is_own(*f)) {
        for inst in f.blocks().flat_map(|b| b.instructions()) {
            if matches!(inst.opcode(), LLVMLoad | LLVMStore) {
                // SAFETY: the instruction is a load or a store, which has this flag.
                unsafe { LLVMSetVolatile(inst.0, 1) };
            }
        }
    }
    run_passes(module, options.passes.as_deref().unwrap_or(CLEAN_UP))?;
    opaque::reveal(module);
    for (f, before) in functions().zip(variables) {
        promoted::mark(module, &types, f, before);
    }
    functions().for_each(plain_processor);
    Ok(())
}

/// `cpuid` answers as a processor without any extension: in our IR and in the module that modelled replay
/// runs natively, where the real answer would lead elsewhere.
fn plain_processor(f: Value) {
    for inst in f.blocks().flat_map(|b| b.instructions()) {
        if inst.opcode() == LLVMCall
            && !inst.ty().is_void()
            && inst.called_value().is_inline_asm()
            && crate::lower::asks_processor(inst.called_value())
        {
            // SAFETY: the null constant of a first-class type.
            inst.replace_all_uses(unsafe { Value(LLVMConstNull(inst.ty().0)) });
            inst.erase();
        }
    }
}

/// Instructions whose result something else needs than another unneeded instruction.
fn live_values(f: Value) -> FxHashSet<Value> {
    let mut live: FxHashSet<Value> = FxHashSet::default();
    let mut work: Vec<Value> = Vec::new();
    let all = || f.blocks().flat_map(|b| b.instructions());
    for inst in all() {
        let pure = matches!(
            inst.opcode(),
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMAnd
                | LLVMOr
                | LLVMXor
                | LLVMShl
                | LLVMLShr
                | LLVMAShr
                | LLVMUDiv
                | LLVMSDiv
                | LLVMURem
                | LLVMSRem
                | LLVMFNeg
                | LLVMFAdd
                | LLVMFSub
                | LLVMFMul
                | LLVMFDiv
                | LLVMFRem
                | LLVMICmp
                | LLVMFCmp
                | LLVMPHI
                | LLVMSelect
                | LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMPtrToInt
                | LLVMPtrToAddr
                | LLVMIntToPtr
                | LLVMBitCast
                | LLVMFPTrunc
                | LLVMFPExt
                | LLVMFPToUI
                | LLVMFPToSI
                | LLVMUIToFP
                | LLVMSIToFP
                | LLVMGetElementPtr
                | LLVMExtractValue
                | LLVMInsertValue
                | LLVMExtractElement
                | LLVMInsertElement
                | LLVMShuffleVector
                | LLVMFreeze
                | LLVMLoad
                | LLVMAlloca
        );
        if !pure {
            work.push(inst);
        }
    }
    while let Some(inst) = work.pop() {
        for operand in inst.operands() {
            if operand.is_instruction() && live.insert(operand) {
                work.push(operand);
            }
        }
    }
    live
}

fn zero_undefined(inst: Value) {
    if inst.opcode() == LLVMShuffleVector {
        return; // its second operand is often poison on purpose
    }
    for i in 0..inst.operand_count() {
        let operand = inst.operand(i);
        if operand.is_undef() {
            // SAFETY: the type is that of a live value, and every type of an operand that may be undef has a null value.
            inst.set_operand(i, unsafe { Value(LLVMConstNull(operand.ty().0)) });
        }
    }
}
