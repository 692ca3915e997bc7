//! Comparisons: the possible results for two sets of floats, and the values that remain when the result is known.

use super::floats::{Floats, Key, Span};
use float::FloatPredicate;
use std::cmp::Ordering;

/// Ways in which two floats can compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ways {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
}

impl Ways {
    /// Those of two sets.
    pub fn of(a: &Floats, b: &Floats) -> Ways {
        let unordered = !a.is_empty() && !b.is_empty() && (a.nan || b.nan);
        let (Some(left), Some(right)) = (bounds(a), bounds(b)) else {
            return Ways {
                less: false,
                equal: false,
                greater: false,
                unordered,
            };
        };
        let meets = |x: Span| b.ranks().iter().any(|&y| !x.meet(y).is_empty());
        Ways {
            less: left.low < right.high,
            equal: a.ranks().into_iter().any(meets),
            greater: left.high > right.low,
            unordered,
        }
    }

    /// Those in which a predicate has a value.
    pub fn where_is(predicate: FloatPredicate, value: bool) -> Ways {
        let is = |order| predicate.holds(order) == value;
        Ways {
            less: is(Some(Ordering::Less)),
            equal: is(Some(Ordering::Equal)),
            greater: is(Some(Ordering::Greater)),
            unordered: is(None),
        }
    }

    pub fn and(self, other: Ways) -> Ways {
        Ways {
            less: self.less && other.less,
            equal: self.equal && other.equal,
            greater: self.greater && other.greater,
            unordered: self.unordered && other.unordered,
        }
    }

    pub fn is_none(self) -> bool {
        !(self.less || self.equal || self.greater || self.unordered)
    }

    /// Those of the operands the other way round.
    pub fn swapped(self) -> Ways {
        Ways {
            less: self.greater,
            greater: self.less,
            ..self
        }
    }

    /// The floats of `a` that compare in one of these ways with some float of `b`.
    pub fn left(self, a: &Floats, b: &Floats) -> Floats {
        let nan = Floats {
            nan: a.nan && self.unordered,
            ..Floats::NONE
        };
        let numbers = Floats { nan: false, ..*a };
        if self.unordered && b.nan {
            return numbers.join(nan);
        }
        let Some(right) = bounds(b) else {
            return nan;
        };
        let left = bounds(a).unwrap_or(Span::EMPTY);
        let most = match (self.greater, self.equal, self.less) {
            (true, ..) => left.high,
            (_, true, _) => right.high,
            (_, _, true) => right.high - 1,
            _ => return nan,
        };
        let least = match (self.less, self.equal, self.greater) {
            (true, ..) => left.low,
            (_, true, _) => right.low,
            _ => right.low + 1,
        };
        let mut numbers = clipped(numbers, least, most);
        if !self.less && !self.greater {
            numbers = numbers.meet(b.with_both_zeros());
        }
        if !self.equal && right.low == right.high {
            numbers = without(numbers, right.low);
        }
        numbers.join(nan)
    }
}

/// The ranks from the least number to the greatest.
fn bounds(set: &Floats) -> Option<Span> {
    let [negative, positive] = set.ranks();
    let all = negative.join(positive);
    (!all.is_empty()).then_some(all)
}

/// The numbers of these ranks.
fn clipped(set: Floats, least: Key, most: Key) -> Floats {
    set.meet(Floats {
        nan: false,
        negative: Span::new(least - 1, most.min(0) - 1),
        positive: Span::new(least.max(0), most),
    })
}

/// The numbers but those of a rank, as far as they are ends.
fn without(set: Floats, rank: Key) -> Floats {
    let cut = |span: Span, key: Key| {
        let low = span.low + Key::from(span.low == key);
        let high = span.high - Key::from(span.high == key);
        Span::new(low, high)
    };
    Floats {
        nan: set.nan,
        negative: cut(set.negative, rank - 1),
        positive: cut(set.positive, rank),
    }
}
