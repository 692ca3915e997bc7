//! Pass `floats`: one form for float terms that the theory calls equal.
//!
//! What is read from scripts never distinguishes two NaNs (crate `smtlib`), so operands may change places although a processor
//! would then give another NaN: sums and products have their operands in one order, a difference is the sum with the
//! negated operand, signs come out of products, quotients, remainders and conversions (where the rounding mode is mirrored with them),
//! products and sums with neutral constants and conversions that lose nothing go. So equal computations are one term, and are not
//! compared as the circuits of two roundings. Each rule holds for every float in every rounding mode that it names
//! (IEEE 754-2019, 5.4 and 6.3, for the signs of zeros); `tests` proves each by enumeration over small formats.
//!
//! An operation under a rounding mode that is not constant is a choice among five results that differ in their modes only, and one
//! circuit as long as that is so ([`Arms`]): rules that need one of some modes leave these results alone.

mod equated;

use super::{Pass, PassContext, Preprocess};
use RoundingMode::{NearestEven, TowardNegative, TowardPositive};
pub(super) use equated::EquatedFloats;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{FloatFormat, FloatPredicate, Op, Pool, RoundingMode, Sort, Term};

/// The pass.
pub(super) struct FloatForms;

impl Pass for FloatForms {
    fn name(&self) -> &'static str {
        "floats"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        let pool = &mut *around.pool;
        if !query.conjuncts.iter().any(|&t| pool.has_float(t)) {
            return false;
        }
        let conjuncts = normal(pool, &query.conjuncts, &mut around.stats.floats);
        let changed = conjuncts != query.conjuncts;
        query.conjuncts = conjuncts;
        if changed {
            query.flatten(pool);
        }
        changed
    }
}

/// The conditions in normal form; counts the terms that had another one.
pub(super) fn normal(pool: &mut Pool, conditions: &[Term], count: &mut u64) -> Vec<Term> {
    let mut forms: FxHashMap<Term, Term> = FxHashMap::default();
    let cone = pool.cone(conditions);
    let choices = cone.iter().filter(|&&t| is_float_choice(pool, t));
    let arms = choices.flat_map(|&t| pool.children(t)[1..].iter().copied());
    let arms: FxHashSet<Term> = arms.collect();
    for t in cone {
        if !pool.has_float(t) {
            forms.insert(t, t);
            continue;
        }
        let old: Vec<Term> = pool.children(t).to_vec();
        let new: Vec<Term> = old.iter().map(|kid| forms[kid]).collect();
        let rebuilt = if new == old { t } else { pool.rebuild(t, &new) };
        let form = form(pool, rebuilt, arms.contains(&t));
        *count += u64::from(form != rebuilt);
        forms.insert(t, form);
    }
    conditions.iter().map(|t| forms[t]).collect()
}

fn is_float_choice(pool: &Pool, t: Term) -> bool {
    pool.op(t) == Op::Ite && matches!(pool.sort(t), Sort::Float(_))
}

