//! Circuits against arithmetic: every operator, exhaustively at small widths and sampled at large
//! ones, by simulating the graph.

use crate::common::Rng;
use polypath_solver as solver;
use solver::aig::{Aig, Gate};
use solver::circuits::{Bits, TableLeaves, constant};
use solver::sat::Lit;

/// Values of all nodes when input number k has the value of bit k of `inputs`.
fn simulate(aig: &Aig, inputs: u128) -> Vec<bool> {
    let mut values = Vec::with_capacity(aig.len());
    let mut next = 0;
    for node in 0..aig.len() as u32 {
        let get = |values: &Vec<bool>, l: Lit| values[l.var() as usize] != l.is_negated();
        let value = match aig.gate(node) {
            Gate::True => true,
            Gate::Input => {
                next += 1;
                inputs >> (next - 1) & 1 == 1
            }
            Gate::And(a, b) => get(&values, a) && get(&values, b),
            Gate::Xor(a, b) => get(&values, a) != get(&values, b),
            Gate::Mux(c, t, e) => get(&values, if get(&values, c) { t } else { e }),
        };
        values.push(value);
    }
    values
}

fn read(values: &[bool], bits: &[Lit]) -> u64 {
    bits.iter().enumerate().fold(0, |v, (i, l)| {
        v | ((values[l.var() as usize] != l.is_negated()) as u64) << i
    })
}

type Circuit = fn(&mut Aig, &[Lit], &[Lit]) -> Bits;
type Meaning = fn(u64, u64, u32) -> u64;

fn mask(w: u32) -> u64 {
    if w == 64 { u64::MAX } else { (1 << w) - 1 }
}

fn signed(v: u64, w: u32) -> i128 {
    if v >> (w - 1) & 1 == 1 {
        v as i128 - (1i128 << w)
    } else {
        v as i128
    }
}

const OPERATORS: &[(&str, Circuit, Meaning)] = &[
    (
        "add",
        |g, a, b| g.add(a, b, Lit::FALSE),
        |a, b, w| a.wrapping_add(b) & mask(w),
    ),
    (
        "sub",
        |g, a, b| g.sub(a, b),
        |a, b, w| a.wrapping_sub(b) & mask(w),
    ),
    (
        "neg",
        |g, a, _| g.neg(a),
        |a, _, w| a.wrapping_neg() & mask(w),
    ),
    (
        "mul",
        |g, a, b| g.mul(a, b),
        |a, b, w| a.wrapping_mul(b) & mask(w),
    ),
    (
        "udiv",
        |g, a, b| g.div_rem(a, b).0,
        |a, b, w| a.checked_div(b).unwrap_or(mask(w)),
    ),
    (
        "urem",
        |g, a, b| g.div_rem(a, b).1,
        |a, b, _| a.checked_rem(b).unwrap_or(a),
    ),
    (
        "shl",
        |g, a, b| g.shl(a, b),
        |a, b, w| if b < w as u64 { a << b & mask(w) } else { 0 },
    ),
    (
        "lshr",
        |g, a, b| g.shift_right(a, b, Lit::FALSE),
        |a, b, w| if b < w as u64 { a >> b } else { 0 },
    ),
    (
        "ashr",
        |g, a, b| g.shift_right(a, b, a[a.len() - 1]),
        |a, b, w| (signed(a, w) >> b.min(w as u64 - 1)) as u64 & mask(w),
    ),
    (
        "ult",
        |g, a, b| vec![g.less(a, b, false)],
        |a, b, _| (a < b) as u64,
    ),
    (
        "ule",
        |g, a, b| vec![g.less(a, b, true)],
        |a, b, _| (a <= b) as u64,
    ),
    (
        "slt",
        |g, a, b| vec![g.less_signed(a, b, false)],
        |a, b, w| (signed(a, w) < signed(b, w)) as u64,
    ),
    (
        "eq",
        |g, a, b| vec![g.equal(a, b)],
        |a, b, _| (a == b) as u64,
    ),
];

