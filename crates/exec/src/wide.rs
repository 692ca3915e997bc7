//! Concrete integers wider than 64 bits, as little-endian limbs with the unused top bits zero.
//!
//! Up to 128 bits they are host integers; beyond that `num-bigint` does the arithmetic.

use ir::{BinOp, CastOp, CmpOp, UnOp};
use num_bigint::BigUint;
use smallvec::SmallVec;

/// Limbs of a wide value.
pub type Limbs = SmallVec<[u64; 4]>;

/// Number of 64-bit limbs of a value of `w` bits.
pub fn limbs(w: u32) -> usize {
    w.div_ceil(64) as usize
}

fn to_big(a: &[u64]) -> BigUint {
    BigUint::new(
        a.iter()
            .flat_map(|&l| [l as u32, (l >> 32) as u32])
            .collect(),
    )
}

/// The low `w` bits of a big number.
fn from_big(w: u32, n: &BigUint) -> Limbs {
    let mut out: Limbs = n.iter_u64_digits().take(limbs(w)).collect();
    out.resize(limbs(w), 0);
    clip(w, &mut out);
    out
}

/// Clears the bits above `w`.
fn clip(w: u32, a: &mut Limbs) {
    if !w.is_multiple_of(64) {
        let last = a.len() - 1;
        a[last] &= u64::MAX >> (64 - w % 64);
    }
}

fn negative(w: u32, a: &[u64]) -> bool {
    a[((w - 1) / 64) as usize] >> ((w - 1) % 64) & 1 == 1
}

fn modulus(w: u32) -> BigUint {
    BigUint::from(1u8) << w
}

fn negate(w: u32, n: &BigUint) -> BigUint {
    (modulus(w) - n) % modulus(w)
}

/// Magnitude and sign of a two's complement number.
fn magnitude(w: u32, a: &[u64]) -> (BigUint, bool) {
    let n = to_big(a);
    if negative(w, a) {
        (negate(w, &n), true)
    } else {
        (n, false)
    }
}

/// A binary operation, total as in SMT-LIB.
pub fn bin(op: BinOp, w: u32, a: &[u64], b: &[u64]) -> Limbs {
    let zero = BigUint::ZERO;
    let ones = || modulus(w) - 1u8;
    let r = match op {
        BinOp::And | BinOp::Or | BinOp::Xor => {
            let f = |(x, y): (&u64, &u64)| match op {
                BinOp::And => x & y,
                BinOp::Or => x | y,
                _ => x ^ y,
            };
            return a.iter().zip(b).map(f).collect();
        }
        BinOp::Add => to_big(a) + to_big(b),
        BinOp::Sub => to_big(a) + negate(w, &to_big(b)),
        BinOp::Mul => to_big(a) * to_big(b),
        BinOp::UDiv | BinOp::URem => {
            let (x, y) = (to_big(a), to_big(b));
            match (op, y == zero) {
                (BinOp::UDiv, true) => ones(),
                (BinOp::UDiv, false) => x / y,
                (_, true) => x,
                (_, false) => x % y,
            }
        }
        BinOp::SDiv => {
            let ((x, nx), (y, ny)) = (magnitude(w, a), magnitude(w, b));
            if y == zero {
                if nx { BigUint::from(1u8) } else { ones() }
            } else {
                let q = x / y;
                if nx != ny { negate(w, &q) } else { q }
            }
        }
        BinOp::SRem => {
            let ((x, nx), (y, _)) = (magnitude(w, a), magnitude(w, b));
            if y == zero {
                to_big(a)
            } else {
                let r = x % y;
                if nx { negate(w, &r) } else { r }
            }
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            let by = if b[1..].iter().any(|&l| l != 0) {
                u64::MAX
            } else {
                b[0]
            };
            let by = by.min(u64::from(w)) as u32;
            let x = to_big(a);
            match op {
                BinOp::Shl => x << by,
                BinOp::LShr => x >> by,
                _ if !negative(w, a) => x >> by,
                _ => (x >> by) | ((ones() >> (w - by)) << (w - by)),
            }
        }
    };
    from_big(w, &r)
}

/// A comparison.
pub fn cmp(op: CmpOp, w: u32, a: &[u64], b: &[u64]) -> bool {
    let unsigned = || a.iter().rev().cmp(b.iter().rev());
    let signed = || negative(w, b).cmp(&negative(w, a)).then_with(unsigned);
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => unsigned().is_lt(),
        CmpOp::Ule => unsigned().is_le(),
        CmpOp::Slt => signed().is_lt(),
        CmpOp::Sle => signed().is_le(),
    }
}

/// Widens, sign-extends or cuts from `from` to `to` bits; narrow values are one limb.
pub fn cast(op: CastOp, from: u32, to: u32, a: &[u64]) -> Limbs {
    let mut out: Limbs = a.iter().copied().take(limbs(to)).collect();
    let fill = op == CastOp::Sext && negative(from, a);
    if fill && !from.is_multiple_of(64) {
        let last = ((from - 1) / 64) as usize;
        if let Some(l) = out.get_mut(last) {
            *l |= u64::MAX << (from % 64);
        }
    }
    out.resize(limbs(to), if fill { u64::MAX } else { 0 });
    clip(to, &mut out);
    out
}

/// A unary operation.
pub fn un(op: UnOp, w: u32, a: &[u64]) -> Limbs {
    let count = |n: u64| from_big(w, &BigUint::from(n));
    let n = to_big(a);
    match op {
        UnOp::Ctlz => count(u64::from(w) - n.bits()),
        UnOp::Cttz => count(n.trailing_zeros().unwrap_or(u64::from(w))),
        UnOp::Ctpop => count(n.count_ones()),
        UnOp::Bswap | UnOp::Bitreverse => {
            let swapped: Vec<u64> = a
                .iter()
                .rev()
                .map(|l| {
                    if op == UnOp::Bswap {
                        l.swap_bytes()
                    } else {
                        l.reverse_bits()
                    }
                })
                .collect();
            from_big(w, &(to_big(&swapped) >> (limbs(w) as u32 * 64 - w)))
        }
    }
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
