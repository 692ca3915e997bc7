//! Concrete semantics of the float instructions: those of crate `float` as x86-64 code has them, in a rounding mode; and
//! the conversions to integers that compilers make of one instruction or two.
//!
//! Bits of formats above 64 bits are two limbs.

use float::{FloatFormat, FloatPredicate, Operation, Reading, RoundingMode, pattern};
use ir::{ConvOp, FloatBinOp, FloatUnOp};

/// The bits of a float.
pub type Bits = u128;

#[inline]
fn apply(op: Operation, format: FloatFormat, mode: RoundingMode, args: [Bits; 3]) -> Bits {
    pattern::apply(op, format, Reading::Machine, mode, args)
}

/// A binary operation.
#[inline]
pub fn bin(op: FloatBinOp, format: FloatFormat, mode: RoundingMode, a: Bits, b: Bits) -> Bits {
    let operation = match op {
        FloatBinOp::Add => Operation::Add,
        FloatBinOp::Sub => Operation::Subtract,
        FloatBinOp::Mul => Operation::Multiply,
        FloatBinOp::Div => Operation::Divide,
        FloatBinOp::Rem => Operation::Modulo,
        FloatBinOp::Min => Operation::Minimum,
        FloatBinOp::Max => Operation::Maximum,
        FloatBinOp::CopySign => return pattern::copy_sign(format, a, b),
    };
    apply(operation, format, mode, [a, b, 0])
}

/// A unary operation.
#[inline]
pub fn un(op: FloatUnOp, format: FloatFormat, mode: RoundingMode, a: Bits) -> Bits {
    let mode = match op {
        FloatUnOp::Neg => return pattern::negate(format, a),
        FloatUnOp::Abs => return pattern::absolute(format, a),
        FloatUnOp::Sqrt => {
            return apply(Operation::SquareRoot, format, mode, [a, 0, 0]);
        }
        FloatUnOp::Floor => RoundingMode::TowardNegative,
        FloatUnOp::Ceil => RoundingMode::TowardPositive,
        FloatUnOp::Trunc => RoundingMode::TowardZero,
        FloatUnOp::RoundEven => RoundingMode::NearestEven,
        FloatUnOp::RoundCurrent => mode,
        FloatUnOp::RoundAway => RoundingMode::NearestAway,
    };
    apply(Operation::RoundToIntegral, format, mode, [a, 0, 0])
}

/// `a * b + c`, rounded once.
pub fn fma(format: FloatFormat, mode: RoundingMode, a: Bits, b: Bits, c: Bits) -> Bits {
    apply(Operation::MultiplyAdd, format, mode, [a, b, c])
}

/// A comparison.
#[inline]
pub fn cmp(op: FloatPredicate, format: FloatFormat, a: Bits, b: Bits) -> bool {
    op.holds(pattern::compare(format, a, b))
}

/// From one format to another.
pub fn cast(from: FloatFormat, to: FloatFormat, mode: RoundingMode, a: Bits) -> Bits {
    pattern::convert(from, to, Reading::Machine, mode, a)
}

/// Between a float and an integer of `w <= 128` bits. What does not fit is undefined in LLVM; here it is what x86-64
/// code gives, unless `saturating`, where NaN gives 0 and the rest saturates.
pub fn conv(
    op: ConvOp,
    saturating: bool,
    format: FloatFormat,
    mode: RoundingMode,
    w: u8,
    a: u128,
) -> u128 {
    let all = u128::MAX >> (128 - w);
    match op {
        ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => {
            let signed = op == ConvOp::FloatToSigned;
            if saturating {
                return to_int(format, signed, w, a)
                    .unwrap_or_else(|| saturated(format, signed, w, a));
            }
            if w > 64 {
                return all & by_library(signed, format, a);
            }
            all & match (signed, instruction_width(signed, format, w)) {
                (true, through) => to_signed(format, through, a),
                // Two signed conversions; negative numbers wrap around.
                (false, through) if w > 32 => to_unsigned(format, through, a),
                (false, through) => to_signed(format, through, a),
            }
        }
        ConvOp::SignedToFloat | ConvOp::UnsignedToFloat => {
            let signed = op == ConvOp::SignedToFloat;
            pattern::from_integer(format, mode, signed, w.into(), a)
        }
    }
}

/// Towards zero into `w` bits, if it fits.
fn to_int(format: FloatFormat, signed: bool, w: u8, a: Bits) -> Option<u128> {
    pattern::to_integer(format, RoundingMode::TowardZero, signed, w.into(), a)
}

