//! The fuzzer: LibAFL's corpus, feedback, schedule and mutators around the program that [`Server`] runs.
//!
//! An input is kept if it covers an edge that was not covered before, or so many times (AFL's classes of counts). Scheduling is
//! AFL++'s: favoured inputs first, weighted by speed, size and how often their path was taken (`explore`). Before its first
//! mutations an input is asked what it compares, and operands that stand in it are replaced by their counterparts.

use crate::Programs;
use crate::executor::{Comparing, Native};
use crate::part::Pace;
use crate::queue::{Folder, Others, Queue};
use crate::server::{By, NativeSetting, Server};
use anyhow::{Context, Result, anyhow};
use libafl::corpus::{Corpus, InMemoryCorpus, Testcase};
use libafl::events::SimpleEventManager;
use libafl::executors::ExitKind;
use libafl::feedbacks::{Feedback, MaxMapFeedback, StateInitializer, TimeFeedback};
use libafl::inputs::{BytesInput, HasTargetBytes};
use libafl::monitors::NopMonitor;
use libafl::mutators::{
    HavocScheduledMutator, I2SRandReplace, Tokens, havoc_mutations, tokens_mutations,
};
use libafl::observers::{CanTrack, HitcountsMapObserver, StdMapObserver, TimeObserver};
use libafl::schedulers::powersched::PowerSchedule;
use libafl::schedulers::{IndexesLenTimeMinimizerScheduler, StdWeightedScheduler};
use libafl::stages::{CalibrationStage, StdMutationalStage, StdPowerMutationalStage};
use libafl::state::{HasCorpus, HasExecutions, HasMaxSize, StdState};
use libafl::{Evaluator, Fuzzer, HasMetadata, StdFuzzer, feedback_or};
use libafl_bolts::rands::StdRand;
use libafl_bolts::tuples::{Handle, Handled, MatchName, MatchNameRef, Merge, tuple_list};
use libafl_bolts::{Error, Named, ToSlice};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What a fuzzer is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The programs with counters, and with operands of comparisons.
    pub programs: Programs,
    /// How they run.
    pub setting: NativeSetting,
    /// The fuzzer's directory. Those beside it are the others', whose queues are read.
    pub dir: PathBuf,
    /// Files with inputs to begin with.
    pub seeds: Vec<PathBuf>,
    /// A dictionary for the mutators, in the form of AFL++ and libFuzzer.
    pub dictionary: Option<PathBuf>,
    /// Seed of its random numbers.
    pub seed: u64,
}

/// Between two looks at what others have found, and between two writings of the figures.
const LOOK: Duration = Duration::from_millis(50);
const TELL: Duration = Duration::from_millis(500);
/// Inputs to begin with, if there are none.
const FIRST: &[&[u8]] = &[b"", b"0", b"\n", &[0; 64], &[b'A'; 64]];

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
}

