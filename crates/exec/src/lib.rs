//! The machine: runs IR on concrete and symbolic values.
//!
//! `fast` is the inner loop for concrete instructions, `slow` the whole semantics of one
//! instruction, `branch` decides conditions and forks, `access` resolves symbolic addresses,
//! `builtins` is what the engine supplies instead of libc, `engine` schedules states. The machine
//! knows no files, no command line and no reports: what happens is told to a [`Sink`].

mod access;
mod branch;
pub mod builtins;
mod call;
mod check;
mod clock;
mod concolic;
mod concrete;
mod engine;
mod errors;
mod fast;
pub mod float;
mod float_nan;
mod input;
mod leaks;
mod machine;
mod overheard;
mod provenance;
mod run;
mod slow;
mod soft_float;
mod state;
mod terms;
mod trail;
mod varargs;
mod wide;

pub use concolic::{Concolic, Part};
pub use engine::{Counters, Engine, Limits, Sink, resident_bytes};
pub use errors::{ErrorKind, ProgramError, Termination};
pub use machine::{Machine, Options, Parked, Policy, Stats};
pub use run::{StackEntry, Stop};
pub use state::{Frame, Progress, State, SymbolicObject};
pub use trail::{Choice, ChoiceKind, Trail};
