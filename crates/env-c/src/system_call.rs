//! System calls: the one hook through which libc reaches the modelled Linux.

use super::output::echo;
use super::process::{process, process_mut, world};
use super::{Table, death, leaks, refusal, signal};
use exec::ChoiceKind;
use exec::Machine;
use exec::State;
use exec::Termination;
use exec::sizes::ADDRESSES;
use exec::{Call, Done};
use explore::Ending;
use ir::{Pc, Reg};
use linux::{Arg, Bytes, CallAnswer, Cx, Efault, MapRefusal, MapRequest, Met, Remark, Word, World};
use memory::{Fault, FaultKind, Object, ObjectKind, Protection, Value, Value8};
use term::{Pool, Term};
use vocab::{Bound, Check};

pub const TABLE: Table = &[
    ("__polypath_syscall6", system_call),
    ("__set_thread_area", set_thread_area),
    ("__polypath_thread_pointer", thread_pointer),
    ("__clone", clone),
    ("__unmapself", unmap_self),
    ("__restore_rt", restore),
    ("__restore", restore),
];

/// Transfers of more bytes ask for their memory first.
const LARGE: u64 = 1 << 20;
const ENOSYS: i64 = -38;
const ENOMEM: i32 = 12;
const EFAULT: i32 = 14;
const EEXIST: i32 = 17;
/// Of the modelled system.
const PAGE: u64 = 4096;

/// What system calls see of machine and path: the one door to the program's memory.
struct Kernel<'a> {
    m: &'a mut Machine,
    s: &'a mut State,
    /// An access that no C program may ask for. The call goes on as if it were EFAULT; then the path ends with it.
    error: Option<Termination>,
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
        let next = s.hot.pc + 1;
        finish(m, s, answer, next, Some((c.dst, c.results)))?;
        return Ok(Done::Moved);
    }
    // The world changes only after all decisions are made, so forks made inside take the old one
    // from the state.
    let mut new: World = world(s).clone();
    let (written, refusals) = (new.output_len(), new.refusals());
    let mut cx = Kernel { m, s, error: None };
    let answer = new.syscall(number, &args, &mut cx);
    if let Some(error) = cx.error {
        return Err(error);
    }
    if process(s).echo && new.output_len() != written {
        echo(m, s, &new, written);
    }
    for remark in new.take_remarks() {
        remark_bound(m, s, remark);
    }
    process_mut(s).world = new;
    super::process::size_stack(s);
    if world(s).refusals() > refusals {
        let what = world(s).last_refused().to_string();
        refusal::refuse(m, s, &what);
    }
    let next = s.hot.pc + 1;
    finish(m, s, answer, next, Some((c.dst, c.results)))?;
    Ok(Done::Moved)
}

/// Functions of libc that fill the buffer of a stream: they ask for more than the program did, and the program only learns
/// that there was nothing.
const FILLS_BUFFER: &[&str] = &["__stdio_read", "__uflow"];
/// Functions of libc that look for the time zone. Without a file it is UTC, which belongs to the clock of the world.
const FINDS_ZONE: &[&str] = &["__map_file", "do_tzset", "__secs_to_zone", "__tzset"];

/// Counts a limit of the world that a call met.
fn remark_bound(m: &mut Machine, s: &State, remark: Remark) {
    let is_in = |of: &[&str]| {
        let mut functions = s
            .frames()
            .iter()
            .map(|f| &m.module.functions[f.function as usize]);
        functions.any(|f| !f.own && of.contains(&f.name.as_str()))
    };
    let (bound, what) = match remark {
        Remark::Missing(_) if is_in(FINDS_ZONE) => return,
        Remark::Input(_, _, Met::Short) if is_in(FILLS_BUFFER) => return,
        Remark::Missing(name) => (Bound::Missing, name),
        Remark::Input(name, size, Met::Size) => (
            Bound::InputEnd,
            format!("asked for the size of {name} ({size} bytes)"),
        ),
        Remark::Input(name, size, Met::End | Met::Short) => (
            Bound::InputEnd,
            format!("read to the end of {size} bytes of {name}"),
        ),
    };
    m.meets(bound, what);
}

