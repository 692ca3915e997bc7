//! Value numbers: floats that are equal, or both NaN, under every assignment.
//!
//! Zeros of both signs are equal here, so that `x + 0` is `x`; only operations that do not distinguish them are looked
//! through. (Value numbering as in compilers: Alpern, Wegman, Zadeck, "Detecting equality of variables in programs",
//! POPL 1988.)

use super::floats::{Key, rank};
use super::step::{Enclosure, is_kept};
use float::{FloatFormat, RoundingMode};
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term};

/// A value number, or its opposite.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Number {
    pub class: u32,
    pub negated: bool,
}

impl Number {
    pub fn opposite(self) -> Number {
        Number {
            negated: !self.negated,
            ..self
        }
    }

    fn without_sign(self) -> Number {
        Number {
            negated: false,
            ..self
        }
    }
}

/// The definition of the floats of a class.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Definition {
    /// One term.
    Term(Term),
    /// An operation rounded in this mode on numbers; differences are sums.
    Operation(Op, RoundingMode, FloatFormat, Vec<Number>),
    /// A quotient, which tells zeros as divisors apart.
    Quotient(RoundingMode, Number, Term),
    /// A value without its sign.
    Absolute(Number),
}

/// The numbers of the floats among some terms.
pub(super) struct Numbers {
    of: FxHashMap<Term, Number>,
    classes: FxHashMap<Definition, u32>,
    /// A term of each class, with its sign in it.
    members: Vec<(Term, bool)>,
    definitions: Vec<Definition>,
}

impl Numbers {
    /// `terms` are in an order in which operands come first.
    pub fn new(pool: &Pool, terms: &[Term]) -> Numbers {
        let mut numbers = Numbers {
            of: FxHashMap::default(),
            classes: FxHashMap::default(),
            members: Vec::new(),
            definitions: Vec::new(),
        };
        for &t in terms {
            if matches!(pool.sort(t), Sort::Float(_)) && is_kept(pool.sort(t)) {
                let number = numbers.number(pool, t);
                numbers.of.insert(t, number);
            }
        }
        numbers
    }

    /// The number of a float.
    pub fn of(&self, t: Term) -> Option<Number> {
        self.of.get(&t).copied()
    }

    pub fn definition(&self, number: Number) -> &Definition {
        &self.definitions[number.class as usize]
    }

    /// A term that has the number, or its opposite.
    pub fn member(&self, number: Number) -> (Term, bool) {
        let (t, negated) = self.members[number.class as usize];
        (t, negated != number.negated)
    }

    fn number(&mut self, pool: &Pool, t: Term) -> Number {
        let kids = pool.children(t);
        let format = pool.float_format(t);
        let (Some(a), b) = (
            kids.first().and_then(|kid| self.of(*kid)),
            kids.get(1).and_then(|kid| self.of(*kid)),
        ) else {
            return self.leaf(t);
        };
        let is_zero = |k: usize| rank_of(pool, kids[k]) == Some(0);
        let one = i128::from(format.max_exponent()) << (format.precision() - 1);
        let is_one = |k: usize| rank_of(pool, kids[k]) == Some(one);
        let op = pool.op(t);
        match (op, b) {
            (Op::FNeg, _) => a.opposite(),
            (Op::FAbs, _) => self.defined(t, false, Definition::Absolute(a.without_sign())),
            (Op::FAdd | Op::FSub, Some(_)) if is_zero(1) => a,
            (Op::FAdd, Some(b)) if is_zero(0) => b,
            (Op::FMul | Op::FDiv, Some(_)) if is_one(1) => a,
            (Op::FMul, Some(b)) if is_one(0) => b,
            (Op::FAdd, Some(b)) => self.sum(pool, t, a, b),
            (Op::FSub, Some(b)) => self.sum(pool, t, a, b.opposite()),
            (Op::FMul, Some(b)) => {
                let negated = a.negated != b.negated && is_symmetric(pool.rounding(t));
                let (a, b) = if negated || a.negated && b.negated {
                    (a.without_sign(), b.without_sign())
                } else {
                    (a, b)
                };
                let kids = vec![a.min(b), a.max(b)];
                let definition = Definition::Operation(op, pool.rounding(t), format, kids);
                self.defined(t, negated, definition)
            }
            (Op::FDiv, Some(_)) => {
                self.defined(t, false, Definition::Quotient(pool.rounding(t), a, kids[1]))
            }
            (Op::FSqrt | Op::FRound | Op::FpToFp | Op::FRem | Op::FRemainder | Op::Fma, _) => {
                let mode = match op {
                    Op::FRem | Op::FRemainder => RoundingMode::NearestEven,
                    _ => pool.rounding(t),
                };
                let kids = kids.iter().map(|kid| self.of(*kid)).collect::<Option<_>>();
                match kids {
                    Some(kids) => {
                        self.defined(t, false, Definition::Operation(op, mode, format, kids))
                    }
                    None => self.leaf(t),
                }
            }
            _ => self.leaf(t),
        }
    }

    fn sum(&mut self, pool: &Pool, t: Term, a: Number, b: Number) -> Number {
        let mode = pool.rounding(t);
        let (mut a, mut b) = (a.min(b), a.max(b));
        let negated = a.negated && is_symmetric(mode);
        if negated {
            (a, b) = (a.opposite(), b.opposite());
        }
        let format = pool.float_format(t);
        let definition = Definition::Operation(Op::FAdd, mode, format, vec![a, b]);
        self.defined(t, negated, definition)
    }

    fn leaf(&mut self, t: Term) -> Number {
        self.defined(t, false, Definition::Term(t))
    }

    fn defined(&mut self, t: Term, negated: bool, definition: Definition) -> Number {
        let next = self.members.len() as u32;
        let class = *self.classes.entry(definition.clone()).or_insert(next);
        if class == next {
            self.members.push((t, negated));
            self.definitions.push(definition);
        }
        Number { class, negated }
    }
}

/// The rank of a constant that is a number.
fn rank_of(pool: &Pool, t: Term) -> Option<Key> {
    match Enclosure::known(pool, t)? {
        Enclosure::Floats(set) => set.value().map(rank),
        Enclosure::Bits(_) => None,
    }
}

/// Does a mode round opposite numbers to opposite ones?
fn is_symmetric(mode: RoundingMode) -> bool {
    !matches!(
        mode,
        RoundingMode::TowardPositive | RoundingMode::TowardNegative
    )
}
