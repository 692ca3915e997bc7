//! The last layer: circuits and SAT solvers, the quick one first.
//!
//! Conjuncts without a circuit (floats) are left out: then "unsatisfiable" is still a proof, and "satisfiable" is a
//! guess that counts only if its model satisfies all conjuncts.

use crate::arith::MIN_WIDTH;
use crate::arrays::ArrayMethod;
use crate::arrays::precheck::{Precheck, PrecheckCache, precheck};
use crate::bitblast::contexts::Contexts;
use crate::circuit::Intervals;
use crate::cx::Cx;
use crate::extensions::Settings;
use crate::layer::Layer;
use crate::model::Model;
use crate::on_demand::OnDemand;
use crate::options::{SatStart, SolverOptions};
use crate::query::{Outcome, Query, Technique, Why};
use crate::refine::{Question, SearchAnswer};
use std::time::Instant;
use term::{ArrayValue, Pool, Relocation, Sort, Term};

pub(crate) struct Blast {
    arrays: ArrayMethod,
    start: SatStart,
    prechecked: PrecheckCache,
    /// Contexts of each engine with the most conflicts it may spend on a query.
    stages: Vec<(Contexts, u64)>,
}

impl Blast {
    pub fn new(options: &SolverOptions) -> Blast {
        let arrays = options.arrays;
        let default = Settings::default();
        let settings = Settings {
            arrays,
            abstract_width: options.abstract_width.unwrap_or(MIN_WIDTH),
            max_gates: options.max_gates.unwrap_or(default.max_gates),
            start: options.sat_start,
        };
        Blast {
            arrays,
            start: options.sat_start,
            prechecked: PrecheckCache::default(),
            stages: options
                .sat
                .stages()
                .iter()
                .map(|&(engine, conflicts)| (Contexts::new(engine, settings), conflicts))
                .collect(),
        }
    }

    /// Are the conjuncts of the path asserted on demand? A search that is to begin elsewhere, and the methods of the array paper, get the whole
    /// path at once, as they were measured.
    fn asks_for_parts(&self, query: &Query<'_>) -> bool {
        let is_near = matches!(self.start, SatStart::Witness) && query.witness_holds;
        is_near && self.arrays.traits().on_demand
    }
}

impl Layer for Blast {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if cx.pool.has_float(query.cond) {
            return Outcome::Unknown(Why::Float);
        }
        // The condition first: when it has no circuit there is nothing to ask.
        let mut terms: Vec<Term> = vec![query.cond];
        let mut left_out: Option<Why> = None;
        for &t in &query.slice.terms {
            if cx.pool.has_float(t) {
                left_out = Some(Why::Float);
            } else {
                terms.push(t);
            }
        }
        let mut intervals = Intervals::default();
        if self.arrays.traits().prechecks {
            let begun = Instant::now();
            let verdict = precheck(&mut self.prechecked, cx, query, &terms);
            cx.stats.array_precheck_nanoseconds += begun.elapsed().as_nanos() as u64;
            match verdict {
                Precheck::Unsat(core) => return Outcome::Unsat(core),
                Precheck::Open(known) => intervals = known,
            }
        }
        let zeros;
        let start = match self.start {
            SatStart::Witness => query.witness,
            SatStart::None | SatStart::Fresh => {
                zeros = without_values(cx.pool, query);
                &zeros
            }
        };
        let mut demand = if self.asks_for_parts(query) {
            OnDemand::first(terms)
        } else {
            OnDemand::all(terms)
        };
        let mut answer = SearchAnswer::Unknown(Why::Incomplete);
        let mut effort = cx.budget.effort;
        for (contexts, conflicts) in &mut self.stages {
            loop {
                let mut question = Question {
                    terms: demand.asserted(),
                    symbols: &query.slice.symbols,
                    start,
                    begins_near_start: demand.begins(),
                    conflicts: cx.budget.conflicts.min(*conflicts),
                    effort,
                    intervals: &intervals,
                };
                answer = contexts.solve(cx, &mut question);
                effort = question.effort;
                let SearchAnswer::Sat(model) = &answer else {
                    break;
                };
                if !demand.assert_broken(cx.pool, cx.evaluator, model) {
                    break;
                }
                cx.stats.evaluations += 1;
                cx.trials.tried(model, Technique::Sat);
                let why = match effort {
                    0 => Why::Budget,
                    _ if cx.is_late() => Why::Timeout,
                    _ => continue,
                };
                answer = SearchAnswer::Unknown(why);
                break;
            }
            if effort == 0 || !matches!(answer, SearchAnswer::Unknown(Why::Budget)) {
                break;
            }
        }
        match answer {
            SearchAnswer::Sat(model) => {
                cx.trials.tried(&model, Technique::Sat);
                match left_out {
                    Some(why) if !cx.satisfies(query, &model) => Outcome::Unknown(why),
                    _ => Outcome::Sat(model),
                }
            }
            SearchAnswer::Unsat(core) => query.refuted(core),
            SearchAnswer::Unknown(why) => Outcome::Unknown(why),
        }
    }

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        self.prechecked.clear();
        for (contexts, _) in &mut self.stages {
            contexts.relocate(relocation);
        }
    }
}

/// The witness without values of the symbols that the query is about.
fn without_values(pool: &Pool, query: &Query<'_>) -> Model {
    let mut model = query.witness.clone();
    for &symbol in &query.slice.symbols {
        match pool.symbol_sort(symbol) {
            Sort::BitVec(..=64) => model.set(symbol, 0),
            Sort::BitVec(width) => {
                model.set_wide(symbol, &vec![0; width.div_ceil(64) as usize]);
            }
            Sort::Array { .. } => model.set_array(symbol, ArrayValue::default()),
            _ => {}
        }
    }
    model
}
