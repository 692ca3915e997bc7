//! How much this thread has evaluated and propagated, in steps of a nanosecond or two: a measure that repeats from run to
//! run, where seconds depend on how busy the machine is.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Adds steps.
#[inline]
pub fn spend(steps: u64) {
    STEPS.with(|sum| sum.set(sum.get().wrapping_add(steps)));
}

/// The steps so far.
#[inline]
pub fn spent() -> u64 {
    STEPS.with(Cell::get)
}
