//! The abstract domain of bit-vectors: known bits, and an interval in the unsigned and in the signed order.
//!
//! [`Fact`] is the abstract value, [`forward`] the abstract transfer function of every operator. The solver's interval
//! pass along a path and its propagation to a fixed point compute their facts here. For each new node the pool keeps
//! simpler facts, which are cheaper ([`Pool::fact`](crate::Pool::fact)).
//!
//! The signed interval is kept over values with their sign bit flipped, whose unsigned order is the signed order. The three
//! refine each other on each half of the values (sign clear, sign set) by itself: the ends move to the nearest
//! values with the known bits, and the common high bits of the ends are known. Widths are 1 to 64 bits.

mod forward;
#[cfg(test)]
mod tests;

use crate::semantics::mask;
pub(crate) use forward::sum_bits;
pub use forward::{Operator, complement, difference, exclusive, forward, numbers, sum};

/// The values a term can have; `lo`, `hi` unsigned, `slo`, `shi` signed with the sign bit flipped, all inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The least value.
    pub lo: u64,
    /// The greatest value.
    pub hi: u64,
    /// The least value in the signed order, with its sign bit flipped.
    pub slo: u64,
    /// The greatest value in the signed order, with its sign bit flipped.
    pub shi: u64,
    /// Bits that are 0 in all values.
    pub zeros: u64,
    /// Bits that are 1 in all values.
    pub ones: u64,
}

/// The sign bit of values of `width` bits.
#[inline]
pub const fn sign(width: u32) -> u64 {
    1 << (width - 1)
}

/// The least value at least `from` with the known bits.
fn least(from: u64, zeros: u64, ones: u64, all: u64) -> Option<u64> {
    let wrong = (from & zeros) | (!from & ones);
    if wrong == 0 {
        return Some(from);
    }
    let at = 63 - wrong.leading_zeros();
    if ones >> at & 1 == 1 {
        let below = mask(at);
        return Some(from & !below | 1 << at | ones & below);
    }
    let free = all & !from & !zeros & !mask(at + 1);
    let raised = 1u64.checked_shl(free.trailing_zeros())?;
    let below = raised - 1;
    Some(from & !(below | raised) | raised | ones & below)
}

/// The greatest value at most `from` with the known bits.
fn greatest(from: u64, zeros: u64, ones: u64, all: u64) -> Option<u64> {
    least(!from & all, ones, zeros, all).map(|v| !v & all)
}

impl Fact {
    /// All values of a width.
    pub fn anything(width: u32) -> Fact {
        let all = mask(width);
        Fact {
            lo: 0,
            hi: all,
            slo: 0,
            shi: all,
            zeros: 0,
            ones: 0,
        }
    }

    /// One value.
    pub fn constant(value: u64, width: u32) -> Fact {
        let flipped = value ^ sign(width);
        Fact {
            lo: value,
            hi: value,
            slo: flipped,
            shi: flipped,
            zeros: !value & mask(width),
            ones: value,
        }
    }

    /// The values from `lo` to `hi`.
    pub fn interval(lo: u64, hi: u64, width: u32) -> Fact {
        Fact {
            lo,
            hi,
            ..Fact::anything(width)
        }
    }

    /// The values from `lo` to `hi` in the signed order, given with their sign bit flipped.
    pub fn signed(slo: u64, shi: u64, width: u32) -> Fact {
        Fact {
            slo,
            shi,
            ..Fact::anything(width)
        }
    }

    /// The values with some bits.
    pub fn bits(zeros: u64, ones: u64, width: u32) -> Fact {
        let all = mask(width);
        Fact {
            zeros: zeros & all,
            ones: ones & all,
            ..Fact::anything(width)
        }
    }

    /// The values between two bounds with some bits, where these refine each other already; the signed bounds
    /// follow from them.
    #[inline]
    pub fn unsigned((lo, hi): (u64, u64), (zeros, ones): (u64, u64), width: u32) -> Fact {
        let sign = sign(width);
        let (slo, shi) = match (lo ^ hi) & sign {
            0 => (lo ^ sign, hi ^ sign),
            _ => (ones & !sign, mask(width) & !zeros | sign),
        };
        Fact {
            lo,
            hi,
            slo,
            shi,
            zeros,
            ones,
        }
    }

    /// The bit 0 or 1 of a condition, when one of them is known.
    pub fn truth(yes: bool, no: bool) -> Fact {
        match (yes, no) {
            (true, _) => Fact::constant(1, 1),
            (_, true) => Fact::constant(0, 1),
            _ => Fact::anything(1),
        }
    }

    /// The one value left.
    pub fn value(&self) -> Option<u64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Is it one of the values?
    pub fn has(&self, v: u64, width: u32) -> bool {
        (self.lo..=self.hi).contains(&v)
            && (self.slo..=self.shi).contains(&(v ^ sign(width)))
            && v & self.zeros == 0
            && !v & self.ones == 0
    }

    /// The values of either.
    pub fn join(self, other: Fact) -> Fact {
        Fact {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            slo: self.slo.min(other.slo),
            shi: self.shi.max(other.shi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// The values of both; `None` when there are none.
    pub fn meet(self, other: Fact, width: u32) -> Option<Fact> {
        Fact {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            slo: self.slo.max(other.slo),
            shi: self.shi.min(other.shi),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        }
        .refined(width)
    }

    /// Each part refines the others, to a fixed point; `None` when no value is left.
    pub fn refined(mut self, width: u32) -> Option<Fact> {
        let (all, sign) = (mask(width), sign(width));
        loop {
            if self.zeros & self.ones != 0 {
                return None;
            }
            // Each half in the unsigned order: the flipped signed order has the same low bits.
            let half = |lo: u64, hi: u64, slo: u64, shi: u64| {
                let (lo, hi) = (lo.max(slo), hi.min(shi));
                let lo = (lo <= hi).then(|| least(lo, self.zeros, self.ones, all))??;
                let hi = greatest(hi, self.zeros, self.ones, all)?;
                (lo <= hi).then_some((lo, hi))
            };
            let clear = match self.shi & sign {
                0 => None,
                _ => half(
                    self.lo,
                    self.hi.min(sign - 1),
                    self.slo.max(sign) ^ sign,
                    self.shi ^ sign,
                ),
            };
            let set = match self.slo & sign {
                0 => half(
                    self.lo.max(sign),
                    self.hi,
                    self.slo ^ sign,
                    self.shi.min(sign - 1) ^ sign,
                ),
                _ => None,
            };
            match (clear, set) {
                (None, None) => return None,
                (Some((lo, hi)), None) | (None, Some((lo, hi))) => {
                    (self.lo, self.hi) = (lo, hi);
                    (self.slo, self.shi) = (lo ^ sign, hi ^ sign);
                }
                (Some(clear), Some(set)) => {
                    (self.lo, self.hi) = (clear.0, set.1);
                    (self.slo, self.shi) = (set.0 ^ sign, clear.1 ^ sign);
                }
            }
            let common = all & !mask(64 - (self.lo ^ self.hi).leading_zeros());
            if common & !(self.zeros | self.ones) == 0 {
                // The ends fit the bits, so they would stay.
                return Some(self);
            }
            self.ones |= self.lo & common;
            self.zeros |= !self.lo & common;
        }
    }
}
