//! The counters of the solver. One declaration makes the struct, the rows of a report and the log.

use crate::layer_id::LayerId;

/// A statistic as shown to people.
#[derive(Clone, Debug, PartialEq)]
pub struct StatRow {
    /// Field name.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
    /// One line of explanation.
    pub help: &'static str,
}

/// Steps of a unit of [`Budget::effort`](crate::Budget::effort), about.
const EFFORT_WORK: u64 = 4;

macro_rules! statistics {
    ($($name:ident: $unit:literal, $help:literal;)*) => {
        /// Counters of one solver.
        #[derive(Clone, Debug, Default)]
        pub struct SolverStats {
            $(#[doc = $help] pub $name: u64,)*
            decided: [u64; LayerId::ALL.len()],
        }

        impl SolverStats {
            /// Every counter with its unit and help.
            pub fn rows(&self) -> Vec<StatRow> {
                let mut rows = vec![$(StatRow {
                    name: stringify!($name),
                    unit: $unit,
                    value: self.$name as f64,
                    help: $help,
                }),*];
                rows.extend(LayerId::ALL.iter().map(|&id| StatRow {
                    name: id.counter(),
                    unit: "queries",
                    value: self.by(id) as f64,
                    help: id.decided(),
                }));
                rows
            }

            /// [`effort`](Self::effort) in the steps of [`term::work`], about.
            pub fn effort_work(&self) -> u64 {
                EFFORT_WORK * self.effort
            }

            /// Queries that a layer decided.
            pub fn by(&self, id: LayerId) -> u64 {
                self.decided[id as usize]
            }

            /// Counts one more.
            pub(crate) fn decided_by(&mut self, id: LayerId) {
                self.decided[id as usize] += 1;
            }
        }
    };
}

statistics! {
    queries: "queries", "questions asked of the solver";
    sat: "queries", "answered satisfiable";
    unsat: "queries", "answered unsatisfiable";
    unknown: "queries", "not decided";
    truth_tables: "tables", "truth tables of single-byte conditions computed";
    evaluations: "evaluations", "evaluations of candidate assignments";
    congruence_trials: "trials", "assignments made from classes of equal terms";
    sat_calls: "calls", "calls of the SAT solver";
    sat_watched: "calls", "of these with a record of the search's trials";
    sat_conflicts: "conflicts", "conflicts inside the SAT solver";
    effort: "gates x conflicts", "deterministic measure of the time in circuits and SAT";
    ilp_programs: "programs", "integer linear programs built";
    ilp_cached: "programs", "integer linear programs answered by an equal one";
    ilp_excluded: "conditions", "conditions left out of integer linear programs";
    ilp_untrusted: "queries", "optimistic refutations that rest on absence of wrap-around, not believed";
    simplex_pivots: "pivots", "pivots of the simplex";
    theory_propagations: "atoms", "atoms on integers that bounds implied";
    contexts_built: "contexts", "SAT contexts started";
    gates: "gates", "circuit nodes built";
    variables: "variables", "variables that these got in the SAT solver";
    clauses: "clauses", "clauses handed to the SAT solver";
    slice_conjuncts: "conjuncts", "conjuncts in the slices of queries past the byte domains";
    bound_queries: "queries", "questions asked to find a minimum, a maximum or a list of values";
    models_rejected: "models", "models that failed their evaluation (bugs)";
    log_failures: "files", "query logs that could not be written";
    arith_queries: "queries", "queries with abstract products or divisions";
    arith_rounds: "rounds", "rounds of their refinement";
    arith_lemmas: "lemmas", "lemmas about products and divisions";
    arith_circuits: "circuits", "products and divisions that needed their circuit";
    array_queries: "queries", "queries with abstract reads of arrays";
    array_prechecks: "queries", "queries with reads of arrays that were checked over integers first";
    array_prechecks_integer: "queries", "of these bounded by integer programs of their own";
    array_prechecks_cached: "queries", "of these bounded by an earlier query's integer programs";
    array_prechecks_unsat: "queries", "of these decided by it";
    array_precheck_nanoseconds: "ns", "time in the check over integers";
    array_refinements: "rounds", "rounds of array refinement";
    array_axioms: "axioms", "array axioms added";
    array_axioms_spared: "axioms", "array axioms of the full set that were never generated";
    array_nets: "rounds", "rounds in which the filter of array axioms had left out a necessary one";
    array_indexed: "conditions", "conditions on reads of constant arrays at one index that became ranges of the index";
    array_nanoseconds: "ns", "time in array refinement";
    slow_nanoseconds: "ns", "time in queries past the byte domains";
    unsat_nanoseconds: "ns", "of this in those that were unsatisfiable";
    unknown_nanoseconds: "ns", "of this in those that were not decided";
}
