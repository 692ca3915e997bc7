//! Marks of operations that can raise a floating-point exception.
//!
//! Like all marks they are put in before any pass: what a pass moves, merges or computes speculatively is
//! looked at where the program has it. The mark of an operation stands before it and has its operands; that of a call of a
//! library's function stands behind it and begins with its result. A conversion's mark ends with a zero of the type
//! that it converts to. Comparisons, changes of sign and rounding to integral values raise nothing that is looked for.

use crate::ffi::{Type, Value};
use crate::instrument::is_own;
use crate::lower::{constrained, libm};
use ir::FloatOp;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::{LLVMConstNull, LLVMGetNextInstruction};

/// The prefix of the names of these marks.
pub const PREFIX: &str = "__polypath_mark_float_";

/// The operation or call that a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// An operation on floats of one type.
    Arithmetic(FloatOp),
    /// `a * b + c`, rounded twice.
    MultiplyAdd,
    /// Between types of floats.
    Cast,
    /// To an integer.
    ToInteger {
        /// Is the integer signed?
        signed: bool,
    },
    /// From an integer.
    FromInteger {
        /// Is the integer signed?
        signed: bool,
    },
}

const NAMES: [(&str, Marked); 14] = [
    ("add", Marked::Arithmetic(FloatOp::Add)),
    ("sub", Marked::Arithmetic(FloatOp::Sub)),
    ("mul", Marked::Arithmetic(FloatOp::Mul)),
    ("div", Marked::Arithmetic(FloatOp::Div)),
    ("rem", Marked::Arithmetic(FloatOp::Rem)),
    ("fma", Marked::Arithmetic(FloatOp::Fma)),
    ("sqrt", Marked::Arithmetic(FloatOp::Sqrt)),
    ("call", Marked::Arithmetic(FloatOp::Call)),
    ("muladd", Marked::MultiplyAdd),
    ("cast", Marked::Cast),
    ("to_signed", Marked::ToInteger { signed: true }),
    ("to_unsigned", Marked::ToInteger { signed: false }),
    ("from_signed", Marked::FromInteger { signed: true }),
    ("from_unsigned", Marked::FromInteger { signed: false }),
];

/// The meaning of a mark of this name.
pub fn of_name(name: &str) -> Option<Marked> {
    let word = name.strip_prefix(PREFIX)?.split('.').next()?;
    NAMES.iter().find(|(n, _)| *n == word).map(|(_, m)| *m)
}

/// A mark that is to be put in.
pub struct FloatMark {
    /// The instruction before which it stands.
    pub before: Value,
    /// The instruction whose position it has.
    pub of: Value,
    /// Its name.
    pub name: String,
    /// Its operands.
    pub operands: Vec<Value>,
}

/// The mark of an instruction of the program, if it needs one.
pub fn mark(inst: Value) -> Option<FloatMark> {
    let (what, operands) = match inst.opcode() {
        LLVMFAdd => arithmetic(FloatOp::Add, inst),
        LLVMFSub => arithmetic(FloatOp::Sub, inst),
        LLVMFMul => arithmetic(FloatOp::Mul, inst),
        LLVMFDiv => arithmetic(FloatOp::Div, inst),
        LLVMFRem => arithmetic(FloatOp::Rem, inst),
        LLVMFPTrunc => conversion(Marked::Cast, inst),
        LLVMFPToSI => conversion(Marked::ToInteger { signed: true }, inst),
        LLVMFPToUI => conversion(Marked::ToInteger { signed: false }, inst),
        LLVMSIToFP => conversion(Marked::FromInteger { signed: true }, inst),
        LLVMUIToFP => conversion(Marked::FromInteger { signed: false }, inst),
        LLVMCall => call(inst)?,
        _ => return None,
    };
    let before = if what == Marked::Arithmetic(FloatOp::Call) {
        // SAFETY: a call is no terminator, so an instruction follows it.
        unsafe { Value(LLVMGetNextInstruction(inst.0)) }
    } else {
        inst
    };
    let word = NAMES.iter().find(|(_, m)| *m == what)?.0;
    let types: Vec<String> = operands.iter().map(|o| o.ty().print()).collect();
    Some(FloatMark {
        before,
        of: inst,
        name: format!("{PREFIX}{word}.{}", types.join(".")),
        operands,
    })
}

