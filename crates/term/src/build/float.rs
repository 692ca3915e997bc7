//! Floating-point constructors. Constant operands fold through [`crate::fpu`]; a constant float
//! is [`Op::FpFromBits`] of a constant.

use crate::fpu;
use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;
use crate::wide;
use crate::{FloatFormat, FloatPredicate, RoundingMode};
use float::MathFunction;

impl Pool {
    fn float_op(&mut self, op: Op, sort: Sort, imm: u8, kids: &[Term]) -> Term {
        let node = Node::new(op, sort.encode(), kids).with_imm(imm);
        let mut values: [Vec<u64>; 3] = Default::default();
        for (value, &kid) in values.iter_mut().zip(kids) {
            let bits = match self.op(kid) {
                Op::FpFromBits => self.child(kid, 0),
                _ => kid,
            };
            if !self.is_const(bits) {
                return self.intern(node);
            }
            *value = self.const_limbs(bits);
        }
        self.fire(Rule::Fold);
        let args = values.each_ref().map(Vec::as_slice);
        let mut result = vec![0; wide::limbs(sort.bits())];
        fpu::apply_limbs(op, self.sort(kids[0]), sort, imm, args, &mut result);
        let bits = self.bv_wide(sort.bits(), &result);
        match sort {
            Sort::Float(format) => self.fp_from_bits(format, bits),
            _ => bits,
        }
    }

    /// The float with the bit pattern `bv`.
    pub fn fp_from_bits(&mut self, format: FloatFormat, bv: Term) -> Term {
        debug_assert_eq!(self.node(bv).sort, format.bits());
        if self.op(bv) == Op::FpToBits && self.float_format(self.child(bv, 0)) == format {
            self.fire(Rule::FpBits);
            return self.child(bv, 0);
        }
        if let Some((op, bits)) = self.nested(|pool| pool.changed_sign(bv)) {
            self.fire(Rule::SignOfBits);
            let float = self.fp_from_bits(format, bits);
            return if op == Op::FNeg {
                self.fneg(float)
            } else {
                self.fabs(float)
            };
        }
        self.intern(Node::new(
            Op::FpFromBits,
            Sort::Float(format).encode(),
            &[bv],
        ))
    }

    /// The bit pattern of float `f`.
    pub fn fp_to_bits(&mut self, f: Term) -> Term {
        self.nested(|pool| pool.make_bits(f))
    }

    fn make_bits(&mut self, f: Term) -> Term {
        let width = self.float_format(f).bits();
        let node = *self.node(f);
        let [a, b, c] = node.kids;
        if node.op == Op::FpFromBits {
            return self.fired_as(Rule::FpBits, a);
        }
        if self.may_branch() {
            match node.op {
                Op::FNeg | Op::FAbs => {
                    self.fire(Rule::BitsOfSign);
                    let bits = self.fp_to_bits(a);
                    let sign = self.extract(width - 1, width - 1, bits);
                    let rest = self.extract(width - 2, 0, bits);
                    let sign = if node.op == Op::FNeg {
                        self.not(sign)
                    } else {
                        Term::FALSE
                    };
                    return self.concat(sign, rest);
                }
                Op::Ite => {
                    self.fire(Rule::BitsOfIte);
                    let yes = self.fp_to_bits(b);
                    let no = self.fp_to_bits(c);
                    return self.ite(a, yes, no);
                }
                _ => {}
            }
        }
        self.intern(Node::new(Op::FpToBits, width, &[f]))
    }

    /// The bits whose sign a bit pattern has flipped or cleared, and which of both: what [`Self::fp_to_bits`] makes of a
    /// negated or absolute float, where concatenations may have been taken apart.
    fn changed_sign(&mut self, bv: Term) -> Option<(Op, Term)> {
        if !self.may_branch() {
            return None;
        }
        let node = *self.node(bv);
        let [a, b, _] = node.kids;
        match node.op {
            Op::Zext if self.width(a) + 1 == node.sort => Some((Op::FAbs, self.below_sign_of(a)?)),
            Op::Concat if self.op(a) == Op::Not && self.width(a) == 1 => {
                let bits = self.below_sign_of(b)?;
                let sign = self.extract(node.sort - 1, node.sort - 1, bits);
                (sign == self.child(a, 0)).then_some((Op::FNeg, bits))
            }
            Op::Concat => {
                let (op, high) = self.nested(|pool| pool.changed_sign(a))?;
                Some((op, self.concat(high, b)))
            }
            _ => None,
        }
    }

    /// The bits of which these are all but the highest one.
    fn below_sign_of(&mut self, bits: Term) -> Option<Term> {
        let node = *self.node(bits);
        match node.op {
            Op::Extract if node.aux == 0 && self.width(node.kids[0]) == node.sort + 1 => {
                Some(node.kids[0])
            }
            Op::Concat if self.may_branch() => {
                let high = self.nested(|pool| pool.below_sign_of(node.kids[0]))?;
                Some(self.concat(high, node.kids[1]))
            }
            _ => None,
        }
    }

