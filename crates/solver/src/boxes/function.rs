//! Operations that are monotone in each operand as long as the operand stays on one side of zero and within the zeros,
//! the finite numbers or the infinities. Some need less than that.
//!
//! Rounding keeps order, so the results on a box of such operands lie between those at two of its corners, rounded as
//! the operation rounds. Backwards, the set of values of an operand that lead into a given set is an interval, because
//! the operation is monotone in it; its ends are found by bisection over keys. That is exact for each box, whatever
//! the format and the rounding mode (tighter than inverse operations with margins: Michel, "Exact projection functions
//! for floating point number constraints", AMAI 2002).

use super::floats::{Floats, Key, Span, infinity, key, pattern};
use float::{Operation, Reading};
use term::{FloatFormat, Op, Pool, RoundingMode, Term};

/// One such operation.
pub(super) struct MonotoneFunction {
    /// `None`: a conversion between formats.
    operation: Option<Operation>,
    from: FloatFormat,
    to: FloatFormat,
    mode: RoundingMode,
    /// Are the first two operands the same?
    is_repeated: bool,
}

/// Operands on which the operation is monotone; missing ones are zero.
type Piece = [Span; 3];

impl MonotoneFunction {
    /// The function that a term is, if it is one.
    pub fn of(pool: &Pool, t: Term) -> Option<MonotoneFunction> {
        let operation = match pool.op(t) {
            Op::FpToFp => None,
            Op::FAdd => Some(Operation::Add),
            Op::FSub => Some(Operation::Subtract),
            Op::FMul => Some(Operation::Multiply),
            Op::FDiv => Some(Operation::Divide),
            Op::Fma => Some(Operation::MultiplyAdd),
            Op::FSqrt => Some(Operation::SquareRoot),
            Op::FRound => Some(Operation::RoundToIntegral),
            _ => return None,
        };
        let kids = pool.children(t);
        Some(MonotoneFunction {
            operation,
            from: pool.float_format(kids[0]),
            to: pool.float_format(t),
            mode: pool.rounding(t),
            is_repeated: kids.len() > 1 && kids[0] == kids[1],
        })
    }

    /// The key of the result; `None` of a NaN.
    fn at(&self, operands: [Key; 3]) -> Option<Key> {
        let operands = operands.map(|key| pattern(self.from, key));
        let result = match self.operation {
            None => float::pattern::convert(
                self.from,
                self.to,
                Reading::Machine,
                self.mode,
                operands[0],
            ),
            Some(operation) => {
                float::pattern::apply(operation, self.from, Reading::Machine, self.mode, operands)
            }
        };
        key(self.to, result)
    }

    /// On operands of these signs: does the result grow with each of them?
    fn rises(&self, piece: &Piece) -> [bool; 3] {
        let [a, b] = [0, 1].map(|k| piece[k].low >= 0);
        match self.operation {
            Some(Operation::Subtract) => [true, false, true],
            Some(Operation::Multiply | Operation::MultiplyAdd) => [b, a, true],
            Some(Operation::Divide) => [b, !a, true],
            _ => [true; 3],
        }
    }

    /// The results on operands with these sets.
    pub fn forward(&self, operands: &[Floats]) -> Floats {
        let mut results = Floats {
            nan: operands.iter().any(|operand| operand.nan),
            ..Floats::NONE
        };
        self.for_each_piece(operands, |piece| {
            let rises = self.rises(&piece);
            match (
                self.at(corner(&piece, rises, false)),
                self.at(corner(&piece, rises, true)),
            ) {
                (Some(low), Some(high)) => {
                    debug_assert!(low <= high, "an operation that is not monotone");
                    results = results.join(Floats::between(low, high));
                }
                _ => results.nan = true,
            }
        });
        results
    }

    /// The values of operand `k` that, with some values of the others, have results in a set.
    pub fn backward(&self, own: &Floats, operands: &[Floats], k: usize) -> Floats {
        let others_nan = (0..operands.len()).any(|other| other != k && operands[other].nan);
        let mut found = Floats {
            nan: own.nan && operands[k].nan,
            ..Floats::NONE
        };
        if own.nan && others_nan {
            return operands[k];
        }
        self.for_each_piece(operands, |piece| {
            let rises = self.rises(&piece);
            if self.at(corner(&piece, rises, false)).is_none() {
                if own.nan {
                    found = found.join(Floats::between(piece[k].low, piece[k].high));
                }
                return;
            }
            for target in [own.negative, own.positive] {
                let span = self.narrowed(&piece, rises, k, target);
                found = found.join(Floats::between(span.low, span.high));
            }
        });
        found
    }

