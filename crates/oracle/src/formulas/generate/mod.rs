//! Random well-sorted scripts: every operator of the theories, widths 1 to 256, arrays and functions
//! over bit-vectors, Bool, floats and declared sorts, linear integers, conversions; one check, or several
//! with levels and assumptions. A seed is a script.

mod floats;

use super::formula::{Declaration, Expr, Plain, Sort, element};
use super::script::{Script, ScriptStep, constant, function};
use crate::random::Random;

/// Widest operand of a product or quotient of two terms: beyond, no solver answers in time.
const WIDEST_PRODUCT: u32 = 12;

struct Generator {
    random: Random,
    widths: Vec<u32>,
    declarations: Vec<Declaration>,
    ints: bool,
    /// Integers and bit-vectors are converted into each other.
    conversions: bool,
    /// Declared sorts.
    sorts: u32,
    /// Formats of floats: bits of exponent and of significand.
    formats: Vec<(u32, u32)>,
    arrays: Vec<(Plain, Plain)>,
}

/// The script of a seed, of any kind or with floats.
pub fn script(seed: u64, of_floats: bool) -> Script {
    let mut random = Random(seed);
    let mut widths: Vec<u32> = (0..2 + random.below(3))
        .map(|_| match random.below(20) {
            0..=9 => 1 + random.below(8),
            10..=15 => 9 + random.below(24),
            16..=18 => 33 + random.below(48),
            _ => 1 + random.below(256),
        })
        .collect();
    // Something narrow is always there, for products.
    widths.push(1 + random.below(6));
    let kind = *random.one_of(if of_floats { FLOATS } else { KINDS });
    let mut generator = Generator {
        ints: matches!(
            kind,
            FormulaKind::Mixed
                | FormulaKind::Ints
                | FormulaKind::Conversions
                | FormulaKind::Everything
        ),
        conversions: matches!(kind, FormulaKind::Conversions | FormulaKind::Everything),
        random,
        widths,
        declarations: vec![],
        sorts: 0,
        formats: vec![],
        arrays: vec![],
    };
    generator.declare(kind);
    let steps = match generator.random.below(4) {
        0 => generator.dialogue(),
        _ => {
            let count = 1 + generator.random.below(5);
            let asserted = (0..count).map(|_| generator.assertion());
            let mut steps: Vec<ScriptStep> = asserted.collect();
            steps.push(ScriptStep::Check(vec![]));
            steps
        }
    };
    let mut script = Script::new(generator.declarations, steps);
    for named in &mut script.named {
        *named = generator.random.below(6) > 0;
    }
    script
}

/// What a formula speaks about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FormulaKind {
    Bits,
    Arrays,
    Functions,
    ArraysAndFunctions,
    /// Integers beside bit-vectors.
    Mixed,
    Ints,
    Conversions,
    /// Declared sorts with functions over them.
    Sorts,
    /// Arrays and functions over Bool.
    Bools,
    /// Arrays and functions over plain values of all kinds.
    All,
    /// The same beside integers, with conversions.
    Everything,
    /// Floats and rounding modes beside bit-vectors.
    Floats,
    /// With arrays and functions over them.
    FloatsHeld,
}

#[rustfmt::skip]
const KINDS: &[FormulaKind] = &[
    FormulaKind::Bits, FormulaKind::Bits, FormulaKind::Bits, FormulaKind::Arrays, FormulaKind::Arrays, FormulaKind::Functions,
    FormulaKind::ArraysAndFunctions, FormulaKind::ArraysAndFunctions, FormulaKind::Mixed, FormulaKind::Ints, FormulaKind::Conversions,
    FormulaKind::Sorts, FormulaKind::Sorts, FormulaKind::Bools, FormulaKind::All, FormulaKind::All, FormulaKind::Conversions, FormulaKind::Everything,
    FormulaKind::Floats, FormulaKind::Floats, FormulaKind::Floats, FormulaKind::Floats, FormulaKind::FloatsHeld, FormulaKind::FloatsHeld,
];

const FLOATS: &[FormulaKind] = &[
    FormulaKind::Floats,
    FormulaKind::Floats,
    FormulaKind::FloatsHeld,
];

