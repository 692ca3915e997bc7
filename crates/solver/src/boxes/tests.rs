//! No step loses a solution: every operation, predicate and rounding mode on all floats of small formats and on random ones of
//! large formats, in random sets.

use super::floats::{Floats, Span, infinity, key, pattern};
use super::{Enclosure, backward, forward};
use term::domain::Fact;
use term::{
    Assignment, Evaluator, FloatFormat, FloatPredicate, MathFunction, Op, Pool, RoundingMode, Sort,
    Term, mask,
};
use testkit::Random;

fn format(eb: u32, sb: u32) -> FloatFormat {
    FloatFormat::new(eb, sb).expect("a format")
}

/// A pool with three floats, an integer and a condition.
struct Operands {
    pool: Pool,
    floats: [Term; 3],
    integer: Term,
    condition: Term,
}

impl Operands {
    fn new(format: FloatFormat, width: u32) -> Operands {
        let mut pool = Pool::new();
        let symbol = |pool: &mut Pool, name: &str, sort| {
            let symbol = pool.new_symbol(name, sort);
            pool.symbol_term(symbol)
        };
        let floats = ["x", "y", "z"].map(|name| symbol(&mut pool, name, Sort::Float(format)));
        let integer = symbol(&mut pool, "i", Sort::BitVec(width));
        let condition = symbol(&mut pool, "c", Sort::BitVec(1));
        Operands {
            pool,
            floats,
            integer,
            condition,
        }
    }

