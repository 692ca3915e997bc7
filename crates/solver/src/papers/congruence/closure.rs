//! Congruence closure over the terms of some conditions.
//!
//! Union-find with use lists and a table of signatures (Downey, Sethi and Tarjan, "Variations on the common
//! subexpression problem", 1980; Nieuwenhuis and Oliveras, "Fast congruence closure and extensions", 2007):
//! when two classes become one, the smaller one's users are looked up again by operator and classes of operands.
//! An uninterpreted function is an array here, so an application is a read, congruent like any operator.
//!
//! In addition to congruence, constants are propagated: up, if all operands of a term have one, and down, if an
//! operator can be inverted (`concat`, `not`, sums with one open summand, connectives). A condition is asserted by
//! giving it the constant true, which equates the sides of an equality.
//!
//! Not a decision procedure: an equality that would join two constants, or two classes that a disequality keeps apart,
//! is left out, so the classes are those of the conditions that came first. Floats, stores and wide arithmetic are
//! opaque.

use crate::arith::is_arithmetic;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::{Op, Pool, Sort, Term};

/// Conditions with more terms than this are left alone.
const MAX_TERMS: usize = 4096;
/// Lookups of users after which a closure stays incomplete.
const MAX_LOOKUPS: usize = 1 << 17;
/// Wider arithmetic is opaque.
const MAX_ARITHMETIC: u32 = 256;

/// Number of a term within a closure.
pub(crate) type TermId = u32;

#[derive(Clone, Default)]
struct Class {
    constant: Option<Term>,
    members: Vec<TermId>,
    /// Terms with an operand in the class.
    users: Vec<TermId>,
    /// Members of classes that must stay apart.
    apart: Vec<TermId>,
    /// The first member that is a `concat`.
    concat: Option<TermId>,
}

/// Terms are congruent when these are equal: operator, sort, lowest bit of an extract, classes of operands.
type Signature = (Op, Sort, u32, [TermId; 3]);

/// The classes of equal terms.
pub(crate) struct Closure<'p> {
    pub pool: &'p mut Pool,
    terms: Vec<Term>,
    nodes: FxHashMap<Term, TermId>,
    parents: Vec<TermId>,
    classes: Vec<Class>,
    signatures: FxHashMap<Signature, TermId>,
    pending: VecDeque<(TermId, TermId)>,
    lookups: usize,
    /// Asserted equalities and disequalities.
    pub relations: usize,
}

/// Is the term a value of its sort?
fn is_value(pool: &Pool, t: Term) -> bool {
    pool.is_const(t) || pool.op(t) == Op::IntConst
}

fn is_opaque(pool: &Pool, t: Term) -> bool {
    let op = pool.op(t);
    op >= Op::FpFromBits
        || matches!(op, Op::Store | Op::ArrayBytes)
        || is_arithmetic(op) && pool.width(t) > MAX_ARITHMETIC
}

impl<'p> Closure<'p> {
    /// Puts every term of the conditions in a class of its own; `None` if there are too many.
    pub fn new(pool: &'p mut Pool, conditions: &[Term]) -> Option<Closure<'p>> {
        let mut closure = Closure {
            pool,
            terms: Vec::new(),
            nodes: FxHashMap::default(),
            parents: Vec::new(),
            classes: Vec::new(),
            signatures: FxHashMap::default(),
            pending: VecDeque::new(),
            lookups: 0,
            relations: 0,
        };
        let mut open: Vec<Term> = conditions.to_vec();
        while let Some(t) = open.pop() {
            if closure.nodes.contains_key(&t) {
                continue;
            }
            if closure.terms.len() >= MAX_TERMS {
                return None;
            }
            closure.node(t);
            if !is_opaque(closure.pool, t) {
                open.extend_from_slice(closure.pool.children(t));
            }
        }
        for node in 0..closure.terms.len() as TermId {
            for class in closure.operands(node) {
                closure.classes[class as usize].users.push(node);
            }
        }
        for node in 0..closure.terms.len() as TermId {
            closure.look_up(node);
        }
        closure.close();
        Some(closure)
    }

    /// The same classes once more, to choose values in.
    pub fn fork(&mut self) -> Closure<'_> {
        Closure {
            pool: self.pool,
            terms: self.terms.clone(),
            nodes: self.nodes.clone(),
            parents: self.parents.clone(),
            classes: self.classes.clone(),
            signatures: self.signatures.clone(),
            pending: self.pending.clone(),
            lookups: self.lookups,
            relations: self.relations,
        }
    }

    /// The condition holds from now on, as far as those before allow.
    pub fn assert(&mut self, condition: Term) {
        let node = self.node(condition);
        self.equate(node, Term::TRUE);
        self.close();
    }

    /// The terms of the conditions, each before those that it occurs in.
    pub fn ascending(&self) -> Vec<TermId> {
        let mut nodes: Vec<TermId> = (0..self.terms.len() as TermId).collect();
        nodes.sort_unstable_by_key(|&n| self.terms[n as usize]);
        nodes
    }

