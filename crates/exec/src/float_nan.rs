//! Which NaN a float operation gives: as x86 does it, so that its bits are the same in the machine, in the
//! simulation over integers (`runtime/softfloat/nan.h`) and natively.
//!
//! SSE takes the first NaN among the operands; x87 the quiet one, or the one with the larger significand. Without
//! a NaN among the operands it is the negative one with an empty payload.

use crate::float::Bits;
use ir::FloatFormat;

/// Bits of the fraction, without a leading one.
fn fraction_bits(format: FloatFormat) -> u32 {
    match format {
        FloatFormat::Half => 10,
        FloatFormat::BFloat => 7,
        FloatFormat::Single => 23,
        FloatFormat::Double => 52,
        FloatFormat::X87 => 63,
        FloatFormat::Quad => 112,
    }
}

/// All bits of the exponent field, and x87's leading one, set.
fn infinity(format: FloatFormat) -> Bits {
    let top = 1 << (format.bits() - 1);
    match format {
        FloatFormat::X87 => (top - 1) & !((1 << 63) - 1),
        _ => (top - 1) & !((1 << fraction_bits(format)) - 1),
    }
}

fn quiet_bit(format: FloatFormat) -> Bits {
    1 << (fraction_bits(format) - 1)
}

fn fraction(format: FloatFormat, a: Bits) -> Bits {
    a & ((1 << fraction_bits(format)) - 1)
}

/// An x87 encoding without its leading one: no number, treated like a signalling NaN without payload.
fn is_unsupported(format: FloatFormat, a: Bits) -> bool {
    format == FloatFormat::X87 && a >> 64 & 0x7fff != 0 && a >> 63 & 1 == 0
}

/// A NaN, or what x87 treats as one.
#[inline]
pub fn is_nan(format: FloatFormat, a: Bits) -> bool {
    let inf = infinity(format);
    (a & inf == inf && fraction(format, a) != 0) || is_unsupported(format, a)
}

fn is_signalling(format: FloatFormat, a: Bits) -> bool {
    is_nan(format, a) && a & quiet_bit(format) == 0
}

/// The answer to an invalid operation.
pub fn default(format: FloatFormat) -> Bits {
    1 << (format.bits() - 1) | infinity(format) | quiet_bit(format)
}

/// The result of an operation on `a` and `b` (the same twice for a unary one) when it is a NaN.
#[cold]
pub fn result(format: FloatFormat, a: Bits, b: Bits) -> Bits {
    if is_unsupported(format, a) || is_unsupported(format, b) {
        return default(format);
    }
    let chosen = match (is_nan(format, a), is_nan(format, b)) {
        (false, false) => return default(format),
        (true, false) => a,
        (false, true) => b,
        (true, true) if format == FloatFormat::X87 => x87_choice(a, b),
        (true, true) => a,
    };
    chosen | quiet_bit(format)
}

fn x87_choice(a: Bits, b: Bits) -> Bits {
    let quiet = quiet_bit(FloatFormat::X87);
    let loud = |x| is_signalling(FloatFormat::X87, x);
    let payload = |x: Bits| (x | quiet) as u64;
    let first = match (loud(a), loud(b)) {
        (true, false) => false,
        (false, true) => true,
        _ if payload(a) == payload(b) => a >> 64 < b >> 64,
        _ => payload(a) > payload(b),
    };
    if first { a } else { b }
}

/// A NaN in another format: sign and upper payload stay, quiet.
pub fn cast(from: FloatFormat, to: FloatFormat, a: Bits) -> Bits {
    if is_unsupported(from, a) {
        return default(to);
    }
    let sign = (a >> (from.bits() - 1) & 1) << (to.bits() - 1);
    let (have, want) = (fraction_bits(from), fraction_bits(to));
    let payload = fraction(from, a);
    let payload = if have > want {
        payload >> (have - want)
    } else {
        payload << (want - have)
    };
    sign | infinity(to) | payload | quiet_bit(to)
}
