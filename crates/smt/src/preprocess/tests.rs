//! Each rule where it must fire and where it must not; and the whole against enumeration.

use super::*;
use crate::ScriptSolver;
use solver::{Budget, NoTrials, Outcome, SolverOptions};

fn rebuild_tables(query: &mut Preprocess, pool: &mut Pool, stats: &mut PassStats) {
    let solver = &mut Solver::new(SolverOptions::default());
    let around = &mut PassContext {
        pool,
        solver,
        stats,
    };
    query.apply(Turn::First, around);
}

fn preprocessed(pool: &mut Pool, conditions: &[Term]) -> (Preprocess, PassStats) {
    let mut stats = PassStats::default();
    let mut query = Preprocess::new(pool, conditions.to_vec());
    rebuild_tables(&mut query, pool, &mut stats);
    for _ in 0..MAX_ROUNDS {
        if !definitions::propagate(&mut query, pool, &mut stats) {
            break;
        }
    }
    (query, stats)
}

#[test]
fn constant_stores_become_a_table_and_others_do_not() {
    let pool = &mut Pool::new();
    let symbol = pool.new_symbol("x", Sort::BitVec(64));
    let (x, zero, seven) = (pool.symbol_term(symbol), pool.bv(8, 0), pool.bv(8, 7));
    let base = pool.array_const(64, 8, zero);
    let (one, two, far) = (pool.bv(64, 1), pool.bv(64, 2), pool.bv(64, 1 << 40));
    let chain = pool.store(base, two, zero);
    let chain = pool.store(chain, two, seven);
    let chain = pool.store(chain, one, seven);
    let read = |pool: &mut Pool, array: Term| {
        let element = pool.select(array, x);
        pool.eq(element, seven)
    };
    let condition = read(pool, chain);
    let (query, stats) = preprocessed(pool, &[condition]);
    assert_eq!(stats.tables, 1);
    let tables = pool.cone(&query.conjuncts);
    let content = tables.iter().find(|&&t| pool.op(t) == Op::ArrayBytes);
    assert_eq!(pool.array_content(*content.unwrap()), [0, 7, 7]);

    for at in [far, x] {
        let open = pool.store(base, at, seven);
        let y = pool.bv(64, 3);
        let element = pool.select(open, y);
        let other = pool.store(open, one, element);
        let condition = read(pool, other);
        let (query, _) = preprocessed(pool, &[condition]);
        assert!(
            pool.cone(&query.conjuncts)
                .iter()
                .any(|&t| pool.op(t) == Op::Store)
        );
    }
}

#[test]
fn a_symbol_goes_unless_it_occurs_in_its_own_value() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| {
        let symbol = pool.new_symbol(n, Sort::BitVec(8));
        pool.symbol_term(symbol)
    });
    let product = pool.mul(y, y);
    let definition = pool.eq(x, product);
    let less = pool.ult(x, y);
    let (query, stats) = preprocessed(pool, &[definition, less]);
    assert_eq!((query.conjuncts.len(), stats.equalities), (1, 1));
    assert!(!pool.cone(&query.conjuncts).contains(&x));
    let own = pool.mul(x, y);
    let circular = pool.eq(x, own);
    let (query, stats) = preprocessed(pool, &[circular, less]);
    assert_eq!((query.conjuncts.len(), stats.equalities), (2, 0));
}

#[test]
fn what_is_known_is_known_elsewhere_and_not_in_itself() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| {
        let symbol = pool.new_symbol(n, Sort::BitVec(8));
        pool.symbol_term(symbol)
    });
    let p = pool.ult(x, y);
    let sum = pool.add(x, y);
    let q = pool.ult(sum, x);
    let (not_p, either) = (pool.not(p), pool.or(p, q));
    let (query, stats) = preprocessed(pool, &[not_p, either]);
    assert_eq!((query.conjuncts, stats.known), (vec![not_p, q], 1));
    let (query, stats) = preprocessed(pool, &[p, q]);
    assert_eq!((query.conjuncts, stats.known), (vec![p, q], 0));
}

fn symbol(pool: &mut Pool, name: &str, sort: Sort) -> Term {
    let symbol = pool.new_symbol(name, sort);
    pool.symbol_term(symbol)
}

