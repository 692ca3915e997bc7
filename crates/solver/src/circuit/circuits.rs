//! Circuits of the bit-vector operators over an [`Aig`]. Bits are little-endian slices.
//!
//! * add: ripple carry of xor/mux full adders (constants fold away inside the graph);
//! * mul: shift and add over the operand with fewer live digits; a constant operand is recoded to
//!   signed digits, so a run of ones costs one subtraction;
//! * udiv/urem: restoring division in which the remainder register grows with the step, so that
//!   small divisors and known leading zeros shrink the circuit; division by zero follows SMT-LIB;
//! * shifts: logarithmic barrel, amounts of at least the width detected apart;
//! * tables: a multiplexer tree in which equal sub-tables are one (a reduced decision diagram).

use super::aig::Aig;
use crate::sat::Lit;
use rustc_hash::FxHashMap;

/// A little-endian vector of bits.
pub type Bits = Vec<Lit>;

/// The bits of a constant.
pub fn constant(width: usize, value: u64) -> Bits {
    (0..width)
        .map(|i| Lit::from(i < 64 && value >> i & 1 != 0))
        .collect()
}

/// Is every bit a constant?
pub(crate) fn as_constant(bits: &[Lit]) -> bool {
    bits.iter().all(|l| l.is_const())
}

