//! The figures of a fuzzer, and the file in which it tells them.

use crate::queue::{Folder, Queue};
use libafl::HasNamedMetadata;
use libafl::corpus::Corpus;
use libafl::feedbacks::MapFeedbackMetadata;
use libafl::inputs::Input;
use libafl::state::{HasCorpus, HasExecutions};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between two writings of the figures.
const EVERY: Duration = Duration::from_millis(500);

/// The figures of a fuzzer so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Executions.
    pub executions: u64,
    /// Inputs that it keeps.
    pub corpus: usize,
    /// Those of them that others had found, or that were there before.
    pub imported: usize,
    /// Edges that any of them covers, and all that there are.
    pub edges: (usize, usize),
    /// Inputs at which a signal ended the program, and those that took too long, each at new places.
    pub crashes: u64,
    /// See there.
    pub hangs: u64,
    /// How often the server had to be started again.
    pub restarts: u64,
    /// Executions that came to no end, since something kept the program from being started.
    pub broken: u64,
    /// Inputs that crashed the program once and not again.
    pub unsteady: u64,
}

/// Writes the figures now and then, also in the midst of a long stage.
pub struct Teller {
    queue: Rc<RefCell<Queue>>,
    begun: Instant,
    since_epoch: u64,
    due: Instant,
    /// All edges that there are.
    all: usize,
    /// The figures that nobody else knows.
    pub imported: usize,
    /// See [`Figures`].
    pub restarts: u64,
    /// See there.
    pub broken: u64,
    /// See there.
    pub unsteady: u64,
}

impl Teller {
    /// Of a fuzzer with this queue, for a program of so many edges.
    pub fn new(queue: &Rc<RefCell<Queue>>, all: usize) -> Teller {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Teller {
            queue: queue.clone(),
            begun: Instant::now(),
            since_epoch: since.map_or(0, |since| since.as_secs()),
            due: Instant::now(),
            all,
            imported: 0,
            restarts: 0,
            broken: 0,
            unsteady: 0,
        }
    }

    /// Tells them if it is time.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn look<I, S>(&mut self, state: &S) -> io::Result<()>
    where
        I: Input,
        S: HasExecutions + HasCorpus<I> + HasNamedMetadata,
    {
        if Instant::now() >= self.due {
            self.tell(state)?;
        }
        Ok(())
    }

    /// Tells them.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn tell<I, S>(&mut self, state: &S) -> io::Result<Figures>
    where
        I: Input,
        S: HasExecutions + HasCorpus<I> + HasNamedMetadata,
    {
        self.due = Instant::now() + EVERY;
        let known = state.named_metadata_map();
        let known = known.get::<MapFeedbackMetadata<u8>>("edges");
        // One of the counters is always set.
        let covered = known.map_or(0, |known| known.num_covered_map_indexes.saturating_sub(1));
        let figures = Figures {
            executions: *state.executions(),
            corpus: state.corpus().count(),
            imported: self.imported,
            edges: (covered, self.all),
            crashes: self.queue.borrow().count(Folder::Crashes),
            hangs: self.queue.borrow().count(Folder::Hangs),
            restarts: self.restarts,
            broken: self.broken,
            unsteady: self.unsteady,
        };
        self.queue.borrow().tell(&self.lines(&figures))?;
        Ok(figures)
    }

    /// The figures by their names in AFL++.
    fn lines(&self, figures: &Figures) -> Vec<(&'static str, String)> {
        let run_time = self.begun.elapsed();
        let rate = figures.executions as f64 / run_time.as_secs_f64().max(0.001);
        let last_update = self.since_epoch + run_time.as_secs();
        vec![
            ("start_time", self.since_epoch.to_string()),
            ("last_update", last_update.to_string()),
            ("run_time", run_time.as_secs().to_string()),
            ("fuzzer_pid", std::process::id().to_string()),
            ("execs_done", figures.executions.to_string()),
            ("execs_per_sec", format!("{rate:.2}")),
            ("corpus_count", figures.corpus.to_string()),
            ("corpus_imported", figures.imported.to_string()),
            ("edges_found", figures.edges.0.to_string()),
            ("total_edges", figures.edges.1.to_string()),
            ("saved_crashes", figures.crashes.to_string()),
            ("saved_hangs", figures.hangs.to_string()),
            ("server_restarts", figures.restarts.to_string()),
            ("broken_runs", figures.broken.to_string()),
            ("unsteady_crashes", figures.unsteady.to_string()),
        ]
    }
}
