//! Values that the theories leave open, and the constraints on their choice.
//!
//! The theory of floats does not say which zero is the minimum of unlike ones, nor which bit-vector a float is that does
//! not fit. But it is a function of the operands, the same throughout a script: so it is a free symbol that all
//! occurrences share.

use crate::sort::ROUNDING_WIDTH;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{FloatFormat, Pool, Sort, Term, Trace};

/// A choice that the theory leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum OpenChoice {
    /// Is the first one of unlike zeros the result of `fp.min` (or `fp.max`)? May differ with the order of the two.
    Zero {
        format: FloatFormat,
        minimum: bool,
        first_is_negative: bool,
    },
    /// What `fp.to_sbv` (or `fp.to_ubv`) gives where there is no such integer: an array over modes and floats.
    Integer {
        format: FloatFormat,
        signed: bool,
        width: u32,
    },
}

/// The symbols of choices, and axioms that were not handed over yet.
#[derive(Default)]
pub(crate) struct Open {
    choices: FxHashMap<OpenChoice, Term>,
    compared: FxHashSet<(Term, Term)>,
    axioms: Vec<Term>,
    demanded: usize,
}

impl Open {
    fn choice(&mut self, pool: &mut Pool, choice: OpenChoice, name: &str, sort: Sort) -> Term {
        *self.choices.entry(choice).or_insert_with(|| {
            let symbol = pool.new_symbol(name, sort);
            pool.symbol_term(symbol)
        })
    }

    /// Is the first one of unlike zeros the minimum (or maximum)?
    pub fn first_zero(
        &mut self,
        pool: &mut Pool,
        format: FloatFormat,
        minimum: bool,
        first_is_negative: bool,
    ) -> Term {
        let choice = OpenChoice::Zero {
            format,
            minimum,
            first_is_negative,
        };
        self.choice(pool, choice, "zero", Sort::BitVec(1))
    }

    /// What a float that fits no integer is converted to: read at the mode and the float's canonical pattern, side by side.
    pub fn integers(
        &mut self,
        pool: &mut Pool,
        format: FloatFormat,
        signed: bool,
        width: u32,
    ) -> Term {
        let choice = OpenChoice::Integer {
            format,
            signed,
            width,
        };
        let sort = Sort::Array {
            index: ROUNDING_WIDTH + format.bits(),
            elem: width,
        };
        self.choice(pool, choice, "integer", sort)
    }

    /// Are these arrays compared for the first time?
    pub fn compares(&mut self, a: Term, b: Term) -> bool {
        self.compared.insert((a.min(b), a.max(b)))
    }

    /// Adds a condition that holds in every model.
    pub fn demand(&mut self, axiom: Term) {
        self.demanded += 1;
        self.axioms.push(axiom);
    }

    /// Number of axioms so far.
    pub fn demanded(&self) -> usize {
        self.demanded
    }

    /// The axioms since this was last asked.
    pub fn take_axioms(&mut self) -> Vec<Term> {
        std::mem::take(&mut self.axioms)
    }
}

impl Trace for Open {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.choices.values_mut().for_each(&mut *visit);
        self.axioms.iter_mut().for_each(&mut *visit);
        // What is compared again gets another axiom.
        self.compared.clear();
    }
}