impl Generator {
    fn declare(&mut self, kind: FormulaKind) {
        let ints = match kind {
            FormulaKind::Ints => 4,
            FormulaKind::Mixed => 3,
            FormulaKind::Conversions | FormulaKind::Everything => 2,
            _ => 0,
        };
        for k in 0..ints {
            self.add(constant(format!("i{k}"), Sort::Int));
        }
        for k in 0..3 {
            self.add(constant(format!("p{k}"), Sort::BOOL));
        }
        if kind == FormulaKind::Ints {
            return;
        }
        if self.conversions {
            // Every bit counts in a conversion; beyond, the others seldom answer.
            let widest = *self.random.one_of(&[4, 10, 10, 20]);
            self.widths.iter_mut().for_each(|w| *w = (*w).min(widest));
        }
        for k in 0..self.widths.len() {
            let width = self.widths[k];
            self.add(constant(format!("x{k}"), Sort::bits(width)));
            self.add(constant(format!("y{k}"), Sort::bits(width)));
        }
        if matches!(kind, FormulaKind::Floats | FormulaKind::FloatsHeld) {
            self.choose_formats();
            // What floats are converted from and to.
            self.widths.iter_mut().for_each(|w| *w = (*w).min(24));
            for k in 0..2 {
                self.add(constant(format!("r{k}"), Sort::Plain(Plain::Rounding)));
            }
            for k in 0..self.formats.len() {
                let (eb, sb) = self.formats[k];
                for name in ["f", "g", "h"] {
                    let sort = Sort::Plain(Plain::Float(eb, sb));
                    self.add(constant(format!("{name}f{k}"), sort));
                }
            }
        }
        if matches!(
            kind,
            FormulaKind::Sorts | FormulaKind::All | FormulaKind::Everything
        ) {
            self.sorts = 1 + self.random.below(2);
        }
        for sort in 0..self.sorts {
            for k in 0..2 + self.random.below(3) {
                self.add(constant(
                    element(sort, k),
                    Sort::Plain(Plain::Declared(sort)),
                ));
            }
        }
        let has_functions = matches!(
            kind,
            FormulaKind::Functions
                | FormulaKind::ArraysAndFunctions
                | FormulaKind::Bools
                | FormulaKind::Sorts
                | FormulaKind::All
                | FormulaKind::Everything
                | FormulaKind::FloatsHeld
        );
        let has_arrays = matches!(
            kind,
            FormulaKind::Arrays
                | FormulaKind::ArraysAndFunctions
                | FormulaKind::Bools
                | FormulaKind::All
                | FormulaKind::Everything
                | FormulaKind::FloatsHeld
        );
        let [a, b, c, d] = [(); 4].map(|()| self.plain(kind));
        if has_arrays {
            self.arrays = vec![(a, b), (c, d)];
            for (k, (index, elem)) in [(a, b), (a, b), (c, d)].into_iter().enumerate() {
                self.add(constant(format!("m{k}"), Sort::Array(index, elem)));
            }
        }
        if has_functions {
            self.add(function("f", &[a], b));
            self.add(function("g", &[c, Plain::Bool], d));
            self.add(function("h", &[a], Plain::Bool));
            if self.sorts > 0 {
                let last = Plain::Declared(self.sorts - 1);
                self.add(function("u", &[Plain::Declared(0)], last));
                self.add(function("v", &[last, a], Plain::Declared(0)));
                self.add(function("w", &[Plain::Declared(0), last], b));
            }
        }
    }

    fn add(&mut self, declaration: Declaration) {
        self.declarations.push(declaration);
    }

    /// A sort for an index, an element, an argument.
    fn plain(&mut self, kind: FormulaKind) -> Plain {
        let pick = self.random.below(4);
        match kind {
            FormulaKind::Bools if pick > 0 => Plain::Bool,
            FormulaKind::FloatsHeld if pick == 0 => Plain::Rounding,
            FormulaKind::FloatsHeld if pick < 3 => self.float_sort(),
            FormulaKind::All | FormulaKind::Everything if pick == 0 => Plain::Bool,
            FormulaKind::All | FormulaKind::Sorts | FormulaKind::Everything if pick < 3 => {
                Plain::Declared(self.random.below(self.sorts))
            }
            _ => Plain::Bits(self.width()),
        }
    }

    fn assertion(&mut self) -> ScriptStep {
        let depth = 2 + self.random.below(4);
        ScriptStep::Assert(self.term(Sort::BOOL, depth))
    }

