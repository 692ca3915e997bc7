//! Float conditions read as conditions on real numbers, and the contraction of a box of values by them.
//!
//! Operations without an equivalent in real arithmetic are abstracted (section V of the paper): a rounding to an
//! integer is within 1 of its operand, a remainder no larger than its operands, and any other can have any value.
//! Alternatives are left out.

use super::interval::Interval;
use crate::boxes::Ways;
use float::{FloatFormat, Reading, RoundingMode};
use rustc_hash::{FxHashMap, FxHashSet};
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
    Anything,
}

/// A node at most another one, or equal to it.
pub(super) struct Constraint {
    pub left: usize,
    pub right: usize,
    pub is_equality: bool,
}

/// An input of the conditions: a float or an integer of at most 64 bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Variable {
    /// The bits, which are no float's.
    pub bits: Term,
    /// The float's or integer's term.
    pub term: Term,
}

/// Conditions over the reals.
pub(super) struct System {
    nodes: Vec<RealOp>,
    constraints: Vec<Constraint>,
    pub variables: Vec<Variable>,
}

impl System {
    pub fn new(pool: &Pool, conditions: &[Term]) -> System {
        let mut compiler = Compiler {
            pool,
            known: FxHashMap::default(),
            system: System {
                nodes: Vec::new(),
                constraints: Vec::new(),
                variables: Vec::new(),
            },
        };
        for t in pool.cone(conditions) {
            compiler.float(t);
        }
        let mut pending: Vec<(Term, bool)> = conditions.iter().map(|&t| (t, true)).collect();
        let mut seen = FxHashSet::default();
        while let Some((t, holds)) = pending.pop() {
            if !seen.insert((t, holds)) {
                continue;
            }
            let kids = pool.children(t);
            match pool.op(t) {
                Op::Not => pending.push((kids[0], !holds)),
                Op::And if holds => pending.extend(kids.iter().map(|&kid| (kid, true))),
                Op::Or if !holds => pending.extend(kids.iter().map(|&kid| (kid, false))),
                _ => compiler.constraint(t, holds),
            }
        }
        compiler.system
    }

