//! What live states may take for their tests, and when it is time for them.

use std::time::{Duration, Instant};

/// The share of the run's time in which the inputs of live states run on to the end of the program: a part of it now and then while the run
/// goes on, the rest at its end. See `engine::live`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveTests {
    /// From 0 (none) to 1.
    pub share: f64,
    /// Each live state gets a test at the end, whatever it covers.
    pub every: bool,
    /// When the run began, and its limit.
    pub wall: Option<(Instant, Duration)>,
    /// Processor time of this process that had passed when the limit of processor time began to count, and the limit.
    pub cpu: Option<(Duration, Duration)>,
    /// Processor time of children that have ended counts, too.
    pub with_children: bool,
}

/// The part of the share that is for the end in any case.
const AT_END: f64 = 0.5;

impl LiveTests {
    /// The time that is left, and the whole; `None`: nobody knows.
    pub(crate) fn left(&self) -> Option<(Duration, Duration)> {
        let wall = self.wall.map(|(began, limit)| {
            let left = (began + limit).saturating_duration_since(Instant::now());
            (left, limit)
        });
        let cpu = self.cpu.map(|(before, limit)| {
            let spent = if self.with_children {
                host::clock::family_time()
            } else {
                host::clock::process_time()
            };
            let spent = spent.saturating_sub(before);
            (limit.saturating_sub(spent), limit)
        });
        wall.into_iter().chain(cpu).min()
    }

    /// The time at the end that is theirs, of so much in all, after they had so much before.
    pub(crate) fn reserve(&self, whole: Duration, spent: Duration) -> Duration {
        let share = whole.mul_f64(self.share);
        share.saturating_sub(spent).max(share.mul_f64(AT_END))
    }

    /// The work that is theirs while the run goes on, of so much in all.
    pub(crate) fn work(&self, whole: u64) -> u64 {
        (whole as f64 * self.share * (1.0 - AT_END)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_limit_counts() {
        let hour = Duration::from_secs(3600);
        let none = LiveTests {
            share: 0.1,
            ..LiveTests::default()
        };
        assert_eq!(none.left(), None);
        let limited = LiveTests {
            wall: Some((Instant::now(), hour)),
            cpu: Some((host::clock::process_time(), 2 * hour)),
            ..none
        };
        let (left, whole) = limited.left().expect("a limit");
        assert!(left <= hour && left > hour / 2, "{left:?}");
        assert_eq!(whole, hour);
        assert_eq!(limited.reserve(whole, Duration::ZERO), hour.mul_f64(0.1));
        assert_eq!(limited.reserve(whole, hour), hour.mul_f64(0.05));
        assert_eq!(limited.work(1000), 50);
    }
}
