//! One instruction, whole: the reference semantics over concrete and symbolic values.
//!
//! Every instruction is handled here, also those that the inner loop usually takes; there is no
//! wildcard arm. On success `pc` has moved on.

use crate::bytes::Bulk;
use crate::check;
use crate::concrete::{self, as_bin, as_cmp};
use crate::concrete_float;
use crate::errors::{ErrorKind, Termination};
use crate::float_exceptions::Raiser;
use crate::machine::Machine;
use crate::sizes::Size;
use crate::state::{Frame, State};
use crate::terms;
use crate::trail::ChoiceKind;
use crate::wide;
use ir::bits::{mask, signed};
use ir::{BinOp, CmpOp, FloatFormat, Inst, Pc, Reg, Val};
use memory::Value;
use smallvec::SmallVec;
use solver::Origin;
use term::Term;

impl Machine {
    /// Executes the instruction at `s.hot.pc`, or enters the handler that the program has for its fault.
    pub(crate) fn step(&mut self, s: &mut State) -> Result<(), Termination> {
        let Err(end) = self.execute(s) else {
            return Ok(());
        };
        let caught = self.turn.caught.take();
        let fault = caught.filter(|(_, error)| matches!(&end, Termination::Error(e) if e == error));
        let environment = self.links.environment.clone();
        environment.goes_on(self, s, fault.map(|(fault, _)| fault), end)
    }

