//! The conditions under which operations raise exceptions, of ordinary float terms: every method for floats decides them.

use super::exactness::{less, wider};
use super::{Raiser, arity, by_instruction};
use float::{FloatFormat, FloatPredicate, RoundingMode};
use ir::FloatOp;
use num_bigint::BigUint;
use term::{Pool, Term};
use vocab::Check;

/// The condition (one bit) under which the operation raises the exception. The operands are bits.
pub fn condition(
    pool: &mut Pool,
    what: Check,
    op: Raiser,
    mode: RoundingMode,
    args: [Term; 3],
) -> Term {
    let mut build = ExactnessConditions { pool, mode };
    match op {
        Raiser::Arithmetic(op, f) => build.of_arithmetic(what, op, f, args),
        Raiser::Cast(from, to) => build.of_cast(what, from, to, args[0]),
        Raiser::FromInteger { signed, w, to } => build.of_integer(what, signed, w, to, args[0]),
        Raiser::ToInteger { signed, w, from } => {
            build.of_truncation(what, signed, w, from, args[0])
        }
    }
}

/// The flags as the processor's status words have them: six bits. The operands are bits.
pub fn status_term(pool: &mut Pool, op: Raiser, mode: RoundingMode, args: [Term; 3]) -> Term {
    let op = by_instruction(op);
    let condition_of = |pool: &mut Pool, what| {
        if op.exceptions().contains(&what) {
            condition(pool, what, op, mode, args)
        } else {
            pool.fls()
        }
    };
    let [zero, overflow, underflow, mut inexact] = [
        Check::FpDiv,
        Check::FpOverflow,
        Check::FpUnderflow,
        Check::FpInexact,
    ]
    .map(|what| condition_of(pool, what));
    let mut invalid = match op {
        Raiser::ToInteger { .. } => condition_of(pool, Check::FpCast),
        _ => condition_of(pool, Check::FpInvalid),
    };
    let (format, count) = match op {
        Raiser::Arithmetic(op, f) => (Some(f), arity(op)),
        Raiser::Cast(from, _) => (Some(from), 1),
        // Neither loud NaNs nor subnormal numbers are more than what is not an integer, or are none.
        Raiser::FromInteger { .. } | Raiser::ToInteger { .. } => (None, 0),
    };
    let mut denormal = pool.fls();
    if let Some(f) = format {
        let mut build = ExactnessConditions { pool, mode };
        let x = args.map(|bits| build.pool.fp_from_bits(f, bits));
        let mut numbers = build.pool.tru();
        for i in 0..count {
            let nan = build.is_nan(x[i]);
            let number = build.pool.not(nan);
            numbers = build.pool.and(numbers, number);
            let loud = match op {
                Raiser::Arithmetic(FloatOp::Compare, _) => nan,
                _ => build.is_signaling(f, args[i], nan),
            };
            invalid = build.pool.or(invalid, loud);
            let subnormal = build.is_subnormal(f, args[i]);
            denormal = build.pool.or(denormal, subnormal);
        }
        if op == Raiser::Arithmetic(FloatOp::Round, f) {
            let whole = build.pool.fround_to_integral(mode, x[0]);
            let same = build.is_equal(x[0], whole);
            let other = build.pool.not(same);
            inexact = build.pool.and(numbers, other);
        }
        let refused = build.pool.or(invalid, zero);
        let regular = build.pool.not(refused);
        denormal = build.all(&[denormal, numbers, regular]);
        if matches!(op, Raiser::Arithmetic(FloatOp::Compare | FloatOp::Round, _)) {
            denormal = build.pool.fls();
        }
    }
    let bits = [inexact, underflow, overflow, zero, denormal, invalid];
    bits.into_iter()
        .reduce(|high, low| pool.concat(high, low))
        .expect("six flags")
}

/// Makes conditions in a rounding mode.
pub(super) struct ExactnessConditions<'p> {
    pub pool: &'p mut Pool,
    pub mode: RoundingMode,
}

