//! What callers rely on: query counts, witnesses, extremes, preferences, collection, floats.

use crate::common::{Generator, UNHURRIED, brute_force, path, satisfies};
use polypath_solver as solver;
use solver::{
    Ask, Budget, Implication, LayerId, Model, NoTrials, Origin, Outcome, PathCondition, Solver,
    SolverOptions, Technique, TraceSet, Trials, Why,
};
use term::{
    Evaluator, FloatFormat, FloatPredicate, MathFunction, Pool, Scratch, Sort, Symbol, Tape, Term,
    Trace,
};

struct World {
    pool: Pool,
    solver: Solver,
    pc: PathCondition,
    bytes: Vec<Symbol>,
}

impl World {
    fn new(bytes: usize) -> World {
        World::with(bytes, SolverOptions::default())
    }

    fn with(bytes: usize, options: SolverOptions) -> World {
        let mut pool = Pool::new();
        let bytes = (0..bytes)
            .map(|i| pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
            .collect();
        World {
            pool,
            solver: Solver::new(options),
            pc: PathCondition::new(),
            bytes,
        }
    }

    fn byte(&mut self, i: usize) -> Term {
        self.pool.symbol_term(self.bytes[i])
    }

    fn word(&mut self, bits: u32, range: std::ops::Range<usize>) -> Term {
        let mut word = self.byte(range.start);
        for i in range.skip(1) {
            let byte = self.byte(i);
            word = self.pool.concat(byte, word);
        }
        assert_eq!(self.pool.width(word), bits);
        word
    }

    fn push(&mut self, c: Term) {
        self.solver
            .push(&mut self.pool, &mut self.pc, c, Origin::Branch);
    }

    fn ask(&mut self, witness: &Model, cond: Term) -> Outcome {
        let budget = UNHURRIED;
        self.solver
            .feasible(&mut self.pool, cond, Ask::new(&self.pc, witness, &budget))
    }
}

#[test]
fn single_bytes_never_reach_a_layer() {
    let mut w = World::new(2);
    let (a, b) = (w.byte(0), w.byte(1));
    let limit = w.pool.bv(8, b'm' as u64);
    let above = w.pool.ugt(a, limit);
    let Outcome::Sat(model) = w.ask(&Model::new(), above) else {
        panic!("free byte")
    };
    assert!(model.get(w.bytes[0]) > b'm' as u64);
    w.push(above);
    let below = w.pool.ult(a, limit);
    let Outcome::Unsat(core) = w.ask(&model, below) else {
        panic!("above and below")
    };
    assert_eq!(core, [above]);
    let other = w.pool.ult(b, limit);
    assert!(matches!(w.ask(&model, other), Outcome::Sat(_)));
    let stats = w.solver.stats();
    assert_eq!(
        (
            stats.queries,
            stats.by(LayerId::Domains),
            stats.sat_calls,
            stats.slow_nanoseconds
        ),
        (3, 3, 0, 0)
    );
}

#[test]
fn the_rest_of_the_witness_is_kept() {
    let mut w = World::new(8);
    let mut witness = Model::new();
    for i in 0..8 {
        witness.set(w.bytes[i], 10 + i as u64);
    }
    let sum = {
        let (a, b) = (w.byte(0), w.byte(1));
        w.pool.add(a, b)
    };
    let wanted = w.pool.bv(8, 200);
    let cond = w.pool.eq(sum, wanted);
    let Outcome::Sat(model) = w.ask(&witness, cond) else {
        panic!("feasible")
    };
    assert!((2..8).all(|i| model.get(w.bytes[i]) == 10 + i as u64));
    assert!(satisfies(&w.pool, &w.pc, cond, &model));
}

#[test]
fn the_same_question_is_answered_from_memory() {
    let mut w = World::with(
        4,
        SolverOptions::with_layers(&[
            LayerId::Domains,
            LayerId::Independence,
            LayerId::Cores,
            LayerId::Blast,
        ]),
    );
    let word = w.word(32, 0..4);
    let square = w.pool.mul(word, word);
    let two = w.pool.bv(32, 2);
    let cond = w.pool.eq(square, two); // no square is 2 modulo 2^32
    assert!(matches!(w.ask(&Model::new(), cond), Outcome::Unsat(_)));
    let calls = w.solver.stats().sat_calls;
    assert!(matches!(w.ask(&Model::new(), cond), Outcome::Unsat(_)));
    // The core does not depend on more conjuncts, either.
    let limit = w.pool.bv(32, 1 << 30);
    let small = w.pool.ult(word, limit);
    w.push(small);
    assert!(matches!(w.ask(&Model::new(), cond), Outcome::Unsat(_)));
    assert_eq!(
        (
            w.solver.stats().sat_calls,
            w.solver.stats().by(LayerId::Cores)
        ),
        (calls, 2)
    );
}

#[test]
fn a_product_within_bounds_does_not_overflow() {
    let mut w = World::new(4);
    let word = w.word(32, 0..4);
    let most = w.pool.bv(32, 46_340);
    let least = w.pool.neg(most);
    for inside in [w.pool.sle(least, word), w.pool.sle(word, most)] {
        w.push(inside);
    }
    let wide = w.pool.sext(64, word);
    let square = w.pool.mul(wide, wide);
    let greatest = w.pool.bv(64, (1 << 31) - 1);
    let overflows = w.pool.slt(greatest, square);
    let witness = Model::new();
    assert!(matches!(w.ask(&witness, overflows), Outcome::Unsat(_)));
    let stats = w.solver.stats();
    assert_eq!((stats.by(LayerId::Facts), stats.sat_calls), (1, 0));
    // One more overflows.
    let limit = w.pool.bv(64, 46_339 * 46_339);
    let close = w.pool.slt(limit, square);
    assert!(matches!(w.ask(&witness, close), Outcome::Sat(_)));
}

#[test]
fn intervals_decide_without_sat() {
    let mut w = World::new(4);
    let word = w.word(32, 0..4);
    let size = w.pool.zext(64, word);
    let hundred = w.pool.bv(64, 100);
    let small = w.pool.ult(size, hundred);
    w.push(small);
    let four = w.pool.bv(64, 4);
    let base = w.pool.bv(64, 0x1000);
    let scaled = w.pool.mul(size, four);
    let end = w.pool.add(scaled, base);
    let limit = w.pool.bv(64, 0x2000);
    let outside = w.pool.uge(end, limit);
    let Outcome::Unsat(core) = w.ask(&Model::new(), outside) else {
        panic!("in bounds")
    };
    assert_eq!(core.len(), 1);
    assert_eq!(
        (
            w.solver.stats().by(LayerId::Intervals),
            w.solver.stats().sat_calls
        ),
        (1, 0)
    );
    let budget = UNHURRIED;
    let bounds = w.solver.bounds(
        &mut w.pool,
        end,
        false,
        Ask::new(&w.pc, &Model::new(), &budget),
    );
    assert_eq!(
        (bounds.lo, bounds.hi, bounds.exact),
        (0x1000, 0x1000 + 99 * 4, true)
    );
}

#[test]
fn extremes_and_values_match_brute_force() {
    for seed in 0..40 {
        let mut pool = Pool::new();
        let mut solver = Solver::new(SolverOptions::default());
        let mut g = Generator::new(&mut pool, seed, 1 + (seed % 2) as usize);
        let witness = g.model();
        let pc = path(&mut pool, &mut solver, &mut g, &witness, seed % 3, 1);
        let t = g.term(&mut pool, [8, 16, 64][seed as usize % 3], 2);
        let mut expected = std::collections::BTreeSet::new();
        let mut model = Model::new();
        for v in 0..1u64 << (8 * g.bytes.len()) {
            for (i, &s) in g.bytes.iter().enumerate() {
                model.set(s, v >> (8 * i) & 0xff);
            }
            if satisfies(&pool, &pc, Term::TRUE, &model) {
                expected.insert(Evaluator::new().eval(&pool, t, &model));
            }
        }
        let budget = UNHURRIED;
        let least = solver.minimum(&mut pool, t, Ask::new(&pc, &witness, &budget));
        let most = solver.maximum(&mut pool, t, Ask::new(&pc, &witness, &budget));
        assert_eq!(
            (least.value, least.bound),
            (*expected.first().unwrap(), least.value),
            "seed {seed}"
        );
        assert_eq!(
            (most.value, most.bound),
            (*expected.last().unwrap(), most.value),
            "seed {seed}"
        );
        assert!(satisfies(&pool, &pc, Term::TRUE, &least.model));
        let cheap = solver.bounds(&mut pool, t, true, Ask::new(&pc, &witness, &budget));
        assert!(
            cheap.lo <= least.value && cheap.hi >= most.value,
            "seed {seed}"
        );
        let listed = solver.values(&mut pool, t, 20, Ask::new(&pc, &witness, &budget));
        assert_eq!(listed.values.len(), expected.len().min(20), "seed {seed}");
        assert_eq!(listed.complete, expected.len() <= 20, "seed {seed}");
        let distinct: std::collections::BTreeSet<u64> = listed.values.iter().map(|v| v.0).collect();
        assert_eq!(distinct.len(), listed.values.len());
        for (value, model) in &listed.values {
            assert!(expected.contains(value) && satisfies(&pool, &pc, Term::TRUE, model));
            assert_eq!(Evaluator::new().eval(&pool, t, model), *value);
        }
    }
}

#[test]
fn preferences_are_taken_in_order_and_never_leave_the_path() {
    let mut w = World::new(3);
    let (a, b) = (w.byte(0), w.byte(1));
    let sum = w.pool.add(a, b);
    let hundred = w.pool.bv(8, 100);
    let path = w.pool.eq(sum, hundred);
    w.push(path);
    let mut witness = Model::new();
    witness.set(w.bytes[0], 100);
    let letter = w.pool.bv(8, b'0' as u64);
    let first = w.pool.eq(a, letter);
    let impossible = w.pool.eq(b, letter);
    let c = w.byte(2);
    let third = w.pool.eq(c, letter);
    let soft = [first, impossible, third];
    let model = w
        .solver
        .prefer(&mut w.pool, &soft, Ask::new(&w.pc, &witness, &UNHURRIED));
    assert!(satisfies(&w.pool, &w.pc, first, &model) && satisfies(&w.pool, &w.pc, third, &model));
    assert!(!satisfies(&w.pool, &w.pc, impossible, &model));
}

#[test]
fn implication_and_solving_from_nothing() {
    let mut w = World::new(2);
    let word = w.word(16, 0..2);
    let (low, high) = (w.pool.bv(16, 1000), w.pool.bv(16, 1010));
    let (above, below) = (w.pool.ugt(word, low), w.pool.ult(word, high));
    w.push(above);
    w.push(below);
    let budget = UNHURRIED;
    let Outcome::Sat(witness) = w.solver.solve(&mut w.pool, &w.pc, &budget, &mut NoTrials) else {
        panic!("1001 to 1009")
    };
    assert!(satisfies(&w.pool, &w.pc, Term::TRUE, &witness));
    let twelve = w.pool.bv(16, 1200);
    let implied = w.pool.ult(word, twelve);
    let five = w.pool.bv(16, 1005);
    let open = w.pool.ult(word, five);
    let mut must = |c| {
        w.solver
            .must_be_true(&mut w.pool, c, Ask::new(&w.pc, &witness, &budget))
    };
    assert!(matches!(must(implied), Implication::Yes));
    assert!(
        matches!(must(open), Implication::No(_))
            || Evaluator::new().eval(&w.pool, open, &witness) == 0
    );
    let never = w.pool.ugt(word, twelve);
    w.push(never);
    let outcome = w.solver.solve(&mut w.pool, &w.pc, &budget, &mut NoTrials);
    assert!(matches!(outcome, Outcome::Unsat(_)));
}

#[test]
fn floats_are_found_by_evaluation_or_named() {
    let mut w = World::new(8);
    let bits = w.word(64, 0..8);
    let x = w.pool.fp_from_bits(FloatFormat::DOUBLE, bits);
    let one = w.pool.bv(64, 1f64.to_bits());
    let one = w.pool.fp_from_bits(FloatFormat::DOUBLE, one);
    let sum = w.pool.fadd(x, one);
    let equal = w.pool.fcmp(FloatPredicate::Oeq, sum, one);
    // 0.0 + 1.0 = 1.0 under the witness. No double has a cosine of 0; that is not decided, because the function has no circuit,
    // and a search for one ends with its effort.
    assert!(matches!(w.ask(&Model::new(), equal), Outcome::Sat(_)));
    let cosine = w.pool.fcall(MathFunction::Cos, &[x]);
    let number = |pool: &mut Pool, value: f64| {
        let bits = pool.bv(64, value.to_bits());
        pool.fp_from_bits(FloatFormat::DOUBLE, bits)
    };
    let zero = number(&mut w.pool, 0.0);
    let vanishes = w.pool.fcmp(FloatPredicate::Oeq, cosine, zero);
    let limited = Budget {
        effort: 1 << 22,
        ..UNHURRIED
    };
    let witness = Model::new();
    let ask = Ask::new(&w.pc, &witness, &limited);
    let outcome = w.solver.feasible(&mut w.pool, vanishes, ask);
    assert!(
        matches!(outcome, Outcome::Unknown(Why::Budget)),
        "{outcome:?}"
    );
    // Its range is known.
    let two = number(&mut w.pool, 2.0);
    let above = w.pool.fcmp(FloatPredicate::Oeq, cosine, two);
    assert!(matches!(w.ask(&Model::new(), above), Outcome::Unsat(_)));
    // A float conjunct does not stand in the way of deciding the rest.
    w.push(equal);
    let eight = w.pool.extract(7, 0, bits);
    let zero = w.pool.bv(8, 0);
    let even = w.pool.and(eight, zero);
    let contradiction = w.pool.ne(even, zero);
    assert!(matches!(
        w.ask(&Model::new(), contradiction),
        Outcome::Unsat(_)
    ));
}

/// Conditions share parts, as those of float circuits do: 2^50 paths lead through this one.
#[test]
fn shared_parts_of_a_condition_are_walked_once() {
    for layer in [
        LayerId::Ilp,
        LayerId::Facts,
        LayerId::Intervals,
        LayerId::Search,
        LayerId::Congruence,
        LayerId::Blast,
    ] {
        let mut w = World::with(4, SolverOptions::with_layers(&[layer]));
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| w.byte(i));
        let mut condition = w.pool.ult(a, b);
        let (left, right) = (w.pool.ult(b, c), w.pool.ult(c, d));
        for _ in 0..50 {
            // Alternatives keep the pool from seeing through.
            let (n, m) = (w.pool.not(condition), w.pool.not(left));
            let either = w.pool.or(n, m);
            let one = w.pool.not(either);
            let n = w.pool.not(right);
            let negated = w.pool.not(condition);
            let either = w.pool.or(negated, n);
            let other = w.pool.not(either);
            condition = w.pool.and(one, other);
        }
        w.ask(&Model::new(), condition);
    }
}

