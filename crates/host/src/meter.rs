//! Sums up processor time of pieces too short for the system's clock, which would cost more than some of them.
//!
//! Short pieces are measured by a counter that goes on when the thread does not run. A piece that is longer than [`COARSE`], in
//! which the system may have let others run, is corrected by the thread's processor time, for which a moment shortly before the
//! piece is kept.

use crate::clock;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Ticks between two looks at the thread's processor time, about: 1 to 2 ms.
const COARSE: u64 = 1 << 22;

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

/// A stop watch of one thread, which may be entered again while it runs.
#[derive(Debug)]
pub struct Meter {
    sum: u64,
    depth: u32,
    entered: u64,
    /// A moment before, and the thread's processor time then.
    before: (u64, Duration),
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
            before: (0, Duration::ZERO),
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
            if self.entered.wrapping_sub(self.before.0) > COARSE {
                self.look();
            }
        }
        self.depth += 1;
    }

    /// The piece entered last is over.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            let piece = ticks().saturating_sub(self.entered);
            self.sum += if piece > COARSE {
                self.on_processor(piece)
            } else {
                piece
            };
        }
    }

    /// Keeps the moment when a piece begins.
    #[cold]
    fn look(&mut self) {
        self.before = (self.entered, clock::thread_time());
    }

    /// The ticks of a long piece, which ends now, in which the thread ran.
    #[cold]
    fn on_processor(&self, piece: u64) -> u64 {
        let (then, time) = self.before;
        let ran = clock::thread_time().saturating_sub(time).as_secs_f64();
        let tick = self.tick().max(f64::MIN_POSITIVE);
        // Until the piece began it ran: that was short.
        let first = self.entered.saturating_sub(then);
        ((ran / tick) as u64).saturating_sub(first).min(piece)
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
    fn nested_pieces_count_once_and_without_the_time_of_others() {
        // Processor time, however many others there are.
        let work = |time: Duration| {
            let end = clock::thread_time() + time;
            while clock::thread_time() < end {}
        };
        let mut meter = Meter::default();
        for time in [10, 1, 10].map(Duration::from_millis) {
            meter.enter();
            work(time);
            meter.enter();
            std::thread::sleep(Duration::from_millis(40));
            meter.leave();
            meter.leave();
            work(Duration::from_millis(20));
        }
        let sum = meter.seconds();
        // (Looking at the clock takes a part, too, and a moment before each piece may count.)
        assert!(sum > 0.020 && sum < 0.035, "{sum}");
        meter.enter();
        meter.enter();
        meter.leave_all();
        let ended = meter.sum;
        meter.leave();
        assert!(meter.sum >= ended && meter.depth == 0);
    }
}
