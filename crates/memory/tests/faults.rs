//! Every kind of bad access and bad free, and its message.

use polypath_memory::{
    Checks, Fault, FaultKind, FreeFaultKind, Memory, Object, ObjectKind, Protection, Tlb, Value,
};
use term::{Pool, Sort};

struct Machine {
    pool: Pool,
    tlb: Tlb,
    memory: Memory,
}

impl Machine {
    fn new(uninitialized: bool) -> Machine {
        Machine {
            pool: Pool::new(),
            tlb: Tlb::new(),
            memory: Memory::new(Checks {
                uninitialized,
                ..Checks::default()
            }),
        }
    }

    fn load(&mut self, addr: u64, bytes: u32) -> Result<u64, Fault> {
        self.memory
            .load(&mut self.pool, &mut self.tlb, addr, bytes)
            .map(|value| value.bits)
    }

    fn store(&mut self, addr: u64, bytes: u32, bits: u64) -> Result<(), Fault> {
        self.memory.store(
            &mut self.pool,
            &mut self.tlb,
            addr,
            bytes,
            Value::concrete(bits),
        )
    }

    fn malloc(&mut self, size: u64) -> u64 {
        self.memory
            .malloc(&mut self.tlb, size, 16, false, 5)
            .expect("room")
    }

    fn load_kind(&mut self, addr: u64, bytes: u32) -> FaultKind {
        self.load(addr, bytes).expect_err("a bad load").kind
    }

    fn store_kind(&mut self, addr: u64, bytes: u32) -> FaultKind {
        self.store(addr, bytes, 0).expect_err("a bad store").kind
    }
}

fn message(fault: Fault) -> String {
    fault.message(&|object: &Object| match object.kind {
        ObjectKind::Heap => Some(format!("allocated at site {}", object.tag)),
        ObjectKind::Stack => Some("`local`".to_string()),
        _ => None,
    })
}

#[test]
fn heap_red_zones_on_both_sides() {
    let mut m = Machine::new(false);
    let (a, b) = (m.malloc(16), m.malloc(3));
    assert!(b >= a + 32);
    m.store(a + 8, 8, 1).expect("inside");
    for (addr, bytes) in [
        (a + 16, 1),
        (a + 9, 8),
        (a - 1, 1),
        (b + 3, 1),
        (b, 4),
        (b - 1, 2),
    ] {
        assert_eq!(m.load_kind(addr, bytes), FaultKind::OutOfBounds);
        assert_eq!(m.store_kind(addr, bytes), FaultKind::OutOfBounds);
    }
    assert_eq!(
        message(m.store(a + 24, 4, 0).unwrap_err()),
        "write of 4 bytes 8 bytes past the end of the heap object of 16 bytes allocated at site 5"
    );
    assert_eq!(
        message(m.load(a + 12, 8).unwrap_err()),
        "read of 8 bytes that begins 12 bytes inside the heap object of 16 bytes allocated at site 5 and runs past its end"
    );
    assert_eq!(
        message(m.load(b, 4).unwrap_err()),
        "read of 4 bytes that begins 0 bytes inside the heap object of 3 bytes allocated at site 5 and runs past its end, \
         within the allocation's alignment"
    );
    assert_eq!(
        message(m.load(b - 1, 1).unwrap_err()),
        "read of 1 byte 1 byte before the heap object of 3 bytes allocated at site 5"
    );
}

#[test]
fn an_object_of_size_zero_has_no_byte() {
    let mut m = Machine::new(false);
    let addr = m.malloc(0);
    assert_eq!(m.load_kind(addr, 1), FaultKind::OutOfBounds);
    m.memory.free(&mut m.tlb, addr).expect("live");
}

#[test]
fn use_after_free_and_bad_frees() {
    let mut m = Machine::new(false);
    let (small, large) = (m.malloc(24), m.malloc(50_000));
    m.store(small, 8, 42).expect("inside");
    m.store(large + 20_000, 8, 42).expect("inside");
    assert_eq!(
        m.memory.free(&mut m.tlb, small + 8).unwrap_err().kind,
        FreeFaultKind::NotStart
    );
    for addr in [small, large] {
        m.memory.free(&mut m.tlb, addr).expect("live");
        assert_eq!(
            m.memory.free(&mut m.tlb, addr).unwrap_err().kind,
            FreeFaultKind::AlreadyFreed
        );
    }
    for addr in [small, small + 16, small + 24, large + 20_000] {
        assert!(m.memory.enter(&mut m.tlb).load(addr, 8).is_none());
        assert_eq!(m.load_kind(addr, 8), FaultKind::UseAfterFree);
        assert_eq!(m.store_kind(addr, 8), FaultKind::UseAfterFree);
    }
    assert_eq!(
        message(m.load(small + 8, 4).unwrap_err()),
        "read of 4 bytes after free: 8 bytes inside the freed heap object of 24 bytes allocated at site 5"
    );
    // Addresses are not used again.
    assert!(m.malloc(24) > large);
    let stack = m.memory.stack_alloc(&mut m.tlb, 8, 8, 0).expect("room");
    assert_eq!(
        m.memory.free(&mut m.tlb, stack).unwrap_err().kind,
        FreeFaultKind::NotHeap
    );
    assert_eq!(
        m.memory.free(&mut m.tlb, 12345).unwrap_err().kind,
        FreeFaultKind::NotHeap
    );
}

