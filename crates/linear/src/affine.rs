//! Linear forms with a constant.

use crate::form::Form;
use crate::rational::Rational;

/// `form + constant`.
#[derive(Clone, Debug, Default)]
pub struct Affine {
    /// The part with variables.
    pub form: Form,
    /// The part without.
    pub constant: Rational,
}

impl Affine {
    /// Adds a multiple of another.
    pub fn add_scaled(&mut self, other: &Affine, factor: &Rational) {
        self.form.add_scaled(&other.form, factor);
        self.constant.add_product(&other.constant, factor);
    }
}
