//! Implementations of rows of [`super::intrinsics`] that take more than a line.

use super::function::{Elems, FnLower, Refused};
use crate::ffi::Value;
use crate::guard;
use crate::types::{Scalar, ScalarKind, Shape};
use ir::bits::mask;
use ir::operands::slots;
use ir::{
    BinOp, CheckKind, CmpOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, Inst, Reg, UnOp,
    Val,
};
use vocab::Check;

impl FnLower<'_> {
    /// `memcpy` and `memmove`; few bytes as a load and a store.
    pub fn copy(&mut self, v: Value, apart: bool) -> Result<(), Refused> {
        self.is_flat(v.arg(0))?;
        self.is_flat(v.arg(1))?;
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
                    kind: ScalarKind::Int,
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

    pub fn literal(&mut self, v: Value, value: u64) -> Result<(), Refused> {
        let w = self.shape(v.ty()).scalars[0].width;
        let value = self.wide_constant(w, value & mask(w.min(64)));
        self.set1(v, value);
        Ok(())
    }

    /// A length operand, 32 or 64 bits wide.
    pub fn length(&mut self, v: Value) -> Result<Val, Refused> {
        let w = v.ty().int_width();
        let len = self.val(v)?;
        if let Some(n) = self.as_constant(len) {
            return Ok(self.constant(n));
        }
        Ok(self.zext(w, 64, len))
    }

    pub fn choose(
        &mut self,
        v: Value,
        op: CmpOp,
        larger: bool,
        shape: &Shape,
    ) -> Result<(), Refused> {
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        self.map_scalars(v, shape, |f, i, s| {
            Ok(f.choose_scalar(op, larger, s.width, a[i], b[i]))
        })
    }

    pub fn choose_scalar(&mut self, op: CmpOp, larger: bool, w: u32, a: Val, b: Val) -> Val {
        let c = self.int_compare(op, w, a, b);
        if larger {
            self.select_scalar(w, c, b, a)
        } else {
            self.select_scalar(w, c, a, b)
        }
    }

    pub fn three_way(&mut self, v: Value, signed: bool, shape: &Shape) -> Result<(), Refused> {
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

    pub fn unary(&mut self, v: Value, op: UnOp, shape: &Shape) -> Result<(), Refused> {
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

    pub fn funnel(&mut self, v: Value, left: bool, shape: &Shape) -> Result<(), Refused> {
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
    pub fn overflow_scalar(
        &mut self,
        op: BinOp,
        signed: bool,
        w: u32,
        a: Val,
        b: Val,
    ) -> (Val, Val) {
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

    pub fn overflow(
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

    pub fn saturating(
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

    pub fn saturating_scalar(&mut self, op: BinOp, signed: bool, s: Scalar, a: Val, b: Val) -> Val {
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
    pub fn limit(&mut self, signed: bool, w: u32, a: Val) -> Val {
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

    pub fn float_unary(&mut self, v: Value, op: FloatUnOp, shape: &Shape) -> Result<(), Refused> {
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
    pub fn nan_minimum(&mut self, v: Value, minimum: bool, shape: &Shape) -> Result<(), Refused> {
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
    pub fn power(&mut self, v: Value, shape: &Shape) -> Result<(), Refused> {
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

    pub fn float_one(&mut self, format: FloatFormat) -> Result<Val, Refused> {
        let integer_bit = u128::from(format.has_integer_bit()) << (format.stored_bits() - 1);
        let one = (format.max_exponent() as u128) << format.stored_bits() | integer_bit;
        let limbs = [one as u64, (one >> 64) as u64];
        Ok(self.p.pool(&limbs[..slots(format.bits()) as usize]))
    }

    /// `llvm.is.fpclass` by tests on the bits.
    pub fn float_class(&mut self, v: Value) -> Result<(), Refused> {
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

    pub fn float_class_scalar(
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

    pub fn in_range(&mut self, w: u32, a: Val, low: u64, high: u64) -> Val {
        let low = self.constant(low);
        let last = self.constant(high - 1);
        let above = self.int_compare(CmpOp::Ule, w, low, a);
        let below = self.int_compare(CmpOp::Ule, w, a, last);
        self.int_bin(BinOp::And, 1, above, below)
    }

    pub fn reduce(&mut self, v: Value, op: &str, shape: &Shape) -> Result<(), Refused> {
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

    pub fn sub_vector(&mut self, v: Value, insert: bool, shape: &Shape) -> Result<(), Refused> {
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
    pub fn masked(&mut self, v: Value, rest: &str, shape: &Shape) -> Result<(), Refused> {
        let load = rest.starts_with("masked.load");
        if !load && !rest.starts_with("masked.store") {
            return Err(format!("intrinsic llvm.{rest}"));
        }
        // The alignment before the mask is an operand until LLVM 21.
        let last = v.arg_count() - 1;
        let (pointer, mask) = if load {
            (v.arg(0), v.arg(last - 1))
        } else {
            (v.arg(1), v.arg(last))
        };
        let mask = self.elems(mask)?;
        let bits: Option<Vec<u64>> = mask.iter().map(|m| self.as_constant(*m)).collect();
        let Some(bits) = bits else {
            return Err(format!("intrinsic llvm.{rest} with a variable mask"));
        };
        let at = self.address(pointer)?;
        if load {
            let mut elems = self.elems(v.arg(last))?;
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
