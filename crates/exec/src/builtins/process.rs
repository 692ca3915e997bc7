//! System calls: the one hook through which libc reaches the modelled Linux.

use super::{Call, Done, Table, signal};
use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::slow::concrete_value;
use crate::state::State;
use crate::trail::{Choice, ChoiceKind};
use ir::{Pc, Reg};
use linux::{Answer, Arg, Bytes, Cx, Efault, MapRequest, Word, World};
use memory::{Value, Value8};
use term::{Pool, Term};

pub const TABLE: Table = &[
    ("__polypath_syscall6", system_call),
    ("__set_thread_area", set_thread_area),
    ("__clone", clone),
    ("__unmapself", unmap_self),
    ("__restore_rt", restore),
    ("__restore", restore),
    ("__polypath_unsupported", unsupported),
];

const SIGABRT: i32 = 6;
const ENOSYS: i64 = -38;

/// What system calls see of machine and path.
struct Kernel<'a> {
    m: &'a mut Machine,
    s: &'a mut State,
}

fn system_call(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let number = m.concretize(s, c.arg(0), 64);
    let mut args = [Arg::concrete(0); 6];
    for (i, a) in args.iter_mut().enumerate() {
        let v = c.arg(i + 1);
        *a = Arg {
            bits: v.bits,
            term: v.term,
        };
    }
    if let Some(answer) = fail_by_choice(m, s, number, &args) {
        let next = s.pc + 1;
        finish(m, s, answer, next, Some((c.dst, c.results)))?;
        return Ok(Done::Moved);
    }
    // The world changes only after all decisions are made, so forks made inside take the old one
    // from the state.
    let mut world: World = s.world.clone();
    let written = world.output_len();
    let answer = {
        let mut cx = Kernel { m, s };
        world.syscall(number, &args, &mut cx)
    };
    if m.options.echo && world.output_len() != written {
        m.echo(s, &world, written);
    }
    s.world = world;
    let next = s.pc + 1;
    finish(m, s, answer, next, Some((c.dst, c.results)))?;
    Ok(Done::Moved)
}

/// `--fail-syscalls`: the call also fails, in forks, while the path has failures left.
fn fail_by_choice(m: &mut Machine, s: &mut State, number: u64, args: &[Arg; 6]) -> Option<Answer> {
    if let Some(errno) = s.failing.take() {
        return Some(s.world.fail(number, args, errno));
    }
    if s.failures >= m.options.fail_syscalls || s.retries > 0 {
        return None;
    }
    for &errno in World::can_fail(number, args) {
        let mut child = Box::new(s.fork(&mut m.tlb));
        child.failures += 1;
        child.failing = Some(errno);
        child.retries += 1;
        child.trail.push(Choice {
            pc: s.pc,
            kind: ChoiceKind::FailingCall,
            choice: errno as u32,
        });
        child.progress.depth += 1;
        m.stats.forks += 1;
        m.spawned.push(child);
    }
    None
}

/// Acts on the world's answer; the path goes on at `next`.
pub(super) fn finish(
    m: &mut Machine,
    s: &mut State,
    answer: Answer,
    next: Pc,
    result: Option<(Reg, &[u16])>,
) -> Result<(), Termination> {
    let give = |m: &mut Machine, s: &mut State, word: Word| {
        let v = match word {
            Word::Concrete(bits) => concrete_value(bits),
            Word::Symbolic(t) => m.value(t),
        };
        if let Some((dst, widths)) = result {
            m.set_result(s, dst, widths, v);
        }
    };
    match answer {
        Answer::Return(word) => {
            give(m, s, word);
            m.goto(s, next)
        }
        Answer::Exit(status) => {
            let v = if status.term.is_none() {
                status.bits
            } else {
                m.eval(s, status.term)
            };
            m.check_leaks(s)?;
            Err(Termination::Exit(v as i32 & 0xff))
        }
        Answer::Kill { signal, .. } => {
            let text = if signal == SIGABRT {
                "abort was called".to_string()
            } else {
                format!("the program dies of signal {signal}")
            };
            Err(m.error(s, ErrorKind::Abort, text))
        }
        Answer::Deliver(delivery) => {
            give(m, s, delivery.result);
            signal::deliver(m, s, delivery, next)
        }
        Answer::Unsupported(what) => Err(m.unsupported(s, &what)),
        Answer::Block(what) => {
            m.warn_once(format!("a path waits for ever: {what}"));
            Err(Termination::Limit("blocked"))
        }
    }
}

/// musl's early start: the thread pointer.
fn set_thread_area(_: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    s.thread_pointer = c.arg(0).bits;
    Ok(Done::Value(concrete_value(0)))
}

/// Threads and processes are not modelled.
fn clone(m: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    *m.stats
        .unmodelled
        .entry("clone (threads)".into())
        .or_default() += 1;
    Ok(Done::Value(concrete_value(ENOSYS as u64)))
}

fn unmap_self(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.unsupported(s, "__unmapself (threads)"))
}

/// What our libc says it cannot do, by name (the floating-point environment).
fn unsupported(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let what = m.c_string(s, c.arg(0))?;
    Err(m.unsupported(s, &what))
}

