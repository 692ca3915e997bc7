//! Formulas over integers and bit-vectors as circuits, clauses and bounds.
//!
//! Everything but the integers is lowered as the bit-blaster does it; a condition on integers is an
//! input of the circuits. `sum <= 0` is such an input that stands for an upper bound of a simplex
//! variable; its negation is the next lower bound, as all are integers. Atoms with equal sums share
//! the variable, and their bounds are ordered by binary clauses. An equation is the conjunction of
//! its two inequalities, so that a disequality is split by the SAT solver.
//!
//! * A bit in a sum is `1 - m` for a variable `0 <= m <= 1` whose bound `m <= 0` *is* the bit's
//!   literal. Beside bit-vectors, conditions on nothing but bits are circuits (`digits.rs`).
//! * `ite` of integers with a constant difference is a bit with a weight; others are a variable
//!   with two guarded equations.
//! * A symbol with both bounds (`ranges.rs`) is a sum of bits in conditions where everything is.
//! * `x div k` is a variable `q` with `0 <= x - k·q < k`, which `x mod k` is.
//! * `x div 2^i mod 2`, for many `i`, are the bits of `x`: those of its variables `v = 2^n·q + Σ
//!   2^i·b_i` added up modulo `2^n` by a circuit.

use super::digits;
use super::numbers::{integer, rational};
use super::polarity::Polarity;
use super::ranges::Ranges;
use super::sum::Sum;
use crate::circuit::Lowering;
use crate::circuit::circuits::Bits;
use crate::circuit::cnf::Cnf;
use crate::query::Why;
use crate::sat::{Batsat, Lit, SatBackend};
use linear::{Affine, Form, Integers, Rational, Side, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::{BigInt, Linear, Op, Pool, Sort, Symbol, Term};

/// Terms that the encoder may meet; more end the query as too large.
const MAX_TERMS: usize = 2_000_000;

/// Highest bit of a term that is one of its digits; higher ones are remainders of quotients.
const MAX_FIELD: usize = 4096;

/// Bits of a bounded symbol; wider ones stay variables.
const MAX_BOUNDED: usize = 64;

/// What a SAT variable says about an integer: true is `var <= bound`, false is `var >= bound + 1`.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub var: Var,
    pub bound: Rational,
    /// Whether the conditions need the bound, and its opposite; else that value says nothing.
    pub needed: [bool; 2],
}

/// The low bits of a variable: `v = 2^n·rest + Σ 2^i·bits[i]`.
struct Digits {
    rest: Var,
    bits: Bits,
}

/// A symbol with both bounds.
struct Bounded {
    low: Rational,
    /// Of what is above the lower bound.
    width: usize,
    /// Its value as a sum of bits, once one was needed.
    value: Option<Sum>,
    /// Is the variable in a row?
    in_row: bool,
}

/// The formula as circuits, clauses, atoms, and an integer problem.
pub(super) struct Encoding {
    pub sat: Batsat,
    pub cnf: Cnf,
    pub lowering: Lowering,
    /// A SAT literal that is true.
    pub truth: Lit,
    pub problem: Integers,
    /// By SAT variable.
    pub atoms: Vec<Option<Atom>>,
    /// The same by literal of the graph, until all conditions are there.
    pending: Vec<(Lit, Atom)>,
    is_atom: FxHashSet<u32>,
    /// Atoms of which two are an equation.
    of_equations: FxHashSet<u32>,
    /// Clauses of literals of the graph, until then.
    clauses: Vec<[Lit; 2]>,
    /// Integer symbols with their variables.
    pub symbols: FxHashMap<Symbol, Var>,
    /// Bounds that hold always: variable, side, value.
    pub fixed: Vec<(Var, Side, Rational)>,
    integers: FxHashMap<Term, Sum>,
    sums: FxHashMap<Form, Var>,
    /// Literals of the graph.
    bounds: FxHashMap<(Var, Rational), Lit>,
    /// `1 - bit` of a node, and which variables are that.
    opposites: FxHashMap<u32, Var>,
    is_opposite: FxHashSet<Var>,
    digits: FxHashMap<Var, Digits>,
    bounded: FxHashMap<Var, Bounded>,
    /// Equations that are rows.
    equations: Vec<(Lit, Sum)>,
    /// Positions of conditions that bound the symbols.
    premises: BTreeSet<usize>,
    /// How many bits of a term are asked for, and these bits.
    wanted: FxHashMap<Term, usize>,
    strings: FxHashMap<Term, Bits>,
    /// Are there bit-vectors?
    is_mixed: bool,
}

