//! Concrete integers wider than 64 bits, as little-endian limbs with the unused top bits zero: the operations of
//! terms, and the machine's further ones.

use crate::concrete::operator;
use ir::{BinOp, CastOp, CmpOp, UnOp};
use smallvec::{SmallVec, smallvec};
use term::Op;

/// Limbs of a wide value.
pub type Limbs = SmallVec<[u64; 4]>;

/// Number of 64-bit limbs of a value of `w` bits.
pub fn limbs(w: u32) -> usize {
    w.div_ceil(64) as usize
}

/// Applies an operator of terms whose result has `w` bits.
fn apply(op: Op, w: u32, aux: u32, a: &[u64], b: &[u64]) -> Limbs {
    let mut out: Limbs = smallvec![0; limbs(w)];
    term::apply_wide(op, w, aux, [a, b, &[]], &mut out);
    out
}

/// A binary operation, total as in SMT-LIB.
pub fn bin(op: BinOp, w: u32, a: &[u64], b: &[u64]) -> Limbs {
    apply(operator(op), w, 0, a, b)
}

/// A comparison.
pub fn cmp(op: CmpOp, w: u32, a: &[u64], b: &[u64]) -> bool {
    let holds = |op, a, b| apply(op, 1, w, a, b)[0] != 0;
    match op {
        CmpOp::Eq => holds(Op::Eq, a, b),
        CmpOp::Ne => !holds(Op::Eq, a, b),
        CmpOp::Ult => holds(Op::Ult, a, b),
        CmpOp::Ule => !holds(Op::Ult, b, a),
        CmpOp::Slt => holds(Op::Slt, a, b),
        CmpOp::Sle => !holds(Op::Slt, b, a),
    }
}

/// Widens, sign-extends or cuts from `from` to `to` bits; narrow values are one limb.
pub fn cast(op: CastOp, from: u32, to: u32, a: &[u64]) -> Limbs {
    match op {
        CastOp::Trunc => apply(Op::Extract, to, 0, a, &[]),
        CastOp::Zext => apply(Op::Zext, to, from, a, &[]),
        CastOp::Sext => apply(Op::Sext, to, from, a, &[]),
    }
}

/// A unary operation.
pub fn un(op: UnOp, w: u32, a: &[u64]) -> Limbs {
    // Zeros above the value, which are none of its bits.
    let spare = limbs(w) as u32 * 64 - w;
    let zeros = |count: fn(u64) -> u32, limb: &mut dyn Iterator<Item = &u64>| {
        let mut all = 0;
        for &l in limb {
            all += count(l);
            if l != 0 {
                break;
            }
        }
        all
    };
    let count = match op {
        UnOp::Ctlz => zeros(u64::leading_zeros, &mut a.iter().rev()) - spare,
        UnOp::Cttz => zeros(u64::trailing_zeros, &mut a.iter()).min(w),
        UnOp::Ctpop => a.iter().map(|l| l.count_ones()).sum(),
        UnOp::Bswap | UnOp::Bitreverse => {
            let turn = if op == UnOp::Bswap {
                u64::swap_bytes
            } else {
                u64::reverse_bits
            };
            let turned: Limbs = a.iter().rev().map(|&l| turn(l)).collect();
            return apply(Op::Extract, w, spare, &turned, &[]);
        }
    };
    let mut out: Limbs = smallvec![0; limbs(w)];
    out[0] = count.into();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l(n: u128) -> Limbs {
        Limbs::from_slice(&[n as u64, (n >> 64) as u64])
    }

    #[test]
    fn agrees_with_host_integers_at_128_bits() {
        let samples: [u128; 7] = [
            0,
            1,
            7,
            u128::MAX,
            1 << 127,
            (1 << 127) - 1,
            0x1234_5678_9abc_def0_0fed_cba9_8765_4321,
        ];
        for &a in &samples {
            for &b in &samples {
                assert_eq!(bin(BinOp::Add, 128, &l(a), &l(b)), l(a.wrapping_add(b)));
                assert_eq!(bin(BinOp::Sub, 128, &l(a), &l(b)), l(a.wrapping_sub(b)));
                assert_eq!(bin(BinOp::Mul, 128, &l(a), &l(b)), l(a.wrapping_mul(b)));
                if b != 0 {
                    assert_eq!(bin(BinOp::UDiv, 128, &l(a), &l(b)), l(a / b));
                    let (x, y) = (a as i128, b as i128);
                    assert_eq!(
                        bin(BinOp::SDiv, 128, &l(a), &l(b)),
                        l(x.wrapping_div(y) as u128)
                    );
                    assert_eq!(
                        bin(BinOp::SRem, 128, &l(a), &l(b)),
                        l(x.wrapping_rem(y) as u128)
                    );
                }
                assert_eq!(
                    cmp(CmpOp::Slt, 128, &l(a), &l(b)),
                    (a as i128) < (b as i128)
                );
                assert_eq!(cmp(CmpOp::Ult, 128, &l(a), &l(b)), a < b);
            }
            for s in [0u32, 1, 63, 64, 65, 127] {
                let by = l(u128::from(s));
                assert_eq!(bin(BinOp::Shl, 128, &l(a), &by), l(a << s));
                assert_eq!(bin(BinOp::LShr, 128, &l(a), &by), l(a >> s));
                assert_eq!(
                    bin(BinOp::AShr, 128, &l(a), &by),
                    l(((a as i128) >> s) as u128)
                );
            }
            assert_eq!(un(UnOp::Ctlz, 128, &l(a)), l(u128::from(a.leading_zeros())));
            assert_eq!(un(UnOp::Bswap, 128, &l(a)), l(a.swap_bytes()));
        }
    }

    #[test]
    fn casts_keep_the_sign() {
        assert_eq!(
            cast(CastOp::Sext, 32, 128, &[0x8000_0000]),
            l(0x8000_0000u32 as i32 as i128 as u128)
        );
        assert_eq!(
            cast(CastOp::Zext, 64, 80, &[u64::MAX]).as_slice(),
            &[u64::MAX, 0]
        );
        assert_eq!(cast(CastOp::Sext, 65, 66, &[0, 1]).as_slice(), &[0, 3]);
        assert_eq!(cast(CastOp::Trunc, 128, 8, &[0x1ff, 1]).as_slice(), &[0xff]);
    }
}