    /// The part of operand `k` whose results may lie in `target`.
    fn narrowed(&self, piece: &Piece, rises: [bool; 3], k: usize, target: Span) -> Span {
        let span = piece[k];
        if target.is_empty() || span.is_empty() {
            return Span::EMPTY;
        }
        // A square has both operands the same, where that leaves it monotone.
        let together = self.is_repeated && k < 2 && rises[0] == rises[1];
        let result = |x: Key, top: bool| {
            let mut keys = corner(piece, rises, top);
            keys[k] = x;
            if together {
                keys[1 - k] = x;
            }
            self.at(keys)
        };
        let reaches = |x: Key| result(x, true).is_some_and(|high| high >= target.low);
        let stays = |x: Key| result(x, false).is_some_and(|low| low <= target.high);
        let near = |end: Key, top: bool| {
            let keys = corner(piece, rises, top);
            self.inverse(k, together, end, keys).unwrap_or(span.low)
        };
        let (first, last) = (|| near(target.low, true), || near(target.high, false));
        let ends = if rises[k] {
            (least(span, first, reaches), greatest(span, last, stays))
        } else {
            (least(span, last, stays), greatest(span, first, reaches))
        };
        match ends {
            (Some(low), Some(high)) => Span::new(low, high),
            _ => Span::EMPTY,
        }
    }

    /// About the value of operand `k`, or of the first two `together`, with which and with the others' the result is `target`:
    /// where to begin to look for it.
    fn inverse(&self, k: usize, together: bool, target: Key, others: [Key; 3]) -> Option<Key> {
        let t = pattern(self.to, target);
        let Some(operation) = self.operation else {
            let mode = RoundingMode::NearestEven;
            return key(
                self.from,
                float::pattern::convert(self.to, self.from, Reading::Machine, mode, t),
            );
        };
        let apply = |operation, a, b| {
            let mode = RoundingMode::NearestEven;
            float::pattern::apply(operation, self.from, Reading::Machine, mode, [a, b, 0])
        };
        let [a, b, c] = others.map(|key| pattern(self.from, key));
        let other = if k == 0 { b } else { a };
        use Operation::{
            Add, Divide, Multiply, MultiplyAdd, RoundToIntegral, SquareRoot, Subtract,
        };
        let found = match operation {
            Multiply if together => apply(SquareRoot, t, 0),
            _ if together => return None,
            Add => apply(Subtract, t, other),
            Subtract if k == 0 => apply(Add, t, b),
            Subtract => apply(Subtract, a, t),
            Multiply => apply(Divide, t, other),
            Divide if k == 0 => apply(Multiply, t, b),
            Divide => apply(Divide, a, t),
            MultiplyAdd if k < 2 => apply(Divide, apply(Subtract, t, c), other),
            MultiplyAdd => apply(Subtract, t, apply(Multiply, a, b)),
            SquareRoot => apply(Multiply, t, t),
            RoundToIntegral => t,
            _ => return None,
        };
        key(self.from, found)
    }

    /// The values of operand `k` at which the operation need not be monotone.
    fn seams(&self, operands: &[Floats], k: usize) -> Seams {
        use Operation::{Add, Divide, Multiply, RoundToIntegral, Subtract};
        let has_zero = |set: &Floats| set.negative.has(-1) || set.positive.has(0);
        let infinity = infinity(self.from);
        let has_infinity =
            |set: &Floats| set.negative.has(-1 - infinity) || set.positive.has(infinity);
        match self.operation {
            None | Some(RoundToIntegral) => Seams::None,
            Some(Add | Subtract) => Seams::Infinities,
            Some(Multiply) if !has_infinity(&operands[1 - k]) => Seams::Signs,
            // Parts of equal operands are compared by their places.
            Some(Divide) if k == 0 && !self.is_repeated && !has_zero(&operands[1]) => Seams::Signs,
            _ => Seams::Zeros,
        }
    }

