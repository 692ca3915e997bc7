//! Bit-vector conditions as linear constraints over integers (section 4.2 of "Type and interval
//! aware array constraint solving for symbolic execution").
//!
//! A term stands for its unsigned value. Sums, differences, products with constants, complements
//! and truncations stay *raw* linear forms modulo `2^w`, with coefficients reduced to the signed
//! residue; only where the value itself matters (in a comparison, a concatenation, a quotient) is
//! the form brought into its window by a multiple `k·2^w`. The interval of the form gives the
//! possible `k`: with a single one no variable is made (the paper's interval computation).
//!
//! Exact: concat, extract, extensions, disjoint or, shifts and quotients by constants, signed
//! comparisons. Over-approximated by a variable with the term's range: products, quotients by
//! terms, shifts by terms, reads (joined over the elements that they can meet), predicates as
//! values; `and`, `or` and `xor` with the inequalities that they satisfy. Excluded: disequalities
//! and disjunctions. Where we differ from the paper: signed comparisons and remainders by
//! constants are exact instead of excluded or ranged.
//!
//! *Optimistic*: forms are taken as if nothing wrapped around; then "no solution" counts only if
//! [`Linearizer::assumed`] stayed false.

use super::program::{IntegerProgram, Row};
use crate::domain::TruthTables;
use crate::ranges::Ranges;
use linear::{Affine, Form, Rational, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Symbol, Term};

/// Largest number of terms in one program.
const MAX_TERMS: usize = 1500;
/// Modulo variables of one program.
const MAX_WRAPS: u32 = 40;

/// Builds a program from conditions.
pub(super) struct Linearizer<'e, 'p> {
    pool: &'e Pool,
    tables: &'e mut TruthTables,
    ranges: Ranges<'p>,
    optimistic: bool,
    pub program: IntegerProgram,
    /// The condition (by its tag) that each row stems from.
    pub sources: Vec<Option<u32>>,
    /// Symbols with their variables.
    pub symbols: Vec<(Symbol, Var)>,
    raw: FxHashMap<Term, Affine>,
    values: FxHashMap<Term, Affine>,
    /// Was absence of wrap-around assumed where it is not proved?
    pub assumed: bool,
    /// Conditions (or parts) left out.
    pub excluded: u32,
    wraps: u32,
}

impl<'e, 'p> Linearizer<'e, 'p> {
    pub fn new(
        pool: &'e Pool,
        tables: &'e mut TruthTables,
        ranges: Ranges<'p>,
        optimistic: bool,
    ) -> Self {
        Linearizer {
            pool,
            tables,
            ranges,
            optimistic,
            program: IntegerProgram::default(),
            sources: Vec::new(),
            symbols: Vec::new(),
            raw: FxHashMap::default(),
            values: FxHashMap::default(),
            assumed: false,
            excluded: 0,
            wraps: 0,
        }
    }

    /// Conjuncts that the ranges of variables rest on.
    pub fn used(&self) -> Vec<Term> {
        self.ranges.used()
    }

    /// Was the program given up as too large?
    pub fn is_too_large(&self) -> bool {
        self.raw.len() > MAX_TERMS
    }

