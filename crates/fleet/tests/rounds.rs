//! Fake workers explore a tree in rounds, in random orders, and die: what counts is the same, in the same order.

use host::shelf::{Piece, Shelf};
use polypath_fleet::{
    Change, Commit, Death, Dispatch, Key, New, Order, Prefix, Rounds, Settle, Spent, Task, WorkerId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::Random;

/// The least work of a task.
const LEAST_WORK: u64 = 60_000_000;

/// A number stands for a tree: it has its divisors below it, as it were.
fn children(node: u64) -> Vec<u64> {
    (1..=node % 5)
        .map(|i| node / (2 * i) + i - 1)
        .filter(|&n| n < node)
        .collect()
}

fn number(prefix: &Prefix) -> u64 {
    u64::from_le_bytes(prefix[..].try_into().expect("eight bytes"))
}

fn prefix(node: u64) -> Prefix {
    node.to_le_bytes().to_vec().into()
}

/// The prefix that a worker made as number `n`.
fn new(n: u64, prefix: Prefix) -> New {
    New {
        key: Key::own(n),
        from: Key::own(0),
        prefix,
    }
}

/// Rounds that begin with these. Most prefixes are in a file.
fn begin(prefixes: impl IntoIterator<Item = Prefix>, forks: Option<u64>) -> Rounds<Vec<u64>> {
    let shelf = Shelf::new(&std::env::temp_dir(), 100, 1 << 20);
    let prefixes = prefixes.into_iter();
    let pieces: Vec<_> = prefixes
        .map(|p| Arc::new(shelf.put(p.into_vec())))
        .collect();
    Rounds::new(shelf, pieces, forks, LEAST_WORK)
}

/// A worker that explores a task to its end: nodes cost a thousandth of what a task may take at least.
fn explored(task: &Task) -> (Commit, Vec<u64>) {
    const COST: u64 = 60_000;
    let mut open: Vec<(Option<Key>, u64)> = task
        .prefixes
        .iter()
        .map(|(key, p)| (Some(*key), number(p)))
        .collect();
    let (mut gone, mut found, mut spent) = (Vec::new(), Vec::new(), Spent::default());
    while spent.work < task.budget.work
        && spent.forks < task.budget.forks
        && let Some((key, node)) = open.pop()
    {
        gone.extend(key);
        found.push(node);
        spent.work += COST;
        let below = children(node);
        let most = task.budget.most_forks - spent.forks;
        let below = below.into_iter().take(most.min(8) as usize);
        let before = open.len();
        open.extend(below.map(|n| (None, n)));
        spent.forks += (open.len() - before) as u64;
    }
    spent.was_halted = spent.forks >= task.budget.most_forks;
    let new = open.into_iter().filter(|(key, _)| key.is_none());
    let new = (0..)
        .zip(new)
        .map(|(i, (_, node))| self::new(i, prefix(node)));
    let change = Change {
        gone,
        new: new.collect(),
        given: Vec::new(),
    };
    let commit = Commit {
        change,
        is_last: true,
        spent,
        ..Commit::default()
    };
    (commit, found)
}

/// What counts in the end, in its order; `one_in`: one of so many tasks dies with its worker (0: none).
fn explore(seed: u64, n: u32, one_in: u64, forks: Option<u64>) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut rounds: Rounds<Vec<u64>> = begin([prefix(999_999), prefix(77_779)], forks);
    let (mut working, mut born, mut counted) = (BTreeMap::new(), 0, Vec::new());
    let mut steps = 0;
    while !rounds.is_done() {
        steps += 1;
        assert!(steps < 1_000_000, "it does not end");
        // Whoever has ended is replaced.
        while working.len() < n as usize {
            born += 1;
            rounds.join(WorkerId(born));
            working.insert(WorkerId(born), None);
        }
        for (id, order) in rounds.orders() {
            let Order::Task { task, .. } = order else {
                panic!("rounds give tasks")
            };
            assert!(!task.prefixes.is_empty());
            working.insert(id, Some(task));
        }
        let ids: Vec<WorkerId> = working.keys().copied().collect();
        let id = ids[random.index(ids.len())];
        let Some(task) = &working[&id] else { continue };
        if one_in > 0 && random.below(one_in) == 0 {
            assert_eq!(rounds.died(id, None, Death::Killed), None);
        } else {
            let (commit, found) = explored(task);
            let found = rounds.commit(id, commit, found).expect("it is honest");
            counted.extend(found.into_iter().flatten());
            rounds.leave(id);
        }
        working.remove(&id);
    }
    assert!(working.values().all(Option::is_none), "somebody is at work");
    counted
}

#[test]
fn what_counts_does_not_depend_on_who_explores_or_dies() {
    let _limit = testkit::limit();
    let alone = explore(1, 1, 0, None);
    assert!(alone.len() > 10_000, "{}", alone.len());
    // All nodes of the trees, each as often as it is in them.
    let (mut open, mut all) = (vec![999_999, 77_779], Vec::new());
    while let Some(node) = open.pop() {
        all.push(node);
        open.extend(children(node));
    }
    let mut sorted = alone.clone();
    sorted.sort_unstable();
    all.sort_unstable();
    assert!(sorted == all);
    for (seed, n, one_in) in [
        (2, 2, 0),
        (3, 7, 0),
        (4, 64, 0),
        (5, 1, 4),
        (6, 3, 3),
        (7, 16, 5),
    ] {
        assert!(explore(seed, n, one_in, None) == alone, "{n} workers");
    }
}

