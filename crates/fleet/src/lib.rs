//! Divides an exploration among workers.
//!
//! The frontier is a set of *prefixes*, which are bytes here, in memory or on disk ([`host::shelf`]): this crate knows
//! no terms, no programs and no processes. [`Coordinator`] is the bookkeeping: the prefixes that wait and those that
//! workers have, the worker that is asked to give some away, and the prefixes of a worker that died. [`Rounds`] is
//! another one, with the same result for every number of workers ([`Dispatch`] and [`Settle`] are the interface of
//! both). It is a plain value that gets events and returns orders. [`message`] has the messages between the
//! coordinator and a worker, and [`frame`] their encoding. [`net`] carries the messages between machines. The methods
//! are explained in `docs/jobs.md` and `docs/cluster.md`.

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
pub use dispatch::{Dispatch, FrontierChanges, Settle};
pub use message::{Budget, Change, Commit, Key, New, Prefix, Spent, Task, ToCoordinator, ToWorker};
pub use rounds::Rounds;