    /// Several checks, on levels and under assumptions.
    fn dialogue(&mut self) -> Vec<ScriptStep> {
        let mut steps = vec![self.assertion()];
        let mut levels = 0;
        for _ in 0..2 + self.random.below(3) {
            match self.random.below(3) {
                0 if levels > 0 => {
                    steps.push(ScriptStep::Pop);
                    levels -= 1;
                }
                0 => {}
                _ => {
                    steps.push(ScriptStep::Push);
                    levels += 1;
                }
            }
            for _ in 0..1 + self.random.below(2) {
                // What an assumption switches on.
                let ScriptStep::Assert(mut term) = self.assertion() else {
                    continue;
                };
                if self.random.below(3) == 0 {
                    let guard = self.literal_of_bool();
                    term = Expr::new("=>", vec![guard, term], Sort::BOOL);
                }
                steps.push(ScriptStep::Assert(term));
            }
            let count = [0, 0, 1, 2, 3][self.random.below(5) as usize];
            let assumed = (0..count).map(|_| self.literal_of_bool()).collect();
            steps.push(ScriptStep::Check(assumed));
        }
        steps.extend((0..levels).map(|_| ScriptStep::Pop));
        steps
    }

    /// A Boolean constant or its negation.
    fn literal_of_bool(&mut self) -> Expr {
        let p = Expr::leaf(format!("p{}", self.random.below(3)), Sort::BOOL);
        match self.random.below(2) {
            0 => p,
            _ => Expr::new("not", vec![p], Sort::BOOL),
        }
    }

    /// One of the formula's widths.
    fn width(&mut self) -> u32 {
        let widths = self.widths.clone();
        *self.random.one_of(&widths)
    }

    fn has_bits(&self) -> bool {
        self.declarations
            .iter()
            .any(|d| matches!(d.sort, Sort::Plain(Plain::Bits(_))))
    }

    /// A declared constant of a sort.
    fn constant(&mut self, sort: Sort) -> Option<Expr> {
        let fitting: Vec<String> = self
            .declarations
            .iter()
            .filter(|d| d.sort == sort && d.params.is_empty())
            .map(|d| d.name.clone())
            .collect();
        if fitting.is_empty() {
            return None;
        }
        Some(Expr::leaf(self.random.one_of(&fitting).clone(), sort))
    }

    fn literal(&mut self, width: u32) -> Expr {
        let kind = self.random.below(4);
        let digits: String = (0..width)
            .map(|k| match kind {
                0 => k >= width.saturating_sub(3) && self.random.below(2) == 1,
                1 => k == 0,
                2 => true,
                _ => self.random.below(2) == 1,
            })
            .map(|bit| if bit { '1' } else { '0' })
            .collect();
        Expr::leaf(format!("#b{digits}"), Sort::bits(width))
    }

    fn leaf(&mut self, sort: Sort) -> Expr {
        if self.random.below(4) > 0
            && let Some(constant) = self.constant(sort)
        {
            return constant;
        }
        match sort {
            Sort::Plain(Plain::Bool) => Expr::leaf(*self.random.one_of(&["true", "false"]), sort),
            Sort::Plain(Plain::Bits(width)) => self.literal(width),
            Sort::Plain(Plain::Float(eb, sb)) => self.float_literal(eb, sb),
            Sort::Plain(Plain::Rounding) => self.mode(0),
            Sort::Int => self.number(),
            Sort::Plain(Plain::Declared(_)) | Sort::Array(..) => match self.constant(sort) {
                Some(constant) => constant,
                None => sort.simplest(),
            },
        }
    }

    fn number(&mut self) -> Expr {
        let value = match self.random.below(8) {
            0 => "1000000000000000000000".to_string(),
            1 => self.random.below(1000).to_string(),
            _ => self.random.below(8).to_string(),
        };
        let text = if self.random.below(3) == 0 && value != "0" {
            format!("(- {value})")
        } else {
            value
        };
        Expr::leaf(text, Sort::Int)
    }

    fn terms(&mut self, sort: Sort, count: u32, depth: u32) -> Vec<Expr> {
        (0..count).map(|_| self.term(sort, depth)).collect()
    }

    fn ite(&mut self, sort: Sort, depth: u32) -> Expr {
        let mut args = self.terms(Sort::BOOL, 1, depth);
        args.extend(self.terms(sort, 2, depth));
        Expr::new("ite", args, sort)
    }

    /// A declared function's value.
    fn call(&mut self, sort: Sort, depth: u32) -> Option<Expr> {
        let fitting: Vec<Declaration> = self
            .declarations
            .iter()
            .filter(|d| d.sort == sort && !d.params.is_empty())
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.random.one_of(&fitting).clone();
        let args = function
            .params
            .iter()
            .map(|&p| self.term(Sort::Plain(p), depth))
            .collect();
        Some(Expr::new(function.name, args, sort))
    }

