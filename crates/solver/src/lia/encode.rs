//! Formulas over the integers as clauses and bounds.
//!
//! The Boolean structure becomes clauses (Tseitin). `sum <= 0` becomes a literal that stands for an
//! upper bound of a simplex variable; its negation is the next lower bound, as all are integers.
//! Atoms with equal sums share the variable, and their bounds are ordered by binary clauses. An
//! equation is the conjunction of its two inequalities, so that a disequality is split by the SAT
//! solver. `ite` of integers is a variable with two guarded equations; `x div k` a variable `q` with
//! `0 <= x - k·q < k`, which `x mod k` is.

use super::affine::{Affine, rational};
use crate::query::Why;
use batsat::{Callbacks, Lit, Solver, SolverInterface, Var as SatVar};
use linear::{Form, Integers, Rational, Side, Var};
use rustc_hash::FxHashMap;
use term::{BigInt, Linear, Op, Pool, Sort, Symbol, Term};

/// Terms that the encoder may meet; more end the query as too large.
const MAX_TERMS: usize = 2_000_000;

/// What a literal says about an integer: true is `var <= bound`, false is `var >= bound + 1`.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub var: Var,
    pub bound: Rational,
}

/// The formula as clauses, atoms, and an integer problem.
pub(super) struct Encoding<C: Callbacks> {
    pub sat: Solver<C>,
    /// A literal that is true.
    pub truth: Lit,
    pub problem: Integers,
    /// By SAT variable.
    pub atoms: Vec<Option<Atom>>,
    /// Integer symbols with their variables.
    pub symbols: FxHashMap<Symbol, Var>,
    /// Boolean symbols with their literals.
    pub booleans: FxHashMap<Symbol, Lit>,
    literals: FxHashMap<Term, Lit>,
    integers: FxHashMap<Term, Affine>,
    sums: FxHashMap<Form, Var>,
    bounds: FxHashMap<(Var, Rational), Lit>,
    /// Bounds that hold always: variable, side, value.
    pub fixed: Vec<(Var, Side, Rational)>,
}

impl<C: Callbacks> Encoding<C> {
    pub fn new(callbacks: C) -> Encoding<C> {
        let mut sat = Solver::new(Default::default(), callbacks);
        let truth = Lit::new(sat.new_var_default(), true);
        sat.add_clause_reuse(&mut vec![truth]);
        Encoding {
            sat,
            truth,
            problem: Integers::new(),
            atoms: vec![None],
            symbols: FxHashMap::default(),
            booleans: FxHashMap::default(),
            literals: FxHashMap::default(),
            integers: FxHashMap::default(),
            sums: FxHashMap::default(),
            bounds: FxHashMap::default(),
            fixed: Vec::new(),
        }
    }

    /// The literal of each condition.
    pub fn conditions(&mut self, pool: &Pool, conditions: &[Term]) -> Result<Vec<Lit>, Why> {
        let cone = pool.cone(conditions);
        if cone.len() > MAX_TERMS {
            return Err(Why::TooLarge);
        }
        for t in cone {
            match pool.sort(t) {
                Sort::BitVec(1) => {
                    let lit = self.condition(pool, t)?;
                    self.literals.insert(t, lit);
                }
                Sort::Int => self.integer(pool, t),
                _ => return Err(Why::Unsupported("integers mixed with other sorts")),
            }
        }
        self.order_bounds();
        Ok(conditions.iter().map(|t| self.literals[t]).collect())
    }

    fn fresh(&mut self) -> Lit {
        let var: SatVar = self.sat.new_var_default();
        self.atoms.push(None);
        debug_assert_eq!(var.idx() as usize + 1, self.atoms.len());
        Lit::new(var, true)
    }

    fn clause(&mut self, lits: &[Lit]) {
        self.sat.add_clause_reuse(&mut lits.to_vec());
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == !self.truth || b == !self.truth || a == !b {
            return !self.truth;
        }
        if a == self.truth || a == b {
            return b;
        }
        if b == self.truth {
            return a;
        }
        let g = self.fresh();
        self.clause(&[!g, a]);
        self.clause(&[!g, b]);
        self.clause(&[g, !a, !b]);
        g
    }

    fn ite(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if c == self.truth || t == e {
            return t;
        }
        if c == !self.truth {
            return e;
        }
        let g = self.fresh();
        self.clause(&[!c, !t, g]);
        self.clause(&[!c, t, !g]);
        self.clause(&[c, !e, g]);
        self.clause(&[c, e, !g]);
        g
    }

    fn condition(&mut self, pool: &Pool, t: Term) -> Result<Lit, Why> {
        if let Some(linear) = pool.linear_atom(t) {
            return Ok(match pool.op(t) {
                Op::Eq => self.equation(&linear),
                _ => self.at_most_zero(&linear),
            });
        }
        let kids = pool.children(t);
        let lit = |i: usize| self.literals.get(&kids[i]).copied();
        let mixed = Why::Unsupported("integers mixed with bit-vectors");
        Ok(match (pool.op(t), kids.len()) {
            (Op::Const, _) => match t == Term::TRUE {
                true => self.truth,
                false => !self.truth,
            },
            (Op::Symbol, _) => {
                let lit = self.fresh();
                self.booleans
                    .insert(pool.as_symbol(t).expect("a symbol"), lit);
                lit
            }
            (Op::Not, _) => !lit(0).ok_or(mixed)?,
            (op, 2) => {
                let (a, b) = (lit(0).ok_or(mixed)?, lit(1).ok_or(mixed)?);
                match op {
                    Op::And => self.and(a, b),
                    Op::Or => !self.and(!a, !b),
                    Op::Xor => self.ite(a, !b, b),
                    Op::Eq => self.ite(a, b, !b),
                    Op::Ult => self.and(!a, b),
                    _ => return Err(mixed),
                }
            }
            (Op::Ite, 3) => {
                let (c, a, b) = (lit(0), lit(1), lit(2));
                self.ite(c.ok_or(mixed)?, a.ok_or(mixed)?, b.ok_or(mixed)?)
            }
            _ => return Err(mixed),
        })
    }