/// The chain of divisions that writes a number in decimal: each query cost a SAT solver a thousand conflicts, and most were given up.
#[test]
fn digits_of_a_number_of_known_length_need_no_circuits() {
    let mut w = World::with(0, SolverOptions::with_layers(&[LayerId::Facts]));
    let symbol = w.pool.new_symbol("x", Sort::BitVec(64));
    let x = w.pool.symbol_term(symbol);
    let mut witness = Model::new();
    witness.set(symbol, 5 * 10u64.pow(17));
    let mut number = w.pool.neg(x);
    let (least, most) = (10i64.pow(17), 10i64.pow(18));
    let constant = |w: &mut World, v: i64| w.pool.bv(64, v as u64);
    for (bound, is_less) in [(least, true), (most, false)] {
        let bound = constant(&mut w, bound);
        let less = w.pool.slt(x, bound);
        let holds = if is_less { w.pool.not(less) } else { less };
        w.push(holds);
    }
    let hundred = constant(&mut w, 100);
    for pair in 1..=8 {
        let quotient = w.pool.sdiv(number, hundred);
        let multiple = w.pool.mul(hundred, quotient);
        let digits = w.pool.sub(multiple, number);
        let outside = w.pool.ult(digits, hundred);
        let outside = w.pool.not(outside);
        let outcome = w.ask(&witness, outside);
        assert!(matches!(outcome, Outcome::Unsat(_)), "{pair}: {outcome:?}");
        // There are eighteen digits.
        let minus = w.pool.neg(hundred);
        let ends = w.pool.slt(minus, quotient);
        let outcome = w.ask(&witness, ends);
        assert_eq!(matches!(outcome, Outcome::Unsat(_)), pair < 8, "{pair}");
        number = quotient;
    }
}

