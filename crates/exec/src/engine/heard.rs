//! Inputs that others find while the exploration goes on ([`Exploration::run_input`](explore::Exploration::run_input)).
//!
//! Each runs ahead of the exploration, as those of live states do: a copy of the program's start has it as its witness, and goes to the end
//! of the program without a fork and without a query. What it covers guides the search, and it leaves a test if that is new. No path
//! counts; the exploration comes to it in its own time.

use super::Engine;
use super::live::Until;
use explore::Sink;

/// Work that they may take between two looks, together, and a quarter of it for one: about a second.
const WORK: u64 = 1_000_000_000;

impl Engine {
    /// Runs the inputs that have come, as far as the time for them lasts.
    pub(super) fn run_heard(&mut self, sink: &mut dyn Sink) {
        if self.heard.is_empty() || self.worker.limits.budget.is_some() {
            return;
        }
        let until = Until::Work(self.worker.work() + WORK);
        while self.goes_on(until, sink) {
            let Some(input) = self.heard.pop_front() else {
                return;
            };
            let Some(start) = self.first.get(input.start) else {
                continue;
            };
            let mut copy = Box::new(start.fork(&mut self.worker.machine.tlb));
            copy.witness = input.values;
            self.run_one(&mut copy, until, sink);
        }
    }
}
