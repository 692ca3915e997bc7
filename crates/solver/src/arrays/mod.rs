//! Arrays: abstraction and refinement, and the other encodings to compare it with.
//!
//! The method is that of Shuai, Chen, Zhang, Sun and Wang, "Type and interval aware array
//! constraint solving for symbolic execution" (ISSTA 2021), Alg. 2-4, on circuits instead of terms:
//!
//! * writes are eliminated by read-over-write while a read is lowered ([`read`]); a read of
//!   a base, or of a long update list, becomes fresh inputs of the circuit ([`state`]);
//! * after each model of the abstraction, `inspect` evaluates the reads of the query and lists the violated axioms:
//!   content of a constant array, consistency of two reads, a store, an equality;
//! * `refine` adds axioms for these, as permanent clauses: an axiom holds on every path, so it
//!   serves all later queries of the same SAT context;
//! * equality of arrays is a free bit, with a witness index for "different" if a query needs it; "equal" is
//!   instantiated at the indices of the query and at a default element ([`equality`]).
//!
//! Each abstract model is shown to the trials. It is evaluated on the original conditions first: a
//! model that happens to satisfy them ends the loop although its reads were wrong.
//!
//! Where we differ from the paper: a window of an index that the executor knew stands in the term; residues come from
//! known bits of the index, so that they are facts and not guesses, and access sizes are only used where these say
//! nothing; axioms are found by evaluation and not listed beforehand; the second round adds all that a violated read
//! can still need, which bounds the number of rounds. If the typed filter left out an axiom that is needed, the full
//! set is used, and that is counted.

mod equality;
mod inspect;
mod method;
mod papers;
pub(crate) mod precheck;
mod read;
mod refine;
mod relevant;
mod scaled;
mod state;
mod tables;

pub use method::ArrayMethod;
pub(crate) use state::Arrays;

use crate::circuit::{Circuit, Clauses, Extension, Lowered, Scope};
use crate::model::Model;
use crate::query::{Technique, Why};
use crate::stats::SolverStats;
use equality::{is_array_equality, may_be_false};
use read::ReadKey;
use refine::Refiner;
use relevant::{Relevant, roots, spared};
use std::time::Duration;
use term::{Evaluator, Op, Pool, Relocation, Sort, Term};

impl Extension for Arrays {
    fn lower(
        &mut self,
        circuit: &mut Circuit,
        pool: &mut Pool,
        t: Term,
        work: &mut Vec<Term>,
    ) -> Result<Lowered, Why> {
        if pool.op(t) == Op::Select {
            let bits = self.read(circuit, pool, ReadKey::of(pool, t), work)?;
            return Ok(bits.map_or(Lowered::Later, Lowered::Bits));
        }
        if is_array_equality(pool, t) {
            return self.equality(circuit, pool, t, work);
        }
        Ok(Lowered::Unknown)
    }

    fn whole(
        &mut self,
        circuit: &mut Circuit,
        pool: &Pool,
        t: Term,
        work: &mut Vec<Term>,
    ) -> Lowered {
        let Some(build) = self.method.traits().whole else {
            return Lowered::Unknown;
        };
        let lowered = build(circuit, pool, t, work);
        let is_condition = pool.sort(t) == Sort::BitVec(1);
        self.indexed += u64::from(is_condition && matches!(lowered, Lowered::Bits(_)));
        lowered
    }

    fn begin(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        stats: &mut SolverStats,
    ) -> Result<Option<Technique>, Why> {
        stats.array_indexed += std::mem::take(&mut self.indexed);
        Refiner::new(self, cx, scope.pool).settle();
        self.round = 0;
        let roots = roots(scope.pool, scope.terms);
        self.relevant = Relevant::gather(self, &roots, scope);
        if !self.relevant.equalities.is_empty() {
            let may_be_false = may_be_false(scope.pool, scope.conditions);
            let mut equalities = self.relevant.equalities.clone();
            equalities.retain(|t| may_be_false.contains(t));
            Refiner::new(self, cx, scope.pool).distinguish(&equalities)?;
            self.relevant = Relevant::gather(self, &roots, scope);
        }
        self.asked = self.relevant.reads.clone();
        let is_abstract = !self.relevant.is_empty();
        stats.array_queries += u64::from(is_abstract);
        Ok(is_abstract.then_some(Technique::Cegar))
    }

    fn inspect(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        model: &mut Model,
        evaluator: &mut Evaluator,
    ) {
        self.violations = inspect::inspect(self, cx, scope, model, evaluator);
    }

    fn refine(
        &mut self,
        cx: &mut Clauses<'_>,
        scope: &Scope<'_>,
        _spent: u64,
        stats: &mut SolverStats,
    ) -> Result<u64, Why> {
        let violations = std::mem::take(&mut self.violations);
        let (relevant, round) = (std::mem::take(&mut self.relevant), self.round);
        let mut added = 0;
        if !violations.is_empty() {
            let mut refiner = Refiner::new(self, cx, scope.pool);
            refiner.refine(&relevant, &violations, round, true)?;
            if refiner.added == 0 && refiner.filtered > 0 {
                // The safety net: what is known of the indices was not enough.
                stats.array_nets += 1;
                refiner.refine(&relevant, &violations, round, false)?;
            }
            added = refiner.added;
            stats.array_axioms += added;
            stats.array_refinements += 1;
            self.round += 1;
        }
        self.relevant = Relevant::gather(self, &relevant.roots, scope);
        Ok(added)
    }

    fn end(&mut self, elapsed: Duration, stats: &mut SolverStats) {
        stats.array_axioms_spared += spared(self, &self.asked);
        stats.array_nanoseconds += elapsed.as_nanos() as u64;
    }

    fn relocate(&mut self, relocation: &Relocation) {
        self.moved(relocation);
    }
}
