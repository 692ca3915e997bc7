//! Products of integers next to the solver's theories, to which they are symbols: for a model in which one is wrong, a right
//! model is looked for, and what the model violates goes back to the solver as lemmas.
//!
//! Lemmas are those of incremental linearization (Cimatti, Griggio, Irfan, Roveri and Sebastiani, "Incremental linearization for
//! satisfiability and verification modulo nonlinear arithmetic and transcendental functions", ACM TOCL 2018, section 5): signs,
//! values, tangent planes, and, of squares of integers, secants between neighbours. Since the theory is undecidable, models are looked
//! for as well. In each round these are tried: the values of the factors with the right products; the query
//! with factors that have their values, which is linear; and, in the first rounds, the query where one factor of each product is a
//! number of few binary digits, whose product is a sum of choices. A model counts only if all products are right in it.

use super::reals::Step;
use super::session::Session;
use rustc_hash::{FxHashMap, FxHashSet};
use smtlib::{Assumption, Product};
use solver::{Budget, Model, NoTrials, Origin, Outcome, PathCondition, Why};
use term::{BigInt, Evaluator, Pool, Sort, Term};

/// Rounds of lemmas; after them the answer is "unknown".
const MOST_ROUNDS: u32 = 300;
/// Binary digits of a factor, by round.
const DIGITS: [u32; 5] = [2, 4, 7, 11, 16];
/// Conflicts of a search for a model.
const CONFLICTS: u64 = 20_000;

/// A product that matters, and the values in a model.
struct Wrong {
    of: Product,
    factors: [BigInt; 2],
    value: BigInt,
}

impl Session {
    /// Looks at the products in an answer of the solver on a path.
    pub(super) fn decide_products(
        &mut self,
        pool: &mut Pool,
        products: &[Product],
        path: &mut PathCondition,
        budget: &Budget,
        assumptions: &[Assumption],
        outcome: Outcome,
    ) -> Step {
        let Outcome::Sat(model) = outcome else {
            return Step::Done(outcome);
        };
        let conditions = self.conditions(assumptions);
        let live = live(pool, products, &conditions);
        let wrong = self.wrong(pool, &live, &model);
        if wrong.is_empty() {
            // The others have their values, too.
            return Step::Done(Outcome::Sat(self.corrected(pool, products, &model)));
        }
        self.products.rounds += 1;
        let deadline = budget.deadline();
        if self.products.rounds > MOST_ROUNDS {
            return Step::Done(Outcome::Unknown(Why::Incomplete));
        }
        if deadline.is_some_and(|end| end.is_past()) {
            return Step::Done(Outcome::Unknown(Why::Timeout));
        }
        let rest = Budget {
            conflicts: CONFLICTS,
            ..budget.rest(deadline)
        };
        let exact = self.corrected(pool, &live, &model);
        let right = if self
            .evaluator
            .first_false(pool, &conditions, &exact)
            .is_none()
        {
            Some(exact)
        } else {
            let fixed = fixed_factors(pool, &live, &model);
            let digits = DIGITS.get(self.products.rounds as usize - 1);
            self.searched(pool, path, &rest, &live, fixed).or_else(|| {
                let digits = few_digits(pool, &live, *digits?);
                self.searched(pool, path, &rest, &live, digits)
            })
        };
        if let Some(right) = right {
            return Step::Done(Outcome::Sat(self.corrected(pool, products, &right)));
        }
        let lemmas = wrong.iter().flat_map(|wrong| {
            let lemmas = lemmas(pool, wrong).into_iter();
            lemmas.map(|lemma| (wrong.of.product, lemma))
        });
        let lemmas: Vec<(Term, Term)> = lemmas.collect();
        for (product, lemma) in lemmas {
            let known = self.products.lemmas.entry(product).or_default();
            if lemma != Term::TRUE && !known.contains(&lemma) {
                known.push(lemma);
                self.solver.base.push(pool, path, lemma, Origin::Assume);
            }
        }
        Step::Again
    }

    /// What is known of the products below some conditions.
    pub(super) fn product_lemmas(
        &self,
        pool: &Pool,
        products: &[Product],
        conditions: &[Term],
    ) -> Vec<Term> {
        if self.products.lemmas.is_empty() {
            return Vec::new();
        }
        let live = live(pool, products, conditions);
        let lemmas = live
            .iter()
            .filter_map(|of| self.products.lemmas.get(&of.product));
        lemmas.flatten().copied().collect()
    }

