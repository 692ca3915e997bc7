//! What the hot operations cost. Times are the least of several rounds, so that they mean
//! something on a busy machine too: `cargo bench -p polypath-term`.

use polypath_term::{
    Assignment, Evaluator, FloatFormat, FloatPredicate, LANES, Lanes, Pool, Scratch, Sort, Symbol,
    Tape, Term,
};
use std::hint::black_box;
use std::time::Instant;

/// Least time of `rounds` rounds, in nanoseconds.
fn least(rounds: usize, mut round: impl FnMut()) -> f64 {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_nanos() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn report(name: &str, value: f64, unit: &str) {
    println!("{name:<52} {value:>10.2} {unit}");
}

fn bytes(pool: &mut Pool, count: usize) -> Vec<Term> {
    (0..count)
        .map(|k| {
            let symbol = pool.new_symbol(&format!("b{k}"), Sort::BitVec(8));
            pool.symbol_term(symbol)
        })
        .collect()
}

/// Arithmetic over symbols, `count` nodes, no two alike.
fn arithmetic(pool: &mut Pool, leaves: &[Term], count: usize) -> Term {
    let mut top = leaves[0];
    for k in 0..count {
        let other = leaves[(k * 7 + 3) % leaves.len()];
        top = match k % 4 {
            0 => pool.add(top, other),
            1 => pool.xor(top, other),
            2 => pool.mul(top, other),
            _ => pool.or(top, other),
        };
    }
    top
}

/// A checksum loop as a compiler leaves it: crc = (crc << 5) + crc + byte, on 32 bits.
fn checksum(pool: &mut Pool, input: &[Term]) -> Term {
    let mut hash = pool.bv(32, 5381);
    let five = pool.bv(32, 5);
    for &byte in input {
        let wide = pool.zext(32, byte);
        let shifted = pool.shl(hash, five);
        let sum = pool.add(shifted, hash);
        hash = pool.add(sum, wide);
    }
    hash
}

fn interning() {
    const COUNT: usize = 1_000_000;
    let time = least(5, || {
        let mut pool = Pool::new();
        let leaves = bytes(&mut pool, 64);
        black_box(arithmetic(&mut pool, &leaves, COUNT));
    });
    report(
        "make a new node (constructor and all rules)",
        time / COUNT as f64,
        "ns",
    );
    let mut pool = Pool::new();
    let leaves = bytes(&mut pool, 64);
    arithmetic(&mut pool, &leaves, COUNT);
    let time = least(5, || {
        black_box(arithmetic(&mut pool, &leaves, COUNT));
    });
    report("find a node among 10^6", time / COUNT as f64, "ns");
    let mut small = Pool::new();
    let leaves = bytes(&mut small, 64);
    let time = least(20, || {
        black_box(arithmetic(&mut small, &leaves, 1000));
    });
    report("find a node among 10^3", time / 1000.0, "ns");
    let mut top = arithmetic(&mut pool, &leaves, COUNT);
    let time = least(1, || {
        pool.collect(&mut |visit| visit(&mut top));
    });
    report("collect, a live node", time / pool.len() as f64, "ns");
}

fn evaluation() {
    let mut pool = Pool::new();
    let leaves = bytes(&mut pool, 64);
    let mixed = arithmetic(&mut pool, &leaves, 1000);
    let hash = checksum(&mut pool, &leaves);
    let mut assignment = Assignment::from_bytes(&[7; 64]);
    for (name, term) in [("8-bit arithmetic", mixed), ("32-bit checksum", hash)] {
        let nodes = pool.cone(&[term]).len() as f64;
        let mut evaluator = Evaluator::new();
        let time = least(200, || {
            black_box(evaluator.eval(&pool, term, &assignment));
        });
        report(&format!("Evaluator, a node of {name}"), time / nodes, "ns");
        let tape = Tape::compile(&pool, &[term]);
        let mut scratch = Scratch::new();
        let time = least(50, || {
            for value in 0..20 {
                assignment.set(Symbol(0), value);
                tape.run(&assignment, &mut scratch);
                black_box(tape.value(&scratch, 0));
            }
        });
        report(
            &format!("Tape, a node of {name}"),
            time / 20.0 / tape.len() as f64,
            "ns",
        );
        let time = least(50, || {
            black_box(Tape::compile(&pool, &[term]));
        });
        report(
            &format!("compile a tape, a node of {name}"),
            time / nodes,
            "ns",
        );
    }
}

fn tables() {
    let mut pool = Pool::new();
    let symbol = pool.new_symbol("c", Sort::BitVec(8));
    let c = pool.symbol_term(symbol);
    let wide = pool.zext(32, c);
    let k = |pool: &mut Pool, value: u64| pool.bv(32, value);
    // isdigit, isalpha, a hash test, a table look-up.
    let (low, ten) = (k(&mut pool, -48i64 as u64), k(&mut pool, 10));
    let shifted = pool.add(wide, low);
    let digit = pool.ult(shifted, ten);
    let (bit, base, letters) = (
        k(&mut pool, 32),
        k(&mut pool, -97i64 as u64),
        k(&mut pool, 26),
    );
    let lower = pool.or(wide, bit);
    let lower = pool.add(lower, base);
    let alpha = pool.ult(lower, letters);
    let alnum = pool.or(digit, alpha);
    let (factor, modulus, rest) = (k(&mut pool, 2654435761), k(&mut pool, 17), k(&mut pool, 3));
    let product = pool.mul(wide, factor);
    let remainder = pool.urem(product, modulus);
    let hashed = pool.eq(remainder, rest);
    let content: Vec<u8> = (0..=255u32).map(|v| ((v * v) >> 3) as u8).collect();
    let table = pool.array_bytes(&content);
    let index = pool.zext(64, c);
    let element = pool.select(table, index);
    let four = pool.bv(8, 4);
    let flag = pool.and(element, four);
    let zero = pool.bv(8, 0);
    let looked_up = pool.ne(flag, zero);
    for (name, condition) in [
        ("isdigit", digit),
        ("isalnum", alnum),
        ("multiplicative hash % 17", hashed),
        ("table look-up", looked_up),
    ] {
        let nodes = pool.cone(&[condition]).len();
        let time = least(2000, || {
            black_box(Tape::truth_table(&pool, condition, symbol));
        });
        report(
            &format!("truth table of {name} ({nodes} nodes)"),
            time / 1000.0,
            "us",
        );
    }
}

/// All sections, or those named on the command line.
/// A polynomial of degree 5 over one double of eight byte symbols: is its absolute value below 10^-6?
fn floats() {
    let mut pool = Pool::new();
    let parts = bytes(&mut pool, 8);
    let mut bits = parts[0];
    for &part in &parts[1..] {
        bits = pool.concat(part, bits);
    }
    let x = pool.fp_from_bits(FloatFormat::DOUBLE, bits);
    let number = |pool: &mut Pool, value: f64| {
        let bits = pool.bv(64, value.to_bits());
        pool.fp_from_bits(FloatFormat::DOUBLE, bits)
    };
    let minus_three = number(&mut pool, -3.0);
    let mut value = pool.fadd(x, minus_three);
    for coefficient in [1.0, -7.0, 2.0, -5.0] {
        let coefficient = number(&mut pool, coefficient);
        let product = pool.fmul(value, x);
        value = pool.fadd(product, coefficient);
    }
    let (magnitude, limit) = (pool.fabs(value), number(&mut pool, 1e-6));
    let root = pool.fcmp(FloatPredicate::Olt, magnitude, limit);
    const RUNS: u64 = 1_000_000;
    let pattern = |k: u64| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2;
    let by_bytes = Tape::compile(&pool, &[root]);
    let mut scratch = Scratch::new();
    let mut assignment = Assignment::new();
    let time = least(5, || {
        for k in 0..RUNS {
            for (at, byte) in pattern(k).to_le_bytes().into_iter().enumerate() {
                assignment.set(Symbol(at as u32), byte.into());
            }
            by_bytes.run(&assignment, &mut scratch);
            black_box(by_bytes.value(&scratch, 0));
        }
    });
    report(
        "polynomial of degree 5, from bytes",
        time / RUNS as f64,
        "ns",
    );
    let by_number = Tape::over(&pool, &[root], &[bits]);
    let nothing = Assignment::new();
    let time = least(5, || {
        for k in 0..RUNS {
            by_number.set(&mut scratch, 0, pattern(k).into());
            by_number.run(&nothing, &mut scratch);
            black_box(by_number.value(&scratch, 0));
        }
    });
    report(
        "polynomial of degree 5, from a number",
        time / RUNS as f64,
        "ns",
    );
    let mut lanes = Lanes::new();
    let time = least(5, || {
        for k in 0..RUNS / LANES as u64 {
            for lane in 0..LANES {
                let bits = pattern(k * LANES as u64 + lane as u64);
                by_number.set_lane(&mut lanes, lane, 0, bits.into());
            }
            by_number.run_lanes(&nothing, &mut lanes);
            black_box(by_number.values(&lanes, 0));
        }
    });
    report(
        "polynomial of degree 5, several numbers at once",
        time / RUNS as f64,
        "ns",
    );
}

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let sections: [(&str, fn()); 4] = [
        ("interning", interning),
        ("evaluation", evaluation),
        ("tables", tables),
        ("floats", floats),
    ];
    for (name, section) in sections {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            section();
        }
    }
}
