//! Keeps addresses out of tests: objects lie elsewhere in a native run than in the model.
//!
//! A program that compares its input with a pointer can make the witness hold an address. If the path allows other
//! input, the test gets other input; if not, no test of the path can be replayed natively, and the run reports this.

use crate::machine::Machine;
use crate::state::State;
use solver::{Ask, Model};
use term::Term;

/// Bytes of an address.
const WORD: usize = 8;

impl Machine {
    /// A model of the path near the given one whose input holds no address of an object, if there is one.
    pub(crate) fn without_addresses(&mut self, s: &State, model: Model) -> Model {
        let mut wishes = self.addresses(s, &model);
        if wishes.is_empty() {
            return model;
        }
        wishes.extend(s.soft.iter().copied());
        let budget = &self.options.budget;
        let other = self.reason.solver.prefer(
            &mut self.reason.pool,
            &wishes,
            Ask::new(&s.path, &model, budget),
        );
        if !self.addresses(s, &other).is_empty() {
            self.warn_once(
                "a test's input holds an address of the model, natively it is another one".into(),
            );
        }
        other
    }

    /// For each word of the input that is the address of an object: the condition that it is none of any object.
    fn addresses(&mut self, s: &State, model: &Model) -> Vec<Term> {
        let mut found = Vec::new();
        for object in s.objects.iter() {
            for symbols in object.symbols.chunks_exact(WORD) {
                let bytes = symbols.iter().rev();
                let word = bytes.fold(0, |word, &b| word << 8 | (model.get(b) & 0xff));
                let points = word >= ir::layout::GLOBALS
                    && s.memory.object_at(word).is_some_and(|o| o.contains(word));
                if points {
                    let mut term = self.reason.pool.symbol_term(symbols[0]);
                    for &symbol in &symbols[1..] {
                        let byte = self.reason.pool.symbol_term(symbol);
                        term = self.reason.pool.concat(byte, term);
                    }
                    let end = self.reason.pool.bv(64, ir::layout::GLOBALS);
                    found.push(self.reason.pool.ult(term, end));
                }
            }
        }
        found
    }
}
