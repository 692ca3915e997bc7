//! Bit-vector arithmetic on values of any width, as little-endian 64-bit limbs.
//!
//! Used only when an operand or the result has more than 64 bits. Values are masked to their
//! width. Multiplication is the schoolbook's, division by shift and subtract: widths beyond 256
//! are rare, and those up to 128 take the native `u128` path.

use crate::node::Op;
use crate::semantics::mask;

/// Number of limbs of a value of `width` bits (at least 1).
#[inline]
pub(crate) const fn limbs(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Clears the bits above `width` in the top limb.
pub(crate) fn trim(value: &mut [u64], width: u32) {
    if !width.is_multiple_of(64) {
        value[limbs(width) - 1] &= mask(width % 64);
    }
}

fn sign(value: &[u64], width: u32) -> bool {
    bit(value, width - 1)
}

pub(crate) fn bit(value: &[u64], index: u32) -> bool {
    value[(index / 64) as usize] >> (index % 64) & 1 == 1
}

fn is_zero(value: &[u64]) -> bool {
    value.iter().all(|&limb| limb == 0)
}

fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

fn negate(value: &mut [u64], width: u32) {
    let mut carry = true;
    for limb in value.iter_mut() {
        (*limb, carry) = (!*limb).overflowing_add(carry as u64);
    }
    trim(value, width);
}

fn add_into(out: &mut [u64], a: &[u64], b: &[u64]) {
    let mut carry = false;
    for ((out, &x), &y) in out.iter_mut().zip(a).zip(b) {
        let (sum, over) = x.overflowing_add(y);
        let (sum, more) = sum.overflowing_add(carry as u64);
        *out = sum;
        carry = over | more;
    }
}

fn sub_assign(a: &mut [u64], b: &[u64]) {
    let mut borrow = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (difference, under) = x.overflowing_sub(y);
        let (difference, more) = difference.overflowing_sub(borrow as u64);
        *x = difference;
        borrow = under | more;
    }
}

fn shift_left(out: &mut [u64], a: &[u64], amount: u32) {
    let (words, bits) = ((amount / 64) as usize, amount % 64);
    for k in (0..out.len()).rev() {
        let at = |i: usize| a.get(i).copied().unwrap_or(0);
        let high = if k >= words { at(k - words) } else { 0 };
        let low = if k > words { at(k - words - 1) } else { 0 };
        out[k] = if bits == 0 {
            high
        } else {
            high << bits | low >> (64 - bits)
        };
    }
}

fn shift_right(out: &mut [u64], a: &[u64], amount: u32) {
    let (words, bits) = ((amount / 64) as usize, amount % 64);
    for (k, out) in out.iter_mut().enumerate() {
        let at = |i: usize| a.get(i).copied().unwrap_or(0);
        let (low, high) = (at(k + words), at(k + words + 1));
        *out = if bits == 0 {
            low
        } else {
            low >> bits | high << (64 - bits)
        };
    }
}

fn fill_ones(value: &mut [u64], from: u32, width: u32) {
    for (k, limb) in value.iter_mut().enumerate() {
        let start = (k * 64) as u32;
        if from <= start {
            *limb = u64::MAX;
        } else if from < start + 64 {
            *limb |= !mask(from - start);
        }
    }
    trim(value, width);
}

/// Quotient and remainder of a non-zero divisor.
fn divide(a: &[u64], b: &[u64], width: u32) -> (Vec<u64>, Vec<u64>) {
    let count = a.len();
    let (mut quotient, mut remainder) = (vec![0; count], vec![0; count]);
    if count <= 2 {
        let (x, y) = (to_u128(a), to_u128(b));
        from_u128(&mut quotient, x / y);
        from_u128(&mut remainder, x % y);
        return (quotient, remainder);
    }
    for index in (0..width).rev() {
        // The remainder is below the divisor, so its shift overflows by at most one bit.
        let overflow = remainder[count - 1] >> 63 == 1;
        for k in (1..count).rev() {
            remainder[k] = remainder[k] << 1 | remainder[k - 1] >> 63;
        }
        remainder[0] = remainder[0] << 1 | bit(a, index) as u64;
        if overflow || !less(&remainder, b) {
            sub_assign(&mut remainder, b);
            quotient[(index / 64) as usize] |= 1 << (index % 64);
        }
    }
    (quotient, remainder)
}