/// `--fail-syscalls`: the call also fails, in forks, while the path has failures left.
fn fail_by_choice(
    m: &mut Machine,
    s: &mut State,
    number: u64,
    args: &[Arg; 6],
) -> Option<CallAnswer> {
    if let Some(errno) = m.chosen_failure(s) {
        let process = process_mut(s);
        process.failures_left -= 1;
        return Some(process.world.fail(number, args, errno));
    }
    if process(s).failures_left > 0 && s.retries == 0 {
        m.fork_failures(s, World::can_fail(number, args));
    }
    None
}

/// Acts on the world's answer; the path goes on at `next`.
pub fn finish(
    m: &mut Machine,
    s: &mut State,
    answer: CallAnswer,
    next: Pc,
    result: Option<(Reg, &[u16])>,
) -> Result<(), Termination> {
    let give = |m: &mut Machine, s: &mut State, word: Word| {
        let v = match word {
            Word::Concrete(bits) => Value::concrete(bits),
            Word::Symbolic(t) => m.value(t),
        };
        if let Some((dst, widths)) = result {
            m.set_result(s, dst, widths, v);
        }
    };
    match answer {
        CallAnswer::Return(word) => {
            give(m, s, word);
            m.goto(s, next)
        }
        CallAnswer::Exit(status) => {
            if m.options.checks.has(Check::Leak) {
                leaks::check(m, s)?;
            }
            Err(Termination::Exit(Value {
                bits: status.bits,
                term: status.term,
            }))
        }
        CallAnswer::Kill { signal, .. } => Err(death::killed(m, s, signal)),
        CallAnswer::Deliver(delivery) => {
            give(m, s, delivery.result);
            signal::deliver(m, s, delivery, next)
        }
        CallAnswer::Unsupported(what) => Err(m.unsupported(s, &what)),
        CallAnswer::OutputLimit => Err(Termination::Cut(Ending::Output)),
        CallAnswer::Block(what) => {
            m.warn_once(format!("a path waits for ever: {what}"));
            Err(Termination::Cut(Ending::Blocked))
        }
    }
}

/// musl's early start: the thread pointer.
fn set_thread_area(_: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    process_mut(s).thread_pointer = c.arg(0).bits;
    Ok(Done::Value(Value::concrete(0)))
}

fn thread_pointer(_: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(Value::concrete(process(s).thread_pointer)))
}

/// Threads and processes are not modelled.
fn clone(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    refusal::refuse(m, s, "clone");
    Ok(Done::Value(Value::concrete(ENOSYS as u64)))
}

fn unmap_self(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.unsupported(s, "__unmapself (threads)"))
}

/// The kernel never jumps there: handlers return to a spot of the engine's own.
fn restore(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.unsupported(s, "a direct call of the signal trampoline"))
}

/// Would a kernel answer EFAULT for certain, which a program may rely on? For null and wild pointers, and pages that
/// are not mapped or must not be written. An access that begins in a mapping and leaves it is an error all the same.
fn is_refused(fault: &Fault) -> bool {
    let mapping = |o: &Object| o.kind == ObjectKind::Mapping;
    match fault.kind {
        FaultKind::Null | FaultKind::Unmapped | FaultKind::NoAccess => true,
        FaultKind::ReadOnly => fault.object.as_ref().is_some_and(mapping),
        FaultKind::OutOfBounds => fault
            .object
            .is_some_and(|o| mapping(&o) && !o.contains(fault.address)),
        FaultKind::UseAfterFree
        | FaultKind::UseAfterReturn
        | FaultKind::UseAfterScope
        | FaultKind::Uninitialized => false,
    }
}

/// What `PROT_...` allows on x86-64: what can be written or executed can be read.
fn protection(prot: u32) -> Protection {
    const PROT_WRITE: u32 = 2;
    match prot {
        0 => Protection::None,
        _ if prot & PROT_WRITE != 0 => Protection::Write,
        _ => Protection::Read,
    }
}

/// Why there is no room for a mapping: no system has it, or our memory does not.
fn no_room(len: u64) -> MapRefusal {
    if len > ADDRESSES {
        MapRefusal::Errno(ENOMEM)
    } else {
        MapRefusal::Unmodelled("a mapping of more memory than there is here")
    }
}

