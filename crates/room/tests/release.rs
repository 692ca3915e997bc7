//! An allocator that keeps what was freed: that counts as free, and goes back to the system before the limit refuses.

use polypath_room as room;
use room::Counting;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const MB: usize = 1 << 20;
/// Large blocks that were freed: their places.
static KEPT: Mutex<[usize; 64]> = Mutex::new([0; 64]);
static RELEASES: AtomicUsize = AtomicUsize::new(0);

/// All large blocks have one layout.
fn large() -> Layout {
    Layout::from_size_align(10 * MB, 1).expect("a layout")
}

/// Keeps large blocks, and never gives them out again.
struct Keeping;

// SAFETY: blocks come from the system's allocator and go back to it, now or when they are released.
unsafe impl GlobalAlloc for Keeping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if layout == large() {
            let mut kept = KEPT.lock().expect("no panic under it");
            let free = kept.iter_mut().find(|k| **k == 0);
            *free.expect("few blocks") = at.expose_provenance();
        } else {
            // SAFETY: by the caller.
            unsafe { System.dealloc(at, layout) }
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting<Keeping> = Counting(Keeping);

fn release() {
    RELEASES.fetch_add(1, Relaxed);
    for kept in &mut *KEPT.lock().expect("no panic under it") {
        if *kept != 0 {
            // SAFETY: an allocated block of this layout, which its owner has freed.
            unsafe { System.dealloc(std::ptr::with_exposed_provenance_mut(*kept), large()) }
            *kept = 0;
        }
    }
}

/// So many large blocks, written to.
fn take(blocks: usize) -> Vec<Box<[u8]>> {
    std::hint::black_box((0..blocks).map(|_| vec![1; 10 * MB].into()).collect())
}

#[test]
fn what_is_kept_for_reuse_is_given_back_near_the_limit() {
    room::on_full(release);
    let before = room::sample();
    room::set_limit(before + 200 * MB as u64);
    drop(take(12));
    assert!(room::resident().is_some_and(|r| r > before + 100 * MB as u64));
    assert!(
        room::sample() < before + 20 * MB as u64,
        "free, though resident"
    );
    assert_eq!(RELEASES.load(Relaxed), 0);

    // With what is kept it would be above the limit.
    let used = take(10);
    assert!(!room::is_full() && room::fits(50 * MB as u64));
    let seen = room::sample() - before;
    assert!((90..120).contains(&(seen as usize / MB)), "{seen}");
    assert_eq!(RELEASES.load(Relaxed), 1);
    assert!(room::resident().is_some_and(|r| r < before + 120 * MB as u64));

    // What is in use is not free because somebody asks again.
    let more = take(11);
    assert!(room::is_full() && !room::fits(1));
    assert!(RELEASES.load(Relaxed) <= 2);
    drop((used, more));
    assert!(!room::is_full());
    room::set_limit(0);
}
