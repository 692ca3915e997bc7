//! Each rule on all floats of small formats in all modes, with near misses; and random terms.

use super::*;
use term::{Assignment, Evaluator, Symbol};
use testkit::Random;

/// Makes a term of x, y and z under a mode.
type Build = fn(&mut Pool, [Term; 3], RoundingMode) -> Term;

/// Floats of a format with free patterns.
struct Floats {
    symbols: [Symbol; 3],
    terms: [Term; 3],
    bits: u32,
}

impl Floats {
    fn new(pool: &mut Pool, format: FloatFormat) -> Floats {
        let bits = format.bits();
        let symbols = ["x", "y", "z"].map(|name| pool.new_symbol(name, Sort::BitVec(bits)));
        let terms = symbols.map(|s| {
            let pattern = pool.symbol_term(s);
            pool.fp_from_bits(format, pattern)
        });
        Floats {
            symbols,
            terms,
            bits,
        }
    }

    /// Do two terms have one value in the theory, whatever the first `count` floats are?
    fn are_same(&self, pool: &mut Pool, count: u32, a: Term, b: Term) -> Result<(), Vec<u64>> {
        let same = match pool.sort(a) {
            Sort::Float(_) => pool.fp_same(a, b),
            _ => pool.eq(a, b),
        };
        let mut evaluator = Evaluator::new();
        for number in 0..1u64 << (self.bits * count) {
            let values = [0, 1, 2].map(|k| number >> (self.bits * k) & ((1 << self.bits) - 1));
            let mut assignment = Assignment::new();
            for (symbol, value) in self.symbols.iter().zip(values) {
                assignment.set(*symbol, value);
            }
            if evaluator.eval(pool, same, &assignment) != 1 {
                return Err(values.to_vec());
            }
        }
        Ok(())
    }
}

fn number(pool: &mut Pool, like: Term, value: f64) -> Term {
    let bits = pool.bv(64, value.to_bits());
    let double = pool.fp_from_bits(FloatFormat::DOUBLE, bits);
    pool.fp_to_fp(pool.float_format(like), double)
}

fn format(eb: u32, sb: u32) -> FloatFormat {
    FloatFormat::new(eb, sb).unwrap()
}

fn wide(pool: &mut Pool, t: Term) -> Term {
    pool.fp_to_fp(format(3, 5), t)
}

/// What has to have another form in the given modes: all, those that do not depend on signs, or none.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fires {
    Always,
    Symmetric,
    Never,
}

