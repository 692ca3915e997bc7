//! The conditions under which operations raise exceptions, on constants: what `raised` says of the numbers, in all
//! rounding modes; and what the processor's flags say after SSE and x87 instructions.

// By the name that the tests of crate `float`, whose operands these are, have for it.

#[cfg(target_arch = "x86_64")]
#[allow(
    dead_code,
    reason = "not all of its instructions raise what is looked for"
)]
#[path = "../../float/tests/processor/sse.rs"]
mod sse;
#[cfg(target_arch = "x86_64")]
#[allow(
    dead_code,
    reason = "not all of its instructions raise what is looked for"
)]
#[path = "../../float/tests/processor/x87.rs"]
mod x87;

use crate::operands::{integer, operands};
use float::{FloatFormat, Operation, RoundingMode, pattern};
use ir::FloatOp;
use polypath_exec::float_exceptions::{Raiser, condition, raised};
use term::{Pool, Term};
use testkit::Random;
use vocab::Check;

const OPERATIONS: [FloatOp; 8] = [
    FloatOp::Add,
    FloatOp::Sub,
    FloatOp::Mul,
    FloatOp::Div,
    FloatOp::Rem,
    FloatOp::Fma,
    FloatOp::Sqrt,
    FloatOp::Call,
];

/// The flags of a status word.
#[cfg(target_arch = "x86_64")]
const ALL: u32 = 0x3f;

const HARDWARE: [RoundingMode; 4] = [
    RoundingMode::NearestEven,
    RoundingMode::TowardNegative,
    RoundingMode::TowardPositive,
    RoundingMode::TowardZero,
];

/// The rounding field of MXCSR and of x87's control word.
fn field(mode: RoundingMode) -> u32 {
    let place = HARDWARE.iter().position(|&m| m == mode);
    place.expect("a mode of the processor") as u32
}

fn constant(pool: &mut Pool, w: u32, bits: u128) -> Term {
    pool.bv_wide(w, &[bits as u64, (bits >> 64) as u64])
}

/// Compares conditions and numbers for all exceptions of an operation. Returns how many were raised.
fn compare(op: Raiser, mode: RoundingMode, args: [u128; 3]) -> usize {
    let (widths, _) = op.widths();
    let mut pool = Pool::new();
    let terms = [0, 1, 2].map(|i| constant(&mut pool, widths[i], args[i]));
    let mut count = 0;
    for &what in op.exceptions() {
        let expected = raised(what, op, mode, args);
        let term = condition(&mut pool, what, op, mode, terms);
        let got = pool.as_const(term).expect("a constant") != 0;
        assert_eq!(got, expected, "{what:?} {op:?} {mode:?} {args:x?}");
        count += usize::from(expected);
    }
    count
}

#[test]
fn conditions_of_arithmetic_are_the_flags() {
    // Of all pairs of special operands and random triples every so many-th one: large formats take long.
    for (format, step) in [
        (FloatFormat::HALF, 4),
        (FloatFormat::SINGLE, 11),
        (FloatFormat::DOUBLE, 11),
        (FloatFormat::X87, 29),
        (FloatFormat::QUAD, 101),
    ] {
        for op in OPERATIONS {
            if (op, format) == (FloatOp::Fma, FloatFormat::X87) {
                continue;
            }
            let raiser = Raiser::Arithmetic(op, format);
            let mut count_raised = 0;
            let all = operands(format, 7, 2000).into_iter();
            for (n, args) in all.step_by(step).enumerate() {
                count_raised += compare(raiser, RoundingMode::ALL[n % 5], args);
            }
            assert!(count_raised > 0, "{raiser:?}");
        }
    }
}

/// Products, quotients and sums next to the smallest normal number, where tininess is decided.
#[test]
fn conditions_next_to_the_smallest_normal_number_are_the_flags() {
    for format in [FloatFormat::HALF, FloatFormat::BFLOAT] {
        let (stored, bias) = (format.stored_bits(), format.max_exponent() as u128);
        let mut random = Random::new(3);
        let mut tiny = 0;
        for n in 0..3000 {
            let fraction = |random: &mut Random| u128::from(random.below(1 << stored));
            let a = bias << stored | fraction(&mut random);
            // In products its exponent is that below the normal numbers, in quotients its opposite.
            let small = fraction(&mut random) | u128::from(n % 2 == 0) << stored;
            let large =
                (2 * bias - 1 - u128::from(random.below(2))) << stored | fraction(&mut random);
            let sign = u128::from(random.below(2)) << (format.bits() - 1);
            let mode = RoundingMode::ALL[n % 5];
            let arithmetic = |op| Raiser::Arithmetic(op, format);
            tiny += compare(arithmetic(FloatOp::Mul), mode, [a, small | sign, 0]);
            tiny += compare(arithmetic(FloatOp::Div), mode, [a | sign, large, 0]);
            tiny += compare(
                arithmetic(FloatOp::Fma),
                mode,
                [a, small | sign, small >> 1],
            );
        }
        assert!(tiny > 3000, "{tiny}");
    }
}

