//! Conditions with floats by circuits, the real numbers and fuzzing in turn: Algorithm 2 of "Symbolic execution of
//! floating-point programs: how far are we?" (Section V).
//!
//! Circuits decide the simple conditions, those without non-linear operations and calls. If these have no solution, nothing
//! has. If their solution does not satisfy the others, the conditions that have to do with floats are solved over the real
//! numbers; the floats nearest to that solution are where fuzzing begins.

use super::fuzz::Fuzzer;
use crate::cx::Cx;
use crate::floats::{Lowering, Plain};
use crate::layer::Layer;
use crate::layers::{Allowance, Blast, Searched};
use crate::model::Model;
use crate::options::SolverOptions;
use crate::query::{Outcome, Query, Technique, Why};
use crate::reals::{self, Effort};
use crate::slice::Slice;
use rustc_hash::FxHashSet;
use term::{Op, Pool, Relocation, Symbol, Term};

/// The parts of a query's effort that the search over the real numbers and fuzzing get, as when each is alone.
const REAL_PART: u64 = 16;
const FUZZ_PART: u64 = 4;

pub(super) struct Synergy {
    seed: u64,
    circuits: Blast,
    lowering: Lowering,
    reals: Allowance,
    fuzzing: Allowance,
}

impl Synergy {
    pub fn new(options: &SolverOptions) -> Synergy {
        Synergy {
            seed: options.seed,
            circuits: Blast::new(options),
            lowering: Lowering::default(),
            reals: Allowance::new(REAL_PART, None),
            fuzzing: Allowance::new(FUZZ_PART, None),
        }
    }

    /// Decides the simple conditions (lines 1 and 2 of the algorithm).
    fn simple_part(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let mut simple = query.conditions();
        simple.retain(|&t| is_simple(cx.pool, t));
        let Some((&cond, others)) = simple.split_first() else {
            return Outcome::Sat(query.witness.clone());
        };
        let slice = Slice {
            terms: others.to_vec(),
            ..query.slice.clone()
        };
        let part = Query {
            cond,
            slice: &slice,
            ..*query
        };
        let plain = match Plain::of(&mut self.lowering, cx, &part) {
            Ok(plain) => plain,
            Err(why) => return Outcome::Unknown(why),
        };
        let budget = cx.budget.for_floats();
        let outcome = cx.within(budget, |cx| self.circuits.check(cx, &plain.query(&part)));
        match outcome {
            Outcome::Unsat(mut core) => {
                plain.name(&mut core);
                // Of this part's condition nothing is said; it is a conjunct like others.
                core.push(cond);
                query.refuted(core)
            }
            other => other,
        }
    }
}

impl Layer for Synergy {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let mut why = Why::Incomplete;
        let start = match self.simple_part(cx, query) {
            Outcome::Sat(model) if cx.satisfies(query, &model) => return Outcome::Sat(model),
            Outcome::Sat(model) => model,
            Outcome::Unsat(core) => return Outcome::Unsat(core),
            // The algorithm does not say. The others may find a solution nevertheless.
            Outcome::Unknown(open) => {
                why = open;
                query.witness.clone()
            }
        };
        // Line 9: of the rest, `start` is a solution.
        let floats = with_floats(cx.pool, &conditions);
        let effort = Effort {
            seed: self.seed,
            ticks: self.reals.ticks(&cx.budget),
            deadline: cx.deadline,
        };
        let mut near = start.clone();
        let searched = reals::solve(
            cx.pool,
            cx.evaluator,
            &floats,
            &start,
            &effort,
            &mut |model: &Model| {
                near = model.clone();
                cx.trials.tried(model, Technique::RealBox);
            },
        );
        let mut outcome = self.reals.answer(&cx.budget, searched);
        if !matches!(outcome, Outcome::Sat(_)) {
            let ticks = self.fuzzing.ticks(&cx.budget);
            let mut fuzzer = Fuzzer::new(cx.pool, &floats, &near, self.seed, ticks, cx.deadline);
            let found = fuzzer.run(&mut |model| cx.trials.tried(model, Technique::Fuzz));
            cx.stats.evaluations += fuzzer.executions;
            let searched = Searched::of(found, fuzzer.can_move());
            outcome = self.fuzzing.answer(&cx.budget, searched);
        }
        match outcome {
            Outcome::Sat(model) if !cx.satisfies(query, &model) => Outcome::Unknown(why),
            // What circuits left open is open, whatever the others had left to try.
            Outcome::Unknown(Why::Incomplete) => Outcome::Unknown(why),
            outcome => outcome,
        }
    }

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        self.lowering.clear();
        self.circuits.relocate(relocation);
    }
}

/// A condition without non-linear operations on floats and without calls.
fn is_simple(pool: &Pool, t: Term) -> bool {
    if !pool.has_float(t) {
        return true;
    }
    let is_constant = |&t: &Term| pool.set_len(pool.symbols(t)) == 0;
    pool.cone(&[t]).into_iter().all(|at| match pool.op(at) {
        Op::FMul => pool.children(at).iter().any(is_constant),
        Op::FDiv => is_constant(&pool.child(at, 1)),
        Op::Fma => pool.children(at)[..2].iter().any(is_constant),
        Op::FRem | Op::FRemainder | Op::FSqrt | Op::FCall => false,
        _ => true,
    })
}

/// The conditions that have floats or share symbols, over others, with those that have.
fn with_floats(pool: &Pool, conditions: &[Term]) -> Vec<Term> {
    let symbols = |t: Term| pool.set_iter(pool.symbols(t));
    let mut chosen: Vec<bool> = conditions.iter().map(|&t| pool.has_float(t)).collect();
    let mut known: FxHashSet<Symbol> = FxHashSet::default();
    loop {
        for (&t, _) in conditions
            .iter()
            .zip(&chosen)
            .filter(|(_, chosen)| **chosen)
        {
            known.extend(symbols(t));
        }
        let before = chosen.iter().filter(|&&c| c).count();
        for (&t, chosen) in conditions.iter().zip(&mut chosen) {
            *chosen |= symbols(t).any(|s| known.contains(&s));
        }
        if chosen.iter().filter(|&&c| c).count() == before {
            break;
        }
    }
    let floats = conditions.iter().zip(&chosen).filter(|(_, c)| **c);
    floats.map(|(&t, _)| t).collect()
}
