//! The budget of a search: coefficients touched (ticks), a measure that repeats from run to run, and a
//! clock as a safety net, which is looked at rarely.

use crate::Deadline;

/// A budget that runs down.
#[derive(Clone, Debug)]
pub struct Ticks {
    left: u64,
    spent: u64,
    deadline: Option<Deadline>,
    look_at: u64,
}

/// Ticks between two looks at the clock.
const PERIOD: u64 = 200_000;

impl Ticks {
    /// A budget of this many ticks (coefficients touched), without a deadline.
    pub fn new(ticks: u64) -> Ticks {
        Ticks {
            left: ticks,
            spent: 0,
            deadline: None,
            look_at: 0,
        }
    }

    /// The same with a deadline by the clock.
    pub fn until(ticks: u64, deadline: Option<Deadline>) -> Ticks {
        Ticks {
            deadline,
            ..Ticks::new(ticks)
        }
    }

    /// A sub-budget: at most `most` ticks, never more than the rest, with the same deadline.
    pub fn part(&self, most: u64) -> Ticks {
        Ticks::until(most.min(self.left), self.deadline)
    }

    /// Spends ticks; `false` when none are left or the deadline has passed.
    #[inline]
    pub fn spend(&mut self, ticks: u64) -> bool {
        self.spent += ticks;
        self.left = self.left.saturating_sub(ticks);
        if self.spent >= self.look_at
            && let Some(end) = self.deadline
        {
            self.look_at = self.spent + PERIOD;
            if end.is_past() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_when_the_whole_does() {
        let mut whole = Ticks::until(1000, Deadline::new(0.0, None, host::Stop::never()));
        assert_eq!((whole.part(5000).left(), whole.part(10).left()), (1000, 10));
        assert!(!whole.part(10).spend(1), "the time is up for parts, too");
        assert!(!whole.spend(1));
        assert!(Ticks::new(10).part(5).spend(1));
    }
}
