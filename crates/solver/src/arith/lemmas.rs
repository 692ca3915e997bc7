//! Lemmas about products and divisions, as circuits over their operands and results.
//!
//! Most lemmas are those of "Scalable bit-blasting with abstractions", table 1 and 2, or weaker forms of them with
//! linear circuits. A lemma may have a parameter, taken from the values of a wrong model: then it is about one power
//! of two. To add a lemma: an entry in [`LEMMAS`]; the tests prove all of them at small widths and want each to
//! exclude something.

use super::Kind;
use crate::circuit::aig::Aig;
use crate::circuit::circuits::{Bits, constant};
use crate::sat::Lit;

/// The operands and results of an operation, as bits or as values.
#[derive(Clone, Copy)]
pub(crate) struct OperationBits<'a> {
    pub a: &'a [Lit],
    pub b: &'a [Lit],
    /// The product, or the quotient.
    pub out: &'a [Lit],
    /// The remainder of a division.
    pub rest: &'a [Lit],
    /// Implies that the product does not overflow.
    pub fits: Lit,
}

/// One lemma.
pub(crate) struct Lemma {
    /// Its name, for tests.
    #[cfg_attr(not(test), allow(dead_code))]
    pub name: &'static str,
    pub kind: Kind,
    /// The parameter that fits the values of a model, if there is one.
    pub parameter: fn(&OperationBits<'_>) -> Option<usize>,
    pub build: fn(&mut Aig, &OperationBits<'_>, usize) -> Lit,
}

fn always(_: &OperationBits<'_>) -> Option<usize> {
    Some(0)
}

/// Number of bits of a value.
fn length(value: &[Lit]) -> usize {
    let top = value.iter().rposition(|&l| l == Lit::TRUE);
    top.map_or(0, |top| top + 1)
}

/// 0 for 0, `2k + 1` for `2^k`, `2k + 2` for `-2^k`.
fn power(value: &[Lit]) -> Option<usize> {
    let Some(k) = value.iter().position(|&l| l == Lit::TRUE) else {
        return Some(0);
    };
    if value[k + 1..].iter().all(|&l| l == Lit::FALSE) {
        return Some(2 * k + 1);
    }
    let is_negative = value[k..].iter().all(|&l| l == Lit::TRUE);
    is_negative.then_some(2 * k + 2)
}

/// Every lemma, in the order in which they are tried.
pub(crate) const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "product-power", // a = ±2^k -> out = ±(b << k); a = 0 -> out = 0
        kind: Kind::Product,
        parameter: |v| power(v.a),
        build: |g, p, code| {
            let width = p.a.len();
            let k = code.saturating_sub(1) / 2;
            let (is_a, result) = match code {
                0 => (is_zero(g, p.a), vec![Lit::FALSE; width]),
                _ if code % 2 == 1 => (equals_power(g, p.a, k), shifted_up(p.b, k)),
                _ => {
                    let negated = g.neg(&shifted_up(p.b, k));
                    let low = is_zero(g, &p.a[..k]);
                    let high = g.and_all(p.a[k..].iter().copied());
                    (g.and(low, high), negated)
                }
            };
            let same = g.equal(p.out, &result);
            g.or(!is_a, same)
        },
    },
    Lemma {
        name: "product-trailing-zeros", // 2^k divides a -> 2^k divides out
        kind: Kind::Product,
        parameter: always,
        build: |g, p, _| {
            let mut any = Lit::FALSE;
            let mut all = Vec::with_capacity(p.a.len());
            for (&a, &out) in p.a.iter().zip(p.out) {
                any = g.or(any, a);
                all.push(g.or(any, !out));
            }
            g.and_all(all)
        },
    },
    Lemma {
        name: "product-odd", // a odd -> out and b end in the same number of zeros
        kind: Kind::Product,
        parameter: always,
        build: |g, p, _| {
            let (mut any_b, mut any_out) = (Lit::FALSE, Lit::FALSE);
            let mut all = Vec::with_capacity(p.a.len());
            for (&b, &out) in p.b.iter().zip(p.out) {
                any_b = g.or(any_b, b);
                any_out = g.or(any_out, out);
                all.push(g.iff(any_b, any_out));
            }
            let same = g.and_all(all);
            g.or(!p.a[0], same)
        },
    },
    Lemma {
        name: "product-sign", // operands that are sign-extensions: the sign of the product
        kind: Kind::Product,
        parameter: |v| (v.a.len() > 1).then_some(0),
        build: |g, p, _| {
            let width = p.a.len();
            // No overflow when the k highest bits of a are equal, and the width + 2 - k highest ones of b.
            let (from_a, from_b) = (sign_copies(g, p.a), sign_copies(g, p.b));
            let fitting: Bits = (2..=width)
                .map(|k| g.and(from_a[k], from_b[width + 2 - k]))
                .collect();
            let fits = g.or_all(fitting);
            let (zero_a, zero_b) = (is_zero(g, p.a), is_zero(g, p.b));
            let open = g.and_all([fits, !zero_a, !zero_b]);
            let sign = g.xor(p.a[width - 1], p.b[width - 1]);
            let same = g.iff(sign, p.out[width - 1]);
            g.or(!open, same)
        },
    },
    Lemma {
        name: "product-at-least-factor", // no overflow, b > 0 -> out >= a
        kind: Kind::Product,
        parameter: always,
        build: |g, p, _| {
            let zero = is_zero(g, p.b);
            let below = g.less(p.out, p.a, false);
            g.or_all([!p.fits, zero, !below])
        },
    },
    Lemma {
        name: "product-at-least-power", // no overflow, a >= 2^k -> out >= b << k
        kind: Kind::Product,
        parameter: |v| length(v.a).checked_sub(1),
        build: |g, p, k| {
            let small = is_zero(g, &p.a[k..]);
            let below = g.less(p.out, &shifted_up(p.b, k), false);
            g.or_all([!p.fits, small, !below])
        },
    },
    Lemma {
        name: "product-below-power", // a < 2^k, b > 0, b << k does not overflow -> out < b << k
        kind: Kind::Product,
        parameter: |v| Some(length(v.a)),
        build: |g, p, k| {
            let width = p.a.len();
            let small_a = is_zero(g, &p.a[k..]);
            let small_b = is_zero(g, &p.b[width - k..]);
            let zero = is_zero(g, p.b);
            let below = g.less(p.out, &shifted_up(p.b, k), false);
            g.or_all([!small_a, !small_b, zero, below])
        },
    },
    Lemma {
        name: "division-by-zero", // b = 0 -> out = ~0, rest = a
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| {
            let zero = is_zero(g, p.b);
            let ones = g.and_all(p.out.iter().copied());
            let same = g.equal(p.rest, p.a);
            let both = g.and(ones, same);
            g.or(!zero, both)
        },
    },
    Lemma {
        name: "division-rest-below-divisor", // b > 0 -> rest < b
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| {
            let zero = is_zero(g, p.b);
            let below = g.less(p.rest, p.b, false);
            g.or(zero, below)
        },
    },
    Lemma {
        name: "division-small", // a < b -> out = 0, rest = a
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| {
            let small = g.less(p.a, p.b, false);
            let nothing = is_zero(g, p.out);
            let same = g.equal(p.rest, p.a);
            let both = g.and(nothing, same);
            g.or(!small, both)
        },
    },
    Lemma {
        name: "division-not-small", // a >= b -> out > 0
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| {
            let small = g.less(p.a, p.b, false);
            let nothing = is_zero(g, p.out);
            g.or(small, !nothing)
        },
    },
    Lemma {
        name: "division-power", // b = 2^k -> out = a >> k, rest = low k bits of a
        kind: Kind::Division,
        parameter: |v| power(v.b).filter(|code| code % 2 == 1).map(|code| code / 2),
        build: |g, p, k| {
            let is_b = equals_power(g, p.b, k);
            let quotient = g.equal(p.out, &shifted_down(p.a, k));
            let mut low = p.a[..k].to_vec();
            low.resize(p.a.len(), Lit::FALSE);
            let rest = g.equal(p.rest, &low);
            let both = g.and(quotient, rest);
            g.or(!is_b, both)
        },
    },
    Lemma {
        name: "division-once", // b <= a < 2b -> out = 1, rest = a - b
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| {
            let enough = g.less(p.b, p.a, true);
            let difference = g.sub(p.a, p.b);
            let once = g.less(&difference, p.b, false);
            let one = equals_power(g, p.out, 0);
            let same = g.equal(p.rest, &difference);
            let both = g.and(one, same);
            g.or_all([!enough, !once, both])
        },
    },
    Lemma {
        name: "division-rest-at-most", // rest <= a
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| g.less(p.rest, p.a, true),
    },
    Lemma {
        name: "division-below", // a > 0, b > 1 -> out < a
        kind: Kind::Division,
        parameter: always,
        build: |g, p, _| {
            let small = is_zero(g, &p.b[1..]);
            let nothing = is_zero(g, p.a);
            let below = g.less(p.out, p.a, false);
            g.or_all([small, nothing, below])
        },
    },
    Lemma {
        name: "division-at-most-power", // b >= 2^k -> out <= a >> k
        kind: Kind::Division,
        parameter: |v| length(v.b).checked_sub(1),
        build: |g, p, k| {
            let small = is_zero(g, &p.b[k..]);
            let within = g.less(p.out, &shifted_down(p.a, k), true);
            g.or(small, within)
        },
    },
    Lemma {
        name: "division-at-least-power", // b <= 2^k (also b = 0) -> out >= a >> k
        kind: Kind::Division,
        parameter: |v| Some(length(v.b)).filter(|&k| k < v.b.len()),
        build: |g, p, k| {
            let high = is_zero(g, &p.b[k + 1..]);
            let low = is_zero(g, &p.b[..k]);
            let small = g.or(!p.b[k], low);
            let below = g.less(p.out, &shifted_down(p.a, k), false);
            let within = g.and(high, small);
            g.or(!within, !below)
        },
    },
];

