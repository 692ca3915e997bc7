//! Frontier search: the uncovered sites share the effort.
//!
//! Each live state stands for the uncovered site that is nearest to it (call it its target). A
//! selection first draws a target, with a weight of one over the number of times it was tried, so that
//! every piece of uncovered code that some state can reach gets about the same effort, a new one at
//! once, and one that proves infeasible fades. Then it draws a state of that target: near ones are
//! preferred (`1/(1+d)`), and one that was drawn before gives way to the others (`1/(1+draws)²`).
//! States that reach nothing uncovered share one more target and run depth first among themselves:
//! none is better than another, and so the fewest are kept alive.
//!
//! The idea is that of class-uniform search (Bucur et al., ASPLOS 2014) with the coverage frontier
//! as the class, where KLEE's md2u draws states by distance alone: a thousand states that wait in
//! front of one infeasible branch then take nearly all the time.
//!
//! States are regrouped when they are drawn and `fresh` names another target, so nothing sweeps over
//! the states when a site gets covered. Draws per selection are bounded.

use crate::{
    Feature, Fresh, Metrics, Needs, Searcher, StateId, UNKNOWN, dfs::Dfs, state_map::StateMap,
    state_set::Slots, sum_tree::SumTree,
};
use fastrand::Rng;
use rustc_hash::FxHashMap;

/// Draws for one selection; the last one stands.
const MAX_DRAWS: u32 = 16;
/// The group of the states that reach nothing uncovered.
const IDLE: usize = 0;

/// The states of one target.
#[derive(Debug, Default)]
struct TargetStates {
    target: u32,
    tried: u32,
    /// Its states, but for those of the idle group.
    slots: Slots,
    tree: SumTree,
}

#[derive(Clone, Copy, Debug)]
struct GroupMember {
    group: usize,
    /// Place in the group, unless idle.
    slot: usize,
    /// Selections since the state joined its group.
    drawn: u32,
}

/// See the module.
#[derive(Debug)]
pub struct Frontier {
    groups: Vec<TargetStates>,
    idle: Dfs,
    group_of_target: FxHashMap<u32, usize>,
    members: StateMap<GroupMember>,
    /// Weights of the groups that have members.
    tree: SumTree,
    rng: Rng,
    operations: u64,
}

