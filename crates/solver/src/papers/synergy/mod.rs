//! Conditions with floats by circuits, the real numbers and fuzzing in turn: Algorithm 2 of "Symbolic execution of
//! floating-point programs: how far are we?" (Section V).
//!
//! Circuits decide the simple conditions, those without non-linear operations and calls, with all of the query's effort. If
//! these have no solution, nothing has. If their solution does not satisfy the others, the conditions that have to do with
//! floats are solved over the real numbers; the floats nearest to that solution are where fuzzing begins ([`super::rso`]).
//! The parts of the effort that the last two get are learned from what each of the three has decided ([`super::shares`]).

use super::rso::{Members, RealSearch, work};
use super::shares::Shares;
use crate::cx::Cx;
use crate::floats::{self, Lowering, Plain};
use crate::layer::Layer;
use crate::layers::Blast;
use crate::options::{FloatMethod, SolverOptions};
use crate::query::{Outcome, Query, Why};
use crate::slice::Slice;
use rustc_hash::FxHashSet;
use term::{Op, Pool, Relocation, Symbol, Term};

/// The members of the method.
const CIRCUITS: usize = 0;
const REALS: usize = 1;
const FUZZING: usize = 2;

/// The layer, where it is asked for.
pub(super) fn layer(options: &SolverOptions) -> Option<Box<dyn Layer>> {
    let FloatMethod::Synergy(points) = options.floats else {
        return None;
    };
    Some(Box::new(Synergy {
        search: RealSearch::new(points, options.seed),
        circuits: Blast::new(options),
        lowering: Lowering::default(),
        shares: Shares::default(),
    }))
}

struct Synergy {
    search: RealSearch,
    circuits: Blast,
    lowering: Lowering,
    shares: Shares<3>,
}

impl Synergy {
    /// Decides the simple conditions (lines 1 to 5 of the algorithm).
    fn simple_part(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let mut simple = query.conditions();
        simple.retain(|&t| is_simple(cx.pool, t));
        let Some((&cond, others)) = simple.split_first() else {
            return Outcome::Sat(query.witness.clone());
        };
        if !cx.budget.has_room(|| floats::gates(cx.pool, &simple)) {
            return Outcome::Unknown(Why::Budget);
        }
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
        match self.circuits.check(cx, &plain.query(&part)) {
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
        let begun = work(cx);
        let simple = self.simple_part(cx, query);
        let decided = match &simple {
            Outcome::Sat(model) => cx.satisfies(query, model),
            Outcome::Unsat(_) => true,
            Outcome::Unknown(_) => false,
        };
        self.shares.note(CIRCUITS, decided, work(cx) - begun);
        if decided {
            return simple;
        }
        let (start, open) = match simple {
            Outcome::Sat(model) => (model, Why::Incomplete),
            Outcome::Unsat(_) => unreachable!("is decided"),
            // The algorithm does not say. The others may find a solution nevertheless.
            Outcome::Unknown(why) => (query.witness.clone(), why),
        };
        // Line 9: of the rest, `start` is a solution.
        let floats = with_floats(cx.pool, &conditions);
        let members = Members {
            shares: &mut self.shares,
            reals: REALS,
            fuzzing: FUZZING,
        };
        match self.search.check(cx, &floats, &start, members) {
            Outcome::Sat(model) if !cx.satisfies(query, &model) => Outcome::Unknown(Why::Budget),
            // What circuits left open is open, whatever the others had left to try.
            Outcome::Unknown(Why::Incomplete) => Outcome::Unknown(open),
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
