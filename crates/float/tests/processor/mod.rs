//! The machine's reading against the processor: results, bits of NaNs and flags of SSE and x87 instructions, in the
//! four rounding modes that they have.

mod sse;
mod x87;

use crate::operands::{integer, operands};
use polypath_float::pattern::{by_definition, convert_in, from_integer_in, is_nan, to_integer_in};
use polypath_float::{Flags, FloatFormat, Operation, Reading, RoundingMode};

const MODES: [RoundingMode; 4] = [
    RoundingMode::NearestEven,
    RoundingMode::TowardNegative,
    RoundingMode::TowardPositive,
    RoundingMode::TowardZero,
];

/// The rounding field of MXCSR and of x87's control word is the place in [`MODES`].
fn field(mode: RoundingMode) -> u32 {
    MODES
        .iter()
        .position(|&m| m == mode)
        .expect("a mode of the processor") as u32
}

/// As the processor has them in its status words.
fn word(flags: Flags<bool>) -> u32 {
    [
        flags.invalid,
        flags.denormal,
        flags.divide_by_zero,
        flags.overflow,
        flags.underflow,
        flags.inexact,
    ]
    .iter()
    .enumerate()
    .map(|(at, &flag)| u32::from(flag) << at)
    .sum()
}

const ALL: u32 = 0x3f;
const DENORMAL: u32 = 2;

/// What the definition gives.
fn ours(op: Operation, format: FloatFormat, mode: RoundingMode, args: [u128; 3]) -> (u128, u32) {
    let (result, flags) = by_definition(op, format, Reading::Machine, mode, args);
    (result, word(flags))
}

fn sse_agrees(format: FloatFormat) {
    for op in [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::Divide,
        Operation::SquareRoot,
        Operation::Minimum,
        Operation::Maximum,
    ] {
        for (n, args) in operands(format, 1, 20_000).into_iter().enumerate() {
            let mode = MODES[n % 4];
            let (result, mut flags) = ours(op, format, mode, args);
            let chooses = matches!(op, Operation::Minimum | Operation::Maximum);
            // The instruction gives its second operand where compilers ask for a NaN first.
            if chooses && args[..2].iter().any(|&x| is_nan(format, x)) {
                continue;
            }
            let (expected, mut status) = if chooses {
                sse::operation(op, format, mode, [args[1], args[0]])
            } else {
                sse::operation(op, format, mode, [args[0], args[1]])
            };
            if chooses {
                (flags, status) = (flags & !1, status & !1);
            }
            assert_eq!(
                (result, flags),
                (expected, status),
                "{format:?} {op:?} {mode:?} {args:x?}"
            );
        }
    }
}

#[test]
fn sse_computes_the_same() {
    sse_agrees(FloatFormat::SINGLE);
    sse_agrees(FloatFormat::DOUBLE);
}

#[test]
fn sse_multiplies_and_adds_the_same() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return testkit::skip("the processor has no FMA instructions");
    }
    for format in [FloatFormat::SINGLE, FloatFormat::DOUBLE] {
        for (n, args) in operands(format, 2, 40_000).into_iter().enumerate() {
            let mode = MODES[n % 4];
            // The C library's functions choose another NaN.
            let (result, flags) =
                by_definition(Operation::MultiplyAdd, format, Reading::SmtLib, mode, args);
            if args.iter().any(|&x| is_nan(format, x)) {
                continue;
            }
            let (expected, status) = sse::multiply_add(format, mode, args);
            let default = is_nan(format, expected) && is_nan(format, result);
            assert!(
                result == expected || default,
                "{format:?} {mode:?} {args:x?}"
            );
            assert_eq!(word(flags), status, "{format:?} {mode:?} {args:x?}");
        }
    }
}