#[test]
fn a_float_over_one_byte_is_decided_exactly() {
    let mut w = World::new(1);
    let byte = w.byte(0);
    let x = w.pool.uint_to_fp(FloatFormat::DOUBLE, byte);
    let product = w.pool.fmul(x, x);
    let square = |w: &mut World, v: f64| {
        let value = w.pool.bv(64, v.to_bits());
        let value = w.pool.fp_from_bits(FloatFormat::DOUBLE, value);
        w.pool.fcmp(FloatPredicate::Oeq, product, value)
    };
    let yes = square(&mut w, 144.0);
    let no = square(&mut w, 145.0);
    let Outcome::Sat(model) = w.ask(&Model::new(), yes) else {
        panic!("12 * 12")
    };
    assert_eq!(model.get(w.bytes[0]), 12);
    assert!(matches!(w.ask(&Model::new(), no), Outcome::Unsat(_)));
}

#[test]
fn budgets_end_hard_queries() {
    let mut w = World::with(8, SolverOptions::with_layers(&[LayerId::Blast]));
    let (a, b) = (w.word(32, 0..4), w.word(32, 4..8));
    let (a, b) = (w.pool.zext(64, a), w.pool.zext(64, b));
    let product = w.pool.mul(a, b);
    let prime = w.pool.bv(64, 0x7fff_ffff_ffff_ffe7); // a product of two 32-bit factors, or not
    let cond = w.pool.eq(product, prime);
    let one = w.pool.bv(64, 1);
    let (p, q) = (w.pool.ugt(a, one), w.pool.ugt(b, one));
    w.push(p);
    w.push(q);
    let mut witness = Model::new();
    witness.set(w.bytes[0], 2);
    witness.set(w.bytes[4], 2);
    let budget = Budget {
        conflicts: 100,
        ..Budget::default()
    };
    let outcome = w
        .solver
        .feasible(&mut w.pool, cond, Ask::new(&w.pc, &witness, &budget));
    assert!(
        matches!(outcome, Outcome::Unknown(Why::Budget)),
        "{outcome:?}"
    );
    // Without a limit it takes minutes.
    let budget = Budget::seconds(0.05);
    let outcome = w
        .solver
        .feasible(&mut w.pool, cond, Ask::new(&w.pc, &witness, &budget));
    assert!(
        matches!(outcome, Outcome::Unknown(Why::Timeout)),
        "{outcome:?}"
    );
}

