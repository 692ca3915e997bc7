//! The fuzzer: LibAFL's corpus, feedback, schedule and mutators around the program that [`Server`] runs.
//!
//! An input is kept if it covers an edge that was not covered before, or so many times (AFL's classes of counts). Scheduling is
//! AFL++'s: favoured inputs first, weighted by speed, size and how often their path was taken (`explore`). Before its first
//! mutations an input is asked what it compares, and operands that stand in it are replaced by their counterparts.

use crate::Programs;
use crate::executor::{Comparing, Native};
use crate::figures::{Figures, Teller};
use crate::part::Pace;
use crate::queue;
use crate::queue::{Folder, Others, Queue};
use crate::server::{NativeSetting, Server};
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
use std::cell::{Cell, RefCell};
use std::io;
use std::iter::repeat;
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
    /// Tokens for the mutators.
    pub tokens: Vec<Vec<u8>>,
    /// Seed of its random numbers.
    pub seed: u64,
}

/// Between two looks at what others have found.
const LOOK: Duration = Duration::from_millis(50);
/// Inputs to begin with, if there are none.
const FIRST: &[&[u8]] = &[b"", b"0", b"\n", &[0; 64], &[b'A'; 64]];

/// What a user has to know goes to `tell`: a fence that is not whole. Fuzzes at this pace, until that ends it; it is asked between two inputs that are mutated.
///
/// # Errors
/// The program does not start, or files cannot be written.
pub fn fuzz(order: &Order, pace: &Pace, tell: &mut dyn FnMut(&str)) -> Result<Figures> {
    let queue = Queue::open(&order.dir).with_context(|| order.dir.display().to_string())?;
    let queue = Rc::new(RefCell::new(queue));
    let mut server =
        Server::start(&order.programs.edges, &order.setting, false).context("the program")?;
    let traced = Server::start(&order.programs.operands, &order.setting, true)
        .context("the program that reports comparisons")?;
    if let Some(warning) = server.fence.warning() {
        tell(&warning);
    }
    let counters = server.counters();
    // (Behind those of the edges is one that is always set: LibAFL takes a run without any for a mistake.)
    let (counters, all) = (counters.as_mut_ptr(), counters.len());
    let teller = Rc::new(RefCell::new(Teller::new(&queue, all - 1)));
    let is_old = Rc::new(Cell::new(false));
    // SAFETY: the counters stay where they are as long as the server lives, which the executor has together with the observers.
    let edges = unsafe { StdMapObserver::from_mut_ptr("edges", counters, all) };
    let edges = HitcountsMapObserver::new(edges).track_indices();
    // SAFETY: as above. It is looked at when the counters are classes of counts already.
    let of_ends = unsafe { StdMapObserver::from_mut_ptr("edges_of_ends", counters, all) };
    let time = TimeObserver::new("time");
    let covers = MaxMapFeedback::new(&edges);
    let calibration = CalibrationStage::ignore_stability(&covers);
    let mut feedback = feedback_or!(
        covers,
        TimeFeedback::new(&time),
        Keep(queue.clone(), is_old.clone())
    );
    let mut objective = Ends::new(&queue, of_ends.handle(), all, &is_old);
    let random = StdRand::with_seed(order.seed);
    let (corpus, solutions) = (InMemoryCorpus::<BytesInput>::new(), InMemoryCorpus::new());
    let mut state =
        StdState::new(random, corpus, solutions, &mut feedback, &mut objective).map_err(words)?;
    state.set_max_size(order.setting.max_len);
    if !order.tokens.is_empty() {
        let tokens: Tokens = order.tokens.iter().cloned().into();
        state.add_metadata(tokens);
    }
    let weighted =
        StdWeightedScheduler::with_schedule(&mut state, &edges, Some(PowerSchedule::explore()));
    let scheduler = IndexesLenTimeMinimizerScheduler::new(&edges, weighted);
    let mut fuzzer = StdFuzzer::new(scheduler, feedback, objective);
    let mut manager = SimpleEventManager::new(NopMonitor::new());
    let observers = tuple_list!(edges, of_ends, time);
    let mut executor = Native::new(server, observers, order.setting.by, teller.clone(), pace);
    let by_operands = StdMutationalStage::new(HavocScheduledMutator::new(tuple_list!(
        I2SRandReplace::new()
    )));
    let by_chance = HavocScheduledMutator::new(havoc_mutations().merge(tokens_mutations()));
    let mut stages = tuple_list!(
        calibration,
        Comparing::new(traced, by_operands),
        StdPowerMutationalStage::new(by_chance)
    );
    let own = [Folder::Queue, Folder::Crashes, Folder::Hangs];
    let own = own.map(|folder| queue.borrow().files(folder));
    let own: Vec<PathBuf> = own.into_iter().collect::<io::Result<Vec<_>>>()?.concat();
    let mut go = || -> Result<(), Error> {
        let mut try_one = |state: &mut _, executor: &mut _, bytes: Vec<u8>| {
            let input = BytesInput::new(bytes);
            fuzzer.evaluate_input(state, executor, &mut manager, &input)
        };
        for (path, is_own) in own
            .iter()
            .zip(repeat(true))
            .chain(order.seeds.iter().zip(repeat(false)))
        {
            is_old.set(is_own);
            // (One that is gone meanwhile, or cannot be read, was told when the corpus was looked at.)
            if let Ok(bytes) = queue::read(path, order.setting.max_len) {
                try_one(&mut state, &mut executor, bytes)?;
            }
        }
        is_old.set(false);
        if state.corpus().count() == 0 {
            for bytes in FIRST {
                let bytes = bytes[..bytes.len().min(order.setting.max_len)].to_vec();
                try_one(&mut state, &mut executor, bytes)?;
            }
        }
        if state.corpus().count() == 0 {
            // All crash or hang: one has to be there.
            let empty = BytesInput::new(Vec::new());
            fuzzer.add_input(&mut state, &mut executor, &mut manager, empty)?;
        }
        teller.borrow_mut().imported = state.corpus().count();
        let mut others = Others::of(&order.dir);
        let mut look_at = Instant::now();
        loop {
            let now = Instant::now();
            if now >= look_at {
                look_at = now + LOOK;
                let before = state.corpus().count();
                for bytes in others.news(order.setting.max_len) {
                    let input = BytesInput::new(bytes);
                    fuzzer.evaluate_input(&mut state, &mut executor, &mut manager, &input)?;
                }
                teller.borrow_mut().imported += state.corpus().count() - before;
            }
            fuzzer.fuzz_one(&mut stages, &mut executor, &mut state, &mut manager)?;
            pace.rest(now);
        }
    };
    match go() {
        Ok(()) | Err(Error::ShuttingDown) => Ok(teller.borrow_mut().tell(&state)?),
        Err(error) => Err(anyhow!("{error}")),
    }
}

fn words(error: Error) -> anyhow::Error {
    anyhow!("{error}")
}

/// Writes what other feedbacks find interesting to the queue, unless it is read from there; by itself it finds nothing so.
struct Keep(Rc<RefCell<Queue>>, Rc<Cell<bool>>);

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
        if self.1.get() {
            return Ok(());
        }
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
    /// The inputs that are there already are read.
    is_old: Rc<Cell<bool>>,
}

impl Ends {
    fn new(
        queue: &Rc<RefCell<Queue>>,
        counters: Handle<StdMapObserver<'static, u8, false>>,
        all: usize,
        is_old: &Rc<Cell<bool>>,
    ) -> Ends {
        Ends {
            queue: queue.clone(),
            counters,
            passed: [vec![0; all], vec![0; all]],
            last: Folder::Crashes,
            is_old: is_old.clone(),
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
        if self.is_old.get() {
            return Ok(());
        }
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
