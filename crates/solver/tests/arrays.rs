//! Arrays: every configuration against brute force and against the others, on generated formulas
//! over free arrays, constant arrays, tables, stores, choices and equalities of arrays.

use crate::common;

use crate::common::{Rng, UNHURRIED};
use polypath_solver as solver;
use solver::{
    ArrayMethod, LayerId, Model, NoTrials, Origin, Outcome, PathCondition, Solver, SolverOptions,
};
use term::{ArrayValue, Evaluator, Pool, Scratch, Sort, Symbol, Tape, Term};

fn options(arrays: ArrayMethod) -> SolverOptions {
    SolverOptions {
        arrays,
        ..SolverOptions::with_layers(&[LayerId::Rewrite, LayerId::Blast])
    }
}

/// Asks for the conjunction of the conditions; checks a model. `None`: not decided.
fn ask(pool: &mut Pool, conditions: &[Term], options: SolverOptions) -> Option<bool> {
    let mut solver = Solver::new(options);
    let mut pc = PathCondition::new();
    for &c in conditions {
        solver.push(pool, &mut pc, c, Origin::Branch);
    }
    match solver.solve(pool, &pc, &UNHURRIED, &mut NoTrials) {
        Outcome::Sat(model) => {
            let wrong = Evaluator::new().first_false(pool, conditions, &model);
            assert_eq!(wrong, None, "wrong model");
            assert_eq!(solver.stats().models_rejected, 0);
            Some(true)
        }
        Outcome::Unsat(core) => {
            assert!(core.iter().all(|c| conditions.contains(c)), "foreign core");
            Some(false)
        }
        Outcome::Unknown(_) => None,
    }
}

/// Formulas over arrays of one index and element width.
struct Arrays {
    rng: Rng,
    index: u32,
    elem: u32,
    arrays: Vec<Symbol>,
    values: Vec<Symbol>,
}

impl Arrays {
    fn new(pool: &mut Pool, seed: u64, index: u32, elem: u32, arrays: usize) -> Arrays {
        let array =
            |pool: &mut Pool, i| pool.new_symbol(&format!("a{i}"), Sort::Array { index, elem });
        let arrays = (0..arrays).map(|i| array(pool, i)).collect();
        let values = [("i", index), ("j", index), ("v", elem)]
            .map(|(name, width)| pool.new_symbol(name, Sort::BitVec(width)))
            .to_vec();
        Arrays {
            rng: Rng::new(seed),
            index,
            elem,
            arrays,
            values,
        }
    }

    fn array(&mut self, pool: &mut Pool, depth: u32) -> Term {
        let pick = self.rng.below(if depth == 0 { 3 } else { 9 });
        match pick {
            0 => {
                let value = self.value(pool, self.elem, 0);
                pool.array_const(self.index, self.elem, value)
            }
            1 | 2 => {
                let k = self.rng.below(self.arrays.len() as u64) as usize;
                pool.symbol_term(self.arrays[k])
            }
            3 => {
                let c = self.condition(pool, depth - 1);
                let (a, b) = (self.array(pool, depth - 1), self.array(pool, depth - 1));
                pool.ite(c, a, b)
            }
            _ => {
                let a = self.array(pool, depth - 1);
                let i = self.value(pool, self.index, depth - 1);
                let v = self.value(pool, self.elem, depth - 1);
                pool.store(a, i, v)
            }
        }
    }

    fn value(&mut self, pool: &mut Pool, width: u32, depth: u32) -> Term {
        let same: Vec<Symbol> = self
            .values
            .iter()
            .copied()
            .filter(|&s| pool.symbol_sort(s) == Sort::BitVec(width))
            .collect();
        match self.rng.below(if depth == 0 { 4 } else { 9 }) {
            0 => {
                let value = self.rng.below(4);
                pool.bv(width, value)
            }
            1..4 => {
                let s = same[self.rng.below(same.len() as u64) as usize];
                pool.symbol_term(s)
            }
            4 => {
                let (a, b) = (
                    self.value(pool, width, depth - 1),
                    self.value(pool, width, depth - 1),
                );
                pool.add(a, b)
            }
            _ => {
                let a = self.array(pool, depth - 1);
                let i = self.value(pool, self.index, depth - 1);
                let read = pool.select(a, i);
                if width < self.elem {
                    pool.extract(width - 1, 0, read)
                } else {
                    pool.zext(width, read)
                }
            }
        }
    }

