//! Every lemma on all values of small widths: true of right results, false of some wrong one.

use super::lemmas::{LEMMAS, OperationBits, definition, fits};
use super::pairs::{PAIRS, holds, ordered};
use super::*;
use crate::circuit::aig::Aig;
use crate::circuit::circuits::constant;

fn mask(width: usize) -> u64 {
    (1 << width) - 1
}

/// An operation as constants.
struct Case {
    a: Bits,
    b: Bits,
    out: Bits,
    rest: Bits,
    fits: Lit,
}

impl Case {
    fn new(width: usize, a: u64, b: u64, out: u64, rest: u64) -> Case {
        let bits = |v| constant(width, v);
        let fits = fits(&mut Aig::default(), &bits(a), &bits(b));
        Case {
            a: bits(a),
            b: bits(b),
            out: bits(out),
            rest: bits(rest),
            fits,
        }
    }

    fn right(kind: Kind, width: usize, a: u64, b: u64) -> Case {
        let (out, rest) = results(kind, width, a, b);
        Case::new(width, a, b, out, rest)
    }

    fn parts(&self) -> OperationBits<'_> {
        OperationBits {
            a: &self.a,
            b: &self.b,
            out: &self.out,
            rest: &self.rest,
            fits: self.fits,
        }
    }
}

fn results(kind: Kind, width: usize, a: u64, b: u64) -> (u64, u64) {
    match kind {
        Kind::Product => ((a * b) & mask(width), 0),
        Kind::Division => (
            a.checked_div(b).unwrap_or(mask(width)),
            a.checked_rem(b).unwrap_or(a),
        ),
    }
}

fn operands(width: usize) -> impl Iterator<Item = (u64, u64)> {
    (0..1u64 << (2 * width)).map(move |v| (v & mask(width), v >> width))
}

#[test]
fn each_lemma_holds_of_right_results() {
    let g = &mut Aig::default();
    for width in 1..=5 {
        for lemma in LEMMAS {
            let cases: Vec<Case> = operands(width)
                .map(|(a, b)| Case::right(lemma.kind, width, a, b))
                .collect();
            let mut parameters: Vec<usize> = cases
                .iter()
                .filter_map(|c| (lemma.parameter)(&c.parts()))
                .collect();
            parameters.sort_unstable();
            parameters.dedup();
            for parameter in parameters {
                for case in &cases {
                    let lit = (lemma.build)(g, &case.parts(), parameter);
                    assert!(
                        holds(lit),
                        "{} {width} {parameter}: {:?} {:?}",
                        lemma.name,
                        case.a,
                        case.b
                    );
                }
            }
        }
    }
    assert!(g.is_empty(), "a lemma over constants makes no gate");
}

#[test]
fn each_lemma_excludes_wrong_results_by_the_parameter_of_its_values() {
    let g = &mut Aig::default();
    for lemma in LEMMAS {
        let width = 4;
        let mut excluded = 0;
        for (a, b) in operands(width) {
            let right = results(lemma.kind, width, a, b);
            for out in 0..=mask(width) {
                let rests = if lemma.kind == Kind::Division {
                    mask(width)
                } else {
                    0
                };
                for rest in (0..=rests).filter(|&rest| (out, rest) != right) {
                    let case = Case::new(width, a, b, out, rest);
                    if let Some(parameter) = (lemma.parameter)(&case.parts()) {
                        excluded += u64::from(!holds((lemma.build)(g, &case.parts(), parameter)));
                    }
                }
            }
        }
        assert!(excluded >= 16, "{}: {excluded}", lemma.name);
    }
}

