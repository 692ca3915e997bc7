//! Arithmetic and order of rationals: machine words first, long numbers by reference.

use super::Rational;
use super::Repr::{Big, Small};
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

impl Add for &Rational {
    type Output = Rational;
    #[inline]
    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => Rational::from(*a as i128 + *b as i128),
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (*a as i128, *b as i128, *c as i128, *d as i128);
                if b == d {
                    Rational::reduced(a + c, b)
                } else {
                    Rational::reduced(a * d + c * b, b * d)
                }
            }
            _ => match (self.whole(), other.whole()) {
                (Some(a), Some(b)) => Rational::from_integer(&*a + &*b),
                _ => Rational::from_big(&*self.long() + &*other.long()),
            },
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    #[inline]
    fn sub(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => Rational::from(*a as i128 - *b as i128),
            _ => self + &-other,
        }
    }
}

impl Mul for &Rational {
    type Output = Rational;
    #[inline]
    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => Rational::from(*a as i128 * *b as i128),
            (Small(a, b), Small(c, d)) => {
                Rational::reduced(*a as i128 * *c as i128, *b as i128 * *d as i128)
            }
            _ => match (self.whole(), other.whole()) {
                (Some(a), Some(b)) => Rational::from_integer(&*a * &*b),
                _ => Rational::from_big(&*self.long() * &*other.long()),
            },
        }
    }
}

impl Div for &Rational {
    type Output = Rational;
    /// The divisor must not be 0.
    fn div(self, other: &Rational) -> Rational {
        assert!(!other.is_zero(), "division of a rational by 0");
        match (&self.0, &other.0) {
            (_, Small(1, 1)) => self.clone(),
            (Small(a, b), Small(c, d)) => {
                let sign = c.signum() as i128;
                let n = *a as i128 * *d as i128 * sign;
                Rational::reduced(n, *b as i128 * (*c as i128).abs())
            }
            _ => Rational::from_big(&*self.long() / &*other.long()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            Small(n, d) => Rational(Small(-n, *d)),
            Big(r) => Rational::from_big(-(**r).clone()),
        }
    }
}

impl AddAssign<&Rational> for Rational {
    #[inline]
    fn add_assign(&mut self, other: &Rational) {
        *self = &*self + other;
    }
}

impl SubAssign<&Rational> for Rational {
    #[inline]
    fn sub_assign(&mut self, other: &Rational) {
        *self = &*self - other;
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) if b == d => a.cmp(c),
            (Small(a, b), Small(c, d)) => (*a as i128 * *d as i128).cmp(&(*c as i128 * *b as i128)),
            _ => self.long().cmp(&other.long()),
        }
    }
}
