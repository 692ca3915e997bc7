//! Float terms: the rules, the evaluator, the tape and constant folding against the host.

use crate::common::Random;
use polypath_term::{
    Assignment, Evaluator, FloatFormat, FloatPredicate, LANES, Lanes, MathFunction, Pool,
    RoundingMode, Scratch, Sort, Substitution, Symbol, Tape, Term, substitute,
};

fn double(random: &mut Random) -> f64 {
    match random.index(8) {
        0 => 0.0,
        1 => -0.0,
        2 => f64::NAN,
        3 => f64::INFINITY,
        4 => (random.index(7) as f64 - 3.0) / 2.0,
        5 => f64::from_bits(random.next()),
        _ => (random.next() as i64 as f64) / 2f64.powi(random.index(70) as i32),
    }
}

/// One term and its value by the host.
fn operations(
    pool: &mut Pool,
    f: Term,
    g: Term,
    p: Term,
    x: f64,
    y: f64,
    truth: bool,
) -> Vec<(Term, u64)> {
    let mut list = vec![];
    for predicate in FloatPredicate::ALL {
        list.push((
            pool.fcmp(predicate, f, g),
            predicate.holds(x.partial_cmp(&y)) as u64,
        ));
        list.push((
            pool.fcmp(predicate, f, f),
            predicate.holds(x.partial_cmp(&x)) as u64,
        ));
        let minus = pool.fneg(g);
        list.push((
            pool.fcmp(predicate, f, minus),
            predicate.holds(x.partial_cmp(&-y)) as u64,
        ));
    }
    let chosen = pool.ite(p, f, g);
    let minus = pool.fneg(f);
    let size = pool.fabs(minus);
    let twice = pool.fneg(minus);
    let picked = if truth { x } else { y };
    for (t, value) in [
        (f, x),
        (minus, -x),
        (size, x.abs()),
        (twice, x),
        (chosen, picked),
    ] {
        list.push((pool.fp_to_bits(t), value.to_bits()));
    }
    let (sum, difference) = (pool.fadd(f, g), pool.fsub(f, g));
    let (product, quotient) = (pool.fmul(f, g), pool.fdiv(f, g));
    let (rest, fused) = (pool.frem(f, g), pool.fma(f, g, f));
    let (root, rounded) = (
        pool.fsqrt(f),
        pool.fround_to_integral(RoundingMode::TowardZero, f),
    );
    let (sine, power) = (
        pool.fcall(MathFunction::Sin, &[f]),
        pool.fcall(MathFunction::Pow, &[f, g]),
    );
    for (t, value) in [
        (sum, x + y),
        (difference, x - y),
        (product, x * y),
        (quotient, x / y),
        (rest, x % y),
        (fused, x.mul_add(y, x)),
        (root, x.sqrt()),
        (rounded, x.trunc()),
        (sine, x.sin()),
        (power, x.powf(y)),
    ] {
        // All NaNs count as one here: which one comes out is the host's affair.
        let is_nan = pool.fcmp(FloatPredicate::Uno, t, t);
        list.push((is_nan, value.is_nan() as u64));
        if !value.is_nan() {
            list.push((pool.fp_to_bits(t), value.to_bits()));
        }
    }
    let sum = pool.fadd(f, g);
    let long = pool.fp_to_fp(FloatFormat::X87, sum);
    if !(x + y).is_nan() {
        let short = pool.fp_to_fp(FloatFormat::SINGLE, long);
        let same = pool.fp_to_fp(FloatFormat::DOUBLE, long);
        list.push((pool.fp_to_bits(short), ((x + y) as f32).to_bits().into()));
        list.push((pool.fp_to_bits(same), (x + y).to_bits()));
    }
    let narrow = pool.fp_to_fp(FloatFormat::SINGLE, f);
    list.push((
        pool.fp_to_sint(32, f),
        if x.is_nan() || x.trunc().abs() > 2147483648.0 {
            1 << 31
        } else {
            x as i64 as u64 & 0xffff_ffff
        },
    ));
    if !x.is_nan() {
        list.push((pool.fp_to_bits(narrow), (x as f32).to_bits() as u64));
        let extended = pool.fp_to_fp(FloatFormat::X87, f);
        let back = pool.fp_to_fp(FloatFormat::DOUBLE, extended);
        list.push((pool.fp_to_bits(back), x.to_bits()));
    }
    list
}

