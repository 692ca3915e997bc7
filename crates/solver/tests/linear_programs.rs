//! The integer linear programs of bit-vector queries: alone against the bit-blaster on generated
//! conditions, and the shapes that they exist for.

use crate::common::{Generator, UNHURRIED, path, satisfies};
use polypath_solver as solver;
use solver::{
    Ask, Budget, LayerId, Model, NoTrials, Origin, Outcome, PathCondition, Solver, SolverOptions,
    TheoryKind,
};
use term::{Evaluator, Pool, Sort, Term};

fn options(layers: &[LayerId], theory: TheoryKind) -> SolverOptions {
    SolverOptions {
        theory,
        ..SolverOptions::with_layers(layers)
    }
}

const ALONE: &[LayerId] = &[LayerId::Ilp, LayerId::Domains, LayerId::Independence];

/// A program decides what it can; what it decides is what the bits decide.
#[test]
fn generated_conditions_agree_with_the_bits() {
    let mut decided = [0; 2];
    for seed in 0..600 {
        let mut answers = Vec::new();
        for (layers, theory) in [
            (ALONE, TheoryKind::Bits),
            (ALONE, TheoryKind::Lia),
            (&[LayerId::Blast][..], TheoryKind::Bits),
        ] {
            let mut pool = Pool::new();
            let mut solver = Solver::new(options(layers, theory));
            let mut g = Generator::new(&mut pool, seed, 2 + (seed % 4) as usize);
            let witness = g.model();
            let pc = path(&mut pool, &mut solver, &mut g, &witness, seed % 4, 2);
            let mut cond = g.condition(&mut pool, 2);
            if Evaluator::new().eval(&pool, cond, &witness) == 1 {
                cond = pool.not(cond);
            }
            let outcome = solver.feasible(&mut pool, cond, Ask::new(&pc, &witness, &UNHURRIED));
            assert_eq!(solver.stats().models_rejected, 0);
            answers.push(match outcome {
                Outcome::Sat(model) => {
                    assert!(satisfies(&pool, &pc, cond, &model), "seed {seed}");
                    Some(true)
                }
                Outcome::Unsat(core) => {
                    // The core alone refutes the condition, by the bits.
                    let mut solver = Solver::new(options(&[LayerId::Blast], TheoryKind::Bits));
                    let mut pc = PathCondition::new();
                    for c in core {
                        solver.push(&mut pool, &mut pc, c, Origin::Branch);
                    }
                    solver.push(&mut pool, &mut pc, cond, Origin::Branch);
                    let again = solver.solve(&mut pool, &pc, &UNHURRIED, &mut NoTrials);
                    assert!(matches!(again, Outcome::Unsat(_)), "core of seed {seed}");
                    Some(false)
                }
                Outcome::Unknown(_) => None,
            });
        }
        for i in 0..2 {
            assert!(
                answers[i].is_none() || answers[i] == answers[2],
                "seed {seed}"
            );
            decided[i] += answers[i].is_some() as u32;
        }
    }
    assert!(decided[0] > 200 && decided[1] > 200, "{decided:?}");
}

/// Words of two bytes each, as the executor builds them.
struct Words {
    pool: Pool,
    words: Vec<Term>,
}

impl Words {
    fn new(count: usize) -> Words {
        let mut pool = Pool::new();
        let words = (0..count)
            .map(|i| {
                let bytes =
                    ["l", "h"].map(|s| pool.new_symbol(&format!("{s}{i}"), Sort::BitVec(8)));
                let [low, high] = bytes.map(|b| pool.symbol_term(b));
                let word = pool.concat(high, low);
                pool.zext(32, word)
            })
            .collect();
        Words { pool, words }
    }

    fn scaled(&mut self, factor: i32, i: usize) -> Term {
        let k = self.pool.bv(32, factor as u32 as u64);
        self.pool.mul(k, self.words[i])
    }

    fn solve(
        &mut self,
        conditions: &[Term],
        theory: TheoryKind,
        trials: &mut dyn solver::Trials,
    ) -> (Outcome, Solver) {
        let mut solver = Solver::new(options(ALONE, theory));
        let mut pc = PathCondition::new();
        for &c in conditions {
            solver.push(&mut self.pool, &mut pc, c, Origin::Branch);
        }
        let outcome = solver.solve(&mut self.pool, &pc, &Budget::default(), trials);
        (outcome, solver)
    }
}

