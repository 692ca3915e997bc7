//! Assignments in which equal terms are equal: trials made from the classes of the congruence closure ("Multiplex symbolic
//! execution", section 3.5: "according to the equivalence classes at any point during the construction procedure").
//!
//! The condition asked is asserted first, then the slice in the path's order, so that a trial violates a conjunct
//! that contradicts these, or none. There is a trial after the condition, after further conjuncts at distances that double,
//! and at the end, each from a copy of the classes at that point: that costs as much as some ten trials at the end. Where
//! the classes say no more than before there is none. A class then has one value: its constant; otherwise the value of one of its terms
//! under the start, if no disequality or byte set excludes it; otherwise the smallest value that is not excluded. Each
//! choice is closed before the next one, so terms over chosen symbols follow. Reads of an array symbol become its
//! entries.
//!
//! It runs only if there is a receiver of trials, on queries that local search left open: `blast` decides the same
//! queries without it.

mod closure;

use crate::cx::Cx;
use crate::layer::Layer;
use crate::model::Model;
use crate::query::{Outcome, Query, Technique, Why};
use closure::{Closure, TermId};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use term::{ArrayValue, BitValue, Evaluator, Op, Pool, Sort, Symbol, Term};

/// Slices with more conjuncts are left to the other layers.
const MAX_CONJUNCTS: usize = 400;
/// Terms of a class whose values in the start are offered to it.
const MAX_OFFERS: usize = 8;
/// Values tried for a class to which none of the start fits.
const MAX_FRESH: u64 = 512;

pub(super) struct Congruence;

impl Layer for Congruence {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if !cx.trials.wanted() || query.slice.terms.len() > MAX_CONJUNCTS {
            return Outcome::Unknown(Why::Incomplete);
        }
        for model in assignments(cx.pool, cx.evaluator, query) {
            cx.stats.congruence_trials += 1;
            cx.trials.tried(&model, Technique::Congruence);
            if cx.satisfies(query, &model) {
                return Outcome::Sat(model);
            }
        }
        Outcome::Unknown(Why::Incomplete)
    }
}

/// The assignments of the classes at several points, none of them the witness or that of the point before; none at all if
/// there are too many terms.
fn assignments(pool: &mut Pool, evaluator: &mut Evaluator, query: &Query<'_>) -> Vec<Model> {
    let goals = query.conditions();
    let Some(mut closure) = Closure::new(pool, &goals) else {
        return Vec::new();
    };
    let mut models: Vec<Model> = Vec::new();
    let (mut next, mut relations) = (1, 0);
    for (asserted, &goal) in (1..).zip(&goals) {
        closure.assert(goal);
        let is_last = asserted == goals.len();
        if asserted != next && !is_last {
            continue;
        }
        next = 2 * asserted;
        let said_before = std::mem::replace(&mut relations, closure.relations);
        if relations == 0 || relations == said_before && !is_last {
            continue;
        }
        let model = assignment(closure.fork(), evaluator, query);
        if model != *models.last().unwrap_or(query.witness) {
            models.push(model);
        }
    }
    models
}

/// The assignment of the classes.
fn assignment(mut closure: Closure<'_>, evaluator: &mut Evaluator, query: &Query<'_>) -> Model {
    let nodes = closure.ascending();
    // Classes with a term that follows from others wait for these.
    for waits in [true, false] {
        for &node in &nodes {
            let is_choice = is_free(&closure, node) && closure.value(node).is_none();
            if is_choice && (!waits || closure.members(node).iter().all(|&m| is_free(&closure, m)))
            {
                choose(&mut closure, evaluator, query, node);
            }
        }
    }
    model(&closure, &nodes, query.witness)
}

/// A symbol, or a read of an array symbol at an index that is known: nothing else decides its value.
fn is_free(closure: &Closure<'_>, node: TermId) -> bool {
    let t = closure.term(node);
    match closure.pool.op(t) {
        Op::Symbol => matches!(closure.pool.sort(t), Sort::BitVec(_) | Sort::Int),
        Op::Select => {
            closure.pool.as_symbol(closure.pool.child(t, 0)).is_some()
                && closure.value(closure.operand(node, 1)).is_some()
        }
        _ => false,
    }
}

fn choose(closure: &mut Closure<'_>, evaluator: &mut Evaluator, query: &Query<'_>, node: TermId) {
    let members = closure.members(node).to_vec();
    let bytes: Vec<Symbol> = (members.iter())
        .filter_map(|&m| closure.pool.as_symbol(closure.term(m)))
        .filter(|&s| closure.pool.symbol_sort(s) == Sort::BitVec(8))
        .collect();
    let is_allowed = |pool: &Pool, value: Term| {
        let value = pool.as_const(value).unwrap_or(0) as u8;
        bytes.iter().all(|&s| query.pc.domain(s).contains(value))
    };
    let sort = closure.pool.sort(closure.term(node));
    for &member in members.iter().take(MAX_OFFERS) {
        let t = closure.term(member);
        let value = match sort {
            Sort::Int => {
                let value = evaluator.eval_int(closure.pool, t, query.witness);
                closure.pool.int(&value)
            }
            Sort::BitVec(width) => {
                let limbs = evaluator.eval_wide(closure.pool, t, query.witness);
                closure.pool.bv_wide(width, &limbs)
            }
            _ => return,
        };
        if is_allowed(closure.pool, value) && closure.choose(node, value) {
            return;
        }
    }
    let last = match sort {
        Sort::BitVec(width) if width < 9 => 1 << width,
        _ => MAX_FRESH,
    };
    for k in 0..last {
        let value = match sort {
            Sort::BitVec(width) => closure.pool.bv(width, k),
            _ => closure.pool.int(&BigInt::from(k)),
        };
        if is_allowed(closure.pool, value) && closure.choose(node, value) {
            return;
        }
    }
}

/// The start with the values of the classes.
fn model(closure: &Closure<'_>, nodes: &[TermId], start: &Model) -> Model {
    let pool = &*closure.pool;
    let mut model = start.clone();
    let mut entries: FxHashMap<TermId, Vec<(BitValue, BitValue)>> = FxHashMap::default();
    let number = |t: Term| BitValue::from_limbs(&pool.const_limbs(t));
    for &node in nodes {
        let t = closure.term(node);
        let Some(value) = closure.value(node) else {
            continue;
        };
        if let Some(symbol) = pool.as_symbol(t) {
            match pool.as_int(value) {
                Some(value) => model.set_int(symbol, value),
                None => model.set_wide(symbol, &pool.const_limbs(value)),
            }
        } else if pool.op(t) == Op::Select
            && pool.is_const(value)
            && let Some(index) = closure.value(closure.operand(node, 1))
        {
            let array = closure.operand(node, 0);
            let entry = (number(index), number(value));
            entries.entry(array).or_default().push(entry);
        }
    }
    // Equal arrays have the values of the first symbol among them, where nothing is read.
    let mut arrays: FxHashMap<TermId, ArrayValue> = FxHashMap::default();
    for &node in nodes {
        let t = closure.term(node);
        let Some(symbol) = pool.as_symbol(t) else {
            continue;
        };
        if !matches!(pool.sort(t), Sort::Array { .. }) {
            continue;
        }
        let class = closure.class(node);
        let value = arrays.entry(class).or_insert_with(|| {
            let mut value = start.array(symbol).cloned().unwrap_or_default();
            value
                .entries
                .extend(entries.remove(&class).unwrap_or_default());
            value
        });
        if start.array(symbol) != Some(&*value) && *value != ArrayValue::default() {
            model.set_array(symbol, value.clone());
        }
    }
    model
}
