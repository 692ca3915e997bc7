use super::*;

const RNE: u8 = 0;

/// Patterns rich in corner cases.
fn samples(format: FloatFormat, count: usize) -> Vec<u128> {
    let bits = format.bits();
    let all = u128::MAX >> (128 - bits);
    let mut random = testkit::Random::new(5);
    let mut next = || random.next();
    let fraction = format.precision() - 1;
    let mut patterns = vec![
        0,
        1,
        all,
        all >> 1,
        1 << (bits - 1),
        1 << fraction,
        (1 << fraction) - 1,
    ];
    while patterns.len() < count {
        let mut pattern = ((next() as u128) << 64 | next() as u128) & all;
        if next() % 3 == 0 {
            // Exponents near the middle make sums interact.
            let bias = (1u128 << (format.exponent_bits() - 1)) - 1;
            let exponent = bias.wrapping_add(next() as u128 % 8).wrapping_sub(4);
            let mantissa = pattern & ((1 << fraction) - 1);
            let sign = pattern & 1 << (bits - 1);
            let start = bits - 1 - format.exponent_bits();
            pattern = sign | exponent << start | mantissa;
        }
        if next() % 4 == 0 {
            pattern &= !((1u128 << (next() % fraction as u64)) - 1);
        }
        if format == FloatFormat::X87 {
            pattern = canonical_x87(pattern);
        }
        patterns.push(pattern);
    }
    patterns
}

/// Sets the integer bit as the exponent demands.
fn canonical_x87(pattern: u128) -> u128 {
    let integer = 1u128 << 63;
    if pattern >> 64 & 0x7fff == 0 {
        pattern & !integer
    } else {
        pattern | integer
    }
}

fn same(format: FloatFormat, a: u128, b: u128) -> bool {
    a == b || is_nan(format, a) && is_nan(format, b)
}

#[test]
fn host_arithmetic_is_ieee_arithmetic() {
    for format in [FloatFormat::Single, FloatFormat::Double] {
        let patterns = samples(format, 400);
        for (k, &a) in patterns.iter().enumerate() {
            for step in [1, 7, 31] {
                let b = patterns[(k + step) % patterns.len()];
                let c = patterns[(k * 3 + step) % patterns.len()];
                for op in [
                    Op::FAdd,
                    Op::FSub,
                    Op::FMul,
                    Op::FDiv,
                    Op::FRem,
                    Op::Fma,
                    Op::FSqrt,
                    Op::FRound,
                ] {
                    let host = arithmetic(format, op, RoundingMode::NearestEven, [a, b, c]);
                    let soft = software!(format, F => {
                        soft_arithmetic::<F>(op, Round::NearestTiesToEven, [a, b, c].map(F::from_bits), format.precision())
                    });
                    assert!(
                        same(format, host, soft),
                        "{format:?} {op:?} {a:#x} {b:#x} {c:#x}: {host:#x} {soft:#x}"
                    );
                }
            }
        }
    }
}

#[test]
fn host_conversions_are_ieee_conversions() {
    for a in samples(FloatFormat::Double, 2000) {
        let soft = {
            let mut info = false;
            let x: Single = Double::from_bits(a)
                .convert_r(Round::NearestTiesToEven, &mut info)
                .value;
            x.to_bits()
        };
        assert!(same(
            FloatFormat::Single,
            convert(
                FloatFormat::Double,
                FloatFormat::Single,
                RoundingMode::NearestEven,
                a
            ),
            soft
        ));
        for width in [8, 32, 64, 128] {
            let value = a & (u128::MAX >> (128 - width));
            for format in [FloatFormat::Single, FloatFormat::Double] {
                let soft = software!(format, F => F::from_u128_r(value, Round::NearestTiesToEven).value.to_bits());
                assert_eq!(
                    from_integer(format, false, width, RoundingMode::NearestEven, value),
                    soft
                );
                let signed = ((value << (128 - width)) as i128) >> (128 - width);
                let soft = software!(format, F => F::from_i128_r(signed, Round::NearestTiesToEven).value.to_bits());
                assert_eq!(
                    from_integer(format, true, width, RoundingMode::NearestEven, value),
                    soft
                );
            }
        }
    }
}

/// For each x ≥ 0, r = sqrt(x) rounded down satisfies r² ≤ x < (r⁺)², and each other mode gives r
/// or its successor on the right side. A fused multiply-add has the sign of r² - x exactly (away
/// from underflow).
#[test]
fn square_roots_are_correctly_rounded() {
    for format in FloatFormat::ALL {
        software!(format, F => {
            let root = |x: u128, rm| {
                F::from_bits(arithmetic(format, Op::FSqrt, rm, [x, 0, 0]))
            };
            for pattern in samples(format, 1500) {
                let bits = pattern & !sign_bit(format);
                let x = F::from_bits(bits);
                let floor = 2 * format.precision() as i32 - (1 << (format.exponent_bits() - 1));
                if !x.is_finite_non_zero() || x.ilogb() < floor {
                    continue;
                }
                let down = root(bits, RoundingMode::TowardNegative);
                let up = root(bits, RoundingMode::TowardPositive);
                let against = |r: F| r.mul_add(r, -x).value;
                let exact = against(down).is_zero();
                assert!(exact || against(down).is_negative(), "{format:?} {bits:#x}");
                let after = down.next_up().value;
                assert!(!against(after).is_negative() && !against(after).is_zero(), "{format:?} {bits:#x}");
                assert_eq!(up.to_bits(), if exact { down.to_bits() } else { after.to_bits() });
                assert_eq!(root(bits, RoundingMode::TowardZero).to_bits(), down.to_bits());
                let near = root(bits, RoundingMode::NearestEven).to_bits();
                assert!(near == down.to_bits() || near == up.to_bits());
                assert_eq!(root(bits, RoundingMode::NearestAway).to_bits(), near, "no root is half-way");
            }
        });
    }
}

