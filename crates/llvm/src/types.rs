//! How LLVM types become register slots and memory: every first-class type is a list of scalars,
//! each with its place in memory.

use crate::ffi::{Module, Type};
use ir::FloatFormat;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::target::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The kind of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarKind {
    /// An integer.
    Int,
    /// A pointer.
    Pointer,
    /// A floating-point number of this format.
    Float(FloatFormat),
}

/// One scalar of a flattened value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Its kind.
    pub kind: ScalarKind,
    /// Width in bits.
    pub width: u32,
    /// Byte offset in memory; meaningless where `Shape::packed`.
    pub offset: u64,
}

impl Scalar {
    /// Registers that it takes.
    pub fn slots(self) -> u32 {
        ir::operands::slots(self.width)
    }
}

/// The facts about a type that lowering needs.
#[derive(Debug)]
pub struct Shape {
    /// Its scalars in order of their offsets.
    pub scalars: Vec<Scalar>,
    /// Distance between array elements.
    pub size: u64,
    /// Bytes that a store writes.
    pub store_size: u64,
    /// Its ABI alignment in bytes.
    pub align: u64,
    /// A vector whose elements are not whole bytes: in memory it is one integer.
    pub packed: bool,
    /// Why a value of the type cannot be lowered (scalable vectors, tokens, ...).
    pub unsupported: Option<String>,
}

impl Shape {
    /// Registers that a value takes.
    pub fn slots(&self) -> u32 {
        self.scalars.iter().map(|s| s.slots()).sum()
    }
    /// Width of each slot, in order.
    pub fn slot_widths(&self) -> Vec<u16> {
        self.scalars
            .iter()
            .flat_map(|s| (0..s.slots()).map(|n| ir::operands::slot_width(s.width, n) as u16))
            .collect()
    }
}

/// Types of one module, by LLVM's data layout.
pub struct Types {
    layout: LLVMTargetDataRef,
    shapes: RefCell<FxHashMap<Type, Rc<Shape>>>,
}

/// A first-class aggregate with more scalars than this is not flattened.
const MAX_SCALARS: u64 = 4096;

impl Types {
    /// Reads the module's data layout.
    pub fn new(module: Module) -> Types {
        Types {
            layout: module.data_layout(),
            shapes: RefCell::default(),
        }
    }

    /// Distance in bytes between elements of an array of this type.
    pub fn size(&self, ty: Type) -> u64 {
        // SAFETY: the layout is the module's, which lives as long as the process; callers pass sized types.
        unsafe { LLVMABISizeOfType(self.layout, ty.0) }
    }
    /// Bytes that a store of this type writes.
    pub fn store_size(&self, ty: Type) -> u64 {
        // SAFETY: as in `size`.
        unsafe { LLVMStoreSizeOfType(self.layout, ty.0) }
    }
    /// The ABI alignment in bytes.
    pub fn align(&self, ty: Type) -> u64 {
        // SAFETY: as in `size`.
        u64::from(unsafe { LLVMABIAlignmentOfType(self.layout, ty.0) })
    }
    /// The preferred alignment of a global variable in bytes.
    pub fn global_align(&self, global: crate::ffi::Value) -> u64 {
        // SAFETY: the layout as in `size`; the value is a global variable.
        u64::from(unsafe { LLVMPreferredAlignmentOfGlobal(self.layout, global.0) })
    }
    /// Byte offset of a field of a structure.
    pub fn field_offset(&self, ty: Type, index: u32) -> u64 {
        // SAFETY: as in `size`; the type is a structure with this field.
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, index) }
    }

    /// Byte offset of one constant index of a GEP, and the type behind it.
    pub fn gep_step(&self, ty: Type, first: bool, n: i64) -> (i64, Type) {
        if first {
            (n.wrapping_mul(self.size(ty) as i64), ty)
        } else if ty.is_struct() {
            (self.field_offset(ty, n as u32) as i64, ty.field(n as u32))
        } else {
            let element = ty.element();
            (n.wrapping_mul(self.size(element) as i64), element)
        }
    }

    /// The facts about the type that lowering needs; computed once.
    pub fn shape(&self, ty: Type) -> Rc<Shape> {
        if let Some(shape) = self.shapes.borrow().get(&ty) {
            return shape.clone();
        }
        let shape = Rc::new(self.compute(ty));
        self.shapes.borrow_mut().insert(ty, shape.clone());
        shape
    }

    fn compute(&self, ty: Type) -> Shape {
        let mut shape = Shape {
            scalars: Vec::new(),
            size: 0,
            store_size: 0,
            align: 1,
            packed: false,
            unsupported: None,
        };
        if ty.is_void() {
            return shape;
        }
        if !ty.is_sized() || ty.kind() == LLVMScalableVectorTypeKind {
            shape.unsupported = Some(format!("value of type {}", ty.print()));
            return shape;
        }
        shape.size = self.size(ty);
        shape.store_size = self.store_size(ty);
        shape.align = self.align(ty);
        shape.packed = ty.is_vector() && {
            let e = self.shape(ty.element());
            e.scalars.first().is_some_and(|s| s.width % 8 != 0)
        };
        if let Err(why) = self.flatten(ty, 0, &mut shape.scalars) {
            shape.scalars.clear();
            shape.unsupported = Some(why);
        }
        shape
    }

    // Recursion over the nesting of a type, which the compiler bounds.
    fn flatten(&self, ty: Type, offset: u64, out: &mut Vec<Scalar>) -> Result<(), String> {
        let mut scalar = |kind, width| {
            out.push(Scalar {
                kind,
                width,
                offset,
            });
            Ok(())
        };
        match ty.kind() {
            LLVMIntegerTypeKind => scalar(ScalarKind::Int, ty.int_width()),
            LLVMPointerTypeKind => scalar(ScalarKind::Pointer, 64),
            LLVMHalfTypeKind => scalar(ScalarKind::Float(FloatFormat::HALF), 16),
            LLVMBFloatTypeKind => scalar(ScalarKind::Float(FloatFormat::BFLOAT), 16),
            LLVMFloatTypeKind => scalar(ScalarKind::Float(FloatFormat::SINGLE), 32),
            LLVMDoubleTypeKind => scalar(ScalarKind::Float(FloatFormat::DOUBLE), 64),
            LLVMX86_FP80TypeKind => scalar(ScalarKind::Float(FloatFormat::X87), 80),
            LLVMFP128TypeKind => scalar(ScalarKind::Float(FloatFormat::QUAD), 128),
            LLVMStructTypeKind => {
                for i in 0..ty.field_count() {
                    self.flatten(ty.field(i), offset + self.field_offset(ty, i), out)?;
                }
                Ok(())
            }
            LLVMArrayTypeKind => {
                let (element, count) = (ty.element(), ty.array_len());
                self.bounded(count, ty)?;
                let stride = self.size(element);
                for i in 0..count {
                    self.flatten(element, offset + i * stride, out)?;
                }
                self.bounded(out.len() as u64, ty)
            }
            LLVMVectorTypeKind => {
                let (element, count) = (ty.element(), u64::from(ty.vector_len()));
                self.bounded(count, ty)?;
                let stride = self.store_size(element);
                for i in 0..count {
                    self.flatten(element, offset + i * stride, out)?;
                }
                Ok(())
            }
            _ => Err(format!("value of type {}", ty.print())),
        }
    }

    fn bounded(&self, count: u64, ty: Type) -> Result<(), String> {
        if count > MAX_SCALARS {
            Err(format!("value of the large type {}", ty.print()))
        } else {
            Ok(())
        }
    }
}
