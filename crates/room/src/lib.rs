//! Memory of this process, counted where it is allocated.
//!
//! What is resident only the system knows, and asking it takes a system call. It includes what was freed: the allocator
//! keeps that for a while, since memory that goes back to the system has to be cleared before it is used again, which
//! takes a second for a gigabyte on some machines. [`Counting`] adds up what the allocator gives out, so that
//! [`used`] is known at every moment for two loads, without what is free inside the allocator. Only when what is resident comes close
//! to the limit does a [`sample`] make the allocator give it back ([`on_full`]).
//!
//! Whoever is about to allocate by the size of something in the program under test (a
//! page, a symbolic array, the bytes of a system call) says so by [`need`] before. When that does not fit under the
//! limit, the work at hand is given up: it unwinds to the [`within_limit`] around it, which tells. Outside of one,
//! nothing is refused: what the engine does for itself (to write a test, to collect) has to be finished.
//!
//! Incomplete: memory of C++ parts (a SAT solver) and gaps between blocks are seen when what is resident comes close to the
//! limit, and large buffers that nobody announced when the next announcement comes. Who samples all the time, and ends the
//! process in the last resort, is outside of this crate.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod counting;
mod system;

pub use counting::Counting;
pub use system::{page_size, peak_of_children, peak_resident, physical, resident, resident_of};

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// What is resident beside what the allocator gave out, and stays when it gives back what is free: at first a guess, then the
/// least that was seen since the allocator last gave back.
static BESIDE: AtomicI64 = AtomicI64::new(32 << 20);
/// Most bytes that may be used; `i64::MAX` is no limit.
static LIMIT: AtomicI64 = AtomicI64::new(i64::MAX);
/// Above so many bytes [`is_short`].
static ALARM: AtomicI64 = AtomicI64::new(i64::MAX);
/// Gives what is free inside the allocator back to the system.
static RELEASE: OnceLock<fn()> = OnceLock::new();
/// The most that was ever sampled.
static PEAK: AtomicU64 = AtomicU64::new(0);

/// Less than this part of the limit is not worth a release.
const RELEASE_PART: i64 = 32;

thread_local! {
    /// Calls of [`within_limit`] at work on this thread.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
}

/// Memory was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom {
    /// What was asked for at last.
    pub bytes: u64,
}

impl std::fmt::Display for NoRoom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.bytes >> 20 {
            0 => f.write_str("the memory limit is reached"),
            wanted => write!(f, "{wanted} MB more do not fit under the memory limit"),
        }
    }
}

/// Sets the limit; 0 is none.
pub fn set_limit(bytes: u64) {
    let limit = i64::try_from(bytes).ok().filter(|&b| b > 0);
    LIMIT.store(limit.unwrap_or(i64::MAX), Relaxed);
}

/// How to give what is free inside the allocator back to the system; once. Without it, all that is resident counts as used.
pub fn on_full(release: fn()) {
    RELEASE.get_or_init(|| release);
}

/// Sets what [`is_short`] compares with; 0 is never.
pub fn set_alarm(bytes: u64) {
    let alarm = i64::try_from(bytes).ok().filter(|&b| b > 0);
    ALARM.store(alarm.unwrap_or(i64::MAX), Relaxed);
}

#[inline]
fn estimate() -> i64 {
    counting::live() + BESIDE.load(Relaxed)
}

/// Bytes in use: what the allocator gave out, and what was resident beside that at the last sample.
#[inline]
pub fn used() -> u64 {
    estimate().max(0) as u64
}

/// Asks the system, and returns the bytes in use. Where it does not say, what the allocator counts has to do.
pub fn sample() -> u64 {
    if let Some((now, beside)) = look() {
        PEAK.fetch_max(now, Relaxed);
        let known = BESIDE.load(Relaxed);
        match RELEASE.get() {
            Some(release) if beside > known => {
                // More than is known: free inside the allocator, or in use where nobody counts. Near the limit it matters.
                let limit = LIMIT.load(Relaxed);
                let is_near = now > (limit - limit / 16) as u64;
                if is_near && beside - known > limit / RELEASE_PART {
                    release();
                    BESIDE.store(look().map_or(beside, |(_, beside)| beside), Relaxed);
                }
            }
            _ => BESIDE.store(beside, Relaxed),
        }
    }
    used()
}

/// Bytes that are resident, and those of them that the allocator did not give out.
fn look() -> Option<(u64, i64)> {
    let now = resident()?;
    let beside = i64::try_from(now).unwrap_or(i64::MAX) - counting::live();
    Some((now, beside))
}

/// So much was seen in use, of this process and its children together.
pub fn saw(bytes: u64) {
    PEAK.fetch_max(bytes, Relaxed);
}

/// The most memory that this process ever had (with its children, where somebody [`saw`] them), as far as is known.
pub fn peak() -> u64 {
    let sampled = PEAK.load(Relaxed).max(used());
    peak_resident().unwrap_or(0).max(sampled)
}

/// Is the alarm reached? Cheap while it is not.
#[inline]
pub fn is_short() -> bool {
    estimate() > ALARM.load(Relaxed) && really_above(&ALARM, 0)
}

/// Is the limit reached? Cheap while it is not.
#[inline]
pub fn is_full() -> bool {
    estimate() > LIMIT.load(Relaxed) && really_above(&LIMIT, 0)
}

/// Do so many bytes more fit under the limit? Cheap while they do.
#[inline]
pub fn fits(bytes: u64) -> bool {
    let more = i64::try_from(bytes).unwrap_or(i64::MAX);
    estimate().saturating_add(more) <= LIMIT.load(Relaxed) || !really_above(&LIMIT, more)
}

/// Without [`on_full`], what was freed and is kept for reuse counts twice in the estimate until the system is asked.
#[cold]
fn really_above(bound: &AtomicI64, more: i64) -> bool {
    sample();
    estimate().saturating_add(more) > bound.load(Relaxed)
}

/// So many bytes are going to be allocated for the program under test. If they do not fit, this unwinds to the
/// innermost [`within_limit`]. Call it before anything is half done.
#[inline]
pub fn need(bytes: u64) {
    if !fits(bytes) {
        refuse(bytes);
    }
}

#[cold]
fn refuse(bytes: u64) {
    if GUARDS.get() > 0 {
        resume_unwind(Box::new(NoRoom { bytes }));
    }
}

/// Does some work in which [`need`] may refuse. What the work was changing may then be half changed.
///
/// # Errors
/// When memory was refused.
#[inline]
pub fn within_limit<R>(work: impl FnOnce() -> R) -> Result<R, NoRoom> {
    caught(work).map_err(|caught| match caught {
        Caught::NoRoom(refused) => refused,
        Caught::Panic(panic) => resume_unwind(panic),
    })
}

/// What ended some work before its end.
pub enum Caught {
    /// An allocation was refused because of the limit.
    NoRoom(NoRoom),
    /// A panic, with its payload.
    Panic(Box<dyn Any + Send>),
}

/// As [`within_limit`], for work that is given up when it panics, too.
///
/// # Errors
/// When memory was refused, and when the work panicked.
#[inline]
pub fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Caught> {
    GUARDS.set(GUARDS.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDS.set(GUARDS.get() - 1);
    outcome.map_err(|payload| match payload.downcast::<NoRoom>() {
        Ok(refused) => Caught::NoRoom(*refused),
        Err(panic) => Caught::Panic(panic),
    })
}
