//! Several workers for one run, see `docs/jobs.md`. From the bottom up:
//!
//! - `board` has numbers in memory that all processes share, `wire` is the connection between a worker and the coordinator, `checkpoint` a record
//!   of the frontier, `frontier_log` the file of such records and the changes between them, `keeper` writes it, and `outlook` estimates how long a run will take;
//! - `member` is a worker from the side of the coordinator, with the carrier of messages to it: its process (`local`), or the connection
//!   to its machine (`cluster`);
//! - `link` is a worker's side, `task` the same with `--deterministic`, and `scout` the side of the worker that runs ahead;
//! - `crew` is the coordinator, `machine` its clock, processes and events, `solo` one worker in the user's own process, which needs none of
//!   that, and `head_start` the scout next to it;
//! - `staffing` chooses among these, and `explored` has the results.

pub(crate) mod board;
pub(crate) mod checkpoint;
pub mod cluster;
mod compaction;
pub(crate) mod crew;
pub(crate) mod explored;
mod frontier_log;
pub(crate) mod head_start;
pub(crate) mod hired;
pub(crate) mod keeper;
pub(crate) mod link;
pub(crate) mod local;
pub(crate) mod machine;
pub(crate) mod member;
pub(crate) mod scout;
pub(crate) mod solo;
pub(crate) mod staffing;
mod syncer;
pub(crate) mod task;
pub(crate) mod wire;

pub use crew::Pids;
pub use hired::Hired;

use super::record::Finding;
use crate::exit::UsageError;
use explore::{Counted, Places, Totals};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The variable of the environment that is the default of `--jobs`.
pub const DEFAULT: &str = "POLYPATH_JOBS";

/// The cores that this process may use: its affinity and the quota of its group count.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(MOST))
}

/// Workers of one machine at most, and of all.
pub const MOST: u32 = 1024;
pub(crate) const MOST_OF_ALL: u32 = 16 * MOST;
/// Memory that a worker has to have, in bytes.
pub const LEAST_MEMORY: u64 = 16 << 20;

/// How many workers were asked for, by the option of the command line or by the environment.
pub fn asked(option: Option<u32>) -> Option<u32> {
    let default = || std::env::var(DEFAULT).ok()?.parse().ok();
    option.or_else(default)
}

/// So many as there are cores, if so many MiB suffice for them (0: no limit).
pub(crate) fn that_fit(memory_mb: u64) -> u32 {
    let memory = memory_mb << 20;
    let fits = |&n: &u32| memory == 0 || share_of_memory(memory, n) >= LEAST_MEMORY;
    (1..=cores()).rev().find(fits).unwrap_or(1)
}

/// Refuses impossible numbers of workers: `option` is that of the command line, and `may_be_none` tells whether others
/// may come.
///
/// # Errors
/// The number, and the reason.
pub fn check(option: Option<u32>, memory_mb: u64, may_be_none: bool) -> Result<(), UsageError> {
    let Some(jobs) = asked(option) else {
        return match std::env::var_os(DEFAULT) {
            Some(text) => {
                let text = text.display();
                Err(UsageError(format!("{DEFAULT}={text}: not a number")))
            }
            None => Ok(()),
        };
    };
    if jobs == 0 && !may_be_none {
        return Err(UsageError("--jobs 0: there would be no worker".into()));
    }
    if jobs > MOST {
        return Err(UsageError(format!("--jobs {jobs}: at most {MOST}")));
    }
    let share = share_of_memory(memory_mb << 20, jobs);
    if jobs > 1 && memory_mb > 0 && share < LEAST_MEMORY {
        return Err(UsageError(format!(
            "--jobs {jobs}: of --memory {memory_mb} each would have {} MiB, at least {} are needed",
            share >> 20,
            LEAST_MEMORY >> 20
        )));
    }
    Ok(())
}

/// Whether a worker's greeting fits a run of this program.
///
/// # Errors
/// Why it does not, in words.
pub(crate) fn fits(version: &str, program: &str, ours: &str) -> Result<(), String> {
    let this = env!("CARGO_PKG_VERSION");
    if version != this {
        return Err(format!("a worker is polypath {version}, this is {this}"));
    }
    if program != ours {
        return Err("a worker has another program".into());
    }
    Ok(())
}