impl Encoding {
    pub fn new(lowering: Lowering) -> Encoding {
        let mut sat = Batsat::new();
        let truth = Lit::positive(sat.new_var());
        sat.add_clause(&[truth]);
        Encoding {
            sat,
            cnf: Cnf::default(),
            lowering,
            truth,
            problem: Integers::new(),
            atoms: Vec::new(),
            pending: Vec::new(),
            is_atom: FxHashSet::default(),
            of_equations: FxHashSet::default(),
            clauses: Vec::new(),
            symbols: FxHashMap::default(),
            fixed: Vec::new(),
            integers: FxHashMap::default(),
            sums: FxHashMap::default(),
            bounds: FxHashMap::default(),
            opposites: FxHashMap::default(),
            is_opposite: FxHashSet::default(),
            digits: FxHashMap::default(),
            bounded: FxHashMap::default(),
            equations: Vec::new(),
            premises: BTreeSet::new(),
            wanted: FxHashMap::default(),
            strings: FxHashMap::default(),
            is_mixed: false,
        }
    }

    /// The literal of each condition, in the graph.
    pub fn conditions(&mut self, pool: &mut Pool, conditions: &[Term]) -> Result<Vec<Lit>, Why> {
        let cone = pool.cone(conditions);
        if cone.len() > MAX_TERMS {
            return Err(Why::TooLarge);
        }
        let skipped = self.survey(pool, &cone);
        let has_arrays = conditions.iter().any(|&t| pool.has_array(t));
        let ranges = if self.is_mixed {
            Ranges::find(pool, &cone, conditions)
        } else {
            Ranges::default()
        };
        for t in cone {
            self.lowering.circuit.check()?;
            if pool.sort(t) == Sort::Int {
                if !skipped.contains(&t) {
                    self.integer(pool, t, &ranges)?;
                }
            } else if let Some(linear) = pool.linear_atom(t) {
                let sum = self.sum(&linear);
                let lit = match pool.op(t) {
                    Op::Eq => self.equals_zero(&sum),
                    _ => self.at_most_zero(&sum),
                };
                self.lowering.circuit.provide(t, &[lit]);
            }
        }
        let roots: Result<Vec<Lit>, Why> = conditions
            .iter()
            .map(|&t| self.lowering.condition(pool, t))
            .collect();
        self.link_equations();
        self.link_bounded();
        let roots = roots?;
        self.hand_over(&roots, has_arrays);
        self.premises = ranges.premises;
        Ok(roots)
    }

    /// Are there bit-vectors, and of which terms are single bits asked for? Gives the quotients
    /// that nothing else needs.
    fn survey(&mut self, pool: &Pool, cone: &[Term]) -> FxHashSet<Term> {
        let is_bits = |&t: &Term| !matches!(pool.sort(t), Sort::Int | Sort::BitVec(1));
        for &t in cone {
            if let Some((base, from, count)) = field(pool, t)
                && from > 0
                && from + count <= MAX_FIELD
            {
                let wanted = self.wanted.entry(base).or_default();
                *wanted = (*wanted).max(from + count);
            }
        }
        self.is_mixed = cone.iter().any(is_bits) || !self.wanted.is_empty();
        let mut skipped: FxHashSet<Term> = FxHashSet::default();
        let mut needed: FxHashSet<Term> = FxHashSet::default();
        for &t in cone {
            match self.field(pool, t) {
                Some((base, ..)) if base != pool.child(t, 0) => {
                    skipped.insert(pool.child(t, 0));
                }
                _ => needed.extend(pool.children(t)),
            }
        }
        skipped.retain(|t| !needed.contains(t));
        skipped
    }

    /// The bits of a term that another one is, if they are among those asked for.
    fn field(&self, pool: &Pool, t: Term) -> Option<(Term, usize, usize)> {
        let (base, from, count) = field(pool, t)?;
        let is_there = from + count <= *self.wanted.get(&base)?;
        is_there.then_some((base, from, count))
    }

