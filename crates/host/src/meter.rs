//! Sums up time of pieces too short for the system's clock, which would cost more than some of them.

use std::cell::Cell;
use std::time::Instant;

/// The processor's own counter: some 10 ns for a look, against 25 of the system's clock.
#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: the instruction only reads a counter.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    static FIRST: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    FIRST.elapsed().as_nanos() as u64
}

/// A stop watch that may be entered again while it runs.
#[derive(Debug)]
pub struct Meter {
    sum: u64,
    depth: u32,
    entered: u64,
    /// Both clocks when it was made: what a tick is.
    made: (Instant, u64),
    /// Seconds of a tick as last measured, and the ticks at which to measure it again.
    tick: Cell<(f64, u64)>,
}

impl Default for Meter {
    fn default() -> Meter {
        Meter {
            sum: 0,
            depth: 0,
            entered: 0,
            made: (Instant::now(), ticks()),
            tick: Cell::new((0.0, 0)),
        }
    }
}

impl Meter {
    /// A piece begins.
    #[inline]
    pub fn enter(&mut self) {
        if self.depth == 0 {
            self.entered = ticks();
        }
        self.depth += 1;
    }

    /// The piece entered last is over.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.sum += ticks().saturating_sub(self.entered);
        }
    }

    /// All pieces are over: one ended by a panic.
    pub fn leave_all(&mut self) {
        if self.depth > 0 {
            self.depth = 1;
            self.leave();
        }
    }

    /// The sum so far, in ticks: for [`Meter::seconds_since`].
    #[inline]
    pub fn mark(&self) -> u64 {
        self.sum
    }

    /// What was added since a mark, in seconds.
    #[inline]
    pub fn seconds_since(&self, mark: u64) -> f64 {
        match self.sum - mark {
            0 => 0.0,
            ticks => ticks as f64 * self.tick(),
        }
    }

    /// The sum, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds_since(0)
    }

    /// Seconds of a tick: both clocks since the meter was made. Measured again whenever that time has doubled.
    #[inline]
    fn tick(&self) -> f64 {
        let (tick, until) = self.tick.get();
        if self.entered < until {
            return tick;
        }
        self.measure_tick()
    }

    #[cold]
    fn measure_tick(&self) -> f64 {
        let (begun, first) = self.made;
        let now = ticks();
        let passed = now.saturating_sub(first).max(1);
        let tick = begun.elapsed().as_secs_f64() / passed as f64;
        self.tick.set((tick, now.saturating_add(passed)));
        tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn nested_pieces_count_once() {
        let mut meter = Meter::default();
        let begun = Instant::now();
        for _ in 0..3 {
            meter.enter();
            meter.enter();
            std::thread::sleep(Duration::from_millis(10));
            meter.leave();
            meter.leave();
        }
        let passed = begun.elapsed().as_secs_f64();
        std::thread::sleep(Duration::from_millis(10));
        let sum = meter.seconds();
        assert!(
            sum > 0.025 && sum < 1.05 * passed + 0.001,
            "{sum} of {passed}"
        );
        meter.enter();
        meter.enter();
        meter.leave_all();
        let ended = meter.sum;
        meter.leave();
        assert!(meter.sum >= ended && meter.depth == 0);
    }
}
