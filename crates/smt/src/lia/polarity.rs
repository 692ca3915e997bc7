//! The values of inputs that the conditions need: an atom that they contain without a negation only may be false
//! whatever the integers are, so its negation is no bound (the pure literal filter of MathSAT: Bozzano et al., "An
//! incremental and layered procedure for the satisfiability of linear arithmetic logic", TACAS 2005). A model in which
//! the atom holds all the same satisfies what it satisfied before.

use solver::aig::{Aig, Gate};
use solver::sat::Lit;

/// How a node occurs below some literals that shall be true.
pub(super) struct Polarity {
    /// As itself, and negated.
    of: Vec<[bool; 2]>,
}

impl Polarity {
    /// The occurrences below literals of the graph.
    pub fn new(aig: &Aig, roots: impl IntoIterator<Item = Lit>) -> Polarity {
        let mut of = vec![[false; 2]; aig.len()];
        for root in roots {
            of[root.var() as usize][root.is_negated() as usize] = true;
        }
        // Operands come before their gates.
        for node in (0..aig.len() as u32).rev() {
            let own = of[node as usize];
            let mut pass = |lit: Lit, [pos, neg]: [bool; 2]| {
                let slot = &mut of[lit.var() as usize];
                slot[lit.is_negated() as usize] |= pos;
                slot[!lit.is_negated() as usize] |= neg;
            };
            let both = [own[0] || own[1]; 2];
            match aig.gate(node) {
                Gate::True | Gate::Input => {}
                Gate::And(a, b) => {
                    pass(a, own);
                    pass(b, own);
                }
                Gate::Xor(a, b) => {
                    pass(a, both);
                    pass(b, both);
                }
                Gate::Mux(c, t, e) => {
                    pass(c, both);
                    pass(t, own);
                    pass(e, own);
                }
            }
        }
        Polarity { of }
    }

    /// Is a literal needed to be true?
    pub fn needs(&self, lit: Lit) -> bool {
        self.of[lit.var() as usize][lit.is_negated() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_pass_occurrences_on() {
        let mut aig = Aig::default();
        let [a, b, c, d, e, f] = [(); 6].map(|()| aig.input());
        let either = aig.or(a, !b);
        let differ = aig.xor(c, either);
        let chosen = aig.mux(d, e, !f);
        let needed = |roots: &[Lit], lit: Lit| {
            let polarity = Polarity::new(&aig, roots.iter().copied());
            [polarity.needs(lit), polarity.needs(!lit)]
        };
        assert_eq!(needed(&[either], a), [true, false]);
        assert_eq!(needed(&[either], b), [false, true]);
        assert_eq!(needed(&[!either], b), [true, false]);
        assert_eq!(needed(&[either, !either], a), [true, true]);
        assert_eq!(needed(&[differ], a), [true, true]);
        assert_eq!(needed(&[chosen], d), [true, true]);
        assert_eq!(needed(&[chosen], e), [true, false]);
        assert_eq!(needed(&[chosen], f), [false, true]);
        assert_eq!(needed(&[either], c), [false, false]);
    }
}
