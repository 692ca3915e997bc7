//! Removes the promises of the front end before passes run.
//!
//! A promise ("this sum does not wrap", "this pointer is not null", "these two have different types and do not alias")
//! holds only while the program is right. A pass that uses one removes the very behaviour that the checks are about,
//! and the program that is explored is then not the one that was built. So everything is removed that is not needed to
//! define what the code *does*: of attributes, those of the calling convention and of control stay ([`KEPT`]); of
//! metadata, positions and our own marks; of flags on instructions, none. `docs/passes.md` has the table.
//!
//! `guard` handles facts that passes know without a promise (the size of an object, the content of a constant),
//! `opaque` operations without a result for some operands.

use crate::ffi::{Module, Value};
use crate::{libllvm, raw};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashSet;

/// Attributes that stay: how values are passed, what control does, and what forbids something to passes. Attributes
/// that carry a type (`byval`, `sret`, …) belong to the calling convention and stay as well.
const KEPT: [&str; 22] = [
    "zeroext",
    "signext",
    "inreg",
    "nest",
    "swiftself",
    "swifterror",
    "swiftasync",
    "noreturn",
    "returns_twice",
    "nounwind",
    "uwtable",
    "naked",
    "noinline",
    "alwaysinline",
    "optnone",
    "nobuiltin",
    "builtin",
    "strictfp",
    "null_pointer_is_valid",
    "convergent",
    "nomerge",
    "noduplicate",
];

/// String attributes that allow passes something.
const TAKEN: [&str; 7] = [
    "alloc-family",
    "llvm.assume",
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "approx-func-fp-math",
    "unsafe-fp-math",
];

/// Intrinsics that only promise something; without a result, or with their first argument as the result.
const PROMISING: [&str; 7] = [
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.fake.use",
    "llvm.invariant.start",
    "llvm.invariant.end",
    "llvm.launder.invariant.group",
    "llvm.strip.invariant.group",
];

/// Takes away what attributes, metadata and intrinsics promise, everywhere. The flags of arithmetic stay for now: they
/// tell signed operations apart, which the checks have to know. Functions get what forbids conclusions.
pub fn strip_promises(module: Module) {
    let kept = KeptAttributes::new();
    let functions = || module.functions().filter(|f| f.intrinsic_id() == 0);
    for f in functions() {
        strip_attributes(&kept, AttributeHolder::Function(f), f.param_count());
    }
    for f in functions().filter(|f| !f.is_declaration()) {
        let_exceptions_pass(f);
        // A null pointer is an address like others to passes; the machine tells of its use.
        add_enum_attribute(module, f, "null_pointer_is_valid");
        // InstCombine leaves calls of such a function alone when their type is another one.
        f.set_string_attribute(module, "thunk", "");
        for inst in f.blocks().flat_map(|b| b.instructions()) {
            strip_metadata(module, inst);
            if !matches!(inst.opcode(), LLVMCall | LLVMInvoke | LLVMCallBr) {
                continue;
            }
            match inst.callee().filter(|c| c.intrinsic_id() != 0) {
                None => strip_attributes(&kept, AttributeHolder::Call(inst), inst.arg_count()),
                Some(callee) => drop_promising(inst, &callee.name()),
            }
        }
    }
}

/// Takes the mark "no exception leaves this function" from one that has an unwind table. Compilers set it on all functions
/// of C and of C++ without exceptions, through which an exception of a callee passes; a pass would delete the landing pads of
/// callers. C++'s `noexcept` is kept by a landing pad of the function's own.
fn let_exceptions_pass(f: Value) {
    let function = AttributeHolder::Function(f);
    let attributes = function.attributes(llvm_sys::LLVMAttributeFunctionIndex);
    let has = |kind| {
        // SAFETY: the attributes are live, and only the kind of one that is no string is asked for.
        let is_it = |a: &LLVMAttributeRef| unsafe {
            LLVMIsStringAttribute(*a) == 0 && LLVMGetEnumAttributeKind(*a) == kind
        };
        attributes.iter().any(is_it)
    };
    let nounwind = attribute_kind("nounwind");
    if has(nounwind) && has(attribute_kind("uwtable")) {
        function.remove(llvm_sys::LLVMAttributeFunctionIndex, nounwind);
    }
}

