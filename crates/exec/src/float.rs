//! Concrete IEEE arithmetic on register bits, round to nearest even.
//!
//! Single and double run on the host; half, bfloat, x87 and quad on `rustc_apfloat` (exact, slower:
//! libc's `printf` and `strtod` use x87 `long double`). Bits are two limbs, the high one zero for
//! formats of up to 64 bits. Bits of NaNs are those of x86 (`float_nan`): the host's compiler may swap
//! operands, and `rustc_apfloat` has rules of its own.

use crate::float_nan as nan;
pub use crate::float_nan::is_nan;
use ir::{ConvOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp};
use rustc_apfloat::{Float, FloatConvert, Round, ieee};
use std::cmp::Ordering;

/// The bits of a float.
pub type Bits = u128;

macro_rules! with_format {
    ($format:expr, $F:ident => $body:expr) => {
        match $format {
            FloatFormat::Half => {
                type $F = ieee::Half;
                $body
            }
            FloatFormat::BFloat => {
                type $F = ieee::BFloat;
                $body
            }
            FloatFormat::Single => {
                type $F = ieee::Single;
                $body
            }
            FloatFormat::Double => {
                type $F = ieee::Double;
                $body
            }
            FloatFormat::X87 => {
                type $F = ieee::X87DoubleExtended;
                $body
            }
            FloatFormat::Quad => {
                type $F = ieee::Quad;
                $body
            }
        }
    };
}

/// A binary operation.
#[inline]
pub fn bin(op: FloatBinOp, format: FloatFormat, a: Bits, b: Bits) -> Bits {
    match (op, format) {
        (FloatBinOp::Min, _) => min_max(FloatPredicate::Olt, format, a, b),
        (FloatBinOp::Max, _) => min_max(FloatPredicate::Ogt, format, a, b),
        (FloatBinOp::CopySign, _) => {
            let sign = 1 << (format.bits() - 1);
            a & !sign | b & sign
        }
        (_, FloatFormat::Double) => {
            let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            let r = arithmetic(op, x, y);
            if r.is_nan() {
                nan::result(format, a, b)
            } else {
                Bits::from(r.to_bits())
            }
        }
        (_, FloatFormat::Single) => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let r = arithmetic(op, x, y);
            if r.is_nan() {
                nan::result(format, a, b)
            } else {
                Bits::from(r.to_bits())
            }
        }
        _ if nan::is_nan(format, a) || nan::is_nan(format, b) => nan::result(format, a, b),
        _ => with_format!(format, F => {
            let (x, y) = (F::from_bits(a), F::from_bits(b));
            let r = match op {
                FloatBinOp::Add => (x + y).value,
                FloatBinOp::Sub => (x - y).value,
                FloatBinOp::Mul => (x * y).value,
                FloatBinOp::Div => (x / y).value,
                FloatBinOp::Rem | FloatBinOp::Min | FloatBinOp::Max | FloatBinOp::CopySign => {
                    x.c_fmod(y).value
                }
            };
            if r.is_nan() { nan::default(format) } else { r.to_bits() }
        }),
    }
}

/// On the host; the caller handles NaNs, and the operations that are not arithmetic.
#[inline]
fn arithmetic<T>(op: FloatBinOp, x: T, y: T) -> T
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>
        + std::ops::Rem<Output = T>,
{
    match op {
        FloatBinOp::Add => x + y,
        FloatBinOp::Sub => x - y,
        FloatBinOp::Mul => x * y,
        FloatBinOp::Div => x / y,
        FloatBinOp::Rem | FloatBinOp::Min | FloatBinOp::Max | FloatBinOp::CopySign => x % y,
    }
}

/// `minnum` and `maxnum` as x86 code has them: the operand that is a number; of equal ones the first.
fn min_max(better: FloatPredicate, format: FloatFormat, a: Bits, b: Bits) -> Bits {
    if nan::is_nan(format, a) || cmp(better, format, b, a) {
        b
    } else {
        a
    }
}

