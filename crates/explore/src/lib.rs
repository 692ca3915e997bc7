//! The interface of an exploration, for programs of any language, in fork mode and in concolic mode.
//!
//! An [`Exploration`] explores, gives parts of its frontier away and takes in those of others. It sends its events to
//! a [`Sink`] as plain values ([`PathEnd`]); its counts are [`Totals`], from which the claim of the run follows
//! ([`left_out`]). Its coverage is a set of [`Place`]s, which all workers know by the same numbers ([`Commons`]). Code
//! that runs explorations (in one process, several, or on several machines) depends on this crate only.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod claim;
mod commons;
mod counters;
mod event;
mod exploration;
mod list;
mod places;
mod pruning;
mod reported;
mod ticker;
mod totals;

pub use claim::{Halt, bounds, few, left_out, stopped};
pub use commons::Commons;
pub use counters::Counters;
pub use event::{
    AccessedObject, Ended, Error, InDoubt, ObjectEnd, Output, PathEnd, PathInput, PathOutcome,
    Sink, Stack, StackEntry, Thrown, UnfitInput,
};
pub use exploration::{AssumptionNews, Budget, Exploration, ObjectBytes, SoFar};
pub use list::{Changes, Counted, Hear, List, Told, Update};
pub use places::{Place, Places};
pub use pruning::{PruningStatus, RoundEnd};
pub use reported::Reported;
pub use ticker::Ticker;
pub use totals::{Children, MachineStats, Totals, WRONG};
pub use vocab::{Bound, Ending, ErrorKind, Keep, Loss, Lost, Tally};
