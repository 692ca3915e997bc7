//! Conjuncts of a path on demand: a circuit gets those that its models break, and not the others.
//!
//! A condition at the end of a long path shares symbols with hundreds of conjuncts, and mostly needs a few of them: a refutation rests on some, and a model
//! near the path's witness breaks some. Assumed all at once they are what a SAT solver propagates again after each conflict, and what a circuit
//! is built of. So the condition is asked about alone at first. A model that satisfies the rest as well is an answer; another one tells which
//! conjuncts it breaks, and some of these are asserted before the next search, in the same SAT instance. Where what is asserted has no model, the
//! whole has none, and what was asserted contains the core.
//!
//! Models stay near the witness since a search begins with its values, and symbols that no asserted condition mentions keep them.

use crate::model::Model;
use term::{Evaluator, Pool, Term};

/// Paths with fewer conjuncts than this are asserted whole.
const FEW: usize = 8;
/// So many broken conjuncts are asserted after the first search, and twice as many after each further one.
const FIRST: usize = 4;
/// After so many searches all conjuncts are asserted: that a next model breaks only one of them each time is no reason to search a hundred times.
const SEARCHES: u32 = 12;

/// Conditions of a query, and which of them are asserted.
pub(crate) struct OnDemand {
    asserted: Vec<Term>,
    /// In the order of the path.
    waiting: Vec<Term>,
    searches: u32,
}

impl OnDemand {
    /// All conditions at once.
    pub fn all(conditions: Vec<Term>) -> OnDemand {
        OnDemand {
            asserted: conditions,
            waiting: Vec::new(),
            searches: 0,
        }
    }

    /// The first condition; the others, which the witness satisfies, wait if they are many.
    pub fn first(mut conditions: Vec<Term>) -> OnDemand {
        let waiting = if conditions.len() > FEW {
            conditions.split_off(1)
        } else {
            Vec::new()
        };
        OnDemand {
            asserted: conditions,
            waiting,
            searches: 0,
        }
    }

    /// The conditions of the next search.
    pub fn asserted(&self) -> &[Term] {
        &self.asserted
    }

    /// Is the next search the first of several? It begins near the witness, so that its model breaks little.
    pub fn begins(&self) -> bool {
        self.searches == 0 && !self.waiting.is_empty()
    }

    /// Asserts some of the conjuncts that a model of the asserted conditions breaks: the latest ones, which are nearest to the condition. Whether it
    /// breaks any.
    pub fn assert_broken(&mut self, pool: &Pool, evaluator: &mut Evaluator, model: &Model) -> bool {
        self.searches += 1;
        if self.waiting.is_empty() {
            return false;
        }
        let mut broken = Vec::new();
        let mut from = 0;
        while let Some(at) = evaluator.first_false(pool, &self.waiting[from..], model) {
            broken.push(from + at);
            from += at + 1;
        }
        if broken.is_empty() {
            return false;
        }
        if self.searches >= SEARCHES {
            self.asserted.append(&mut self.waiting);
            return true;
        }
        let most = FIRST << (self.searches - 1);
        for &at in broken.iter().rev().take(most) {
            self.asserted.push(self.waiting.remove(at));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Sort, Symbol};

    #[test]
    fn what_a_model_breaks_is_asserted_the_latest_first() {
        let mut pool = Pool::new();
        let symbols: Vec<Symbol> = (0..40)
            .map(|i| pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
            .collect();
        let zero = pool.bv(8, 0);
        let mut are_zero = Vec::new();
        for &symbol in &symbols {
            let byte = pool.symbol_term(symbol);
            are_zero.push(pool.eq(byte, zero));
        }
        let mut conditions = are_zero.clone();
        conditions[0] = pool.not(are_zero[0]);
        let with = |value| {
            let mut model = Model::new();
            symbols.iter().for_each(|&s| model.set(s, value));
            model
        };
        let mut evaluator = Evaluator::default();
        let mut demand = OnDemand::first(conditions.clone());
        assert!(demand.begins());
        assert_eq!(demand.asserted(), &conditions[..1]);
        assert!(demand.assert_broken(&pool, &mut evaluator, &with(1)));
        assert!(!demand.begins());
        let latest: Vec<Term> = are_zero.iter().rev().take(FIRST).copied().collect();
        assert_eq!(demand.asserted()[1..], latest);
        // With the values of the others nothing is broken any more.
        assert!(!demand.assert_broken(&pool, &mut evaluator, &with(0)));
        assert_eq!(demand.asserted().len(), 1 + FIRST);
    }

    #[test]
    fn whatever_models_come_an_end_comes_too() {
        let mut pool = Pool::new();
        let byte = pool.new_symbol("b", Sort::BitVec(8));
        let byte = pool.symbol_term(byte);
        let zero = pool.bv(8, 0);
        let is_not_zero = pool.eq(byte, zero);
        let is_not_zero = pool.not(is_not_zero);
        let mut evaluator = Evaluator::default();
        let mut demand = OnDemand::first(vec![is_not_zero; 100_000]);
        let mut searches = 0;
        while demand.assert_broken(&pool, &mut evaluator, &Model::new()) {
            searches += 1;
        }
        assert_eq!((searches, demand.asserted().len()), (SEARCHES, 100_000));
    }
}
