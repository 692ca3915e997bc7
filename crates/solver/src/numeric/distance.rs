//! How far an assignment is from satisfying conditions.
//!
//! Of a comparison it is the logarithm of the steps between its sides, units in the last place for floats; "and" adds,
//! "or" takes the smaller one (the branch distances of search-based testing: Korel 1990, Tracey et al. 1998).

use crate::query::Model;
use rustc_hash::FxHashMap;
use term::{FloatFormat, FloatPredicate, Op, Pool, Scratch, Sort, Tape, Term};

/// The distance where no step leads nearer: an operand is a NaN, or the condition is not a comparison.
const FAR: f64 = 130.0;

/// What a comparison compares.
#[derive(Clone, Copy)]
enum Compare {
    Float(FloatPredicate, FloatFormat),
    Equal,
    Below,
    /// Signed, of this width.
    Less(u32),
}

/// One part of the conditions; operands are numbers of parts before it, or of roots of the tape.
enum Part {
    Compare(Compare, u32, u32),
    /// Any other truth value.
    Opaque(u32),
    And(u32, u32),
    Or(u32, u32),
    Not(u32),
    Same(u32, u32),
    Ite(u32, u32, u32),
}

/// Conditions, compiled.
pub(super) struct Distance {
    tape: Tape,
    parts: Vec<Part>,
    /// The part that each condition is.
    conditions: Vec<u32>,
    scratch: Scratch,
    /// Of each part, the distance to its truth and to its falsehood.
    both: Vec<(f64, f64)>,
}

impl Distance {
    pub fn new(pool: &Pool, conditions: &[Term]) -> Distance {
        let mut compiler = Compiler {
            pool,
            roots: Vec::new(),
            parts: Vec::new(),
            known: FxHashMap::default(),
        };
        let numbers: Vec<u32> = conditions.iter().map(|&c| compiler.part(c)).collect();
        Distance {
            tape: Tape::compile(pool, &compiler.roots),
            both: vec![(0.0, 0.0); compiler.parts.len()],
            parts: compiler.parts,
            conditions: numbers,
            scratch: Scratch::new(),
        }
    }

    /// How many conditions there are.
    pub fn conditions(&self) -> usize {
        self.conditions.len()
    }

    /// Operations that one evaluation takes.
    pub fn cost(&self) -> u64 {
        (self.tape.len() + self.parts.len() + 1) as u64
    }

    /// The distances of all conditions, into `out`.
    pub fn of(&mut self, model: &Model, out: &mut Vec<f64>) {
        self.tape.run(model, &mut self.scratch);
        for k in 0..self.parts.len() {
            self.both[k] = self.part(k);
        }
        out.clear();
        out.extend(self.conditions.iter().map(|&c| self.both[c as usize].0));
    }

    fn root(&self, root: u32) -> u128 {
        let limbs = self.tape.value_wide(&self.scratch, root as usize);
        let high = limbs.get(1).copied().unwrap_or(0);
        u128::from(limbs[0]) | u128::from(high) << 64
    }

    fn part(&self, k: usize) -> (f64, f64) {
        let of = |part: u32| self.both[part as usize];
        match self.parts[k] {
            Part::Compare(compare, a, b) => distances(compare, self.root(a), self.root(b)),
            Part::Opaque(root) if self.root(root) & 1 != 0 => (0.0, FAR),
            Part::Opaque(_) => (FAR, 0.0),
            Part::Not(a) => (of(a).1, of(a).0),
            Part::And(a, b) => (of(a).0 + of(b).0, of(a).1.min(of(b).1)),
            Part::Or(a, b) => (of(a).0.min(of(b).0), of(a).1 + of(b).1),
            Part::Same(a, b) => {
                let ((a1, a0), (b1, b0)) = (of(a), of(b));
                ((a1 + b1).min(a0 + b0), (a1 + b0).min(a0 + b1))
            }
            Part::Ite(c, a, b) => {
                let ((c1, c0), (a1, a0), (b1, b0)) = (of(c), of(a), of(b));
                ((c1 + a1).min(c0 + b1), (c1 + a0).min(c0 + b0))
            }
        }
    }
}

struct Compiler<'a> {
    pool: &'a Pool,
    roots: Vec<Term>,
    parts: Vec<Part>,
    known: FxHashMap<Term, u32>,
}

