//! A stand-alone query made smaller before the layers see it.
//!
//! The queries of the executor arrive with bounds, tables and byte sets that were kept up to date along a
//! path; a script has only its text. Here some of that is found again, to a fixed point:
//!
//! * `table`: constant stores over zeroes become one constant array ([`tables`]);
//! * `equality`: `symbol = term` goes, and the term takes the symbol's place ([`definitions`]);
//! * `known`: a conjunct that occurs inside another one is true there (its negation false), and equal terms are one term;
//! * `value`: a byte that has one value left becomes that value;
//! * `facts`: known bits and intervals of all terms decide others, symbols keep the bits that are open ([`facts`]);
//! * `slices`: a symbol of which separate slices are read is one symbol per slice ([`slices`]);
//! * `choices`: what both branches of an if-then-else have in common is done once ([`choices`]);
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

pub(crate) use facts::{Consequences, contradict};

use crate::model::Model;
use crate::path::PathCondition;
use crate::query::Trials;
use crate::stats::SolverStats;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Evaluator, Op, Pool, Sort, Symbol, Term};

/// Sizes of terms (as trees) below this are exact.
const LARGE: u32 = 1 << 28;

/// Rounds over the query.
pub(crate) const MAX_ROUNDS: usize = 12;

/// A pass: its name, and what it does; says whether anything changed.
type Pass = (
    &'static str,
    fn(&mut Preprocess, &mut Pool, &mut SolverStats) -> bool,
);

/// The passes that need nothing but the conjuncts, in their order.
const PASSES: &[Pass] = &[
    ("equality, known", |query, pool, stats| {
        definitions::propagate(query, pool, stats)
    }),
    ("linear", |query, pool, stats| {
        linear::eliminate(query, pool, &mut stats.preprocess_linear)
    }),
    ("facts", |query, pool, stats| {
        facts::learn(query, pool, stats)
    }),
    ("slices", |query, pool, stats| {
        slices::split(query, pool, &mut stats.preprocess_slices)
    }),
    ("choices", |query, pool, stats| {
        choices::factor(query, pool, &mut stats.preprocess_choices)
    }),
    ("stores", |query, pool, stats| {
        stores::sort(query, pool, &mut stats.preprocess_stores)
    }),
    ("idle", |query, pool, stats| {
        idle::remove(query, pool, &mut stats.preprocess_idle)
    }),
    ("undone", |query, pool, stats| {
        undone::undo(query, pool, &mut stats.preprocess_undone)
    }),
    ("joined", |query, pool, stats| {
        joined::join(query, pool, &mut stats.preprocess_joined)
    }),
    ("local", |query, pool, stats| {
        local::eliminate(query, pool, &mut stats.preprocess_local)
    }),
    ("unconstrained", |query, pool, stats| {
        unconstrained::eliminate(query, pool, &mut stats.preprocess_unconstrained)
    }),
];

/// What takes whose place.
struct Places {
    of: FxHashMap<Term, Term>,
    /// Symbols that go.
    replaced: FxHashSet<Term>,
    /// The equations whose larger side has a place by them: it keeps its own in them.
    owners: FxHashMap<Term, Term>,
}

impl Places {
    /// Of symbols that go.
    fn of_symbols(places: FxHashMap<Term, Term>) -> Places {
        Places {
            replaced: places.keys().copied().collect(),
            of: places,
            owners: FxHashMap::default(),
        }
    }
}

/// A query on its way.
pub(crate) struct Preprocess {
    /// What has to hold.
    pub conjuncts: Vec<Term>,
    /// Symbols that went, with what took their place.
    gone: Vec<(Symbol, Term)>,
}

impl Preprocess {
    /// The conjunction of some conditions.
    pub fn new(pool: &mut Pool, conditions: Vec<Term>, stats: &mut SolverStats) -> Preprocess {
        let mut query = Preprocess {
            conjuncts: conditions,
            gone: Vec::new(),
        };
        query.conjuncts = tables::rebuild(pool, &query.conjuncts, &mut stats.preprocess_tables);
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

    /// One round of the [`PASSES`]; whether anything changed.
    pub fn simplify(&mut self, pool: &mut Pool, stats: &mut SolverStats) -> bool {
        let mut changed = false;
        for (_, pass) in PASSES {
            changed |= pass(self, pool, stats);
        }
        changed
    }

    /// The pass `codes`, for when no other one changes anything; whether it did. Arrays that have codes have no trials.
    pub fn shorten(&mut self, pool: &mut Pool, stats: &mut SolverStats) -> bool {
        codes::shorten(self, pool, &mut stats.preprocess_codes)
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

    /// `value`: bytes of which the path over the conjuncts leaves one value.
    pub fn values(
        &mut self,
        pool: &mut Pool,
        path: &PathCondition,
        stats: &mut SolverStats,
    ) -> bool {
        let symbols = self.symbols(pool);
        let mut places = FxHashMap::default();
        for symbol in symbols {
            if pool.symbol_sort(symbol) != Sort::BitVec(8) {
                continue;
            }
            let domain = path.domain(symbol);
            if let (Some(value), 1) = (domain.first(), domain.len()) {
                let value = pool.bv(8, value as u64);
                places.insert(pool.symbol_term(symbol), value);
                self.gone.push((symbol, value));
                stats.preprocess_values += 1;
            }
        }
        let kept = std::mem::take(&mut self.conjuncts);
        self.replace(pool, kept, &Places::of_symbols(places), &mut 0)
    }

    /// Puts values in places below the conjuncts, and for symbols that are replaced at their roots as well;
    /// whether anything changed.
    fn replace(
        &mut self,
        pool: &mut Pool,
        kept: Vec<Term>,
        places: &Places,
        known: &mut u64,
    ) -> bool {
        let Places {
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

    /// Hands trials of what is left on as trials of the original query.
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
