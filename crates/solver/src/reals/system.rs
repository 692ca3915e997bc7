//! Float conditions read as conditions on real numbers, and the contraction of a box of values by them.
//!
//! Operations without an equivalent in real arithmetic are abstracted (section V of the paper): a rounding to an
//! integer is within 1 of its operand, a remainder no larger than its operands, integers that may wrap around are anything
//! of their type, and any other operation can have any value. Alternatives make several [cases](System::cases).

use super::functions;
use super::interval::Interval;
use crate::boxes::Ways;
use float::{FloatFormat, MathFunction, Reading, RoundingMode};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term};

/// An operation on nodes before it.
#[derive(Clone, Copy, Debug)]
pub(super) enum RealOp {
    Constant(Interval),
    /// A variable, by its place.
    Variable(usize),
    Sum(usize, usize),
    Difference(usize, usize),
    Product(usize, usize),
    Quotient(usize, usize),
    Square(usize),
    Root(usize),
    Negated(usize),
    Absolute(usize),
    Smaller(usize, usize),
    Larger(usize, usize),
    /// Within 1 of a node.
    Near(usize),
    /// A remainder of two nodes.
    Remainder(usize, usize),
    /// One of two nodes.
    Either(usize, usize),
    /// A function of the mathematical library, of the first node if it has one argument.
    Call(MathFunction, usize, usize),
    /// A node, if it is in this interval; otherwise it wraps around and can be anything of it.
    Wrapped(usize, Interval),
    Anything,
}

/// More cases than that are not told apart: alternatives are left out.
const MOST_CASES: usize = 64;
/// Parts of conditions that are looked at.
const MOST_PARTS: usize = 4096;
/// Conditions that are nested deeper are left out.
const MOST_DEPTH: usize = 64;
/// Operations on numbers that a function of the library is worth.
const CALL_COST: u64 = 32;

/// A node at most another one, or equal to it.
#[derive(Clone, Copy)]
pub(super) struct Constraint {
    pub left: usize,
    pub right: usize,
    pub is_equality: bool,
}

/// How the bits of a variable are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Float(FloatFormat),
    Signed,
    Unsigned,
}

/// An input of the conditions: a float or an integer of at most 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    /// The bits, which are no float's.
    pub bits: Term,
    pub kind: Kind,
    /// The least and the greatest number of its type.
    pub range: Interval,
}

impl Variable {
    /// Integers between two numbers, for an integer.
    pub fn integers(&self, of: Interval) -> Interval {
        match self.kind {
            Kind::Float(_) => of,
            Kind::Signed | Kind::Unsigned => Interval::new(of.low.ceil(), of.high.floor()),
        }
    }
}

/// The numbers of a type of integers.
fn integers(width: u32, signed: bool) -> Interval {
    if signed {
        let half = 2f64.powi(width as i32 - 1);
        Interval::new(-half, half - 1.0)
    } else {
        Interval::new(0.0, 2f64.powi(width as i32) - 1.0)
    }
}

/// The numbers of a float's format.
fn floats(format: FloatFormat) -> Interval {
    if format.bits() > 64 {
        return Interval::ALL;
    }
    let (precision, exponent) = (format.precision() as i32, format.exponent_bits());
    let most = (2.0 - 2f64.powi(1 - precision)) * 2f64.powi((1 << (exponent - 1)) - 1);
    if most.is_finite() {
        Interval::new(-most, most)
    } else {
        Interval::ALL
    }
}