#[test]
fn sse_converts_the_same() {
    let (single, double) = (FloatFormat::SINGLE, FloatFormat::DOUBLE);
    for (from, to) in [(single, double), (double, single)] {
        for (n, [a, ..]) in operands(from, 3, 40_000).into_iter().enumerate() {
            let mode = MODES[n % 4];
            let (result, flags) = convert_in(from, to, Reading::Machine, mode, &a);
            let expected = sse::convert(from, mode, a);
            assert_eq!((result, word(flags)), expected, "{from:?} {mode:?} {a:#x}");
            for width in [32, 64] {
                let (result, flags) = to_integer_in(from, mode, true, width, &a);
                let (expected, status) = sse::to_integer(from, mode, width, a);
                let indefinite = 1 << (width - 1);
                assert_eq!(
                    result.unwrap_or(indefinite),
                    expected,
                    "{from:?} {mode:?} {a:#x}"
                );
                assert_eq!(word(flags) & !DENORMAL, status & !DENORMAL);
            }
        }
        let mut source = testkit::Random::new(4);
        for n in 0..20_000 {
            let (mode, integer) = (MODES[n % 4], integer(&mut source) as u64);
            let (result, flags) = from_integer_in(from, mode, true, 64, &integer.into());
            let expected = sse::from_integer(from, mode, integer);
            assert_eq!(
                (result, word(flags)),
                expected,
                "{from:?} {mode:?} {integer:#x}"
            );
        }
    }
}

#[test]
fn x87_computes_the_same() {
    let format = FloatFormat::X87;
    for op in [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::Divide,
        Operation::SquareRoot,
        Operation::RoundToIntegral,
        Operation::Modulo,
        Operation::Remainder,
    ] {
        for (n, args) in operands(format, 5, 20_000).into_iter().enumerate() {
            let mode = MODES[n % 4];
            let (result, flags) = ours(op, format, mode, args);
            let (expected, status) = x87::operation(op, mode, [args[0], args[1]]);
            // The C library's functions give a NaN back.
            if op == Operation::RoundToIntegral && is_nan(format, args[0]) {
                continue;
            }
            // Remainders take several instructions, and are written down without denormal operands.
            let mask = match op {
                Operation::Modulo | Operation::Remainder | Operation::RoundToIntegral => !DENORMAL,
                _ => ALL,
            };
            assert_eq!(
                (result, flags & mask),
                (expected, status & mask),
                "{op:?} {mode:?} {args:x?}"
            );
        }
    }
}

#[test]
fn x87_converts_the_same() {
    let format = FloatFormat::X87;
    for (n, [a, ..]) in operands(format, 6, 40_000).into_iter().enumerate() {
        let mode = MODES[n % 4];
        for to in [FloatFormat::SINGLE, FloatFormat::DOUBLE] {
            let (result, flags) = convert_in(format, to, Reading::Machine, mode, &a);
            let (expected, status) = x87::store(to, mode, a);
            let flags = word(flags) & !DENORMAL;
            assert_eq!(
                (result, flags),
                (expected, status & !DENORMAL),
                "{to:?} {mode:?} {a:#x}"
            );
        }
        for width in [16, 32, 64] {
            let (result, flags) = to_integer_in(format, mode, true, width, &a);
            let (expected, status) = x87::to_integer(width, mode, a);
            let indefinite = 1 << (width - 1);
            assert_eq!(
                result.unwrap_or(indefinite),
                expected,
                "{width} {mode:?} {a:#x}"
            );
            assert_eq!(word(flags) & !DENORMAL, status & !DENORMAL);
        }
    }
    for from in [FloatFormat::SINGLE, FloatFormat::DOUBLE] {
        for (n, [a, ..]) in operands(from, 7, 10_000).into_iter().enumerate() {
            let mode = MODES[n % 4];
            let (result, flags) = convert_in(from, format, Reading::Machine, mode, &a);
            let (expected, status) = x87::load(from, a);
            assert_eq!((result, word(flags)), (expected, status), "{from:?} {a:#x}");
        }
    }
    let mut source = testkit::Random::new(8);
    for _ in 0..20_000 {
        let integer = integer(&mut source) as u64;
        let mode = RoundingMode::NearestEven;
        let (result, _) = from_integer_in::<u128>(format, mode, true, 64, &integer.into());
        assert_eq!(result, x87::from_integer(integer), "{integer:#x}");
    }
}
