//! Pass `facts`: what the conjuncts say about any term decides other terms.
//!
//! Known bits with unsigned and signed intervals ([`term::domain`]), and sets of floats ([`crate::boxes`]), go from operands to
//! results ([`forward`]) and from results to operands ([`backward`]) until nothing changes ([`network`]); conditions are
//! asserted as 1.
//! (Contraction of domains as in constraint programming; for bit-vectors Michel and Van Hentenryck, "Constraint
//! satisfaction over bit-vectors", CP 2012.)
//!
//! A conjunct must not be decided by what it says itself. The conjuncts go in order of size, and each is made smaller
//! with the facts of those before it only: terms with one value left become that value, and a conjunct
//! that follows is dropped. So the ones up to each are equivalent to what they were, by induction.
//! Conjuncts that say nothing about their operands are asserted last and made smaller with all facts of the
//! others. What follows from all of them is used where it cannot hurt: as a contradiction, and for symbols, which
//! are replaced everywhere by their known bits with new symbols between them.

mod backward;
mod network;
mod reads;

use super::{Places, Preprocess};
use crate::boxes::{self, Floats, Value};
use crate::stats::SolverStats;
use linear::Deadline;
use network::{Contradiction, Network};
use rustc_hash::{FxHashMap, FxHashSet};
use term::domain::{self, Fact};
use term::{Op, Pool, Sort, Symbol, Term};

/// Results that are kept of one path's operations: a loop has any number of them.
const MAX_RESULTS: usize = 20_000;
/// Queries with more terms are left alone.
const MAX_TERMS: usize = 400_000;
/// Terms visited to make conjuncts smaller that say something, in terms of the query.
const MAX_VISITS: usize = 4;
/// A symbol becomes at most this many parts.
const MAX_PARTS: usize = 6;
/// Symbols up to this width are not taken apart: the layers keep sets of values of bytes.
const MIN_WIDTH: u32 = 9;

/// One pass.
pub(super) fn learn(query: &mut Preprocess, pool: &mut Pool, stats: &mut SolverStats) -> bool {
    let size = pool.cone(&query.conjuncts).len();
    if size > MAX_TERMS || query.is_contradiction(pool) {
        return false;
    }
    let mut network = Network::new(pool, &query.conjuncts);
    let Ok(simplified) = simplify(query, pool, &mut network, size * MAX_VISITS, stats) else {
        query.conjuncts = vec![Term::FALSE];
        stats.preprocess_facts += 1;
        return true;
    };
    let symbols = query.symbols(pool);
    let changed = simplified != query.conjuncts;
    if changed {
        query.conjuncts = simplified;
        query.flatten(pool);
    }
    replace_symbols(query, pool, &network, &symbols, stats) || changed
}

/// Do the conditions contradict each other by what facts alone say?
pub(crate) fn contradict(pool: &Pool, conditions: &[Term], until: Option<Deadline>) -> bool {
    Consequences::of(pool, conditions, until).is_none()
}

/// Conditions, and what facts say follows from them.
pub(crate) struct Consequences {
    conditions: FxHashSet<Term>,
    network: Network,
    /// What follows for results of further operations, without what they say about their operands.
    results: FxHashMap<Term, Value>,
}

impl Consequences {
    /// Of these conditions, as far as they are found until then; `None` if they contradict each other.
    pub fn of(pool: &Pool, conditions: &[Term], until: Option<Deadline>) -> Option<Consequences> {
        let mut all = Consequences {
            conditions: FxHashSet::default(),
            network: Network::default(),
            results: FxHashMap::default(),
        };
        all.search_until(until);
        all.add(pool, conditions).then_some(all)
    }

    /// The same, for further conditions beside these.
    pub fn branch(&self) -> Consequences {
        Consequences {
            conditions: self.conditions.clone(),
            network: self.network.clone(),
            results: FxHashMap::default(),
        }
    }

    /// What follows from further conditions is looked for until then.
    pub fn search_until(&mut self, until: Option<Deadline>) {
        self.network.until = until;
    }

    /// The conditions.
    pub fn conditions(&self) -> &FxHashSet<Term> {
        &self.conditions
    }

    /// Further conditions hold, too; returns whether that is no contradiction. Small ones, which say most, come first.
    pub fn add(&mut self, pool: &Pool, conditions: &[Term]) -> bool {
        self.results.clear();
        add(&mut self.network, pool, conditions) && {
            self.conditions.extend(conditions);
            true
        }
    }

