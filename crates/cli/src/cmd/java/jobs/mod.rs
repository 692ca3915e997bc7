//! Several workers for one run of a Java program, each with a JVM of its own (`docs/java.md`, "Several workers"): `solo` explores in the
//! user's own process, `crew` is the coordinator's side of a run by several, and `part` a worker's. The bookkeeping is that of crate
//! `fleet`; processes, connection and board are those of runs of C programs ([`crate::session::jobs`]).

mod checkpoint;
mod crew;
pub mod part;
mod solo;

pub use checkpoint::Checkpoint;
pub use crew::{Crew, Plan};
pub use solo::{End, Solo, When};

use super::explored::Explored;
use super::record::Recorder;
use crate::session::jobs::memory_of_prefixes;
use dse::Counted;
use host::shelf::{Piece, Shelf};
use jvm::{Info, MethodCoverage, PathEnd, Place, Places, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of disk for parts that do not fit into memory.
const DISK: u64 = 4 << 30;

/// The shelf for what is left of a run that may take so much memory in all.
pub fn shelf(results: &Path, memory: u64) -> Shelf {
    Shelf::new(results, memory_of_prefixes(memory), DISK)
}

/// What a worker has to know that its command line does not say.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Welcome {
    /// The entry point.
    entry: String,
    /// Where the board is, and the worker's place on it.
    board: PathBuf,
    seat: u32,
    /// Bytes of memory that it may take; 0: no limit.
    memory: u64,
    /// The directory of results.
    results: PathBuf,
    /// What was covered before.
    covered: Vec<Place>,
}

/// What a worker found since its last commit, and its numbers since it began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Report {
    paths: Vec<PathEnd>,
    /// Places that it has not told of, in the order of its numbers.
    places: Vec<Info>,
    /// The names of all source files, if there are more than it has told of.
    sources: BTreeMap<String, String>,
    totals: Totals,
    explored: Explored,
    /// What of that is left to explore.
    counted: Counted,
    /// In the last one: queries that the solver answered with a wrong model.
    rejected: Vec<String>,
    /// In the last one: why its program cannot be run any more, if it cannot.
    failed: Option<String>,
}

/// What is left to explore, and what was found before.
pub struct Begin {
    parts: Vec<Arc<Piece>>,
    totals: Totals,
    explored: Explored,
    places: Places,
    rejected: Vec<String>,
}

/// What a run is of: a later one goes on with the same.
#[derive(Clone, Debug)]
pub struct Program {
    /// The entry point.
    pub entry: String,
    /// The hash of the classes.
    pub hash: String,
}

impl Begin {
    /// What a later run can go on from.
    pub fn checkpoint(self, program: &Program, recorder: &Recorder) -> Checkpoint {
        let so_far = (self.totals, self.explored);
        Checkpoint::of(
            program,
            recorder,
            &self.places,
            self.parts,
            so_far,
            self.rejected,
        )
    }

    /// Where an earlier run ended.
    pub fn of(mut left: Checkpoint) -> Begin {
        Begin {
            places: left.places(),
            parts: left.parts,
            totals: left.totals,
            explored: left.explored,
            rejected: left.rejected,
        }
    }
}

/// What came of a run.
pub struct Outcome {
    pub totals: Totals,
    pub explored: Explored,
    /// Why it ended before everything was explored, if it did.
    pub stopped: Option<String>,
    pub methods: Vec<MethodCoverage>,
    /// Queries that the solver answered with a wrong model.
    pub rejected: Vec<String>,
    /// What `stats.json` says of each worker.
    pub workers: Vec<serde_json::Value>,
    /// No later run can go on with it.
    pub has_nothing_left: bool,
}
