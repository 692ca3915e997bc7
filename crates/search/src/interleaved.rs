//! Several searchers over the same states that share the time: `a,b` asks the one whose choices have taken less work so
//! far. Where all choices take the same, they alternate; one that likes costly states does not take the others' time. In `a,b*3`
//! the second one has three shares of four.

use crate::{Fresh, Metrics, Needs, Searcher, StateId};
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;

/// See the module.
pub struct Interleaved {
    parts: Vec<Box<dyn Searcher>>,
    /// How many shares of the work each part has.
    shares: Vec<u64>,
    turn: usize,
    /// Work of what each part chose.
    spent: Vec<u64>,
}

/// Work that each choice counts for beside what it takes.
const CHOICE: u64 = 2_000;

impl Interleaved {
    /// At least one part, each with the number of its shares.
    pub fn new(parts: Vec<(Box<dyn Searcher>, NonZeroU32)>) -> Interleaved {
        assert!(!parts.is_empty(), "nothing to interleave");
        let shares = parts.iter().map(|(_, n)| n.get().into()).collect();
        let parts: Vec<_> = parts.into_iter().map(|(part, _)| part).collect();
        let spent = vec![0; parts.len()];
        Interleaved {
            parts,
            shares,
            turn: 0,
            spent,
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
        self.spent[self.turn] += work;
        self.parts.iter_mut().for_each(|p| p.spent(work));
    }

    fn remove(&mut self, id: StateId) {
        self.parts.iter_mut().for_each(|p| p.remove(id));
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        // After the last one in turn, so that equals alternate.
        let after = (1..=self.parts.len()).map(|step| (self.turn + step) % self.parts.len());
        let next = after.min_by_key(|&part| self.spent[part] / self.shares[part]);
        self.turn = next.expect("at least one part");
        self.spent[self.turn] += CHOICE;
        self.parts[self.turn].select(fresh)
    }

    /// By the sum of the ranks that the parts give: what all find hopeless goes first.
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
            1 => part.name(),
            n => format!("{}*{n}", part.name()),
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
            (Box::new(Dfs::default()), NonZeroU32::MIN),
            (Box::new(crate::bfs::Bfs::default()), NonZeroU32::MIN),
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
        assert_eq!(turns([1, 1, 1], 6), [1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn who_has_more_shares_has_more_turns() {
        let turns = turns([1, 3, 1], 1000);
        let of = |part| turns.iter().filter(|&&turn| turn == part).count();
        assert_eq!([of(0), of(1), of(2)], [200, 600, 200]);
    }

    /// Whose turn it is where all choices take the same.
    fn turns(shares: [u32; 3], n: usize) -> Vec<usize> {
        let m = Metrics::default();
        let part = |n| Some((Box::new(Dfs::default()) as _, NonZeroU32::new(n)?));
        let mut s = Interleaved::new(shares.into_iter().filter_map(part).collect());
        s.add(StateId(0), None, &m);
        let turn = |_| {
            s.select(&mut |_| m);
            s.spent(7);
            s.turn
        };
        (0..n).map(turn).collect()
    }
}
