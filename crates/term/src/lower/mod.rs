//! Floats as bit-vectors: terms without floating-point operators.
//!
//! Each operator becomes the terms of its definition in crate `float`. Between operators a float stays unpacked.

mod logic;

use crate::node::{Op, Symbol, Term};
use crate::pool::Pool;
use crate::sort::Sort;
use crate::{FloatPredicate, fpu};
use float::{FloatFormat, Fpu, Logic as _, Reading, RoundingMode, Unpacked};
use logic::Terms;
use rustc_hash::FxHashMap;

/// Terms without floating-point operators.
#[derive(Debug)]
pub struct Lowered {
    /// In place of the terms that were given. In place of a float stands its bit pattern.
    pub terms: Vec<Term>,
    /// The symbols that were floats, each with the bit-vector symbol that stands for its pattern.
    pub symbols: Vec<(Symbol, Symbol)>,
}

/// Rewrites terms so that no floating-point operator is left.
///
/// # Errors
///
/// The term of a function of the mathematical library, which has no definition in bits.
pub fn lower_floats(pool: &mut Pool, reading: Reading, roots: &[Term]) -> Result<Lowered, Term> {
    let cone = pool.cone(roots);
    let logic = Terms::new(pool);
    let mut lowering = Lowering {
        logic: &logic,
        reading,
        bits: FxHashMap::default(),
        floats: FxHashMap::default(),
        symbols: Vec::new(),
    };
    for t in cone {
        lowering.term(t)?;
    }
    let terms = roots.iter().map(|&root| lowering.pattern(root)).collect();
    let symbols = lowering.symbols;
    Ok(Lowered { terms, symbols })
}

struct Lowering<'l, 'p> {
    logic: &'l Terms<'p>,
    reading: Reading,
    /// By term that is no float.
    bits: FxHashMap<Term, Term>,
    floats: FxHashMap<Term, Unpacked<Terms<'p>>>,
    symbols: Vec<(Symbol, Symbol)>,
}

impl<'l, 'p> Lowering<'l, 'p> {
    /// Lowers one term, whose operands are lowered.
    fn term(&mut self, t: Term) -> Result<(), Term> {
        let node = self.logic.with(|pool| *pool.node(t));
        let sort = Sort::decode(node.sort);
        if let Sort::Float(format) = sort {
            let float = self.float(t, format)?;
            self.floats.insert(t, float);
            return Ok(());
        }
        let kids = node.children();
        let of_float = kids.first().and_then(|kid| self.format(*kid));
        let bits = match (of_float, sort) {
            (Some(format), Sort::BitVec(width)) => self.bits_of_float(t, format, width),
            _ => {
                let kids: Vec<Term> = kids.iter().map(|kid| self.bits[kid]).collect();
                self.logic.with(|pool| pool.rebuild(t, &kids))
            }
        };
        self.bits.insert(t, bits);
        Ok(())
    }

    fn format(&self, t: Term) -> Option<FloatFormat> {
        match self.logic.with(|pool| pool.sort(t)) {
            Sort::Float(format) => Some(format),
            _ => None,
        }
    }

    fn unit(&self, format: FloatFormat, mode: RoundingMode) -> Fpu<'l, Terms<'p>> {
        Fpu::constant(self.logic, format, self.reading, mode)
    }

    /// A unit for what does not round.
    fn exact_unit(&self, format: FloatFormat) -> Fpu<'l, Terms<'p>> {
        self.unit(format, RoundingMode::NearestEven)
    }

    /// The pattern of a float, or the other term.
    fn pattern(&self, t: Term) -> Term {
        match self.format(t) {
            Some(format) => self.exact_unit(format).pack(&self.floats[&t]),
            None => self.bits[&t],
        }
    }

    /// A term whose value is a float.
    fn float(&mut self, t: Term, format: FloatFormat) -> Result<Unpacked<Terms<'p>>, Term> {
        let node = self.logic.with(|pool| *pool.node(t));
        let kids = node.children();
        let operand = |at: usize| &self.floats[&kids[at]];
        let exact = self.exact_unit(format);
        let rounding = |format| self.unit(format, fpu::rounding(node.imm));
        Ok(match node.op {
            Op::Symbol => {
                let symbol = Symbol(node.aux);
                let (bits, term) = self.logic.with(|pool| {
                    let name = format!("{}.bits", pool.symbol_name(symbol));
                    let bits = pool.new_symbol(&name, Sort::BitVec(format.bits()));
                    (bits, pool.symbol_term(bits))
                });
                self.symbols.push((symbol, bits));
                exact.unpack(&term)
            }
            Op::FpFromBits => exact.unpack(&self.bits[&kids[0]]),
            Op::Ite => Unpacked::choose(self.logic, &self.bits[&kids[0]], operand(1), operand(2)),
            Op::FNeg => exact.negate(operand(0)),
            Op::FAbs => exact.absolute(operand(0)),
            Op::FpToFp => {
                let source = self.format(kids[0]).expect("a float is converted");
                rounding(format).convert(&rounding(source), operand(0))
            }
            Op::SintToFp | Op::UintToFp => {
                let signed = node.op == Op::SintToFp;
                rounding(format).from_integer(signed, &self.bits[&kids[0]])
            }
            Op::FCall => return Err(t),
            _ => {
                let args: Vec<_> = kids.iter().map(|kid| self.floats[kid].clone()).collect();
                let operation = fpu::operation(node.op);
                rounding(format).apply(operation, &args)
            }
        })
    }

    /// A bit-vector whose first operand is a float.
    fn bits_of_float(&self, t: Term, format: FloatFormat, width: u32) -> Term {
        let node = self.logic.with(|pool| *pool.node(t));
        let kids = node.children();
        let operand = |at: usize| &self.floats[&kids[at]];
        match node.op {
            Op::FCmp => {
                let predicate = FloatPredicate::ALL[node.imm as usize];
                let order = self
                    .exact_unit(format)
                    .compare(operand(0), operand(1), false);
                order.holds(self.logic, predicate)
            }
            Op::FpToSint | Op::FpToUint => {
                let signed = node.op == Op::FpToSint;
                let unit = self.unit(format, fpu::rounding(node.imm));
                let (integer, fits) = unit.to_integer(signed, width, operand(0));
                let outside = if signed {
                    let least = self.logic.ones(1);
                    self.logic.append_zeros(&least, width - 1)
                } else {
                    self.logic.ones(width)
                };
                self.logic.choose(&fits, &integer, &outside)
            }
            Op::FpToBits => self.pattern(kids[0]),
            op => {
                debug_assert_eq!(op, Op::Eq);
                let [a, b] = [self.pattern(kids[0]), self.pattern(kids[1])];
                self.logic.with(|pool| pool.eq(a, b))
            }
        }
    }
}

#[cfg(test)]
mod tests;
