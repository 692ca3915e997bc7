//! The host's arithmetic, which patterns of `float`, `double` and `long double` take, and the arithmetic in integers of 128 bits,
//! which those of other formats and other rounding modes take, give what the definitions give.

use crate::operands;

use polypath_float::pattern::{
    apply, by_definition, compare, compare_in, convert, convert_in, from_integer, from_integer_in,
    to_integer, to_integer_in,
};
use polypath_float::{FloatFormat, Operation, Reading, RoundingMode};

/// The last ones are about the widest that is computed in integers of 128 bits.
fn formats() -> Vec<FloatFormat> {
    let other = [
        (2, 2),
        (5, 11),
        (13, 55),
        (13, 53),
        (17, 61),
        (15, 62),
        (15, 63),
    ];
    let other = other.map(|(eb, sb)| FloatFormat::new(eb, sb).unwrap());
    let mut all = vec![FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::X87];
    all.extend(other);
    all
}

#[test]
fn small_formats_give_what_their_definitions_give_on_all_operands() {
    for (eb, sb) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (2, 4)] {
        let format = FloatFormat::new(eb, sb).unwrap();
        let all = || 0..1u128 << format.bits();
        for op in Operation::ALL {
            // All triples of patterns of six bits are many, and rounded as those of five.
            if op.arity() == 3 && format.bits() > 5 {
                continue;
            }
            let all_of = |n: usize| if n < op.arity() { all() } else { 0..1 };
            for mode in RoundingMode::ALL {
                for a in all_of(0) {
                    for b in all_of(1) {
                        for c in all_of(2) {
                            let args = [a, b, c];
                            let expected =
                                by_definition(op, format, Reading::Machine, mode, args).0;
                            let result = apply(op, format, Reading::Machine, mode, args);
                            assert_eq!(result, expected, "{format:?} {op:?} {mode:?} {args:x?}");
                        }
                    }
                }
            }
        }
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            assert_eq!(compare(format, a, b), compare_in(format, &a, &b));
        }
    }
}

#[test]
fn operations_give_what_their_definitions_give() {
    for format in formats() {
        for (first, op) in Operation::ALL.into_iter().enumerate() {
            // Each fifth, others for each operation.
            let all = operands::operands(format, 1, 2000).into_iter();
            for (n, args) in all.skip(first % 5).step_by(5).enumerate() {
                let reading = [Reading::Machine, Reading::SmtLib][n / 5 % 2];
                for mode in [RoundingMode::NearestEven, RoundingMode::ALL[n % 5]] {
                    let expected = by_definition(op, format, reading, mode, args).0;
                    let result = apply(op, format, reading, mode, args);
                    assert_eq!(result, expected, "{op:?} {mode:?} {args:x?}");
                }
            }
        }
    }
}

#[test]
fn comparisons_and_conversions_give_what_their_definitions_give() {
    for format in formats() {
        let all = operands::operands(format, 2, 2000).into_iter();
        for (n, [a, b, _]) in all.step_by(7).enumerate() {
            assert_eq!(
                compare(format, a, b),
                compare_in(format, &a, &b),
                "{a:#x} {b:#x}"
            );
            for mode in [RoundingMode::NearestEven, RoundingMode::ALL[n % 5]] {
                for reading in [Reading::Machine, Reading::SmtLib] {
                    for other in formats() {
                        let expected = convert_in(format, other, reading, mode, &a).0;
                        assert_eq!(convert(format, other, reading, mode, a), expected);
                    }
                }
            }
            for mode in [RoundingMode::TowardZero, RoundingMode::NearestEven] {
                for width in [1, 8, 16, 31, 32, 63, 64, 65] {
                    for signed in [false, true] {
                        let expected = to_integer_in(format, mode, signed, width, &a).0;
                        let result = to_integer(format, mode, signed, width, a);
                        assert_eq!(result, expected, "{a:#x} to {width}");
                    }
                }
            }
        }
    }
}

#[test]
fn integers_become_what_their_definitions_give() {
    let mut source = testkit::Random::new(3);
    for _ in 0..4000 {
        let n = operands::integer(&mut source);
        for width in [1, 8, 32, 64, 100, 128] {
            let n = n & (u128::MAX >> (128 - width));
            for signed in [false, true] {
                for format in formats() {
                    for mode in [RoundingMode::NearestEven, RoundingMode::TowardZero] {
                        let expected = from_integer_in(format, mode, signed, width, &n).0;
                        let result = from_integer(format, mode, signed, width, n);
                        assert_eq!(result, expected, "{n:#x} of {width} bits");
                    }
                }
            }
        }
    }
}
