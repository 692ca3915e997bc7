//! What a search may spend: coefficients touched, a measure that repeats from run to run, and a
//! clock as a safety net, looked at rarely.

use std::time::Instant;

/// A budget that runs down.
#[derive(Clone, Debug)]
pub struct Ticks {
    left: u64,
    spent: u64,
    deadline: Option<Instant>,
    look_at: u64,
}

/// Ticks between two looks at the clock.
const PERIOD: u64 = 200_000;

impl Ticks {
    /// So many coefficients.
    pub fn new(ticks: u64) -> Ticks {
        Ticks {
            left: ticks,
            spent: 0,
            deadline: None,
            look_at: 0,
        }
    }

    /// The same with an end by the clock.
    pub fn until(ticks: u64, deadline: Option<Instant>) -> Ticks {
        Ticks {
            deadline,
            ..Ticks::new(ticks)
        }
    }

    /// Takes ticks; `false` when there are none left.
    #[inline]
    pub fn spend(&mut self, ticks: u64) -> bool {
        self.spent += ticks;
        self.left = self.left.saturating_sub(ticks);
        if self.spent >= self.look_at
            && let Some(end) = self.deadline
        {
            self.look_at = self.spent + PERIOD;
            if Instant::now() >= end {
                self.left = 0;
            }
        }
        self.left > 0
    }

    /// Ticks spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Ticks left.
    pub fn left(&self) -> u64 {
        self.left
    }
}
