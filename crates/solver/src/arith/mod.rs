//! Multiplication and division of wide operands: abstraction, with lemmas on demand.
//!
//! The method is that of Niemetz, Preiner and Zohar, "Scalable bit-blasting with abstractions" (CAV 2024): the result
//! is a vector of fresh inputs instead of a circuit of quadratic size, and the results are checked in each model of
//! this abstraction. A wrong result is answered by the lemmas of [`lemmas::LEMMAS`] that it violates; if it violates
//! none, by more exact low columns of the product, then by lemmas about two operations ([`pairs`]), and at last by the
//! whole circuit ([`refine`]). Lemmas hold on every path, so their clauses are permanent and serve all later queries
//! of the same SAT context.
//!
//! Where we differ from the paper: quotient and remainder are one operation with one product `quotient * divisor`,
//! which is the operation that the formula's own product would be; monotony of products that share a factor is a
//! lemma; low columns grow with the circuit's gates shared between the steps; a lemma is evaluated by building it over
//! constants, which makes no gate, so the check and the assertion are one piece of code.
//!
//! Bounds: [`refine::MAX_ROUNDS`] rounds for an operation and [`refine::MAX_CONFLICTS`] conflicts for a query, then
//! circuits. Operations that have a small operand ([`MIN_WIDTH`]) or a constant one are circuits at once.

pub(crate) mod lemmas;
pub(crate) mod pairs;
pub(crate) mod refine;

use crate::circuit::circuits::{Bits, as_constant};
use crate::circuit::{Circuit, Clauses, Extension, Lowered, Scope};
use crate::model::Model;
use crate::query::{Technique, Why};
use crate::sat::Lit;
use crate::stats::SolverStats;
use refine::{OperationValues, Refiner};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Evaluator, Op, Pool, Relocation, Term};

/// Operations with fewer live bits in one operand are circuits, unless the options say otherwise.
pub(crate) const MIN_WIDTH: u32 = 8;
/// Wider operations are refused: a model could not be checked in reasonable time.
const MAX_WIDTH: usize = 4096;

/// Position in [`Arithmetic::all`].
pub(crate) type OpId = u32;

/// The kind of operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// `out = a * b`.
    Product,
    /// `out = a / b`, `rest = a % b`, unsigned.
    Division,
}

/// An operation whose results are fresh inputs.
pub(crate) struct Operation {
    pub kind: Kind,
    pub a: Bits,
    pub b: Bits,
    /// The product, or the quotient.
    pub out: Bits,
    /// The remainder of a division.
    pub rest: Bits,
    /// Implies that the product does not overflow.
    pub fits: Lit,
    /// The product of quotient and divisor, once a lemma needed it.
    pub product: Option<OpId>,
    /// Is there a circuit for the results?
    pub exact: bool,
    /// Lemmas given: position in the table, operands exchanged, parameter.
    pub given: FxHashSet<(usize, bool, usize)>,
    /// Low columns of the product that are exact.
    pub columns: usize,
    /// Rounds of refinement in which the results were wrong.
    pub rounds: u32,
}

impl Operation {
    fn parts(&self) -> lemmas::OperationBits<'_> {
        lemmas::OperationBits {
            a: &self.a,
            b: &self.b,
            out: &self.out,
            rest: &self.rest,
            fits: self.fits,
        }
    }

    /// Gives the bits variables whose values in a model are theirs.
    fn give(&self, cx: &mut Clauses<'_>) {
        let bits = [&self.a, &self.b, &self.out, &self.rest];
        for &bit in bits.into_iter().flatten().filter(|l| !l.is_const()) {
            cx.literal(bit);
        }
    }
}

