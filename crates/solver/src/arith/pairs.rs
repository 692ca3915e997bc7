//! Lemmas about two operations of one kind and width: equal operands, and monotony.
//!
//! `less` and `more` are the two operations in the order in which the lemma speaks about them. Monotony of
//! products is what incremental linearization (Cimatti et al., TOCL 2018) uses over integers; here it needs that
//! the larger product does not overflow.

use super::Kind;
use super::lemmas::{OperationBits, is_zero};
use crate::circuit::aig::Aig;
use crate::sat::Lit;

/// A lemma about two operations.
pub(crate) struct PairLemma {
    /// Its name, for tests.
    #[cfg_attr(not(test), allow(dead_code))]
    pub name: &'static str,
    pub kind: Kind,
    /// Is it about a first operation that is narrower than the second (else both have one width)?
    pub is_narrower: bool,
    pub build: fn(&mut Aig, &OperationBits<'_>, &OperationBits<'_>) -> Lit,
}

/// Every lemma about pairs, in the order in which they are tried. Products are also tried with the
/// operands of either exchanged.
pub(crate) const PAIRS: &[PairLemma] = &[
    PairLemma {
        name: "products-equal",
        kind: Kind::Product,
        is_narrower: false,
        build: |g, p, q| {
            let (a, b) = (g.equal(p.a, q.a), g.equal(p.b, q.b));
            let out = g.equal(p.out, q.out);
            g.or_all([!a, !b, out])
        },
    },
    PairLemma {
        name: "products-up-to-sign", // a = ±a', b = ±b' -> a * b = ±(a' * b')
        kind: Kind::Product,
        is_narrower: false,
        build: |g, p, q| {
            let (opposite_a, opposite_b) = (g.neg(q.a), g.neg(q.b));
            let (same_a, same_b) = (g.equal(p.a, q.a), g.equal(p.b, q.b));
            let (other_a, other_b) = (g.equal(p.a, &opposite_a), g.equal(p.b, &opposite_b));
            let (any_a, any_b) = (g.or(same_a, other_a), g.or(same_b, other_b));
            let flip = g.xor(same_a, same_b);
            let result = g.negate_when(flip, q.out);
            let out = g.equal(p.out, &result);
            g.or_all([!any_a, !any_b, out])
        },
    },
    PairLemma {
        name: "products-truncated", // a and b are the low bits of a' and b' -> a * b are those of a' * b'
        kind: Kind::Product,
        is_narrower: true,
        build: |g, p, q| {
            let width = p.a.len();
            let (a, b) = (g.equal(p.a, &q.a[..width]), g.equal(p.b, &q.b[..width]));
            let out = g.equal(p.out, &q.out[..width]);
            g.or_all([!a, !b, out])
        },
    },
    PairLemma {
        name: "products-monotone", // same b, a < a', no overflow of a' * b -> a * b + b <= a' * b, and b > 0 -> a * b >= a
        kind: Kind::Product,
        is_narrower: false,
        build: |g, p, q| {
            let same = g.equal(p.b, q.b);
            let less = g.less(p.a, q.a, false);
            let difference = g.sub(q.out, p.b);
            let room = g.less(p.b, q.out, true);
            let within = g.less(p.out, &difference, true);
            let (zero, below) = (is_zero(g, p.b), g.less(p.out, p.a, false));
            let least = g.or(zero, !below);
            let all = g.and_all([room, within, least]);
            g.or_all([!same, !less, !q.fits, all])
        },
    },
    PairLemma {
        name: "divisions-equal",
        kind: Kind::Division,
        is_narrower: false,
        build: |g, p, q| {
            let (a, b) = (g.equal(p.a, q.a), g.equal(p.b, q.b));
            let (out, rest) = (g.equal(p.out, q.out), g.equal(p.rest, q.rest));
            let both = g.and(out, rest);
            g.or_all([!a, !b, both])
        },
    },
    PairLemma {
        name: "divisions-monotone", // a <= a', b >= b' -> a / b <= a' / b'
        kind: Kind::Division,
        is_narrower: false,
        build: |g, p, q| {
            let (a, b) = (g.less(p.a, q.a, true), g.less(q.b, p.b, true));
            let out = g.less(p.out, q.out, true);
            g.or_all([!a, !b, out])
        },
    },
];

/// The parts, with the operands exchanged if `exchanged` holds.
pub(crate) fn ordered(p: OperationBits<'_>, exchanged: bool) -> OperationBits<'_> {
    if exchanged {
        OperationBits {
            a: p.b,
            b: p.a,
            ..p
        }
    } else {
        p
    }
}

/// Does a lemma hold that was built over constants?
pub(crate) fn holds(lemma: Lit) -> bool {
    debug_assert!(lemma.is_const(), "a lemma over constants is decided");
    lemma == Lit::TRUE
}