    fn condition(&mut self, pool: &mut Pool, depth: u32) -> Term {
        let c = match self.rng.below(6) {
            0 | 1 => {
                let (a, b) = (self.array(pool, depth), self.array(pool, depth));
                pool.eq(a, b)
            }
            2 => {
                let (a, b) = (
                    self.value(pool, self.index, depth),
                    self.value(pool, self.index, depth),
                );
                pool.ult(a, b)
            }
            3 if depth > 0 => {
                let (a, b) = (
                    self.condition(pool, depth - 1),
                    self.condition(pool, depth - 1),
                );
                pool.and(a, b)
            }
            _ => {
                let (a, b) = (
                    self.value(pool, self.elem, depth),
                    self.value(pool, self.elem, depth),
                );
                pool.eq(a, b)
            }
        };
        if self.rng.below(2) == 0 {
            pool.not(c)
        } else {
            c
        }
    }

    /// Tries every value of every symbol.
    fn brute_force(&self, pool: &Pool, conditions: &[Term]) -> bool {
        let tape = Tape::compile(pool, conditions);
        let mut scratch = Scratch::new();
        let cells = 1u32 << self.index;
        let bits: u32 = self
            .values
            .iter()
            .map(|&s| pool.symbol_sort(s).bits())
            .sum();
        let total = bits + self.arrays.len() as u32 * cells * self.elem;
        assert!(total <= 18, "{total} bits");
        (0..1u64 << total).any(|mut point| {
            let mut take = |width: u32| {
                let value = point & ((1 << width) - 1);
                point >>= width;
                value
            };
            let mut model = Model::new();
            for &s in &self.values {
                model.set(s, take(pool.symbol_sort(s).bits()));
            }
            for &a in &self.arrays {
                let entries = (0..cells as u64)
                    .map(|i| (i.into(), take(self.elem).into()))
                    .collect();
                let default = Default::default();
                model.set_array(a, ArrayValue { default, entries });
            }
            tape.run(&model, &mut scratch);
            (0..conditions.len()).all(|i| tape.value(&scratch, i) & 1 == 1)
        })
    }
}

#[test]
fn free_arrays_agree_with_brute_force() {
    let mut counts = [0; 2];
    for seed in 0..240 {
        let mut pool = Pool::new();
        let (index, elem) = [(1, 2), (2, 1), (1, 1), (1, 3)][seed as usize % 4];
        let mut arrays = Arrays::new(&mut pool, seed, index, elem, 2);
        let conditions: Vec<Term> = (0..1 + seed % 4)
            .map(|_| arrays.condition(&mut pool, 2))
            .collect();
        let expected = arrays.brute_force(&pool, &conditions);
        counts[expected as usize] += 1;
        for &(name, method, _) in ArrayMethod::ALL {
            if seed % 5 != 0 && !matches!(method, ArrayMethod::Auto) {
                continue;
            }
            let answer = ask(&mut pool, &conditions, options(method));
            assert_eq!(
                answer,
                Some(expected),
                "seed {seed}, {name}\n{}",
                term::to_smt2(&pool, &conditions)
            );
        }
    }
    assert!(
        counts[0] > 30 && counts[1] > 30,
        "a one-sided test: {counts:?}"
    );
}

/// Wider indices: the configurations against each other, and where known the answer.
#[test]
fn configurations_agree_on_wide_arrays() {
    let mut decided = [0; 3];
    for seed in 0..160 {
        let mut answers = Vec::new();
        for &(name, method, _) in ArrayMethod::ALL {
            if seed % 7 != 0 && !matches!(method, ArrayMethod::Auto | ArrayMethod::Flush) {
                continue;
            }
            let mut pool = Pool::new();
            let (index, elem) = [(16, 8), (32, 32), (64, 8), (11, 5), (100, 70)][seed as usize % 5];
            let mut arrays = Arrays::new(&mut pool, seed, index, elem, 3);
            let conditions: Vec<Term> = (0..1 + seed % 5)
                .map(|_| arrays.condition(&mut pool, 3))
                .collect();
            let answer = ask(&mut pool, &conditions, options(method));
            if let (Ok(dir), ArrayMethod::Auto) = (std::env::var("POLYPATH_DUMP"), method) {
                let verdict = answer.map_or("unknown", |sat| if sat { "sat" } else { "unsat" });
                let text = term::to_smt2(&pool, &conditions);
                std::fs::write(format!("{dir}/w{seed}.{verdict}.smt2"), text).unwrap();
            }
            answers.push((name, answer));
        }
        let first = answers[0].1;
        assert!(
            answers.iter().all(|a| a.1 == first),
            "seed {seed}: {answers:?}"
        );
        decided[first.map_or(2, |sat| sat as usize)] += 1;
    }
    assert!(decided[0] > 10 && decided[1] > 10, "one-sided: {decided:?}");
    assert_eq!(decided[2], 0, "undecided");
}

