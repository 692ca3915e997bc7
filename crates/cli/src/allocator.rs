//! The process's allocator: mimalloc, counted. Forks allocate and free small things all the time; `--memory` is held by counting
//! them.

use libmimalloc_sys as mi;
use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_long, c_void};

#[global_allocator]
static ALLOCATOR: room::Counting<Mimalloc> = room::Counting(Mimalloc);

/// What every block of mimalloc is aligned to, whatever its size (a word; blocks above one word are aligned to two).
const NATURAL: usize = 8;

/// mimalloc, asked for an alignment only where there is one: its aligned functions search longer, and nearly no type needs
/// them. (The allocator of crate `mimalloc` always calls those.)
struct Mimalloc;

// SAFETY: each function is mimalloc's of the same meaning. A plain block is aligned to `NATURAL`, and all blocks, plain and
// aligned, are freed by `mi_free`.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: mimalloc takes any size; an alignment of `Layout` is a power of two.
        unsafe {
            match layout.align() {
                ..=NATURAL => mi::mi_malloc(layout.size()),
                align => mi::mi_malloc_aligned(layout.size(), align),
            }
            .cast()
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe {
            match layout.align() {
                ..=NATURAL => mi::mi_zalloc(layout.size()),
                align => mi::mi_zalloc_aligned(layout.size(), align),
            }
            .cast()
        }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        // SAFETY: by the caller, it is a block of ours.
        unsafe { mi::mi_free(at.cast::<c_void>()) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let at = at.cast::<c_void>();
        // SAFETY: by the caller, it is a block of ours; else as in `alloc`.
        unsafe {
            match layout.align() {
                ..=NATURAL => mi::mi_realloc(at, size),
                align => mi::mi_realloc_aligned(at, size, align),
            }
            .cast()
        }
    }
}

/// `mi_option_purge_delay` of mimalloc, whose bindings do not name it.
const PURGE_DELAY: mi::mi_option_t = 15;
/// How long mimalloc keeps what was freed before it gives it back to the system, in milliseconds. States come and go, and memory
/// that comes back from the system is cleared first; near the limit [`release`] does not wait.
const KEPT_MS: c_long = 10_000;

/// Sets up the allocator.
pub fn set_up() {
    // SAFETY: the option is in the range that mimalloc checks; a default gives way to the environment's MIMALLOC_PURGE_DELAY.
    unsafe { mi::mi_option_set_default(PURGE_DELAY, KEPT_MS) }
    room::on_full(release);
}

/// Gives memory that is free inside the allocator back to the system.
pub fn release() {
    // SAFETY: mi_collect has no preconditions.
    unsafe { mi::mi_collect(true) }
}

#[cfg(test)]
mod tests {
    use super::Mimalloc;
    use std::alloc::{GlobalAlloc, Layout};

    /// Each size and alignment gives a block that is aligned, and keeps it with its bytes when it grows.
    #[test]
    fn blocks_are_aligned() {
        for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
            for size in 1..=200 {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: the layout has a size; each block is freed with the layout that it has then.
                unsafe {
                    let at = Mimalloc.alloc(layout);
                    assert!(!at.is_null() && (at as usize).is_multiple_of(align));
                    at.write_bytes(7, size);
                    let at = Mimalloc.realloc(at, layout, 3 * size);
                    assert!(!at.is_null() && (at as usize).is_multiple_of(align));
                    assert!((0..size).all(|i| *at.add(i) == 7));
                    let grown = Layout::from_size_align(3 * size, align).unwrap();
                    Mimalloc.dealloc(at, grown);
                    let zeroed = Mimalloc.alloc_zeroed(layout);
                    assert!((zeroed as usize).is_multiple_of(align));
                    assert!((0..size).all(|i| *zeroed.add(i) == 0));
                    Mimalloc.dealloc(zeroed, layout);
                }
            }
        }
    }
}