/// Rules and near misses, with the number of floats in them.
const RULES: &[(&str, Fires, u32, Build)] = {
    use Fires::*;
    &[
        ("y + x", Always, 2, |p, [x, y, _], m| {
            p.fadd_rounded(m, y, x)
        }),
        ("x + y", Never, 2, |p, [x, y, _], m| p.fadd_rounded(m, x, y)),
        ("x - y", Always, 2, |p, [x, y, _], m| {
            p.fsub_rounded(m, x, y)
        }),
        ("x + neutral", Always, 1, |p, [x, ..], m| {
            let zero = if m == TowardNegative { 0.0 } else { -0.0 };
            let zero = number(p, x, zero);
            p.fadd_rounded(m, zero, x)
        }),
        ("x + zero", Never, 1, |p, [x, ..], m| {
            let zero = if m == TowardNegative { -0.0 } else { 0.0 };
            let zero = number(p, x, zero);
            p.fadd_rounded(m, zero, x)
        }),
        ("-x + -y", Never, 2, |p, [x, y, _], m| {
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.fadd_rounded(m, x, y)
        }),
        ("y * x", Always, 2, |p, [x, y, _], m| {
            p.fmul_rounded(m, y, x)
        }),
        ("-x * y", Always, 2, |p, [x, y, _], m| {
            let x = p.fneg(x);
            p.fmul_rounded(m, x, y)
        }),
        ("-x * -y", Always, 2, |p, [x, y, _], m| {
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.fmul_rounded(m, x, y)
        }),
        ("1 * x", Always, 1, |p, [x, ..], m| {
            let one = number(p, x, 1.0);
            p.fmul_rounded(m, x, one)
        }),
        ("-2 * x", Always, 1, |p, [x, ..], m| {
            let two = number(p, x, -2.0);
            p.fmul_rounded(m, x, two)
        }),
        ("1.5 * x", Never, 1, |p, [x, ..], m| {
            let factor = number(p, x, 1.5);
            p.fmul_rounded(m, factor, x)
        }),
        ("|x| * |y|", Symmetric, 2, |p, [x, y, _], m| {
            let [x, y] = [x, y].map(|t| p.fabs(t));
            p.fmul_rounded(m, x, y)
        }),
        ("|x| * |x|", Always, 1, |p, [x, ..], m| {
            let x = p.fabs(x);
            p.fmul_rounded(m, x, x)
        }),
        ("||x| * y|", Never, 2, |p, [x, y, _], m| {
            let x = p.fabs(x);
            let (x, y) = ordered(p, x, y);
            let t = p.fmul_rounded(m, x, y);
            p.fabs(t)
        }),
        ("|x * x|", Always, 1, |p, [x, ..], m| {
            let t = p.fmul_rounded(m, x, x);
            p.fabs(t)
        }),
        ("|x + x|", Never, 1, |p, [x, ..], m| {
            let t = p.fadd_rounded(m, x, x);
            p.fabs(t)
        }),
        ("x / y", Never, 2, |p, [x, y, _], m| p.fdiv_rounded(m, x, y)),
        ("-x / y", Always, 2, |p, [x, y, _], m| {
            let x = p.fneg(x);
            p.fdiv_rounded(m, x, y)
        }),
        ("x / -y", Always, 2, |p, [x, y, _], m| {
            let y = p.fneg(y);
            p.fdiv_rounded(m, x, y)
        }),
        ("|x| / |y|", Symmetric, 2, |p, [x, y, _], m| {
            let [x, y] = [x, y].map(|t| p.fabs(t));
            p.fdiv_rounded(m, x, y)
        }),
        ("x / 0.5", Always, 1, |p, [x, ..], m| {
            let half = number(p, x, 0.5);
            p.fdiv_rounded(m, x, half)
        }),
        ("x / 1.5", Never, 1, |p, [x, ..], m| {
            let divisor = number(p, x, 1.5);
            p.fdiv_rounded(m, x, divisor)
        }),
        ("y * x + z", Always, 3, |p, [x, y, z], m| {
            p.fma_rounded(m, y, x, z)
        }),
        ("x * -y + z", Always, 3, |p, [x, y, z], m| {
            let y = p.fneg(y);
            p.fma_rounded(m, x, y, z)
        }),
        ("x * y + -z", Never, 3, |p, [x, y, z], m| {
            let z = p.fneg(z);
            p.fma_rounded(m, x, y, z)
        }),
        ("-1 * x + y", Always, 2, |p, [x, y, _], m| {
            let one = number(p, x, -1.0);
            p.fma_rounded(m, x, one, y)
        }),
        ("remainder(-x, y)", Always, 2, |p, [x, y, _], _| {
            let x = p.fneg(x);
            p.fremainder(x, y)
        }),
        ("remainder(x, -y)", Always, 2, |p, [x, y, _], _| {
            let y = p.fneg(y);
            p.fremainder(x, y)
        }),
        ("fmod(-x, -y)", Always, 2, |p, [x, y, _], _| {
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.frem(x, y)
        }),
        ("min(x, x)", Always, 1, |p, [x, ..], _| p.fmin(x, x)),
        ("min(y, x)", Never, 2, |p, [x, y, _], _| p.fmin(y, x)),
        ("min(-x, -y)", Always, 2, |p, [x, y, _], _| {
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.fmin(x, y)
        }),
        ("max(-x, -y)", Always, 2, |p, [x, y, _], _| {
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.fmax(x, y)
        }),
        ("max(-x, y)", Never, 2, |p, [x, y, _], _| {
            let x = p.fneg(x);
            p.fmax(x, y)
        }),
        ("round(-x)", Always, 1, |p, [x, ..], m| {
            let x = p.fneg(x);
            p.fround_to_integral(m, x)
        }),
        ("round(|x|)", Symmetric, 1, |p, [x, ..], m| {
            let x = p.fabs(x);
            p.fround_to_integral(m, x)
        }),
        ("round(round(x))", Always, 1, |p, [x, ..], m| {
            let x = p.fround_to_integral(TowardPositive, x);
            p.fround_to_integral(m, x)
        }),
        ("round(x + x)", Never, 1, |p, [x, ..], m| {
            let x = p.fadd(x, x);
            p.fround_to_integral(m, x)
        }),
        ("narrow(wide(x))", Always, 1, |p, [x, ..], m| {
            let own = p.float_format(x);
            let x = wide(p, x);
            p.fp_to_fp_rounded(m, own, x)
        }),
        ("wide(narrow(x))", Never, 1, |p, [x, ..], m| {
            let own = p.float_format(x);
            let x = p.fp_to_fp_rounded(m, format(2, 2), x);
            p.fp_to_fp(own, x)
        }),
        ("narrow(-x)", Always, 1, |p, [x, ..], m| {
            let x = p.fneg(x);
            p.fp_to_fp_rounded(m, format(2, 2), x)
        }),
        ("narrow(|x|)", Symmetric, 1, |p, [x, ..], m| {
            let x = p.fabs(x);
            p.fp_to_fp_rounded(m, format(2, 2), x)
        }),
        ("-x < -y", Always, 2, |p, [x, y, _], _| {
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.fcmp(FloatPredicate::Olt, x, y)
        }),
        ("-x <= 1.5", Always, 1, |p, [x, ..], _| {
            let (minus, bound) = (p.fneg(x), number(p, x, 1.5));
            p.fcmp(FloatPredicate::Ole, minus, bound)
        }),
        ("-x < y", Never, 2, |p, [x, y, _], _| {
            let x = p.fneg(x);
            p.fcmp(FloatPredicate::Olt, x, y)
        }),
        ("wide(x) < wide(y)", Always, 2, |p, [x, y, _], _| {
            let [x, y] = [x, y].map(|t| wide(p, t));
            p.fcmp(FloatPredicate::Olt, x, y)
        }),
        ("wide(x) == 1.5", Always, 1, |p, [x, ..], _| {
            let x = wide(p, x);
            let bound = number(p, x, 1.5);
            p.fcmp(FloatPredicate::Oeq, x, bound)
        }),
        ("wide(x) < 1.0625", Never, 1, |p, [x, ..], _| {
            let x = wide(p, x);
            let bound = number(p, x, 1.0625);
            p.fcmp(FloatPredicate::Olt, x, bound)
        }),
        ("|y - x|", Symmetric, 2, |p, [x, y, _], m| {
            let x = p.fneg(x);
            let t = p.fadd_rounded(m, x, y);
            p.fabs(t)
        }),
        ("|x - y|", Never, 2, |p, [x, y, _], m| {
            let y = p.fneg(y);
            let t = p.fadd_rounded(m, x, y);
            p.fabs(t)
        }),
        ("-x + y <= x", Always, 2, |p, [x, y, _], m| {
            let minus = p.fneg(x);
            let t = p.fadd_rounded(m, minus, y);
            p.fcmp(FloatPredicate::Ole, t, x)
        }),
        ("x + y < 0", Always, 2, |p, [x, y, _], m| {
            let (t, zero) = (p.fadd_rounded(m, x, y), number(p, x, 0.0));
            p.fcmp(FloatPredicate::Olt, t, zero)
        }),
        ("x + y > -0", Always, 2, |p, [x, y, _], m| {
            let (t, zero) = (p.fadd_rounded(m, x, y), number(p, x, -0.0));
            p.fcmp(FloatPredicate::Ogt, t, zero)
        }),
        ("x + y <> 0", Always, 2, |p, [x, y, _], m| {
            let (t, zero) = (p.fadd_rounded(m, x, y), number(p, x, 0.0));
            p.fcmp(FloatPredicate::One, t, zero)
        }),
        ("x + y == 0", Never, 2, |p, [x, y, _], m| {
            let (t, zero) = (p.fadd_rounded(m, x, y), number(p, x, 0.0));
            p.fcmp(FloatPredicate::Oeq, t, zero)
        }),
        ("x * y < 0", Never, 2, |p, [x, y, _], m| {
            let (t, zero) = (p.fmul_rounded(m, x, y), number(p, x, 0.0));
            p.fcmp(FloatPredicate::Olt, t, zero)
        }),
        ("unordered(-x, wide(y))", Always, 2, |p, [x, y, _], _| {
            let x = p.fneg(x);
            let (x, y) = (wide(p, x), wide(p, y));
            p.fcmp(FloatPredicate::Uno, x, y)
        }),
        ("unordered(x + y, x)", Never, 2, |p, [x, y, _], _| {
            let sum = p.fadd(x, y);
            p.fcmp(FloatPredicate::Uno, sum, x)
        }),
        ("ite(x < y, -x, -y)", Always, 2, |p, [x, y, _], _| {
            let less = p.fcmp(FloatPredicate::Olt, x, y);
            let [x, y] = [x, y].map(|t| p.fneg(t));
            p.ite(less, x, y)
        }),
    ]
};