    fn execute(&mut self, s: &mut State) -> Result<(), Termination> {
        let inst = self.module.code[s.hot.pc as usize];
        s.progress.instructions += 1;
        self.turn.path_before = s.path.len();
        if let Some((op, w, dst, a, b)) = as_bin(inst) {
            let (x, y) = (self.get(s, a), self.get(s, b));
            // What traps natively is an error without its check, too.
            let traps = match inst {
                Inst::UDiv { .. } | Inst::URem { .. } => check::parts(ir::CheckKind::DivZero),
                Inst::SDiv { .. } | Inst::SRem { .. } => check::parts(ir::CheckKind::SignedDiv),
                _ => &[],
            };
            let value = if x.term.is_none() && y.term.is_none() {
                if let Some(part) = traps.iter().find(|p| p.violated(w, x.bits, y.bits)) {
                    let (error, text) = part.error();
                    return Err(self.error(s, error, text.into()));
                }
                Value::concrete(concrete::bin(op, w, x.bits, y.bits))
            } else {
                let (x, y) = (self.term(x, w), self.term(y, w));
                self.forbid_traps(s, traps, u32::from(w), x, y)?;
                let t = terms::bin(&mut self.reason.pool, op, x, y);
                self.value(t)
            };
            return self.done(s, dst, value);
        }
        if let Some((op, w, dst, a, b)) = as_cmp(inst) {
            let value = self.compare(s, op, w, a, b);
            return self.done(s, dst, value);
        }
        let mode = s.float_control.rounding;
        match inst {
            Inst::Add { .. }
            | Inst::Sub { .. }
            | Inst::Mul { .. }
            | Inst::UDiv { .. }
            | Inst::SDiv { .. }
            | Inst::URem { .. }
            | Inst::SRem { .. }
            | Inst::Shl { .. }
            | Inst::LShr { .. }
            | Inst::AShr { .. }
            | Inst::And { .. }
            | Inst::Or { .. }
            | Inst::Xor { .. }
            | Inst::Eq { .. }
            | Inst::Ne { .. }
            | Inst::Ult { .. }
            | Inst::Ule { .. }
            | Inst::Slt { .. }
            | Inst::Sle { .. } => {
                unreachable!("handled above")
            }
            Inst::Un { op, w, dst, a } => {
                let x = self.get(s, a);
                let v = if x.term.is_none() {
                    Value::concrete(concrete::un(op, w, x.bits))
                } else {
                    let t = terms::un(&mut self.reason.pool, op, u32::from(w), x.term);
                    self.value(t)
                };
                self.done(s, dst, v)
            }
            Inst::Zext { to, dst, a, .. } => {
                let x = self.get(s, a);
                let v = self.map(x, |_, bits| bits, |pool, t| pool.zext(u32::from(to), t), ());
                self.done(s, dst, v)
            }
            Inst::Sext { w, to, dst, a } => {
                let x = self.get(s, a);
                let f = |(), bits| signed(w, bits) as u64 & mask(to);
                let v = self.map(x, f, |pool, t| pool.sext(u32::from(to), t), ());
                self.done(s, dst, v)
            }
            Inst::Trunc { to, dst, a, .. } => {
                let x = self.get(s, a);
                let f = |(), bits| bits & mask(to);
                let v = self.map(x, f, |pool, t| pool.extract(u32::from(to) - 1, 0, t), ());
                self.done(s, dst, v)
            }
            Inst::Copy { dst, a, .. } => {
                let v = self.get(s, a);
                self.done(s, dst, v)
            }
            Inst::Select { w, dst, c, a, b } => {
                let c = self.get(s, c);
                let v = if c.term.is_none() {
                    self.get(s, if c.bits != 0 { a } else { b })
                } else {
                    let (x, y) = (self.get(s, a), self.get(s, b));
                    let (x, y) = (self.term(x, w), self.term(y, w));
                    let t = self.reason.pool.ite(c.term, x, y);
                    self.value(t)
                };
                self.done(s, dst, v)
            }
            Inst::Overflow {
                op,
                signed,
                w,
                dst,
                a,
                b,
            } => {
                let (x, y) = (self.get(s, a), self.get(s, b));
                if x.term.is_none() && y.term.is_none() {
                    let (r, o) = concrete::overflow(op, signed, w, x.bits, y.bits);
                    s.set(dst, Value::concrete(r));
                    return self.done(s, Reg(dst.0 + 1), Value::concrete(u64::from(o)));
                }
                let (x, y) = (self.term(x, w), self.term(y, w));
                let r = terms::bin(&mut self.reason.pool, op, x, y);
                let o = check::overflows(&mut self.reason.pool, op, signed, u32::from(w), x, y);
                let (r, o) = (self.value(r), self.value(o));
                s.set(dst, r);
                self.done(s, Reg(dst.0 + 1), o)
            }
            Inst::Funnel {
                left,
                w,
                dst,
                a,
                b,
                c,
            } => {
                let (x, y, z) = (self.get(s, a), self.get(s, b), self.get(s, c));
                let v = if [x, y, z].iter().all(|v| v.term.is_none()) {
                    Value::concrete(concrete::funnel(left, w, x.bits, y.bits, z.bits))
                } else {
                    let (x, y, z) = (self.term(x, w), self.term(y, w), self.term(z, w));
                    let t = terms::funnel(&mut self.reason.pool, left, u32::from(w), x, y, z);
                    self.value(t)
                };
                self.done(s, dst, v)
            }
            Inst::Index {
                dst,
                base,
                index,
                scale,
            } => {
                let v = self.indexed(s, base, index, scale);
                self.done(s, dst, v)
            }
            Inst::WideBin { op, w, dst, a, b } => {
                let w = u32::from(w);
                self.forbid_wide_trap(s, op, w, b)?;
                match (self.limbs(s, a, w), self.limbs(s, b, w)) {
                    (Some(x), Some(y)) => self.put_limbs(s, dst, &wide::bin(op, w, &x, &y)),
                    _ => {
                        let (x, y) = (self.wide_term(s, a, w), self.wide_term(s, b, w));
                        let t = terms::bin(&mut self.reason.pool, op, x, y);
                        self.put_wide(s, dst, w, t);
                    }
                }
                self.next(s)
            }
            Inst::WideCmp { op, w, dst, a, b } => {
                let w = u32::from(w);
                let v = match (self.limbs(s, a, w), self.limbs(s, b, w)) {
                    (Some(x), Some(y)) => Value::concrete(u64::from(wide::cmp(op, w, &x, &y))),
                    _ => {
                        let (x, y) = (self.wide_term(s, a, w), self.wide_term(s, b, w));
                        let t = terms::cmp(&mut self.reason.pool, op, x, y);
                        self.value(t)
                    }
                };
                self.done(s, dst, v)
            }
            Inst::WideUn { op, w, dst, a } => {
                let w = u32::from(w);
                match self.limbs(s, a, w) {
                    Some(x) => self.put_limbs(s, dst, &wide::un(op, w, &x)),
                    None => {
                        let x = self.wide_term(s, a, w);
                        let t = terms::un(&mut self.reason.pool, op, w, x);
                        self.put_wide(s, dst, w, t);
                    }
                }
                self.next(s)
            }
            Inst::WideCast {
                op,
                from,
                to,
                dst,
                a,
            } => {
                let (from, to) = (u32::from(from), u32::from(to));
                match self.limbs(s, a, from) {
                    Some(x) => self.put_limbs(s, dst, &wide::cast(op, from, to, &x)),
                    None => {
                        let x = self.wide_term(s, a, from);
                        let t = match op {
                            ir::CastOp::Zext => self.reason.pool.zext(to, x),
                            ir::CastOp::Sext => self.reason.pool.sext(to, x),
                            ir::CastOp::Trunc => self.reason.pool.extract(to - 1, 0, x),
                        };
                        self.put_wide(s, dst, to, t);
                    }
                }
                self.next(s)
            }
            Inst::FloatBin {
                op,
                format,
                dst,
                a,
                b,
            } => {
                let w = format.bits();
                match (self.float_bits(s, a, format), self.float_bits(s, b, format)) {
                    (Some(x), Some(y)) => {
                        self.put_float(s, dst, format, concrete_float::bin(op, format, mode, x, y));
                    }
                    _ => {
                        if let Some(entered) = self.simulate(s, inst) {
                            return entered;
                        }
                        let (x, y) = (self.wide_term(s, a, w), self.wide_term(s, b, w));
                        let t = terms::float_bin(&mut self.reason.pool, op, format, mode, x, y);
                        self.put_wide(s, dst, w, t);
                    }
                }
                self.next(s)
            }
            Inst::FloatUn { op, format, dst, a } => {
                let w = format.bits();
                match self.float_bits(s, a, format) {
                    Some(x) => {
                        self.put_float(s, dst, format, concrete_float::un(op, format, mode, x))
                    }
                    None => {
                        if let Some(entered) = self.simulate(s, inst) {
                            return entered;
                        }
                        let x = self.wide_term(s, a, w);
                        let t = terms::float_un(&mut self.reason.pool, op, format, mode, x);
                        self.put_wide(s, dst, w, t);
                    }
                }
                self.next(s)
            }
            Inst::FloatFma {
                format,
                dst,
                a,
                b,
                c,
            } => {
                let w = format.bits();
                let bits = [a, b, c].map(|v| self.float_bits(s, v, format));
                if let [Some(x), Some(y), Some(z)] = bits {
                    self.put_float(s, dst, format, concrete_float::fma(format, mode, x, y, z));
                } else {
                    if let Some(entered) = self.simulate(s, inst) {
                        return entered;
                    }
                    let [x, y, z] = [a, b, c].map(|v| self.wide_term(s, v, w));
                    let t = terms::float_fma(&mut self.reason.pool, format, mode, x, y, z);
                    self.put_wide(s, dst, w, t);
                }
                self.next(s)
            }
            Inst::FloatCmp {
                op,
                format,
                dst,
                a,
                b,
            } => {
                let w = format.bits();
                let v = match (self.float_bits(s, a, format), self.float_bits(s, b, format)) {
                    (Some(x), Some(y)) => {
                        Value::concrete(u64::from(concrete_float::cmp(op, format, x, y)))
                    }
                    _ => {
                        if let Some(entered) = self.simulate(s, inst) {
                            return entered;
                        }
                        let (x, y) = (self.wide_term(s, a, w), self.wide_term(s, b, w));
                        let t = terms::float_cmp(&mut self.reason.pool, op, format, x, y);
                        self.value(t)
                    }
                };
                self.done(s, dst, v)
            }
            Inst::FloatCast { from, to, dst, a } => {
                match self.float_bits(s, a, from) {
                    Some(x) => self.put_float(s, dst, to, concrete_float::cast(from, to, mode, x)),
                    None => {
                        if let Some(entered) = self.simulate(s, inst) {
                            return entered;
                        }
                        let x = self.wide_term(s, a, from.bits());
                        let t = terms::float_cast(&mut self.reason.pool, from, to, mode, x);
                        self.put_wide(s, dst, to.bits(), t);
                    }
                }
                self.next(s)
            }
            Inst::FloatConv {
                op,
                saturating,
                format,
                w,
                dst,
                a,
            } => {
                let to_int = matches!(op, ir::ConvOp::FloatToSigned | ir::ConvOp::FloatToUnsigned);
                let (from, to) = if to_int {
                    (format.bits(), u32::from(w))
                } else {
                    (u32::from(w), format.bits())
                };
                match self.limbs(s, a, from) {
                    Some(x) => {
                        let x = u128::from(x[0]) | u128::from(*x.get(1).unwrap_or(&0)) << 64;
                        let r = concrete_float::conv(op, saturating, format, mode, w, x);
                        let limbs = [r as u64, (r >> 64) as u64];
                        self.put_limbs(s, dst, &limbs[..wide::limbs(to)]);
                    }
                    None => {
                        if let Some(entered) = self.simulate(s, inst) {
                            return entered;
                        }
                        let x = self.wide_term(s, a, from);
                        let t = terms::float_conv(
                            &mut self.reason.pool,
                            op,
                            saturating,
                            format,
                            mode,
                            u32::from(w),
                            x,
                        );
                        self.put_wide(s, dst, to, t);
                    }
                }
                self.next(s)
            }
            Inst::Load {
                bytes,
                dst,
                address,
            } => {
                let at = self.get(s, address);
                let v = self.load(s, at, u32::from(bytes))?;
                self.done(s, dst, v)
            }
            Inst::LoadRaw {
                bytes,
                dst,
                address,
            } => {
                let at = self.get(s, address);
                let v = self.load_raw(s, at, u32::from(bytes))?;
                self.done(s, dst, v)
            }
            Inst::LoadIndex {
                bytes,
                dst,
                base,
                index,
                scale,
            } => {
                let at = self.indexed(s, base, index, scale);
                let v = self.load(s, at, u32::from(bytes))?;
                self.done(s, dst, v)
            }
            Inst::LoadOffset {
                bytes,
                dst,
                base,
                offset,
            } => {
                let at = self.offset(s, base, offset);
                let v = self.load(s, at, u32::from(bytes))?;
                self.done(s, dst, v)
            }
            Inst::Store {
                bytes,
                address,
                value,
            } => {
                let at = self.get(s, address);
                self.store_operand(s, at, bytes, value)
            }
            Inst::StoreOffset {
                bytes,
                base,
                offset,
                value,
            } => {
                let at = self.offset(s, base, offset);
                self.store_operand(s, at, bytes, value)
            }
            Inst::StoreIndex {
                bytes,
                base,
                index,
                scale,
                value,
            } => {
                let at = self.indexed(s, base, index, scale);
                self.store_operand(s, at, bytes, value)
            }
            Inst::Alloca {
                align,
                dst,
                size,
                name,
            } => {
                let size = self.get(s, size);
                let wanted = self.used(s, size)?;
                let limit = s.stack_size;
                let (size, term) = match wanted {
                    Value { bits, term } if term.is_none() => (bits, None),
                    _ => match self.allocation_size(s, wanted, limit) {
                        Size::Known(size) => (size, None),
                        Size::Symbolic(term, room) => (room, Some(term)),
                        Size::TooLarge { .. } => return Err(self.stack_overflow(s, wanted)),
                    },
                };
                if !self.stack_has_room(s, size, term) {
                    return Err(self.stack_overflow(s, wanted));
                }
                let Ok(at) = s
                    .memory
                    .stack_alloc(&mut self.tlb, size, u64::from(align), name)
                else {
                    return Err(self.stack_overflow(s, wanted));
                };
                if let Some(term) = term {
                    s.memory.set_bound(&mut self.tlb, at, term);
                }
                self.done(s, dst, Value::concrete(at))
            }
            Inst::StackSave { dst } => {
                let mark = s.memory.stack_mark();
                self.done(s, dst, Value::concrete(mark.address()))
            }
            Inst::ScopeStart { address, size } => {
                let at = self.get(s, address).bits;
                s.memory.reveal(&mut self.tlb, at, u64::from(size));
                self.next(s)
            }
            Inst::ScopeEnd { address, size } => {
                let at = self.get(s, address).bits;
                s.memory.hide(&mut self.tlb, at, u64::from(size));
                self.next(s)
            }
            Inst::StackRestore { mark } => {
                let at = self.get(s, mark).bits;
                let Some(mark) = s.memory.stack_mark_at(at) else {
                    return Err(Termination::Internal(
                        "restores a stack that was not saved".into(),
                    ));
                };
                s.memory.stack_release(&mut self.tlb, mark);
                self.next(s)
            }
            Inst::MemCopy { dst, src, len } | Inst::MemMove { dst, src, len } => {
                let what = match inst {
                    Inst::MemCopy { .. } => Bulk::MEMCPY,
                    _ => Bulk::MEMMOVE,
                };
                let (d, from, n) = (self.get(s, dst), self.get(s, src), self.get(s, len));
                self.copy_bytes(s, what, d, from, n)?;
                self.next(s)
            }
            Inst::MemSet { dst, byte, len } => {
                let (d, b, n) = (self.get(s, dst), self.get(s, byte), self.get(s, len));
                self.fill_bytes(s, d, b, n)?;
                self.next(s)
            }
            Inst::Jump { target } | Inst::Invoked { target, .. } => self.goto(s, target),
            Inst::Branch { c, then, other } => {
                let c = self.get(s, c);
                self.branch(s, c, then, other)
            }
            Inst::CmpBranch {
                op,
                w,
                a,
                b,
                then,
                other,
            } => {
                let c = self.compare(s, op, w, a, b);
                self.branch(s, c, then, other)
            }
            Inst::Switch { w, value, table } => self.switch(s, w, value, table),
            Inst::Call {
                callee,
                dst,
                args,
                count,
            } => {
                let module = self.module.clone();
                let args = &module.operands[args as usize..args as usize + usize::from(count)];
                let args: SmallVec<[Value; 8]> = args.iter().map(|&v| self.get(s, v)).collect();
                let (next, mark) = (s.hot.pc + 1, s.memory.stack_mark());
                self.enter(s, callee, &args, dst, Frame::MATCHED, next, 0, mark)
            }
            Inst::CallSite { site } => self.call_site(s, site),
            Inst::Ret { values, count } => self.ret(s, values, count),
            Inst::Unreachable => Err(self.error(
                s,
                ErrorKind::Unreachable,
                "code declared unreachable was reached".into(),
            )),
            Inst::Trap => Err(self.error(
                s,
                ErrorKind::Abort,
                "a trap was reached (__builtin_trap)".into(),
            )),
            Inst::Unsupported { what } => {
                let what = self.module.strings[what as usize].clone();
                Err(self.unsupported(s, &what))
            }
            Inst::Cover { site } => {
                self.cover(s, site);
                s.hot.site = site;
                s.hot.hash = ir::trace::step(s.hot.hash, site);
                self.next(s)
            }
            Inst::Check { kind, w, a, b } => {
                let (x, y) = (self.get(s, a), self.get(s, b));
                for part in check::parts(kind) {
                    let (error, text) = part.error();
                    if x.term.is_none() && y.term.is_none() {
                        if part.violated(w, x.bits, y.bits) {
                            return Err(self.error(s, error, text.into()));
                        }
                    } else {
                        let (x, y) = (self.term(x, w), self.term(y, w));
                        let bad = part.violation(&mut self.reason.pool, u32::from(w), x, y);
                        self.forbid(s, bad, error, || text.into())?;
                    }
                }
                self.next(s)
            }
            Inst::WideCheck { kind, w, a, b } => {
                let w = u32::from(w);
                let concrete = self.limbs(s, a, w).zip(self.limbs(s, b, w));
                for part in check::parts(kind) {
                    let (error, text) = part.error();
                    match &concrete {
                        Some((x, y)) if part.violated_wide(w, x, y) => {
                            return Err(self.error(s, error, text.into()));
                        }
                        Some(_) => {}
                        None => {
                            let (x, y) = (self.wide_term(s, a, w), self.wide_term(s, b, w));
                            let bad = part.violation(&mut self.reason.pool, w, x, y);
                            self.forbid(s, bad, error, || text.into())?;
                        }
                    }
                }
                self.next(s)
            }
            Inst::CheckFloat {
                raise,
                op,
                format,
                a,
                b,
                c,
            } => self.float_operation(s, raise, Raiser::Arithmetic(op, format), [a, b, c]),
            Inst::CheckFloatCast { raise, from, to, a } => {
                self.float_operation(s, raise, Raiser::Cast(from, to), [a, a, a])
            }
            Inst::CheckFloatConv {
                raise,
                op,
                format,
                w,
                a,
            } => {
                let raiser = Raiser::conversion(op, format, w.into());
                self.float_operation(s, raise, raiser, [a, a, a])
            }
        }
    }