/// The bytes that each of so many workers may take of the run's memory, of which the coordinator has a part; 0: no limit.
pub(crate) fn share_of_memory(all: u64, workers: u32) -> u64 {
    (all - all / 16) / u64::from(workers.max(1))
}

/// The command of a worker, which has no options: its standard input is a socket on which it gets everything.
pub const PART: &str = "part";

/// The instructions of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    /// The plan of the run ([`crate::plan::Plan`]) as text.
    pub plan: String,
    /// The hash of the program.
    pub program: String,
    /// The directory of results.
    pub results: PathBuf,
    /// The front end that understands the program, if it is one in IR.
    pub frontend: String,
    /// The file of the program's IR.
    pub ir: PathBuf,
    /// Where the program's classes are, if not where the plan says.
    pub class_path: Option<Vec<PathBuf>>,
    /// What the driver of a function made up.
    pub invented: harness::Invented,
    /// How long the run has been going on.
    pub elapsed: Duration,
    /// The file of the board, and the worker's place on it.
    pub board: PathBuf,
    pub seat: u32,
    /// Its number in the whole run.
    pub number: u32,
    /// Bytes of memory that it may take; 0: no limit.
    pub memory: u64,
    /// How long it may go on writing when it is stopped.
    pub grace: Duration,
    /// It explores one task (`--deterministic`).
    pub has_task: bool,
    /// It is the scout.
    pub scouts: Option<Scouting>,
    /// The room on disk for prefixes that do not fit in memory.
    pub spill: Option<Spill>,
}

/// When a scout begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Scouting {
    /// Beside one worker in the user's own process, while other cores have nothing to do.
    First,
    /// When all workers are at work.
    Later,
}

/// Room on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spill {
    /// The directory.
    pub dir: PathBuf,
    /// How many bytes.
    pub bytes: u64,
}

/// Bytes of disk for the prefixes that the coordinator has, and for those of each of so many workers, of all that there are: whatever
/// a worker puts there, the coordinator has, too.
pub(crate) fn shares_of_disk(all: u64, workers: u32) -> (u64, u64) {
    (all / 2, all / 2 / u64::from(workers.max(1)))
}

/// Bytes of prefixes that the coordinator has in memory, of the run's memory; 0: no limit.
pub(crate) fn memory_of_prefixes(all: u64) -> u64 {
    if all == 0 { u64::MAX } else { all / 32 }
}

/// Why a worker stopped before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Halted {
    /// No fork is left.
    Forks,
    /// The program cannot be run any more.
    Failed,
    /// For the reason of this number.
    Stopped(u8),
}

impl Halted {
    /// From the reason of a worker's engine.
    pub fn of(halt: explore::Halt) -> Halted {
        match halt {
            explore::Halt::Forks => Halted::Forks,
            explore::Halt::Failed => Halted::Failed,
            explore::Halt::Stopped(cause) => Halted::Stopped(cause as u8),
        }
    }
}

/// The findings of a worker since its last commit, and its numbers since it began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    pub findings: Vec<Finding>,
    pub totals: Totals,
    /// The part of the totals that belongs to the frontier.
    pub counted: Counted,
    /// News about places.
    pub places: Places,
    /// Instructions at which an assumption held.
    pub held: Vec<u32>,
    /// Those at which an assumption failed and none has held, with the error to report if none does.
    pub unmet: Vec<(u32, Finding)>,
    /// In the last one: queries that the solver answered with a wrong model.
    pub rejected: Vec<String>,
    /// In the last one: why it stopped, if it did.
    pub halted: Option<Halted>,
    /// Of a task: its numbers before the live states ended with the run, if it did.
    pub before_end: Option<Totals>,
    /// Of a task: the influence that may give it another result when it is repeated.
    pub swayed: Option<Swayed>,
}

/// An influence on the result other than program, options and seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Swayed {
    /// A limit of time.
    Clock,
    /// A limit of memory.
    Memory,
    /// The disk, which did not give spilled data back.
    Disk,
}
