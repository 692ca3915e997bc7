//! The world of the program under test: Linux on x86-64, modelled as data.
//!
//! A [`World`] is what the kernel would remember about one process: files, descriptors, signals, time, identity.
//! [`World::syscall`] runs one system call on it, with symbolic bytes anywhere in paths, contents and attributes; it
//! uses the machine (memory, decisions on symbolic conditions, concretization) through [`Cx`]. Worlds fork in O(1) and
//! share what they have in common.
//!
//! The crate makes no call into the host, with one exception: a host directory that the user
//! names is read (never written) through `std::fs`. It knows no state of the machine and no
//! solver.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

pub mod abi;
mod boot;
mod bytes;
mod call;
mod calls;
mod chunks;
mod config;
mod content;
mod cx;
mod descriptor;
mod dispatch;
mod fs;
mod identity;
mod inode;
mod input;
mod locks;
mod output;
mod path;
mod process;
mod save;
mod signals;
mod sizes;
mod start;
mod state;
mod time;
mod trace;
mod world;

pub use bytes::{Arg, Byte, Bytes, Word};
pub use config::{HostView, WorldConfig};
pub use cx::{Cx, Efault, MapRefusal, MapRequest};
pub use dispatch::{modelled, syscall_name};
pub use inode::StreamKind;
pub use input::{
    ArgSource, ArgSpec, Constraint, ObjectSpec, ProgramInput, Start, SymFiles, parse_program_args,
};
pub use output::{Stream, WrittenBytes};
pub use signals::Delivery;
pub use sizes::Sizes;
pub use start::{FileSnapshot, Snapshot, StackImage, StreamSnapshot};
pub use state::{CallAnswer, Met, Remark};
pub use trace::Seen;
pub use world::World;
