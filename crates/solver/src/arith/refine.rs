//! From wrong results to lemmas, and at last to circuits.
//!
//! One round answers every operation of the formula itself whose value is wrong in the model: violated lemmas first,
//! at most [`LEMMAS_A_ROUND`]; then, for a division, its definition by a product and that product's lemmas; for a
//! product, twice as many exact low columns, as long as one of these is wrong and they are the lower half. If none of
//! this applies to any operation, pairs are examined, and then the first operation becomes a circuit. The product in a
//! division's definition never does: the division's own circuit is stronger.

use super::lemmas::{LEMMAS, OperationBits, definition, fits};
use super::pairs::{PAIRS, PairLemma, holds, ordered};
use super::{Arithmetic, Kind, OpId, Operation, circuit_gates};
use crate::circuit::Clauses;
use crate::circuit::aig::Aig;
use crate::circuit::circuits::Bits;
use crate::query::Why;
use crate::sat::Lit;
use term::mask;

/// Rounds in which an operation is answered by lemmas.
pub(crate) const MAX_ROUNDS: u32 = 24;
/// Conflicts of one query's refinement, after which wrong operations become circuits.
pub(crate) const MAX_CONFLICTS: u64 = 3000;
/// Lemmas for one operation in a round.
const LEMMAS_A_ROUND: usize = 3;
/// Exact columns of the product in a division's definition.
const DEFINITION_COLUMNS: usize = 8;
/// Operations of which pairs are looked at.
const MAX_PAIRED: usize = 48;

/// The values that a model gives to an operation.
pub(crate) struct OperationValues {
    pub id: OpId,
    a: Bits,
    b: Bits,
    out: Bits,
    rest: Bits,
    fits: Lit,
    is_wrong: bool,
}

impl OperationValues {
    /// The values of an operation's bits in the SAT solver's model, not judged yet.
    pub fn of(id: OpId, operation: &Operation, cx: &mut Clauses<'_>) -> OperationValues {
        let mut read = |bits: &Bits| -> Bits {
            let value = |&l: &Lit| match (l.is_const(), cx.cnf.get(l)) {
                (true, _) => l,
                (false, Some(known)) => Lit::from(cx.sat.value(known)),
                (false, None) => Lit::FALSE,
            };
            bits.iter().map(value).collect()
        };
        OperationValues {
            id,
            a: read(&operation.a),
            b: read(&operation.b),
            out: read(&operation.out),
            rest: read(&operation.rest),
            fits: Lit::TRUE,
            is_wrong: false,
        }
    }

    /// Finds out whether the results are right, and whether the product fits.
    pub fn judge(&mut self, g: &mut Aig, operation: &Operation) {
        let results = [&self.a, &self.b, &self.out, &self.rest];
        self.is_wrong = !is_right(g, operation.kind, results);
        if operation.fits != Lit::TRUE {
            self.fits = fits(g, &self.a, &self.b);
        }
    }

    fn parts(&self) -> OperationBits<'_> {
        OperationBits {
            a: &self.a,
            b: &self.b,
            out: &self.out,
            rest: &self.rest,
            fits: self.fits,
        }
    }
}

/// Are the results those of the operands? All are constants.
fn is_right(g: &mut Aig, kind: Kind, [a, b, out, rest]: [&Bits; 4]) -> bool {
    let width = a.len() as u32;
    if width > 64 {
        return match kind {
            Kind::Product => g.mul(a, b) == *out,
            Kind::Division => g.div_rem(a, b) == (out.clone(), rest.clone()),
        };
    }
    let number = |bits: &Bits| {
        let bit = |(i, &l): (usize, &Lit)| u64::from(l == Lit::TRUE) << i;
        bits.iter().enumerate().map(bit).sum::<u64>()
    };
    let (a, b) = (number(a), number(b));
    match kind {
        Kind::Product => number(out) == a.wrapping_mul(b) & mask(width),
        Kind::Division => {
            let quotient = a.checked_div(b).unwrap_or(mask(width));
            (number(out), number(rest)) == (quotient, a.checked_rem(b).unwrap_or(a))
        }
    }
}

/// Refines the abstract operations of one SAT instance.
pub(super) struct Refiner<'a, 'c> {
    arithmetic: &'a mut Arithmetic,
    cx: &'a mut Clauses<'c>,
    /// Lemmas given.
    pub lemmas: u64,
    /// Circuits built.
    pub circuits: u64,
}