/// Products and divisions of one circuit, abstract ones among them.
#[derive(Default)]
pub(crate) struct Arithmetic {
    /// Operations of at least this many bits are abstract.
    min_width: usize,
    pub all: Vec<Operation>,
    by_operands: FxHashMap<(Kind, Bits, Bits), OpId>,
    by_term: FxHashMap<Term, OpId>,
    /// Pairs with a lemma: position in the table, and the two.
    pub pairs: FxHashSet<(usize, OpId, OpId)>,
    /// The operations that the query at hand speaks about, ascending.
    asked: Vec<OpId>,
    /// The values of the operations in the last model.
    values: Vec<OperationValues>,
}

/// Bits that are not known to be zero.
pub(crate) fn live(bits: &[Lit]) -> usize {
    bits.iter().filter(|&&l| l != Lit::FALSE).count()
}

/// Is it a product or a division?
pub(crate) fn is_arithmetic(op: Op) -> bool {
    matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem)
}

impl Arithmetic {
    /// Operations whose operands have at least so many live bits are abstract.
    pub fn new(min_width: u32) -> Arithmetic {
        Arithmetic {
            min_width: min_width as usize,
            ..Arithmetic::default()
        }
    }

    /// The result of a product or a division, by a circuit or abstract.
    fn result(
        &mut self,
        circuit: &mut Circuit,
        t: Term,
        op: Op,
        a: &[Lit],
        b: &[Lit],
    ) -> Result<Bits, Why> {
        if op == Op::Mul {
            return if self.is_abstract(circuit, Kind::Product, a, b)? {
                let id = self.operation(circuit, Kind::Product, a, b);
                self.by_term.insert(t, id);
                Ok(self.all[id as usize].out.clone())
            } else {
                Ok(circuit.aig.mul(a, b))
            };
        }
        let is_signed = matches!(op, Op::Sdiv | Op::Srem);
        let (sa, sb) = (a[a.len() - 1], b[b.len() - 1]);
        let (a, b) = if is_signed {
            (
                circuit.aig.negate_when(sa, a),
                circuit.aig.negate_when(sb, b),
            )
        } else {
            (a.to_vec(), b.to_vec())
        };
        let (quotient, rest) = if self.is_abstract(circuit, Kind::Division, &a, &b)? {
            let id = self.operation(circuit, Kind::Division, &a, &b);
            self.by_term.insert(t, id);
            let operation = &self.all[id as usize];
            (operation.out.clone(), operation.rest.clone())
        } else {
            circuit.aig.div_rem(&a, &b)
        };
        Ok(match op {
            Op::Udiv => quotient,
            Op::Urem => rest,
            Op::Sdiv => {
                let flip = circuit.aig.xor(sa, sb);
                circuit.aig.negate_when(flip, &quotient)
            }
            _ => circuit.aig.negate_when(sa, &rest),
        })
    }

    /// Abstract, or small enough for a circuit?
    fn is_abstract(
        &self,
        circuit: &Circuit,
        kind: Kind,
        a: &[Lit],
        b: &[Lit],
    ) -> Result<bool, Why> {
        let is_simple = match kind {
            Kind::Product => as_constant(a) || as_constant(b),
            Kind::Division => as_constant(b),
        };
        if !is_simple && live(a).min(live(b)) >= self.min_width {
            return if a.len() > MAX_WIDTH {
                Err(Why::TooLarge)
            } else {
                Ok(true)
            };
        }
        circuit.room(circuit_gates(kind, a, b), 0)?;
        Ok(false)
    }

    /// The operation on these operands.
    fn operation(&mut self, circuit: &mut Circuit, kind: Kind, a: &[Lit], b: &[Lit]) -> OpId {
        let (a, b) = match kind {
            Kind::Product if b < a => (b.to_vec(), a.to_vec()),
            _ => (a.to_vec(), b.to_vec()),
        };
        let key = (kind, a, b);
        if let Some(&id) = self.by_operands.get(&key) {
            return id;
        }
        let id = self.all.len() as OpId;
        let (kind, a, b) = key.clone();
        self.by_operands.insert(key, id);
        let out = circuit.inputs(a.len());
        let rest = match kind {
            Kind::Product => Bits::new(),
            Kind::Division => circuit.inputs(a.len()),
        };
        let fits = match kind {
            Kind::Product => lemmas::fits(&mut circuit.aig, &a, &b),
            Kind::Division => Lit::TRUE,
        };
        self.all.push(Operation {
            kind,
            a,
            b,
            out,
            rest,
            fits,
            product: None,
            exact: false,
            given: FxHashSet::default(),
            columns: 0,
            rounds: 0,
        });
        id
    }
}

