//! The simplex's assignments as trials ("Multiplex symbolic execution", Alg. 2).

use crate::model::Model;
use crate::query::{Technique, Trials};
use linear::{Observer, Rational, Side, Simplex, Var};
use term::Symbol;

/// Writes an integer into a model as the value of a symbol.
pub type Set = fn(&mut Model, Symbol, &Rational);

/// Shows every simplex assignment before its pivot, and the solutions of relaxations from which branch and bound goes on:
/// rounded to the nearest integers within the bounds, over the witness's values.
pub struct Shown<'t> {
    trials: &'t mut dyn Trials,
    witness: &'t Model,
    symbols: Vec<(Symbol, Var)>,
    set: Set,
    last: Vec<Rational>,
}

impl<'t> Shown<'t> {
    /// Shows the assignments to `trials`, over the values of the witness; `set` writes a value.
    pub fn new(
        trials: &'t mut dyn Trials,
        witness: &'t Model,
        symbols: Vec<(Symbol, Var)>,
        set: Set,
    ) -> Shown<'t> {
        Shown {
            trials,
            witness,
            symbols,
            set,
            last: Vec::new(),
        }
    }

    /// Shows an assignment that another technique has made.
    pub fn tried(&mut self, model: &Model, by: Technique) {
        self.trials.tried(model, by);
    }

    /// Is anybody listening?
    pub fn is_wanted(&self) -> bool {
        self.trials.wanted()
    }
}

impl Shown<'_> {
    fn show(&mut self, simplex: &Simplex, by: Technique) {
        let values = self.symbols.iter().map(|&(_, v)| nearest(simplex, v));
        let values: Vec<Rational> = values.collect();
        // Pivots that move auxiliary variables only show nothing new.
        if values == self.last {
            return;
        }
        let mut model = self.witness.clone();
        for ((symbol, _), value) in self.symbols.iter().zip(&values) {
            (self.set)(&mut model, *symbol, value);
        }
        self.last = values;
        self.trials.tried(&model, by);
    }
}

impl Observer for Shown<'_> {
    fn before_pivot(&mut self, simplex: &Simplex) {
        self.show(simplex, Technique::Simplex);
    }

    fn at_branch(&mut self, simplex: &Simplex) {
        self.show(simplex, Technique::Bound);
    }
}

/// The nearest integer to a variable's value within its bounds.
pub fn nearest(simplex: &Simplex, v: Var) -> Rational {
    let mut value = simplex.value(v).real.round();
    if let Some(b) = simplex.bound(v, Side::Lower) {
        value = value.max(b.value.real.ceil());
    }
    if let Some(b) = simplex.bound(v, Side::Upper) {
        value = value.min(b.value.real.floor());
    }
    value
}
