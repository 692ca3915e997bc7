//! Constants: every address is already assigned when code is lowered, so each LLVM constant,
//! constant expressions included, evaluates to plain bits.
//!
//! undef and poison are zero (the engine's documented meaning of undefined values).

use super::Lowering;
use crate::ffi::{Type, Value};
use ir::bits::{mask, signed};
use ir::operands::slots;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;
use llvm_sys::core::*;
use smallvec::{SmallVec, smallvec};

/// Limbs of one scalar, least significant first.
pub type Limbs = SmallVec<[u64; 2]>;

/// Parses what LLVM prints for an integer constant (`i128 -5`, `i1 true`).
fn parse_decimal(text: &str, width: u32) -> Option<Limbs> {
    let digits = text.rsplit(' ').next()?;
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    let count = slots(width) as usize;
    let mut limbs: Limbs = smallvec![0; count];
    for d in digits.bytes() {
        let mut carry = u128::from(d.checked_sub(b'0').filter(|d| *d < 10)?);
        for limb in &mut limbs {
            let wide = u128::from(*limb) * 10 + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
    }
    if negative {
        let mut carry = true;
        for limb in &mut limbs {
            let (value, overflow) = (!*limb).overflowing_add(u64::from(carry));
            (*limb, carry) = (value, overflow);
        }
    }
    if !width.is_multiple_of(64) {
        limbs[count - 1] &= mask(width % 64);
    }
    Some(limbs)
}

impl Lowering {
    /// The limbs of all scalars of a constant, in order.
    pub fn const_scalars(&self, v: Value) -> Result<Vec<Limbs>, String> {
        let ty = v.ty();
        let shape = self.types.shape(ty);
        if let Some(why) = &shape.unsupported {
            return Err(why.clone());
        }
        match v.value_kind() {
            LLVMUndefValueValueKind
            | LLVMPoisonValueKind
            | LLVMConstantAggregateZeroValueKind
            | LLVMConstantPointerNullValueKind
            | LLVMConstantTargetNoneValueKind => Ok(shape
                .scalars
                .iter()
                .map(|s| smallvec![0; s.slots() as usize])
                .collect()),
            LLVMConstantStructValueKind
            | LLVMConstantArrayValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => {
                let mut all = Vec::new();
                for i in 0..element_count(ty) {
                    all.extend(self.const_scalars(v.aggregate_element(i))?);
                }
                Ok(all)
            }
            LLVMConstantExprValueKind if ty.is_vector() || ty.is_struct() || ty.is_array() => {
                self.vector_expr(v)
            }
            _ => Ok(vec![self.const_scalar(v)?]),
        }
    }

    /// The limbs of a constant of scalar type.
    pub fn const_scalar(&self, v: Value) -> Result<Limbs, String> {
        let ty = v.ty();
        match v.value_kind() {
            LLVMConstantIntValueKind => {
                let w = ty.int_width();
                if w <= 64 {
                    Ok(smallvec![v.zext_value()])
                } else {
                    let text = v.print();
                    parse_decimal(&text, w).ok_or_else(|| format!("integer constant `{text}`"))
                }
            }
            LLVMConstantFPValueKind => {
                let bits = self.types.shape(ty).scalars[0].width;
                // SAFETY: a bit cast between a float constant and an integer of its size folds.
                let int = unsafe {
                    Value(LLVMConstBitCast(
                        v.0,
                        LLVMIntTypeInContext(self.module.context(), bits),
                    ))
                };
                if int.value_kind() != LLVMConstantIntValueKind {
                    return Err(format!("float constant `{}`", v.print()));
                }
                self.const_scalar(int)
            }
            LLVMUndefValueValueKind
            | LLVMPoisonValueKind
            | LLVMConstantPointerNullValueKind
            | LLVMConstantTargetNoneValueKind => {
                Ok(smallvec![0; self.types.shape(ty).slots() as usize])
            }
            LLVMFunctionValueKind
            | LLVMGlobalVariableValueKind
            | LLVMGlobalAliasValueKind
            | LLVMGlobalIFuncValueKind => Ok(smallvec![self.address_of(v)?]),
            LLVMBlockAddressValueKind => {
                // SAFETY: the kind says that it is a block address.
                let block = unsafe { crate::ffi::Block(LLVMGetBlockAddressBasicBlock(v.0)) };
                Ok(smallvec![self.block_address(block)])
            }
            LLVMConstantExprValueKind => self.scalar_expr(v),
            _ => Err(format!("constant `{}`", v.print())),
        }
    }

    fn small(&self, v: Value) -> Result<u64, String> {
        Ok(self.const_scalar(v)?[0])
    }

    // Recursion over the nesting of constant expressions, which LLVM folds to a few levels.
    fn scalar_expr(&self, v: Value) -> Result<Limbs, String> {
        let w = self
            .types
            .shape(v.ty())
            .scalars
            .first()
            .map_or(64, |s| s.width);
        let unsupported = || Err(format!("constant expression `{}`", v.print()));
        let value = match v.const_opcode() {
            LLVMGetElementPtr => self.gep_constant(v)?,
            LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr | LLVMTrunc | LLVMAddrSpaceCast => {
                let limbs = self.const_scalar(v.operand(0))?;
                if w > 64 {
                    let mut wide: Limbs = smallvec![0; slots(w) as usize];
                    wide[0] = limbs[0];
                    return Ok(wide);
                }
                limbs[0] & mask(w)
            }
            LLVMBitCast => {
                let from = v.operand(0);
                if from.ty().is_vector() {
                    return unsupported();
                }
                return self.const_scalar(from);
            }
            LLVMAdd | LLVMSub | LLVMMul | LLVMXor | LLVMShl | LLVMAnd | LLVMOr | LLVMLShr
                if w <= 64 =>
            {
                let (a, b) = (self.small(v.operand(0))?, self.small(v.operand(1))?);
                let value = match v.const_opcode() {
                    LLVMAdd => a.wrapping_add(b),
                    LLVMSub => a.wrapping_sub(b),
                    LLVMMul => a.wrapping_mul(b),
                    LLVMXor => a ^ b,
                    LLVMAnd => a & b,
                    LLVMOr => a | b,
                    LLVMShl => a.checked_shl(b as u32).unwrap_or(0),
                    _ => a.checked_shr(b as u32).unwrap_or(0),
                };
                value & mask(w)
            }
            LLVMExtractElement => {
                let all = self.const_scalars(v.operand(0))?;
                let index = self.small(v.operand(1))? as usize;
                return match all.get(index) {
                    Some(limbs) => Ok(limbs.clone()),
                    None => Ok(smallvec![0; slots(w) as usize]),
                };
            }
            _ => return unsupported(),
        };
        Ok(smallvec![value])
    }

    fn vector_expr(&self, v: Value) -> Result<Vec<Limbs>, String> {
        match v.const_opcode() {
            LLVMInsertElement => {
                let mut all = self.const_scalars(v.operand(0))?;
                let index = self.small(v.operand(2))? as usize;
                let new = self.const_scalar(v.operand(1))?;
                if let Some(place) = all.get_mut(index) {
                    *place = new;
                }
                Ok(all)
            }
            LLVMShuffleVector => {
                let mut all = self.const_scalars(v.operand(0))?;
                all.extend(self.const_scalars(v.operand(1))?);
                let zero: Limbs = all.first().map_or(smallvec![0], |l| smallvec![0; l.len()]);
                // SAFETY: the opcode says that it is a shuffle.
                let count = unsafe { LLVMGetNumMaskElements(v.0) };
                Ok((0..count)
                    .map(|i| {
                        // SAFETY: `i` is below the number of elements.
                        let index = unsafe { LLVMGetMaskValue(v.0, i) };
                        usize::try_from(index)
                            .ok()
                            .and_then(|i| all.get(i).cloned())
                            .unwrap_or_else(|| zero.clone())
                    })
                    .collect())
            }
            LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr | LLVMTrunc => {
                let w = self.types.shape(v.ty()).scalars[0].width;
                let mut all = self.const_scalars(v.operand(0))?;
                if w > 64 {
                    return Err(format!("constant expression `{}`", v.print()));
                }
                for limbs in &mut all {
                    limbs.truncate(1);
                    limbs[0] &= mask(w);
                }
                Ok(all)
            }
            _ => Err(format!("constant expression `{}`", v.print())),
        }
    }

    fn gep_constant(&self, v: Value) -> Result<u64, String> {
        let mut address = self.small(v.operand(0))?;
        let mut ty = v.gep_source();
        for i in 1..v.operand_count() {
            let index = v.operand(i);
            let shape = self.types.shape(index.ty());
            let n = signed(shape.scalars[0].width.min(64), self.small(index)?);
            let offset;
            (offset, ty) = self.types.gep_step(ty, i == 1, n);
            address = address.wrapping_add(offset as u64);
        }
        Ok(address)
    }

    /// Writes the memory image of a constant into `buffer` at `offset`.
    pub fn write_constant(&self, v: Value, buffer: &mut [u8], offset: usize) -> Result<(), String> {
        let ty = v.ty();
        match v.value_kind() {
            LLVMUndefValueValueKind
            | LLVMPoisonValueKind
            | LLVMConstantAggregateZeroValueKind
            | LLVMConstantPointerNullValueKind => Ok(()),
            LLVMConstantDataArrayValueKind if v.is_constant_string() => {
                let bytes = v.string_bytes();
                buffer[offset..offset + bytes.len()].copy_from_slice(bytes);
                Ok(())
            }
            LLVMConstantStructValueKind => {
                for i in 0..ty.field_count() {
                    let at = offset + self.types.field_offset(ty, i) as usize;
                    self.write_constant(v.aggregate_element(i), buffer, at)?;
                }
                Ok(())
            }
            LLVMConstantArrayValueKind | LLVMConstantDataArrayValueKind => {
                let stride = self.types.size(ty.element()) as usize;
                for i in 0..ty.array_len() as u32 {
                    self.write_constant(
                        v.aggregate_element(i),
                        buffer,
                        offset + i as usize * stride,
                    )?;
                }
                Ok(())
            }
            _ => {
                let shape = self.types.shape(ty);
                let all = self.const_scalars(v)?;
                if shape.packed {
                    let mut bit = 0;
                    for (limbs, s) in all.iter().zip(&shape.scalars) {
                        for k in 0..s.width {
                            if limbs[(k / 64) as usize] >> (k % 64) & 1 != 0 {
                                buffer[offset + bit / 8] |= 1 << (bit % 8);
                            }
                            bit += 1;
                        }
                    }
                    return Ok(());
                }
                for (limbs, s) in all.iter().zip(&shape.scalars) {
                    let at = offset + s.offset as usize;
                    for k in 0..(s.width.div_ceil(8) as usize) {
                        buffer[at + k] = (limbs[k / 8] >> (k % 8 * 8)) as u8;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Elements of an aggregate or vector type.
pub fn element_count(ty: Type) -> u32 {
    if ty.is_struct() {
        ty.field_count()
    } else if ty.is_vector() {
        ty.vector_len()
    } else {
        ty.array_len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_decimals() {
        assert_eq!(
            parse_decimal("i128 18446744073709551616", 128)
                .unwrap()
                .as_slice(),
            [0, 1]
        );
        assert_eq!(
            parse_decimal("i128 -1", 128).unwrap().as_slice(),
            [u64::MAX, u64::MAX]
        );
        assert_eq!(
            parse_decimal("i65 -1", 65).unwrap().as_slice(),
            [u64::MAX, 1]
        );
        assert_eq!(parse_decimal("i128 poison", 128), None);
    }
}