    /// Sets in which floats must lie where one more condition holds, without those that are all floats; `None` if the
    /// condition contradicts the others.
    pub fn float_sets(&mut self, pool: &Pool, condition: Term) -> Option<Vec<(Term, Floats)>> {
        if self.is_never(pool, condition) {
            return None;
        }
        let mut network = self.network.clone();
        let is_possible = add(&mut network, pool, &[condition]);
        is_possible.then(|| network.floats(pool).collect())
    }

    /// Is a condition false by the values that its operands can have? Many questions about exceptions are decided so, and
    /// each rests on the operations of those before it.
    fn is_never(&mut self, pool: &Pool, condition: Term) -> bool {
        if self.results.len() > MAX_RESULTS {
            self.results.clear();
        }
        let (root, holds) = literal(pool, condition);
        let known = |results: &FxHashMap<Term, Value>, t: Term| {
            let own = || results.get(&t).copied();
            self.network.known(t).or_else(own)
        };
        let mut stack = vec![(root, false)];
        while let Some((t, is_ready)) = stack.pop() {
            if known(&self.results, t).is_some() {
                continue;
            }
            if !is_ready {
                stack.push((t, true));
                stack.extend(operands(pool, t).iter().map(|&k| (k, false)));
                continue;
            }
            let kids: Vec<Value> = operands(pool, t)
                .iter()
                .filter_map(|&k| known(&self.results, k))
                .collect();
            self.results.insert(t, network::result(pool, t, &kids));
        }
        let value = known(&self.results, root).and_then(|value| value.bits()?.value());
        value.is_some_and(|value| value != u64::from(holds))
    }
}

fn add(network: &mut Network, pool: &Pool, conditions: &[Term]) -> bool {
    network.extend(pool, conditions);
    let mut order = conditions.to_vec();
    order.sort_by_key(|&t| pool.size_hint(t));
    let are_possible = order.iter().all(|&condition| {
        let (t, holds) = literal(pool, condition);
        network.assert(pool, t, holds).is_ok()
    });
    are_possible && network.relate(pool).is_ok()
}

/// The operands that facts go through: bit-vectors of at most 64 bits, the index of a read of a constant array among
/// them, and floats; none for terms that pass no facts on.
fn operands(pool: &Pool, t: Term) -> &[Term] {
    let is_kept = |t: &Term| boxes::is_kept(pool.sort(*t));
    let kids = match pool.op(t) {
        Op::Select if pool.op(pool.child(t, 0)) == Op::ArrayBytes => &pool.children(t)[1..2],
        _ => pool.children(t),
    };
    if is_kept(&t) && kids.iter().all(is_kept) {
        kids
    } else {
        &[]
    }
}

/// What is known about a term from what is known about its [`operands`].
fn forward(pool: &Pool, t: Term, kids: &[Fact]) -> Fact {
    match (pool.op(t), kids) {
        (Op::Select, [index]) => reads::element(pool, t, index),
        _ => domain::forward(pool.operator(t), kids),
    }
}

/// A conjunct as a term and its value.
fn literal(pool: &Pool, t: Term) -> (Term, bool) {
    match pool.op(t) {
        Op::Not => (pool.child(t, 0), false),
        _ => (t, true),
    }
}

/// The conjuncts, each made smaller by the facts of those before it; the network has all facts then.
fn simplify(
    query: &Preprocess,
    pool: &mut Pool,
    network: &mut Network,
    mut visits: usize,
    stats: &mut SolverStats,
) -> Result<Vec<Term>, Contradiction> {
    let mut order: Vec<usize> = (0..query.conjuncts.len()).collect();
    order.sort_by_key(|&at| pool.size_hint(query.conjuncts[at]));
    let mut result = query.conjuncts.clone();
    let mut quiet = Vec::new();
    for at in order {
        let (t, holds) = literal(pool, query.conjuncts[at]);
        match network.value(t) {
            Some(value) if value != holds as u64 => return Err(Contradiction),
            Some(_) => {
                result[at] = Term::TRUE;
                stats.preprocess_facts += 1;
            }
            None if network.teaches(pool, t, holds) => {
                result[at] = smaller(pool, network, t, holds, &mut visits, stats);
                network.assert(pool, t, holds)?;
            }
            None => quiet.push((at, t, holds)),
        }
    }
    let mut memo = FxHashMap::default();
    for &(at, t, holds) in &quiet {
        result[at] = match network.value(t) {
            Some(value) if value != holds as u64 => return Err(Contradiction),
            Some(_) => {
                stats.preprocess_facts += 1;
                Term::TRUE
            }
            None => rebuilt(pool, network, t, holds, &mut memo, stats),
        };
    }
    for (_, t, holds) in quiet {
        network.assert(pool, t, holds)?;
    }
    Ok(result)
}