/// Takes the flags of instructions away, by which operations have no result for some operands.
pub fn strip_flags(module: Module) {
    for inst in module
        .functions()
        .flat_map(|f| f.blocks())
        .flat_map(|b| b.instructions())
    {
        // SAFETY: each setter is for the opcodes of its arm.
        unsafe {
            match inst.opcode() {
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => {
                    LLVMSetNSW(inst.0, 0);
                    LLVMSetNUW(inst.0, 0);
                }
                LLVMSDiv if shifts(inst) => {
                    shift(module, inst);
                    continue;
                }
                LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => LLVMSetExact(inst.0, 0),
                LLVMZExt | LLVMUIToFP => LLVMSetNNeg(inst.0, 0),
                LLVMOr => LLVMSetIsDisjoint(inst.0, 0),
                LLVMGetElementPtr => LLVMGEPSetNoWrapFlags(inst.0, 0),
                LLVMICmp if libllvm::has("LLVMSetICmpSameSign") => LLVMSetICmpSameSign(inst.0, 0),
                // The flag is there since LLVM 20, and cannot be set in its C interface.
                LLVMICmp if libllvm::version_opened() == 20 => {
                    compare_again(module, inst);
                    continue;
                }
                _ => {}
            }
            if LLVMCanValueUseFastMathFlags(inst.0) != 0 && LLVMGetFastMathFlags(inst.0) != 0 {
                make_strict(module, inst);
            }
        }
    }
}

/// Is it a difference of pointers to objects of a power of two? All compilers shift there, which is another result where the
/// difference in bytes is no multiple and negative.
fn shifts(division: Value) -> bool {
    let by = division.operand(1);
    // SAFETY: a division has the flag.
    let is_exact = unsafe { LLVMGetExact(division.0) } != 0;
    is_exact
        && by.value_kind() == LLVMValueKind::LLVMConstantIntValueKind
        && by.ty().int_width() <= 64
        && by.sext_value() > 0
        && by.zext_value().is_power_of_two()
}

/// Puts the same comparison without a flag in the place of one.
fn compare_again(module: Module, inst: Value) {
    let location = inst.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
    // SAFETY: operands of one type; the new instruction stands right before the old one, which goes.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.context());
        LLVMPositionBuilderBefore(builder, inst.0);
        LLVMSetCurrentDebugLocation2(builder, location);
        let predicate = LLVMGetICmpPredicate(inst.0);
        let (a, b) = (inst.operand(0).0, inst.operand(1).0);
        let new = LLVMBuildICmp(builder, predicate, a, b, c"".as_ptr());
        LLVMDisposeBuilder(builder);
        inst.replace_all_uses(Value(new));
    }
    inst.erase();
}

fn shift(module: Module, division: Value) {
    let location = division.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
    let (of, by) = (division.operand(0), division.operand(1));
    // SAFETY: operands of one type; the new instruction stands right before the old one, which goes.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.context());
        LLVMPositionBuilderBefore(builder, division.0);
        LLVMSetCurrentDebugLocation2(builder, location);
        let amount = LLVMConstInt(by.ty().0, by.zext_value().trailing_zeros().into(), 0);
        let new = LLVMBuildAShr(builder, of.0, amount, c"".as_ptr());
        LLVMDisposeBuilder(builder);
        division.replace_all_uses(Value(new));
    }
    division.erase();
}

