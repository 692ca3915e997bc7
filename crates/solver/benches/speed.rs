//! The two speed claims of the solver, as ratios and absolute times (quiet machine only):
//! forks decided by byte sets, and query time after many queries against fresh contexts; then the
//! six chained table look-ups, by all layers and by bit-blasting alone.
//!
//! `cargo bench -p polypath-solver [-- forks|words|contexts|growth|fuzz|tables]`

use polypath_solver as solver;
use solver::{
    Ask, Budget, FloatMethod, LayerId, Metric, Model, NoTrials, Origin, Outcome, PathCondition,
    SatKind, Solver, SolverOptions,
};
use std::time::Instant;
use term::{Evaluator, FloatFormat, FloatPredicate, Pool, Sort, Symbol, Term};

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let run = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if run("forks") {
        forks("byte", 1, 16);
    }
    if run("words") {
        forks("word", 2, 13);
    }
    if run("contexts") {
        for &(name, sat) in SatKind::ALL {
            contexts(name, sat);
        }
    }
    if run("growth") {
        for &(name, sat) in SatKind::ALL {
            growth(name, sat);
        }
    }
    if run("fuzz") {
        floats("fuzz", FloatMethod::Fuzz);
        floats("search", FloatMethod::Search(Metric::Steps));
    }
    if run("tables") {
        tables("all layers", SolverOptions::default());
        tables("blast alone", SolverOptions::with_layers(&[LayerId::Blast]));
    }
}

