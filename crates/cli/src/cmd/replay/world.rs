//! The modelled Linux behind a native binary: the world of the machine, without symbols.
//!
//! The run's plan describes its input (which arguments, files, streams); the test has the bytes. From both, the world
//! is built as the machine built it, so every system call gets the same answer. Two things differ: the clock counts
//! instructions in the machine and system calls here, and failing calls (`--fail-syscalls`) are not replayed.

use linux::{Arg, Bytes, Cx, Delivery, Efault, MapRefusal, MapRequest, Word};
use term::{Pool, Term};
use testcase::TestCase;
use testcase::replay::modelled::{Image, ModelAnswer, Process, World};

use run::plan::CProgram;

/// The choice kinds of a prefix that matter here (`exec::ChoiceKind`).
const FAILING_CALL: u8 = exec::ChoiceKind::FailingCall as u8;
const ARGUMENTS: u8 = exec::ChoiceKind::Arguments as u8;

/// Rebuilds the world in which `test` ran.
pub fn open(plan: &CProgram, test: &TestCase) -> Result<Box<dyn World>, String> {
    if test.prefix.iter().any(|(_, kind, _)| *kind == FAILING_CALL) {
        return Err("paths with failing system calls are not replayed".into());
    }
    let config = plan.world();
    let choice = test.prefix.iter().find(|(_, kind, _)| *kind == ARGUMENTS);
    let index = choice.map_or(0, |(_, _, choice)| *choice as usize);
    let starts = plan.input.starts(&config);
    let start = starts
        .get(index)
        .ok_or("the test does not fit the run's plan")?;
    let objects: Vec<Bytes> = test
        .objects
        .iter()
        .take(start.objects.len())
        .map(|(_, bytes)| Bytes::concrete(bytes.clone()))
        .collect();
    let fits = objects.len() == start.objects.len()
        && objects
            .iter()
            .zip(&start.objects)
            .all(|(o, spec)| o.len() == spec.bytes.len());
    if !fits {
        return Err("the test does not fit the run's plan".into());
    }
    let mut pool = Pool::new();
    let world = linux::World::new(&config, start, &objects, &mut pool);
    let stack = env_c::initial_stack(&config, start, &objects);
    let mut parts = Vec::new();
    for (address, bytes, what) in stack.parts {
        let bytes = bytes
            .as_concrete()
            .ok_or_else(|| format!("{what} is symbolic"))?;
        parts.push((address, bytes.to_vec()));
    }
    Ok(Box::new(Model {
        world,
        image: Image {
            stack_pointer: stack.stack_pointer,
            parts,
        },
        pool,
        delivered: Vec::new(),
        calls: 0,
        thread_pointer: 0,
        next_map: memory::MMAP_START,
    }))
}

struct Model {
    world: linux::World,
    image: Image,
    pool: Pool,
    /// Signal handlers that are entered, innermost last, and whether they have begun: of several that are ready at once the
    /// last one begins first.
    delivered: Vec<(Delivery, bool)>,
    calls: u64,
    thread_pointer: u64,
    /// The address of the next mapping.
    next_map: u64,
}

impl Model {
    fn answer(&mut self, answer: linux::CallAnswer) -> ModelAnswer {
        match answer {
            linux::CallAnswer::Return(_) if matches!(self.delivered.last(), Some((_, false))) => {
                let (delivery, begun) = self.delivered.last_mut().expect("it is there");
                *begun = true;
                ModelAnswer::Handle {
                    signal: delivery.signal,
                    handler: delivery.handler,
                    siginfo: delivery.siginfo(),
                    mask: delivery.saved_mask,
                }
            }
            linux::CallAnswer::Return(Word::Concrete(bits)) => ModelAnswer::Return(bits as i64),
            linux::CallAnswer::Return(Word::Symbolic(_)) => {
                ModelAnswer::Unsupported("a symbolic result".into())
            }
            linux::CallAnswer::Exit(status) => ModelAnswer::Exit((status.bits & 0xff) as i32),
            linux::CallAnswer::Kill { signal, .. } => ModelAnswer::Kill(signal),
            linux::CallAnswer::Deliver(delivery) => {
                self.delivered.push((delivery, false));
                let next = self.world.next_delivery();
                self.answer(next)
            }
            linux::CallAnswer::Unsupported(what) => ModelAnswer::Unsupported(what),
            linux::CallAnswer::OutputLimit => {
                ModelAnswer::Unsupported("the output is too large (--max-output)".into())
            }
            linux::CallAnswer::Block(what) => {
                ModelAnswer::Unsupported(format!("waits for ever: {what}"))
            }
        }
    }
}

