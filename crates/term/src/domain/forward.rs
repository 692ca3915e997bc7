//! From operands to results: the fact about an operator's value that follows from facts about its operands.

use super::{Fact, sign};
use crate::node::Op;
use crate::semantics::mask;

/// An operator over bit-vectors of at most 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The operator.
    pub op: Op,
    /// Width of the result.
    pub width: u32,
    /// Width of the first operand.
    pub first: u32,
    /// The lowest bit that an [`Op::Extract`] takes.
    pub low: u32,
}

/// The values from `lo` to `hi` modulo 2^width, when both are in the same period.
fn period(lo: i128, hi: i128, width: u32) -> Option<(u64, u64)> {
    let all = mask(width);
    (lo <= hi && lo >> width == hi >> width).then_some((lo as u64 & all, hi as u64 & all))
}

/// A fact from unsigned ends and ends of the flipped signed order, each modulo 2^width.
fn ends(unsigned: (i128, i128), flipped: (i128, i128), width: u32) -> Fact {
    let mut fact = Fact::anything(width);
    if let Some((lo, hi)) = period(unsigned.0, unsigned.1, width) {
        (fact.lo, fact.hi) = (lo, hi);
    }
    if let Some((lo, hi)) = period(flipped.0, flipped.1, width) {
        (fact.slo, fact.shi) = (lo, hi);
    }
    fact
}

/// Known bits of `a + b + carry`, from the bits known to be 0 and to be 1 of `a` and of `b`: the sums of all unknown
/// bits 0 and all 1 agree with every sum where operands and carry are known.
#[inline]
pub(crate) fn sum_bits(a: (u64, u64), b: (u64, u64), carry: bool, all: u64) -> (u64, u64) {
    let ((a_zeros, a_ones), (b_zeros, b_ones)) = (a, b);
    let carry = carry as u64;
    let least = a_ones.wrapping_add(b_ones).wrapping_add(carry);
    let most = (all & !a_zeros)
        .wrapping_add(all & !b_zeros)
        .wrapping_add(carry);
    let carry_zero = !(most ^ a_zeros ^ b_zeros);
    let carry_one = least ^ a_ones ^ b_ones;
    let known = (a_zeros | a_ones) & (b_zeros | b_ones) & (carry_zero | carry_one) & all;
    (!most & known, least & known)
}

/// `a + b`.
pub fn sum(a: &Fact, b: &Fact, width: u32) -> Fact {
    let n = |v: u64| v as i128;
    let sign = n(sign(width));
    let (zeros, ones) = sum_bits((a.zeros, a.ones), (b.zeros, b.ones), false, mask(width));
    Fact {
        zeros,
        ones,
        ..ends(
            (n(a.lo) + n(b.lo), n(a.hi) + n(b.hi)),
            (n(a.slo) + n(b.slo) - sign, n(a.shi) + n(b.shi) - sign),
            width,
        )
    }
}

/// `a - b`.
pub fn difference(a: &Fact, b: &Fact, width: u32) -> Fact {
    let n = |v: u64| v as i128;
    let sign = n(sign(width));
    let (zeros, ones) = sum_bits((a.zeros, a.ones), (b.ones, b.zeros), true, mask(width));
    Fact {
        zeros,
        ones,
        ..ends(
            (n(a.lo) - n(b.hi), n(a.hi) - n(b.lo)),
            (n(a.slo) - n(b.shi) + sign, n(a.shi) - n(b.slo) + sign),
            width,
        )
    }
}

/// `~a`.
pub fn complement(a: &Fact, width: u32) -> Fact {
    let all = mask(width);
    Fact {
        lo: all - a.hi,
        hi: all - a.lo,
        slo: all - a.shi,
        shi: all - a.slo,
        zeros: a.ones,
        ones: a.zeros,
    }
}

/// `a ^ b`.
pub fn exclusive(a: &Fact, b: &Fact, width: u32) -> Fact {
    Fact::bits(
        a.zeros & b.zeros | a.ones & b.ones,
        a.zeros & b.ones | a.ones & b.zeros,
        width,
    )
}

