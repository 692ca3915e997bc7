//! What branch and prune finds, and that it proves nothing.

use super::interval::Interval;
use super::{Effort, solve};
use crate::layers::Searched;
use crate::model::Model;
use crate::options::{FloatMethod, Points, SolverOptions};
use crate::query::{Ask, Budget, Outcome};
use crate::{PathCondition, Solver};
use term::{Evaluator, FloatFormat, FloatPredicate, Pool, Sort, Symbol, Term};
use testkit::Random;

/// Some doubles that are inputs.
struct World {
    pool: Pool,
    symbols: Vec<Symbol>,
}

impl World {
    fn new() -> World {
        World {
            pool: Pool::new(),
            symbols: Vec::new(),
        }
    }

    fn input(&mut self) -> Term {
        let name = format!("x{}", self.symbols.len());
        let symbol = self.pool.new_symbol(&name, Sort::BitVec(64));
        self.symbols.push(symbol);
        let bits = self.pool.symbol_term(symbol);
        self.pool.fp_from_bits(FloatFormat::DOUBLE, bits)
    }

    fn number(&mut self, value: f64) -> Term {
        let bits = self.pool.bv(64, value.to_bits());
        self.pool.fp_from_bits(FloatFormat::DOUBLE, bits)
    }

    /// a op b
    fn compare(&mut self, predicate: FloatPredicate, a: Term, b: f64) -> Term {
        let b = self.number(b);
        self.pool.fcmp(predicate, a, b)
    }

    fn solve(&self, conditions: &[Term]) -> Option<Model> {
        let effort = Effort {
            seed: 1,
            ticks: 1 << 22,
            deadline: None,
            points: Points::Searched,
        };
        let (start, mut evaluator) = (Model::new(), Evaluator::new());
        let tried = &mut |_: &Model| {};
        let pool = &self.pool;
        match solve(pool, &mut evaluator, conditions, &start, &effort, tried) {
            Searched::Found(model) => Some(model),
            Searched::Limited | Searched::Exhausted => None,
        }
    }

    fn assert_solved(&self, name: &str, conditions: &[Term]) {
        let model = self
            .solve(conditions)
            .unwrap_or_else(|| panic!("{name}: no solution"));
        let mut evaluator = Evaluator::new();
        let violated = evaluator.first_false(&self.pool, conditions, &model);
        assert_eq!(violated, None, "{name}");
    }
}

use FloatPredicate::{Oeq, Ogt, Olt};

#[test]
fn nonlinear_equations_are_solved() {
    let mut w = World::new();
    let [x, y] = [w.input(), w.input()];
    let (xx, yy) = (w.pool.fmul(x, x), w.pool.fmul(y, y));
    let cube = w.pool.fmul(xx, x);
    let cube = w.compare(Oeq, cube, 27.0);
    w.assert_solved("cube", &[cube]);

    let sum = w.pool.fadd(xx, yy);
    let root = w.pool.fsqrt(sum);
    let far = w.compare(Oeq, root, 13.0);
    let bounds = [w.compare(Ogt, x, 1.0), w.compare(Ogt, y, 1.0)];
    w.assert_solved("distance", &[far, bounds[0], bounds[1]]);

    let circle = w.compare(Oeq, sum, 25.0);
    let both = w.pool.fadd(x, y);
    let line = w.compare(Oeq, both, 7.0);
    w.assert_solved("circle and line", &[circle, line]);

    let product = w.pool.fmul(x, y);
    let product = w.compare(Oeq, product, 21.0);
    let ten = w.compare(Oeq, both, 10.0);
    w.assert_solved("sum and product", &[ten, product]);

    let mut polynomial = w.number(1.0);
    for coefficient in [-3.0, 1.0, -7.0, 2.0, -5.0] {
        let (product, c) = (w.pool.fmul(polynomial, x), w.number(coefficient));
        polynomial = w.pool.fadd(product, c);
    }
    let size = w.pool.fabs(polynomial);
    let near = w.compare(Olt, size, 1e-6);
    w.assert_solved("polynomial", &[near]);
}