#[test]
fn sums_that_cannot_overflow_need_no_modulo_variable() {
    // 2a + 1 = 2b has no solution by parity; without wrap-around the optimist may say so too.
    let mut w = Words::new(2);
    let (a, b) = (w.scaled(2, 0), w.scaled(2, 1));
    let one = w.pool.bv(32, 1);
    let a = w.pool.add(a, one);
    let equal = w.pool.eq(a, b);
    for theory in [TheoryKind::Bits, TheoryKind::Lia] {
        let (outcome, _) = w.solve(&[equal], theory, &mut NoTrials);
        assert!(matches!(outcome, Outcome::Unsat(_)), "{outcome:?}");
    }
}

#[test]
fn wrap_around_is_modelled_or_not_believed() {
    // a + b < a, unsigned in 16 bits, happens only by wrapping around.
    let mut w = Words::new(2);
    let halves: Vec<Term> = w
        .words
        .clone()
        .iter()
        .map(|&t| w.pool.extract(15, 0, t))
        .collect();
    let sum = w.pool.add(halves[0], halves[1]);
    let less = w.pool.ult(sum, halves[0]);
    let (exact, _) = w.solve(&[less], TheoryKind::Bits, &mut NoTrials);
    assert!(matches!(exact, Outcome::Sat(_)), "{exact:?}");
    let (optimistic, solver) = w.solve(&[less], TheoryKind::Lia, &mut NoTrials);
    // The optimist refutes it, is not believed, and the exact program finds it.
    assert_eq!(solver.stats().ilp_untrusted, 1);
    assert!(matches!(optimistic, Outcome::Sat(_)), "{optimistic:?}");
}

#[test]
fn reads_are_bounded_by_what_they_can_meet() {
    // a = {0, 5, 3, 5}: i + j > 4 and a[i] + a[j] > 10 with i, j <= 3 has no solution.
    let mut pool = Pool::new();
    let table = pool.array_bytes(&[0, 5, 3, 5]);
    let mut reads = Vec::new();
    let mut indices = Vec::new();
    for name in ["i", "j"] {
        let symbol = pool.new_symbol(name, Sort::BitVec(8));
        let byte = pool.symbol_term(symbol);
        let index = pool.zext(64, byte);
        let read = pool.select_bounded(table, index, 0, 3);
        reads.push(pool.zext(32, read));
        indices.push(byte);
    }
    let three = pool.bv(8, 3);
    let mut conditions: Vec<Term> = indices.iter().map(|&i| pool.ule(i, three)).collect();
    let wide: Vec<Term> = indices.iter().map(|&i| pool.zext(32, i)).collect();
    let (sum, four) = (pool.add(wide[0], wide[1]), pool.bv(32, 4));
    conditions.push(pool.ugt(sum, four));
    let (sum, ten) = (pool.add(reads[0], reads[1]), pool.bv(32, 10));
    conditions.push(pool.ugt(sum, ten));
    let mut w = Words {
        pool,
        words: Vec::new(),
    };
    let (outcome, _) = w.solve(&conditions, TheoryKind::Bits, &mut NoTrials);
    assert!(matches!(outcome, Outcome::Unsat(_)), "{outcome:?}");
}

#[test]
fn equal_structure_is_solved_once() {
    let mut w = Words::new(4);
    let mut solver = Solver::new(options(ALONE, TheoryKind::Bits));
    let witness = Model::new();
    for (i, j) in [(0, 1), (2, 3)] {
        let (a, b) = (w.scaled(2, i), w.scaled(6, j));
        let one = w.pool.bv(32, 1);
        let a = w.pool.add(a, one);
        let equal = w.pool.eq(a, b);
        let pc = PathCondition::new();
        let budget = Budget::default();
        let outcome = solver.feasible(&mut w.pool, equal, Ask::new(&pc, &witness, &budget));
        assert!(matches!(outcome, Outcome::Unsat(_)));
    }
    assert_eq!(solver.stats().ilp_programs, 2);
    assert_eq!(solver.stats().ilp_cached, 1);
}

