//! Lowered terms have the values of the terms that they were made of, NaNs bit by bit: every operation on all operands of
//! small formats, and on the operands of large ones at which operations change their ways.

use super::modes::Choice;
use super::{Lowering, Smaller};
use crate::facts::Consequences;
use term::{
    Assignment, Evaluator, FloatFormat, FloatPredicate, Pool, RoundingMode, Sort, Symbol, Term,
};
use testkit::Random;

/// A pool with three floats of a format.
struct Operands {
    pool: Pool,
    symbols: [Symbol; 3],
    floats: [Term; 3],
}

impl Operands {
    fn new(format: FloatFormat) -> Operands {
        let mut pool = Pool::new();
        let symbols = ["x", "y", "z"].map(|n| pool.new_symbol(n, Sort::BitVec(format.bits())));
        let floats = symbols.map(|symbol| {
            let bits = pool.symbol_term(symbol);
            pool.fp_from_bits(format, bits)
        });
        Operands {
            pool,
            symbols,
            floats,
        }
    }

    /// Checks a term under each assignment of patterns to its first symbols.
    fn check(&mut self, t: Term, name: &str, operands: &[[u128; 3]]) {
        let pool = &mut self.pool;
        let lowered = Lowering::default().lower(pool, t, usize::MAX, None);
        let lowered = lowered.unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(!pool.has_float(lowered), "{name}");
        let (mut of_floats, mut of_bits) = (Evaluator::new(), Evaluator::new());
        for patterns in operands {
            let mut a = Assignment::new();
            for (&symbol, &pattern) in self.symbols.iter().zip(patterns) {
                a.set_wide(symbol, &[pattern as u64, (pattern >> 64) as u64]);
            }
            let want = of_floats.eval_wide(pool, t, &a);
            let got = of_bits.eval_wide(pool, lowered, &a);
            assert_eq!(want, got, "{name} of {patterns:x?}");
        }
    }

    /// Operations with one operand, or two, or three.
    fn operations(&mut self, arity: usize, rm: RoundingMode) -> Vec<(String, Term)> {
        let ([x, y, z], pool) = (self.floats, &mut self.pool);
        let all = match arity {
            1 => vec![
                ("sqrt", pool.fsqrt_rounded(rm, x)),
                ("round", pool.fround_to_integral(rm, x)),
                ("negate", pool.fneg(x)),
                ("absolute", pool.fabs(x)),
            ],
            2 => vec![
                ("add", pool.fadd_rounded(rm, x, y)),
                ("add in the other order", pool.fadd_rounded(rm, y, x)),
                ("subtract", pool.fsub_rounded(rm, x, y)),
                ("multiply", pool.fmul_rounded(rm, x, y)),
                ("multiply in the other order", pool.fmul_rounded(rm, y, x)),
                ("divide", pool.fdiv_rounded(rm, x, y)),
                ("fmod", pool.frem(x, y)),
                ("remainder", pool.fremainder(x, y)),
                ("minimum", pool.fmin(x, y)),
                ("maximum", pool.fmax(x, y)),
            ],
            _ => vec![("fma", pool.fma_rounded(rm, x, y, z))],
        };
        let all = all.into_iter();
        all.map(|(name, t)| (format!("{name} {rm:?}"), pool.fp_to_bits(t)))
            .collect()
    }

    fn check_all(&mut self, arity: usize, operands: &[[u128; 3]]) {
        for rm in RoundingMode::ALL {
            for (name, t) in self.operations(arity, rm) {
                self.check(t, &name, operands);
            }
        }
    }

    fn check_comparisons(&mut self, operands: &[[u128; 3]]) {
        let [x, y, _] = self.floats;
        for predicate in FloatPredicate::ALL {
            let t = self.pool.fcmp(predicate, x, y);
            self.check(t, &format!("{predicate:?}"), operands);
        }
        let t = self.pool.eq(x, y);
        self.check(t, "same", operands);
    }

