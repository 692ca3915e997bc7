//! The float operators that SMT-LIB has under several names, or not at all.

use super::{Owned, PrintItem, Printer, Text};
use crate::node::{Op, Term};
use crate::{FloatFormat, FloatPredicate};

impl Printer<'_> {
    pub(super) fn float_of_bits(&self, t: Term) -> Vec<PrintItem> {
        let format = self.pool.float_format(t);
        let (eb, sb) = (format.exponent_bits(), format.precision());
        let bits = self.pool.child(t, 0);
        if format == FloatFormat::X87 {
            return vec![
                Text(")))"),
                PrintItem::Term(bits),
                Text(") ((_ extract 62 0) "),
                PrintItem::Term(bits),
                Owned(format!("((_ to_fp {eb} {sb}) (concat ((_ extract 79 64) ")),
            ];
        }
        vec![
            Text(")"),
            PrintItem::Term(bits),
            Owned(format!("((_ to_fp {eb} {sb}) ")),
        ]
    }

    pub(super) fn comparison(&self, t: Term) -> Vec<PrintItem> {
        use FloatPredicate::*;
        let (a, b) = (self.pool.child(t, 0), self.pool.child(t, 1));
        let binary = |head: &'static str, tail: &'static str| {
            vec![
                Text(tail),
                PrintItem::Term(b),
                Text(" "),
                PrintItem::Term(a),
                Text(head),
            ]
        };
        let both = |head: &'static str, middle: &'static str, tail: &'static str| {
            vec![
                Text(tail),
                PrintItem::Term(b),
                Text(middle),
                PrintItem::Term(a),
                Text(head),
            ]
        };
        match self.pool.predicate(t) {
            Oeq => binary("(fp.eq ", ")"),
            Ogt => binary("(fp.gt ", ")"),
            Oge => binary("(fp.geq ", ")"),
            Olt => binary("(fp.lt ", ")"),
            Ole => binary("(fp.leq ", ")"),
            Une => binary("(not (fp.eq ", "))"),
            Ule => binary("(not (fp.gt ", "))"),
            Ult => binary("(not (fp.geq ", "))"),
            Uge => binary("(not (fp.lt ", "))"),
            Ugt => binary("(not (fp.leq ", "))"),
            Ord => both("(not (or (fp.isNaN ", ") (fp.isNaN ", ")))"),
            Uno => both("(or (fp.isNaN ", ") (fp.isNaN ", "))"),
            predicate @ (One | Ueq) => {
                let mut pieces = vec![Text(if predicate == One { "))" } else { ")))" })];
                pieces.extend([
                    PrintItem::Term(b),
                    Text(" "),
                    PrintItem::Term(a),
                    Text(") (fp.gt "),
                ]);
                pieces.extend([PrintItem::Term(b), Text(" "), PrintItem::Term(a)]);
                pieces.push(Text(if predicate == One {
                    "(or (fp.lt "
                } else {
                    "(not (or (fp.lt "
                }));
                pieces
            }
        }
    }

    /// fmod(a, b): with r = fp.rem(|a|, |b|), which lies in [-|b|/2, |b|/2], it is r or r + |b|
    /// (exact), with the sign of a.
    pub(super) fn truncated_remainder(&self, t: Term) -> Vec<PrintItem> {
        let (a, b) = (self.pool.child(t, 0), self.pool.child(t, 1));
        let mut pieces = vec![
            Text("(let ((x "),
            PrintItem::Term(a),
            Text(") (y (fp.abs "),
            PrintItem::Term(b),
            Text(
                "))) (let ((r (fp.rem (fp.abs x) y))) (let ((m (fp.abs (ite (fp.isNegative r) \
                 (ite (fp.isZero r) r (fp.add RNE r y)) r)))) (ite (fp.isNegative x) (fp.neg m) m))))",
            ),
        ];
        pieces.reverse();
        pieces
    }

    /// Which operand it is: of unlike zeros the theory leaves it open.
    pub(super) fn min_max(&self, t: Term) -> Vec<PrintItem> {
        let (a, b) = (self.pool.child(t, 0), self.pool.child(t, 1));
        let minimum = self.pool.op(t) == Op::FMin;
        let order = if minimum { "fp.lt" } else { "fp.gt" };
        let zeros = match (self.pool.float_format(t), minimum) {
            (FloatFormat::X87, true) => {
                " (and (fp.isZero x) (fp.isZero y) (fp.isPositive x) (fp.isNegative y))"
            }
            (FloatFormat::X87, false) => {
                " (and (fp.isZero x) (fp.isZero y) (fp.isNegative x) (fp.isPositive y))"
            }
            _ => "",
        };
        let mut pieces = vec![
            Text("(let ((x "),
            PrintItem::Term(a),
            Text(") (y "),
            PrintItem::Term(b),
            Owned(format!(
                ")) (ite (or (fp.isNaN x) ({order} y x){zeros}) y x))"
            )),
        ];
        pieces.reverse();
        pieces
    }

    /// The conversion where it is defined, our value where it is not.
    pub(super) fn to_integer(&self, t: Term) -> Vec<PrintItem> {
        let signed = self.pool.op(t) == Op::FpToSint;
        let width = self.pool.width(t);
        let float = self.pool.child(t, 0);
        let format = self.pool.float_format(float);
        let (eb, sb) = (format.exponent_bits(), format.precision());
        let rm = self.pool.rounding(t).smt_name();
        let power = |k: u32, minus: bool| {
            // 2^k rounded: infinity where the format ends below it.
            let max = (1i64 << (eb - 1)) - 1;
            let name = if i64::from(k) > max {
                format!("(_ +oo {eb} {sb})")
            } else {
                let exponent = i64::from(k) + max;
                format!("(fp #b0 (_ bv{exponent} {eb}) (_ bv0 {}))", sb - 1)
            };
            if minus {
                format!("(fp.neg {name})")
            } else {
                name
            }
        };
        let (low, high) = if signed {
            (power(width - 1, true), power(width - 1, false))
        } else {
            (format!("(_ -zero {eb} {sb})"), power(width, false))
        };
        let (name, outside) = if signed {
            (
                "fp.to_sbv",
                format!("(bvshl (_ bv1 {width}) (_ bv{} {width}))", width - 1),
            )
        } else {
            ("fp.to_ubv", format!("(bvnot (_ bv0 {width}))"))
        };
        let outside = if width == 1 {
            "#b1".to_string()
        } else {
            outside
        };
        let mut pieces = vec![
            Text("(let ((x "),
            PrintItem::Term(float),
            Owned(format!(
                ")) (let ((r (fp.roundToIntegral {rm} x))) (ite (and (not (fp.isNaN x)) \
                 (not (fp.isInfinite x)) (fp.leq {low} r) (fp.lt r {high})) \
                 ((_ {name} {width}) {rm} x) {outside})))"
            )),
        ];
        pieces.reverse();
        pieces
    }
}
