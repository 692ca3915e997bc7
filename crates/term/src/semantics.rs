//! What each bit-vector operator computes on values of at most 64 bits (SMT-LIB's total
//! semantics). Constant folding, the evaluator and the tape share these functions; wider values
//! are the business of [`crate::wide`].

use crate::node::Op;

/// The `width` low bits; `width` may be 0 or more than 64.
#[inline(always)]
pub const fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// `value`, whose width is `width`, as a signed number.
#[inline(always)]
pub(crate) const fn signed(value: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

/// `value` of `width` bits extended to 64.
#[inline(always)]
pub const fn sign_extend(value: u64, width: u32) -> u64 {
    signed(value, width) as u64
}

/// Applies `op` to values of at most 64 bits. `width` is the result's, `aux` the node's; operands
/// are masked and so is the result. `aux` is the operands' width of `Slt`, `Zext` and `Sext`, the low part's of `Concat` and
/// the lowest bit's number of `Extract`.
///
/// # Panics
/// If it is no bit-vector operator.
#[inline(always)]
pub fn apply(op: Op, width: u32, aux: u32, a: u64, b: u64, c: u64) -> u64 {
    // No result is empty, and the short form of `mask` saves a test.
    let all = u64::MAX >> (64 - width);
    match op {
        Op::Not => !a & all,
        Op::Neg => a.wrapping_neg() & all,
        Op::Add => a.wrapping_add(b) & all,
        Op::Sub => a.wrapping_sub(b) & all,
        Op::Mul => a.wrapping_mul(b) & all,
        Op::Udiv => a.checked_div(b).unwrap_or(all),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv => {
            let (x, y) = (signed(a, width), signed(b, width));
            let quotient = match y {
                0 if x < 0 => 1,
                0 => -1,
                _ => x.wrapping_div(y),
            };
            quotient as u64 & all
        }
        Op::Srem => {
            let (x, y) = (signed(a, width), signed(b, width));
            let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
            remainder as u64 & all
        }
        Op::Shl => {
            if b < width as u64 {
                a << b & all
            } else {
                0
            }
        }
        Op::Lshr => {
            if b < width as u64 {
                a >> b
            } else {
                0
            }
        }
        Op::Ashr => (signed(a, width) >> b.min(width as u64 - 1)) as u64 & all,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Concat => a << aux | b,
        Op::Extract => a >> aux & all,
        Op::Zext => a,
        Op::Sext => sign_extend(a, aux) & all,
        Op::Eq => (a == b) as u64,
        Op::Ult => (a < b) as u64,
        Op::Slt => (signed(a, aux) < signed(b, aux)) as u64,
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::None
        | Op::Const
        | Op::ConstWide
        | Op::Symbol
        | Op::ArrayBytes
        | Op::ArrayConst
        | Op::Select
        | Op::Store
        | Op::IntConst
        | Op::IntAdd
        | Op::IntMul
        | Op::IntDiv
        | Op::IntMod
        | Op::IntLe
        | Op::FpFromBits
        | Op::FpToBits
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FRem
        | Op::FRemainder
        | Op::Fma
        | Op::FSqrt
        | Op::FNeg
        | Op::FAbs
        | Op::FMin
        | Op::FMax
        | Op::FRound
        | Op::FCmp
        | Op::FpToFp
        | Op::FpToSint
        | Op::FpToUint
        | Op::SintToFp
        | Op::UintToFp
        | Op::FCall => unreachable!("{op:?} is not a bit-vector operator"),
    }
}

/// Is `op` one of those that [`apply`] computes?
pub(crate) const fn is_bitvector_op(op: Op) -> bool {
    op as u8 >= Op::Not as u8 && op as u8 <= Op::Ite as u8
}