    /// Gives an integer term that is no sum its affine form.
    fn integer(&mut self, pool: &Pool, t: Term) {
        let affine = match pool.op(t) {
            Op::Symbol => {
                let v = self.problem.new_var();
                self.symbols.insert(pool.as_symbol(t).expect("a symbol"), v);
                Affine {
                    form: Form::var(v),
                    constant: Rational::ZERO,
                }
            }
            Op::IntDiv | Op::IntMod => self.division(pool, t),
            Op::Ite => {
                let guard = self.literals[&pool.child(t, 0)];
                let v = self.problem.new_var();
                for (guard, side) in [(guard, pool.child(t, 1)), (!guard, pool.child(t, 2))] {
                    let mut difference = self.affine(&pool.linear(side));
                    difference
                        .form
                        .add_scaled(&Form::var(v), &Rational::MINUS_ONE);
                    let equal = self.equal_zero(&difference);
                    self.clause(&[!guard, equal]);
                }
                Affine {
                    form: Form::var(v),
                    constant: Rational::ZERO,
                }
            }
            // Sums, products and constants are read through `Pool::linear`.
            _ => return,
        };
        self.integers.insert(t, affine);
    }

    fn division(&mut self, pool: &Pool, t: Term) -> Affine {
        let divisor = pool.as_int(pool.child(t, 1)).expect("a constant divisor");
        let divisor = rational(&divisor);
        let dividend = self.affine(&pool.linear(pool.child(t, 0)));
        // A quotient is shared by the division and the remainder through its sum.
        let q = self.problem.new_var();
        let mut rest = dividend;
        rest.form.add_scaled(&Form::var(q), &-&divisor);
        let v = self.sum(&rest.form);
        let last = &divisor - &Rational::ONE;
        self.fixed.push((v, Side::Lower, -&rest.constant));
        self.fixed.push((v, Side::Upper, &last - &rest.constant));
        match pool.op(t) {
            Op::IntDiv => Affine {
                form: Form::var(q),
                constant: Rational::ZERO,
            },
            _ => rest,
        }
    }

    fn affine(&self, linear: &Linear) -> Affine {
        let mut sum = Affine {
            form: Form::new(),
            constant: rational(&linear.constant),
        };
        for (atom, factor) in &linear.monomials {
            sum.add_scaled(&self.integers[atom], &rational(factor));
        }
        sum
    }

    /// The variable of a form with at least one term.
    fn sum(&mut self, form: &Form) -> Var {
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

    fn at_most_zero(&mut self, linear: &Linear) -> Lit {
        let affine = self.affine(linear);
        let bound = -&affine.constant;
        self.at_most(&affine.form, &bound)
    }

    /// The literal of `form <= bound`, for any rational bound and integer form.
    fn at_most(&mut self, form: &Form, bound: &Rational) -> Lit {
        let Some((_, first)) = form.terms().first() else {
            return match bound.is_negative() {
                true => !self.truth,
                false => self.truth,
            };
        };
        let factor = form.primitive_factor();
        if first.is_negative() {
            // -f <= b is f >= -b, the opposite of f <= -b - 1 (rounded).
            let opposite = form.scaled(&-&factor);
            let least = (&-bound * &factor).ceil();
            let v = self.sum(&opposite);
            return !self.bound(v, &least - &Rational::ONE);
        }
        let v = self.sum(&form.scaled(&factor));
        self.bound(v, (bound * &factor).floor())
    }

    fn bound(&mut self, var: Var, bound: Rational) -> Lit {
        if let Some(&lit) = self.bounds.get(&(var, bound.clone())) {
            return lit;
        }
        let lit = self.fresh();
        self.atoms[lit.var().idx() as usize] = Some(Atom {
            var,
            bound: bound.clone(),
        });
        self.bounds.insert((var, bound), lit);
        lit
    }

    fn equation(&mut self, linear: &Linear) -> Lit {
        let affine = self.affine(linear);
        self.equal_zero(&affine)
    }

    fn equal_zero(&mut self, affine: &Affine) -> Lit {
        let factor = affine.form.primitive_factor();
        if !affine.form.is_zero() && !(&affine.constant * &factor).is_integer() {
            return !self.truth;
        }
        let above = self.at_most(&affine.form, &-&affine.constant);
        let opposite = match affine.form.is_zero() {
            true => Form::new(),
            false => affine.form.scaled(&Rational::MINUS_ONE),
        };
        let below = self.at_most(&opposite, &affine.constant);
        self.and(above, below)
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
                self.clause(&[!pair[0].2, pair[1].2]);
            }
        }
    }
}

/// The value that an integer symbol takes in a solution.
pub(super) fn value_of(solution: &[Rational], var: Var) -> BigInt {
    super::affine::integer(&solution[var.at()])
}