fn signed_divide(a: &[u64], b: &[u64], width: u32, want_quotient: bool) -> Vec<u64> {
    let (negative_a, negative_b) = (sign(a, width), sign(b, width));
    let (mut x, mut y) = (a.to_vec(), b.to_vec());
    if negative_a {
        negate(&mut x, width);
    }
    if negative_b {
        negate(&mut y, width);
    }
    let (quotient, remainder) = divide(&x, &y, width);
    let (mut out, flip) = if want_quotient {
        (quotient, negative_a != negative_b)
    } else {
        (remainder, negative_a)
    };
    if flip {
        negate(&mut out, width);
    }
    out
}

/// The low 128 bits.
pub(crate) fn to_u128(value: &[u64]) -> u128 {
    let limb = |at: usize| value.get(at).copied().unwrap_or(0) as u128;
    limb(0) | limb(1) << 64
}

/// Stores the low limbs of `value`, and zero above.
pub(crate) fn from_u128(out: &mut [u64], value: u128) {
    out.fill(0);
    for (out, limb) in out.iter_mut().zip([value as u64, (value >> 64) as u64]) {
        *out = limb;
    }
}

/// A shift amount as a number, `width` when it is that or more.
fn shift_amount(amount: &[u64], width: u32) -> u32 {
    if amount[1..].iter().any(|&limb| limb != 0) {
        width
    } else {
        amount[0].min(width as u64) as u32
    }
}

/// Applies the bit-vector operator `op`. `width` is the result's, `aux` the node's; `out` has
/// exactly the limbs of the result.
pub fn apply(op: Op, width: u32, aux: u32, args: [&[u64]; 3], out: &mut [u64]) {
    let [a, b, c] = args;
    debug_assert_eq!(out.len(), limbs(width));
    match op {
        Op::Not => out.iter_mut().zip(a).for_each(|(out, x)| *out = !x),
        Op::Neg => {
            out.copy_from_slice(a);
            negate(out, width);
        }
        Op::Add => add_into(out, a, b),
        Op::Sub => {
            out.copy_from_slice(a);
            sub_assign(out, b);
        }
        Op::Mul => {
            out.fill(0);
            for (i, &x) in a.iter().enumerate() {
                let mut carry = 0u128;
                for k in i..out.len() {
                    let sum = x as u128 * b[k - i] as u128 + out[k] as u128 + carry;
                    out[k] = sum as u64;
                    carry = sum >> 64;
                }
            }
        }
        Op::Udiv if is_zero(b) => out.fill(u64::MAX),
        Op::Urem | Op::Srem if is_zero(b) => out.copy_from_slice(a),
        Op::Sdiv if is_zero(b) => {
            if sign(a, width) {
                from_u128(out, 1);
            } else {
                out.fill(u64::MAX);
            }
        }
        Op::Udiv => out.copy_from_slice(&divide(a, b, width).0),
        Op::Urem => out.copy_from_slice(&divide(a, b, width).1),
        Op::Sdiv => out.copy_from_slice(&signed_divide(a, b, width, true)),
        Op::Srem => out.copy_from_slice(&signed_divide(a, b, width, false)),
        Op::Shl => shift_left(out, a, shift_amount(b, width)),
        Op::Lshr => shift_right(out, a, shift_amount(b, width)),
        Op::Ashr => {
            let amount = shift_amount(b, width);
            shift_right(out, a, amount);
            if sign(a, width) {
                fill_ones(out, width - amount, width);
            }
        }
        Op::And => (0..out.len()).for_each(|k| out[k] = a[k] & b[k]),
        Op::Or => (0..out.len()).for_each(|k| out[k] = a[k] | b[k]),
        Op::Xor => (0..out.len()).for_each(|k| out[k] = a[k] ^ b[k]),
        Op::Concat => {
            shift_left(out, a, aux);
            out.iter_mut().zip(b).for_each(|(out, low)| *out |= low);
        }
        Op::Extract => shift_right(out, a, aux),
        Op::Zext => {
            out.fill(0);
            out[..a.len()].copy_from_slice(a);
        }
        Op::Sext => {
            out.fill(0);
            out[..a.len()].copy_from_slice(a);
            if sign(a, aux) {
                fill_ones(out, aux, width);
            }
        }
        Op::Eq => out[0] = (a == b) as u64,
        Op::Ult => out[0] = less(a, b) as u64,
        Op::Slt => {
            let (x, y) = (sign(a, aux), sign(b, aux));
            out[0] = if x == y { less(a, b) } else { x } as u64;
        }
        Op::Ite => out.copy_from_slice(if a[0] != 0 { b } else { c }),
        _ => unreachable!("{op:?} is not a bit-vector operator"),
    }
    trim(out, width);
}
