//! Memory in a process that counts: what is allocated is seen at once, and refused above the limit.

use polypath_room as room;
use room::{Counting, NoRoom};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Counting<System> = Counting(System);

/// One test: limit and count belong to the process.
#[test]
fn allocations_are_seen_and_refused() {
    // Before the system was ever asked, and where it does not say: the count alone.
    let guess = room::used();
    let kept = vec![1u8; 64 << 20];
    assert!(room::used() - guess >= 63 << 20);
    drop(std::hint::black_box(kept));

    let before = room::sample();
    let kept = vec![1u8; 64 << 20];
    std::hint::black_box(&kept);
    let seen = room::used() - before;
    assert!((63 << 20..80 << 20).contains(&seen), "{seen}");
    assert!(room::sample() - before > 50 << 20, "the system sees it too");
    drop(kept);
    assert!(room::used() < before + (32 << 20), "and that it is gone");

    // Small ones at the next sample.
    let before = room::sample();
    let many: Vec<Box<[u8; 100]>> = (0..1_000_000).map(|_| Box::new([1; 100])).collect();
    assert!(room::sample() - before > 25 << 20);
    drop(std::hint::black_box(many));

    let limit = room::sample() + (100 << 20);
    room::set_limit(limit);
    assert!(room::fits(50 << 20) && !room::fits(200 << 20) && !room::is_full());
    room::need(1 << 40); // nobody to tell: goes on
    let done = room::within_limit(|| {
        room::need(50 << 20);
        7
    });
    assert_eq!(done, Ok(7));
    let refused = room::within_limit(|| {
        let mut held = Vec::new();
        for _ in 0..1000 {
            room::need(1 << 20);
            held.push(vec![1u8; 1 << 20]);
        }
        held.len()
    });
    assert_eq!(refused, Err(NoRoom { bytes: 1 << 20 }));
    assert!(room::sample() < limit, "what was held is free again");
    assert!(room::peak() < limit + (8 << 20) && room::peak() > limit - (16 << 20));

    // Other panics pass through, and leave no guard behind.
    let panic =
        std::panic::catch_unwind(|| room::within_limit(|| std::panic::resume_unwind(Box::new(3))));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&3));
    room::need(1 << 40);

    let alarm = room::sample() + (10 << 20);
    room::set_alarm(alarm);
    assert!(!room::is_short());
    let kept = vec![1u8; 300 << 20]; // more than what was freed and is kept for reuse
    std::hint::black_box(&kept);
    assert!(room::is_short());
    drop(kept);
    room::set_limit(0);
    room::set_alarm(0);
    assert!(room::fits(1 << 50) && !room::is_short());
}