#[test]
fn use_after_return_until_the_stack_is_used_again() {
    let mut m = Machine::new(false);
    let outer = m.memory.stack_alloc(&mut m.tlb, 4, 4, 1).expect("room");
    let mark = m.memory.stack_mark();
    let local = m.memory.stack_alloc(&mut m.tlb, 40, 8, 2).expect("room");
    m.store(local, 8, 7).expect("inside");
    assert_eq!(m.store_kind(local + 40, 1), FaultKind::OutOfBounds);
    assert_eq!(
        message(m.load(local + 40, 1).unwrap_err()),
        "read of 1 byte at the end of the local variable `local` of 40 bytes"
    );
    m.memory.stack_release(&mut m.tlb, mark);
    assert!(m.memory.enter(&mut m.tlb).load(local, 8).is_none());
    assert_eq!(m.load_kind(local, 8), FaultKind::UseAfterReturn);
    assert_eq!(m.load_kind(outer + 4, 1), FaultKind::OutOfBounds);
    // A new frame finds zeros, not what the last one left.
    let again = m.memory.stack_alloc(&mut m.tlb, 40, 8, 3).expect("room");
    assert_eq!(again, local);
    assert_eq!(m.load(again, 8), Ok(0));
}

#[test]
fn the_stack_ends() {
    let mut m = Machine::new(false);
    let error = m
        .memory
        .stack_alloc(&mut m.tlb, 65 << 20, 8, 0)
        .expect_err("too large");
    assert_eq!(error.size, 65 << 20);
    let mut frames = 0u64;
    while m.memory.stack_alloc(&mut m.tlb, 1000, 8, 0).is_ok() {
        frames += 1;
    }
    assert!(frames > 50_000);
}

#[test]
fn constants_null_and_wild_pointers() {
    let mut m = Machine::new(false);
    let at = ir::layout::GLOBALS + 4000;
    m.memory
        .add_global(&mut m.tlb, at, 8, b"constant", true, "text");
    m.memory
        .add_global(&mut m.tlb, at + 40, 8, b"variable", false, "word");
    assert_eq!(m.load(at, 8), Ok(u64::from_le_bytes(*b"constant")));
    assert_eq!(m.store_kind(at + 7, 1), FaultKind::ReadOnly);
    m.store(at + 40, 1, 0).expect("writable, in the same page");
    assert!(m.memory.enter(&mut m.tlb).store(at + 41, 1, 0));
    assert!(!m.memory.enter(&mut m.tlb).store(at, 1, 0));
    assert_eq!(m.store_kind(at, 8), FaultKind::ReadOnly);
    let near = m.memory.object_at(at + 9).expect("the nearest");
    assert_eq!(m.memory.global_name(&near), Some("text"));
    assert_eq!(m.load_kind(0, 4), FaultKind::Null);
    assert_eq!(m.store_kind(4095, 1), FaultKind::Null);
    assert_eq!(
        m.load_kind(ir::layout::FUNCTIONS + 16, 8),
        FaultKind::Unmapped
    );
    assert_eq!(m.load_kind(u64::MAX - 3, 8), FaultKind::Unmapped);
    assert_eq!(m.load_kind(1 << 47, 8), FaultKind::Unmapped);
}

#[test]
fn a_misplaced_access_over_two_pages_changes_nothing() {
    let mut m = Machine::new(false);
    let a = m.malloc(5000);
    let end = a + 5000;
    m.store(end - 8, 8, 0x1111_1111_1111_1111).expect("inside");
    for back in 1..8 {
        assert_eq!(m.store_kind(end - back, 8), FaultKind::OutOfBounds);
    }
    assert_eq!(m.load(end - 8, 8), Ok(0x1111_1111_1111_1111));
    let data = [9u8; 100];
    assert!(
        m.memory
            .write_concrete(&mut m.tlb, end - 99, &data)
            .is_err()
    );
    assert_eq!(m.load(end - 8, 8), Ok(0x1111_1111_1111_1111));
}