/// What is left of the conditions after all passes but those that need a path.
fn simplified(pool: &mut Pool, conditions: &[Term]) -> (Vec<Term>, PassStats) {
    let mut stats = PassStats::default();
    let mut query = Preprocess::new(pool, conditions.to_vec());
    let solver = &mut Solver::new(SolverOptions::default());
    let around = &mut PassContext {
        pool,
        solver,
        stats: &mut stats,
    };
    while query.apply(Turn::Each, around) {}
    (query.conjuncts, stats)
}

#[test]
fn what_occurs_once_is_free_and_what_occurs_twice_is_not() {
    let pool = &mut Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| symbol(pool, n, Sort::BitVec(16)));
    let array = symbol(
        pool,
        "a",
        Sort::Array {
            index: 16,
            elem: 16,
        },
    );
    let square = pool.mul(y, y);
    let yz = pool.mul(y, z);
    let odd = pool.bv(16, 77);
    let scaled = pool.mul(x, odd);
    let stored = pool.store(array, yz, x);
    let read = pool.select(array, square);
    let frees = [
        pool.add(x, square),
        pool.sub(square, x),
        pool.xor(square, x),
        pool.mul(x, z),
        pool.udiv(x, z),
        pool.urem(x, z),
        pool.concat(x, z),
        pool.extract(9, 3, x),
        scaled,
        read,
        stored,
    ];
    for free in frees {
        let sort = pool.sort(free);
        // Twice, so that the operator itself is not free.
        let conditions = match sort {
            Sort::BitVec(width) => {
                let (one, most) = (pool.bv(width, 1), pool.ones(width));
                let most = pool.sub(most, one);
                vec![pool.ult(one, free), pool.ult(free, most)]
            }
            _ => {
                let other = symbol(pool, "b", sort);
                vec![pool.ne(free, other)]
            }
        };
        let (_, stats) = simplified(pool, &conditions);
        assert!(
            stats.unconstrained + stats.slices > 0,
            "{}",
            term::to_smt2(pool, &conditions)
        );
    }
    // One operand occurs elsewhere, or the operator cannot give every value.
    let (seven, low) = (pool.bv(16, 7), pool.bv(16, 3));
    let sum = pool.mul(x, square);
    let conditions = [pool.ult(sum, seven), pool.ult(square, x), pool.ult(low, x)];
    let (_, stats) = simplified(pool, &conditions);
    assert_eq!(stats.unconstrained, 0);
    let three = pool.mul(x, square);
    let conditions = [pool.ult(three, seven), pool.ult(low, three)];
    let (_, stats) = simplified(pool, &conditions);
    assert_eq!(stats.unconstrained, 0);
}

#[test]
fn sums_of_ever_more_integers_are_free() {
    let pool = &mut Pool::new();
    let all: Vec<Term> = (0..20)
        .map(|k| symbol(pool, &format!("n{k}"), Sort::Int))
        .collect();
    let [ten, hundred] = [10, 100].map(|n| pool.int(&n.into()));
    let mut conditions = Vec::new();
    for k in 1..all.len() {
        let sum = pool.int_sum(&all[..=k]);
        conditions.push(pool.int_le(ten, sum));
        conditions.push(pool.int_le(sum, hundred));
    }
    let (left, stats) = simplified(pool, &conditions);
    assert!(stats.unconstrained >= 19);
    assert!(pool.cone(&left).iter().all(|&t| pool.op(t) != Op::IntAdd));
    let mut solver = ScriptSolver::new(SolverOptions::default());
    let mut path = PathCondition::new();
    for &t in &conditions {
        solver.base.push(pool, &mut path, t, Origin::Assume);
    }
    let outcome = solver.solve_once(pool, &path, &Budget::default(), &mut NoTrials);
    assert!(matches!(outcome, Outcome::Sat(_)));
    assert_eq!(solver.base.stats().models_rejected, 0);
    // A factor that is no unit, and integers that occur twice.
    let [x, y] = ["x", "y"].map(|n| symbol(pool, n, Sort::Int));
    let double = pool.int_scale(&2.into(), x);
    let (least, most) = (pool.int_le(y, double), pool.int_le(double, ten));
    let bounded = pool.int_le(ten, y);
    let (_, stats) = simplified(pool, &[least, most, bounded]);
    assert_eq!(stats.unconstrained, 0);
}

