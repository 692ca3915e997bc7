//! Budgets of speculative runs, for each technique and place: speculation that finds nothing must cost next to nothing.
//!
//! Each technique, and the neighbours of inputs at each place of the program, have an account in counted work
//! ([`Target::work`](crate::Target::work)), so that runs repeat. Their trials are paid from it. A path that they open
//! earns the price of a query at the place where it leaves the tree. Each query and run also adds a small part of its
//! own cost, so that techniques that were useless so far are tried again from time to time, and all of it takes some
//! three per cent of the time at most.

use rustc_hash::FxHashMap;
use solver::Technique;

/// The part of what queries and runs cost that goes to a technique's account, one in so many: several techniques try
/// something in one program. And what a query gives to the neighbours at its place.
const SHARE: u64 = 128;
const NEIGHBOURS_SHARE: u64 = 64;
/// In an account at first.
const FIRST: u64 = 400_000;
/// Most that an account holds: a technique that has become useless is found out soon.
const MOST: i64 = 20_000_000;
/// What a query costs beside counted work: slices, layers, caches.
const QUERY: u64 = 20_000;
/// The same where a state asks it, which many earlier answers decide.
const STATE_QUERY: u64 = 6_000;
/// The same of a query about one byte, which sets of values decide.
const SMALL_QUERY: u64 = 3_000;
/// What trying an input costs beside counted work.
const TRIAL: u64 = 2_000;
/// A path is worth no less than this: it leads to further ones, and a run of it costs more.
const PATH: u64 = 30_000;

/// See the module.
#[derive(Clone, Copy)]
struct Account(i64);

impl Account {
    fn new() -> Account {
        Account(FIRST as i64)
    }

    fn add(&mut self, work: u64) {
        self.0 = self.0.saturating_add_unsigned(work).min(MOST);
    }

    fn take(&mut self, work: u64) {
        self.0 = self.0.saturating_sub_unsigned(work);
    }

    fn is_open(&self) -> bool {
        self.0 > 0
    }
}

/// A place of the program where paths part.
struct SiteCosts {
    /// What a query costs here: a mean in which the latest ones count most.
    price: u64,
    neighbours: Account,
}

/// All accounts.
pub struct Trust {
    /// The accounts decide nothing.
    is_unconditional: bool,
    /// What a query costs beside counted work.
    query: u64,
    /// A path is worth no less than this.
    path: u64,
    places: FxHashMap<u64, SiteCosts>,
    techniques: [Account; Technique::ALL.len()],
}

impl Default for Trust {
    fn default() -> Trust {
        Trust {
            is_unconditional: false,
            query: QUERY,
            path: PATH,
            places: FxHashMap::default(),
            techniques: [Account::new(); Technique::ALL.len()],
        }
    }
}

impl Trust {
    /// For states that fork: the path of a query stands ready, and a path that is opened would have been found anyway.
    pub fn of_states() -> Trust {
        Trust {
            query: STATE_QUERY,
            path: 0,
            ..Trust::default()
        }
    }

    /// Everybody may try something before and in each query, whatever it brings: as the paper has it ("Multiplex symbolic
    /// execution", Algorithm 1), which has no such accounts.
    pub fn unconditional() -> Trust {
        Trust {
            is_unconditional: true,
            ..Trust::default()
        }
    }

    fn place(&mut self, site: u64) -> &mut SiteCosts {
        let query = self.query;
        self.places.entry(site).or_insert_with(|| SiteCosts {
            price: query,
            neighbours: Account::new(),
        })
    }

    /// What trying neighbours before one query may cost: never more than the query does.
    pub fn allowance(&mut self, site: u64) -> u64 {
        let is_unconditional = self.is_unconditional;
        let place = self.place(site);
        if is_unconditional {
            return place.price;
        }
        u64::try_from(place.neighbours.0).map_or(0, |left| left.min(place.price))
    }

