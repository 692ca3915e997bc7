//! Integers against plain arithmetic: constructors, evaluator, tape, normal forms.

use crate::common::Random;
use polypath_term::{
    Assignment, BigInt, Evaluator, Linear, Op, Pool, Scratch, Sort, Substitution, Symbol, Tape,
    Term, substitute,
};

struct World {
    pool: Pool,
    symbols: Vec<Symbol>,
    assignments: Vec<Assignment>,
}

fn big(text: &str) -> BigInt {
    text.parse().unwrap()
}

fn world(random: &mut Random) -> World {
    let mut pool = Pool::new();
    let symbols: Vec<Symbol> = (0..4)
        .map(|k| pool.new_symbol(&format!("i{k}"), Sort::Int))
        .collect();
    let assignments = (0..12)
        .map(|round| {
            let mut assignment = Assignment::new();
            for &symbol in &symbols {
                let mut value = BigInt::from(random.index(21) as i64 - 10);
                if round % 3 == 2 {
                    value *= big("123456789012345678901");
                }
                assignment.set_int(symbol, value);
            }
            assignment
        })
        .collect();
    World {
        pool,
        symbols,
        assignments,
    }
}

/// The quotient that SMT-LIB defines: the remainder is within 0 .. |b|.
fn divide(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (mut quotient, mut rest) = (a / b, a % b);
    let zero = BigInt::from(0);
    if rest < zero {
        let step = if *b > zero { 1 } else { -1 };
        quotient -= step;
        rest += b * step;
    }
    (quotient, rest)
}

/// A random integer term with its values.
fn integer(world: &mut World, depth: usize, random: &mut Random) -> (Term, Vec<BigInt>) {
    let count = world.assignments.len();
    if depth == 0 || random.index(6) == 0 {
        if random.index(3) == 0 {
            let value = BigInt::from(random.index(9) as i64 - 4);
            return (world.pool.int(&value), vec![value; count]);
        }
        let symbol = world.symbols[random.index(4)];
        let values = world.assignments.iter().map(|a| a.int(symbol)).collect();
        return (world.pool.symbol_term(symbol), values);
    }
    let (a, x) = integer(world, depth - 1, random);
    let factor = BigInt::from([-7i64, -3, -2, -1, 1, 2, 3, 6][random.index(8)]);
    let each = |f: &dyn Fn(&BigInt) -> BigInt| x.iter().map(f).collect::<Vec<_>>();
    match random.index(8) {
        0 => (world.pool.int_scale(&factor, a), each(&|v| v * &factor)),
        1 => (
            world.pool.int_div(a, &factor),
            each(&|v| divide(v, &factor).0),
        ),
        2 => (
            world.pool.int_mod(a, &factor),
            each(&|v| divide(v, &factor).1),
        ),
        3 => (world.pool.int_neg(a), each(&|v| -v)),
        4 => {
            let absolute = |v: &BigInt| BigInt::from(v.magnitude().clone());
            (world.pool.int_abs(a), each(&absolute))
        }
        choice => {
            let (b, y) = integer(world, depth - 1, random);
            let pairs = |f: &dyn Fn(&BigInt, &BigInt) -> BigInt| {
                x.iter().zip(&y).map(|(v, w)| f(v, w)).collect::<Vec<_>>()
            };
            match choice {
                5 => (world.pool.int_sub(a, b), pairs(&|v, w| v - w)),
                6 => {
                    let (c, holds) = atom(world, depth - 1, random);
                    let t = world.pool.ite(c, a, b);
                    let values = (0..count)
                        .map(|k| if holds[k] { x[k].clone() } else { y[k].clone() })
                        .collect();
                    (t, values)
                }
                _ => (world.pool.int_add(a, b), pairs(&|v, w| v + w)),
            }
        }
    }
}

fn atom(world: &mut World, depth: usize, random: &mut Random) -> (Term, Vec<bool>) {
    let (a, x) = integer(world, depth, random);
    let (b, y) = integer(world, depth, random);
    let pairs = |f: &dyn Fn(&BigInt, &BigInt) -> bool| {
        x.iter().zip(&y).map(|(v, w)| f(v, w)).collect::<Vec<_>>()
    };
    match random.index(3) {
        0 => (world.pool.int_le(a, b), pairs(&|v, w| v <= w)),
        1 => (world.pool.int_lt(a, b), pairs(&|v, w| v < w)),
        _ => (world.pool.eq(a, b), pairs(&|v, w| v == w)),
    }
}

fn value_of(linear: &Linear, evaluator: &mut Evaluator, pool: &Pool, a: &Assignment) -> BigInt {
    let mut sum = linear.constant.clone();
    for (atom, factor) in &linear.monomials {
        assert!(!matches!(
            pool.op(*atom),
            Op::IntAdd | Op::IntMul | Op::IntConst
        ));
        sum += factor * evaluator.eval_int(pool, *atom, a);
    }
    sum
}