    fn check_conversions(&mut self, operands: &[[u128; 3]]) {
        let x = self.floats[0];
        for rm in RoundingMode::ALL {
            for width in [1, 3, 8, 33, 64] {
                let signed = self.pool.fp_to_sint_rounded(rm, width, x);
                let unsigned = self.pool.fp_to_uint_rounded(rm, width, x);
                self.check(signed, &format!("to signed {width} {rm:?}"), operands);
                self.check(unsigned, &format!("to unsigned {width} {rm:?}"), operands);
            }
            for to in [
                FloatFormat::new(3, 4).expect("a format"),
                FloatFormat::SINGLE,
                FloatFormat::X87,
            ] {
                let converted = self.pool.fp_to_fp_rounded(rm, to, x);
                let bits = self.pool.fp_to_bits(converted);
                self.check(bits, &format!("to {to:?} {rm:?}"), operands);
            }
        }
    }
}

/// Sums and products whose operands change places are one circuit, deep inside other operations, too; but not the same NaN.
#[test]
fn operands_that_change_places_are_one_circuit() {
    for rm in RoundingMode::ALL {
        let mut operands = Operands::new(FloatFormat::DOUBLE);
        let ([x, y, z], pool) = (operands.floats, &mut operands.pool);
        let sums = [
            pool.fadd_rounded(rm, x, y),
            pool.fadd_rounded(rm, y, x),
            pool.fadd_rounded(rm, x, x),
        ];
        let products = sums.map(|sum| {
            let root = pool.fsqrt_rounded(rm, sum);
            (
                pool.fmul_rounded(rm, z, root),
                pool.fmul_rounded(rm, root, z),
            )
        });
        let [(a, _), (_, b), (c, _)] = products;
        let mut lowering = Lowering::default();
        let mut differ = |pool: &mut Pool, a, b| {
            let differ = pool.fcmp(FloatPredicate::One, a, b);
            lowering.lower(pool, differ, usize::MAX, None)
        };
        assert_eq!(differ(pool, sums[0], sums[1]), Ok(Term::FALSE), "{rm:?}");
        assert_eq!(differ(pool, a, b), Ok(Term::FALSE), "{rm:?}");
        assert_ne!(differ(pool, a, c), Ok(Term::FALSE), "{rm:?}");
        let [first, second] = [sums[0], sums[1]].map(|sum| pool.fp_to_bits(sum));
        let same_bits = pool.eq(first, second);
        let lowered = lowering.lower(pool, same_bits, usize::MAX, None);
        assert_ne!(lowered, Ok(Term::TRUE), "{rm:?}");
    }
}

fn all_patterns(format: FloatFormat) -> std::ops::Range<u128> {
    0..1 << format.bits()
}

#[test]
fn operations_on_small_formats_are_those_of_the_terms() {
    for (eb, sb) in [(2, 2), (2, 3), (3, 3)] {
        let format = FloatFormat::new(eb, sb).expect("a format");
        let mut operands = Operands::new(format);
        let one: Vec<[u128; 3]> = all_patterns(format).map(|x| [x, 0, 0]).collect();
        let two: Vec<[u128; 3]> = all_patterns(format)
            .flat_map(|x| all_patterns(format).map(move |y| [x, y, 0]))
            .collect();
        operands.check_all(1, &one);
        operands.check_all(2, &two);
        operands.check_comparisons(&two);
        operands.check_conversions(&one);
        if format.bits() < 6 {
            let three: Vec<[u128; 3]> = two
                .iter()
                .flat_map(|&[x, y, _]| all_patterns(format).map(move |z| [x, y, z]))
                .collect();
            operands.check_all(3, &three);
        }
    }
}

/// An operation under a constant mode.
type Rounded = fn(&mut Pool, RoundingMode, Term, Term) -> Term;