impl<'a, 'c> Refiner<'a, 'c> {
    /// Nothing was given yet.
    pub fn new(arithmetic: &'a mut Arithmetic, cx: &'a mut Clauses<'c>) -> Self {
        Refiner {
            arithmetic,
            cx,
            lemmas: 0,
            circuits: 0,
        }
    }

    /// Answers the wrong results among the operations `ids`; `impatient`: by circuits.
    ///
    /// # Errors
    /// The circuits would be too large.
    pub fn refine(
        &mut self,
        ids: &[OpId],
        values: &[OperationValues],
        impatient: bool,
    ) -> Result<(), Why> {
        let mut stuck: Vec<&OperationValues> = Vec::new();
        for v in values {
            let operation = &mut self.arithmetic.all[v.id as usize];
            if !v.is_wrong || operation.exact || ids.binary_search(&v.id).is_err() {
                continue;
            }
            operation.rounds += 1;
            if impatient || operation.rounds > MAX_ROUNDS {
                self.circuit(v)?;
            } else if !self.answer(v, values) {
                stuck.push(v);
            }
        }
        if self.lemmas + self.circuits == 0 {
            self.pairs(values);
        }
        if let (0, Some(first)) = (self.lemmas + self.circuits, stuck.first()) {
            self.circuit(first)?;
        }
        Ok(())
    }

    /// Lemmas about one operation; whether there were any.
    fn answer(&mut self, v: &OperationValues, values: &[OperationValues]) -> bool {
        if self.violated(v) {
            return true;
        }
        let operation = &self.arithmetic.all[v.id as usize];
        match (operation.kind, operation.product) {
            (Kind::Product, _) => self.columns(v, v.a.len() / 2),
            (Kind::Division, None) => {
                self.define(v.id);
                true
            }
            (Kind::Division, Some(product)) => {
                let found = values.binary_search_by_key(&product, |p| p.id);
                let Some(p) = found.ok().map(|at| &values[at]).filter(|p| p.is_wrong) else {
                    return false;
                };
                self.violated(p) || self.columns(p, DEFINITION_COLUMNS)
            }
        }
    }

    /// Gives the lemmas of the table that the values violate.
    fn violated(&mut self, v: &OperationValues) -> bool {
        let kind = self.arithmetic.all[v.id as usize].kind;
        let mut count = 0;
        for (position, lemma) in LEMMAS.iter().enumerate().filter(|(_, l)| l.kind == kind) {
            let orders: &[bool] = match kind {
                Kind::Product => &[false, true],
                Kind::Division => &[false],
            };
            for &order in orders {
                let parts = ordered(v.parts(), order);
                let Some(parameter) = (lemma.parameter)(&parts) else {
                    continue;
                };
                if holds((lemma.build)(&mut self.cx.circuit.aig, &parts, parameter)) {
                    continue;
                }
                let key = (position, order, parameter);
                let operation = &mut self.arithmetic.all[v.id as usize];
                if !operation.given.insert(key) {
                    continue;
                }
                let parts = ordered(operation.parts(), order);
                let lemma = (lemma.build)(&mut self.cx.circuit.aig, &parts, parameter);
                self.assert(lemma);
                count += 1;
                if count == LEMMAS_A_ROUND {
                    return true;
                }
            }
        }
        count > 0
    }

    /// Makes more low columns of a product exact, if one of them is wrong and they are at most `limit`.
    fn columns(&mut self, v: &OperationValues, limit: usize) -> bool {
        let known = self.arithmetic.all[v.id as usize].columns;
        let wanted = (2 * known).max(4).min(limit).min(v.a.len());
        if wanted <= known {
            return false;
        }
        let value = self.cx.circuit.aig.mul(&v.a[..wanted], &v.b[..wanted]);
        if value == v.out[..wanted] {
            return false;
        }
        let operation = &mut self.arithmetic.all[v.id as usize];
        operation.columns = wanted;
        let circuit = self
            .cx
            .circuit
            .aig
            .mul(&operation.a[..wanted], &operation.b[..wanted]);
        let out = operation.out[..wanted].to_vec();
        self.define_bits(&out, &circuit);
        self.lemmas += 1;
        true
    }

