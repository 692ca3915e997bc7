//! An and-inverter graph with native xor and multiplexer gates.
//!
//! Every gate is hashed structurally after local normalization (constants, equal and opposite
//! inputs, negations pulled out of xor and mux, one level of absorption), so equal circuits become
//! one node whatever term they came from; a choice or an xor made of conjunctions is recognized. Full adders need one xor pair and one multiplexer
//! (`carry = a ^ b ? c : a`), which gives a shorter CNF than plain and-gates.
//! The idea of two-level rewriting is Brummayer and Biere, "Local two-level and-inverter graph
//! minimization without blowup" (2006); only the rules that pay here are kept.

use crate::sat::Lit;
use rustc_hash::FxHashMap;

/// One node of the graph. Node 0 is the constant true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// The constant true (node 0 only).
    True,
    /// A free bit.
    Input,
    /// Conjunction, smaller literal first.
    And(Lit, Lit),
    /// Exclusive or of two positive literals, smaller first.
    Xor(Lit, Lit),
    /// `if .0 then .1 else .2`; condition and then-branch positive.
    Mux(Lit, Lit, Lit),
}

/// The graph.
pub struct Aig {
    gates: Vec<Gate>,
    hash: FxHashMap<Gate, u32>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig {
            gates: vec![Gate::True],
            hash: FxHashMap::default(),
        }
    }
}

impl Aig {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Has it no node except the constant?
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// The gate behind a node.
    pub fn gate(&self, node: u32) -> Gate {
        self.gates[node as usize]
    }

    /// A fresh free bit.
    pub fn input(&mut self) -> Lit {
        self.gates.push(Gate::Input);
        Lit::positive(self.gates.len() as u32 - 1)
    }

    fn intern(&mut self, gate: Gate) -> Lit {
        let next = self.gates.len() as u32;
        let node = *self.hash.entry(gate).or_insert(next);
        if node == next {
            self.gates.push(gate);
        }
        Lit::positive(node)
    }

    fn as_and(&self, l: Lit) -> Option<(Lit, Lit)> {
        match self.gates[l.var() as usize] {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE || a == b {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        for (x, y) in [(a, b), (b, a)] {
            let Some((p, q)) = self.as_and(x) else {
                continue;
            };
            if !x.is_negated() {
                if p == y || q == y {
                    return x; // (p & q) & p = p & q
                }
                if p == !y || q == !y {
                    return Lit::FALSE; // (p & q) & !p = 0
                }
            } else {
                if p == !y || q == !y {
                    return y; // !(p & q) & !p = !p
                }
                if p == y {
                    return self.and(y, !q); // !(p & q) & p = p & !q
                }
                if q == y {
                    return self.and(y, !p);
                }
            }
        }
        if a.is_negated()
            && b.is_negated()
            && let (Some((p, q)), Some((r, s))) = (self.as_and(a), self.as_and(b))
        {
            // A choice written as conjunctions.
            for (c, t, d, e) in [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)] {
                if c == !d {
                    return !self.mux(c, t, e); // !(c & t) & !(!c & e)
                }
            }
        }
        self.intern(Gate::And(a, b))
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_negated() != b.is_negated();
        let (a, b) = (Lit::positive(a.var()), Lit::positive(b.var()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let result = if a == b {
            Lit::FALSE
        } else if a == Lit::TRUE {
            !b
        } else if let Gate::Xor(p, q) = self.gates[b.var() as usize]
            && (p == a || q == a)
        {
            if p == a { q } else { p }
        } else if let Gate::Xor(p, q) = self.gates[a.var() as usize]
            && (p == b || q == b)
        {
            if p == b { q } else { p }
        } else {
            self.intern(Gate::Xor(a, b))
        };
        result.negate_if(flip)
    }

    /// Equivalence.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `if c then t else e`.
    pub fn mux(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if c.is_const() {
            return if c == Lit::TRUE { t } else { e };
        }
        let (c, t, e) = if c.is_negated() {
            (!c, e, t)
        } else {
            (c, t, e)
        };
        if t == e {
            return t;
        }
        if t == !e {
            return self.iff(c, t);
        }
        if t == Lit::TRUE || t == c {
            return self.or(c, e);
        }
        if t == Lit::FALSE || t == !c {
            return self.and(!c, e);
        }
        if e == Lit::FALSE || e == c {
            return self.and(c, t);
        }
        if e == Lit::TRUE || e == !c {
            return self.or(!c, t);
        }
        // A nested multiplexer on the same condition has only one live side.
        let t = self.restrict(t, c, true);
        let e = self.restrict(e, c, false);
        if t == e {
            return t;
        }
        if t == !e {
            return self.iff(c, t);
        }
        if t.is_const() || e.is_const() {
            return self.mux(c, t, e);
        }
        let flip = t.is_negated();
        self.intern(Gate::Mux(c, t.negate_if(flip), e.negate_if(flip)))
            .negate_if(flip)
    }

    fn restrict(&self, l: Lit, c: Lit, value: bool) -> Lit {
        match self.gates[l.var() as usize] {
            Gate::Mux(d, t, e) if d == c => if value { t } else { e }.negate_if(l.is_negated()),
            _ => l,
        }
    }

    /// Sum bit and carry of a full adder.
    pub fn full_add(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let x = self.xor(a, b);
        (self.xor(x, c), self.mux(x, c, a))
    }

    /// Conjunction of many.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut layer: Vec<Lit> = lits.into_iter().collect();
        if layer.is_empty() {
            return Lit::TRUE;
        }
        while layer.len() > 1 {
            let mut next = Vec::with_capacity(layer.len().div_ceil(2));
            for pair in layer.chunks(2) {
                next.push(if let [a, b] = *pair {
                    self.and(a, b)
                } else {
                    pair[0]
                });
            }
            layer = next;
        }
        layer[0]
    }

    /// Disjunction of many.
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let negated: Vec<Lit> = lits.into_iter().map(|l| !l).collect();
        !self.and_all(negated)
    }
}
