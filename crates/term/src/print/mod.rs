//! SMT-LIB 2 text.
//!
//! Sharing is kept by nullary `define-fun`s: unlike nested `let`s they serve several assertions
//! and keep the text flat, so that a deep term makes a long script and not a deep one (a term is
//! also named when it nests deeper than [`DEPTH`]). Comparisons and connectives over them are
//! printed as Bool, other terms of width 1 as `(_ BitVec 1)`, with conversions where the two meet.
//!
//! Where SMT-LIB differs: the pattern of a float ([`Op::FpToBits`]) is a fresh constant tied to the float
//! (SMT-LIB has one NaN, so its payload is free); an X87 float is `(_ FloatingPoint 15 64)`,
//! which has no explicit integer bit; `fmod` is spelt out by `fp.rem`; conversions to integers get
//! our value out of range; library functions are uninterpreted.

use crate::node::{Op, Symbol, Term};
use crate::pool::Pool;
use crate::sort::Sort;
use crate::{FloatFormat, FloatPredicate};
use num_bigint::{BigInt, Sign};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Deepest nesting of an expression in the text.
const DEPTH: u32 = 64;

/// A script that asserts `conjuncts` and checks them.
pub fn to_smt2(pool: &Pool, conjuncts: &[Term]) -> String {
    Printer::new(pool).script(conjuncts)
}

/// Prints terms of one pool.
pub struct Printer<'a> {
    pool: &'a Pool,
    out: String,
    /// Names of terms that have one: symbols and defined terms.
    names: FxHashMap<Term, String>,
    /// Terms that are printed as Bool.
    bools: FxHashSet<Term>,
    depth: FxHashMap<Term, u32>,
    uses: FxHashMap<Term, u32>,
    /// Names that symbols and library functions have.
    taken: FxHashSet<String>,
    functions: FxHashSet<String>,
    defined: usize,
    /// Is every operator given a name, used once or not?
    is_shared: bool,
    /// Are reads annotated with what the executor knew of their index?
    accesses: bool,
}

/// Terms yet to be printed, as a stack.
enum PrintItem {
    Term(Term),
    /// A term of width 1 where a Bool is due.
    Truth(Term),
    /// A term of width 1 where a bit-vector is due.
    Bit(Term),
    Text(&'static str),
    Owned(String),
}

use PrintItem::{Bit, Owned, Text, Truth};

mod float;
mod stream;

pub use stream::Names;

impl<'a> Printer<'a> {
    /// A printer without declarations.
    pub fn new(pool: &'a Pool) -> Printer<'a> {
        Printer {
            pool,
            out: String::new(),
            names: FxHashMap::default(),
            bools: FxHashSet::default(),
            depth: FxHashMap::default(),
            uses: FxHashMap::default(),
            taken: FxHashSet::default(),
            functions: FxHashSet::default(),
            defined: 0,
            is_shared: false,
            accesses: false,
        }
    }

    /// Annotates reads that were made with bounds: `(! (select a i) :polypath-access |LO HI SIZE|)` says
    /// that `LO <= i <= HI` on the path, and that the access has `SIZE` elements
    /// ([`Pool::select_typed`]). Other solvers pass over it.
    pub fn with_accesses(self) -> Printer<'a> {
        Printer {
            accesses: true,
            ..self
        }
    }

    /// A whole script: logic, declarations, definitions, assertions, `check-sat`.
    pub fn script(mut self, conjuncts: &[Term]) -> String {
        let cone = self.pool.cone(conjuncts);
        let logic = self.logic(&cone);
        let _ = writeln!(self.out, "(set-logic {logic})");
        self.declarations(conjuncts);
        for &conjunct in conjuncts {
            self.out.push_str("(assert ");
            self.expression(vec![Truth(conjunct)]);
            self.out.push_str(")\n");
        }
        self.out.push_str("(check-sat)\n");
        self.out
    }

    /// Declares the symbols and defines the shared parts of `roots`; [`Printer::term`] may print
    /// them afterwards.
    pub fn declarations(&mut self, roots: &[Term]) {
        let cone = self.pool.cone(roots);
        self.declare(&cone);
        self.classify(&cone, roots);
        for &t in &cone {
            self.define(t);
        }
    }