/// The low bits of the third operand as the number of a mode; beyond the fifth, it is the last one.
#[test]
fn one_circuit_has_a_mode_that_is_not_constant() {
    let format = FloatFormat::new(3, 3).expect("a format");
    let mut operands = Operands::new(format);
    let ([x, y, _], pool) = (operands.floats, &mut operands.pool);
    let number = pool.symbol_term(operands.symbols[2]);
    let number = pool.extract(2, 0, number);
    let operations: [Rounded; 4] = [
        Pool::fadd_rounded,
        Pool::fdiv_rounded,
        |p, rm, x, _| p.fp_to_fp_rounded(rm, FloatFormat::new(2, 2).expect("a format"), x),
        |p, rm, x, _| p.fp_to_sint_rounded(rm, 4, x),
    ];
    let all: Vec<[u128; 3]> = all_patterns(format)
        .flat_map(|x| (0..32).map(move |y| [x, y * 2, y % 8]))
        .collect();
    for (k, operation) in operations.into_iter().enumerate() {
        let pool = &mut operands.pool;
        let [others @ .., last] = RoundingMode::ALL;
        let last = operation(pool, last, x, y);
        let chosen = others.into_iter().rev().fold(last, |rest, mode| {
            let code = pool.bv(3, mode as u64);
            let is_it = pool.eq(number, code);
            let result = operation(pool, mode, x, y);
            pool.ite(is_it, result, rest)
        });
        assert!(Choice::of(pool, chosen).is_some(), "operation {k}");
        let bits = match pool.sort(chosen) {
            Sort::Float(_) => pool.fp_to_bits(chosen),
            _ => chosen,
        };
        operands.check(bits, &format!("operation {k}"), &all);
    }
}

/// Patterns at which operations change their ways, and random ones near 1.
fn special(format: FloatFormat, random: &mut Random) -> Vec<u128> {
    let stored = format.bits() - 1 - format.exponent_bits();
    let infinity = (all_patterns(format).end >> 1) - (1 << stored);
    let one = (infinity >> 1) & !((1 << stored) - 1);
    let mut all = vec![
        0,
        1,
        (1 << stored) - 1,
        1 << stored,
        one,
        one + 1,
        one - 1,
        infinity - 1,
        infinity,
        infinity + 1,
    ];
    all.push(infinity | 1 << (stored - 1));
    for _ in 0..6 {
        let any = u128::from(random.next()) << 64 | u128::from(random.next());
        all.push(any % (all_patterns(format).end / 2));
        let near = any % (8 << stored);
        all.push(
            (one - (4 << stored) + near) | u128::from(stored == format.precision()) << (stored - 1),
        );
    }
    let sign = all_patterns(format).end.wrapping_sub(1) / 2 + 1;
    let negative: Vec<u128> = all.iter().map(|pattern| pattern | sign).collect();
    [all, negative].concat()
}

#[test]
fn operations_on_large_formats_are_those_of_the_terms() {
    let mut random = Random::new(7);
    for format in [
        FloatFormat::HALF,
        FloatFormat::SINGLE,
        FloatFormat::DOUBLE,
        FloatFormat::X87,
    ] {
        let mut operands = Operands::new(format);
        let patterns = special(format, &mut random);
        let mut some: Vec<[u128; 3]> = Vec::new();
        for &x in &patterns {
            for _ in 0..6 {
                some.push([x, random.pick(&patterns), random.pick(&patterns)]);
            }
        }
        for arity in 1..=3 {
            operands.check_all(arity, &some);
        }
        operands.check_comparisons(&some);
        operands.check_conversions(&some);
        for (signed, width) in [(true, 8), (true, 64), (false, 64), (false, 33)] {
            let pool = &mut operands.pool;
            let x = pool.symbol_term(operands.symbols[0]);
            let x = pool.extract(width.min(format.bits()) - 1, 0, x);
            let float = if signed {
                pool.sint_to_fp(format, x)
            } else {
                pool.uint_to_fp(format, x)
            };
            let bits = pool.fp_to_bits(float);
            operands.check(bits, &format!("from {width} bits"), &some);
        }
    }
}

