//! What states share, what large objects cost, and the collector.

use polypath_memory::{Checks, Memory, Tlb, Value, trace_all};
use std::collections::HashMap;
use term::{Pool, Sort, Term, Trace};

const GLOBAL: u64 = ir::layout::GLOBALS;

fn symbol(pool: &mut Pool, name: &str) -> Term {
    let symbol = pool.new_symbol(name, Sort::BitVec(8));
    pool.symbol_term(symbol)
}

#[test]
fn a_fork_copies_pages_only_when_they_are_written() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut parent = Memory::new(Checks::default());
    parent.add_global(&mut tlb, GLOBAL, 100_000, &vec![1; 100_000], false, "g");
    let alone = parent.heap_bytes();
    assert!(alone.unique > 100_000 && alone.shared == 0 || alone.shared < 10_000);
    assert!(
        parent.enter(&mut tlb).store(GLOBAL, 8, 5)
            || parent
                .store(&mut pool, &mut tlb, GLOBAL, 8, Value::concrete(5))
                .is_ok()
    );
    let mut child = parent.fork(&mut tlb);
    assert!(
        !parent.enter(&mut tlb).store(GLOBAL, 8, 6),
        "the page is shared now"
    );
    assert!(child.heap_bytes().unique < 2000);
    parent
        .store(&mut pool, &mut tlb, GLOBAL, 8, Value::concrete(6))
        .expect("inside");
    assert!(parent.enter(&mut tlb).store(GLOBAL, 8, 7));
    assert_eq!(
        child.load(&mut pool, &mut tlb, GLOBAL, 8),
        Ok(Value::concrete(5))
    );
    child
        .store(&mut pool, &mut tlb, GLOBAL + 50_000, 8, Value::concrete(9))
        .expect("inside");
    let bytes = child.heap_bytes();
    assert!(bytes.unique < 5000 && bytes.shared > 100_000, "{bytes:?}");
    assert_eq!(
        parent.load(&mut pool, &mut tlb, GLOBAL, 8),
        Ok(Value::concrete(7))
    );
}

#[test]
fn large_objects_cost_what_is_touched() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    memory.add_global(&mut tlb, GLOBAL, 64 << 20, &[], false, "bss");
    let byte = symbol(&mut pool, "x");
    memory
        .make_symbolic(&mut tlb, GLOBAL + (1 << 20), &[byte])
        .expect("inside");
    let heap = memory
        .malloc(&mut tlb, 10 << 20, 16, false, 0)
        .expect("room");
    memory
        .store(&mut pool, &mut tlb, heap + (9 << 20), 8, Value::concrete(1))
        .expect("inside");
    // Reading and clearing cost tree nodes only.
    for at in 0..1000 {
        assert_eq!(
            memory.load(&mut pool, &mut tlb, heap + at * 1024, 8),
            Ok(Value::concrete(0))
        );
    }
    memory
        .fill(&mut pool, &mut tlb, heap, Value::concrete(0), 10 << 20)
        .expect("inside");
    let before = memory.heap_bytes();
    // 10,000 pages in nodes of 16.
    assert!(before.unique < 250_000, "{before:?}");
    let value = memory.load(&mut pool, &mut tlb, GLOBAL + (1 << 20), 1);
    assert_eq!(value, Ok(Value::symbolic(byte)));
    memory.free(&mut tlb, heap).expect("live");
    assert!(memory.heap_bytes().unique < 20_000);
}

