//! Many functions, one budget: in which order they are explored, and for how long each.
//!
//! `polypath test` of a library and `polypath java test` share it. First each function is looked at once, those that are likely to
//! pay first; then the one goes on whose last part found most in its time, with parts that double. What was explored to its end, or
//! cannot be explored, leaves. It is the idea of a bandit with greedy choices: what a function found last tells what it will find,
//! and no constant weighs one against the other.

pub mod pay;

use std::time::Duration;

/// The longest first look.
const FIRST: Duration = Duration::from_secs(10);
/// A rest of the budget in which nothing begins.
const NOTHING: Duration = Duration::from_millis(500);

/// How functions share what is left.
#[derive(Debug)]
pub struct Shares {
    /// In the order in which they begin.
    items: Vec<Share>,
    /// What a function needs at least to show anything.
    least: Duration,
    /// So many are explored at the same time.
    at_once: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Share {
    state: ShareState,
    /// All that it has used.
    used: Duration,
    /// Found for each second of its last part.
    rate: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ShareState {
    #[default]
    Fresh,
    /// It is explored just now.
    Running,
    /// It was stopped by the end of its part, and can go on.
    Open,
    Over,
}

/// A part of the budget for one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetPart {
    /// Whose it is.
    pub at: usize,
    pub time: Duration,
    /// It has had one before.
    pub goes_on: bool,
}

impl Shares {
    /// For so many functions, of which each needs `least` to show anything, and `at_once` are explored at the same time.
    pub fn new(count: usize, least: Duration, at_once: usize) -> Shares {
        Shares {
            items: vec![Share::default(); count],
            least,
            at_once: u32::try_from(at_once).unwrap_or(u32::MAX).max(1),
        }
    }

    /// Who goes on, and for how long, when so much of the budget is left; `None` if nobody does.
    pub fn next(&mut self, left: Duration) -> Option<BudgetPart> {
        if left < NOTHING {
            return None;
        }
        let is = |state: ShareState| move |share: &Share| share.state == state;
        let fresh = self.items.iter().filter(|s| is(ShareState::Fresh)(s));
        let fresh = u32::try_from(fresh.count()).unwrap_or(u32::MAX);
        let (at, time) = match self.items.iter().position(is(ShareState::Fresh)) {
            // Half of what is left is for first looks.
            Some(at) => {
                let even = left.saturating_mul(self.at_once) / 2 / fresh.max(1);
                (at, even.clamp(self.least, FIRST.max(self.least)))
            }
            None => {
                let open = self.items.iter().enumerate();
                let open = open.filter(|(_, share)| share.state == ShareState::Open);
                // Of those that found nothing, the one that has had the least time.
                let (at, share) = open
                    .min_by(|(_, a), (_, b)| b.rate.total_cmp(&a.rate).then(a.used.cmp(&b.used)))?;
                (at, share.used.max(self.least * 2))
            }
        };
        let share = &mut self.items[at];
        let goes_on = share.state == ShareState::Open;
        share.state = ShareState::Running;
        // A rest that is too short for another one belongs to this one.
        let rest = left.saturating_sub(time);
        let time = if rest < self.least { left } else { time };
        Some(BudgetPart { at, time, goes_on })
    }

    /// The part is over: how long it took, and what it found that nobody had found before. Is the function explored to its end,
    /// or nothing to explore?
    pub fn ended(&mut self, at: usize, took: Duration, found: u64, is_over: bool) {
        let share = &mut self.items[at];
        share.used += took;
        share.rate = found as f64 / took.as_secs_f64().max(0.01);
        share.state = if is_over {
            ShareState::Over
        } else {
            ShareState::Open
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Explores until the budget is used up: (who, seconds) of each part.
    fn course(
        mut shares: Shares,
        mut left: u64,
        mut found: impl FnMut(usize, u64) -> (u64, bool),
    ) -> Vec<(usize, u64)> {
        let mut parts = Vec::new();
        while let Some(part) = shares.next(Duration::from_secs(left)) {
            let took = part.time.as_secs();
            left = left.saturating_sub(took);
            parts.push((part.at, took));
            let (found, is_over) = found(part.at, took);
            shares.ended(part.at, part.time, found, is_over);
        }
        parts
    }

    const LEAST: Duration = Duration::from_secs(2);

    #[test]
    fn what_still_finds_goes_on_and_what_is_explored_leaves() {
        // The first is explored at once, the second finds nothing more, the third finds on.
        let parts = course(Shares::new(3, LEAST, 1), 60, |at, took| match at {
            0 => (5, true),
            1 => (0, false),
            _ => (took, false),
        });
        assert_eq!(parts[..3], [(0, 10), (1, 10), (2, 10)]);
        assert_eq!(parts[3..], [(2, 10), (2, 20)], "{parts:?}");
        // Where nobody finds anything, time is even.
        let parts = course(Shares::new(2, LEAST, 1), 24, |_, _| (0, false));
        let of = |who| -> u64 { parts.iter().filter(|p| p.0 == who).map(|p| p.1).sum() };
        assert_eq!(of(0) + of(1), 24);
        assert!(of(0).abs_diff(of(1)) <= 8, "{parts:?}");
    }

    #[test]
    fn a_budget_that_is_too_small_serves_the_first_ones_and_names_the_rest() {
        let parts = course(Shares::new(20, LEAST, 1), 10, |_, _| (1, false));
        let who: Vec<usize> = parts.iter().map(|p| p.0).collect();
        assert_eq!(who, [0, 1, 2, 3, 4]);
        // Two at a time have twice the time.
        let mut shares = Shares::new(20, LEAST, 2);
        let part = shares
            .next(Duration::from_secs(100))
            .expect("there is time");
        assert_eq!(part.time, Duration::from_secs(5));
        assert!(shares.next(Duration::from_millis(100)).is_none());
    }
}