#[test]
fn a_comparison_of_a_free_integer_can_hold_and_fail() {
    let pool = &mut Pool::new();
    for k in 0..12 {
        let [x, y, z] = ["x", "y", "z"].map(|n| symbol(pool, n, Sort::Int));
        let other = pool.int_add(y, z);
        let negated = pool.int_scale(&(-1).into(), x);
        let atom = match k / 2 {
            0 => pool.int_le(x, other),
            1 => pool.int_le(other, x),
            2 => pool.eq(x, other),
            3 => pool.int_le(negated, other),
            4 => pool.int_lt(other, negated),
            _ => pool.eq(negated, other),
        };
        let wanted = if k % 2 == 0 { atom } else { pool.not(atom) };
        let five = pool.int(&5.into());
        let fixed = [pool.eq(y, five), pool.int_le(five, z)];
        let conditions = [wanted, fixed[0], fixed[1]];
        let mut solver = ScriptSolver::new(SolverOptions::default());
        let mut path = PathCondition::new();
        for &t in &conditions {
            solver.base.push(pool, &mut path, t, Origin::Assume);
        }
        let outcome = solver.solve_once(pool, &path, &Budget::default(), &mut NoTrials);
        let Outcome::Sat(model) = outcome else {
            panic!("case {k}: {outcome:?}");
        };
        let mut evaluator = Evaluator::new();
        assert_eq!(
            evaluator.first_false(pool, &conditions, &model),
            None,
            "case {k}"
        );
        assert!(solver.passes.unconstrained > 0, "case {k}");
    }
}

#[test]
fn equations_are_solved_modulo_powers_of_two() {
    let pool = &mut Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| symbol(pool, n, Sort::BitVec(16)));
    let bv = |pool: &mut Pool, v| pool.bv(16, v);
    let (two, three, seven) = (bv(pool, 2), bv(pool, 3), bv(pool, 7));
    // x * (y + z) = x * y + x * z, whatever it is part of.
    let sum = pool.add(y, z);
    let [left, a, b] = [sum, y, z].map(|t| pool.mul(x, t));
    let right = pool.add(a, b);
    let wrong = pool.ne(left, right);
    assert_eq!(simplified(pool, &[wrong]).0, [Term::FALSE]);
    // 2x + 2yz = 7 has no solution, 3x + 2yz = 7 has x.
    let product = pool.mul(y, z);
    let double = pool.mul(two, product);
    let even = pool.mul(two, x);
    let even = pool.add(even, double);
    let odd = pool.mul(three, x);
    let odd = pool.add(odd, double);
    let (never, solved) = (pool.eq(even, seven), pool.eq(odd, seven));
    assert_eq!(simplified(pool, &[never]).0, [Term::FALSE]);
    let use_of_x = pool.ult(x, product);
    let (left, stats) = simplified(pool, &[solved, use_of_x]);
    assert!(left.len() <= 1 && stats.linear == 1, "{left:?}");
    // x*x + y = 3 and x*x + y + 2yz = 4 contradict each other: 2yz = 1.
    let square = pool.mul(x, x);
    let first = pool.add(square, y);
    let second = pool.add(first, double);
    let four = bv(pool, 4);
    let (first, second) = (pool.eq(first, three), pool.eq(second, four));
    assert_eq!(simplified(pool, &[first, second]).0, [Term::FALSE]);
    // Near: 2yz = 2 is possible.
    let five = bv(pool, 5);
    let sum = pool.add(square, y);
    let sum = pool.add(sum, double);
    let second = pool.eq(sum, five);
    assert_ne!(simplified(pool, &[first, second]).0, [Term::FALSE]);
}