#[test]
fn a_symbolic_index_into_a_megabyte_is_cheap() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    let heap = memory.malloc(&mut tlb, 1 << 20, 16, true, 0).expect("room");
    let object = memory.object_at(heap).expect("there");
    let byte = symbol(&mut pool, "x");
    memory
        .make_symbolic(&mut tlb, heap + 700_000, &[byte])
        .expect("inside");
    let wide = pool.zext(64, byte);
    let base = pool.bv(64, heap + 500_000);
    let address = pool.add(base, wide);
    let (lo, hi) = (heap + 500_000, heap + 500_255);
    memory
        .store_indexed(
            &mut pool,
            &mut tlb,
            &object,
            address,
            lo,
            hi,
            1,
            Value::concrete(7),
        )
        .expect("inside");
    let value = memory
        .load_indexed(&mut pool, &mut tlb, &object, address, lo, hi, 1)
        .expect("inside");
    assert_eq!(
        value,
        Value::concrete(7),
        "the same index finds what was stored"
    );
    assert!(memory.heap_bytes().unique < 20_000 && pool.len() < 100);
    // The whole megabyte read at once, from an array that is made once and then updated.
    let extra = symbol(&mut pool, "y");
    let parts = [extra, byte];
    let mut wide = pool.concat(parts[0], parts[1]);
    wide = pool.zext(64, wide);
    let sixteen = pool.bv(64, 4);
    let wide = pool.shl(wide, sixteen);
    let base = pool.bv(64, heap);
    let address = pool.add(base, wide);
    let hi = heap + 0xffff0;
    for round in 0..20u64 {
        memory
            .load_indexed(&mut pool, &mut tlb, &object, address, heap, hi, 8)
            .expect("inside");
        memory
            .store(&mut pool, &mut tlb, heap + round, 1, Value::concrete(round))
            .expect("inside");
    }
    let (hits, misses) = tlb.array_cache_counts();
    assert_eq!((hits, misses), (0, 20 + 1));
    assert!(pool.bytes() < 4 << 20, "{} bytes", pool.bytes());
    memory
        .load_indexed(&mut pool, &mut tlb, &object, address, heap, hi, 8)
        .expect("inside");
    memory
        .load_indexed(&mut pool, &mut tlb, &object, address, heap, hi, 8)
        .expect("inside");
    assert_eq!(tlb.array_cache_counts().0, 1);
}

#[test]
fn a_stored_term_comes_back_as_it_was() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    let heap = memory.malloc(&mut tlb, 4096, 16, true, 0).expect("room");
    let wide = pool.new_symbol("w", Sort::BitVec(64));
    let wide = pool.symbol_term(wide);
    // At every alignment, page crossings included.
    for offset in 1000..1040 {
        memory
            .store(&mut pool, &mut tlb, heap + offset, 8, Value::symbolic(wide))
            .expect("inside");
        let before = pool.len();
        assert_eq!(
            memory.load(&mut pool, &mut tlb, heap + offset, 8),
            Ok(Value::symbolic(wide))
        );
        assert_eq!(pool.len(), before, "no term is made");
        let half = memory
            .load(&mut pool, &mut tlb, heap + offset + 2, 4)
            .expect("inside");
        assert_eq!(half.term, pool.extract(47, 16, wide));
        memory
            .copy(&mut pool, &mut tlb, heap + 1500, heap + offset, 8)
            .expect("inside");
        assert_eq!(
            memory.load(&mut pool, &mut tlb, heap + 1500, 8),
            Ok(Value::symbolic(wide))
        );
    }
    memory
        .fill(&mut pool, &mut tlb, heap, Value::concrete(0), 4096)
        .expect("inside");
    assert_eq!(
        memory.load(&mut pool, &mut tlb, heap + 1000, 8),
        Ok(Value::concrete(0))
    );
}

#[test]
fn the_collector_sees_each_shared_cell_once() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    let heap = memory.malloc(&mut tlb, 10_000, 16, true, 0).expect("room");
    let object = memory.object_at(heap).expect("there");
    let symbols: Vec<Term> = (0..10)
        .map(|at| symbol(&mut pool, &format!("s{at}")))
        .collect();
    memory
        .make_symbolic(&mut tlb, heap + 2000, &symbols)
        .expect("inside");
    let wide = pool.zext(64, symbols[0]);
    let base = pool.bv(64, heap);
    let address = pool.add(base, wide);
    memory
        .store_indexed(
            &mut pool,
            &mut tlb,
            &object,
            address,
            heap,
            heap + 255,
            1,
            Value::symbolic(symbols[3]),
        )
        .expect("inside");
    let mut states: Vec<Memory> = (0..50)
        .map(|at| {
            let mut child = memory.fork(&mut tlb);
            let addr = heap + 2000 + at % 10;
            child
                .store(&mut pool, &mut tlb, addr, 1, Value::symbolic(symbols[9]))
                .expect("inside");
            child
        })
        .collect();
    states.push(memory);
    let footprint = |states: &[Memory]| {
        states
            .iter()
            .map(|state| state.heap_bytes().unique)
            .sum::<usize>()
    };
    let before = footprint(&states);
    let mut seen: HashMap<*const Term, u32> = HashMap::new();
    trace_all(states.iter_mut(), &mut |term| {
        assert_ne!(*term, Term::NONE);
        *seen.entry(std::ptr::from_ref(term)).or_default() += 1;
    });
    // 50 children with their own side of ten cells, the parent's, and one shared overlay. (Cells
    // are shown through a copy, so places say nothing; numbers do.)
    assert_eq!(seen.values().sum::<u32>(), 51 * 10 + 1);
    // Terms that nobody needs, then two collections: every load still means the same.
    for at in 0..1000 {
        pool.bv(32, at);
    }
    let mut named: Vec<Term> = symbols.clone();
    for _ in 0..2 {
        pool.collect(&mut |visit| {
            trace_all(states.iter_mut(), visit);
            tlb.trace(visit);
            named.iter_mut().for_each(&mut *visit);
        });
    }
    assert!(pool.len() < 300);
    assert_eq!(footprint(&states), before, "pages are still shared");
    for (at, state) in states.iter_mut().enumerate() {
        for offset in 0..10 {
            let value = state
                .load(&mut pool, &mut tlb, heap + 2000 + offset, 1)
                .expect("inside");
            let want = if at < 50 && at as u64 % 10 == offset {
                9
            } else {
                offset as usize
            };
            assert_eq!(value, Value::symbolic(named[want]));
        }
    }
}

