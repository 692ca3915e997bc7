//! Concrete IEEE arithmetic on register bits, round to nearest even.
//!
//! Single and double run on the host; half, bfloat, x87 and quad on `rustc_apfloat` (exact, slower:
//! libc's `printf` and `strtod` use x87 `long double`). Bits are two limbs, the high one zero for
//! formats of up to 64 bits. A NaN result is the format's quiet NaN as x86 makes it (sign set for
//! invalid operations is not modelled: NaN payloads are unspecified).

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
pub fn bin(op: FloatBinOp, format: FloatFormat, a: Bits, b: Bits) -> Bits {
    match format {
        FloatFormat::Double => {
            let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            let r = match op {
                FloatBinOp::Add => x + y,
                FloatBinOp::Sub => x - y,
                FloatBinOp::Mul => x * y,
                FloatBinOp::Div => x / y,
                FloatBinOp::Rem => x % y,
                FloatBinOp::Min => x.min(y),
                FloatBinOp::Max => x.max(y),
                FloatBinOp::CopySign => x.copysign(y),
            };
            Bits::from(r.to_bits())
        }
        FloatFormat::Single => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let r = match op {
                FloatBinOp::Add => x + y,
                FloatBinOp::Sub => x - y,
                FloatBinOp::Mul => x * y,
                FloatBinOp::Div => x / y,
                FloatBinOp::Rem => x % y,
                FloatBinOp::Min => x.min(y),
                FloatBinOp::Max => x.max(y),
                FloatBinOp::CopySign => x.copysign(y),
            };
            Bits::from(r.to_bits())
        }
        _ => with_format!(format, F => {
            let (x, y) = (F::from_bits(a), F::from_bits(b));
            let r = match op {
                FloatBinOp::Add => (x + y).value,
                FloatBinOp::Sub => (x - y).value,
                FloatBinOp::Mul => (x * y).value,
                FloatBinOp::Div => (x / y).value,
                FloatBinOp::Rem => x.c_fmod(y).value,
                FloatBinOp::Min => x.min(y),
                FloatBinOp::Max => x.max(y),
                FloatBinOp::CopySign => x.copy_sign(y),
            };
            r.to_bits()
        }),
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

/// `a * b + c`, rounded once.
pub fn fma(format: FloatFormat, a: Bits, b: Bits, c: Bits) -> Bits {
    match format {
        FloatFormat::Double => {
            let f = |x: Bits| f64::from_bits(x as u64);
            Bits::from(f(a).mul_add(f(b), f(c)).to_bits())
        }
        FloatFormat::Single => {
            let f = |x: Bits| f32::from_bits(x as u32);
            Bits::from(f(a).mul_add(f(b), f(c)).to_bits())
        }
        _ => with_format!(format, F => {
            F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value.to_bits()
        }),
    }
}

/// A comparison.
pub fn cmp(op: FloatPredicate, format: FloatFormat, a: Bits, b: Bits) -> bool {
    let order = match format {
        FloatFormat::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        FloatFormat::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
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

/// Between a float and an integer of `w <= 128` bits. Out of range: x86's "integer indefinite"
/// (only the top bit set) unless `saturating`, where NaN gives 0 and the rest saturates.
pub fn conv(op: ConvOp, saturating: bool, format: FloatFormat, w: u8, a: u128) -> u128 {
    let w = usize::from(w);
    let all = u128::MAX >> (128 - w);
    let fits = |r: rustc_apfloat::StatusAnd<u128>, nan: bool| {
        if !r.status.intersects(rustc_apfloat::Status::INVALID_OP) {
            r.value & all
        } else if saturating {
            if nan { 0 } else { r.value & all }
        } else {
            1 << (w - 1)
        }
    };
    with_format!(format, F => match op {
        ConvOp::FloatToSigned => {
            let x = F::from_bits(a);
            let mut exact = false;
            let r = x.to_i128_r(w, Round::TowardZero, &mut exact);
            fits(rustc_apfloat::StatusAnd { status: r.status, value: r.value as u128 }, x.is_nan())
        }
        ConvOp::FloatToUnsigned => {
            let x = F::from_bits(a);
            let mut exact = false;
            fits(x.to_u128_r(w, Round::TowardZero, &mut exact), x.is_nan())
        }
        ConvOp::SignedToFloat => {
            let s = 128 - w;
            F::from_i128_r(((a << s) as i128) >> s, Round::NearestTiesToEven).value.to_bits()
        }
        ConvOp::UnsignedToFloat => F::from_u128_r(a, Round::NearestTiesToEven).value.to_bits(),
    })
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