impl World for Model {
    fn image(&self) -> Image {
        self.image.clone()
    }

    fn call(&mut self, number: u64, args: &[u64; 6], process: &mut dyn Process) -> ModelAnswer {
        self.calls += 1;
        let mut cx = Native {
            process,
            pool: &mut self.pool,
            instructions: self.calls * 1000,
            thread_pointer: self.thread_pointer,
            next_map: &mut self.next_map,
            undecided: false,
        };
        let answer = self
            .world
            .syscall(number, &args.map(Arg::concrete), &mut cx);
        let undecided = cx.undecided;
        self.thread_pointer = cx.thread_pointer;
        if undecided {
            return ModelAnswer::Unsupported(format!(
                "{} depends on a symbol",
                linux::syscall_name(number)
            ));
        }
        self.answer(answer)
    }

    fn has_handler(&self, signal: i32) -> bool {
        self.world.has_handler(signal)
    }

    fn handler_returned(&mut self, mask: u64) -> ModelAnswer {
        let Some((delivery, _)) = self.delivered.pop() else {
            return ModelAnswer::Unsupported(
                "a signal handler returned that was not called".into(),
            );
        };
        let answer = self.world.restore_signal_mask(mask, delivery.result);
        self.answer(answer)
    }
}

/// A native process as the world sees it.
struct Native<'a> {
    process: &'a mut dyn Process,
    pool: &'a mut Pool,
    instructions: u64,
    thread_pointer: u64,
    next_map: &'a mut u64,
    /// The world asked about a symbol; there are none.
    undecided: bool,
}

const MMAP: u64 = 9;
const MPROTECT: u64 = 10;
const MUNMAP: u64 = 11;
const BRK: u64 = 12;
const MREMAP: u64 = 25;
const ARCH_PRCTL: u64 = 158;
const ARCH_SET_FS: u64 = 0x1002;
const PROT_READ_WRITE: u64 = 3;
const MAP_PRIVATE_ANONYMOUS: u64 = 0x22;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
/// Private, anonymous, replacing the existing mapping.
const ANEW: u64 = 0x32;
const PAGE: u64 = 4096;
const MREMAP_MAYMOVE: u64 = 1;
const MREMAP_FIXED: u64 = 2;
const EFAULT: i32 = 14;
const EEXIST: i32 = 17;

impl Native<'_> {
    /// New memory where the machine has its next mapping.
    fn map_at_next(&mut self, len: u64) -> Result<u64, i32> {
        let len = len.next_multiple_of(PAGE);
        let at = *self.next_map;
        *self.next_map += len + PAGE;
        let flags = MAP_PRIVATE_ANONYMOUS | MAP_FIXED_NOREPLACE;
        self.execute(MMAP, [at, len, PROT_READ_WRITE, flags, u64::MAX, 0])
    }

    fn execute(&mut self, number: u64, args: [u64; 6]) -> Result<u64, i32> {
        match self.process.execute(number, args) {
            e @ -4095..=-1 => Err(-e as i32),
            result => Ok(result as u64),
        }
    }
}