/// A unary operation; `None` for the square root of a format that the host lacks (the term pool
/// folds that one).
#[inline]
pub fn un(op: FloatUnOp, format: FloatFormat, a: Bits) -> Option<Bits> {
    let sign = 1 << (format.bits() - 1);
    match op {
        FloatUnOp::Neg => return Some(a ^ sign),
        FloatUnOp::Abs => return Some(a & !sign),
        FloatUnOp::Sqrt if nan::is_nan(format, a) || (a & sign != 0 && a != sign) => {
            return Some(nan::result(format, a, a));
        }
        // Through libm's functions, which give back what has no fraction.
        _ if op != FloatUnOp::Sqrt && nan::is_nan(format, a) => return Some(a),
        _ => {}
    }
    Some(match format {
        FloatFormat::Double => {
            let x = f64::from_bits(a as u64);
            let r = match op {
                FloatUnOp::Neg | FloatUnOp::Abs => x,
                FloatUnOp::Sqrt => x.sqrt(),
                FloatUnOp::Floor => x.floor(),
                FloatUnOp::Ceil => x.ceil(),
                FloatUnOp::Trunc => x.trunc(),
                FloatUnOp::RoundEven => x.round_ties_even(),
                FloatUnOp::RoundAway => x.round(),
            };
            Bits::from(r.to_bits())
        }
        FloatFormat::Single => {
            let x = f32::from_bits(a as u32);
            let r = match op {
                FloatUnOp::Neg | FloatUnOp::Abs => x,
                FloatUnOp::Sqrt => x.sqrt(),
                FloatUnOp::Floor => x.floor(),
                FloatUnOp::Ceil => x.ceil(),
                FloatUnOp::Trunc => x.trunc(),
                FloatUnOp::RoundEven => x.round_ties_even(),
                FloatUnOp::RoundAway => x.round(),
            };
            Bits::from(r.to_bits())
        }
        _ => with_format!(format, F => {
            let x = F::from_bits(a);
            let round = match op {
                FloatUnOp::Floor => Round::TowardNegative,
                FloatUnOp::Ceil => Round::TowardPositive,
                FloatUnOp::Trunc => Round::TowardZero,
                FloatUnOp::RoundAway => Round::NearestTiesToAway,
                FloatUnOp::Neg | FloatUnOp::Abs | FloatUnOp::RoundEven => Round::NearestTiesToEven,
                FloatUnOp::Sqrt => return None,
            };
            x.round_to_integral(round).value.to_bits()
        }),
    })
}

/// `a * b + c`, rounded once. As musl's functions have it where an operand is zero, infinite or NaN (see
/// `runtime/softfloat/fused.h`): without FMA instructions these are what runs natively.
pub fn fma(format: FloatFormat, a: Bits, b: Bits, c: Bits) -> Bits {
    let r = match format {
        FloatFormat::Double => {
            let f = |x: Bits| f64::from_bits(x as u64);
            let [x, y, z] = [a, b, c].map(f);
            let ordinary = |x: f64| x.is_finite() && x != 0.0;
            match ordinary(x) && ordinary(y) {
                true if ordinary(z) => Bits::from(x.mul_add(y, z).to_bits()),
                true if z != 0.0 => return c,
                _ => {
                    return bin(
                        FloatBinOp::Add,
                        format,
                        bin(FloatBinOp::Mul, format, a, b),
                        c,
                    );
                }
            }
        }
        FloatFormat::Single => {
            let f = |x: Bits| f32::from_bits(x as u32);
            Bits::from(f(a).mul_add(f(b), f(c)).to_bits())
        }
        _ => with_format!(format, F => {
            F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value.to_bits()
        }),
    };
    if nan::is_nan(format, r) {
        return bin(
            FloatBinOp::Add,
            format,
            bin(FloatBinOp::Mul, format, a, b),
            c,
        );
    }
    r
}

/// A comparison.
pub fn cmp(op: FloatPredicate, format: FloatFormat, a: Bits, b: Bits) -> bool {
    let order = match format {
        FloatFormat::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        FloatFormat::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ if nan::is_nan(format, a) || nan::is_nan(format, b) => None,
        _ => with_format!(format, F => F::from_bits(a).partial_cmp(&F::from_bits(b))),
    };
    use FloatPredicate as P;
    match op {
        P::Oeq => order == Some(Ordering::Equal),
        P::Ogt => order == Some(Ordering::Greater),
        P::Oge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        P::Olt => order == Some(Ordering::Less),
        P::Ole => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        P::One => matches!(order, Some(Ordering::Less | Ordering::Greater)),
        P::Ord => order.is_some(),
        P::Ueq => matches!(order, None | Some(Ordering::Equal)),
        P::Ugt => matches!(order, None | Some(Ordering::Greater)),
        P::Uge => matches!(order, None | Some(Ordering::Greater | Ordering::Equal)),
        P::Ult => matches!(order, None | Some(Ordering::Less)),
        P::Ule => matches!(order, None | Some(Ordering::Less | Ordering::Equal)),
        P::Une => order != Some(Ordering::Equal),
        P::Uno => order.is_none(),
    }
}