#[test]
fn answers_survive_a_collection() {
    let mut pool = Pool::new();
    let mut solver = Solver::new(SolverOptions::default());
    let mut g = Generator::new(&mut pool, 99, 2);
    let witness = g.model();
    let mut pc = path(&mut pool, &mut solver, &mut g, &witness, 6, 2);
    let mut sibling = pc.clone();
    for round in 0..20 {
        let mut cond = g.condition(&mut pool, 3);
        if Evaluator::new().eval(&pool, cond, &witness) == 1 {
            cond = pool.not(cond);
        }
        let mut ask = |pool: &mut Pool, cond| {
            let budget = UNHURRIED;
            matches!(
                solver.feasible(pool, cond, Ask::new(&pc, &witness, &budget)),
                Outcome::Sat(_)
            )
        };
        let before = ask(&mut pool, cond);
        let terms: Vec<Term> = pc.iter().map(|c| c.term).chain([cond]).collect();
        assert_eq!(
            before,
            brute_force(&pool, &terms, &g.bytes),
            "round {round}"
        );
        let relocation = pool.collect(&mut |visit| {
            let mut seen = TraceSet::new();
            pc.trace_shared(&mut seen, visit);
            sibling.trace_shared(&mut seen, visit);
            solver.trace(visit);
            g.trace(visit);
            cond.trace(visit);
        });
        if round % 3 > 0 {
            solver.relocate(&relocation);
        }
        assert!(
            pc.iter().eq(sibling.iter()),
            "shared leaves are renumbered once"
        );
        let budget = UNHURRIED;
        let outcome = solver.feasible(&mut pool, cond, Ask::new(&pc, &witness, &budget));
        assert_eq!(matches!(outcome, Outcome::Sat(_)), before, "round {round}");
    }
}