    /// Stands before a float operation, see [`Inst::CheckFloat`].
    fn float_operation(
        &mut self,
        s: &mut State,
        raise: bool,
        op: Raiser,
        operands: [Val; 3],
    ) -> Result<(), Termination> {
        if raise {
            self.raise_flags(s, op, operands);
        } else {
            self.check_float(s, op, operands);
        }
        self.next(s)
    }

    // --- operands and results ---

    /// Reads an operand.
    #[inline]
    pub fn get(&self, s: &State, v: Val) -> Value {
        s.get(&self.module.consts, v)
    }

    /// The term of a value of `w` bits.
    pub fn term(&mut self, v: Value, w: impl Into<u32>) -> Term {
        if v.term.is_none() {
            self.reason.pool.bv(w.into(), v.bits)
        } else {
            v.term
        }
    }

    /// A term as a value: constants become concrete.
    #[inline]
    pub fn value(&self, t: Term) -> Value {
        match self.reason.pool.as_const(t) {
            Some(bits) => Value::concrete(bits),
            None => Value { bits: 0, term: t },
        }
    }

    fn map(
        &mut self,
        x: Value,
        on_bits: impl FnOnce((), u64) -> u64,
        on_term: impl FnOnce(&mut term::Pool, Term) -> Term,
        unit: (),
    ) -> Value {
        if x.term.is_none() {
            Value::concrete(on_bits(unit, x.bits))
        } else {
            let t = on_term(&mut self.reason.pool, x.term);
            self.value(t)
        }
    }

