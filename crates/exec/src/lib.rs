//! The machine: runs IR on concrete and symbolic values.
//!
//! `fast` is the inner loop for concrete instructions, `slow` the whole semantics of one
//! instruction, `branch` decides conditions and forks, `access` resolves symbolic addresses,
//! `builtins` is what the engine supplies instead of libc. A `worker` runs the machine, and there are two schedules for
//! it: `engine` has states that fork, `concolic` inputs that run one after the other. The machine
//! knows no files, no command line and no reports: what happens is told to a [`Sink`].

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod access;
mod addresses;
mod assumptions;
mod branch;
pub mod builtins;
mod bytes;
mod call;
mod check;
mod collect;
mod concolic;
mod concrete;
pub mod concrete_float;
mod counters;
mod death;
mod endings;
mod engine;
mod errors;
mod event;
mod fast;
mod features;
mod float_start;
mod follow;
mod input;
mod leaks;
mod machine;
mod objects;
mod overheard;
mod provenance;
mod refusal;
mod run;
pub mod sizes;
mod slow;
mod soft_float;
mod stack;
mod state;
mod terms;
mod trail;
mod turn;
mod varargs;
mod watch;
mod wide;
mod worker;

pub use concolic::{Concolic, Part};
pub use counters::Counters;
pub use endings::{Ending, Halt, Keep, Loss, Tally, left_out, lost};
pub use engine::Engine;
pub use errors::{ErrorKind, ProgramError, Termination};
pub use event::{Ended, ObjectEnd, Outcome, PathEnd, PathInput, Sink};
pub use float_start::Floats;
pub use follow::{Followed, Prefix};
pub use input::initial_stack;
pub use machine::{Machine, Options, Policy, Stats};
pub use objects::{Objects, SymbolicObject};
pub use run::{Slice, Stop};
pub use stack::{Stack, StackEntry};
pub use state::{Frame, Progress, State};
pub use trail::{Choice, ChoiceKind, Trail};
pub use turn::{Parked, Turn};
pub use watch::limit_memory;
pub use worker::{Limits, Worker};
