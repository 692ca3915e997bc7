//! Several searchers over the same states that share the time: `a,b` asks the one whose choices have taken less work, for its share, so far.
//! One that likes costly states does not take the others' time.
//!
//! Shares are learned ([`Bandit`]) from what each part has found lately: places that nobody had covered, and errors. `a*2` has two shares and
//! learns nothing, `a*9:3` has nine at first and three later, and `a*9:` has nine at first and learns later. Parts that learn have one share
//! each to divide among themselves.

use crate::bandit::Bandit;
use crate::{Fresh, Metrics, Needs, Searcher, StateId};
use rustc_hash::FxHashMap;
use std::fmt;
use std::num::NonZeroU32;

/// See the module.
pub struct Interleaved {
    parts: Vec<Box<dyn Searcher>>,
    /// How many shares of the work each part has.
    shares: Vec<Shares>,
    turn: usize,
    /// Work of what each part chose, for its share; since the beginning, or since the later shares count.
    burden: Vec<f64>,
    /// The present share of each part.
    weight: Vec<f64>,
    is_early: bool,
    /// Of the parts in `learns`.
    bandit: Bandit,
    learns: Vec<usize>,
    /// Work since the shares changed last.
    unlearned: u64,
}

/// How many shares of the work a part has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// At first.
    pub early: NonZeroU32,
    /// Later; `None`: they are learned.
    pub later: Option<NonZeroU32>,
}

impl Shares {
    /// Parses `N`, `EARLY:LATER` or `EARLY:`.
    pub fn parse(text: &str) -> Option<Shares> {
        let (early, later) = text.split_once(':').unwrap_or((text, text));
        Some(Shares {
            early: early.parse().ok()?,
            later: match later {
                "" => None,
                later => Some(later.parse().ok()?),
            },
        })
    }

    /// One share at first, learned later.
    pub const LEARNED: Shares = Shares {
        early: NonZeroU32::MIN,
        later: None,
    };
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.later {
            Some(later) if later == self.early => write!(f, "{later}"),
            Some(later) => write!(f, "{}:{later}", self.early),
            None => write!(f, "{}:", self.early),
        }
    }
}

/// Work that each choice counts for in addition to its own.
const CHOICE: u64 = 2_000;

/// Work until the later shares count: some three seconds.
const EARLY: u64 = 1_200_000_000;

/// Work between two looks at what was learned.
const LEARN: u64 = 10_000_000;

/// What a part has found is worth so much: a place that nobody had covered, and an error that was not known.
const PLACE: f64 = 1.0;
const ERROR: f64 = 5.0;

impl Interleaved {
    /// At least one part, each with the number of its shares.
    pub fn new(parts: Vec<(Box<dyn Searcher>, Shares)>) -> Interleaved {
        assert!(!parts.is_empty(), "nothing to interleave");
        let (parts, shares): (Vec<_>, Vec<Shares>) = parts.into_iter().unzip();
        let learns = shares.iter().enumerate();
        let learns = learns.filter(|(_, shares)| shares.later.is_none());
        let learns: Vec<usize> = learns.map(|(part, _)| part).collect();
        Interleaved {
            turn: 0,
            burden: vec![0.0; parts.len()],
            weight: shares.iter().map(|s| f64::from(s.early.get())).collect(),
            is_early: true,
            bandit: Bandit::new(learns.len()),
            learns,
            unlearned: 0,
            parts,
            shares,
        }
    }

    /// Takes the present shares from what was learned.
    fn weigh(&mut self) {
        for (weight, shares) in self.weight.iter_mut().zip(&self.shares) {
            if let Some(later) = shares.later {
                *weight = f64::from(later.get());
            }
        }
        let pot = self.learns.len() as f64;
        for (&part, share) in self.learns.iter().zip(self.bandit.shares()) {
            self.weight[part] = pot * share;
        }
    }

    /// The arm of the part whose turn it is, if that one learns.
    fn arm(&self) -> Option<usize> {
        self.learns.iter().position(|&part| part == self.turn)
    }

    /// The part whose turn it is has found something.
    fn gained(&mut self, worth: f64) {
        if let Some(arm) = self.arm() {
            self.bandit.gained(arm, worth);
        }
    }
}

impl Searcher for Interleaved {
    fn add(&mut self, id: StateId, parent: Option<StateId>, m: &Metrics) {
        self.parts.iter_mut().for_each(|p| p.add(id, parent, m));
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        self.parts.iter_mut().for_each(|p| p.update(id, m));
    }

    fn spent(&mut self, work: u64) {
        self.burden[self.turn] += work as f64 / self.weight[self.turn];
        if let Some(arm) = self.arm() {
            self.bandit.spent(arm, work);
        }
        self.unlearned = self.unlearned.saturating_add(work);
        let most = if self.is_early { EARLY } else { LEARN };
        if self.unlearned > most {
            if std::mem::take(&mut self.is_early) {
                self.burden.fill(0.0);
            }
            self.unlearned = 0;
            self.weigh();
        }
        self.parts.iter_mut().for_each(|p| p.spent(work));
    }

    fn covered(&mut self, places: usize) {
        self.gained(PLACE * places as f64);
        self.parts.iter_mut().for_each(|p| p.covered(places));
    }

    fn erred(&mut self) {
        self.gained(ERROR);
        self.parts.iter_mut().for_each(|p| p.erred());
    }

