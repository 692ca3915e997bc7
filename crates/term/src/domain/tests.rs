//! Facts and the transfer function against all values at small widths.

use super::{Fact, Operator, forward, sign};
use crate::info::Info;
use crate::node::{Node, Op, Term};
use crate::semantics::{apply, mask};
use std::collections::{BTreeMap, HashSet};

/// All facts that are not refined yet and do not contradict themselves at once.
fn raw(width: u32, mut see: impl FnMut(Fact)) {
    let all = mask(width);
    for lo in 0..=all {
        for hi in lo..=all {
            for slo in 0..=all {
                for shi in slo..=all {
                    for zeros in 0..=all {
                        for ones in (0..=all).filter(|ones| ones & zeros == 0) {
                            see(Fact {
                                lo,
                                hi,
                                slo,
                                shi,
                                zeros,
                                ones,
                            });
                        }
                    }
                }
            }
        }
    }
}

fn values(fact: &Fact, width: u32) -> impl Iterator<Item = u64> {
    (0..=mask(width)).filter(move |&v| fact.has(v, width))
}

/// All refined facts.
fn refined(width: u32) -> Vec<Fact> {
    let (mut seen, mut all) = (HashSet::new(), Vec::new());
    raw(width, |fact| {
        if let Some(fact) = fact.refined(width)
            && seen.insert([fact.lo, fact.hi, fact.slo, fact.shi, fact.zeros, fact.ones])
        {
            all.push(fact);
        }
    });
    all
}

#[test]
fn refinement_loses_no_value_and_finds_the_ends() {
    for width in 1..=3 {
        raw(width, |fact| {
            let both: Vec<u64> = values(&fact, width).collect();
            let Some(own) = fact.refined(width) else {
                assert!(both.is_empty(), "{fact:?}");
                return;
            };
            assert!(values(&own, width).eq(both.iter().copied()), "{fact:?}");
            let flipped = both.iter().map(|v| v ^ sign(width));
            assert_eq!(both.first(), Some(&own.lo), "{fact:?}");
            assert_eq!(both.last(), Some(&own.hi), "{fact:?}");
            assert_eq!(flipped.clone().min(), Some(own.slo), "{fact:?}");
            assert_eq!(flipped.max(), Some(own.shi), "{fact:?}");
            let again = Fact::unsigned((own.lo, own.hi), (own.zeros, own.ones), width);
            assert!(both.iter().all(|&v| again.has(v, width)), "{again:?}");
        });
    }
}

/// All operators over first operands of `width` bits, with the widths of their operands.
fn operators(width: u32) -> Vec<(Operator, Vec<u32>)> {
    let operator = |op: Op, result: u32| Operator {
        op,
        width: result,
        first: width,
        low: 0,
    };
    let two = vec![width; 2];
    let mut all = vec![
        (operator(Op::Not, width), vec![width]),
        (operator(Op::Neg, width), vec![width]),
        (operator(Op::Zext, width + 2), vec![width]),
        (operator(Op::Sext, width + 2), vec![width]),
        (operator(Op::Concat, 2 * width), two.clone()),
        (operator(Op::Eq, 1), two.clone()),
        (operator(Op::Ult, 1), two.clone()),
        (operator(Op::Slt, 1), two.clone()),
    ];
    for op in [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Udiv,
        Op::Sdiv,
        Op::Urem,
        Op::Srem,
        Op::Shl,
        Op::Lshr,
        Op::Ashr,
        Op::And,
        Op::Or,
        Op::Xor,
    ] {
        all.push((operator(op, width), two.clone()));
    }
    for low in 0..width {
        for high in low..width {
            let extract = operator(Op::Extract, high - low + 1);
            all.push((Operator { low, ..extract }, vec![width]));
        }
    }
    all
}

/// What a node keeps beside the operator and its sort.
fn aux(operator: Operator) -> u32 {
    match operator.op {
        Op::Extract => operator.low,
        Op::Concat => operator.width - operator.first,
        _ => operator.first,
    }
}

fn value(operator: Operator, a: u64, b: u64, c: u64) -> u64 {
    apply(operator.op, operator.width, aux(operator), a, b, c)
}

