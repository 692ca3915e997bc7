//! Clauses for the reached part of an [`Aig`], by polarity.
//!
//! A gate's definition has two halves: its variable implies the function, and the function implies the variable. A
//! literal that is assumed, or stands in a clause, needs one of them (Plaisted and Greenbaum, "A structure-preserving
//! clause form translation", 1986); below it, inputs of conjunctions and branches of multiplexers need the same half
//! as their reader, inputs of xors and conditions need both. A half that only a later query needs is added then. So a
//! variable's value in a model is that of its gate only if both halves were asked for, or it is an input: values of
//! anything else are computed from the inputs'.
//!
//! Conjunction trees become one gate: an inner and-gate is inlined into its reader when it has no variable
//! yet. Each half may see another tree, since each half is right by itself. Inlining is bounded, so a clause
//! has at most [`MAX_INPUTS`] literals besides the output.

use super::aig::{Aig, Gate};
use crate::sat::{Lit, SatBackend};

/// The half `variable → function`, of the positive literal.
const IMPLIES: u8 = 1;
/// The half `function → variable`.
const IMPLIED: u8 = 2;
const BOTH: u8 = IMPLIES | IMPLIED;

/// The halves of its node that a literal needs which needs `need` of its own function.
fn of(lit: Lit, need: u8) -> u8 {
    if lit.is_negated() {
        (need & IMPLIES) << 1 | (need & IMPLIED) >> 1
    } else {
        need
    }
}

const MAX_INPUTS: usize = 24;

/// The map from graph nodes to SAT variables.
#[derive(Default)]
pub struct Cnf {
    /// SAT variable per node, 0 = none yet.
    vars: Vec<u32>,
    /// The halves of each node's definition that the back end has.
    halves: Vec<u8>,
    stack: Vec<(u32, u8)>,
    inputs: Vec<Lit>,
    /// Variables made in the back end.
    pub variables: u64,
    /// Clauses handed to it.
    pub clauses: u64,
}

impl Cnf {
    /// The SAT literal that is equivalent to a graph literal, which must not be a constant.
    pub fn literal(&mut self, aig: &Aig, sat: &mut dyn SatBackend, lit: Lit) -> Lit {
        self.encode(aig, sat, lit, BOTH)
    }

    /// A SAT literal that implies a graph literal, which must not be a constant: for assumptions. In clauses for
    /// good it would do, too, but there the other half propagates (`docs/experiments/polarity.md`).
    pub fn implying(&mut self, aig: &Aig, sat: &mut dyn SatBackend, lit: Lit) -> Lit {
        self.encode(aig, sat, lit, of(lit, IMPLIES))
    }

    fn encode(&mut self, aig: &Aig, sat: &mut dyn SatBackend, lit: Lit, need: u8) -> Lit {
        debug_assert!(!lit.is_const());
        if self.vars.len() < aig.len() {
            self.vars.resize(aig.len(), 0);
            self.halves.resize(aig.len(), 0);
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.push((lit.var(), need));
        while let Some(&(node, need)) = stack.last() {
            let need = need & !self.halves[node as usize];
            if need == 0 {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            self.push_children(aig, node, need, &mut stack);
            if stack.len() == waiting {
                stack.pop();
                self.define(aig, sat, node, need);
            }
        }
        self.stack = stack;
        self.known(lit)
    }

    /// The SAT literal of a graph literal that has one already.
    pub fn get(&self, lit: Lit) -> Option<Lit> {
        let var = *self.vars.get(lit.var() as usize)?;
        (var != 0).then(|| Lit::positive(var).negate_if(lit.is_negated()))
    }

    fn known(&self, lit: Lit) -> Lit {
        Lit::positive(self.vars[lit.var() as usize]).negate_if(lit.is_negated())
    }

    /// Pushes the children of which a half is missing; an and-gate's children are those of its tree.
    fn push_children(&mut self, aig: &Aig, node: u32, need: u8, stack: &mut Vec<(u32, u8)>) {
        let halves = &self.halves;
        let mut push = |l: Lit, need: u8| {
            let need = of(l, need);
            if need & !halves[l.var() as usize] != 0 {
                stack.push((l.var(), need));
            }
        };
        match aig.gate(node) {
            Gate::True => unreachable!("constants have no variable"),
            Gate::Input => {}
            Gate::And(..) => {
                let mut inputs = std::mem::take(&mut self.inputs);
                collect_and(aig, &self.vars, node, &mut inputs);
                inputs.iter().for_each(|&l| push(l, need));
                self.inputs = inputs;
            }
            Gate::Xor(a, b) => {
                push(a, BOTH);
                push(b, BOTH);
            }
            Gate::Mux(c, t, e) => {
                push(c, BOTH);
                push(t, need);
                push(e, need);
            }
        }
    }

    fn define(&mut self, aig: &Aig, sat: &mut dyn SatBackend, node: u32, need: u8) {
        let var = match self.vars[node as usize] {
            0 => {
                self.variables += 1;
                sat.new_var()
            }
            known => known,
        };
        let out = Lit::positive(var);
        let mut added = 0;
        let mut add = |half: u8, clause: &[Lit]| {
            if need & half != 0 {
                added += 1;
                sat.add_clause(clause);
            }
        };
        match aig.gate(node) {
            Gate::True => unreachable!("constants have no variable"),
            Gate::Input => {}
            Gate::And(..) => {
                let mut inputs = std::mem::take(&mut self.inputs);
                collect_and(aig, &self.vars, node, &mut inputs);
                let mut long = Vec::with_capacity(inputs.len() + 1);
                for &input in &inputs {
                    let input = self.known(input);
                    add(IMPLIES, &[!out, input]);
                    long.push(!input);
                }
                long.push(out);
                add(IMPLIED, &long);
                self.inputs = inputs;
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                add(IMPLIES, &[!out, a, b]);
                add(IMPLIES, &[!out, !a, !b]);
                add(IMPLIED, &[out, !a, b]);
                add(IMPLIED, &[out, a, !b]);
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (self.known(c), self.known(t), self.known(e));
                add(IMPLIED, &[!c, !t, out]);
                add(IMPLIES, &[!c, t, !out]);
                add(IMPLIED, &[c, !e, out]);
                add(IMPLIES, &[c, e, !out]);
                // Redundant, but lets equal branches propagate before the condition is known.
                add(IMPLIED, &[!t, !e, out]);
                add(IMPLIES, &[t, e, !out]);
            }
        }
        self.clauses += added;
        self.halves[node as usize] |= match aig.gate(node) {
            Gate::Input => BOTH,
            _ => need,
        };
        self.vars[node as usize] = var;
    }
}

/// The inputs of the conjunction tree at `node`: positive and-gates without a variable are opened
/// as long as the bound holds.
fn collect_and(aig: &Aig, vars: &[u32], node: u32, out: &mut Vec<Lit>) {
    out.clear();
    let Gate::And(a, b) = aig.gate(node) else {
        return;
    };
    out.push(a);
    out.push(b);
    let mut i = 0;
    while i < out.len() && out.len() < MAX_INPUTS {
        let lit = out[i];
        let open = !lit.is_negated() && vars[lit.var() as usize] == 0;
        match aig.gate(lit.var()) {
            Gate::And(p, q) if open => {
                out[i] = p;
                out.push(q);
            }
            _ => i += 1,
        }
    }
    out.sort_unstable();
    out.dedup();
}

#[cfg(test)]
mod tests;
