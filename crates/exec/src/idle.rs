//! Bytes of what a driver made up that an error does not depend on, although its path asked for their values.
//!
//! An error of a path that reads a made-up member is in doubt: the library may never give the member such a value. But if some path
//! comes to the same error for each value of the member (`if (x->a > 3) s = 1; … *null`), the value does not matter. So the paths that
//! came to an error in doubt are kept. On each of them what was not made up is as it was there, since a caller may choose it; what is left
//! of its conditions says for which members it is taken. A byte is *idle* if the driver's assumptions, and the values of the other bytes
//! that decide, imply that one of these paths is taken.

use crate::machine::Machine;
use crate::observe::{ErrorPlace, Way};
use crate::portable::{PortableConditions, contents_of, input};
use crate::state::State;
use solver::{Ask, Budget, Implication, Model, Origin, PathCondition};
use std::collections::BTreeSet;
use term::{Substitution, Symbol, Term, substitute};

/// Paths to one error that are kept.
const MOST_PATHS: usize = 8;
/// Conditions of a path that is kept.
const MOST_CONDITIONS: usize = 200;
/// Bytes of what was made up that decide a path. One that asks for more rests on them.
const MOST_BYTES: usize = 24;
/// Paths to one error that are looked at: most errors do depend on what their paths ask for.
const MOST_TRIES: u32 = 8;
/// Other values of a byte, by the one that it has. If one of them leads elsewhere, the solver need not be asked.
const OTHERS: [fn(u64) -> u64; 5] = [|_| 0, |_| 0xff, |v| v ^ 1, |v| v ^ 0x80, |v| (v + 1) & 0xff];

impl Machine {
    /// The error of this path is in doubt, since it depends on these objects.
    pub(crate) fn keep_way(&mut self, s: &State, place: ErrorPlace, made_up: Vec<String>) {
        let decisive = s.objects.iter().zip(self.decisive(s));
        let of_made_up = decisive.filter(|(o, _)| made_up.iter().any(|name| **name == *o.name));
        let bytes: usize = of_made_up.map(|(_, bytes)| bytes.len()).sum();
        let room = {
            let ways = self.observers.in_doubt.0.entry(place).or_default();
            ways.made_up.extend(made_up);
            ways.paths.len() < MOST_PATHS
        };
        if !room || bytes > MOST_BYTES || s.path.len() > MOST_CONDITIONS {
            return;
        }
        let terms: Vec<Term> = s.path.iter().map(|c| c.term).collect();
        let sets = terms.iter().map(|&t| self.reason.pool.symbols(t));
        let symbols = self.reason.pool.set_elements(sets);
        let values = symbols.iter().map(|&x| (x, s.witness.get(x) as u8));
        let way = Way {
            conditions: PortableConditions::of(self, &terms),
            input: contents_of(self, values.filter(|&(_, value)| value != 0)),
        };
        if let Some(ways) = self.observers.in_doubt.0.get_mut(&place) {
            ways.paths.push(way);
        }
    }

    /// The bytes on which this error does not depend, as far as earlier paths to it show, among those that were made up and decide
    /// its path. `model`: the input of the path.
    pub(crate) fn idle_bytes(
        &mut self,
        s: &State,
        place: &ErrorPlace,
        model: &Model,
    ) -> BTreeSet<Symbol> {
        let Some(ways) = self.observers.in_doubt.0.get_mut(place) else {
            return BTreeSet::new();
        };
        if ways.tries == MOST_TRIES {
            return BTreeSet::new();
        }
        ways.tries += 1;
        let ways = ways.clone();
        let decisive = self.decisive(s);
        let is_made_up = |name: &str| ways.made_up.contains(name);
        let made_up = s.objects.iter().filter(|o| is_made_up(&o.name));
        let known: BTreeSet<Symbol> = made_up.flat_map(|o| o.symbols.iter().copied()).collect();
        let with_bytes = s.objects.iter().zip(&decisive);
        let open: Vec<Symbol> = with_bytes
            .filter(|(o, _)| is_made_up(&o.name))
            .flat_map(|(o, bytes)| bytes.iter().map(|&at| o.symbols[at]))
            .collect();
        let all: Vec<Term> = s.path.iter().map(|c| c.term).collect();
        let assumed = s.path.iter().filter(|c| c.origin == Origin::Assume);
        let assumed: Vec<Term> = assumed.map(|c| c.term).collect();
        let is_much = open.len() > MOST_BYTES || all.len() > MOST_CONDITIONS;
        if open.is_empty() || is_much || ways.paths.is_empty() {
            return BTreeSet::new();
        }
        let mut taken = self.about(&all, &known, model);
        for way in &ways.paths {
            let Ok(terms) = way.conditions.rebuild(self) else {
                continue;
            };
            let Ok(values) = input(self, &way.input) else {
                continue;
            };
            let own = self.symbols_made_up(&terms, &ways.made_up);
            // Objects of other sizes, or none: they are made up, too, and this path has none like them.
            if own.is_subset(&known) {
                let way = self.about(&terms, &known, &values);
                taken = self.reason.pool.or(taken, way);
            }
        }
        let assumed = self.about(&assumed, &known, model);
        self.implied_without(&open, assumed, taken, model)
    }

