//! An exploration that can be divided among several workers, whatever it divides: states that fork, or branches that inputs have
//! left open.
//!
//! It gives parts of its frontier away as prefixes, takes prefixes in, and says how its frontier has changed. Who
//! the others are, and how they hear of it, is not known here: a [`Sink`] does that between two steps.

use crate::claim::Halt;
use crate::event::{PathEnd, Sink};
use crate::list::{Changes, Told};
use crate::places::{Place, Places};
use crate::totals::Totals;

/// What an exploration has come to at some moment.
pub trait SoFar {
    /// Its numbers.
    fn totals(&mut self) -> Totals;
    /// What it has to say of places since this was asked last.
    fn news(&mut self) -> Places;
}

/// See the module.
pub trait Exploration: SoFar {
    /// Explores until everything is explored or the run is stopped. Returns why it stopped early, `None` when the exploration
    /// is complete.
    fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt>;
    /// From now on it can say what its frontier is ([`Exploration::changes`]), although nobody else explores.
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
    /// Gives away what is least deep, at most `n` and at most half of it. Who takes it explores what it leads to.
    fn give(&mut self, n: usize) -> Vec<Vec<u8>>;
    /// How the frontier has changed since this was asked last; with `whole`, all of it. New entries
    /// go to `new`, which says whether to go on. `None`: it did not; then nothing that was
    /// told counts.
    fn changes(&mut self, whole: bool, new: &mut dyn FnMut(Told) -> bool) -> Option<Changes>;
    /// It may take so many bytes of memory from now on. It lets go of what is too much when it looks at memory next.
    fn resize(&mut self, memory: u64);
    /// Asks of places that it has not covered whether others have: nobody needs to look for these any more.
    fn look_at_others(&mut self, is_covered: &mut dyn FnMut(Place) -> bool);
    /// Work so far, in steps of a nanosecond or two: counted, the same in each run.
    fn work(&self) -> u64;
    /// Queries that the solver answered with a wrong model, as scripts.
    fn rejected(&self) -> Vec<String>;
    /// What is known of assumptions. Those that failed are told once.
    fn assumptions(&mut self, _: &mut dyn Sink) -> AssumptionNews {
        AssumptionNews::default()
    }
}

/// What is known of assumptions: one that no path gets past is an error, but only all workers together know.
#[derive(Clone, Debug, Default)]
pub struct AssumptionNews {
    /// Instructions at which an assumption held on some path.
    pub held: Vec<u32>,
    /// Instructions at which one failed, and none has held here; with the error that it is if none does anywhere.
    pub unmet: Vec<(u32, PathEnd)>,
}
