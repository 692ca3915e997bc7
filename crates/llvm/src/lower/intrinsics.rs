//! `llvm.*` intrinsics, by the part of their name before the type suffix.
//!
//! How to add one: a row in [`FnLower::intrinsic`]; what has no row ends the path with its name.

use super::constants::mask;
use super::constrained;
use super::function::{Elems, FnLower, Refused};
use crate::ffi::Value;
use crate::guard;
use crate::types::{Kind, Scalar, Shape};
use ir::operands::slots;
use ir::{
    BinOp, CheckKind, CmpOp, ConvOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, Inst, Reg,
    UnOp, Val,
};
use llvm_sys::LLVMTypeKind;
use vocab::Check;

/// The reason of `llvm.ubsantrap` for the end of a function without a return (clang's `SanitizerHandler`).
const MISSING_RETURN: u64 = 11;

/// Bytes of a `va_list`.
const VA_LIST: u64 = 24;

/// Functions of libm behind an intrinsic, by format suffix.
fn libm_name(base: &str, format: FloatFormat) -> Option<String> {
    const NAMES: [&str; 22] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2",
        "exp10", "log", "log2", "log10", "pow", "ldexp", "lrint", "llrint", "lround", "llround",
        "sincos",
    ];
    let name = NAMES.iter().find(|n| **n == base)?;
    match format {
        FloatFormat::SINGLE => Some(format!("{name}f")),
        FloatFormat::DOUBLE => Some((*name).to_string()),
        FloatFormat::X87 => Some(format!("{name}l")),
        _ => None,
    }
}

/// The libm functions that intrinsics of a module may need, for the linker.
pub fn libm_for_intrinsic(name: &str) -> Option<String> {
    let rest = name.strip_prefix("llvm.")?;
    let rest = rest.strip_prefix(constrained::PREFIX).unwrap_or(rest);
    let (base, suffix) = rest.split_once('.')?;
    let format = match suffix.rsplit('.').next()? {
        "f32" => FloatFormat::SINGLE,
        "f64" => FloatFormat::DOUBLE,
        "f80" => FloatFormat::X87,
        _ => return None,
    };
    libm_name(base, format)
}