#[test]
fn a_path_excludes_assignments_by_their_bytes_alone() {
    let mut w = World::new(2);
    let (a, b) = (w.byte(0), w.byte(1));
    let mut model = Model::new();
    assert!(w.pc.refusing(&model, None).is_none(), "nothing is known");
    let limit = w.pool.bv(8, 10);
    let above = w.pool.ugt(a, limit);
    w.push(above);
    for first in [None, Some(w.bytes[0]), Some(w.bytes[1])] {
        assert_eq!(w.pc.refusing(&model, first), Some(w.bytes[0]));
    }
    model.set(w.bytes[0], 11);
    assert!(w.pc.refusing(&model, None).is_none());
    assert_eq!(w.pc.refusing(&model, Some(w.bytes[0])), None);
    let equal = w.pool.eq(a, b);
    w.push(equal);
    assert!(
        w.pc.refusing(&model, None).is_none(),
        "conditions on several bytes are not looked at"
    );
}

struct Recorder(Vec<Technique>);

impl Trials for Recorder {
    fn tried(&mut self, _: &Model, by: Technique) {
        self.0.push(by);
    }
}

#[test]
fn what_is_tried_is_reported() {
    let mut w = World::new(4);
    let word = w.word(32, 0..4);
    let seven = w.pool.bv(32, 7);
    let product = w.pool.mul(word, seven);
    let limit = w.pool.bv(32, 123_456_789);
    let cond = w.pool.eq(product, limit);
    let mut trials = Recorder(Vec::new());
    let budget = UNHURRIED;
    let outcome = w.solver.feasible(
        &mut w.pool,
        cond,
        Ask::new(&w.pc, &Model::new(), &budget).heard_by(&mut trials),
    );
    assert!(matches!(outcome, Outcome::Sat(_)));
    assert!(trials.0.contains(&Technique::LocalSearch));
    assert_eq!(w.solver.stats().sat_calls, 0, "an odd factor is inverted");
}

