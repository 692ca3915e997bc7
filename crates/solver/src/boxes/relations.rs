//! The order of floats: which terms cannot be greater than which others, by the conditions or because operations keep
//! order.
//!
//! Sets of values forget the relations between terms. No box shows, until it is a point, that `a + y > b + y`
//! contradicts `a <= b`, or that a remainder is no larger than its divisor; here each is one lemma about one or two
//! operations, as rounding keeps order.

use super::compare::Ways;
use super::floats::{Floats, infinity, rank};
use super::numbers::{Definition, Number, Numbers};
use super::step::Enclosure;
use std::cell::Cell;
use term::domain::Fact;
use term::{Op, Pool, Term};

/// Operations between two floats that are compared.
const MAX_DEPTH: u32 = 6;
/// Largest number of comparisons in one deduction.
const MAX_STEPS: u32 = 20_000;

/// The order of the floats of some conditions.
pub(crate) struct Relations {
    numbers: Numbers,
    /// Comparisons, differences and quotients.
    terms: Vec<Term>,
}

/// The data of one deduction.
struct Deduction<'a> {
    pool: &'a Pool,
    numbers: &'a Numbers,
    known: &'a dyn Fn(Term) -> Option<Enclosure>,
    /// The first is not greater than the second, or one of them is NaN.
    ordered: Vec<(Number, Number)>,
    steps: Cell<u32>,
}

impl Relations {
    /// `terms` are in an order in which operands come first.
    pub fn new(pool: &Pool, terms: &[Term]) -> Relations {
        let is_used = |t: &Term| matches!(pool.op(*t), Op::FCmp | Op::FAdd | Op::FSub | Op::FDiv);
        Relations {
            numbers: Numbers::new(pool, terms),
            terms: terms.iter().copied().filter(is_used).collect(),
        }
    }

    /// The facts about some terms that follow from the known ones, in addition to what each operation implies by
    /// itself.
    pub fn deduce(
        &self,
        pool: &Pool,
        known: &dyn Fn(Term) -> Option<Enclosure>,
    ) -> Vec<(Term, Enclosure)> {
        let mut deduction = Deduction {
            pool,
            numbers: &self.numbers,
            known,
            ordered: Vec::new(),
            steps: Cell::new(MAX_STEPS),
        };
        let compared = |t: Term| {
            let [a, b] = [0, 1].map(|k| self.numbers.of(pool.child(t, k)));
            Some((a?, b?))
        };
        let value_of = |t: Term| known(t)?.bits()?.value();
        for &t in &self.terms {
            if pool.op(t) == Op::FCmp
                && let (Some((a, b)), Some(value)) = (compared(t), value_of(t))
            {
                let ways = Ways::where_is(pool.predicate(t), value == 1);
                if !ways.greater {
                    deduction.ordered.push((a, b));
                }
                if !ways.less {
                    deduction.ordered.push((b, a));
                }
            }
        }
        let mut found = Vec::new();
        for &t in &self.terms {
            let Some((a, b)) = compared(t) else { continue };
            let value = match pool.op(t) {
                Op::FCmp => deduction.comparison(t, a, b),
                Op::FAdd => deduction.difference(t, a, b.opposite()),
                Op::FSub => deduction.difference(t, a, b),
                _ => (a == b).then(|| {
                    let format = pool.float_format(t);
                    let one = i128::from(format.max_exponent()) << (format.precision() - 1);
                    Enclosure::Floats(Floats::single(one).join(Floats::NAN))
                }),
            };
            found.extend(value.map(|value| (t, value)));
        }
        found
    }
}