impl ExactnessConditions<'_> {
    fn of_arithmetic(&mut self, what: Check, op: FloatOp, f: FloatFormat, args: [Term; 3]) -> Term {
        let mode = self.mode;
        let x = args.map(|bits| self.pool.fp_from_bits(f, bits));
        let [a, b, _] = x;
        let operands = &x[..arity(op)];
        match what {
            Check::FpDiv => {
                let zero = self.is_zero(f, b);
                let other = self.is_zero(f, a);
                let other = self.pool.not(other);
                let finite = self.is_finite(f, a);
                self.all(&[zero, other, finite])
            }
            Check::FpInvalid | Check::FpNan => {
                let (result, operands) = match op {
                    FloatOp::Call => (a, &x[1..]),
                    _ => (self.result(op, mode, x), operands),
                };
                let mut all = vec![self.is_nan(result)];
                for &x in operands {
                    let nan = self.is_nan(x);
                    all.push(self.pool.not(nan));
                }
                self.all(&all)
            }
            Check::FpOverflow => {
                let mut all: Vec<Term> = operands.iter().map(|&x| self.is_finite(f, x)).collect();
                if op == FloatOp::Div {
                    let zero = self.is_zero(f, b);
                    all.push(self.pool.not(zero));
                }
                // What a directed mode rounds to the largest number overflows, too.
                let u = wider(f, f.precision());
                let wide = x.map(|x| self.pool.fp_to_fp(u, x));
                let large = if is_nearest(mode) {
                    let result = self.result(op, mode, x);
                    self.is_infinite(f, result)
                } else {
                    let result = self.result(op, mode, wide);
                    self.is_above(f, u, result)
                };
                all.push(large);
                self.all(&all)
            }
            Check::FpInexact | Check::FpUnderflow => {
                let mut all: Vec<Term> = operands.iter().map(|&x| self.is_finite(f, x)).collect();
                if op == FloatOp::Div {
                    let zero = self.is_zero(f, b);
                    all.push(self.pool.not(zero));
                }
                let scaled = match what {
                    Check::FpUnderflow => self.underflows(op, f, x),
                    _ => None,
                };
                if let Some(underflow) = scaled {
                    all.push(underflow);
                } else {
                    if what == Check::FpUnderflow {
                        all.push(self.is_tiny(op, f, x));
                    }
                    let exact = self.is_exact(op, f, x);
                    all.push(self.pool.not(exact));
                }
                if op == FloatOp::Sqrt {
                    // The root of a negative number is invalid.
                    let zero = self.zero(f);
                    all.push(self.pool.fcmp(FloatPredicate::Oge, a, zero));
                }
                self.all(&all)
            }
            _ => self.pool.fls(),
        }
    }

    fn of_cast(&mut self, what: Check, from: FloatFormat, to: FloatFormat, bits: Term) -> Term {
        let wide = to.precision() >= from.precision() && to.exponent_bits() >= from.exponent_bits();
        if wide {
            return self.pool.fls();
        }
        let x = self.pool.fp_from_bits(from, bits);
        let result = self.pool.fp_to_fp_rounded(self.mode, to, x);
        let finite = self.is_finite(from, x);
        let more = match what {
            Check::FpOverflow if is_nearest(self.mode) => self.is_infinite(to, result),
            Check::FpOverflow => {
                let u = wider(widest(from, to), to.precision());
                let rounded = self.pool.fp_to_fp_rounded(self.mode, u, x);
                self.is_above(to, u, rounded)
            }
            _ => {
                let both = widest(from, to);
                let has_room = !from.has_integer_bit()
                    && from.precision() >= to.precision() + 2
                    && from.exponent_bits() > to.exponent_bits();
                let u = if has_room {
                    from
                } else {
                    wider(both, both.precision() + 2)
                };
                let exact = self.pool.fp_to_fp(u, x);
                let result = self.pool.fp_to_fp(u, result);
                let same = self.is_equal(exact, result);
                let inexact = self.pool.not(same);
                if what == Check::FpUnderflow {
                    let size = self.pool.fabs(exact);
                    let tiny = self.is_below_normal(to, u, exact, |build, limit, or_equal| {
                        build.pool.fcmp(less(or_equal), size, limit)
                    });
                    self.pool.and(tiny, inexact)
                } else {
                    inexact
                }
            }
        };
        self.pool.and(finite, more)
    }

    fn of_integer(
        &mut self,
        what: Check,
        signed: bool,
        w: u32,
        to: FloatFormat,
        bits: Term,
    ) -> Term {
        let u = FloatFormat::new(to.exponent_bits().max(9) + 1, to.precision().max(w))
            .expect("integers of programs are small");
        let mode = self.mode;
        let convert = |build: &mut Self, format| {
            if signed {
                build.pool.sint_to_fp_rounded(mode, format, bits)
            } else {
                build.pool.uint_to_fp_rounded(mode, format, bits)
            }
        };
        let exact = convert(self, u);
        if what == Check::FpOverflow {
            let u = wider(to, to.precision());
            let u = FloatFormat::new(u.exponent_bits().max(9), to.precision())
                .expect("formats of programs are small");
            let rounded = convert(self, u);
            return self.is_above(to, u, rounded);
        }
        let result = convert(self, to);
        let result = self.pool.fp_to_fp(u, result);
        let same = self.is_equal(exact, result);
        self.pool.not(same)
    }

    fn of_truncation(
        &mut self,
        what: Check,
        signed: bool,
        w: u32,
        from: FloatFormat,
        bits: Term,
    ) -> Term {
        let x = self.pool.fp_from_bits(from, bits);
        let whole = self.pool.fround_to_integral(RoundingMode::TowardZero, x);
        // In a format that has the ends of the range, without x87's integer bit.
        let has_ends = !from.has_integer_bit() && from.max_exponent() >= i64::from(w);
        let u = if has_ends {
            from
        } else {
            FloatFormat::new(from.exponent_bits().max(9), from.precision())
                .expect("formats of programs are small")
        };
        let cut = self.pool.fp_to_fp(u, whole);
        let (low, high) = if signed {
            let high = self.number(u, i64::from(w) - 1, 0);
            (self.pool.fneg(high), high)
        } else {
            (self.zero(u), self.number(u, w.into(), 0))
        };
        let above = self.pool.fcmp(FloatPredicate::Oge, cut, low);
        let below = self.pool.fcmp(FloatPredicate::Olt, cut, high);
        let fits = self.pool.and(above, below);
        if what == Check::FpCast {
            return self.pool.not(fits);
        }
        let whole = self.is_equal(x, whole);
        let inexact = self.pool.not(whole);
        self.pool.and(fits, inexact)
    }

    /// The operation on floats of any format.
    pub(super) fn result(&mut self, op: FloatOp, mode: RoundingMode, [a, b, c]: [Term; 3]) -> Term {
        match op {
            FloatOp::Add => self.pool.fadd_rounded(mode, a, b),
            FloatOp::Sub => self.pool.fsub_rounded(mode, a, b),
            FloatOp::Mul => self.pool.fmul_rounded(mode, a, b),
            FloatOp::Div => self.pool.fdiv_rounded(mode, a, b),
            FloatOp::Rem => self.pool.frem(a, b),
            FloatOp::Fma => self.pool.fma_rounded(mode, a, b, c),
            FloatOp::Sqrt => self.pool.fsqrt_rounded(mode, a),
            FloatOp::Round => self.pool.fround_to_integral(mode, a),
            FloatOp::Call | FloatOp::Compare => a,
        }
    }

    fn all(&mut self, conditions: &[Term]) -> Term {
        let first = self.pool.tru();
        conditions
            .iter()
            .fold(first, |all, &c| self.pool.and(all, c))
    }

    /// The number of the format with this exponent and so many ones behind the first bit of its significand.
    pub(super) fn number(&mut self, f: FloatFormat, exponent: i64, ones: u32) -> Term {
        debug_assert!(!f.has_integer_bit());
        let field = (exponent + f.max_exponent()) as u64;
        let significand = ((BigUint::from(1u8) << ones) - 1u8) << (f.stored_bits() - ones);
        self.constant(f, (BigUint::from(field) << f.stored_bits()) | significand)
    }

    fn constant(&mut self, f: FloatFormat, bits: BigUint) -> Term {
        let bits = self.pool.bv_wide(f.bits(), &bits.to_u64_digits());
        self.pool.fp_from_bits(f, bits)
    }

    pub(super) fn zero(&mut self, f: FloatFormat) -> Term {
        self.constant(f, BigUint::ZERO)
    }

    fn infinity(&mut self, f: FloatFormat) -> Term {
        let ones = f.exponent_bits() + u32::from(f.has_integer_bit());
        let field = (BigUint::from(1u8) << ones) - 1u8;
        self.constant(f, field << (f.precision() - 1))
    }

    pub(super) fn is_equal(&mut self, a: Term, b: Term) -> Term {
        self.pool.fcmp(FloatPredicate::Oeq, a, b)
    }

    pub(super) fn is_zero(&mut self, f: FloatFormat, x: Term) -> Term {
        let zero = self.zero(f);
        self.is_equal(x, zero)
    }

    pub(super) fn is_negative(&mut self, x: Term) -> Term {
        let f = self.pool.float_format(x);
        let bits = self.pool.fp_to_bits(x);
        self.pool.extract(f.bits() - 1, f.bits() - 1, bits)
    }

    fn is_nan(&mut self, x: Term) -> Term {
        self.pool.fcmp(FloatPredicate::Uno, x, x)
    }

    /// Is a NaN signalling, or an encoding that x87 does not support?
    fn is_signaling(&mut self, f: FloatFormat, bits: Term, nan: Term) -> Term {
        let bit = |pool: &mut Pool, at: u32| pool.extract(at, at, bits);
        let quiet = bit(self.pool, f.precision() - 2);
        let mut loud = self.pool.not(quiet);
        if f.has_integer_bit() {
            let integer = bit(self.pool, f.stored_bits() - 1);
            let unsupported = self.pool.not(integer);
            loud = self.pool.or(loud, unsupported);
        }
        self.pool.and(nan, loud)
    }

    /// Is a number subnormal, or one of x87's pseudo-denormals?
    fn is_subnormal(&mut self, f: FloatFormat, bits: Term) -> Term {
        let stored = f.stored_bits();
        let field = self
            .pool
            .extract(stored + f.exponent_bits() - 1, stored, bits);
        let fraction = self.pool.extract(stored - 1, 0, bits);
        let zeros = |pool: &mut Pool, t: Term| {
            let w = pool.width(t);
            let zero = pool.bv_wide(w, &[]);
            pool.eq(t, zero)
        };
        let low = zeros(self.pool, field);
        let none = zeros(self.pool, fraction);
        let some = self.pool.not(none);
        self.pool.and(low, some)
    }

    fn is_infinite(&mut self, f: FloatFormat, x: Term) -> Term {
        let (size, infinity) = (self.pool.fabs(x), self.infinity(f));
        self.is_equal(size, infinity)
    }

    fn is_finite(&mut self, f: FloatFormat, x: Term) -> Term {
        let (size, infinity) = (self.pool.fabs(x), self.infinity(f));
        self.pool.fcmp(FloatPredicate::Olt, size, infinity)
    }

    /// Is a number of the format `u`, rounded to the precision of `f`, above all finite ones of `f`?
    fn is_above(&mut self, f: FloatFormat, u: FloatFormat, x: Term) -> Term {
        let limit = self.number(u, f.max_exponent() + 1, 0);
        let size = self.pool.fabs(x);
        self.pool.fcmp(FloatPredicate::Oge, size, limit)
    }
}

const fn is_nearest(mode: RoundingMode) -> bool {
    matches!(mode, RoundingMode::NearestEven | RoundingMode::NearestAway)
}

/// A format that has the numbers of both.
fn widest(a: FloatFormat, b: FloatFormat) -> FloatFormat {
    let eb = a.exponent_bits().max(b.exponent_bits());
    let sb = a.precision().max(b.precision());
    FloatFormat::new(eb, sb).expect("formats of programs are small")
}
