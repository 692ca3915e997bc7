//! Exception flags.

use crate::Logic;

/// The exceptions that operations raised, as the status flags of IEEE 754 and x86's denormal-operand flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags<B> {
    /// An operation without a meaning, or on a signalling NaN.
    pub invalid: B,
    /// A number other than zero was divided by zero.
    pub divide_by_zero: B,
    /// The rounded result is above all finite numbers.
    pub overflow: B,
    /// The result is inexact and *tiny*: below all normal numbers when rounded to the format's precision without a
    /// bound on the exponent (tininess is detected after rounding, as x86 does).
    pub underflow: B,
    /// The result is not the exact one.
    pub inexact: B,
    /// An operand is subnormal, and the operation neither invalid nor a division by zero (not part of IEEE 754).
    pub denormal: B,
}

impl<B: Clone> Flags<B> {
    /// No flag is raised.
    pub fn none<L: Logic<Bool = B>>(logic: &L) -> Flags<B> {
        let no = logic.truth(false);
        Flags {
            invalid: no.clone(),
            divide_by_zero: no.clone(),
            overflow: no.clone(),
            underflow: no.clone(),
            inexact: no.clone(),
            denormal: no,
        }
    }
}