    fn binary(&mut self, op: Op, rm: RoundingMode, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        self.float_op(op, self.sort(a), rm as u8, &[a, b])
    }

    /// a + b, rounded to nearest even.
    pub fn fadd(&mut self, a: Term, b: Term) -> Term {
        self.fadd_rounded(RoundingMode::NearestEven, a, b)
    }

    /// a + b.
    pub fn fadd_rounded(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        self.binary(Op::FAdd, rm, a, b)
    }

    /// a - b, rounded to nearest even.
    pub fn fsub(&mut self, a: Term, b: Term) -> Term {
        self.fsub_rounded(RoundingMode::NearestEven, a, b)
    }

    /// a - b.
    pub fn fsub_rounded(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        self.binary(Op::FSub, rm, a, b)
    }

    /// a * b, rounded to nearest even.
    pub fn fmul(&mut self, a: Term, b: Term) -> Term {
        self.fmul_rounded(RoundingMode::NearestEven, a, b)
    }

    /// a * b.
    pub fn fmul_rounded(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        self.binary(Op::FMul, rm, a, b)
    }

    /// a / b, rounded to nearest even.
    pub fn fdiv(&mut self, a: Term, b: Term) -> Term {
        self.fdiv_rounded(RoundingMode::NearestEven, a, b)
    }

    /// a / b.
    pub fn fdiv_rounded(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        self.binary(Op::FDiv, rm, a, b)
    }