/// Tables and updates of tables under bytes, as the executor makes them.
#[test]
fn tables_agree_with_brute_force() {
    let mut counts = [0; 2];
    for seed in 0..80 {
        let mut pool = Pool::new();
        let mut g = common::Generator::new(&mut pool, 7000 + seed, 1 + (seed % 2) as usize);
        let mut conditions: Vec<Term> = (0..1 + seed % 3)
            .map(|_| g.condition(&mut pool, 3))
            .collect();
        if !conditions.iter().any(|&c| pool.has_array(c)) {
            let read = g.term(&mut pool, 8, 2);
            let limit = pool.bv(8, seed);
            conditions.push(pool.ult(read, limit));
        }
        let expected = common::brute_force(&pool, &conditions, &g.bytes);
        counts[expected as usize] += 1;
        for &(name, method, _) in ArrayMethod::ALL {
            let answer = ask(&mut pool, &conditions, options(method));
            assert_eq!(answer, Some(expected), "seed {seed}, {name}");
        }
    }
    assert!(counts[0] > 10 && counts[1] > 10, "one-sided: {counts:?}");
}

/// An update list that is long enough to be abstracted: reads hit, miss, and meet the base.
#[test]
fn long_update_lists_are_read_right() {
    for &(name, method, _) in ArrayMethod::ALL {
        for base in 0..3 {
            let mut pool = Pool::new();
            let byte = |pool: &mut Pool, name: &str| {
                let s = pool.new_symbol(name, Sort::BitVec(8));
                pool.symbol_term(s)
            };
            let mut array = match base {
                0 => pool.array_bytes(&[7; 300]),
                1 => {
                    let s = pool.new_symbol("a", Sort::Array { index: 64, elem: 8 });
                    pool.symbol_term(s)
                }
                _ => {
                    let seven = pool.bv(8, 7);
                    pool.array_const(64, 8, seven)
                }
            };
            let bottom = array;
            let mut stores = Vec::new();
            for k in 0..40 {
                let at = byte(&mut pool, &format!("i{k}"));
                let at = pool.zext(64, at);
                let value = byte(&mut pool, &format!("v{k}"));
                array = pool.store(array, at, value);
                stores.push((at, value));
            }
            let i = byte(&mut pool, "i");
            let i = pool.zext(64, i);
            let read = pool.select(array, i);
            let under = pool.select(bottom, i);
            let misses: Vec<Term> = stores.iter().map(|&(at, _)| pool.ne(i, at)).collect();
            let differs = pool.ne(read, under);
            let mut conditions = misses.clone();
            assert_eq!(
                ask(&mut pool, &conditions, options(method)),
                Some(true),
                "{name}"
            );
            conditions.push(differs);
            assert_eq!(
                ask(&mut pool, &conditions, options(method)),
                Some(false),
                "{name} {base}"
            );
            // One store fewer is excluded: a near miss that is satisfiable.
            let mut near = misses[1..].to_vec();
            near.push(differs);
            assert_eq!(
                ask(&mut pool, &near, options(method)),
                Some(true),
                "{name} {base}"
            );
            // The newest store that matches counts.
            let last = stores[39];
            let hit = pool.eq(i, last.0);
            let wrong = pool.ne(read, last.1);
            assert_eq!(
                ask(&mut pool, &[hit, wrong], options(method)),
                Some(false),
                "{name}"
            );
            let hit = pool.eq(i, stores[38].0);
            let wrong = pool.ne(read, stores[38].1);
            assert_eq!(
                ask(&mut pool, &[hit, wrong], options(method)),
                Some(true),
                "{name}"
            );
        }
    }
}

/// A chain of stores at unknown indices, with a read of each of its arrays.
struct Prefixes {
    conditions: Vec<Term>,
    /// The first array and the last one.
    ends: [Term; 2],
    indices: Vec<Term>,
}

