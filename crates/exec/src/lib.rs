//! The machine: runs IR on concrete and symbolic values.
//!
//! `fast` is the inner loop for concrete instructions, `slow` the whole semantics of one instruction, `branch` decides
//! conditions, `policy` decides what happens to their other sides, `access` resolves symbolic addresses. The program's
//! language and operating system are its [`Environment`]; crate `env-c` has the one of C programs on Linux. A `worker`
//! runs the machine, and there are two schedules for it: `engine` has states that fork, `concolic` inputs that run one
//! after the other. The machine knows no files, no command line and no reports: it sends events to an
//! [`explore::Sink`].

#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod access;
mod addresses;
#[cfg(test)]
mod bare;
mod branch;
mod bytes;
mod call;
mod check;
mod classes;
mod collect;
mod concolic;
mod concrete;
pub mod concrete_float;
mod endings;
mod engine;
mod environment;
mod errors;
mod event;
mod fast;
mod features;
mod float_control;
pub mod float_exceptions;
mod float_flags;
mod floats;
mod follow;
mod forks;
mod idle;
mod lease;
mod live_tests;
mod machine;
mod named;
mod naming;
mod objects;
mod observe;
mod pile;
mod policy;
mod portable;
mod prefix;
mod provenance;
mod run;
mod seeds;
mod simulation;
pub mod sizes;
mod slow;
mod state;
mod steps;
mod terms;
mod trail;
mod turn;
mod watch;
mod wide;
mod worker;

pub use bytes::{Bulk, size_text};
pub use check::overflows;
pub use concolic::{Concolic, Passed, PortablePart, Subject};
pub use engine::{Engine, NewSearcher, PruningPlan};
pub use environment::{Builtin, Call, Contract, Done, Environment};
pub use errors::{ErrorKind, ProgramError, Termination, WrongAccess};
pub use explore::ObjectBytes;
pub use float_control::{FLAG_BITS, FloatControl};
pub use floats::Floats;
pub use follow::Followed;
pub use lease::Lease;
pub use live_tests::LiveTests;
pub use machine::{Machine, MachineOptions};
pub use objects::{Objects, SymbolicObject};
pub use policy::Policy;
pub use portable::{PortablePrefix, first_prefixes};
pub use prefix::Prefix;
pub use run::{Slice, SliceEnd};
pub use state::{EnvState, Frame, Hot, Marks, PathProgress, State};
pub use trail::{Choice, ChoiceKind, Trail};
pub use turn::{Parked, Turn};
pub use watch::limit_memory;
pub use worker::{FirstEnd, RunLimits, Worker, totals};
