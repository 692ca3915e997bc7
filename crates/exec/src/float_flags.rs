//! Raising the exception flags of floats: those of concrete operations are numbers, those of symbolic ones are terms.
//!
//! Flags cost nothing unless the program can read them: only then does an instruction stand before each operation that
//! raises some.

use crate::float_control::FLAG_BITS;
use crate::float_exceptions::{self, Raiser};
use crate::machine::Machine;
use crate::state::State;
use ir::Val;
use memory::Value;
use term::Term;

impl Machine {
    /// Raises the flags of an operation on these operands.
    pub(crate) fn raise_flags(&mut self, s: &mut State, op: Raiser, operands: [Val; 3]) {
        let (widths, _) = op.widths();
        let mode = s.float_control.rounding;
        let numbers = [0, 1, 2].map(|i| self.concrete_bits(s, operands[i], widths[i]));
        let raised = match numbers {
            [Some(a), Some(b), Some(c)] => {
                Value::concrete(float_exceptions::status(op, mode, [a, b, c]))
            }
            _ => {
                let args = [0, 1, 2].map(|i| self.wide_term(s, operands[i], widths[i]));
                let term = float_exceptions::status_term(&mut self.reason.pool, op, mode, args);
                self.value(term)
            }
        };
        self.add_flags(s, raised);
    }

    /// Raises flags in addition to those that are raised already.
    pub fn add_flags(&mut self, s: &mut State, raised: Value) {
        let before = s.float_control.flags;
        s.float_control.flags = match (before.term, raised.term) {
            (Term::NONE, Term::NONE) => Value::concrete(before.bits | raised.bits),
            _ => {
                let (a, b) = (self.term(before, FLAG_BITS), self.term(raised, FLAG_BITS));
                let both = self.reason.pool.or(a, b);
                self.value(both)
            }
        };
    }
}