/// The normal form of a term whose operands are in normal form. An arm of a choice has the form that it has under each mode.
fn form(pool: &mut Pool, t: Term, is_arm: bool) -> Term {
    let is_float = |t: &Term| matches!(pool.sort(*t), Sort::Float(_));
    let (op, kids) = (pool.op(t), pool.children(t).to_vec());
    let is_ours = is_float(&t) || op == Op::FCmp;
    // The formats of x87 have several encodings of a number; no script has them.
    let has_integer_bit = kids.iter().chain([&t]).any(|&k| match pool.sort(k) {
        Sort::Float(format) => format.has_integer_bit(),
        _ => false,
    });
    if !is_ours || has_integer_bit {
        return t;
    }
    match (op, &kids[..]) {
        (Op::FAdd, &[a, b]) => sum(pool, pool.rounding(t), a, b),
        (Op::FSub, &[a, b]) => {
            let negated = pool.fneg(b);
            sum(pool, pool.rounding(t), a, negated)
        }
        (Op::FMul, &[a, b]) => product(pool, pool.rounding(t), a, b, is_arm),
        (Op::FDiv, &[a, b]) => quotient(pool, pool.rounding(t), a, b, is_arm),
        (Op::Fma, &[a, b, c]) => fused(pool, pool.rounding(t), a, b, c),
        (Op::FRem | Op::FRemainder, &[a, b]) => remainder(pool, op, a, b),
        (Op::FMin | Op::FMax, &[a, b]) => extreme(pool, op, a, b),
        (Op::FRound, &[a]) => integral(pool, pool.rounding(t), a, is_arm),
        (Op::FpToFp, &[a]) => converted(pool, t, a, is_arm),
        (Op::FAbs, &[a]) => absolute(pool, a),
        (Op::Ite, &[c, a, b]) => match (negated(pool, a), negated(pool, b)) {
            // ite(c, -a, -b) → -ite(c, a, b)
            (Some(a), Some(b)) => {
                let chosen = pool.ite(c, a, b);
                pool.fneg(chosen)
            }
            _ => t,
        },
        (Op::FCmp, &[a, b]) => compared(pool, pool.predicate(t), a, b),
        _ => t,
    }
}

/// The other mode of a result whose sign is changed.
fn mirrored(mode: RoundingMode) -> RoundingMode {
    match mode {
        TowardPositive => TowardNegative,
        TowardNegative => TowardPositive,
        symmetric => symmetric,
    }
}

fn is_symmetric(mode: RoundingMode) -> bool {
    mirrored(mode) == mode
}

/// a, where the term is -a.
fn negated(pool: &Pool, t: Term) -> Option<Term> {
    (pool.op(t) == Op::FNeg).then(|| pool.child(t, 0))
}

/// A term without the sign that is at its root or in its constant; and was there one?
fn unsigned(pool: &mut Pool, t: Term) -> (Term, bool) {
    if let Some(inner) = negated(pool, t) {
        return (inner, true);
    }
    match constant(pool, t) {
        Some(value) if value.negative => (pool.fneg(t), true),
        _ => (t, false),
    }
}

fn signed(pool: &mut Pool, t: Term, negative: bool) -> Term {
    if negative { pool.fneg(t) } else { t }
}

/// Operands of a commutative operation: a constant first, then by number, whatever their signs.
fn ordered(pool: &Pool, a: Term, b: Term) -> (Term, Term) {
    let key = |t: Term| {
        let inner = negated(pool, t).unwrap_or(t);
        (constant(pool, t).is_none(), inner, t)
    };
    if key(b) < key(a) { (b, a) } else { (a, b) }
}

/// A constant float.
struct Constant {
    negative: bool,
    zero: bool,
    /// The exponent of a power of two that is a normal number.
    power: Option<i64>,
}

fn constant(pool: &Pool, t: Term) -> Option<Constant> {
    if pool.op(t) != Op::FpFromBits || !pool.is_const(pool.child(t, 0)) {
        return None;
    }
    let format = pool.float_format(t);
    let limbs = pool.const_limbs(pool.child(t, 0));
    let bit = |at: u32| limbs[at as usize / 64] >> (at % 64) & 1 == 1;
    let stored = format.stored_bits();
    let exponent = (0..format.exponent_bits()).rev();
    let exponent = exponent.fold(0i64, |sum, k| 2 * sum + i64::from(bit(stored + k)));
    let is_round = !(0..stored).any(bit);
    let is_normal = exponent > 0 && exponent <= 2 * format.max_exponent();
    Some(Constant {
        negative: bit(format.bits() - 1),
        zero: is_round && exponent == 0,
        power: (is_round && is_normal).then(|| exponent - format.max_exponent()),
    })
}