    fn term(&mut self, sort: Sort, depth: u32) -> Expr {
        if depth == 0 || self.random.below(8) == 0 {
            return self.leaf(sort);
        }
        let depth = depth - 1;
        match sort {
            Sort::Plain(Plain::Bool) => self.condition(depth),
            Sort::Plain(Plain::Bits(width)) => self.bits(width, depth),
            Sort::Plain(Plain::Float(eb, sb)) => self.float(eb, sb, depth),
            Sort::Plain(Plain::Rounding) => self.mode(depth),
            Sort::Plain(Plain::Declared(_)) => match self.random.below(4) {
                0 => self.ite(sort, depth),
                1 => self.read(sort, depth),
                _ => self.call(sort, depth).unwrap_or_else(|| self.leaf(sort)),
            },
            Sort::Int => self.int(depth),
            Sort::Array(index, elem) => match self.random.below(4) {
                0 => self.ite(sort, depth),
                1 => {
                    let args = self.terms(Sort::Plain(elem), 1, depth);
                    Expr::new(format!("(as const {sort})"), args, sort)
                }
                _ => {
                    let mut args = self.terms(sort, 1, depth);
                    args.extend(self.terms(Sort::Plain(index), 1, depth));
                    args.extend(self.terms(Sort::Plain(elem), 1, depth));
                    Expr::new("store", args, sort)
                }
            },
        }
    }

    /// A read of an array with elements of the sort; another term when there is none.
    fn read(&mut self, sort: Sort, depth: u32) -> Expr {
        let fits = |a: &(Plain, Plain)| Sort::Plain(a.1) == sort;
        let fitting: Vec<(Plain, Plain)> = self.arrays.iter().copied().filter(fits).collect();
        if fitting.is_empty() {
            return self.ite(sort, depth);
        }
        let &(index, elem) = self.random.one_of(&fitting);
        let mut args = self.terms(Sort::Array(index, elem), 1, depth);
        args.extend(self.terms(Sort::Plain(index), 1, depth));
        Expr::new("select", args, sort)
    }

    fn condition(&mut self, depth: u32) -> Expr {
        let sort = Sort::BOOL;
        if self.ints && (!self.has_bits() || self.random.below(2) == 0) {
            let op = *self.random.one_of(&["<=", "<", ">=", ">", "=", "distinct"]);
            let args = self.terms(Sort::Int, 2, depth);
            return Expr::new(op, args, sort);
        }
        if self.sorts > 0 && self.random.below(3) == 0 {
            let declared = Sort::Plain(Plain::Declared(self.random.below(self.sorts)));
            let (op, count) = match self.random.below(4) {
                0 => ("distinct", 2 + self.random.below(3)),
                _ => ("=", 2 + self.random.below(2)),
            };
            let args = self.terms(declared, count, depth);
            return Expr::new(op, args, sort);
        }
        if !self.formats.is_empty() && self.random.below(2) == 0 {
            return self.float_condition(depth);
        }
        match self.random.below(15) {
            0 => {
                let args = self.terms(sort, 1, depth);
                Expr::new("not", args, sort)
            }
            1..=3 => {
                let op = *self
                    .random
                    .one_of(&["and", "or", "xor", "=>", "=", "distinct"]);
                let count = if op == "distinct" {
                    2
                } else {
                    2 + self.random.below(2)
                };
                let args = self.terms(sort, count, depth);
                Expr::new(op, args, sort)
            }
            4 => self.ite(sort, depth),
            5 if !self.arrays.is_empty() => {
                let arrays = self.arrays.clone();
                let &(index, elem) = self.random.one_of(&arrays);
                let args = self.terms(Sort::Array(index, elem), 2, depth);
                Expr::new(*self.random.one_of(&["=", "=", "distinct"]), args, sort)
            }
            6 => match self.call(sort, depth) {
                Some(call) => call,
                None => self.leaf(sort),
            },
            7 => self.read(sort, depth),
            8 if self.has_bits() => {
                const OVERFLOWS: &[&str] = &[
                    "bvnego", "bvuaddo", "bvsaddo", "bvusubo", "bvssubo", "bvumulo", "bvsmulo",
                    "bvsdivo",
                ];
                let op = *self.random.one_of(OVERFLOWS);
                let width = match op {
                    "bvumulo" | "bvsmulo" => self.width().min(WIDEST_PRODUCT / 2),
                    _ => self.width(),
                };
                let count = if op == "bvnego" { 1 } else { 2 };
                let args = self.terms(Sort::bits(width), count, depth);
                Expr::new(op, args, sort)
            }
            _ if self.has_bits() => {
                const ORDERS: &[&str] = &[
                    "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "=",
                    "=", "distinct",
                ];
                let op = *self.random.one_of(ORDERS);
                let width = self.width();
                let count = if op == "distinct" && width > 2 {
                    2 + self.random.below(2)
                } else {
                    2
                };
                let args = self.terms(Sort::bits(width), count, depth);
                Expr::new(op, args, sort)
            }
            _ => self.leaf(sort),
        }
    }