#[test]
fn linear_equations_are_solved() {
    let mut w = World::new();
    let [x, y, z] = [w.input(), w.input(), w.input()];
    let mut conditions = Vec::new();
    for (coefficients, value) in [
        ([1.0, 1.0, 1.0], 6.0),
        ([1.0, -1.0, 2.0], 5.0),
        ([2.0, 1.0, -1.0], 1.0),
    ] {
        let mut sum = w.number(0.0);
        for (coefficient, variable) in coefficients.into_iter().zip([x, y, z]) {
            let c = w.number(coefficient);
            let product = w.pool.fmul(c, variable);
            sum = w.pool.fadd(sum, product);
        }
        conditions.push(w.compare(Oeq, sum, value));
    }
    w.assert_solved("three linear equations", &conditions);
}

#[test]
fn a_sum_of_many_is_solved() {
    let mut w = World::new();
    let mut sum = w.number(0.0);
    let mut conditions = Vec::new();
    for _ in 0..19 {
        let x = w.input();
        conditions.push(w.compare(Ogt, x, 1.0));
        sum = w.pool.fadd(sum, x);
    }
    conditions.push(w.compare(Oeq, sum, 27.7));
    w.assert_solved("19 doubles", &conditions);
}

/// `x + 1 == x` has no real solution; as a `float`, 2^24 solves it.
#[test]
fn what_only_rounding_satisfies_is_not_refuted() {
    let mut w = World::new();
    let x = w.input();
    let one = w.number(1.0);
    let next = w.pool.fadd(x, one);
    // In `float`, where sums are wide apart, so that the real solver sees that there is none.
    let single = w.pool.fp_to_fp(FloatFormat::SINGLE, next);
    let single = w.pool.fp_to_fp(FloatFormat::DOUBLE, single);
    let rounded = w.pool.fcmp(Oeq, single, x);
    let bounds = [
        w.compare(Ogt, x, 16_777_215.0),
        w.compare(Olt, x, 16_777_217.0),
    ];
    let conditions = [rounded, bounds[0], bounds[1]];
    assert!(w.solve(&conditions).is_none());
    let condition = w.pool.and(rounded, bounds[0]);
    let condition = w.pool.and(condition, bounds[1]);
    let limited = Budget {
        effort: 1 << 16,
        ..Budget::default()
    };
    for (floats, budget) in [
        (FloatMethod::Rso(Points::Searched), limited),
        (FloatMethod::Auto, Budget::default()),
    ] {
        let options = SolverOptions {
            floats,
            ..SolverOptions::default()
        };
        let mut solver = Solver::new(options);
        let (path, witness) = (PathCondition::new(), Model::new());
        let ask = Ask::new(&path, &witness, &budget);
        let outcome = solver.feasible(&mut w.pool, condition, ask);
        match floats {
            FloatMethod::Rso(_) => assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}"),
            _ => assert!(matches!(outcome, Outcome::Sat(_)), "{outcome:?}"),
        }
    }
}

#[test]
fn interval_operations_lose_no_number() {
    let mut random = Random::new(5);
    let mut number = || match random.below(5) {
        0 => 0.0,
        1 => random.range(-4, 4) as f64,
        _ => random.range(-1000, 1000) as f64 * 2f64.powi(random.range(-20, 20) as i32),
    };
    for _ in 0..20_000 {
        let (a, b, c, d) = (number(), number(), number(), number());
        let (x, y) = (
            Interval::new(a.min(b), a.max(b)),
            Interval::new(c.min(d), c.max(d)),
        );
        for p in [x.low, x.high, x.middle()]
            .into_iter()
            .filter(|&p| x.has(p))
        {
            for q in [y.low, y.high, y.middle()]
                .into_iter()
                .filter(|&q| y.has(q))
            {
                assert!(x.plus(y).has(p + q) && x.minus(y).has(p - q) && x.times(y).has(p * q));
                if q != 0.0 {
                    assert!(x.over(y).has(p / q), "{x:?} / {y:?} has {p} / {q}");
                }
            }
            assert!(x.square().has(p * p) && x.absolute().has(p.abs()));
            assert!(p < 0.0 || x.root().has(p.sqrt()));
        }
    }
}