    fn input(&mut self) -> Lit {
        self.lowering.circuit.aig.input()
    }

    /// The SAT solver's literal.
    pub fn external(&mut self, lit: Lit) -> Lit {
        if lit.is_const() {
            self.truth.negate_if(lit == Lit::FALSE)
        } else {
            self.cnf
                .literal(&self.lowering.circuit.aig, &mut self.sat, lit)
        }
    }

    fn imply(&mut self, guard: Lit, lit: Lit) {
        self.clauses.push([!guard, lit]);
    }

    fn set_atom(&mut self, lit: Lit, var: Var, bound: Rational) {
        let atom = Atom {
            var,
            bound,
            needed: [true; 2],
        };
        self.is_atom.insert(lit.var());
        self.pending.push((lit, atom));
    }

    /// Gives the SAT solver atoms and clauses. Axioms of arrays may need what the conditions do not.
    fn hand_over(&mut self, roots: &[Lit], has_arrays: bool) {
        let clauses = std::mem::take(&mut self.clauses);
        // A bit with a weight counts in both of its values.
        let is_weighted =
            |(lit, atom): &(Lit, Atom)| self.is_opposite.contains(&atom.var).then_some(*lit);
        let bits = self
            .pending
            .iter()
            .filter_map(is_weighted)
            .flat_map(|lit| [lit, !lit]);
        let needed = roots.iter().chain(clauses.iter().flatten()).copied();
        let polarity = Polarity::new(&self.lowering.circuit.aig, needed.chain(bits));
        for (lit, mut atom) in std::mem::take(&mut self.pending) {
            if !has_arrays {
                atom.needed = [polarity.needs(lit), polarity.needs(!lit)];
            }
            // A value that says nothing is preferred, but for a disequality's atoms: one of the two has to say something,
            // and always the same one is a bad guess.
            let is_free = !self.of_equations.contains(&lit.var());
            self.sat.prefer(match atom.needed {
                [true, false] if is_free => Some(false),
                [false, true] if is_free => Some(true),
                _ => None,
            });
            let at = self.external(lit).var() as usize;
            self.sat.prefer(None);
            self.atoms.resize(self.atoms.len().max(at + 1), None);
            self.atoms[at] = Some(atom);
        }
        for clause in clauses {
            let clause = clause.map(|l| self.external(l));
            self.sat.add_clause(&clause);
        }
        self.order_bounds();
    }

    /// Gives an integer term that is no sum its value.
    fn integer(&mut self, pool: &mut Pool, t: Term, ranges: &Ranges) -> Result<(), Why> {
        let sum = match pool.op(t) {
            Op::Symbol => {
                let v = self.problem.new_var();
                self.symbols.insert(pool.as_symbol(t).expect("a symbol"), v);
                if let Some((low, high)) = ranges.both(t) {
                    self.set_bounded(v, low, high);
                }
                Sum::var(v)
            }
            Op::IntDiv | Op::IntMod => self.division(pool, t),
            Op::Ite => {
                let guard = pool.child(t, 0);
                let guard = self.lowering.condition(pool, guard)?;
                let [a, b] = [1, 2].map(|i| self.sum(&pool.linear(pool.child(t, i))));
                self.choice(guard, &a, &b)
            }
            // Sums, products and constants are read through `Pool::linear`.
            _ => return Ok(()),
        };
        self.integers.insert(t, sum);
        Ok(())
    }

    fn choice(&mut self, guard: Lit, a: &Sum, b: &Sum) -> Sum {
        let difference = a.minus(b);
        if let Some(difference) = difference.as_constant() {
            let mut sum = b.clone();
            sum.add_bit(guard, difference);
            return sum;
        }
        if let (Some(a), Some(b)) = (self.of_bits(a), self.of_bits(b)) {
            return digits::choose(&mut self.lowering.circuit.aig, guard, &a, &b);
        }
        let sum = Sum::var(self.problem.new_var());
        for (guard, arm) in [(guard, a), (!guard, b)] {
            for difference in [sum.minus(arm), arm.minus(&sum)] {
                let holds = self.at_most_zero(&difference);
                self.imply(guard, holds);
            }
        }
        sum
    }