    /// The text so far and, appended, that of `t`, a root of [`Printer::declarations`]; Booleans
    /// as Bool.
    pub fn term(&mut self, t: Term) {
        let piece = if self.bools.contains(&t) {
            Truth(t)
        } else {
            PrintItem::Term(t)
        };
        self.expression(vec![piece]);
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The text so far.
    pub fn finish(self) -> String {
        self.out
    }

    fn logic(&self, cone: &[Term]) -> &'static str {
        let has = |test: &dyn Fn(Op) -> bool| cone.iter().any(|&t| test(self.pool.op(t)));
        let sorted = |test: &dyn Fn(Sort) -> bool| cone.iter().any(|&t| test(self.pool.sort(t)));
        let array = sorted(&|sort| matches!(sort, Sort::Array { .. }));
        let float = sorted(&|sort| matches!(sort, Sort::Float(_)));
        let int = sorted(&|sort| sort == Sort::Int);
        // A symbol of width 1 is declared as a bit-vector.
        let bit =
            |t: &Term| self.pool.op(*t) == Op::Symbol && self.pool.sort(*t) == Sort::BitVec(1);
        let vectors = sorted(&|sort| matches!(sort, Sort::BitVec(2..))) || cone.iter().any(bit);
        let constant_array = has(&|op| matches!(op, Op::ArrayBytes | Op::ArrayConst));
        if int && !array && !float && !vectors {
            "QF_LIA"
        } else if has(&|op| op == Op::FCall) || constant_array || int {
            "ALL"
        } else {
            match (array, float) {
                (false, false) => "QF_BV",
                (true, false) => "QF_ABV",
                (false, true) => "QF_BVFP",
                (true, true) => "QF_ABVFP",
            }
        }
    }

    fn declare(&mut self, cone: &[Term]) {
        for &t in cone {
            if let Some(symbol) = self.pool.as_symbol(t) {
                let mut name = quote(self.pool.symbol_name(symbol), symbol);
                if !self.taken.insert(name.clone()) {
                    name = quote(
                        &format!("{}!{}", self.pool.symbol_name(symbol), symbol.0),
                        symbol,
                    );
                    self.taken.insert(name.clone());
                }
                let sort = sort_name(self.pool.sort(t));
                let _ = writeln!(self.out, "(declare-const {name} {sort})");
                self.names.insert(t, name);
            } else if self.pool.op(t) == Op::FCall {
                let name = self.function_name(t);
                if self.functions.insert(name.clone()) {
                    let sort = sort_name(self.pool.sort(t));
                    let args = vec![sort.as_str(); self.pool.children(t).len()].join(" ");
                    let _ = writeln!(self.out, "(declare-fun {name} ({args}) {sort})");
                }
            }
        }
    }

    fn function_name(&self, t: Term) -> String {
        let format = self.pool.float_format(t);
        format!("{}!{:?}", self.pool.math_function(t).name(), format).to_lowercase()
    }

    /// Counts uses, and decides which terms of width 1 are Booleans.
    fn classify(&mut self, cone: &[Term], roots: &[Term]) {
        for &root in roots {
            *self.uses.entry(root).or_default() += 1;
        }
        for &t in cone {
            let op = self.pool.op(t);
            // Some operators print their operands more than once.
            let times = match op {
                Op::FRem | Op::FpToSint | Op::FpToUint | Op::FpFromBits => 2,
                Op::FCmp if self.pool.predicate(t) == FloatPredicate::One => 2,
                Op::FCmp if self.pool.predicate(t) == FloatPredicate::Ueq => 2,
                _ => 1,
            };
            for &kid in self.pool.children(t) {
                *self.uses.entry(kid).or_default() += times;
            }
            if self.pool.sort(t) != Sort::BitVec(1) {
                continue;
            }
            let kids = self.pool.children(t);
            let is_bool = |kid: &Term| self.bools.contains(kid);
            let truth = match op {
                Op::Eq | Op::Ult | Op::Slt | Op::FCmp | Op::IntLe => true,
                Op::Not | Op::And | Op::Or | Op::Xor => kids.iter().any(is_bool),
                Op::Ite => kids[1..].iter().any(is_bool),
                _ => false,
            };
            if truth {
                self.bools.insert(t);
            }
        }
    }