/// The kernel never jumps there: handlers return to a spot of the engine's own.
fn restore(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.unsupported(s, "a direct call of the signal trampoline"))
}

fn to_bytes(values: &[Value8], pool: &mut Pool) -> Bytes {
    let mut out = Bytes::new();
    for v in values {
        match v.term.is_none() {
            true => out.push(linux::Byte::Concrete(v.bits)),
            false => out.push(linux::Byte::Symbolic(v.to_term(pool))),
        }
    }
    out
}

impl Kernel<'_> {
    fn value8(bytes: &Bytes) -> Vec<Value8> {
        bytes
            .iter()
            .map(|b| match b {
                linux::Byte::Concrete(b) => Value8::concrete(b),
                linux::Byte::Symbolic(t) => Value8::symbolic(t),
            })
            .collect()
    }
}

impl Cx for Kernel<'_> {
    fn pool(&mut self) -> &mut Pool {
        &mut self.m.pool
    }

    fn read(&mut self, addr: u64, len: u64) -> Result<Bytes, Efault> {
        let mut out = Vec::new();
        self.s
            .memory
            .read_bytes(&mut self.m.pool, addr, len, &mut out)
            .map_err(|_| Efault)?;
        Ok(to_bytes(&out, &mut self.m.pool))
    }

    fn read_string(&mut self, addr: u64, limit: u64) -> Result<Bytes, Efault> {
        let mut out = Bytes::new();
        for i in 0..limit {
            let v = self
                .s
                .memory
                .load(&mut self.m.pool, &mut self.m.tlb, addr.wrapping_add(i), 1);
            let Ok(v) = v else {
                return if i == 0 { Err(Efault) } else { Ok(out) };
            };
            if v.term.is_none() {
                out.push(linux::Byte::Concrete(v.bits as u8));
                if v.bits == 0 {
                    break;
                }
            } else {
                out.push(linux::Byte::Symbolic(v.term));
            }
        }
        Ok(out)
    }

    fn write(&mut self, addr: u64, bytes: &Bytes) -> Result<(), Efault> {
        let values = Self::value8(bytes);
        self.s
            .memory
            .write_bytes(&mut self.m.tlb, addr, &values)
            .map_err(|_| Efault)
    }

    fn concretize(&mut self, _what: &str, arg: Arg) -> u64 {
        self.m.concretize(
            self.s,
            Value {
                bits: arg.bits,
                term: arg.term,
            },
            64,
        )
    }

    fn decide(&mut self, cond: Term) -> bool {
        self.m.decide(self.s, cond, ChoiceKind::Inner)
    }

    fn map_memory(&mut self, request: &MapRequest) -> Result<u64, i32> {
        const ENOMEM: i32 = 12;
        const EINVAL: i32 = 22;
        if request.fixed {
            return Err(EINVAL);
        }
        let at = self.s.memory.map_anonymous(request.len).ok_or(ENOMEM)?;
        if !request.content.is_empty() {
            self.write(at, &request.content).map_err(|Efault| ENOMEM)?;
        }
        const PROT_WRITE: u32 = 2;
        if request.prot & PROT_WRITE == 0 {
            self.s
                .memory
                .protect(&mut self.m.tlb, at, request.len, true);
        }
        Ok(at)
    }

    fn unmap_memory(&mut self, addr: u64, len: u64) -> Result<(), i32> {
        self.s.memory.unmap(&mut self.m.tlb, addr, len);
        Ok(())
    }

    fn protect_memory(&mut self, addr: u64, len: u64, prot: u32) -> Result<(), i32> {
        const PROT_WRITE: u32 = 2;
        const ENOMEM: i32 = 12;
        if self
            .s
            .memory
            .protect(&mut self.m.tlb, addr, len, prot & PROT_WRITE == 0)
        {
            Ok(())
        } else {
            Err(ENOMEM)
        }
    }

    fn remap_memory(
        &mut self,
        addr: u64,
        old_len: u64,
        new_len: u64,
        _flags: u32,
        _new_addr: u64,
    ) -> Result<u64, i32> {
        const ENOMEM: i32 = 12;
        const EFAULT: i32 = 14;
        let to = self.s.memory.map_anonymous(new_len).ok_or(ENOMEM)?;
        let len = old_len.min(new_len);
        self.s
            .memory
            .copy(&mut self.m.pool, &mut self.m.tlb, to, addr, len)
            .map_err(|_| EFAULT)?;
        self.s.memory.unmap(&mut self.m.tlb, addr, old_len);
        Ok(to)
    }

    fn grow_break(&mut self, to: u64) -> u64 {
        if to == 0 {
            self.s.memory.brk()
        } else {
            self.s.memory.set_brk(&mut self.m.tlb, to)
        }
    }

    fn set_thread_pointer(&mut self, addr: u64) {
        self.s.thread_pointer = addr;
    }

    fn thread_pointer(&self) -> u64 {
        self.s.thread_pointer
    }

    fn instructions(&self) -> u64 {
        self.s.progress.instructions
    }
}