/// What the paper's lemmas say of particular values.
#[test]
fn wrong_results_meet_the_lemma_that_is_meant_for_them() {
    let violated = |kind, a, b, out, rest| -> Vec<&str> {
        let case = Case::new(5, a, b, out, rest);
        let parts = case.parts();
        let of_kind = LEMMAS.iter().filter(|l| l.kind == kind);
        of_kind
            .filter(|l| {
                let parameter = (l.parameter)(&parts);
                parameter.is_some_and(|k| !holds((l.build)(&mut Aig::default(), &parts, k)))
            })
            .map(|l| l.name)
            .collect()
    };
    use Kind::{Division, Product};
    assert!(violated(Product, 0, 9, 8, 0).contains(&"product-power")); // zero
    assert!(violated(Product, 1, 9, 25, 0).contains(&"product-power")); // one
    assert!(violated(Product, 31, 9, 9, 0).contains(&"product-power")); // minus one
    assert!(violated(Product, 12, 9, 2, 0).contains(&"product-trailing-zeros"));
    assert!(violated(Product, 7, 6, 12, 0).contains(&"product-odd"));
    assert!(violated(Product, 30, 3, 6, 0).contains(&"product-sign"));
    assert_eq!(violated(Product, 3, 5, 31, 0), ["product-below-power"]);
    assert_eq!(violated(Product, 3, 5, 15, 0), [""; 0]);
    assert_eq!(violated(Division, 9, 0, 31, 8), ["division-by-zero"]);
    assert!(violated(Division, 9, 4, 2, 4).contains(&"division-rest-below-divisor"));
    assert!(violated(Division, 9, 4, 3, 1).contains(&"division-power"));
    assert!(violated(Division, 9, 5, 2, 4).contains(&"division-once"));
    assert_eq!(
        violated(Division, 29, 3, 29, 2),
        ["division-below", "division-at-most-power"]
    );
    assert_eq!(violated(Division, 29, 3, 9, 2), [""; 0]);
}

#[test]
fn pairs_hold_of_right_results_and_exclude_wrong_ones() {
    let g = &mut Aig::default();
    let width = 3;
    for lemma in PAIRS {
        let mut excluded = 0;
        for (a, b) in operands(width) {
            for (c, d) in operands(width) {
                for swap in [false, true] {
                    let wide = width + usize::from(lemma.is_narrower);
                    let (p, q) = (
                        Case::right(lemma.kind, width, a, b),
                        Case::right(lemma.kind, wide, c, d),
                    );
                    let pair = |p: &Case, q: &Case, g: &mut Aig| {
                        let (p, q) = match lemma.kind {
                            Kind::Product => (ordered(p.parts(), swap), ordered(q.parts(), swap)),
                            Kind::Division => (p.parts(), q.parts()),
                        };
                        holds((lemma.build)(g, &p, &q))
                    };
                    assert!(pair(&p, &q, g), "{}: {a} {b} {c} {d}", lemma.name);
                    let wrong = Case::new(width, a, b, c ^ d, 0);
                    excluded += u64::from(!pair(&wrong, &q, g));
                }
            }
        }
        assert!(excluded >= 16, "{}: {excluded}", lemma.name);
    }
}

#[test]
fn what_fits_does_not_overflow() {
    let (mut with, mut without) = (0, 0);
    for (a, b) in operands(4) {
        let case = Case::right(Kind::Product, 4, a, b);
        match case.fits {
            Lit::TRUE => assert!(a * b < 16, "{a} {b}"),
            _ => without += u32::from(a * b < 16),
        }
        with += u32::from(case.fits == Lit::TRUE);
    }
    assert!(with > 40 && without < 30, "{with} {without}");
}

#[test]
fn a_division_is_defined_by_its_product() {
    let g = &mut Aig::default();
    for (a, b) in operands(4) {
        for out in 0..16 {
            let right = results(Kind::Division, 4, a, b);
            for rest in 0..16 {
                let case = Case::new(4, a, b, out, rest);
                let product = constant(4, (out * b) & 15);
                let is_defined = holds(definition(g, &case.parts(), &product));
                assert!(is_defined || (out, rest) != right, "{a} {b}");
                let exact = out * b + rest == a;
                assert!(!exact || is_defined, "{a} {b} {out} {rest}");
                assert!(
                    !is_defined || ((out * b) & 15) + rest == a,
                    "{a} {b} {out} {rest}"
                );
            }
        }
    }
}