    /// A division of symbolic operands must not trap. Mostly its check stands before it, and the path knows.
    fn forbid_traps(
        &mut self,
        s: &mut State,
        traps: &[check::Forbidden],
        w: u32,
        x: Term,
        y: Term,
    ) -> Result<(), Termination> {
        // The simulation of floats divides by no zero: a query each time would be for nothing.
        if traps.is_empty() || self.is_simulating(s) {
            return Ok(());
        }
        for part in traps {
            let bad = part.violation(&mut self.reason.pool, w, x, y);
            let good = self.reason.pool.not(bad);
            if !s.path.contains(&self.reason.pool, good) {
                let (error, text) = part.error();
                self.forbid(s, bad, error, || text.into())?;
            }
        }
        Ok(())
    }

    /// A division of up to 128 bits is a function of the compiler's run time, which traps where the divisor is zero
    /// (and nowhere else). Wider ones are code without a trap.
    fn forbid_wide_trap(
        &mut self,
        s: &mut State,
        op: BinOp,
        w: u32,
        divisor: Val,
    ) -> Result<(), Termination> {
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        if !divides || w > 128 {
            return Ok(());
        }
        let y = self.wide_term(s, divisor, w);
        self.forbid_traps(s, &[check::Forbidden::DivZero], w, y, y)
    }

