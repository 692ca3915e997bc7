//! Pass `linear`: equations as polynomials modulo 2^w, and Gaussian elimination.
//!
//! Both sides of an equation are sums of monomials over the other terms, products of sums multiplied out. An equation
//! that is `0 = 0` holds, one that is a constant, or whose factors are all even and whose constant is odd
//! (after the common power of two), does not, wherever it stands. The conjuncts among them are rows (Ganesh and
//! Dill, "A decision procedure for bit-vectors and arrays", CAV 2007, 4): a row is reduced by the rows before it;
//! one that is 0 follows from them; one that cannot be refutes the query; one with an odd
//! factor before a symbol that occurs nowhere else in it defines that symbol. Odd factors are invertible, so rows have
//! any of these as their pivot. Bounded by [`MAX_MONOMIALS`] in an equation and [`MAX_ROWS`] rows.

use super::{Pass, PassContext, Preprocess, Substitutions};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use term::{Op, Pool, Sort, Symbol, Term};

/// Sums with more monomials stay terms.
const MAX_MONOMIALS: usize = 48;
/// Factors of a monomial.
const MAX_DEGREE: usize = 4;
/// Rows of the elimination.
const MAX_ROWS: usize = 256;

/// A sum modulo a power of two: factors of products (each sorted), and a constant.
#[derive(Clone, Default, PartialEq, Debug)]
struct Sum {
    monomials: BTreeMap<Vec<Term>, u64>,
    constant: u64,
}

/// What an equation `sum = 0` says by itself.
#[derive(PartialEq, Debug)]
enum Verdict {
    Holds,
    Fails,
    Open,
}

impl Sum {
    fn add(&mut self, other: &Sum, factor: u64, mask: u64) {
        self.constant = self
            .constant
            .wrapping_add(other.constant.wrapping_mul(factor))
            & mask;
        for (monomial, k) in &other.monomials {
            let own = self.monomials.entry(monomial.clone()).or_insert(0);
            *own = own.wrapping_add(k.wrapping_mul(factor)) & mask;
            if *own == 0 {
                self.monomials.remove(monomial);
            }
        }
    }

    fn product(&self, other: &Sum, mask: u64) -> Option<Sum> {
        let mut result = Sum::default();
        result.add(self, other.constant, mask);
        let constant = self.constant;
        let mut rest = Sum {
            constant: 0,
            ..other.clone()
        };
        rest.monomials.retain(|_, _| constant != 0);
        result.add(&rest, constant, mask);
        if self.monomials.len() * other.monomials.len() > MAX_MONOMIALS {
            return None;
        }
        for (a, k) in &self.monomials {
            for (b, m) in &other.monomials {
                let mut factors = [a.as_slice(), b.as_slice()].concat();
                factors.sort_unstable();
                let term = Sum {
                    monomials: BTreeMap::from([(factors, k.wrapping_mul(*m) & mask)]),
                    constant: 0,
                };
                result.add(&term, 1, mask);
            }
        }
        let fits = |m: &Vec<Term>| m.len() <= MAX_DEGREE;
        (result.monomials.len() <= MAX_MONOMIALS && result.monomials.keys().all(fits))
            .then_some(result)
    }

    fn verdict(&self) -> Verdict {
        let common = self.monomials.values().map(|k| k.trailing_zeros()).min();
        match common {
            None if self.constant == 0 => Verdict::Holds,
            None => Verdict::Fails,
            Some(zeros) if self.constant.trailing_zeros() < zeros => Verdict::Fails,
            Some(_) => Verdict::Open,
        }
    }
}

/// The inverse of an odd number modulo 2^64 (Newton).
pub(super) fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    for _ in 0..5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

/// Terms as sums.
struct Sums {
    memo: FxHashMap<Term, Rc<Sum>>,
}