    fn remove(&mut self, id: StateId) {
        self.parts.iter_mut().for_each(|p| p.remove(id));
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        // After the last one in turn, so that equals alternate.
        let after = (1..=self.parts.len()).map(|step| (self.turn + step) % self.parts.len());
        let next = after.min_by(|&a, &b| self.burden[a].total_cmp(&self.burden[b]));
        self.turn = next.expect("at least one part");
        self.burden[self.turn] += CHOICE as f64 / self.weight[self.turn];
        self.parts[self.turn].select(fresh)
    }

    /// By the sum of the parts' ranks: states that all find hopeless come first.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut rank: FxHashMap<StateId, usize> = FxHashMap::default();
        let live = self.len();
        for part in &mut self.parts {
            for (i, id) in part.worst(live).into_iter().enumerate() {
                *rank.entry(id).or_default() += i;
            }
        }
        let mut all: Vec<_> = rank.into_iter().map(|(id, rank)| (rank, id)).collect();
        all.sort_unstable();
        all.into_iter().take(n).map(|(_, id)| id).collect()
    }

    fn len(&self) -> usize {
        self.parts[0].len()
    }

    fn name(&self) -> String {
        let parts = self.parts.iter().zip(&self.shares);
        let names = parts.map(|(part, &shares)| match shares {
            Shares::LEARNED => part.name(),
            shares => format!("{}*{shares}", part.name()),
        });
        names.collect::<Vec<_>>().join(",")
    }

    fn needs(&self) -> Needs {
        self.parts
            .iter()
            .fold(Needs::NONE, |n, p| n.union(p.needs()))
    }

    fn operations(&self) -> u64 {
        self.parts.iter().map(|p| p.operations()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dfs::Dfs;

    /// The newest state is depth first's, so that the second part can be told by what it chooses.
    #[test]
    fn parts_share_the_work_and_not_the_turns() {
        let m = Metrics::default();
        let mut s = Interleaved::new(vec![
            (Box::new(Dfs::default()), Shares::parse("1").unwrap()),
            (
                Box::new(crate::bfs::Bfs::default()),
                Shares::parse("1").unwrap(),
            ),
        ]);
        s.add(StateId(0), None, &m);
        s.add(StateId(1), Some(StateId(0)), &m);
        let (mut turns, mut work) = ([0; 2], [0; 2]);
        for _ in 0..1000 {
            assert!(s.select(&mut |_| m).is_some());
            let part = s.turn;
            let cost = [1_000_000, 10_000_000][part];
            turns[part] += 1;
            work[part] += cost;
            s.spent(cost);
        }
        assert!(turns[0] > 9 * turns[1], "{turns:?}");
        assert!(work[0].abs_diff(work[1]) <= 30_000_000, "{work:?}");
    }

    #[test]
    fn parts_alternate_where_all_choices_take_the_same() {
        assert_eq!(turns(["1", "1", "1"], 7, 6), [1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn who_finds_more_gets_more_turns() {
        let m = Metrics::default();
        let mut s = Interleaved::new(vec![
            (Box::new(Dfs::default()), Shares::parse("9:").unwrap()),
            (Box::new(crate::bfs::Bfs::default()), Shares::LEARNED),
            (
                Box::new(crate::bfs::Bfs::default()),
                Shares::parse("2").unwrap(),
            ),
        ]);
        assert_eq!(s.name(), "dfs*9:,bfs,bfs*2");
        s.add(StateId(0), None, &m);
        let mut work = [0; 3];
        for i in 0..10_000 {
            s.select(&mut |_| m);
            let is_late = i >= 1000;
            work[s.turn] += u64::from(is_late);
            s.spent(EARLY / 500);
            // Only the second one finds something.
            if s.turn == 1 && i % 3 == 0 {
                s.covered(2);
            }
        }
        // Two shares of four are fixed; of the others the first one has a twentieth at least.
        assert!(work[2].abs_diff(4500) < 50, "{work:?}");
        assert!((200..1000).contains(&work[0]), "{work:?}");
    }

    #[test]
    fn who_has_more_shares_has_more_turns() {
        let turns = turns(["1", "3", "1"], 7, 1000);
        let of = |part| turns.iter().filter(|&&turn| turn == part).count();
        assert_eq!([of(0), of(1), of(2)], [200, 600, 200]);
    }

    #[test]
    fn who_has_more_shares_at_first_has_more_turns_then() {
        let early = 1000;
        let turns = turns(["1", "9:1"], EARLY / early, 2000);
        let (first, then) = turns.split_at(early as usize);
        let second = |turns: &[usize]| turns.iter().filter(|&&turn| turn == 1).count();
        assert!(second(first).abs_diff(900) <= 10, "{}", second(first));
        assert!(second(then).abs_diff(500) <= 10, "{}", second(then));
    }

    /// Whose turn it is where all choices take so much.
    fn turns<const N: usize>(shares: [&str; N], work: u64, n: usize) -> Vec<usize> {
        let m = Metrics::default();
        let part = |n| (Box::new(Dfs::default()) as _, Shares::parse(n).unwrap());
        let mut s = Interleaved::new(shares.into_iter().map(part).collect());
        s.add(StateId(0), None, &m);
        let turn = |_| {
            s.select(&mut |_| m);
            let turn = s.turn;
            s.spent(work);
            turn
        };
        (0..n).map(turn).collect()
    }
}