/// What the pool would keep about a node whose operands it knows as much about as it can.
fn kept(operator: Operator, operands: &[Fact]) -> Fact {
    let mut infos = [Info::ANYTHING; 3];
    for (info, fact) in infos.iter_mut().zip(operands) {
        (info.lo, info.hi) = (fact.lo, fact.hi);
        (info.zeros, info.ones) = (fact.zeros, fact.ones);
    }
    let children = [Term::NONE; 3];
    let node = Node::new(operator.op, operator.width, &children[..operands.len()]);
    let [a, b, c] = &infos;
    Info::of_value(&node.with_aux(aux(operator)), a, b, c).fact(operator.width)
}

/// The least fact about some values, unless there are none.
fn least(values: impl Iterator<Item = u64>, width: u32) -> Option<Fact> {
    values.map(|v| Fact::constant(v, width)).reduce(Fact::join)
}

/// Does `fact` have all values that `part` stands for, which is the least fact about them?
fn covers(fact: &Fact, part: &Fact) -> bool {
    fact.lo <= part.lo
        && part.hi <= fact.hi
        && fact.slo <= part.slo
        && part.shi <= fact.shi
        && fact.zeros & !part.zeros == 0
        && fact.ones & !part.ones == 0
}

/// For each operator how often the result is as exact as a fact can be, of all.
type Exact = BTreeMap<Op, (u64, u64)>;

fn check(operator: Operator, operands: &[Fact], best: Fact, exact: &mut Exact) {
    let width = operator.width;
    let found = forward(operator, operands);
    assert!(
        covers(&found, &best),
        "{operator:?} {operands:?}: {found:?}, but there is {best:?}"
    );
    let kept = kept(operator, operands);
    assert!(
        covers(&kept, &best),
        "{operator:?} {operands:?}: the pool keeps {kept:?}, but there is {best:?}"
    );
    let count = exact.entry(operator.op).or_default();
    count.0 += u64::from(found.refined(width) == Some(best));
    count.1 += 1;
}

/// All operators on all facts about operands of one width.
fn check_all(width: u32, exact: &mut Exact) {
    let facts = refined(width);
    for (operator, operands) in operators(width) {
        let result = operator.width;
        if operands.len() == 1 {
            for a in &facts {
                let all = values(a, width).map(|v| value(operator, v, 0, 0));
                let best = least(all, result).expect("a value");
                check(operator, &[*a], best, exact);
            }
            continue;
        }
        for b in facts.iter().step_by(if width < 4 { 1 } else { 7 }) {
            // The least facts with one value of the first operand.
            let rows: Vec<Fact> = (0..=mask(width))
                .map(|v| least(values(b, width).map(|w| value(operator, v, w, 0)), result))
                .collect::<Option<_>>()
                .expect("a value");
            for a in &facts {
                let rows = values(a, width).map(|v| rows[v as usize]);
                let best = rows.reduce(Fact::join).expect("a value");
                check(operator, &[*a, *b], best, exact);
            }
        }
    }
    let choice = Operator {
        op: Op::Ite,
        width,
        first: 1,
        low: 0,
    };
    for c in refined(1) {
        for b in facts.iter().step_by(3) {
            for a in &facts {
                let sides = values(&c, 1).map(|c| if c == 1 { *a } else { *b });
                let best = sides.reduce(Fact::join).expect("a value");
                check(choice, &[c, *a, *b], best, exact);
            }
        }
    }
}

#[test]
fn forward_loses_no_value() {
    let mut exact = Exact::new();
    for width in 1..=4 {
        check_all(width, &mut exact);
    }
    // In per cent; less is a loss of precision.
    for (op, least) in EXACT {
        let (count, all) = exact[op];
        assert!(100 * count >= least * all, "{op:?}: {count} of {all}");
    }
    assert_eq!(exact.len(), EXACT.len());
}

/// Operators and how often their result is as exact as can be, in per cent.
const EXACT: &[(Op, u64)] = &[
    (Op::Not, 81),
    (Op::Neg, 81),
    (Op::Add, 66),
    (Op::Sub, 66),
    (Op::Mul, 40),
    (Op::Udiv, 61),
    (Op::Sdiv, 18),
    (Op::Urem, 8),
    (Op::Srem, 41),
    (Op::Shl, 61),
    (Op::Lshr, 78),
    (Op::Ashr, 99),
    (Op::And, 24),
    (Op::Or, 24),
    (Op::Xor, 59),
    (Op::Concat, 65),
    (Op::Extract, 78),
    (Op::Zext, 81),
    (Op::Sext, 17),
    (Op::Eq, 85),
    (Op::Ult, 100),
    (Op::Slt, 100),
    (Op::Ite, 100),
];