impl Sums {
    fn of(&mut self, pool: &Pool, root: Term) -> Rc<Sum> {
        let width = pool.width(root);
        let mask = term::mask(width);
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let operands = operands(pool, t);
            let before = stack.len();
            stack.extend(operands.iter().filter(|k| !self.memo.contains_key(k)));
            if stack.len() > before {
                continue;
            }
            let sum = self.combine(pool, t, &operands, mask);
            let sum = sum.filter(|s| s.monomials.len() <= MAX_MONOMIALS);
            self.memo.insert(t, Rc::new(sum.unwrap_or_else(|| atom(t))));
            stack.pop();
        }
        self.memo[&root].clone()
    }

    fn combine(&self, pool: &Pool, t: Term, operands: &[Term], mask: u64) -> Option<Sum> {
        let constant = |constant| Sum {
            constant,
            ..Sum::default()
        };
        if let Some(value) = pool.as_const(t) {
            return Some(constant(value));
        }
        let kid = |i: usize| &self.memo[&operands[i]];
        let mut sum = Sum::default();
        match (pool.op(t), operands.len()) {
            (Op::Add, _) => {
                sum.add(kid(0), 1, mask);
                sum.add(kid(1), 1, mask);
            }
            (Op::Sub, _) => {
                sum.add(kid(0), 1, mask);
                sum.add(kid(1), mask, mask);
            }
            (Op::Neg, _) => sum.add(kid(0), mask, mask),
            (Op::Not, _) => {
                sum.add(kid(0), mask, mask);
                sum.add(&constant(mask), 1, mask);
            }
            (Op::Mul, _) => return kid(0).product(kid(1), mask),
            (Op::Concat, 1) => sum.add(kid(0), 1 << pool.width(pool.child(t, 1)), mask),
            _ => return None,
        }
        Some(sum)
    }
}

fn atom(t: Term) -> Sum {
    Sum {
        monomials: BTreeMap::from([(vec![t], 1)]),
        constant: 0,
    }
}

