//! What the search finds, and that all of it repeats.

use super::variables::variables;
use super::{Descent, Problem};
use crate::query::Model;
use term::{Evaluator, FloatFormat, FloatPredicate, Pool, Sort, Symbol, Term};

/// A double whose eight bytes are symbols, the least significant first.
fn double(pool: &mut Pool, name: &str, symbols: &mut Vec<Symbol>) -> Term {
    let mut bits = None;
    for k in 0..8 {
        let symbol = pool.new_symbol(&format!("{name}{k}"), Sort::BitVec(8));
        symbols.push(symbol);
        let byte = pool.symbol_term(symbol);
        bits = Some(match bits {
            None => byte,
            Some(low) => pool.concat(byte, low),
        });
    }
    pool.fp_from_bits(FloatFormat::DOUBLE, bits.expect("eight bytes"))
}

fn number(pool: &mut Pool, value: f64) -> Term {
    let bits = pool.bv(64, value.to_bits());
    pool.fp_from_bits(FloatFormat::DOUBLE, bits)
}

/// The conditions of a query about x, y and z.
type Conditions = fn(&mut Pool, [Term; 3]) -> Vec<Term>;

const SOLVABLE: &[(&str, Conditions)] = &[
    ("cube", |p, [x, ..]| {
        let square = p.fmul(x, x);
        let cube = p.fmul(square, x);
        let c = number(p, 27.0);
        vec![p.fcmp(FloatPredicate::Oeq, cube, c)]
    }),
    ("distance", |p, [x, y, _]| {
        let (xx, yy, one) = (p.fmul(x, x), p.fmul(y, y), number(p, 1.0));
        let sum = p.fadd(xx, yy);
        let root = p.fsqrt(sum);
        let c = number(p, 13.0);
        vec![
            p.fcmp(FloatPredicate::Ogt, x, one),
            p.fcmp(FloatPredicate::Ogt, y, one),
            p.fcmp(FloatPredicate::Oeq, root, c),
        ]
    }),
    ("quadratic", |p, [a, b, c]| {
        let (bb, ac, four) = (p.fmul(b, b), p.fmul(a, c), number(p, 4.0));
        let ac4 = p.fmul(four, ac);
        let d = p.fsub(bb, ac4);
        let (root, minus) = (p.fsqrt(d), p.fneg(b));
        let (above, below) = (p.fadd(minus, root), p.fadd(a, a));
        let x = p.fdiv(above, below);
        let (one, zero, want) = (number(p, 1.0), number(p, 0.0), number(p, 2.5));
        vec![
            p.fcmp(FloatPredicate::Ogt, a, one),
            p.fcmp(FloatPredicate::Ogt, d, zero),
            p.fcmp(FloatPredicate::Oeq, x, want),
        ]
    }),
    ("not a number", |p, [x, y, _]| {
        let sum = p.fadd(x, y);
        let nan = |p: &mut Pool, t| p.fcmp(FloatPredicate::Uno, t, t);
        let (of_sum, of_x, of_y) = (nan(p, sum), nan(p, x), nan(p, y));
        vec![of_sum, p.not(of_x), p.not(of_y)]
    }),
    ("either", |p, [x, y, _]| {
        let (two, five) = (number(p, 2.0), number(p, 5.0));
        let (a, b) = (
            p.fcmp(FloatPredicate::Oeq, x, two),
            p.fcmp(FloatPredicate::Oeq, x, five),
        );
        let sum = p.fadd(x, y);
        vec![p.or(a, b), p.fcmp(FloatPredicate::Oeq, sum, five)]
    }),
    ("integer", |p, [x, ..]| {
        let integer = p.fp_to_sint(32, x);
        let c = p.bv(32, 42);
        vec![p.eq(integer, c)]
    }),
];

fn search(conditions: Conditions, seed: u64, ticks: u64) -> (Option<Model>, u64, Pool, Vec<Term>) {
    let mut pool = Pool::new();
    let mut symbols = Vec::new();
    let floats = ["x", "y", "z"].map(|name| double(&mut pool, name, &mut symbols));
    let conditions = conditions(&mut pool, floats);
    let mut problem = Problem::new(&pool, &conditions, &symbols);
    let mut descent = Descent::new(&mut problem, &Model::new(), seed, ticks, None);
    let found = descent.run(&mut |_| {});
    let evaluations = descent.evaluations;
    (found, evaluations, pool, conditions)
}

#[test]
fn solutions_are_found_with_every_seed() {
    for &(name, conditions) in SOLVABLE {
        for seed in 0..10 {
            let (found, _, pool, conditions) = search(conditions, seed, 1 << 24);
            let model = found.unwrap_or_else(|| panic!("{name}, seed {seed}"));
            let violated = Evaluator::new().first_false(&pool, &conditions, &model);
            assert_eq!(violated, None, "{name}, seed {seed}");
        }
    }
}

#[test]
fn a_search_repeats_and_keeps_its_limit() {
    let impossible: Conditions = |p, [x, ..]| {
        let (one, two) = (number(p, 1.0), number(p, 2.0));
        vec![
            p.fcmp(FloatPredicate::Olt, x, one),
            p.fcmp(FloatPredicate::Ogt, x, two),
        ]
    };
    let (found, evaluations, ..) = search(impossible, 1, 100_000);
    assert!(found.is_none() && (1000..100_000).contains(&evaluations));
    assert_eq!(search(impossible, 1, 100_000).1, evaluations);
    let (_, conditions) = SOLVABLE[2];
    let (first, second) = (
        search(conditions, 3, 1 << 24),
        search(conditions, 3, 1 << 24),
    );
    assert_eq!(first.1, second.1);
    assert_eq!(first.0, second.0);
}

#[test]
fn variables_are_what_conditions_read_as_one_number() {
    let mut pool = Pool::new();
    let mut symbols = Vec::new();
    let x = double(&mut pool, "x", &mut symbols);
    let y = double(&mut pool, "y", &mut symbols);
    let extra = pool.new_symbol("b", Sort::BitVec(8));
    symbols.push(extra);
    let bits = pool.fp_to_bits(y);
    let (limit, byte) = (pool.bv(64, 99), pool.symbol_term(extra));
    let seven = pool.bv(8, 7);
    let zero = number(&mut pool, 0.0);
    let conditions = [
        pool.fcmp(FloatPredicate::Ogt, x, zero),
        pool.ult(bits, limit),
        pool.eq(byte, seven),
    ];
    let found = variables(&pool, &conditions, &symbols);
    let kinds: Vec<_> = found.iter().map(|v| (v.width, v.format)).collect();
    assert_eq!(
        kinds,
        [(64, Some(FloatFormat::DOUBLE)), (64, None), (8, None)]
    );
    let mut model = Model::new();
    for value in [0u128, 1, 0x0123_4567_89ab_cdef, u64::MAX.into()] {
        found[0].write(value, &mut model);
        assert_eq!(found[0].read(&model), value);
        assert_eq!(found[0].moved(found[0].moved(value, 12345), -12345), value);
    }
    // Steps follow the order of values, through the zeros.
    let bits = |x: f64| u128::from(x.to_bits());
    assert_eq!(found[0].moved(bits(1.0), 1), bits(1.0f64.next_up()));
    assert_eq!(found[0].moved(bits(-1.0), 1), bits((-1.0f64).next_up()));
    assert_eq!(found[0].moved(bits(-0.0), 1), bits(0.0));
}
