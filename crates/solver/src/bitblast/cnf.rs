//! Clauses for the reached part of an [`Aig`] (Tseitin, both polarities, because contexts are
//! incremental and a gate met under one polarity today comes back under the other tomorrow).
//!
//! Conjunction trees that are not shared become one gate: an inner and-gate is inlined into its
//! only reader when neither has a variable yet. Inlining is bounded, so a clause has at most
//! [`MAX_INPUTS`] literals besides the output.

use super::aig::{Aig, Gate};
use crate::sat::{Lit, SatBackend};

const MAX_INPUTS: usize = 24;

/// The map from graph nodes to SAT variables.
#[derive(Default)]
pub struct Cnf {
    /// SAT variable per node, 0 = none yet.
    vars: Vec<u32>,
    stack: Vec<u32>,
    inputs: Vec<Lit>,
    /// Clauses handed to the back end.
    pub clauses: u64,
}

impl Cnf {
    /// The SAT literal of a graph literal, with all clauses below it. The literal must not be a
    /// constant.
    pub fn literal(&mut self, aig: &Aig, sat: &mut dyn SatBackend, lit: Lit) -> Lit {
        debug_assert!(!lit.is_const());
        if self.vars.len() < aig.len() {
            self.vars.resize(aig.len(), 0);
        }
        let root = lit.var();
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(root);
        while let Some(&node) = stack.last() {
            if self.vars[node as usize] != 0 {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            self.push_children(aig, node, &mut stack);
            if stack.len() == waiting {
                stack.pop();
                self.define(aig, sat, node);
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

    /// Pushes the children without a variable; an and-gate's children are those of its tree.
    fn push_children(&mut self, aig: &Aig, node: u32, stack: &mut Vec<u32>) {
        let mut push = |l: Lit| {
            if self.vars[l.var() as usize] == 0 {
                stack.push(l.var());
            }
        };
        match aig.gate(node) {
            Gate::True => unreachable!("constants have no variable"),
            Gate::Input => {}
            Gate::And(..) => {
                let mut inputs = std::mem::take(&mut self.inputs);
                collect_and(aig, &self.vars, node, &mut inputs);
                inputs.iter().for_each(|&l| push(l));
                self.inputs = inputs;
            }
            Gate::Xor(a, b) => {
                push(a);
                push(b);
            }
            Gate::Mux(c, t, e) => {
                push(c);
                push(t);
                push(e);
            }
        }
    }

    fn define(&mut self, aig: &Aig, sat: &mut dyn SatBackend, node: u32) {
        let var = sat.new_var();
        let out = Lit::positive(var);
        let mut added = 0;
        let mut add = |clause: &[Lit]| {
            added += 1;
            sat.add_clause(clause);
        };
        match aig.gate(node) {
            Gate::True => unreachable!("constants have no variable"),
            Gate::Input => {}
            Gate::And(..) => {
                let mut inputs = std::mem::take(&mut self.inputs);
                collect_and(aig, &self.vars, node, &mut inputs);
                let mut long = Vec::with_capacity(inputs.len() + 1);
                for &input in &inputs {
                    let input = Lit::positive(self.vars[input.var() as usize])
                        .negate_if(input.is_negated());
                    add(&[!out, input]);
                    long.push(!input);
                }
                long.push(out);
                add(&long);
                self.inputs = inputs;
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                add(&[!out, a, b]);
                add(&[!out, !a, !b]);
                add(&[out, !a, b]);
                add(&[out, a, !b]);
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (self.known(c), self.known(t), self.known(e));
                add(&[!c, !t, out]);
                add(&[!c, t, !out]);
                add(&[c, !e, out]);
                add(&[c, e, !out]);
                // Redundant, but lets equal branches propagate before the condition is known.
                add(&[!t, !e, out]);
                add(&[t, e, !out]);
            }
        }
        self.clauses += added;
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
