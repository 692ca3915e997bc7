//! Random operands of the named formats against `rustc_apfloat`, LLVM's arithmetic, which has everything but square
//! roots.

use crate::operands;

use crate::operands::operands;
use polypath_float::pattern::{apply, compare, convert, from_integer, is_nan, to_integer};
use polypath_float::{FloatFormat, Operation, Reading, RoundingMode};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

/// Runs `$body` with the type alias `$F` set to the software type of `$format`.
macro_rules! software {
    ($format:expr, $F:ident => $body:expr) => {
        match $format {
            FloatFormat::HALF => software!(@ Half, $F, $body),
            FloatFormat::BFLOAT => software!(@ BFloat, $F, $body),
            FloatFormat::SINGLE => software!(@ Single, $F, $body),
            FloatFormat::DOUBLE => software!(@ Double, $F, $body),
            FloatFormat::X87 => software!(@ X87DoubleExtended, $F, $body),
            _ => software!(@ Quad, $F, $body),
        }
    };
    (@ $type:ty, $F:ident, $body:expr) => {{
        type $F = $type;
        $body
    }};
}

fn round(mode: RoundingMode) -> Round {
    match mode {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::TowardPositive => Round::TowardPositive,
        RoundingMode::TowardNegative => Round::TowardNegative,
        RoundingMode::TowardZero => Round::TowardZero,
    }
}

fn theirs<F: Float>(op: Operation, mode: RoundingMode, args: [u128; 3]) -> Option<u128> {
    let ([a, b, c], mode) = (args.map(F::from_bits), round(mode));
    let result = match op {
        Operation::Add => a.add_r(b, mode).value,
        Operation::Subtract => a.sub_r(b, mode).value,
        Operation::Multiply => a.mul_r(b, mode).value,
        Operation::Divide => a.div_r(b, mode).value,
        Operation::Modulo => a.c_fmod(b).value,
        Operation::Remainder => a.ieee_rem(b).value,
        Operation::MultiplyAdd => a.mul_add_r(b, c, mode).value,
        Operation::RoundToIntegral => a.round_to_integral(mode).value,
        // Of unlike zeros another one.
        Operation::Minimum if !a.is_zero() || !b.is_zero() => a.min(b),
        Operation::Maximum if !a.is_zero() || !b.is_zero() => a.max(b),
        Operation::SquareRoot | Operation::Minimum | Operation::Maximum => return None,
    };
    Some(result.to_bits())
}

/// An x87 encoding that contradicts itself: apfloat has its own view of these.
fn is_strange(format: FloatFormat, pattern: u128) -> bool {
    format.has_integer_bit() && (pattern >> 64 & 0x7fff != 0) != (pattern >> 63 & 1 == 1)
}

fn same(format: FloatFormat, a: u128, b: u128) -> bool {
    a == b || is_nan(format, a) && is_nan(format, b)
}

#[test]
fn operations_agree() {
    for &format in FloatFormat::NAMED {
        for (n, args) in operands(format, 1, 3000).into_iter().enumerate() {
            if args.iter().any(|&arg| is_strange(format, arg)) {
                continue;
            }
            let mode = RoundingMode::ALL[n % 5];
            for op in Operation::ALL {
                let Some(expected) = software!(format, F => theirs::<F>(op, mode, args)) else {
                    continue;
                };
                let result = apply(op, format, Reading::SmtLib, mode, args);
                assert!(
                    same(format, result, expected),
                    "{format:?} {op:?} {mode:?} {args:x?}: {result:#x}, apfloat {expected:#x}"
                );
            }
            let order = software!(format, F => {
                F::from_bits(args[0]).partial_cmp(&F::from_bits(args[1]))
            });
            assert_eq!(
                compare(format, args[0], args[1]),
                order,
                "{format:?} {args:x?}"
            );
        }
    }
}

fn converted<F: FloatConvert<G>, G: Float>(mode: RoundingMode, pattern: u128) -> u128 {
    let mut inexact = false;
    let x = F::from_bits(pattern).convert_r(round(mode), &mut inexact);
    x.value.to_bits()
}

#[test]
fn conversions_between_formats_agree() {
    for &from in FloatFormat::NAMED {
        for &to in FloatFormat::NAMED {
            for (n, [a, ..]) in operands(from, 2, 2000).into_iter().enumerate() {
                if is_strange(from, a) {
                    continue;
                }
                let mode = RoundingMode::ALL[n % 5];
                let expected = software!(from, F => software!(to, G => converted::<F, G>(mode, a)));
                let result = convert(from, to, Reading::Machine, mode, a);
                assert!(
                    same(to, result, expected),
                    "{from:?} {to:?} {mode:?} {a:#x}: {result:#x}, apfloat {expected:#x}"
                );
            }
        }
    }
}

#[test]
fn conversions_of_integers_agree() {
    let mut source = testkit::Random::new(3);
    for &format in FloatFormat::NAMED {
        for (n, [a, ..]) in operands(format, 4, 2000).into_iter().enumerate() {
            let mode = RoundingMode::ALL[n % 5];
            // Of one signed bit apfloat says that 1 fits.
            let width = [2, 8, 17, 32, 64, 100, 128][n % 7];
            let integer = operands::integer(&mut source) & (u128::MAX >> (128 - width));
            let shift = 128 - width;
            let extended = ((integer << shift) as i128) >> shift;
            let expected = software!(format, F => [
                F::from_u128_r(integer, round(mode)).value.to_bits(),
                F::from_i128_r(extended, round(mode)).value.to_bits(),
            ]);
            let result =
                [false, true].map(|signed| from_integer(format, mode, signed, width, integer));
            assert_eq!(result, expected, "{format:?} {mode:?} {integer:#x}");
            if is_strange(format, a) {
                continue;
            }
            let mut exact = false;
            let expected = software!(format, F => [
                F::from_bits(a).to_u128_r(width as usize, round(mode), &mut exact),
                F::from_bits(a)
                    .to_i128_r(width as usize, round(mode), &mut exact)
                    .map(|integer| integer as u128 & (u128::MAX >> (128 - width))),
            ]);
            let expected =
                expected.map(|x| (!x.status.contains(Status::INVALID_OP)).then_some(x.value));
            let result = [false, true].map(|signed| to_integer(format, mode, signed, width, a));
            assert_eq!(result, expected, "{format:?} {mode:?} {width} {a:#x}");
        }
    }
}