    /// A division's definition by a product.
    fn define(&mut self, id: OpId) {
        let operation = &self.arithmetic.all[id as usize];
        let (quotient, divisor) = (operation.out.clone(), operation.b.clone());
        let product =
            self.arithmetic
                .operation(self.cx.circuit, Kind::Product, &quotient, &divisor);
        let operations = &mut self.arithmetic.all;
        operations[product as usize].fits = Lit::TRUE;
        operations[id as usize].product = Some(product);
        let out = operations[product as usize].out.clone();
        let lemma = definition(
            &mut self.cx.circuit.aig,
            &self.arithmetic.all[id as usize].parts(),
            &out,
        );
        self.arithmetic.all[product as usize].give(self.cx);
        self.assert(lemma);
    }

    /// Lemmas about pairs that the values violate.
    fn pairs(&mut self, values: &[OperationValues]) {
        let count = values.len().min(MAX_PAIRED);
        for (i, p) in values[..count].iter().enumerate() {
            for (j, q) in values[..count].iter().enumerate() {
                if i != j && (p.is_wrong || q.is_wrong) {
                    self.pair(p, q);
                }
            }
        }
    }

    fn pair(&mut self, p: &OperationValues, q: &OperationValues) {
        let kind = |id: OpId| self.arithmetic.all[id as usize].kind;
        if kind(p.id) != kind(q.id) || p.a.len() > q.a.len() {
            return;
        }
        let orders: &[bool] = match kind(p.id) {
            Kind::Product => &[false, true],
            Kind::Division => &[false],
        };
        let kind = kind(p.id);
        let is_narrower = p.a.len() < q.a.len();
        let fitting = |l: &PairLemma| l.kind == kind && l.is_narrower == is_narrower;
        for (position, lemma) in PAIRS.iter().enumerate().filter(|(_, l)| fitting(l)) {
            for (x, y) in orders
                .iter()
                .flat_map(|&x| orders.iter().map(move |&y| (x, y)))
            {
                let (first, second) = (ordered(p.parts(), x), ordered(q.parts(), y));
                if holds((lemma.build)(&mut self.cx.circuit.aig, &first, &second)) {
                    continue;
                }
                let code = 4 * position + 2 * usize::from(x) + usize::from(y);
                if !self.arithmetic.pairs.insert((code, p.id, q.id)) {
                    continue;
                }
                let all = &self.arithmetic.all;
                let (p, q) = (all[p.id as usize].parts(), all[q.id as usize].parts());
                let lemma = (lemma.build)(&mut self.cx.circuit.aig, &ordered(p, x), &ordered(q, y));
                self.assert(lemma);
            }
        }
    }

    /// The whole circuit.
    fn circuit(&mut self, v: &OperationValues) -> Result<(), Why> {
        let operation = &self.arithmetic.all[v.id as usize];
        let gates = circuit_gates(operation.kind, &operation.a, &operation.b);
        let limits = &self.cx.circuit.limits;
        let room = limits.gates.min(limits.max_gates);
        if gates > room.saturating_sub(self.cx.circuit.gates()) as u64 {
            return Err(if room < limits.max_gates {
                Why::Budget
            } else {
                Why::TooLarge
            });
        }
        let (out, rest) = (operation.out.clone(), operation.rest.clone());
        match operation.kind {
            Kind::Product => {
                let product = self.cx.circuit.aig.mul(&operation.a, &operation.b);
                self.define_bits(&out, &product);
            }
            Kind::Division => {
                let (quotient, remainder) = self.cx.circuit.aig.div_rem(&operation.a, &operation.b);
                self.define_bits(&out, &quotient);
                self.define_bits(&rest, &remainder);
            }
        }
        self.arithmetic.all[v.id as usize].exact = true;
        self.circuits += 1;
        Ok(())
    }

    fn assert(&mut self, lemma: Lit) {
        self.lemmas += 1;
        self.cx.assert(lemma);
    }

    /// Inputs are the bits of a circuit.
    fn define_bits(&mut self, inputs: &[Lit], circuit: &[Lit]) {
        for (&input, &bit) in inputs.iter().zip(circuit) {
            let input = self.cx.literal(input);
            if bit.is_const() {
                self.cx
                    .sat
                    .add_clause(&[input.negate_if(bit == Lit::FALSE)]);
                continue;
            }
            let bit = self.cx.literal(bit);
            self.cx.sat.add_clause(&[input, !bit]);
            self.cx.sat.add_clause(&[!input, bit]);
        }
    }
}