#[test]
fn forks_are_divided_alike_and_never_too_many() {
    let _limit = testkit::limit();
    for forks in [0, 1, 10, 300, 5000] {
        let alone = explore(1, 1, 0, Some(forks));
        // Each fork leads to a node; the last round may end with some that nobody begins.
        assert!(
            alone.len() as u64 <= forks + 2,
            "{} nodes, {forks} forks",
            alone.len()
        );
        for (seed, n, one_in) in [(2, 3, 0), (3, 20, 4)] {
            assert!(
                explore(seed, n, one_in, Some(forks)) == alone,
                "{n} workers, {forks} forks"
            );
        }
    }
}

#[test]
fn the_frontier_is_all_that_does_not_count_yet() {
    let _limit = testkit::limit();
    let mut rounds: Rounds<Vec<u64>> = begin((0..40).map(|n| prefix(50_000 + n)), None);
    let of = |rounds: &Rounds<Vec<u64>>| -> BTreeSet<u64> {
        let frontier = rounds.frontier();
        let read = |p: &Arc<Piece>| number(&p.read().unwrap().into_owned().into());
        frontier.iter().map(read).collect()
    };
    let all = of(&rounds);
    (0..16).for_each(|id| rounds.join(WorkerId(id)));
    let orders = rounds.orders();
    assert_eq!(of(&rounds), all);
    let Order::Task { task, .. } = &orders[5].1 else {
        panic!("rounds give tasks")
    };
    let (commit, found) = explored(task);
    // It is done, and waits for those before it.
    assert_eq!(rounds.commit(orders[5].0, commit, found), Ok(vec![]));
    assert_eq!(of(&rounds), all);
    for (id, _) in &orders {
        rounds.leave(*id);
    }
    assert_eq!(rounds.close().len(), 1);
    let rest = of(&rounds);
    assert!(
        task.prefixes
            .iter()
            .any(|(_, p)| !rest.contains(&number(p)))
    );
    // A stranger is not believed.
    assert!(
        rounds
            .commit(WorkerId(99), Commit::default(), Vec::new())
            .is_err()
    );
}

#[test]
fn a_prefix_that_crashes_two_workers_is_taken_out_of_its_task() {
    let _limit = testkit::limit();
    let mut rounds: Rounds<Vec<u64>> = begin((0..32).map(prefix), None);
    let mut aside = Vec::new();
    for id in 0..2 {
        rounds.join(WorkerId(id));
        let orders = rounds.orders();
        let Order::Task { task, .. } = &orders[0].1 else {
            panic!("rounds give tasks")
        };
        assert_eq!(task.number, 0);
        aside.extend(rounds.died(WorkerId(id), Some(task.prefixes[1].0), Death::Crashed));
    }
    assert_eq!(aside.len(), 1);
    assert_eq!(aside[0].0.as_ref().map(number), Ok(1));
    rounds.join(WorkerId(2));
    let orders = rounds.orders();
    let Order::Task { task, .. } = &orders[0].1 else {
        panic!("rounds give tasks")
    };
    assert_eq!((task.number, task.prefixes.len()), (0, 1));
}

#[test]
fn what_waits_for_an_earlier_task_is_bounded() {
    let _limit = testkit::limit();
    let mut rounds: Rounds<Vec<u64>> = begin((0..16).map(prefix), None);
    let mut born = 0;
    let mut order = |rounds: &mut Rounds<Vec<u64>>| {
        born += 1;
        rounds.join(WorkerId(born));
        let given = rounds.orders().pop();
        if given.is_none() {
            rounds.leave(WorkerId(born));
        }
        given.map(|(id, order)| match order {
            Order::Task { task, .. } => (id, task),
            order => panic!("rounds give tasks: {order:?}"),
        })
    };
    // The first round has so much work that the second one has many tasks.
    for n in 0..16 {
        let (id, task) = order(&mut rounds).expect("a task");
        let new = (0..1000).map(|i| self::new(i, prefix(n * 1000 + i)));
        let change = Change {
            gone: task.prefixes.iter().map(|(key, _)| *key).collect(),
            new: new.collect(),
            given: Vec::new(),
        };
        let spent = Spent {
            work: 1 << 40,
            ..Spent::default()
        };
        let commit = Commit {
            change,
            is_last: true,
            spent,
            ..Commit::default()
        };
        assert_eq!(rounds.commit(id, commit, vec![n]).map(|f| f.len()), Ok(1));
        rounds.leave(id);
    }
    // One takes long: others get tasks up to a bound, and again when it is done or dead.
    let (slow, first) = order(&mut rounds).expect("a task");
    let mut done = 0;
    while let Some((id, task)) = order(&mut rounds) {
        let (commit, found) = explored(&task);
        assert_eq!(rounds.commit(id, commit, found), Ok(vec![]));
        rounds.leave(id);
        done += 1;
        assert!(done < 4000, "no bound");
    }
    assert!(done > 16);
    assert!(rounds.queued() > 0);
    rounds.died(slow, None, Death::Killed);
    let (again, task) = order(&mut rounds).expect("the same task");
    assert_eq!(task.number, first.number);
    let (commit, found) = explored(&task);
    let counted = rounds.commit(again, commit, found).expect("it is honest");
    assert_eq!(counted.len(), done + 1);
    assert!(order(&mut rounds).is_some());
}