#[test]
fn a_table_that_is_cleared_is_concrete_again() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    let heap = memory.malloc(&mut tlb, 1024, 16, true, 0).expect("room");
    let object = memory.object_at(heap).expect("there");
    let byte = symbol(&mut pool, "x");
    let wide = pool.zext(64, byte);
    let base = pool.bv(64, heap);
    let two = pool.bv(64, 2);
    let offset = pool.shl(wide, two);
    let address = pool.add(base, offset);
    let (lo, hi) = (heap, heap + 1020);
    let fresh = memory.load_indexed(&mut pool, &mut tlb, &object, address, lo, hi, 4);
    for _ in 0..3 {
        let count = memory
            .load_indexed(&mut pool, &mut tlb, &object, address, lo, hi, 4)
            .expect("inside");
        let one = pool.bv(32, 1);
        let count = if count.term.is_none() {
            pool.bv(32, count.bits)
        } else {
            count.term
        };
        let more = pool.add(count, one);
        memory
            .store_indexed(
                &mut pool,
                &mut tlb,
                &object,
                address,
                lo,
                hi,
                4,
                Value::symbolic(more),
            )
            .expect("inside");
    }
    let count = memory.load_indexed(&mut pool, &mut tlb, &object, address, lo, hi, 4);
    assert_eq!(
        count,
        Ok(Value::concrete(3)),
        "the same counter was counted up"
    );
    assert!(
        memory
            .load(&mut pool, &mut tlb, heap + 40, 4)
            .expect("inside")
            .term
            .is_some()
    );
    // One word leaves the overlay, then all of them do.
    memory
        .store(&mut pool, &mut tlb, heap + 40, 4, Value::concrete(9))
        .expect("inside");
    assert_eq!(
        memory.load(&mut pool, &mut tlb, heap + 40, 4),
        Ok(Value::concrete(9))
    );
    memory
        .fill(&mut pool, &mut tlb, heap, Value::concrete(0), 1024)
        .expect("inside");
    assert_eq!(
        memory.load_indexed(&mut pool, &mut tlb, &object, address, lo, hi, 4),
        fresh
    );
}