    fn compare(&mut self, s: &State, op: CmpOp, w: u8, a: Val, b: Val) -> Value {
        let (x, y) = (self.get(s, a), self.get(s, b));
        if x.term.is_none() && y.term.is_none() {
            return Value::concrete(u64::from(concrete::cmp(op, w, x.bits, y.bits)));
        }
        let (x, y) = (self.term(x, w), self.term(y, w));
        let t = terms::cmp(&mut self.reason.pool, op, x, y);
        self.value(t)
    }

    fn indexed(&mut self, s: &State, base: Val, index: Val, scale: u32) -> Value {
        let (x, y) = (self.get(s, base), self.get(s, index));
        if x.term.is_none() && y.term.is_none() {
            let at = x.bits.wrapping_add(y.bits.wrapping_mul(u64::from(scale)));
            return Value::concrete(at);
        }
        let (x, y) = (self.term(x, 64u32), self.term(y, 64u32));
        let scale = self.reason.pool.bv(64, u64::from(scale));
        let offset = self.reason.pool.mul(y, scale);
        let t = self.reason.pool.add(x, offset);
        self.value(t)
    }

    /// `base + offset` as a value.
    fn offset(&mut self, s: &State, base: Val, offset: i32) -> Value {
        let v = self.get(s, base);
        if v.term.is_none() {
            return Value::concrete(v.bits.wrapping_add_signed(i64::from(offset)));
        }
        let by = self.reason.pool.bv(64, i64::from(offset) as u64);
        let t = self.reason.pool.add(v.term, by);
        self.value(t)
    }