#[test]
fn square_roots_of_all_halves_agree_with_doubles() {
    for bits in 0..=0xffffu128 {
        let wide = convert(
            FloatFormat::Half,
            FloatFormat::Double,
            RoundingMode::NearestEven,
            bits,
        );
        let root = f64::from_bits(wide as u64).sqrt().to_bits() as u128;
        // 53 bits are enough for a second rounding to 11 to be harmless.
        let expected = convert(
            FloatFormat::Double,
            FloatFormat::Half,
            RoundingMode::NearestEven,
            root,
        );
        assert!(
            same(
                FloatFormat::Half,
                arithmetic(
                    FloatFormat::Half,
                    Op::FSqrt,
                    RoundingMode::NearestEven,
                    [bits, 0, 0]
                ),
                expected
            ),
            "{bits:#x}"
        );
    }
}

#[test]
fn conversions_to_integers_have_a_value_everywhere() {
    let double = |x: f64| x.to_bits() as u128;
    let convert =
        |signed, width, rm, x: f64| to_integer(FloatFormat::Double, signed, width, rm, double(x));
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
    for x in [-3.7, -1.0, 0.0, 1.5, 1e9, -1e9, 1e18, 9e18] {
        assert_eq!(convert(true, 64, zero, x) as u64 as i64, x as i64);
        assert_eq!(convert(false, 64, zero, x.abs()) as u64, x.abs() as u64);
    }
}

#[test]
fn minimum_and_maximum_follow_c() {
    let (nan, one, zero) = (f64::NAN.to_bits() as u128, 1f64.to_bits() as u128, 0u128);
    let minus = (-0f64).to_bits() as u128;
    for (a, b, min, max) in [
        (nan, one, one, one),
        (one, nan, one, one),
        (zero, one, zero, one),
        (zero, minus, minus, zero),
        (minus, zero, minus, zero),
    ] {
        assert_eq!(min_max(FloatFormat::Double, true, a, b), min);
        assert_eq!(min_max(FloatFormat::Double, false, a, b), max);
    }
    assert!(is_nan(
        FloatFormat::Double,
        min_max(FloatFormat::Double, true, nan, nan)
    ));
}

#[test]
fn library_functions_round_to_their_format() {
    let half = |x: f64| {
        convert(
            FloatFormat::Double,
            FloatFormat::Half,
            RoundingMode::NearestEven,
            x.to_bits() as u128,
        )
    };
    let args = |x| [half(x), half(2.0), 0];
    assert_eq!(
        call(FloatFormat::Half, MathFunction::Pow, args(1.5)),
        half(2.25)
    );
    assert_eq!(
        call(FloatFormat::Half, MathFunction::Exp, args(0.0)),
        half(1.0)
    );
    let single = [2f32.to_bits() as u128, 0, 0];
    assert_eq!(
        call(FloatFormat::Single, MathFunction::Sin, single),
        2f32.sin().to_bits() as u128
    );
    let long = from_integer(FloatFormat::X87, true, 32, RoundingMode::NearestEven, 4);
    assert_eq!(
        call(FloatFormat::X87, MathFunction::Log2, [long, 0, 0]),
        from_integer(FloatFormat::X87, true, 32, RoundingMode::NearestEven, 2)
    );
}

/// The narrow entry point, with its own host paths, computes the same.
#[test]
fn narrow_and_general_agree() {
    let sort = Sort::Float(FloatFormat::Double);
    let patterns = samples(FloatFormat::Double, 300);
    for (k, &a) in patterns.iter().enumerate() {
        let (b, c) = (patterns[(k + 5) % 300], patterns[(k + 11) % 300]);
        let narrow =
            |op, to, imm| apply_narrow(op, sort, to, imm, a as u64, b as u64, c as u64) as u128;
        for op in [
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FRem,
            Op::Fma,
            Op::FSqrt,
            Op::FRound,
            Op::FMin,
            Op::FNeg,
        ] {
            for imm in [RNE, 2] {
                assert!(same(
                    FloatFormat::Double,
                    narrow(op, sort, imm),
                    apply(op, sort, sort, imm, [a, b, c])
                ));
            }
        }
        for predicate in FloatPredicate::ALL {
            let imm = predicate as u8;
            let bit = Sort::BitVec(1);
            assert_eq!(
                narrow(Op::FCmp, bit, imm),
                apply(Op::FCmp, sort, bit, imm, [a, b, c])
            );
        }
        let from = Sort::BitVec(64);
        let narrow = apply_narrow(Op::SintToFp, from, sort, RNE, a as u64, 0, 0) as u128;
        assert_eq!(narrow, apply(Op::SintToFp, from, sort, RNE, [a, 0, 0]));
    }
}