fn product(a: &Fact, b: &Fact, width: u32) -> Fact {
    let flip = |v: u64| v as i128 - sign(width) as i128;
    let corners = [
        (a.slo, b.slo),
        (a.slo, b.shi),
        (a.shi, b.slo),
        (a.shi, b.shi),
    ];
    let corners = corners.map(|(x, y)| flip(x) * flip(y) + sign(width) as i128);
    let flipped = (
        corners.into_iter().min().unwrap_or_default(),
        corners.into_iter().max().unwrap_or_default(),
    );
    let fits = a.hi.checked_mul(b.hi).is_some();
    let unsigned = if fits {
        ((a.lo * b.lo) as i128, (a.hi * b.hi) as i128)
    } else {
        (0, -1)
    };
    // The low bits that low bits of the operands decide.
    let known = |x: &Fact| (x.zeros | x.ones).trailing_ones();
    let even = |x: &Fact| x.zeros.trailing_ones();
    let low = mask((known(a) + even(b)).min(known(b) + even(a)).min(width));
    let bits = a.ones.wrapping_mul(b.ones);
    Fact {
        zeros: !bits & low,
        ones: bits & low,
        ..ends(unsigned, flipped, width)
    }
}

/// A fact from signed numbers, modulo 2^width.
fn signed_ends(lo: i128, hi: i128, width: u32) -> Fact {
    let half = sign(width) as i128;
    ends((0, -1), (lo + half, hi + half), width)
}

/// The signed numbers that the ends of a fact are.
pub fn numbers(a: &Fact, width: u32) -> (i128, i128) {
    let half = sign(width) as i128;
    (a.slo as i128 - half, a.shi as i128 - half)
}

/// `a / b` of signed numbers: the corners for positive and for negative divisors; 1 and -1 when dividing by 0.
fn quotient(a: &Fact, b: &Fact, width: u32) -> Fact {
    let ((least, most), (from, to)) = (numbers(a, width), numbers(b, width));
    let (mut lo, mut hi) = (i128::MAX, i128::MIN);
    let mut add = |v: i128| (lo, hi) = (lo.min(v), hi.max(v));
    for (from, to) in [(from.max(1), to), (from, to.min(-1))] {
        if from <= to {
            for x in [least, most] {
                add(x / from);
                add(x / to);
            }
        }
    }
    if from <= 0 && to >= 0 {
        if most >= 0 {
            add(-1);
        }
        if least < 0 {
            add(1);
        }
    }
    signed_ends(lo, hi, width)
}

/// `a % b` of signed numbers: it has the sign of `a`, no greater size, and a smaller one than `b` that is not 0.
fn remainder(a: &Fact, b: &Fact, width: u32) -> Fact {
    let ((least, most), (from, to)) = (numbers(a, width), numbers(b, width));
    let (mut lo, mut hi) = (least.min(0), most.max(0));
    if from > 0 || to < 0 {
        let (smallest, largest) = (from.abs().min(to.abs()), from.abs().max(to.abs()));
        if least > -smallest && most < smallest {
            return *a;
        }
        (lo, hi) = (lo.max(1 - largest), hi.min(largest - 1));
    }
    signed_ends(lo, hi, width)
}

/// `a` shifted right with its sign.
fn shifted_right(a: &Fact, b: &Fact, width: u32) -> Fact {
    let amount = |by: u64| by.min(width as u64 - 1) as u32;
    let ((least, most), (from, to)) = (numbers(a, width), (amount(b.lo), amount(b.hi)));
    // Negative numbers grow with the amount, others shrink.
    let lo = (least >> from).min(least >> to);
    let hi = (most >> from).max(most >> to);
    let fact = signed_ends(lo, hi, width);
    if from < to {
        return fact;
    }
    let all = mask(width);
    let filled = |bits: u64| match bits & sign(width) {
        0 => bits >> from,
        _ => bits >> from | all & !(all >> from),
    };
    Fact {
        zeros: filled(a.zeros),
        ones: filled(a.ones),
        ..fact
    }
}

/// `a` shifted left by a known amount below the width.
fn shifted_left(a: &Fact, by: u32, width: u32) -> Fact {
    let all = mask(width);
    let mut fact = Fact::bits(a.zeros << by | mask(by), a.ones << by, width);
    if a.hi <= all >> by {
        (fact.lo, fact.hi) = (a.lo << by, a.hi << by);
    }
    fact
}

