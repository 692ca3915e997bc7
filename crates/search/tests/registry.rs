//! Every searcher of the registry, driven through random explorations.

use polypath_search as search;
use search::registry::{REGISTRY, parse, searchers, strategies, strategy};
use search::{BranchId, Metrics, SearchOptions, Searcher, StateId, UNKNOWN};
use std::collections::{BTreeMap, BTreeSet};

/// A made-up exploration: states fork, run, end and change their metrics at random.
struct World {
    live: BTreeMap<StateId, Metrics>,
    free: Vec<u32>,
    next: u32,
    random: testkit::Random,
}

impl World {
    fn new(seed: u64) -> World {
        World {
            live: BTreeMap::new(),
            free: Vec::new(),
            next: 0,
            random: testkit::Random::new(seed),
        }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn metrics(&mut self, depth: u32) -> Metrics {
        let target = self.below(20) as u32;
        let target = if target == 0 { UNKNOWN } else { target };
        Metrics {
            depth,
            instructions: self.below(1 << 20),
            since_new_coverage: [u64::MAX, 0, 1, 5000, 1 << 60][self.below(5) as usize],
            covered_new: self.below(2) == 0,
            min_distance_to_uncovered: if target == UNKNOWN {
                UNKNOWN
            } else {
                self.below(300) as u32
            },
            nearest_uncovered: target,
            site: self.below(50) as u32,
            recent_branches: self.below(1 << 40),
            call_path_instructions: self.below(1 << 30),
            pc_instructions: self.below(1 << 30),
            query_cost_s: self.below(1000) as f64 / 100.0,
            ..Metrics::default()
        }
    }

    fn fresh_id(&mut self) -> StateId {
        StateId(self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        }))
    }

    fn fork(&mut self, s: &mut dyn Searcher, parent: Option<StateId>) {
        let depth = parent.map_or(0, |p| self.live[&p].depth + 1);
        let (m, id) = (self.metrics(depth), self.fresh_id());
        self.live.insert(id, m);
        s.add(id, parent, &m);
    }

    fn end(&mut self, s: &mut dyn Searcher, id: StateId) {
        self.live.remove(&id);
        self.free.push(id.0);
        s.remove(id);
    }

    fn select(&self, s: &mut dyn Searcher) -> Option<StateId> {
        // Panics when the searcher asks for a state that is not live.
        let chosen = s.select(&mut |id| self.live[&id]);
        assert!(
            chosen.is_none_or(|id| self.live.contains_key(&id)),
            "{} chose a dead state",
            s.name()
        );
        chosen
    }
}

/// Every entry, some pairs, and batches.
fn all(seed: u64) -> Vec<Box<dyn Searcher>> {
    let mut names: Vec<String> = searchers().map(|e| e.name.to_string()).collect();
    names.push("random-path,nurs:covnew".into());
    names.push("dfs, bfs, frontier".into());
    names.push("dfs*3,nurs:qc".into());
    names.push("dfs*9:,bfs*2,frontier".into());
    let plain = SearchOptions {
        seed,
        ..SearchOptions::default()
    };
    let batches = SearchOptions {
        seed,
        batch_instructions: 1 << 18,
    };
    let one = |name: &String, o| parse(name, o).unwrap_or_else(|e| panic!("{e}"));
    names
        .iter()
        .flat_map(|n| [one(n, &plain), one(n, &batches)])
        .collect()
}

fn explore(s: &mut dyn Searcher, seed: u64, steps: u32, trace: &mut Vec<StateId>) {
    let mut world = World::new(seed);
    world.fork(s, None);
    for _ in 0..steps {
        let Some(id) = world.select(s) else {
            assert!(
                world.live.is_empty(),
                "{} lost {} states",
                s.name(),
                world.live.len()
            );
            world.fork(s, None);
            continue;
        };
        trace.push(id);
        // While few live, fork more; an occasional wave of ends.
        match world.below(if world.live.len() < 200 { 4 } else { 8 }) {
            0 | 1 => world.fork(s, Some(id)),
            2 => {
                let m = world.metrics(world.live[&id].depth);
                world.live.insert(id, m);
                s.update(id, &m);
            }
            3 => world.fork(s, Some(id)),
            4 | 5 => world.end(s, id),
            _ => {
                for id in s.worst(3) {
                    assert!(
                        world.live.contains_key(&id),
                        "{} ends a dead state",
                        s.name()
                    );
                    world.end(s, id);
                }
            }
        }
        // Metrics also change behind the searcher's back.
        let random = StateId(world.below(200) as u32);
        if let Some(depth) = world.live.get(&random).map(|m| m.depth) {
            let m = world.metrics(depth);
            world.live.insert(random, m);
        }
        assert_eq!(s.len(), world.live.len(), "{}", s.name());
    }
    // Everything that still lives comes out, each exactly once.
    let mut worst = s.worst(usize::MAX);
    worst.sort();
    assert!(
        worst.iter().eq(world.live.keys()),
        "{}: worst is not a permutation",
        s.name()
    );
    while let Some(id) = world.select(s) {
        trace.push(id);
        world.end(s, id);
    }
    assert!(
        world.live.is_empty(),
        "{} lost {} states",
        s.name(),
        world.live.len()
    );
    assert!(s.is_empty());
}