    /// Gives `t` a name when it is shared or nests deep, or when SMT-LIB needs one.
    fn define(&mut self, t: Term) {
        if self.names.contains_key(&t) || self.pool.is_const(t) || self.pool.op(t) == Op::IntConst {
            return;
        }
        let depth = |kid: &Term| self.depth.get(kid).copied().unwrap_or(0);
        let depth = 1 + self.pool.children(t).iter().map(depth).max().unwrap_or(0);
        let op = self.pool.op(t);
        if op == Op::FpToBits {
            return self.define_bits(t);
        }
        if op == Op::ArrayBytes {
            return self.define_content(t);
        }
        if !self.is_shared && depth < DEPTH && self.uses[&t] < 2 {
            self.depth.insert(t, depth);
            return;
        }
        let is_bool = self.bools.contains(&t);
        let sort = if is_bool {
            "Bool".to_string()
        } else {
            sort_name(self.pool.sort(t))
        };
        let name = self.fresh();
        let _ = write!(self.out, "(define-fun {name} () {sort} ");
        let pieces = self.pieces(t);
        self.expression(pieces);
        self.out.push_str(")\n");
        self.names.insert(t, name);
    }

    fn fresh(&mut self) -> String {
        self.defined += 1;
        format!("?{}", self.defined)
    }

    /// The pattern of a float: a constant that converts to it.
    fn define_bits(&mut self, t: Term) {
        let float = self.pool.child(t, 0);
        let format = self.pool.float_format(float);
        let (eb, sb) = (format.exponent_bits(), format.precision());
        let name = self.fresh();
        let _ = writeln!(self.out, "(declare-const {name} (_ BitVec {}))", eb + sb);
        let _ = write!(self.out, "(assert (= ((_ to_fp {eb} {sb}) {name}) ");
        self.expression(vec![PrintItem::Term(float)]);
        self.out.push_str("))\n");
        if format == FloatFormat::X87 {
            // The integer bit of the 80-bit pattern is 0 for zero and subnormal numbers only.
            let full = self.fresh();
            let _ = writeln!(
                self.out,
                "(define-fun {full} () (_ BitVec 80) (concat ((_ extract 78 63) {name}) \
                 (ite (= ((_ extract 77 63) {name}) (_ bv0 15)) #b0 #b1) ((_ extract 62 0) {name})))"
            );
            self.names.insert(t, full);
        } else {
            self.names.insert(t, name);
        }
    }