/// From one format to another.
pub fn cast(from: FloatFormat, to: FloatFormat, a: Bits) -> Bits {
    if nan::is_nan(from, a) {
        return nan::cast(from, to, a);
    }
    match (from, to) {
        (FloatFormat::Single, FloatFormat::Double) => {
            Bits::from(f64::from(f32::from_bits(a as u32)).to_bits())
        }
        (FloatFormat::Double, FloatFormat::Single) => {
            Bits::from((f64::from_bits(a as u64) as f32).to_bits())
        }
        _ => with_format!(from, F => with_format!(to, T => {
            let mut inexact = false;
            let r: T = convert(F::from_bits(a), &mut inexact);
            r.to_bits()
        })),
    }
}

fn convert<F: FloatConvert<T>, T: Float>(x: F, inexact: &mut bool) -> T {
    x.convert(inexact).value
}

/// Between a float and an integer of `w <= 128` bits. What does not fit is undefined in LLVM; here it is what x86-64
/// code gives, unless `saturating`, where NaN gives 0 and the rest saturates.
pub fn conv(op: ConvOp, saturating: bool, format: FloatFormat, w: u8, a: u128) -> u128 {
    let all = u128::MAX >> (128 - w);
    match op {
        ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => {
            let signed = op == ConvOp::FloatToSigned;
            if saturating {
                let (n, _) = to_int(format, signed, w, a);
                return if nan::is_nan(format, a) { 0 } else { n & all };
            }
            all & match (signed, instruction_width(signed, format, w)) {
                (true, through) => to_signed(format, through, a),
                // Two signed conversions; negative numbers wrap around.
                (false, through) if w > 32 && w <= 64 => to_unsigned(format, through, a),
                (false, through) if w <= 32 => to_signed(format, through, a),
                (false, _) => match to_int(format, false, w, a) {
                    (n, true) => n,
                    (_, false) => 1 << (w - 1),
                },
            }
        }
        ConvOp::SignedToFloat => with_format!(format, F => {
            let s = 128 - w;
            F::from_i128_r(((a << s) as i128) >> s, Round::NearestTiesToEven).value.to_bits()
        }),
        ConvOp::UnsignedToFloat => with_format!(format, F => {
            F::from_u128_r(a, Round::NearestTiesToEven).value.to_bits()
        }),
    }
}

/// Towards zero into `w` bits, saturating; and whether it fits.
fn to_int(format: FloatFormat, signed: bool, w: u8, a: Bits) -> (u128, bool) {
    let (w, mut exact) = (usize::from(w), false);
    let r = with_format!(format, F => {
        let x = F::from_bits(a);
        if signed {
            x.to_i128_r(w, Round::TowardZero, &mut exact).map(|n| n as u128)
        } else {
            x.to_u128_r(w, Round::TowardZero, &mut exact)
        }
    });
    let invalid = r.status.intersects(rustc_apfloat::Status::INVALID_OP);
    (r.value, !invalid && !nan::is_nan(format, a))
}

/// The width of the instruction that converts to an integer of `w` bits: `cvttss2si` and `cvttsd2si` have 32 and
/// 64 bits, `fistp` also 16. A narrower or unsigned integer is cut off its result.
pub fn instruction_width(signed: bool, format: FloatFormat, w: u8) -> u8 {
    let needs = w + u8::from(!signed);
    match needs {
        _ if format == FloatFormat::X87 && (w <= 8 || needs <= 16) => 16,
        0..=32 => 32,
        33..=65 => 64,
        _ => w,
    }
}

/// x86's conversion: what does not fit gives the smallest integer.
fn to_signed(format: FloatFormat, w: u8, a: Bits) -> u128 {
    match to_int(format, true, w, a) {
        (n, true) => n,
        (_, false) => u128::MAX << (w - 1),
    }
}

