//! Floats of terms, taken apart into bit-vectors.

use super::logic::Terms;
use super::modes::{Choice, Mode, is_rounded};
use crate::query::Why;
use float::{FloatFormat, Fpu, Logic as _, Operation, Reading, RoundingMode, Unpacked};
use linear::Deadline;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term, float_operation};

/// A float taken apart; see [`Unpacked`].
#[derive(Clone, Copy)]
pub(super) struct FloatTerms {
    pub format: FloatFormat,
    pub nan: Term,
    pub infinite: Term,
    pub zero: Term,
    pub negative: Term,
    pub exponent: Term,
    significand: Term,
    pattern: Term,
    pseudo: Term,
}

impl FloatTerms {
    fn of(format: FloatFormat, x: Unpacked<Terms<'_>>) -> FloatTerms {
        FloatTerms {
            format,
            nan: x.nan,
            infinite: x.infinite,
            zero: x.zero,
            negative: x.negative,
            exponent: x.exponent,
            significand: x.significand,
            pattern: x.pattern,
            pseudo: x.pseudo,
        }
    }

    fn unpacked<'p>(&self) -> Unpacked<Terms<'p>> {
        Unpacked {
            nan: self.nan,
            infinite: self.infinite,
            zero: self.zero,
            negative: self.negative,
            exponent: self.exponent,
            significand: self.significand,
            pattern: self.pattern,
            pseudo: self.pseudo,
        }
    }
}

/// The form of a term without floats.
#[derive(Clone, Copy)]
enum Lowered {
    /// A float.
    Float(FloatTerms),
    /// A term of another sort.
    Plain(Term),
    /// There is no circuit for it: it depends on a function of the mathematical library.
    None,
}

/// Terms without floats in place of those with them, as far as they were asked for. Floats stay taken apart from one
/// operation to the next.
#[derive(Default)]
pub(crate) struct Lowering {
    known: FxHashMap<Term, Lowered>,
}

impl Lowering {
    /// Forgets everything: terms were renumbered.
    pub fn clear(&mut self) {
        self.known = FxHashMap::default();
    }

    /// A term that equals `t` under every assignment and has no floats.
    ///
    /// # Errors
    /// [`Why::Float`] if it has none: it depends on a function of the mathematical library. [`Why::TooLarge`] if its operations
    /// take more than `room` terms, and [`Why::Timeout`] at the deadline.
    pub fn lower(
        &mut self,
        pool: &mut Pool,
        t: Term,
        room: usize,
        deadline: Option<Deadline>,
    ) -> Result<Term, Why> {
        if !pool.has_float(t) {
            return Ok(t);
        }
        let most = pool.len().saturating_add(room);
        // Terms whose operands are due first, twice: on the way down and on the way up.
        let mut stack = vec![(t, false)];
        while let Some((at, is_ready)) = stack.pop() {
            if !pool.has_float(at) || self.known.contains_key(&at) {
                continue;
            }
            if !is_ready {
                stack.push((at, true));
                match Choice::of(pool, at) {
                    Some(choice) => {
                        stack.extend(choice.cases.iter().map(|&(c, _)| (c, false)));
                        let operands = pool.children(choice.operation);
                        stack.extend(operands.iter().map(|&kid| (kid, false)));
                    }
                    None => stack.extend(pool.children(at).iter().map(|&kid| (kid, false))),
                }
                continue;
            }
            if pool.len() > most {
                return Err(Why::TooLarge);
            }
            if deadline.is_some_and(|end| end.is_past()) {
                return Err(Why::Timeout);
            }
            let lowered = self.operation(pool, at).unwrap_or(Lowered::None);
            self.known.insert(at, lowered);
        }
        match self.known.get(&t) {
            Some(Lowered::Plain(lowered)) => Ok(*lowered),
            _ => Err(Why::Float),
        }
    }

    /// The float that a child is, if it has a circuit.
    pub(super) fn float(&self, t: Term) -> Option<FloatTerms> {
        match self.known.get(&t) {
            Some(Lowered::Float(parts)) => Some(*parts),
            _ => None,
        }
    }

    /// The form of a child of another sort, if it has a circuit.
    fn plain(&self, pool: &Pool, t: Term) -> Option<Term> {
        if !pool.has_float(t) {
            return Some(t);
        }
        match self.known.get(&t) {
            Some(Lowered::Plain(plain)) => Some(*plain),
            _ => None,
        }
    }

    /// The operands of `t` are known.
    fn operation(&self, pool: &mut Pool, t: Term) -> Option<Lowered> {
        let (t, mode) = match Choice::of(pool, t) {
            Some(choice) => {
                let conditions = choice.cases.iter().map(|&(c, _)| self.plain(pool, c));
                let conditions: Option<Vec<Term>> = conditions.collect();
                (choice.operation, Mode::chosen(&choice, &conditions?))
            }
            None if is_rounded(pool.op(t)) => (t, Mode::Constant(pool.rounding(t))),
            None => (t, Mode::Constant(RoundingMode::NearestEven)),
        };
        match pool.sort(t) {
            Sort::Float(format) => self.of_float(pool, t, format, &mode).map(Lowered::Float),
            _ => self.of_plain(pool, t, &mode).map(Lowered::Plain),
        }
    }