impl Prefixes {
    fn new(pool: &mut Pool, count: usize) -> Prefixes {
        let new = |pool: &mut Pool, name: &str, sort: Sort| {
            let symbol = pool.new_symbol(name, sort);
            pool.symbol_term(symbol)
        };
        let first = new(pool, "a", Sort::Array { index: 32, elem: 8 });
        let (mut array, mut conditions, mut indices) = (first, Vec::new(), Vec::new());
        for _ in 0..count {
            let [at, other] = ["i", "j"].map(|name| new(pool, name, Sort::BitVec(32)));
            let value = new(pool, "v", Sort::BitVec(8));
            array = pool.store(array, at, value);
            indices.push(at);
            let read = pool.select(array, other);
            let limit = pool.bv(8, 128);
            conditions.push(pool.ult(read, limit));
        }
        Prefixes {
            conditions,
            ends: [first, array],
            indices,
        }
    }
}

#[test]
fn reads_of_every_prefix_of_a_chain_do_not_cost_its_length_each() {
    let gates = |count: usize| {
        let pool = &mut Pool::new();
        let prefixes = Prefixes::new(pool, count);
        let mut solver = Solver::new(options(ArrayMethod::Auto));
        let mut pc = PathCondition::new();
        for &c in &prefixes.conditions {
            solver.push(pool, &mut pc, c, Origin::Branch);
        }
        let outcome = solver.solve(pool, &pc, &UNHURRIED, &mut NoTrials);
        assert!(matches!(outcome, Outcome::Sat(_)), "{count}");
        solver.stats().gates
    };
    let [few, many] = [200, 800].map(gates);
    assert!(many < 6 * few, "{few} gates for 200, {many} for 800");
}

#[test]
fn a_read_reaches_the_end_of_a_long_chain_in_few_rounds() {
    let pool = &mut Pool::new();
    let prefixes = Prefixes::new(pool, 1000);
    let index = pool.new_symbol("k", Sort::BitVec(32));
    let index = pool.symbol_term(index);
    let [under, read] = prefixes.ends.map(|array| pool.select(array, index));
    let mut conditions: Vec<Term> = prefixes
        .indices
        .iter()
        .map(|&at| pool.ne(at, index))
        .collect();
    conditions.push(pool.ne(under, read));
    let mut ask = |conditions: &[Term]| {
        let mut solver = Solver::new(options(ArrayMethod::Auto));
        let mut pc = PathCondition::new();
        for &c in conditions {
            solver.push(pool, &mut pc, c, Origin::Branch);
        }
        let outcome = solver.solve(pool, &pc, &UNHURRIED, &mut NoTrials);
        (outcome, solver.stats().array_refinements)
    };
    let (outcome, rounds) = ask(&conditions);
    assert!(matches!(outcome, Outcome::Unsat(_)));
    assert!(rounds <= 8, "{rounds} rounds for 1000 stores");
    let (outcome, _) = ask(&conditions[1..]);
    assert!(matches!(outcome, Outcome::Sat(_)), "the oldest store");
}