fn to_unsigned(format: FloatFormat, w: u8, a: Bits) -> u128 {
    let negative = a >> (format.bits() - 1) & 1 != 0;
    match to_int(format, false, w, a) {
        (n, true) => n,
        // The code for x87 subtracts 2^63 first; what is left is still too large.
        _ if format == FloatFormat::X87 && !negative && !nan::is_nan(format, a) => 0,
        _ => to_signed(format, w, a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(x: f64) -> Bits {
        Bits::from(x.to_bits())
    }

    #[test]
    fn double_and_apfloat_agree_on_conversions() {
        for x in [0.0, -1.5, 1e18, 123456.789, -0.0, 4294967295.5] {
            let i = conv(ConvOp::FloatToSigned, false, FloatFormat::Double, 64, d(x));
            assert_eq!(i as u64 as i64, x as i64);
        }
        assert_eq!(
            conv(
                ConvOp::FloatToSigned,
                false,
                FloatFormat::Double,
                32,
                d(1e10)
            ),
            1 << 31
        );
        assert_eq!(
            conv(
                ConvOp::FloatToSigned,
                true,
                FloatFormat::Double,
                32,
                d(1e10)
            ),
            0x7fff_ffff
        );
        assert_eq!(
            conv(
                ConvOp::FloatToSigned,
                true,
                FloatFormat::Double,
                32,
                d(f64::NAN)
            ),
            0
        );
        assert_eq!(
            conv(
                ConvOp::SignedToFloat,
                false,
                FloatFormat::Double,
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
        use FloatFormat::{Double, X87};
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
                conv(op, false, Double, w, d(x)),
                double.into(),
                "{x} {op:?} {w}"
            );
            let extended = cast(Double, X87, d(x));
            assert_eq!(
                conv(op, false, X87, w, extended),
                long.into(),
                "x87 {x} {op:?} {w}"
            );
        }
    }

    #[test]
    fn nans_have_the_bits_of_x86() {
        use FloatFormat::{Double, Single, X87};
        let quiet = |payload: u64| Bits::from(0x7ff8_0000_0000_0000 | payload);
        let loud = Bits::from(0x7ff0_0000_0000_0001u64);
        let negative = Bits::from(0xfff8_0000_0000_0000u64);
        let add = |a, b| bin(FloatBinOp::Add, Double, a, b);
        assert_eq!(add(quiet(3), quiet(5)), quiet(3));
        assert_eq!(add(d(1.0), loud), quiet(1));
        assert_eq!(bin(FloatBinOp::Div, Double, d(0.0), d(0.0)), negative);
        assert_eq!(un(FloatUnOp::Sqrt, Double, d(-1.0)), Some(negative));
        assert_eq!(un(FloatUnOp::Floor, Double, loud), Some(loud));
        assert_eq!(fma(Double, d(f64::INFINITY), d(0.0), quiet(7)), negative);
        assert_eq!(cast(Double, Single, loud), 0x7fc0_0000);
        let [a, b] = [quiet(3), quiet(5)].map(|x| cast(Double, X87, x));
        assert_eq!(bin(FloatBinOp::Add, X87, a, b), b);
        assert_eq!(bin(FloatBinOp::Sub, X87, b, b), b);
        let unsupported = 0x3fff_u128 << 64 | 1;
        let invalid = 0xffff_u128 << 64 | 3 << 62;
        assert_eq!(bin(FloatBinOp::Add, X87, unsupported, a), invalid);
        let infinity = 0x7fff_u128 << 64 | 1 << 63;
        assert_eq!(bin(FloatBinOp::Sub, X87, infinity, infinity), invalid);
    }

    #[test]
    fn x87_round_trips_doubles() {
        for x in [1.0, -3.25, 1e300, 5e-324] {
            let l = cast(FloatFormat::Double, FloatFormat::X87, d(x));
            assert_eq!(cast(FloatFormat::X87, FloatFormat::Double, l), d(x));
            let s = bin(FloatBinOp::Add, FloatFormat::X87, l, l);
            assert_eq!(cast(FloatFormat::X87, FloatFormat::Double, s), d(x + x));
        }
    }

    #[test]
    fn predicates_on_nan() {
        let nan = d(f64::NAN);
        assert!(cmp(FloatPredicate::Uno, FloatFormat::Double, nan, nan));
        assert!(cmp(FloatPredicate::Une, FloatFormat::Double, nan, nan));
        assert!(!cmp(FloatPredicate::One, FloatFormat::Double, nan, nan));
    }
}