/// The end of the range of `w` bits that is nearest to what does not fit; 0 for NaN.
fn saturated(format: FloatFormat, signed: bool, w: u8, a: Bits) -> u128 {
    let least = if signed { 1 << (w - 1) } else { 0 };
    match (pattern::is_nan(format, a), is_negative(format, a)) {
        (true, _) => 0,
        (_, true) => least,
        _ => (u128::MAX >> (128 - w)) ^ least,
    }
}

fn is_negative(format: FloatFormat, a: Bits) -> bool {
    a >> (format.bits() - 1) & 1 != 0
}

/// The width of the instruction that converts to an integer of `w` bits: `cvttss2si` and `cvttsd2si` have 32 and
/// 64 bits, `fistp` also 16. A narrower or unsigned integer is cut off its result.
pub fn instruction_width(signed: bool, format: FloatFormat, w: u8) -> u8 {
    let needs = w + u8::from(!signed);
    match needs {
        _ if format == FloatFormat::X87 && (w <= 8 || needs <= 16) => 16,
        0..=32 => 32,
        33..=65 if w <= 64 => 64,
        _ => 128,
    }
}

/// The NaN that libgcc's functions return in 128 bits: twice the one that an instruction returns in 64.
pub const WIDE_NAN: u128 = LEAST << 64 | LEAST;
const LEAST: u128 = 1 << 63;

/// libgcc's conversion to 128 bits (`__fixdfti`, `__fixunsdfti` and those of the other formats), of which integers of
/// more than 64 bits are the lower ones: a magnitude of 2^128 or more counts as 0. Negative numbers as unsigned
/// ones are 0 in x87's format; of the others each half is converted by instructions for 64 bits.
fn by_library(signed: bool, format: FloatFormat, a: Bits) -> u128 {
    if pattern::is_nan(format, a) {
        return WIDE_NAN;
    }
    let sign = 1 << (format.bits() - 1);
    let magnitude = to_int(format, false, 128, a & !sign);
    let wrapped = magnitude.unwrap_or(0);
    match (signed, is_negative(format, a)) {
        (_, false) => wrapped,
        (true, true) => wrapped.wrapping_neg(),
        (false, true) if format == FloatFormat::X87 => 0,
        (false, true) => {
            let half = |n: Option<u128>| match n {
                Some(n) if n <= LEAST => n.wrapping_neg() & u128::from(u64::MAX),
                _ => LEAST,
            };
            let (upper, lower) = (
                magnitude.map(|m| m >> 64),
                magnitude.filter(|m| m >> 64 == 0),
            );
            half(upper) << 64 | half(lower)
        }
    }
}

/// x86's conversion: what does not fit gives the smallest integer.
fn to_signed(format: FloatFormat, w: u8, a: Bits) -> u128 {
    to_int(format, true, w, a).unwrap_or(1 << (w - 1))
}