/// 2^power, if that is a normal number.
fn power_of_two(pool: &mut Pool, format: FloatFormat, power: i64) -> Option<Term> {
    let exponent = power + format.max_exponent();
    if exponent < 1 || exponent > 2 * format.max_exponent() {
        return None;
    }
    let upper = pool.bv(format.exponent_bits() + 1, exponent as u64);
    let stored = pool.zero(format.stored_bits());
    let bits = pool.concat(upper, stored);
    Some(pool.fp_from_bits(format, bits))
}

/// a + b: in order. x + -0 → x, toward negative x + +0 → x.
fn sum(pool: &mut Pool, mode: RoundingMode, a: Term, b: Term) -> Term {
    let (a, b) = ordered(pool, a, b);
    let is_neutral = |c: &Constant| c.zero && c.negative == (mode != TowardNegative);
    match constant(pool, a) {
        Some(zero) if is_neutral(&zero) => b,
        _ => pool.fadd_rounded(mode, a, b),
    }
}

/// a · b: in order, without signs. 1 · x → x, 2 · x → x + x, |x| · |y| → |x · y| where modes are symmetric.
fn product(pool: &mut Pool, mode: RoundingMode, a: Term, b: Term, is_arm: bool) -> Term {
    let ((a, minus_a), (b, minus_b)) = (unsigned(pool, a), unsigned(pool, b));
    let negative = minus_a != minus_b;
    let mode = if negative { mirrored(mode) } else { mode };
    let (a, b) = ordered(pool, a, b);
    let inner = |t: Term| (pool.op(t) == Op::FAbs).then(|| pool.child(t, 0));
    let t = match (constant(pool, a).and_then(|c| c.power), inner(a), inner(b)) {
        (Some(0), ..) => b,
        (Some(1), ..) => pool.fadd_rounded(mode, b, b),
        (_, Some(x), Some(y)) if x == y => pool.fmul_rounded(mode, x, y),
        (_, Some(x), Some(y)) if is_symmetric(mode) && !is_arm => {
            let (x, y) = ordered(pool, x, y);
            let t = pool.fmul_rounded(mode, x, y);
            pool.fabs(t)
        }
        _ => pool.fmul_rounded(mode, a, b),
    };
    signed(pool, t, negative)
}

/// a / b: without signs. x / 2^k → x · 2^-k, |x| / |y| → |x / y| where modes are symmetric.
fn quotient(pool: &mut Pool, mode: RoundingMode, a: Term, b: Term, is_arm: bool) -> Term {
    let ((a, minus_a), (b, minus_b)) = (unsigned(pool, a), unsigned(pool, b));
    let negative = minus_a != minus_b;
    let mode = if negative { mirrored(mode) } else { mode };
    let inner = |t: Term| (pool.op(t) == Op::FAbs).then(|| pool.child(t, 0));
    let (x, y) = (inner(a), inner(b));
    let power = constant(pool, b).and_then(|c| c.power);
    let format = pool.float_format(a);
    let inverse = power.and_then(|power| power_of_two(pool, format, -power));
    let t = match (inverse, x, y) {
        (Some(inverse), ..) => product(pool, mode, inverse, a, is_arm),
        (_, Some(x), Some(y)) if is_symmetric(mode) && !is_arm => {
            let t = pool.fdiv_rounded(mode, x, y);
            pool.fabs(t)
        }
        _ => pool.fdiv_rounded(mode, a, b),
    };
    signed(pool, t, negative)
}

/// a · b + c: factors in order, at most the first one has a sign. 1 · b + c → b + c.
fn fused(pool: &mut Pool, mode: RoundingMode, a: Term, b: Term, c: Term) -> Term {
    let ((a, minus_a), (b, minus_b)) = (unsigned(pool, a), unsigned(pool, b));
    let negative = minus_a != minus_b;
    let (a, b) = ordered(pool, a, b);
    if constant(pool, a).and_then(|c| c.power) == Some(0) {
        let b = signed(pool, b, negative);
        return sum(pool, mode, b, c);
    }
    let a = signed(pool, a, negative);
    pool.fma_rounded(mode, a, b, c)
}