/// A condition, as far as it is understood.
enum Formula {
    /// Any assignment may satisfy it.
    Unknown,
    Atom(Constraint),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Formula {
    /// Adds what it says without its alternatives.
    fn certain(&self, constraints: &mut Vec<Constraint>) {
        match self {
            Formula::Unknown | Formula::Any(_) => {}
            Formula::Atom(constraint) => constraints.push(*constraint),
            Formula::All(parts) => parts.iter().for_each(|part| part.certain(constraints)),
        }
    }

    fn is_known(&self) -> bool {
        !matches!(self, Formula::Unknown)
    }

    fn all(mut parts: Vec<Formula>) -> Formula {
        parts.retain(Formula::is_known);
        match parts.len() {
            0 => Formula::Unknown,
            _ => Formula::All(parts),
        }
    }

    /// Ways that nothing is known of are one.
    fn any(mut parts: Vec<Formula>) -> Formula {
        let count = parts.len();
        parts.retain(Formula::is_known);
        match parts.len() {
            0 => return Formula::Unknown,
            known if known < count => parts.push(Formula::Unknown),
            _ => {}
        }
        Formula::Any(parts)
    }
}

/// Conditions over the reals.
pub(super) struct System {
    nodes: Vec<RealOp>,
    cases: Vec<Vec<Constraint>>,
    cost: u64,
    pub variables: Vec<Variable>,
}

impl System {
    pub fn new(pool: &Pool, conditions: &[Term]) -> System {
        let mut compiler = Compiler {
            pool,
            known: FxHashMap::default(),
            integers: FxHashMap::default(),
            read: FxHashMap::default(),
            parts: MOST_PARTS,
            system: System {
                nodes: Vec::new(),
                cases: vec![Vec::new()],
                cost: 0,
                variables: Vec::new(),
            },
        };
        for t in pool.cone(conditions) {
            compiler.float(t);
        }
        let mut certain = Vec::new();
        for &t in conditions {
            let formula = compiler.formula(t, true, 0);
            formula.certain(&mut certain);
            compiler.system.restrict(&formula);
        }
        let mut system = compiler.system;
        // First without the alternatives: there are few boxes then, and the floats around a solution often fulfil them, too.
        if system.cases.len() > 1 && !certain.is_empty() {
            system.cases.insert(0, certain);
        }
        let cost = |node: &RealOp| match node {
            RealOp::Call(..) => CALL_COST,
            _ => 1,
        };
        system.cost = 2 * system.nodes.iter().map(cost).sum::<u64>();
        system
    }

    /// Keeps the cases in which a formula holds, too.
    fn restrict(&mut self, formula: &Formula) {
        match formula {
            Formula::Unknown => {}
            Formula::Atom(constraint) => self.cases.iter_mut().for_each(|c| c.push(*constraint)),
            Formula::All(parts) => parts.iter().for_each(|part| self.restrict(part)),
            Formula::Any(parts) => {
                if self.cases.len() * parts.len() > MOST_CASES {
                    return;
                }
                let before = std::mem::take(&mut self.cases);
                for part in parts {
                    let mut with = System {
                        nodes: Vec::new(),
                        cases: before.clone(),
                        cost: 0,
                        variables: Vec::new(),
                    };
                    with.restrict(part);
                    self.cases.append(&mut with.cases);
                }
            }
        }
    }

    pub fn nodes(&self) -> &[RealOp] {
        &self.nodes
    }

    /// The conditions, once for each way through their alternatives (a solution satisfies one of them), and before these what they say
    /// without alternatives, if they have any.
    pub fn cases(&self) -> &[Vec<Constraint>] {
        &self.cases
    }

    /// All numbers of the variables' types up to a limit.
    pub fn first_box(&self, limit: f64) -> Vec<Interval> {
        let near = Interval::new(-limit, limit);
        self.variables.iter().map(|v| v.range.meet(near)).collect()
    }

    /// Is there a condition and something to move?
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty() || self.cases.iter().all(Vec::is_empty)
    }

    /// The number of operations that one contraction takes, about.
    pub fn cost(&self, case: &[Constraint]) -> u64 {
        self.cost + 2 * case.len() as u64
    }

