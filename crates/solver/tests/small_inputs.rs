//! Queries over few input bits: decided by looking at every assignment, compared with brute force, and counted.

use crate::common::UNHURRIED;
use polypath_solver as solver;
use solver::{
    Ask, Budget, LayerId, Model, Origin, Outcome, PathCondition, Solver, SolverOptions, Technique,
    TraceSet, Trials,
};
use term::{Evaluator, Pool, Sort, Symbol, Term, Trace as _, work};

struct World {
    pool: Pool,
    solver: Solver,
    pc: PathCondition,
    bytes: Vec<Symbol>,
}

impl World {
    fn new(bytes: usize) -> World {
        let mut pool = Pool::new();
        let bytes = (0..bytes)
            .map(|i| pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
            .collect();
        let layers = [
            LayerId::Domains,
            LayerId::Independence,
            LayerId::Enumeration,
        ];
        World {
            pool,
            solver: Solver::new(SolverOptions::with_layers(&layers)),
            pc: PathCondition::new(),
            bytes,
        }
    }

    /// A hash of the first bytes, which no layer inverts.
    fn hash(&mut self, bytes: usize) -> Term {
        let mut hash = self.pool.bv(32, 0x811c_9dc5);
        for k in 0..bytes {
            let byte = self.pool.symbol_term(self.bytes[k]);
            hash = self.mix(hash, byte);
        }
        hash
    }

    fn mix(&mut self, hash: Term, byte: Term) -> Term {
        let factor = self.pool.bv(32, 0x0100_0193);
        let byte = self.pool.zext(32, byte);
        let mixed = self.pool.xor(hash, byte);
        let product = self.pool.mul(mixed, factor);
        let distance = self.pool.bv(32, 15);
        let high = self.pool.lshr(product, distance);
        self.pool.xor(product, high)
    }

    fn value(&self, hash: Term, values: [u64; 2]) -> u64 {
        let mut model = Model::new();
        for (&symbol, value) in self.bytes.iter().zip(values) {
            model.set(symbol, value);
        }
        Evaluator::new().eval(&self.pool, hash, &model)
    }

    fn ask(&mut self, witness: &Model, cond: Term) -> Outcome {
        let ask = Ask::new(&self.pc, witness, &UNHURRIED);
        self.solver.feasible(&mut self.pool, cond, ask)
    }

    fn collect(&mut self, also: &mut Term) {
        let World {
            pool, solver, pc, ..
        } = self;
        let relocation = pool.collect(&mut |visit| {
            pc.trace_shared(&mut TraceSet::new(), visit);
            solver.trace(visit);
            visit(also);
        });
        solver.relocate(&relocation);
    }

    fn push(&mut self, c: Term) {
        self.solver
            .push(&mut self.pool, &mut self.pc, c, Origin::Branch);
    }
}

#[test]
fn a_hash_of_two_bytes_is_inverted_and_what_it_misses_is_refuted() {
    let mut w = World::new(2);
    let hash = w.hash(2);
    let wanted = w.value(hash, [0x17, 0xe5]);
    let is_wanted = {
        let wanted = w.pool.bv(32, wanted);
        w.pool.eq(hash, wanted)
    };
    let Outcome::Sat(model) = w.ask(&Model::new(), is_wanted) else {
        panic!("two bytes give it")
    };
    assert_eq!(Evaluator::new().eval(&w.pool, is_wanted, &model), 1);
    let mut values: Vec<u64> = Vec::new();
    for a in 0..256 {
        values.extend((0..256).map(|b| w.value(hash, [a, b])));
    }
    let missed = (0..).find(|v| !values.contains(v)).expect("there are more");
    let missed = w.pool.bv(32, missed);
    let is_missed = w.pool.eq(hash, missed);
    assert!(matches!(w.ask(&Model::new(), is_missed), Outcome::Unsat(core) if core.is_empty()));
    assert_eq!(w.solver.stats().by(LayerId::Enumeration), 2);
}

/// Three bytes are too many, but three digits are not.
#[test]
fn assignments_are_counted_and_not_bits() {
    let mut w = World::new(3);
    let hash = w.hash(3);
    let low = w.pool.extract(9, 0, hash);
    let seven = w.pool.bv(10, 7);
    let is_seven = w.pool.eq(low, seven);
    assert!(matches!(
        w.ask(&Model::new(), is_seven),
        Outcome::Unknown(_)
    ));
    let (zero, ten) = (w.pool.bv(8, b'0' as u64), w.pool.bv(8, 10));
    let mut witness = Model::new();
    for k in 0..3 {
        let byte = w.pool.symbol_term(w.bytes[k]);
        let digit = w.pool.sub(byte, zero);
        let is_digit = w.pool.ult(digit, ten);
        w.push(is_digit);
        witness.set(w.bytes[k], b'0' as u64);
    }
    let mut tape = Evaluator::new();
    let mut model = witness.clone();
    let expected = (0..1000u64).any(|n| {
        for (k, digit) in [n / 100, n / 10 % 10, n % 10].into_iter().enumerate() {
            model.set(w.bytes[k], b'0' as u64 + digit);
        }
        tape.eval(&w.pool, is_seven, &model) == 1
    });
    match w.ask(&witness, is_seven) {
        Outcome::Sat(model) => assert_eq!(tape.eval(&w.pool, is_seven, &model), 1),
        outcome => assert!(
            !expected && matches!(outcome, Outcome::Unsat(_)),
            "{outcome:?}"
        ),
    }
    assert_eq!(w.solver.stats().by(LayerId::Enumeration), 1);
}

/// Few pairs of two bytes are left, and a third byte is met: the pairs are multiplied, and not the bytes.
#[test]
fn what_is_left_on_a_path_is_multiplied() {
    let mut w = World::new(3);
    let (pair, triple) = (w.hash(2), w.hash(3));
    let limit = w.pool.bv(32, 1 << 24);
    let is_small = w.pool.ult(pair, limit);
    let Outcome::Sat(witness) = w.ask(&Model::new(), is_small) else {
        panic!("one pair of 256")
    };
    w.push(is_small);
    let odd = w.pool.extract(0, 0, pair);
    assert!(!matches!(w.ask(&witness, odd), Outcome::Unknown(_)));
    let is_small = w.pool.ult(triple, limit);
    let Outcome::Sat(model) = w.ask(&witness, is_small) else {
        panic!("some of 65,000")
    };
    assert!(
        w.pc.iter()
            .all(|c| Evaluator::new().eval(&w.pool, c.term, &model) == 1)
    );
}

/// A state machine that runs on takes the work of its last step, also after a collection.
#[test]
fn a_path_that_grows_is_extended() {
    let mut w = World::new(2);
    let mut state = w.hash(2);
    let bytes = [0, 1].map(|k| w.pool.symbol_term(w.bytes[k]));
    let mut witness = Model::new();
    let mut most = 0;
    for k in 0..200 {
        state = w.mix(state, bytes[k % 2]);
        let limit = w.pool.bv(32, 0xfff0_0000);
        let is_high = w.pool.ult(limit, state);
        let before = work::spent();
        let outcome = w.ask(&witness, is_high);
        let not_high = w.pool.not(is_high);
        if let Outcome::Unknown(why) = outcome {
            panic!("step {k}: {why}");
        }
        if Evaluator::new().eval(&w.pool, is_high, &witness) == 1 {
            let Outcome::Sat(model) = w.ask(&witness, not_high) else {
                panic!("few are high")
            };
            witness = model;
        }
        w.push(not_high);
        if k % 60 == 59 {
            w.collect(&mut state);
        } else if k > 10 {
            most = most.max(work::spent() - before);
        }
    }
    let whole = 64 * 256 * 200 * 5;
    assert!(most < whole / 16, "{most}");
}

#[test]
fn a_budget_holds_and_what_is_tried_is_told() {
    struct Told(Vec<Model>);
    impl Trials for Told {
        fn tried(&mut self, a: &Model, by: Technique) {
            assert_eq!(by, Technique::Enumeration);
            self.0.push(a.clone());
        }
    }
    let mut w = World::new(2);
    let (hash, pair) = (w.hash(2), w.hash(1));
    let limit = w.pool.bv(32, 1 << 22);
    let is_small = w.pool.ult(hash, limit);
    let little = Budget {
        effort: 1000,
        ..UNHURRIED
    };
    let witness = Model::new();
    let ask = Ask::new(&w.pc, &witness, &little);
    let outcome = w.solver.feasible(&mut w.pool, is_small, ask);
    assert!(matches!(outcome, Outcome::Unknown(_)));
    // The path's only conjunct excludes the first assignments.
    let other = w.pool.ule(hash, pair);
    let Outcome::Sat(witness) = w.ask(&witness, other) else {
        panic!("often")
    };
    w.push(other);
    let mut told = Told(Vec::new());
    let ask = Ask::new(&w.pc, &witness, &UNHURRIED).heard_by(&mut told);
    let outcome = w.solver.feasible(&mut w.pool, is_small, ask);
    assert!(matches!(outcome, Outcome::Sat(_)));
    let mut evaluator = Evaluator::new();
    for model in told.0 {
        assert_eq!(evaluator.eval(&w.pool, is_small, &model), 1);
        assert_eq!(evaluator.eval(&w.pool, other, &model), 0);
    }
}

/// Numbers of four bytes within a range, looked up in two stages of tables as code points are: what the tables say of each value is known.
#[test]
fn tables_of_stages_are_looked_up_at_all_values_of_a_number() {
    const STAGES: usize = 0x1100;
    let mut random = testkit::Random::new(5);
    for number in 0..4 {
        let mut w = World::new(5);
        let blocks = 8 + random.index(9);
        let first: Vec<u8> = (0..STAGES).map(|_| random.index(blocks) as u8).collect();
        // Rare values, and one that only a single place has.
        let mut second: Vec<u8> = (0..256 * blocks).map(|_| random.index(3) as u8).collect();
        second[random.index(256 * blocks)] = 77;
        let read = |code: usize| second[256 * usize::from(first[code >> 8]) + code % 256];
        let limit = [0x11_0000, 0x3_1234, 0x1000, 0x10_0001][number];
        let code = {
            let bytes = [3, 2, 1, 0].map(|k| w.pool.symbol_term(w.bytes[k]));
            let [a, b, c, d] = bytes;
            let (high, low) = (w.pool.concat(a, b), w.pool.concat(c, d));
            w.pool.concat(high, low)
        };
        let value = {
            let (stages, blocks) = (w.pool.array_bytes(&first), w.pool.array_bytes(&second));
            let (eight, mask) = (w.pool.bv(32, 8), w.pool.bv(32, 0xff));
            let (high, low) = (w.pool.lshr(code, eight), w.pool.and(code, mask));
            let high = w.pool.zext(64, high);
            let block = w.pool.select(stages, high);
            let block = w.pool.zext(32, block);
            let start = w.pool.shl(block, eight);
            let at = w.pool.add(start, low);
            let at = w.pool.zext(64, at);
            w.pool.select(blocks, at)
        };
        let bound = w.pool.bv(32, limit as u64);
        let is_code = w.pool.ult(code, bound);
        w.push(is_code);
        let witness = Model::new();
        for wanted in [0, 1, 2, 77, 78, 200] {
            let wanted_term = w.pool.bv(8, wanted);
            let is_wanted = w.pool.eq(value, wanted_term);
            let expected = (0..limit).any(|code| u64::from(read(code)) == wanted);
            match w.ask(&witness, is_wanted) {
                Outcome::Sat(model) => {
                    assert!(expected);
                    let mut evaluator = Evaluator::new();
                    let both = [is_code, is_wanted].map(|t| evaluator.eval(&w.pool, t, &model));
                    assert_eq!(both, [1, 1]);
                }
                Outcome::Unsat(core) => {
                    assert!(!expected, "{wanted} below {limit:x}");
                    assert!(core.iter().all(|&t| t == is_code), "{core:?}");
                }
                Outcome::Unknown(why) => panic!("{wanted} below {limit:x}: {why}"),
            }
        }
        // A value that single numbers have, and a second condition further along the path.
        let rare = w.pool.bv(8, 77);
        let is_rare = w.pool.eq(value, rare);
        if let Outcome::Sat(witness) = w.ask(&witness, is_rare) {
            w.push(is_rare);
            let found: Vec<usize> = (0..limit).filter(|&code| read(code) == 77).collect();
            let most = w.pool.bv(32, *found.iter().max().expect("one") as u64);
            let is_more = w.pool.ult(most, code);
            let outcome = w.ask(&witness, is_more);
            assert!(matches!(outcome, Outcome::Unsat(_)), "{outcome:?}");
            let is_most = w.pool.eq(code, most);
            assert!(matches!(w.ask(&witness, is_most), Outcome::Sat(_)));
        }
        // Without a range there are too many values.
        let mut open = World::new(0);
        std::mem::swap(&mut open.pc, &mut w.pc);
        assert!(matches!(w.ask(&witness, is_rare), Outcome::Unknown(_)));
    }
}
