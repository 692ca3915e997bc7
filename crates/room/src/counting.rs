//! An allocator that counts.
//!
//! Each thread adds up its own changes and passes them on when they are large enough.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Bytes given out and not returned, but for what threads have not passed on.
static LIVE: AtomicI64 = AtomicI64::new(0);

/// What a thread keeps for itself at most.
const BATCH: isize = 1 << 16;

thread_local! {
    static OPEN: Cell<isize> = const { Cell::new(0) };
}

pub(crate) fn live() -> i64 {
    LIVE.load(Relaxed)
}

/// The allocator, around another one.
pub struct Counting<A>(pub A);

#[inline]
fn add(change: isize) {
    // While a thread ends its word is gone: what it frees then is not counted, a few bytes.
    let _ = OPEN.try_with(|open| {
        let sum = open.get() + change;
        open.set(sum);
        // Outside of -BATCH .. BATCH, in one comparison.
        if sum.wrapping_add(BATCH) as usize >= 2 * BATCH as usize {
            pass_on(open);
        }
    });
}

#[cold]
#[inline(never)]
fn pass_on(open: &Cell<isize>) {
    LIVE.fetch_add(open.take() as i64, Relaxed);
}

// SAFETY: every call goes to the inner allocator as it is; counting allocates nothing and does not unwind.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: by the caller.
        unsafe { self.0.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: by the caller.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: by the caller.
        unsafe { self.0.dealloc(at, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size as isize - layout.size() as isize);
        // SAFETY: by the caller.
        unsafe { self.0.realloc(at, layout, size) }
    }
}
