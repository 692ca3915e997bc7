//! Decides when progress is reported again.

use std::time::{Duration, Instant};

/// Between two times.
const EVERY: Duration = Duration::from_millis(100);

/// Due about ten times a second.
pub struct Ticker(Instant);

impl Default for Ticker {
    /// Due at once, the first time.
    fn default() -> Ticker {
        Ticker(Instant::now())
    }
}

impl Ticker {
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
