//! The information that is cached for every node: known bits, unsigned interval, free symbols, size.
//!
//! Known bits and interval are the two classic non-relational domains; each refines the other
//! once per node. Both cover bit-vectors of at most 64 bits; wider ones get "anything".
//!
//! [`crate::domain`] is more precise for most operators. But every new node pays for this information: with the
//! transfer function and the refinement of the domain, making a node would take 1.75 times as many instructions.

use crate::domain::{Fact, sum_bits};
use crate::node::{Node, Op};
use crate::semantics::{mask, sign_extend};
use crate::symset::SymbolSet;

/// Cached facts about a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    pub zeros: u64,
    pub ones: u64,
    pub lo: u64,
    pub hi: u64,
    pub symbols: SymbolSet,
    /// Saturating tree size above the flag bits.
    pub meta: u32,
}

pub(crate) const HAS_FLOAT: u32 = 1;
pub(crate) const HAS_ARRAY: u32 = 2;
pub(crate) const HAS_INT: u32 = 4;
const FLAG_BITS: u32 = 3;
const FLAGS: u32 = (1 << FLAG_BITS) - 1;
const SIZE_MAX: u32 = u32::MAX >> FLAG_BITS;

impl Info {
    pub const ANYTHING: Info = Info {
        zeros: 0,
        ones: 0,
        lo: 0,
        hi: u64::MAX,
        symbols: SymbolSet::EMPTY,
        meta: 0,
    };

    pub fn constant(width: u32, value: u64) -> Info {
        Info {
            zeros: !value & mask(width),
            ones: value,
            lo: value,
            hi: value,
            meta: 1 << FLAG_BITS,
            ..Info::ANYTHING
        }
    }

    #[inline]
    pub fn size(&self) -> u32 {
        self.meta >> FLAG_BITS
    }

    #[inline]
    pub fn combine_meta(&mut self, own_flags: u32, children: [u32; 3]) {
        let mut size = 1u32;
        let mut flags = own_flags;
        for child in children {
            size = size.saturating_add(child >> FLAG_BITS);
            flags |= child & FLAGS;
        }
        self.meta = size.min(SIZE_MAX) << FLAG_BITS | flags;
    }

    /// The fact about a value of `width` bits, 1 to 64. Signed bounds are not kept: those that
    /// are narrower than what the rest says are rare, and would make the information about a node longer by a third.
    #[inline]
    pub fn fact(&self, width: u32) -> Fact {
        Fact::unsigned((self.lo, self.hi), (self.zeros, self.ones), width)
    }

