//! What a path keeps of its process beside registers and memory.

use super::jump::JumpPoint;
use super::refusal::Doubt;
use super::signal::{Interrupted, Retried};
use crate::environment::EnvState;
use crate::state::State;
use ir::layout;
use linux::World;
use memory::Value;
use std::rc::Rc;

/// The process of one path: the modelled system as it sees it, and what the engine keeps instead of libc.
#[derive(Clone, Debug)]
pub struct Process {
    pub(super) world: World,
    pub(super) thread_pointer: u64,
    /// Strings of the input that end at their NUL: address, and place in the state's objects.
    pub(super) texts: Rc<Vec<(u64, usize)>>,
    /// Where `longjmp` goes back to, in the order of their numbers.
    pub(super) jumps: Rc<Vec<JumpPoint>>,
    /// Signal handlers in progress.
    pub(super) interrupted: Rc<Vec<Interrupted>>,
    /// The fault whose handler has returned last.
    pub(super) retried: Option<Retried>,
    /// Refused calls that the program has not checked, see `refusal`.
    pub(super) doubts: Rc<Vec<Doubt>>,
    /// System calls that may still fail by choice.
    pub(super) failures_left: u32,
    /// What it writes is printed, too.
    pub(super) echo: bool,
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

/// Where `errno` stands: in musl's `struct pthread`, which the thread pointer points to.
pub(super) fn errno_address(s: &State) -> Value {
    const ERRNO: u64 = 52;
    Value::concrete(process(s).thread_pointer.wrapping_add(ERRNO))
}