    fn division(&mut self, pool: &Pool, t: Term) -> Sum {
        let dividend = pool.child(t, 0);
        if let Some((base, from, count)) = self.field(pool, t) {
            let bits = self.string(pool, base);
            return Sum::number(&bits[from..from + count]);
        }
        let divisor = pool.as_int(pool.child(t, 1)).expect("a constant divisor");
        let divisor = rational(&divisor);
        let dividend = self.sum(&pool.linear(dividend));
        if let Some(bits) = self.of_bits(&dividend)
            && let Some((quotient, rest)) =
                digits::divide(&mut self.lowering.circuit.aig, &bits, &divisor)
        {
            return match pool.op(t) {
                Op::IntDiv => quotient,
                _ => rest,
            };
        }
        // A quotient is shared by the division and the remainder through its sum.
        let quotient = Sum::var(self.problem.new_var());
        let mut rest = dividend;
        rest.add_scaled(&quotient, &-&divisor);
        let affine = self.affine(&rest);
        let v = self.row(&affine.form);
        let last = &divisor - &Rational::ONE;
        self.fixed.push((v, Side::Lower, -&affine.constant));
        self.fixed.push((v, Side::Upper, &last - &affine.constant));
        match pool.op(t) {
            Op::IntDiv => quotient,
            _ => rest,
        }
    }

    /// All bits of a term that are asked for.
    fn string(&mut self, pool: &Pool, base: Term) -> Bits {
        if let Some(bits) = self.strings.get(&base) {
            return bits.clone();
        }
        let width = self.wanted[&base];
        let sum = self.sum(&pool.linear(base));
        let mut of_bits = sum.without_variables();
        for (v, factor) in sum.affine.form.terms() {
            let value = if self.bounded.contains_key(v) {
                self.value(*v)
            } else {
                Sum::number(&self.low_digits(*v, width))
            };
            of_bits.add_scaled(&value, factor);
        }
        let bits = digits::low_bits(&mut self.lowering.circuit.aig, &of_bits, width);
        self.strings.insert(base, bits.clone());
        bits
    }

    /// The low bits of a variable, with the row that says so.
    fn low_digits(&mut self, v: Var, width: usize) -> Bits {
        let (rest, mut bits) = match self.digits.remove(&v) {
            Some(digits) => (digits.rest, digits.bits),
            None => (v, Bits::new()),
        };
        let mut digits = Digits {
            rest,
            bits: Bits::new(),
        };
        if bits.len() < width {
            let more: Bits = (bits.len()..width).map(|_| self.input()).collect();
            digits.rest = self.problem.new_var();
            let mut sum = Sum::number(&more);
            sum.add_scaled(&Sum::var(rest), &Rational::MINUS_ONE);
            let factor = Rational::power_of_two(more.len() as u32);
            sum.add_scaled(&Sum::var(digits.rest), &factor);
            self.fix_zero(&sum);
            bits.extend(more);
        }
        let low = bits[..width].to_vec();
        digits.bits = bits;
        self.digits.insert(v, digits);
        low
    }

    fn set_bounded(&mut self, v: Var, low: &BigInt, high: &BigInt) {
        let width = (high - low).bits() as usize;
        if width <= MAX_BOUNDED {
            let bounded = Bounded {
                low: rational(low),
                width,
                value: None,
                in_row: false,
            };
            self.bounded.insert(v, bounded);
        }
    }

    /// The sum over bits alone, when conditions on it shall be circuits: beside bit-vectors, when
    /// its symbols have bounds.
    fn of_bits(&mut self, sum: &Sum) -> Option<Sum> {
        if sum.is_of_bits() && sum.bits.len() < 2 {
            return Some(sum.clone());
        }
        let terms = sum.affine.form.terms();
        if !self.is_mixed || !terms.iter().all(|(v, _)| self.bounded.contains_key(v)) {
            return None;
        }
        let mut bits = sum.without_variables();
        for (v, factor) in terms {
            bits.add_scaled(&self.value(*v), factor);
        }
        digits::is_short(&bits).then_some(bits)
    }

    /// The value of a bounded symbol as a sum of bits.
    fn value(&mut self, v: Var) -> Sum {
        let bounded = &self.bounded[&v];
        if let Some(value) = &bounded.value {
            return value.clone();
        }
        let (low, width) = (bounded.low.clone(), bounded.width);
        let bits: Bits = (0..width).map(|_| self.input()).collect();
        let mut value = Sum::number(&bits);
        value.affine.constant += &low;
        if let Some(bounded) = self.bounded.get_mut(&v) {
            bounded.value = Some(value.clone());
        }
        value
    }

