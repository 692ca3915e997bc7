//! The seam for terms that have no plain circuit.
//!
//! An extension gives such terms bits. It builds them of gates or of other terms, at once or lazily: then the bits are
//! (or rest on) fresh inputs of the circuit, and every model of a query is compared with what they stand for. Its
//! axioms about them hold on every path, so they are asserted for good and serve all later queries of the same SAT
//! instance. The list of all extensions is in [`crate::extensions`]; [`crate::refine`] asks them about models.

use super::Circuit;
use super::circuits::Bits;
use super::cnf::Cnf;
use crate::model::Model;
use crate::query::{Technique, Why};
use crate::sat::{Lit, SatBackend};
use crate::stats::SolverStats;
use rustc_hash::FxHashMap;
use std::time::Duration;
use term::{Evaluator, Pool, Relocation, Symbol, Term};

/// Inclusive bounds of terms.
pub type Intervals = FxHashMap<Term, (u64, u64)>;

/// The result of an attempt to give a term bits.
pub(crate) enum Lowered {
    /// Its bits, lowest first.
    Bits(Bits),
    /// Other terms, now on the work list, need bits first; then it is to be tried again.
    Later,
    /// The term belongs to another extension.
    Unknown,
}

/// A circuit with the clauses that a SAT solver has of it.
pub(crate) struct Clauses<'a> {
    pub circuit: &'a mut Circuit,
    pub cnf: &'a mut Cnf,
    pub sat: &'a mut dyn SatBackend,
}

impl Clauses<'_> {
    /// The SAT solver's literal that is equivalent to one of the graph, which must not be a constant.
    pub fn literal(&mut self, lit: Lit) -> Lit {
        self.cnf.literal(&self.circuit.aig, self.sat, lit)
    }

    /// Asserts what holds on every path.
    pub fn assert(&mut self, axiom: Lit) {
        debug_assert!(axiom != Lit::FALSE, "an axiom is satisfiable");
        if !axiom.is_const() {
            let lit = self.literal(axiom);
            self.sat.add_clause(&[lit]);
        }
    }
}

/// A query as an extension sees it.
pub(crate) struct Scope<'a> {
    pub pool: &'a Pool,
    /// The conditions of the query.
    pub conditions: &'a [Term],
    /// All terms below the conditions.
    pub terms: &'a [Term],
    /// The symbols whose values are wanted.
    pub symbols: &'a [Symbol],
    /// Bounds of terms that hold for this query.
    pub intervals: &'a Intervals,
}

/// A kind of terms that the circuit builder leaves to an extension, and the abstraction of their bits.
pub(crate) trait Extension {
    /// The bits of a term. Operands that are bit-vectors have theirs if all operands are.
    ///
    /// # Errors
    /// The term is of the extension's kind, and its circuit would be too large or cannot be built.
    fn lower(
        &mut self,
        circuit: &mut Circuit,
        pool: &mut Pool,
        t: Term,
        work: &mut Vec<Term>,
    ) -> Result<Lowered, Why>;

    /// The bits of a term in place of the circuit of its operator, whose operands need none then. Asked before any
    /// circuit about terms in which an array occurs.
    fn whole(
        &mut self,
        _circuit: &mut Circuit,
        _pool: &Pool,
        _t: Term,
        _work: &mut Vec<Term>,
    ) -> Lowered {
        Lowered::Unknown
    }

    /// A query begins, whose conditions have bits. If it rests on anything abstract, the name under which models of
    /// the abstraction are shown; else nothing below is called for this query.
    ///
    /// # Errors
    /// The abstraction cannot decide the query.
    fn begin(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        stats: &mut SolverStats,
    ) -> Result<Option<Technique>, Why>;

    /// Examines the SAT solver's model, remembers its violations, and completes `model`, which has the values of the
    /// bit-vector symbols.
    fn inspect(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        model: &mut Model,
        evaluator: &mut Evaluator,
    );

    /// Answers the violations of the last model by clauses, and returns the number of facts that were added. `spent`
    /// conflicts were spent on the refinement of this query so far.
    ///
    /// # Errors
    /// The necessary clauses would be too many.
    fn refine(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        spent: u64,
        stats: &mut SolverStats,
    ) -> Result<u64, Why>;

    /// The query was answered; `elapsed` is the time of its refinement.
    fn end(&mut self, _elapsed: Duration, _stats: &mut SolverStats) {}

    /// Renumbers the terms after a collection. They are held weakly: axioms about collected terms are dropped, and no
    /// term is a root of the collector.
    fn relocate(&mut self, relocation: &Relocation);
}
