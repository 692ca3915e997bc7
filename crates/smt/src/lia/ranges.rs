//! Bounds of integer symbols that follow from the conditions by themselves: intervals are carried
//! up the terms, and each condition on a sum bounds its symbols by the ends of the others.

use num_bigint::BigInt;
use num_bigint::Sign;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::{Linear, Op, Pool, Sort, Term};

/// Passes over the conditions; a bound may need another one first.
const ROUNDS: usize = 4;

/// Least and greatest value, where there are any.
type Range = (Option<BigInt>, Option<BigInt>);

/// What was found.
#[derive(Default)]
pub(super) struct IntegerRanges {
    of: FxHashMap<Term, Range>,
    /// Positions of the conditions that the bounds rest on.
    pub premises: BTreeSet<usize>,
}

impl IntegerRanges {
    /// Bounds that follow from the conditions; `cone` is what is below them, operands first.
    pub fn find(pool: &Pool, cone: &[Term], conditions: &[Term]) -> IntegerRanges {
        let mut ranges = IntegerRanges::default();
        let sums: Vec<(usize, Linear, bool)> = conditions
            .iter()
            .enumerate()
            .flat_map(|(i, &t)| at_most_zero(pool, t).into_iter().map(move |s| (i, s)))
            .map(|(i, (sum, is_equation))| (i, sum, is_equation))
            .collect();
        for _ in 0..ROUNDS {
            for &t in cone {
                if pool.sort(t) == Sort::Int
                    && let Some(range) = ranges.above(pool, t)
                {
                    ranges.of.insert(t, range);
                }
            }
            let mut changed = false;
            for (i, sum, is_equation) in &sums {
                changed |= ranges.bound(pool, *i, sum, false);
                changed |= *is_equation && ranges.bound(pool, *i, sum, true);
            }
            if !changed {
                break;
            }
        }
        ranges
    }

    /// Both ends of a symbol's range.
    pub fn both(&self, t: Term) -> Option<(&BigInt, &BigInt)> {
        match self.of.get(&t)? {
            (Some(low), Some(high)) if low <= high => Some((low, high)),
            _ => None,
        }
    }

    /// The range of a term that is no sum, from those of its operands.
    fn above(&self, pool: &Pool, t: Term) -> Option<Range> {
        match pool.op(t) {
            Op::Ite => {
                let [(a, b), (c, d)] = [1, 2].map(|i| self.sum(&pool.linear(pool.child(t, i))));
                Some((
                    a.zip(c).map(|(a, c)| a.min(c)),
                    b.zip(d).map(|(b, d)| b.max(d)),
                ))
            }
            Op::IntDiv => {
                let divisor = pool.as_int(pool.child(t, 1))?;
                let (low, high) = self.sum(&pool.linear(pool.child(t, 0)));
                let floor = |n: BigInt| divide_down(&n, &divisor);
                Some((low.map(floor), high.map(floor)))
            }
            Op::IntMod => {
                let divisor = pool.as_int(pool.child(t, 1))?;
                Some((Some(BigInt::ZERO), Some(divisor - 1)))
            }
            _ => None,
        }
    }

    fn sum(&self, linear: &Linear) -> Range {
        let [low, high] = [false, true].map(|upper| {
            let mut end = linear.constant.clone();
            for (atom, factor) in &linear.monomials {
                end += factor * self.end(*atom, upper == (factor.sign() == Sign::Plus))?;
            }
            Some(end)
        });
        (low, high)
    }

    fn end(&self, t: Term, upper: bool) -> Option<&BigInt> {
        let (low, high) = self.of.get(&t)?;
        if upper { high.as_ref() } else { low.as_ref() }
    }

    /// `sum <= 0`, or `sum >= 0`: bounds each symbol by the ends of the other atoms.
    fn bound(&mut self, pool: &Pool, condition: usize, sum: &Linear, opposite: bool) -> bool {
        let turned = |n: &BigInt| if opposite { -n } else { n.clone() };
        // The least value of each product that has one, and of all these; a bound found here is no end among them.
        let mut least = turned(&sum.constant);
        let mut products: Vec<Option<BigInt>> = Vec::with_capacity(sum.monomials.len());
        for (atom, factor) in &sum.monomials {
            let factor = turned(factor);
            let end = self.end(*atom, factor.sign() == Sign::Minus);
            let product = end.map(|end| factor * end);
            least += product.as_ref().unwrap_or(&BigInt::ZERO);
            products.push(product);
        }
        let open = products.iter().filter(|p| p.is_none()).count();
        let mut changed = false;
        for ((symbol, factor), product) in sum.monomials.iter().zip(products) {
            if pool.op(*symbol) != Op::Symbol || open > usize::from(product.is_none()) {
                continue;
            }
            // factor·symbol <= -rest, at most minus the least value of the rest.
            let factor = turned(factor);
            let limit = product.unwrap_or_default() - &least;
            let (low, high) = self.of.entry(*symbol).or_default();
            let improved = if factor.sign() == Sign::Plus {
                let limit = divide_down(&limit, &factor);
                high.as_ref()
                    .is_none_or(|h| limit < *h)
                    .then(|| *high = Some(limit))
            } else {
                let limit = -divide_down(&limit, &-factor);
                low.as_ref()
                    .is_none_or(|l| limit > *l)
                    .then(|| *low = Some(limit))
            };
            if improved.is_some() {
                changed = true;
                self.premises.insert(condition);
            }
        }
        changed
    }
}

