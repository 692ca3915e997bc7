//! An exploration that can be divided among several workers. Its frontier consists of states that fork, or of branches
//! that inputs have left open.
//!
//! It gives parts of its frontier away as prefixes, takes prefixes in, and reports how its frontier has changed. It
//! does not know the other workers: a [`Sink`] talks to them between two steps.

use crate::claim::Halt;
use crate::event::{PathEnd, Sink};
use crate::list::{Changes, Hear};
use crate::places::{Place, Places};
use crate::totals::Totals;

/// The results of an exploration at some moment.
pub trait SoFar {
    /// Its numbers.
    fn totals(&mut self) -> Totals;
    /// The news about places since the last call.
    fn news(&mut self) -> Places;
}

/// What a part of an exploration may take that ends at the same place whenever it is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Work ([`Exploration::work`]).
    pub work: u64,
    /// Forks.
    pub forks: u64,
    /// Sides that the solver has not decided are tried again when nothing else is left here; else that is for later, too.
    pub retries: bool,
}

impl Budget {
    /// Effort of the last query for such a side: it takes some seconds, far less than what a query may take, so that no clock decides it.
    pub const MOST_EFFORT: u64 = 1 << 30;
}

/// Bytes of a symbolic object of the program: a part of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectBytes {
    /// Name of the object.
    pub object: String,
    /// Offset of the first byte.
    pub offset: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// See the module.
pub trait Exploration: SoFar {
    /// Explores until everything is explored or the run is stopped. Returns why it stopped early, `None` when the exploration
    /// is complete.
    fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt>;
    /// From now on it can report its frontier ([`Exploration::changes`]), although it is the only worker.
    fn record(&mut self);
    /// Hands over: the frontier was told ([`Exploration::changes`]), and [`Exploration::run`] returns without ending any path.
    fn leave(&mut self);
    /// Can each part go on elsewhere as it would here, and may anything begin still?
    fn may_go_elsewhere(&self) -> bool;
    /// The size of the frontier.
    fn live(&self) -> usize;
    /// Are there sides that the solver has not decided?
    fn has_parked(&self) -> bool;
    /// Takes in a prefix that others gave, as the lease of this number. It is followed soon if there is plenty of memory, else when
    /// nothing else is left to run.
    ///
    /// # Errors
    /// In words: these bytes are no prefix of this program.
    fn adopt(&mut self, lease: u64, bytes: &[u8]) -> Result<(), String>;
    /// Runs an input that others have found, too, when its turn comes. Returns whether it is one of the program's.
    fn run_input(&mut self, _: &[ObjectBytes]) -> bool {
        false
    }
    /// Gives away the least deep entries, at most `n` and at most half of them. The receiver explores the paths behind
    /// them.
    fn give(&mut self, n: usize) -> Vec<Vec<u8>>;
    /// The changes of the frontier since the last call; with `whole`, all of it. New entries go to `new`, which
    /// returns whether to continue. `None`: it did not, and the entries reported in this call do not count.
    fn changes(&mut self, whole: bool, new: &mut Hear<'_>) -> Option<Changes>;
    /// Sets the memory that it may use from now on, in bytes. It spills the excess when it checks memory next.
    fn resize(&mut self, memory: u64);
    /// Asks for the places that it has not covered whether other workers have: they are no goals any more.
    fn look_at_others(&mut self, is_covered: &mut dyn FnMut(Place) -> bool);
    /// Work so far, in steps of a nanosecond or two: counted, the same in each run.
    fn work(&self) -> u64;
    /// Queries that the solver answered with a wrong model, as scripts.
    fn rejected(&self) -> Vec<String>;
    /// Nothing more is asked of it. What it has started ends; what it has in memory goes with the process, since taking it apart
    /// costs more than the run may still take.
    fn end(self: Box<Self>) {
        std::mem::forget(self);
    }
    /// The news about assumptions. Those that failed are reported once.
    fn assumptions(&mut self, _: &mut dyn Sink) -> AssumptionNews {
        AssumptionNews::default()
    }
}

/// News about assumptions: an assumption that no path gets past is an error, but only all workers together know that.
#[derive(Clone, Debug, Default)]
pub struct AssumptionNews {
    /// Instructions at which an assumption held on some path.
    pub held: Vec<u32>,
    /// Instructions at which one failed, and none has held here; with the error that it is if none does anywhere.
    pub unmet: Vec<(u32, PathEnd)>,
}
