//! Integer arithmetic, comparisons, casts and selects, of any width.

use super::function::{Elems, FnLower, Refused, compare_operator, is_float};
use crate::ffi::Value;
use crate::types::Shape;
use ir::bits::mask;
use ir::operands::{slot_width, slots};
use ir::{BinOp, CastOp, CheckKind, CmpOp, ConvOp, Inst, Reg, Val};
use llvm_sys::LLVMOpcode::{self, *};
use vocab::Check;

fn bin_op(opcode: LLVMOpcode) -> BinOp {
    match opcode {
        LLVMAdd => BinOp::Add,
        LLVMSub => BinOp::Sub,
        LLVMMul => BinOp::Mul,
        LLVMUDiv => BinOp::UDiv,
        LLVMSDiv => BinOp::SDiv,
        LLVMURem => BinOp::URem,
        LLVMSRem => BinOp::SRem,
        LLVMShl => BinOp::Shl,
        LLVMLShr => BinOp::LShr,
        LLVMAShr => BinOp::AShr,
        LLVMAnd => BinOp::And,
        LLVMOr => BinOp::Or,
        _ => BinOp::Xor,
    }
}

impl FnLower<'_> {
    pub fn binary(&mut self, v: Value, opcode: LLVMOpcode, shape: &Shape) -> Result<(), Refused> {
        let op = bin_op(opcode);
        let (a, b) = (self.elems(v.operand(0))?, self.elems(v.operand(1))?);
        self.map_scalars(v, shape, |f, i, s| {
            if !f.own && f.p.options.checks.has(Check::Div) {
                f.division_check(op, s.width, a[i], b[i]);
            }
            Ok(f.int_bin(op, s.width, a[i], b[i]))
        })
    }

    /// Divisions of the program itself were marked before any pass; those of the libc are checked here.
    fn division_check(&mut self, op: BinOp, w: u32, a: Val, b: Val) {
        let kind = match op {
            BinOp::UDiv | BinOp::URem => CheckKind::DivZero,
            BinOp::SDiv | BinOp::SRem => CheckKind::SignedDiv,
            _ => return,
        };
        self.check(kind, w, a, b);
    }

    /// Emits a check unless its operands already prove that it holds.
    pub fn check(&mut self, kind: CheckKind, w: u32, a: Val, b: Val) {
        // A constant is one of 64 bits, the largest one for all above, or nothing that is known here.
        let (ca, cb) = (self.known(a, w), self.known(b, w));
        let is_minus_one =
            (0..slots(w)).all(|n| self.as_constant(b.limb(n)) == Some(mask(slot_width(w, n))));
        let holds = match (kind, ca, cb) {
            (CheckKind::DivZero, _, Some(b)) => b != 0,
            (CheckKind::SignedDiv, _, Some(b)) => b != 0 && !is_minus_one,
            (CheckKind::Shift, _, Some(b)) => b < u64::from(w),
            (CheckKind::SignedAdd | CheckKind::SignedSub, _, Some(0)) => true,
            (CheckKind::SignedAdd, Some(0), _) => true,
            (CheckKind::SignedMul, _, Some(0 | 1)) | (CheckKind::SignedMul, Some(0 | 1), _) => {
                w > 1
            }
            (CheckKind::Index, Some(a), Some(b)) => a < b && w <= 64,
            (CheckKind::Zero, Some(a), _) => a != 0,
            (CheckKind::Misaligned, Some(a), Some(b)) => a % b == 0,
            _ => false,
        };
        if holds {
            return;
        }
        self.emit(if w > 64 {
            let w = w as u16;
            Inst::WideCheck { kind, w, a, b }
        } else {
            let w = w as u8;
            Inst::Check { kind, w, a, b }
        });
    }

    /// A constant of any width; `u64::MAX` if it has more than 64 bits.
    fn known(&self, v: Val, w: u32) -> Option<u64> {
        let low = self.as_constant(v)?;
        let above = (1..slots(w)).any(|n| self.as_constant(v.limb(n)) != Some(0));
        Some(if above { u64::MAX } else { low })
    }

    pub fn int_bin(&mut self, op: BinOp, w: u32, a: Val, b: Val) -> Val {
        let dst = self.body.fresh(w);
        let inst = if w > 64 {
            Inst::WideBin {
                op,
                w: w as u16,
                dst,
                a,
                b,
            }
        } else {
            narrow_bin(op, w as u8, dst, a, b)
        };
        self.emit(inst);
        dst.into()
    }

    pub fn int_compare(&mut self, op: CmpOp, w: u32, a: Val, b: Val) -> Val {
        let dst = self.body.fresh(1);
        let inst = if w > 64 {
            Inst::WideCmp {
                op,
                w: w as u16,
                dst,
                a,
                b,
            }
        } else {
            let w = w as u8;
            match op {
                CmpOp::Eq => Inst::Eq { w, dst, a, b },
                CmpOp::Ne => Inst::Ne { w, dst, a, b },
                CmpOp::Ult => Inst::Ult { w, dst, a, b },
                CmpOp::Ule => Inst::Ule { w, dst, a, b },
                CmpOp::Slt => Inst::Slt { w, dst, a, b },
                CmpOp::Sle => Inst::Sle { w, dst, a, b },
            }
        };
        self.emit(inst);
        dst.into()
    }

    pub fn compare(&mut self, v: Value) -> Result<(), Refused> {
        if self.fuse_into_branch(v) {
            return Ok(());
        }
        let (op, a, b) = compare_operator(v);
        let operands = self.shape(v.operand(0).ty());
        let (a, b) = (self.elems(v.operand(a))?, self.elems(v.operand(b))?);
        let mut elems = Elems::new();
        for (i, s) in operands.scalars.iter().enumerate() {
            elems.push(self.int_compare(op, s.width, a[i], b[i]));
        }
        self.set(v, elems);
        Ok(())
    }

    pub fn select_scalar(&mut self, w: u32, c: Val, a: Val, b: Val) -> Val {
        if a == b {
            return a;
        }
        if let Some(bit) = self.as_constant(c) {
            return if bit != 0 { a } else { b };
        }
        let dst = self.body.fresh(w);
        for n in 0..slots(w) {
            let w = slot_width(w, n) as u8;
            self.emit(Inst::Select {
                w,
                dst: Reg(dst.0 + n),
                c,
                a: a.limb(n),
                b: b.limb(n),
            });
        }
        dst.into()
    }

    pub fn select(&mut self, v: Value, shape: &Shape) -> Result<(), Refused> {
        let c = self.elems(v.operand(0))?;
        let (a, b) = (self.elems(v.operand(1))?, self.elems(v.operand(2))?);
        self.map_scalars(v, shape, |f, i, s| {
            let c = if c.len() == 1 { c[0] } else { c[i] };
            Ok(f.select_scalar(s.width, c, a[i], b[i]))
        })
    }

    /// Zero extension, or the value itself when the widths agree.
    pub fn zext(&mut self, from: u32, to: u32, a: Val) -> Val {
        self.extend(false, from, to, a)
    }

    pub fn sext(&mut self, from: u32, to: u32, a: Val) -> Val {
        self.extend(true, from, to, a)
    }

    fn extend(&mut self, signed: bool, from: u32, to: u32, a: Val) -> Val {
        if from == to {
            return a;
        }
        if let (Some(value), true) = (self.as_constant(a), to <= 64) {
            return self.constant(if signed {
                ir::bits::signed(from, value) as u64 & mask(to)
            } else {
                value
            });
        }
        let dst = self.body.fresh(to);
        let inst = match (to > 64, signed) {
            (true, false) => Inst::WideCast {
                op: CastOp::Zext,
                from: from as u16,
                to: to as u16,
                dst,
                a,
            },
            (true, true) => Inst::WideCast {
                op: CastOp::Sext,
                from: from as u16,
                to: to as u16,
                dst,
                a,
            },
            (false, false) => Inst::Zext {
                w: from as u8,
                to: to as u8,
                dst,
                a,
            },
            (false, true) => Inst::Sext {
                w: from as u8,
                to: to as u8,
                dst,
                a,
            },
        };
        self.emit(inst);
        dst.into()
    }

    pub fn trunc(&mut self, from: u32, to: u32, a: Val) -> Val {
        if from == to {
            return a;
        }
        if let Some(value) = self.as_constant(a)
            && to <= 64
        {
            return self.constant(value & mask(to));
        }
        if to > 64 {
            if to.is_multiple_of(64) {
                return a; // the low limbs, as they are
            }
            let dst = self.body.fresh(to);
            self.emit(Inst::WideCast {
                op: CastOp::Trunc,
                from: from as u16,
                to: to as u16,
                dst,
                a,
            });
            return dst.into();
        }
        let limb = slot_width(from, 0);
        if limb == to {
            return a; // the lowest limb, as it is
        }
        let dst = self.body.fresh(to);
        self.emit(Inst::Trunc {
            w: limb as u8,
            to: to as u8,
            dst,
            a,
        });
        dst.into()
    }

    /// Bits `low .. low + w` of an integer of `from` bits; `w <= 64`.
    pub fn bits(&mut self, from: u32, a: Val, low: u32, w: u32) -> Val {
        let (limb, shift) = (low / 64, low % 64);
        let width = slot_width(from, limb);
        if shift + w <= width {
            let a = a.limb(limb);
            if shift == 0 {
                return self.trunc(width, w, a);
            }
            let amount = self.constant(u64::from(shift));
            let shifted = self.int_bin(BinOp::LShr, width, a, amount);
            return self.trunc(width, w, shifted);
        }
        // Across two limbs.
        let amount = self.wide_constant(from, u64::from(low));
        let shifted = self.int_bin(BinOp::LShr, from, a, amount);
        self.trunc(from, w, shifted)
    }

    /// An integer constant of `w` bits with a small value.
    pub fn wide_constant(&mut self, w: u32, value: u64) -> Val {
        let mut limbs = vec![0; slots(w) as usize];
        limbs[0] = value;
        self.p.pool(&limbs)
    }

    /// Joins scalars, the first one lowest, into one integer.
    pub fn concat(&mut self, parts: &[(Val, u32)]) -> Val {
        if let [(only, _)] = parts {
            return *only;
        }
        let total: u32 = parts.iter().map(|(_, w)| w).sum();
        if total > 64 && parts.iter().all(|(_, w)| 64 % *w == 0) {
            // Limb by limb.
            let dst = self.body.fresh(total);
            let mut rest = parts;
            for n in 0..slots(total) {
                let (mut width, mut count) = (0, 0);
                while count < rest.len() && width < 64 {
                    width += rest[count].1;
                    count += 1;
                }
                let limb = self.concat(&rest[..count]);
                self.emit(Inst::Copy {
                    w: width as u8,
                    dst: Reg(dst.0 + n),
                    a: limb,
                });
                rest = &rest[count..];
            }
            return dst.into();
        }
        let mut low = 0;
        let mut all: Option<Val> = None;
        for (v, w) in parts {
            if self.all_zero(*v, *w) {
                low += w;
                continue;
            }
            let mut part = self.zext(*w, total, *v);
            if low > 0 {
                let amount = self.wide_constant(total, u64::from(low));
                part = self.int_bin(BinOp::Shl, total, part, amount);
            }
            all = Some(match all {
                None => part,
                Some(before) => self.int_bin(BinOp::Or, total, before, part),
            });
            low += w;
        }
        match all {
            Some(v) => v,
            None => self.zero(total),
        }
    }

    fn all_zero(&self, v: Val, w: u32) -> bool {
        (0..slots(w)).all(|n| self.as_constant(v.limb(n)) == Some(0))
    }

    /// Cuts an integer of `total` bits into scalars, the lowest first.
    pub fn split(&mut self, total: u32, v: Val, widths: &[u32]) -> Elems {
        let mut low = 0;
        let mut elems = Elems::new();
        for w in widths {
            let part = if *w > 64 {
                if low % 64 == 0 && (w % 64 == 0 || low + w == total) {
                    v.limb(low / 64)
                } else {
                    let amount = self.wide_constant(total, u64::from(low));
                    let shifted = self.int_bin(BinOp::LShr, total, v, amount);
                    self.trunc(total, *w, shifted)
                }
            } else {
                self.bits(total, v, low, *w)
            };
            elems.push(part);
            low += w;
        }
        elems
    }

    pub fn cast(&mut self, v: Value, opcode: LLVMOpcode, shape: &Shape) -> Result<(), Refused> {
        let source = v.operand(0);
        let from = self.shape(source.ty());
        let a = self.elems(source)?;
        if opcode == LLVMBitCast {
            let result = self.bitcast(&from, &a, shape);
            self.set(v, result);
            return Ok(());
        }
        self.map_scalars(v, shape, |f, i, to| {
            let (a, from) = (a[i], from.scalars[i]);
            Ok(match opcode {
                LLVMZExt => f.zext(from.width, to.width, a),
                LLVMSExt => f.sext(from.width, to.width, a),
                LLVMTrunc => f.trunc(from.width, to.width, a),
                LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr | LLVMAddrSpaceCast => {
                    if from.width < to.width {
                        f.zext(from.width, to.width, a)
                    } else {
                        f.trunc(from.width, to.width, a)
                    }
                }
                LLVMFPTrunc | LLVMFPExt => {
                    let (Some(from), Some(to)) = (is_float(from), is_float(to)) else {
                        return Err("float cast".into());
                    };
                    f.float_cast(from, to, a)
                }
                LLVMFPToSI => f.float_to_int(ConvOp::FloatToSigned, false, from, to.width, a)?,
                LLVMFPToUI => f.float_to_int(ConvOp::FloatToUnsigned, false, from, to.width, a)?,
                LLVMSIToFP => f.int_to_float(ConvOp::SignedToFloat, from.width, to, a)?,
                _ => f.int_to_float(ConvOp::UnsignedToFloat, from.width, to, a)?,
            })
        })
    }

    /// The same bits as another type: vectors are joined and cut.
    pub fn bitcast(&mut self, from: &Shape, a: &Elems, to: &Shape) -> Elems {
        if from.scalars.len() == to.scalars.len() {
            return a.clone();
        }
        let total: u32 = from.scalars.iter().map(|s| s.width).sum();
        let parts: Vec<(Val, u32)> = a
            .iter()
            .zip(&from.scalars)
            .map(|(v, s)| (*v, s.width))
            .collect();
        let widths: Vec<u32> = to.scalars.iter().map(|s| s.width).collect();
        // Piecewise where the boundaries agree, so that <8 x i8> to <2 x i32> stays narrow.
        if let (Some(f), Some(t)) = (widths_equal(&parts), widths.first().copied()) {
            if widths.iter().all(|w| *w == t) && f < t && t % f == 0 {
                let n = (t / f) as usize;
                return parts.chunks(n).map(|chunk| self.concat(chunk)).collect();
            }
            if widths.iter().all(|w| *w == t) && t < f && f % t == 0 {
                let inner = vec![t; (f / t) as usize];
                return parts
                    .iter()
                    .flat_map(|(v, w)| self.split(*w, *v, &inner))
                    .collect();
            }
        }
        let whole = self.concat(&parts);
        self.split(total, whole, &widths)
    }
}

fn widths_equal(parts: &[(Val, u32)]) -> Option<u32> {
    let first = parts.first()?.1;
    parts.iter().all(|(_, w)| *w == first).then_some(first)
}

fn narrow_bin(op: BinOp, w: u8, dst: Reg, a: Val, b: Val) -> Inst {
    match op {
        BinOp::Add => Inst::Add { w, dst, a, b },
        BinOp::Sub => Inst::Sub { w, dst, a, b },
        BinOp::Mul => Inst::Mul { w, dst, a, b },
        BinOp::UDiv => Inst::UDiv { w, dst, a, b },
        BinOp::SDiv => Inst::SDiv { w, dst, a, b },
        BinOp::URem => Inst::URem { w, dst, a, b },
        BinOp::SRem => Inst::SRem { w, dst, a, b },
        BinOp::Shl => Inst::Shl { w, dst, a, b },
        BinOp::LShr => Inst::LShr { w, dst, a, b },
        BinOp::AShr => Inst::AShr { w, dst, a, b },
        BinOp::And => Inst::And { w, dst, a, b },
        BinOp::Or => Inst::Or { w, dst, a, b },
        BinOp::Xor => Inst::Xor { w, dst, a, b },
    }
}
