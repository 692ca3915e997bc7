//! Several searchers over the same states that share the time: `a,b` asks the one whose choices have taken less work so
//! far. Where all choices take the same, they alternate; one that likes costly states does not take the others' time. In `a,b*3`
//! the second one has three shares of four, and in `a,b*9:3` nine of ten at first.

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
    /// Work of what each part chose; since the beginning, or since the later shares count.
    spent: Vec<u64>,
    is_early: bool,
}

/// How many shares of the work a part has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// At first.
    pub early: NonZeroU32,
    /// Later.
    pub later: NonZeroU32,
}

impl Shares {
    /// Parses `N` or `EARLY:LATER`.
    pub fn parse(text: &str) -> Option<Shares> {
        let (early, later) = text.split_once(':').unwrap_or((text, text));
        Some(Shares {
            early: early.parse().ok()?,
            later: later.parse().ok()?,
        })
    }

    /// One share of all.
    pub const ONE: Shares = Shares {
        early: NonZeroU32::MIN,
        later: NonZeroU32::MIN,
    };
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.early == self.later {
            write!(f, "{}", self.later)
        } else {
            write!(f, "{}:{}", self.early, self.later)
        }
    }
}

/// Work that each choice counts for in addition to its own.
const CHOICE: u64 = 2_000;

/// Work until the later shares count: some three seconds.
const EARLY: u64 = 2_000_000_000;

impl Interleaved {
    /// At least one part, each with the number of its shares.
    pub fn new(parts: Vec<(Box<dyn Searcher>, Shares)>) -> Interleaved {
        assert!(!parts.is_empty(), "nothing to interleave");
        let (parts, shares): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Interleaved {
            turn: 0,
            spent: vec![0; parts.len()],
            is_early: true,
            parts,
            shares,
        }
    }

    /// The work that a part has spent for each of its shares.
    fn burden(&self, part: usize) -> u64 {
        let Shares { early, later } = self.shares[part];
        let shares = if self.is_early { early } else { later };
        self.spent[part] / u64::from(shares.get())
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
        self.spent[self.turn] += work;
        if self.is_early && self.spent.iter().sum::<u64>() > EARLY {
            self.is_early = false;
            self.spent.fill(0);
        }
        self.parts.iter_mut().for_each(|p| p.spent(work));
    }

    fn remove(&mut self, id: StateId) {
        self.parts.iter_mut().for_each(|p| p.remove(id));
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        // After the last one in turn, so that equals alternate.
        let after = (1..=self.parts.len()).map(|step| (self.turn + step) % self.parts.len());
        let next = after.min_by_key(|&part| self.burden(part));
        self.turn = next.expect("at least one part");
        self.spent[self.turn] += CHOICE;
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
            Shares::ONE => part.name(),
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
            (Box::new(Dfs::default()), Shares::ONE),
            (Box::new(crate::bfs::Bfs::default()), Shares::ONE),
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
