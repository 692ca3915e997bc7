//! What terms add to the operations of crate `float`, whose meaning is tested there.

use super::libm::convert;
use super::*;

const EVEN: u8 = RoundingMode::NearestEven as u8;

fn apply_one(op: Op, from: Sort, to: Sort, mode: RoundingMode, arg: u128) -> u128 {
    apply(op, from, to, mode as u8, [arg, 0, 0])
}

#[test]
fn conversions_to_integers_have_a_value_everywhere() {
    let convert = |signed, width, mode, x: f64| {
        let op = if signed { Op::FpToSint } else { Op::FpToUint };
        let from = Sort::Float(FloatFormat::DOUBLE);
        apply_one(op, from, Sort::BitVec(width), mode, x.to_bits().into())
    };
    let zero = RoundingMode::TowardZero;
    assert_eq!(convert(true, 32, zero, -1.9), 0xffff_ffff);
    assert_eq!(convert(true, 32, zero, 2147483648.0), 0x8000_0000);
    assert_eq!(convert(true, 32, zero, f64::NAN), 0x8000_0000);
    assert_eq!(convert(false, 32, zero, 4294967295.5), 0xffff_ffff);
    assert_eq!(convert(false, 32, zero, 4294967296.0), 0xffff_ffff);
    assert_eq!(convert(false, 32, zero, -0.5), 0);
    assert_eq!(convert(false, 32, zero, -1.0), 0xffff_ffff);
    assert_eq!(convert(true, 8, RoundingMode::NearestEven, 2.5), 2);
    assert_eq!(convert(true, 8, RoundingMode::NearestAway, 2.5), 3);
    assert_eq!(convert(true, 1, zero, -1.0), 1);
    assert_eq!(convert(true, 128, zero, f64::INFINITY), 1 << 127);
}

#[test]
fn minimum_and_maximum_follow_compilers() {
    let (nan, one, zero) = (f64::NAN.to_bits(), 1f64.to_bits(), 0);
    let minus = (-0f64).to_bits();
    let double = Sort::Float(FloatFormat::DOUBLE);
    for (a, b, min, max) in [
        (nan, one, one, one),
        (one, nan, one, one),
        (zero, one, zero, one),
        (zero, minus, zero, zero),
        (minus, zero, minus, minus),
    ] {
        assert_eq!(apply_narrow(Op::FMin, double, double, EVEN, [a, b, 0]), min);
        assert_eq!(apply_narrow(Op::FMax, double, double, EVEN, [a, b, 0]), max);
    }
    let long = Sort::Float(FloatFormat::X87);
    let minus = 1u128 << 79;
    for args in [[0, minus, 0], [minus, 0, 0]] {
        assert_eq!(apply(Op::FMin, long, long, EVEN, args), minus);
        assert_eq!(apply(Op::FMax, long, long, EVEN, args), 0);
    }
}

#[test]
fn library_functions_round_to_their_format() {
    let half = |x: f64| convert(FloatFormat::DOUBLE, FloatFormat::HALF, x.to_bits().into());
    let args = |x| [half(x), half(2.0)];
    let power = math_value(FloatFormat::HALF, MathFunction::Pow, args(1.5));
    assert_eq!(power, half(2.25));
    let exponential = math_value(FloatFormat::HALF, MathFunction::Exp, args(0.0));
    assert_eq!(exponential, half(1.0));
    let single = [2f32.to_bits().into(), 0];
    let sine = math_value(FloatFormat::SINGLE, MathFunction::Sin, single);
    assert_eq!(sine, 2f32.sin().to_bits().into());
    let long = |x: f64| convert(FloatFormat::DOUBLE, FloatFormat::X87, x.to_bits().into());
    let logarithm = math_value(FloatFormat::X87, MathFunction::Log2, [long(4.0), 0]);
    assert_eq!(logarithm, long(2.0));
}

/// An operation on wide patterns is that on narrow ones, converted there and back.
#[test]
fn wide_formats_compute_what_narrow_ones_do() {
    let wide = FloatFormat::new(19, 237).unwrap();
    let (from, to) = (Sort::Float(FloatFormat::DOUBLE), Sort::Float(wide));
    let limbs = |op, from: Sort, to: Sort, args: [&[u64]; 3]| {
        let mut out = vec![0; to.bits().div_ceil(64) as usize];
        apply_limbs(op, from, to, EVEN, args, &mut out);
        out
    };
    let widen = |x: f64| limbs(Op::FpToFp, from, to, [&[x.to_bits()], &[], &[]]);
    let narrow = |x: &[u64]| f64::from_bits(limbs(Op::FpToFp, to, from, [x, &[], &[]])[0]);
    let apply = |op, a: f64, b: f64, c: f64| {
        let [a, b, c] = [a, b, c].map(widen);
        narrow(&limbs(op, to, to, [&a, &b, &c]))
    };
    assert_eq!(apply(Op::FAdd, 1.5, -0.25, 0.0), 1.25);
    assert_eq!(apply(Op::Fma, 3.0, 7.0, 0.5), 21.5);
    assert_eq!(apply(Op::FSqrt, 2.0, 0.0, 0.0), 2f64.sqrt());
    assert_eq!(apply(Op::FRem, 7.5, 2.0, 0.0), 1.5);
    assert_eq!(apply(Op::FNeg, -2.0, 0.0, 0.0), 2.0);
    assert_eq!(apply(Op::FNeg, 2.0, 0.0, 0.0), -2.0);
    assert_eq!(apply(Op::FAbs, -2.0, 0.0, 0.0), 2.0);
    let integer = limbs(
        Op::FpToSint,
        to,
        Sort::BitVec(200),
        [&widen(-1.0), &[], &[]],
    );
    assert_eq!(integer, [u64::MAX, u64::MAX, u64::MAX, 0xff]);
    let back = limbs(Op::SintToFp, Sort::BitVec(200), to, [&integer, &[], &[]]);
    assert_eq!(narrow(&back), -1.0);
    let less = FloatPredicate::Olt as u8;
    let mut out = [0];
    let operands = [widen(1.0), widen(2.0)];
    let args = [&operands[0][..], &operands[1], &[]];
    apply_limbs(Op::FCmp, to, Sort::BitVec(1), less, args, &mut out);
    assert_eq!(out, [1]);
}
