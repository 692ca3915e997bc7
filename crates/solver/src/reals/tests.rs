//! What branch and prune finds, and that it proves nothing.

use super::functions;
use super::interval::Interval;
use super::system::{Kind, System};
use super::{Effort, solve};
use crate::layers::Searched;
use crate::model::Model;
use crate::options::{FloatMethod, Points, SolverOptions};
use crate::query::{Ask, Budget, Outcome};
use crate::{PathCondition, Solver};
use term::{Evaluator, FloatFormat, FloatPredicate, MathFunction, Pool, Sort, Symbol, Term};
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

#[test]
fn constants_of_formats_above_128_bits_are_numbers() {
    let mut w = World::new();
    let x = w.input();
    let wide = FloatFormat::new(17, 200).unwrap();
    let widened = w.pool.fp_to_fp(wide, x);
    let power = float::power_of_ten(wide, 40).to_u64_digits();
    let power = w.pool.bv_wide(wide.bits(), &power);
    let power = w.pool.fp_from_bits(wide, power);
    let product = w.pool.fmul(widened, power);
    let product = w.pool.fp_to_fp(FloatFormat::DOUBLE, product);
    let condition = w.compare(Oeq, product, 2.5e40);
    w.assert_solved("x times a constant of 218 bits", &[condition]);
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
    // Fuzzing comes after the real numbers.
    for floats in [FloatMethod::Rso(Points::Searched), FloatMethod::Auto] {
        let options = SolverOptions {
            floats,
            ..SolverOptions::default()
        };
        let mut solver = Solver::new(options);
        let (path, witness, budget) = (PathCondition::new(), Model::new(), Budget::default());
        let ask = Ask::new(&path, &witness, &budget);
        let outcome = solver.feasible(&mut w.pool, condition, ask);
        assert!(matches!(outcome, Outcome::Sat(_)), "{outcome:?}");
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

/// Alternatives are told apart: each has boxes of its own.
#[test]
fn one_of_several_conditions_is_solved() {
    let mut w = World::new();
    let [x, y] = [w.input(), w.input()];
    let cube = |w: &mut World, of: Term, value: f64| {
        let square = w.pool.fmul(of, of);
        let cube = w.pool.fmul(square, of);
        w.compare(Oeq, cube, value)
    };
    let (first, second) = (cube(&mut w, x, 125.0), cube(&mut w, y, 343.0));
    let either = w.pool.or(first, second);
    w.assert_solved("or", &[either]);
    // The first way is closed.
    let negative = w.compare(Olt, x, 0.0);
    w.assert_solved("the other one", &[either, negative]);
    let big = w.compare(Ogt, x, 1e3);
    let chosen = w.pool.ite(big, first, second);
    w.assert_solved("if", &[chosen]);
}

#[test]
fn integers_are_bounded_by_their_conditions_and_types() {
    let mut w = World::new();
    let symbol = w.pool.new_symbol("n", Sort::BitVec(32));
    let n = w.pool.symbol_term(symbol);
    let x = w.input();
    let number = w.pool.sint_to_fp(FloatFormat::DOUBLE, n);
    let product = w.pool.fmul(number, x);
    let product = w.compare(Oeq, product, 7.5);
    let (low, high) = (w.pool.bv(32, 1_000_000), w.pool.bv(32, 1_000_003));
    let (above, below) = (w.pool.slt(low, n), w.pool.slt(n, high));
    w.assert_solved("an integer between two", &[product, above, below]);

    let system = System::new(&w.pool, &[product, above, below]);
    let boxes = system.first_box(f64::INFINITY);
    let of = |kind: Kind| {
        system
            .variables
            .iter()
            .position(|v| v.kind == kind)
            .unwrap()
    };
    let integer = of(Kind::Signed);
    assert_eq!(
        boxes[integer],
        Interval::new(-2_147_483_648.0, 2_147_483_647.0)
    );
    let double = of(Kind::Float(FloatFormat::DOUBLE));
    assert_eq!(boxes[double], Interval::new(-f64::MAX, f64::MAX));
    let mut narrow = boxes.clone();
    assert!(system.contract(&system.cases()[0], &mut narrow));
    assert_eq!(narrow[integer], Interval::new(1_000_000.0, 1_000_003.0));

    let bits = w.pool.extract(31, 0, n);
    let single = w.pool.fp_from_bits(FloatFormat::SINGLE, bits);
    let wide = w.pool.fp_to_fp(FloatFormat::DOUBLE, single);
    let huge = w.compare(Ogt, wide, 1e39);
    let system = System::new(&w.pool, &[huge]);
    let mut of = system.first_box(f64::INFINITY);
    assert_eq!(
        of[0],
        Interval::new(-f64::from(f32::MAX), f64::from(f32::MAX))
    );
    assert!(
        !system.contract(&system.cases()[0], &mut of),
        "no float is as large"
    );
}

#[test]
fn equations_with_functions_of_the_library_are_solved() {
    let mut w = World::new();
    let [x, y] = [w.input(), w.input()];
    let call = |w: &mut World, function, of: &[Term]| w.pool.fcall(function, of);
    let e = call(&mut w, MathFunction::Exp, &[x]);
    let conditions = [w.compare(Ogt, e, 100.0), w.compare(Olt, e, 100.0001)];
    w.assert_solved("exp between two numbers", &conditions);
    let sine = call(&mut w, MathFunction::Sin, &[x]);
    let conditions = [
        w.compare(Ogt, sine, 0.999_999),
        w.compare(Ogt, x, 50.0),
        w.compare(Olt, x, 60.0),
    ];
    w.assert_solved("a crest of the sine", &conditions);
    let power = call(&mut w, MathFunction::Pow, &[x, y]);
    let cosine = call(&mut w, MathFunction::Cos, &[y]);
    let conditions = [w.compare(Ogt, power, 1e10), w.compare(Olt, cosine, -0.99)];
    w.assert_solved("pow and cos", &conditions);
}

/// Each function on random intervals: no value is outside of the forward set, no argument is lost by the backward one.
#[test]
fn extensions_of_functions_lose_no_number() {
    let mut random = Random::new(11);
    for round in 0..60_000 {
        let function = MathFunction::ALL[round % MathFunction::ALL.len()];
        let mut number = || match random.below(6) {
            0 => 0.0,
            1 => random.range(-4, 4) as f64,
            2 => random.range(-1000, 1000) as f64 / 999.0,
            3 => random.range(-100_000, 100_000) as f64 / 1024.0,
            _ => random.range(-1000, 1000) as f64 * 2f64.powi(random.range(-30, 30) as i32),
        };
        let (a, b, c, d) = (number(), number(), number(), number());
        let x = Interval::new(a.min(b), a.max(b));
        let mut y = Interval::new(c.min(d), c.max(d));
        if random.chance(30) {
            y = Interval::new(c.round(), c.round());
        }
        let inside = |of: Interval, random: &mut Random| {
            let part = random.below(5) as f64 / 4.0;
            (of.low + (of.high - of.low) * part).clamp(of.low, of.high)
        };
        let (p, q) = (inside(x, &mut random), inside(y, &mut random));
        let value = functions::value(function, p, q);
        if value.is_nan() {
            continue;
        }
        let all = functions::forward(function, x, y);
        assert!(
            all.has(value),
            "{function:?} of {x:?} {y:?} has {p}, {q} -> {value}, not in {all:?}"
        );
        let far = value.abs() * [0.0, 1e-9, 0.5][random.index(3)];
        let own = Interval::new(value - far, value + far);
        let (left, right) = functions::backward(function, own, x, y);
        let is_kept = left.has(p) && (function.arity() == 1 || right.has(q));
        assert!(
            is_kept,
            "{function:?} of {x:?} {y:?} loses {p}, {q} -> {own:?}: {left:?} {right:?}"
        );
    }
}

/// Random expressions over two doubles and an integer.
fn expression(w: &mut World, random: &mut Random, leaves: &[Term], depth: u32) -> Term {
    if depth == 0 || random.chance(15) {
        return if random.chance(25) {
            let value = random.range(-20, 20) as f64 / 4.0;
            w.number(value)
        } else {
            random.pick(leaves)
        };
    }
    let a = expression(w, random, leaves, depth - 1);
    let b = expression(w, random, leaves, depth - 1);
    let p = &mut w.pool;
    match random.below(14) {
        0 | 1 => p.fadd(a, b),
        2 | 3 => p.fsub(a, b),
        4 | 5 => p.fmul(a, b),
        6 => p.fdiv(a, b),
        7 => p.fsqrt(a),
        8 => p.fabs(a),
        9 => p.fmin(a, b),
        10 => p.fmax(a, b),
        11 => p.frem(a, b),
        _ => {
            let function = random.pick(&MathFunction::ALL);
            let args = [a, b];
            p.fcall(function, &args[..function.arity()])
        }
    }
}

/// The native value of an expression lies in the interval of its numbers, and contraction loses no real solution: the
/// point at which a condition was made holds it.
#[test]
fn no_box_loses_a_native_value_or_a_solution() {
    let mut random = Random::new(23);
    let mut contracted = 0;
    for round in 0..4000 {
        let mut w = World::new();
        let [x, y] = [w.input(), w.input()];
        let symbol = w.pool.new_symbol("n", Sort::BitVec(16));
        w.symbols.push(symbol);
        let n = w.pool.symbol_term(symbol);
        let n = w.pool.sint_to_fp(FloatFormat::DOUBLE, n);
        let depth = 1 + random.below(4) as u32;
        let e = expression(&mut w, &mut random, &[x, y, n], depth);
        let point = [
            random.range(-4000, 4000) as f64 / 64.0,
            random.range(-40, 40) as f64 / 8.0,
            random.range(-300, 300) as f64,
        ];
        let mut model = Model::new();
        model.set(w.symbols[0], point[0].to_bits());
        model.set(w.symbols[1], point[1].to_bits());
        model.set(w.symbols[2], u64::from(point[2] as i16 as u16));
        // Where an operand is no number there are no real values.
        let mut evaluator = Evaluator::new();
        let mut native = |w: &mut World, t: Term| {
            let bits = w.pool.fp_to_bits(t);
            f64::from_bits(evaluator.eval(&w.pool, bits, &model))
        };
        let floats = w.pool.cone(&[e]).into_iter();
        let floats: Vec<Term> = floats
            .filter(|&t| matches!(w.pool.sort(t), Sort::Float(_)))
            .collect();
        if floats.into_iter().any(|t| !native(&mut w, t).is_finite()) {
            continue;
        }
        let native = native(&mut w, e);
        let anything = w.compare(Ogt, e, f64::MIN);
        let system = System::new(&w.pool, &[anything]);
        let place = |v: &super::system::Variable| {
            let terms = [x, y].map(|t| w.pool.child(t, 0));
            terms.iter().position(|&t| t == v.bits).unwrap_or(2)
        };
        let places: Vec<usize> = system.variables.iter().map(place).collect();
        let at: Vec<Interval> = places
            .iter()
            .map(|&k| Interval::new(point[k], point[k]))
            .collect();
        if places.is_empty() || system.cases()[0].is_empty() {
            continue;
        }
        let value = system.values(&at)[system.cases()[0][0].right];
        let value = if value.has(native) {
            value
        } else {
            system.values(&at)[system.cases()[0][0].left]
        };
        assert!(
            value.has(native),
            "round {round}: {native} is not in {value:?}"
        );
        if !value.low.is_finite() || !value.high.is_finite() {
            continue;
        }
        // The real value is in there, so the point satisfies this.
        let conditions = [
            w.compare(FloatPredicate::Oge, e, value.low),
            w.compare(FloatPredicate::Ole, e, value.high),
        ];
        let system = System::new(&w.pool, &conditions);
        let mut around: Vec<Interval> = (places.iter())
            .map(|&k| {
                let far = [0.5, 3.0, 1e3][random.index(3)];
                Interval::new(point[k] - random.below(4) as f64 * far, point[k] + far)
            })
            .collect();
        let before = around.clone();
        for _ in 0..6 {
            let is_left = system.contract(&system.cases()[0], &mut around);
            let has_all = places.iter().zip(&around).all(|(&k, of)| of.has(point[k]));
            assert!(
                is_left && has_all,
                "round {round}: {point:?} was in {before:?}, not in {around:?}"
            );
        }
        contracted += usize::from(around != before);
    }
    assert!(contracted > 500, "{contracted}");
}
