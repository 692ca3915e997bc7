//! Calls: direct, indirect, variadic, external, and `va_arg`.

use super::function::{Address, Elems, FnLower, Refused};
use crate::ffi::{Type, Value};
use crate::guard;
use crate::types::{Scalar, ScalarKind, Shape};
use ir::operands::slot_width;
use ir::{ArgClass, BinOp, CallSite, ConvOp, FloatFormat, Inst, Reg, Target, Val, VarArg};

/// In what registers clang's x86-64 code passes a value of this type (the front end has already turned
/// aggregates into such values or into memory).
pub fn argument_class(ty: Type, shape: &Shape) -> ArgClass {
    if ty.is_vector() {
        return ArgClass::Vector;
    }
    match shape.scalars.first().map(|s| s.kind) {
        Some(ScalarKind::Float(FloatFormat::X87)) => ArgClass::Stack,
        Some(ScalarKind::Float(_)) => ArgClass::Vector,
        _ => ArgClass::General,
    }
}

impl FnLower<'_> {
    pub fn call(&mut self, v: Value) -> Result<(), Refused> {
        let called = v.called_value();
        if called.is_inline_asm() {
            return self.inline_asm(v, called);
        }
        let callee = v.callee();
        if let Some(f) = callee {
            if f.intrinsic_id() != 0 {
                return self.intrinsic(v, &f.name());
            }
            if f.is_declaration() {
                let name = f.name();
                if name.starts_with(crate::instrument::MARKER_PREFIX) {
                    return self.marker(v, &name);
                }
            }
            if self.libm_call(v, f)? {
                return Ok(());
            }
            // Operations raise no flags.
            let by_code = self.p.options.number_code || self.p.reads_flags;
            if by_code && f.is_declaration() && f.name() == vocab::ASKS_FOR_NUMBERS {
                let no = self.constant(0);
                self.set1(v, no);
                return Ok(());
            }
        }
        let shape = self.shape(v.ty());
        if let Some(why) = &shape.unsupported {
            return Err(why.clone());
        }
        let target = match callee {
            Some(f) => self.p.call_target(f)?,
            None => {
                let p = self.val(called)?;
                match self
                    .as_constant(p)
                    .and_then(|address| self.p.callable_at(address))
                {
                    Some(target) => target,
                    None => Target::Pointer(p),
                }
            }
        };
        let ty = v.called_type();
        let fixed = if ty.is_variadic() {
            ty.params().len() as u32
        } else {
            v.arg_count()
        };
        let mut args = Vec::new();
        let mut widths = Vec::new();
        let mut classes = Vec::new();
        for i in 0..fixed.min(v.arg_count()) {
            let class = self.flatten_argument(v.arg(i), &mut args, &mut widths)?;
            classes.resize(args.len(), class);
        }
        // A call through an unprototyped type passes everything as if it were variadic; a
        // function that is not variadic takes it as plain arguments.
        let plain_callee = match target {
            Target::Function(id) => self.p.out.functions[id as usize].variadic.is_none(),
            Target::Extern(_) | Target::Pointer(_) => false,
        };
        let mut varargs = Vec::new();
        for i in fixed..v.arg_count() {
            if plain_callee {
                let class = self.flatten_argument(v.arg(i), &mut args, &mut widths)?;
                classes.resize(args.len(), class);
            } else {
                varargs.push(self.variable_argument(v, i)?);
            }
        }
        let results = shape.slot_widths();
        let (dst, elems) = self.result_registers(&shape);
        let ty = self.p.type_name(v.called_type());
        if let Target::Function(id) = target {
            let f = &self.p.out.functions[id as usize];
            // Types of the same widths may still differ: `int` and `float`.
            let is_looked_at = self.own && (f.ty != ty || !f.own && vocab::is_looked_at(&f.name));
            let fits = f.variadic.is_none() && f.params == widths && f.results == results;
            if fits && !is_looked_at {
                let count = args.len() as u16;
                let args = self.p.operands(args);
                self.emit(Inst::Call {
                    callee: id,
                    dst,
                    args,
                    count,
                });
                self.set(v, elems);
                return Ok(());
            }
        }
        self.emit_site(CallSite {
            target,
            ty,
            args,
            widths,
            classes,
            varargs,
            dst,
            results,
        });
        self.set(v, elems);
        Ok(())
    }

    pub fn emit_site(&mut self, site: CallSite) {
        let id = self.p.out.call_sites.len() as u32;
        self.p.out.call_sites.push(site);
        self.emit(Inst::CallSite { site: id });
    }

    /// A call that `instrument` put in.
    fn marker(&mut self, v: Value, name: &str) -> Result<(), Refused> {
        if name == crate::instrument::COVER {
            let site = v.arg(0).zext_value() as ir::SiteId;
            self.emit(Inst::Cover { site });
            return Ok(());
        }
        if name == crate::instrument::KEEP || name.starts_with(guard::USE) {
            return Ok(());
        }
        if name == crate::instrument::UNREACHABLE {
            self.emit(Inst::Unreachable);
            return Ok(());
        }
        let told = match name {
            n if n == crate::instrument::UNCHECKED => Some("__polypath_unchecked"),
            n if n == crate::instrument::OPTIMIZED_CODE => Some("__polypath_optimized"),
            _ => None,
        };
        if let Some(builtin) = told {
            let shape = self.shape(v.ty());
            self.call_by_name(builtin, v, &[], &[], &shape);
            return Ok(());
        }
        if name == guard::PROBE_READ || name == guard::PROBE_WRITE {
            return self.probe(v, name == guard::PROBE_WRITE);
        }
        if let Some(marked) = crate::float_checks::of_name(name) {
            return self.float_check(v, marked);
        }
        if let Some(signed) = crate::opaque::conversion(name) {
            return self.conversion(v, signed);
        }
        let Some(kind) = crate::instrument::check_of_marker(name) else {
            return Err(format!("marker {name}"));
        };
        let shape = self.shape(v.arg(0).ty());
        let (a, b) = (self.elems(v.arg(0))?, self.elems(v.arg(1))?);
        for (i, s) in shape.scalars.iter().enumerate() {
            self.check(kind, s.width, a[i], b[i]);
        }
        Ok(())
    }

    /// Floats to integers, as the instructions of the processor convert them.
    fn conversion(&mut self, v: Value, signed: bool) -> Result<(), Refused> {
        let (from, to) = (self.shape(v.arg(0).ty()), self.shape(v.ty()));
        let op = if signed {
            ConvOp::FloatToSigned
        } else {
            ConvOp::FloatToUnsigned
        };
        let a = self.elems(v.arg(0))?;
        self.map_scalars(v, &to, |f, i, s| {
            f.float_to_int(op, false, from.scalars[i], s.width, a[i])
        })
    }

    /// Touches the bytes of a probe, unless what follows does.
    fn probe(&mut self, v: Value, write: bool) -> Result<(), Refused> {
        if guard::is_superfluous(&self.p.types, v, write) {
            return Ok(());
        }
        let base = self.val(v.arg(0))?;
        let bytes = v.arg(1).zext_value() as i64;
        let mut offset = 0;
        while offset < bytes {
            let step = match bytes - offset {
                8.. => 8,
                4.. => 4,
                2.. => 2,
                _ => 1,
            };
            let at = Address {
                base,
                index: None,
                offset,
            };
            let part = Scalar {
                kind: ScalarKind::Int,
                width: step as u32 * 8,
                offset: 0,
            };
            let value = self.load_scalar(at, part);
            if write {
                self.store_scalar(at, part, value);
            }
            offset += step;
        }
        Ok(())
    }

    /// Appends the slots of an argument; gives the class that they are passed in.
    fn flatten_argument(
        &mut self,
        arg: Value,
        args: &mut Vec<Val>,
        widths: &mut Vec<u16>,
    ) -> Result<ArgClass, Refused> {
        let shape = self.shape(arg.ty());
        if let Some(why) = &shape.unsupported {
            return Err(why.clone());
        }
        let elems = self.elems(arg)?;
        for (e, s) in elems.iter().zip(&shape.scalars) {
            for n in 0..s.slots() {
                args.push(e.limb(n));
                widths.push(slot_width(s.width, n) as u16);
            }
        }
        Ok(argument_class(arg.ty(), &shape))
    }

    fn variable_argument(&mut self, call: Value, index: u32) -> Result<VarArg, Refused> {
        let arg = call.arg(index);
        let shape = self.shape(arg.ty());
        if arg.ty().is_vector() && !shape.packed && shape.unsupported.is_none() {
            // Small structs of floats travel as vectors: their image in memory is one integer.
            let elems = self.elems(arg)?;
            let parts: Vec<(Val, u32)> = elems
                .iter()
                .zip(&shape.scalars)
                .map(|(e, s)| (*e, s.width))
                .collect();
            let value = self.concat(&parts);
            let bytes = shape.size as u32;
            return Ok(VarArg {
                value,
                bytes,
                align: if bytes >= 16 { 16 } else { 8 },
                by_value: false,
                class: ArgClass::Vector,
            });
        }
        let value = self.val(arg)?;
        if let Some((ty, align)) = self.p.call_byval(call, index) {
            let bytes = self.p.types.size(ty) as u32;
            return Ok(VarArg {
                value,
                bytes,
                align: align as u32,
                by_value: true,
                class: ArgClass::Stack,
            });
        }
        let ty = arg.ty();
        let bytes = self.p.types.size(ty) as u32;
        let align = if bytes > 8 && self.p.types.align(ty) >= 16 {
            16
        } else {
            8
        };
        Ok(VarArg {
            value,
            bytes,
            align,
            by_value: false,
            class: argument_class(arg.ty(), &shape),
        })
    }

    /// Consecutive registers for a whole result, and the scalars in it.
    pub fn result_registers(&mut self, shape: &Shape) -> (Reg, Elems) {
        let widths: Vec<u32> = shape.slot_widths().iter().map(|w| u32::from(*w)).collect();
        let dst = self.body.fresh_group(widths);
        let mut elems = Elems::new();
        let mut at = dst.0;
        for s in &shape.scalars {
            elems.push(Val::reg(Reg(at)));
            at += s.slots();
        }
        (dst, elems)
    }

    /// A call by name with scalar arguments: of libm, or of what the engine supplies.
    pub fn call_by_name(
        &mut self,
        name: &str,
        v: Value,
        args: &[Val],
        widths: &[u16],
        shape: &Shape,
    ) {
        let target = self.p.target_by_name(name);
        let (dst, elems) = self.result_registers(shape);
        let ty = match target {
            Target::Function(id) => self.p.out.functions[id as usize].ty,
            Target::Extern(_) | Target::Pointer(_) => self.p.string(name),
        };
        self.emit_site(CallSite {
            target,
            ty,
            args: args.to_vec(),
            widths: widths.to_vec(),
            // None of them is variadic: nobody asks.
            classes: vec![ArgClass::General; args.len()],
            varargs: Vec::new(),
            dst,
            results: shape.slot_widths(),
        });
        self.set(v, elems);
    }

    /// `va_arg`: everything lies in the overflow area, whose pointer is at byte 8 of the list.
    pub fn va_arg(&mut self, v: Value, shape: &Shape) -> Result<(), Refused> {
        let list = self.val(v.operand(0))?;
        let ty: Type = v.ty();
        let place = Address {
            base: list,
            index: None,
            offset: 8,
        };
        let pointer = crate::types::Scalar {
            kind: crate::types::ScalarKind::Pointer,
            width: 64,
            offset: 0,
        };
        let mut at = self.load_scalar(place, pointer);
        if self.p.types.align(ty) >= 16 {
            let (add, mask) = (self.constant(15), self.constant(!15));
            at = self.int_bin(BinOp::Add, 64, at, add);
            at = self.int_bin(BinOp::And, 64, at, mask);
        }
        let step = self.constant(self.p.types.size(ty).next_multiple_of(8));
        let next = self.int_bin(BinOp::Add, 64, at, step);
        self.store_scalar(place, pointer, next);
        let elems = self.load_value(
            Address {
                base: at,
                index: None,
                offset: 0,
            },
            shape,
        );
        self.set(v, elems);
        Ok(())
    }
}