    /// The conjunction of conditions in which other symbols than these have the values of an input.
    fn about(&mut self, terms: &[Term], open: &BTreeSet<Symbol>, input: &Model) -> Term {
        let pool = &mut self.reason.pool;
        let sets = terms.iter().map(|&t| pool.symbols(t));
        let symbols = pool.set_elements(sets);
        let mut values = Substitution::default();
        for symbol in symbols.into_iter().filter(|x| !open.contains(x)) {
            let (term, sort) = (pool.symbol_term(symbol), pool.symbol_sort(symbol));
            if sort == term::Sort::BitVec(8) {
                values.insert(term, pool.bv(8, input.get(symbol)));
            }
        }
        let mut all = Term::TRUE;
        for &t in terms {
            let t = substitute(pool, t, &values);
            all = pool.and(all, t);
        }
        all
    }

    /// The symbols of conditions that are bytes of objects with these names.
    fn symbols_made_up(&self, terms: &[Term], made_up: &BTreeSet<String>) -> BTreeSet<Symbol> {
        let pool = &self.reason.pool;
        let symbols = pool.set_elements(terms.iter().map(|&t| pool.symbols(t)));
        let of = |x: &Symbol| {
            let owner = self.owner(*x);
            owner.is_some_and(|(name, _, _)| made_up.contains(name))
        };
        symbols.into_iter().filter(of).collect()
    }

    /// Which of these bytes may have any value where `taken` is to follow from what is assumed, while the others are as in the model?
    fn implied_without(
        &mut self,
        bytes: &[Symbol],
        assumed: Term,
        taken: Term,
        model: &Model,
    ) -> BTreeSet<Symbol> {
        let mut idle = BTreeSet::new();
        let holds = |m: &mut Machine, t| m.reason.eval(t, model) == 1;
        if !holds(self, assumed) || !holds(self, taken) {
            return idle;
        }
        let all: BTreeSet<Symbol> = bytes.iter().copied().collect();
        if self.may_be_implied(&all, assumed, taken, model)
            && self.is_implied(&[], assumed, taken, model)
        {
            return all;
        }
        for &byte in bytes {
            idle.insert(byte);
            let fixed: Vec<Symbol> = all.difference(&idle).copied().collect();
            let is_idle = self.may_be_implied(&idle, assumed, taken, model)
                && self.is_implied(&fixed, assumed, taken, model);
            if !is_idle {
                idle.remove(&byte);
            }
        }
        idle
    }

    /// Does no other value of these bytes, of a few, show that `taken` does not follow?
    fn may_be_implied(
        &mut self,
        bytes: &BTreeSet<Symbol>,
        assumed: Term,
        taken: Term,
        model: &Model,
    ) -> bool {
        OTHERS.iter().all(|other| {
            let mut changed = model.clone();
            for &byte in bytes {
                changed.set(byte, other(model.get(byte)));
            }
            let reason = &mut self.reason;
            reason.eval(assumed, &changed) != 1 || reason.eval(taken, &changed) == 1
        })
    }

    /// Does `taken` follow from what is assumed and these values?
    fn is_implied(&mut self, fixed: &[Symbol], assumed: Term, taken: Term, model: &Model) -> bool {
        let reason = &mut self.reason;
        let mut path = PathCondition::new();
        let (pool, solver) = (&mut reason.pool, &mut reason.solver);
        solver.push(pool, &mut path, assumed, Origin::Assume);
        for &symbol in fixed {
            let (byte, value) = (pool.symbol_term(symbol), pool.bv(8, model.get(symbol)));
            let is_so = pool.eq(byte, value);
            solver.push(pool, &mut path, is_so, Origin::Assume);
        }
        // No more than a branch gets at first: nothing is lost if it is not told.
        let budget = Budget {
            effort: self.options.first_effort.min(self.options.budget.effort),
            ..self.options.budget
        };
        let ask = Ask::new(&path, model, &budget);
        matches!(solver.must_be_true(pool, taken, ask), Implication::Yes)
    }
}