impl Deduction<'_> {
    /// The value of a comparison: not "less" where the order is the other way, whatever was asserted about itself.
    fn comparison(&self, t: Term, a: Number, b: Number) -> Option<Enclosure> {
        let (x, y) = (self.set(a)?, self.set(b)?);
        let mut ways = Ways::of(&x, &y);
        ways.greater &= !self.is_ordered(a, b, MAX_DEPTH);
        ways.less &= !self.is_ordered(b, a, MAX_DEPTH);
        if a == b {
            ways.unordered &= x.nan && y.nan;
        }
        let can = |value| {
            !ways
                .and(Ways::where_is(self.pool.predicate(t), value))
                .is_none()
        };
        match (can(true), can(false)) {
            (true, false) => Some(Enclosure::Bits(Fact::constant(1, 1))),
            (false, true) => Some(Enclosure::Bits(Fact::constant(0, 1))),
            _ => None,
        }
    }

    /// The sign of a difference.
    fn difference(&self, t: Term, a: Number, b: Number) -> Option<Enclosure> {
        let infinity = infinity(self.pool.float_format(t));
        let mut set = Floats::anything(self.pool.float_format(t));
        if self.is_ordered(a, b, MAX_DEPTH) {
            set = set.meet(Floats::between(-1 - infinity, 0).join(Floats::NAN));
        }
        if self.is_ordered(b, a, MAX_DEPTH) {
            set = set.meet(Floats::between(-1, infinity).join(Floats::NAN));
        }
        (set != Floats::anything(self.pool.float_format(t))).then_some(Enclosure::Floats(set))
    }

    /// The set of a number, if it is known.
    fn set(&self, number: Number) -> Option<Floats> {
        let (t, negated) = self.numbers.member(number);
        match (self.known)(t)? {
            Enclosure::Floats(set) if negated => Some(set.negated()),
            Enclosure::Floats(set) => Some(set),
            Enclosure::Bits(_) => None,
        }
    }

    /// Is every number of it at least zero, whichever?
    fn is_not_negative(&self, number: Number) -> bool {
        self.set(number)
            .is_some_and(|set| !set.has_numbers() || rank(set.hull().low) >= 0)
    }

    fn have_one_format(&self, a: Number, b: Number) -> bool {
        let sort = |number| self.pool.sort(self.numbers.member(number).0);
        sort(a) == sort(b)
    }

    fn has_no_nan(&self, number: Number) -> bool {
        self.set(number).is_some_and(|set| !set.nan)
    }

    /// Is `a` at most `b` wherever neither is NaN? "No" if that does not follow.
    fn is_ordered(&self, a: Number, b: Number, depth: u32) -> bool {
        let steps = self.steps.get();
        if a == b {
            return true;
        }
        if steps == 0 {
            return false;
        }
        self.steps.set(steps - 1);
        if let (Some(x), Some(y)) = (self.set(a), self.set(b))
            && x.has_numbers()
            && y.has_numbers()
            && rank(x.hull().high) <= rank(y.hull().low)
        {
            return true;
        }
        let opposite = (b.opposite(), a.opposite());
        if (self.ordered.iter()).any(|&pair| pair == (a, b) || pair == opposite) {
            return true;
        }
        depth > 0 && (self.by_operations(a, b, depth - 1) || self.by_chain(a, b, depth - 1))
    }

    /// By a third number between them that is no NaN.
    fn by_chain(&self, a: Number, b: Number, depth: u32) -> bool {
        self.ordered.iter().any(|&(x, y)| {
            let through = |low: Number, high: Number| {
                low == a && high != b && self.has_no_nan(high) && self.is_ordered(high, b, depth)
            };
            through(x, y) || through(y.opposite(), x.opposite())
        })
    }

    /// Because operations keep order. Operands of numbers that are not NaN are not NaN here.
    fn by_operations(&self, a: Number, b: Number, depth: u32) -> bool {
        let is_ordered = |a, b| self.is_ordered(a, b, depth);
        let (left, right) = (self.numbers.definition(a), self.numbers.definition(b));
        // |x| >= x, -x; the other way round below.
        let is_bound = match (left, right) {
            (_, Definition::Absolute(x)) if !b.negated => {
                is_ordered(a, *x) || is_ordered(a, x.opposite())
            }
            (Definition::Absolute(x), _) if a.negated => {
                is_ordered(*x, b) || is_ordered(x.opposite(), b)
            }
            _ => false,
        };
        if is_bound {
            return true;
        }
        // |remainder(x, y)| <= |x|, |y|
        if let (Definition::Absolute(x), Definition::Absolute(y)) = (left, right)
            && !a.negated
            && !b.negated
            && let Definition::Operation(Op::FRem | Op::FRemainder, _, _, kids) =
                self.numbers.definition(*x)
            && kids.iter().any(|kid| kid.class == y.class)
        {
            return true;
        }
        if a.negated && b.negated {
            // -x <= -y where y <= x
            self.by_monotony(right, left, depth)
        } else {
            !a.negated && !b.negated && self.by_monotony(left, right, depth)
                || self.by_sign(a, b, depth)
        }
    }

    /// `x <= x + y` where `y` is not negative: the exact sum is at least `x`, which rounding keeps.
    fn by_sign(&self, a: Number, b: Number, depth: u32) -> bool {
        let sum = |number: Number| match self.numbers.definition(number) {
            Definition::Operation(Op::FAdd, _, _, kids) => {
                let turned = |kid: Number| if number.negated { kid.opposite() } else { kid };
                Some([turned(kids[0]), turned(kids[1])])
            }
            _ => None,
        };
        let above = |[x, y]: [Number; 2]| {
            self.is_not_negative(y) && self.is_ordered(a, x, depth)
                || self.is_not_negative(x) && self.is_ordered(a, y, depth)
        };
        let below = |[x, y]: [Number; 2]| {
            self.is_not_negative(y.opposite()) && self.is_ordered(x, b, depth)
                || self.is_not_negative(x.opposite()) && self.is_ordered(y, b, depth)
        };
        sum(b).is_some_and(above) || sum(a).is_some_and(below)
    }

    /// The same operation on ordered operands.
    fn by_monotony(&self, left: &Definition, right: &Definition, depth: u32) -> bool {
        let is_ordered = |a, b| self.is_ordered(a, b, depth);
        match (left, right) {
            (
                Definition::Operation(op, mode, format, a),
                Definition::Operation(other, other_mode, other_format, b),
            ) if (op, mode, format) == (other, other_mode, other_format) => match op {
                Op::FAdd => {
                    is_ordered(a[0], b[0]) && is_ordered(a[1], b[1])
                        || is_ordered(a[0], b[1]) && is_ordered(a[1], b[0])
                }
                Op::FMul => [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().any(|(i, k)| {
                    // A common factor, and what it multiplies.
                    let (x, y) = (a[1 - i], b[1 - k]);
                    a[i] == b[k]
                        && (self.is_not_negative(a[i]) && is_ordered(x, y)
                            || self.is_not_negative(a[i].opposite()) && is_ordered(y, x))
                }),
                Op::Fma => a[..2] == b[..2] && is_ordered(a[2], b[2]),
                Op::FSqrt | Op::FRound => is_ordered(a[0], b[0]),
                Op::FpToFp => self.have_one_format(a[0], b[0]) && is_ordered(a[0], b[0]),
                _ => false,
            },
            (Definition::Quotient(mode, a, divisor), Definition::Quotient(other, b, same)) => {
                let set = |negated| {
                    let value = (self.known)(*divisor);
                    value.is_some_and(|value| match value {
                        Enclosure::Floats(set) if negated => set.positive.is_empty(),
                        Enclosure::Floats(set) => set.negative.is_empty(),
                        Enclosure::Bits(_) => false,
                    })
                };
                mode == other
                    && divisor == same
                    && (set(false) && is_ordered(*a, *b) || set(true) && is_ordered(*b, *a))
            }
            _ => false,
        }
    }
}