#[test]
fn signed_sums_of_the_motivating_example() {
    // Words x, y: x + y >= 2, 2y - x >= 1, 2x - y >= 0, all signed.
    let mut w = Words::new(2);
    let mut conditions = Vec::new();
    for (a, b, low) in [(1, 1, 2), (-1, 2, 1), (2, -1, 0)] {
        let (ax, by) = (w.scaled(a, 0), w.scaled(b, 1));
        let (sum, low) = (w.pool.add(ax, by), w.pool.bv(32, low));
        conditions.push(w.pool.sge(sum, low));
    }
    struct Seen(Vec<Model>);
    impl solver::Trials for Seen {
        fn tried(&mut self, a: &Model, _: solver::Technique) {
            self.0.push(a.clone());
        }
    }
    let mut seen = Seen(Vec::new());
    let (outcome, _) = w.solve(&conditions, TheoryKind::Lia, &mut seen);
    let Outcome::Sat(model) = outcome else {
        panic!("{outcome:?}");
    };
    let mut evaluator = Evaluator::new();
    assert_eq!(evaluator.first_false(&w.pool, &conditions, &model), None);
    let prefixes: Vec<_> = seen
        .0
        .iter()
        .map(|m| evaluator.first_false(&w.pool, &conditions, m))
        .collect();
    // (0, 0) violates the first condition; a later assignment violates another one or none.
    assert_eq!(prefixes[0], Some(0));
    assert!(prefixes.iter().any(|p| *p != Some(0)), "{prefixes:?}");
}

/// Nodes of branch and bound: what they show satisfies the relaxation, rounded, and is not the simplex's way.
#[test]
fn nodes_of_branch_and_bound_are_shown() {
    // 39 x + 52 y + 65 z + 15 u between 1000 and 1001, each from 0 to 20.
    let mut w = Words::new(4);
    let mut conditions = Vec::new();
    let mut sum = w.pool.bv(32, 0);
    for (k, factor) in [39, 52, 65, 15].into_iter().enumerate() {
        let scaled = w.scaled(factor, k);
        sum = w.pool.add(sum, scaled);
        let (word, limit) = (w.scaled(1, k), w.pool.bv(32, 20));
        conditions.push(w.pool.ule(word, limit));
    }
    let [low, high] = [1000, 1001].map(|n| w.pool.bv(32, n));
    conditions.push(w.pool.ule(low, sum));
    conditions.push(w.pool.ule(sum, high));
    struct Nodes(Vec<Model>);
    impl solver::Trials for Nodes {
        fn tried(&mut self, a: &Model, by: solver::Technique) {
            if by == solver::Technique::Bound {
                self.0.push(a.clone());
            }
        }
    }
    let mut nodes = Nodes(Vec::new());
    w.solve(&conditions, TheoryKind::Lia, &mut nodes);
    assert!(!nodes.0.is_empty(), "no node was shown");
    let mut evaluator = Evaluator::new();
    for model in &nodes.0 {
        // Each word is within its bounds; only the sum, of rounded values, may be another one.
        let violated = evaluator.first_false(&w.pool, &conditions, model);
        assert!(violated.is_none_or(|k| k >= 4), "{violated:?}");
    }
}

#[test]
fn wide_constants_are_constants() {
    // 100 bits: 2^90 + x + y <= 2^90 + 3, with x, y bytes and x > 3.
    let mut w = Words::new(2);
    let [x, y] = [0, 1].map(|i| w.words[i]);
    let [x, y] = [x, y].map(|t| w.pool.zext(100, t));
    let [high, end] = [0, 3].map(|low| w.pool.bv_wide(100, &[low, 1 << 26]));
    let sum = w.pool.add(x, y);
    let sum = w.pool.add(high, sum);
    let beyond = w.pool.ult(end, sum);
    let within = w.pool.not(beyond);
    let three = w.pool.bv(100, 3);
    let large = w.pool.ult(three, x);
    let small = w.pool.not(large);
    let (outcome, _) = w.solve(&[within, large], TheoryKind::Bits, &mut NoTrials);
    assert!(matches!(outcome, Outcome::Unsat(_)), "{outcome:?}");
    let (outcome, _) = w.solve(&[within, small], TheoryKind::Bits, &mut NoTrials);
    assert!(matches!(outcome, Outcome::Sat(_)), "{outcome:?}");
    // As factor, divisor, amount, side of a choice: nothing is decided, nothing fails.
    let shifted = w.pool.shl(x, high);
    let product = w.pool.mul(x, high);
    let quotient = w.pool.udiv(x, high);
    let rest = w.pool.urem(x, end);
    let choice = w.pool.ite(large, high, end);
    for t in [shifted, product, quotient, rest, choice] {
        let condition = w.pool.ult(t, sum);
        w.solve(&[condition, within], TheoryKind::Bits, &mut NoTrials);
        w.solve(&[condition, within], TheoryKind::Lia, &mut NoTrials);
    }
}