#[test]
fn slices_that_do_not_overlap_are_symbols() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| symbol(pool, n, Sort::BitVec(32)));
    let low = pool.extract(7, 0, x);
    let middle = pool.extract(15, 8, x);
    let across = pool.extract(11, 4, x);
    let product = pool.mul(low, low);
    let seven = pool.bv(8, 7);
    let conditions = [
        pool.ult(product, middle),
        pool.ult(middle, low),
        pool.ult(low, seven),
    ];
    let split = |pool: &mut Pool, conditions: &[Term]| {
        let mut query = Preprocess::new(pool, conditions.to_vec());
        let mut count = 0;
        slices::split(&mut query, pool, &mut count);
        let cone = pool.cone(&query.conjuncts);
        let widths = cone.iter().filter(|t| pool.as_symbol(**t).is_some());
        (widths.map(|&t| pool.width(t)).collect::<Vec<_>>(), count)
    };
    assert_eq!(split(pool, &conditions), (vec![8, 8], 1));
    let conditions = [conditions[0], pool.ult(across, low)];
    assert_eq!(split(pool, &conditions), (vec![16], 1));
    let conditions = [conditions[0], pool.ult(x, y)];
    assert_eq!(split(pool, &conditions), (vec![32, 32], 0));
    // Slices that cover all of it together: the same symbol again, in every round.
    let (high, wide) = (pool.extract(31, 10, x), pool.extract(21, 0, x));
    let conditions = [pool.ult(high, wide)];
    assert_eq!(split(pool, &conditions), (vec![32], 0));
}

#[test]
fn branches_share_what_they_have_in_common() {
    let pool = &mut Pool::new();
    let [x, y, z, u] = ["x", "y", "z", "u"].map(|n| symbol(pool, n, Sort::BitVec(16)));
    let c = pool.ult(x, y);
    let count = |pool: &mut Pool, conditions: &[Term]| {
        let mut query = Preprocess::new(pool, conditions.to_vec());
        let mut count = 0;
        choices::factor(&mut query, pool, &mut count);
        let different = query
            .conjuncts
            .iter()
            .zip(conditions)
            .map(|(a, b)| (*a, *b));
        let different: Vec<(Term, Term)> = different.collect();
        let mut solver = ScriptSolver::new(SolverOptions::default());
        for (a, b) in different {
            let mut path = PathCondition::new();
            let apart = pool.ne(a, b);
            solver.base.push(pool, &mut path, apart, Origin::Assume);
            let outcome = solver
                .base
                .solve(pool, &path, &Budget::default(), &mut NoTrials);
            assert!(matches!(outcome, Outcome::Unsat(_)), "{outcome:?}");
        }
        count
    };
    let choice = |pool: &mut Pool, a: Term, b: Term| {
        let choice = pool.ite(c, a, b);
        pool.ult(choice, u)
    };
    let (a, b) = (pool.and(x, z), pool.and(z, u));
    let shared = choice(pool, a, b);
    assert_eq!(count(pool, &[shared]), 1);
    let twice = pool.ult(a, z);
    assert_eq!(count(pool, &[shared, twice]), 0);
    let (a, b) = (pool.and(x, z), pool.and(y, u));
    let apart = choice(pool, a, b);
    assert_eq!(count(pool, &[apart]), 0);
    let (a, b) = (pool.urem(x, z), pool.urem(y, u));
    let dear = choice(pool, a, b);
    assert_eq!(count(pool, &[dear]), 1);
    let (a, b) = (pool.ite(c, x, z), pool.ite(c, u, y));
    let same = pool.eq(a, b);
    assert_eq!(count(pool, &[same]), 1);
    // Into the branches, where each comparison gets smaller.
    let (seven, byte) = (pool.bv(16, 7), pool.extract(7, 0, x));
    let (a, b) = (pool.zext(16, byte), pool.not(y));
    let choice = pool.ite(c, a, b);
    let inside = pool.eq(seven, choice);
    assert_eq!(count(pool, &[inside]), 1);
    let plain = pool.ite(c, y, z);
    let outside = pool.eq(seven, plain);
    assert_eq!(count(pool, &[outside]), 0);
}

