//! Several searchers over the same states that share the time: `a,b` asks the one whose choices have taken less work so
//! far. Where all choices take the same, they alternate; one that likes costly states does not take the others' time.

use crate::{Fresh, Metrics, Needs, Searcher, StateId};
use rustc_hash::FxHashMap;

/// See the module.
pub struct Interleaved {
    parts: Vec<Box<dyn Searcher>>,
    turn: usize,
    /// Work of what each part chose.
    spent: Vec<u64>,
}

/// Work that each choice counts for beside what it takes.
const CHOICE: u64 = 2_000;

impl Interleaved {
    /// At least one part.
    pub fn new(parts: Vec<Box<dyn Searcher>>) -> Interleaved {
        assert!(!parts.is_empty(), "nothing to interleave");
        let spent = vec![0; parts.len()];
        Interleaved {
            parts,
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
        let next = after.min_by_key(|&part| self.spent[part]);
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
        self.parts
            .iter()
            .map(|p| p.name())
            .collect::<Vec<_>>()
            .join(",")
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
        let parts: Vec<Box<dyn Searcher>> = vec![
            Box::new(Dfs::default()),
            Box::new(crate::bfs::Bfs::default()),
        ];
        let mut s = Interleaved::new(parts);
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
        let m = Metrics::default();
        let parts: Vec<Box<dyn Searcher>> = (0..3).map(|_| Box::new(Dfs::default()) as _).collect();
        let mut s = Interleaved::new(parts);
        s.add(StateId(0), None, &m);
        let turns: Vec<usize> = (0..6)
            .map(|_| {
                s.select(&mut |_| m);
                s.spent(7);
                s.turn
            })
            .collect();
        assert_eq!(turns, [1, 2, 0, 1, 2, 0]);
    }
}
