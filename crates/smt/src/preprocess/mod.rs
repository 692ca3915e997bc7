//! A stand-alone query made smaller before the layers see it.
//!
//! The queries of the executor arrive with bounds, tables and byte sets that were kept up to date along a
//! path; a script has only its text. Here some of that is found again, to a fixed point:
//!
//! * `table`: constant stores over zeroes become one constant array ([`tables`]);
//! * `equated`: an equation of a float symbol says what its bits are ([`floats`]);
//! * `equality`: `symbol = term` goes, and the term takes the symbol's place ([`definitions`]);
//! * `known`: a conjunct that occurs inside another one is true there (its negation false), and equal terms are one term;
//! * `value`: a byte that has one value left becomes that value ([`values`]);
//! * `facts`: known bits and intervals of all terms decide others, symbols keep the bits that are open ([`facts`]);
//! * `slices`: a symbol of which separate slices are read is one symbol per slice ([`slices`]);
//! * `choices`: what both branches of an if-then-else have in common is done once ([`choices`]);
//! * `floats`: float terms that the theory calls equal have one form ([`floats`]);
//! * `linear`: equations as polynomials, Gaussian elimination ([`linear`]);
//! * `stores`: stores at different indices stand in one order, in arrays that are compared ([`stores`]);
//! * `idle`: stores that change nothing go, reads look past stores that do not matter ([`idle`]);
//! * `undone`: an equation with stores over an array symbol says what the symbol is ([`undone`]);
//! * `joined`: equations of both branches of an if-then-else over integers come out ([`joined`]);
//! * `local`: integers that only one conjunction below disjunctions speaks of are eliminated ([`local`]);
//! * `unconstrained`: operators with an operand that occurs once are symbols ([`unconstrained`]);
//! * `codes`: when nothing else is left to do, values that are only compared become codes of few bits ([`codes`]).
//!
//! What is left is equisatisfiable, and [`Preprocess::lift`] makes a model of it one of the original: each
//! symbol that went is evaluated from what took its place, the last one first. The rules are counted in
//! the statistics; a refutation names no conjuncts: `minimize.rs` finds which are needed.

mod choices;
mod codes;
mod definitions;
mod facts;
mod floats;
mod idle;
mod joined;
mod lifted;
mod linear;
mod local;
mod slices;
mod stores;
mod tables;
mod unconstrained;
mod undone;
mod values;

use crate::stats::PassStats;
use ::linear::Deadline;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Model, Origin, PathCondition, Solver, Trials};
use term::{Evaluator, Op, Pool, Sort, Symbol, Term};

/// Sizes of terms (as trees) below this are exact.
const LARGE: u32 = 1 << 28;

/// Rounds over the query.
const MAX_ROUNDS: usize = 12;

/// The context of a pass, apart from the query.
pub(crate) struct PassContext<'a> {
    pub pool: &'a mut Pool,
    /// Keeps the sets of values of bytes.
    pub solver: &'a mut Solver,
    pub stats: &'a mut PassStats,
}

/// One way to make a query smaller.
///
/// What a pass eliminates it writes into the query's journal ([`Preprocess::gone`]): which symbol went, and the term that its value
/// is. Passes take turns, so models are lifted by the one journal of all ([`Preprocess::lift`]), the last entry first.
pub(crate) trait Pass: Sync {
    /// The name of its rule, or of its rules.
    fn name(&self) -> &'static str;

    /// Applies the rule to the whole query; returns whether anything changed.
    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool;
}

/// When a pass has its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// Once, before all others.
    First,
    /// In each round.
    Each,
    /// At the end of a round in which nothing changed. What it leaves has no trials.
    AtRest,
}

/// All passes, in their order.
pub(crate) const PASSES: &[(Turn, &dyn Pass)] = &[
    (Turn::First, &tables::Tables),
    (Turn::First, &floats::EquatedFloats),
    (Turn::Each, &floats::FloatForms),
    (Turn::Each, &definitions::Definitions),
    (Turn::Each, &linear::LinearEquations),
    (Turn::Each, &facts::Facts),
    (Turn::Each, &slices::Slices),
    (Turn::Each, &choices::Choices),
    (Turn::Each, &stores::Stores),
    (Turn::Each, &idle::IdleStores),
    (Turn::Each, &undone::UndoneStores),
    (Turn::Each, &joined::JoinedEquations),
    (Turn::Each, &local::LocalIntegers),
    (Turn::Each, &unconstrained::Unconstrained),
    (Turn::Each, &values::SingleValues),
    (Turn::AtRest, &codes::ShortCodes),
];