    /// C's `fmod`: exact remainder of the truncated quotient.
    pub fn frem(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::FRem, RoundingMode::NearestEven, a, b)
    }

    /// C's `remainder`: exact remainder of the quotient rounded to nearest even.
    pub fn fremainder(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::FRemainder, RoundingMode::NearestEven, a, b)
    }

    /// a * b + c rounded once, to nearest even.
    pub fn fma(&mut self, a: Term, b: Term, c: Term) -> Term {
        self.fma_rounded(RoundingMode::NearestEven, a, b, c)
    }

    /// a * b + c rounded once.
    pub fn fma_rounded(&mut self, rm: RoundingMode, a: Term, b: Term, c: Term) -> Term {
        self.float_op(Op::Fma, self.sort(a), rm as u8, &[a, b, c])
    }

    /// Square root, rounded to nearest even.
    pub fn fsqrt(&mut self, a: Term) -> Term {
        self.fsqrt_rounded(RoundingMode::NearestEven, a)
    }

    /// Square root.
    pub fn fsqrt_rounded(&mut self, rm: RoundingMode, a: Term) -> Term {
        self.float_op(Op::FSqrt, self.sort(a), rm as u8, &[a])
    }

    /// Flipped sign.
    pub fn fneg(&mut self, a: Term) -> Term {
        if let Some(inner) = self.operand(Op::FNeg, a) {
            return self.fired_as(Rule::FnegFneg, inner);
        }
        self.float_op(Op::FNeg, self.sort(a), 0, &[a])
    }

    /// Cleared sign.
    pub fn fabs(&mut self, a: Term) -> Term {
        if self.op(a) == Op::FAbs {
            return self.fired_as(Rule::FabsSign, a);
        }
        if let Some(inner) = self.operand(Op::FNeg, a) {
            self.fire(Rule::FabsSign);
            return self.fabs(inner);
        }
        self.float_op(Op::FAbs, self.sort(a), 0, &[a])
    }

    /// C's `fmin`.
    pub fn fmin(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::FMin, RoundingMode::NearestEven, a, b)
    }

    /// C's `fmax`.
    pub fn fmax(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::FMax, RoundingMode::NearestEven, a, b)
    }

    /// `a` rounded to an integral value.
    pub fn fround_to_integral(&mut self, rm: RoundingMode, a: Term) -> Term {
        self.float_op(Op::FRound, self.sort(a), rm as u8, &[a])
    }

    /// Comparison; a truth value. Of the predicates the terms hold `Oeq`, `Olt`, `Ole`, `One`
    /// and `Uno` only; the others are made by `not` and by swapping.
    pub fn fcmp(&mut self, predicate: FloatPredicate, a: Term, b: Term) -> Term {
        use FloatPredicate::*;
        debug_assert_eq!(self.sort(a), self.sort(b));
        let (predicate, a, b) = match predicate {
            Ord | Ueq | Ugt | Uge | Ult | Ule | Une => {
                self.fire(Rule::FcmpNegated);
                let opposite = self.fcmp(predicate.negated(), a, b);
                return self.not(opposite);
            }
            Ogt | Oge => {
                self.fire(Rule::FcmpSwapped);
                (predicate.swapped(), b, a)
            }
            Oeq | One | Uno if b < a => {
                self.fire(Rule::FcmpSwapped);
                (predicate, b, a)
            }
            _ => (predicate, a, b),
        };
        if a == b && predicate != Uno {
            self.fire(Rule::FcmpSelf);
            return match predicate {
                Oeq | Ole => self.fcmp(Ord, a, a),
                _ => Term::FALSE,
            };
        }
        self.float_op(Op::FCmp, Sort::BitVec(1), predicate as u8, &[a, b])
    }

    /// Conversion to another format, rounded to nearest even.
    pub fn fp_to_fp(&mut self, format: FloatFormat, f: Term) -> Term {
        self.fp_to_fp_rounded(RoundingMode::NearestEven, format, f)
    }

    /// Conversion to another format; to the own one it is the identity.
    pub fn fp_to_fp_rounded(&mut self, rm: RoundingMode, format: FloatFormat, f: Term) -> Term {
        if self.float_format(f) == format {
            return f;
        }
        if let Some(inner) = self.operand(Op::FpToFp, f)
            && self.float_format(f).has_all_of(self.float_format(inner))
            && self.is_result(inner)
        {
            self.fire(Rule::Widened);
            return self.fp_to_fp_rounded(rm, format, inner);
        }
        self.float_op(Op::FpToFp, Sort::Float(format), rm as u8, &[f])
    }

    /// Is the float the result of an operation, which is no signalling NaN?
    fn is_result(&self, mut f: Term) -> bool {
        while matches!(self.op(f), Op::FNeg | Op::FAbs) {
            f = self.child(f, 0);
        }
        use Op::{FAdd, FDiv, FMul, FSqrt, FSub, Fma, FpToFp, SintToFp, UintToFp};
        matches!(
            self.op(f),
            FAdd | FSub | FMul | FDiv | FSqrt | Fma | FpToFp | SintToFp | UintToFp
        )
    }

    /// Conversion to a signed integer, truncating.
    pub fn fp_to_sint(&mut self, width: u32, f: Term) -> Term {
        self.fp_to_sint_rounded(RoundingMode::TowardZero, width, f)
    }

    /// Conversion to a signed integer. NaN and values out of range give the smallest integer.
    pub fn fp_to_sint_rounded(&mut self, rm: RoundingMode, width: u32, f: Term) -> Term {
        self.float_op(Op::FpToSint, Sort::BitVec(width), rm as u8, &[f])
    }

    /// Conversion to an unsigned integer, truncating.
    pub fn fp_to_uint(&mut self, width: u32, f: Term) -> Term {
        self.fp_to_uint_rounded(RoundingMode::TowardZero, width, f)
    }

    /// Conversion to an unsigned integer. NaN and values out of range give all ones.
    pub fn fp_to_uint_rounded(&mut self, rm: RoundingMode, width: u32, f: Term) -> Term {
        self.float_op(Op::FpToUint, Sort::BitVec(width), rm as u8, &[f])
    }

    /// Conversion from a signed integer, rounded to nearest even.
    pub fn sint_to_fp(&mut self, format: FloatFormat, bv: Term) -> Term {
        self.sint_to_fp_rounded(RoundingMode::NearestEven, format, bv)
    }

    /// Conversion from a signed integer.
    pub fn sint_to_fp_rounded(&mut self, rm: RoundingMode, format: FloatFormat, bv: Term) -> Term {
        self.float_op(Op::SintToFp, Sort::Float(format), rm as u8, &[bv])
    }

    /// Conversion from an unsigned integer, rounded to nearest even.
    pub fn uint_to_fp(&mut self, format: FloatFormat, bv: Term) -> Term {
        self.uint_to_fp_rounded(RoundingMode::NearestEven, format, bv)
    }

    /// Conversion from an unsigned integer.
    pub fn uint_to_fp_rounded(&mut self, rm: RoundingMode, format: FloatFormat, bv: Term) -> Term {
        self.float_op(Op::UintToFp, Sort::Float(format), rm as u8, &[bv])
    }

    /// A function of the mathematical library.
    pub fn fcall(&mut self, function: MathFunction, args: &[Term]) -> Term {
        assert_eq!(
            args.len(),
            function.arity(),
            "arguments of {}",
            function.name()
        );
        self.float_op(Op::FCall, self.sort(args[0]), function as u8, args)
    }

    /// SMT-LIB's `=` on floats: equal bit patterns, or both NaN. Results of operations are compared as numbers with
    /// signs, since their patterns are dear.
    pub fn fp_same(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return Term::TRUE;
        }
        let has_pattern = |t| self.op(t) == Op::FpFromBits;
        let equal = if has_pattern(a) && has_pattern(b) {
            self.eq(a, b)
        } else {
            let equal = self.fcmp(FloatPredicate::Oeq, a, b);
            let signs = [a, b].map(|t| {
                let bits = self.fp_to_bits(t);
                let top = self.width(bits) - 1;
                self.extract(top, top, bits)
            });
            let alike = self.eq(signs[0], signs[1]);
            self.and(equal, alike)
        };
        let nan_a = self.fcmp(FloatPredicate::Uno, a, a);
        let nan_b = self.fcmp(FloatPredicate::Uno, b, b);
        let both = self.and(nan_a, nan_b);
        self.or(equal, both)
    }
}