/// What sets of floats say about circuits follows from the conditions: every assignment that satisfies these satisfies it.
#[test]
fn bounds_follow_from_the_conditions() {
    let format = FloatFormat::new(3, 3).expect("a format");
    let mut operands = Operands::new(format);
    let mut random = Random::new(3);
    let mut said = 0;
    for round in 0..40 {
        let [x, y, _] = operands.floats;
        let (_, computed) = random.pick(&operands.operations(2, RoundingMode::NearestEven));
        let pool = &mut operands.pool;
        let computed = pool.fp_from_bits(format, computed);
        let limits = [(); 3].map(|()| {
            let bits = pool.bv(format.bits(), random.index(1 << format.bits()) as u64);
            pool.fp_from_bits(format, bits)
        });
        let conditions = [
            pool.fcmp(FloatPredicate::Olt, limits[0], x),
            pool.fcmp(FloatPredicate::Ole, y, limits[1]),
            pool.fcmp(FloatPredicate::Olt, computed, limits[2]),
        ];
        let path = Consequences::of(pool, &conditions[..2], None);
        let sets = path.and_then(|mut path| path.float_sets(pool, conditions[2]));
        let Some(sets) = sets else {
            continue;
        };
        let mut lowering = Lowering::default();
        for condition in conditions {
            let lowered = lowering.lower(pool, condition, usize::MAX, None);
            assert!(lowered.is_ok(), "round {round}");
        }
        let implied = super::bounds::implied(pool, &lowering, &sets);
        said += usize::from(implied != Term::TRUE);
        let mut evaluator = Evaluator::new();
        for patterns in all_patterns(format).flat_map(|x| all_patterns(format).map(move |y| (x, y)))
        {
            let mut a = Assignment::new();
            a.set(operands.symbols[0], patterns.0 as u64);
            a.set(operands.symbols[1], patterns.1 as u64);
            let holds = conditions.iter().all(|&t| evaluator.eval(pool, t, &a) == 1);
            let also = evaluator.eval(pool, implied, &a) == 1;
            assert!(!holds || also, "round {round}: {patterns:x?}");
        }
    }
    assert!(said > 20, "{said} times something is said");
}

/// A condition at its own precision is the same term, and at a smaller one it has the same value where nothing is rounded.
#[test]
fn smaller_conditions_agree_where_nothing_is_rounded() {
    let mut operands = Operands::new(FloatFormat::DOUBLE);
    let ([x, y, _], pool) = (operands.floats, &mut operands.pool);
    let product = pool.fmul(x, y);
    let sum = pool.fadd(product, x);
    let less = pool.fcmp(FloatPredicate::Olt, sum, y);
    let bits = pool.fp_to_bits(sum);
    let back = pool.fp_from_bits(FloatFormat::DOUBLE, bits);
    let integer = pool.fp_to_sint(16, back);
    let small_integer = pool.sint_to_fp(FloatFormat::SINGLE, integer);
    let seven = pool.bv(32, u64::from(7f32.to_bits()));
    let seven = pool.fp_from_bits(FloatFormat::SINGLE, seven);
    let is_more = pool.fcmp(FloatPredicate::Ogt, small_integer, seven);
    let mut evaluator = Evaluator::new();
    for t in [less, is_more] {
        assert_eq!(Smaller::new(53).condition(pool, t), Some(t));
        let mut smaller = Smaller::new(12);
        let small = smaller.condition(pool, t).expect("no function of libm");
        assert_ne!(small, t);
        assert_eq!(smaller.lost().len(), 2);
        for (i, j) in (-40..40).flat_map(|i| (-40..40).map(move |j| (i, j))) {
            let mut a = Assignment::new();
            a.set(operands.symbols[0], (f64::from(i) / 4.0).to_bits());
            a.set(operands.symbols[1], (f64::from(j) / 4.0).to_bits());
            let [want, got] = [t, small].map(|t| evaluator.eval(pool, t, &a));
            assert_eq!(want, got, "{i} {j}");
            for &lost in smaller.lost() {
                assert_eq!(evaluator.eval(pool, lost, &a), 1);
            }
        }
    }
}