    fn bits(&mut self, width: u32, depth: u32) -> Expr {
        let sort = Sort::bits(width);
        let unary = |this: &mut Generator, head: String, from: u32| {
            let args = this.terms(Sort::bits(from), 1, depth);
            Expr::new(head, args, sort)
        };
        if !self.formats.is_empty() && self.random.below(5) == 0 {
            return self.float_to_bits(width, depth);
        }
        match self.random.below(if self.conversions { 18 } else { 16 }) {
            0 => {
                let op = *self.random.one_of(&["bvnot", "bvneg"]);
                unary(self, op.into(), width)
            }
            1..=4 => {
                const CHEAP: &[&str] = &[
                    "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvadd", "bvsub",
                    "bvshl", "bvlshr", "bvashr",
                ];
                let op = *self.random.one_of(CHEAP);
                let args = self.terms(sort, 2, depth);
                Expr::new(op, args, sort)
            }
            5 | 6 => {
                const COSTLY: &[&str] =
                    &["bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"];
                let op = *self.random.one_of(COSTLY);
                let mut args = self.terms(sort, 1, depth);
                args.push(if width > WIDEST_PRODUCT {
                    self.literal(width)
                } else {
                    self.term(sort, depth)
                });
                if self.random.below(3) == 0 {
                    args.reverse();
                }
                Expr::new(op, args, sort)
            }
            7 => {
                let op = *self.random.one_of(&["rotate_left", "rotate_right"]);
                let by = self.random.below(width + 2);
                unary(self, format!("(_ {op} {by})"), width)
            }
            8 => {
                let low = self.random.below(20);
                let from = (width + low + self.random.below(20)).min(300);
                let low = low.min(from - width);
                let high = low + width - 1;
                unary(self, format!("(_ extract {high} {low})"), from)
            }
            9 | 10 => {
                let from = 1 + self.random.below(width);
                let op = *self.random.one_of(&["zero_extend", "sign_extend"]);
                unary(self, format!("(_ {op} {})", width - from), from)
            }
            11 if width > 1 => {
                let high = 1 + self.random.below(width - 1);
                let mut args = self.terms(Sort::bits(high), 1, depth);
                args.extend(self.terms(Sort::bits(width - high), 1, depth));
                Expr::new("concat", args, sort)
            }
            11 => {
                let other = self.width();
                let args = self.terms(Sort::bits(other), 2, depth);
                Expr::new("bvcomp", args, sort)
            }
            12 if width.is_multiple_of(2) => unary(self, "(_ repeat 2)".into(), width / 2),
            13 => match self.call(sort, depth) {
                Some(call) => call,
                None => self.leaf(sort),
            },
            14 => self.read(sort, depth),
            15 | 16 if self.conversions => {
                let op = *self.random.one_of(&["int2bv", "int_to_bv"]);
                let args = self.terms(Sort::Int, 1, depth);
                Expr::new(format!("(_ {op} {width})"), args, sort)
            }
            _ => self.ite(sort, depth),
        }
    }

    fn int(&mut self, depth: u32) -> Expr {
        let sort = Sort::Int;
        match self.random.below(if self.conversions { 12 } else { 9 }) {
            9.. => {
                const NUMBERS: &[&str] = &["bv2nat", "ubv_to_int", "sbv_to_int"];
                let op = *self.random.one_of(NUMBERS);
                let width = self.width();
                let args = self.terms(Sort::bits(width), 1, depth);
                Expr::new(op, args, sort)
            }
            0 => self.ite(sort, depth),
            1 => {
                let mut args = vec![self.number()];
                args.extend(self.terms(sort, 1, depth));
                Expr::new("*", args, sort)
            }
            2 => {
                let op = *self.random.one_of(&["div", "mod"]);
                let divisor = 1 + self.random.below(7);
                let text = if self.random.below(3) == 0 {
                    format!("(- {divisor})")
                } else {
                    divisor.to_string()
                };
                let mut args = self.terms(sort, 1, depth);
                args.push(Expr::leaf(text, sort));
                Expr::new(op, args, sort)
            }
            3 => {
                let op = *self.random.one_of(&["abs", "-"]);
                let args = self.terms(sort, 1, depth);
                Expr::new(op, args, sort)
            }
            4..=6 => {
                let op = *self.random.one_of(&["+", "-"]);
                let count = 2 + self.random.below(2);
                let args = self.terms(sort, count, depth);
                Expr::new(op, args, sort)
            }
            _ => self.leaf(sort),
        }
    }
}
