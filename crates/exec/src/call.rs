//! Calls that need more than a jump (through pointers, with other types, of functions without code), and returns.

use crate::environment::{Call, Done};
use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::state::{Frame, State};
use ir::{ArgClass, CallSite, FuncId, Reg, Target, Val, VarArg};
use memory::Value;
use smallvec::SmallVec;
use std::cell::Cell;
use term::Term;
use vocab::Check;

impl Machine {
    pub(crate) fn call_site(&mut self, s: &mut State, index: u32) -> Result<(), Termination> {
        let module = self.module.clone();
        let site = &module.call_sites[index as usize];
        match site.target {
            Target::Function(f) => self.call_function(s, index, f),
            Target::Extern(e) => self.call_extern(s, site, e),
            Target::Pointer(p) => {
                let v = self.get(s, p);
                let v = self.used(s, v)?;
                let at = self.concretize(s, v, 64);
                let defined = module.functions.len() as u64;
                match ir::layout::callable_index(at) {
                    Some(i) if i < defined => self.call_function(s, index, i as FuncId),
                    Some(i) if i - defined < module.externs.len() as u64 => {
                        self.call_extern(s, site, (i - defined) as u32)
                    }
                    _ => {
                        let (kind, text) = if at < ir::layout::NULL_END {
                            (ErrorKind::Null, "call of a null function pointer")
                        } else {
                            (
                                ErrorKind::OutOfBounds,
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
        index: u32,
        callee: FuncId,
    ) -> Result<(), Termination> {
        let module = self.module.clone();
        let site = &module.call_sites[index as usize];
        let f = &module.functions[callee as usize];
        if site.ty != f.ty && self.options.checks.has(Check::FunctionType) {
            self.check_type(s, site.ty, f)?;
        }
        let mut args: SmallVec<[Value; 8]> = self.values(s, &site.args);
        if let Some(contract) = self.links.contracts[callee as usize]
            && self.is_own(s)
        {
            contract(self, s, &f.name, &args)?;
        }
        let mark = s.memory.stack_mark();
        let environment = self.links.environment.clone();
        let varargs = match f.variadic {
            Some(fixed) if site.args.len() > f.params.len() => {
                // Called through a type without the dots: what follows the parameters is variable.
                let mut list = surplus(site, f.params.len());
                list.extend(site.varargs.iter().cloned());
                environment.variable_arguments(self, s, fixed, &list, f, &args)?
            }
            Some(fixed) => {
                environment.variable_arguments(self, s, fixed, &site.varargs, f, &args)?
            }
            None => {
                // Called through `int (*f)()`: what follows the fixed arguments are plain ones.
                args.extend(site.varargs.iter().map(|a| self.get(s, a.value)));
                0
            }
        };
        let mismatched = if site.results == f.results {
            Frame::MATCHED
        } else {
            index
        };
        let return_pc = s.hot.pc + 1;
        self.enter(
            s, callee, &args, site.dst, mismatched, return_pc, varargs, mark,
        )
    }

    /// The values of operands. Each call has some: this costs half of what `collect` does.
    #[inline]
    fn values<A: smallvec::Array<Item = Value>>(&self, s: &State, list: &[Val]) -> SmallVec<A> {
        let mut values = SmallVec::with_capacity(list.len());
        for &v in list {
            values.push(self.get(s, v));
        }
        values
    }

    /// Whether the path is in the program's own code.
    pub fn is_own(&self, s: &State) -> bool {
        self.module.functions[s.frame().function as usize].own
    }

    fn call_extern(
        &mut self,
        s: &mut State,
        site: &CallSite,
        id: ir::ExternId,
    ) -> Result<(), Termination> {
        let Some(builtin) = self.links.builtins[id as usize] else {
            let name = format!("external function {}", self.module.externs[id as usize]);
            return Err(self.unsupported(s, &name));
        };
        let mut args: SmallVec<[Value; 6]> = self.values(s, &site.args);
        args.extend(site.varargs.iter().map(|a| self.get(s, a.value)));
        for arg in &mut args {
            *arg = self.used(s, *arg)?;
        }
        let mut widths: SmallVec<[u16; 6]> = SmallVec::from_slice(&site.widths);
        widths.extend(site.varargs.iter().map(|a| (a.bytes * 8).min(64) as u16));
        let call = Call {
            args,
            widths,
            dst: site.dst,
            results: &site.results,
            lacks: Cell::new(false),
        };
        let is_asked = self.options.checks.has(Check::FunctionType) && self.is_own(s);
        let done = builtin(self, s, &call);
        if is_asked && call.lacks.get() {
            let name = &self.module.externs[id as usize];
            let text = format!("{name} is called without an argument that it reads");
            return Err(self.error(s, ErrorKind::FunctionType, text));
        }
        match done? {
            Done::Moved => Ok(()),
            Done::Next => {
                self.set_result(s, site.dst, &site.results, Value::concrete(0));
                let next = s.hot.pc + 1;
                self.goto(s, next)
            }
            Done::Value(v) => {
                self.set_result(s, site.dst, &site.results, v);
                let next = s.hot.pc + 1;
                self.goto(s, next)
            }
        }
    }

    /// Gives an engine function's result to the caller, as the call site expects it.
    pub fn set_result(&mut self, s: &mut State, dst: Reg, results: &[u16], v: Value) {
        self.set_results(s, dst, results, &[v]);
    }

    /// Gives results to the caller, as many and as wide as the call site expects: surplus ones are
    /// dropped, missing ones zero.
    fn set_results(&mut self, s: &mut State, dst: Reg, expected: &[u16], values: &[Value]) {
        for (i, &w) in expected.iter().enumerate() {
            let v = values.get(i).copied().unwrap_or(Value::concrete(0));
            let v = self.fit(v, w);
            s.set(Reg(dst.0 + i as u32), v);
        }
    }

    /// A value as one of `w` bits: cut off, or extended with zeros.
    #[inline]
    pub fn fit(&mut self, v: Value, w: u16) -> Value {
        if v.term.is_none() {
            return Value::concrete(v.bits & ir::bits::mask(w));
        }
        let (has, w) = (self.reason.pool.width(v.term), u32::from(w));
        let t = if has >= w {
            self.reason.pool.extract(w - 1, 0, v.term)
        } else {
            self.reason.pool.zext(w, v.term)
        };
        self.value(t)
    }

    pub(crate) fn ret(
        &mut self,
        s: &mut State,
        values: u32,
        count: u16,
    ) -> Result<(), Termination> {
        let module = self.module.clone();
        let list = &module.operands[values as usize..values as usize + usize::from(count)];
        let values: SmallVec<[Value; 4]> = self.values(s, list);
        if s.frames().len() == 1 {
            let status = values.first().copied().unwrap_or(Value::concrete(0));
            let status = self.used(s, status)?;
            return Err(Termination::Exit(status));
        }
        let frame = s.frames_mut().pop().expect("checked above");
        s.memory.stack_release(&mut self.tlb, frame.mark);
        if frame.mismatched == Frame::MATCHED {
            for (i, &v) in values.iter().enumerate() {
                s.set(Reg(frame.dst.0 + i as u32), v);
            }
        } else {
            let expected = &module.call_sites[frame.mismatched as usize].results;
            self.set_results(s, frame.dst, expected, &values);
        }
        self.goto(s, frame.return_pc)
    }

    /// A symbolic term is `NONE` for concrete values: shorthand for the engine operations.
    #[inline]
    pub fn is_concrete(v: Value) -> bool {
        v.term == Term::NONE
    }
}

/// The arguments of a call from slot `from` on, as they are passed through `...`.
fn surplus(site: &CallSite, from: usize) -> Vec<VarArg> {
    let mut list = Vec::new();
    let mut slots = site.args.iter().zip(&site.classes).skip(from);
    while let Some((&value, &class)) = slots.next() {
        // What goes on the stack is a `long double`, of two slots.
        let bytes = if class == ArgClass::Stack { 16 } else { 8 };
        if class == ArgClass::Stack {
            slots.next();
        }
        list.push(VarArg {
            value,
            bytes,
            align: bytes,
            by_value: false,
            class,
        });
    }
    list
}
