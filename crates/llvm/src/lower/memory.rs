//! Memory: stack objects, loads, stores, address arithmetic, atomics (one thread, so plain
//! accesses), and the aggregates and vectors that live in registers.

use super::function::{Address, Elems, FnLower, Refused, only_accessed};
use crate::ffi::{Type, Value};
use crate::raw;
use crate::types::{Scalar, ScalarKind, Shape};
use ir::bits::{mask, signed};
use ir::operands::slot_width;
use ir::{BinOp, CmpOp, FloatBinOp, Inst, Reg, Val};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind::LLVMPointerTypeKind;
use llvm_sys::core::{
    LLVMGetAtomicRMWBinOp, LLVMGetMaskValue, LLVMGetNumMaskElements, LLVMGetPointerAddressSpace,
};
use vocab::Check;

impl FnLower<'_> {
    pub fn alloca(&mut self, v: Value) -> Result<(), Refused> {
        let ty = v.allocated_type();
        let unit = self.p.types.size(ty);
        let count = v.operand(0);
        let width = self.shape(count.ty()).scalars[0].width;
        let n = self.val(count)?;
        let size = match self.as_constant(n) {
            Some(n) => self.constant(unit.wrapping_mul(n)),
            None => {
                let n = self.zext(width, 64, n);
                let unit = self.constant(unit);
                self.int_bin(BinOp::Mul, 64, n, unit)
            }
        };
        let align = u64::from(v.alignment())
            .max(self.p.types.align(ty))
            .min(1 << 15) as u16;
        let name = self.p.string(&v.name());
        let dst = self.body.fresh(64);
        self.emit(Inst::Alloca {
            align,
            dst,
            size,
            name,
        });
        self.set1(v, dst.into());
        Ok(())
    }

    // --- addresses ---

    /// A pointer of `__seg_fs` or `__seg_gs` is a distance from an unknown base.
    pub fn is_flat(&self, pointer: Value) -> Result<(), Refused> {
        let ty = pointer.ty().scalar();
        if ty.kind() != LLVMPointerTypeKind {
            return Ok(());
        }
        // SAFETY: the type is a pointer's.
        match unsafe { LLVMGetPointerAddressSpace(ty.0) } {
            segment @ 256..=258 => Err(format!("memory of a segment (address space {segment})")),
            _ => Ok(()),
        }
    }

    /// The address operand of a load or store.
    pub fn address(&mut self, pointer: Value) -> Result<Address, Refused> {
        self.is_flat(pointer)?;
        if let Some(address) = self.addresses.get(&pointer) {
            return Ok(*address);
        }
        Ok(Address {
            base: self.val(pointer)?,
            index: None,
            offset: 0,
        })
    }

    pub fn materialize(&mut self, a: Address) -> Val {
        let mut value = a.base;
        let mut offset = a.offset;
        if let Some(base) = self.as_constant(value) {
            value = self.constant(base.wrapping_add(offset as u64));
            offset = 0;
        }
        if let Some((index, scale)) = a.index {
            let dst = self.body.fresh(64);
            self.emit(Inst::Index {
                dst,
                base: value,
                index,
                scale,
            });
            value = dst.into();
        }
        if offset != 0 {
            let by = self.constant(offset as u64);
            value = self.int_bin(BinOp::Add, 64, value, by);
        }
        value
    }

    pub fn gep(&mut self, v: Value) -> Result<(), Refused> {
        if v.ty().is_vector() {
            return self.vector_gep(v);
        }
        let mut at = self.address(v.operand(0))?;
        let mut ty = v.gep_source();
        for i in 1..v.operand_count() {
            let index = v.operand(i);
            let width = self.shape(index.ty()).scalars[0].width;
            let n = self.val(index)?;
            if let Some(n) = self.as_constant(n) {
                let offset;
                (offset, ty) = self.p.types.gep_step(ty, i == 1, signed(width.min(64), n));
                at.offset = at.offset.wrapping_add(offset);
                continue;
            }
            if i > 1 {
                ty = ty.element();
            }
            at = self.add_index(at, n, width, ty);
        }
        self.keep_address(v, at);
        Ok(())
    }

    fn add_index(&mut self, mut at: Address, n: Val, width: u32, ty: Type) -> Address {
        let size = self.p.types.size(ty);
        if size == 0 {
            return at;
        }
        if at.index.is_some() {
            // Keep the constant part back: it folds into what follows.
            let offset = std::mem::take(&mut at.offset);
            at = Address {
                base: self.materialize(at),
                index: None,
                offset,
            };
        }
        let n = if width < 64 {
            self.sext(width, 64, n)
        } else {
            self.trunc(width, 64, n)
        };
        let (n, scale) = match u32::try_from(size) {
            Ok(scale) => (n, scale),
            Err(_) => {
                let size = self.constant(size);
                (self.int_bin(BinOp::Mul, 64, n, size), 1)
            }
        };
        at.index = Some((n, scale));
        at
    }

    /// Keeps an address back when only loads and stores use it and one instruction can hold it.
    fn keep_address(&mut self, v: Value, mut at: Address) {
        if let Some(base) = self.as_constant(at.base) {
            at.base = self.constant(base.wrapping_add(at.offset as u64));
            at.offset = 0;
        }
        if at.index.is_some() && at.offset != 0 {
            let offset = std::mem::take(&mut at.offset);
            at = Address {
                base: self.materialize(at),
                index: None,
                offset,
            };
        }
        if at.index.is_none() && at.offset == 0 {
            self.set1(v, at.base);
        } else if i32::try_from(at.offset + 64).is_ok() && only_accessed(v) {
            self.addresses.insert(v, at);
        } else {
            let value = self.materialize(at);
            self.set1(v, value);
        }
    }

    fn vector_gep(&mut self, v: Value) -> Result<(), Refused> {
        let lanes = v.ty().vector_len() as usize;
        let lane = |elems: &Elems, i: usize| if elems.len() == 1 { elems[0] } else { elems[i] };
        let bases = self.elems(v.operand(0))?;
        let mut indices = Vec::new();
        for i in 1..v.operand_count() {
            let index = v.operand(i);
            indices.push((self.elems(index)?, self.shape(index.ty()).scalars[0].width));
        }
        let mut result = Elems::new();
        for k in 0..lanes {
            let mut at = Address {
                base: lane(&bases, k),
                index: None,
                offset: 0,
            };
            let mut ty = v.gep_source();
            for (i, (elems, width)) in indices.iter().enumerate() {
                let n = lane(elems, k);
                if let Some(n) = self.as_constant(n) {
                    let offset;
                    (offset, ty) = self
                        .p
                        .types
                        .gep_step(ty, i == 0, signed((*width).min(64), n));
                    at.offset = at.offset.wrapping_add(offset);
                } else {
                    if i > 0 {
                        ty = ty.element();
                    }
                    at = self.add_index(at, n, *width, ty);
                }
            }
            result.push(self.materialize(at));
        }
        self.set(v, result);
        Ok(())
    }

    // --- loads and stores ---

    pub fn load(&mut self, v: Value, shape: &Shape) -> Result<(), Refused> {
        let at = self.address(v.operand(0))?;
        self.raw = self.p.options.checks.has(Check::Uninit) && raw::is_raw(self.p.module, v);
        let elems = self.load_value(at, shape);
        self.raw = false;
        self.set(v, elems);
        Ok(())
    }

    pub fn store(&mut self, v: Value) -> Result<(), Refused> {
        let value = v.operand(0);
        let shape = self.shape(value.ty());
        if let Some(why) = &shape.unsupported {
            return Err(why.clone());
        }
        let elems = self.elems(value)?;
        let at = self.address(v.operand(1))?;
        self.store_value(at, &shape, &elems);
        Ok(())
    }

    pub fn load_value(&mut self, at: Address, shape: &Shape) -> Elems {
        if shape.packed {
            let widths: Vec<u32> = shape.scalars.iter().map(|s| s.width).collect();
            let total = widths.iter().sum();
            let whole = self.load_scalar(
                at,
                Scalar {
                    kind: ScalarKind::Int,
                    width: total,
                    offset: 0,
                },
            );
            return self.split(total, whole, &widths);
        }
        let at = self.shared(at, shape.scalars.len());
        shape
            .scalars
            .iter()
            .map(|s| self.load_scalar(at, *s))
            .collect()
    }

    pub fn store_value(&mut self, at: Address, shape: &Shape, elems: &Elems) {
        if shape.packed {
            let parts: Vec<(Val, u32)> = elems
                .iter()
                .zip(&shape.scalars)
                .map(|(v, s)| (*v, s.width))
                .collect();
            let width = parts.iter().map(|(_, w)| w).sum();
            let whole = self.concat(&parts);
            self.store_scalar(
                at,
                Scalar {
                    kind: ScalarKind::Int,
                    width,
                    offset: 0,
                },
                whole,
            );
            return;
        }
        let at = self.shared(at, shape.scalars.len());
        for (v, s) in elems.iter().zip(&shape.scalars) {
            self.store_scalar(at, *s, *v);
        }
    }

    /// Computes an indexed address once when several accesses need it.
    fn shared(&mut self, at: Address, accesses: usize) -> Address {
        if accesses > 1 && at.index.is_some() {
            return Address {
                base: self.materialize(at),
                index: None,
                offset: 0,
            };
        }
        at
    }

    pub fn load_scalar(&mut self, at: Address, s: Scalar) -> Val {
        let at = self.shared(at, s.slots() as usize);
        let dst = self.body.fresh(s.width);
        for n in 0..s.slots() {
            let width = slot_width(s.width, n);
            let bytes = width.div_ceil(8);
            let place = Reg(dst.0 + n);
            let target = if width == bytes * 8 {
                place
            } else {
                self.body.fresh(bytes * 8)
            };
            self.load_bytes(at, s.offset + u64::from(n) * 8, bytes as u8, target);
            if target != place {
                self.emit(Inst::Trunc {
                    w: (bytes * 8) as u8,
                    to: width as u8,
                    dst: place,
                    a: target.into(),
                });
            }
        }
        dst.into()
    }

    pub fn store_scalar(&mut self, at: Address, s: Scalar, value: Val) {
        let at = self.shared(at, s.slots() as usize);
        for n in 0..s.slots() {
            let width = slot_width(s.width, n);
            let bytes = width.div_ceil(8);
            let limb = self.zext(width, bytes * 8, value.limb(n));
            self.store_bytes(at, s.offset + u64::from(n) * 8, bytes as u8, limb);
        }
    }

    /// Splits an address into what one access can hold.
    fn access(&mut self, at: Address, more: u64) -> (Val, i32, Option<(Val, u32)>) {
        let offset = at.offset.wrapping_add(more as i64);
        if let Some(base) = self.as_constant(at.base) {
            return (self.constant(base.wrapping_add(offset as u64)), 0, at.index);
        }
        if at.index.is_some() && offset != 0 {
            let base = self.materialize(Address { offset, ..at });
            return (base, 0, None);
        }
        match i32::try_from(offset) {
            Ok(offset) => (at.base, offset, at.index),
            Err(_) => (self.materialize(Address { offset, ..at }), 0, None),
        }
    }

    fn load_bytes(&mut self, at: Address, more: u64, bytes: u8, dst: Reg) {
        if self.raw {
            let offset = at.offset.wrapping_add(more as i64);
            let address = self.materialize(Address { offset, ..at });
            self.emit(Inst::LoadRaw {
                bytes,
                dst,
                address,
            });
            return;
        }
        let inst = match self.access(at, more) {
            (base, _, Some((index, scale))) => Inst::LoadIndex {
                bytes,
                dst,
                base,
                index,
                scale,
            },
            (address, 0, None) => Inst::Load {
                bytes,
                dst,
                address,
            },
            (base, offset, None) => Inst::LoadOffset {
                bytes,
                dst,
                base,
                offset,
            },
        };
        self.emit(inst);
    }

    fn store_bytes(&mut self, at: Address, more: u64, bytes: u8, value: Val) {
        let inst = match self.access(at, more) {
            (base, _, Some((index, scale))) => Inst::StoreIndex {
                bytes,
                base,
                index,
                scale,
                value,
            },
            (address, 0, None) => Inst::Store {
                bytes,
                address,
                value,
            },
            (base, offset, None) => Inst::StoreOffset {
                bytes,
                base,
                offset,
                value,
            },
        };
        self.emit(inst);
    }

    // --- atomics ---

    pub fn atomic_rmw(&mut self, v: Value) -> Result<(), Refused> {
        use llvm_sys::LLVMAtomicRMWBinOp::*;
        let at = self.address(v.operand(0))?;
        let shape = self.shape(v.ty());
        let [s] = shape.scalars.as_slice() else {
            return Err("atomicrmw on a vector".into());
        };
        let s = *s;
        let new = self.val(v.operand(1))?;
        let old = self.load_scalar(at, s);
        let w = s.width;
        let float =
            |f: &mut Self, op| Ok::<_, Refused>(f.float_bin(op, f.float_format(s)?, old, new));
        let choose = |f: &mut Self, op, a, b| {
            let c = f.int_compare(op, w, a, b);
            f.select_scalar(w, c, old, new)
        };
        // SAFETY: callers pass an `atomicrmw`.
        let operation = unsafe { LLVMGetAtomicRMWBinOp(v.0) };
        let value = match operation {
            LLVMAtomicRMWBinOpXchg => new,
            LLVMAtomicRMWBinOpAdd => self.int_bin(BinOp::Add, w, old, new),
            LLVMAtomicRMWBinOpSub => self.int_bin(BinOp::Sub, w, old, new),
            LLVMAtomicRMWBinOpAnd => self.int_bin(BinOp::And, w, old, new),
            LLVMAtomicRMWBinOpNand => {
                let both = self.int_bin(BinOp::And, w, old, new);
                self.not(w, both)
            }
            LLVMAtomicRMWBinOpOr => self.int_bin(BinOp::Or, w, old, new),
            LLVMAtomicRMWBinOpXor => self.int_bin(BinOp::Xor, w, old, new),
            LLVMAtomicRMWBinOpMax => choose(self, CmpOp::Slt, new, old),
            LLVMAtomicRMWBinOpMin => choose(self, CmpOp::Slt, old, new),
            LLVMAtomicRMWBinOpUMax => choose(self, CmpOp::Ult, new, old),
            LLVMAtomicRMWBinOpUMin => choose(self, CmpOp::Ult, old, new),
            LLVMAtomicRMWBinOpFAdd => float(self, FloatBinOp::Add)?,
            LLVMAtomicRMWBinOpFSub => float(self, FloatBinOp::Sub)?,
            LLVMAtomicRMWBinOpFMax => float(self, FloatBinOp::Max)?,
            LLVMAtomicRMWBinOpFMin => float(self, FloatBinOp::Min)?,
            LLVMAtomicRMWBinOpUIncWrap => {
                // old >= new ? 0 : old + 1
                let one = self.wide_constant(w, 1);
                let more = self.int_bin(BinOp::Add, w, old, one);
                let wraps = self.int_compare(CmpOp::Ule, w, new, old);
                let zero = self.zero(w);
                self.select_scalar(w, wraps, zero, more)
            }
            LLVMAtomicRMWBinOpUSubCond | LLVMAtomicRMWBinOpUSubSat => {
                // old >= new ? old - new : old, or 0
                let less = self.int_bin(BinOp::Sub, w, old, new);
                let fits = self.int_compare(CmpOp::Ule, w, new, old);
                let other = if operation == LLVMAtomicRMWBinOpUSubCond {
                    old
                } else {
                    self.zero(w)
                };
                self.select_scalar(w, fits, less, other)
            }
            LLVMAtomicRMWBinOpFMaximum | LLVMAtomicRMWBinOpFMinimum => {
                return Err("atomicrmw fmaximum or fminimum".into());
            }
            LLVMAtomicRMWBinOpUDecWrap => {
                // old == 0 || old > new ? new : old - 1
                let one = self.wide_constant(w, 1);
                let less = self.int_bin(BinOp::Sub, w, old, one);
                let zero = self.zero(w);
                let at_zero = self.int_compare(CmpOp::Eq, w, old, zero);
                let above = self.int_compare(CmpOp::Ult, w, new, old);
                let wraps = self.int_bin(BinOp::Or, 1, at_zero, above);
                self.select_scalar(w, wraps, new, less)
            }
        };
        self.store_scalar(at, s, value);
        self.set1(v, old);
        Ok(())
    }

    pub fn not(&mut self, w: u32, a: Val) -> Val {
        let mut ones = vec![u64::MAX; ir::operands::slots(w) as usize];
        if !w.is_multiple_of(64) {
            *ones.last_mut().expect("a width is not zero") = mask(w % 64);
        }
        let ones = self.p.pool(&ones);
        self.int_bin(BinOp::Xor, w, a, ones)
    }

    pub fn compare_exchange(&mut self, v: Value) -> Result<(), Refused> {
        let at = self.address(v.operand(0))?;
        let shape = self.shape(v.operand(1).ty());
        let s = shape.scalars[0];
        let (expected, new) = (self.val(v.operand(1))?, self.val(v.operand(2))?);
        let old = self.load_scalar(at, s);
        let equal = self.int_compare(CmpOp::Eq, s.width, old, expected);
        let value = self.select_scalar(s.width, equal, new, old);
        self.store_scalar(at, s, value);
        self.set(v, [old, equal].into_iter().collect());
        Ok(())
    }

    // --- aggregates and vectors in registers ---

    /// Range of scalars that a path of indices names.
    fn sub_range(&self, mut ty: Type, indices: &[u32]) -> (usize, usize) {
        let mut start = 0;
        for index in indices {
            if ty.is_struct() {
                for i in 0..*index {
                    start += self.shape(ty.field(i)).scalars.len();
                }
                ty = ty.field(*index);
            } else {
                ty = ty.element();
                start += self.shape(ty).scalars.len() * *index as usize;
            }
        }
        (start, start + self.shape(ty).scalars.len())
    }

    pub fn aggregate(&mut self, v: Value, opcode: LLVMOpcode) -> Result<(), Refused> {
        let whole = v.operand(0);
        let (start, end) = self.sub_range(whole.ty(), v.indices());
        let mut elems = self.elems(whole)?;
        if opcode == LLVMExtractValue {
            let part = elems[start..end].iter().copied().collect();
            self.set(v, part);
        } else {
            let part = self.elems(v.operand(1))?;
            elems[start..end].copy_from_slice(&part);
            self.set(v, elems);
        }
        Ok(())
    }

    pub fn vector(&mut self, v: Value, opcode: LLVMOpcode, shape: &Shape) -> Result<(), Refused> {
        let mut elems = self.elems(v.operand(0))?;
        let index_at = match opcode {
            LLVMShuffleVector => return self.shuffle(v, elems, shape),
            LLVMExtractElement => 1,
            _ => 2,
        };
        let index = v.operand(index_at);
        let iw = self.shape(index.ty()).scalars[0].width;
        let n = self.val(index)?;
        let new = if opcode == LLVMInsertElement {
            Some(self.val(v.operand(1))?)
        } else {
            None
        };
        if let Some(n) = self.as_constant(n) {
            // An index outside gives poison, that is zero.
            let n = n as usize;
            match new {
                Some(new) => {
                    if let Some(place) = elems.get_mut(n) {
                        *place = new;
                    }
                    self.set(v, elems);
                }
                None => {
                    let w = shape.scalars[0].width;
                    let value = elems.get(n).copied().unwrap_or_else(|| self.zero(w));
                    self.set1(v, value);
                }
            }
            return Ok(());
        }
        let w = shape.scalars[0].width;
        match new {
            Some(new) => {
                let mut result = Elems::new();
                for (i, old) in elems.iter().enumerate() {
                    let i = self.wide_constant(iw, i as u64);
                    let here = self.int_compare(CmpOp::Eq, iw, n, i);
                    result.push(self.select_scalar(w, here, new, *old));
                }
                self.set(v, result);
            }
            None => {
                let mut value = self.zero(w);
                for (i, e) in elems.iter().enumerate() {
                    let i = self.wide_constant(iw, i as u64);
                    let here = self.int_compare(CmpOp::Eq, iw, n, i);
                    value = self.select_scalar(w, here, *e, value);
                }
                self.set1(v, value);
            }
        }
        Ok(())
    }

    fn shuffle(&mut self, v: Value, mut elems: Elems, shape: &Shape) -> Result<(), Refused> {
        elems.extend(self.elems(v.operand(1))?);
        let w = shape.scalars.first().map_or(1, |s| s.width);
        // SAFETY: callers pass a shuffle.
        let count = unsafe { LLVMGetNumMaskElements(v.0) };
        let mut result = Elems::new();
        for i in 0..count {
            // SAFETY: `i` is below the number of elements.
            let index = unsafe { LLVMGetMaskValue(v.0, i) };
            let lane = usize::try_from(index)
                .ok()
                .and_then(|i| elems.get(i).copied());
            result.push(lane.unwrap_or_else(|| self.zero(w)));
        }
        self.set(v, result);
        Ok(())
    }
}