/// Fuzzes at this pace, until that ends it; it is asked between two inputs that are mutated.
///
/// # Errors
/// The program does not start, or files cannot be written.
pub fn fuzz(order: &Order, pace: &Pace) -> Result<Figures> {
    let queue = Queue::open(&order.dir).with_context(|| order.dir.display().to_string())?;
    let mut old = queue.files(Folder::Queue)?;
    old.extend(order.seeds.iter().cloned());
    let queue = Rc::new(RefCell::new(queue));
    let mut server =
        Server::start(&order.programs.edges, &order.setting, false).context("the program")?;
    let traced = Server::start(&order.programs.operands, &order.setting, true)
        .context("the program that reports comparisons")?;
    let counters = server.counters();
    let (counters, all) = (counters.as_mut_ptr(), counters.len());
    // SAFETY: the counters stay where they are as long as the server lives, which the executor has together with the observers.
    let edges = unsafe { StdMapObserver::from_mut_ptr("edges", counters, all) };
    let edges = HitcountsMapObserver::new(edges).track_indices();
    // SAFETY: as above. It is looked at when the counters are classes of counts already.
    let of_ends = unsafe { StdMapObserver::from_mut_ptr("edges_of_ends", counters, all) };
    let time = TimeObserver::new("time");
    let covers = MaxMapFeedback::new(&edges);
    let calibration = CalibrationStage::ignore_stability(&covers);
    let mut feedback = feedback_or!(covers, TimeFeedback::new(&time), Keep(queue.clone()));
    let mut objective = Ends::new(&queue, of_ends.handle(), all);
    let random = StdRand::with_seed(order.seed);
    let (corpus, solutions) = (InMemoryCorpus::<BytesInput>::new(), InMemoryCorpus::new());
    let mut state =
        StdState::new(random, corpus, solutions, &mut feedback, &mut objective).map_err(words)?;
    state.set_max_size(order.setting.max_len);
    if let Some(file) = &order.dictionary {
        let tokens = Tokens::from_file(file).map_err(words);
        state.add_metadata(tokens.with_context(|| file.display().to_string())?);
    }
    let weighted =
        StdWeightedScheduler::with_schedule(&mut state, &edges, Some(PowerSchedule::explore()));
    let scheduler = IndexesLenTimeMinimizerScheduler::new(&edges, weighted);
    let mut fuzzer = StdFuzzer::new(scheduler, feedback, objective);
    let mut manager = SimpleEventManager::new(NopMonitor::new());
    let by_call = order.setting.by == By::Call;
    let mut executor = Native::new(server, tuple_list!(edges, of_ends, time), by_call);
    let by_operands = StdMutationalStage::new(HavocScheduledMutator::new(tuple_list!(
        I2SRandReplace::new()
    )));
    let by_chance = HavocScheduledMutator::new(havoc_mutations().merge(tokens_mutations()));
    let mut stages = tuple_list!(
        calibration,
        Comparing::new(traced, by_operands),
        StdPowerMutationalStage::new(by_chance)
    );
    let mut begun = Begun::now();

    for path in &old {
        // (One that is gone meanwhile, or cannot be read, was told when the corpus was looked at.)
        if let Ok(bytes) = std::fs::read(path)
            && !pace.has_ended()
        {
            let input = BytesInput::new(bytes);
            fuzzer
                .evaluate_input(&mut state, &mut executor, &mut manager, &input)
                .map_err(words)?;
        }
    }
    if state.corpus().count() == 0 {
        for bytes in FIRST {
            let input = BytesInput::new(bytes[..bytes.len().min(order.setting.max_len)].to_vec());
            fuzzer
                .evaluate_input(&mut state, &mut executor, &mut manager, &input)
                .map_err(words)?;
        }
    }
    if state.corpus().count() == 0 {
        // None covers anything, or all are rejected: one has to be there.
        fuzzer
            .add_input(
                &mut state,
                &mut executor,
                &mut manager,
                BytesInput::new(Vec::new()),
            )
            .map_err(words)?;
    }
    let mut imported = state.corpus().count();
    let mut others = Others::of(&order.dir);
    loop {
        let has_ended = pace.has_ended();
        let now = Instant::now();
        if has_ended || now >= begun.tell_at {
            begun.tell_at = now + TELL;
            let figures = Figures {
                executions: *state.executions(),
                corpus: state.corpus().count(),
                imported,
                edges: (covered(&state), all),
                crashes: queue.borrow().count(Folder::Crashes),
                hangs: queue.borrow().count(Folder::Hangs),
                restarts: executor.server.restarts,
            };
            queue.borrow().tell(&begun.lines(&figures))?;
            if has_ended {
                return Ok(figures);
            }
        }
        if now >= begun.look_at {
            begun.look_at = now + LOOK;
            let before = state.corpus().count();
            for bytes in others.news(order.setting.max_len) {
                let input = BytesInput::new(bytes);
                fuzzer
                    .evaluate_input(&mut state, &mut executor, &mut manager, &input)
                    .map_err(words)?;
            }
            imported += state.corpus().count() - before;
        }
        fuzzer
            .fuzz_one(&mut stages, &mut executor, &mut state, &mut manager)
            .map_err(words)?;
        pace.rest(now);
    }
}

/// Covered edges.
fn covered(state: &impl libafl::HasNamedMetadata) -> usize {
    let known = state
        .named_metadata_map()
        .get::<libafl::feedbacks::MapFeedbackMetadata<u8>>("edges");
    known.map_or(0, |known| known.num_covered_map_indexes)
}

fn words(error: Error) -> anyhow::Error {
    anyhow!("{error}")
}

/// When a fuzzer began, and when what is due.
struct Begun {
    at: Instant,
    since_epoch: u64,
    look_at: Instant,
    tell_at: Instant,
}