/// The fact about an operator's value that follows from the facts about its operands, in their order. Sound: it holds
/// for the value whenever the facts hold for the operands. Nothing is known for operators that are not over
/// bit-vectors. The result may be empty if the operands' facts contradict each other; it is not
/// [refined](Fact::refined).
pub fn forward(operator: Operator, operands: &[Fact]) -> Fact {
    let Operator {
        op,
        width,
        first,
        low,
    } = operator;
    let all = mask(width);
    let anything = Fact::anything(width);
    let Some(&a) = operands.first() else {
        return anything;
    };
    let b = *operands.get(1).unwrap_or(&a);
    match op {
        Op::Not => complement(&a, width),
        Op::Neg => difference(&Fact::constant(0, width), &a, width),
        Op::Add => sum(&a, &b, width),
        Op::Sub => difference(&a, &b, width),
        Op::Mul => product(&a, &b, width),
        Op::Udiv => match (a.lo.checked_div(b.hi), a.hi.checked_div(b.lo)) {
            (Some(lo), Some(hi)) => Fact::interval(lo, hi, width),
            // By 0 it is the greatest value.
            (Some(lo), None) => Fact::interval(lo, all, width),
            (None, _) => Fact::constant(all, width),
        },
        Op::Sdiv => quotient(&a, &b, width),
        Op::Srem => remainder(&a, &b, width),
        Op::Urem => match b.lo {
            0 => Fact::interval(0, a.hi, width),
            _ if a.hi < b.lo => a,
            // All of them have one quotient.
            by if by == b.hi && a.lo / by == a.hi / by => {
                Fact::interval(a.lo % by, a.hi % by, width)
            }
            _ => Fact::interval(0, a.hi.min(b.hi - 1), width),
        },
        Op::Shl => match b.value() {
            Some(by) if by < width as u64 => shifted_left(&a, by as u32, width),
            _ => {
                let low = a.zeros.trailing_ones() as u64 + b.lo.min(64);
                Fact::bits(mask(low.min(width as u64) as u32), 0, width)
            }
        },
        Op::Lshr => {
            let shifted = |v: u64, by: u64| if by >= 64 { 0 } else { v >> by };
            let interval = Fact::interval(shifted(a.lo, b.hi), shifted(a.hi, b.lo), width);
            match b.value() {
                Some(by) if by < width as u64 => Fact {
                    zeros: (a.zeros >> by | !(all >> by)) & all,
                    ones: a.ones >> by,
                    ..interval
                },
                _ => interval,
            }
        }
        Op::Ashr => shifted_right(&a, &b, width),
        Op::And => Fact {
            hi: a.hi.min(b.hi),
            ..Fact::bits(a.zeros | b.zeros, a.ones & b.ones, width)
        },
        Op::Or => Fact {
            lo: a.lo.max(b.lo),
            ..Fact::bits(a.zeros & b.zeros, a.ones | b.ones, width)
        },
        Op::Xor => exclusive(&a, &b, width),
        Op::Concat => {
            let low = width - first;
            Fact {
                lo: a.lo << low | b.lo,
                hi: a.hi << low | b.hi,
                slo: a.slo << low | b.lo,
                shi: a.shi << low | b.hi,
                zeros: a.zeros << low | b.zeros,
                ones: a.ones << low | b.ones,
            }
        }
        Op::Extract => {
            let mut fact = Fact::bits(a.zeros >> low, a.ones >> low, width);
            let (lo, hi) = (a.lo >> low, a.hi >> low);
            if lo & !all == hi & !all {
                (fact.lo, fact.hi) = (lo & all, hi & all);
            }
            if low + width == first {
                (fact.slo, fact.shi) = (a.slo >> low, a.shi >> low);
            }
            fact
        }
        Op::Zext => {
            let zeros = a.zeros | all & !mask(first);
            Fact {
                zeros,
                ones: a.ones,
                ..Fact::interval(a.lo, a.hi, width)
            }
        }
        Op::Sext => {
            let from = first;
            let (high, own) = (all & !mask(from), sign(from));
            let extended = |bits: u64| if bits & own != 0 { bits | high } else { bits };
            // A flipped value is the number plus half the range.
            let more = sign(width) - own;
            Fact {
                zeros: extended(a.zeros),
                ones: extended(a.ones),
                ..Fact::signed(a.slo + more, a.shi + more, width)
            }
        }
        Op::Eq => {
            let apart = |a: &Fact, b: &Fact| a.hi < b.lo || a.shi < b.slo || a.zeros & b.ones != 0;
            let same = a.value().is_some() && a.value() == b.value();
            Fact::truth(same, apart(&a, &b) || apart(&b, &a))
        }
        Op::Ult => Fact::truth(a.hi < b.lo, a.lo >= b.hi),
        Op::Slt => Fact::truth(a.shi < b.slo, a.slo >= b.shi),
        Op::Ite => match a.value() {
            Some(1) => b,
            Some(_) => operands[2],
            None => b.join(operands[2]),
        },
        _ => anything,
    }
}