    /// Those of these techniques that may try something.
    pub fn trusted(&self, techniques: &[Technique]) -> Vec<Technique> {
        let is_open =
            |t: &Technique| self.is_unconditional || self.techniques[*t as usize].is_open();
        techniques.iter().copied().filter(is_open).collect()
    }

    /// A query at a place, about one byte or more, took this much work.
    pub fn asked(&mut self, site: u64, work: u64, is_small: bool) {
        if is_small {
            // Nobody tries neighbours instead of it.
            return self.give(work + SMALL_QUERY);
        }
        let cost = work + self.query;
        let place = self.place(site);
        place.price = (7 * place.price + cost) / 8;
        place.neighbours.add(cost / NEIGHBOURS_SHARE);
        self.give(cost);
    }

    /// A run took this much work.
    pub fn ran(&mut self, work: u64) {
        self.give(work + PATH);
    }

    fn give(&mut self, work: u64) {
        for account in &mut self.techniques {
            account.add(work / SHARE);
        }
    }

    /// What a trial that took this much work costs.
    pub fn cost(work: u64) -> u64 {
        work + TRIAL
    }

    /// Neighbours were tried at a place.
    pub fn tried_neighbours(&mut self, site: u64, cost: u64) {
        self.place(site).neighbours.take(cost);
    }

    /// A technique tried something.
    pub fn tried(&mut self, by: Technique, cost: u64) {
        self.techniques[by as usize].take(cost);
    }

    /// A neighbour tried at a place takes a branch that is open at another one.
    pub fn neighbour_opened(&mut self, site: u64, opened: u64) {
        let least = self.path;
        let worth = self.place(opened).price.max(least);
        self.place(site).neighbours.add(worth);
    }

    /// The neighbours at a place did not do what they were made for.
    pub fn neighbour_diverged(&mut self, site: u64) {
        self.place(site).neighbours = Account(-MOST);
    }

    /// What a technique tried takes a branch that is open at this place.
    pub fn opened(&mut self, by: Technique, opened: u64) {
        let least = self.path;
        let worth = self.place(opened).price.max(least);
        self.techniques[by as usize].add(worth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: u64 = 7;

    /// Tries neighbours where one in `odds` opens a path, for many queries; what was tried of all work.
    fn share_of_trials(odds: u64) -> f64 {
        let (work, trial) = (200_000, 3_000);
        let mut trust = Trust::default();
        let (mut tried, mut all, mut count) = (0, 0, 0);
        for _ in 0..20_000 {
            let mut left = trust.allowance(HERE);
            let mut found = false;
            while left > trial && !found {
                count += 1;
                left -= trial;
                tried += trial;
                trust.tried_neighbours(HERE, trial);
                found = count % odds == 0;
            }
            if found {
                trust.neighbour_opened(HERE, HERE);
            } else {
                trust.asked(HERE, work, false);
                all += work + QUERY;
            }
        }
        tried as f64 / (tried + all) as f64
    }

    #[test]
    fn what_brings_nothing_costs_next_to_nothing() {
        let share = share_of_trials(u64::MAX);
        assert!((0.005..0.02).contains(&share), "{share}");
    }

    #[test]
    fn what_opens_paths_for_less_than_a_query_replaces_queries() {
        let share = share_of_trials(10);
        assert!(share > 0.9, "{share}");
        // The query costs as much as some seventy trials.
        let share = share_of_trials(1000);
        assert!(share < 0.1, "{share}");
    }

    #[test]
    fn a_technique_without_success_is_not_listened_to() {
        let mut trust = Trust::default();
        let both = [Technique::Trail, Technique::Sat];
        trust.tried(Technique::Trail, FIRST);
        assert_eq!(trust.trusted(&both), [Technique::Sat]);
        trust.opened(Technique::Trail, HERE);
        assert_eq!(trust.trusted(&both), both);
        let mut trust = Trust::unconditional();
        trust.tried(Technique::Trail, u64::from(u32::MAX));
        trust.tried_neighbours(HERE, u64::from(u32::MAX));
        assert_eq!(trust.trusted(&both), both);
        assert_eq!(trust.allowance(HERE), QUERY);
    }
}