#[test]
fn terms_have_the_values_of_plain_arithmetic() {
    let mut random = Random::new(11);
    for _ in 0..300 {
        let mut world = world(&mut random);
        let (t, values) = integer(&mut world, 4, &mut random);
        let (c, holds) = atom(&mut world, 3, &mut random);
        let zero = BigInt::from(0);
        let World {
            pool, assignments, ..
        } = &mut world;
        let tape = Tape::compile(pool, &[c]);
        let (mut evaluator, mut scratch) = (Evaluator::new(), Scratch::new());
        let linear = pool.linear(t);
        assert_eq!(pool.linear_term(&linear), t, "{}", pool.display(t));
        let (inner, negated) = match pool.op(c) {
            Op::Not => (pool.child(c, 0), true),
            _ => (c, false),
        };
        let about = pool.linear_atom(inner);
        for (k, a) in assignments.iter().enumerate() {
            assert_eq!(
                evaluator.eval_int(pool, t, a),
                values[k],
                "{}",
                pool.display(t)
            );
            assert_eq!(
                evaluator.eval(pool, c, a),
                holds[k] as u64,
                "{}",
                pool.display(c)
            );
            tape.run(a, &mut scratch);
            assert_eq!(tape.value(&scratch, 0), holds[k] as u64);
            assert_eq!(value_of(&linear, &mut evaluator, pool, a), values[k]);
            if let Some(sum) = &about {
                let value = value_of(sum, &mut evaluator, pool, a);
                let holds_inner = if pool.op(inner) == Op::Eq {
                    value == zero
                } else {
                    value <= zero
                };
                assert_eq!(holds_inner != negated, holds[k]);
            }
        }
    }
}

#[test]
fn equal_atoms_are_one_term() {
    let mut pool = Pool::new();
    let x = pool.new_symbol("x", Sort::Int);
    let y = pool.new_symbol("y", Sort::Int);
    let (x, y) = (pool.symbol_term(x), pool.symbol_term(y));
    let five = pool.int(&5.into());
    let sum = pool.int_add(x, y);
    let double = pool.int_add(sum, sum);
    let eleven = pool.int(&11.into());
    // 2x + 2y <= 11, x <= 5 - y, not (5 < y + x)
    let first = pool.int_le(double, eleven);
    let rest = pool.int_sub(five, y);
    let second = pool.int_le(x, rest);
    let swapped = pool.int_add(y, x);
    let third = pool.int_lt(five, swapped);
    assert_eq!(first, second);
    assert_eq!(pool.not(third), first);
    assert_eq!(pool.eq(double, eleven), Term::FALSE);
    assert_eq!(pool.int_sub(double, sum), sum);
    let big = big("-340282366920938463463374607431768211456");
    let constant = pool.int(&big);
    assert_eq!(pool.as_int(constant), Some(big));
}

#[test]
fn long_sums_and_deep_chains_are_read_once() {
    let mut pool = Pool::new();
    let atoms: Vec<Term> = (0..500)
        .map(|k| {
            let symbol = pool.new_symbol(&format!("x{k}"), Sort::Int);
            pool.symbol_term(symbol)
        })
        .collect();
    let mut sum = atoms[0];
    for &atom in &atoms[1..] {
        sum = pool.int_add(sum, atom);
    }
    assert_eq!(pool.linear(sum).monomials.len(), 500);
    // Doubling shares: a walk over the tree would take 2^200 steps.
    for _ in 0..200 {
        sum = pool.int_add(sum, sum);
    }
    let linear = pool.linear(sum);
    assert_eq!(linear.monomials.len(), 500);
    assert_eq!(linear.monomials[7].1, BigInt::from(1) << 200);
    let all = pool.int_sum(&atoms);
    assert_eq!(pool.linear(all).monomials.len(), 500);
    let zero = pool.int(&0.into());
    let atom = pool.int_le(sum, zero);
    assert_eq!(pool.linear_atom(atom).unwrap().monomials.len(), 500);
}

#[test]
fn integers_survive_substitution_and_collection() {
    let mut pool = Pool::new();
    let x = pool.new_symbol("x", Sort::Int);
    let y = pool.new_symbol("y", Sort::Int);
    let (tx, ty) = (pool.symbol_term(x), pool.symbol_term(y));
    let big = big("99999999999999999999999");
    let bound = pool.int(&big);
    let triple = pool.int_scale(&3.into(), tx);
    let sum = pool.int_add(triple, bound);
    let rest = pool.int_mod(sum, &7.into());
    let mut atom = pool.int_le(rest, ty);
    let map: Substitution = [(tx, ty)].into_iter().collect();
    let mut replaced = substitute(&mut pool, atom, &map);
    assert!(pool.has_int(atom));
    pool.collect(&mut |visit| {
        visit(&mut atom);
        visit(&mut replaced);
    });
    let mut evaluator = Evaluator::new();
    let mut a = Assignment::new();
    a.set_int(x, 1.into());
    a.set_int(y, 2.into());
    let expect = |v: i64, w: i64| ((BigInt::from(3 * v) + &big) % 7 <= BigInt::from(w)) as u64;
    assert_eq!(evaluator.eval(&pool, atom, &a), expect(1, 2));
    assert_eq!(evaluator.eval(&pool, replaced, &a), expect(2, 2));
}
