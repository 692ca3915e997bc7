//! Quantifier-free linear integer arithmetic: CDCL(T) over batsat and the exact integers of
//! `linear`.
//!
//! `encode` turns conditions into clauses and bounds, `theory` runs under the SAT search. Queries
//! without integers are not touched; bit-vectors in the same slice end it as unsupported.
//! Incomplete where the integers have no bounds and no equation or cut helps: then the ticks end
//! the query as `unknown`.

mod affine;
mod encode;
mod shown;
mod theory;

use crate::layers::{Env, Layer};
use crate::query::{Budget, Core, Model, Outcome, Query, Technique, Trials, Why};
use crate::slice::copy_symbol;
use crate::stats::SolverStats;
use affine::integer;
use batsat::{Callbacks, ClauseKind, SolverInterface, lbool};
use encode::{Encoding, value_of};
use linear::Deadline;
use linear::{NoObserver, Observer, Rational, Ticks, Var};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use term::{Pool, Symbol, Term};
use theory::Theory;

pub(crate) use affine::Affine;
pub(crate) use shown::Shown;

/// Ticks (coefficients touched) per conflict that the budget allows.
const TICKS_PER_CONFLICT: u64 = 500;

/// Stops the SAT search: conflicts, clock, or the theory's budget.
struct Limits {
    conflicts: u64,
    stop_at: u64,
    deadline: Option<Deadline>,
    stop: Rc<Cell<bool>>,
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
            let late = self.conflicts & 63 == 0 && self.deadline.is_some_and(|end| end.is_past());
            if late || self.conflicts >= self.stop_at {
                self.stop.set(true);
            }
        }
    }

    fn stop(&self) -> bool {
        self.stop.get()
    }
}

/// What the solving of conditions over integers gave.
enum Answer {
    Sat(
        FxHashMap<Symbol, num_bigint::BigInt>,
        FxHashMap<Symbol, bool>,
    ),
    /// Positions of conditions that contradict each other.
    Unsat(Vec<usize>),
    Unknown(Why),
}

/// Decides the conjunction of conditions over integers and Booleans.
fn decide(
    pool: &Pool,
    conditions: &[Term],
    budget: &Budget,
    deadline: Option<Deadline>,
    witness: &Model,
    trials: &mut dyn Trials,
    stats: &mut SolverStats,
) -> Answer {
    let stop = Rc::new(Cell::new(false));
    let mut encoding = Encoding::new(Limits {
        conflicts: 0,
        stop_at: budget.conflicts,
        deadline,
        stop: stop.clone(),
    });
    let roots = match encoding.conditions(pool, conditions) {
        Ok(roots) => roots,
        Err(why) => return Answer::Unknown(why),
    };
    let mut problem = std::mem::take(&mut encoding.problem);
    for (v, side, value) in &encoding.fixed {
        if problem
            .assert(*v, *side, value, encoding.truth.idx())
            .is_err()
        {
            // 0 <= rest < k alone is never contradictory.
            return Answer::Unknown(Why::Internal);
        }
    }
    let ticks = budget.conflicts.saturating_mul(TICKS_PER_CONFLICT);
    let ticks = Ticks::until(ticks, deadline);
    let atoms = std::mem::take(&mut encoding.atoms);
    let mut symbols: Vec<(Symbol, Var)> = encoding.symbols.iter().map(|(s, v)| (*s, *v)).collect();
    symbols.sort_unstable();
    let mut none = NoObserver;
    let set = |model: &mut Model, symbol: Symbol, value: &Rational| {
        model.set_int(symbol, integer(value));
    };
    let mut shown = Shown::new(trials, witness, symbols.clone(), set);
    let observer: &mut dyn Observer = match shown.is_wanted() {
        true => &mut shown,
        false => &mut none,
    };
    let mut theory = Theory::new(problem, atoms, observer, ticks, stop.clone());
    let result = encoding.sat.solve_limited_th(&mut theory, &roots);
    stats.sat_calls += 1;
    stats.sat_conflicts += encoding.sat.cb().conflicts;
    stats.simplex_pivots += theory.pivots();
    if result == lbool::FALSE && !theory.incomplete {
        let failed = |lit: batsat::Lit| {
            encoding.sat.unsat_core_contains_lit(lit) || encoding.sat.unsat_core_contains_lit(!lit)
        };
        let core = (0..roots.len()).filter(|&i| failed(roots[i]) || roots[i] == !encoding.truth);
        return Answer::Unsat(core.collect());
    }
    let (true, Some(solution)) = (result == lbool::TRUE, &theory.solution) else {
        let late = deadline.is_some_and(|end| end.is_past());
        return Answer::Unknown(if late { Why::Timeout } else { Why::Budget });
    };
    let integers = symbols.iter().map(|&(s, v)| (s, value_of(solution, v)));
    let value = |l: batsat::Lit| encoding.sat.value_lit(l) == lbool::TRUE;
    let booleans = encoding.booleans.iter().map(|(s, l)| (*s, value(*l)));
    Answer::Sat(integers.collect(), booleans.collect())
}

/// The layer for queries with integers.
pub(crate) struct Lia;

impl Layer for Lia {
    fn name(&self) -> &'static str {
        "lia"
    }

    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let conditions: Vec<Term> = query
            .slice
            .terms
            .iter()
            .copied()
            .chain([query.cond])
            .collect();
        if !conditions.iter().any(|&t| env.pool.has_int(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let answer = decide(
            env.pool,
            &conditions,
            budget,
            env.deadline,
            query.witness,
            trials,
            env.stats,
        );
        match answer {
            Answer::Unknown(why) => Outcome::Unknown(why),
            Answer::Unsat(core) => {
                let core: Core = core.into_iter().map(|i| conditions[i]).collect();
                Outcome::Unsat(core.into_iter().filter(|&t| t != query.cond).collect())
            }
            Answer::Sat(integers, booleans) => {
                let mut values = Model::new();
                for (symbol, value) in integers {
                    values.set_int(symbol, value);
                }
                for (symbol, value) in booleans {
                    values.set(symbol, value as u64);
                }
                let mut model = query.witness.clone();
                for &symbol in &query.slice.symbols {
                    copy_symbol(env.pool, &mut model, &values, symbol);
                }
                if trials.wanted() {
                    trials.tried(&model, Technique::Simplex);
                }
                Outcome::Sat(model)
            }
        }
    }

    fn decided<'s>(&self, stats: &'s mut SolverStats) -> &'s mut u64 {
        &mut stats.by_lia
    }
}