fn check(name: &str, circuit: Circuit, meaning: Meaning, w: u32, samples: &[(u64, u64)]) {
    let mut aig = Aig::default();
    let a: Bits = (0..w).map(|_| aig.input()).collect();
    let b: Bits = (0..w).map(|_| aig.input()).collect();
    let out = circuit(&mut aig, &a, &b);
    for &(x, y) in samples {
        let values = simulate(&aig, x as u128 | (y as u128) << w);
        assert_eq!(
            read(&values, &out),
            meaning(x, y, w),
            "{name} of {x:#x}, {y:#x} at width {w}"
        );
    }
}

#[test]
fn operators_are_exact_at_small_widths() {
    for &(name, circuit, meaning) in OPERATORS {
        for w in 1..=4 {
            let all: Vec<(u64, u64)> = (0..1u64 << (2 * w))
                .map(|v| (v & mask(w), v >> w))
                .collect();
            check(name, circuit, meaning, w, &all);
        }
    }
}

#[test]
fn operators_are_right_at_large_widths() {
    let mut rng = Rng::new(3);
    for &(name, circuit, meaning) in OPERATORS {
        for w in [13, 32, 64] {
            let samples: Vec<(u64, u64)> = (0..12)
                .map(|i| {
                    let shift = rng.below(w as u64);
                    let y = [rng.next() >> shift, rng.below(5), rng.next()][i % 3];
                    (rng.next() & mask(w), y & mask(w))
                })
                .collect();
            check(name, circuit, meaning, w, &samples);
        }
    }
}

#[test]
fn a_constant_operand_changes_nothing() {
    let w = 6;
    for &(name, circuit, meaning) in OPERATORS {
        for k in 0..1u64 << w {
            for constant_first in [false, true] {
                let mut aig = Aig::default();
                let x: Bits = (0..w).map(|_| aig.input()).collect();
                let k_bits = constant(w as usize, k);
                let out = if constant_first {
                    circuit(&mut aig, &k_bits, &x)
                } else {
                    circuit(&mut aig, &x, &k_bits)
                };
                for v in (0..1u64 << w).step_by(5) {
                    let values = simulate(&aig, v as u128);
                    let (a, b) = if constant_first { (k, v) } else { (v, k) };
                    assert_eq!(read(&values, &out), meaning(a, b, w), "{name} of {a}, {b}");
                }
            }
        }
    }
}

#[test]
fn tables_select_and_share() {
    let mut rng = Rng::new(5);
    for distinct in [2, 256] {
        let content: Vec<u64> = (0..64).map(|_| rng.below(distinct)).collect();
        let mut aig = Aig::default();
        let index: Bits = (0..6).map(|_| aig.input()).collect();
        let mut leaves = TableLeaves::default();
        let entries = content
            .iter()
            .map(|&v| leaves.intern(constant(8, v)))
            .collect();
        let out = aig.table(&index, entries, &mut leaves);
        for (i, &byte) in content.iter().enumerate() {
            assert_eq!(read(&simulate(&aig, i as u128), &out), byte);
        }
    }
    // A periodic table needs the bits of its period only.
    let mut aig = Aig::default();
    let index: Bits = (0..10).map(|_| aig.input()).collect();
    let mut leaves = TableLeaves::default();
    let entries = (0..1024u64)
        .map(|i| leaves.intern(constant(8, i % 4)))
        .collect();
    let inputs = aig.len();
    let out = aig.table(&index, entries, &mut leaves);
    assert_eq!((aig.len(), out[0], out[1]), (inputs, index[0], index[1]));
}

#[test]
fn choices_made_of_conjunctions_are_multiplexers() {
    let mut aig = Aig::default();
    let i: Bits = (0..3).map(|_| aig.input()).collect();
    let (c, t, e) = (i[0], i[1], i[2]);
    let (then, otherwise) = (aig.and(c, t), aig.and(!c, e));
    let (choice, swapped) = (aig.or(then, otherwise), aig.or(otherwise, then));
    let mux = aig.mux(c, t, e);
    assert_eq!((choice, swapped), (mux, mux));
    let (both, neither) = (aig.and(c, t), aig.and(!t, !c));
    let equal = aig.iff(c, t);
    assert_eq!(aig.or(both, neither), equal);
    // Another condition: no multiplexer.
    let (then, otherwise) = (aig.and(c, t), aig.and(c, e));
    let either = aig.or(then, otherwise);
    assert!(matches!(aig.gate(either.var()), Gate::And(..)));
}
