//! The pass against all assignments of a few bits, and where it must and must not fire.

use super::*;
use solver::Model;
use term::{Evaluator, mask};
use testkit::Random;

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

/// Conditions over some symbols, at random.
fn conditions(pool: &mut Pool, rng: &mut Random, symbols: &[Symbol]) -> Vec<Term> {
    let mut terms: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
    let pick = |rng: &mut Random, terms: &[Term]| terms[rng.below(terms.len() as u64) as usize];
    for _ in 0..3 + rng.below(8) {
        let x = pick(rng, &terms);
        let width = pool.width(x);
        let same: Vec<Term> = (terms.iter().copied())
            .filter(|&t| pool.width(t) == width)
            .collect();
        let y = match rng.below(2) {
            0 => pick(rng, &same),
            _ => pool.bv(width, rng.below(1 << width)),
        };
        let c = pool.extract(0, 0, pick(rng, &terms));
        let some = operators(pool, x, y, c);
        let new = pick(rng, &some);
        if pool.width(new) <= 8 {
            terms.push(new);
        }
    }
    let mut all = Vec::new();
    for _ in 0..1 + rng.below(5) {
        let t = pick(rng, &terms);
        let width = pool.width(t);
        let k = pool.bv(width, rng.below(1 << width));
        let fact = match rng.below(4) {
            0 => pool.eq(t, k),
            1 => pool.ult(t, k),
            2 => pool.slt(k, t),
            _ => pool.extract(0, 0, t),
        };
        all.push(match rng.below(3) {
            0 => pool.not(fact),
            _ => fact,
        });
    }
    all
}

#[test]
fn smaller_conjuncts_say_the_same() {
    let mut rng = Random::new(3);
    let mut stats = PassStats::default();
    let mut counts = [0; 3];
    for case in 0..1500 {
        let pool = &mut Pool::new();
        let widths = [3, 3, 4, 1];
        let symbols = widths.map(|w| pool.new_symbol("s", Sort::BitVec(w)));
        let all = conditions(pool, &mut rng, &symbols);
        let mut query = Preprocess::new(pool, all.clone());
        let mut network = Network::new(pool, &query.conjuncts);
        let found = simplify(&query, pool, &mut network, 10_000, &mut stats);
        let mut evaluator = Evaluator::new();
        let models: Vec<Model> = (0..1u64 << 11)
            .map(|n| {
                let (mut model, mut rest) = (Model::new(), n);
                for (&symbol, w) in symbols.iter().zip(widths) {
                    model.set(symbol, rest & mask(w));
                    rest >>= w;
                }
                model
            })
            .collect();
        let text = term::to_smt2(pool, &all);
        let cone = pool.cone(&query.conjuncts);
        for model in &models {
            let holds = evaluator.first_false(pool, &all, model).is_none();
            match &found {
                Err(Contradiction) => assert!(!holds, "case {case}: {text}"),
                Ok(found) => {
                    let same = evaluator.first_false(pool, found, model).is_none();
                    let text = |terms: &[Term]| term::to_smt2(pool, terms);
                    assert!(same == holds, "{} {}", text(&all), text(found));
                }
            }
            if holds {
                for &t in &cone {
                    let value = evaluator.eval(pool, t, model);
                    let fact = network.fact(t).expect("a narrow term");
                    assert!(
                        fact.has(value, pool.width(t)),
                        "case {case}: {text} {fact:?} {value}"
                    );
                }
            }
        }
        counts[match &found {
            Err(Contradiction) => 0,
            Ok(found) if *found != query.conjuncts => 1,
            Ok(_) => 2,
        }] += 1;
        query.conjuncts.clear();
    }
    assert!(counts.iter().all(|&n| n > 50), "{counts:?}");
}

fn learned(pool: &mut Pool, all: &[Term]) -> (Vec<Term>, usize) {
    let mut stats = PassStats::default();
    let mut query = Preprocess::new(pool, all.to_vec());
    learn(&mut query, pool, &mut stats);
    (query.conjuncts, query.gone.len())
}

#[test]
fn what_conjuncts_say_decides_others_and_not_themselves() {
    let pool = &mut Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| {
        let symbol = pool.new_symbol(n, Sort::BitVec(8));
        pool.symbol_term(symbol)
    });
    let bv = |pool: &mut Pool, v| pool.bv(8, v);
    let product = pool.mul(x, y);
    let sum = pool.add(product, z);
    let (ten, ninety, hundred) = (bv(pool, 10), bv(pool, 90), bv(pool, 100));
    // A bound of a sum and of one side bound the other side: -9 to 99.
    let (small, sides) = (pool.ult(sum, hundred), pool.ult(z, ten));
    assert_eq!(learned(pool, &[small, sides]), (vec![small, sides], 0));
    let equal = pool.eq(y, z);
    for (limit, left) in [(hundred, 2), (ninety, 3)] {
        let below = pool.slt(product, limit);
        let either = pool.or(below, equal);
        assert_eq!(learned(pool, &[small, sides, either]).0.len(), left);
    }
    // A sign decides a sign, and contradicts another.
    let zero = bv(pool, 0);
    let (negative, less) = (pool.slt(product, zero), pool.slt(product, ten));
    assert_eq!(learned(pool, &[negative, less]), (vec![negative], 0));
    let above = pool.slt(ten, product);
    assert_eq!(learned(pool, &[negative, above]).0, [Term::FALSE]);
    // Known bits of a term.
    let masked = {
        let (high, three) = (bv(pool, 0xf0), bv(pool, 0x30));
        let masked = pool.and(product, high);
        pool.eq(masked, three)
    };
    for (limit, left) in [(0x40, 1), (0x3f, 2)] {
        let limit = bv(pool, limit);
        let below = pool.ult(product, limit);
        let either = pool.or(below, equal);
        assert_eq!(learned(pool, &[masked, either]).0.len(), left);
    }
}

#[test]
fn wide_symbols_keep_the_bits_that_are_open() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| {
        let symbol = pool.new_symbol(n, Sort::BitVec(32));
        pool.symbol_term(symbol)
    });
    let (limit, page) = (pool.bv(32, 0x1_0000), pool.zero(12));
    let low = pool.extract(11, 0, x);
    let product = pool.mul(x, y);
    let all = [pool.ult(x, limit), pool.eq(low, page), pool.ult(x, product)];
    let (left, gone) = learned(pool, &all);
    assert_eq!((left.len(), gone), (1, 1));
    let open = pool.cone(&left);
    let bits = |t: &Term| pool.as_symbol(*t).map(|_| pool.width(*t));
    assert_eq!(open.iter().filter_map(bits).min(), Some(4));
}