#[test]
fn a_million_nodes_do_not_overflow_the_stack() {
    let mut w = World::new(8);
    let mut chain = w.word(64, 0..8);
    let start = chain;
    for i in 0..500_000u64 {
        let k = w.pool.bv(64, i | 1);
        let mixed = w.pool.xor(chain, k);
        chain = w.pool.add(mixed, start);
    }
    let zero = w.pool.bv(64, 0);
    let cond = w.pool.eq(chain, zero);
    let budget = Budget {
        conflicts: 10,
        effort: u64::MAX,
        evaluations: 3,
        until: None,
        stop: host::Stop::never(),
        seconds: 3.0,
    };
    let outcome = w
        .solver
        .feasible(&mut w.pool, cond, Ask::new(&w.pc, &Model::new(), &budget));
    assert!(!matches!(outcome, Outcome::Unsat(_)));
}

/// Found by `sequences`: after a collection whose numbers the solver was not given, those of the next one
/// were applied to what it held from before both.
#[test]
fn two_collections_of_which_the_first_is_missed() {
    let mut w = World::with(2, SolverOptions::with_layers(&[LayerId::Blast]));
    let collect = |w: &mut World| {
        w.pool.collect(&mut |visit| {
            w.pc.trace_shared(&mut TraceSet::new(), visit);
            w.solver.trace(visit);
        })
    };
    for round in 0..6 {
        // Garbage before terms of the path moves them.
        let byte = w.byte(1);
        for k in 0..5 {
            let k = w.pool.bv(8, 17 * k + round);
            w.pool.add(byte, k);
        }
        let (a, b) = (w.byte(0), w.byte(1));
        let sum = w.pool.add(a, b);
        let limit = w.pool.bv(8, 40 - round);
        let low = w.pool.ult(sum, limit);
        w.push(low);
        for wanted in [3, 200] {
            let product = w.pool.mul(a, b);
            let value = w.pool.bv(8, wanted);
            let cond = w.pool.eq(product, value);
            let terms: Vec<Term> = w.pc.iter().map(|c| c.term).chain([cond]).collect();
            let expected = brute_force(&w.pool, &terms, &w.bytes);
            let outcome = w.ask(&Model::new(), cond);
            assert_eq!(
                matches!(outcome, Outcome::Sat(_)),
                expected,
                "round {round}"
            );
        }
        collect(&mut w);
        let relocation = collect(&mut w);
        w.solver.relocate(&relocation);
    }
}

