//! `runtime/softfloat` against three others: Berkeley's soft-float (binary32 and binary64, all rounding modes,
//! flags), the processor (SSE and x87, its four rounding modes, flags, NaNs), and the machine's own concrete
//! arithmetic (every function that the engine enters).
//!
//! All pairs of special values and POLYPATH_SOFT_FLOAT random cases per operation (default 1000; millions by command:
//! `POLYPATH_SOFT_FLOAT=2000000 cargo test -p polypath-exec --release --test suite soft_float::`).

// By the name that the tests of crate `float`, whose operands these are, have for it.

mod library;

use crate::operands::{integer, operands, specials};
use float::pattern;
use ir::{ConvOp, FloatFormat, FloatPredicate, SoftOp};
use library::{Library, Operation, Rounding, Value, library, number};
use polypath_exec::concrete_float as machine_float;
use softfloat_wrapper::{ExceptionFlags, F32, F64, Float, RoundingMode};
use testkit::Random;

/// The functions round to nearest, as the machine does where it enters them.
const NEAREST: float::RoundingMode = float::RoundingMode::NearestEven;

const FORMATS: [FloatFormat; 3] = [FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::X87];

fn cases() -> usize {
    let given = std::env::var("POLYPATH_SOFT_FLOAT");
    given.ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// Feeds all pairs of special values and random pairs (with a third operand) to `check`.
fn feed(format: FloatFormat, seed: u64, mut check: impl FnMut(&mut Random, [u128; 3])) {
    let mut random = Random::new(seed);
    for args in operands(format, seed, cases()) {
        check(&mut random, args);
    }
}

fn values(v: [u128; 3]) -> [Value; 3] {
    v.map(Value::of)
}

/// Berkeley's answer: bits, and flags as ours.
fn berkeley<F: Float>(
    op: Operation,
    mode: RoundingMode,
    v: [u128; 3],
    make: fn(u128) -> F,
    bits: fn(&F) -> u128,
) -> (u128, u32) {
    let [a, b, c] = v.map(make);
    let mut flags = ExceptionFlags::default();
    flags.set();
    let r = match op {
        Operation::Add => bits(&a.add(b, mode)),
        Operation::Sub => bits(&a.sub(b, mode)),
        Operation::Mul => bits(&a.mul(b, mode)),
        Operation::Div => bits(&a.div(b, mode)),
        Operation::Sqrt => bits(&a.sqrt(mode)),
        Operation::Fma => bits(&a.fused_mul_add(b, c, mode)),
        Operation::Round => bits(&a.round_to_integral(mode)),
        Operation::Eq => a.eq(b).into(),
        Operation::Lt => a.lt(b).into(),
        Operation::Le => a.le(b).into(),
        Operation::FromS64 => bits(&F::from_i64(v[0] as u64 as i64, mode)),
        Operation::FromU64 => bits(&F::from_u64(v[0] as u64, mode)),
        Operation::ToF32 => a.to_f32(mode).to_bits().into(),
        Operation::ToF64 => a.to_f64(mode).to_bits().into(),
        _ => unreachable!("{op:?} is not compared"),
    };
    flags.get();
    // Berkeley: inexact 1, underflow 2, overflow 4, infinite 8, invalid 16; ours is the other way round.
    let theirs = u32::from(flags.to_bits());
    let ours = (0..5).map(|i| (theirs >> i & 1) << (4 - i)).sum::<u32>();
    (r, ours)
}

fn mode(rounding: Rounding) -> RoundingMode {
    match rounding {
        Rounding::NearestEven => RoundingMode::TiesToEven,
        Rounding::NearestAway => RoundingMode::TiesToAway,
        Rounding::Upward => RoundingMode::TowardPositive,
        Rounding::Downward => RoundingMode::TowardNegative,
        Rounding::TowardZero => RoundingMode::TowardZero,
    }
}

fn against_berkeley(lib: &Library, format: FloatFormat) {
    use Operation as O;
    for op in [
        O::Add,
        O::Sub,
        O::Mul,
        O::Div,
        O::Sqrt,
        O::Fma,
        O::Round,
        O::Eq,
        O::Lt,
        O::Le,
        O::FromS64,
        O::FromU64,
        O::ToF32,
        O::ToF64,
    ] {
        feed(format, op as u64, |random, mut v| {
            if matches!(op, O::FromS64 | O::FromU64) {
                v[0] = u128::from(integer(random) as u64);
            }
            let rounding = Rounding::ALL[random.below(5) as usize];
            let (ours, flags) = lib.soft(number(format), op, rounding, values(v));
            let (theirs, their_flags) = match format {
                FloatFormat::SINGLE => berkeley::<F32>(
                    op,
                    mode(rounding),
                    v,
                    |b| F32::from_bits(b as u32),
                    |x| x.to_bits().into(),
                ),
                _ => berkeley::<F64>(
                    op,
                    mode(rounding),
                    v,
                    |b| F64::from_bits(b as u64),
                    |x| x.to_bits().into(),
                ),
            };
            let same_format = matches!(
                (op, format),
                (O::ToF32, FloatFormat::SINGLE) | (O::ToF64, FloatFormat::DOUBLE)
            );
            let nan = pattern::is_nan(result_format(op, format), ours.bits());
            // musl's fma adds a zero after rounding.
            if op == O::Fma && format == FloatFormat::DOUBLE && v[2] << 65 == 0 {
                return;
            }
            // musl's functions give a NaN back as it is; of fma's NaNs the choice is free.
            if nan && matches!(op, O::Round | O::Fma) || same_format {
                assert!(pattern::is_nan(result_format(op, format), theirs) == nan);
                return;
            }
            // Berkeley's rounding says nothing of inexact results; x87's does.
            let flags = if op == O::Round { 0 } else { flags };
            assert_eq!(
                (ours.bits(), flags),
                (theirs, their_flags),
                "{format:?} {op:?} {rounding:?} {:#x} {:#x} {:#x}",
                v[0],
                v[1],
                v[2]
            );
        });
    }
}

fn result_format(op: Operation, format: FloatFormat) -> FloatFormat {
    match op {
        Operation::ToF32 => FloatFormat::SINGLE,
        Operation::ToF64 => FloatFormat::DOUBLE,
        Operation::ToF80 => FloatFormat::X87,
        _ => format,
    }
}

#[test]
fn single_agrees_with_berkeley() {
    if let Some(lib) = library() {
        against_berkeley(lib, FloatFormat::SINGLE);
    }
}

#[test]
fn double_agrees_with_berkeley() {
    if let Some(lib) = library() {
        against_berkeley(lib, FloatFormat::DOUBLE);
    }
}

/// The processor has everything but rounding away; x87 alone has `fprem`, 16-bit integers and rounding to an
/// integral value.
#[test]
fn results_flags_and_nans_are_the_processors() {
    use Operation as O;
    let Some(lib) = library() else { return };
    let both = [
        O::Add,
        O::Sub,
        O::Mul,
        O::Div,
        O::Sqrt,
        O::Eq,
        O::Lt,
        O::Le,
        O::ToS32,
        O::ToS64,
        O::FromS64,
        O::ToF32,
        O::ToF64,
        O::ToF80,
    ];
    for format in FORMATS {
        let x87 = format == FloatFormat::X87;
        let more: &[Operation] = if x87 {
            &[O::Rem, O::Round, O::ToS16]
        } else {
            &[]
        };
        for &op in both.iter().chain(more) {
            if result_format(op, format) == format && matches!(op, O::ToF32 | O::ToF64 | O::ToF80) {
                continue;
            }
            feed(format, 100 + op as u64, |random, mut v| {
                if op == O::FromS64 {
                    v[0] = u128::from(integer(random) as u64);
                }
                let rounding = Rounding::ALL[[0, 2, 3, 4][random.below(4) as usize]];
                let (ours, flags) = lib.soft(number(format), op, rounding, values(v));
                let (theirs, mut their_flags) = lib.hard(number(format), op, rounding, values(v));
                if op == O::Round && pattern::is_nan(format, v[0]) {
                    return; // musl's functions give it back as it is
                }
                if op == O::Rem {
                    their_flags = flags;
                }
                assert_eq!(
                    (ours, flags),
                    (theirs, their_flags),
                    "{format:?} {op:?} {rounding:?} {:#x} {:#x}",
                    v[0],
                    v[1]
                );
            });
        }
    }
}

/// What the machine computes on concrete values.
fn machine(op: SoftOp, v: [u128; 3]) -> Option<u128> {
    Some(match op {
        SoftOp::Bin(op, f) => machine_float::bin(op, f, NEAREST, v[0], v[1]),
        SoftOp::Un(op, f) => machine_float::un(op, f, NEAREST, v[0]),
        SoftOp::Fma(f) => machine_float::fma(f, NEAREST, v[0], v[1], v[2]),
        SoftOp::Cmp(p, f) => machine_float::cmp(p, f, v[0], v[1]).into(),
        SoftOp::Cast(from, to) => machine_float::cast(from, to, NEAREST, v[0]),
        SoftOp::ToInt {
            format,
            signed,
            width,
        } => {
            let op = if signed {
                ConvOp::FloatToSigned
            } else {
                ConvOp::FloatToUnsigned
            };
            machine_float::conv(op, false, format, NEAREST, width, v[0])
        }
        SoftOp::FromInt { format, signed } => {
            let op = if signed {
                ConvOp::SignedToFloat
            } else {
                ConvOp::UnsignedToFloat
            };
            machine_float::conv(op, false, format, NEAREST, 64, v[0])
        }
    })
}

#[test]
fn every_function_computes_what_the_machine_does() {
    let Some(lib) = library() else { return };
    let mut compared = 0;
    for (i, op) in SoftOp::all().into_iter().enumerate() {
        let format = match op {
            SoftOp::Bin(_, f) | SoftOp::Un(_, f) | SoftOp::Fma(f) | SoftOp::Cmp(_, f) => f,
            SoftOp::Cast(from, _) => from,
            SoftOp::ToInt { format, .. } | SoftOp::FromInt { format, .. } => format,
        };
        feed(format, 1000 + i as u64, |random, mut v| {
            if matches!(op, SoftOp::FromInt { .. }) {
                v[0] = u128::from(integer(random) as u64);
            }
            let Some(expected) = machine(op, v) else {
                return;
            };
            compared += 1;
            assert_eq!(
                lib.entry(op, &values(v)),
                expected,
                "{op:?} {:#x} {:#x} {:#x}",
                v[0],
                v[1],
                v[2]
            );
        });
    }
    assert!(compared > 500_000, "{compared}");
}

/// `u` predicates hold on NaN, `o` predicates do not; both agree on numbers.
#[test]
fn predicates_come_in_pairs() {
    use FloatPredicate as P;
    let Some(lib) = library() else { return };
    let nan = |f| {
        specials(f)
            .into_iter()
            .filter(move |&x| pattern::is_nan(f, x))
    };
    for format in FORMATS {
        for (ordered, unordered) in [
            (P::Oeq, P::Ueq),
            (P::Ogt, P::Ugt),
            (P::Oge, P::Uge),
            (P::Olt, P::Ult),
            (P::Ole, P::Ule),
            (P::One, P::Une),
        ] {
            let holds = |p, a, b| lib.entry(SoftOp::Cmp(p, format), &values([a, b, 0])) != 0;
            for a in specials(format) {
                for b in nan(format) {
                    assert!(!holds(ordered, a, b) && holds(unordered, b, a));
                }
                assert!(
                    pattern::is_nan(format, a) || holds(ordered, a, a) == holds(unordered, a, a)
                );
            }
        }
    }
}