    /// The products that have another value in a model.
    fn wrong(&mut self, pool: &Pool, products: &[Product], model: &Model) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        for &of in products {
            let mut value = |t: Term| self.evaluator.eval_int(pool, t, model);
            let (factors, value) = (of.factors.map(&mut value), value(of.product));
            if &factors[0] * &factors[1] != value {
                let (of, factors) = (of, factors);
                wrong.push(Wrong { of, factors, value });
            }
        }
        wrong
    }

    /// The model with the right products.
    fn corrected(&mut self, pool: &Pool, products: &[Product], model: &Model) -> Model {
        let mut model = model.clone();
        for of in products {
            self.evaluator.start(pool);
            let [a, b] = of.factors.map(|t| self.evaluator.eval_int(pool, t, &model));
            if let Some(symbol) = pool.single_symbol(of.product) {
                model.set_int(symbol, a * b);
            }
        }
        self.evaluator.start(pool);
        model
    }

    /// A model of a path with further conditions in which the products are right.
    fn searched(
        &mut self,
        pool: &mut Pool,
        path: &PathCondition,
        budget: &Budget,
        products: &[Product],
        conditions: Vec<Term>,
    ) -> Option<Model> {
        let mut path = path.clone();
        for condition in conditions {
            self.solver
                .base
                .push(pool, &mut path, condition, Origin::Assume);
        }
        let outcome = self.solver.solve_once(pool, &path, budget, &mut NoTrials);
        match outcome {
            Outcome::Sat(model) if self.wrong(pool, products, &model).is_empty() => Some(model),
            _ => None,
        }
    }
}

/// The products below some conditions, with those below their factors, inner ones first.
fn live(pool: &Pool, products: &[Product], conditions: &[Term]) -> Vec<Product> {
    let mut roots = conditions.to_vec();
    let mut known: FxHashSet<Term> = FxHashSet::default();
    loop {
        let cone: FxHashSet<Term> = pool.cone(&roots).into_iter().collect();
        let all = products.iter().filter(|p| cone.contains(&p.product));
        let before = known.len();
        for of in all {
            if known.insert(of.product) {
                roots.extend(of.factors);
            }
        }
        if known.len() == before {
            break;
        }
    }
    let live = products.iter().filter(|p| known.contains(&p.product));
    live.copied().collect()
}

/// One factor of each product, as few terms as a greedy choice finds; and the other one.
fn chosen_factors(products: &[Product]) -> Vec<(Product, Term, Term)> {
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for factor in products.iter().flat_map(|p| p.factors) {
        *uses.entry(factor).or_default() += 1;
    }
    let chosen = products.iter().map(|&of| {
        let [a, b] = of.factors;
        if uses[&a] >= uses[&b] {
            (of, a, b)
        } else {
            (of, b, a)
        }
    });
    chosen.collect()
}

/// One factor of each product has its value in a model.
fn fixed_factors(pool: &mut Pool, products: &[Product], model: &Model) -> Vec<Term> {
    let mut evaluator = Evaluator::new();
    let mut conditions = Vec::new();
    for (of, factor, other) in chosen_factors(products) {
        let value = evaluator.eval_int(pool, factor, model);
        let number = pool.int(&value);
        conditions.push(pool.eq(factor, number));
        let product = pool.int_scale(&value, other);
        conditions.push(pool.eq(of.product, product));
    }
    conditions
}

/// One factor of each product is a number from -2^k to 2^k - 1 in binary digits.
fn few_digits(pool: &mut Pool, products: &[Product], digits: u32) -> Vec<Term> {
    let mut of_factor: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
    let mut conditions = Vec::new();
    let zero = pool.int(&BigInt::ZERO);
    for (of, factor, other) in chosen_factors(products) {
        let bits = of_factor.entry(factor).or_insert_with(|| {
            let new = (0..=digits).map(|_| pool.new_symbol("digit", Sort::BitVec(1)));
            let new: Vec<_> = new.collect();
            new.into_iter().map(|s| pool.symbol_term(s)).collect()
        });
        for (whole, unit) in [(factor, pool.int(&1.into())), (of.product, other)] {
            let mut parts = Vec::new();
            for (k, &bit) in bits.iter().enumerate() {
                let mut weight = BigInt::from(1) << k;
                if k == digits as usize {
                    weight = -weight;
                }
                let part = pool.int_scale(&weight, unit);
                parts.push(pool.ite(bit, part, zero));
            }
            let sum = pool.int_sum(&parts);
            conditions.push(pool.eq(whole, sum));
        }
    }
    conditions
}