impl Compiler<'_> {
    fn root(&mut self, t: Term) -> u32 {
        self.roots.push(t);
        self.roots.len() as u32 - 1
    }

    /// The part that a truth value is. Deep nests are walked without recursion.
    fn part(&mut self, t: Term) -> u32 {
        let mut pending = vec![t];
        while let Some(&t) = pending.last() {
            if self.known.contains_key(&t) {
                pending.pop();
                continue;
            }
            let kids = self.truths(t);
            let unknown: Vec<Term> = kids
                .iter()
                .copied()
                .filter(|kid| !self.known.contains_key(kid))
                .collect();
            if !unknown.is_empty() {
                pending.extend(unknown);
                continue;
            }
            let kids: Vec<u32> = kids.iter().map(|kid| self.known[kid]).collect();
            let part = self.make(t, &kids);
            self.parts.push(part);
            self.known.insert(t, self.parts.len() as u32 - 1);
            pending.pop();
        }
        self.known[&t]
    }

    /// The operands that are truth values themselves, where the distance is made of theirs.
    fn truths(&self, t: Term) -> Vec<Term> {
        let kids = self.pool.children(t);
        let of_truths = match self.pool.op(t) {
            Op::And | Op::Or | Op::Xor | Op::Not => true,
            Op::Eq => self.pool.sort(kids[0]) == Sort::BitVec(1),
            Op::Ite => true,
            _ => false,
        };
        if of_truths { kids.to_vec() } else { Vec::new() }
    }

    fn make(&mut self, t: Term, kids: &[u32]) -> Part {
        let pool = self.pool;
        match (pool.op(t), kids) {
            (Op::Not, [a]) => Part::Not(*a),
            (Op::And, [a, b]) => Part::And(*a, *b),
            (Op::Or, [a, b]) => Part::Or(*a, *b),
            (Op::Eq, [a, b]) => Part::Same(*a, *b),
            (Op::Xor, [a, b]) => {
                self.parts.push(Part::Same(*a, *b));
                Part::Not(self.parts.len() as u32 - 1)
            }
            (Op::Ite, [c, a, b]) => Part::Ite(*c, *a, *b),
            (op, _) => {
                let operands = pool.children(t).to_vec();
                let is_number = |sort| matches!(sort, Sort::BitVec(width) if width <= 128);
                let compare = match op {
                    Op::FCmp if pool.width(operands[0]) <= 128 => {
                        let format = pool.float_format(operands[0]);
                        Some(Compare::Float(pool.predicate(t), format))
                    }
                    Op::Eq if is_number(pool.sort(operands[0])) => Some(Compare::Equal),
                    Op::Ult if is_number(pool.sort(operands[0])) => Some(Compare::Below),
                    Op::Slt if is_number(pool.sort(operands[0])) => {
                        Some(Compare::Less(pool.width(operands[0])))
                    }
                    _ => None,
                };
                match compare {
                    Some(compare) => {
                        let [a, b] = [0, 1].map(|k| self.root(operands[k]));
                        Part::Compare(compare, a, b)
                    }
                    None => Part::Opaque(self.root(t)),
                }
            }
        }
    }
}

/// Steps as a distance.
fn steps(n: u128) -> f64 {
    (n as f64 + 1.0).log2()
}

/// `a` < `b`: the distances of its truth and of its falsehood.
fn less(a: i128, b: i128) -> (f64, f64) {
    if a < b {
        (0.0, steps(b.abs_diff(a)))
    } else {
        (steps(a.abs_diff(b) + 1), 0.0)
    }
}

fn equal(a: i128, b: i128) -> (f64, f64) {
    if a == b {
        (0.0, 1.0)
    } else {
        (steps(a.abs_diff(b)), 0.0)
    }
}

fn distances(compare: Compare, a: u128, b: u128) -> (f64, f64) {
    // Beyond 127 bits distances are halved.
    let unsigned = |x: u128| (x >> 1) as i128;
    let narrow = |x: u128| x as i128;
    match compare {
        Compare::Equal if a == b => (0.0, 1.0),
        Compare::Equal => (steps(a.abs_diff(b)), 0.0),
        Compare::Below if (a | b) >> 127 != 0 => less(unsigned(a), unsigned(b)),
        Compare::Below => less(narrow(a), narrow(b)),
        Compare::Less(width) => {
            let signed = |x: u128| ((x << (128 - width)) as i128) >> (128 - width);
            let halved = |x: u128| signed(x) >> u32::from(width == 128);
            less(halved(a), halved(b))
        }
        Compare::Float(predicate, format) => {
            let infinity = order(format, infinity(format));
            let (x, y) = (order(format, a), order(format, b));
            let is_nan = |x: i128| x.abs() > infinity;
            let of = |(truth, falsehood): (f64, f64)| {
                if is_nan(x) || is_nan(y) {
                    (FAR, 0.0)
                } else {
                    (truth, falsehood)
                }
            };
            match predicate {
                FloatPredicate::Oeq => of(equal(x, y)),
                FloatPredicate::Olt => of(less(x, y)),
                FloatPredicate::Ogt => of(less(y, x)),
                FloatPredicate::Ole => of(swapped(less(y, x))),
                FloatPredicate::Oge => of(swapped(less(x, y))),
                FloatPredicate::One => of(swapped(equal(x, y))),
                FloatPredicate::Uno if is_nan(x) || is_nan(y) => (0.0, FAR),
                FloatPredicate::Uno => {
                    let room = |x: i128| infinity.abs_diff(x.abs()) + 1;
                    (steps(room(x).min(room(y))), 0.0)
                }
                negated => swapped(distances(Compare::Float(negated.negated(), format), a, b)),
            }
        }
    }
}

fn swapped((a, b): (f64, f64)) -> (f64, f64) {
    (b, a)
}

/// The pattern of infinity, without its sign.
pub(super) fn infinity(format: FloatFormat) -> u128 {
    let ones = (1 << format.exponent_bits()) - 1;
    let stored = format.bits() - 1 - format.exponent_bits();
    let integer_bit = u128::from(format.has_integer_bit()) << (stored - 1);
    ones << stored | integer_bit
}

/// The place of a float in the order of values; both zeros have the same.
fn order(format: FloatFormat, pattern: u128) -> i128 {
    let sign = 1 << (format.bits() - 1);
    let magnitude = (pattern & (sign - 1)) as i128;
    if pattern & sign != 0 {
        -magnitude
    } else {
        magnitude
    }
}