    /// Terms with one step each over the operands.
    fn terms(&mut self, targets: &[FloatFormat]) -> Vec<Term> {
        let ([x, y, z], i, c) = (self.floats, self.integer, self.condition);
        let format = self.pool.float_format(x);
        let p = &mut self.pool;
        let width = p.width(i);
        let mut all = Vec::new();
        for rm in RoundingMode::ALL {
            all.extend([
                p.fadd_rounded(rm, x, y),
                p.fsub_rounded(rm, x, y),
                p.fmul_rounded(rm, x, y),
                p.fdiv_rounded(rm, x, y),
                p.fadd_rounded(rm, x, x),
                p.fmul_rounded(rm, x, x),
                p.fdiv_rounded(rm, x, x),
                p.fma_rounded(rm, x, y, z),
                p.fma_rounded(rm, x, x, z),
                p.fsqrt_rounded(rm, x),
                p.fround_to_integral(rm, x),
                p.fp_to_sint_rounded(rm, width, x),
                p.fp_to_uint_rounded(rm, width, x),
                p.sint_to_fp_rounded(rm, format, i),
                p.uint_to_fp_rounded(rm, format, i),
            ]);
            for &to in targets {
                all.push(p.fp_to_fp_rounded(rm, to, x));
            }
        }
        all.extend([
            p.frem(x, y),
            p.fremainder(x, y),
            p.fmin(x, y),
            p.fmax(x, y),
            p.fneg(x),
            p.fabs(x),
            p.eq(x, y),
            p.ite(c, x, y),
        ]);
        if format.bits() <= 64 {
            all.push(p.fp_to_bits(x));
            if width == format.bits() {
                all.push(p.fp_from_bits(format, i));
            }
        }
        if format == FloatFormat::SINGLE || format == FloatFormat::DOUBLE {
            for function in MathFunction::ALL {
                all.push(p.fcall(function, &[x, y][..function.arity()]));
            }
        }
        all.extend(FloatPredicate::ALL.map(|predicate| p.fcmp(predicate, x, y)));
        // Some comparisons are the negation of another one.
        all.retain(|&t| {
            let kids = p.children(t);
            !kids.is_empty() && kids.iter().all(|&kid| p.as_symbol(kid).is_some())
        });
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn random_set(random: &mut Random, format: FloatFormat) -> Floats {
    let infinity = infinity(format);
    let mut set = Floats::NONE;
    set.nan = random.below(3) == 0;
    let magnitude = |random: &mut Random| match random.below(4) {
        0 => 0,
        1 => infinity,
        _ => {
            let bits = u128::from(random.next()) << 64 | u128::from(random.next());
            // Mostly small exponents apart, as those of a program are.
            (bits % (infinity as u128 + 1)) as i128
        }
    };
    for sign in [false, true] {
        if random.below(3) == 0 {
            continue;
        }
        let (a, b) = (magnitude(random), magnitude(random));
        let b = if random.below(3) == 0 {
            (a + 2).min(infinity)
        } else {
            b
        };
        let span = Span::new(a.min(b), a.max(b));
        if sign {
            set.negative = span.negated();
        } else {
            set.positive = span;
        }
    }
    if set.is_empty() { Floats::NAN } else { set }
}

/// What is known of some values, and perhaps less.
fn random_fact(random: &mut Random, width: u32) -> Fact {
    let mut constant = || Fact::constant(random.next() & mask(width), width);
    let joined = constant().join(constant());
    match random.below(4) {
        0 => Fact::anything(width),
        1 => Fact::interval(joined.lo, joined.hi, width),
        2 => Fact::signed(joined.slo, joined.shi, width),
        _ => joined,
    }
}

fn random_value(random: &mut Random, sort: Sort) -> Enclosure {
    match sort {
        Sort::Float(format) => Enclosure::Floats(random_set(random, format)),
        Sort::BitVec(width) => Enclosure::Bits(random_fact(random, width)),
        other => panic!("{other:?}"),
    }
}

fn has(value: &Enclosure, sort: Sort, bits: u128) -> bool {
    match (value, sort) {
        (Enclosure::Floats(set), Sort::Float(format)) => set.has(format, bits),
        (Enclosure::Bits(fact), Sort::BitVec(width)) => fact.has(bits as u64, width),
        _ => panic!("{value:?} of {sort:?}"),
    }
}

/// A term, and what it is under some assignments: the bits of its operands and its own.
struct Table {
    t: Term,
    rows: Vec<([u128; 3], u128)>,
}

fn number(limbs: &[u64]) -> u128 {
    u128::from(limbs[0]) | u128::from(limbs.get(1).copied().unwrap_or(0)) << 64
}

fn table(operands: &Operands, t: Term, values: &[[u128; 3]]) -> Table {
    let pool = &operands.pool;
    let kids = pool.children(t);
    let mut evaluator = Evaluator::new();
    let rows = values.iter().map(|row| {
        let mut a = Assignment::new();
        for (&kid, &bits) in kids.iter().zip(row) {
            let symbol = pool.as_symbol(kid).expect("operands are symbols");
            a.set_wide(symbol, &[bits as u64, (bits >> 64) as u64]);
        }
        // A repeated operand has the value that was set last.
        let row = std::array::from_fn(|k| match kids.get(k) {
            Some(&kid) => {
                row[kids
                    .iter()
                    .rposition(|&other| other == kid)
                    .expect("itself")]
            }
            None => 0,
        });
        (row, number(&evaluator.eval_wide(pool, t, &a)))
    });
    Table {
        t,
        rows: rows.collect(),
    }
}

/// Checks random sets of operands and results against all rows.
fn check(operands: &Operands, table: &Table, sets: usize, random: &mut Random) {
    let pool = &operands.pool;
    let t = table.t;
    let kids = pool.children(t).to_vec();
    let sorts: Vec<Sort> = kids.iter().map(|&kid| pool.sort(kid)).collect();
    for _ in 0..sets {
        let mut values: Vec<Enclosure> = sorts.iter().map(|&s| random_value(random, s)).collect();
        for k in 1..kids.len() {
            if let Some(same) = kids[..k].iter().position(|&kid| kid == kids[k]) {
                values[k] = values[same];
            }
        }
        let rows: Vec<_> = (table.rows.iter())
            .filter(|(row, _)| (0..kids.len()).all(|k| has(&values[k], sorts[k], row[k])))
            .collect();
        let found = forward(pool, t, &values);
        if let Some(found) = &found {
            for (row, result) in &rows {
                assert!(
                    has(found, pool.sort(t), *result),
                    "{} of {row:x?} is {result:x}, {values:?} -> {found:?}",
                    term::to_smt2(pool, &[t])
                );
            }
        }
        let own = random_value(random, pool.sort(t));
        backward(pool, t, &own, &values, &mut |k, learned| {
            for (row, result) in &rows {
                if has(&own, pool.sort(t), *result) {
                    assert!(
                        has(&learned, sorts[k], row[k]),
                        "{} of {row:x?} is {result:x} in {own:?}; {values:?} learn {k}: {learned:?}",
                        term::to_smt2(pool, &[t])
                    );
                }
            }
        });
    }
}

#[test]
fn keys_are_in_the_order_of_values() {
    for format in [format(2, 2), format(3, 3), format(4, 2)] {
        let patterns = 0..1u128 << format.bits();
        let mut numbers: Vec<(i128, u128)> = patterns
            .filter_map(|bits| Some((key(format, bits)?, bits)))
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers.len() as i128, 2 * infinity(format) + 2);
        for pair in numbers.windows(2) {
            let order = float::pattern::compare(format, pair[0].1, pair[1].1);
            assert_ne!(order, Some(std::cmp::Ordering::Greater));
            assert_eq!(pair[0].0 + 1, pair[1].0);
        }
        for (k, bits) in numbers {
            assert_eq!(pattern(format, k), bits);
        }
    }
    let x87 = FloatFormat::X87;
    // The greatest subnormal number, and the least normal one in both of its encodings.
    let least = 1u128 << 63;
    assert_eq!(key(x87, least - 1).map(|k| k + 1), key(x87, least));
    assert_eq!(key(x87, least), key(x87, least | 1 << 64));
    assert_eq!(pattern(x87, 1 << 63), least | 1 << 64);
    assert_eq!(key(x87, 5 << 64), None, "an unnormal");
}

#[test]
fn no_step_loses_a_solution_of_small_formats() {
    let mut random = Random::new(7);
    for (of, sets) in [
        (format(2, 2), 60),
        (format(3, 2), 15),
        (format(2, 4), 15),
        (format(3, 3), 8),
    ] {
        for width in [of.bits(), 3] {
            let mut operands = Operands::new(of, width);
            let terms = operands.terms(&[format(2, 2), format(3, 4), format(4, 2)]);
            let all = 1u128 << of.bits();
            for t in terms {
                let pool = &operands.pool;
                let kids = pool.children(t);
                let most = |k: usize| match kids.get(k) {
                    Some(&kid) => 1u128 << pool.width(kid),
                    None => 1,
                };
                let is_fma = pool.op(t) == Op::Fma;
                if is_fma && (all > 32 || width == 3) {
                    continue;
                }
                let values: Vec<[u128; 3]> = (0..most(0))
                    .flat_map(|a| {
                        (0..most(1)).flat_map(move |b| (0..most(2)).map(move |c| [a, b, c]))
                    })
                    .collect();
                let table = table(&operands, t, &values);
                check(
                    &operands,
                    &table,
                    if is_fma { sets / 3 } else { sets },
                    &mut random,
                );
            }
        }
    }
}

#[test]
fn no_step_loses_a_solution_of_large_formats() {
    let mut random = Random::new(11);
    for of in [
        FloatFormat::SINGLE,
        FloatFormat::DOUBLE,
        FloatFormat::HALF,
        FloatFormat::X87,
        FloatFormat::QUAD,
    ] {
        let mut operands = Operands::new(of, of.bits().min(64));
        let targets = [FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::X87];
        for t in operands.terms(&targets) {
            // Values near each other and near the ends meet in random sets.
            let infinity = infinity(of);
            let mut values = Vec::new();
            for _ in 0..60 {
                values.push(std::array::from_fn(|_| {
                    let bits = u128::from(random.next()) << 64 | u128::from(random.next());
                    let near = (random.below(9) as i128) - 4;
                    let k = match random.below(6) {
                        0 => near,
                        1 => infinity + near.min(0),
                        2 => (1i128 << (of.precision() - 1)) + near,
                        3 => (of.max_exponent() as i128) << (of.precision() - 1),
                        4 => return bits & (u128::MAX >> (128 - of.bits())),
                        _ => (bits % (infinity as u128)) as i128,
                    };
                    pattern(of, if random.below(2) == 0 { k } else { -1 - k })
                }));
            }
            let kids = operands.pool.children(t).to_vec();
            for row in &mut values {
                for (bits, &kid) in row.iter_mut().zip(&kids) {
                    *bits &= u128::MAX >> (128 - operands.pool.width(kid));
                }
            }
            let table = table(&operands, t, &values);
            check(&operands, &table, 15, &mut random);
        }
    }
}

/// A random float over some variables.
fn random_float(pool: &mut Pool, random: &mut Random, variables: &[Term], depth: u32) -> Term {
    let format = pool.float_format(variables[0]);
    if depth == 0 || random.below(5) == 0 {
        if random.below(4) == 0 {
            let constant = pool.bv(format.bits(), random.below(1 << format.bits()));
            return pool.fp_from_bits(format, constant);
        }
        return random.pick(variables);
    }
    let rm = random.pick(&RoundingMode::ALL);
    let rm = random.pick(&[rm, RoundingMode::NearestEven]);
    let mut operand = |pool: &mut Pool| random_float(pool, random, variables, depth - 1);
    let (a, b) = (operand(pool), operand(pool));
    match random.below(13) {
        0 | 1 => pool.fadd_rounded(rm, a, b),
        2 | 3 => pool.fsub_rounded(rm, a, b),
        4 => pool.fmul_rounded(rm, a, b),
        5 => pool.fdiv_rounded(rm, a, b),
        6 => pool.fsqrt_rounded(rm, a),
        7 => pool.fneg(a),
        8 => pool.fabs(a),
        9 => pool.frem(a, b),
        10 => pool.fremainder(a, b),
        11 => {
            let integer = pool.fp_to_sint_rounded(rm, 3, a);
            pool.sint_to_fp_rounded(rm, format, integer)
        }
        _ => {
            let wide = pool.fp_to_fp_rounded(rm, self::format(3, 4), a);
            let sum = pool.fadd(wide, wide);
            pool.fp_to_fp_rounded(rm, format, sum)
        }
    }
}

/// A random condition on floats.
fn random_condition(pool: &mut Pool, random: &mut Random, variables: &[Term]) -> Term {
    let a = random_float(pool, random, variables, 3);
    let b = random_float(pool, random, variables, 2);
    let predicate = random.pick(&FloatPredicate::ALL);
    let compared = pool.fcmp(predicate, a, b);
    match random.below(6) {
        0 => {
            let other = random_condition(pool, random, variables);
            if random.below(2) == 0 {
                pool.or(compared, other)
            } else {
                pool.and(compared, other)
            }
        }
        _ => compared,
    }
}

/// Conditions of small formats against all assignments: none with a solution is refuted, and most without are.
#[test]
fn refutations_are_right() {
    let mut random = Random::new(3);
    let (mut unsolvable, mut refuted) = (0, 0);
    for round in 0..1200 {
        let format = if round % 2 == 0 {
            format(2, 2)
        } else {
            format(2, 3)
        };
        let mut pool = Pool::new();
        let symbols = ["x", "y"].map(|n| pool.new_symbol(n, Sort::BitVec(format.bits())));
        let variables = symbols.map(|symbol| {
            let bits = pool.symbol_term(symbol);
            pool.fp_from_bits(format, bits)
        });
        let count = 1 + random.below(4);
        let mut conditions: Vec<Term> = (0..count)
            .map(|_| random_condition(&mut pool, &mut random, &variables))
            .collect();
        conditions.retain(|&c| c != Term::TRUE);
        let is_refuted = crate::facts::contradict(&pool, &conditions, None);
        let mut evaluator = Evaluator::new();
        let all = 1u64 << format.bits();
        let solution = (0..all * all).find(|at| {
            let mut a = Assignment::new();
            a.set(symbols[0], at / all);
            a.set(symbols[1], at % all);
            evaluator.first_false(&pool, &conditions, &a).is_none()
        });
        if let Some(at) = solution {
            let script = term::to_smt2(&pool, &conditions);
            assert!(
                !is_refuted,
                "x = {}, y = {} solves {script}",
                at / all,
                at % all
            );
        } else {
            unsolvable += 1;
            refuted += u32::from(is_refuted);
        }
    }
    assert!(
        unsolvable > 200 && refuted * 3 > unsolvable * 2,
        "{refuted} of {unsolvable}"
    );
}

/// Conditions without a solution that circuits take long for.
#[test]
fn what_operations_say_of_the_order_refutes() {
    let mut pool = Pool::new();
    let p = &mut pool;
    let (single, double) = (FloatFormat::SINGLE, FloatFormat::DOUBLE);
    let float = |p: &mut Pool, format: FloatFormat, name: &str| {
        let symbol = p.new_symbol(name, Sort::BitVec(format.bits()));
        let bits = p.symbol_term(symbol);
        p.fp_from_bits(format, bits)
    };
    let [x, y] = ["x", "y"].map(|name| float(p, double, name));
    let [a, b, c] = ["a", "b", "c"].map(|name| float(p, single, name));
    let bits = p.bv(64, 0);
    let zero = p.fp_from_bits(double, bits);

    let (square, sum) = (p.fmul(x, x), p.fadd(x, zero));
    let same = p.fmul(sum, sum);
    let difference = p.fsub(square, same);
    let negative = p.fcmp(FloatPredicate::Olt, difference, zero);

    let rest = p.frem(x, y);
    let (rest, divisor) = (p.fabs(rest), p.fabs(y));
    let larger = p.fcmp(FloatPredicate::Ogt, rest, divisor);

    let ordered = p.fcmp(FloatPredicate::Ole, a, b);
    let (left, right) = (p.fadd(a, c), p.fadd(b, c));
    let swapped = p.fcmp(FloatPredicate::Ogt, left, right);

    for conditions in [&[negative][..], &[larger], &[ordered, swapped]] {
        assert!(
            crate::facts::contradict(p, conditions, None),
            "{}",
            term::to_smt2(p, conditions)
        );
    }
    let square_is_negative = p.fcmp(FloatPredicate::Olt, square, zero);
    assert!(crate::facts::contradict(p, &[square_is_negative], None));
    for condition in [larger, swapped, negative] {
        let solvable = p.not(condition);
        assert!(!crate::facts::contradict(p, &[solvable], None));
    }
}
