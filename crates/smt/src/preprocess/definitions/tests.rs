//! Chains, circles and padding, and random systems of definitions against enumeration.

use super::*;
use solver::Model;
use term::Evaluator;

fn symbols(pool: &mut Pool, names: &[&str], width: u32) -> Vec<Term> {
    let new = |name: &&str| {
        let symbol = pool.new_symbol(name, Sort::BitVec(width));
        pool.symbol_term(symbol)
    };
    names.iter().map(new).collect()
}

fn once(pool: &mut Pool, conditions: &[Term]) -> (Preprocess, PassStats) {
    let mut stats = PassStats::default();
    let mut query = Preprocess::new(pool, conditions.to_vec());
    propagate(&mut query, pool, &mut stats);
    (query, stats)
}

#[test]
fn a_chain_goes_in_one_pass_whatever_its_order() {
    let pool = &mut Pool::new();
    let names: Vec<String> = (0..1000).map(|i| format!("x{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let x = symbols(pool, &names, 32);
    let mut conditions: Vec<Term> = (1..x.len())
        .map(|i| {
            let square = pool.mul(x[i - 1], x[i - 1]);
            let odd = pool.bv(32, 2 * i as u64 + 1);
            let value = pool.add(square, odd);
            pool.eq(value, x[i])
        })
        .collect();
    let half = conditions.len() / 2;
    conditions[..half].reverse();
    let last = pool.ult(x[0], x[999]);
    conditions.push(last);
    let (query, stats) = once(pool, &conditions);
    assert_eq!((query.conjuncts.len(), stats.equalities), (1, 999));
    let left = pool.symbols(query.conjuncts[0]);
    assert_eq!(
        pool.set_iter(left).collect::<Vec<_>>(),
        vec![pool.as_symbol(x[0]).unwrap()]
    );
    let mut model = Model::default();
    model.set(pool.as_symbol(x[0]).unwrap(), 12345);
    let mut evaluator = Evaluator::new();
    query.lift(pool, &mut evaluator, &mut model);
    assert_eq!(
        evaluator.first_false(pool, &conditions[..999], &model),
        None
    );
}

#[test]
fn of_a_circle_one_definition_stays() {
    let pool = &mut Pool::new();
    let x = symbols(pool, &["x", "y", "z"], 8);
    let conditions: Vec<Term> = (0..3)
        .map(|i| {
            let next = x[(i + 1) % 3];
            let value = pool.mul(next, next);
            pool.eq(x[i], value)
        })
        .collect();
    let (query, stats) = once(pool, &conditions);
    assert_eq!((query.conjuncts.len(), stats.equalities), (1, 2));
    assert_eq!(pool.set_len(pool.symbols(query.conjuncts[0])), 1);
}

#[test]
fn a_symbol_between_constants_is_defined_and_one_beside_another_is_not() {
    let pool = &mut Pool::new();
    let x = symbols(pool, &["x", "y"], 4);
    let v = symbols(pool, &["v"], 8)[0];
    let (three, one) = (pool.bv(2, 3), pool.bv(2, 1));
    let value = pool.mul(v, v);
    let padded = pool.concat(three, x[0]);
    let padded = pool.concat(padded, one);
    let condition = pool.eq(padded, value);
    let (query, stats) = once(pool, &[condition]);
    assert_eq!(stats.equalities, 1);
    assert!(!pool.cone(&query.conjuncts).contains(&x[0]));
    assert_eq!(query.conjuncts.len(), 2); // 3 above and 1 below
    let two = pool.concat(x[0], x[1]);
    let condition = pool.eq(two, value);
    let (query, stats) = once(pool, &[condition]);
    assert_eq!((query.conjuncts, stats.equalities), (vec![condition], 0));
}

#[test]
fn equal_terms_become_the_smaller_one_and_their_equation_stays() {
    let pool = &mut Pool::new();
    let function = Sort::Array { index: 8, elem: 8 };
    let f = pool.new_symbol("f", function);
    let f = pool.symbol_term(f);
    let x = symbols(pool, &["x", "y"], 8);
    let once_applied = pool.select(f, x[0]);
    let fixed = pool.eq(once_applied, x[0]);
    let often = (0..20).fold(x[0], |t, _| pool.select(f, t));
    let square = pool.mul(often, often);
    let other = pool.ult(square, x[1]);
    let (query, stats) = once(pool, &[other, fixed]);
    let expected = {
        let square = pool.mul(x[0], x[0]);
        pool.ult(square, x[1])
    };
    assert_eq!(query.conjuncts, [expected, fixed]);
    assert_eq!(stats.equalities, 0);
}

/// A random 3-bit term over symbols.
fn value(pool: &mut Pool, x: &[Term], random: &mut impl FnMut(u64) -> u64) -> Term {
    let [a, b] = [0, 1].map(|_| x[random(x.len() as u64) as usize]);
    let c = pool.bv(3, random(8));
    match random(6) {
        0 => pool.mul(a, b),
        1 => pool.add(a, c),
        2 => pool.xor(a, b),
        3 => c,
        4 => {
            let less = pool.ult(a, b);
            pool.ite(less, c, a)
        }
        _ => pool.and(a, c),
    }
}

#[test]
fn random_systems_keep_their_solutions() {
    let mut generator = testkit::Random::new(9);
    let mut random = |n: u64| generator.below(n);
    let (mut went, mut satisfiable) = (0, 0);
    for _ in 0..1200 {
        let pool = &mut Pool::new();
        let mut x = symbols(pool, &["x", "y", "z"], 3);
        let narrow = symbols(pool, &["n"], 2)[0];
        let (one, bit) = (pool.bv(1, 1), pool.bv(1, random(2)));
        let padded = [pool.concat(narrow, bit), pool.concat(one, narrow)];
        let conditions: Vec<Term> = (0..2 + random(4))
            .map(|_| {
                let own = value(pool, &x, &mut random);
                let sides = [x[0], x[1], x[2], padded[0], padded[1]];
                match random(6) {
                    0 => pool.ult(own, sides[random(5) as usize]),
                    1 | 2 => {
                        let other = value(pool, &x, &mut random);
                        let above = value(pool, &[own, other, x[0]], &mut random);
                        pool.eq(above, if random(2) == 0 { own } else { other })
                    }
                    _ => pool.eq(sides[random(5) as usize], own),
                }
            })
            .collect();
        x.push(narrow);
        let (query, stats) = once(pool, &conditions);
        went += stats.equalities;
        let mut evaluator = Evaluator::new();
        let mut counts = [0, 0];
        for bits in 0..1u64 << 11 {
            let mut model = Model::default();
            for (i, &t) in x.iter().enumerate() {
                model.set(
                    pool.as_symbol(t).unwrap(),
                    bits >> (3 * i) & if i < 3 { 7 } else { 3 },
                );
            }
            let holds = |evaluator: &mut Evaluator, all: &[Term], model: &Model| {
                evaluator.first_false(pool, all, model).is_none()
            };
            counts[0] += holds(&mut evaluator, &conditions, &model) as usize;
            if holds(&mut evaluator, &query.conjuncts, &model) {
                counts[1] += 1;
                query.lift(pool, &mut evaluator, &mut model);
                assert!(holds(&mut evaluator, &conditions, &model));
            }
        }
        assert_eq!(counts[0] > 0, counts[1] > 0);
        satisfiable += (counts[0] > 0) as usize;
    }
    assert!(
        went > 400 && satisfiable > 100 && satisfiable < 1200,
        "{went} {satisfiable}"
    );
}

/// An integer whose value makes no sum longer goes, and the model has it.
#[test]
fn integers_of_equations_go_where_no_sum_gets_longer() {
    let pool = &mut Pool::new();
    let [x, y, z, s] = ["x", "y", "z", "s"].map(|name| {
        let symbol = pool.new_symbol(name, Sort::Int);
        pool.symbol_term(symbol)
    });
    let number = |pool: &mut Pool, n: i64| pool.int(&n.into());
    let (two, five) = (number(pool, 2), number(pool, 5));
    let sum = pool.int_sum(&[x, y, y, z, two]);
    let defined = pool.eq(s, sum);
    let (low, high) = (pool.int_le(two, s), pool.int_le(s, five));
    let (query, stats) = once(pool, &[defined, low, high]);
    assert_eq!((query.conjuncts.len(), stats.equalities), (2, 1));
    let mut model = Model::default();
    model.set_int(pool.as_symbol(y).unwrap(), 7.into());
    let mut evaluator = Evaluator::new();
    query.lift(pool, &mut evaluator, &mut model);
    assert_eq!(evaluator.first_false(pool, &[defined], &model), None);
    // In further sums, or with a factor, all of them stay.
    let further = |pool: &mut Pool, t: Term| {
        [x, y, z, s].map(|other| {
            let sum = pool.int_sum(&[t, other, other, other]);
            pool.int_le(two, sum)
        })
    };
    let others: Vec<Term> = [x, y, z, s]
        .into_iter()
        .flat_map(|t| further(pool, t))
        .collect();
    let doubled = pool.int_scale(&2.into(), s);
    let twice = pool.int_sum(&[x, x, y, y, z, z, z, two]);
    let scaled = pool.eq(doubled, twice);
    for equation in [defined, scaled] {
        let conditions: Vec<Term> = others.iter().copied().chain([equation]).collect();
        assert_eq!(once(pool, &conditions).1.equalities, 0);
    }
    // Another integer plus a number goes everywhere.
    let shifted = pool.int_add(x, five);
    let same = pool.eq(s, shifted);
    let conditions: Vec<Term> = others.into_iter().chain([same]).collect();
    assert_eq!(once(pool, &conditions).1.equalities, 1);
}
