//! Integers and bit-vectors in one query: generated formulas against brute force, and single cases
//! of conversions, divisions, shared conditions and arrays.

use polypath_smt::ScriptSolver;
use solver::{Budget, Model, NoTrials, Origin, Outcome, PathCondition, SolverOptions};
use term::{BigInt, Evaluator, Pool, Sort, Symbol, Term};
use testkit::Random;

/// What a bit-vector is as a number, as scripts say it: bits with weights.
fn of_bits(pool: &mut Pool, t: Term, signed: bool) -> Term {
    let width = pool.width(t);
    let (zero, one) = (pool.int(&BigInt::ZERO), pool.int(&1.into()));
    let mut sum = zero;
    for k in 0..width {
        let bit = pool.extract(k, k, t);
        let digit = pool.ite(bit, one, zero);
        let mut weight = BigInt::from(1) << k;
        if signed && k + 1 == width {
            weight = -weight;
        }
        let part = pool.int_scale(&weight, digit);
        sum = pool.int_add(sum, part);
    }
    sum
}

/// The bits of an integer modulo a power of two, as scripts say it.
fn to_bits(pool: &mut Pool, width: u32, t: Term) -> Term {
    let one = pool.int(&1.into());
    let mut vector = Term::NONE;
    for k in 0..width {
        let shifted = pool.int_div(t, &(BigInt::from(1) << k));
        let parity = pool.int_mod(shifted, &2.into());
        let bit = pool.eq(parity, one);
        vector = if vector.is_none() {
            bit
        } else {
            pool.concat(bit, vector)
        };
    }
    vector
}

struct Formulas<'p> {
    pool: &'p mut Pool,
    random: Random,
    ints: [Term; 2],
    vectors: [Term; 2],
    condition: Term,
}

impl Formulas<'_> {
    fn next(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn integer(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.ints[self.next(2) as usize];
        }
        match self.next(9) {
            0 => {
                let value = BigInt::from(self.next(13) as i64 - 6);
                self.pool.int(&value)
            }
            1 | 2 => {
                let x = self.integer(depth - 1);
                let k = BigInt::from(1 + self.next(6) as i64);
                match self.next(2) {
                    0 => self.pool.int_div(x, &k),
                    _ => self.pool.int_mod(x, &k),
                }
            }
            3 => {
                let c = self.formula(depth - 1);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.pool.ite(c, a, b)
            }
            4..=6 => {
                let x = self.vector(depth - 1);
                let signed = self.next(2) == 0;
                of_bits(self.pool, x, signed)
            }
            _ => {
                let x = self.integer(depth - 1);
                let k = BigInt::from(self.next(7) as i64 - 3);
                let (x, y) = (self.pool.int_scale(&k, x), self.integer(depth - 1));
                self.pool.int_add(x, y)
            }
        }
    }

    fn vector(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.vectors[self.next(2) as usize];
        }
        let choice = self.next(7);
        if choice < 3 {
            let x = self.integer(depth - 1);
            return to_bits(self.pool, 3, x);
        }
        let (a, b) = (self.vector(depth - 1), self.vector(depth - 1));
        match choice {
            3 => self.pool.add(a, b),
            4 => self.pool.mul(a, b),
            5 => self.pool.udiv(a, b),
            _ => {
                let c = self.formula(depth - 1);
                self.pool.ite(c, a, b)
            }
        }
    }

    fn formula(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.condition;
        }
        match self.next(6) {
            0 | 1 => {
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                match self.next(2) {
                    0 => self.pool.eq(a, b),
                    _ => self.pool.int_le(a, b),
                }
            }
            2 | 3 => {
                let (a, b) = (self.vector(depth - 1), self.vector(depth - 1));
                match self.next(2) {
                    0 => self.pool.eq(a, b),
                    _ => self.pool.slt(a, b),
                }
            }
            n => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                let b = self.pool.not(b);
                match n {
                    4 => self.pool.and(a, b),
                    _ => self.pool.xor(a, b),
                }
            }
        }
    }
}

fn solve(pool: &mut Pool, conditions: &[Term]) -> Outcome {
    let mut solver = ScriptSolver::new(SolverOptions::default());
    let mut pc = PathCondition::new();
    for &c in conditions {
        solver.base.push(pool, &mut pc, c, Origin::Branch);
    }
    let budget = Budget {
        conflicts: 100_000,
        ..Budget::default()
    };
    let outcome = solver.base.solve(pool, &pc, &budget, &mut NoTrials);
    assert_eq!(solver.base.stats().models_rejected, 0);
    outcome
}