#[test]
fn no_state_is_lost_and_none_returns_from_the_dead() {
    for seed in 1..4 {
        for mut s in all(seed) {
            explore(&mut *s, seed, 3000, &mut Vec::new());
        }
    }
}

#[test]
fn same_seed_same_choices() {
    for (mut a, mut b) in all(9).into_iter().zip(all(9)) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        explore(&mut *a, 5, 2000, &mut left);
        explore(&mut *b, 5, 2000, &mut right);
        assert_eq!(left, right, "{}", a.name());
    }
}

/// The cost of a step is counted in operations, so the test does not depend on the machine.
#[test]
fn cost_per_step_does_not_grow_with_the_live_states() {
    let cost = |s: &mut dyn Searcher, live: u32| {
        let mut world = World::new(77);
        world.fork(s, None);
        while world.live.len() < live as usize {
            // Fork random states, so that the tree is bushy.
            let parent = StateId(world.below(world.live.len() as u64) as u32);
            world.fork(s, Some(parent));
        }
        let before = s.operations();
        for _ in 0..2000 {
            let Some(id) = world.select(s) else { break };
            world.fork(s, Some(id));
            if let Some(id) = world.select(s) {
                let m = world.live[&id];
                s.update(id, &m);
                world.end(s, id);
            }
        }
        (s.operations() - before) as f64 / 2000.0
    };
    for (mut few, mut many) in all(3).into_iter().zip(all(3)) {
        let (few_cost, many_cost) = (cost(&mut *few, 1 << 8), cost(&mut *many, 1 << 14));
        // A logarithm may double from 2^8 to 2^14; a linear cost would grow 64-fold.
        assert!(
            many_cost <= 2.2 * few_cost + 8.0,
            "{}: {few_cost} to {many_cost}",
            few.name()
        );
    }
}

#[test]
fn an_unknown_name_lists_all() {
    let error = match parse("dfs,nurs:foo", &SearchOptions::default()) {
        Ok(_) => panic!("accepted"),
        Err(e) => e.to_string(),
    };
    assert!(error.contains("nurs:foo"));
    for entry in searchers() {
        assert!(error.contains(entry.name), "{error}");
    }
    assert!(parse(search::registry::DEFAULT, &SearchOptions::default()).is_ok());
    for wrong in ["", "dfs*", "dfs*0", "dfs*-1", "*2", "dfs*2*2"] {
        assert!(
            parse(wrong, &SearchOptions::default()).is_err(),
            "{wrong:?}"
        );
    }
}

#[test]
fn names_are_what_the_user_wrote() {
    for entry in REGISTRY {
        if let Some(make) = entry.searcher {
            assert_eq!(make(1).name(), entry.name);
        }
        assert!(!entry.help.is_empty());
    }
}

#[test]
fn every_strategy_gives_each_branch_back_and_repeats_itself() {
    for make in strategies().filter_map(|e| e.strategy) {
        let order = |seed| {
            let mut s = make(seed);
            let mut out = Vec::new();
            for i in 0..200u64 {
                let m = Metrics {
                    depth: (i * 7 % 31) as u32,
                    run: i / 20,
                    run_covered: i / 20 % 3,
                    covered_new: i / 20 % 3 > 0,
                    min_distance_to_uncovered: (i * 13 % 17) as u32,
                    nearest_uncovered: (i % 5) as u32,
                    ..Metrics::default()
                };
                s.add(BranchId(i), &m);
                if i % 3 == 0 {
                    out.extend(s.next());
                }
            }
            while let Some(id) = s.next() {
                out.push(id);
            }
            out
        };
        let got = order(1);
        // It may name one that it has named before, but only as often as it has lists of them.
        assert!(got.len() <= 3 * 200, "{}", got.len());
        assert_eq!(got.iter().collect::<BTreeSet<_>>().len(), 200);
        assert_eq!(got, order(1));
    }
}

#[test]
fn a_name_means_one_heuristic() {
    let names = REGISTRY
        .iter()
        .flat_map(|e| e.alias.into_iter().chain([e.name]));
    let names: Vec<&str> = names.collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for entry in REGISTRY {
        assert!(entry.searcher.is_some() || entry.strategy.is_some());
        for name in [entry.name, entry.branch_name()] {
            assert_eq!(
                parse(name, &SearchOptions::default()).is_ok(),
                entry.searcher.is_some()
            );
            assert_eq!(strategy(name, 1).is_some(), entry.strategy.is_some());
        }
    }
    assert!(strategy(search::registry::DEFAULT_STRATEGY, 1).is_some());
}