/// The definition of a division by the product of its quotient and divisor: `a = product + rest`, without overflow.
pub(crate) fn definition(g: &mut Aig, p: &OperationBits<'_>, product: &[Lit]) -> Lit {
    let sum = g.add(product, p.rest, Lit::FALSE);
    let same = g.equal(&sum, p.a);
    let within = g.less(product, p.a, true);
    g.and(same, within)
}

/// Is the product surely below `2^width`? For some k, `a < 2^k` and `b < 2^(width - k)`.
pub(crate) fn fits(g: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let width = a.len();
    let (above_a, above_b) = (zeros_above(g, a), zeros_above(g, b));
    let ways: Bits = (0..=width)
        .map(|k| g.and(above_a[k], above_b[width - k]))
        .collect();
    g.or_all(ways)
}

/// For each k from 0 to the width: are the bits from k on all zero?
fn zeros_above(g: &mut Aig, bits: &[Lit]) -> Bits {
    let mut above = vec![Lit::TRUE; bits.len() + 1];
    for k in (0..bits.len()).rev() {
        above[k] = g.and(above[k + 1], !bits[k]);
    }
    above
}

/// For each k from 1 to the width: are the k highest bits equal? (Entry 0 is not used.)
fn sign_copies(g: &mut Aig, bits: &[Lit]) -> Bits {
    let sign = bits[bits.len() - 1];
    let mut copies = vec![Lit::TRUE; bits.len() + 1];
    for k in 2..=bits.len() {
        let same = g.iff(sign, bits[bits.len() - k]);
        copies[k] = g.and(copies[k - 1], same);
    }
    copies
}

pub(super) fn is_zero(g: &mut Aig, bits: &[Lit]) -> Lit {
    !g.or_all(bits.iter().copied())
}

fn equals_power(g: &mut Aig, bits: &[Lit], k: usize) -> Lit {
    let mut power = constant(bits.len(), 0);
    power[k] = Lit::TRUE;
    g.equal(bits, &power)
}

fn shifted_up(bits: &[Lit], k: usize) -> Bits {
    let mut shifted = vec![Lit::FALSE; k];
    shifted.extend_from_slice(&bits[..bits.len() - k]);
    shifted
}

fn shifted_down(bits: &[Lit], k: usize) -> Bits {
    let mut shifted = bits[k..].to_vec();
    shifted.resize(bits.len(), Lit::FALSE);
    shifted
}
