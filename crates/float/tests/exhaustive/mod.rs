//! Every operation on every operand of small formats, in all rounding modes, with flags: against exact rational
//! arithmetic.

mod operations;
mod reference;

use num_bigint::{BigInt, BigUint};
use operations::less;
use polypath_float::pattern::{
    apply_in, by_definition, compare, convert_in, from_integer_in, to_integer_in,
};
use polypath_float::{Flags, Operation, Reading, RoundingMode, from_rational, to_rational};
use reference::{NO_FLAGS, Reference, Value};

fn is_nan(r: &Reference, pattern: u128) -> bool {
    r.value(pattern) == Value::Nan
}

/// Is it a signalling NaN? In formats with one fraction bit there is none.
fn is_signaling(r: &Reference, pattern: u128) -> bool {
    is_nan(r, pattern) && pattern >> (r.format.precision() - 2) & 1 == 0
}

/// One operation on one tuple of operands, in both readings.
fn check(r: &Reference, op: Operation, mode: RoundingMode, args: &[u128]) {
    let mut all = [0; 3];
    all[..args.len()].copy_from_slice(args);
    let (machine, flags) = by_definition(op, r.format, Reading::Machine, mode, all);
    let (one_nan, same_flags) = by_definition(op, r.format, Reading::SmtLib, mode, all);
    let context = || format!("{:?} {op:?} {mode:?} {args:x?}", r.format);
    let chooses = matches!(op, Operation::Minimum | Operation::Maximum);
    let mut expected = if chooses && args.iter().any(|&a| is_nan(r, a)) {
        let number = if is_nan(r, args[0]) { args[1] } else { args[0] };
        (Some(number).filter(|&x| !is_nan(r, x)), NO_FLAGS)
    } else if args.iter().any(|&a| is_nan(r, a)) {
        (None, NO_FLAGS)
    } else {
        r.apply(op, mode, args)
    };
    if op != Operation::RoundToIntegral {
        expected.1.invalid |= args.iter().any(|&a| is_signaling(r, a));
    }
    if args.iter().all(|&a| !is_nan(r, a)) {
        assert_eq!(flags, same_flags, "{}", context());
    }
    // The product of infinity and zero is invalid even if a NaN is added.
    if op == Operation::MultiplyAdd && args.iter().all(|&a| !is_nan(r, a) || a == args[2]) {
        let product = r.value(args[0]) != Value::Nan
            && r.value(args[1]) != Value::Nan
            && r.apply(Operation::Multiply, mode, &args[..2]).0.is_none();
        expected.1.invalid |= product;
    }
    let arithmetic = !matches!(
        op,
        Operation::Modulo | Operation::Remainder | Operation::RoundToIntegral
    );
    let no_nan =
        args.iter().all(|&a| !is_nan(r, a)) && !expected.1.invalid && !expected.1.divide_by_zero;
    expected.1.denormal = arithmetic && no_nan && args.iter().any(|&a| r.is_subnormal(a));
    match expected.0 {
        Some(pattern) => {
            assert_eq!((machine, one_nan), (pattern, pattern), "{}", context());
        }
        None => {
            assert!(is_nan(r, machine), "{} gives {machine:#x}", context());
            let quiet = ((1 << r.format.exponent_bits()) * 2 - 1) << (r.format.precision() - 2);
            assert_eq!(one_nan, quiet, "{}", context());
            let operand = args.iter().find(|&&a| is_nan(r, a));
            let kept = operand.map(|&a| a | 1 << (r.format.precision() - 2));
            let default = quiet | 1 << (r.bits() - 1);
            if op != Operation::RoundToIntegral && !chooses {
                // The invalid product is a NaN before the addend is.
                let product = op == Operation::MultiplyAdd
                    && is_nan(r, args[2])
                    && args[..2].iter().all(|&a| !is_nan(r, a))
                    && expected.1.invalid
                    && r.apply(Operation::Multiply, mode, &args[..2]).0.is_none();
                let first = if product { None } else { kept };
                assert_eq!(machine, first.unwrap_or(default), "{}", context());
            }
        }
    }
    assert_eq!(flags, expected.1, "{}", context());
}

fn unary_and_binary(bits: u32) {
    for r in Reference::all(bits) {
        for mode in RoundingMode::ALL {
            for op in Operation::ALL {
                for a in 0..1 << bits {
                    match op.arity() {
                        1 => check(&r, op, mode, &[a]),
                        2 => (0..1 << bits).for_each(|b| check(&r, op, mode, &[a, b])),
                        _ => {}
                    }
                }
            }
        }
    }
}

fn ternary(bits: u32) {
    for r in Reference::all(bits) {
        for mode in RoundingMode::ALL {
            for n in 0..1u128 << (3 * bits) {
                let low = (1 << bits) - 1;
                let args = [n & low, n >> bits & low, n >> (2 * bits)];
                check(&r, Operation::MultiplyAdd, mode, &args);
            }
        }
    }
}

#[test]
fn operations_of_all_formats_of_up_to_six_bits() {
    (4..=6).for_each(unary_and_binary);
}

#[test]
fn multiply_add_of_all_formats_of_up_to_five_bits() {
    (4..=5).for_each(ternary);
}

/// Some minutes without optimization.
#[test]
#[ignore = "long: run it when operations change"]
fn operations_of_all_formats_of_eight_bits_and_multiply_add_of_six() {
    (7..=8).for_each(unary_and_binary);
    ternary(6);
}

#[test]
fn unary_operations_of_float16() {
    let r = Reference::new(5, 11);
    for op in [Operation::SquareRoot, Operation::RoundToIntegral] {
        for mode in RoundingMode::ALL {
            (0..1 << 16).for_each(|a| check(&r, op, mode, &[a]));
        }
    }
}