/// Replacements of terms.
struct Substitutions {
    of: FxHashMap<Term, Term>,
    /// Symbols that go.
    replaced: FxHashSet<Term>,
    /// The equations whose larger side has a place by them: it keeps its own in them.
    owners: FxHashMap<Term, Term>,
}

impl Substitutions {
    /// Replacements of symbols that are eliminated.
    fn of_symbols(places: FxHashMap<Term, Term>) -> Substitutions {
        Substitutions {
            replaced: places.keys().copied().collect(),
            of: places,
            owners: FxHashMap::default(),
        }
    }
}

/// A query on its way.
pub(crate) struct Preprocess {
    /// The conditions of the query.
    pub conjuncts: Vec<Term>,
    /// Symbols that went, with what took their place.
    gone: Vec<(Symbol, Term)>,
    /// The passes that have changed it.
    pub changed_by: Vec<&'static str>,
    /// Some conjuncts and the path of them.
    path: Option<(Vec<Term>, PathCondition)>,
}

impl Preprocess {
    /// The conjunction of some conditions.
    pub fn new(pool: &mut Pool, conditions: Vec<Term>) -> Preprocess {
        let mut query = Preprocess {
            conjuncts: conditions,
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        };
        query.flatten(pool);
        query
    }

    /// Is one of the conjuncts false, or the opposite of another?
    pub fn is_contradiction(&self, pool: &Pool) -> bool {
        let all: FxHashSet<Term> = self.conjuncts.iter().copied().collect();
        self.conjuncts.iter().any(|&t| {
            t == Term::FALSE || (pool.op(t) == Op::Not && all.contains(&pool.child(t, 0)))
        })
    }

    /// Flattens conjunctions and negated disjunctions; drops true and duplicate conjuncts.
    fn flatten(&mut self, pool: &mut Pool) {
        let mut seen = FxHashSet::default();
        let mut flat = Vec::new();
        let mut stack: Vec<Term> = self.conjuncts.iter().rev().copied().collect();
        while let Some(t) = stack.pop() {
            if t == Term::TRUE || !seen.insert(t) {
                continue;
            }
            let inner = (pool.op(t) == Op::Not).then(|| pool.child(t, 0));
            match inner {
                Some(or) if pool.op(or) == Op::Or => {
                    for k in [1, 0] {
                        let side = pool.child(or, k);
                        stack.push(pool.not(side));
                    }
                }
                _ if pool.op(t) == Op::And => {
                    stack.extend([pool.child(t, 1), pool.child(t, 0)]);
                }
                _ => flat.push(t),
            }
        }
        self.conjuncts = flat;
    }

    /// Applies the passes that have this turn; whether anything changed.
    pub fn apply(&mut self, turn: Turn, around: &mut PassContext<'_>) -> bool {
        let mut changed = false;
        for (_, pass) in PASSES.iter().filter(|&&(of, _)| of == turn) {
            if pass.apply(self, around) {
                changed = true;
                if !self.changed_by.contains(&pass.name()) {
                    self.changed_by.push(pass.name());
                }
            }
        }
        changed
    }

    /// Rounds over the query until nothing changes, or the time is up. `false`: it contradicts itself.
    pub fn simplify(
        &mut self,
        around: &mut PassContext<'_>,
        deadline: Option<Deadline>,
        has_trials: bool,
    ) -> bool {
        self.apply(Turn::First, around);
        for round in 1..=MAX_ROUNDS {
            let is_late = deadline.is_some_and(|end| end.is_past());
            let mut changed = !is_late && self.apply(Turn::Each, around);
            if self.is_contradiction(around.pool) {
                return false;
            }
            if !changed && !is_late && round < MAX_ROUNDS && !has_trials {
                changed = self.apply(Turn::AtRest, around);
            }
            if !changed {
                break;
            }
        }
        true
    }

    /// The conjuncts as a path.
    pub fn path(&mut self, pool: &mut Pool, solver: &mut Solver) -> PathCondition {
        if let Some((of, path)) = &self.path
            && *of == self.conjuncts
        {
            return path.clone();
        }
        let mut path = PathCondition::new();
        for &t in &self.conjuncts {
            solver.push(pool, &mut path, t, Origin::Assume);
        }
        self.path = Some((self.conjuncts.clone(), path.clone()));
        path
    }

