//! Functions of the C library that the program defines itself.
//!
//! clang knows what `memcpy` or `floor` mean and writes an intrinsic in the place of a call; the native build turns
//! that into a call of the function again, or into instructions where it is cheaper. A C library or firmware under
//! test has functions of these names, which are to run. So an intrinsic for which x86-64 (SSE2, -O0) calls a function
//! becomes a call of the program's own function, if there is one. Without one the engine's operation is exact.

use crate::ffi::{Module, Value};
use crate::instrument::is_own;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::LLVMValueKind::LLVMConstantIntValueKind;
use llvm_sys::core::*;
use rustc_hash::FxHashMap;

/// Copies and fills up to this many bytes become instructions natively.
const INLINE: u64 = 128;

/// Functions on floats that have an intrinsic and no instruction: the name in C, without the letter of the type, where
/// it is not that of the intrinsic.
const FLOAT: [(&str, &str); 32] = [
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("trunc", "trunc"),
    ("rint", "rint"),
    ("nearbyint", "nearbyint"),
    ("round", "round"),
    ("roundeven", "roundeven"),
    ("lrint", "lrint"),
    ("llrint", "llrint"),
    ("lround", "lround"),
    ("llround", "llround"),
    ("minnum", "fmin"),
    ("maxnum", "fmax"),
    ("fma", "fma"),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("exp10", "exp10"),
    ("log", "log"),
    ("log2", "log2"),
    ("log10", "log10"),
    ("pow", "pow"),
    ("ldexp", "ldexp"),
    ("fmod", "fmod"),
];

/// Puts calls of the program's own functions in the place of intrinsics (and of the remainder of floats).
pub fn call(module: Module) {
    let mut own = Own::new(module);
    if own.functions.is_empty() {
        return;
    }
    let all: Vec<Value> = module
        .functions()
        .flat_map(|f| f.blocks())
        .flat_map(|b| b.instructions())
        .collect();
    for inst in all {
        if let Some((function, operands)) = own.replacement(inst) {
            own.replace(inst, function, &operands);
        }
    }
}

struct Own {
    module: Module,
    /// By name.
    functions: FxHashMap<String, Value>,
}

impl Own {
    fn new(module: Module) -> Own {
        let names = ["memcpy", "memmove", "memset"].map(str::to_string);
        let floats = FLOAT
            .iter()
            .flat_map(|(_, name)| ["", "f", "l"].map(|letter| format!("{name}{letter}")));
        let functions = names
            .into_iter()
            .chain(floats)
            .filter_map(|name| {
                let f = module.function(&name)?;
                (!f.is_declaration() && is_own(f)).then_some((name, f))
            })
            .collect();
        Own { module, functions }
    }

    /// The function that the native build calls for an instruction, and its arguments.
    fn replacement(&self, inst: Value) -> Option<(Value, Vec<Value>)> {
        if inst.opcode() == LLVMFRem {
            let f = self.float("fmod", inst)?;
            return Some((f, vec![inst.operand(0), inst.operand(1)]));
        }
        if inst.opcode() != LLVMCall {
            return None;
        }
        let callee = inst.callee().filter(|f| f.intrinsic_id() != 0)?;
        let name = callee.name();
        let word = name.strip_prefix("llvm.")?.split('.').next()?;
        if matches!(word, "memcpy" | "memmove" | "memset") {
            // `memcpy.inline`, and the atomic ones, call nothing.
            let is_plain = !name.contains(".inline") && !name.contains(".element");
            let len = inst.arg(2);
            let is_small =
                len.value_kind() == LLVMConstantIntValueKind && len.zext_value() <= INLINE;
            let f = self.functions.get(word).filter(|_| is_plain && !is_small)?;
            return Some((*f, vec![inst.arg(0), inst.arg(1), len]));
        }
        let (_, name) = FLOAT.iter().find(|(intrinsic, _)| *intrinsic == word)?;
        let f = self.float(name, inst.arg(0))?;
        let operands = (0..inst.arg_count()).map(|i| inst.arg(i)).collect();
        Some((f, operands))
    }

    /// The function of this name for floats of the type of `of`.
    fn float(&self, name: &str, of: Value) -> Option<Value> {
        let letter = match of.ty().kind() {
            LLVMFloatTypeKind => "f",
            LLVMDoubleTypeKind => "",
            LLVMX86_FP80TypeKind => "l",
            _ => return None,
        };
        self.functions.get(&format!("{name}{letter}")).copied()
    }

    /// Calls the function with these operands in the types of its parameters, as machine code would.
    fn replace(&mut self, inst: Value, function: Value, operands: &[Value]) {
        let ty = function.value_type();
        let params = ty.params();
        let fits = params.len() == operands.len()
            && (inst.ty().is_void() || inst.ty() == ty.return_type())
            && params
                .iter()
                .zip(operands)
                .all(|(p, o)| *p == o.ty() || p.is_int() && o.ty().is_int());
        if !fits {
            return; // another function of the same name
        }
        let location = inst.debug_loc().map_or(std::ptr::null_mut(), |m| m.0);
        // SAFETY: the builder stands before the instruction; the operands have the types of the parameters, or are
        // integers that are cut or extended to them.
        unsafe {
            let builder = LLVMCreateBuilderInContext(self.module.context());
            LLVMPositionBuilderBefore(builder, inst.0);
            LLVMSetCurrentDebugLocation2(builder, location);
            let mut arguments: Vec<_> = params
                .iter()
                .zip(operands)
                .map(|(p, o)| {
                    if p.is_int() {
                        LLVMBuildIntCast2(builder, o.0, p.0, 0, c"".as_ptr())
                    } else {
                        o.0
                    }
                })
                .collect();
            let count = arguments.len() as u32;
            let call = LLVMBuildCall2(
                builder,
                ty.0,
                function.0,
                arguments.as_mut_ptr(),
                count,
                c"".as_ptr(),
            );
            LLVMDisposeBuilder(builder);
            if !inst.ty().is_void() {
                inst.replace_all_uses(Value(call));
            }
            inst.erase();
        }
    }
}