fn form_of(pool: &mut Pool, t: Term) -> Term {
    normal(pool, &[t], &mut 0)[0]
}

#[test]
fn rules_hold_of_all_small_floats() {
    for &(name, fires, count, build) in RULES {
        for mode in RoundingMode::ALL {
            let pool = &mut Pool::new();
            let format = [format(3, 3), format(2, 3), format(2, 2)][count as usize - 1];
            let floats = Floats::new(pool, format);
            let t = build(pool, floats.terms, mode);
            let form = form_of(pool, t);
            let expected = match fires {
                Fires::Always => true,
                Fires::Symmetric => is_symmetric(mode),
                Fires::Never => false,
            };
            assert_eq!(form != t, expected, "{name} {mode:?}");
            assert_eq!(form_of(pool, form), form, "{name} {mode:?} is final");
            let same = floats.are_same(pool, count, t, form);
            assert_eq!(same, Ok(()), "{name} {mode:?}");
        }
    }
}

fn random_float(pool: &mut Pool, leaves: &[Term], random: &mut Random, depth: u32) -> Term {
    if depth == 0 || random.below(8) == 0 {
        return leaves[random.below(leaves.len() as u64) as usize];
    }
    let mode = RoundingMode::ALL[random.below(5) as usize];
    let mut next = |pool: &mut Pool| random_float(pool, leaves, random, depth - 1);
    let (a, b) = (next(pool), next(pool));
    match random.below(16) {
        0 | 1 => pool.fadd_rounded(mode, a, b),
        2 => pool.fsub_rounded(mode, a, b),
        3 | 4 => pool.fmul_rounded(mode, a, b),
        5 => pool.fdiv_rounded(mode, a, b),
        6 => {
            let c = next_of(pool, leaves, random);
            pool.fma_rounded(mode, a, b, c)
        }
        7 => pool.fremainder(a, b),
        8 => pool.fmin(a, b),
        9 => pool.fmax(a, b),
        10 => pool.fround_to_integral(mode, a),
        11 => {
            let own = pool.float_format(a);
            let other = [format(3, 5), format(2, 2)][random.below(2) as usize];
            let there = pool.fp_to_fp_rounded(mode, other, a);
            pool.fp_to_fp(own, there)
        }
        12 => {
            let all = [
                FloatPredicate::Olt,
                FloatPredicate::Oeq,
                FloatPredicate::Uno,
            ];
            let less = pool.fcmp(all[random.below(3) as usize], a, b);
            pool.ite(less, b, a)
        }
        13 => pool.fabs(a),
        _ => pool.fneg(a),
    }
}

