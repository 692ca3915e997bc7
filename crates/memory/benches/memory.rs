//! Costs of the operations that a machine does all the time: `cargo bench -p polypath-memory`.

use polypath_memory::{Checks, Memory, Tlb, Value};
use std::hint::black_box;
use term::{Pool, Sort};

/// Nanoseconds that this process ran so far, whatever else the machine does.
fn cpu_time() -> f64 {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    const THREAD_CPU_TIME: i32 = 3;
    let mut time = Time {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the C library's function, with a place for its result.
    assert_eq!(unsafe { clock_gettime(THREAD_CPU_TIME, &mut time) }, 0);
    time.seconds as f64 * 1e9 + time.nanoseconds as f64
}

/// The least time of several rounds, per operation.
fn report(name: &str, operations: u64, mut round: impl FnMut()) -> f64 {
    if let Some(only) = std::env::args()
        .nth(1)
        .filter(|only| !only.starts_with("--"))
        && !name.contains(&only)
    {
        return 0.0;
    }
    let best = (0..7)
        .map(|_| {
            let start = cpu_time();
            round();
            (cpu_time() - start) / operations as f64
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<44} {best:>10.2} ns");
    best
}

fn main() {
    let mut pool = Pool::new();
    let mut tlb = Tlb::new();
    let mut memory = Memory::new(Checks::default());
    let content: Vec<u8> = (0..20_000).map(|at| at as u8).collect();
    let globals = ir::layout::GLOBALS;
    memory.add_global(&mut tlb, globals, 20_000, &content, false, "g");
    const N: u64 = 1_000_000;

    for at in 0..2048 {
        memory
            .store(
                &mut pool,
                &mut tlb,
                globals + at * 8,
                8,
                Value::concrete(at),
            )
            .expect("inside");
    }
    report("load hit, 8 bytes, independent", N, || {
        let mut sum = 0u64;
        for at in 0..N {
            let addr = black_box(globals + (at & 2047) * 8);
            match memory.enter(&mut tlb).load(addr, 8) {
                Some(bits) => sum = sum.wrapping_add(bits),
                None => {
                    sum = sum.wrapping_add(
                        memory
                            .load(&mut pool, &mut tlb, addr, 8)
                            .expect("inside")
                            .bits,
                    )
                }
            }
        }
        black_box(sum);
    });
    report("load hit, 4 bytes, address from the last", N, || {
        let mut last = 0u64;
        for at in 0..N {
            let addr = globals + ((last + at) & 2047) * 4;
            last = match memory.enter(&mut tlb).load(addr, 4) {
                Some(bits) => bits & 0xff,
                None => {
                    memory
                        .load(&mut pool, &mut tlb, addr, 4)
                        .expect("inside")
                        .bits
                        & 0xff
                }
            };
        }
        black_box(last);
    });
    report("store hit, 8 bytes", N, || {
        for at in 0..N {
            let addr = black_box(globals + (at & 2047) * 8);
            if !memory.enter(&mut tlb).store(addr, 8, at) {
                memory
                    .store(&mut pool, &mut tlb, addr, 8, Value::concrete(at))
                    .expect("inside");
            }
        }
    });
    let symbol = pool.new_symbol("s", Sort::BitVec(64));
    let term = pool.symbol_term(symbol);
    report("store and load a symbolic word", N, || {
        for at in 0..N {
            let addr = black_box(globals + (at & 255) * 8);
            memory
                .store(&mut pool, &mut tlb, addr, 8, Value::symbolic(term))
                .expect("inside");
            black_box(memory.load(&mut pool, &mut tlb, addr, 8).expect("inside"));
        }
    });
    report("frame of four locals, made and dropped", N, || {
        for _ in 0..N {
            let mark = memory.stack_mark();
            for size in [4, 8, 8, 32] {
                black_box(memory.stack_alloc(&mut tlb, size, 8, 0).expect("room"));
            }
            memory.stack_release(&mut tlb, mark);
        }
    });
    report("malloc and free of 40 bytes", 100_000, || {
        for _ in 0..100_000 {
            let addr = memory.malloc(&mut tlb, 40, 16, false, 0).expect("room");
            memory.free(&mut tlb, addr).expect("live");
        }
    });
    for _ in 0..100 {
        memory.malloc(&mut tlb, 100, 16, false, 0).expect("room");
    }
    report("fork, child dropped", N, || {
        for _ in 0..N {
            black_box(memory.fork(&mut tlb));
        }
    });
    let stack = memory.stack_alloc(&mut tlb, 64, 8, 0).expect("room");
    memory
        .store(&mut pool, &mut tlb, stack, 8, Value::concrete(1))
        .expect("inside");
    report("fork, 4 stores in 2 pages, child dropped", 100_000, || {
        for at in 0..100_000 {
            let mut child = memory.fork(&mut tlb);
            for offset in [0, 8] {
                child
                    .store(&mut pool, &mut tlb, stack + offset, 8, Value::concrete(at))
                    .expect("inside");
                child
                    .store(
                        &mut pool,
                        &mut tlb,
                        globals + 5000 + offset,
                        8,
                        Value::concrete(at),
                    )
                    .expect("inside");
            }
            black_box(&child);
            drop(child);
        }
    });
    let (a, b) = (
        memory
            .malloc(&mut tlb, 1 << 20, 16, false, 0)
            .expect("room"),
        memory
            .malloc(&mut tlb, 1 << 20, 16, false, 0)
            .expect("room"),
    );
    memory
        .fill(&mut pool, &mut tlb, a, Value::concrete(1), 1 << 20)
        .expect("inside");
    for at in 0..50 {
        memory
            .copy(&mut pool, &mut tlb, a + at * 20_000, globals, 20_000)
            .expect("inside");
    }
    memory
        .write_concrete(&mut tlb, globals, &content)
        .expect("inside");
    for at in 0..50 {
        memory
            .copy(&mut pool, &mut tlb, a + at * 20_000, globals, 20_000)
            .expect("inside");
    }
    let per_byte = report("copy of 1 MiB, per byte", 64 << 20, || {
        for _ in 0..64 {
            memory
                .copy(&mut pool, &mut tlb, b, a, 1 << 20)
                .expect("inside");
        }
    });
    println!("{:<44} {:>10.2} GB/s", "  that is", 1.0 / per_byte);
    report("copy of 24 bytes", N, || {
        for at in 0..N {
            memory
                .copy(&mut pool, &mut tlb, b + (at & 1023), a, 24)
                .expect("inside");
        }
    });

    let byte = pool.new_symbol("b", Sort::BitVec(8));
    let byte = pool.symbol_term(byte);
    let index = pool.zext(64, byte);
    let four = pool.bv(64, 4);
    let offset = pool.mul(index, four);
    memory
        .fill(&mut pool, &mut tlb, globals, Value::concrete(1), 20_000)
        .expect("inside");
    memory
        .store(&mut pool, &mut tlb, globals + 8, 8, Value::symbolic(term))
        .expect("inside");
    for at in 0..4 {
        memory
            .store(&mut pool, &mut tlb, a + at * 8, 8, Value::symbolic(term))
            .expect("inside");
    }
    report("copy of 32 symbolic bytes", N, || {
        for at in 0..N {
            memory
                .copy(&mut pool, &mut tlb, b + (at & 1023), a, 32)
                .expect("inside");
        }
    });
    for (name, base) in [("in 20 kB of globals", globals), ("in 1 MiB of heap", a)] {
        let object = memory.object_at(base).expect("an object");
        let start = pool.bv(64, base);
        let address = pool.add(start, offset);
        report(&format!("indexed load, 256 words, {name}"), 10_000, || {
            for _ in 0..10_000 {
                let value = memory
                    .load_indexed(&mut pool, &mut tlb, &object, address, base, base + 1020, 4)
                    .expect("inside");
                black_box(value);
            }
        });
    }

    let states: Vec<Memory> = (0..1000)
        .map(|at| {
            let mut child = memory.fork(&mut tlb);
            child
                .store(&mut pool, &mut tlb, stack, 8, Value::concrete(at))
                .expect("inside");
            child
                .store(&mut pool, &mut tlb, globals, 8, Value::symbolic(term))
                .expect("inside");
            child
        })
        .collect();
    println!(
        "{:<44} {:?}",
        "a state with 2 stores in 2 pages, bytes",
        states[500].heap_bytes()
    );
}
