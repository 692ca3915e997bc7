//! The process of a path, apart from registers and memory.

use exec::ProgramError;
use exec::{EnvState, State};
use ir::{FuncId, Pc, Reg, layout};
use linux::{Delivery, World};
use memory::{Mark, Value};
use std::rc::Rc;
use term::Symbol;

/// The process of one path: the modelled system as it sees it, and what the engine keeps instead of libc.
#[derive(Clone, Debug)]
pub struct Process {
    pub(super) world: World,
    pub(super) thread_pointer: u64,
    /// Strings of the input that end at their NUL: address, and place in the state's objects.
    pub(super) texts: Rc<Vec<(u64, usize)>>,
    /// The places to which `longjmp` returns, in the order of their numbers.
    pub(super) jumps: Rc<Vec<JumpPoint>>,
    /// The exception that has landed last.
    pub(super) landed: Landed,
    /// Signal handlers in progress.
    pub(super) interrupted: Rc<Vec<Interrupted>>,
    /// The fault whose handler has returned last.
    pub(super) retried: Option<Retried>,
    /// Refused calls that the program has not checked, see `refusal`.
    pub(super) doubts: Rc<Vec<Doubt>>,
    /// System calls that may still fail by choice.
    pub(super) failures_left: u32,
    /// Its output is printed, too.
    pub(super) echo: bool,
}

/// A place to which `longjmp` returns.
#[derive(Clone, Debug)]
pub struct JumpPoint {
    pub(super) number: u64,
    pub(super) frames: usize,
    /// The tag of the frame of the function that called `setjmp`.
    pub(super) tag: u32,
    pub(super) return_pc: Pc,
    pub(super) dst: Reg,
    /// Width of the result that the call of `setjmp` expects, if any.
    pub(super) result: Option<u16>,
    pub(super) mark: Mark,
    /// The signal mask that `sigsetjmp` saved.
    pub(super) signal_mask: Option<u64>,
}

/// An exception at a landing pad.
#[derive(Clone, Copy, Debug, Default)]
pub struct Landed {
    pub(super) exception: u64,
    /// Which clause took it, 0 if none did.
    pub(super) selector: u64,
}

/// A signal handler in progress.
#[derive(Clone, Debug)]
pub struct Interrupted {
    pub(super) delivery: Delivery,
    /// The instruction at which the interrupted path continues.
    pub(super) resume: Pc,
    /// Frames below that of the handler.
    pub(super) depth: usize,
    /// The stack without what the handler was given.
    pub(super) below: Mark,
    /// The address of the context that the handler was given, if it was.
    pub(super) context: Option<u64>,
    /// The fault that it handles, if it handles one.
    pub(super) trap: Option<Trap>,
}

/// A fault that reaches a handler.
#[derive(Clone, Debug)]
pub struct Trap {
    /// The error that it is if the program does not go on.
    pub(super) error: ProgramError,
    /// The address that could not be accessed.
    pub(super) at: u64,
    pub(super) write: bool,
    /// How often the access was made again before.
    pub(super) retries: u32,
}

/// An access that is made again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retried {
    pub(super) pc: Pc,
    pub(super) at: u64,
    /// Instructions of the path before it.
    pub(super) since: u64,
    /// How often it was made again, this time included.
    pub(super) times: u32,
}

/// A refused call of which the program has not yet seen that it failed.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The function that the program called.
    pub(super) name: &'static str,
    /// How many frames there are where it called it.
    pub(super) depth: usize,
    /// The instruction to which the call returns.
    pub(super) resume: Pc,
    /// The result's bytes, once there is one.
    pub(super) result: Vec<Symbol>,
    /// Results of success that would have come the same way. None: the program has seen that it failed.
    pub(super) open: Vec<u64>,
    /// The place where it saw that: the number of frames, and the function of the last one.
    pub(super) seen: Option<(usize, FuncId)>,
    /// Instructions of the path when it was refused.
    pub(super) since: u64,
}

impl EnvState for Process {
    fn fork(&self) -> Box<dyn EnvState> {
        Box::new(self.clone())
    }
}

/// The process of a path of a C program.
pub(super) fn process(s: &State) -> &Process {
    s.env.get()
}

/// The same, to be changed.
pub(super) fn process_mut(s: &mut State) -> &mut Process {
    s.env.get_mut()
}

/// The modelled Linux of a path of a C program.
///
/// # Panics
/// If the program is none of C.
pub fn world(s: &State) -> &World {
    &process(s).world
}

/// The stack is as large as the world's limit allows.
pub(super) fn size_stack(s: &mut State) {
    let limit = world(s).stack_limit();
    s.stack_size = limit.clamp(layout::STACK_LEAST, layout::STACK_MOST);
}

/// The address of `errno`: in musl's `struct pthread`, to which the thread pointer points.
pub(super) fn errno_address(s: &State) -> Value {
    const ERRNO: u64 = 52;
    Value::concrete(process(s).thread_pointer.wrapping_add(ERRNO))
}
