//! Floating point: arithmetic, comparisons, conversions.

use super::function::{Elems, FnLower, Refused, is_float};
use crate::ffi::Value;
use crate::float_checks::Marked;
use crate::types::{Scalar, Shape};
use ir::{ConvOp, FloatBinOp, FloatFormat, FloatOp, FloatPredicate, FloatUnOp, Inst, Val};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMRealPredicate::*;

impl FnLower<'_> {
    pub fn float_format(&self, s: Scalar) -> Result<FloatFormat, Refused> {
        is_float(s).ok_or_else(|| "float operation on an integer".to_string())
    }

    pub fn float_arithmetic(
        &mut self,
        v: Value,
        opcode: LLVMOpcode,
        shape: &Shape,
    ) -> Result<(), Refused> {
        let a = self.elems(v.operand(0))?;
        if opcode == LLVMFNeg {
            return self.map_scalars(v, shape, |f, i, s| {
                let format = f.float_format(s)?;
                Ok(f.float_un(FloatUnOp::Neg, format, a[i]))
            });
        }
        let op = match opcode {
            LLVMFAdd => FloatBinOp::Add,
            LLVMFSub => FloatBinOp::Sub,
            LLVMFMul => FloatBinOp::Mul,
            LLVMFDiv => FloatBinOp::Div,
            _ => FloatBinOp::Rem,
        };
        let b = self.elems(v.operand(1))?;
        self.map_scalars(v, shape, |f, i, s| {
            let format = f.float_format(s)?;
            Ok(f.float_bin(op, format, a[i], b[i]))
        })
    }

    pub fn float_bin(&mut self, op: FloatBinOp, format: FloatFormat, a: Val, b: Val) -> Val {
        match op {
            FloatBinOp::Add => self.raise_flags(FloatOp::Add, format, a, b, b),
            FloatBinOp::Sub => self.raise_flags(FloatOp::Sub, format, a, b, b),
            FloatBinOp::Mul => self.raise_flags(FloatOp::Mul, format, a, b, b),
            FloatBinOp::Div => self.raise_flags(FloatOp::Div, format, a, b, b),
            FloatBinOp::Rem => self.raise_flags(FloatOp::Rem, format, a, b, b),
            FloatBinOp::Min | FloatBinOp::Max | FloatBinOp::CopySign => {}
        }
        let dst = self.body.fresh(format.bits());
        self.emit(Inst::FloatBin {
            op,
            format,
            dst,
            a,
            b,
        });
        dst.into()
    }

    pub fn float_un(&mut self, op: FloatUnOp, format: FloatFormat, a: Val) -> Val {
        if op == FloatUnOp::Sqrt {
            self.raise_flags(FloatOp::Sqrt, format, a, a, a);
        }
        let dst = self.body.fresh(format.bits());
        self.emit(Inst::FloatUn { op, format, dst, a });
        dst.into()
    }

    /// To an integral value in the current direction. Raises *inexact*, for `nearbyint` too, whose code in our libc is that
    /// of `rint`.
    pub fn rint(&mut self, format: FloatFormat, a: Val) -> Val {
        self.raise_flags(FloatOp::Round, format, a, a, a);
        self.float_un(FloatUnOp::RoundCurrent, format, a)
    }

    pub fn float_fma(&mut self, format: FloatFormat, a: Val, b: Val, c: Val) -> Val {
        self.raise_flags(FloatOp::Fma, format, a, b, c);
        let dst = self.body.fresh(format.bits());
        self.emit(Inst::FloatFma {
            format,
            dst,
            a,
            b,
            c,
        });
        dst.into()
    }

    pub fn float_cast(&mut self, from: FloatFormat, to: FloatFormat, a: Val) -> Val {
        if from == to {
            return a;
        }
        if self.p.reads_flags {
            let raise = true;
            self.emit(Inst::CheckFloatCast { raise, from, to, a });
        }
        let dst = self.body.fresh(to.bits());
        self.emit(Inst::FloatCast { from, to, dst, a });
        dst.into()
    }

    pub fn float_to_int(
        &mut self,
        op: ConvOp,
        saturating: bool,
        from: Scalar,
        w: u32,
        a: Val,
    ) -> Result<Val, Refused> {
        let format = self.float_format(from)?;
        if w > 128 {
            return Err(to_wide_int(w));
        }
        self.raise_conversion(op, format, w, a);
        let dst = self.body.fresh(w);
        self.emit(Inst::FloatConv {
            op,
            saturating,
            format,
            w: w as u8,
            dst,
            a,
        });
        Ok(dst.into())
    }

    fn raise_conversion(&mut self, op: ConvOp, format: FloatFormat, w: u32, a: Val) {
        if self.p.reads_flags {
            self.emit(Inst::CheckFloatConv {
                raise: true,
                op,
                format,
                w: w as u8,
                a,
            });
        }
    }

    pub fn int_to_float(&mut self, op: ConvOp, w: u32, to: Scalar, a: Val) -> Result<Val, Refused> {
        let format = self.float_format(to)?;
        if w > 128 {
            return Err(from_wide_int(w));
        }
        self.raise_conversion(op, format, w, a);
        let dst = self.body.fresh(format.bits());
        self.emit(Inst::FloatConv {
            op,
            saturating: false,
            format,
            w: w as u8,
            dst,
            a,
        });
        Ok(dst.into())
    }

    /// A mark of an operation whose exceptions are looked for.
    pub fn float_check(&mut self, v: Value, marked: Marked) -> Result<(), Refused> {
        let shape = self.shape(v.arg(0).ty());
        let args: Vec<Elems> = (0..v.arg_count())
            .map(|i| self.elems(v.arg(i)))
            .collect::<Result<_, _>>()?;
        let target = self.shape(v.arg(v.arg_count() - 1).ty());
        let raise = false;
        for (i, &s) in shape.scalars.iter().enumerate() {
            let operand = |n: usize| args.get(n).unwrap_or(&args[args.len() - 1])[i];
            let (a, b, c) = (operand(0), operand(1), operand(2));
            let to = target.scalars[i];
            match marked {
                Marked::Arithmetic(op) => {
                    let format = self.float_format(s)?;
                    self.emit(Inst::CheckFloat {
                        raise,
                        op,
                        format,
                        a,
                        b,
                        c,
                    });
                }
                Marked::MultiplyAdd => {
                    let format = self.float_format(s)?;
                    let check = |op, a, b| Inst::CheckFloat {
                        raise,
                        op,
                        format,
                        a,
                        b,
                        c,
                    };
                    self.emit(check(FloatOp::Mul, a, b));
                    let product = self.float_bin(FloatBinOp::Mul, format, a, b);
                    self.emit(check(FloatOp::Add, product, c));
                }
                Marked::Cast => {
                    let (from, to) = (self.float_format(s)?, self.float_format(to)?);
                    self.emit(Inst::CheckFloatCast { raise, from, to, a });
                }
                Marked::ToInteger { signed } if to.width <= 128 => {
                    let op = if signed {
                        ConvOp::FloatToSigned
                    } else {
                        ConvOp::FloatToUnsigned
                    };
                    let (format, w) = (self.float_format(s)?, to.width as u8);
                    self.emit(Inst::CheckFloatConv {
                        raise,
                        op,
                        format,
                        w,
                        a,
                    });
                }
                Marked::FromInteger { signed } if s.width <= 128 => {
                    let op = if signed {
                        ConvOp::SignedToFloat
                    } else {
                        ConvOp::UnsignedToFloat
                    };
                    let (format, w) = (self.float_format(to)?, s.width as u8);
                    self.emit(Inst::CheckFloatConv {
                        raise,
                        op,
                        format,
                        w,
                        a,
                    });
                }
                Marked::ToInteger { .. } => return Err(to_wide_int(to.width)),
                Marked::FromInteger { .. } => return Err(from_wide_int(s.width)),
            }
        }
        Ok(())
    }

    pub fn float_compare(&mut self, v: Value) -> Result<(), Refused> {
        let operands = self.shape(v.operand(0).ty());
        let (a, b) = (self.elems(v.operand(0))?, self.elems(v.operand(1))?);
        // SAFETY: callers pass an `fcmp`.
        let op = match unsafe { llvm_sys::core::LLVMGetFCmpPredicate(v.0) } {
            LLVMRealOEQ => FloatPredicate::Oeq,
            LLVMRealOGT => FloatPredicate::Ogt,
            LLVMRealOGE => FloatPredicate::Oge,
            LLVMRealOLT => FloatPredicate::Olt,
            LLVMRealOLE => FloatPredicate::Ole,
            LLVMRealONE => FloatPredicate::One,
            LLVMRealORD => FloatPredicate::Ord,
            LLVMRealUEQ => FloatPredicate::Ueq,
            LLVMRealUGT => FloatPredicate::Ugt,
            LLVMRealUGE => FloatPredicate::Uge,
            LLVMRealULT => FloatPredicate::Ult,
            LLVMRealULE => FloatPredicate::Ule,
            LLVMRealUNE => FloatPredicate::Une,
            LLVMRealUNO => FloatPredicate::Uno,
            always @ (LLVMRealPredicateTrue | LLVMRealPredicateFalse) => {
                let bit = self.constant(u64::from(always == LLVMRealPredicateTrue));
                self.set(v, operands.scalars.iter().map(|_| bit).collect());
                return Ok(());
            }
        };
        let mut elems = Elems::new();
        for (i, s) in operands.scalars.iter().enumerate() {
            let format = self.float_format(*s)?;
            elems.push(self.float_test(op, format, a[i], b[i]));
        }
        self.set(v, elems);
        Ok(())
    }

    pub fn float_test(&mut self, op: FloatPredicate, format: FloatFormat, a: Val, b: Val) -> Val {
        let dst = self.body.fresh(1);
        self.emit(Inst::FloatCmp {
            op,
            format,
            dst,
            a,
            b,
        });
        dst.into()
    }
}

fn to_wide_int(w: u32) -> Refused {
    format!("conversion of a float to i{w}")
}

fn from_wide_int(w: u32) -> Refused {
    format!("conversion of an i{w} to a float")
}