fn bytes(pool: &mut Pool, n: usize) -> Vec<Symbol> {
    (0..n)
        .map(|i| pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
        .collect()
}

/// 2^n paths of n independent checks of a byte or a 16-bit word, without an executor: fork, ask,
/// push.
fn forks(name: &str, size: usize, checks: usize) {
    let mut pool = Pool::new();
    let symbols = bytes(&mut pool, size * checks);
    let mut solver = Solver::new(SolverOptions::default());
    let mut evaluator = Evaluator::new();
    let conditions: Vec<Term> = symbols
        .chunks(size)
        .map(|chunk| {
            let bytes: Vec<Term> = chunk.iter().map(|&s| pool.symbol_term(s)).collect();
            let mut word = bytes[0];
            for &byte in &bytes[1..] {
                word = pool.concat(byte, word);
            }
            let limit = pool.bv(8 * size as u32, b'm' as u64);
            pool.ugt(word, limit)
        })
        .collect();
    let budget = Budget::default();
    let begun = Instant::now();
    let mut states = vec![(PathCondition::new(), Model::new(), 0usize)];
    let mut paths = 0u64;
    while let Some((mut pc, witness, mut depth)) = states.pop() {
        while depth < conditions.len() {
            let cond = conditions[depth];
            let holds = evaluator.eval(&pool, cond, &witness) == 1;
            let negated = pool.not(cond);
            let (mine, other) = if holds {
                (cond, negated)
            } else {
                (negated, cond)
            };
            depth += 1;
            if let Outcome::Sat(model) =
                solver.feasible(&mut pool, other, Ask::new(&pc, &witness, &budget))
            {
                let mut child = pc.clone();
                solver.push(&mut pool, &mut child, other, Origin::Branch);
                states.push((child, model, depth));
            }
            solver.push(&mut pool, &mut pc, mine, Origin::Branch);
        }
        paths += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "forks ({name}): {paths} paths in {seconds:.3} s = {:.0} paths/s, {:.2} us a path, {} queries",
        paths as f64 / seconds,
        seconds * 1e6 / paths as f64,
        solver.stats().queries
    );
    print(&solver);
}

/// How many assignments a second the methods that guess try on a small query that has no solution: x > 1, y < 2, x + y == 1,
/// y > 3.
fn floats(name: &str, method: FloatMethod) {
    let mut pool = Pool::new();
    let symbols = bytes(&mut pool, 16);
    let doubles: Vec<Term> = symbols
        .chunks(8)
        .map(|chunk| {
            let parts: Vec<Term> = chunk.iter().map(|&s| pool.symbol_term(s)).collect();
            let bits = parts[1..]
                .iter()
                .fold(parts[0], |low, &b| pool.concat(b, low));
            pool.fp_from_bits(FloatFormat::DOUBLE, bits)
        })
        .collect();
    let sum = pool.fadd(doubles[0], doubles[1]);
    let rows = [
        (FloatPredicate::Ogt, doubles[0], 1.0f64),
        (FloatPredicate::Olt, doubles[1], 2.0),
        (FloatPredicate::Oeq, sum, 1.0),
        (FloatPredicate::Ogt, doubles[1], 3.0),
    ];
    let options = SolverOptions {
        floats: method,
        ..SolverOptions::with_layers(&[LayerId::Fuzz, LayerId::FloatSearch])
    };
    let mut solver = Solver::new(options);
    let mut pc = PathCondition::new();
    for (predicate, t, value) in rows {
        let bits = pool.bv(64, value.to_bits());
        let value = pool.fp_from_bits(FloatFormat::DOUBLE, bits);
        let condition = pool.fcmp(predicate, t, value);
        solver.push(&mut pool, &mut pc, condition, Origin::Branch);
    }
    let begun = Instant::now();
    let budget = Budget {
        effort: 1 << 27,
        ..Budget::default()
    };
    let outcome = solver.solve(&mut pool, &pc, &budget, &mut NoTrials);
    let seconds = begun.elapsed().as_secs_f64();
    assert!(matches!(outcome, Outcome::Unknown(_)), "{name}");
    let rows = solver.stats().rows();
    let count = rows.iter().find(|r| r.name == "evaluations");
    let count = count.expect("a counter").value;
    println!(
        "{name}: {count} assignments in {seconds:.3} s = {:.1} million a second",
        count / seconds / 1e6
    );
}

fn print(solver: &Solver) {
    for row in solver.stats().rows().iter().filter(|r| r.value != 0.0) {
        println!("    {:<18} {:>10} {}", row.name, row.value, row.unit);
    }
}

/// Queries over ever new regions: the time of a window at the end against a fresh solver's for
/// the same queries.
fn contexts(name: &str, sat: SatKind) {
    let count: usize = std::env::var("QUERIES")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(100_000);
    let mut pool = Pool::new();
    let symbols = bytes(&mut pool, 64);
    let options = SolverOptions {
        sat,
        ..SolverOptions::with_layers(&[LayerId::Independence, LayerId::Blast])
    };
    let mut solver = Solver::new(options.clone());
    let budget = Budget::default();
    let mut generator = testkit::Random::new(1);
    let mut random = |n: u64| generator.below(n);
    let mut words = |pool: &mut Pool| -> Term {
        let mut word = Term::NONE;
        for k in 0..4 {
            let byte = pool.symbol_term(symbols[random(64) as usize]);
            word = if k == 0 {
                byte
            } else {
                pool.concat(word, byte)
            };
        }
        word
    };
    let (mut fresh, mut last) = (0.0, 0.0);
    let window = (count / 20).max(1);
    for i in 0..count {
        let (a, b, c) = (words(&mut pool), words(&mut pool), words(&mut pool));
        let sum = pool.add(a, b);
        let constant = pool.bv(32, (i as u64).wrapping_mul(0x9e37_79b9));
        let mixed = pool.xor(c, constant);
        let cond = pool.ult(sum, mixed);
        let cond = if i % 2 == 0 {
            cond
        } else {
            pool.eq(sum, mixed)
        };
        let mut ask = |solver: &mut Solver| {
            let begun = Instant::now();
            let path = PathCondition::new();
            let outcome = solver.feasible(&mut pool, cond, Ask::new(&path, &Model::new(), &budget));
            assert!(!matches!(outcome, Outcome::Unknown(_)));
            begun.elapsed().as_secs_f64()
        };
        let seconds = ask(&mut solver);
        if i >= count - window {
            last += seconds;
            fresh += ask(&mut Solver::new(options.clone()));
        }
    }
    println!(
        "contexts ({name}): {:.1} us a query in the last {window} of {count}, {:.1} us by a fresh solver: ratio {:.2} ({} contexts)",
        last * 1e6 / window as f64,
        fresh * 1e6 / window as f64,
        last / fresh,
        solver.stats().contexts_built
    );
}

/// `st = T[k][(st ^ b[k]) & 0xff]; if (st < 128) …` six times: 64 paths.
fn tables(name: &str, options: SolverOptions) {
    let mut pool = Pool::new();
    let symbols = bytes(&mut pool, 6);
    let mut solver = Solver::new(options);
    let mut content = vec![0u8; 6 * 256 * 4];
    let mut x = 12345u32;
    for entry in content.chunks_exact_mut(4) {
        x = x.wrapping_mul(1103515245).wrapping_add(12345);
        entry[0] = (x >> 16) as u8;
    }
    let table = pool.array_bytes(&content);
    let budget = Budget::default();
    let begun = Instant::now();
    let start = pool.bv(32, 0);
    let mut states = vec![(PathCondition::new(), Model::new(), start, 0usize)];
    let (mut paths, mut slowest) = (0, 0.0f64);
    while let Some((mut pc, witness, mut st, mut k)) = states.pop() {
        while k < 6 {
            let byte = pool.symbol_term(symbols[k]);
            let byte = pool.zext(32, byte);
            let mixed = pool.xor(st, byte);
            let low = pool.extract(7, 0, mixed);
            let index = pool.zext(64, low);
            let four = pool.bv(64, 4);
            let index = pool.mul(index, four);
            let base = pool.bv(64, (k * 1024) as u64);
            let index = pool.add(index, base);
            let mut word = Term::NONE;
            for j in 0..4u64 {
                let offset = pool.bv(64, j);
                let at = pool.add(index, offset);
                let lo = (k * 1024) as u64;
                let byte = pool.select_bounded(table, at, lo, lo + 1023);
                word = if j == 0 {
                    byte
                } else {
                    pool.concat(byte, word)
                };
            }
            st = word;
            k += 1;
            let limit = pool.bv(32, 128);
            let cond = pool.ult(st, limit);
            let holds = Evaluator::new().eval(&pool, cond, &witness) == 1;
            let negated = pool.not(cond);
            let (mine, other) = if holds {
                (cond, negated)
            } else {
                (negated, cond)
            };
            let asked = Instant::now();
            let outcome = solver.feasible(&mut pool, other, Ask::new(&pc, &witness, &budget));
            slowest = slowest.max(asked.elapsed().as_secs_f64());
            match outcome {
                Outcome::Sat(model) => {
                    let mut child = pc.clone();
                    solver.push(&mut pool, &mut child, other, Origin::Branch);
                    states.push((child, model, st, k));
                }
                Outcome::Unsat(_) => {}
                Outcome::Unknown(why) => println!("tables: unknown: {why}"),
            }
            solver.push(&mut pool, &mut pc, mine, Origin::Branch);
        }
        paths += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "tables ({name}): {paths} paths in {seconds:.3} s, {} queries, slowest {:.1} ms",
        solver.stats().queries,
        slowest * 1e3
    );
    print(&solver);
}

/// A path that grows: 150 conjuncts over overlapping 32-bit words, each asked on both sides.
fn growth(name: &str, sat: SatKind) {
    let mut pool = Pool::new();
    let symbols = bytes(&mut pool, 80);
    let options = SolverOptions {
        sat,
        ..SolverOptions::default()
    };
    let mut solver = Solver::new(options);
    let mut pc = PathCondition::new();
    let mut witness = Model::new();
    for (i, &s) in symbols.iter().enumerate() {
        witness.set(s, (i as u64).wrapping_mul(37) & 0xff);
    }
    let budget = Budget::default();
    let begun = Instant::now();
    let mut counts = [0u32; 3];
    for i in 0..150u64 {
        let word = |pool: &mut Pool, at: usize| {
            let mut word = pool.symbol_term(symbols[at % 80]);
            for k in 1..4 {
                let byte = pool.symbol_term(symbols[(at + k) % 80]);
                word = pool.concat(byte, word);
            }
            word
        };
        let (a, b) = (
            word(&mut pool, i as usize * 3),
            word(&mut pool, i as usize * 5 + 1),
        );
        let three = pool.bv(32, 3 + i % 7);
        let product = pool.mul(a, three);
        let sum = pool.add(product, b);
        let limit = pool.bv(32, i.wrapping_mul(0x9e37_79b9) >> (i % 5));
        let cond = pool.ult(sum, limit);
        let holds = Evaluator::new().eval(&pool, cond, &witness) == 1;
        let negated = pool.not(cond);
        let (mine, other) = if holds {
            (cond, negated)
        } else {
            (negated, cond)
        };
        match solver.feasible(&mut pool, other, Ask::new(&pc, &witness, &budget)) {
            Outcome::Sat(model) => {
                counts[0] += 1;
                if i % 3 == 0 {
                    // Go on along the other side now and then.
                    solver.push(&mut pool, &mut pc, other, Origin::Branch);
                    witness = model;
                    continue;
                }
            }
            Outcome::Unsat(_) => counts[1] += 1,
            Outcome::Unknown(_) => counts[2] += 1,
        }
        solver.push(&mut pool, &mut pc, mine, Origin::Branch);
    }
    println!(
        "growth ({name}): 150 conjuncts in {:.3} s, sat/unsat/unknown {counts:?}",
        begun.elapsed().as_secs_f64()
    );
    print(&solver);
}