    /// The values of the nodes on a box, up to the first that has none.
    pub fn values(&self, variables: &[Interval]) -> Vec<Interval> {
        let mut values: Vec<Interval> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let value = forward(node, &values, variables);
            if value.is_empty() {
                break;
            }
            values.push(value);
        }
        values
    }

    /// Narrows the variables to values that no single condition excludes; "no" if there are none.
    pub fn contract(&self, case: &[Constraint], variables: &mut [Interval]) -> bool {
        let mut values = self.values(variables);
        if values.len() < self.nodes.len() {
            return false;
        }
        for constraint in case {
            let (a, b) = (values[constraint.left], values[constraint.right]);
            let (a, b) = if constraint.is_equality {
                (a.meet(b), a.meet(b))
            } else {
                (a.meet(b.down()), b.meet(a.up()))
            };
            if a.is_empty() || b.is_empty() {
                return false;
            }
            values[constraint.left] = a;
            values[constraint.right] = b;
        }
        for k in (0..self.nodes.len()).rev() {
            if !backward(self.nodes[k], values[k], &mut values, variables) {
                return false;
            }
        }
        for (variable, of) in self.variables.iter().zip(variables) {
            *of = variable.integers(*of);
            if of.is_empty() {
                return false;
            }
        }
        true
    }
}

fn forward(node: RealOp, values: &[Interval], variables: &[Interval]) -> Interval {
    let of = |k: usize| values[k];
    match node {
        RealOp::Constant(value) => value,
        RealOp::Variable(k) => variables[k],
        RealOp::Sum(a, b) => of(a).plus(of(b)),
        RealOp::Difference(a, b) => of(a).minus(of(b)),
        RealOp::Product(a, b) => of(a).times(of(b)),
        RealOp::Quotient(a, b) => of(a).over(of(b)),
        RealOp::Square(a) => of(a).square(),
        RealOp::Root(a) => of(a).root(),
        RealOp::Negated(a) => of(a).negated(),
        RealOp::Absolute(a) => of(a).absolute(),
        RealOp::Smaller(a, b) => {
            Interval::new(of(a).low.min(of(b).low), of(a).high.min(of(b).high))
        }
        RealOp::Larger(a, b) => Interval::new(of(a).low.max(of(b).low), of(a).high.max(of(b).high)),
        RealOp::Near(a) => of(a).plus(Interval::new(-1.0, 1.0)),
        RealOp::Remainder(a, b) => {
            let most = of(a).absolute().high.min(of(b).absolute().high);
            Interval::new(-most, most)
        }
        RealOp::Either(a, b) => of(a).join(of(b)),
        RealOp::Call(function, a, b) => functions::forward(function, of(a), of(b)),
        RealOp::Wrapped(a, range) => {
            if of(a).is_in(range) {
                of(a)
            } else {
                range
            }
        }
        RealOp::Anything => Interval::ALL,
    }
}

/// Narrows the operands of a node with this value; "no" if nothing is left of one.
fn backward(
    node: RealOp,
    own: Interval,
    values: &mut [Interval],
    variables: &mut [Interval],
) -> bool {
    match node {
        RealOp::Constant(_) | RealOp::Anything | RealOp::Remainder(..) => true,
        RealOp::Variable(k) => {
            variables[k] = variables[k].meet(own);
            !variables[k].is_empty()
        }
        RealOp::Either(a, b) if values[a].meet(own).is_empty() => narrow(values, b, own),
        RealOp::Either(a, b) if values[b].meet(own).is_empty() => narrow(values, a, own),
        RealOp::Either(..) => true,
        RealOp::Call(function, a, b) => {
            let (x, y) = functions::backward(function, own, values[a], values[b]);
            narrow(values, a, x) && (a == b || narrow(values, b, y))
        }
        RealOp::Wrapped(a, range) => !values[a].is_in(range) || narrow(values, a, own),
        RealOp::Negated(a) => narrow(values, a, own.negated()),
        RealOp::Absolute(a) => narrow(values, a, own.with_opposites()),
        RealOp::Near(a) => narrow(values, a, own.plus(Interval::new(-1.0, 1.0))),
        RealOp::Root(a) => narrow(
            values,
            a,
            own.meet(Interval::new(0.0, f64::INFINITY)).square(),
        ),
        RealOp::Square(a) => narrow(values, a, own.root().with_opposites()),
        RealOp::Smaller(a, b) => narrow(values, a, own.up()) && narrow(values, b, own.up()),
        RealOp::Larger(a, b) => narrow(values, a, own.down()) && narrow(values, b, own.down()),
        RealOp::Sum(a, b) => {
            let (x, y) = (values[a], values[b]);
            values[a] = x.meet(own.minus(y));
            values[b] = y.meet(own.minus(x));
            !values[a].is_empty() && !values[b].is_empty()
        }
        RealOp::Difference(a, b) => {
            let (x, y) = (values[a], values[b]);
            values[a] = x.meet(own.plus(y));
            values[b] = y.meet(x.minus(own));
            !values[a].is_empty() && !values[b].is_empty()
        }
        RealOp::Product(a, b) => {
            let (x, y) = (values[a], values[b]);
            // Where one factor can be 0, and the product too, nothing follows for the other one.
            if !(y.has(0.0) && own.has(0.0)) {
                values[a] = x.meet(own.over(y));
            }
            if !(x.has(0.0) && own.has(0.0)) {
                values[b] = y.meet(own.over(x));
            }
            !values[a].is_empty() && !values[b].is_empty()
        }
        RealOp::Quotient(a, b) => {
            let (x, y) = (values[a], values[b]);
            values[a] = x.meet(own.times(y));
            if !(x.has(0.0) && own.has(0.0)) {
                values[b] = y.meet(x.over(own));
            }
            !values[a].is_empty() && !values[b].is_empty()
        }
    }
}