impl FnLower<'_> {
    pub fn intrinsic(&mut self, v: Value, name: &str) -> Result<(), Refused> {
        let shape = self.shape(v.ty());
        let rest = name.strip_prefix("llvm.").unwrap_or(name);
        let unknown = || Err(format!("intrinsic {name}"));
        // Multi-word families first; then the word before the types.
        if rest.starts_with("lifetime.") {
            self.lifetime(v, rest.starts_with("lifetime.start"));
            return Ok(());
        }
        if rest.starts_with("dbg.")
            || rest.starts_with("invariant.")
            || rest.starts_with("experimental.noalias.scope")
            || rest.starts_with("instrprof.")
        {
            if !v.ty().is_void() {
                let zero = self.zero(64);
                self.set1(v, zero);
            }
            return Ok(());
        }
        for (family, op) in OVERFLOW {
            if rest.starts_with(family) {
                return self.overflow(v, op.0, op.1, &shape);
            }
        }
        for (family, op) in SATURATING {
            if rest.starts_with(family) {
                return self.saturating(v, op.0, op.1, &shape);
            }
        }
        if let Some(reduction) = rest.strip_prefix("vector.reduce.") {
            return self.reduce(v, reduction.split('.').next().unwrap_or(""), &shape);
        }
        if rest.starts_with("fptosi.sat.") || rest.starts_with("fptoui.sat.") {
            let op = if rest.starts_with("fptosi") {
                ConvOp::FloatToSigned
            } else {
                ConvOp::FloatToUnsigned
            };
            let from = self.shape(v.arg(0).ty());
            let a = self.elems(v.arg(0))?;
            return self.map_scalars(v, &shape, |f, i, s| {
                f.float_to_int(op, true, from.scalars[i], s.width, a[i])
            });
        }
        if let Some(word) = rest.strip_prefix(constrained::PREFIX) {
            return self.constrained(v, word, &shape);
        }
        let base = rest.split('.').next().unwrap_or(rest);
        match base {
            "assume" | "donothing" | "sideeffect" | "prefetch" | "pseudoprobe" | "fake"
            | "clear_cache" => Ok(()),
            "expect" | "launder" | "strip" | "ssa" | "arithmetic" | "annotation" => {
                let elems = self.elems(v.arg(0))?;
                self.set(v, elems);
                Ok(())
            }
            "ptr" if rest.starts_with("ptr.annotation") => {
                let elems = self.elems(v.arg(0))?;
                self.set(v, elems);
                Ok(())
            }
            "var" if rest.starts_with("var.annotation") => Ok(()),
            "threadlocal" => {
                let elems = self.elems(v.arg(0))?;
                self.set(v, elems);
                Ok(())
            }
            "is" if rest.starts_with("is.constant") => self.literal(v, 0),
            "is" if rest.starts_with("is.fpclass") => self.float_class(v),
            "objectsize" => {
                // Unknown: the largest size, or 0 where the minimum is asked for.
                let minimum = self.val(v.arg(1))?;
                let w = v.ty().int_width();
                let value = if self.as_constant(minimum) == Some(1) {
                    0
                } else {
                    mask(w)
                };
                self.literal(v, value)
            }
            "memcpy" | "memmove" => self.copy(v, base == "memcpy"),
            "memset" => {
                let (dst, byte) = (self.val(v.arg(0))?, self.val(v.arg(1))?);
                let len = self.length(v.arg(2))?;
                if self.as_constant(len) != Some(0) {
                    self.emit(Inst::MemSet { dst, byte, len });
                }
                Ok(())
            }
            "umin" => self.choose(v, CmpOp::Ult, false, &shape),
            "umax" => self.choose(v, CmpOp::Ult, true, &shape),
            "smin" => self.choose(v, CmpOp::Slt, false, &shape),
            "smax" => self.choose(v, CmpOp::Slt, true, &shape),
            "ucmp" | "scmp" => self.three_way(v, base == "scmp", &shape),
            "abs" => {
                let a = self.elems(v.arg(0))?;
                self.map_scalars(v, &shape, |f, i, s| {
                    let zero = f.zero(s.width);
                    let negated = f.int_bin(BinOp::Sub, s.width, zero, a[i]);
                    let negative = f.int_compare(CmpOp::Slt, s.width, a[i], zero);
                    Ok(f.select_scalar(s.width, negative, negated, a[i]))
                })
            }
            "ctlz" => self.unary(v, UnOp::Ctlz, &shape),
            "cttz" => self.unary(v, UnOp::Cttz, &shape),
            "ctpop" => self.unary(v, UnOp::Ctpop, &shape),
            "bswap" => self.unary(v, UnOp::Bswap, &shape),
            "bitreverse" => self.unary(v, UnOp::Bitreverse, &shape),
            "fshl" | "fshr" => self.funnel(v, base == "fshl", &shape),
            "fabs" => self.float_unary(v, FloatUnOp::Abs, &shape),
            "sqrt" => self.float_unary(v, FloatUnOp::Sqrt, &shape),
            "floor" => self.float_unary(v, FloatUnOp::Floor, &shape),
            "ceil" => self.float_unary(v, FloatUnOp::Ceil, &shape),
            "trunc" => self.float_unary(v, FloatUnOp::Trunc, &shape),
            "rint" | "nearbyint" => {
                let a = self.elems(v.arg(0))?;
                self.map_scalars(v, &shape, |f, i, s| {
                    let format = f.float_format(s)?;
                    Ok(f.rint(format, a[i]))
                })
            }
            "roundeven" => self.float_unary(v, FloatUnOp::RoundEven, &shape),
            "round" => self.float_unary(v, FloatUnOp::RoundAway, &shape),
            "canonicalize" => {
                let elems = self.elems(v.arg(0))?;
                self.set(v, elems);
                Ok(())
            }
            "copysign" => self.float_binary(v, FloatBinOp::CopySign, &shape),
            "minnum" => self.float_binary(v, FloatBinOp::Min, &shape),
            "maxnum" => self.float_binary(v, FloatBinOp::Max, &shape),
            "minimum" | "maximum" => self.nan_minimum(v, base == "minimum", &shape),
            "fma" | "fmuladd" => {
                let (a, b, c) = (
                    self.elems(v.arg(0))?,
                    self.elems(v.arg(1))?,
                    self.elems(v.arg(2))?,
                );
                let fused = base == "fma";
                self.map_scalars(v, &shape, |f, i, s| {
                    let format = f.float_format(s)?;
                    if fused {
                        return Ok(f.float_fma(format, a[i], b[i], c[i]));
                    }
                    // fmuladd leaves the choice; x86-64 without FMA rounds twice.
                    let product = f.float_bin(FloatBinOp::Mul, format, a[i], b[i]);
                    Ok(f.float_bin(FloatBinOp::Add, format, product, c[i]))
                })
            }
            "lrint" | "llrint" | "lround" | "llround" => {
                let from = self.shape(v.arg(0).ty());
                let a = self.elems(v.arg(0))?;
                self.map_scalars(v, &shape, |f, i, s| {
                    let format = f.float_format(from.scalars[i])?;
                    let rounded = if base.ends_with("rint") {
                        f.rint(format, a[i])
                    } else {
                        f.float_un(FloatUnOp::RoundAway, format, a[i])
                    };
                    f.float_to_int(
                        ConvOp::FloatToSigned,
                        false,
                        from.scalars[i],
                        s.width,
                        rounded,
                    )
                })
            }
            "powi" => self.power(v, &shape),
            "stacksave" => {
                let dst = self.body.fresh(64);
                self.emit(Inst::StackSave { dst });
                self.set1(v, dst.into());
                Ok(())
            }
            "stackrestore" => {
                let mark = self.val(v.arg(0))?;
                self.emit(Inst::StackRestore { mark });
                Ok(())
            }
            "frameaddress" | "returnaddress" | "addressofreturnaddress" | "sponentry" => {
                self.literal(v, 0)
            }
            "thread" => {
                self.call_by_name("__polypath_thread_pointer", v, &[], &[], &shape);
                Ok(())
            }
            // The end of a function that has to return a value.
            "ubsantrap" if v.arg(0).zext_value() == MISSING_RETURN => {
                self.emit(Inst::Unreachable);
                Ok(())
            }
            "trap" | "debugtrap" | "ubsantrap" => {
                self.emit(Inst::Trap);
                Ok(())
            }
            "va_start" => {
                let list = self.val(v.arg(0))?;
                self.call_by_name("__polypath_va_start", v, &[list], &[64], &shape);
                Ok(())
            }
            "va_copy" => {
                let (dst, src) = (self.val(v.arg(0))?, self.val(v.arg(1))?);
                let len = self.constant(VA_LIST);
                self.emit(Inst::MemMove { dst, src, len });
                Ok(())
            }
            "va_end" => Ok(()),
            "get" if rest == "get.rounding" => {
                self.call_by_name("__polypath_flt_rounds", v, &[], &[], &shape);
                Ok(())
            }
            "ptrmask" => {
                let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
                let width = self.shape(v.arg(1).ty()).scalars[0].width;
                self.map_scalars(v, &shape, |f, i, s| {
                    let m = f.zext(width, s.width, b[i]);
                    Ok(f.int_bin(BinOp::And, s.width, a[i], m))
                })
            }
            "load" if rest.starts_with("load.relative") => {
                let base = self.val(v.arg(0))?;
                let w = v.arg(1).ty().int_width();
                let index = self.val(v.arg(1))?;
                let index = self.sext(w, 64, index);
                let at = self.int_bin(BinOp::Add, 64, base, index);
                let dst = self.body.fresh(32);
                self.emit(Inst::Load {
                    bytes: 4,
                    dst,
                    address: at,
                });
                let relative = self.sext(32, 64, dst.into());
                let result = self.int_bin(BinOp::Add, 64, base, relative);
                self.set1(v, result);
                Ok(())
            }
            "vscale" => self.literal(v, 1),
            "allow" => self.literal(v, 1), // allow.runtime.check, allow.ubsan.check
            "experimental" if rest.starts_with("experimental.widenable") => self.literal(v, 1),
            "vector" if rest.starts_with("vector.reverse") => {
                let mut elems = self.elems(v.arg(0))?;
                elems.reverse();
                self.set(v, elems);
                Ok(())
            }
            "vector" if rest.starts_with("vector.insert") || rest.starts_with("vector.extract") => {
                self.sub_vector(v, rest.starts_with("vector.insert"), &shape)
            }
            "masked" => self.masked(v, rest, &shape),
            "eh" => Err("exception handling".into()),
            _ => {
                let Some(format) = shape
                    .scalars
                    .first()
                    .and_then(|s| super::function::is_float(*s))
                else {
                    return unknown();
                };
                match libm_name(base, format) {
                    Some(function) if shape.scalars.len() == 1 => {
                        let mut args = Vec::new();
                        let mut widths = Vec::new();
                        // Constrained ones have metadata behind their operands.
                        let is_operand =
                            |&i: &u32| v.arg(i).ty().kind() != LLVMTypeKind::LLVMMetadataTypeKind;
                        for i in (0..v.arg_count()).filter(is_operand) {
                            let s = self.shape(v.arg(i).ty());
                            let e = self.val(v.arg(i))?;
                            for (n, w) in s.slot_widths().iter().enumerate() {
                                args.push(e.limb(n as u32));
                                widths.push(*w);
                            }
                        }
                        self.call_by_name(&function, v, &args, &widths, &shape);
                        Ok(())
                    }
                    _ => unknown(),
                }
            }
        }
    }

    /// `memcpy` and `memmove`; few bytes as a load and a store.
    fn copy(&mut self, v: Value, apart: bool) -> Result<(), Refused> {
        let len = self.length(v.arg(2))?;
        match self.as_constant(len) {
            Some(0) => return Ok(()),
            // A copy takes unwritten bytes (padding) along; a load of them would be an error.
            Some(n @ (1 | 2 | 4 | 8)) if !self.p.options.checks.has(Check::Uninit) => {
                if apart
                    && self.own
                    && self.p.options.checks.has(Check::Overlap)
                    && guard::may_overlap(&self.p.types, v, n)
                {
                    let (dst, src) = (self.val(v.arg(0))?, self.val(v.arg(1))?);
                    let distance = self.int_bin(BinOp::Sub, 64, dst, src);
                    self.emit(Inst::Check {
                        kind: CheckKind::Overlap,
                        w: 64,
                        a: distance,
                        b: len,
                    });
                }
                let whole = Scalar {
                    kind: Kind::Int,
                    width: 8 * n as u32,
                    offset: 0,
                };
                let (to, from) = (self.address(v.arg(0))?, self.address(v.arg(1))?);
                let value = self.load_scalar(from, whole);
                self.store_scalar(to, whole, value);
                return Ok(());
            }
            _ => {}
        }
        let (dst, src) = (self.val(v.arg(0))?, self.val(v.arg(1))?);
        self.emit(if apart {
            Inst::MemCopy { dst, src, len }
        } else {
            Inst::MemMove { dst, src, len }
        });
        Ok(())
    }

    fn literal(&mut self, v: Value, value: u64) -> Result<(), Refused> {
        let w = self.shape(v.ty()).scalars[0].width;
        let value = self.wide_constant(w, value & mask(w));
        self.set1(v, value);
        Ok(())
    }

    /// A length operand, 32 or 64 bits wide.
    fn length(&mut self, v: Value) -> Result<Val, Refused> {
        let w = v.ty().int_width();
        let len = self.val(v)?;
        if let Some(n) = self.as_constant(len) {
            return Ok(self.constant(n));
        }
        Ok(self.zext(w, 64, len))
    }

    fn choose(&mut self, v: Value, op: CmpOp, larger: bool, shape: &Shape) -> Result<(), Refused> {
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        self.map_scalars(v, shape, |f, i, s| {
            Ok(f.choose_scalar(op, larger, s.width, a[i], b[i]))
        })
    }

    fn choose_scalar(&mut self, op: CmpOp, larger: bool, w: u32, a: Val, b: Val) -> Val {
        let c = self.int_compare(op, w, a, b);
        if larger {
            self.select_scalar(w, c, b, a)
        } else {
            self.select_scalar(w, c, a, b)
        }
    }

    fn three_way(&mut self, v: Value, signed: bool, shape: &Shape) -> Result<(), Refused> {
        let operands = self.shape(v.arg(0).ty());
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        let op = if signed { CmpOp::Slt } else { CmpOp::Ult };
        self.map_scalars(v, shape, |f, i, s| {
            let w = operands.scalars[i].width;
            let less = f.int_compare(op, w, a[i], b[i]);
            let more = f.int_compare(op, w, b[i], a[i]);
            let (zero, one) = (f.zero(s.width), f.wide_constant(s.width, 1));
            let minus = f.not(s.width, zero);
            let rest = f.select_scalar(s.width, more, one, zero);
            Ok(f.select_scalar(s.width, less, minus, rest))
        })
    }

    fn unary(&mut self, v: Value, op: UnOp, shape: &Shape) -> Result<(), Refused> {
        let a = self.elems(v.arg(0))?;
        self.map_scalars(v, shape, |f, i, s| {
            let dst = f.body.fresh(s.width);
            f.emit(if s.width > 64 {
                Inst::WideUn {
                    op,
                    w: s.width as u16,
                    dst,
                    a: a[i],
                }
            } else {
                Inst::Un {
                    op,
                    w: s.width as u8,
                    dst,
                    a: a[i],
                }
            });
            Ok(dst.into())
        })
    }

    fn funnel(&mut self, v: Value, left: bool, shape: &Shape) -> Result<(), Refused> {
        let (a, b, c) = (
            self.elems(v.arg(0))?,
            self.elems(v.arg(1))?,
            self.elems(v.arg(2))?,
        );
        self.map_scalars(v, shape, |f, i, s| {
            let w = s.width;
            let (a, b, c) = (a[i], b[i], c[i]);
            if w <= 64 {
                let dst = f.body.fresh(w);
                f.emit(Inst::Funnel {
                    left,
                    w: w as u8,
                    dst,
                    a,
                    b,
                    c,
                });
                return Ok(dst.into());
            }
            // Twice as wide: (a ++ b) shifted, then the half that is asked for.
            let double = 2 * w;
            let modulus = f.wide_constant(w, u64::from(w));
            let amount = f.int_bin(BinOp::URem, w, c, modulus);
            let amount = f.zext(w, double, amount);
            let high = f.zext(w, double, a);
            let low = f.zext(w, double, b);
            let by = f.wide_constant(double, u64::from(w));
            let high = f.int_bin(BinOp::Shl, double, high, by);
            let both = f.int_bin(BinOp::Or, double, high, low);
            let shifted = f.int_bin(
                if left { BinOp::Shl } else { BinOp::LShr },
                double,
                both,
                amount,
            );
            let place = if left {
                f.int_bin(BinOp::LShr, double, shifted, by)
            } else {
                shifted
            };
            Ok(f.trunc(double, w, place))
        })
    }

    /// Result and overflow bit of one scalar operation.
    fn overflow_scalar(&mut self, op: BinOp, signed: bool, w: u32, a: Val, b: Val) -> (Val, Val) {
        if w <= 64 {
            let dst = self.body.fresh_group([w, 1]);
            self.emit(Inst::Overflow {
                op,
                signed,
                w: w as u8,
                dst,
                a,
                b,
            });
            return (dst.into(), Val::reg(Reg(dst.0 + 1)));
        }
        // Exact in a wider type, then compared with its own truncation.
        let wide = if op == BinOp::Mul { 2 * w } else { w + 1 };
        let extend = |f: &mut Self, x| {
            if signed {
                f.sext(w, wide, x)
            } else {
                f.zext(w, wide, x)
            }
        };
        let (wa, wb) = (extend(self, a), extend(self, b));
        let exact = self.int_bin(op, wide, wa, wb);
        let result = self.trunc(wide, w, exact);
        let back = extend(self, result);
        let flag = self.int_compare(CmpOp::Ne, wide, exact, back);
        (result, flag)
    }

    fn overflow(
        &mut self,
        v: Value,
        op: BinOp,
        signed: bool,
        shape: &Shape,
    ) -> Result<(), Refused> {
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        let n = a.len();
        let (mut values, mut flags) = (Elems::new(), Elems::new());
        for i in 0..n {
            let (value, flag) =
                self.overflow_scalar(op, signed, shape.scalars[i].width, a[i], b[i]);
            values.push(value);
            flags.push(flag);
        }
        values.extend(flags);
        self.set(v, values);
        Ok(())
    }

    fn saturating(
        &mut self,
        v: Value,
        op: BinOp,
        signed: bool,
        shape: &Shape,
    ) -> Result<(), Refused> {
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        self.map_scalars(v, shape, |f, i, s| {
            Ok(f.saturating_scalar(op, signed, s, a[i], b[i]))
        })
    }

    fn saturating_scalar(&mut self, op: BinOp, signed: bool, s: Scalar, a: Val, b: Val) -> Val {
        let w = s.width;
        if op == BinOp::Shl {
            // Overflows when shifting back does not give the operand.
            let result = self.int_bin(BinOp::Shl, w, a, b);
            let back = self.int_bin(if signed { BinOp::AShr } else { BinOp::LShr }, w, result, b);
            let lost = self.int_compare(CmpOp::Ne, w, back, a);
            let limit = self.limit(signed, w, a);
            return self.select_scalar(w, lost, limit, result);
        }
        let (result, flag) = self.overflow_scalar(op, signed, w, a, b);
        let limit = match (signed, op) {
            (true, _) => self.limit(true, w, a),
            (false, BinOp::Add) => self.limit(false, w, a),
            (false, _) => self.zero(w),
        };
        self.select_scalar(w, flag, limit, result)
    }

    /// The largest value, or for signed values the one of `a`'s sign.
    fn limit(&mut self, signed: bool, w: u32, a: Val) -> Val {
        let zero = self.zero(w);
        let ones = {
            let mut limbs = vec![u64::MAX; slots(w) as usize];
            if !w.is_multiple_of(64) {
                *limbs.last_mut().expect("a width is not zero") = mask(w % 64);
            }
            limbs
        };
        if !signed {
            return self.p.pool(&ones);
        }
        let top = (w - 1) % 64;
        let (mut max, mut min) = (ones.clone(), vec![0; ones.len()]);
        *max.last_mut().expect("not empty") &= !(1 << top);
        *min.last_mut().expect("not empty") = 1 << top;
        let (max, min) = (self.p.pool(&max), self.p.pool(&min));
        let negative = self.int_compare(CmpOp::Slt, w, a, zero);
        self.select_scalar(w, negative, min, max)
    }

    fn float_unary(&mut self, v: Value, op: FloatUnOp, shape: &Shape) -> Result<(), Refused> {
        let a = self.elems(v.arg(0))?;
        self.map_scalars(v, shape, |f, i, s| {
            let format = f.float_format(s)?;
            Ok(f.float_un(op, format, a[i]))
        })
    }

    pub fn float_binary(&mut self, v: Value, op: FloatBinOp, shape: &Shape) -> Result<(), Refused> {
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        self.map_scalars(v, shape, |f, i, s| {
            let format = f.float_format(s)?;
            Ok(f.float_bin(op, format, a[i], b[i]))
        })
    }

    /// `llvm.minimum`/`maximum`: NaN wins, -0 is below +0.
    fn nan_minimum(&mut self, v: Value, minimum: bool, shape: &Shape) -> Result<(), Refused> {
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        self.map_scalars(v, shape, |f, i, s| {
            let format = f.float_format(s)?;
            let (a, b) = (a[i], b[i]);
            let sum = f.float_bin(FloatBinOp::Add, format, a, b);
            let unordered = f.float_test(FloatPredicate::Uno, format, a, b);
            let equal = f.float_test(FloatPredicate::Oeq, format, a, b);
            // Equal values differ in the sign of zero at most: join or meet their bits.
            let merge = if minimum { BinOp::Or } else { BinOp::And };
            let zeros = f.int_bin(merge, s.width, a, b);
            let op = if minimum {
                FloatBinOp::Min
            } else {
                FloatBinOp::Max
            };
            let plain = f.float_bin(op, format, a, b);
            let ordered = f.select_scalar(s.width, equal, zeros, plain);
            Ok(f.select_scalar(s.width, unordered, sum, ordered))
        })
    }

    /// `powi` as compiler-rt computes it, when the exponent is known; else it calls that routine.
    fn power(&mut self, v: Value, shape: &Shape) -> Result<(), Refused> {
        let format = self.float_format(shape.scalars[0])?;
        let n = self.val(v.arg(1))?;
        let (Some(n), 1) = (self.as_constant(n), shape.scalars.len()) else {
            return Err("intrinsic llvm.powi with a variable exponent".into());
        };
        let n = n as u32 as i32;
        let mut base = self.val(v.arg(0))?;
        let mut left = n.unsigned_abs();
        let mut result = self.float_one(format)?;
        while left != 0 {
            if left & 1 != 0 {
                result = self.float_bin(FloatBinOp::Mul, format, result, base);
            }
            left >>= 1;
            if left != 0 {
                base = self.float_bin(FloatBinOp::Mul, format, base, base);
            }
        }
        if n < 0 {
            let one = self.float_one(format)?;
            result = self.float_bin(FloatBinOp::Div, format, one, result);
        }
        self.set1(v, result);
        Ok(())
    }

    fn float_one(&mut self, format: FloatFormat) -> Result<Val, Refused> {
        let integer_bit = u128::from(format.has_integer_bit()) << (format.stored_bits() - 1);
        let one = (format.max_exponent() as u128) << format.stored_bits() | integer_bit;
        let limbs = [one as u64, (one >> 64) as u64];
        Ok(self.p.pool(&limbs[..slots(format.bits()) as usize]))
    }

    /// `llvm.is.fpclass` by tests on the bits.
    fn float_class(&mut self, v: Value) -> Result<(), Refused> {
        let operands = self.shape(v.arg(0).ty());
        let a = self.elems(v.arg(0))?;
        let test = v.arg(1).zext_value();
        let mut elems = Elems::new();
        for (i, s) in operands.scalars.iter().enumerate() {
            let format = self.float_format(*s)?;
            let value = self.float_class_scalar(format, a[i], test)?;
            elems.push(value);
        }
        self.set(v, elems);
        Ok(())
    }

    fn float_class_scalar(
        &mut self,
        format: FloatFormat,
        a: Val,
        test: u64,
    ) -> Result<Val, Refused> {
        if format.bits() > 64 {
            return Err("intrinsic llvm.is.fpclass on a wide float".into());
        }
        let (w, fraction) = (format.bits(), format.stored_bits());
        let constant = |f: &mut Self, x: u64| f.constant(x);
        let magnitude_mask = mask(w - 1);
        let infinity = mask(w - 1) & !mask(fraction);
        let quiet = 1u64 << (fraction - 1);
        let m = constant(self, magnitude_mask);
        let magnitude = self.int_bin(BinOp::And, w, a, m);
        let sign = {
            let zero = self.zero(w);
            self.int_compare(CmpOp::Slt, w, a, zero)
        };
        let plus = self.not(1, sign);
        // Ranges of the magnitude: [low, high) for each class, and the bits of the negative and positive test.
        let classes: [(u64, u64, u64, u64); 4] = [
            (infinity, infinity + 1, 1 << 2, 1 << 9),
            (1 << fraction, infinity, 1 << 3, 1 << 8),
            (1, 1 << fraction, 1 << 4, 1 << 7),
            (0, 1, 1 << 5, 1 << 6),
        ];
        let mut result = self.constant(0);
        for (low, high, negative, positive) in classes {
            if test & (negative | positive) == 0 {
                continue;
            }
            let mut inside = self.in_range(w, magnitude, low, high);
            if test & negative == 0 {
                inside = self.int_bin(BinOp::And, 1, inside, plus);
            } else if test & positive == 0 {
                inside = self.int_bin(BinOp::And, 1, inside, sign);
            }
            result = self.int_bin(BinOp::Or, 1, result, inside);
        }
        for (bit, low, high) in [
            (1u64, infinity + 1, infinity | quiet),
            (2, infinity | quiet, mask(w - 1) + 1),
        ] {
            if test & bit != 0 {
                let inside = self.in_range(w, magnitude, low, high);
                result = self.int_bin(BinOp::Or, 1, result, inside);
            }
        }
        Ok(result)
    }

    fn in_range(&mut self, w: u32, a: Val, low: u64, high: u64) -> Val {
        let low = self.constant(low);
        let last = self.constant(high - 1);
        let above = self.int_compare(CmpOp::Ule, w, low, a);
        let below = self.int_compare(CmpOp::Ule, w, a, last);
        self.int_bin(BinOp::And, 1, above, below)
    }

    fn reduce(&mut self, v: Value, op: &str, shape: &Shape) -> Result<(), Refused> {
        let s = shape.scalars[0];
        let w = s.width;
        let ordered = matches!(op, "fadd" | "fmul");
        let mut elems = self.elems(v.arg(u32::from(ordered)))?.into_iter();
        let mut all = if ordered {
            self.val(v.arg(0))?
        } else {
            elems
                .next()
                .ok_or_else(|| format!("intrinsic llvm.vector.reduce.{op} of nothing"))?
        };
        for e in elems {
            let int = |f: &mut Self, op| f.int_bin(op, w, all, e);
            all = match op {
                "add" => int(self, BinOp::Add),
                "mul" => int(self, BinOp::Mul),
                "and" => int(self, BinOp::And),
                "or" => int(self, BinOp::Or),
                "xor" => int(self, BinOp::Xor),
                "umin" => self.choose_scalar(CmpOp::Ult, false, w, all, e),
                "umax" => self.choose_scalar(CmpOp::Ult, true, w, all, e),
                "smin" => self.choose_scalar(CmpOp::Slt, false, w, all, e),
                "smax" => self.choose_scalar(CmpOp::Slt, true, w, all, e),
                "fadd" | "fmul" | "fmin" | "fmax" => {
                    let format = self.float_format(s)?;
                    let op = match op {
                        "fadd" => FloatBinOp::Add,
                        "fmul" => FloatBinOp::Mul,
                        "fmin" => FloatBinOp::Min,
                        _ => FloatBinOp::Max,
                    };
                    self.float_bin(op, format, all, e)
                }
                _ => return Err(format!("intrinsic llvm.vector.reduce.{op}")),
            };
        }
        self.set1(v, all);
        Ok(())
    }

    fn sub_vector(&mut self, v: Value, insert: bool, shape: &Shape) -> Result<(), Refused> {
        let mut elems = self.elems(v.arg(0))?;
        if insert {
            let part = self.elems(v.arg(1))?;
            let at = v.arg(2).zext_value() as usize;
            for (i, e) in part.iter().enumerate() {
                if let Some(place) = elems.get_mut(at + i) {
                    *place = *e;
                }
            }
            self.set(v, elems);
        } else {
            let at = v.arg(1).zext_value() as usize;
            let part = elems
                .iter()
                .skip(at)
                .take(shape.scalars.len())
                .copied()
                .collect();
            self.set(v, part);
        }
        Ok(())
    }

    /// Masked loads and stores with a constant mask (a variable one would need branches).
    fn masked(&mut self, v: Value, rest: &str, shape: &Shape) -> Result<(), Refused> {
        let load = rest.starts_with("masked.load");
        if !load && !rest.starts_with("masked.store") {
            return Err(format!("intrinsic llvm.{rest}"));
        }
        let (pointer, mask) = if load {
            (v.arg(0), v.arg(2))
        } else {
            (v.arg(1), v.arg(3))
        };
        let mask = self.elems(mask)?;
        let bits: Option<Vec<u64>> = mask.iter().map(|m| self.as_constant(*m)).collect();
        let Some(bits) = bits else {
            return Err(format!("intrinsic llvm.{rest} with a variable mask"));
        };
        let at = self.address(pointer)?;
        if load {
            let mut elems = self.elems(v.arg(3))?;
            for (i, s) in shape.scalars.iter().enumerate() {
                if bits[i] != 0 {
                    elems[i] = self.load_scalar(at, *s);
                }
            }
            self.set(v, elems);
        } else {
            let value = v.arg(0);
            let shape = self.shape(value.ty());
            let elems = self.elems(value)?;
            for (i, s) in shape.scalars.iter().enumerate() {
                if bits[i] != 0 {
                    self.store_scalar(at, *s, elems[i]);
                }
            }
        }
        Ok(())
    }
}

const OVERFLOW: [(&str, (BinOp, bool)); 6] = [
    ("sadd.with.overflow", (BinOp::Add, true)),
    ("uadd.with.overflow", (BinOp::Add, false)),
    ("ssub.with.overflow", (BinOp::Sub, true)),
    ("usub.with.overflow", (BinOp::Sub, false)),
    ("smul.with.overflow", (BinOp::Mul, true)),
    ("umul.with.overflow", (BinOp::Mul, false)),
];

const SATURATING: [(&str, (BinOp, bool)); 6] = [
    ("sadd.sat", (BinOp::Add, true)),
    ("uadd.sat", (BinOp::Add, false)),
    ("ssub.sat", (BinOp::Sub, true)),
    ("usub.sat", (BinOp::Sub, false)),
    ("sshl.sat", (BinOp::Shl, true)),
    ("ushl.sat", (BinOp::Shl, false)),
];