/// The operands through which a sum goes on: those of sums and products; of `x << k`, `x`.
fn operands(pool: &Pool, t: Term) -> Vec<Term> {
    match pool.op(t) {
        Op::Add | Op::Sub | Op::Neg | Op::Not | Op::Mul => pool.children(t).to_vec(),
        Op::Concat => {
            let (high, low) = (pool.child(t, 0), pool.child(t, 1));
            let shifted = pool.op(high) == Op::Extract && pool.is_zero(low);
            match shifted.then(|| (pool.extract_bounds(high).1, pool.child(high, 0))) {
                Some((0, x)) if pool.width(x) == pool.width(t) => vec![x],
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The width of an equation of bit-vectors with a sum on one side.
fn equation(pool: &Pool, t: Term) -> Option<u32> {
    if pool.op(t) != Op::Eq {
        return None;
    }
    let Sort::BitVec(width @ 2..=64) = pool.sort(pool.child(t, 0)) else {
        return None;
    };
    let is_sum = |k: &Term| !operands(pool, *k).is_empty();
    pool.children(t).iter().any(is_sum).then_some(width)
}

/// The pass.
pub(super) struct LinearEquations;

impl Pass for LinearEquations {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        eliminate(query, around.pool, &mut around.stats.linear)
    }
}

/// Applies the rule; counts the equations decided and the symbols defined.
fn eliminate(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let mut sums = Sums {
        memo: FxHashMap::default(),
    };
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    let mut open: FxHashMap<Term, (u32, Sum)> = FxHashMap::default();
    for t in pool.cone(&query.conjuncts) {
        let Some(width) = equation(pool, t) else {
            continue;
        };
        let mask = term::mask(width);
        let mut sum = (*sums.of(pool, pool.child(t, 0))).clone();
        sum.add(&sums.of(pool, pool.child(t, 1)), mask, mask);
        match sum.verdict() {
            Verdict::Holds => _ = places.insert(t, Term::TRUE),
            Verdict::Fails => _ = places.insert(t, Term::FALSE),
            Verdict::Open => _ = open.insert(t, (width, sum)),
        }
    }
    let mut rows: BTreeMap<u32, Vec<(Vec<Term>, Sum)>> = BTreeMap::new();
    let mut used: FxHashSet<Symbol> = FxHashSet::default();
    let mut defined: FxHashSet<Symbol> = FxHashSet::default();
    let mut dropped: FxHashSet<Term> = FxHashSet::default();
    let candidates = query.conjuncts.iter().filter(|t| open.contains_key(t));
    for &t in candidates.take(MAX_ROWS).collect::<Vec<_>>() {
        let (width, mut row) = open[&t].clone();
        let mask = term::mask(width);
        let pivots = rows.entry(width).or_default();
        for (pivot, other) in pivots.iter() {
            if let Some(&k) = row.monomials.get(pivot) {
                row.add(other, k.wrapping_neg() & mask, mask);
            }
        }
        if row.monomials.len() > 2 * MAX_MONOMIALS {
            continue;
        }
        match row.verdict() {
            Verdict::Holds => {
                dropped.insert(t);
                continue;
            }
            Verdict::Fails => {
                *count += 1;
                query.conjuncts = vec![Term::FALSE];
                return true;
            }
            Verdict::Open => {}
        }
        let is_odd = |k: &u64| k % 2 == 1;
        let free = |m: &Vec<Term>| -> Option<Symbol> {
            let symbol = pool.as_symbol(m[0]).filter(|_| m.len() == 1)?;
            let others = row.monomials.keys().filter(|o| *o != m).flatten();
            let occurs = |o: &Term| pool.set_contains(pool.symbols(*o), symbol);
            (!others.into_iter().any(occurs)).then_some(symbol)
        };
        let odd = || {
            row.monomials
                .iter()
                .filter(|(_, k)| is_odd(k))
                .map(|(m, _)| m)
        };
        let named = odd().find_map(|m| Some((m.clone(), Some(free(m)?))));
        let Some((pivot, symbol)) = named.or_else(|| odd().next().map(|m| (m.clone(), None)))
        else {
            continue;
        };
        let scale = inverse(row.monomials[&pivot]) & mask;
        let mut scaled = Sum::default();
        scaled.add(&row, scale, mask);
        if let Some(symbol) = symbol {
            let mut value = scaled.clone();
            value.monomials.remove(&pivot);
            let symbols: Vec<Symbol> = {
                let atoms = value.monomials.keys().flatten();
                atoms
                    .flat_map(|&a| pool.set_iter(pool.symbols(a)))
                    .collect()
            };
            let is_new = |s: &Symbol| !defined.contains(s);
            let has_float = value.monomials.keys().flatten().any(|&a| pool.has_float(a));
            if !used.contains(&symbol)
                && is_new(&symbol)
                && symbols.iter().all(is_new)
                && !has_float
            {
                let value = negated_term(pool, &value, width);
                used.extend(symbols);
                defined.insert(symbol);
                places.insert(pivot[0], value);
                query.gone.push((symbol, value));
                dropped.insert(t);
            }
        }
        pivots.push((pivot, scaled));
    }
    if places.is_empty() && dropped.is_empty() {
        return false;
    }
    *count += (places.len() + dropped.len() - defined.len()) as u64;
    let kept = query
        .conjuncts
        .iter()
        .copied()
        .filter(|t| !dropped.contains(t))
        .collect();
    query.replace(pool, kept, &Substitutions::of_symbols(places), &mut 0);
    true
}

/// The term `-sum`.
fn negated_term(pool: &mut Pool, sum: &Sum, width: u32) -> Term {
    let mask = term::mask(width);
    let mut result = pool.bv(width, sum.constant.wrapping_neg() & mask);
    for (monomial, k) in &sum.monomials {
        let mut product = pool.bv(width, k.wrapping_neg() & mask);
        for &factor in monomial {
            product = pool.mul(product, factor);
        }
        result = pool.add(result, product);
    }
    result
}