/// A remainder: with the sign of its first operand, whatever the other one's.
fn remainder(pool: &mut Pool, op: Op, a: Term, b: Term) -> Term {
    let ((a, negative), (b, _)) = (unsigned(pool, a), unsigned(pool, b));
    let t = if op == Op::FRem {
        pool.frem(a, b)
    } else {
        pool.fremainder(a, b)
    };
    signed(pool, t, negative)
}

/// min(x, x) → x, min(-x, -y) → -max(x, y), and so for max. Operands keep their order: it decides between zeros.
fn extreme(pool: &mut Pool, op: Op, a: Term, b: Term) -> Term {
    if a == b {
        return a;
    }
    let make = |pool: &mut Pool, is_minimum, a, b| {
        if is_minimum {
            pool.fmin(a, b)
        } else {
            pool.fmax(a, b)
        }
    };
    let is_minimum = op == Op::FMin;
    match (negated(pool, a), negated(pool, b)) {
        (Some(x), Some(y)) => {
            let t = make(pool, !is_minimum, x, y);
            pool.fneg(t)
        }
        _ => make(pool, is_minimum, a, b),
    }
}

/// Rounding to an integral value: without a sign; once is enough.
fn integral(pool: &mut Pool, mode: RoundingMode, a: Term, is_arm: bool) -> Term {
    let (a, negative) = unsigned(pool, a);
    let mode = if negative { mirrored(mode) } else { mode };
    let t = match pool.op(a) {
        Op::FRound | Op::SintToFp | Op::UintToFp => a,
        Op::FAbs if is_symmetric(mode) && !is_arm => {
            let t = pool.fround_to_integral(mode, pool.child(a, 0));
            pool.fabs(t)
        }
        _ => pool.fround_to_integral(mode, a),
    };
    signed(pool, t, negative)
}

/// Does a format have all numbers of another one?
fn includes(large: FloatFormat, small: FloatFormat) -> bool {
    large.exponent_bits() >= small.exponent_bits() && large.precision() >= small.precision()
}

/// The operand of a conversion that changes no value.
fn widened(pool: &Pool, t: Term) -> Option<Term> {
    let inner = (pool.op(t) == Op::FpToFp).then(|| pool.child(t, 0))?;
    includes(pool.float_format(t), pool.float_format(inner)).then_some(inner)
}

/// A conversion: without a sign, and past one that changed no value.
fn converted(pool: &mut Pool, t: Term, a: Term, is_arm: bool) -> Term {
    let (format, mode) = (pool.float_format(t), pool.rounding(t));
    let (a, negative) = unsigned(pool, a);
    let mode = if negative { mirrored(mode) } else { mode };
    let a = widened(pool, a).unwrap_or(a);
    // One that changes no value does not round, so it has one form for all modes.
    let is_exact = includes(format, pool.float_format(a));
    let mode = if is_exact { NearestEven } else { mode };
    let is_free = is_symmetric(mode) && (is_exact || !is_arm);
    let t = if pool.op(a) == Op::FAbs && is_free {
        let t = pool.fp_to_fp_rounded(mode, format, pool.child(a, 0));
        pool.fabs(t)
    } else {
        pool.fp_to_fp_rounded(mode, format, a)
    };
    signed(pool, t, negative)
}

/// |x · x| → x · x, |-x + y| → |x + -y|.
fn absolute(pool: &mut Pool, a: Term) -> Term {
    if pool.op(a) == Op::FMul && pool.child(a, 0) == pool.child(a, 1) {
        return a;
    }
    match opposite_sum(pool, a) {
        Some((opposite, mode)) if is_symmetric(mode) => pool.fabs(opposite),
        _ => pool.fabs(a),
    }
}