#[test]
fn doubles_compute_what_the_host_computes() {
    let mut random = Random::new(21);
    let mut evaluator = Evaluator::new();
    let mut scratch = Scratch::new();
    let mut lanes = Lanes::new();
    for _ in 0..400 {
        let mut pool = Pool::new();
        let format = Sort::Float(FloatFormat::DOUBLE);
        let symbols: Vec<Symbol> = vec![
            pool.new_symbol("f", format),
            pool.new_symbol("g", format),
            pool.new_symbol("p", Sort::BitVec(1)),
        ];
        let (x, y, truth) = (
            double(&mut random),
            double(&mut random),
            random.index(2) == 1,
        );
        let mut assignment = Assignment::new();
        let values = [x.to_bits(), y.to_bits(), truth as u64];
        let mut map = Substitution::default();
        for (&symbol, &value) in symbols.iter().zip(&values) {
            assignment.set(symbol, value);
            let t = pool.symbol_term(symbol);
            let constant = match pool.sort(t) {
                Sort::Float(format) => {
                    let bits = pool.bv(64, value);
                    pool.fp_from_bits(format, bits)
                }
                _ => pool.bv(1, value),
            };
            map.insert(t, constant);
        }
        let t: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
        let list = operations(&mut pool, t[0], t[1], t[2], x, y, truth);
        let roots: Vec<Term> = list.iter().map(|(t, _)| *t).collect();
        let tape = Tape::compile(&pool, &roots);
        tape.run(&assignment, &mut scratch);
        let by_number = Tape::over(&pool, &roots, &t);
        for lane in 0..LANES {
            for (input, &value) in values.iter().enumerate() {
                by_number.set_lane(&mut lanes, lane, input, value.into());
            }
        }
        by_number.run_lanes(&Assignment::new(), &mut lanes);
        for (k, &(t, expected)) in list.iter().enumerate() {
            let shown = || format!("{} of {x:?} {y:?}", pool.display(t));
            assert_eq!(
                evaluator.eval(&pool, t, &assignment),
                expected,
                "{}",
                shown()
            );
            assert_eq!(tape.value(&scratch, k), expected, "{}", shown());
            assert_eq!(
                *by_number.values(&lanes, k),
                [expected; LANES],
                "{}",
                shown()
            );
            assert!(
                pool.has_float(t) || pool.is_const(t) || pool.op(t) == polypath_term::Op::Symbol,
                "{}",
                shown()
            );
        }
        for &(t, expected) in &list {
            let folded = substitute(&mut pool, t, &map);
            assert_eq!(pool.as_const(folded), Some(expected));
        }
    }
}

/// Every format keeps its patterns, and converts to wider ones and back without loss.
#[test]
fn patterns_survive_every_format() {
    let mut random = Random::new(4);
    let mut pool = Pool::new();
    for &format in FloatFormat::NAMED {
        let bits = pool.new_symbol("bits", Sort::BitVec(format.bits()));
        let t = pool.symbol_term(bits);
        let float = pool.fp_from_bits(format, t);
        assert_eq!(pool.fp_to_bits(float), t);
        let wide = pool.fp_to_fp(FloatFormat::QUAD, float);
        let back = pool.fp_to_fp(format, wide);
        let zero = pool.uint_to_fp(format, Term::FALSE);
        let sum = pool.fsub(back, zero);
        let same = pool.fcmp(FloatPredicate::Oeq, sum, float);
        let nan = pool.fcmp(FloatPredicate::Uno, float, float);
        let fine = pool.or(same, nan);
        let mut evaluator = Evaluator::new();
        for _ in 0..200 {
            let mut assignment = Assignment::new();
            let mut value = [random.next(), random.next()];
            if format == FloatFormat::X87 {
                // Patterns whose integer bit contradicts the exponent are no numbers.
                let is_small = value[1] & 0x7fff == 0;
                value[0] = if is_small {
                    value[0] >> 1
                } else {
                    value[0] | 1 << 63
                };
            }
            assignment.set_wide(bits, &value);
            assert_eq!(
                evaluator.eval(&pool, fine, &assignment),
                1,
                "{format:?} {value:x?}"
            );
        }
    }
}
