//! The hybrid rational against a big rational, at the edges of its machine words.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use polypath_linear::Rational;

fn edges() -> Vec<i128> {
    let max = i64::MAX as i128;
    let mut all = vec![
        0,
        1,
        2,
        3,
        7,
        10,
        1 << 31,
        (1 << 31) - 1,
        1 << 62,
        max - 1,
        max,
        max + 1,
    ];
    all.extend([
        max + 2,
        1 << 64,
        (1 << 64) - 1,
        3 << 62,
        1 << 100,
        i128::MAX,
    ]);
    let negative: Vec<i128> = all.iter().map(|n| -n).collect();
    all.extend(negative);
    all.push(i128::MIN);
    all
}

fn big(n: i128, d: i128) -> RBig {
    RBig::from_parts(IBig::from(n), UBig::ONE) / RBig::from_parts(IBig::from(d), UBig::ONE)
}

fn same(mine: &Rational, reference: &RBig) {
    assert_eq!(mine.to_string(), reference.to_string());
    let (n, d) = (reference.numerator(), reference.denominator());
    let fits =
        i64::try_from(n.clone()).is_ok_and(|n| n != i64::MIN) && i64::try_from(d.clone()).is_ok();
    assert_eq!(mine.is_small(), fits, "{mine}");
}

fn pairs() -> Vec<(i128, i128)> {
    let mut pairs = Vec::new();
    for (i, &n) in edges().iter().enumerate() {
        for (j, &d) in edges().iter().enumerate() {
            // A third of the pairs is plenty, and quick.
            if d != 0 && (i * 7 + j) % 3 == 0 {
                pairs.push((n, d));
            }
        }
    }
    pairs
}

#[test]
fn one_operand() {
    for (n, d) in pairs() {
        let (a, r) = (Rational::new(n, d), big(n, d));
        same(&a, &r);
        same(&-&a, &-r.clone());
        same(&a.floor(), &RBig::from(r.floor()));
        same(&a.ceil(), &RBig::from(r.ceil()));
        assert_eq!(a.is_integer(), r.is_int());
        assert!(!a.fraction().is_negative() && a.fraction() < Rational::ONE);
        if n != 0 {
            same(&a.recip(), &(RBig::ONE / r));
        }
        if let Some((negative, limbs)) = a.to_limbs() {
            assert_eq!(Rational::from_limbs(negative, &limbs), a);
        }
    }
}

#[test]
fn two_operands() {
    let pairs = pairs();
    for (i, &(n, d)) in pairs.iter().enumerate() {
        let (a, r) = (Rational::new(n, d), big(n, d));
        for &(m, e) in pairs.iter().skip(i % 11).step_by(11) {
            let (b, s) = (Rational::new(m, e), big(m, e));
            same(&(&a + &b), &(r.clone() + s.clone()));
            same(&(&a - &b), &(r.clone() - s.clone()));
            same(&(&a * &b), &(r.clone() * s.clone()));
            if m != 0 {
                same(&(&a / &b), &(r.clone() / s.clone()));
            }
            assert_eq!(a.cmp(&b), r.cmp(&s));
            let mut sum = a.clone();
            sum.add_product(&b, &a);
            same(&sum, &(r.clone() + s * r.clone()));
        }
    }
}

#[test]
fn divisors_and_powers() {
    let r = |n: i128| Rational::from(n);
    assert_eq!(r(-12).gcd(&r(18)), r(6));
    assert_eq!(r(0).gcd(&r(-5)), r(5));
    assert_eq!(r(i128::MAX).gcd(&r(i64::MAX as i128)), r(1));
    assert_eq!(r(1 << 100).gcd(&r(3 << 90)), r(1 << 90));
    assert_eq!(r(4).lcm(&r(6)), r(12));
    for e in [0, 1, 62, 63, 64, 100] {
        assert_eq!(Rational::power_of_two(e), r(1 << e));
    }
    assert_eq!(Rational::new(-7, 2).round(), r(-3));
    assert_eq!(r(1 << 70).to_i64(), None);
    assert_eq!(r(1 << 70).to_i128(), Some(1 << 70));
}
