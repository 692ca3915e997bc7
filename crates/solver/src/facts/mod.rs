//! Facts about terms that follow from conditions.
//!
//! Known bits with unsigned and signed intervals ([`term::domain`]), and sets of floats ([`crate::boxes`]), go from operands to
//! results ([`forward`]) and from results to operands ([`backward`]) until nothing changes ([`network`]); conditions are
//! asserted as 1.
//! (Contraction of domains as in constraint programming; for bit-vectors Michel and Van Hentenryck, "Constraint
//! satisfaction over bit-vectors", CP 2012.)

mod backward;
mod network;
mod reads;

pub use network::{Contradiction, Network};

use crate::boxes::{self, Enclosure, Floats};
use linear::Deadline;
use rustc_hash::{FxHashMap, FxHashSet};
use term::domain::{self, Fact};
use term::{Op, Pool, Term};

/// Results that are kept of one path's operations: a loop has any number of them.
const MAX_RESULTS: usize = 20_000;

/// Do the conditions contradict each other by what facts alone say?
pub(crate) fn contradict(pool: &Pool, conditions: &[Term], until: Option<Deadline>) -> bool {
    Consequences::of(pool, conditions, until).is_none()
}

/// Conditions, and what facts say follows from them.
pub(crate) struct Consequences {
    conditions: FxHashSet<Term>,
    network: Network,
    /// Facts about results of further operations, not propagated to their operands.
    results: FxHashMap<Term, Enclosure>,
}

impl Consequences {
    /// The consequences of these conditions, as far as they are found until the deadline; `None` if the conditions
    /// contradict each other.
    pub fn of(pool: &Pool, conditions: &[Term], until: Option<Deadline>) -> Option<Consequences> {
        let mut all = Consequences {
            conditions: FxHashSet::default(),
            network: Network::default(),
            results: FxHashMap::default(),
        };
        all.search_until(until);
        all.add(pool, conditions).then_some(all)
    }

    /// A copy to which further conditions can be added.
    pub fn branch(&self) -> Consequences {
        Consequences {
            conditions: self.conditions.clone(),
            network: self.network.clone(),
            results: FxHashMap::default(),
        }
    }

    /// The deadline of the search for consequences of further conditions.
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
        let known = |results: &FxHashMap<Term, Enclosure>, t: Term| {
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
            let kids: Vec<Enclosure> = operands(pool, t)
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

/// The fact about a term that follows from the facts about its [`operands`].
fn forward(pool: &Pool, t: Term, kids: &[Fact]) -> Fact {
    match (pool.op(t), kids) {
        (Op::Select, [index]) => reads::element(pool, t, index),
        _ => domain::forward(pool.operator(t), kids),
    }
}

/// A conjunct as a term and its value.
pub fn literal(pool: &Pool, t: Term) -> (Term, bool) {
    match pool.op(t) {
        Op::Not => (pool.child(t, 0), false),
        _ => (t, true),
    }
}

#[cfg(test)]
mod tests;