    /// Constant content as stores over a constant array, a bounded number of them nested at once.
    fn define_content(&mut self, t: Term) {
        let sort = sort_name(self.pool.sort(t));
        let mut base = format!("((as const {sort}) #x00)");
        let content = self.pool.array_content(t).to_vec();
        let present: Vec<(usize, u8)> = content
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, byte)| byte != 0)
            .collect();
        for chunk in present.chunks(DEPTH as usize) {
            let name = self.fresh();
            let _ = write!(self.out, "(define-fun {name} () {sort} ");
            for _ in chunk {
                self.out.push_str("(store ");
            }
            self.out.push_str(&base);
            for (index, byte) in chunk {
                let _ = write!(self.out, " #x{index:016x} #x{byte:02x})");
            }
            self.out.push_str(")\n");
            base = name;
        }
        self.names.insert(t, base);
    }

    fn expression(&mut self, mut stack: Vec<PrintItem>) {
        while let Some(piece) = stack.pop() {
            match piece {
                Text(text) => self.out.push_str(text),
                Owned(text) => self.out.push_str(&text),
                Truth(t) => match self.pool.as_const(t) {
                    Some(value) => self.out.push_str(if value == 1 { "true" } else { "false" }),
                    None if self.bools.contains(&t) => stack.push(PrintItem::Term(t)),
                    None => stack.extend([Text(" #b1)"), PrintItem::Term(t), Text("(= ")]),
                },
                Bit(t) if self.bools.contains(&t) => {
                    stack.extend([Text(" #b1 #b0)"), PrintItem::Term(t), Text("(ite ")]);
                }
                Bit(t) => stack.push(PrintItem::Term(t)),
                PrintItem::Term(t) => match self.names.get(&t) {
                    Some(name) => self.out.push_str(name),
                    None => {
                        let pieces = self.pieces(t);
                        stack.extend(pieces);
                    }
                },
            }
        }
    }

    /// The text of `t` itself over its operands, last piece first. A Boolean one is a Bool.
    fn pieces(&self, t: Term) -> Vec<PrintItem> {
        let pool = self.pool;
        let kids = pool.children(t);
        let truth = self.bools.contains(&t);
        let operand = |kid: Term| match pool.sort(kid) {
            Sort::BitVec(1) => Bit(kid),
            _ => PrintItem::Term(kid),
        };
        let call = |head: PrintItem, kids: Vec<PrintItem>| {
            let mut pieces = vec![Text("("), head];
            for kid in kids {
                pieces.push(Text(" "));
                pieces.push(kid);
            }
            pieces.push(Text(")"));
            pieces.reverse();
            pieces
        };
        let plain =
            |head: &'static str| call(Text(head), kids.iter().map(|&k| operand(k)).collect());
        let logical = |word: &'static str, vector: &'static str| {
            if truth {
                call(Text(word), kids.iter().map(|&k| Truth(k)).collect())
            } else {
                plain(vector)
            }
        };
        let owned = |head: String| call(Owned(head), kids.iter().map(|&k| operand(k)).collect());
        let rounded = |head: &'static str| owned(format!("{head} {}", pool.rounding(t).smt_name()));
        match pool.op(t) {
            Op::None | Op::Symbol | Op::ArrayBytes | Op::FpToBits => {
                unreachable!("{t:?} has a name or is none")
            }
            Op::Const | Op::ConstWide => vec![Owned(self.constant(t))],
            Op::Not => logical("not", "bvnot"),
            Op::Neg => plain("bvneg"),
            Op::Add => plain("bvadd"),
            Op::Sub => plain("bvsub"),
            Op::Mul => plain("bvmul"),
            Op::Udiv => plain("bvudiv"),
            Op::Sdiv => plain("bvsdiv"),
            Op::Urem => plain("bvurem"),
            Op::Srem => plain("bvsrem"),
            Op::Shl => plain("bvshl"),
            Op::Lshr => plain("bvlshr"),
            Op::Ashr => plain("bvashr"),
            Op::And => logical("and", "bvand"),
            Op::Or => logical("or", "bvor"),
            Op::Xor => logical("xor", "bvxor"),
            Op::Concat => plain("concat"),
            Op::Extract => {
                let (hi, lo) = pool.extract_bounds(t);
                owned(format!("(_ extract {hi} {lo})"))
            }
            Op::Zext => owned(format!(
                "(_ zero_extend {})",
                pool.width(t) - pool.width(kids[0])
            )),
            Op::Sext => owned(format!(
                "(_ sign_extend {})",
                pool.width(t) - pool.width(kids[0])
            )),
            Op::Eq => plain("="),
            Op::Ult => plain("bvult"),
            Op::Slt => plain("bvslt"),
            Op::Ite => {
                let branch = |kid: Term| if truth { Truth(kid) } else { operand(kid) };
                call(
                    Text("ite"),
                    vec![Truth(kids[0]), branch(kids[1]), branch(kids[2])],
                )
            }
            Op::ArrayConst => owned(format!("(as const {})", sort_name(pool.sort(t)))),
            Op::Select => match pool.select_bounds(t).filter(|_| self.accesses) {
                Some((lo, hi)) => {
                    let size = pool.select_size(t);
                    let note = format!(" :polypath-access |{lo} {hi} {size}|)");
                    let mut pieces = vec![Owned(note)];
                    pieces.extend(plain("select"));
                    pieces.push(Text("(! "));
                    pieces
                }
                None => plain("select"),
            },
            Op::Store => plain("store"),
            Op::IntConst => vec![Owned(int_text(&pool.int_value(pool.node(t))))],
            Op::IntAdd => plain("+"),
            Op::IntMul => plain("*"),
            Op::IntDiv => plain("div"),
            Op::IntMod => plain("mod"),
            Op::IntLe => plain("<="),
            Op::FpFromBits => self.float_of_bits(t),
            Op::FAdd => rounded("fp.add"),
            Op::FSub => rounded("fp.sub"),
            Op::FMul => rounded("fp.mul"),
            Op::FDiv => rounded("fp.div"),
            Op::FRem => self.truncated_remainder(t),
            Op::FRemainder => plain("fp.rem"),
            Op::Fma => rounded("fp.fma"),
            Op::FSqrt => rounded("fp.sqrt"),
            Op::FNeg => plain("fp.neg"),
            Op::FAbs => plain("fp.abs"),
            Op::FMin | Op::FMax => self.min_max(t),
            Op::FRound => rounded("fp.roundToIntegral"),
            Op::FCmp => self.comparison(t),
            Op::FpToFp | Op::SintToFp => {
                let format = pool.float_format(t);
                let (eb, sb) = (format.exponent_bits(), format.precision());
                owned(format!(
                    "(_ to_fp {eb} {sb}) {}",
                    pool.rounding(t).smt_name()
                ))
            }
            Op::UintToFp => {
                let format = pool.float_format(t);
                let (eb, sb) = (format.exponent_bits(), format.precision());
                owned(format!(
                    "(_ to_fp_unsigned {eb} {sb}) {}",
                    pool.rounding(t).smt_name()
                ))
            }
            Op::FpToSint | Op::FpToUint => self.to_integer(t),
            Op::FCall => owned(self.function_name(t)),
        }
    }

    fn constant(&self, t: Term) -> String {
        let width = self.pool.width(t);
        let limbs = self.pool.const_limbs(t);
        let digits = |per: u32| {
            (0..width.div_ceil(per))
                .rev()
                .map(move |k| {
                    let bit = k * per;
                    let limb = limbs[(bit / 64) as usize] >> (bit % 64);
                    char::from_digit((limb & ((1 << per) - 1)) as u32, 16).expect("a digit")
                })
                .collect::<String>()
        };
        if width.is_multiple_of(4) {
            format!("#x{}", digits(4))
        } else {
            format!("#b{}", digits(1))
        }
    }
}