#[test]
fn tables_are_bounded_together() {
    let pool = &mut Pool::new();
    let x = symbol(pool, "x", Sort::BitVec(64));
    let zero = pool.zero(8);
    let base = pool.array_const(64, 8, zero);
    let mut read = |at: u64, value: u64| {
        let (at, value) = (pool.bv(64, at), pool.bv(8, value));
        let array = pool.store(base, at, value);
        let element = pool.select(array, x);
        pool.eq(element, value)
    };
    // One store makes a table of a megabyte: sixteen of them, and not five hundred.
    let conditions: Vec<Term> = (0..500).map(|k| read(0xf_ffff - k, 1 + k % 7)).collect();
    let stats = &mut PassStats::default();
    let mut query = Preprocess::new(pool, conditions);
    rebuild_tables(&mut query, pool, stats);
    assert_eq!(stats.tables, 16);
}

#[test]
fn long_chains_of_what_went_are_lifted_in_one_go() {
    const LENGTH: usize = 20_000;
    let pool = &mut Pool::new();
    let mut sum = symbol(pool, "x", Sort::BitVec(16));
    let mut conditions = Vec::new();
    for _ in 0..LENGTH {
        let (y, z) = ["y", "z"].map(|n| symbol(pool, n, Sort::BitVec(16))).into();
        sum = pool.add(sum, y);
        let product = pool.mul(z, z);
        let w = symbol(pool, "w", Sort::BitVec(16));
        conditions.push(pool.eq(w, product));
    }
    let thousand = pool.bv(16, 1000);
    conditions.push(pool.ult(thousand, sum));
    let stats = &mut PassStats::default();
    let mut query = Preprocess::new(pool, conditions.clone());
    definitions::propagate(&mut query, pool, stats);
    assert_eq!(stats.equalities, LENGTH as u64);
    unconstrained::eliminate(&mut query, pool, &mut stats.unconstrained);
    assert_eq!(stats.unconstrained, LENGTH as u64 + 1);
    let mut model = Model::new();
    for symbol in query.symbols(pool) {
        model.set(symbol, 1);
    }
    let evaluator = &mut Evaluator::new();
    query.lift(pool, evaluator, &mut model);
    assert_eq!(evaluator.first_false(pool, &conditions, &model), None);
}

#[test]
fn trials_with_too_much_to_lift_are_not_shown() {
    let pool = &mut Pool::new();
    let mut shared = symbol(pool, "x", Sort::BitVec(16));
    for k in 0..1000 {
        let factor = pool.bv(16, 2 * k + 3);
        let product = pool.mul(shared, shared);
        shared = pool.xor(product, factor);
    }
    for (count, is_wanted) in [(10, true), (1000, false)] {
        let gone: Vec<(Symbol, Term)> = (0..count)
            .map(|_| (pool.new_symbol("y", Sort::BitVec(16)), shared))
            .collect();
        let mut shown = Shown(Vec::new());
        let lifted = lifted::Lifted::new(pool, &gone, &mut shown);
        assert_eq!(solver::Trials::wanted(&lifted), is_wanted);
    }
}

#[test]
fn integers_that_went_are_in_lifted_trials() {
    let pool = &mut Pool::new();
    let [x, y] = [(); 2].map(|()| pool.new_symbol("x", Sort::Int));
    let left = pool.symbol_term(x);
    let value = pool.int_scale(&3.into(), left);
    let mut shown = Shown(Vec::new());
    let mut lifted = lifted::Lifted::new(pool, &[(y, value)], &mut shown);
    let mut model = Model::new();
    model.set_int(x, 5.into());
    solver::Trials::tried(&mut lifted, &model, solver::Technique::Preprocess);
    let values: Vec<_> = shown.0.iter().map(|m| m.int(y)).collect();
    assert_eq!(values, [15.into(), 16.into()], "as it is, and changed");
}

#[test]
fn bounded_symbols_are_narrow() {
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| symbol(pool, n, Sort::BitVec(32)));
    let (limit, zero) = (pool.bv(32, 1000), pool.zero(32));
    let bounded = pool.ult(x, limit);
    let product = pool.mul(x, y);
    let rest = pool.urem(product, limit);
    let wanted = pool.ult(zero, rest);
    let related = pool.ult(y, product);
    let mut solver = ScriptSolver::new(SolverOptions::default());
    let mut narrowed = [0, 0];
    for (k, conditions) in [vec![bounded, wanted, related], vec![wanted, related]]
        .iter()
        .enumerate()
    {
        let mut path = PathCondition::new();
        for &t in conditions {
            solver.base.push(pool, &mut path, t, Origin::Assume);
        }
        let outcome = solver.solve_once(pool, &path, &Budget::default(), &mut NoTrials);
        assert!(matches!(outcome, Outcome::Sat(_)), "{outcome:?}");
        narrowed[k] = solver.passes.narrowed;
    }
    assert_eq!(narrowed, [1, 1]);
}

