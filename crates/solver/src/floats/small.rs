//! Conditions at a smaller precision: the same operations on floats with shorter significands.
//!
//! "An approximation framework for solvers and decision procedures" (Zeljić, Wintersteiger, Rümmer, JAR 2017), in
//! which each operation has a precision of its own; here all have the same. A float keeps the exponent of its format,
//! so that no constant is out of range, and the bits that it is read from lose the low part of the significand. Where
//! that part is 0, both are the same number. The approximation proves nothing: a model of it is a point from which a
//! search starts.

use rustc_hash::FxHashMap;
use term::{FloatFormat, Op, Pool, RoundingMode, Sort, Term};

/// Terms at one precision, as far as they were asked for.
pub(crate) struct Smaller {
    precision: u32,
    known: FxHashMap<Term, Option<Term>>,
    /// Conditions that the bits which no float has any more are 0.
    lost: Vec<Term>,
}

impl Smaller {
    /// Significands of at most so many bits.
    pub fn new(precision: u32) -> Smaller {
        Smaller {
            precision,
            known: FxHashMap::default(),
            lost: Vec::new(),
        }
    }

    /// A condition at the smaller precision; `None` if it depends on a function of the mathematical library.
    pub fn condition(&mut self, pool: &mut Pool, t: Term) -> Option<Term> {
        if !pool.has_float(t) {
            return Some(t);
        }
        for at in pool.cone(&[t]) {
            if pool.has_float(at) && !self.known.contains_key(&at) {
                let kids: Option<Vec<Term>> = {
                    let kid = |&kid: &Term| {
                        if pool.has_float(kid) {
                            self.known[&kid]
                        } else {
                            Some(kid)
                        }
                    };
                    pool.children(at).iter().map(kid).collect()
                };
                let small = kids.and_then(|kids| self.operation(pool, at, &kids));
                self.known.insert(at, small);
            }
        }
        self.known[&t]
    }

    /// Conditions under which the floats of the conditions so far equal the original ones, as far as these are inputs.
    pub fn lost(&self) -> &[Term] {
        &self.lost
    }

    fn operation(&mut self, pool: &mut Pool, t: Term, kids: &[Term]) -> Option<Term> {
        let own = |pool: &Pool| match pool.sort(t) {
            Sort::Float(format) => Some(format),
            _ => None,
        };
        let mode = RoundingMode::NearestEven;
        Some(match pool.op(t) {
            Op::FCall => return None,
            Op::FpFromBits => {
                let format = own(pool)?;
                let small = self.format(format)?;
                if pool.is_const(kids[0]) {
                    pool.fp_to_fp_rounded(mode, small, t)
                } else {
                    self.read(pool, format, small, kids[0])
                }
            }
            Op::FpToBits => {
                let Sort::Float(format) = pool.sort(pool.child(t, 0)) else {
                    return None;
                };
                to_bits(pool, format, kids[0])
            }
            Op::FpToFp => {
                let small = self.format(own(pool)?)?;
                pool.fp_to_fp_rounded(pool.rounding(t), small, kids[0])
            }
            Op::SintToFp => {
                let small = self.format(own(pool)?)?;
                pool.sint_to_fp_rounded(pool.rounding(t), small, kids[0])
            }
            Op::UintToFp => {
                let small = self.format(own(pool)?)?;
                pool.uint_to_fp_rounded(pool.rounding(t), small, kids[0])
            }
            _ => pool.rebuild(t, kids),
        })
    }

    /// The format in the place of another one.
    fn format(&self, format: FloatFormat) -> Option<FloatFormat> {
        let precision = format.precision().min(self.precision);
        FloatFormat::new(format.exponent_bits(), precision).ok()
    }

    /// The small float in the place of one that is read from bits.
    fn read(
        &mut self,
        pool: &mut Pool,
        format: FloatFormat,
        small: FloatFormat,
        bits: Term,
    ) -> Term {
        let fraction = format.precision() - 1;
        let lost = format.precision() - small.precision();
        let top = format.bits() - 1;
        let head = pool.extract(top, format.stored_bits(), bits);
        let kept = pool.extract(fraction - 1, lost, bits);
        if lost > 0 && is_input(pool, bits) {
            let rest = pool.extract(lost - 1, 0, bits);
            let zero = pool.zero(lost);
            let is_zero = pool.eq(rest, zero);
            self.lost.push(is_zero);
        }
        let bits = pool.concat(head, kept);
        pool.fp_from_bits(small, bits)
    }
}

/// The bits of a float that is small in the place of one of `format`.
fn to_bits(pool: &mut Pool, format: FloatFormat, small: Term) -> Term {
    let bits = pool.fp_to_bits(small);
    let Sort::Float(smaller) = pool.sort(small) else {
        unreachable!("an operand of a float operation is a float");
    };
    let fraction = smaller.precision() - 1;
    let head = pool.extract(smaller.bits() - 1, fraction, bits);
    let kept = pool.extract(fraction - 1, 0, bits);
    let kept = match format.precision() - smaller.precision() {
        0 => kept,
        lost => {
            let zeros = pool.zero(lost);
            pool.concat(kept, zeros)
        }
    };
    if !format.has_integer_bit() {
        return pool.concat(head, kept);
    }
    let exponent = pool.extract(format.exponent_bits() - 1, 0, head);
    let none = pool.zero(format.exponent_bits());
    let is_subnormal = pool.eq(exponent, none);
    let integer = pool.not(is_subnormal);
    let kept = pool.concat(integer, kept);
    pool.concat(head, kept)
}

/// Bits of symbols side by side?
fn is_input(pool: &Pool, bits: Term) -> bool {
    let is_part = |&t: &Term| matches!(pool.op(t), Op::Symbol | Op::Concat | Op::Extract);
    pool.cone(&[bits]).iter().all(is_part)
}
