//! Divides an exploration among workers.
//!
//! The frontier is a set of *prefixes*, which are bytes here, in memory or on disk ([`host::shelf`]): this crate knows no terms, no programs and no
//! processes. [`Coordinator`] is the bookkeeping: which prefix waits, which one a worker has, who is asked to give some
//! away, and what becomes of those of a worker that died. [`Rounds`] is another one, with the same result for every number of workers
//! ([`Dispatch`] and [`Settle`] have what both do). It is a plain value that is told what happened and
//! says what to do. [`message`] has what is said between the coordinator and a worker, and [`frame`] how that is
//! written. [`net`] carries the messages between machines. The methods are explained in `docs/jobs.md` and
//! `docs/cluster.md`.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod coordinator;
mod dispatch;
pub mod frame;
pub mod message;
pub mod net;
mod rounds;

pub use coordinator::{Coordinator, Death, Order, SetAside, Unreadable, WorkerId};
pub use dispatch::{Dispatch, Settle};
pub use message::{Budget, Change, Commit, Key, New, Prefix, Spent, Task, ToCoordinator, ToWorker};
pub use rounds::Rounds;