/// Quotient by a positive number, rounded down.
fn divide_down(number: &BigInt, divisor: &BigInt) -> BigInt {
    let quotient = number / divisor;
    if number.sign() == Sign::Minus && &quotient * divisor != *number {
        quotient - 1
    } else {
        quotient
    }
}

/// A condition as `sum <= 0`, and whether it is an equation.
fn at_most_zero(pool: &Pool, condition: Term) -> Option<(Linear, bool)> {
    if let Some(sum) = pool.linear_atom(condition) {
        return Some((sum, pool.op(condition) == Op::Eq));
    }
    let inner = (pool.op(condition) == Op::Not).then(|| pool.child(condition, 0))?;
    let mut sum = (pool.op(inner) == Op::IntLe).then(|| pool.linear_atom(inner))??;
    // sum >= 1
    sum.monomials
        .iter_mut()
        .for_each(|(_, factor)| *factor = -&*factor);
    sum.constant = 1 - sum.constant;
    Some((sum, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_bound_symbols_through_each_other() {
        let mut pool = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| pool.new_symbol(n, Sort::Int));
        let [x, y, z] = [x, y, z].map(|s| pool.symbol_term(s));
        let mut number = |n: i64| pool.int(&n.into());
        let (zero, seven) = (number(0), number(7));
        // -3 <= 2x <= 7, y = 3x - 1, z < y; |z| is open.
        let double = pool.int_scale(&2.into(), x);
        let minus = pool.int(&(-3).into());
        let triple = pool.int_scale(&3.into(), x);
        let one = pool.int(&1.into());
        let less = pool.int_sub(triple, one);
        let below = pool.int_lt(z, y);
        let rest = pool.int_mod(z, &5.into());
        let conditions = [
            below,
            pool.eq(y, less),
            pool.int_le(minus, double),
            pool.int_le(double, seven),
            pool.int_le(zero, rest),
        ];
        let cone = pool.cone(&conditions);
        let ranges = IntegerRanges::find(&pool, &cone, &conditions);
        let pair = |a: i64, b: i64| (BigInt::from(a), BigInt::from(b));
        let found = |t| ranges.both(t).map(|(a, b)| (a.clone(), b.clone()));
        assert_eq!(found(x), Some(pair(-1, 3)));
        assert_eq!(found(y), Some(pair(-4, 8)));
        assert_eq!(found(z), None);
        assert_eq!(ranges.end(z, true), Some(&BigInt::from(7)));
        assert_eq!(found(rest), Some(pair(0, 4)));
        assert!(ranges.premises.iter().all(|&i| i < 4));
    }

    #[test]
    fn every_solution_is_within_the_bounds() {
        let mut random = testkit::Random::new(7);
        let mut found = 0;
        for _ in 0..300 {
            let pool = &mut Pool::new();
            let symbols = ["x", "y", "z"].map(|n| pool.new_symbol(n, Sort::Int));
            let terms = symbols.map(|s| pool.symbol_term(s));
            let mut small = |span: u64| random.below(2 * span + 1) as i64 - span as i64;
            let mut conditions = Vec::new();
            for k in 0..6 {
                let mut sum = pool.int(&small(9).into());
                for (i, &x) in terms.iter().enumerate() {
                    // Bounds of single symbols, then sums of all.
                    if k >= 3 || i == k {
                        let scaled = pool.int_scale(&small(3).into(), x);
                        sum = pool.int_add(sum, scaled);
                    }
                }
                let zero = pool.int(&0.into());
                conditions.push(match small(2) {
                    2 => pool.eq(sum, zero),
                    1 => pool.int_lt(zero, sum),
                    _ => pool.int_le(sum, zero),
                });
            }
            let cone = pool.cone(&conditions);
            let ranges = IntegerRanges::find(pool, &cone, &conditions);
            let mut evaluator = term::Evaluator::new();
            for n in 0..21 * 21 * 21 {
                let values = [n % 21 - 10, n / 21 % 21 - 10, n / 441 - 10];
                let mut model = solver::Model::new();
                for (&symbol, value) in symbols.iter().zip(values) {
                    model.set_int(symbol, value.into());
                }
                if evaluator.first_false(pool, &conditions, &model).is_some() {
                    continue;
                }
                for (&t, value) in terms.iter().zip(values) {
                    let value = BigInt::from(value);
                    assert!(ranges.end(t, false).is_none_or(|low| *low <= value));
                    assert!(ranges.end(t, true).is_none_or(|high| value <= *high));
                }
            }
            found += terms.iter().filter(|t| ranges.both(**t).is_some()).count();
        }
        assert!(found > 100, "{found}");
    }
}
