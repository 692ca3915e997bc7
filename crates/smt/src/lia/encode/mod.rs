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
//! * A symbol with two values on which conditions below disjunctions depend is a bit, which the SAT solver chooses and learns
//!   of (`chosen.rs`); one that stands in conjuncts alone is left to branch and bound.
//! * A symbol with both bounds (`ranges.rs`) is a sum of bits in conditions where everything is.
//! * `x div k` is a variable `q` with `0 <= x - k·q < k`, which `x mod k` is.
//! * `x div 2^i mod 2`, for many `i`, are the bits of `x`: those of its variables `v = 2^n·q + Σ
//!   2^i·b_i` added up modulo `2^n` by a circuit.

mod bits;
mod chosen;
mod rows;

pub(super) use chosen::find as chosen_integers;

use super::digits;
use super::numbers::rational;
use super::polarity::Polarity;
use super::ranges::IntegerRanges;
use super::sum::Sum;
use linear::{Form, Integers, Rational, Side, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use solver::Why;
use solver::circuits::Bits;
use solver::sat::{Batsat, Lit, SatBackend};
use solver::theory::Cnf;
use solver::theory::Lowering;
use std::collections::BTreeSet;
use term::{Linear, Op, Pool, Sort, Symbol, Term};

/// Terms that the encoder may meet; more end the query as too large.
const MAX_TERMS: usize = 2_000_000;

/// Highest bit of a term that is one of its digits; higher ones are remainders of quotients.
const MAX_FIELD: usize = 4096;

/// The encoding of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IntegerEncoding {
    /// Variables of the simplex, except beside bit-vectors and where choices depend on two values.
    Rows,
    /// Sums of bits, where they have both bounds.
    Bits,
}

/// The bound on an integer that a SAT variable stands for: true is `var <= bound`, false is `var >= bound + 1`.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub var: Var,
    pub bound: Rational,
    /// Do the conditions need the bound, and its opposite? Otherwise that value implies nothing.
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
    /// Atoms by SAT variable.
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
    method: IntegerEncoding,
    /// Are conditions on bits alone circuits, as they are beside bit-vectors?
    is_mixed: bool,
    /// Integer symbols in atoms that are no conjuncts.
    chosen: FxHashSet<Term>,
}

impl Encoding {
    pub fn new(lowering: Lowering, method: IntegerEncoding) -> Encoding {
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
            method,
            is_mixed: false,
            chosen: FxHashSet::default(),
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
        self.chosen = chosen::find(pool, &cone, conditions);
        let ranges = if self.is_mixed || !self.chosen.is_empty() {
            IntegerRanges::find(pool, &cone, conditions)
        } else {
            IntegerRanges::default()
        };
        for t in cone {
            self.lowering.check()?;
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
                self.lowering.provide(t, &[lit]);
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

    /// Notes whether bit-vectors occur and of which terms single bits are extracted; returns the quotients that nothing
    /// else needs.
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
        let is_mixed = cone.iter().any(is_bits) || !self.wanted.is_empty();
        self.is_mixed = is_mixed || self.method == IntegerEncoding::Bits;
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
        self.lowering.aig_mut().input()
    }

    /// The SAT solver's literal.
    pub fn external(&mut self, lit: Lit) -> Lit {
        if lit.is_const() {
            self.truth.negate_if(lit == Lit::FALSE)
        } else {
            self.cnf.literal(self.lowering.aig(), &mut self.sat, lit)
        }
    }

    fn imply(&mut self, guard: Lit, lit: Lit) {
        self.clauses.push([!guard, lit]);
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
        let polarity = Polarity::new(self.lowering.aig(), needed.chain(bits));
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
    fn integer(&mut self, pool: &mut Pool, t: Term, ranges: &IntegerRanges) -> Result<(), Why> {
        let sum = match pool.op(t) {
            Op::Symbol => {
                let v = self.problem.new_var();
                self.symbols.insert(pool.as_symbol(t).expect("a symbol"), v);
                match ranges.both(t) {
                    Some((low, high)) => {
                        self.set_bounded(v, low, high);
                        // Beside bit-vectors, conditions decide whether there are bits.
                        let is_bit = !self.is_mixed && (high - low).bits() == 1;
                        if is_bit && self.chosen.contains(&t) {
                            self.value(v)
                        } else {
                            Sum::var(v)
                        }
                    }
                    None => Sum::var(v),
                }
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
            return digits::choose(self.lowering.aig_mut(), guard, &a, &b);
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
            && let Some((quotient, rest)) = digits::divide(self.lowering.aig_mut(), &bits, &divisor)
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

    fn sum(&self, linear: &Linear) -> Sum {
        let monomials = linear.monomials.iter();
        let parts = monomials.map(|(atom, factor)| (&self.integers[atom], rational(factor)));
        Sum::of(rational(&linear.constant), parts)
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
