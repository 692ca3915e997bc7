//! Computes where a C compiler (System V, x86-64) puts the members of a record, to find the records that need `packed`
//! and explicit padding to lie as they did in the program.

use crate::types::{Description, Field, FloatKind, Type, TypeId};

impl Description {
    /// Size in bytes; 0 for what has none.
    pub fn size(&self, id: TypeId) -> u64 {
        match self.ty(id) {
            Type::Void | Type::Opaque(_) | Type::Function { .. } | Type::Unsupported(_) => 0,
            Type::Bool => 1,
            Type::Int { bits, .. } | Type::Enum { bits, .. } => u64::from(*bits) / 8,
            Type::Float(kind) => float_size(*kind),
            Type::Complex(kind) => 2 * float_size(*kind),
            Type::Pointer(_) => 8,
            Type::Array { of, count } => self.size(*of).saturating_mul(count.unwrap_or(0)),
            Type::Record { size, .. } => *size,
        }
    }

    /// Natural alignment in bytes.
    pub fn align(&self, id: TypeId) -> u64 {
        match self.ty(id) {
            Type::Array { of, .. } => self.align(*of),
            Type::Record { fields, .. } => {
                fields.iter().map(|f| self.align(f.ty)).max().unwrap_or(1)
            }
            Type::Complex(kind) => float_size(*kind),
            _ => self.size(id).max(1),
        }
    }

    /// Whether the members, written down without more ado, get the offsets that they have.
    pub(crate) fn is_natural(&self, id: TypeId) -> bool {
        let Type::Record {
            union,
            size,
            fields,
            ..
        } = self.ty(id)
        else {
            return true;
        };
        let mut end = 0;
        for field in fields {
            let at = if *union { 0 } else { self.place(field, end) };
            if at != field.offset {
                return false;
            }
            end = end.max(at + self.bits(field));
        }
        end.next_multiple_of(8 * self.align(id)) == 8 * size
    }

    /// The offset of a member behind `end`, in bits.
    fn place(&self, field: &Field, end: u64) -> u64 {
        let unit = 8 * self.size(field.ty).max(1);
        match field.bits {
            None => end.next_multiple_of(8 * self.align(field.ty)),
            Some(w) if end / unit != (end + u64::from(w) - 1) / unit => end.next_multiple_of(unit),
            Some(_) => end,
        }
    }

    /// Width of a member in bits.
    pub(crate) fn bits(&self, field: &Field) -> u64 {
        field.bits.map_or(8 * self.size(field.ty), u64::from)
    }
}

fn float_size(kind: FloatKind) -> u64 {
    match kind {
        FloatKind::Single => 4,
        FloatKind::Double => 8,
        FloatKind::Extended => 16,
    }
}