impl Frontier {
    /// A searcher without states.
    pub fn new(seed: u64) -> Frontier {
        let idle = TargetStates {
            target: UNKNOWN,
            ..TargetStates::default()
        };
        Frontier {
            groups: vec![idle],
            idle: Dfs::default(),
            group_of_target: FxHashMap::from_iter([(UNKNOWN, IDLE)]),
            members: StateMap::default(),
            tree: SumTree::default(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }

    /// Sets the weight of a group from its counters.
    fn reweigh(&mut self, group: usize) {
        let g = &self.groups[group];
        let members = if group == IDLE {
            self.idle.len()
        } else {
            g.slots.len()
        };
        let weight = if members == 0 {
            0.0
        } else {
            1.0 / (1.0 + f64::from(g.tried))
        };
        self.tree.set(group, weight);
    }

    /// Puts a state into the group of its target, with its weight there.
    fn place(&mut self, id: StateId, m: &Metrics) {
        self.operations += 1;
        let target = m.nearest_uncovered;
        let old = self.members.get(id).copied();
        if target == UNKNOWN && old.is_some_and(|member| member.group == IDLE) {
            return;
        }
        let group = *self.group_of_target.entry(target).or_insert_with(|| {
            self.groups.push(TargetStates {
                target,
                ..TargetStates::default()
            });
            self.groups.len() - 1
        });
        let drawn = match old {
            Some(member) if member.group == group => member.drawn,
            Some(_) => {
                self.leave(id);
                0
            }
            None => 0,
        };
        let mut slot = 0;
        let first = if group == IDLE {
            self.idle.add(id, None, m);
            self.idle.len() == 1
        } else {
            let g = &mut self.groups[group];
            slot = match old {
                Some(member) if member.group == group => member.slot,
                _ => g.slots.insert(id),
            };
            let (distance, again) = (
                f64::from(m.min_distance_to_uncovered),
                1.0 + f64::from(drawn),
            );
            g.tree.set(slot, 1.0 / ((1.0 + distance) * again * again));
            g.slots.len() == 1
        };
        self.members.insert(id, GroupMember { group, slot, drawn });
        if first {
            self.reweigh(group);
        }
    }

    fn leave(&mut self, id: StateId) {
        let Some(GroupMember { group, slot, .. }) = self.members.remove(id) else {
            return;
        };
        let empty = if group == IDLE {
            self.idle.remove(id);
            self.idle.is_empty()
        } else {
            let g = &mut self.groups[group];
            g.slots.remove(slot);
            g.tree.set(slot, 0.0);
            g.slots.len() == 0
        };
        if empty {
            self.reweigh(group);
        }
    }
}

impl Searcher for Frontier {
    fn add(&mut self, id: StateId, _parent: Option<StateId>, m: &Metrics) {
        self.place(id, m);
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        if self.members.contains(id) {
            self.place(id, m);
        }
    }

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        self.leave(id);
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        for draw in 1.. {
            self.operations += 1;
            let group = self.tree.sample(&mut self.rng)?;
            let g = &mut self.groups[group];
            g.tried = g.tried.saturating_add(1);
            if group == IDLE {
                self.reweigh(group);
                return self.idle.select(fresh);
            }
            let slot = g.tree.sample(&mut self.rng)?;
            let id = g.slots.owner(slot)?;
            let m = fresh(id);
            if m.nearest_uncovered != g.target && draw < MAX_DRAWS {
                g.tried -= 1;
                self.place(id, &m);
                continue;
            }
            self.reweigh(group);
            if let Some(member) = self.members.get_mut(id) {
                member.drawn = member.drawn.saturating_add(1);
            }
            self.place(id, &m);
            return Some(id);
        }
        None
    }

    /// States that reach nothing first, then those that were tried most and are farthest.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut ids = self.idle.worst(n);
        let mut others = Vec::new();
        for g in self.groups.iter().skip(IDLE + 1) {
            others.extend(g.slots.iter().map(|(slot, id)| (g.tree.get(slot), id)));
        }
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ids.extend(others.into_iter().map(|(_, id)| id));
        ids.truncate(n);
        ids
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    fn name(&self) -> String {
        "frontier".into()
    }

    fn needs(&self) -> Needs {
        Needs::of(&[Feature::Distance, Feature::Nearest])
    }

    fn operations(&self) -> u64 {
        let groups: u64 = self.groups.iter().map(|g| g.tree.operations).sum();
        self.operations + self.tree.operations + self.idle.operations() + groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(target: u32, distance: u32) -> Metrics {
        let (nearest_uncovered, min_distance_to_uncovered) = (target, distance);
        Metrics {
            nearest_uncovered,
            min_distance_to_uncovered,
            ..Metrics::default()
        }
    }

    #[test]
    fn a_crowd_before_one_target_does_not_starve_another() {
        let mut s = Frontier::new(1);
        for i in 0..1000 {
            s.add(StateId(i), None, &to(5, 1));
        }
        s.add(StateId(1000), None, &to(6, 200));
        let mut fresh = |id: StateId| if id.0 < 1000 { to(5, 1) } else { to(6, 200) };
        let hits = (0..1000)
            .filter(|_| s.select(&mut fresh) == Some(StateId(1000)))
            .count();
        assert!((400..600).contains(&hits), "{hits}");
    }

    #[test]
    fn states_of_a_covered_target_move_on() {
        let mut s = Frontier::new(1);
        for i in 0..10 {
            s.add(StateId(i), None, &to(5, 1));
        }
        // 5 got covered: half of the states now aim at 6, the others reach nothing.
        let mut fresh = |id: StateId| {
            if id.0.is_multiple_of(2) {
                to(6, 9)
            } else {
                to(UNKNOWN, UNKNOWN)
            }
        };
        // Each state moves when it is drawn.
        for _ in 0..200 {
            assert!(s.select(&mut fresh).is_some());
        }
        assert_eq!(s.groups[1].slots.len(), 0);
        assert_eq!(s.idle.len(), 5);
        assert!(s.worst(5).iter().all(|id| id.0 % 2 == 1));
    }
}