impl Extension for Arithmetic {
    fn lower(
        &mut self,
        circuit: &mut Circuit,
        pool: &mut Pool,
        t: Term,
        _: &mut Vec<Term>,
    ) -> Result<Lowered, Why> {
        let op = pool.op(t);
        if !is_arithmetic(op) {
            return Ok(Lowered::Unknown);
        }
        circuit.room(0, pool.width(t) as usize)?;
        let [a, b] = [0, 1].map(|i| {
            let bits = circuit.get(pool.child(t, i));
            bits.expect("operands first").to_vec()
        });
        self.result(circuit, t, op, &a, &b).map(Lowered::Bits)
    }

    fn begin(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        stats: &mut SolverStats,
    ) -> Result<Option<Technique>, Why> {
        let mine = |t: &&Term| is_arithmetic(scope.pool.op(**t));
        let ids = scope
            .terms
            .iter()
            .filter(mine)
            .filter_map(|t| self.by_term.get(t));
        self.asked = ids.copied().collect();
        self.asked.sort_unstable();
        self.asked.dedup();
        for &id in &self.asked {
            self.all[id as usize].give(cx);
        }
        let is_abstract = !self.asked.is_empty();
        stats.arith_queries += u64::from(is_abstract);
        Ok(is_abstract.then_some(Technique::Abstraction))
    }

    fn inspect(&mut self, cx: &mut Clauses<'_>, _: &Scope<'_>, _: &mut Model, _: &mut Evaluator) {
        let product = |id: &OpId| self.all[*id as usize].product;
        let products = self.asked.iter().filter_map(product);
        let mut all: Vec<OpId> = self.asked.iter().copied().chain(products).collect();
        all.sort_unstable();
        all.dedup();
        let values = all
            .into_iter()
            .map(|id| OperationValues::of(id, &self.all[id as usize], cx));
        self.values = values.collect();
    }

    fn refine(
        &mut self,
        cx: &mut Clauses<'_>,
        _: &Scope<'_>,
        spent: u64,
        stats: &mut SolverStats,
    ) -> Result<u64, Why> {
        let (asked, mut values) = (
            std::mem::take(&mut self.asked),
            std::mem::take(&mut self.values),
        );
        for v in &mut values {
            v.judge(&mut cx.circuit.aig, &self.all[v.id as usize]);
        }
        let mut refiner = Refiner::new(self, cx);
        refiner.refine(&asked, &values, spent > refine::MAX_CONFLICTS)?;
        let (lemmas, circuits) = (refiner.lemmas, refiner.circuits);
        self.asked = asked;
        stats.arith_lemmas += lemmas;
        stats.arith_circuits += circuits;
        stats.arith_rounds += 1;
        Ok(lemmas + circuits)
    }

    fn relocate(&mut self, relocation: &Relocation) {
        let by_term = std::mem::take(&mut self.by_term);
        self.by_term = by_term
            .into_iter()
            .filter_map(|(t, id)| Some((relocation.get(t)?, id)))
            .collect();
    }
}

/// About as many gates as the circuit has.
pub(crate) fn circuit_gates(kind: Kind, a: &[Lit], b: &[Lit]) -> u64 {
    let width = a.len() as u64;
    let (x, y) = (live(a) as u64, live(b) as u64);
    match kind {
        Kind::Product => 4 * width.min(x + y) * x.min(y),
        Kind::Division => 4 * width * (y + 1),
    }
}

#[cfg(test)]
mod tests;