    fn for_each_piece(&self, operands: &[Floats], mut see: impl FnMut(Piece)) {
        let pieces = |k: usize| match operands.get(k) {
            Some(operand) => pieces(self.from, operand, self.seams(operands, k)),
            None => [Some(Span::new(0, 0)), None, None, None, None, None],
        };
        let (all, second, third) = (pieces(0), pieces(1), pieces(2));
        for (k, a) in all.iter().enumerate() {
            let Some(a) = *a else { continue };
            for (other, b) in second.iter().enumerate() {
                let Some(b) = *b else { continue };
                if self.is_repeated && k != other {
                    continue;
                }
                for c in third.iter().flatten() {
                    see([a, b, *c]);
                }
            }
        }
    }
}

/// The corner of the least result, or at the top of the greatest.
fn corner(piece: &Piece, rises: [bool; 3], top: bool) -> [Key; 3] {
    std::array::from_fn(|k| {
        if rises[k] == top {
            piece[k].high
        } else {
            piece[k].low
        }
    })
}

/// The values at which a set is cut so that an operation is monotone on each part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seams {
    /// Nowhere.
    None,
    /// Infinities are apart.
    Infinities,
    /// Signs and infinities are apart.
    Signs,
    /// Signs, zeros and infinities are apart.
    Zeros,
}

/// The parts of a set. Where both signs may stand in one part they do if no more than zeros is missing between them.
fn pieces(format: FloatFormat, set: &Floats, seams: Seams) -> [Option<Span>; 6] {
    let infinity = infinity(format);
    let part = |span: Span, low: Key, high: Key| {
        let part = span.meet(Span::new(low, high));
        (!part.is_empty()).then_some(part)
    };
    let (negative, positive) = (set.negative, set.positive);
    let joins =
        !negative.is_empty() && !positive.is_empty() && positive.low <= 1 && negative.high >= -2;
    match seams {
        Seams::None | Seams::Infinities => {
            let most = infinity - Key::from(seams == Seams::Infinities);
            let ends = if seams == Seams::Infinities {
                [
                    part(negative, -1 - infinity, -1 - infinity),
                    part(positive, infinity, infinity),
                ]
            } else {
                [None, None]
            };
            let finite = [part(negative, -1 - most, -1), part(positive, 0, most)];
            let finite = match finite {
                [Some(a), Some(b)] if joins => [Some(a.join(b)), None],
                other => other,
            };
            [ends[0], finite[0], finite[1], ends[1], None, None]
        }
        Seams::Signs => [
            part(negative, -1 - infinity, -1 - infinity),
            part(negative, -infinity, -1),
            part(positive, 0, infinity - 1),
            part(positive, infinity, infinity),
            None,
            None,
        ],
        Seams::Zeros => [
            part(negative, -1 - infinity, -1 - infinity),
            part(negative, -infinity, -2),
            part(negative, -1, -1),
            part(positive, 0, 0),
            part(positive, 1, infinity - 1),
            part(positive, infinity, infinity),
        ],
    }
}

/// The least key that has a property which all behind it have, too; looked for from `near` on, in steps that double.
pub(super) fn least(
    span: Span,
    near: impl FnOnce() -> Key,
    has: impl Fn(Key) -> bool,
) -> Option<Key> {
    if has(span.low) {
        return Some(span.low);
    }
    if !has(span.high) {
        return None;
    }
    let (mut without, mut with) = (span.low, span.high);
    let (mut at, mut step): (Key, Key) = (near(), 1);
    while without < at && at < with {
        if has(at) {
            with = at;
            at = at.saturating_sub(step);
        } else {
            without = at;
            at = at.saturating_add(step);
        }
        step = step.saturating_mul(2);
    }
    // Keys of both signs may be further apart than the largest one.
    while with > without.saturating_add(1) {
        let middle = without.midpoint(with);
        if has(middle) {
            with = middle;
        } else {
            without = middle;
        }
    }
    Some(with)
}

/// The greatest key that has a property which all before it have, too; looked for from `near` on.
pub(super) fn greatest(
    span: Span,
    near: impl FnOnce() -> Key,
    has: impl Fn(Key) -> bool,
) -> Option<Key> {
    least(span.negated(), || -1 - near(), |key| has(-1 - key)).map(|key| -1 - key)
}