/// Conditions on a product that hold of all integers, some of which its wrong value violates.
fn lemmas(pool: &mut Pool, wrong: &Wrong) -> Vec<Term> {
    let Product {
        product: p,
        factors: [a, b],
    } = wrong.of;
    let [x, y] = &wrong.factors;
    let mut all = signs(pool, p, a, b);
    // a = x → p = x·b, and so for the other factor.
    for (factor, value, other) in [(a, x, b), (b, y, a)] {
        let number = pool.int(value);
        let is_it = pool.eq(factor, number);
        let product = pool.int_scale(value, other);
        let is_product = pool.eq(p, product);
        all.push(implies(pool, &[is_it], is_product));
    }
    // The plane that touches the product at the point.
    let parts = [
        pool.int_scale(x, b),
        pool.int_scale(y, a),
        pool.int(&-(x * y)),
    ];
    let plane = pool.int_sum(&parts);
    let (x_term, y_term) = (pool.int(x), pool.int(y));
    let (a_above, a_below) = (pool.int_le(x_term, a), pool.int_le(a, x_term));
    let (b_above, b_below) = (pool.int_le(y_term, b), pool.int_le(b, y_term));
    let (above, below) = (pool.int_le(plane, p), pool.int_le(p, plane));
    if wrong.value < x * y {
        all.push(implies(pool, &[a_above, b_above], above));
        all.push(implies(pool, &[a_below, b_below], above));
    } else {
        all.push(implies(pool, &[a_above, b_below], below));
        all.push(implies(pool, &[a_below, b_above], below));
    }
    if a == b {
        // No integer lies between two neighbours: (a - x)·(a - x - 1) >= 0.
        for next in [BigInt::from(1), BigInt::from(-1)] {
            let other = x + next;
            let parts = [pool.int_scale(&(x + &other), a), pool.int(&-(x * &other))];
            let secant = pool.int_sum(&parts);
            all.push(pool.int_le(secant, p));
        }
        // Within ±|x| the square is at most x².
        let (size, square) = (BigInt::from(x.magnitude().clone()), x * x);
        let (low, high, square) = (pool.int(&-&size), pool.int(&size), pool.int(&square));
        let within = [pool.int_le(low, a), pool.int_le(a, high)];
        let most = pool.int_le(p, square);
        all.push(implies(pool, &within, most));
    }
    all
}

/// A product is 0 where a factor is, has the sign of both, and is at least as large as each factor elsewhere.
fn signs(pool: &mut Pool, p: Term, a: Term, b: Term) -> Vec<Term> {
    let (zero, one, minus) = (
        pool.int(&0.into()),
        pool.int(&1.into()),
        pool.int(&(-1).into()),
    );
    let [p_zero, a_zero, b_zero] = [p, a, b].map(|t| pool.eq(t, zero));
    let some_zero = pool.or(a_zero, b_zero);
    let mut all = vec![
        implies(pool, &[p_zero], some_zero),
        implies(pool, &[some_zero], p_zero),
    ];
    for (a_positive, b_positive) in [(true, true), (true, false), (false, true), (false, false)] {
        let [of_a, of_b] = [(a, a_positive), (b, b_positive)].map(|(t, positive)| {
            if positive {
                pool.int_le(one, t)
            } else {
                pool.int_le(t, minus)
            }
        });
        // |p| >= |a| and |p| >= |b|, with the sign of p.
        let is_positive = a_positive == b_positive;
        for (t, positive) in [(a, a_positive), (b, b_positive)] {
            let signed = if positive == is_positive {
                t
            } else {
                pool.int_neg(t)
            };
            let bound = if is_positive {
                pool.int_le(signed, p)
            } else {
                pool.int_le(p, signed)
            };
            all.push(implies(pool, &[of_a, of_b], bound));
        }
    }
    all
}

fn implies(pool: &mut Pool, premises: &[Term], conclusion: Term) -> Term {
    premises.iter().fold(conclusion, |all, &premise| {
        let fails = pool.not(premise);
        pool.or(fails, all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Assignment;

    /// All lemmas hold of all small products, and the wrong value violates one.
    #[test]
    fn lemmas_hold_of_products_and_exclude_the_wrong_value() {
        let pool = &mut Pool::new();
        let symbols = ["a", "b", "p", "q"].map(|name| pool.new_symbol(name, Sort::Int));
        let [a, b, p, q] = symbols.map(|s| pool.symbol_term(s));
        let mut evaluator = Evaluator::new();
        let small = -4..=4i64;
        for (x, y) in small
            .clone()
            .flat_map(|x| small.clone().map(move |y| (x, y)))
        {
            for (of, factors) in [(p, [a, b]), (q, [a, a])] {
                let y = if factors[0] == factors[1] { x } else { y };
                for value in (-20..=20).filter(|v| *v != x * y) {
                    let wrong = Wrong {
                        of: Product {
                            product: of,
                            factors,
                        },
                        factors: [x.into(), y.into()],
                        value: value.into(),
                    };
                    let lemmas = lemmas(pool, &wrong);
                    let mut set = |x: i64, y: i64, value: i64| {
                        let mut model = Assignment::new();
                        let values = [x, y, value, value];
                        for (symbol, value) in symbols.iter().zip(values) {
                            model.set_int(*symbol, value.into());
                        }
                        evaluator.first_false(pool, &lemmas, &model)
                    };
                    assert!(set(x, y, value).is_some(), "{x} {y} {value}");
                    for (u, v) in [(x, y), (x + 1, y - 2), (-x, y + 1), (y, x), (x - 1, -y)] {
                        let v = if factors[0] == factors[1] { u } else { v };
                        assert_eq!(set(u, v, u * v), None, "{x} {y} {value} at {u} {v}");
                    }
                }
            }
        }
    }
}