    /// Adds a condition with its tag.
    pub fn assert(&mut self, condition: Term, tag: u32) {
        let mut work = vec![(condition, true)];
        // Circuits share what they are made of: as a tree they can be too large to walk.
        let mut seen = FxHashSet::default();
        while let Some((t, positive)) = work.pop() {
            if !seen.insert((t, positive)) {
                continue;
            }
            if self.is_too_large() || seen.len() > MAX_TERMS {
                self.excluded += 1;
                return;
            }
            let kids = self.pool.children(t);
            match self.pool.op(t) {
                Op::Const => {
                    if (t == Term::TRUE) != positive {
                        self.row(Form::new(), Some(Rational::ONE), None, Some(tag));
                    }
                }
                Op::Not => work.push((kids[0], !positive)),
                Op::And if positive => work.extend(kids.iter().map(|&k| (k, true))),
                Op::Or if !positive => work.extend(kids.iter().map(|&k| (k, false))),
                Op::Eq if self.is_bits(kids[0]) => {
                    if positive {
                        self.equal(kids[0], kids[1], tag)
                    } else {
                        self.excluded += 1
                    }
                }
                Op::Ult => self.less(kids[0], kids[1], positive, false, tag),
                Op::Slt => self.less(kids[0], kids[1], positive, true, tag),
                Op::Extract if self.is_sign(t) => {
                    let value = self.signed(kids[0]);
                    let end = -&value.constant;
                    if positive {
                        self.row(value.form, None, Some(&end - &Rational::ONE), Some(tag))
                    } else {
                        self.row(value.form, Some(end), None, Some(tag))
                    }
                }
                Op::Symbol | Op::Extract => {
                    let value = self.value(t);
                    let end = &Rational::from(positive as i64) - &value.constant;
                    self.row(value.form, Some(end.clone()), Some(end), Some(tag));
                }
                _ => self.excluded += 1,
            }
        }
    }

    /// Is an extracted bit the sign of its operand?
    fn is_sign(&self, t: Term) -> bool {
        let sign = self.pool.width(self.pool.children(t)[0]) - 1;
        self.pool.extract_bounds(t) == (sign, sign)
    }

    fn is_bits(&self, t: Term) -> bool {
        matches!(self.pool.sort(t), Sort::BitVec(_))
    }

    fn row(&mut self, form: Form, low: Option<Rational>, high: Option<Rational>, tag: Option<u32>) {
        self.program.rows.push(Row { form, low, high });
        self.sources.push(tag);
    }

    /// `a = b`: their difference is a multiple of `2^w`.
    fn equal(&mut self, a: Term, b: Term, tag: u32) {
        let width = self.pool.width(a);
        let mut difference = self.raw(a);
        let other = self.raw(b);
        difference.add_scaled(&other, &Rational::MINUS_ONE);
        reduce(&mut difference, width);
        let modulus = Rational::power_of_two(width);
        let (low, high) = self.program.extent(&difference.form);
        let ends = [low, high].map(|end| &(&end + &difference.constant) / &modulus);
        let (first, last) = (ends[0].ceil(), ends[1].floor());
        let mut form = difference.form;
        let mut target = -&difference.constant;
        if first >= last {
            // With no multiple in reach any one gives a contradiction.
            target.add_product(&first, &modulus);
        } else if self.optimistic {
            self.assumed = true;
        } else {
            let k = self.program.variable(first, last);
            self.wraps += 1;
            form.add_scaled(&Form::var(k), &-&modulus);
        }
        self.row(form, Some(target.clone()), Some(target), Some(tag));
    }

    /// `a < b`, or its negation.
    fn less(&mut self, a: Term, b: Term, positive: bool, signed: bool, tag: u32) {
        let mut difference = self.comparable(a, signed);
        let other = self.comparable(b, signed);
        difference.add_scaled(&other, &Rational::MINUS_ONE);
        let end = -&difference.constant;
        if positive {
            let end = &end - &Rational::ONE;
            self.row(difference.form, None, Some(end), Some(tag));
        } else {
            self.row(difference.form, Some(end), None, Some(tag));
        }
    }

    fn comparable(&mut self, t: Term, signed: bool) -> Affine {
        if signed {
            self.signed(t)
        } else {
            self.value(t)
        }
    }

    /// The unsigned value of a term.
    pub fn value(&mut self, t: Term) -> Affine {
        let raw = self.raw(t);
        if let Some(value) = self.values.get(&t) {
            return value.clone();
        }
        let window = self.range(t);
        let value = self.window(raw, self.pool.width(t), window);
        self.values.insert(t, value.clone());
        value
    }

    /// The two's complement value of a term.
    fn signed(&mut self, t: Term) -> Affine {
        let width = self.pool.width(t);
        let raw = self.raw(t);
        let half = Rational::power_of_two(width - 1);
        self.window(raw, width, (-&half, &half - &Rational::ONE))
    }