/// Words of every size read from packed records: strides and offsets that no alignment fits, and
/// hints of the access size that are wrong. All configurations agree with brute force, and the typed
/// one falls back to the full set where its filter was wrong.
#[test]
fn misaligned_and_packed_accesses_agree_with_brute_force() {
    let (mut counts, mut nets, mut indexed) = ([0; 2], 0, 0);
    for seed in 0..60 {
        let mut pool = Pool::new();
        let mut rng = Rng::new(seed);
        let bytes = ["x", "y"].map(|name| pool.new_symbol(name, Sort::BitVec(8)));
        // Few values make small multiplexer trees, many are given one by one.
        let values = [6, 256][seed as usize % 2];
        let content: Vec<u8> = (0..160).map(|_| rng.below(values) as u8).collect();
        let table = pool.array_bytes(&content);
        let mut conditions = Vec::new();
        for _ in 0..2 + rng.below(2) {
            let (stride, count) =
                [(7, 20), (4, 30), (12, 11), (3, 40), (1, 100)][rng.below(5) as usize];
            let size = 1 << rng.below(3);
            let offset = rng.below(8);
            let byte = pool.symbol_term(bytes[rng.below(2) as usize]);
            let limit = pool.bv(8, count);
            conditions.push(pool.ult(byte, limit));
            let wide = pool.zext(64, byte);
            let scale = pool.bv(64, stride);
            let scaled = pool.mul(wide, scale);
            let mut word = Term::NONE;
            for k in 0..size {
                let at = pool.bv(64, offset + k);
                let index = pool.add(scaled, at);
                let (lo, hi) = (offset + k, offset + k + stride * (count - 1));
                let read = pool.select_typed(table, index, lo, hi, size as u32);
                word = if k == 0 {
                    read
                } else {
                    pool.concat(read, word)
                };
            }
            let wanted = content[rng.below(140) as usize] as u64 * 0x0101_0101;
            let wanted = pool.bv(8 * size as u32, wanted);
            let c = match rng.below(3) {
                0 => pool.ult(wanted, word),
                1 => pool.ne(word, wanted),
                _ => pool.eq(word, wanted),
            };
            conditions.push(c);
        }
        let expected = common::brute_force(&pool, &conditions, &bytes);
        counts[expected as usize] += 1;
        for &(name, method, _) in ArrayMethod::ALL {
            let mut solver = Solver::new(options(method));
            let mut pc = PathCondition::new();
            for &c in &conditions {
                solver.push(&mut pool, &mut pc, c, Origin::Branch);
            }
            let answer = match solver.solve(&mut pool, &pc, &UNHURRIED, &mut NoTrials) {
                Outcome::Sat(_) => true,
                Outcome::Unsat(_) => false,
                Outcome::Unknown(why) => panic!("seed {seed}, {name}: {why}"),
            };
            assert_eq!(answer, expected, "seed {seed}, {name}");
            assert_eq!(solver.stats().models_rejected, 0, "seed {seed}, {name}");
            nets += solver.stats().array_nets;
            indexed += solver.stats().array_indexed;
        }
    }
    assert!(counts[0] > 10 && counts[1] > 10, "one-sided: {counts:?}");
    assert!(nets > 0, "no access was misaligned enough");
    assert!(indexed > 0, "no condition was on one index");
}

/// A solver's answer and statistics for conditions that are asked together.
fn measured(
    pool: &mut Pool,
    conditions: &[Term],
    method: ArrayMethod,
) -> (Option<bool>, solver::SolverStats) {
    let mut solver = Solver::new(options(method));
    let mut pc = PathCondition::new();
    for &c in conditions {
        solver.push(pool, &mut pc, c, Origin::Branch);
    }
    let answer = match solver.solve(pool, &pc, &UNHURRIED, &mut NoTrials) {
        Outcome::Sat(model) => {
            let wrong = Evaluator::new().first_false(pool, conditions, &model);
            assert_eq!(wrong, None, "wrong model");
            Some(true)
        }
        Outcome::Unsat(_) => Some(false),
        Outcome::Unknown(_) => None,
    };
    (answer, solver.stats().clone())
}

/// KLEE-Array's index-based transformation: conditions on reads of constant arrays at one index are conditions on the index,
/// nested reads included; what depends on two indices, or on anything else, is not.
#[test]
fn conditions_on_one_index_become_conditions_on_the_index() {
    let pool = &mut Pool::new();
    let noise: Vec<u8> = (0..200u8).map(|k| k.wrapping_mul(167) ^ k >> 3).collect();
    let (table, other) = (pool.array_bytes(&noise), pool.array_bytes(&[9; 40]));
    let index = |pool: &mut Pool, name: &str, width| {
        let symbol = pool.new_symbol(name, Sort::BitVec(width));
        let t = pool.symbol_term(symbol);
        pool.zext(64, t)
    };
    let (i, j) = (index(pool, "i", 32), index(pool, "j", 8));
    let (ti, tj, oi) = (
        pool.select(table, i),
        pool.select(table, j),
        pool.select(other, i),
    );
    let at = pool.zext(64, ti);
    let nested = pool.select(other, at);
    let sum = pool.add(ti, oi);
    let both = pool.add(ti, tj);
    let sum_index = pool.zext(64, both);
    let of_sum = pool.select(table, sum_index);
    let [three, nine, sixty] = [3, 9, 60].map(|k| pool.bv(8, k));
    let is_nine = pool.eq(nested, nine);
    let small = pool.ult(sum, sixty);
    let two = pool.ult(both, three);
    let outer = pool.ult(of_sum, sixty);
    let product = pool.mul(ti, tj);
    let mixed = pool.ult(product, sum);
    for (name, condition, expected) in [
        ("nested", is_nine, true),
        ("two arrays", small, true),
        ("a sum of two reads", two, false),
        ("at a sum of two reads", outer, true),
        ("two indices", mixed, false),
    ] {
        for &(method, by, _) in ArrayMethod::ALL {
            let (answer, stats) = measured(pool, &[condition], by);
            assert_eq!(answer, Some(true), "{name}, {method}");
            let is_made = stats.array_indexed > 0;
            let may = by == ArrayMethod::KleeArray;
            assert_eq!(is_made, expected && may, "{name}, {method}");
        }
    }
    // Runs, and not elements, are what it costs.
    let runs: Vec<u8> = (0..200)
        .map(|k| if k < 100 { k } else { 255 - k })
        .collect();
    let runs = pool.array_bytes(&runs);
    let read = pool.select(runs, j);
    let limit = pool.bv(8, 80);
    let high = pool.ult(limit, read);
    let gates = |pool: &mut Pool, method| measured(pool, &[high], method).1.gates;
    let by_index = gates(pool, ArrayMethod::KleeArray);
    assert!(by_index < 40, "{by_index} gates");
    assert!(10 * by_index < gates(pool, ArrayMethod::ArraySimplify));
}

