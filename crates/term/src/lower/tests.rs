//! The terms of each definition against the numbers that evaluation computes by it: all operands of small formats, special and
//! random ones of the named formats.

use super::*;
use crate::{Assignment, Evaluator, MathFunction, Scratch, Tape};
use testkit::Random;

const MODES: [RoundingMode; 5] = RoundingMode::ALL;

/// Every operator of a format, on the floats `f`, `g` and `h` and the integer `n`, in some rounding mode.
fn operators(pool: &mut Pool, mode: RoundingMode, f: Term, g: Term, h: Term, n: Term) -> Vec<Term> {
    let format = pool.float_format(f);
    let width = pool.width(n);
    let test = pool.fcmp(FloatPredicate::Olt, f, g);
    let mut floats = vec![
        pool.fadd_rounded(mode, f, g),
        pool.fsub_rounded(mode, f, g),
        pool.fmul_rounded(mode, f, g),
        pool.fdiv_rounded(mode, f, g),
        pool.fma_rounded(mode, f, g, h),
        pool.fsqrt_rounded(mode, f),
        pool.fround_to_integral(mode, f),
        pool.frem(f, g),
        pool.fremainder(f, g),
        pool.fmin(f, g),
        pool.fmax(f, g),
        pool.fneg(f),
        pool.fabs(f),
        pool.ite(test, f, h),
        pool.sint_to_fp_rounded(mode, format, n),
        pool.uint_to_fp_rounded(mode, format, n),
        f,
    ];
    // A result that goes on unpacked.
    let sum = floats[0];
    let product = floats[2];
    floats.push(pool.fdiv_rounded(mode, sum, product));
    for to in [FloatFormat::HALF, FloatFormat::new(3, 3).unwrap()] {
        floats.push(pool.fp_to_fp_rounded(mode, to, f));
    }
    let mut all: Vec<Term> = floats.iter().map(|&t| pool.fp_to_bits(t)).collect();
    all.extend(FloatPredicate::ALL.map(|predicate| pool.fcmp(predicate, f, g)));
    for width in [1, 4, width] {
        all.push(pool.fp_to_sint_rounded(mode, width, f));
        all.push(pool.fp_to_uint_rounded(mode, width, f));
    }
    all
}

/// Bit-vector symbols for three floats of a format and an integer.
fn symbols(pool: &mut Pool, format: FloatFormat, width: u32) -> ([Symbol; 4], [Term; 4]) {
    let sort = Sort::BitVec(format.bits());
    let symbols = [
        pool.new_symbol("f", sort),
        pool.new_symbol("g", sort),
        pool.new_symbol("h", sort),
        pool.new_symbol("n", Sort::BitVec(width)),
    ];
    let terms = symbols.map(|symbol| pool.symbol_term(symbol));
    let [f, g, h] = [0, 1, 2].map(|at: usize| pool.fp_from_bits(format, terms[at]));
    (symbols, [f, g, h, terms[3]])
}

#[test]
fn small_formats_agree_on_all_operands() {
    let mut scratch = Scratch::new();
    for (eb, sb) in [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4)] {
        let format = FloatFormat::new(eb, sb).unwrap();
        for mode in MODES {
            let mut pool = Pool::new();
            let (symbols, [f, g, h, n]) = symbols(&mut pool, format, 5);
            let before = operators(&mut pool, mode, f, g, h, n);
            let after = lower_floats(&mut pool, Reading::Machine, &before).unwrap();
            assert!(after.symbols.is_empty());
            assert!(after.terms.iter().all(|&t| !pool.has_float(t)));
            let roots = [&before[..], &after.terms].concat();
            let tape = Tape::compile(&pool, &roots);
            let mut assignment = Assignment::new();
            for k in 0..1u64 << (2 * format.bits()) {
                let all = (1 << format.bits()) - 1;
                let third = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                for (symbol, value) in
                    symbols
                        .iter()
                        .zip([k & all, k >> format.bits(), third & all, k & 31])
                {
                    assignment.set(*symbol, value);
                }
                tape.run(&assignment, &mut scratch);
                for (at, &t) in before.iter().enumerate() {
                    assert_eq!(
                        tape.value(&scratch, before.len() + at),
                        tape.value(&scratch, at),
                        "{format:?} {mode:?} {} of {:x} {:x} {:x}",
                        pool.display(t),
                        k & all,
                        k >> format.bits(),
                        third & all
                    );
                }
            }
        }
    }
}

#[test]
fn named_formats_agree_on_some_operands() {
    let mut random = Random::new(7);
    for &format in FloatFormat::NAMED {
        let mut pool = Pool::new();
        let mode = MODES[random.index(5)];
        let (symbols, [f, g, h, n]) = symbols(&mut pool, format, 64);
        let before = operators(&mut pool, mode, f, g, h, n);
        let after = lower_floats(&mut pool, Reading::Machine, &before).unwrap();
        let mut evaluator = Evaluator::new();
        for _ in 0..if format.bits() > 64 { 40 } else { 150 } {
            let mut assignment = Assignment::new();
            for symbol in symbols {
                assignment.set_wide(symbol, &operand(format, &mut random));
            }
            for (&t, &bits) in before.iter().zip(&after.terms) {
                assert_eq!(
                    evaluator.eval_wide(&pool, bits, &assignment),
                    evaluator.eval_wide(&pool, t, &assignment),
                    "{format:?} {mode:?} {} {assignment:?}",
                    pool.display(t)
                );
            }
        }
    }
}

/// A pattern: often near one, or of a special exponent.
fn operand(format: FloatFormat, random: &mut Random) -> [u64; 2] {
    let mut value = u128::from(random.next()) << 64 | u128::from(random.next());
    if random.below(3) == 0 {
        value &= u128::MAX << random.below(128);
    }
    let (stored, field) = (format.stored_bits(), (1u128 << format.exponent_bits()) - 1);
    let exponent = match random.below(8) {
        0 => 0,
        1 => field,
        2 => value & field,
        _ => {
            (format.max_exponent() as u128)
                .wrapping_add(u128::from(random.below(70)))
                .wrapping_sub(35)
                & field
        }
    };
    value = value & !(field << stored) | exponent << stored;
    if format.has_integer_bit() && random.below(10) > 0 {
        value = value & !(1 << 63) | u128::from(exponent != 0) << 63;
    }
    value &= u128::MAX >> (128 - format.bits());
    [value as u64, (value >> 64) as u64]
}

#[test]
fn symbols_that_are_floats_become_bits_and_functions_stay() {
    let mut pool = Pool::new();
    let symbol = pool.new_symbol("f", Sort::Float(FloatFormat::SINGLE));
    let f = pool.symbol_term(symbol);
    let sum = pool.fadd(f, f);
    let lowered = lower_floats(&mut pool, Reading::SmtLib, &[sum]).unwrap();
    let [(of, bits)] = lowered.symbols[..] else {
        panic!("one symbol")
    };
    assert_eq!(of, symbol);
    let mut assignment = Assignment::new();
    assignment.set(bits, 1.5f32.to_bits().into());
    let value = Evaluator::new().eval(&pool, lowered.terms[0], &assignment);
    assert_eq!(value, u64::from(3f32.to_bits()));
    let sine = pool.fcall(MathFunction::Sin, &[sum]);
    let test = pool.fcmp(FloatPredicate::Olt, sine, sum);
    assert_eq!(
        lower_floats(&mut pool, Reading::SmtLib, &[test]).unwrap_err(),
        sine
    );
}
