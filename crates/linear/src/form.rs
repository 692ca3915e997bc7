//! Linear forms `Σ aᵢ·xᵢ`, sorted by variable, without zero coefficients.

use crate::rational::Rational;

/// A variable of a [`Simplex`](crate::Simplex).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct Var(pub u32);

impl Var {
    /// Its number.
    #[inline]
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// A linear form.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Form(Vec<(Var, Rational)>);

impl Form {
    /// The form 0.
    pub fn new() -> Form {
        Form::default()
    }

    /// One variable.
    pub fn var(v: Var) -> Form {
        Form(vec![(v, Rational::ONE)])
    }

    /// From terms in any order; equal variables are summed.
    pub fn from_terms(terms: impl IntoIterator<Item = (Var, Rational)>) -> Form {
        let mut terms: Vec<(Var, Rational)> = terms.into_iter().collect();
        terms.sort_by_key(|&(v, _)| v);
        let mut out: Vec<(Var, Rational)> = Vec::with_capacity(terms.len());
        for (v, c) in terms {
            match out.last_mut() {
                Some((last, sum)) if *last == v => *sum += &c,
                _ => out.push((v, c)),
            }
        }
        out.retain(|(_, c)| !c.is_zero());
        Form(out)
    }

    /// Its terms in the order of variables.
    pub fn terms(&self) -> &[(Var, Rational)] {
        &self.0
    }

    /// No term at all?
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, v: Var) -> Rational {
        match self.0.binary_search_by_key(&v, |&(w, _)| w) {
            Ok(i) => self.0[i].1.clone(),
            Err(_) => Rational::ZERO,
        }
    }

    /// `self += factor · other`.
    pub fn add_scaled(&mut self, other: &Form, factor: &Rational) {
        if factor.is_zero() {
            return;
        }
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        let mut mine = std::mem::take(&mut self.0).into_iter().peekable();
        for (v, c) in &other.0 {
            while let Some(t) = mine.next_if(|(w, _)| w < v) {
                out.push(t);
            }
            let mut sum = match mine.next_if(|(w, _)| w == v) {
                Some((_, own)) => own,
                None => Rational::ZERO,
            };
            sum.add_product(c, factor);
            if !sum.is_zero() {
                out.push((*v, sum));
            }
        }
        out.extend(mine);
        self.0 = out;
    }

    /// Every coefficient times a factor other than 0.
    pub fn scaled(&self, factor: &Rational) -> Form {
        debug_assert!(!factor.is_zero());
        Form(self.0.iter().map(|(v, c)| (*v, c * factor)).collect())
    }

    /// Are all coefficients integers?
    pub fn is_integral(&self) -> bool {
        self.0.iter().all(|(_, c)| c.is_integer())
    }

    /// The positive factor that makes the coefficients integers without a common divisor; 1 for
    /// the form 0.
    pub fn primitive_factor(&self) -> Rational {
        let mut denominators = Rational::ONE;
        let mut divisor = Rational::ZERO;
        for (_, c) in &self.0 {
            if !c.is_integer() {
                denominators = denominators.lcm(&c.denominator());
            }
            if !divisor.is_one() {
                divisor = divisor.gcd(&c.numerator());
            }
        }
        // In lowest terms, gcd(nᵢ/dᵢ) = gcd(nᵢ) / lcm(dᵢ).
        if divisor.is_zero() {
            Rational::ONE
        } else {
            &denominators / &divisor
        }
    }

    /// The value under given values of the variables.
    pub fn value<'a>(&self, value: impl Fn(Var) -> &'a Rational) -> Rational {
        let mut sum = Rational::ZERO;
        for (v, c) in &self.0 {
            sum.add_product(c, value(*v));
        }
        sum
    }
}