#[test]
fn uninitialized_reads_when_asked_for() {
    let mut m = Machine::new(true);
    let a = m.malloc(64);
    assert_eq!(m.load_kind(a, 1), FaultKind::Uninitialized);
    m.store(a + 4, 4, 7).expect("inside");
    assert_eq!(m.load(a + 4, 4), Ok(7));
    assert_eq!(m.load_kind(a, 8), FaultKind::Uninitialized);
    // Copies keep bytes as they are: copying padding is no error.
    let b = m.malloc(64);
    m.memory
        .copy(&mut m.pool, &mut m.tlb, b, a, 64)
        .expect("inside");
    assert_eq!(m.load(b + 4, 4), Ok(7));
    assert_eq!(m.load_kind(b, 1), FaultKind::Uninitialized);
    assert!(
        m.memory
            .read_bytes(&mut m.pool, b, 8, &mut Vec::new())
            .is_err()
    );
    let zeroed = m.memory.malloc(&mut m.tlb, 64, 16, true, 0).expect("room");
    assert_eq!(m.load(zeroed, 8), Ok(0));
    let symbol = m.pool.new_symbol("x", Sort::BitVec(8));
    let byte = m.pool.symbol_term(symbol);
    m.memory
        .make_symbolic(&mut m.tlb, a, &[byte])
        .expect("inside");
    let value = m
        .memory
        .load(&mut m.pool, &mut m.tlb, a, 1)
        .expect("initialized");
    assert_eq!(value, Value::symbolic(byte));
}

#[test]
fn mappings_and_the_break() {
    let mut m = Machine::new(false);
    let map = m.memory.map_anonymous(10_000).expect("room");
    assert_eq!(m.load(map + 12_287, 1), Ok(0));
    assert_eq!(m.load_kind(map + 12_288, 1), FaultKind::OutOfBounds);
    m.store(map + 5000, 8, 3).expect("inside");
    assert!(
        m.memory
            .protect(&mut m.tlb, map + 4096, 4096, Protection::Read)
    );
    assert_eq!(m.store_kind(map + 5000, 8), FaultKind::ReadOnly);
    assert_eq!(m.store_kind(map + 8000, 8), FaultKind::ReadOnly);
    m.store(map + 9000, 8, 3).expect("not protected");
    assert_eq!(m.load(map + 5000, 8), Ok(3));
    assert!(m.memory.protect(&mut m.tlb, map, 12_288, Protection::Write));
    m.store(map + 5000, 8, 4).expect("writable again");
    assert!(
        m.memory
            .protect(&mut m.tlb, map + 4096, 4096, Protection::None)
    );
    assert_eq!(m.load_kind(map + 5000, 8), FaultKind::NoAccess);
    assert_eq!(m.store_kind(map + 4090, 8), FaultKind::NoAccess);
    assert!(
        m.memory
            .protect(&mut m.tlb, map + 4096, 4096, Protection::Write)
    );
    assert_eq!(m.load(map + 5000, 8), Ok(4));
    assert!(m.memory.is_mapped(map, 12_288) && !m.memory.is_mapped(map, 12_289));
    m.memory.map_again(&mut m.tlb, map + 8192, 4096);
    assert_eq!(m.load(map + 9000, 8), Ok(0));
    m.store(map + 9000, 8, 3).expect("mapped anew");
    m.memory.unmap(&mut m.tlb, map + 4096, 4096);
    assert!(m.load(map + 5000, 8).is_err());
    assert_eq!(m.load(map + 9000, 8), Ok(3));
    let start = m.memory.brk();
    assert_eq!(m.memory.set_brk(&mut m.tlb, start + 100), start + 100);
    m.store(start + 92, 8, 1).expect("inside");
    assert!(m.load(start + 100, 1).is_err());
    assert_eq!(m.memory.set_brk(&mut m.tlb, start + 3000), start + 3000);
    assert_eq!(m.load(start + 92, 8), Ok(1));
    assert_eq!(m.load(start + 2999, 1), Ok(0));
    m.memory.set_brk(&mut m.tlb, start);
    assert!(m.load(start, 1).is_err());
}

#[test]
fn allocations_above_the_limits_return_null() {
    let mut m = Machine::new(false);
    assert_eq!(m.memory.malloc(&mut m.tlb, 10 << 30, 16, false, 0), None);
    assert_eq!(m.memory.malloc(&mut m.tlb, u64::MAX, 16, false, 0), None);
    let mut total = 0u64;
    while m.memory.malloc(&mut m.tlb, 1 << 30, 16, false, 0).is_some() {
        total += 1 << 30;
    }
    assert_eq!(total, Checks::default().max_heap);
    assert_eq!(m.memory.map_anonymous(u64::MAX), None);
}