/// A conjunct that says something, with the values of its terms put in their places.
fn smaller(
    pool: &mut Pool,
    network: &Network,
    t: Term,
    holds: bool,
    visits: &mut usize,
    stats: &mut SolverStats,
) -> Term {
    // Most have no such term.
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack = vec![t];
    let mut is_known = false;
    while let Some(t) = stack.pop() {
        if *visits == 0 {
            is_known = false;
            break;
        }
        *visits -= 1;
        for &k in pool.children(t) {
            if pool.is_const(k) || !seen.insert(k) {
                continue;
            }
            match network.value(k) {
                Some(_) => is_known = true,
                None => stack.push(k),
            }
        }
    }
    match is_known {
        true => rebuilt(pool, network, t, holds, &mut FxHashMap::default(), stats),
        false if holds => t,
        false => pool.not(t),
    }
}

/// A conjunct with the values of the terms below its root put in their places.
fn rebuilt(
    pool: &mut Pool,
    network: &Network,
    root: Term,
    holds: bool,
    memo: &mut FxHashMap<Term, Term>,
    stats: &mut SolverStats,
) -> Term {
    let mut stack = vec![(root, false)];
    while let Some((t, is_ready)) = stack.pop() {
        if memo.contains_key(&t) {
            continue;
        }
        let value = network.value(t).filter(|_| t != root && !pool.is_const(t));
        let own = match value {
            Some(value) => {
                stats.preprocess_facts += 1;
                pool.bv(pool.width(t), value)
            }
            None if is_ready => {
                let new: Vec<Term> = pool.children(t).iter().map(|k| memo[k]).collect();
                if new[..] == *pool.children(t) {
                    t
                } else {
                    pool.rebuild(t, &new)
                }
            }
            None => {
                stack.push((t, true));
                stack.extend(pool.children(t).iter().map(|&k| (k, false)));
                continue;
            }
        };
        memo.insert(t, own);
    }
    let own = memo[&root];
    if holds { own } else { pool.not(own) }
}

/// Symbols with known bits become those bits with new symbols between them; those that occur once stay whole, since
/// they may make their operator free (`unconstrained`).
fn replace_symbols(
    query: &mut Preprocess,
    pool: &mut Pool,
    network: &Network,
    symbols: &[Symbol],
    stats: &mut SolverStats,
) -> bool {
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    let edges = query.edges(pool, &pool.cone(&query.conjuncts));
    for &symbol in symbols {
        let place = pool.symbol_term(symbol);
        let (Sort::BitVec(width), Some(fact)) = (pool.symbol_sort(symbol), network.fact(place))
        else {
            continue;
        };
        let value = match fact.value() {
            Some(value) => pool.bv(width, value),
            None if edges.get(&place) == Some(&1) => continue,
            None => match parts(pool, fact.zeros, fact.ones, width) {
                Some(parts) => parts,
                None => continue,
            },
        };
        places.insert(place, value);
        query.gone.push((symbol, value));
    }
    if places.is_empty() {
        return false;
    }
    stats.preprocess_narrowed += places.len() as u64;
    let kept = std::mem::take(&mut query.conjuncts);
    query.replace(pool, kept, &Places::of_symbols(places), &mut 0);
    true
}

/// Known bits and new symbols, if that is worth it.
fn parts(pool: &mut Pool, zeros: u64, ones: u64, width: u32) -> Option<Term> {
    let known = zeros | ones;
    let is_known = |bit: u32| known >> bit & 1 == 1;
    if known == 0 || width < MIN_WIDTH {
        return None;
    }
    let changes = (1..width).filter(|&b| is_known(b) != is_known(b - 1));
    let mut starts: Vec<u32> = std::iter::once(0).chain(changes).collect();
    if starts.len() > MAX_PARTS {
        return None;
    }
    starts.push(width);
    let mut result: Option<Term> = None;
    for ends in starts.windows(2) {
        let (from, width) = (ends[0], ends[1] - ends[0]);
        let part = if is_known(from) {
            pool.bv(width, ones >> from)
        } else {
            let symbol = pool.new_symbol("part", Sort::BitVec(width));
            pool.symbol_term(symbol)
        };
        result = Some(match result {
            Some(low) => pool.concat(part, low),
            None => part,
        });
    }
    result
}

#[cfg(test)]
mod tests;