impl Aig {
    /// `a + b + carry`, modulo the width.
    pub fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Bits {
        let mut carry = carry;
        let mut sum = Bits::with_capacity(a.len());
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            if i + 1 == a.len() {
                let s = self.xor(x, y);
                sum.push(self.xor(s, carry));
            } else {
                let (s, c) = self.full_add(x, y, carry);
                sum.push(s);
                carry = c;
            }
        }
        sum
    }

    /// `a - b`, modulo the width.
    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let inverted: Bits = b.iter().map(|&l| !l).collect();
        self.add(a, &inverted, Lit::TRUE)
    }

    /// `-a`, modulo the width.
    pub fn neg(&mut self, a: &[Lit]) -> Bits {
        let zero = vec![Lit::FALSE; a.len()];
        self.sub(&zero, a)
    }

    /// `a < b` (or `a <= b`), unsigned.
    pub fn less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let mut below = Lit::from(or_equal);
        for (&x, &y) in a.iter().zip(b) {
            // Where the bits differ, b's bit decides; where they agree, the lower bits do.
            let differ = self.xor(x, y);
            below = self.mux(differ, y, below);
        }
        below
    }

    /// `a < b` (or `a <= b`), two's complement.
    pub fn less_signed(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let flip = |bits: &[Lit]| -> Bits {
            let mut bits = bits.to_vec();
            if let Some(sign) = bits.last_mut() {
                *sign = !*sign;
            }
            bits
        };
        let (a, b) = (flip(a), flip(b));
        self.less(&a, &b, or_equal)
    }

    /// `a = b`.
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Bits = a.iter().zip(b).map(|(&x, &y)| self.iff(x, y)).collect();
        self.and_all(same)
    }

    /// Bitwise multiplexer.
    pub fn choose(&mut self, c: Lit, t: &[Lit], e: &[Lit]) -> Bits {
        t.iter().zip(e).map(|(&x, &y)| self.mux(c, x, y)).collect()
    }

    /// `a * b`, modulo the width.
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let live = |bits: &[Lit]| bits.iter().filter(|&&l| l != Lit::FALSE).count();
        let (a, b) = if as_constant(a) || (!as_constant(b) && live(a) < live(b)) {
            (b, a)
        } else {
            (a, b)
        };
        if as_constant(b) {
            return self.mul_constant(a, b);
        }
        let width = a.len();
        let mut sum = vec![Lit::FALSE; width];
        for (i, &digit) in b.iter().enumerate() {
            if digit == Lit::FALSE {
                continue;
            }
            let row: Bits = a[..width - i].iter().map(|&l| self.and(l, digit)).collect();
            let high = self.add(&sum[i..], &row, Lit::FALSE);
            sum.splice(i.., high);
        }
        sum
    }

    /// Product with a constant, recoded to the non-adjacent form: digits -1, 0, 1.
    fn mul_constant(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let width = a.len();
        let mut sum = vec![Lit::FALSE; width];
        let mut carry = false;
        for i in 0..width {
            let bit = b[i] == Lit::TRUE;
            let next = b.get(i + 1) == Some(&Lit::TRUE);
            // Digit of the non-adjacent form at position i.
            if bit == carry {
                continue; // 0 + 0, or 1 + 1 which passes the carry on
            }
            let high = if next && i + 1 < width {
                carry = true;
                self.sub(&sum[i..], &a[..width - i])
            } else {
                carry = false;
                self.add(&sum[i..], &a[..width - i], Lit::FALSE)
            };
            sum.splice(i.., high);
        }
        sum
    }

    /// Unsigned quotient and remainder; `x / 0 = ~0`, `x % 0 = x`.
    pub fn div_rem(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let width = a.len();
        // Below a divisor of n live bits every remainder has n bits, unless the divisor is zero.
        let live = b
            .iter()
            .rposition(|&l| l != Lit::FALSE)
            .map_or(0, |top| top + 1);
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest: Bits = Vec::with_capacity(width + 1);
        // zero_above[k]: bits k.. of the divisor are all zero.
        let mut zero_above = vec![Lit::TRUE; width + 1];
        for k in (0..width).rev() {
            zero_above[k] = self.and(zero_above[k + 1], !b[k]);
        }
        for i in (0..width).rev() {
            rest.insert(0, a[i]);
            while rest.len() > 1 && rest.last() == Some(&Lit::FALSE) {
                rest.pop();
            }
            let n = rest.len();
            let divisor: Bits = (0..n)
                .map(|k| b.get(k).copied().unwrap_or(Lit::FALSE))
                .collect();
            let above = zero_above[n.min(width)];
            let smaller = self.less(&rest, &divisor, false);
            let fits = self.and(above, !smaller);
            quotient[i] = fits;
            let difference = self.sub(&rest, &divisor);
            rest = self.choose(fits, &difference, &rest);
            rest.truncate(live.max(1));
        }
        rest.resize(width, Lit::FALSE);
        // A zero divisor fits at every step: the quotient is all ones by itself.
        if live < width {
            rest = self.choose(zero_above[0], a, &rest);
        }
        (quotient, rest)
    }

    /// `-a` if `c` holds, else `a`.
    pub(crate) fn negate_when(&mut self, c: Lit, a: &[Lit]) -> Bits {
        // Two's complement: invert under c and add c.
        let inverted: Bits = a.iter().map(|&l| self.xor(l, c)).collect();
        let zero = vec![Lit::FALSE; a.len()];
        self.add(&inverted, &zero, c)
    }

    /// Logical left shift.
    pub fn shl(&mut self, a: &[Lit], amount: &[Lit]) -> Bits {
        let reversed: Bits = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, amount, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    /// Right shift that fills with `fill` (false: logical, sign: arithmetic).
    pub fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Bits {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut k = 0;
        while k < amount.len() && (1usize << k) < width {
            let by = 1usize << k;
            let c = amount[k];
            bits = (0..width)
                .map(|i| {
                    let moved = bits.get(i + by).copied().unwrap_or(fill);
                    self.mux(c, moved, bits[i])
                })
                .collect();
            k += 1;
        }
        let too_far = self.or_all(amount[k..].iter().copied());
        bits.iter().map(|&l| self.mux(too_far, fill, l)).collect()
    }

    /// `table[index]` for a table of `2^index.len()` entries of equal width; a constant index bit
    /// selects without a gate.
    pub fn table(&mut self, index: &[Lit], entries: Vec<u32>, leaves: &mut TableLeaves) -> Bits {
        let mut level = entries;
        for &bit in index {
            debug_assert!(level.len().is_multiple_of(2));
            level = level
                .chunks_exact(2)
                .map(|pair| match bit {
                    Lit::TRUE => pair[1],
                    Lit::FALSE => pair[0],
                    _ => leaves.mux(self, bit, pair[1], pair[0]),
                })
                .collect();
        }
        leaves.values[level[0] as usize].clone()
    }
}

/// The distinct (sub-)tables met while one table is built, by value.
#[derive(Default)]
pub struct TableLeaves {
    values: Vec<Bits>,
    by_value: FxHashMap<Bits, u32>,
    by_pair: FxHashMap<(Lit, u32, u32), u32>,
}

impl TableLeaves {
    /// The number of a value.
    pub fn intern(&mut self, value: Bits) -> u32 {
        if let Some(&id) = self.by_value.get(&value) {
            return id;
        }
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        self.by_value.insert(value, id);
        id
    }

    fn mux(&mut self, aig: &mut Aig, c: Lit, t: u32, e: u32) -> u32 {
        if t == e {
            return t;
        }
        if let Some(&id) = self.by_pair.get(&(c, t, e)) {
            return id;
        }
        let (tv, ev) = (
            self.values[t as usize].clone(),
            self.values[e as usize].clone(),
        );
        let value = aig.choose(c, &tv, &ev);
        let id = self.intern(value);
        self.by_pair.insert((c, t, e), id);
        id
    }
}
