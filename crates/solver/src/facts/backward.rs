//! Propagation from a result to the operands: the fact about each operand that follows from the value of an operator.

use super::reads;
use term::domain::{Fact, complement, difference, exclusive, numbers, sign, sum};
use term::{Op, Pool, Term, mask};

/// Tells `learn` what follows for the operands (those of [`super::operands`], by their place) of a term with the fact `own`.
pub(super) fn backward(
    pool: &Pool,
    t: Term,
    own: &Fact,
    kids: &[Fact],
    learn: &mut dyn FnMut(usize, Fact),
) {
    let width = pool.width(t);
    let all = mask(width);
    let Some(&a) = kids.first() else { return };
    let b = *kids.get(1).unwrap_or(&a);
    let first = || pool.width(pool.child(t, 0));
    match pool.op(t) {
        Op::Not => learn(0, complement(own, width)),
        Op::Neg => learn(0, difference(&Fact::constant(0, width), own, width)),
        Op::Add => {
            learn(0, difference(own, &b, width));
            learn(1, difference(own, &a, width));
        }
        Op::Sub => {
            learn(0, sum(own, &b, width));
            learn(1, difference(&a, own, width));
        }
        Op::Xor => {
            learn(0, exclusive(own, &b, width));
            learn(1, exclusive(own, &a, width));
        }
        Op::And => {
            for (at, other) in [(0, &b), (1, &a)] {
                let bits = Fact::bits(own.zeros & other.ones, own.ones, width);
                learn(at, Fact { lo: own.lo, ..bits });
            }
        }
        Op::Or => {
            for (at, other) in [(0, &b), (1, &a)] {
                let bits = Fact::bits(own.zeros, own.ones & other.zeros, width);
                learn(at, Fact { hi: own.hi, ..bits });
            }
        }
        Op::Mul => {
            learn(0, factor(own, &b, width));
            learn(1, factor(own, &a, width));
        }
        // a = q * b + r with r < b, unless b is 0 and the quotient the greatest value.
        Op::Udiv => {
            let from = b.lo.max(u64::from(own.hi < all));
            if from > 0 && b.hi > 0 {
                let most = own.hi as u128 * b.hi as u128 + (b.hi - 1) as u128;
                let least = own.lo as u128 * from as u128;
                if least <= all as u128 {
                    let most = most.min(all as u128) as u64;
                    learn(0, Fact::interval(least as u64, most, width));
                }
                let to = a.hi.checked_div(own.lo).unwrap_or(all);
                learn(1, Fact::interval(from, to, width));
            }
        }
        // The sign is that of `a`, which is no smaller.
        Op::Srem => {
            if own.slo > sign(width) {
                learn(0, Fact::signed(own.slo, all, width));
            }
            if own.shi < sign(width) {
                learn(0, Fact::signed(0, own.shi, width));
            }
        }
        Op::Urem => {
            learn(0, Fact::interval(own.lo, all, width));
            if let Some(by) = b.value().filter(|&by| by > 0)
                && let Some((low, high)) = with_remainder(own, by, &a)
            {
                learn(0, Fact::interval(low, high, width));
            }
            if b.lo > 0 && own.lo < all {
                learn(1, Fact::interval(own.lo + 1, all, width));
            }
        }
        Op::Shl => {
            if let Some(by) = b.value().filter(|&by| by < width as u64) {
                learn(0, Fact::bits(own.zeros >> by, own.ones >> by, width));
            }
        }
        Op::Lshr => {
            if let Some(by) = b.value().filter(|&by| by < width as u64) {
                let low = mask(by as u32);
                if own.lo <= all >> by {
                    let hi = own.hi.min(all >> by) << by | low;
                    learn(0, Fact::interval(own.lo << by, hi, width));
                }
                let (zeros, ones) = (own.zeros << by, own.ones << by);
                learn(0, Fact::bits(zeros & !low, ones, width));
            }
        }
        Op::Ashr => {
            if let Some(by) = b.value() {
                let by = by.min(width as u64 - 1) as u32;
                let (lo, hi) = numbers(own, width);
                let half = sign(width) as i128;
                let lo = (lo << by).max(-half) + half;
                let hi = ((hi << by) + mask(by) as i128).min(half - 1) + half;
                if lo <= hi {
                    let bits = Fact::bits(own.zeros << by, own.ones << by, width);
                    let (slo, shi) = (lo as u64, hi as u64);
                    learn(0, Fact { slo, shi, ..bits });
                }
            }
        }
        Op::Select => reads::index(pool, t, own, &a, learn),
        Op::Concat => {
            let low = width - first();
            let rest = mask(low);
            let high = Fact {
                lo: own.lo >> low,
                hi: own.hi >> low,
                slo: own.slo >> low,
                shi: own.shi >> low,
                zeros: own.zeros >> low,
                ones: own.ones >> low,
            };
            learn(0, high);
            let mut part = Fact::bits(own.zeros & rest, own.ones & rest, low);
            if own.lo >> low == own.hi >> low {
                (part.lo, part.hi) = (own.lo & rest, own.hi & rest);
            }
            learn(1, part);
        }
        Op::Extract => {
            let (_, low) = pool.extract_bounds(t);
            let below = mask(low);
            let mut fact = Fact::bits(own.zeros << low, own.ones << low, first());
            // The bits above are known: the ends of the middle are ends of the whole.
            let above = mask(first()) & !mask(low + width);
            if above & !(a.zeros | a.ones) == 0 {
                let top = a.ones & above;
                fact.lo = top | own.lo << low;
                fact.hi = top | own.hi << low | below;
            }
            if low + width == first() {
                (fact.slo, fact.shi) = (own.slo << low, own.shi << low | below);
            }
            learn(0, fact);
        }
        Op::Zext => {
            let inside = mask(first());
            if own.lo <= inside {
                let bits = Fact::bits(own.zeros, own.ones, first());
                let (lo, hi) = (own.lo, own.hi.min(inside));
                learn(0, Fact { lo, hi, ..bits });
            }
        }
        Op::Sext => {
            let high = all & !mask(first());
            let (mut zeros, mut ones) = (own.zeros & mask(first()), own.ones & mask(first()));
            let sign_bit = sign(first());
            if own.zeros & high != 0 {
                zeros |= sign_bit;
            }
            if own.ones & high != 0 {
                ones |= sign_bit;
            }
            let more = sign(width) - sign_bit;
            let bits = Fact::bits(zeros, ones, first());
            let (slo, shi) = (own.slo.max(more), own.shi.min(more + mask(first())));
            if slo <= shi {
                let (slo, shi) = (slo - more, shi - more);
                learn(0, Fact { slo, shi, ..bits });
            }
        }
        Op::Ite => match a.value() {
            Some(value) => learn(if value == 1 { 1 } else { 2 }, *own),
            None => {
                let is_open = |x: &Fact| own.meet(*x, width).is_some();
                if !is_open(&b) {
                    learn(0, Fact::constant(0, 1));
                } else if !is_open(&kids[2]) {
                    learn(0, Fact::constant(1, 1));
                }
            }
        },
        Op::Eq => match own.value() {
            Some(1) => {
                learn(0, b);
                learn(1, a);
            }
            Some(_) => {
                for (at, x, other) in [(0, &a, &b), (1, &b, &a)] {
                    if let Some(k) = other.value() {
                        learn(at, without(x, k, first()));
                    }
                }
            }
            None => {}
        },
        Op::Ult | Op::Slt => {
            if let Some(holds) = own.value() {
                let is_signed = pool.op(t) == Op::Slt;
                order(holds == 1, is_signed, &a, &b, first(), learn);
            }
        }
        _ => {}
    }
}