#[test]
fn copies_of_large_objects_share_pages() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    memory.add_global(&mut tlb, GLOBAL, 9000, &[7; 9000], true, "constant");
    let mut heap = memory
        .malloc(&mut tlb, 100_000, 16, false, 0)
        .expect("room");
    for at in 0..12_500 {
        memory
            .store(&mut pool, &mut tlb, heap + at * 8, 8, Value::concrete(at))
            .expect("inside");
    }
    let before = memory.heap_bytes();
    let copy = memory
        .malloc(&mut tlb, 100_000, 16, false, 0)
        .expect("room");
    memory
        .copy(&mut pool, &mut tlb, copy, heap, 100_000)
        .expect("inside");
    let after = memory.heap_bytes();
    assert!(after.unique + after.shared < before.unique + before.shared + 160_000);
    assert!(after.unique < 40_000, "{after:?}");
    // Neither sees what is written to the other.
    assert!(
        !memory.enter(&mut tlb).store(heap + 8000, 8, 1)
            && !memory.enter(&mut tlb).store(copy + 8000, 8, 1)
    );
    memory
        .store(&mut pool, &mut tlb, heap + 8000, 8, Value::concrete(1))
        .expect("inside");
    assert_eq!(
        memory.load(&mut pool, &mut tlb, copy + 8000, 8),
        Ok(Value::concrete(1000))
    );
    memory.free(&mut tlb, copy).expect("live");
    assert_eq!(
        memory.load(&mut pool, &mut tlb, heap + 16_000, 8),
        Ok(Value::concrete(2000))
    );
    // Growing step by step moves pages, not bytes.
    for size in 0..200 {
        heap = memory
            .realloc(&mut pool, &mut tlb, heap, 100_000 + size * 16, 0)
            .expect("live")
            .expect("room");
    }
    assert_eq!(
        memory.load(&mut pool, &mut tlb, heap + 16_000, 8),
        Ok(Value::concrete(2000))
    );
    assert!(memory.heap_bytes().unique < 200_000);
    memory
        .copy(&mut pool, &mut tlb, heap, GLOBAL, 9000)
        .expect("inside");
    memory
        .store(&mut pool, &mut tlb, heap + 10, 1, Value::concrete(1))
        .expect("the copy can be written");
    assert!(
        memory
            .store(&mut pool, &mut tlb, GLOBAL + 10, 1, Value::concrete(1))
            .is_err()
    );
}

/// Whatever TLBs a memory meets: one that does not know what happened meanwhile is not believed.
#[test]
fn a_tlb_of_before_is_not_believed() {
    let (mut pool, mut first, mut second) = (Pool::new(), Tlb::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    let heap = memory.malloc(&mut first, 16, 16, true, 0).expect("room");
    let mut put = |memory: &mut Memory, tlb: &mut Tlb, bits: u64| {
        let value = Value::concrete(bits);
        memory.store(&mut pool, tlb, heap, 8, value).expect("live");
    };
    put(&mut memory, &mut first, 1);
    assert!(memory.enter(&mut first).store(heap, 8, 2));
    // Forked with another TLB: the page is shared, which the first one was not told.
    let mut child = memory.fork(&mut second);
    assert!(!memory.enter(&mut first).store(heap, 8, 3));
    put(&mut memory, &mut first, 3);
    // The page goes while the second TLB is in use.
    put(&mut memory, &mut second, 4);
    assert_eq!(memory.enter(&mut second).load(heap, 8), Some(4));
    assert_eq!(memory.enter(&mut first).load(heap, 8), None);
    assert_eq!(memory.enter(&mut second).load(heap, 8), None);
    // One TLB, two memories, and one that is gone.
    put(&mut child, &mut first, 5);
    assert_eq!(memory.enter(&mut first).load(heap, 8), None);
    put(&mut memory, &mut first, 6);
    drop(memory);
    assert_eq!(child.enter(&mut first).load(heap, 8), None);
    let five = child.load(&mut pool, &mut first, heap, 8);
    assert_eq!(five, Ok(Value::concrete(5)));
}

/// A TLB that is not shown to the collector does not read tables through stale terms.
#[test]
fn cached_arrays_do_not_outlive_a_collection() {
    let (mut pool, mut tlb) = (Pool::new(), Tlb::new());
    let mut memory = Memory::new(Checks::default());
    let content: Vec<u8> = (0..=255).collect();
    memory.add_global(&mut tlb, GLOBAL, 256, &content, true, "table");
    let object = memory.object_at(GLOBAL).expect("there");
    for at in 0..100 {
        pool.bv(32, 1000 + at);
    }
    let byte = symbol(&mut pool, "x");
    let wide = pool.zext(64, byte);
    let base = pool.bv(64, GLOBAL);
    let mut address = pool.add(base, wide);
    let hi = GLOBAL + 255;
    let first = memory
        .load_indexed(&mut pool, &mut tlb, &object, address, GLOBAL, hi, 1)
        .expect("inside");
    let mut value = first.term;
    pool.collect(&mut |visit| {
        trace_all(std::iter::once(&mut memory), visit);
        visit(&mut address);
        visit(&mut value);
    });
    let again = memory
        .load_indexed(&mut pool, &mut tlb, &object, address, GLOBAL, hi, 1)
        .expect("inside");
    assert_eq!(again.term, value);
}
