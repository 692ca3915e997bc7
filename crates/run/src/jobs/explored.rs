//! What an exploration came to, whoever explored.

use crate::record::Recorder;
use explore::{Exploration, Halt, Loss, Totals};

/// See the module.
pub struct Explored {
    pub totals: Totals,
    /// The losses, as a message.
    pub halted: Option<String>,
    /// Queries that the solver answered with a wrong model.
    pub rejected: Vec<String>,
}

impl Explored {
    /// Of one worker in this process, which was stopped for this reason before it had read so many prefixes of an earlier run.
    pub fn by(
        mut all: Box<dyn Exploration>,
        halt: Option<Halt>,
        unread: u64,
        recorder: &mut Recorder,
    ) -> Explored {
        recorder.has_seen(&mut *all);
        let mut totals = recorder.so_far(all.totals());
        if let Some(halt) = halt.filter(|_| unread > 0) {
            if recorder.has_branches {
                // Each has one at least.
                totals.losses.add(Loss::Open, unread);
            } else {
                totals.counters.endings.add(halt.ending(), unread);
                totals.counters.partial += unread;
            }
        }
        let rejected = all.rejected();
        // States, memory and terms die with the process: taking them apart costs more than the run.
        std::mem::forget(all);
        Explored {
            halted: explore::left_out(halt.map(Halt::name), &totals),
            totals,
            rejected,
        }
    }
}