    /// The facts about the value of `node` from those about its children; everything has at most
    /// 64 bits where it matters (`wide` children carry [`Info::ANYTHING`]'s facts).
    pub fn of_value(node: &Node, a: &Info, b: &Info, c: &Info) -> Info {
        let width = node.sort;
        if width > 64 {
            return Info::ANYTHING;
        }
        let all = mask(width);
        let mut out = Info {
            hi: all,
            ..Info::ANYTHING
        };
        match node.op {
            Op::Not => {
                (out.zeros, out.ones) = (a.ones, a.zeros);
                (out.lo, out.hi) = (all - a.hi, all - a.lo);
            }
            Op::And => {
                (out.zeros, out.ones) = (a.zeros | b.zeros, a.ones & b.ones);
                out.hi = a.hi.min(b.hi);
            }
            Op::Or => {
                (out.zeros, out.ones) = (a.zeros & b.zeros, a.ones | b.ones);
                out.lo = a.lo.max(b.lo);
            }
            Op::Xor => {
                out.zeros = (a.zeros & b.zeros) | (a.ones & b.ones);
                out.ones = (a.zeros & b.ones) | (a.ones & b.zeros);
            }
            Op::Add => {
                (out.zeros, out.ones) =
                    sum_bits((a.zeros, a.ones), (b.zeros, b.ones), false, all);
                let (lo, over_lo) = add_within(a.lo, b.lo, all);
                let (hi, over_hi) = add_within(a.hi, b.hi, all);
                if over_lo == over_hi {
                    (out.lo, out.hi) = (lo, hi);
                }
            }
            Op::Sub => {
                (out.zeros, out.ones) =
                    sum_bits((a.zeros, a.ones), (b.ones, b.zeros), true, all);
                if a.lo >= b.hi {
                    (out.lo, out.hi) = (a.lo - b.hi, a.hi - b.lo);
                } else if a.hi < b.lo {
                    out.lo = a.lo.wrapping_sub(b.hi) & all;
                    out.hi = a.hi.wrapping_sub(b.lo) & all;
                }
            }
            Op::Neg => {
                (out.zeros, out.ones) = sum_bits((all, 0), (a.ones, a.zeros), true, all);
                if a.lo > 0 {
                    (out.lo, out.hi) = (all - a.hi + 1, all - a.lo + 1);
                }
            }
            Op::Mul => {
                let low = trailing_known_zeros(a) + trailing_known_zeros(b);
                out.zeros = mask(low.min(width));
                if let Some(hi) = a.hi.checked_mul(b.hi).filter(|&hi| hi <= all) {
                    (out.lo, out.hi) = (a.lo * b.lo, hi);
                }
            }
            Op::Udiv
                if b.lo > 0 => {
                    (out.lo, out.hi) = (a.lo / b.hi, a.hi / b.lo);
                }
            Op::Urem => {
                out.hi = a.hi;
                if b.lo > 0 {
                    out.hi = a.hi.min(b.hi - 1);
                    if a.hi < b.lo {
                        out.lo = a.lo;
                    }
                }
            }
            Op::Shl => {
                let low = trailing_known_zeros(a) as u64 + b.lo.min(64);
                out.zeros = mask(low.min(width as u64) as u32);
            }
            Op::Lshr => {
                out.hi = if b.lo >= width as u64 {
                    0
                } else {
                    a.hi >> b.lo
                };
                out.lo = if b.hi >= width as u64 {
                    0
                } else {
                    a.lo >> b.hi
                };
            }
            Op::Ashr => {
                let sign = 1 << (width - 1);
                if a.zeros & sign != 0 {
                    out.hi = if b.lo >= width as u64 {
                        0
                    } else {
                        a.hi >> b.lo
                    };
                } else if a.ones & sign != 0 {
                    out.ones = sign;
                }
            }
            Op::Concat => {
                let low = node.aux;
                out.zeros = a.zeros << low | b.zeros;
                out.ones = a.ones << low | b.ones;
                out.lo = a.lo << low | b.lo;
                out.hi = a.hi << low | b.hi;
            }
            Op::Extract => {
                let low = node.aux;
                // A wide operand says hi = ~0, which is right for the bits below 64 only.
                if low + width <= 64 {
                    out.zeros = a.zeros >> low & all;
                    out.ones = a.ones >> low & all;
                    let (lo, hi) = (a.lo >> low, a.hi >> low);
                    if lo & !all == hi & !all {
                        (out.lo, out.hi) = (lo & all, hi & all);
                    }
                }
            }
            Op::Zext => {
                out.zeros = a.zeros | (all & !mask(node.aux));
                (out.ones, out.lo, out.hi) = (a.ones, a.lo, a.hi);
            }
            Op::Sext => {
                let from = node.aux;
                let sign = 1u64 << (from - 1);
                let high = all & !mask(from);
                (out.zeros, out.ones) = (a.zeros, a.ones);
                if a.zeros & sign != 0 {
                    out.zeros |= high;
                }
                if a.ones & sign != 0 {
                    out.ones |= high;
                }
                if (a.lo ^ a.hi) & sign == 0 {
                    out.lo = sign_extend(a.lo, from) & all;
                    out.hi = sign_extend(a.hi, from) & all;
                }
            }
            Op::Ite => {
                (out.zeros, out.ones) = (b.zeros & c.zeros, b.ones & c.ones);
                (out.lo, out.hi) = (b.lo.min(c.lo), b.hi.max(c.hi));
            }
            Op::Eq
                // Widths above 64 know nothing, so the test cannot be wrong there.
                if (a.zeros & b.ones != 0 || a.ones & b.zeros != 0 || a.hi < b.lo || b.hi < a.lo) => {
                    out.zeros = 1;
                }
            Op::Ult if node.aux <= 64 => {
                if a.hi < b.lo {
                    out.ones = 1;
                } else if a.lo >= b.hi {
                    out.zeros = 1;
                }
            }
            Op::Slt if node.aux <= 64 => {
                let (a, b) = (a.fact(node.aux), b.fact(node.aux));
                if a.shi < b.slo {
                    out.ones = 1;
                } else if a.slo >= b.shi {
                    out.zeros = 1;
                }
            }
            _ => {}
        }
        out.refine(all);
        out
    }

    /// Lets known bits and interval learn from each other.
    pub fn refine(&mut self, all: u64) {
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(all & !self.zeros);
        let differing = self.lo ^ self.hi;
        let common = all & !mask(64 - differing.leading_zeros());
        self.ones |= self.lo & common;
        self.zeros |= !self.lo & common;
    }
}

pub(crate) fn trailing_known_zeros(x: &Info) -> u32 {
    x.zeros.trailing_ones()
}

fn add_within(a: u64, b: u64, all: u64) -> (u64, bool) {
    let sum = a as u128 + b as u128;
    (sum as u64 & all, sum > all as u128)
}