    fn store_operand(
        &mut self,
        s: &mut State,
        at: Value,
        bytes: u8,
        value: Val,
    ) -> Result<(), Termination> {
        let mut v = self.get(s, value);
        if v.term.is_some() {
            // An odd width (i1, i24) is stored as whole bytes; unused bits above it are zero.
            let w = u32::from(bytes) * 8;
            v.term = if self.reason.pool.width(v.term) > w {
                self.reason.pool.extract(w - 1, 0, v.term)
            } else {
                self.reason.pool.zext(w, v.term)
            };
        }
        self.store(s, at, u32::from(bytes), v)?;
        self.next(s)
    }

    fn next(&mut self, s: &mut State) -> Result<(), Termination> {
        s.goes_to(s.hot.pc + 1);
        Ok(())
    }

    /// The instruction is done; the path goes on at `target`.
    #[inline]
    pub fn goto(&mut self, s: &mut State, target: Pc) -> Result<(), Termination> {
        s.goes_to(target);
        Ok(())
    }

    fn done(&mut self, s: &mut State, dst: Reg, v: Value) -> Result<(), Termination> {
        s.set(dst, v);
        self.next(s)
    }

    /// The limbs of a value of `w` bits if all are concrete.
    fn limbs(&self, s: &State, v: Val, w: u32) -> Option<wide::Limbs> {
        (0..wide::limbs(w) as u32)
            .map(|i| {
                let limb = self.get(s, v.limb(i));
                limb.term.is_none().then_some(limb.bits)
            })
            .collect()
    }

