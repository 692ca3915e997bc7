//! Sets of floats: NaN or not, and for each sign the numbers between two ends, zeros and infinities among them.

use term::FloatFormat;
use term::domain::Fact;

/// The place of a number in the order from -∞ to ∞. -0 is -1 and +0 is 0, so each sign has its own zero.
pub(crate) type Key = i128;

/// The widest format whose numbers have keys, in bits.
pub(crate) const MAX_WIDTH: u32 = 128;

/// The key of infinity.
pub(super) fn infinity(format: FloatFormat) -> Key {
    let exponent: Key = (1 << format.exponent_bits()) - 1;
    exponent << (format.precision() - 1)
}

/// The key of a number; `None` of a NaN and of what x87 does not support.
pub(super) fn key(format: FloatFormat, pattern: u128) -> Option<Key> {
    let sign = 1 << (format.bits() - 1);
    let mut magnitude = pattern & (sign - 1);
    if format.has_integer_bit() {
        let stored = format.stored_bits();
        let (exponent, fraction) = (magnitude >> stored, magnitude & ((1 << (stored - 1)) - 1));
        let is_integer_set = magnitude >> (stored - 1) & 1 == 1;
        let field = match (exponent, is_integer_set) {
            (0, pseudo) => u128::from(pseudo),
            (_, false) => return None,
            (field, true) => field,
        };
        magnitude = field << (stored - 1) | fraction;
    }
    let key = magnitude as Key;
    if key > infinity(format) {
        return None;
    }
    Some(if pattern & sign != 0 { -1 - key } else { key })
}

/// The pattern of a number, the canonical one where x87 has two.
pub(super) fn pattern(format: FloatFormat, key: Key) -> u128 {
    let sign = if key < 0 { 1 << (format.bits() - 1) } else { 0 };
    let magnitude = magnitude(key) as u128;
    let below = format.precision() - 1;
    let magnitude = match magnitude >> below {
        field if format.has_integer_bit() => {
            let fraction = magnitude & ((1 << below) - 1);
            field << (below + 1) | u128::from(field > 0) << below | fraction
        }
        _ => magnitude,
    };
    sign | magnitude
}

/// The key of the number without its sign.
pub(super) fn magnitude(key: Key) -> Key {
    if key < 0 { -1 - key } else { key }
}

/// The place of a number in the order of values, in which both zeros are 0.
pub(super) fn rank(key: Key) -> Key {
    if key < 0 { key + 1 } else { key }
}

/// A set that lost less than this part of its numbers of each sign is about the same.
const NEWS: Key = 8;

/// The keys from `low` to `high`; none if that is less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub low: Key,
    pub high: Key,
}

impl Span {
    pub const EMPTY: Span = Span { low: 0, high: -1 };

    pub fn new(low: Key, high: Key) -> Span {
        if low > high {
            return Span::EMPTY;
        }
        Span { low, high }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// A key between the two ends, if there are any.
    pub fn middle(self) -> Key {
        self.low.midpoint(self.high)
    }

    pub fn has(self, key: Key) -> bool {
        (self.low..=self.high).contains(&key)
    }

    pub fn meet(self, other: Span) -> Span {
        Span::new(self.low.max(other.low), self.high.min(other.high))
    }

    pub fn join(self, other: Span) -> Span {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Span::new(self.low.min(other.low), self.high.max(other.high)),
        }
    }

    /// The same numbers with the other sign.
    pub fn negated(self) -> Span {
        if self.is_empty() {
            return self;
        }
        Span::new(-1 - self.high, -1 - self.low)
    }
}

/// A set of floats of one format, which the user of the set knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Floats {
    /// Is NaN among them (or an encoding that is treated like it)?
    pub nan: bool,
    /// Keys below 0.
    pub negative: Span,
    /// Keys from 0.
    pub positive: Span,
}

impl Floats {
    /// No float.
    pub const NONE: Floats = Floats {
        nan: false,
        negative: Span::EMPTY,
        positive: Span::EMPTY,
    };

    /// NaN only.
    pub const NAN: Floats = Floats {
        nan: true,
        ..Floats::NONE
    };

    /// All floats.
    pub fn anything(format: FloatFormat) -> Floats {
        Floats {
            nan: true,
            ..Floats::numbers(format)
        }
    }

    /// All but NaN.
    pub fn numbers(format: FloatFormat) -> Floats {
        let infinity = infinity(format);
        Floats::between(-1 - infinity, infinity)
    }

    /// The numbers between two keys.
    pub fn between(low: Key, high: Key) -> Floats {
        Floats {
            nan: false,
            negative: Span::new(low, high.min(-1)),
            positive: Span::new(low.max(0), high),
        }
    }

    /// One number.
    pub fn single(key: Key) -> Floats {
        Floats::between(key, key)
    }

    /// The float of a pattern.
    pub fn constant(format: FloatFormat, pattern: u128) -> Floats {
        key(format, pattern).map_or(Floats::NAN, Floats::single)
    }

    pub fn is_empty(&self) -> bool {
        !self.nan && !self.has_numbers()
    }