    /// Symbols that are bits in some conditions and variables in others are the same.
    fn link_bounded(&mut self) {
        let mut both: Vec<(Var, Sum)> = Vec::new();
        for (&v, bounded) in &self.bounded {
            if bounded.in_row
                && let Some(value) = &bounded.value
            {
                both.push((v, value.clone()));
            }
        }
        both.sort_unstable_by_key(|(v, _)| *v);
        for (v, mut value) in both {
            value.add_scaled(&Sum::var(v), &Rational::MINUS_ONE);
            self.fix_zero(&value);
        }
    }

    /// Says that a sum with a variable is 0.
    fn fix_zero(&mut self, sum: &Sum) {
        let affine = self.affine(sum);
        let row = self.row(&affine.form);
        for side in [Side::Lower, Side::Upper] {
            self.fixed.push((row, side, -&affine.constant));
        }
    }

    fn sum(&self, linear: &Linear) -> Sum {
        let mut sum = Sum::constant(rational(&linear.constant));
        for (atom, factor) in &linear.monomials {
            sum.add_scaled(&self.integers[atom], &rational(factor));
        }
        sum
    }

    /// The sum with a variable for each bit.
    fn affine(&mut self, sum: &Sum) -> Affine {
        let mut affine = sum.affine.clone();
        for (v, _) in affine.form.terms() {
            if let Some(bounded) = self.bounded.get_mut(v) {
                bounded.in_row = true;
            }
        }
        if sum.bits.is_empty() {
            return affine;
        }
        let mut terms: Vec<(Var, Rational)> = affine.form.terms().to_vec();
        for (&node, factor) in &sum.bits {
            affine.constant += factor;
            terms.push((self.opposite(node), -factor));
        }
        affine.form = Form::from_terms(terms);
        affine
    }

    /// The variable that is 0 when the bit holds and 1 when it does not.
    fn opposite(&mut self, node: u32) -> Var {
        if let Some(&v) = self.opposites.get(&node) {
            return v;
        }
        let bit = Lit::positive(node);
        let mut lit = bit;
        if self.is_atom.contains(&node) {
            lit = self.input();
            self.imply(lit, bit);
            self.imply(bit, lit);
        }
        let v = self.problem.new_var();
        self.opposites.insert(node, v);
        self.is_opposite.insert(v);
        self.fixed.push((v, Side::Lower, Rational::ZERO));
        self.fixed.push((v, Side::Upper, Rational::ONE));
        self.set_atom(lit, v, Rational::ZERO);
        self.bounds.insert((v, Rational::ZERO), bit);
        v
    }

    /// The variable of a form with at least one term.
    fn row(&mut self, form: &Form) -> Var {
        if let [(v, c)] = form.terms()
            && c.is_one()
        {
            return *v;
        }
        if let Some(&v) = self.sums.get(form) {
            return v;
        }
        let v = self.problem.define(form);
        self.sums.insert(form.clone(), v);
        v
    }

    fn at_most_zero(&mut self, sum: &Sum) -> Lit {
        if let Some(bits) = self.of_bits(sum) {
            return digits::at_most_zero(&mut self.lowering.circuit.aig, &bits);
        }
        let affine = self.affine(sum);
        let bound = -&affine.constant;
        self.at_most(&affine.form, &bound)
    }

    /// The literal of `form <= bound`, for any rational bound and integer form.
    fn at_most(&mut self, form: &Form, bound: &Rational) -> Lit {
        let Some((_, first)) = form.terms().first() else {
            return Lit::from(!bound.is_negative());
        };
        let factor = form.primitive_factor();
        if first.is_negative() {
            // -f <= b is f >= -b, the opposite of f <= -b - 1 (rounded).
            let opposite = form.scaled(&-&factor);
            let least = (&-bound * &factor).ceil();
            let v = self.row(&opposite);
            return !self.bound(v, &least - &Rational::ONE);
        }
        let v = self.row(&form.scaled(&factor));
        self.bound(v, (bound * &factor).floor())
    }

