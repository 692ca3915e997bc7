//! Calls that are not plain, and returns.

use crate::builtins::{Call, Done};
use crate::errors::Termination;
use crate::machine::Machine;
use crate::slow::concrete_value;
use crate::state::State;
use ir::{CallSite, FuncId, Reg, Target};
use memory::Value;
use smallvec::SmallVec;
use term::Term;

impl Machine {
    pub(crate) fn call_site(&mut self, s: &mut State, index: u32) -> Result<(), Termination> {
        let module = self.module.clone();
        let site = &module.call_sites[index as usize];
        match site.target {
            Target::Function(f) => self.call_function(s, site, f),
            Target::Extern(e) => self.call_extern(s, site, e),
            Target::Pointer(p) => {
                let v = self.get(s, p);
                let at = self.concretize(s, v, 64);
                let defined = module.functions.len() as u64;
                match ir::layout::callable_index(at) {
                    Some(i) if i < defined => self.call_function(s, site, i as FuncId),
                    Some(i) if i - defined < module.externs.len() as u64 => {
                        self.call_extern(s, site, (i - defined) as u32)
                    }
                    _ => {
                        let (kind, text) = if at < ir::layout::NULL_END {
                            (crate::ErrorKind::Null, "call of a null function pointer")
                        } else {
                            (
                                crate::ErrorKind::OutOfBounds,
                                "call of an address that is no function",
                            )
                        };
                        Err(self.error(s, kind, format!("{text} ({at:#x})")))
                    }
                }
            }
        }
    }

    fn call_function(
        &mut self,
        s: &mut State,
        site: &CallSite,
        callee: FuncId,
    ) -> Result<(), Termination> {
        let mut args: SmallVec<[Value; 8]> = site.args.iter().map(|&v| self.get(s, v)).collect();
        let mark = s.memory.stack_mark();
        let varargs = match self.module.functions[callee as usize].variadic {
            Some(fixed) => self.lay_out_varargs(s, fixed, &site.varargs)?,
            None => {
                // Called through `int (*f)()`: what follows the fixed arguments are plain ones.
                args.extend(site.varargs.iter().map(|a| self.get(s, a.value)));
                0
            }
        };
        let return_pc = s.pc + 1;
        self.enter(s, callee, &args, site.dst, return_pc, varargs, mark)
    }

    fn call_extern(
        &mut self,
        s: &mut State,
        site: &CallSite,
        id: ir::ExternId,
    ) -> Result<(), Termination> {
        let Some(builtin) = self.builtins[id as usize] else {
            let name = format!("external function {}", self.module.externs[id as usize]);
            return Err(self.unsupported(s, &name));
        };
        let mut args: SmallVec<[Value; 6]> = site.args.iter().map(|&v| self.get(s, v)).collect();
        args.extend(site.varargs.iter().map(|a| self.get(s, a.value)));
        let mut widths: SmallVec<[u16; 6]> = site.widths.iter().copied().collect();
        widths.extend(site.varargs.iter().map(|a| (a.bytes * 8).min(64) as u16));
        let call = Call {
            args,
            widths,
            dst: site.dst,
            results: &site.results,
        };
        match builtin(self, s, &call)? {
            Done::Moved => Ok(()),
            Done::Next => {
                self.set_result(s, site.dst, &site.results, concrete_value(0));
                let next = s.pc + 1;
                self.goto(s, next)
            }
            Done::Value(v) => {
                self.set_result(s, site.dst, &site.results, v);
                let next = s.pc + 1;
                self.goto(s, next)
            }
        }
    }

    /// Gives an engine function's result to the caller, in the width that it expects.
    pub(crate) fn set_result(&mut self, s: &mut State, dst: Reg, results: &[u16], v: Value) {
        let Some(&w) = results.first() else { return };
        let w = u32::from(w.min(64));
        let v = if v.term.is_none() {
            concrete_value(v.bits & crate::concrete::mask(w as u8))
        } else {
            let has = self.pool.width(v.term);
            let t = if has >= w {
                self.pool.extract(w - 1, 0, v.term)
            } else {
                self.pool.zext(w, v.term)
            };
            self.value(t)
        };
        s.set(dst, v);
    }

    pub(crate) fn ret(
        &mut self,
        s: &mut State,
        values: u32,
        count: u16,
    ) -> Result<(), Termination> {
        let module = self.module.clone();
        let list = &module.operands[values as usize..values as usize + usize::from(count)];
        let values: SmallVec<[Value; 4]> = list.iter().map(|&v| self.get(s, v)).collect();
        if s.frames.len() == 1 {
            let status = values.first().copied().unwrap_or(concrete_value(0));
            let status = if status.term.is_none() {
                status.bits
            } else {
                self.eval(s, status.term)
            };
            return Err(Termination::Exit(status as i32 & 0xff));
        }
        let frame = s.frames.pop().expect("checked above");
        s.memory.stack_release(&mut self.tlb, frame.mark);
        for (i, &v) in values.iter().enumerate() {
            s.set(Reg(frame.dst.0 + i as u32), v);
        }
        self.goto(s, frame.return_pc)
    }

    // --- runs of bytes ---

    pub(crate) fn copy_bytes(
        &mut self,
        s: &mut State,
        dst: Value,
        src: Value,
        len: Value,
    ) -> Result<(), Termination> {
        let len = self.concretize(s, len, 64);
        if len == 0 {
            return Ok(());
        }
        let dst = self.concrete_address(s, dst);
        let src = self.concrete_address(s, src);
        s.memory
            .copy(&mut self.pool, &mut self.tlb, dst, src, len)
            .map_err(|f| self.fault(s, &f))
    }

    pub(crate) fn fill_bytes(
        &mut self,
        s: &mut State,
        dst: Value,
        byte: Value,
        len: Value,
    ) -> Result<(), Termination> {
        let len = self.concretize(s, len, 64);
        if len == 0 {
            return Ok(());
        }
        let dst = self.concrete_address(s, dst);
        s.memory
            .fill(&mut self.pool, &mut self.tlb, dst, byte, len)
            .map_err(|f| self.fault(s, &f))
    }

    /// The bytes of a C string of the program, symbolic ones as the witness has them.
    pub(crate) fn c_string(&mut self, s: &mut State, v: Value) -> Result<String, Termination> {
        let mut at = self.concrete_address(s, v);
        let mut out = Vec::new();
        loop {
            let b = self.load(s, concrete_value(at), 1)?;
            let b = if b.term.is_none() {
                b.bits
            } else {
                self.eval(s, b.term)
            };
            if b == 0 || out.len() >= 4096 {
                return Ok(String::from_utf8_lossy(&out).into_owned());
            }
            out.push(b as u8);
            at += 1;
        }
    }

    /// A symbolic term is `NONE` for concrete values: shorthand for the engine operations.
    pub(crate) fn is_concrete(v: Value) -> bool {
        v.term == Term::NONE
    }
}