impl Begun {
    fn now() -> Begun {
        let at = Instant::now();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Begun {
            at,
            since_epoch: since.map_or(0, |since| since.as_secs()),
            look_at: at,
            tell_at: at,
        }
    }

    /// The figures by their names in AFL++.
    fn lines(&self, figures: &Figures) -> Vec<(&'static str, String)> {
        let run_time = self.at.elapsed();
        let rate = figures.executions as f64 / run_time.as_secs_f64().max(0.001);
        vec![
            ("start_time", self.since_epoch.to_string()),
            (
                "last_update",
                (self.since_epoch + run_time.as_secs()).to_string(),
            ),
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
        ]
    }
}

/// Writes what other feedbacks find interesting to the queue; by itself it finds nothing so.
struct Keep(Rc<RefCell<Queue>>);

impl Named for Keep {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("keep")
    }
}

impl<S> StateInitializer<S> for Keep {}

impl<EM, OT, S> Feedback<EM, BytesInput, OT, S> for Keep
where
    S: HasExecutions + HasCorpus<BytesInput>,
{
    fn append_metadata(
        &mut self,
        state: &mut S,
        _: &mut EM,
        _: &OT,
        testcase: &mut Testcase<BytesInput>,
    ) -> Result<(), Error> {
        put(&self.0, Folder::Queue, state, testcase)
    }
}

/// Finds crashes and hangs interesting that pass an edge, or so many times, that no crash and no hang did before, and writes them.
///
/// Each of both has its own history: a hang passes few edges that a crash has not. (`MaxMapFeedback` would add what is found to the
/// histories of all feedbacks of the objective.)
struct Ends {
    queue: Rc<RefCell<Queue>>,
    counters: Handle<StdMapObserver<'static, u8, false>>,
    passed: [Vec<u8>; 2],
    last: Folder,
}

impl Ends {
    fn new(
        queue: &Rc<RefCell<Queue>>,
        counters: Handle<StdMapObserver<'static, u8, false>>,
        all: usize,
    ) -> Ends {
        Ends {
            queue: queue.clone(),
            counters,
            passed: [vec![0; all], vec![0; all]],
            last: Folder::Crashes,
        }
    }
}

impl Named for Ends {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("ends")
    }
}

impl<S> StateInitializer<S> for Ends {}

impl<EM, OT, S> Feedback<EM, BytesInput, OT, S> for Ends
where
    OT: MatchName,
    S: HasExecutions + HasCorpus<BytesInput>,
{
    fn is_interesting(
        &mut self,
        _: &mut S,
        _: &mut EM,
        _: &BytesInput,
        observers: &OT,
        end: &ExitKind,
    ) -> Result<bool, Error> {
        let (kind, passed) = match end {
            ExitKind::Ok => return Ok(false),
            ExitKind::Timeout => (Folder::Hangs, &mut self.passed[1]),
            _ => (Folder::Crashes, &mut self.passed[0]),
        };
        let counters = observers.get(&self.counters);
        let counters = counters.ok_or_else(|| Error::illegal_state("no counters"))?;
        let mut is_new = false;
        for (most, &now) in passed.iter_mut().zip(counters.to_slice()) {
            is_new |= now > *most;
            *most = now.max(*most);
        }
        self.last = kind;
        Ok(is_new)
    }

    fn append_metadata(
        &mut self,
        state: &mut S,
        _: &mut EM,
        _: &OT,
        testcase: &mut Testcase<BytesInput>,
    ) -> Result<(), Error> {
        put(&self.queue, self.last, state, testcase)
    }
}

/// Writes an input to its folder.
fn put<S>(
    queue: &RefCell<Queue>,
    kind: Folder,
    state: &S,
    testcase: &Testcase<BytesInput>,
) -> Result<(), Error>
where
    S: HasExecutions + HasCorpus<BytesInput>,
{
    let Some(input) = testcase.input() else {
        return Ok(());
    };
    let source = state.corpus().current();
    let source = source.map_or(String::from("orig"), |id| format!("{:06}", id.0));
    let about = format!("src:{source},execs:{}", state.executions());
    let written = queue
        .borrow_mut()
        .put(kind, input.target_bytes().to_slice(), &about);
    written.map_err(|e| Error::unknown(format!("the queue: {e}")))
}