fn arithmetic(op: FloatOp, inst: Value) -> (Marked, Vec<Value>) {
    let operands = vec![inst.operand(0), inst.operand(1)];
    (Marked::Arithmetic(op), operands)
}

fn conversion(what: Marked, inst: Value) -> (Marked, Vec<Value>) {
    // SAFETY: a constant of a type.
    let target = unsafe { Value(LLVMConstNull(inst.ty().0)) };
    (what, vec![inst.operand(0), target])
}

/// Functions and intrinsics that give no new NaN, without the suffixes of types.
const QUIET: [&str; 17] = [
    "fabs",
    "copysign",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "fmin",
    "fmax",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "canonicalize",
    "nextafter",
];

/// A call of one operation, or of a library's function of one or two floats.
fn call(inst: Value) -> Option<(Marked, Vec<Value>)> {
    let callee = inst.callee().filter(|f| !is_own(*f))?;
    let name = callee.name();
    let args: Vec<Value> = (0..inst.arg_count()).map(|i| inst.arg(i)).collect();
    let ty = inst.ty();
    let name = match name.split_once(constrained::PREFIX) {
        None => name,
        Some((_, word)) => match constrained_operation(inst, word) {
            Some(mark) => return Some(mark),
            None => format!("llvm.{word}"),
        },
    };
    if !is_float(ty) {
        return None;
    }
    let known = if callee.intrinsic_id() == 0 {
        libm::checked(&name).map(Marked::Arithmetic)
    } else {
        match name.split('.').nth(1) {
            Some("sqrt") => Some(Marked::Arithmetic(FloatOp::Sqrt)),
            Some("fma") => Some(Marked::Arithmetic(FloatOp::Fma)),
            Some("fmuladd") => Some(Marked::MultiplyAdd),
            Some(base) if QUIET.contains(&base) => return None,
            _ => None,
        }
    };
    let suffixes = ["", "f", "l"].map(|s| name.strip_suffix(s));
    if suffixes.iter().flatten().any(|base| QUIET.contains(base)) {
        return None;
    }
    let alike: Vec<Value> = args.iter().copied().filter(|a| a.ty() == ty).collect();
    match known {
        // Constrained ones have metadata behind their operands.
        Some(what) => {
            (alike.len() == args.len() || name.starts_with("llvm.")).then_some((what, alike))
        }
        None if alike.len() == 1 || alike.len() == 2 => {
            let operands = [&[inst], &alike[..]].concat();
            Some((Marked::Arithmetic(FloatOp::Call), operands))
        }
        None => None,
    }
}

/// An operation under `#pragma STDC FENV_ACCESS ON` that is an instruction elsewhere.
fn constrained_operation(inst: Value, word: &str) -> Option<(Marked, Vec<Value>)> {
    let pair = |op| Some((Marked::Arithmetic(op), vec![inst.arg(0), inst.arg(1)]));
    let conversion = |what| {
        let (_, operands) = conversion(what, inst);
        Some((what, operands))
    };
    match word.split('.').next()? {
        "fadd" => pair(FloatOp::Add),
        "fsub" => pair(FloatOp::Sub),
        "fmul" => pair(FloatOp::Mul),
        "fdiv" => pair(FloatOp::Div),
        "frem" => pair(FloatOp::Rem),
        "fptrunc" => conversion(Marked::Cast),
        "fptosi" => conversion(Marked::ToInteger { signed: true }),
        "fptoui" => conversion(Marked::ToInteger { signed: false }),
        "sitofp" => conversion(Marked::FromInteger { signed: true }),
        "uitofp" => conversion(Marked::FromInteger { signed: false }),
        _ => None,
    }
}

fn is_float(ty: Type) -> bool {
    matches!(
        ty.scalar().kind(),
        LLVMHalfTypeKind
            | LLVMBFloatTypeKind
            | LLVMFloatTypeKind
            | LLVMDoubleTypeKind
            | LLVMX86_FP80TypeKind
            | LLVMFP128TypeKind
    )
}
