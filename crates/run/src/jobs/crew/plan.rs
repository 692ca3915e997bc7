//! The plan of a run with several workers, made from the plan of the run and the language's facts about its program.

use super::super::board::Board;
use super::super::checkpoint::Checkpoint;
use super::super::cluster::hall::Offer;
use super::super::cluster::{Form, Invitation, Job, Parcel};
use super::super::scout::{self, Memory};
use super::super::{MOST_OF_ALL, Spill, Welcome, share_of_memory, shares_of_disk};
use super::{Cluster, Pids};
use crate::exit::UsageError;
use crate::plan;
use crate::record::Recorder;
use anyhow::Context;
use host::blob::Blob;
use host::shelf::Shelf;
use host::{Stop, TimeLimits, Watchdog};
use std::time::Duration;

const NO_MEMORY: &str = "no memory to share with workers";

/// Makes the record of a path from its prefix.
pub type Lost = Box<dyn Fn(&[u8]) -> Result<explore::PathEnd, String>>;

/// The operations on prefixes, which are bytes here.
pub struct Prefixes {
    /// The record of a prefix that killed its workers.
    pub lost: Lost,
    /// How many open branches one is, if it is no path.
    pub open: Option<fn(&[u8]) -> u64>,
}

/// The limits of a run in rounds that influence its exploration.
#[derive(Clone, Copy, Debug)]
pub struct RoundLimits {
    /// Forks in the whole run.
    pub max_forks: Option<u64>,
    /// The least work of a task.
    pub least_work: u64,
}

/// The language's facts about its program, for the processes that explore it together.
pub struct Shared {
    /// The hash of the program.
    pub program: String,
    /// Its places on the board, at most.
    pub places: usize,
    /// Its IR, and the front end that understands it; a byte, if workers read the program themselves.
    pub ir: Vec<u8>,
    pub frontend: String,
    pub prefixes: Prefixes,
    /// How long there has to have been something to give to others, until others begin.
    pub rich: Duration,
    /// The least work of a task of a run in rounds: what makes its start worth it, in the unit of [`explore::Exploration::work`].
    pub least_work: u64,
    /// Workers spill to disks of their own.
    pub spills: bool,
    /// Others may join, if they may.
    pub invitation: Option<Invitation>,
    /// What they get of the program, if it is not its IR.
    pub parcel: Option<Parcel>,
    pub pids: Pids,
}

/// See the module.
pub struct Plan {
    /// Workers on this machine.
    pub jobs: u32,
    /// The address where others may join, if they may.
    pub cluster: Option<Cluster>,
    /// Processor time of all; zero: no limit.
    pub cpu_time: Duration,
    /// How long there has to have been something to give to others, until others begin.
    pub rich: Duration,
    pub welcome: Welcome,
    /// The program's IR at the path in `welcome`: it exists as long as this value.
    pub _ir: Blob,
    /// The numbers that all processes see at once, with a seat for each worker and one for the scout.
    pub board: Board,
    /// The hash of the program.
    pub program: String,
    /// The frontier, and the results so far.
    pub begin: Checkpoint,
    /// The shelf of prefixes.
    pub shelf: Shelf,
    /// Bytes of memory for all processes of this machine; 0: no limit.
    pub memory: u64,
    pub stop: Stop,
    /// How long the run may take to end by itself.
    pub limits: TimeLimits,
    pub pids: Pids,
    pub prefixes: Prefixes,
    /// The memory of a scout, if there is to be one.
    pub scout: Option<Memory>,
    /// It explores in rounds.
    pub rounds: Option<RoundLimits>,
}

impl Plan {
    /// With an empty frontier.
    ///
    /// # Errors
    /// There is no memory to share with workers, or the plan cannot be sent to them.
    pub fn new(
        plan: &plan::Plan,
        shared: Shared,
        shelf: Shelf,
        watchdog: &Watchdog,
        recorder: &Recorder,
    ) -> anyhow::Result<Plan> {
        let jobs = plan.jobs();
        let text = plan.to_text();
        let text = text.map_err(|e| UsageError(format!("--jobs {jobs}: {e}")))?;
        let results = recorder.out.path().to_owned();
        let spill = shared.spills.then(|| Spill {
            dir: results.clone(),
            bytes: shares_of_disk(plan.spill_bytes(&results), jobs).1,
        });
        let blob = Blob::new(&shared.ir).context(NO_MEMORY)?;
        let (program, ir) = (shared.program, shared.ir);
        let parcel = shared.parcel.unwrap_or_else(|| Parcel {
            form: Form::Ir,
            hash: program.clone(),
            bytes: ir,
        });
        let cluster = shared.invitation.map(|invitation| Cluster {
            invitation,
            offer: Offer {
                job: Job::new(parcel.form.clone(), shared.places, plan.memory()),
                parcel,
            },
        });
        let seats = Plan::seats(jobs, cluster.is_some());
        let board = Board::new(seats + 1, shared.places).context(NO_MEMORY)?;
        let scout = scout::memory(plan);
        let memory = plan.memory() - scout.map_or(0, |scout| scout.kept);
        let is_deterministic = plan.workers.deterministic;
        Ok(Plan {
            jobs,
            cluster,
            cpu_time: plan.limits.cpu_time,
            rich: shared.rich,
            welcome: Welcome {
                plan: text,
                program: program.clone(),
                results,
                frontend: shared.frontend,
                ir: blob.path(),
                class_path: None,
                invented: recorder.cases.given.invented(),
                elapsed: Duration::ZERO,
                board: board.path().context(NO_MEMORY)?,
                seat: 0,
                number: 0,
                memory: share_of_memory(memory, jobs),
                grace: watchdog.grace() / 4,
                has_task: is_deterministic,
                scouts: None,
                spill: spill.filter(|spill| spill.bytes > 0),
            },
            _ir: blob,
            board,
            program,
            begin: Checkpoint::default(),
            shelf,
            memory,
            scout,
            stop: watchdog.stop(),
            limits: watchdog.limits(),
            pids: shared.pids,
            prefixes: shared.prefixes,
            rounds: is_deterministic.then(|| RoundLimits {
                max_forks: (plan.limits.max_forks > 0).then_some(plan.limits.max_forks),
                least_work: shared.least_work,
            }),
        })
    }

    /// How many workers there may be at once, which is also the number of the scout's seat.
    pub fn seats(jobs: u32, may_be_elsewhere: bool) -> u32 {
        jobs + if may_be_elsewhere { MOST_OF_ALL } else { 0 }
    }
}
