//! What the processor keeps of floats beside registers: the rounding mode, and which exceptions were raised.
//!
//! Paths that round to nearest run in the inner loop; all others take the slow way for every instruction. Flags cost
//! nothing either unless the program can read them: only then does an instruction stand before each operation that
//! raises some. Those of concrete operations are numbers, those of symbolic ones are terms.

use crate::float_exceptions::{self, Raiser};
use crate::machine::Machine;
use crate::state::State;
use float::RoundingMode;
use ir::Val;
use memory::Value;
use term::Term;

/// Rounding mode and flags of a path.
#[derive(Clone, Copy, Debug)]
pub struct FloatControl {
    /// How results are rounded. A symbolic mode forks, so that it is concrete.
    pub rounding: RoundingMode,
    /// The exceptions raised so far: [`FLAG_BITS`] bits as in MXCSR.
    pub flags: Value,
}

/// Invalid, denormal, division by zero, overflow, underflow, inexact.
pub const FLAG_BITS: u32 = 6;

impl Default for FloatControl {
    /// As a program begins.
    fn default() -> FloatControl {
        FloatControl {
            rounding: RoundingMode::NearestEven,
            flags: Value::concrete(0),
        }
    }
}

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
                let term = float_exceptions::status_term(&mut self.pool, op, mode, args);
                self.value(term)
            }
        };
        self.add_flags(s, raised);
    }

    /// Raises flags, beside those that were.
    pub(crate) fn add_flags(&mut self, s: &mut State, raised: Value) {
        let before = s.float_control.flags;
        s.float_control.flags = match (before.term, raised.term) {
            (Term::NONE, Term::NONE) => Value::concrete(before.bits | raised.bits),
            _ => {
                let (a, b) = (self.term(before, FLAG_BITS), self.term(raised, FLAG_BITS));
                let both = self.pool.or(a, b);
                self.value(both)
            }
        };
    }
}