fn to_unsigned(format: FloatFormat, w: u8, a: Bits) -> u128 {
    match to_int(format, false, w, a) {
        Some(n) => n,
        // The code for x87 subtracts 2^63 first; what is left is still too large.
        None if format == FloatFormat::X87
            && !is_negative(format, a)
            && !pattern::is_nan(format, a) =>
        {
            0
        }
        None => to_signed(format, w, a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(x: f64) -> Bits {
        Bits::from(x.to_bits())
    }

    #[test]
    fn integers_convert_both_ways() {
        for x in [0.0, -1.5, 1e18, 123456.789, -0.0, 4294967295.5] {
            let i = conv(
                ConvOp::FloatToSigned,
                false,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                64,
                d(x),
            );
            assert_eq!(i as u64 as i64, x as i64);
        }
        assert_eq!(
            conv(
                ConvOp::FloatToSigned,
                false,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                32,
                d(1e10)
            ),
            1 << 31
        );
        assert_eq!(
            conv(
                ConvOp::FloatToSigned,
                true,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                32,
                d(1e10)
            ),
            0x7fff_ffff
        );
        assert_eq!(
            conv(
                ConvOp::FloatToSigned,
                true,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                32,
                d(f64::NAN)
            ),
            0
        );
        assert_eq!(
            conv(
                ConvOp::SignedToFloat,
                false,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                32,
                0xffff_ffff
            ),
            d(-1.0)
        );
    }

    /// As clang-19's code at -O0 has it (`fptosi`, `fptoui` to i8, i16, i32, i64).
    #[test]
    fn what_does_not_fit_converts_as_on_x86() {
        use ConvOp::{FloatToSigned as S, FloatToUnsigned as U};
        for (x, op, w, double, long) in [
            (300.0, S, 8, 44, 44),
            (-1.0, U, 8, 255, 255),
            (70000.0, S, 16, 4464, 0x8000),
            (70000.0, U, 16, 4464, 4464),
            (70000.0, S, 8, 112, 0),
            (1e10, S, 32, 0x8000_0000, 0x8000_0000),
            (-1.0, U, 32, 0xffff_ffff, 0xffff_ffff),
            (1e10, U, 32, 0x540b_e400, 0x540b_e400),
            (1e20, U, 32, 0, 0),
            (-1.0, U, 64, u64::MAX, u64::MAX),
            (
                1e19,
                U,
                64,
                10_000_000_000_000_000_000,
                10_000_000_000_000_000_000,
            ),
            (1e20, U, 64, 1 << 63, 0),
            (f64::NAN, U, 64, 1 << 63, 1 << 63),
            (f64::NAN, S, 16, 0, 0x8000),
        ] {
            assert_eq!(
                conv(
                    op,
                    false,
                    FloatFormat::DOUBLE,
                    RoundingMode::NearestEven,
                    w,
                    d(x)
                ),
                double.into(),
                "{x} {op:?} {w}"
            );
            let extended = cast(
                FloatFormat::DOUBLE,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                d(x),
            );
            assert_eq!(
                conv(
                    op,
                    false,
                    FloatFormat::X87,
                    RoundingMode::NearestEven,
                    w,
                    extended
                ),
                long.into(),
                "x87 {x} {op:?} {w}"
            );
        }
    }

    #[test]
    fn nans_have_the_bits_of_x86() {
        let quiet = |payload: u64| Bits::from(0x7ff8_0000_0000_0000 | payload);
        let loud = Bits::from(0x7ff0_0000_0000_0001u64);
        let negative = Bits::from(0xfff8_0000_0000_0000u64);
        let add = |a, b| {
            bin(
                FloatBinOp::Add,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                a,
                b,
            )
        };
        assert_eq!(add(quiet(3), quiet(5)), quiet(3));
        assert_eq!(add(d(1.0), loud), quiet(1));
        assert_eq!(
            bin(
                FloatBinOp::Div,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                d(0.0),
                d(0.0)
            ),
            negative
        );
        assert_eq!(
            un(
                FloatUnOp::Sqrt,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                d(-1.0)
            ),
            negative
        );
        assert_eq!(
            un(
                FloatUnOp::Floor,
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                loud
            ),
            loud
        );
        assert_eq!(
            fma(
                FloatFormat::DOUBLE,
                RoundingMode::NearestEven,
                d(f64::INFINITY),
                d(0.0),
                quiet(7)
            ),
            negative
        );
        assert_eq!(
            cast(
                FloatFormat::DOUBLE,
                FloatFormat::SINGLE,
                RoundingMode::NearestEven,
                loud
            ),
            0x7fc0_0000
        );
        let [a, b] = [quiet(3), quiet(5)].map(|x| {
            cast(
                FloatFormat::DOUBLE,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                x,
            )
        });
        assert_eq!(
            bin(
                FloatBinOp::Add,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                a,
                b
            ),
            b
        );
        assert_eq!(
            bin(
                FloatBinOp::Sub,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                b,
                b
            ),
            b
        );
        let unsupported = 0x3fff_u128 << 64 | 1;
        let invalid = 0xffff_u128 << 64 | 3 << 62;
        assert_eq!(
            bin(
                FloatBinOp::Add,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                unsupported,
                a
            ),
            invalid
        );
        let infinity = 0x7fff_u128 << 64 | 1 << 63;
        assert_eq!(
            bin(
                FloatBinOp::Sub,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                infinity,
                infinity
            ),
            invalid
        );
    }

    #[test]
    fn x87_round_trips_doubles() {
        for x in [1.0, -3.25, 1e300, 5e-324] {
            let l = cast(
                FloatFormat::DOUBLE,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                d(x),
            );
            assert_eq!(
                cast(
                    FloatFormat::X87,
                    FloatFormat::DOUBLE,
                    RoundingMode::NearestEven,
                    l
                ),
                d(x)
            );
            let s = bin(
                FloatBinOp::Add,
                FloatFormat::X87,
                RoundingMode::NearestEven,
                l,
                l,
            );
            assert_eq!(
                cast(
                    FloatFormat::X87,
                    FloatFormat::DOUBLE,
                    RoundingMode::NearestEven,
                    s
                ),
                d(x + x)
            );
        }
    }

    #[test]
    fn predicates_on_nan() {
        let nan = d(f64::NAN);
        assert!(cmp(FloatPredicate::Uno, FloatFormat::DOUBLE, nan, nan));
        assert!(cmp(FloatPredicate::Une, FloatFormat::DOUBLE, nan, nan));
        assert!(!cmp(FloatPredicate::One, FloatFormat::DOUBLE, nan, nan));
    }
}
