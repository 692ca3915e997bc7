//! Several workers for one run of a Java program, each with a JVM of its own (`docs/java.md`, "Several workers"): `solo` explores in the
//! user's own process, `crew` is the coordinator's side of a run by several, and `part` a worker's. The bookkeeping is that of crate
//! `fleet`; processes, connection and board are those of runs of C programs ([`crate::session::jobs`]).

mod crew;
pub mod part;
mod solo;

pub use crew::{Crew, Plan};
pub use solo::{End, Solo, When};

use super::explored::Explored;
use dse::Counted;
use jvm::{Info, MethodCoverage, PathEnd, Place, Places, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// Each part as bytes.
    parts: Vec<Vec<u8>>,
    totals: Totals,
    explored: Explored,
    places: Places,
    rejected: Vec<String>,
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
}