    /// The representative of a form modulo `2^w` in a window of at most that size, in which the
    /// value is known to lie.
    fn window(&mut self, mut raw: Affine, width: u32, window: (Rational, Rational)) -> Affine {
        let modulus = Rational::power_of_two(width);
        let (low, high) = self.program.extent(&raw.form);
        let (low, high) = (&low + &raw.constant, &high + &raw.constant);
        let first = (&(&low - &window.1) / &modulus).ceil();
        let last = (&(&high - &window.0) / &modulus).floor();
        if first == last {
            let turn = &first * &modulus;
            raw.constant -= &turn;
            if &low - &turn < window.0 || &high - &turn > window.1 {
                self.within(&raw, window);
            }
            return raw;
        }
        if first > last {
            // No representative: the conditions that made the window contradict each other.
            self.row(Form::new(), Some(Rational::ONE), None, None);
            return raw;
        }
        if self.optimistic {
            self.assumed = true;
            return raw;
        }
        self.wraps += 1;
        if self.wraps > MAX_WRAPS {
            return self.fresh(window.0, window.1);
        }
        let k = self.program.variable(first, last);
        raw.form.add_scaled(&Form::var(k), &-&modulus);
        self.within(&raw, window);
        raw
    }

    fn within(&mut self, affine: &Affine, window: (Rational, Rational)) {
        let [low, high] = [window.0, window.1].map(|end| &end - &affine.constant);
        self.row(affine.form.clone(), Some(low), Some(high), None);
    }

    fn fresh(&mut self, low: Rational, high: Rational) -> Affine {
        Affine {
            form: Form::var(self.program.variable(low, high)),
            constant: Rational::ZERO,
        }
    }