#[test]
fn unknown_layers_are_refused_by_name() {
    for &id in LayerId::ALL {
        assert_eq!(LayerId::by_name(id.name()), Ok(id));
    }
    let error = LayerId::by_name("simplex").expect_err("there is none");
    assert!(error.contains("independence"), "{error}");
}

#[test]
fn queries_are_logged_as_one_script() {
    let dir = std::env::temp_dir().join(format!("polypath-solver-log-{}", std::process::id()));
    let mut w = World::with(2, SolverOptions::default());
    w.solver.log_to(&dir, false).expect("a log");
    let (a, b) = (w.byte(0), w.byte(1));
    let sum = w.pool.add(a, b);
    let five = w.pool.bv(8, 5);
    let first = w.pool.ult(sum, five);
    let second = w.pool.eq(a, five);
    w.ask(&Model::new(), second);
    w.push(first);
    let mut three = Model::new();
    three.set(w.pool.as_symbol(a).unwrap(), 3);
    w.ask(&three, second);
    let same = solver::parse_witness("\"b0=3\"", |name| {
        (name == "b0").then(|| w.pool.as_symbol(a).unwrap())
    });
    assert_eq!(same.unwrap().as_bytes(), three.as_bytes());
    assert!(solver::parse_witness("\"b0=x\"", |_| None).is_none());
    let relocation = w.pool.collect(&mut |visit| {
        w.pc.trace_shared(&mut TraceSet::new(), visit);
        w.solver.trace(visit);
    });
    w.solver.relocate(&relocation);
    let b = w.byte(1);
    let five = w.pool.bv(8, 5);
    let third = w.pool.eq(b, five);
    w.ask(&Model::new(), third);
    let text = std::fs::read_to_string(dir.join("queries.smt2")).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    let commands: Vec<&str> = text.lines().skip(2).collect();
    let expected = [
        "(declare-const b0 (_ BitVec 8))",
        "(define-fun ?1 () Bool (= #x05 b0))",
        "(push 1)",
        "(assert ?1)",
        "(set-info :polypath-witness \"\")",
        "(check-sat)",
        "(pop 1)",
        "(declare-const b1 (_ BitVec 8))",
        "(define-fun ?2 () (_ BitVec 8) (bvadd b0 b1))",
        "(define-fun ?3 () Bool (bvult ?2 #x05))",
        "(push 1)",
        "(assert ?3)",
        "(push 1)",
        "(assert ?1)",
        "(set-info :polypath-witness \"b0=3\")",
        "(check-sat)",
        "(pop 1)",
        "(define-fun ?4 () Bool (= #x05 b1))",
        "(push 1)",
        "(assert ?4)",
        "(set-info :polypath-witness \"\")",
        "(check-sat)",
    ];
    assert_eq!(commands, expected, "{text}");
}

