//! Many functions, one budget: in which order they are explored, and for how long each.
//!
//! `polypath test` of a library and `polypath java test` share it. First each function is looked at once, those that are likely to
//! pay first; then the one goes on whose last part found most in its time, with parts that double. One of which nothing is known yet, as
//! its parts were too short for a single path, goes before each that has had as many parts or more. Where two of three first looks are too short
//! (a machine that has other work, functions that are slow to begin), the next ones are twice as long: some that are served are better
//! than none. What was explored to its end, or cannot be explored, leaves. It is the idea of a bandit with greedy choices: what a function found last tells what it will find,
//! and no constant weighs one against the other.

pub mod pay;

use std::time::Duration;

/// The longest first look.
const FIRST: Duration = Duration::from_secs(10);
/// First looks that are too short before the next ones are longer, at least. (The first ones of all may wait for what the others find: a JVM that starts.)
const MISSES: u32 = 8;
/// A rest of the budget in which nothing begins.
const NOTHING: Duration = Duration::from_millis(500);

/// How functions share what is left.
#[derive(Debug)]
pub struct Shares {
    /// In the order in which they begin.
    items: Vec<Share>,
    /// What a function needs at least to show anything, as far as is known.
    least: Duration,
    /// First looks of this length: those that showed something, and those that were too short.
    looks: [u32; 2],
    /// So many are explored at the same time.
    at_once: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Share {
    state: ShareState,
    /// All that it has used.
    used: Duration,
    /// Parts that are over.
    parts: u32,
    /// Found for each second of its last part; `None`: nothing is known of it.
    rate: Option<f64>,
}

/// What a part showed of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// No path came to its end: nothing is known of it.
    Nothing,
    /// So much that nobody had shown.
    New(u64),
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
            looks: [0, 0],
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
                let (at, share) = self.due()?;
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

    /// Who goes on, of those that have had a part and can.
    fn due(&self) -> Option<(usize, &Share)> {
        let open = self.items.iter().enumerate();
        let open = open.filter(|(_, share)| share.state == ShareState::Open);
        let (known, unknown): (Vec<_>, Vec<_>) = open.partition(|(_, share)| share.rate.is_some());
        let unknown = unknown.into_iter().min_by_key(|(_, share)| share.parts);
        let rate = |share: &Share| share.rate.unwrap_or(0.0);
        // Of those that found nothing, the one that has had the least time.
        let known = known.into_iter().min_by(|(_, a), (_, b)| {
            let by_rate = rate(b).total_cmp(&rate(a));
            by_rate.then(a.used.cmp(&b.used))
        });
        match (unknown, known) {
            (Some(unknown), Some(known)) if unknown.1.parts <= known.1.parts => Some(unknown),
            (unknown, known) => known.or(unknown),
        }
    }

    /// A first look is over: was it long enough? It was if it showed something or came to the function's end, where each path may be an error.
    fn learn(&mut self, was_enough: bool) {
        let [showed, missed] = &mut self.looks;
        if was_enough {
            *showed += 1;
        } else {
            *missed += 1;
        }
        // Looks of twice the length are half as many.
        if *missed >= MISSES && *missed > 2 * *showed && self.least < FIRST {
            self.least *= 2;
            self.looks = [0, 0];
        }
    }

    /// The part is over: how long it took, and what it showed. Is the function explored to its end, or nothing to explore?
    pub fn ended(&mut self, at: usize, took: Duration, shown: Shown, is_over: bool) {
        if self.items[at].parts == 0 {
            self.learn(is_over || shown != Shown::Nothing);
        }
        let share = &mut self.items[at];
        share.used += took;
        share.parts += 1;
        share.rate = match shown {
            Shown::Nothing => share.rate,
            Shown::New(found) => Some(found as f64 / took.as_secs_f64().max(0.01)),
        };
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
            shares.ended(part.at, part.time, Shown::New(found), is_over);
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

    /// First looks that are too short for some functions, whatever the machine is: they have their next turns before others have as many.
    #[test]
    fn what_came_to_no_path_has_another_turn_before_others_have_a_third() {
        let mut shares = Shares::new(6, LEAST, 1);
        let mut left = Duration::from_secs(300);
        let mut turns: Vec<usize> = Vec::new();
        while let Some(part) = shares.next(left) {
            left = left.saturating_sub(part.time);
            turns.push(part.at);
            // The others always find something new.
            let is_short = part.at >= 4 && !part.goes_on;
            let shown = if is_short {
                Shown::Nothing
            } else {
                Shown::New(100)
            };
            shares.ended(part.at, part.time, shown, false);
        }
        assert_eq!(turns[..6], [0, 1, 2, 3, 4, 5], "{turns:?}");
        let nth = |at: usize, n: usize| turns.iter().enumerate().filter(|(_, t)| **t == at).nth(n);
        let second = [4, 5].map(|at| nth(at, 1).expect("a second turn").0);
        let third = (0..4).filter_map(|at| nth(at, 2)).map(|(turn, _)| turn);
        let third = third.min().expect("a third turn");
        assert!(second.iter().all(|&turn| turn < third), "{turns:?}");
    }

    /// One that never comes to a path leaves the others their time.
    #[test]
    fn what_never_comes_to_a_path_has_no_more_turns_than_others() {
        let mut shares = Shares::new(2, LEAST, 1);
        let mut left = Duration::from_secs(2000);
        let mut turns = [0, 0];
        while let Some(part) = shares.next(left) {
            left = left.saturating_sub(part.time);
            turns[part.at] += 1;
            let shown = if part.at == 0 {
                Shown::Nothing
            } else {
                Shown::New(1)
            };
            shares.ended(part.at, part.time, shown, false);
            assert!(turns[0] <= turns[1] + 1, "{turns:?}");
        }
    }

    /// All functions need a few seconds for a path, which are more than the least: some are served, and most of the time is theirs.
    #[test]
    fn where_first_looks_are_too_short_the_next_ones_are_longer() {
        let mut shares = Shares::new(157, Duration::from_millis(750), 1);
        let mut left = Duration::from_secs(60);
        let mut served = [false; 157];
        while let Some(part) = shares.next(left) {
            left = left.saturating_sub(part.time);
            let is_enough = part.time >= Duration::from_millis(2500);
            served[part.at] |= is_enough;
            let shown = if is_enough {
                Shown::New(1)
            } else {
                Shown::Nothing
            };
            shares.ended(part.at, part.time, shown, is_enough);
        }
        let served = served.iter().filter(|s| **s).count();
        assert!(served >= 10, "{served}");
        // One that is slow among many makes no look longer.
        let mut shares = Shares::new(20, LEAST, 1);
        for at in 0..20 {
            let part = shares.next(Duration::from_secs(4)).expect("there is time");
            assert_eq!((part.at, part.time), (at, LEAST));
            let shown = if at % 4 == 0 {
                Shown::Nothing
            } else {
                Shown::New(1)
            };
            shares.ended(at, part.time, shown, false);
        }
        // Nor do functions that are explored to their ends without a path that returns.
        let mut shares = Shares::new(20, LEAST, 1);
        for at in 0..20 {
            let part = shares.next(Duration::from_secs(4)).expect("there is time");
            assert_eq!((part.at, part.time), (at, LEAST));
            shares.ended(at, part.time, Shown::Nothing, true);
        }
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