    /// How often each term is an operand or a conjunct.
    fn edges(&self, pool: &Pool, cone: &[Term]) -> FxHashMap<Term, u32> {
        let mut edges: FxHashMap<Term, u32> = FxHashMap::default();
        let operands = cone.iter().flat_map(|&t| pool.children(t));
        for &t in self.conjuncts.iter().chain(operands) {
            *edges.entry(t).or_default() += 1;
        }
        edges
    }

    /// The symbols of the conjuncts, ascending.
    fn symbols(&self, pool: &Pool) -> Vec<Symbol> {
        pool.set_elements(self.conjuncts.iter().map(|&t| pool.symbols(t)))
    }

    /// Puts values in places below the conjuncts, and for symbols that are replaced at their roots as well;
    /// whether anything changed.
    fn replace(
        &mut self,
        pool: &mut Pool,
        kept: Vec<Term>,
        places: &Substitutions,
        known: &mut u64,
    ) -> bool {
        let Substitutions {
            of: places,
            replaced,
            owners,
        } = places;
        let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
        for t in pool.cone(&kept) {
            let old: Vec<Term> = pool.children(t).to_vec();
            let own = owners.get(&t);
            let place = |&k: &Term| {
                let new = rebuilt[&k];
                if own.is_some() {
                    return match places.get(&k) {
                        Some(&place) if own != Some(&k) => place,
                        _ => new,
                    };
                }
                // What came out may have a place, too: `f(f(x))` where `f(x)` is `x`. It is no larger than what it came out of,
                // so that an equation is still changed by smaller ones only.
                let again = || {
                    let size = pool.size_hint(k);
                    let is_fit = !owners.is_empty() && size < LARGE && pool.size_hint(new) <= size;
                    let place = is_fit.then(|| places.get(&new)).flatten();
                    *place.unwrap_or(&new)
                };
                places.get(&k).copied().unwrap_or_else(again)
            };
            let new: Vec<Term> = old.iter().map(place).collect();
            if pool.op(t) != Op::Not {
                let is_known = |k: &&Term| places.contains_key(k) && !replaced.contains(k);
                *known += old.iter().filter(is_known).count() as u64;
            }
            let own = if new == old { t } else { pool.rebuild(t, &new) };
            rebuilt.insert(t, own);
        }
        // What a conjunct says is known everywhere but in itself.
        let root = |t: Term| {
            if replaced.contains(&t) {
                places[&t]
            } else {
                rebuilt[&t]
            }
        };
        self.conjuncts = kept
            .iter()
            .map(|&t| match pool.op(t) {
                Op::Not => {
                    let inner = root(pool.child(t, 0));
                    pool.not(inner)
                }
                _ => root(t),
            })
            .collect();
        self.flatten(pool);
        self.conjuncts != kept
    }

    /// Hands trials of the preprocessed query on as trials of the original one.
    pub fn lifted<'a>(&self, pool: &Pool, trials: &'a mut dyn Trials) -> lifted::Lifted<'a> {
        lifted::Lifted::new(pool, &self.gone, trials)
    }

    /// Gives the symbols that went their values. No value reads a symbol that gets its own later, so what was
    /// evaluated stays right while the model grows.
    pub fn lift(&self, pool: &Pool, evaluator: &mut Evaluator, model: &mut Model) {
        evaluator.start(pool);
        for &(symbol, value) in self.gone.iter().rev() {
            if matches!(pool.sort(value), Sort::Array { .. }) {
                let array = evaluator.eval_array(pool, value, model);
                model.set_array(symbol, array);
                evaluator.start(pool); // it shares the model, which changes
                continue;
            }
            if pool.sort(value) == Sort::Int {
                let number = evaluator.eval_int(pool, value, model);
                model.set_int(symbol, number);
                evaluator.start(pool);
                continue;
            }
            let limbs = evaluator.eval_wide_more(pool, value, model);
            match pool.symbol_sort(symbol) {
                Sort::BitVec(width) if width > 64 => model.set_wide(symbol, &limbs),
                _ => model.set(symbol, limbs.first().copied().unwrap_or(0)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
