//! One worker in the user's own process. If the run may have more and turns out to be long, others go on with what it has left.

use super::{Begin, Explored, Outcome};
use dse::{Counted, Explorer};
use host::shelf::Shelf;
use jvm::{Java, Part};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long there has to have been something to give to others, until others begin: they start a JVM each, and load the classes
/// again.
const RICH: Duration = Duration::from_secs(2);

/// When others go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Never.
    Never,
    /// When there has been something to give to them for a while.
    Later,
    /// At once.
    Now,
}

/// How it ended.
pub enum End {
    /// It explored everything, or was stopped for this reason.
    Over(Option<String>),
    /// Others go on.
    Shared,
}

/// See the module.
pub struct Solo<'a> {
    pub explorer: Explorer,
    pub target: Java<'a>,
}

impl Solo<'_> {
    /// Explores until everything is explored, the run has to end, or others go on.
    pub fn explore(&mut self, others: When) -> End {
        let mut rich_since: Option<Instant> = None;
        loop {
            if let Some(why) = dse::Target::must_end(&mut self.target) {
                return End::Over(Some(why));
            }
            let has_plenty = self.explorer.live() > 1;
            match others {
                When::Now => return End::Shared,
                When::Later if has_plenty => {
                    if rich_since.get_or_insert_with(Instant::now).elapsed() > RICH {
                        return End::Shared;
                    }
                }
                When::Later | When::Never => rich_since = None,
            }
            if !self.explorer.step(&mut self.target) {
                return End::Over(None);
            }
        }
    }

    /// What is left, for others; it goes on the shelf.
    pub fn leave(self, shelf: &Shelf) -> Begin {
        self.hand_over(shelf, &mut || true)
    }

    /// The same if it takes no longer than until this moment.
    pub fn leave_before(self, until: Instant, shelf: &Shelf) -> Option<Begin> {
        let mut has_time = true;
        let begin = self.hand_over(shelf, &mut || {
            has_time = has_time && Instant::now() < until;
            has_time
        });
        has_time.then_some(begin)
    }

    /// Each part for which there is time.
    fn hand_over(mut self, shelf: &Shelf, has_time: &mut dyn FnMut() -> bool) -> Begin {
        let mut parts = Vec::new();
        let target = &self.target;
        let parked = self.explorer.each_part(&mut |_, part| {
            if !has_time() {
                return;
            }
            let bytes = Part::of(target, &part()).to_bytes();
            parts.push(Arc::new(shelf.put(bytes)));
        });
        if has_time() {
            parts.extend(self.target.take_aside().into_iter().map(Arc::new));
        }
        let parked = parked.into_iter().map(|(why, n)| (why.to_string(), n));
        let counted = Counted {
            parked: parked.collect(),
            ..Counted::default()
        };
        let explored = Explored::of(&self.explorer.stats, 0).settled(&counted);
        // Terms die with the process: taking them apart costs more than it gives.
        std::mem::forget(self.explorer);
        let mut totals = self.target.totals();
        totals.jvm_s = 0.0;
        Begin {
            parts,
            totals,
            explored,
            rejected: self.target.rejected().to_vec(),
            places: self.target.into_places(),
        }
    }

    /// What came of it, if no others go on.
    pub fn outcome(&mut self, stopped: Option<String>) -> Outcome {
        let open = self.explorer.left_open() + self.explorer.cut() + self.target.aside();
        let explored = Explored::of(&self.explorer.stats, open);
        let mut totals = self.target.totals();
        // It ends here.
        totals.jvm_s = 0.0;
        Outcome {
            totals,
            explored,
            methods: self.target.methods(),
            rejected: self.target.rejected().to_vec(),
            workers: Vec::new(),
            has_nothing_left: stopped.is_none(),
            stopped,
        }
    }
}
