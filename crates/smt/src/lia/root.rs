//! Facts that hold before any choice: the atoms of conjunctions among the conditions are checked over the integers
//! once, before the search.
//!
//! The integer layer is asked only when all atoms have values, and its conflicts are about choices. It would find out
//! anew for each combination of choices that the equations that hold in any case have no solution modulo some number.
//! Bounded by [`TICKS`]; only a refutation is used.

use super::encode::Encoding;
use linear::{IntegerVerdict, NoObserver, Rational, Side, Ticks, Var};
use rustc_hash::FxHashMap;
use solver::aig::Gate;
use solver::sat::Lit;
use std::collections::BTreeSet;

/// The budget of this check.
const TICKS: u64 = 1 << 21;

/// An atom that holds because of a condition: the code of its literal, and the condition's position.
struct Asserted {
    bound: (Var, Side, Rational),
    code: u32,
    condition: usize,
}

impl Encoding {
    /// Positions of conditions that contradict each other over the integers whatever is chosen, if that is found; `roots` are their
    /// literals in the graph, and `fixed` what holds always.
    pub(super) fn refuted_at_root(
        &mut self,
        roots: &[Lit],
        fixed: &[(Var, Side, Rational)],
        ticks: &Ticks,
    ) -> Option<BTreeSet<usize>> {
        let asserted = self.asserted(roots);
        let literals: usize = self.atoms.iter().flatten().count();
        if asserted.is_empty() || asserted.len() >= literals {
            return None; // without a choice the search is that look
        }
        let truth = self.sat.external(self.truth).idx();
        let always = fixed.iter().cloned().map(|bound| (bound, truth));
        let atoms = asserted.iter().map(|a| (a.bound.clone(), a.code));
        let problem = &mut self.problem;
        problem.push();
        let mut core = None;
        for ((v, side, value), code) in always.chain(atoms) {
            if let Err(codes) = problem.assert(v, side, &value, code) {
                core = Some(codes);
                break;
            }
        }
        if core.is_none()
            && let IntegerVerdict::Unsat(codes) =
                problem.solve(&mut ticks.part(TICKS), &mut NoObserver)
        {
            core = Some(codes);
        }
        problem.pop();
        let conditions: FxHashMap<u32, usize> =
            asserted.iter().map(|a| (a.code, a.condition)).collect();
        let needed = core?.into_iter();
        let needed = needed.filter_map(|code| conditions.get(&code).copied());
        Some(needed.chain(self.premises()).collect())
    }

    /// The atoms that hold in each model.
    fn asserted(&self, roots: &[Lit]) -> Vec<Asserted> {
        let aig = self.lowering.aig();
        let mut found = Vec::new();
        for (condition, &root) in roots.iter().enumerate() {
            let mut stack = vec![root];
            while let Some(lit) = stack.pop() {
                match aig.gate(lit.var()) {
                    Gate::And(a, b) if !lit.is_negated() => stack.extend([b, a]),
                    Gate::Input => {
                        if let Some(own) = self.cnf.get(lit) {
                            let external = self.sat.external(own);
                            let bound = super::theory::atom(&self.atoms, external);
                            found.extend(bound.map(|bound| Asserted {
                                bound,
                                code: external.idx(),
                                condition,
                            }));
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }
}