    fn put_limbs(&mut self, s: &mut State, dst: Reg, limbs: &[u64]) {
        for (i, &l) in limbs.iter().enumerate() {
            s.set(Reg(dst.0 + i as u32), Value::concrete(l));
        }
    }

    /// The term of a value of any width.
    pub(crate) fn wide_term(&mut self, s: &State, v: Val, w: u32) -> Term {
        let low = self.get(s, v);
        let mut t = self.term(low, w.min(64));
        for i in 1..wide::limbs(w) as u32 {
            let limb = self.get(s, v.limb(i));
            let limb = self.term(limb, (w - 64 * i).min(64));
            t = self.reason.pool.concat(limb, t);
        }
        t
    }

    pub(crate) fn put_wide(&mut self, s: &mut State, dst: Reg, w: u32, t: Term) {
        for i in 0..wide::limbs(w) as u32 {
            let high = (64 * i + 63).min(w - 1);
            let limb = self.reason.pool.extract(high, 64 * i, t);
            let v = self.value(limb);
            s.set(Reg(dst.0 + i), v);
        }
    }

    /// The bits of a value of up to 128 bits if all are concrete.
    pub(crate) fn concrete_bits(&self, s: &State, v: Val, w: u32) -> Option<u128> {
        let x = self.limbs(s, v, w)?;
        Some(u128::from(x[0]) | u128::from(*x.get(1).unwrap_or(&0)) << 64)
    }

    fn float_bits(&self, s: &State, v: Val, format: FloatFormat) -> Option<concrete_float::Bits> {
        self.concrete_bits(s, v, format.bits())
    }

    fn put_float(
        &mut self,
        s: &mut State,
        dst: Reg,
        format: FloatFormat,
        bits: concrete_float::Bits,
    ) {
        let limbs: SmallVec<[u64; 2]> = SmallVec::from_slice(&[bits as u64, (bits >> 64) as u64]);
        self.put_limbs(s, dst, &limbs[..wide::limbs(format.bits())]);
    }

