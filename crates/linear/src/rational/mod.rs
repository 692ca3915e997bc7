//! Exact rationals: two machine words while they fit, a big rational beyond.
//!
//! Numerator and denominator are `i64` and every operation is computed in `i128`, where products
//! and sums of products of two such numbers cannot overflow. A result that does not fit becomes a
//! big rational, and comes back as soon as it fits again: equal values have equal representations.
//! Almost all numbers of a simplex run are small integers, for which each operation is one machine
//! instruction with an overflow check.

mod ops;

use dashu_int::ops::{BitTest, Gcd};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An exact rational number.
#[derive(Clone, PartialEq, Eq)]
pub struct Rational(Repr);

/// `Small` exactly when `|numerator| <= i64::MAX` and `denominator <= i64::MAX`, in lowest terms
/// with a positive denominator.
#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Small(i64, i64),
    Big(Box<RBig>),
}
use Repr::{Big, Small};

/// Greatest common divisor; `gcd(0, x) = x`.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > u64::MAX as u128 {
        (a, b) = (b, a % b);
    }
    if b == 0 {
        return a;
    }
    let rest = match u64::try_from(a) {
        Ok(a) => a,
        Err(_) => (a % b) as u64,
    };
    gcd_words(b as u64, rest) as u128
}

pub(crate) fn gcd_words(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    b >>= b.trailing_zeros();
    // Without branches but the loop's: which of the two is smaller cannot be predicted.
    while a != b {
        let difference = a.abs_diff(b);
        a = a.min(b);
        b = difference >> difference.trailing_zeros();
    }
    a << shift
}

impl Rational {
    /// 0.
    pub const ZERO: Rational = Rational(Small(0, 1));
    /// 1.
    pub const ONE: Rational = Rational(Small(1, 1));
    /// -1.
    pub const MINUS_ONE: Rational = Rational(Small(-1, 1));

    /// `numerator / denominator`; the denominator must not be 0.
    pub fn new(numerator: i128, denominator: i128) -> Rational {
        assert!(denominator != 0, "a rational with denominator 0");
        if numerator == i128::MIN || denominator == i128::MIN {
            return &Rational::from(numerator) / &Rational::from(denominator);
        }
        let sign = denominator.signum();
        Self::reduced(numerator * sign, denominator * sign)
    }

    /// From a fraction with a positive denominator.
    fn reduced(numerator: i128, denominator: i128) -> Rational {
        // Division of machine words is several times quicker than that of double words.
        if let (Ok(n), Ok(d)) = (i64::try_from(numerator), i64::try_from(denominator))
            && n != i64::MIN
        {
            let divisor = gcd_words(d as u64, n.unsigned_abs()) as i64;
            return match divisor {
                1 => Rational(Small(n, d)),
                _ => Rational(Small(n / divisor, d / divisor)),
            };
        }
        let divisor = if denominator == 1 {
            1
        } else {
            gcd(denominator as u128, numerator.unsigned_abs()) as i128
        };
        let (n, d) = if divisor == 1 {
            (numerator, denominator)
        } else {
            (numerator / divisor, denominator / divisor)
        };
        if n.unsigned_abs() <= i64::MAX as u128 && d <= i64::MAX as i128 {
            Rational(Small(n as i64, d as i64))
        } else {
            let n = IBig::from(n);
            let d = UBig::from(d as u128);
            Rational(Big(Box::new(RBig::from_parts(n, d))))
        }
    }

    fn from_big(r: RBig) -> Rational {
        if r.numerator().bit_len() < 64
            && r.denominator().bit_len() < 64
            && let Ok(n) = i64::try_from(r.numerator())
            && let Ok(d) = i64::try_from(r.denominator())
            && n != i64::MIN
        {
            return Rational(Small(n, d));
        }
        Rational(Big(Box::new(r)))
    }

    pub(crate) fn from_integer(n: IBig) -> Rational {
        match i64::try_from(&n) {
            Ok(n) if n != i64::MIN => Rational(Small(n, 1)),
            _ => Rational(Big(Box::new(RBig::from(n)))),
        }
    }

