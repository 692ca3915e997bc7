//! An exploration that can be divided among several workers, whatever it divides: states that fork, or branches that inputs have
//! left open.
//!
//! It gives parts of what is left away as prefixes, takes prefixes in, and says what has changed of what it has to explore. Who
//! the others are, and how they hear of it, is not known here: a [`Sink`] does that between two steps.

use crate::endings::Halt;
use crate::event::{Ended, PathEnd, Sink};
use dse::{Changes, Told};

use crate::worker::Worker;
use host::shelf::Shelf;
use ir::{Pc, SiteId};

/// See the module.
pub trait Exploration {
    /// Explores until everything is explored or the run is stopped. Returns why it stopped early, `None` when the exploration
    /// is complete.
    fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt>;
    /// Who runs the program.
    fn worker(&mut self) -> &mut Worker;
    /// The same, when nothing more is explored.
    fn into_worker(self: Box<Self>) -> Worker;
    /// From now on it can say what it has to explore ([`Exploration::changes`]), although nobody else explores.
    fn record(&mut self);
    /// Of what waits, what is too much for memory goes to the disk.
    fn spill_to(&mut self, shelf: &Shelf);
    /// Others explore what is left, which was told ([`Exploration::changes`]): [`Exploration::run`] ends, and no path with it.
    fn leave(&mut self);
    /// Can each part go on elsewhere as it would here, and may anything begin still?
    fn may_go_elsewhere(&self) -> bool;
    /// How much is there to do.
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
    /// What has changed since this was asked last of what there is to explore; with `whole`, all that there is. New entries
    /// go to `new`, which says whether to go on. `None`: it did not; then nothing that was
    /// told counts.
    fn changes(&mut self, whole: bool, new: &mut dyn FnMut(Told) -> bool) -> Option<Changes>;
    /// It may take so many bytes of memory from now on. It lets go of what is too much when it looks at memory next.
    fn resize(&mut self, memory: u64);
    /// Others have covered this site: nobody needs to look for it any more.
    fn covered_elsewhere(&mut self, site: SiteId);
}

/// The machine's word on assumptions: one that no path gets past is an error, but only all workers together know.
#[derive(Clone, Debug, Default)]
pub struct AssumptionNews {
    /// Instructions at which an assumption held on some path.
    pub held: Vec<Pc>,
    /// Instructions at which one failed, and none has held here; with the error that it is if none does anywhere.
    pub unmet: Vec<(Pc, PathEnd)>,
}

impl Worker {
    /// What is known of assumptions. Those that failed are told once.
    pub fn assumptions(&mut self, sink: &mut dyn Sink) -> AssumptionNews {
        let m = &mut self.machine;
        let held = m.held_assumptions().collect();
        let mut unmet = Vec::new();
        m.tell_unmet(&mut |m, s, why| {
            let end = Ended {
                why: &why,
                is_new: true,
            };
            let wants_input = sink.wants_input(s, &end);
            unmet.push((s.pc, m.path_end(s, &end, wants_input)));
        });
        AssumptionNews { held, unmet }
    }
}
