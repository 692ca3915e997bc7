//! Estimates how long a run will take until everything is explored.
//!
//! The part of the tree of paths that is explored ([`explore::Counters::explored`]) says little by itself: a branch
//! near the root whose one side ends at once is half of the tree. So the estimate uses the recent growth of that part,
//! since a half to a quarter of the time ago.

use std::time::Duration;

/// When it was, in seconds, and the part that was explored.
type Mark = (f64, f64);

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outlook {
    older: Mark,
    newer: Mark,
}

impl Outlook {
    /// Seconds that are left after so much time, in which this part of all was explored, from 0 to 1; infinite where nothing comes to an end.
    pub fn left(&mut self, elapsed: Duration, explored: f64) -> f64 {
        let now = elapsed.as_secs_f64();
        if now > 2.0 * self.newer.0 {
            self.older = self.newer;
            self.newer = (now, explored);
        }
        let (since, before) = self.older;
        let pace = (explored - before) / (now - since).max(f64::MIN_POSITIVE);
        (1.0 - explored).max(0.0) / pace.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: f64, explored: impl Fn(f64) -> f64) -> f64 {
        let mut outlook = Outlook::default();
        let steps = (seconds * 100.0) as u32;
        let at = |step| f64::from(step) / 100.0;
        let left = (1..=steps).map(|step| {
            let t = at(step);
            outlook.left(Duration::from_secs_f64(t), explored(t))
        });
        left.last().unwrap()
    }

    #[test]
    fn an_even_pace_goes_on() {
        let left = after(4.0, |t| t / 10.0);
        assert!((left - 6.0).abs() < 0.5, "{left}");
    }

    #[test]
    fn what_ended_at_once_is_no_pace() {
        let left = after(4.0, |t| 0.5 + t * 1e-6);
        assert!(left > 1e5, "{left}");
        assert!(after(4.0, |_| 0.0) > 1e300);
    }
}