    fn long(&self) -> Cow<'_, RBig> {
        match &self.0 {
            Small(n, d) => Cow::Owned(RBig::from_parts(IBig::from(*n), UBig::from(*d as u64))),
            Big(r) => Cow::Borrowed(r),
        }
    }

    /// The number, if it is an integer.
    pub(crate) fn whole(&self) -> Option<Cow<'_, IBig>> {
        match &self.0 {
            Small(n, 1) => Some(Cow::Owned(IBig::from(*n))),
            Big(r) if r.is_int() => Some(Cow::Borrowed(r.numerator())),
            _ => None,
        }
    }

    /// Two to a power.
    pub fn power_of_two(exponent: u32) -> Rational {
        if exponent < 63 {
            Rational::from(1i64 << exponent)
        } else {
            Self::from_big(RBig::from_parts(
                IBig::from(1) << exponent as usize,
                UBig::ONE,
            ))
        }
    }

    /// Is it 0?
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Machine words of a number that does not fit into two; 0 for one that does.
    pub fn words(&self) -> u64 {
        match &self.0 {
            Small(..) => 0,
            Big(r) => {
                let (_, numerator) = r.numerator().as_sign_words();
                (numerator.len() + r.denominator().as_words().len()) as u64
            }
        }
    }

    /// The value, if it is an integer that was stored in a machine word.
    #[inline]
    pub(crate) fn word(&self) -> Option<i64> {
        match self.0 {
            Small(n, 1) => Some(n),
            _ => None,
        }
    }

    /// Is it 1?
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, 1))
    }

    /// Is it an integer?
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Big(r) => r.is_int(),
        }
    }

    /// Does it fit in two machine words?
    pub fn is_small(&self) -> bool {
        matches!(self.0, Small(..))
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(n, _) => n.signum() as i32,
            Big(r) => match r.numerator().cmp(&IBig::ZERO) {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            },
        }
    }

    /// Is it above 0?
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Is it below 0?
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// The greatest integer not above it.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Small(_, 1) => self.clone(),
            Small(n, d) => Rational(Small(n.div_euclid(*d), 1)),
            Big(r) => Self::from_big(RBig::from(r.floor())),
        }
    }

    /// The least integer not below it.
    pub fn ceil(&self) -> Rational {
        -&(-self).floor()
    }

    /// The nearest integer, halves upwards.
    pub fn round(&self) -> Rational {
        (self + &Rational::new(1, 2)).floor()
    }

    /// What remains above the floor, in `[0, 1)`.
    pub fn fraction(&self) -> Rational {
        self - &self.floor()
    }

    /// The numerator in lowest terms, as an integer.
    pub fn numerator(&self) -> Rational {
        match &self.0 {
            Small(n, _) => Rational(Small(*n, 1)),
            Big(r) => Self::from_big(RBig::from(r.numerator().clone())),
        }
    }

    /// The denominator in lowest terms, a positive integer.
    pub fn denominator(&self) -> Rational {
        match &self.0 {
            Small(_, d) => Rational(Small(*d, 1)),
            Big(r) => Self::from_big(RBig::from(r.denominator().clone())),
        }
    }

    /// Greatest common divisor of two integers, never negative; `gcd(0, x) = |x|`.
    pub fn gcd(&self, other: &Rational) -> Rational {
        debug_assert!(self.is_integer() && other.is_integer());
        if let (Small(a, 1), Small(b, 1)) = (&self.0, &other.0) {
            let g = gcd_words(a.unsigned_abs(), b.unsigned_abs());
            return Rational::from(g as i64); // not above i64::MAX: i64::MIN is never small
        }
        let [a, b] = [self, other].map(|n| n.whole().expect("an integer"));
        match (a.is_zero(), b.is_zero()) {
            (true, _) => other.abs(),
            (_, true) => self.abs(),
            _ => Self::from_integer(IBig::from((&*a).gcd(&*b))),
        }
    }

    /// Least common multiple of two positive integers.
    pub fn lcm(&self, other: &Rational) -> Rational {
        let g = self.gcd(other);
        &(self / &g) * other
    }

    /// The value, if it is an integer that fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(n, 1) => Some(n),
            _ => self.to_i128().and_then(|v| i64::try_from(v).ok()),
        }
    }

    /// The value, if it is an integer that fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Small(n, 1) => Some(*n as i128),
            Small(..) => None,
            Big(r) if r.is_int() => i128::try_from(r.numerator()).ok(),
            Big(_) => None,
        }
    }

    /// The nearest float, or one beside it.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Small(n, d) => *n as f64 / *d as f64,
            Big(r) => r.to_f64().value(),
        }
    }

    /// The magnitude of an integer in little-endian 64-bit limbs, and whether it is negative.
    pub fn to_limbs(&self) -> Option<(bool, Vec<u64>)> {
        if !self.is_integer() {
            return None;
        }
        let (n, _) = self.long().into_owned().into_parts();
        let magnitude: UBig = n.into_parts().1;
        let bytes = magnitude.to_le_bytes();
        let limbs = bytes.chunks(8).map(|c| {
            let mut word = [0; 8];
            word[..c.len()].copy_from_slice(c);
            u64::from_le_bytes(word)
        });
        Some((self.is_negative(), limbs.collect()))
    }

    /// An integer from its magnitude in little-endian 64-bit limbs.
    pub fn from_limbs(negative: bool, limbs: &[u64]) -> Rational {
        let bytes: Vec<u8> = limbs.iter().flat_map(|l| l.to_le_bytes()).collect();
        let magnitude = IBig::from(UBig::from_le_bytes(&bytes));
        let n = if negative { -magnitude } else { magnitude };
        Self::from_big(RBig::from(n))
    }

    /// `self += a * b`.
    #[inline]
    pub fn add_product(&mut self, a: &Rational, b: &Rational) {
        if let (Small(s, 1), Small(x, 1), Small(y, 1)) = (&self.0, &a.0, &b.0)
            && let Some(p) = x.checked_mul(*y)
            && let Some(sum) = s.checked_add(p)
            && sum != i64::MIN
        {
            self.0 = Small(sum, 1);
            return;
        }
        *self = &*self + &(a * b);
    }

    /// The reciprocal; the number must not be 0.
    pub fn recip(&self) -> Rational {
        &Rational::ONE / self
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::ZERO
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(n: i64) -> Rational {
        if n == i64::MIN {
            return Rational::from(n as i128);
        }
        Rational(Small(n, 1))
    }
}

impl From<i32> for Rational {
    fn from(n: i32) -> Rational {
        Rational(Small(n as i64, 1))
    }
}

impl From<u64> for Rational {
    fn from(n: u64) -> Rational {
        Rational::from(n as i128)
    }
}

impl From<i128> for Rational {
    fn from(n: i128) -> Rational {
        match i64::try_from(n) {
            Ok(n) if n != i64::MIN => Rational(Small(n, 1)),
            _ => Rational(Big(Box::new(RBig::from(IBig::from(n))))),
        }
    }
}

impl Hash for Rational {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Small(n, d) => (n, d).hash(state),
            Big(r) => (r.numerator(), r.denominator()).hash(state),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n, 1) => write!(f, "{n}"),
            Small(n, d) => write!(f, "{n}/{d}"),
            Big(r) => write!(f, "{r}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