/// Puts the same operation without fast-math flags in the place of one: LLVM's C interface sets flags and clears none.
fn make_strict(module: Module, inst: Value) {
    let location = inst.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
    // SAFETY: the operands are those of the same operation; the new one stands right before the old one, which goes.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.context());
        LLVMPositionBuilderBefore(builder, inst.0);
        LLVMSetCurrentDebugLocation2(builder, location);
        let operand = |i| inst.operand(i).0;
        let name = c"".as_ptr();
        let new = match inst.opcode() {
            opcode @ (LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem) => {
                LLVMBuildBinOp(builder, opcode, operand(0), operand(1), name)
            }
            LLVMFNeg => LLVMBuildFNeg(builder, operand(0), name),
            LLVMFCmp => {
                let predicate = LLVMGetFCmpPredicate(inst.0);
                LLVMBuildFCmp(builder, predicate, operand(0), operand(1), name)
            }
            LLVMSelect => LLVMBuildSelect(builder, operand(0), operand(1), operand(2), name),
            LLVMPHI => {
                let phi = LLVMBuildPhi(builder, inst.ty().0, name);
                for i in 0..inst.incoming_count() {
                    let (mut value, mut block) = (inst.incoming(i).0.0, inst.incoming(i).1.0);
                    LLVMAddIncoming(phi, &mut value, &mut block, 1);
                }
                phi
            }
            // Conversions have the flags since LLVM 20.
            opcode @ (LLVMFPTrunc | LLVMFPExt | LLVMUIToFP | LLVMSIToFP) => {
                LLVMBuildCast(builder, opcode, operand(0), inst.ty().0, name)
            }
            _ => {
                let mut args: Vec<_> = (0..inst.arg_count()).map(|i| inst.arg(i).0).collect();
                let count = args.len() as u32;
                let (ty, callee) = (inst.called_type().0, inst.called_value().0);
                let call = LLVMBuildCall2(builder, ty, callee, args.as_mut_ptr(), count, name);
                for index in all_places(count) {
                    for attribute in AttributeHolder::Call(inst).attributes(index) {
                        LLVMAddCallSiteAttribute(call, index, attribute);
                    }
                }
                call
            }
        };
        LLVMDisposeBuilder(builder);
        inst.replace_all_uses(Value(new));
        inst.erase();
    }
}

/// The indices of the attributes of a function or call itself, of its result, and of its parameters.
fn all_places(params: u32) -> impl Iterator<Item = u32> {
    std::iter::once(llvm_sys::LLVMAttributeFunctionIndex).chain(0..=params)
}