    /// The term of a number.
    pub fn term(&self, node: TermId) -> Term {
        self.terms[node as usize]
    }

    /// The class of an operand.
    pub fn operand(&self, node: TermId, index: usize) -> TermId {
        let t = self.pool.child(self.term(node), index);
        self.class(self.nodes[&t])
    }

    /// The class of a term.
    pub fn class(&self, node: TermId) -> TermId {
        let mut node = node;
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    /// The terms of a term's class.
    pub fn members(&self, node: TermId) -> &[TermId] {
        &self.classes[self.class(node) as usize].members
    }

    /// The value of a term's class.
    pub fn value(&self, node: TermId) -> Option<Term> {
        self.classes[self.class(node) as usize].constant
    }

    /// Gives a class its value, if no disequality speaks against it.
    pub fn choose(&mut self, node: TermId, value: Term) -> bool {
        let value = self.node(value);
        let (a, b) = (self.class(node), self.class(value));
        if !self.may_join(a, b) {
            return false;
        }
        self.pending.push_back((a, b));
        self.close();
        true
    }

    fn node(&mut self, t: Term) -> TermId {
        if let Some(&node) = self.nodes.get(&t) {
            return node;
        }
        let node = self.terms.len() as TermId;
        self.terms.push(t);
        self.nodes.insert(t, node);
        self.parents.push(node);
        self.classes.push(Class {
            constant: is_value(self.pool, t).then_some(t),
            members: vec![node],
            concat: (self.pool.op(t) == Op::Concat).then_some(node),
            ..Class::default()
        });
        node
    }

    /// Classes of the operands; none of an opaque term.
    fn operands(&self, node: TermId) -> Vec<TermId> {
        let t = self.term(node);
        if is_opaque(self.pool, t) {
            return Vec::new();
        }
        let classes = self.pool.children(t).iter();
        classes.map(|k| self.class(self.nodes[k])).collect()
    }

    fn equate(&mut self, node: TermId, t: Term) {
        let other = self.node(t);
        self.pending.push_back((node, other));
    }

    fn may_join(&self, a: TermId, b: TermId) -> bool {
        let [first, second] = [a, b].map(|class| &self.classes[class as usize]);
        if let (Some(x), Some(y)) = (first.constant, second.constant) {
            return x == y;
        }
        let (few, other) = if first.apart.len() < second.apart.len() {
            (first, b)
        } else {
            (second, a)
        };
        few.apart.iter().all(|&n| self.class(n) != other)
    }

    fn close(&mut self) {
        while let Some((a, b)) = self.pending.pop_front() {
            let (a, b) = (self.class(a), self.class(b));
            if self.lookups > MAX_LOOKUPS {
                self.pending.clear();
            } else if a != b && self.may_join(a, b) {
                self.join(a, b);
            }
        }
    }

    fn join(&mut self, a: TermId, b: TermId) {
        let size = |c: &Class| c.members.len() + c.users.len();
        let [first, second] = [a, b].map(|class| size(&self.classes[class as usize]));
        let (to, from) = if first < second { (b, a) } else { (a, b) };
        let lost = std::mem::take(&mut self.classes[from as usize]);
        self.parents[from as usize] = to;
        let class = &mut self.classes[to as usize];
        let mut changed = lost.users.clone();
        let mut valued = Vec::new();
        match (class.constant, lost.constant) {
            (None, Some(_)) => {
                class.constant = lost.constant;
                valued.clone_from(&class.members);
                changed.extend_from_slice(&class.users);
            }
            (Some(_), None) => valued.clone_from(&lost.members),
            _ => {}
        }
        let concats = class.concat.zip(lost.concat);
        class.concat = class.concat.or(lost.concat);
        class.members.extend(lost.members);
        class.users.extend(lost.users);
        class.apart.extend(lost.apart);
        if let Some((x, y)) = concats {
            self.pair(x, y);
        }
        for node in valued {
            self.descend(node);
        }
        for node in changed {
            self.look_up(node);
            self.descend(node);
        }
    }

    /// Equal concatenations with the same cut have equal parts.
    fn pair(&mut self, x: TermId, y: TermId) {
        let [xs, ys] = [x, y].map(|n| [0, 1].map(|i| self.pool.child(self.term(n), i)));
        if self.pool.width(xs[0]) == self.pool.width(ys[0]) {
            for (s, t) in xs.into_iter().zip(ys) {
                let s = self.nodes[&s];
                self.equate(s, t);
            }
        }
    }

    /// Looks for a congruent term, and for the term's value.
    fn look_up(&mut self, node: TermId) {
        self.lookups += 1;
        let t = self.term(node);
        let kids = self.operands(node);
        if kids.is_empty() || self.lookups > MAX_LOOKUPS {
            return;
        }
        let op = self.pool.op(t);
        let low = match op {
            Op::Extract => self.pool.extract_bounds(t).1,
            _ => 0,
        };
        let mut classes = [TermId::MAX; 3];
        for (place, &class) in classes.iter_mut().zip(&kids) {
            *place = class;
        }
        let signature = (op, self.pool.sort(t), low, classes);
        let congruent = *self.signatures.entry(signature).or_insert(node);
        if congruent != node {
            self.pending.push_back((node, congruent));
        }
        if op == Op::Eq && kids[0] == kids[1] {
            self.equate(node, Term::TRUE);
        }
        if op == Op::Ite
            && let Some(holds) = self.value(kids[0])
        {
            let branch = if holds == Term::TRUE { 1 } else { 2 };
            self.pending.push_back((node, kids[branch]));
        }
        // Up: an operator over values has one. A read needs only its index.
        let of: Option<Vec<Term>> = (self.pool.children(t).iter().zip(&kids))
            .map(|(&kid, &class)| {
                let is_array = matches!(self.pool.sort(kid), Sort::Array { .. });
                if is_array {
                    Some(kid)
                } else {
                    self.value(class)
                }
            })
            .collect();
        if self.value(node).is_none()
            && let Some(of) = of
        {
            let result = self.pool.rebuild(t, &of);
            if is_value(self.pool, result) || self.nodes.contains_key(&result) {
                self.equate(node, result);
            }
        }
    }

    /// Propagates the value of a term down to its operands.
    fn descend(&mut self, node: TermId) {
        let Some(c) = self.value(node) else { return };
        let t = self.term(node);
        if is_opaque(self.pool, t) {
            return;
        }
        let kids = self.pool.children(t).to_vec();
        let values: Vec<Option<Term>> = kids.iter().map(|k| self.value(self.nodes[k])).collect();
        let is_bool = self.pool.sort(t) == Sort::BitVec(1);
        let mut found: Vec<(Term, Term)> = Vec::new();
        match self.pool.op(t) {
            Op::Not => found.push((kids[0], self.pool.not(c))),
            Op::Neg => found.push((kids[0], self.pool.neg(c))),
            Op::Concat => {
                let low = self.pool.width(kids[1]);
                let top = self.pool.width(t) - 1;
                found.push((kids[0], self.pool.extract(top, low, c)));
                found.push((kids[1], self.pool.extract(low - 1, 0, c)));
            }
            Op::Zext | Op::Sext => {
                let top = self.pool.width(kids[0]) - 1;
                let low = self.pool.extract(top, 0, c);
                if self.pool.rebuild(t, &[low]) == c {
                    found.push((kids[0], low));
                }
            }
            op @ (Op::And | Op::Or) => {
                let (all, one) = match op {
                    Op::And => (self.pool.is_ones(c), Term::TRUE),
                    _ => (self.pool.is_zero(c), Term::FALSE),
                };
                for i in 0..2 {
                    if all || is_bool && values[1 - i] == Some(one) {
                        found.push((kids[i], c));
                    }
                }
            }
            op @ (Op::Add | Op::Xor) => {
                for i in 0..2 {
                    if let (Some(k), None) = (values[1 - i], values[i]) {
                        let rest = match op {
                            Op::Add => self.pool.sub(c, k),
                            _ => self.pool.xor(c, k),
                        };
                        found.push((kids[i], rest));
                    }
                }
                if op == Op::Xor && self.pool.is_zero(c) {
                    found.push((kids[0], kids[1]));
                }
            }
            Op::Sub if self.pool.is_zero(c) => found.push((kids[0], kids[1])),
            Op::Eq if c == Term::TRUE => {
                self.relations += 1;
                found.push((kids[0], kids[1]));
            }
            Op::Eq => self.keep_apart(self.nodes[&kids[0]], self.nodes[&kids[1]]),
            Op::Ite => {
                for (branch, other) in [(1, Term::FALSE), (2, Term::TRUE)] {
                    if values[branch].is_some_and(|v| v != c) {
                        found.push((kids[0], other));
                    }
                }
            }
            _ => {}
        }
        for (kid, t) in found {
            let kid = self.nodes[&kid];
            self.equate(kid, t);
        }
    }

    /// Asserts a disequality, and what follows for operands: applications of one function that differ have different
    /// arguments; so do concatenations of which one part is equal.
    fn keep_apart(&mut self, x: TermId, y: TermId) {
        let mut open = vec![(x, y)];
        while let Some((x, y)) = open.pop() {
            let (a, b) = (self.class(x), self.class(y));
            if a == b || !self.may_join(a, b) {
                continue;
            }
            self.relations += 1;
            self.classes[a as usize].apart.push(y);
            self.classes[b as usize].apart.push(x);
            let [op, other] = [x, y].map(|n| self.pool.op(self.term(n)));
            if op != other || !matches!(op, Op::Select | Op::Concat) {
                continue;
            }
            for (same, different) in [(0, 1), (1, 0)] {
                let is_argument = op == Op::Concat || different == 1;
                if is_argument && self.operand(x, same) == self.operand(y, same) {
                    let [s, t] = [x, y].map(|n| self.pool.child(self.term(n), different));
                    open.push((self.nodes[&s], self.nodes[&t]));
                }
            }
        }
    }
}