#[test]
fn ranges_contain_every_value() {
    for seed in 5000..5060 {
        let mut pool = Pool::new();
        let mut solver = Solver::new(SolverOptions::default());
        let mut g = Generator::new(&mut pool, seed, 2);
        let witness = g.model();
        let pc = path(&mut pool, &mut solver, &mut g, &witness, 1 + seed % 4, 2);
        let t = g.term(&mut pool, [8, 16, 32, 64, 1][seed as usize % 5], 3);
        let budget = UNHURRIED;
        let cheap = solver.bounds(&mut pool, t, true, Ask::new(&pc, &witness, &budget));
        let terms: Vec<Term> = pc.iter().map(|c| c.term).chain([t]).collect();
        let tape = Tape::compile(&pool, &terms);
        let mut scratch = Scratch::new();
        let mut model = Model::new();
        for v in (0..1u64 << 16).step_by(3) {
            model.set(g.bytes[0], v & 0xff);
            model.set(g.bytes[1], v >> 8);
            tape.run(&model, &mut scratch);
            if (0..pc.len()).all(|i| tape.value(&scratch, i) == 1) {
                let value = tape.value(&scratch, pc.len());
                assert!(
                    (cheap.lo..=cheap.hi).contains(&value),
                    "seed {seed}: {value} not in {cheap:?}"
                );
            }
        }
    }
}

/// A pointer read from a table at an index that the path has nearly fixed: what argument loops ask.
#[test]
fn a_read_of_few_elements_needs_no_sat() {
    let mut w = World::new(2);
    let (a, b) = (w.byte(0), w.byte(1));
    let mut table = w.pool.array_bytes(&[0x10, 0x20, 0x30, 0x40]);
    let at = w.pool.bv(64, 2);
    table = w.pool.store(table, at, b);
    let dash = w.pool.bv(8, b'-' as u64);
    let is_dash = w.pool.eq(a, dash);
    let (zero, one) = (w.pool.bv(64, 0), w.pool.bv(64, 1));
    let step = w.pool.ite(is_dash, one, zero);
    let index = w.pool.add(step, one); // 1 or 2
    let element = w.pool.select(table, index);
    let limit = w.pool.bv(8, 0x60);
    let (small, late) = (w.pool.ult(b, limit), w.pool.uge(element, limit));
    w.push(small);
    assert!(matches!(w.ask(&Model::new(), late), Outcome::Unsat(_)));
    let not_dash = w.pool.not(is_dash);
    w.push(not_dash);
    let other = w.pool.bv(8, 0x21);
    let differs = w.pool.eq(element, other);
    assert!(matches!(w.ask(&Model::new(), differs), Outcome::Unsat(_)));
    let stats = w.solver.stats();
    assert_eq!((stats.by(LayerId::Intervals), stats.sat_calls), (2, 0));
}