/// The number of an attribute's kind; 0 of one that LLVM does not know.
fn attribute_kind(name: &str) -> u32 {
    // SAFETY: a name with its length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// The kinds of attributes that stay.
struct KeptAttributes {
    kinds: FxHashSet<u32>,
    align: u32,
    byval: u32,
}

impl KeptAttributes {
    fn new() -> KeptAttributes {
        KeptAttributes {
            kinds: KEPT.iter().map(|name| attribute_kind(name)).collect(),
            align: attribute_kind("align"),
            byval: attribute_kind("byval"),
        }
    }

    /// Is it the mark of a parameter of which the callee gets a copy?
    fn is_copy(&self, attribute: LLVMAttributeRef) -> bool {
        // SAFETY: the attribute is live; the kind of one of a type is asked for.
        unsafe {
            LLVMIsTypeAttribute(attribute) != 0 && LLVMGetEnumAttributeKind(attribute) == self.byval
        }
    }

    /// Does it stay? Of a copy, the alignment says where it lies.
    fn has(&self, attribute: LLVMAttributeRef, is_copy: bool) -> bool {
        // SAFETY: the attribute is live; the kind of one that is no string is asked for.
        let (is_type, kind) = unsafe {
            (
                LLVMIsTypeAttribute(attribute) != 0,
                LLVMGetEnumAttributeKind(attribute),
            )
        };
        is_type || self.kinds.contains(&kind) || (is_copy && kind == self.align)
    }
}

/// Something with attributes.
#[derive(Clone, Copy)]
enum AttributeHolder {
    Function(Value),
    Call(Value),
}

impl AttributeHolder {
    /// The attributes of the thing itself (the largest index), of its result (0), or of a parameter.
    fn attributes(self, index: u32) -> Vec<LLVMAttributeRef> {
        // SAFETY: the list has room for as many as there are.
        unsafe {
            let count = match self {
                AttributeHolder::Function(f) => LLVMGetAttributeCountAtIndex(f.0, index),
                AttributeHolder::Call(c) => LLVMGetCallSiteAttributeCount(c.0, index),
            };
            let mut list = vec![std::ptr::null_mut(); count as usize];
            match self {
                AttributeHolder::Function(f) => {
                    LLVMGetAttributesAtIndex(f.0, index, list.as_mut_ptr())
                }
                AttributeHolder::Call(c) => {
                    LLVMGetCallSiteAttributes(c.0, index, list.as_mut_ptr())
                }
            }
            list
        }
    }

    fn remove(self, index: u32, kind: u32) {
        // SAFETY: the attribute is there.
        unsafe {
            match self {
                AttributeHolder::Function(f) => LLVMRemoveEnumAttributeAtIndex(f.0, index, kind),
                AttributeHolder::Call(c) => LLVMRemoveCallSiteEnumAttribute(c.0, index, kind),
            }
        }
    }

    fn remove_string(self, index: u32, name: &str) {
        let (text, len) = (name.as_ptr().cast(), name.len() as u32);
        // SAFETY: the name with its length; removing what is not there does nothing.
        unsafe {
            match self {
                AttributeHolder::Function(f) => {
                    LLVMRemoveStringAttributeAtIndex(f.0, index, text, len)
                }
                AttributeHolder::Call(c) => {
                    LLVMRemoveCallSiteStringAttribute(c.0, index, text, len)
                }
            }
        }
    }
}

fn strip_attributes(kept: &KeptAttributes, place: AttributeHolder, params: u32) {
    for index in all_places(params) {
        let all = place.attributes(index);
        let is_copy = all.iter().any(|a| kept.is_copy(*a));
        for attribute in all {
            // SAFETY: the attribute is live.
            if unsafe { LLVMIsStringAttribute(attribute) } == 0 && !kept.has(attribute, is_copy) {
                // SAFETY: it is no string, so it has a kind.
                place.remove(index, unsafe { LLVMGetEnumAttributeKind(attribute) });
            }
        }
    }
    for name in TAKEN {
        place.remove_string(llvm_sys::LLVMAttributeFunctionIndex, name);
    }
}

/// All metadata but the position and our own marks.
fn strip_metadata(module: Module, inst: Value) {
    // SAFETY: the entries are read below their count and disposed once; a kind that is there is taken away.
    unsafe {
        if LLVMHasMetadata(inst.0) == 0 {
            return;
        }
        let position = LLVMGetMDKindIDInContext(module.context(), c"dbg".as_ptr(), 3);
        let mut count = 0;
        let entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(inst.0, &mut count);
        let kinds: Vec<u32> = (0..count as u32)
            .map(|i| LLVMValueMetadataEntriesGetKind(entries, i))
            .collect();
        LLVMDisposeValueMetadataEntries(entries);
        let kept = [position, raw::kind(module)];
        for kind in kinds.into_iter().filter(|k| !kept.contains(k)) {
            LLVMSetMetadata(inst.0, kind, std::ptr::null_mut());
        }
    }
}

fn drop_promising(call: Value, name: &str) {
    if !PROMISING.iter().any(|p| name.starts_with(p)) {
        return;
    }
    if call.has_uses() {
        let stands_for = if call.ty() == call.arg(0).ty() {
            call.arg(0)
        } else {
            // SAFETY: what `llvm.invariant.start` gives is only a handle for its end.
            unsafe { Value(LLVMConstNull(call.ty().0)) }
        };
        call.replace_all_uses(stands_for);
    }
    call.erase();
}

fn add_enum_attribute(module: Module, f: Value, name: &str) {
    // SAFETY: the kind is known; `f` is a function.
    unsafe {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows the attribute {name}");
        let attribute = LLVMCreateEnumAttribute(module.context(), kind, 0);
        LLVMAddAttributeAtIndex(f.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attribute_that_is_kept_is_one() {
        libllvm::opened().unwrap();
        assert!(
            !KeptAttributes::new().kinds.contains(&0),
            "a name that LLVM does not know"
        );
        assert_eq!(KeptAttributes::new().kinds.len(), KEPT.len());
    }
}