    fn of_plain(&self, pool: &mut Pool, t: Term, mode: &Mode) -> Option<Term> {
        let kids: Vec<Term> = pool.children(t).to_vec();
        let op = pool.op(t);
        let is_float = |pool: &Pool, t: Term| matches!(pool.sort(t), Sort::Float(_));
        if !kids.iter().any(|&kid| is_float(pool, kid)) {
            let kids: Option<Vec<Term>> = kids.iter().map(|&kid| self.plain(pool, kid)).collect();
            return Some(pool.rebuild(t, &kids?));
        }
        let a = self.float(kids[0])?;
        let width = pool.width(t);
        match op {
            Op::FpToBits => {
                let terms = Terms::new(pool);
                Some(exact(&terms, a.format).pack(&a.unpacked()))
            }
            Op::Eq => {
                let b = self.float(kids[1])?;
                let terms = Terms::new(pool);
                let fpu = exact(&terms, a.format);
                let [a, b] = [a, b].map(|x| fpu.pack(&x.unpacked()));
                Some(terms.equal(&a, &b))
            }
            Op::FCmp => {
                let b = self.float(kids[1])?;
                let predicate = pool.predicate(t);
                let terms = Terms::new(pool);
                let fpu = exact(&terms, a.format);
                let order = fpu.compare(&a.unpacked(), &b.unpacked(), false);
                Some(order.holds(&terms, predicate))
            }
            Op::FpToSint | Op::FpToUint => {
                let signed = op == Op::FpToSint;
                let terms = Terms::new(pool);
                let (integer, fits) =
                    fpu(&terms, a.format, mode).to_integer(signed, width, &a.unpacked());
                let beyond = if signed {
                    let one = pool.bv(1, 1);
                    let zeros = width.checked_sub(1).filter(|&w| w > 0);
                    match zeros {
                        Some(w) => {
                            let zeros = pool.zero(w);
                            pool.concat(one, zeros)
                        }
                        None => one,
                    }
                } else {
                    pool.ones(width)
                };
                Some(pool.ite(fits, integer, beyond))
            }
            _ => None,
        }
    }

    fn of_float(
        &self,
        pool: &mut Pool,
        t: Term,
        format: FloatFormat,
        mode: &Mode,
    ) -> Option<FloatTerms> {
        let kids: Vec<Term> = pool.children(t).to_vec();
        let op = pool.op(t);
        match op {
            Op::FpFromBits => {
                let bits = self.plain(pool, kids[0])?;
                let terms = Terms::new(pool);
                let fpu = exact(&terms, format);
                Some(FloatTerms::of(format, fpu.unpack(&bits)))
            }
            Op::Ite => {
                let condition = self.plain(pool, kids[0])?;
                let (a, b) = (self.float(kids[1])?, self.float(kids[2])?);
                let terms = Terms::new(pool);
                let chosen = Unpacked::choose(&terms, &condition, &a.unpacked(), &b.unpacked());
                Some(FloatTerms::of(format, chosen))
            }
            Op::SintToFp | Op::UintToFp => {
                let integer = self.plain(pool, kids[0])?;
                let terms = Terms::new(pool);
                let x = fpu(&terms, format, mode).from_integer(op == Op::SintToFp, &integer);
                Some(FloatTerms::of(format, x))
            }
            Op::FpToFp => {
                let a = self.float(kids[0])?;
                let terms = Terms::new(pool);
                let source = fpu(&terms, a.format, mode);
                let x = fpu(&terms, format, mode).convert(&source, &a.unpacked());
                Some(FloatTerms::of(format, x))
            }
            Op::FNeg | Op::FAbs => {
                let a = self.float(kids[0])?;
                let terms = Terms::new(pool);
                let fpu = exact(&terms, format);
                let x = if op == Op::FNeg {
                    fpu.negate(&a.unpacked())
                } else {
                    fpu.absolute(&a.unpacked())
                };
                Some(FloatTerms::of(format, x))
            }
            _ => {
                let operation = float_operation(op)?;
                let args: Option<Vec<FloatTerms>> =
                    kids.iter().map(|&kid| self.float(kid)).collect();
                let terms = Terms::new(pool);
                let mut args: Vec<_> = args?.iter().map(FloatTerms::unpacked).collect();
                let fpu = fpu(&terms, format, mode);
                // One circuit for x + y and y + x, which differ in nothing but which NaN they are.
                let commutes = matches!(operation, Operation::Add | Operation::Multiply);
                let x = if commutes && kids[1] < kids[0] {
                    args.swap(0, 1);
                    fpu.in_order(&args[1], &args[0], &fpu.apply(operation, &args))
                } else {
                    fpu.apply(operation, &args)
                };
                Some(FloatTerms::of(format, x))
            }
        }
    }
}

/// A unit for operations that do not round.
fn exact<'l, 'p>(terms: &'l Terms<'p>, format: FloatFormat) -> Fpu<'l, Terms<'p>> {
    let even = RoundingMode::NearestEven;
    Fpu::constant(terms, format, Reading::Machine, even)
}

fn fpu<'l, 'p>(terms: &'l Terms<'p>, format: FloatFormat, mode: &Mode) -> Fpu<'l, Terms<'p>> {
    Fpu::new(terms, format, Reading::Machine, mode.rounding(terms))
}