/// x + -y, and its mode, where the term is -x + y, which is the same number with another sign, but for the sign of zero.
fn opposite_sum(pool: &mut Pool, t: Term) -> Option<(Term, RoundingMode)> {
    if pool.op(t) != Op::FAdd {
        return None;
    }
    let (mode, y) = (mirrored(pool.rounding(t)), pool.child(t, 1));
    let x = negated(pool, pool.child(t, 0))?;
    let y = pool.fneg(y);
    Some((sum(pool, mode, x, y), mode))
}

/// A comparison: of the operands without signs where both have one, and before a conversion that changed no value. Zeros are equal,
/// so a sum may change its sign; x + y < 0 → x < -y, since a sum is 0 only where it is so exactly. Whether something is a NaN does not
/// depend on signs, rounding and conversions.
fn compared(pool: &mut Pool, predicate: FloatPredicate, a: Term, b: Term) -> Term {
    use FloatPredicate::{Oge, Ogt, Olt, One};
    if matches!(predicate, Ogt | Oge) {
        return compared(pool, predicate.swapped(), b, a);
    }
    if predicate == FloatPredicate::Uno {
        let [a, b] = [a, b].map(|mut t| {
            while matches!(pool.op(t), Op::FNeg | Op::FAbs | Op::FRound | Op::FpToFp) {
                t = pool.child(t, 0);
            }
            t
        });
        if a == b || pool.float_format(a) == pool.float_format(b) {
            return pool.fcmp(predicate, a, b);
        }
        let [a, b] = [a, b].map(|t| pool.fcmp(predicate, t, t));
        return pool.or(a, b);
    }
    let [a, b] = [a, b].map(|t| match opposite_sum(pool, t) {
        Some((opposite, _)) => pool.fneg(opposite),
        None => t,
    });
    if matches!(predicate, Olt | One) {
        let is_zero = |t: Term| constant(pool, t).is_some_and(|c| c.zero);
        let summands =
            |t: Term| (pool.op(t) == Op::FAdd).then(|| (pool.child(t, 0), pool.child(t, 1)));
        let sides = match (summands(a), summands(b)) {
            (Some((x, y)), None) if is_zero(b) => Some((x, y, false)),
            (None, Some((x, y))) if is_zero(a) => Some((x, y, true)),
            _ => None,
        };
        if let Some((x, y, is_above)) = sides {
            let y = pool.fneg(y);
            let (x, y) = if is_above { (y, x) } else { (x, y) };
            return compared(pool, predicate, x, y);
        }
    }
    let is_flipped = match (negated(pool, a), negated(pool, b)) {
        (Some(_), Some(_)) => true,
        (Some(_), None) => constant(pool, b).is_some(),
        (None, Some(_)) => constant(pool, a).is_some(),
        (None, None) => false,
    };
    if is_flipped {
        let [a, b] = [a, b].map(|t| pool.fneg(t));
        return compared(pool, predicate.swapped(), a, b);
    }
    let narrow = match (widened(pool, a), widened(pool, b)) {
        (Some(x), Some(y)) if pool.float_format(x) == pool.float_format(y) => Some((x, y)),
        (Some(x), None) => narrowed(pool, b, pool.float_format(x)).map(|y| (x, y)),
        (None, Some(y)) => narrowed(pool, a, pool.float_format(y)).map(|x| (x, y)),
        _ => None,
    };
    match narrow {
        Some((x, y)) => compared(pool, predicate, x, y),
        None => pool.fcmp(predicate, a, b),
    }
}

/// A constant in another format, if that has it.
fn narrowed(pool: &mut Pool, t: Term, format: FloatFormat) -> Option<Term> {
    constant(pool, t)?;
    let narrow = pool.fp_to_fp(format, t);
    let again = pool.fp_to_fp(pool.float_format(t), narrow);
    (again == t).then_some(narrow)
}

#[cfg(test)]
mod tests;
