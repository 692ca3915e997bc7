//! How the library itself calls a function, and how the tests do that `--with` adds: which number is passed beside an array of so many
//! elements, and where a text is passed for an array of bytes.
//!
//! A call shows something where both can be read off it: a local or global array as a whole, or a text in quotes, and a constant.
//! One that passes more than the array has says that the number is not its length.

use super::source;
use crate::ffi::{Module, Value};
use harness::said::{SaidLength, SaidText};
use harness::types::{Function, Type};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::LLVMGetDebugLocLine;

/// Arrays from which nothing follows, since many numbers are as small.
const TOO_SHORT: u64 = 2;

/// What a call passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    /// A whole array of so many elements.
    Array(u64),
    /// A text of so many characters, with its zero behind them.
    Text(u64),
    Number(u64),
    Unknown,
}

/// What calls show.
#[derive(Debug, Default)]
pub struct ShownByCalls {
    pub lengths: Vec<SaidLength>,
    pub texts: Vec<SaidText>,
}

/// What the calls of a function in these modules show of its parameters.
pub fn shown(modules: &[Module], f: Value, entry: &Function, types: &[Type]) -> ShownByCalls {
    let calls = calls(modules, f, entry.params.len());
    let mut shown = ShownByCalls::default();
    let type_of = |i: usize| types.get(entry.params[i].ty).unwrap_or(&Type::Void);
    for array in 0..entry.params.len() {
        let Type::Pointer(to) = *type_of(array) else {
            continue;
        };
        let numbers = (0..entry.params.len()).filter(|i| matches!(type_of(*i), Type::Int { .. }));
        let pairs = numbers.filter_map(|n| Some((n, pairing(&calls, array, n)?)));
        let pairs: Vec<(usize, &SeenCall)> = pairs.collect();
        let name = |i: usize| entry.params[i].name.clone();
        match &pairs[..] {
            [(length, call)] => shown.lengths.push(SaidLength {
                of: String::new(),
                array: name(array),
                length: name(*length),
                is_in_bytes: false,
                place: call.place.clone(),
            }),
            [] if matches!(types.get(to), Some(Type::Int { bits: 8, .. })) => {
                let is_text = |call: &&SeenCall| matches!(call.passed[array], Passed::Text(_));
                let is_array = |call: &SeenCall| matches!(call.passed[array], Passed::Array(_));
                let text = calls.iter().find(is_text);
                shown
                    .texts
                    .extend(
                        text.filter(|_| !calls.iter().any(is_array))
                            .map(|call| SaidText {
                                parameter: name(array),
                                place: call.place.clone(),
                            }),
                    );
            }
            _ => {}
        }
    }
    shown
}

/// A call.
struct SeenCall {
    passed: Vec<Passed>,
    place: String,
}

fn calls(modules: &[Module], f: Value, parameters: usize) -> Vec<SeenCall> {
    let name = f.name();
    let is_local = matches!(f.linkage(), LLVMInternalLinkage | LLVMPrivateLinkage);
    let mut found = Vec::new();
    for caller in modules.iter().flat_map(|m| m.functions()) {
        for inst in caller.blocks().flat_map(|b| b.instructions()) {
            let is_it = |callee: Value| callee == f || !is_local && callee.name() == name;
            if !inst.is_call() || !inst.callee().is_some_and(is_it) {
                continue;
            }
            if inst.arg_count() as usize != parameters {
                continue;
            }
            // SAFETY: an instruction; without a position it is line 0.
            let line = unsafe { LLVMGetDebugLocLine(inst.0) };
            let file = source(caller).unwrap_or_default();
            let file = file.rsplit('/').next().unwrap_or_default();
            found.push(SeenCall {
                passed: (0..parameters as u32)
                    .map(|i| passed(inst.arg(i)))
                    .collect(),
                place: format!("{file}:{line}, a call"),
            });
        }
    }
    found
}

/// The first call that passes exactly the length of the array, if none passes more.
fn pairing(calls: &[SeenCall], array: usize, number: usize) -> Option<&SeenCall> {
    let mut shows = None;
    for call in calls {
        let Passed::Number(n) = call.passed[number] else {
            continue;
        };
        let (fits, most) = match call.passed[array] {
            Passed::Array(length) => (n == length, length),
            Passed::Text(length) => (n == length || n == length + 1, length + 1),
            Passed::Number(_) | Passed::Unknown => continue,
        };
        if n > most {
            return None;
        }
        if fits && n >= TOO_SHORT {
            shows = shows.or(Some(call));
        }
    }
    shows
}

fn passed(value: Value) -> Passed {
    if value.value_kind() == LLVMConstantIntValueKind {
        return Passed::Number(value.zext_value());
    }
    let base = whole(value);
    let array = if base.is_instruction() && base.opcode() == LLVMAlloca {
        base.allocated_type()
    } else if base.value_kind() == LLVMGlobalVariableValueKind {
        let text = base
            .initializer()
            .filter(|i| base.is_global_constant() && i.is_constant_string());
        if let Some((0, text)) =
            text.and_then(|t| t.string_bytes().split_last().map(|(l, t)| (*l, t)))
            && !text.contains(&0)
        {
            return Passed::Text(text.len() as u64);
        }
        base.value_type()
    } else {
        return Passed::Unknown;
    };
    if array.is_array() {
        Passed::Array(array.array_len())
    } else {
        Passed::Unknown
    }
}

/// The array of whose first element this is the address.
fn whole(value: Value) -> Value {
    let is_index = value.is_instruction() && value.opcode() == LLVMGetElementPtr;
    let mut indices = value.operands().skip(1);
    let is_zero = |i: Value| i.value_kind() == LLVMConstantIntValueKind && i.is_null();
    if is_index && indices.all(is_zero) {
        value.operand(0)
    } else {
        value
    }
}