    // --- control ---

    fn branch(&mut self, s: &mut State, c: Value, then: Pc, other: Pc) -> Result<(), Termination> {
        let c = self.used(s, c)?;
        if c.term.is_none() {
            return self.goto(s, if c.bits != 0 { then } else { other });
        }
        let (side, child) = self.split(s, c.term, Origin::Branch, ChoiceKind::Branch);
        let (here, there) = if side { (then, other) } else { (other, then) };
        self.other_side_leads_to(s, there);
        if let Some(child) = child {
            self.fork_to(child, there);
        }
        self.goto(s, here)
    }

    /// A symbolic switch: one fork per distinct feasible target. Cases that share a target are one condition.
    fn switch(&mut self, s: &mut State, w: u8, value: Val, table: u32) -> Result<(), Termination> {
        let v = self.get(s, value);
        let v = self.used(s, v)?;
        if v.term.is_none() {
            let target = self.module.switches[table as usize].target(v.bits);
            return self.goto(s, target);
        }
        let module = self.module.clone();
        let at = self.eval(s, v.term);
        let target = module.switches[table as usize].target(at);
        let t = &module.switches[table as usize];
        let goes_here = self.switch_condition(w, v.term, t, target);
        let (_, child) = self.split(s, goes_here, Origin::Branch, ChoiceKind::Switch);
        if let Some(child) = child {
            // Its witness leads elsewhere.
            self.fork_again(child);
        }
        self.goto(s, target)
    }

    /// When a switch on `v` goes to `target`.
    fn switch_condition(&mut self, w: u8, v: Term, t: &ir::Switch, target: Pc) -> Term {
        let to_default = target == t.default;
        let mut any = self.reason.pool.fls();
        for &(n, goes) in &t.cases {
            if (goes == target) != to_default {
                let c = self.reason.pool.bv(u32::from(w), n);
                let same = self.reason.pool.eq(v, c);
                any = self.reason.pool.or(any, same);
            }
        }
        if to_default {
            self.reason.pool.not(any)
        } else {
            any
        }
    }

    /// The stack has no room for so many bytes more.
    pub fn stack_overflow(&mut self, s: &State, more: Value) -> Termination {
        let more = self.eval_value(s, more);
        let (depth, taken, limit) = (s.frames().len(), self.stack_taken(s), s.stack_size);
        let text = format!(
            "the stack overflows, {depth} calls deep: it has {taken} bytes, {more} more are needed, and its limit is {limit}"
        );
        self.error(s, ErrorKind::StackOverflow, text)
    }

    /// Enters a function: a frame whose parameters are `args`, the rest of its registers fresh.
    #[allow(clippy::too_many_arguments)] // they are the fields of a frame
    pub fn enter(
        &mut self,
        s: &mut State,
        callee: ir::FuncId,
        args: &[Value],
        dst: Reg,
        mismatched: u32,
        return_pc: Pc,
        varargs: u64,
        mark: memory::Mark,
    ) -> Result<(), Termination> {
        let module = self.module.clone();
        let f = &module.functions[callee as usize];
        if !self.frame_has_room(s, f.frame) {
            return Err(self.stack_overflow(s, Value::concrete(f.frame)));
        }
        let base = s.frames().last().map_or(0, |f| f.top as usize);
        let top = base + f.registers as usize;
        s.reserve_registers(top);
        let taken = s.frames_taken() + f.frame;
        s.frames_mut().push(Frame {
            function: callee,
            base: base as u32,
            top: top as u32,
            return_pc,
            dst,
            mismatched,
            mark,
            taken,
            symbolic: false,
            varargs,
            tag: 0,
        });
        // A call through a mismatched type: missing arguments are zero, surplus ones dropped, and all
        // have the widths of the parameters.
        for (i, &w) in f.params.iter().enumerate() {
            let v = args.get(i).copied().unwrap_or(Value::concrete(0));
            let v = self.fit(v, w);
            s.set(Reg(i as u32), v);
        }
        self.goto(s, f.entry)
    }
}
