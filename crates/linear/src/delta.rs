//! Numbers `c + k·δ` with an infinitely small positive δ: strict bounds over the rationals.
//!
//! `x < 5` is the bound `x <= 5 - δ` (Dutertre and de Moura 2006, section 5). Over the integers
//! strict bounds are tightened instead and `k` is always 0.

use crate::rational::Rational;
use std::fmt;

/// A rational with a multiple of δ, ordered lexicographically.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Delta {
    /// The rational part.
    pub real: Rational,
    /// The multiple of δ.
    pub delta: Rational,
}

impl Delta {
    /// `real + delta·δ`.
    pub fn new(real: Rational, delta: Rational) -> Delta {
        Delta { real, delta }
    }

    /// Just below a number: the upper bound of `x < real`.
    pub fn below(real: Rational) -> Delta {
        Delta::new(real, Rational::MINUS_ONE)
    }

    /// Just above a number: the lower bound of `x > real`.
    pub fn above(real: Rational) -> Delta {
        Delta::new(real, Rational::ONE)
    }

    /// No δ, and an integer?
    #[inline]
    pub fn is_integer(&self) -> bool {
        self.delta.is_zero() && self.real.is_integer()
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.real.is_zero() && self.delta.is_zero()
    }

    /// `self - other`.
    pub fn minus(&self, other: &Delta) -> Delta {
        let delta = if self.delta.is_zero() && other.delta.is_zero() {
            Rational::ZERO
        } else {
            &self.delta - &other.delta
        };
        Delta::new(&self.real - &other.real, delta)
    }

    /// `self * factor`.
    pub fn scaled(&self, factor: &Rational) -> Delta {
        let delta = if self.delta.is_zero() {
            Rational::ZERO
        } else {
            &self.delta * factor
        };
        Delta::new(&self.real * factor, delta)
    }

    /// `self += other * factor`.
    #[inline]
    pub fn add_product(&mut self, other: &Delta, factor: &Rational) {
        self.real.add_product(&other.real, factor);
        if !other.delta.is_zero() {
            self.delta.add_product(&other.delta, factor);
        }
    }
}

impl From<Rational> for Delta {
    fn from(real: Rational) -> Delta {
        Delta::new(real, Rational::ZERO)
    }
}

impl From<i64> for Delta {
    fn from(n: i64) -> Delta {
        Delta::from(Rational::from(n))
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.delta.is_zero() {
            write!(f, "{}", self.real)
        } else {
            write!(f, "{}{:+}δ", self.real, self.delta.signum())
        }
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