/// Elements that do not overlap are chosen whole, and what lies outside of an array, before it or past it, is zero.
#[test]
fn elements_are_chosen_whole_and_are_zero_outside() {
    let pool = &mut Pool::new();
    let symbol = pool.new_symbol("x", Sort::BitVec(8));
    let x = pool.symbol_term(symbol);
    // Three distinct words, whose bytes all differ.
    let words = [0x0102_0304u32, 0xa1b2_c3d4, 0x5566_7788, 0xa1b2_c3d4];
    let content: Vec<u8> = (0..60).flat_map(|k| words[k / 15].to_le_bytes()).collect();
    let table = pool.array_bytes(&content);
    let wide = pool.zext(64, x);
    for (stride, shift) in [
        (4, 0u64),
        (4, 20u64.wrapping_neg()),
        (4, 232),
        (12, 0),
        (7, 3),
    ] {
        let (stride_term, shift_term) = (pool.bv(64, stride), pool.bv(64, shift));
        let scaled = pool.mul(wide, stride_term);
        let base = pool.add(scaled, shift_term);
        let mut word = Term::NONE;
        for k in 0..4 {
            let distance = pool.bv(64, k);
            let at = pool.add(base, distance);
            let read = pool.select(table, at);
            word = if k == 0 {
                read
            } else {
                pool.concat(read, word)
            };
        }
        // The summand keeps the condition from being one on the index alone.
        let narrow = pool.zext(32, x);
        let sum = pool.add(word, narrow);
        let mut costs = Vec::new();
        let targets = [
            0,
            7,
            240,
            0x0102_0304,
            0x0102_030e,
            0x5566_7788 + 40,
            0xa1b2_c3d4 + 20,
            0x0304,
        ];
        for target in targets {
            let target = pool.bv(32, target);
            let condition = pool.eq(sum, target);
            let expected = common::brute_force(pool, &[condition], &[symbol]);
            costs.push(
                [ArrayMethod::KleeArray, ArrayMethod::ArraySimplify].map(|by| {
                    let (answer, stats) = measured(pool, &[condition], by);
                    assert_eq!(answer, Some(expected), "{stride} {shift} {by:?}");
                    stats.gates
                }),
            );
        }
        assert!(
            costs
                .iter()
                .all(|[whole, bytes]| whole < bytes || *bytes == 0),
            "{costs:?}"
        );
    }
}