/// Formulas over a few symbols, at random, against all assignments.
#[test]
fn formulas_are_satisfiable_as_they_were() {
    let mut generator = testkit::Random::new(12345);
    let mut random = |n: u64| generator.below(n);
    let mut answers = [0; 2];
    let mut fired = PassStats::default();
    for case in 0..1500 {
        let pool = &mut Pool::new();
        let widths: &[u32] = match case % 3 {
            0 => &[2, 2, 2, 1],
            1 => &[3, 2, 1],
            _ => &[9, 2],
        };
        let symbols: Vec<Symbol> = widths
            .iter()
            .map(|&w| pool.new_symbol("s", Sort::BitVec(w)))
            .collect();
        let mut terms: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
        let array = pool.new_symbol("a", Sort::Array { index: 1, elem: 2 });
        let mut arrays = vec![pool.symbol_term(array)];
        let has_array = case % 4 == 0;
        for _ in 0..2 + random(14) {
            let a = terms[random(terms.len() as u64) as usize];
            let b = terms[random(terms.len() as u64) as usize];
            let c = terms[random(terms.len() as u64) as usize];
            let (w, v) = (pool.width(a), pool.width(b));
            let same = w == v;
            let k = pool.bv(w, random(1 << w.min(4)));
            let fact = pool.extract(0, 0, c);
            let m = arrays[random(arrays.len() as u64) as usize];
            let new = match random(28) {
                0 => pool.not(a),
                1 => pool.neg(a),
                2 | 3 if same => pool.add(a, b),
                4 if same => pool.sub(a, b),
                5 if same => pool.mul(a, b),
                6 => pool.mul(a, k),
                7 if same => pool.udiv(a, b),
                8 if same => pool.urem(a, b),
                9 if same => pool.shl(a, b),
                10 if same => pool.ashr(a, b),
                11 if same => pool.and(a, b),
                12 if same => pool.or(a, b),
                13 if same => pool.xor(a, b),
                14 if same => pool.ite(fact, a, b),
                15 | 16 if same => pool.eq(a, b),
                17 => pool.eq(a, k),
                18 if same => pool.ult(a, b),
                19 if same => pool.slt(a, b),
                20 => pool.ult(a, k),
                21 if w + v <= 9 => pool.concat(a, b),
                22 => {
                    let low = random(w as u64) as u32;
                    pool.extract(low + random((w - low) as u64) as u32, low, a)
                }
                23 if has_array => pool.select(m, fact),
                24 if has_array && w == 2 => {
                    arrays.push(pool.store(m, fact, a));
                    continue;
                }
                25 if has_array => pool.eq(m, arrays[0]),
                26 if same => {
                    let (x, y) = (pool.urem(a, b), pool.urem(b, k));
                    pool.ite(fact, x, y)
                }
                27 if same => {
                    let (x, y) = (pool.and(a, k), pool.and(b, k));
                    let choice = pool.ite(fact, x, y);
                    pool.eq(choice, b)
                }
                _ => continue,
            };
            terms.push(new);
        }
        let facts: Vec<Term> = terms
            .iter()
            .copied()
            .filter(|&t| pool.width(t) == 1)
            .collect();
        let Some(&last) = facts.last() else {
            continue;
        };
        let mut chosen = vec![last];
        for _ in 0..random(4) {
            let (p, q) = (
                facts[random(facts.len() as u64) as usize],
                facts[random(facts.len() as u64) as usize],
            );
            chosen.push(match random(4) {
                0 => pool.or(p, q),
                1 => pool.not(p),
                _ => p,
            });
        }
        if case % 6 == 2 {
            let (x, limit) = (terms[0], pool.bv(9, 3 + random(60)));
            chosen.push(pool.ult(x, limit));
            let product = pool.mul(x, x);
            let other = pool.bv(9, random(512));
            chosen.push(pool.ult(product, other));
        }
        let bits: u32 = widths.iter().sum();
        let contents = if has_array { 16 } else { 1 };
        let mut evaluator = Evaluator::new();
        let satisfiable = (0..(1u64 << bits) * contents).any(|n| {
            let mut model = Model::new();
            let mut rest = n;
            for (k, &symbol) in symbols.iter().enumerate() {
                model.set(symbol, rest & ((1 << widths[k]) - 1));
                rest >>= widths[k];
            }
            let mut value = term::ArrayValue::default();
            for at in 0..2u64 {
                value
                    .entries
                    .insert(at.into(), (rest >> (2 * at) & 3).into());
            }
            model.set_array(array, value);
            evaluator.first_false(pool, &chosen, &model).is_none()
        });
        let mut solver = ScriptSolver::new(SolverOptions::default());
        let mut path = PathCondition::new();
        for &t in &chosen {
            solver.base.push(pool, &mut path, t, Origin::Assume);
        }
        let outcome = solver.solve_once(pool, &path, &Budget::default(), &mut NoTrials);
        assert_eq!(
            matches!(outcome, Outcome::Sat(_)),
            satisfiable,
            "case {case}: {}",
            term::to_smt2(pool, &chosen)
        );
        assert_eq!(solver.base.stats().models_rejected, 0, "case {case}");
        let stats = &solver.passes;
        answers[usize::from(satisfiable)] += 1;
        fired.unconstrained += stats.unconstrained;
        fired.linear += stats.linear;
        fired.narrowed += stats.narrowed;
        fired.facts += stats.facts;
        fired.slices += stats.slices;
    }
    assert!(answers[0] > 100 && answers[1] > 100, "{answers:?}");
    let fired = [
        fired.unconstrained,
        fired.linear,
        fired.narrowed,
        fired.facts,
        fired.slices,
    ];
    assert!(fired.iter().all(|&n| n > 0), "{fired:?}");
}