fn to_bytes(values: &[Value8], pool: &mut Pool) -> Bytes {
    let mut out = Bytes::new();
    for v in values {
        if v.term.is_none() {
            out.push(linux::Byte::Concrete(v.bits))
        } else {
            out.push(linux::Byte::Symbolic(v.to_term(pool)))
        }
    }
    out
}

impl Kernel<'_> {
    /// The kernel refuses addresses that are not mapped. All else is an error of the program, which a kernel would
    /// not see: it writes over the neighbors of a buffer that is too short.
    fn refuse(&mut self, fault: Fault) -> Efault {
        if !is_refused(&fault) && self.error.is_none() {
            self.error = Some(self.m.fault(self.s, &fault));
        }
        Efault
    }

    /// Asks whether bytes exist whose object has a symbolic size.
    fn admit(&mut self, addr: u64, len: u64, write: bool) -> Result<(), Efault> {
        let admitted = self.m.admit(self.s, addr, len, write);
        admitted.map_err(|error| {
            self.error.get_or_insert(error);
            Efault
        })
    }

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
        &mut self.m.reason.pool
    }

    fn read(&mut self, addr: u64, len: u64) -> Result<Bytes, Efault> {
        let memory = &self.s.memory;
        if len > LARGE && memory.check_access(addr, len, false).is_ok() {
            room::need(len);
        }
        if let Some(bits) = memory.read_concrete(addr, len) {
            return Ok(Bytes::concrete(bits));
        }
        let mut out = Vec::new();
        self.admit(addr, len, false)?;
        self.s
            .memory
            .read_bytes(&mut self.m.reason.pool, addr, len, &mut out)
            .map_err(|fault| self.refuse(fault))?;
        for (i, byte) in out.iter_mut().enumerate().filter(|(_, b)| b.term.is_some()) {
            let term = byte.to_term(&mut self.m.reason.pool);
            let read = Value { bits: 0, term };
            let used = self.m.used_read(self.s, addr + i as u64, 1, read);
            let used = used.map_err(|error| {
                self.error.get_or_insert(error);
                Efault
            })?;
            if used != read {
                let term = self.m.term(used, 8u32);
                *byte = Value8::symbolic(term);
            }
        }
        Ok(to_bytes(&out, &mut self.m.reason.pool))
    }

    fn read_string(&mut self, addr: u64, limit: u64) -> Result<Bytes, Efault> {
        let mut out = Bytes::new();
        self.admit(addr, 1, false)?;
        // As far as bytes exist for certain: the world asks for more if it must.
        let limit = match self.s.memory.object_at(addr) {
            Some(o) if o.contains(addr) && o.live => {
                let known = Machine::certain_end(self.s, &o).saturating_sub(addr);
                limit.min(known)
            }
            _ => limit,
        };
        for i in 0..limit {
            let v = self.s.memory.load(
                &mut self.m.reason.pool,
                &mut self.m.tlb,
                addr.wrapping_add(i),
                1,
            );
            let v = match v {
                Ok(v) => v,
                // What there is may end before: the world asks for more bytes if it does not.
                Err(_) if i > 0 => return Ok(out),
                Err(fault) => return Err(self.refuse(fault)),
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
        self.admit(addr, bytes.len() as u64, true)?;
        if bytes.is_concrete() {
            let (memory, tlb) = (&mut self.s.memory, &mut self.m.tlb);
            return memory
                .write_concrete(tlb, addr, &bytes.bits)
                .map_err(|fault| self.refuse(fault));
        }
        let values = Self::value8(bytes);
        self.s
            .memory
            .write_bytes(&mut self.m.tlb, addr, &values)
            .map_err(|fault| self.refuse(fault))
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

    fn decide_bound(&mut self, cond: Term) -> bool {
        self.m.decide_bound(self.s, cond)
    }

    fn map_memory(&mut self, request: &MapRequest) -> Result<u64, MapRefusal> {
        const NO_ROOM: MapRefusal = MapRefusal::Errno(ENOMEM);
        let (memory, tlb) = (&mut self.s.memory, &mut self.m.tlb);
        let at = if !request.fixed {
            let at = memory.map_anonymous(request.len);
            at.ok_or_else(|| no_room(request.len))?
        } else if !memory.is_mapped(request.hint, request.len) {
            return Err(MapRefusal::Unmodelled(
                "mmap at an address of the program's choice",
            ));
        } else if request.no_replace {
            return Err(MapRefusal::Errno(EEXIST));
        } else {
            memory.map_again(tlb, request.hint, request.len);
            request.hint
        };
        if let Some(content) = &request.content {
            self.write(at, content).map_err(|Efault| NO_ROOM)?;
            // Behind the last page of the file there is nothing.
            let (end, len) = (content.len() as u64, request.len.next_multiple_of(PAGE));
            let there = end.next_multiple_of(PAGE);
            if there < len {
                let (memory, tlb) = (&mut self.s.memory, &mut self.m.tlb);
                memory.protect(tlb, at + there, len - there, Protection::Beyond);
            }
        }
        let (memory, tlb) = (&mut self.s.memory, &mut self.m.tlb);
        memory.protect(tlb, at, request.len, protection(request.prot));
        Ok(at)
    }

    fn unmap_memory(&mut self, addr: u64, len: u64) -> Result<(), i32> {
        self.s.memory.unmap(&mut self.m.tlb, addr, len);
        Ok(())
    }

    fn protect_memory(&mut self, addr: u64, len: u64, prot: u32) -> Result<(), MapRefusal> {
        let to = protection(prot);
        if !to.is_readable() && !self.s.memory.is_concrete(addr, len) {
            return Err(MapRefusal::Unmodelled(
                "mprotect(PROT_NONE) of bytes that depend on input",
            ));
        }
        let (memory, tlb) = (&mut self.s.memory, &mut self.m.tlb);
        if memory.protect(tlb, addr, len, to) {
            Ok(())
        } else {
            Err(MapRefusal::Errno(ENOMEM))
        }
    }

    fn has_pages(&mut self, addr: u64, len: u64, readable: bool) -> bool {
        let memory = &self.s.memory;
        let is_there = |page: u64| {
            if memory.is_mapped(page, PAGE) {
                return !readable || memory.check_access(page, PAGE, false).is_ok();
            }
            // Objects that are no mappings lie in pages of their own.
            [page, page + PAGE - 1].into_iter().any(|at| {
                let near = memory.object_at(at);
                near.is_some_and(|o| {
                    o.kind != ObjectKind::Mapping
                        && o.start < page + PAGE
                        && o.start + o.size > page
                })
            })
        };
        (addr..addr + len).step_by(PAGE as usize).all(is_there)
    }

    fn remap_memory(
        &mut self,
        addr: u64,
        old_len: u64,
        new_len: u64,
        may_move: bool,
    ) -> Result<u64, MapRefusal> {
        let (old_len, new_len) = (
            old_len.next_multiple_of(PAGE),
            new_len.next_multiple_of(PAGE),
        );
        let memory = &mut self.s.memory;
        if old_len == 0 || !memory.is_mapped(addr, old_len) {
            return Err(MapRefusal::Errno(EFAULT));
        }
        if new_len <= old_len {
            memory.unmap(&mut self.m.tlb, addr + new_len, old_len - new_len);
            return Ok(addr);
        }
        if !may_move {
            // A kernel grows it where there is room; here there is none behind any mapping.
            return Err(MapRefusal::Unmodelled(
                "mremap that may not move the mapping",
            ));
        }
        if memory.check_access(addr, old_len, true).is_err() {
            return Err(MapRefusal::Unmodelled("mremap of a protected mapping"));
        }
        let to = memory
            .map_anonymous(new_len)
            .ok_or_else(|| no_room(new_len))?;
        memory
            .copy(&mut self.m.reason.pool, &mut self.m.tlb, to, addr, old_len)
            .map_err(|_| MapRefusal::Errno(EFAULT))?;
        memory.unmap(&mut self.m.tlb, addr, old_len);
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
        process_mut(self.s).thread_pointer = addr;
    }

    fn thread_pointer(&self) -> u64 {
        process(self.s).thread_pointer
    }

    fn instructions(&self) -> u64 {
        self.s.progress.instructions
    }
}