#[test]
fn objects_between_are_those_that_meet_the_range() {
    let mut m = Machine::new(false);
    let heap: Vec<u64> = (0..100).map(|_| m.malloc(40)).collect();
    m.memory.free(&mut m.tlb, heap[50]).expect("live");
    let starts = |m: &Machine, lo, hi| {
        m.memory
            .objects_between(lo, hi)
            .map(|object| object.start)
            .collect::<Vec<_>>()
    };
    assert_eq!(starts(&m, heap[3] + 39, heap[5]), heap[3..=5]);
    assert_eq!(starts(&m, heap[3] + 40, heap[5] - 1), heap[4..=4]);
    assert_eq!(starts(&m, 0, u64::MAX).len(), 99);
    assert_eq!(m.memory.live_heap().count(), 99);
    assert_eq!(m.memory.live_heap_bytes(), 99 * 40);
    let locals: Vec<u64> = (0..5)
        .map(|at| m.memory.stack_alloc(&mut m.tlb, 8, 8, at).expect("room"))
        .collect();
    assert_eq!(starts(&m, locals[1], locals[3] + 7), locals[1..=3]);
}

/// Found by the differential test: the target's bytes left the overlay while the source's were
/// still to be read from it.
#[test]
fn a_copy_of_uninitialized_bytes_within_an_overlay() {
    let mut m = Machine::new(true);
    let (from, to) = (
        m.malloc(8),
        m.memory.malloc(&mut m.tlb, 64, 16, true, 0).expect("room"),
    );
    let object = m.memory.object_at(to).expect("there");
    let symbol = m.pool.new_symbol("x", Sort::BitVec(8));
    let byte = m.pool.symbol_term(symbol);
    let mask = m.pool.bv(8, 31);
    let index = m.pool.and(byte, mask);
    let index = m.pool.zext(64, index);
    let base = m.pool.bv(64, to);
    let address = m.pool.add(base, index);
    m.memory
        .store_indexed(
            &mut m.pool,
            &mut m.tlb,
            &object,
            address,
            to,
            to + 31,
            1,
            Value::concrete(5),
        )
        .expect("inside");
    // One byte of the overlay becomes uninitialized, then all move up by one.
    m.memory
        .copy(&mut m.pool, &mut m.tlb, to + 4, from, 1)
        .expect("inside");
    assert_eq!(m.load_kind(to + 4, 1), FaultKind::Uninitialized);
    m.memory
        .copy(&mut m.pool, &mut m.tlb, to + 1, to, 16)
        .expect("inside");
    assert_eq!(m.load_kind(to + 5, 1), FaultKind::Uninitialized);
    for at in [0, 1, 2, 3, 4, 6, 7, 16, 17, 31] {
        let value = m
            .memory
            .load(&mut m.pool, &mut m.tlb, to + at, 1)
            .expect("initialized");
        assert!(value.term.is_some());
    }
}

/// Ranges of addresses between objects, and of objects, are the same for each of their addresses.
#[test]
fn each_address_is_in_one_range() {
    let mut m = Machine::new(false);
    let objects: Vec<u64> = [1, 24, 64, 8].map(|size| m.malloc(size)).into();
    m.memory.free(&mut m.tlb, objects[1]).expect("live");
    let (from, to) = (objects[0] - 100, objects[3] + 300);
    for addr in from..to {
        let (first, last) = m.memory.range_around(addr);
        assert!(first <= addr && addr <= last, "{addr:#x}");
        for other in first.max(from)..=last.min(to) {
            assert_eq!(m.memory.range_around(other), (first, last), "{addr:#x}");
        }
    }
    for end in [0, u64::MAX] {
        let (first, last) = m.memory.range_around(end);
        assert!(first <= end && end <= last);
    }
}

/// Parts of a mapping that allow different accesses are one object to who asks where an address came from; a hole divides it.
#[test]
fn parts_of_a_mapping_are_one_whole() {
    const PAGE: u64 = 4096;
    let mut m = Machine::new(false);
    let map = m.memory.map_anonymous(6 * PAGE).expect("room");
    let protect = |m: &mut Machine, page: u64, protection| {
        let at = map + page * PAGE;
        assert!(m.memory.protect(&mut m.tlb, at, PAGE, protection));
    };
    protect(&mut m, 1, Protection::Read);
    protect(&mut m, 4, Protection::None);
    let whole = |m: &Machine, page: u64| {
        let part = m.memory.object_at(map + page * PAGE).expect("there");
        let whole = m.memory.whole(&part);
        ((whole.start - map) / PAGE, whole.size / PAGE)
    };
    for page in 0..6 {
        assert_eq!(whole(&m, page), (0, 6), "page {page}");
    }
    m.memory.unmap(&mut m.tlb, map + 2 * PAGE, PAGE);
    for (page, expected) in [
        (0, (0, 2)),
        (1, (0, 2)),
        (3, (3, 3)),
        (4, (3, 3)),
        (5, (3, 3)),
    ] {
        assert_eq!(whole(&m, page), expected, "page {page}");
    }
    let heap = m.malloc(24);
    let object = m.memory.object_at(heap).expect("there");
    assert_eq!(m.memory.whole(&object), object);
}