    fn bound(&mut self, var: Var, bound: Rational) -> Lit {
        if self.is_opposite.contains(&var) && !bound.is_zero() {
            return Lit::from(bound.is_positive());
        }
        if let Some(&lit) = self.bounds.get(&(var, bound.clone())) {
            return lit;
        }
        let lit = self.input();
        self.set_atom(lit, var, bound.clone());
        self.bounds.insert((var, bound), lit);
        lit
    }

    fn equals_zero(&mut self, sum: &Sum) -> Lit {
        if let Some(bits) = self.of_bits(sum) {
            return digits::equals_zero(&mut self.lowering.circuit.aig, &bits);
        }
        let affine = self.affine(sum);
        let factor = affine.form.primitive_factor();
        if !(&affine.constant * &factor).is_integer() {
            return Lit::FALSE;
        }
        let above = self.at_most(&affine.form, &-&affine.constant);
        let opposite = affine.form.scaled(&Rational::MINUS_ONE);
        let below = self.at_most(&opposite, &affine.constant);
        self.of_equations.extend([above.var(), below.var()]);
        let lit = self.lowering.circuit.aig.and(above, below);
        if self.is_mixed && !lit.is_const() {
            self.equations.push((lit, sum.clone()));
        }
        lit
    }

    /// An equation holds modulo a power of two as well: a circuit, when the low bits of all its
    /// variables are there. Rows alone compare the bits of two variables one assignment at a time.
    fn link_equations(&mut self) {
        for (lit, sum) in std::mem::take(&mut self.equations) {
            let mut width = usize::MAX;
            let mut of_bits = sum.without_variables();
            for (v, factor) in sum.affine.form.terms() {
                let value = self.bounded.get(v).and_then(|b| b.value.clone());
                let value = value.unwrap_or_else(|| {
                    let bits = self.digits.get(v).map_or(&[][..], |d| &d.bits);
                    width = width.min(bits.len());
                    Sum::number(bits)
                });
                of_bits.add_scaled(&value, factor);
            }
            if (1..usize::MAX).contains(&width) && digits::is_short(&of_bits) {
                let aig = &mut self.lowering.circuit.aig;
                let low = digits::low_bits(aig, &of_bits, width);
                let differs = aig.or_all(low);
                self.imply(lit, !differs);
            }
        }
    }

    /// Positions of conditions that the encoding of all others rests on.
    pub fn premises(&self) -> impl Iterator<Item = usize> {
        let is_used = self.bounded.values().any(|b| b.value.is_some());
        let count = if is_used { usize::MAX } else { 0 };
        self.premises.iter().copied().take(count)
    }

    /// The value that an integer variable takes in a solution.
    pub fn value_of(&mut self, solution: &[Rational], v: Var) -> BigInt {
        let value = self.bounded.get(&v).and_then(|b| b.value.as_ref());
        let Some(value) = value else {
            return integer(&solution[v.at()]);
        };
        let mut number = value.affine.constant.clone();
        for (&node, weight) in &value.bits {
            let lit = self.cnf.get(Lit::positive(node));
            if lit.is_some_and(|lit| self.sat.value(lit)) {
                number += weight;
            }
        }
        integer(&number)
    }

    /// Smaller upper bounds imply greater ones.
    fn order_bounds(&mut self) {
        let mut all: Vec<(Var, Rational, Lit)> = self
            .bounds
            .iter()
            .map(|((v, b), l)| (*v, b.clone(), *l))
            .collect();
        all.sort();
        for pair in all.windows(2) {
            if pair[0].0 == pair[1].0 {
                let clause = [!pair[0].2, pair[1].2].map(|l| self.external(l));
                self.sat.add_clause(&clause);
            }
        }
    }
}

/// A remainder by a power of two as bits of another term: the term, the lowest bit, how many.
fn field(pool: &Pool, t: Term) -> Option<(Term, usize, usize)> {
    let exponent = |op: Op, t: Term| {
        let divisor = (pool.op(t) == op).then(|| pool.as_int(pool.child(t, 1)))?;
        digits::logarithm(&rational(&divisor?))
    };
    let count = exponent(Op::IntMod, t)?;
    let inner = pool.child(t, 0);
    Some(match exponent(Op::IntDiv, inner) {
        Some(from) => (pool.child(inner, 0), from, count),
        None => (inner, 0, count),
    })
}
