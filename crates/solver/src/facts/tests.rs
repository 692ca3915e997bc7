//! Facts and their propagation against all values at small widths.

use super::backward::backward;
use super::*;
use crate::model::Model;
use term::{Evaluator, Sort, Symbol, mask};
use testkit::Random;

/// The least fact about some values, or one with a part of what it says.
fn random_fact(rng: &mut Random, width: u32) -> Fact {
    let constant = |rng: &mut Random| Fact::constant(rng.below(1 << width), width);
    let mut fact = constant(rng);
    for _ in 0..rng.below(4) {
        fact = fact.join(constant(rng));
    }
    let any = Fact::anything(width);
    if rng.below(3) == 0 {
        (fact.zeros, fact.ones) = (0, 0);
    }
    if rng.below(3) == 0 {
        (fact.lo, fact.hi) = (any.lo, any.hi);
    }
    if rng.below(3) == 0 {
        (fact.slo, fact.shi) = (any.slo, any.shi);
    }
    fact
}

/// Terms over two operands of the same width and a condition.
fn operators(pool: &mut Pool, x: Term, y: Term, c: Term) -> Vec<Term> {
    let width = pool.width(x);
    let mut all = vec![
        pool.not(x),
        pool.neg(x),
        pool.add(x, y),
        pool.sub(x, y),
        pool.mul(x, y),
        pool.udiv(x, y),
        pool.sdiv(x, y),
        pool.urem(x, y),
        pool.srem(x, y),
        pool.shl(x, y),
        pool.lshr(x, y),
        pool.ashr(x, y),
        pool.and(x, y),
        pool.or(x, y),
        pool.xor(x, y),
        pool.concat(x, y),
        pool.zext(width + 2, x),
        pool.sext(width + 2, x),
        pool.eq(x, y),
        pool.ult(x, y),
        pool.slt(x, y),
        pool.ite(c, x, y),
    ];
    for hi in 0..width {
        for lo in 0..=hi {
            all.push(pool.extract(hi, lo, x));
        }
    }
    all
}

#[test]
fn operators_lose_no_value_in_either_direction() {
    let mut rng = Random::new(2);
    let mut learned = FxHashSet::default();
    for width in 1..=4 {
        let pool = &mut Pool::new();
        let symbols = [width, width, 1].map(|w| pool.new_symbol("s", Sort::BitVec(w)));
        let [x, y, c] = symbols.map(|s| pool.symbol_term(s));
        for t in operators(pool, x, y, c) {
            let kids: Vec<Symbol> = pool
                .children(t)
                .iter()
                .filter_map(|&k| pool.as_symbol(k))
                .collect();
            if kids.is_empty() || kids.len() < pool.children(t).len() {
                continue;
            }
            let widths: Vec<u32> = pool.children(t).iter().map(|&k| pool.width(k)).collect();
            let bits: u32 = widths.iter().sum();
            let result = pool.width(t);
            let mut evaluator = Evaluator::new();
            let table: Vec<(Vec<u64>, u64)> = (0..1u64 << bits)
                .map(|n| {
                    let (mut model, mut rest, mut operands) = (Model::new(), n, Vec::new());
                    for (&symbol, &w) in kids.iter().zip(&widths) {
                        model.set(symbol, rest & mask(w));
                        operands.push(rest & mask(w));
                        rest >>= w;
                    }
                    (operands, evaluator.eval(pool, t, &model))
                })
                .collect();
            for _ in 0..if width < 4 { 400 } else { 150 } {
                let facts: Vec<Fact> = widths
                    .iter()
                    .map(|&w| random_fact(&mut rng, w).refined(w))
                    .collect::<Option<_>>()
                    .unwrap_or_default();
                let Some(own) = random_fact(&mut rng, result).refined(result) else {
                    continue;
                };
                if facts.is_empty() {
                    continue;
                }
                let possible = |operands: &[u64]| {
                    (operands.iter().zip(&facts).zip(&widths))
                        .all(|((&v, fact), &w)| fact.has(v, w))
                };
                let there = forward(pool, t, &facts);
                for (operands, value) in table.iter().filter(|(o, _)| possible(o)) {
                    let case = || format!("{:?} {facts:?} {operands:?} {value}", pool.op(t));
                    assert!(there.has(*value, result), "{} {there:?}", case());
                    if own.has(*value, result) {
                        backward(pool, t, &own, &facts, &mut |k, fact| {
                            let is_in = fact.has(operands[k], widths[k]);
                            assert!(is_in, "{} {own:?} {k} {fact:?}", case());
                        });
                    }
                }
                if there != Fact::anything(result) {
                    learned.insert((pool.op(t), "forward"));
                }
                backward(pool, t, &own, &facts, &mut |k, fact| {
                    let met = facts[k].meet(fact, widths[k]);
                    if met.is_some_and(|met| met != facts[k]) {
                        learned.insert((pool.op(t), "backward"));
                    }
                });
            }
        }
    }
    use Op::{
        Add, And, Ashr, Concat, Eq, Extract, Ite, Lshr, Mul, Neg, Not, Or, Sdiv, Sext, Shl, Slt,
        Srem, Sub, Udiv, Ult, Urem, Xor, Zext,
    };
    let there = [
        Not, Neg, Add, Sub, Mul, Udiv, Sdiv, Urem, Srem, Shl, Lshr, Ashr, And, Or, Xor, Concat,
        Extract, Zext, Sext, Eq, Ult, Slt, Ite,
    ];
    for op in there {
        assert!(learned.contains(&(op, "forward")), "{op:?}");
        if op != Sdiv {
            assert!(learned.contains(&(op, "backward")), "{op:?}");
        }
    }
}

