//! Operations by name.

use crate::format::FloatFormat;
use crate::fpu::Fpu;
use crate::logic::Logic;
use crate::unpacked::Unpacked;

/// An operation on floats of one format that gives a float of this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// C's `fmod`.
    Modulo,
    /// C's `remainder`, SMT-LIB's `fp.rem`.
    Remainder,
    /// a * b + c, rounded once.
    MultiplyAdd,
    SquareRoot,
    RoundToIntegral,
    /// C's `fmin`; of unlike zeros as [`Fpu::first_of_zeros`] says.
    Minimum,
    /// C's `fmax`; of unlike zeros as [`Fpu::first_of_zeros`] says.
    Maximum,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 11] = {
        use Operation::*;
        [
            Add,
            Subtract,
            Multiply,
            Divide,
            Modulo,
            Remainder,
            MultiplyAdd,
            SquareRoot,
            RoundToIntegral,
            Minimum,
            Maximum,
        ]
    };

    /// Number of operands.
    pub const fn arity(self) -> usize {
        match self {
            Operation::SquareRoot | Operation::RoundToIntegral => 1,
            Operation::MultiplyAdd => 3,
            _ => 2,
        }
    }

    /// The widest bit-vector that the operation makes of floats of a format.
    pub(crate) fn width(self, format: FloatFormat) -> u32 {
        let precision = format.precision();
        let own = match self {
            Operation::Add | Operation::Subtract => precision + 4,
            Operation::Multiply | Operation::Modulo => 2 * precision,
            Operation::Remainder | Operation::MultiplyAdd => 2 * precision + 4,
            Operation::SquareRoot => precision + 5,
            Operation::Divide => precision + 3,
            Operation::RoundToIntegral => precision + 2,
            Operation::Minimum | Operation::Maximum => precision,
        };
        own.max(format.bits())
    }
}

impl<L: Logic> Fpu<'_, L> {
    /// Applies an operation to its operands.
    pub fn apply(&self, operation: Operation, args: &[Unpacked<L>]) -> Unpacked<L> {
        match operation {
            Operation::Add => self.add(&args[0], &args[1]),
            Operation::Subtract => self.subtract(&args[0], &args[1]),
            Operation::Multiply => self.multiply(&args[0], &args[1]),
            Operation::Divide => self.divide(&args[0], &args[1]),
            Operation::Modulo => self.modulo(&args[0], &args[1]),
            Operation::Remainder => self.remainder(&args[0], &args[1]),
            Operation::MultiplyAdd => self.multiply_add(&args[0], &args[1], &args[2]),
            Operation::SquareRoot => self.square_root(&args[0]),
            Operation::RoundToIntegral => self.round_to_integral(&args[0]),
            Operation::Minimum => self.min_max(true, &args[0], &args[1]),
            Operation::Maximum => self.min_max(false, &args[0], &args[1]),
        }
    }
}