    /// The operands whose forms an operator needs. Factors, divisors, amounts of shifts and the sides of a
    /// choice count as constants up to 64 bits; with wider ones the result is a variable.
    fn operands(&self, t: Term) -> &'e [Term] {
        let kids = self.pool.children(t);
        let constant = |i: usize| self.pool.as_const(kids[i]).is_some();
        match self.pool.op(t) {
            Op::Not
            | Op::Neg
            | Op::Add
            | Op::Sub
            | Op::Concat
            | Op::Extract
            | Op::Zext
            | Op::Sext
            | Op::And
            | Op::Or
            | Op::Xor => kids,
            Op::Mul if constant(0) => &kids[1..],
            Op::Mul if constant(1) => &kids[..1],
            Op::Udiv | Op::Urem | Op::Shl | Op::Lshr if constant(1) => &kids[..1],
            Op::Ite if constant(1) && constant(2) => &kids[..1],
            _ => &[],
        }
    }

    /// The form of a term, equal to it modulo `2^w`.
    fn raw(&mut self, root: Term) -> Affine {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.raw.contains_key(&t) {
                stack.pop();
                continue;
            }
            let range = self.range(t);
            let affine = if self.pool.is_const(t) {
                Affine {
                    form: Form::new(),
                    constant: range.0,
                }
            } else if self.is_too_large() {
                self.fresh(range.0, range.1)
            } else {
                let before = stack.len();
                let missing = |k: &&Term| !self.raw.contains_key(*k);
                // The last one pushed is visited first, and variables are numbered as they are
                // visited: left before right, but low bytes before high ones, because the simplex
                // moves the first variable that helps, and rounding keeps what a low byte does.
                let operands = self.operands(t).iter();
                match self.pool.op(t) {
                    Op::Concat => stack.extend(operands.filter(missing)),
                    _ => stack.extend(operands.rev().filter(missing)),
                }
                if stack.len() > before {
                    continue;
                }
                self.operator(t, range)
            };
            self.raw.insert(t, affine);
            stack.pop();
        }
        self.raw[&root].clone()
    }

    fn range(&mut self, t: Term) -> (Rational, Rational) {
        match self.pool.sort(t) {
            Sort::BitVec(1..=64) => {
                let range = self.ranges.range(self.pool, self.tables, t);
                (Rational::from(range.lo), Rational::from(range.hi))
            }
            Sort::BitVec(width) => match self.pool.as_const_wide(t) {
                Some(limbs) => {
                    let value = Rational::from_limbs(false, limbs);
                    (value.clone(), value)
                }
                None => {
                    let end = &Rational::power_of_two(width) - &Rational::ONE;
                    (Rational::ZERO, end)
                }
            },
            _ => (Rational::ZERO, Rational::ONE),
        }
    }

    fn operator(&mut self, t: Term, range: (Rational, Rational)) -> Affine {
        let kids = self.pool.children(t);
        let width = self.pool.width(t);
        let mut sum = Affine::default();
        match self.pool.op(t) {
            Op::Not | Op::Neg => {
                sum.add_scaled(&self.raw[&kids[0]], &Rational::MINUS_ONE);
                if self.pool.op(t) == Op::Not {
                    sum.constant -= &Rational::ONE;
                }
            }
            Op::Add | Op::Sub => {
                let sign = match self.pool.op(t) {
                    Op::Add => Rational::ONE,
                    _ => Rational::MINUS_ONE,
                };
                sum.add_scaled(&self.raw[&kids[0]], &Rational::ONE);
                sum.add_scaled(&self.raw[&kids[1]], &sign);
            }
            Op::Mul if !self.operands(t).is_empty() => {
                let constants = kids.iter().find_map(|&k| self.pool.as_const(k));
                let factor = Rational::from(constants.expect("an operand is constant"));
                sum.add_scaled(&self.raw[&self.operands(t)[0]], &factor);
            }
            Op::Shl if !self.operands(t).is_empty() => {
                let shift = self.pool.as_const(kids[1]).expect("constant");
                if shift < width as u64 {
                    let factor = Rational::power_of_two(shift as u32);
                    sum.add_scaled(&self.raw[&kids[0]], &factor);
                }
            }
            Op::Zext => return self.value(kids[0]),
            Op::Sext => return self.signed(kids[0]),
            Op::Concat => {
                let low = self.value(kids[1]);
                let high = self.value(kids[0]);
                let factor = Rational::power_of_two(self.pool.width(kids[1]));
                sum.add_scaled(&high, &factor);
                sum.add_scaled(&low, &Rational::ONE);
                return sum;
            }
            Op::Extract => {
                let (high_bit, low_bit) = self.pool.extract_bounds(t);
                // Truncation keeps the form; what lies below is divided away.
                sum = self.raw[&kids[0]].clone();
                reduce(&mut sum, high_bit + 1);
                if low_bit > 0 {
                    let last = &Rational::power_of_two(high_bit + 1) - &Rational::ONE;
                    let whole = self.window(sum, high_bit + 1, (Rational::ZERO, last));
                    let divisor = Rational::power_of_two(low_bit);
                    return self.quotient(&whole, &divisor, range);
                }
            }
            Op::Lshr if !self.operands(t).is_empty() => {
                let shift = self.pool.as_const(kids[1]).expect("constant");
                let whole = self.value(kids[0]);
                let divisor = Rational::power_of_two(shift.min(width as u64) as u32);
                return self.quotient(&whole, &divisor, range);
            }
            op @ (Op::Udiv | Op::Urem) if !self.operands(t).is_empty() => {
                let divisor = Rational::from(self.pool.as_const(kids[1]).expect("constant"));
                if divisor.is_zero() {
                    return self.fresh(range.0, range.1);
                }
                let whole = self.value(kids[0]);
                let (low, high) = self.program.extent(&whole.form);
                let ends = [low, high].map(|e| (&(&e + &whole.constant) / &divisor).floor());
                let [first, last] = ends;
                let quotient = self.quotient(&whole, &divisor, (first, last));
                if op == Op::Udiv {
                    return quotient;
                }
                sum = whole;
                sum.add_scaled(&quotient, &-&divisor);
                return sum;
            }
            op @ (Op::And | Op::Or | Op::Xor) => return self.bitwise(op, t, range),
            Op::Ite if !self.operands(t).is_empty() => {
                let sides = [1, 2].map(|i| self.pool.as_const(kids[i]).expect("constant"));
                let [yes, no] = sides.map(Rational::from);
                let guard = self.value(kids[0]);
                sum.constant = no.clone();
                sum.add_scaled(&guard, &(&yes - &no));
                return sum;
            }
            op => {
                let affine = self.fresh(range.0, range.1);
                if op == Op::Symbol {
                    let symbol = self.pool.as_symbol(t).expect("a symbol");
                    self.symbols.push((symbol, affine.form.terms()[0].0));
                }
                return affine;
            }
        }
        reduce(&mut sum, width);
        sum
    }

    /// `⌊whole / divisor⌋` as a new variable.
    fn quotient(
        &mut self,
        whole: &Affine,
        divisor: &Rational,
        range: (Rational, Rational),
    ) -> Affine {
        let quotient = self.fresh(range.0, range.1);
        let mut rest = whole.clone();
        rest.add_scaled(&quotient, &-divisor);
        let low = -&rest.constant;
        let high = &(&low + divisor) - &Rational::ONE;
        self.row(rest.form, Some(low), Some(high), None);
        quotient
    }

    fn bitwise(&mut self, op: Op, t: Term, range: (Rational, Rational)) -> Affine {
        let kids = self.pool.children(t);
        let (a, b) = (self.value(kids[0]), self.value(kids[1]));
        let mut sum = a.clone();
        sum.add_scaled(&b, &Rational::ONE);
        let disjoint = self.pool.width(t) <= 64 && {
            let known = [kids[0], kids[1]].map(|k| self.pool.known_bits(k).0);
            known[0] | known[1] == u64::MAX
        };
        if disjoint && op != Op::And {
            return sum;
        }
        let result = self.fresh(range.0, range.1);
        let at_most = |this: &mut Self, left: &Affine, right: &Affine| {
            let mut difference = left.clone();
            difference.add_scaled(right, &Rational::MINUS_ONE);
            let end = -&difference.constant;
            this.row(difference.form, None, Some(end), None);
        };
        match op {
            Op::And => {
                at_most(self, &result, &a);
                at_most(self, &result, &b);
                // a + b - (a & b) = a | b, which fits the width.
                let mut or = sum;
                or.add_scaled(&result, &Rational::MINUS_ONE);
                let end = &Rational::power_of_two(self.pool.width(t)) - &Rational::ONE;
                let end = &end - &or.constant;
                self.row(or.form, None, Some(end), None);
            }
            Op::Or => {
                at_most(self, &a, &result);
                at_most(self, &b, &result);
                at_most(self, &result, &sum);
            }
            _ => {
                at_most(self, &result, &sum);
                let mut least = a.clone();
                least.add_scaled(&b, &Rational::MINUS_ONE);
                at_most(self, &least, &result);
                let mut least = b;
                least.add_scaled(&a, &Rational::MINUS_ONE);
                at_most(self, &least, &result);
            }
        }
        result
    }
}

/// Coefficients and constant as signed residues modulo `2^w`.
fn reduce(affine: &mut Affine, width: u32) {
    let modulus = Rational::power_of_two(width);
    let half = Rational::power_of_two(width - 1);
    let residue = |c: &Rational| {
        let turns = (&(c + &half) / &modulus).floor();
        c - &(&turns * &modulus)
    };
    if affine.form.terms().iter().any(|(_, c)| c.abs() >= half) {
        let terms = affine.form.terms().iter();
        affine.form = Form::from_terms(terms.map(|(v, c)| (*v, residue(c))));
    }
    if affine.constant.abs() >= half {
        affine.constant = residue(&affine.constant);
    }
}
