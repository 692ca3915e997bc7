//! Exceptions: calls with a landing pad, the pads, and what unwinds.
//!
//! A call that has a landing pad is followed by [`Inst::Invoked`], at which the engine finds the pad and its clauses. The pad asks
//! the engine for the exception and the selector. What the unwinder does natively is code of `runtime/cxx/eh.cpp`, under names of its
//! own: in a native build of the same module the unwinder is machine code.

use super::Lowering;
use super::function::{FnLower, Refused};
use crate::ffi::{Block, Value};
use crate::types::Shape;
use ir::{CallSite, Clause, Inst, LandingPad, Reg, Val};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::LLVMArrayTypeKind;
use llvm_sys::core::*;

/// The unwinder's functions, and those that stand for them.
const UNWINDER: [(&str, &str); 5] = [
    ("_Unwind_RaiseException", "__polypath_unwind_raise"),
    ("_Unwind_Resume", RESUME),
    ("_Unwind_Resume_or_Rethrow", "__polypath_unwind_raise"),
    ("_Unwind_DeleteException", "__polypath_unwind_delete"),
    ("__cxa_call_unexpected", "__polypath_unwind_unexpected"),
];
/// The function that searches tables for handlers natively. Code that may unwind names it.
pub const PERSONALITY: &str = "__gxx_personality_v0";
const RESUME: &str = "__polypath_unwind_resume";

/// What a function calls at the landing pad by which it keeps the promise that no exception leaves it.
const TERMINATE: [&str; 2] = ["__clang_call_terminate", "_ZSt9terminatev"];

/// The functions that stand for those of the unwinder.
pub fn functions() -> impl Iterator<Item = &'static str> {
    UNWINDER.iter().map(|(_, own)| *own)
}

/// The function that stands for one of the unwinder.
pub fn in_place_of(name: &str) -> Option<&'static str> {
    let row = UNWINDER.iter().find(|(native, _)| *native == name);
    row.map(|(_, own)| *own)
}

impl Lowering {
    /// The number by which the code of a landing pad knows that a type is caught.
    pub fn selector(&mut self, ty: u64) -> u32 {
        let next = self.selectors.len() as u32 + 1;
        *self.selectors.entry(ty).or_insert(next)
    }
}

impl FnLower<'_> {
    /// A call with a landing pad.
    pub fn invoke(&mut self, v: Value) -> Result<(), Refused> {
        self.call(v)?;
        let last = self.body.blocks[self.current].ops.last();
        let last = last.map(|op| op.inst);
        if last.is_some_and(|inst| inst.ends_block()) {
            return Ok(());
        }
        let target = self.target(v.successor(0));
        // What became no call raises nothing.
        if !matches!(last, Some(Inst::Call { .. } | Inst::CallSite { .. })) {
            self.emit(Inst::Jump { target });
            return Ok(());
        }
        let block = v.successor(1);
        let clauses = self.table(block)?;
        let pad = self.target(block);
        self.emit(Inst::Invoked {
            target,
            pad,
            clauses,
        });
        Ok(())
    }

    /// The table of the landing pad that a block begins with.
    fn table(&mut self, block: Block) -> Result<u32, Refused> {
        if let Some(known) = self.pads.get(&block) {
            return Ok(*known);
        }
        let mut code = block.instructions().filter(|i| i.opcode() != LLVMPHI);
        let pad = code.next().filter(|i| i.opcode() == LLVMLandingPad);
        let pad = pad.ok_or("exception handling of another system")?;
        let called = code
            .filter(|i| i.opcode() == LLVMCall)
            .map(|i| i.callee().map(Value::name));
        let mut called = called.filter(|name| {
            let is_mark = |name: &String| {
                name.starts_with("llvm.") || name.starts_with(crate::instrument::MARKER_PREFIX)
            };
            !name.as_ref().is_some_and(is_mark)
        });
        let terminates = called
            .next()
            .flatten()
            .is_some_and(|name| TERMINATE.contains(&name.as_str()));
        // SAFETY: the instruction is a landing pad, and its clauses are constants below their number.
        let (cleanup, list) = unsafe {
            let count = LLVMGetNumClauses(pad.0);
            let list: Vec<Value> = (0..count).map(|n| Value(LLVMGetClause(pad.0, n))).collect();
            (LLVMIsCleanup(pad.0) != 0, list)
        };
        let mut clauses = Vec::new();
        for clause in list {
            let scalars = self.p.const_scalars(clause)?;
            let types: Vec<u64> = scalars.iter().map(|limbs| limbs[0]).collect();
            clauses.push(match types[..] {
                _ if clause.ty().kind() == LLVMArrayTypeKind => Clause::Filter(types),
                [ty] => Clause::Catch {
                    selector: self.p.selector(ty),
                    ty,
                },
                _ => return Err("a clause of a landing pad that is no pointer".into()),
            });
        }
        let id = self.p.out.pads.len() as u32;
        self.p.out.pads.push(LandingPad {
            cleanup,
            terminates,
            clauses,
        });
        self.pads.insert(block, id);
        Ok(id)
    }

    /// Where an exception lands: what it is, and which clause took it.
    pub fn landing(&mut self, v: Value, shape: &Shape) -> Result<(), Refused> {
        if shape.slot_widths() != [64, 32] {
            return Err(format!("a landing pad of type {}", v.ty().print()));
        }
        let exception = self.told("__polypath_landed_exception", 64);
        let selector = self.told("__polypath_landed_selector", 32);
        self.set(v, [exception, selector].into_iter().collect());
        Ok(())
    }

    /// The result of an engine function without arguments.
    fn told(&mut self, name: &str, width: u16) -> Val {
        let dst = self.body.fresh(u32::from(width));
        self.call_engine(name, &[], dst, vec![width]);
        dst.into()
    }

    /// Goes on unwinding behind a landing pad that has cleaned up.
    pub fn resume(&mut self, v: Value) -> Result<(), Refused> {
        let exception = self.elems(v.operand(0))?[0];
        self.call_engine(RESUME, &[exception], Reg(0), Vec::new());
        self.emit(Inst::Unreachable);
        Ok(())
    }

    fn call_engine(&mut self, name: &str, args: &[Val], dst: Reg, results: Vec<u16>) {
        let target = self.p.target_by_name(name);
        let ty = match target {
            ir::Target::Function(id) => self.p.out.functions[id as usize].ty,
            ir::Target::Extern(_) | ir::Target::Pointer(_) => self.p.string(name),
        };
        self.emit_site(CallSite {
            target,
            ty,
            args: args.to_vec(),
            widths: vec![64; args.len()],
            classes: vec![ir::ArgClass::General; args.len()],
            varargs: Vec::new(),
            dst,
            results,
        });
    }
}