struct Shown(Vec<Model>);

impl solver::Trials for Shown {
    fn tried(&mut self, a: &Model, _: solver::Technique) {
        self.0.push(a.clone());
    }
}

#[test]
fn cores_of_what_was_preprocessed_name_what_is_needed() {
    let pool = &mut Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| symbol(pool, n, Sort::BitVec(16)));
    let (ten, five) = (pool.bv(16, 10), pool.bv(16, 5));
    let product = pool.mul(y, z);
    let groups = [
        vec![pool.ult(y, ten)],
        vec![pool.eq(x, product), pool.ult(z, y)],
        vec![pool.ult(product, five)],
        vec![pool.ult(z, ten)],
        vec![pool.ult(ten, x)],
    ];
    let mut core = |fixed: &[Term], groups: &[Vec<Term>]| {
        let mut solver = ScriptSolver::new(SolverOptions::default());
        solver.smaller_core(pool, fixed, groups, &Budget::default())
    };
    assert_eq!(core(&[], &groups), [1, 2, 4]);
    assert_eq!(core(&groups[4], &groups[..4]), [1, 2]);
    assert_eq!(core(&[Term::FALSE], &groups), [0usize; 0]);
}

#[test]
fn trials_speak_about_the_original_and_open_what_was_eliminated() {
    let pool = &mut Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| symbol(pool, n, Sort::BitVec(16)));
    let product = pool.mul(y, z);
    let ten = pool.bv(16, 10);
    let conditions = [pool.eq(x, product), pool.ult(ten, product), pool.ult(y, x)];
    let mut solver = ScriptSolver::new(SolverOptions::default());
    let mut path = PathCondition::new();
    for &t in &conditions {
        solver.base.push(pool, &mut path, t, Origin::Assume);
    }
    let mut shown = Shown(Vec::new());
    let outcome = solver.solve_once(pool, &path, &Budget::default(), &mut shown);
    assert!(matches!(outcome, Outcome::Sat(_)));
    let mut evaluator = Evaluator::new();
    let mut first = |model: &Model| evaluator.first_false(pool, &conditions, model);
    let model = shown.0.iter().any(|m| first(m).is_none());
    assert!(model, "the model itself");
    let opened = shown.0.iter().any(|m| first(m) == Some(0));
    assert!(opened, "the definition opened");
}