/// Every axiom by itself: what it excludes is unsatisfiable, and the nearest thing is not.
#[test]
fn axioms_exclude_what_they_should_and_no_more() {
    for &(name, method, _) in ArrayMethod::ALL {
        let mut pool = Pool::new();
        let var = |pool: &mut Pool, name: &str, sort| {
            let s = pool.new_symbol(name, sort);
            pool.symbol_term(s)
        };
        let sort = Sort::Array { index: 64, elem: 8 };
        let (a, b) = (var(&mut pool, "a", sort), var(&mut pool, "b", sort));
        let (i, j) = (
            var(&mut pool, "i", Sort::BitVec(64)),
            var(&mut pool, "j", Sort::BitVec(64)),
        );
        let v = var(&mut pool, "v", Sort::BitVec(8));
        let table = pool.array_bytes(&[3, 1, 4, 1, 5]);
        let mut cases: Vec<(&str, Vec<Term>, bool)> = Vec::new();
        // Consistency of reads.
        let (ai, aj, bi) = (pool.select(a, i), pool.select(a, j), pool.select(b, i));
        let (same, differ) = (pool.eq(i, j), pool.ne(ai, aj));
        cases.push(("pair", vec![same, differ], false));
        cases.push(("pair, other index", vec![differ], true));
        let other = pool.ne(ai, bi);
        cases.push(("pair, other array", vec![same, other], true));
        // Constant content, at an element and beyond the end.
        let read = pool.select(table, i);
        let [two, four, five] = [2, 4, 5].map(|k| pool.bv(64, k));
        let at_two = pool.eq(i, two);
        let [c4, c5, c0] = [4, 5, 0].map(|k| pool.bv(8, k));
        let not_four = pool.ne(read, c4);
        cases.push(("element", vec![at_two, not_four], false));
        cases.push(("element, another", vec![not_four], true));
        let (past, last) = (pool.ule(five, i), pool.eq(i, four));
        let (not_zero, is_five) = (pool.ne(read, c0), pool.eq(read, c5));
        cases.push(("beyond", vec![past, not_zero], false));
        cases.push(("beyond, the last element", vec![last, is_five], true));
        // Read over write.
        let stored = pool.store(a, j, v);
        let over = pool.select(stored, i);
        let (hit, miss) = (pool.ne(over, v), pool.ne(over, ai));
        let apart = pool.not(same);
        cases.push(("store", vec![same, hit], false));
        cases.push(("store, elsewhere", vec![apart, hit], true));
        cases.push(("below", vec![apart, miss], false));
        cases.push(("below, at the store", vec![same, miss], true));
        // Equality of arrays.
        let equal = pool.eq(a, b);
        let unequal = pool.not(equal);
        cases.push(("equal", vec![equal, other], false));
        cases.push(("unequal, equal here", vec![unequal, apart], true));
        let updated = pool.eq(stored, b);
        let bj = pool.select(b, j);
        let wrong = pool.ne(bj, v);
        cases.push(("equal after a store", vec![updated, wrong], false));
        cases.push(("equal after a store, elsewhere", vec![updated, other], true));
        let constant = pool.array_const(64, 8, v);
        let (all, not_v) = (pool.eq(a, constant), pool.ne(ai, v));
        cases.push(("constant array", vec![all, not_v], false));
        let nearly = pool.eq(stored, constant);
        cases.push(("constant but for one", vec![nearly, not_v], true));
        let two_values = pool.array_const(64, 8, c5);
        let both = pool.eq(a, two_values);
        let v_is_five = pool.eq(v, c5);
        let not_five = pool.not(v_is_five);
        cases.push(("defaults", vec![all, both, not_five], false));
        cases.push(("defaults that agree", vec![all, both, v_is_five], true));
        let is_table = pool.eq(a, table);
        let a_wrong = pool.ne(ai, read);
        cases.push(("content", vec![is_table, a_wrong], false));
        cases.push(("content of another", vec![is_table, other], true));
        for (what, conditions, expected) in cases {
            let answer = ask(&mut pool, &conditions, options(method));
            assert_eq!(answer, Some(expected), "{name}: {what}");
        }
    }
}

/// Two constant arrays are equal if stores cover all indices, and only then: there is an element that no store has
/// written, by which arrays are compared, as long as there are fewer stores than indices.
#[test]
fn constant_arrays_are_equal_where_stores_cover_all_indices() {
    for width in [1, 2, 3, 5] {
        for missing in [0, 1] {
            let mut pool = Pool::new();
            let mut arrays = [0, 1].map(|value| {
                let value = pool.bv(4, value);
                pool.array_const(width, 4, value)
            });
            for at in missing..1 << width {
                let at = pool.bv(width, at);
                let value = pool.new_symbol(&format!("v{at:?}"), Sort::BitVec(4));
                let value = pool.symbol_term(value);
                arrays = arrays.map(|array| pool.store(array, at, value));
            }
            let equal = pool.eq(arrays[0], arrays[1]);
            let answer = ask(&mut pool, &[equal], options(ArrayMethod::Auto));
            assert_eq!(answer, Some(missing == 0), "{width} {missing}");
        }
    }
}
