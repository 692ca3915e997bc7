//! The floating-point control state of the processor: the rounding mode, and the exceptions that were raised.
//!
//! Paths that round to nearest run in the inner loop; all others take the slow way for every instruction.

use float::RoundingMode;
use memory::Value;

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
    /// The state in which a program begins.
    fn default() -> FloatControl {
        FloatControl {
            rounding: RoundingMode::NearestEven,
            flags: Value::concrete(0),
        }
    }
}