/// The same in larger formats, where random fractions are never next to it; and with operands of all sizes.
#[test]
fn conditions_next_to_the_smallest_normal_number_are_the_flags_in_formats_with_room() {
    for format in [FloatFormat::SINGLE, FloatFormat::DOUBLE] {
        let (stored, bias) = (format.stored_bits(), format.max_exponent() as u128);
        let least = 1 << stored;
        let nearest = RoundingMode::NearestEven;
        let apply = |op, a, b| {
            let args = [a, b, 0];
            pattern::apply(op, format, float::Reading::Machine, nearest, args)
        };
        let mut random = Random::new(4);
        let mut tiny = 0;
        for n in 0..4000 {
            let number = |random: &mut Random, from: u128, to: u128| {
                let exponent = from + u128::from(random.below((to - from) as u64));
                exponent << stored | u128::from(random.below(1 << stored))
            };
            let a = number(&mut random, bias, 2 * bias);
            let off = u128::from(random.below(5));
            let sign = u128::from(random.below(2)) << (format.bits() - 1);
            let mode = RoundingMode::ALL[n % 5];
            let arithmetic = |op| Raiser::Arithmetic(op, format);
            let small = apply(Operation::Divide, least, a) + off;
            let small = small.saturating_sub(2);
            tiny += compare(arithmetic(FloatOp::Mul), mode, [a, small | sign, 0]);
            let small = (apply(Operation::Multiply, least, a) + off).saturating_sub(2);
            tiny += compare(arithmetic(FloatOp::Div), mode, [small | sign, a, 0]);
            // Powers of two, about whose products and quotients nothing is inexact unless it is below all numbers.
            let power =
                |random: &mut Random| match random.below(2 * bias as u64 + u64::from(stored)) {
                    low if low < u64::from(stored) => 1 << low,
                    field => u128::from(field + 1 - u64::from(stored)) << stored,
                };
            let (a, b) = (power(&mut random), power(&mut random) | sign);
            tiny += compare(arithmetic(FloatOp::Mul), mode, [a, b, 0]);
            tiny += compare(arithmetic(FloatOp::Div), mode, [a, b, 0]);
            let (a, b) = (
                number(&mut random, 0, 2 * bias),
                number(&mut random, 0, 2 * bias) | sign,
            );
            tiny += compare(arithmetic(FloatOp::Mul), mode, [a, b, 0]);
            tiny += compare(arithmetic(FloatOp::Div), mode, [a, b, 0]);
        }
        assert!(tiny > 4000, "{tiny}");
    }
}

#[test]
fn conditions_of_conversions_are_the_flags() {
    let mut random = Random::new(5);
    for &from in FloatFormat::NAMED {
        for (n, args) in operands(from, 9, 300).into_iter().step_by(31).enumerate() {
            let mode = RoundingMode::ALL[n % 5];
            for &to in FloatFormat::NAMED {
                if to != from {
                    compare(Raiser::Cast(from, to), mode, args);
                }
            }
            for w in [8, 32, 64, 128] {
                let signed = n % 2 == 0;
                compare(Raiser::ToInteger { signed, w, from }, mode, args);
                let number = integer(&mut random) & (u128::MAX >> (128 - w));
                let of_integer = Raiser::FromInteger {
                    signed,
                    w,
                    to: from,
                };
                compare(of_integer, mode, [number; 3]);
            }
        }
    }
}

/// The flags in the processor's order that `raised` finds; `invalid` is that of a result that is a new NaN.
#[cfg(target_arch = "x86_64")]
fn word(op: Raiser, mode: RoundingMode, args: [u128; 3]) -> u32 {
    let flags = [
        (Check::FpInvalid, 0),
        (Check::FpDiv, 2),
        (Check::FpOverflow, 3),
        (Check::FpUnderflow, 4),
        (Check::FpInexact, 5),
    ];
    let found = flags
        .iter()
        .filter(|(what, _)| raised(*what, op, mode, args));
    found.map(|(_, bit)| 1 << bit).sum()
}

/// All flags but that of subnormal operands, which is no exception of IEEE 754.
#[cfg(target_arch = "x86_64")]
const EXCEPTIONS: u32 = 0x3d;

#[cfg(target_arch = "x86_64")]
#[test]
fn the_processor_has_the_same_flags() {
    use FloatFormat as F;
    for format in [F::SINGLE, F::DOUBLE, F::X87] {
        for (op, instruction) in [
            (FloatOp::Add, Operation::Add),
            (FloatOp::Sub, Operation::Subtract),
            (FloatOp::Mul, Operation::Multiply),
            (FloatOp::Div, Operation::Divide),
            (FloatOp::Sqrt, Operation::SquareRoot),
        ] {
            for (n, args) in operands(format, 11, 20_000)
                .into_iter()
                .step_by(5)
                .enumerate()
            {
                // What follows from a NaN is not reported again.
                if args[..2].iter().any(|&x| pattern::is_nan(format, x)) {
                    continue;
                }
                let mode = HARDWARE[n % 4];
                let pair = [args[0], args[1]];
                let (_, status) = if format == F::X87 {
                    x87::operation(instruction, mode, pair)
                } else {
                    sse::operation(instruction, format, mode, pair)
                };
                let ours = word(Raiser::Arithmetic(op, format), mode, args);
                assert_eq!(
                    ours,
                    status & EXCEPTIONS,
                    "{format:?} {op:?} {mode:?} {args:x?}"
                );
            }
        }
    }
    for (n, args) in operands(F::DOUBLE, 13, 20_000)
        .into_iter()
        .step_by(5)
        .enumerate()
    {
        let mode = HARDWARE[n % 4];
        if pattern::is_nan(F::DOUBLE, args[0]) {
            continue;
        }
        let (_, status) = sse::convert(F::DOUBLE, mode, args[0]);
        let ours = word(Raiser::Cast(F::DOUBLE, F::SINGLE), mode, args);
        assert_eq!(ours, status & EXCEPTIONS, "{mode:?} {args:x?}");
    }
}