/// Narrows a node; "no" if nothing is left of it.
fn narrow(values: &mut [Interval], k: usize, with: Interval) -> bool {
    values[k] = values[k].meet(with);
    !values[k].is_empty()
}

struct Compiler<'a> {
    pool: &'a Pool,
    known: FxHashMap<Term, usize>,
    /// Variables that are integers, with their nodes.
    integers: FxHashMap<Term, (usize, Kind)>,
    /// Nodes of integers that were read with a sign or without one.
    read: FxHashMap<(Term, bool), usize>,
    /// Parts of conditions that may still be looked at: shared ones are, once for each way that leads to them.
    parts: usize,
    system: System,
}

impl Compiler<'_> {
    fn node(&mut self, node: RealOp) -> usize {
        self.system.nodes.push(node);
        self.system.nodes.len() - 1
    }

    fn variable(&mut self, bits: Term, kind: Kind) -> RealOp {
        let width = self.pool.width(bits);
        let range = match kind {
            Kind::Float(format) => floats(format),
            Kind::Signed | Kind::Unsigned => integers(width, kind == Kind::Signed),
        };
        self.system.variables.push(Variable { bits, kind, range });
        RealOp::Variable(self.system.variables.len() - 1)
    }

    /// The node of a float whose operands have theirs.
    fn float(&mut self, t: Term) {
        let pool = self.pool;
        if !matches!(pool.sort(t), Sort::Float(_)) {
            return;
        }
        let kids: Vec<usize> = (pool.children(t).iter())
            .filter_map(|kid| self.known.get(kid).copied())
            .collect();
        let node = match (pool.op(t), &kids[..]) {
            (Op::FAdd, &[a, b]) => RealOp::Sum(a, b),
            (Op::FSub, &[a, b]) => RealOp::Difference(a, b),
            (Op::FMul, &[a, b]) if a == b => RealOp::Square(a),
            (Op::FMul, &[a, b]) => RealOp::Product(a, b),
            (Op::FDiv, &[a, b]) => RealOp::Quotient(a, b),
            (Op::Fma, &[a, b, c]) => {
                let product = self.node(RealOp::Product(a, b));
                RealOp::Sum(product, c)
            }
            (Op::FSqrt, &[a]) => RealOp::Root(a),
            (Op::FNeg, &[a]) => RealOp::Negated(a),
            (Op::FAbs, &[a]) => RealOp::Absolute(a),
            (Op::FMin, &[a, b]) => RealOp::Smaller(a, b),
            (Op::FMax, &[a, b]) => RealOp::Larger(a, b),
            (Op::FRound, &[a]) => RealOp::Near(a),
            (Op::FRem | Op::FRemainder, &[a, b]) => RealOp::Remainder(a, b),
            (Op::Ite, &[a, b]) => RealOp::Either(a, b),
            (Op::FCall, &[a]) => RealOp::Call(pool.math_function(t), a, a),
            (Op::FCall, &[a, b]) => RealOp::Call(pool.math_function(t), a, b),
            (Op::FpToFp, &[a]) => {
                self.known.insert(t, a);
                return;
            }
            (Op::SintToFp | Op::UintToFp, _) => {
                let signed = pool.op(t) == Op::SintToFp;
                if let Some(node) = self.integer(pool.child(t, 0), signed, true, 0) {
                    self.known.insert(t, node);
                    return;
                }
                RealOp::Anything
            }
            (Op::FpFromBits, _) => {
                let (bits, format) = (pool.child(t, 0), pool.float_format(t));
                let is_narrow = matches!(pool.sort(bits), Sort::BitVec(1..=64));
                if pool.is_const(bits) {
                    constant(format, &pool.const_limbs(bits))
                } else if is_narrow && !pool.has_float(bits) {
                    self.variable(bits, Kind::Float(format))
                } else {
                    RealOp::Anything
                }
            }
            _ => RealOp::Anything,
        };
        let node = self.node(node);
        self.known.insert(t, node);
    }

    /// The node of an integer, read with a sign or without one. Inputs are new variables only if `may_add`.
    fn integer(&mut self, t: Term, signed: bool, may_add: bool, depth: usize) -> Option<usize> {
        if let Some(&node) = self.read.get(&(t, signed)) {
            return Some(node);
        }
        self.parts = self.parts.checked_sub(1)?;
        let node = self.integer_anew(t, signed, may_add, depth)?;
        self.read.insert((t, signed), node);
        Some(node)
    }

    fn integer_anew(
        &mut self,
        t: Term,
        signed: bool,
        may_add: bool,
        depth: usize,
    ) -> Option<usize> {
        let pool = self.pool;
        let Sort::BitVec(width @ 1..=64) = pool.sort(t) else {
            return None;
        };
        if depth > MOST_DEPTH {
            return None;
        }
        let range = integers(width, signed);
        let kids = pool.children(t);
        let node = match pool.op(t) {
            Op::Const => {
                let value = pool.as_const(t)?;
                let value = if signed {
                    i128::from(((value << (64 - width)) as i64) >> (64 - width))
                } else {
                    i128::from(value)
                };
                let near = value as f64;
                let exact = near as i128 == value;
                let (low, high) = if exact {
                    (near, near)
                } else {
                    (near.next_down(), near.next_up())
                };
                return Some(self.node(RealOp::Constant(Interval::new(low, high))));
            }
            Op::FpToSint | Op::FpToUint => {
                let operand = *self.known.get(&pool.child(t, 0))?;
                return Some(self.node(RealOp::Near(operand)));
            }
            Op::Zext => {
                let kid = kids[0];
                return self.integer(kid, false, may_add, depth + 1);
            }
            Op::Sext if signed => {
                let kid = kids[0];
                return self.integer(kid, true, may_add, depth + 1);
            }
            Op::Add | Op::Sub | Op::Mul => {
                let (op, kids) = (pool.op(t), [kids[0], kids[1]]);
                let a = self.integer(kids[0], signed, may_add, depth + 1)?;
                let b = self.integer(kids[1], signed, may_add, depth + 1)?;
                self.node(match op {
                    Op::Add => RealOp::Sum(a, b),
                    Op::Sub => RealOp::Difference(a, b),
                    _ if a == b => RealOp::Square(a),
                    _ => RealOp::Product(a, b),
                })
            }
            _ => {
                let wanted = if signed { Kind::Signed } else { Kind::Unsigned };
                match self.integers.get(&t).copied() {
                    Some((node, kind)) if kind == wanted => return Some(node),
                    Some((node, _)) => node,
                    None if !may_add || pool.has_float(t) => return None,
                    None => {
                        let variable = self.variable(t, wanted);
                        let node = self.node(variable);
                        self.integers.insert(t, (node, wanted));
                        return Some(node);
                    }
                }
            }
        };
        Some(self.node(RealOp::Wrapped(node, range)))
    }

    /// What a condition says, or its negation.
    fn formula(&mut self, t: Term, holds: bool, depth: usize) -> Formula {
        let pool = self.pool;
        if depth > MOST_DEPTH || self.parts == 0 {
            return Formula::Unknown;
        }
        self.parts -= 1;
        let kids = pool.children(t).to_vec();
        match pool.op(t) {
            Op::Not => self.formula(kids[0], !holds, depth + 1),
            op @ (Op::And | Op::Or) => {
                let parts = kids.iter().map(|&kid| self.formula(kid, holds, depth + 1));
                let parts = parts.collect();
                if (op == Op::And) == holds {
                    Formula::all(parts)
                } else {
                    Formula::any(parts)
                }
            }
            Op::Ite if pool.width(t) == 1 => {
                let mut way = |is_true: bool, kid: Term| {
                    let condition = self.formula(kids[0], is_true, depth + 1);
                    Formula::all(vec![condition, self.formula(kid, holds, depth + 1)])
                };
                Formula::any(vec![way(true, kids[1]), way(false, kids[2])])
            }
            _ => match self.constraint(t, holds) {
                Some(constraint) => Formula::Atom(constraint),
                None => Formula::Unknown,
            },
        }
    }

    fn constraint(&mut self, t: Term, holds: bool) -> Option<Constraint> {
        let pool = self.pool;
        let (op, kids) = (pool.op(t), pool.children(t).to_vec());
        let (left, right, ways) = match op {
            Op::FCmp => {
                let of = |k: usize| self.known.get(&kids[k]).copied();
                (of(0)?, of(1)?, Ways::where_is(pool.predicate(t), holds))
            }
            Op::Eq | Op::Slt | Op::Ult if matches!(pool.sort(kids[0]), Sort::BitVec(1..=64)) => {
                let is_unsigned = |kid: &Term| {
                    pool.op(*kid) == Op::FpToUint
                        || (self.integers.get(kid)).is_some_and(|(_, kind)| *kind == Kind::Unsigned)
                };
                let signed = op == Op::Slt || op == Op::Eq && !kids.iter().any(is_unsigned);
                let ways = Ways {
                    less: (op != Op::Eq) == holds,
                    equal: (op == Op::Eq) == holds,
                    greater: !holds,
                    unordered: false,
                };
                // Integers that no float depends on are not ours.
                let left = self.integer(kids[0], signed, false, 0)?;
                (left, self.integer(kids[1], signed, false, 0)?, ways)
            }
            _ => return None,
        };
        let (left, right) = match (ways.less, ways.greater) {
            (true, true) => return None,
            (_, false) => (left, right),
            (false, true) => (right, left),
        };
        let is_equality = !ways.less && !ways.greater;
        if is_equality && !ways.equal {
            return None;
        }
        Some(Constraint {
            left,
            right,
            is_equality,
        })
    }
}

/// A pattern's number as a double.
fn double(format: FloatFormat, limbs: &[u64], mode: RoundingMode) -> f64 {
    let (double, reading) = (FloatFormat::DOUBLE, Reading::Machine);
    let bits = if format.bits() <= 128 {
        let high = limbs.get(1).copied().unwrap_or(0);
        let bits = u128::from(limbs[0]) | u128::from(high) << 64;
        float::pattern::convert(format, double, reading, mode, bits) as u64
    } else {
        let halves = limbs
            .iter()
            .flat_map(|&limb| [limb as u32, (limb >> 32) as u32]);
        let bits = BigUint::new(halves.collect());
        let (bits, _) = float::pattern::convert_in(format, double, reading, mode, &bits);
        bits.iter_u64_digits().next().unwrap_or(0)
    };
    f64::from_bits(bits)
}

/// A constant between doubles; anything if it is no number.
fn constant(format: FloatFormat, limbs: &[u64]) -> RealOp {
    let value = Interval::new(
        double(format, limbs, RoundingMode::TowardNegative),
        double(format, limbs, RoundingMode::TowardPositive),
    );
    if !value.low.is_finite() || !value.high.is_finite() {
        return RealOp::Anything;
    }
    RealOp::Constant(value)
}
