//! What both ways to run, forking states and one input after the other, do beside running.

use std::time::{Duration, Instant};

/// How often the user hears of the run.
const EVERY: Duration = Duration::from_millis(100);

/// Says when the user is to hear of the run again.
pub(crate) struct Ticker(Instant);

impl Ticker {
    /// At once, the first time.
    pub fn new() -> Ticker {
        Ticker(Instant::now())
    }

    /// Is it time? Then the next time is a tenth of a second later.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.0;
        if is_due {
            self.0 = now + EVERY;
        }
        is_due
    }
}