/// The fact about `x` that follows from `own = x * other`.
fn factor(own: &Fact, other: &Fact, width: u32) -> Fact {
    let mut fact = Fact::anything(width);
    // An odd factor is invertible modulo every power of two.
    let known = (other.zeros | other.ones).trailing_ones();
    let known = known.min((own.zeros | own.ones).trailing_ones());
    if other.ones & 1 == 1 {
        let inverse = crate::invert::inverse_odd(other.ones);
        let bits = own.ones.wrapping_mul(inverse);
        let low = mask(known.min(width));
        (fact.zeros, fact.ones) = (!bits & low, bits & low);
    }
    fact
}

/// The values of `x` that are not `k`, which may be one of its ends.
fn without(x: &Fact, k: u64, width: u32) -> Fact {
    let mut fact = *x;
    let flipped = k ^ sign(width);
    if fact.lo == k && k < mask(width) {
        fact.lo += 1;
    }
    if fact.hi == k && k > 0 {
        fact.hi -= 1;
    }
    if fact.slo == flipped && flipped < mask(width) {
        fact.slo += 1;
    }
    if fact.shi == flipped && flipped > 0 {
        fact.shi -= 1;
    }
    fact
}

/// The facts about both sides that follow from `a < b` (or its negation).
fn order(
    holds: bool,
    is_signed: bool,
    a: &Fact,
    b: &Fact,
    width: u32,
    learn: &mut dyn FnMut(usize, Fact),
) {
    let all = mask(width);
    let ends = |x: &Fact| {
        if is_signed {
            (x.slo, x.shi)
        } else {
            (x.lo, x.hi)
        }
    };
    let make = |lo: u64, hi: u64| {
        if is_signed {
            Fact::signed(lo, hi, width)
        } else {
            Fact::interval(lo, hi, width)
        }
    };
    let ((least, most), (from, to)) = (ends(a), ends(b));
    if !holds {
        learn(0, make(from, all));
        learn(1, make(0, most));
    } else if to > 0 && least < all {
        learn(0, make(0, to - 1));
        learn(1, make(least + 1, all));
    }
}

/// The least and the greatest value of a dividend whose remainder by a number lies in a set; `None` if there is none, or it is not looked
/// at. With the quotients of both ends known, as those of a number's first digits are, its next digit leaves one value.
fn with_remainder(own: &Fact, by: u64, dividend: &Fact) -> Option<(u64, u64)> {
    let (least, most) = (own.lo, own.hi.min(by - 1));
    if least > most {
        return None;
    }
    let up = |value: u64| match value % by {
        rest if rest < least => Some(value - rest + least),
        rest if rest > most => (value - rest).checked_add(by)?.checked_add(least),
        _ => Some(value),
    };
    let down = |value: u64| match value % by {
        rest if rest > most => Some(value - rest + most),
        rest if rest < least => (value - rest).checked_sub(by).map(|start| start + most),
        _ => Some(value),
    };
    let (low, high) = (up(dividend.lo)?, down(dividend.hi)?);
    (low <= high).then_some((low, high))
}
