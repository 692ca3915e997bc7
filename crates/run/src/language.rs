//! The interface of a language to a run of one of its programs. The course of a run is the same for all
//! ([`crate::course`]).

use super::figures::Figures;
use super::jobs::checkpoint::Checkpoint;
use super::jobs::crew::{self, Pids};
use super::last_words::LastWords;
use super::plan::Plan;
use super::progress::Progress;
use super::record::{Atlas, Cases, Recorder};
use explore::{Exploration, Totals};
use host::{Stop, Watchdog};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use testcase::{OutputDir, RunInfo, RunStats};
use vocab::Bound;

/// The limits of a run, apart from its wall-clock time.
pub struct Limits {
    /// Processor time of this process and its children, where the system can count it.
    pub cpu: Option<Duration>,
    /// Further guards, which check the run now and then.
    pub guards: Vec<host::Guard>,
}

/// The language's parts of the recorder.
pub struct RecordParts {
    pub cases: Cases,
    pub atlas: Box<dyn Atlas>,
    /// Limits of the claim that are known before the run.
    pub limits: BTreeMap<Bound, String>,
}

/// The surroundings of an exploration.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub plan: &'a Plan,
    pub watchdog: &'a Watchdog,
    /// The directory of results.
    pub results: &'a Path,
}

/// Files written for the user in addition to tests and statistics, when the run is over.
#[derive(Default)]
pub struct Extras {
    /// Messages about them that `--quiet` suppresses; it does not suppress the others.
    pub notes: Vec<String>,
    pub warnings: Vec<String>,
    /// What failed and is our fault: told as warnings are, and kept in the statistics.
    pub failures: Vec<String>,
}

/// A program of a language in a run, from its name to its exploration. The methods are called in this order.
pub trait Language {
    /// Messages printed before anything takes time.
    fn first_words(&self, plan: &Plan) -> Vec<String>;

    /// Builds things that are needed once and belong to no run, such as the language's library. The time of the run
    /// begins after it.
    ///
    /// # Errors
    /// They cannot be built.
    fn install(&mut self, plan: &mut Plan, progress: &mut Progress) -> anyhow::Result<()>;

    /// The limits of such a run, with the workers that have these process ids.
    fn limits(&self, plan: &Plan, pids: &Pids) -> Limits;

    /// Loads the program. Returns its hash.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn load(
        &mut self,
        plan: &mut Plan,
        stop: Stop,
        progress: &mut Progress,
    ) -> anyhow::Result<String>;

    /// The message about a program that has changed since the run that is continued.
    fn has_changed(&self) -> &'static str;

    /// The facts about the program, also before it is loaded.
    fn info(&self, plan: &Plan) -> RunInfo;

    /// Keeps in the directory of results what else belongs to a run that begins there.
    ///
    /// # Errors
    /// It cannot be written.
    fn keep(
        &self,
        plan: &Plan,
        out: &OutputDir,
        info: &mut RunInfo,
        progress: &mut Progress,
    ) -> anyhow::Result<()>;

    /// The parts for the recorder; `left` is the rest of an earlier run.
    ///
    /// # Errors
    /// The program cannot be recorded.
    fn record(
        &mut self,
        plan: &Plan,
        left: Option<&Checkpoint>,
        progress: &mut Progress,
    ) -> anyhow::Result<RecordParts>;

    /// The numbers of a run that has explored nothing.
    fn nothing(&self) -> Totals;

    /// The language's additions to the record, for every way in which the run can end.
    fn last_words(&self) -> LastWords;

    /// The figures of a run, as its end tells them.
    fn figures(&self) -> Figures;

    /// Starts the program of a run that begins, and keeps the facts about it.
    ///
    /// # Errors
    /// The reason why it cannot be run; a mistake of the user leaves no results.
    fn start(
        &mut self,
        plan: &mut Plan,
        info: &mut RunInfo,
        watchdog: &Watchdog,
        recorder: &mut Recorder,
    ) -> anyhow::Result<()>;

    /// All that there is to explore, as bytes.
    ///
    /// # Errors
    /// It was not started.
    fn first_prefixes(&mut self, plan: &Plan) -> anyhow::Result<Vec<Vec<u8>>>;

    /// An exploration whose frontier is the whole program.
    ///
    /// # Errors
    /// It was not started, or the plan has unknown names.
    fn begin(&mut self, setting: Setting<'_>) -> anyhow::Result<Box<dyn Exploration>>;

    /// One that has nothing to explore yet but what an earlier run has left.
    ///
    /// # Errors
    /// The program cannot be run.
    fn go_on(
        &mut self,
        setting: Setting<'_>,
        left: &Checkpoint,
    ) -> anyhow::Result<Box<dyn Exploration>>;

    /// The setup of several workers, which explore from now on.
    ///
    /// # Errors
    /// There can be none.
    fn shared(&mut self, plan: &Plan) -> anyhow::Result<crew::Shared>;

    /// Writes the files that the user asked for in addition to tests, when the run is over.
    fn extras(&mut self, plan: &Plan, out: &OutputDir, totals: &Totals) -> Extras;

    /// The summary, line by line, with these words about the tests.
    fn summary(&self, totals: &Totals, stats: &RunStats, tests: &str) -> Vec<String>;
}