fn next_of(pool: &mut Pool, leaves: &[Term], random: &mut Random) -> Term {
    random_float(pool, leaves, random, 1)
}

#[test]
fn random_terms_keep_their_values() {
    let mut count = 0;
    for seed in 0..60 {
        let pool = &mut Pool::new();
        let floats = Floats::new(pool, format(2, 3));
        let [x, y, _] = floats.terms;
        let mut leaves = vec![x, x, y, y];
        for value in [1.0, -1.0, 2.0, 0.5, 0.0, -0.0, f64::INFINITY, f64::NAN] {
            leaves.push(number(pool, x, value));
        }
        let mut random = Random::new(seed + 1);
        let t = random_float(pool, &leaves, &mut random, 4);
        let form = normal(pool, &[t], &mut count)[0];
        let same = floats.are_same(pool, 2, t, form);
        assert_eq!(same, Ok(()), "seed {seed}");
    }
    assert!(count > 60);
}

/// A mode that is not constant stays one circuit: five results that differ in nothing but modes.
#[test]
fn results_of_a_chosen_mode_stay_alike() {
    let pool = &mut Pool::new();
    let format = FloatFormat::DOUBLE;
    let floats = Floats::new(pool, format);
    let [x, y, _] = floats.terms;
    let mode = pool.new_symbol("mode", Sort::BitVec(3));
    let mode = pool.symbol_term(mode);
    let operands: [Build; 3] = [
        |p, [x, y, _], m| {
            let x = p.fneg(x);
            p.fmul_rounded(m, x, y)
        },
        |p, [x, y, _], m| {
            let [x, y] = [x, y].map(|t| p.fabs(t));
            p.fmul_rounded(m, x, y)
        },
        |p, [x, y, _], m| p.fsub_rounded(m, y, x),
    ];
    for build in operands {
        let last = build(pool, [x, y, y], RoundingMode::TowardZero);
        let mut choice = last;
        for m in RoundingMode::ALL {
            let number = pool.bv(3, m as u64);
            let is_it = pool.eq(mode, number);
            let result = build(pool, [x, y, y], m);
            choice = pool.ite(is_it, result, choice);
        }
        let form = form_of(pool, choice);
        let results: Vec<Term> = pool.cone(&[form]);
        let rounded = results
            .into_iter()
            .filter(|&t| matches!(pool.op(t), Op::FAdd | Op::FMul));
        let operands: FxHashSet<Vec<Term>> = rounded.map(|t| pool.children(t).to_vec()).collect();
        assert_eq!(operands.len(), 1);
        let mut at = form;
        while matches!(pool.op(at), Op::FNeg) {
            at = pool.child(at, 0);
        }
        assert_eq!(pool.op(at), Op::Ite);
        while pool.op(at) == Op::Ite {
            assert!(matches!(pool.op(pool.child(at, 1)), Op::FAdd | Op::FMul));
            at = pool.child(at, 2);
        }
    }
}