    pub fn nodes(&self) -> &[RealOp] {
        &self.nodes
    }

    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Is there a condition and something to move?
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty() || self.variables.is_empty()
    }

    /// The number of nodes and constraints that one contraction visits.
    pub fn cost(&self) -> u64 {
        2 * (self.nodes.len() + self.constraints.len()) as u64
    }

    /// Narrows the variables to values that no single condition excludes; "no" if there are none.
    pub fn contract(&self, variables: &mut [Interval]) -> bool {
        let mut values: Vec<Interval> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let value = forward(node, &values, variables);
            if value.is_empty() {
                return false;
            }
            values.push(value);
        }
        for constraint in &self.constraints {
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
    let mut narrow = |k: usize, with: Interval| {
        values[k] = values[k].meet(with);
        !values[k].is_empty()
    };
    match node {
        RealOp::Constant(_) | RealOp::Anything | RealOp::Remainder(..) => true,
        RealOp::Variable(k) => {
            variables[k] = variables[k].meet(own);
            !variables[k].is_empty()
        }
        RealOp::Negated(a) => narrow(a, own.negated()),
        RealOp::Absolute(a) => narrow(a, own.with_opposites()),
        RealOp::Near(a) => narrow(a, own.plus(Interval::new(-1.0, 1.0))),
        RealOp::Root(a) => narrow(a, own.meet(Interval::new(0.0, f64::INFINITY)).square()),
        RealOp::Square(a) => narrow(a, own.root().with_opposites()),
        RealOp::Smaller(a, b) => narrow(a, own.up()) && narrow(b, own.up()),
        RealOp::Larger(a, b) => narrow(a, own.down()) && narrow(b, own.down()),
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

struct Compiler<'a> {
    pool: &'a Pool,
    known: FxHashMap<Term, usize>,
    system: System,
}

impl Compiler<'_> {
    fn node(&mut self, node: RealOp) -> usize {
        self.system.nodes.push(node);
        self.system.nodes.len() - 1
    }

    fn variable(&mut self, term: Term, bits: Term) -> RealOp {
        let variable = Variable { bits, term };
        self.system.variables.push(variable);
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
            (Op::FpToFp, &[a]) => {
                self.known.insert(t, a);
                return;
            }
            (Op::FpFromBits | Op::SintToFp | Op::UintToFp, _) => {
                let bits = pool.child(t, 0);
                let is_narrow = matches!(pool.sort(bits), Sort::BitVec(1..=64));
                if pool.is_const(bits) && pool.op(t) == Op::FpFromBits {
                    constant(pool.float_format(t), &pool.const_limbs(bits))
                } else if is_narrow && !pool.has_float(bits) {
                    self.variable(t, bits)
                } else {
                    RealOp::Anything
                }
            }
            _ => RealOp::Anything,
        };
        let node = self.node(node);
        self.known.insert(t, node);
    }

    /// The node of one side of a comparison of integers.
    fn integer(&mut self, t: Term, signed: bool) -> Option<usize> {
        let pool = self.pool;
        match pool.op(t) {
            Op::Const => {
                let width = pool.width(t);
                let value = pool.as_const(t)?;
                let value = if signed {
                    (((value << (64 - width)) as i64) >> (64 - width)) as f64
                } else {
                    value as f64
                };
                let value = Interval::new(value, value);
                Some(self.node(RealOp::Constant(value)))
            }
            Op::FpToSint | Op::FpToUint => {
                let operand = *self.known.get(&pool.child(t, 0))?;
                Some(self.node(RealOp::Near(operand)))
            }
            _ => None,
        }
    }

    fn constraint(&mut self, t: Term, holds: bool) {
        let pool = self.pool;
        let (op, kids) = (pool.op(t), pool.children(t).to_vec());
        let (sides, ways) = match op {
            Op::FCmp => {
                let of = |k: usize| self.known.get(&kids[k]).copied();
                ((of(0), of(1)), Ways::where_is(pool.predicate(t), holds))
            }
            Op::Eq | Op::Slt | Op::Ult if matches!(pool.sort(kids[0]), Sort::BitVec(1..=64)) => {
                let signed = op != Op::Ult && !kids.iter().any(|&kid| pool.op(kid) == Op::FpToUint);
                let sides = (self.integer(kids[0], signed), self.integer(kids[1], signed));
                let ways = Ways {
                    less: (op != Op::Eq) == holds,
                    equal: (op == Op::Eq) == holds,
                    greater: !holds,
                    unordered: false,
                };
                (sides, ways)
            }
            _ => return,
        };
        let (Some(left), Some(right)) = sides else {
            return;
        };
        let (left, right) = match (ways.less, ways.greater) {
            (true, true) => return,
            (_, false) => (left, right),
            (false, true) => (right, left),
        };
        let is_equality = !ways.less && !ways.greater;
        if is_equality && !ways.equal {
            return;
        }
        self.system.constraints.push(Constraint {
            left,
            right,
            is_equality,
        });
    }
}

/// A constant between doubles; anything if it is no number.
fn constant(format: FloatFormat, limbs: &[u64]) -> RealOp {
    let bits = u128::from(limbs[0]) | u128::from(limbs.get(1).copied().unwrap_or(0)) << 64;
    let double = |mode| {
        let reading = Reading::Machine;
        let bits = float::pattern::convert(format, FloatFormat::DOUBLE, reading, mode, bits);
        f64::from_bits(bits as u64)
    };
    let value = Interval::new(
        double(RoundingMode::TowardNegative),
        double(RoundingMode::TowardPositive),
    );
    if format.bits() > 128 || !value.low.is_finite() || !value.high.is_finite() {
        return RealOp::Anything;
    }
    RealOp::Constant(value)
}