    /// Is it so much smaller than `before`, which has all of it, that it is worth telling? Ends that creep are not.
    pub fn is_news(&self, before: &Floats) -> bool {
        let shrinks = |now: Span, before: Span| {
            let (now, before) = (now.high - now.low, before.high - before.low);
            now <= 0 && now != before || before - now > before / NEWS
        };
        self.nan != before.nan
            || shrinks(self.negative, before.negative)
            || shrinks(self.positive, before.positive)
    }

    pub fn has_numbers(&self) -> bool {
        !self.negative.is_empty() || !self.positive.is_empty()
    }

    /// The only number, when there is no other and no NaN.
    pub fn value(&self) -> Option<Key> {
        let all = self.hull();
        (!self.nan && all.low == all.high).then_some(all.low)
    }

    /// Does it have the float of a pattern?
    #[cfg(test)]
    pub fn has(&self, format: FloatFormat, pattern: u128) -> bool {
        match key(format, pattern) {
            None => self.nan,
            Some(key) => self.negative.has(key) || self.positive.has(key),
        }
    }

    /// The keys from the least number to the greatest.
    pub fn hull(&self) -> Span {
        self.negative.join(self.positive)
    }

    /// The ranks of the numbers of each sign.
    pub fn ranks(&self) -> [Span; 2] {
        [self.negative, self.positive].map(|span| {
            if span.is_empty() {
                span
            } else {
                Span::new(rank(span.low), rank(span.high))
            }
        })
    }

    pub fn meet(self, other: Floats) -> Floats {
        Floats {
            nan: self.nan && other.nan,
            negative: self.negative.meet(other.negative),
            positive: self.positive.meet(other.positive),
        }
    }

    pub fn join(self, other: Floats) -> Floats {
        Floats {
            nan: self.nan || other.nan,
            negative: self.negative.join(other.negative),
            positive: self.positive.join(other.positive),
        }
    }

    /// The same floats with the other sign.
    pub fn negated(self) -> Floats {
        Floats {
            nan: self.nan,
            negative: self.positive.negated(),
            positive: self.negative.negated(),
        }
    }

    /// The same floats without a sign.
    pub fn absolute(self) -> Floats {
        Floats {
            nan: self.nan,
            negative: Span::EMPTY,
            positive: self.positive.join(self.negative.negated()),
        }
    }

    /// With the other zero where there is one.
    pub fn with_both_zeros(self) -> Floats {
        let zero = self.negative.has(-1) || self.positive.has(0);
        if zero {
            self.join(Floats::between(-1, 0))
        } else {
            self
        }
    }

    /// The exponents of the least and the greatest magnitude among the numbers, as if subnormal numbers were written like
    /// normal ones; `None` for that of zero, and for all of them if there is an infinity or no number.
    pub fn exponents(&self, format: FloatFormat) -> Option<(Option<i64>, i64)> {
        let all = self.absolute().positive;
        if all.is_empty() || all.high >= infinity(format) {
            return None;
        }
        let below = format.precision() - 1;
        let exponent = |magnitude: Key| match magnitude >> below {
            0 => i64::from(magnitude.ilog2()) - i64::from(below) + format.min_exponent(),
            field => field as i64 - format.max_exponent(),
        };
        if all.high == 0 {
            return Some((None, format.min_exponent() - i64::from(below)));
        }
        let least = (all.low > 0).then(|| exponent(all.low));
        Some((least, exponent(all.high)))
    }

    /// The floats whose bit patterns have a fact.
    pub fn of_bits(format: FloatFormat, bits: &Fact) -> Floats {
        let width = format.bits();
        let infinity = infinity(format) as u64;
        let sign = 1u64 << (width - 1);
        let mut found = Floats::NONE;
        for negative in [false, true] {
            let from = if negative { sign } else { 0 };
            let half = Fact::interval(from, from | (sign - 1), width);
            let Some(half) = bits.meet(half, width) else {
                continue;
            };
            let (low, high) = (half.lo & !sign, half.hi & !sign);
            found.nan |= high > infinity;
            let numbers = Span::new(low.into(), high.min(infinity).into());
            if negative {
                found.negative = numbers.negated();
            } else {
                found.positive = numbers;
            }
        }
        found
    }

    /// The fact about the bit patterns; `None` if the set is empty.
    pub fn bits(&self, format: FloatFormat) -> Option<Fact> {
        let width = format.bits();
        let sign = 1u64 << (width - 1);
        let mut found: Option<Fact> = None;
        let infinity = infinity(format) as u64;
        for (from, span) in [(0, self.positive), (sign, self.negative.negated())] {
            let (mut low, mut high) = (span.low as u64, span.high as u64);
            if self.nan {
                if span.is_empty() {
                    low = infinity + 1;
                }
                high = sign - 1;
            } else if span.is_empty() {
                continue;
            }
            let part = Fact::interval(from | low, from | high, width).refined(width)?;
            found = Some(found.map_or(part, |other| other.join(part)));
        }
        found
    }
}