/// An equation of floats becomes one of bits, once for a symbol and not in a circle; and the answers stay.
#[test]
fn float_symbols_that_are_equated_with_terms_are_these() {
    let pool = &mut Pool::new();
    let floats = Floats::new(pool, format(2, 3));
    let [x, y, z] = floats.terms;
    let [minus_x, minus_y] = [x, y].map(|t| pool.fneg(t));
    let sum = pool.fadd(y, z);
    let equations: [(&[(Term, Term)], u64); 5] = [
        (&[(x, minus_y)], 1),
        (&[(sum, y), (x, sum)], 1),
        // The sum and -y may be different NaNs.
        (&[(x, sum), (minus_y, x)], 1),
        // Only NaNs solve this, which have opposite signs if they have these bits.
        (&[(x, minus_y), (y, x)], 1),
        (&[(sum, minus_x), (minus_x, minus_y)], 0),
    ];
    for (pairs, expected) in equations {
        let conditions = pairs.iter().map(|&(a, b)| pool.fp_same(a, b));
        let mut conjuncts: Vec<Term> = conditions.collect();
        let original = conjuncts.clone();
        let mut count = 0;
        equated::equate(pool, &mut conjuncts, &mut count);
        assert_eq!(count, expected, "{pairs:?}");
        let mut evaluator = Evaluator::new();
        let mut is_satisfiable = |conditions: &[Term]| {
            (0..1u64 << (3 * floats.bits)).any(|number| {
                let mut assignment = Assignment::new();
                for (k, symbol) in floats.symbols.iter().enumerate() {
                    let mask = (1 << floats.bits) - 1;
                    assignment.set(*symbol, number >> (floats.bits * k as u32) & mask);
                }
                evaluator
                    .first_false(pool, conditions, &assignment)
                    .is_none()
            })
        };
        assert_eq!(is_satisfiable(&original), is_satisfiable(&conjuncts));
    }
}