fn is_unsat(pool: &mut Pool, conditions: &[Term]) -> bool {
    matches!(solve(pool, conditions), Outcome::Unsat(_))
}

fn model(pool: &mut Pool, conditions: &[Term]) -> Model {
    match solve(pool, conditions) {
        Outcome::Sat(model) => model,
        other => panic!("{other:?}"),
    }
}

#[test]
fn formulas_agree_with_brute_force() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..250u64 {
        let mut pool = Pool::new();
        let ints = ["i", "j"].map(|n| pool.new_symbol(n, Sort::Int));
        let vectors = ["x", "y"].map(|n| pool.new_symbol(n, Sort::BitVec(3)));
        let p = pool.new_symbol("p", Sort::BitVec(1));
        let limits: [i64; 2] = [6, 2];
        let mut g = Formulas {
            ints: ints.map(|s| pool.symbol_term(s)),
            vectors: vectors.map(|s| pool.symbol_term(s)),
            condition: pool.symbol_term(p),
            pool: &mut pool,
            random: Random::new(seed + 1),
        };
        let count = 2 + g.next(4);
        let mut conditions: Vec<Term> = (0..count).map(|_| g.formula(3)).collect();
        let terms = g.ints;
        for (x, limit) in terms.into_iter().zip(limits) {
            let (low, high) = (pool.int(&(-limit).into()), pool.int(&limit.into()));
            conditions.push(pool.int_le(low, x));
            conditions.push(pool.int_le(x, high));
        }
        conditions.retain(|&t| t != Term::TRUE);
        let mut evaluator = Evaluator::new();
        let exists = (0..13 * 5 * 8 * 8 * 2i64).any(|code| {
            let mut model = Model::new();
            model.set_int(ints[0], BigInt::from(code % 13 - 6));
            model.set_int(ints[1], BigInt::from(code / 13 % 5 - 2));
            model.set(vectors[0], code as u64 / 65 % 8);
            model.set(vectors[1], code as u64 / 520 % 8);
            model.set(p, code as u64 / 4160);
            evaluator.first_false(&pool, &conditions, &model).is_none()
        });
        match solve(&mut pool, &conditions) {
            Outcome::Sat(model) => {
                let wrong = Evaluator::new().first_false(&pool, &conditions, &model);
                assert_eq!(wrong, None, "seed {seed}");
                sat += 1;
            }
            Outcome::Unsat(core) => {
                assert!(!exists, "seed {seed}");
                assert!(is_unsat(&mut pool, &core), "core of seed {seed}");
                unsat += 1;
            }
            Outcome::Unknown(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(sat > 50 && unsat > 50, "{sat} {unsat}");
}

/// Integers `i`, `j` and vectors `x`, `y` of a width, as terms.
fn symbols(pool: &mut Pool, width: u32) -> [Term; 4] {
    let mut term = |name: &str, sort: Sort| {
        let symbol: Symbol = pool.new_symbol(name, sort);
        pool.symbol_term(symbol)
    };
    [
        term("i", Sort::Int),
        term("j", Sort::Int),
        term("x", Sort::BitVec(width)),
        term("y", Sort::BitVec(width)),
    ]
}

#[test]
fn conversions_are_inverse_to_each_other() {
    let mut pool = Pool::new();
    let [i, _, x, _] = symbols(&mut pool, 16);
    // The bits of the number that a vector is.
    for signed in [false, true] {
        let number = of_bits(&mut pool, x, signed);
        let back = to_bits(&mut pool, 16, number);
        let differs = pool.ne(back, x);
        assert!(is_unsat(&mut pool, &[differs]), "{signed}");
    }
    // The number of an integer's bits is its remainder.
    let bits = to_bits(&mut pool, 8, i);
    let number = of_bits(&mut pool, bits, false);
    let rest = pool.int_mod(i, &256.into());
    let differs = pool.ne(number, rest);
    let big = pool.int(&1_000_000.into());
    let is_big = pool.int_le(big, i);
    assert!(is_unsat(&mut pool, &[differs]));
    let seven = pool.bv(8, 7);
    let is_seven = pool.eq(bits, seven);
    let model = model(&mut pool, &[is_big, is_seven]);
    assert_eq!(model.int(Symbol(0)) % BigInt::from(256), BigInt::from(7));
}

#[test]
fn remainders_are_wider_than_the_bits_asked_for() {
    let mut pool = Pool::new();
    let [i, ..] = symbols(&mut pool, 2);
    let bits = to_bits(&mut pool, 2, i);
    let rest = pool.int_mod(i, &8.into());
    let five = pool.int(&5.into());
    let is_five = pool.eq(rest, five);
    let [one, two] = [1, 2].map(|n| pool.bv(2, n));
    let (right, wrong) = (pool.eq(bits, one), pool.eq(bits, two));
    let found = model(&mut pool, &[is_five, right]);
    assert_eq!(found.int(Symbol(0)) & BigInt::from(7), BigInt::from(5));
    assert!(is_unsat(&mut pool, &[is_five, wrong]));
}

#[test]
fn sums_of_numbers_are_sums_of_vectors() {
    let mut pool = Pool::new();
    let [i, j, x, y] = symbols(&mut pool, 12);
    let [a, b] = [x, y].map(|t| of_bits(&mut pool, t, false));
    let sum = pool.int_add(a, b);
    let low = to_bits(&mut pool, 12, sum);
    let added = pool.add(x, y);
    let differs = pool.ne(low, added);
    assert!(is_unsat(&mut pool, &[differs]));
    let [c, d] = [i, j].map(|t| to_bits(&mut pool, 12, t));
    let triple = pool.int_scale(&3.into(), i);
    let sum = pool.int_sub(triple, j);
    let low = to_bits(&mut pool, 12, sum);
    let three = pool.bv(12, 3);
    let product = pool.mul(three, c);
    let difference = pool.sub(product, d);
    let differs = pool.ne(low, difference);
    assert!(is_unsat(&mut pool, &[differs]));
}

#[test]
fn orders_of_numbers_are_orders_of_vectors() {
    let mut pool = Pool::new();
    let [i, _, x, y] = symbols(&mut pool, 32);
    for signed in [false, true] {
        let [a, b] = [x, y].map(|t| of_bits(&mut pool, t, signed));
        let less = pool.int_lt(a, b);
        let as_vectors = if signed {
            pool.slt(x, y)
        } else {
            pool.ult(x, y)
        };
        let differs = pool.ne(less, as_vectors);
        assert!(is_unsat(&mut pool, &[differs]), "{signed}");
        // An integer between the two.
        let above = pool.int_lt(a, i);
        let below = pool.int_lt(i, b);
        let opposite = pool.not(as_vectors);
        assert!(is_unsat(&mut pool, &[above, below, opposite]), "{signed}");
    }
}

#[test]
fn division_of_numbers_is_division_of_vectors() {
    let mut pool = Pool::new();
    let [_, _, x, _] = symbols(&mut pool, 8);
    let number = of_bits(&mut pool, x, false);
    for divisor in [3u32, 4, 10, 255] {
        let quotient = pool.int_div(number, &divisor.into());
        let rest = pool.int_mod(number, &divisor.into());
        let constant = pool.bv(8, divisor as u64);
        let (q, r) = (pool.udiv(x, constant), pool.urem(x, constant));
        let (q, r) = (of_bits(&mut pool, q, false), of_bits(&mut pool, r, false));
        let differs = [pool.ne(quotient, q), pool.ne(rest, r)];
        for condition in differs {
            assert!(is_unsat(&mut pool, &[condition]), "{divisor}");
        }
    }
}

#[test]
fn arrays_read_at_converted_indices() {
    let mut pool = Pool::new();
    let [i, j, ..] = symbols(&mut pool, 8);
    let sort = Sort::Array { index: 8, elem: 8 };
    let array = pool.new_symbol("a", sort);
    let array = pool.symbol_term(array);
    let [at, other] = [i, j].map(|t| to_bits(&mut pool, 8, t));
    let (a, b) = (pool.select(array, at), pool.select(array, other));
    let differ = pool.ne(a, b);
    let (low, high) = (pool.int_le(i, j), pool.int_le(j, i));
    let limit = pool.int(&5000.into());
    let minus = pool.int_neg(limit);
    let (upper, lower) = (pool.int_lt(j, limit), pool.int_le(minus, i));
    assert!(is_unsat(&mut pool, &[differ, low, high, upper, lower]));
    model(&mut pool, &[differ, low]);
    // The element is a number that an integer exceeds.
    let number = of_bits(&mut pool, a, true);
    let below = pool.int_lt(number, i);
    let negative = pool.int_lt(i, j);
    let minimum = pool.int(&(-127).into());
    let small = pool.int_le(j, minimum);
    assert!(is_unsat(&mut pool, &[below, negative, small]));
    model(&mut pool, &[below, small]);
}