/// A number between 10 and 19 whose last digit is 2: with the first digit known, the next one leaves one value.
#[test]
fn remainders_leave_one_number_of_a_decade() {
    let pool = &mut Pool::new();
    let symbol = pool.new_symbol("n", Sort::BitVec(16));
    let (n, ten) = (pool.symbol_term(symbol), pool.bv(16, 10));
    let t = pool.urem(n, ten);
    let kids = [Fact::interval(10, 19, 16), Fact::constant(10, 16)];
    assert_eq!(forward(pool, t, &kids).hi, 9);
    let mut left = kids[0];
    backward(pool, t, &Fact::constant(2, 16), &kids, &mut |k, fact| {
        if k == 0 {
            left = left.meet(fact, 16).expect("12 is left");
        }
    });
    assert_eq!(left.value(), Some(12));
    let narrow = [Fact::interval(23, 25, 16), kids[1]];
    let there = forward(pool, t, &narrow);
    assert_eq!((there.lo, there.hi), (3, 5));
}

#[test]
fn reads_of_tables_lose_no_element_and_no_index() {
    let mut rng = Random::new(4);
    let (mut narrower, mut empty) = ([0; 2], 0);
    for case in 0..3000 {
        let pool = &mut Pool::new();
        let content: Vec<u8> = (0..rng.below(20)).map(|_| rng.below(256) as u8).collect();
        // Far from 0, the other half of the values, and a window that is too large in some.
        let far = case % 4 == 3;
        let symbol = pool.new_symbol("i", Sort::BitVec(64));
        let at = pool.symbol_term(symbol);
        let array = pool.array_bytes(&content);
        let t = pool.select(array, at);
        if pool.op(t) != Op::Select {
            continue;
        }
        let mut facts = (0..1 + rng.below(4)).map(|_| match rng.below(9) {
            0 if far => rng.below(u64::MAX),
            _ => rng.below(24),
        });
        let first = Fact::constant(facts.next().unwrap_or(0), 64);
        let index = facts.fold(first, |fact, v| fact.join(Fact::constant(v, 64)));
        let index = index.refined(64).expect("its values");
        let own = random_fact(&mut rng, 8).refined(8).expect("its values");
        assert_eq!(operands(pool, t), [at]);
        let there = forward(pool, t, &[index]);
        narrower[0] += u32::from(there != Fact::anything(8));
        let mut possible = false;
        let mut told = Vec::new();
        backward(pool, t, &own, &[index], &mut |k, fact| told.push((k, fact)));
        for i in (0..40).chain([index.hi]).filter(|&i| index.has(i, 64)) {
            let value = content.get(i as usize).copied().unwrap_or(0) as u64;
            assert!(there.has(value, 8), "{content:?} {index:?} {there:?}");
            if own.has(value, 8) {
                possible = true;
                assert!(
                    told.iter().all(|(_, fact)| fact.has(i, 64)),
                    "{own:?} {told:?}"
                );
            }
        }
        let met = told.iter().map(|(_, fact)| index.meet(*fact, 64));
        let met: Vec<Option<Fact>> = met.collect();
        narrower[1] += u32::from(met.iter().flatten().any(|met| *met != index));
        empty += u32::from(met.contains(&None));
        assert!(!(possible && met.contains(&None)));
    }
    assert!(
        narrower[0] > 500 && narrower[1] > 300 && empty > 100,
        "{narrower:?} {empty}"
    );
}