impl Cx for Native<'_> {
    fn pool(&mut self) -> &mut Pool {
        self.pool
    }

    fn read(&mut self, addr: u64, len: u64) -> Result<Bytes, Efault> {
        self.process
            .read(addr, len)
            .map(Bytes::concrete)
            .ok_or(Efault)
    }

    fn write(&mut self, addr: u64, bytes: &Bytes) -> Result<(), Efault> {
        match bytes.as_concrete() {
            Some(bytes) if self.process.write(addr, bytes) => Ok(()),
            _ => Err(Efault),
        }
    }

    fn concretize(&mut self, _: &str, arg: Arg) -> u64 {
        self.undecided = true;
        arg.bits
    }

    fn decide(&mut self, _: Term) -> bool {
        self.undecided = true;
        false
    }

    fn map_memory(&mut self, request: &MapRequest) -> Result<u64, MapRefusal> {
        let at = if request.fixed {
            // The model does so only over what is mapped already, which this call tells.
            let writable = [request.hint, request.len, PROT_READ_WRITE, 0, 0, 0];
            let known = self.execute(MPROTECT, writable);
            if known.is_err() {
                return Err(MapRefusal::Unmodelled(
                    "mmap at an address of the program's choice",
                ));
            }
            if request.no_replace {
                return Err(MapRefusal::Errno(EEXIST));
            }
            let anew = [
                request.hint,
                request.len,
                PROT_READ_WRITE,
                ANEW,
                u64::MAX,
                0,
            ];
            self.execute(MMAP, anew).map_err(MapRefusal::Errno)?
        } else {
            self.map_at_next(request.len).map_err(MapRefusal::Errno)?
        };
        let protect = |this: &mut Self, at, len, prot| {
            let answer = this.execute(MPROTECT, [at, len, prot, 0, 0, 0]);
            answer.map(drop).map_err(MapRefusal::Errno)
        };
        if let Some(content) = &request.content {
            self.write(at, content)
                .map_err(|Efault| MapRefusal::Errno(EFAULT))?;
        }
        if u64::from(request.prot) & PROT_READ_WRITE != PROT_READ_WRITE {
            protect(self, at, request.len, u64::from(request.prot))?;
        }
        if let Some(content) = &request.content {
            let there = (content.len() as u64).next_multiple_of(PAGE);
            let len = request.len.next_multiple_of(PAGE);
            if there < len {
                protect(self, at + there, len - there, 0)?;
            }
        }
        Ok(at)
    }

    fn unmap_memory(&mut self, addr: u64, len: u64) -> Result<(), i32> {
        self.execute(MUNMAP, [addr, len, 0, 0, 0, 0]).map(drop)
    }

    fn protect_memory(&mut self, addr: u64, len: u64, prot: u32) -> Result<(), MapRefusal> {
        let answer = self.execute(MPROTECT, [addr, len, u64::from(prot), 0, 0, 0]);
        answer.map(drop).map_err(MapRefusal::Errno)
    }

    fn has_pages(&mut self, addr: u64, len: u64, readable: bool) -> bool {
        const MSYNC: u64 = 26;
        const MS_ASYNC: u64 = 1;
        const MADVISE: u64 = 28;
        const MADV_POPULATE_READ: u64 = 22;
        let (number, how) = if readable {
            (MADVISE, MADV_POPULATE_READ)
        } else {
            (MSYNC, MS_ASYNC)
        };
        self.execute(number, [addr, len, how, 0, 0, 0]).is_ok()
    }

    fn remap_memory(
        &mut self,
        addr: u64,
        old_len: u64,
        new_len: u64,
        may_move: bool,
    ) -> Result<u64, MapRefusal> {
        let (to, flags) = match (new_len.next_multiple_of(PAGE), may_move) {
            (new, _) if new <= old_len.next_multiple_of(PAGE) => (addr, 0),
            (_, false) => {
                return Err(MapRefusal::Unmodelled(
                    "mremap that may not move the mapping",
                ));
            }
            _ => {
                let to = self.map_at_next(new_len).map_err(MapRefusal::Errno)?;
                (to, MREMAP_MAYMOVE | MREMAP_FIXED)
            }
        };
        self.execute(MREMAP, [addr, old_len, new_len, flags, to, 0])
            .map_err(MapRefusal::Errno)
    }

    fn grow_break(&mut self, to: u64) -> u64 {
        self.execute(BRK, [to, 0, 0, 0, 0, 0]).unwrap_or(0)
    }

    fn set_thread_pointer(&mut self, addr: u64) {
        self.thread_pointer = addr;
        if self
            .execute(ARCH_PRCTL, [ARCH_SET_FS, addr, 0, 0, 0, 0])
            .is_err()
        {
            self.undecided = true;
        }
    }

    fn thread_pointer(&self) -> u64 {
        self.thread_pointer
    }

    fn instructions(&self) -> u64 {
        self.instructions
    }
}
