//! Floats: formats of 4 to 128 bits, every operation under every mode, conversions. Left out are `fp.to_ieee_bv`, which
//! is z3's only, and `fp.to_real`.

use super::{Expr, Generator, Plain, Sort};

const MODES: &[&str] = &["RNE", "RNA", "RTP", "RTN", "RTZ"];
/// Operations on larger significands that take long to decide stay rare.
const SHORT: u32 = 11;

impl Generator {
    /// One or two formats, mostly short ones.
    pub(super) fn choose_formats(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            let format = match self.random.below(10) {
                0..=5 => (2 + self.random.below(4), 2 + self.random.below(6)),
                6 => (5, 11),
                7 => (8, 8),
                8 => (8, 24),
                _ => *self.random.one_of(&[(11, 53), (11, 53), (15, 113)]),
            };
            self.formats.push(format);
        }
    }

    /// One of the formula's formats.
    fn format(&mut self) -> (u32, u32) {
        let formats = self.formats.clone();
        *self.random.one_of(&formats)
    }

    pub(super) fn float_sort(&mut self) -> Plain {
        let (eb, sb) = self.format();
        Plain::Float(eb, sb)
    }

    pub(super) fn float_literal(&mut self, eb: u32, sb: u32) -> Expr {
        let sort = Sort::Plain(Plain::Float(eb, sb));
        let text = match self.random.below(12) {
            0 => format!("(_ +oo {eb} {sb})"),
            1 => format!("(_ -oo {eb} {sb})"),
            2 => format!("(_ NaN {eb} {sb})"),
            3 => format!("(_ +zero {eb} {sb})"),
            4 => format!("(_ -zero {eb} {sb})"),
            5 => {
                let mode = *self.random.one_of(MODES);
                let value = *self
                    .random
                    .one_of(&["0.1", "1.5", "3.0", "(- 0.75)", "(/ 1 3)", "100.0"]);
                format!("((_ to_fp {eb} {sb}) {mode} {value})")
            }
            kind => {
                let exponent = match kind {
                    // Near 1: results of operations are numbers again.
                    6..=8 => self.near_one(eb),
                    _ => self.literal(eb).head,
                };
                let (sign, stored) = (self.literal(1).head, self.literal(sb - 1).head);
                format!("(fp {sign} {exponent} {stored})")
            }
        };
        Expr::leaf(text, sort)
    }

    fn near_one(&mut self, eb: u32) -> String {
        let bias = (1u64 << (eb - 1)) - 1;
        let most = (1u64 << eb) - 2;
        let exponent = (bias + u64::from(self.random.below(3))).min(most);
        format!("#b{exponent:0width$b}", width = eb as usize)
    }

    pub(super) fn mode(&mut self, depth: u32) -> Expr {
        let sort = Sort::Plain(Plain::Rounding);
        match self.random.below(12) {
            0 if depth > 0 => self.ite(sort, depth - 1),
            1 if depth > 0 => self.read(sort, depth - 1),
            2..=4 => self
                .constant(sort)
                .unwrap_or_else(|| Expr::leaf("RTZ", sort)),
            _ => Expr::leaf(*self.random.one_of(MODES), sort),
        }
    }

    /// An operation that gives a float of the format.
    pub(super) fn float(&mut self, eb: u32, sb: u32, depth: u32) -> Expr {
        let sort = Sort::Plain(Plain::Float(eb, sb));
        let is_short = sb <= SHORT;
        let rounded = |this: &mut Generator, op: &str, count: u32| {
            let mut args = vec![this.mode(depth)];
            args.extend(this.terms(sort, count, depth));
            Expr::new(op, args, sort)
        };
        match self.random.below(20) {
            0 | 1 => {
                let op = *self.random.one_of(&["fp.abs", "fp.neg"]);
                let args = self.terms(sort, 1, depth);
                Expr::new(op, args, sort)
            }
            2..=5 => {
                let op = *self.random.one_of(&["fp.add", "fp.sub"]);
                rounded(self, op, 2)
            }
            6 | 7 if is_short || self.random.below(3) == 0 => rounded(self, "fp.mul", 2),
            8 if is_short || self.random.below(8) == 0 => rounded(self, "fp.div", 2),
            9 if is_short => rounded(self, "fp.fma", 3),
            10 if is_short || self.random.below(8) == 0 => rounded(self, "fp.sqrt", 1),
            11 if is_short && eb <= 5 => {
                let args = self.terms(sort, 2, depth);
                Expr::new("fp.rem", args, sort)
            }
            12 => rounded(self, "fp.roundToIntegral", 1),
            13 => {
                let op = *self.random.one_of(&["fp.min", "fp.max"]);
                let args = self.terms(sort, 2, depth);
                Expr::new(op, args, sort)
            }
            14 => {
                let mut args = vec![self.mode(depth)];
                let from = self.float_sort();
                args.extend(self.terms(Sort::Plain(from), 1, depth));
                Expr::new(format!("(_ to_fp {eb} {sb})"), args, sort)
            }
            15 => {
                let op = *self.random.one_of(&["to_fp", "to_fp_unsigned"]);
                let mut args = vec![self.mode(depth)];
                let width = self.width();
                args.extend(self.terms(Sort::bits(width), 1, depth));
                Expr::new(format!("(_ {op} {eb} {sb})"), args, sort)
            }
            16 if self.random.below(2) == 0 => {
                let args = self.terms(Sort::bits(eb + sb), 1, depth);
                Expr::new(format!("(_ to_fp {eb} {sb})"), args, sort)
            }
            16 => {
                let args = [1, eb, sb - 1].map(|width| self.term(Sort::bits(width), depth));
                Expr::new("fp", args.to_vec(), sort)
            }
            17 => self.read(sort, depth),
            18 => match self.call(sort, depth) {
                Some(call) => call,
                None => self.leaf(sort),
            },
            _ => self.ite(sort, depth),
        }
    }

    /// A condition on floats or modes.
    pub(super) fn float_condition(&mut self, depth: u32) -> Expr {
        const ORDERS: &[&str] = &[
            "fp.leq", "fp.lt", "fp.geq", "fp.gt", "fp.eq", "=", "=", "distinct",
        ];
        const CLASSES: &[&str] = &[
            "fp.isNormal",
            "fp.isSubnormal",
            "fp.isZero",
            "fp.isInfinite",
            "fp.isNaN",
            "fp.isNegative",
            "fp.isPositive",
        ];
        let float = self.float_sort();
        let float = Sort::Plain(float);
        let (op, count, sort) = match self.random.below(10) {
            0 => (
                *self.random.one_of(&["=", "distinct"]),
                2,
                Sort::Plain(Plain::Rounding),
            ),
            1 | 2 => (*self.random.one_of(CLASSES), 1, float),
            3 => (*self.random.one_of(ORDERS), 3, float),
            _ => (*self.random.one_of(ORDERS), 2, float),
        };
        let args = self.terms(sort, count, depth);
        Expr::new(op, args, Sort::BOOL)
    }

    /// A float as an integer of the width.
    pub(super) fn float_to_bits(&mut self, width: u32, depth: u32) -> Expr {
        let op = *self.random.one_of(&["fp.to_ubv", "fp.to_sbv"]);
        let float = self.float_sort();
        let mut args = vec![self.mode(depth)];
        args.extend(self.terms(Sort::Plain(float), 1, depth));
        Expr::new(format!("(_ {op} {width})"), args, Sort::bits(width))
    }
}
