//! Operations under `#pragma STDC FENV_ACCESS ON` (`llvm.experimental.constrained.*`), which passes neither delete nor
//! move: the ordinary operations, in the rounding mode that the program has set; and the flags that operations raise.
//!
//! Processors have one rounding mode, so the metadata's promises about it do not matter. Flags are raised only in
//! programs that can read them, by an instruction before each operation, in libraries too.

use super::function::{FnLower, Refused};
use crate::ffi::{Module, Value};
use crate::types::Shape;
use ir::{ConvOp, FloatBinOp, FloatFormat, FloatOp, FloatPredicate, Inst, Val};
use llvm_sys::core::{LLVMGetMDString, LLVMIsAMDString};

/// The prefix of the names of these intrinsics, behind `llvm.`.
pub const PREFIX: &str = "experimental.constrained.";

/// Whether the program can read exception flags.
pub fn reads_flags(module: Module) -> bool {
    let readers = ["fetestexcept", "fegetenv"];
    readers
        .iter()
        .any(|name| module.function(name).is_some_and(Value::has_uses))
}

impl FnLower<'_> {
    /// Lowers the intrinsic whose name ends with `word`: an operation and types.
    pub fn constrained(&mut self, v: Value, word: &str, shape: &Shape) -> Result<(), Refused> {
        let base = word.split('.').next().unwrap_or(word);
        let binary = match base {
            "fadd" => Some(FloatBinOp::Add),
            "fsub" => Some(FloatBinOp::Sub),
            "fmul" => Some(FloatBinOp::Mul),
            "fdiv" => Some(FloatBinOp::Div),
            "frem" => Some(FloatBinOp::Rem),
            _ => None,
        };
        if let Some(op) = binary {
            return self.float_binary(v, op, shape);
        }
        match base {
            "fptrunc" | "fpext" | "fptosi" | "fptoui" | "sitofp" | "uitofp" => {
                self.constrained_conversion(v, base, shape)
            }
            "fcmp" | "fcmps" => self.constrained_comparison(v, base == "fcmps"),
            _ => self.intrinsic(v, &format!("llvm.{word}")),
        }
    }

    fn constrained_conversion(
        &mut self,
        v: Value,
        base: &str,
        shape: &Shape,
    ) -> Result<(), Refused> {
        let from = self.shape(v.arg(0).ty());
        let a = self.elems(v.arg(0))?;
        self.map_scalars(v, shape, |f, i, to| {
            let (a, from) = (a[i], from.scalars[i]);
            match base {
                "fptosi" => f.float_to_int(ConvOp::FloatToSigned, false, from, to.width, a),
                "fptoui" => f.float_to_int(ConvOp::FloatToUnsigned, false, from, to.width, a),
                "sitofp" => f.int_to_float(ConvOp::SignedToFloat, from.width, to, a),
                "uitofp" => f.int_to_float(ConvOp::UnsignedToFloat, from.width, to, a),
                _ => {
                    let (from, to) = (f.float_format(from)?, f.float_format(to)?);
                    Ok(f.float_cast(from, to, a))
                }
            }
        })
    }

    fn constrained_comparison(&mut self, v: Value, signals: bool) -> Result<(), Refused> {
        let name = metadata_text(v.arg(2)).ok_or("a comparison without a predicate")?;
        let wanted = |p: &&FloatPredicate| p.name().eq_ignore_ascii_case(&name);
        let Some(&predicate) = FloatPredicate::ALL.iter().find(wanted) else {
            return Err(format!("comparison {name}"));
        };
        let operands = self.shape(v.arg(0).ty());
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        let mut elems = super::function::Elems::new();
        for (i, &s) in operands.scalars.iter().enumerate() {
            let format = self.float_format(s)?;
            if signals {
                self.raise_flags(FloatOp::Compare, format, a[i], b[i], b[i]);
            }
            elems.push(self.float_test(predicate, format, a[i], b[i]));
        }
        self.set(v, elems);
        Ok(())
    }

    /// Emits the instruction that raises the flags of an operation, if the program reads them.
    pub fn raise_flags(&mut self, op: FloatOp, format: FloatFormat, a: Val, b: Val, c: Val) {
        if self.p.reads_flags {
            self.emit(Inst::CheckFloat {
                raise: true,
                op,
                format,
                a,
                b,
                c,
            });
        }
    }
}

/// The text of a metadata argument.
fn metadata_text(argument: Value) -> Option<String> {
    // SAFETY: a metadata string is asked for its text, which lives as long as the context.
    unsafe {
        if LLVMIsAMDString(argument.0).is_null() {
            return None;
        }
        let mut len = 0;
        let bytes = LLVMGetMDString(argument.0, &mut len);
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), len as usize);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}
