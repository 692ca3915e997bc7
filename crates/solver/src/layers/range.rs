//! An unsigned interval with known bits, each refining the other: the abstract value of a term.

use term::{Pool, Term};

/// What is known about a value of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub lo: u64,
    pub hi: u64,
    pub zeros: u64,
    pub ones: u64,
}

pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl Range {
    pub fn of_pool(pool: &Pool, t: Term) -> Range {
        let (lo, hi) = pool.interval(t);
        let (zeros, ones) = pool.known_bits(t);
        Range {
            lo,
            hi,
            zeros,
            ones,
        }
    }

    pub fn interval(lo: u64, hi: u64, width: u32) -> Range {
        Range {
            lo,
            hi,
            zeros: !mask(width),
            ones: 0,
        }
        .refined(width)
    }

    pub fn bits(zeros: u64, ones: u64, width: u32) -> Range {
        Range {
            lo: 0,
            hi: mask(width),
            zeros: zeros | !mask(width),
            ones,
        }
        .refined(width)
    }

    pub fn constant(value: u64, width: u32) -> Range {
        Range::interval(value, value, width)
    }

    pub fn anything(width: u32) -> Range {
        Range::interval(0, mask(width), width)
    }

    /// Each domain refines the other once.
    pub fn refined(mut self, width: u32) -> Range {
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(!self.zeros & mask(width));
        if self.lo <= self.hi {
            // The bits above the highest one in which the ends differ are known.
            let differ = self.lo ^ self.hi;
            let below = if differ == 0 {
                0
            } else {
                u64::MAX >> differ.leading_zeros()
            };
            self.ones |= self.lo & !below;
            self.zeros |= !self.lo & !below;
        }
        self
    }

    pub fn meet(self, other: Range, width: u32) -> Range {
        Range {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        }
        .refined(width)
    }

    pub fn is_empty(&self) -> bool {
        self.lo > self.hi || self.zeros & self.ones != 0
    }

    pub fn value(&self) -> Option<u64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn join(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// The range as two's complement ends.
    pub fn signed(&self, width: u32) -> (i64, i64) {
        let shift = 64 - width;
        let extend = |v: u64| ((v << shift) as i64) >> shift;
        let sign = 1u64 << (width - 1);
        if (self.lo ^ self.hi) & sign == 0 {
            (extend(self.lo), extend(self.hi))
        } else {
            (extend(sign), extend(sign - 1))
        }
    }
}

/// The value of a condition of which one side may be known.
pub(crate) fn truth(yes: bool, no: bool) -> Range {
    if yes {
        Range::constant(1, 1)
    } else if no {
        Range::constant(0, 1)
    } else {
        Range::anything(1)
    }
}
