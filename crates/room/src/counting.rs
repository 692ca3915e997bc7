//! An allocator that counts.
//!
//! Blocks of at least [`COUNTED`] bytes: pages of states, tables, buffers. Smaller ones cost one comparison; what
//! they take is seen by the next sample, some milliseconds later. Each thread adds up its own changes and passes them
//! on when they are large enough.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Bytes given out and not returned, but for what threads have not passed on.
static LIVE: AtomicI64 = AtomicI64::new(0);

/// Smaller blocks are not counted: forks make millions of them.
const COUNTED: usize = 1 << 10;

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

fn add(change: isize) {
    // While a thread ends its word is gone: what it frees then is not counted, a few bytes.
    let _ = OPEN.try_with(|open| {
        let sum = open.get() + change;
        if sum.unsigned_abs() < BATCH as usize {
            open.set(sum);
        } else {
            open.set(0);
            LIVE.fetch_add(sum as i64, Relaxed);
        }
    });
}

/// Large blocks. Functions of their own that end in the call of the inner allocator: small blocks then save no register for a
/// call that they do not make.
impl<A: GlobalAlloc> Counting<A> {
    #[cold]
    #[inline(never)]
    unsafe fn alloc_large(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: by the caller.
        unsafe { self.0.alloc(layout) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn alloc_zeroed_large(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: by the caller.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn dealloc_large(&self, at: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: by the caller.
        unsafe { self.0.dealloc(at, layout) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn realloc_large(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let weight = |size: usize| if size >= COUNTED { size as isize } else { 0 };
        add(weight(size) - weight(layout.size()));
        // SAFETY: by the caller.
        unsafe { self.0.realloc(at, layout, size) }
    }
}

// SAFETY: every call goes to the inner allocator as it is; counting allocates nothing and does not unwind.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the caller.
        unsafe {
            if layout.size() < COUNTED {
                self.0.alloc(layout)
            } else {
                self.alloc_large(layout)
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the caller.
        unsafe {
            if layout.size() < COUNTED {
                self.0.alloc_zeroed(layout)
            } else {
                self.alloc_zeroed_large(layout)
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: by the caller.
        unsafe {
            if layout.size() < COUNTED {
                self.0.dealloc(at, layout)
            } else {
                self.dealloc_large(at, layout)
            }
        }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: by the caller.
        unsafe {
            if size.max(layout.size()) < COUNTED {
                self.0.realloc(at, layout, size)
            } else {
                self.realloc_large(at, layout, size)
            }
        }
    }
}