#[test]
fn numbers_of_any_width_agree_with_small_ones() {
    let r = Reference::new(3, 3);
    for op in Operation::ALL {
        for n in 0..1u128 << 12 {
            let args = [n & 63, n >> 6, 5][..op.arity()].to_vec();
            let mode = RoundingMode::ALL[n as usize % 5];
            let wide: Vec<BigUint> = args.iter().map(|&a| a.into()).collect();
            let (small, flags) = apply_in(op, r.format, Reading::Machine, mode, &args);
            let (big, same) = apply_in(op, r.format, Reading::Machine, mode, &wide);
            assert_eq!((BigUint::from(small), flags), (big, same));
        }
    }
}

#[test]
fn comparisons_order_all_numbers() {
    for r in (4..=7).flat_map(Reference::all) {
        for a in 0..1 << r.bits() {
            for b in 0..1 << r.bits() {
                let order = compare(r.format, a, b);
                if is_nan(&r, a) || is_nan(&r, b) {
                    assert_eq!(order, None);
                    continue;
                }
                let (x, y) = (r.value(a), r.value(b));
                let expected = less(y, x).cmp(&less(x, y));
                assert_eq!(order, Some(expected), "{:?} {a:#x} {b:#x}", r.format);
            }
        }
    }
}

#[test]
fn conversions_between_formats_round_once() {
    let all: Vec<Reference> = (4..=7).flat_map(Reference::all).collect();
    for from in &all {
        for to in &all {
            for mode in RoundingMode::ALL {
                for a in 0..1 << from.bits() {
                    let context = || format!("{:?} {:?} {mode:?} {a:#x}", from.format, to.format);
                    let (result, mut flags) =
                        convert_in(from.format, to.format, Reading::Machine, mode, &a);
                    assert_eq!(flags.denormal, from.is_subnormal(a), "{}", context());
                    flags.denormal = false;
                    let (pattern, expected) = match from.value(a) {
                        Value::Nan => {
                            assert!(is_nan(to, result), "{}", context());
                            assert_eq!(result >> (to.bits() - 1), a >> (from.bits() - 1));
                            let invalid = is_signaling(from, a);
                            (
                                result,
                                Flags {
                                    invalid,
                                    ..NO_FLAGS
                                },
                            )
                        }
                        Value::Infinite { negative } => (to.infinite(negative), NO_FLAGS),
                        Value::Finite { negative, units } => {
                            let numerator = BigUint::from(units) << to.one;
                            let denominator = BigUint::from(1u32) << from.one;
                            to.rational(mode, negative, &numerator, &denominator)
                        }
                    };
                    assert_eq!((result, flags), (pattern, expected), "{}", context());
                }
            }
        }
    }
}

#[test]
fn conversions_from_and_to_integers_of_all_widths() {
    for r in (4..=7).flat_map(Reference::all) {
        for mode in RoundingMode::ALL {
            for width in 1..=9u32 {
                for signed in [false, true] {
                    integers(&r, mode, width, signed);
                }
            }
        }
    }
}

fn integers(r: &Reference, mode: RoundingMode, width: u32, signed: bool) {
    let value = |n: u128| {
        if signed && n >> (width - 1) == 1 {
            n as i128 - (1 << width)
        } else {
            n as i128
        }
    };
    for n in 0..1u128 << width {
        let value = value(n);
        let units = BigUint::from(value.unsigned_abs()) << r.one;
        let expected = r.rational(mode, value < 0, &units, &1u32.into());
        assert_eq!(from_integer_in(r.format, mode, signed, width, &n), expected);
    }
    let (least, most) = if signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, (1i128 << width) - 1)
    };
    for a in 0..1 << r.bits() {
        let result = to_integer_in(r.format, mode, signed, width, &a);
        let invalid = Flags {
            invalid: true,
            ..NO_FLAGS
        };
        let mut expected = (None, invalid);
        if let Value::Finite { negative, units } = r.value(a) {
            let whole = r.whole(mode, negative, units) as i128;
            let whole = if negative { -whole } else { whole };
            if (least..=most).contains(&whole) {
                let inexact = units % (1 << r.one) != 0;
                let bits = whole as u128 & ((1 << width) - 1);
                expected = (
                    Some(bits),
                    Flags {
                        inexact,
                        ..NO_FLAGS
                    },
                );
            }
        }
        assert_eq!(
            result, expected,
            "{:?} {mode:?} {width} {signed} {a:#x}",
            r.format
        );
    }
}

#[test]
fn rationals_round_and_come_back() {
    for r in (4..=7).flat_map(Reference::all) {
        for a in 0..1u128 << r.bits() {
            let Value::Finite { negative, units } = r.value(a) else {
                assert_eq!(to_rational(r.format, &a.into()), None);
                continue;
            };
            let (p, q) = to_rational(r.format, &a.into()).unwrap();
            assert_eq!(p.magnitude() << r.one, BigUint::from(units) * &q);
            assert_eq!(p < BigInt::ZERO, negative && units > 0);
        }
        for (p, q) in (-40i32..=40).flat_map(|p| (1..=24u32).map(move |q| (p, q))) {
            for scale in [0, 6, 70] {
                for mode in RoundingMode::ALL {
                    for (p, q) in [
                        (BigInt::from(p) << scale, BigUint::from(q)),
                        (BigInt::from(p), BigUint::from(q) << scale),
                    ] {
                        let units = p.magnitude() << r.one;
                        let expected = r.rational(mode, p < BigInt::ZERO, &units, &q).0;
                        let result = from_rational(r.format, mode, &p, &q);
                        assert_eq!(result, expected.into(), "{:?} {mode:?} {p}/{q}", r.format);
                    }
                }
            }
        }
    }
}
