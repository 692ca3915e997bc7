//! Conversions between floats and integers of at most 64 bits, which keep order like roundings.

use super::floats::{Floats, Key, Span, key, pattern};
use super::function::{greatest, least};
use float::{FloatFormat, RoundingMode};
use term::domain::{Fact, numbers, sign};
use term::{Op, Pool, Term, mask};

/// Integers between two numbers, as a fact.
fn fact(signed: bool, low: i128, high: i128, width: u32) -> Fact {
    if signed {
        let half = i128::from(sign(width));
        Fact::signed((low + half) as u64, (high + half) as u64, width)
    } else {
        Fact::interval(low as u64, high as u64, width)
    }
}

/// The ends of a fact, as numbers.
fn ends(signed: bool, of: &Fact, width: u32) -> Span {
    let (low, high) = if signed {
        numbers(of, width)
    } else {
        (of.lo.into(), of.hi.into())
    };
    Span::new(low, high)
}

/// An integer as a float.
pub(super) struct FromInteger {
    signed: bool,
    width: u32,
    format: FloatFormat,
    mode: RoundingMode,
}

impl FromInteger {
    pub fn of(pool: &Pool, t: Term) -> FromInteger {
        FromInteger {
            signed: pool.op(t) == Op::SintToFp,
            width: pool.width(pool.child(t, 0)),
            format: pool.float_format(t),
            mode: pool.rounding(t),
        }
    }

    /// The key of an integer as a float, which is a number.
    fn at(&self, integer: i128) -> Key {
        let bits = integer as u128 & u128::from(mask(self.width));
        let (format, mode) = (self.format, self.mode);
        let float = float::pattern::from_integer(format, mode, self.signed, self.width, bits);
        key(format, float).expect("an integer is a number")
    }

    pub fn forward(&self, integers: &Fact) -> Floats {
        let ends = ends(self.signed, integers, self.width);
        let (low, high) = (self.at(ends.low), self.at(ends.high));
        // The zero that integers give is +0.
        Floats {
            nan: false,
            negative: Span::new(low, high.min(-2)),
            positive: Span::new(low.max(0), high),
        }
    }

    /// The fact about the integers whose conversion is in the set; `None` if there are none.
    pub fn backward(&self, own: &Floats, integers: &Fact) -> Option<Fact> {
        let span = ends(self.signed, integers, self.width);
        let mut found = Span::EMPTY;
        for target in [own.negative, own.positive] {
            if target.is_empty() {
                continue;
            }
            let from = least(span, || span.middle(), |x| self.at(x) >= target.low);
            let to = greatest(span, || span.middle(), |x| self.at(x) <= target.high);
            if let (Some(from), Some(to)) = (from, to) {
                found = found.join(Span::new(from, to));
            }
        }
        (!found.is_empty()).then(|| fact(self.signed, found.low, found.high, self.width))
    }
}

/// A float as an integer; what does not fit becomes the smallest signed integer, or the largest unsigned one.
pub(super) struct ToInteger {
    signed: bool,
    width: u32,
    format: FloatFormat,
    mode: RoundingMode,
}

impl ToInteger {
    /// `None` if the integer is wider than 64 bits.
    pub fn of(pool: &Pool, t: Term) -> Option<ToInteger> {
        let width = pool.width(t);
        (width <= 64).then(|| ToInteger {
            signed: pool.op(t) == Op::FpToSint,
            width,
            format: pool.float_format(pool.child(t, 0)),
            mode: pool.rounding(t),
        })
    }

    /// All integers of the width.
    fn range(&self) -> Span {
        ends(self.signed, &Fact::anything(self.width), self.width)
    }

    /// The integer that does not say which float it was.
    fn beyond(&self) -> i128 {
        let range = self.range();
        if self.signed { range.low } else { range.high }
    }

    /// The integer that a number becomes; what does not fit stays on its side of those that do.
    fn at(&self, k: Key) -> i128 {
        let (format, mode) = (self.format, self.mode);
        let bits = pattern(format, k);
        match float::pattern::to_integer(format, mode, self.signed, self.width, bits) {
            Some(bits) if self.signed => {
                let unused = 128 - self.width;
                ((bits << unused) as i128) >> unused
            }
            Some(bits) => bits as i128,
            None if k < 0 => self.range().low - 1,
            None => self.range().high + 1,
        }
    }

    /// `None` if there is no float.
    pub fn forward(&self, floats: &Floats) -> Option<Fact> {
        let range = self.range();
        let mut found = Span::EMPTY;
        let mut leaves = floats.nan;
        for span in [floats.negative, floats.positive] {
            if !span.is_empty() {
                let integers = Span::new(self.at(span.low), self.at(span.high));
                leaves |= integers.low < range.low || integers.high > range.high;
                found = found.join(integers.meet(range));
            }
        }
        if leaves {
            found = found.join(Span::new(self.beyond(), self.beyond()));
        }
        (!found.is_empty()).then(|| fact(self.signed, found.low, found.high, self.width))
    }

    /// The floats that become one of these integers.
    pub fn backward(&self, own: &Fact, floats: &Floats) -> Floats {
        let integers = ends(self.signed, own, self.width);
        if integers.has(self.beyond()) {
            return *floats;
        }
        let mut found = Floats::NONE;
        for span in [floats.negative, floats.positive] {
            if span.is_empty() {
                continue;
            }
            let from = least(span, || span.middle(), |k| self.at(k) >= integers.low);
            let to = greatest(span, || span.middle(), |k| self.at(k) <= integers.high);
            if let (Some(from), Some(to)) = (from, to)
                && from <= to
            {
                found = found.join(Floats::between(from, to));
            }
        }
        found
    }
}