/// An integer; a negative one is an application in SMT-LIB.
fn int_text(value: &BigInt) -> String {
    match value.sign() {
        Sign::Minus => format!("(- {})", value.magnitude()),
        _ => value.to_string(),
    }
}

/// The SMT-LIB name of a sort; width 1 is a bit-vector here.
fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Float(format) => {
            format!(
                "(_ FloatingPoint {} {})",
                format.exponent_bits(),
                format.precision()
            )
        }
        Sort::Array { index, elem } => format!("(Array (_ BitVec {index}) (_ BitVec {elem}))"),
        Sort::Int => "Int".into(),
        Sort::Real => "Real".into(),
    }
}

/// A name as an SMT-LIB symbol; one that could be ours or cannot be quoted gets a number.
fn quote(name: &str, symbol: Symbol) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let plain = !name.is_empty()
        && name.chars().all(simple)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.starts_with(['?', '@', '.'])
        && !matches!(
            name,
            "_" | "!" | "as" | "let" | "exists" | "forall" | "match" | "par"
        );
    // Theory symbols must not be redeclared; names made of letters could be one.
    let theory = name.starts_with("bv")
        || name.starts_with("fp")
        || [
            "true", "false", "not", "and", "or", "xor", "ite", "select", "store", "concat", "=",
            "distinct", "x", "y", "r", "m", "RNE", "RNA", "RTP", "RTN", "RTZ", "abs", "const", "+",
            "-", "*", "/", "<", ">", "<=", ">=", "=>",
        ]
        .contains(&name);
    if plain && !theory {
        return name.to_string();
    }
    if plain || name.contains(['|', '\\']) || name.starts_with('?') {
        let clean: String = name.chars().filter(|&c| c != '|' && c != '\\').collect();
        return format!("|{clean}!{}|", symbol.0);
    }
    format!("|{name}|")
}
