//! Fake workers explore a tree in random orders, and die: no leaf may be lost, and none counted twice.

use host::shelf::{Piece, Shelf};
use polypath_fleet::{Change, Commit, Coordinator, Death, Dispatch, Key, New, Order, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::Random;

/// A node of the tree is its path from the root; the tree is skewed, and decided by a hash.
type Node = Vec<u8>;

fn children(node: &Node, depth: usize) -> Vec<Node> {
    let hash = node.iter().fold(0x9e37_79b9_u32, |h, &b| {
        (h ^ u32::from(b)).wrapping_mul(0x0100_0193).rotate_left(7)
    });
    let many = if node.len() < 3 { 2 } else { hash % 4 };
    let many = if node.len() >= depth { 0 } else { many };
    let child = |i| {
        let mut child = node.clone();
        child.push(i as u8);
        child
    };
    (0..many).map(child).collect()
}

/// What a worker did since its last commit is lost when it dies.
#[derive(Default)]
struct Worker {
    live: Vec<(Option<Key>, Node)>,
    told: BTreeSet<Key>,
    found: Vec<Node>,
    next: u64,
    asked: Option<u32>,
}

impl Worker {
    fn step(&mut self, depth: usize, random: &mut Random) {
        if self.live.is_empty() {
            return;
        }
        let at = random.below(self.live.len() as u64) as usize;
        let (_, node) = self.live.swap_remove(at);
        let below = children(&node, depth);
        if below.is_empty() {
            self.found.push(node);
        }
        self.live.extend(below.into_iter().map(|n| (None, n)));
    }

    fn commit(&mut self) -> (Commit, Vec<Node>) {
        let answers = self.asked.take();
        let mut given = Vec::new();
        for _ in 0..answers.unwrap_or(0) {
            if self.live.len() > 1 {
                given.push(self.live.remove(0).1.into());
            }
        }
        let mut new = Vec::new();
        let mut now = BTreeSet::new();
        for (key, node) in &mut self.live {
            let key = *key.get_or_insert_with(|| {
                self.next += 1;
                new.push(New {
                    key: Key::own(self.next),
                    from: Key::own(0),
                    prefix: node.clone().into(),
                });
                Key::own(self.next)
            });
            now.insert(key);
        }
        let gone = self.told.difference(&now).copied().collect();
        self.told = now;
        let commit = Commit {
            change: Change { gone, new, given },
            is_idle: self.live.is_empty(),
            answers: answers.is_some(),
            ..Commit::default()
        };
        (commit, std::mem::take(&mut self.found))
    }
}

/// One that begins with these. Most prefixes are in a file.
fn divide(nodes: impl IntoIterator<Item = Node>) -> Coordinator {
    let shelf = Shelf::new(&std::env::temp_dir(), 100, 1 << 20);
    let nodes: Vec<_> = nodes.into_iter().map(|n| Arc::new(shelf.put(n))).collect();
    Coordinator::new(shelf, nodes)
}

fn leaves(depth: usize) -> Vec<Node> {
    let (mut open, mut out) = (vec![Node::new()], Vec::new());
    while let Some(node) = open.pop() {
        let below = children(&node, depth);
        if below.is_empty() {
            out.push(node);
        }
        open.extend(below);
    }
    out.sort();
    out
}

/// The frontier as somebody has it who began with the whole and then heard of changes only.
struct Listener {
    ids: BTreeSet<u64>,
}

impl Listener {
    fn new(coordinator: &Coordinator) -> Listener {
        Listener {
            ids: ids(coordinator),
        }
    }

    fn listen(&mut self, coordinator: &mut Coordinator) {
        let changes = coordinator.changes().expect("it keeps them");
        for id in changes.gone {
            assert!(self.ids.remove(&id), "{id} is gone, but was not there");
        }
        for id in changes.new.into_keys() {
            assert!(self.ids.insert(id), "{id} has come twice");
        }
        assert!(self.ids == ids(coordinator), "changes were not told");
    }
}

fn ids(coordinator: &Coordinator) -> BTreeSet<u64> {
    let all = coordinator.frontier();
    all.iter().map(|piece| piece.id()).collect()
}

/// Explores with `n` workers of which one dies in `one_in` steps (0: none). Returns the leaves, and how often one died.
fn explore(seed: u64, n: u32, depth: usize, one_in: u64) -> (Vec<Node>, u64) {
    let mut random = Random::new(seed);
    let mut coordinator = divide([Node::new()]);
    let mut workers: BTreeMap<WorkerId, Worker> = BTreeMap::new();
    let (mut leaves, mut born, mut deaths) = (Vec::new(), 0, 0);
    let mut steps = 0;
    let mut listener = Listener::new(&coordinator);
    while !coordinator.is_done() {
        steps += 1;
        // (To compare takes long where there is much.)
        if random.below(50) == 0 {
            listener.listen(&mut coordinator);
        }
        assert!(steps < 10_000_000, "it does not end");
        while workers.len() < n as usize {
            born += 1;
            coordinator.join(WorkerId(born));
            workers.insert(WorkerId(born), Worker::default());
        }
        for (id, order) in coordinator.orders() {
            let worker = workers.get_mut(&id).expect("orders go to who is there");
            match order {
                Order::Work(prefixes) => {
                    for (key, prefix) in prefixes {
                        worker.told.insert(key);
                        worker.live.push((Some(key), prefix.into_vec()));
                    }
                }
                Order::Give(n) => worker.asked = Some(n),
                Order::Task { .. } => panic!("there are no rounds"),
            }
        }
        let ids: Vec<WorkerId> = workers.keys().copied().collect();
        let id = ids[random.below(ids.len() as u64) as usize];
        if one_in > 0 && random.below(one_in) == 0 {
            workers.remove(&id);
            assert_eq!(coordinator.died(id, None, Death::Killed), None);
            deaths += 1;
            continue;
        }
        let worker = workers.get_mut(&id).expect("it is there");
        for _ in 0..random.below(20) {
            worker.step(depth, &mut random);
        }
        if worker.asked.is_some() || worker.live.is_empty() || random.below(4) == 0 {
            let (mut commit, found) = worker.commit();
            coordinator.commit(id, &mut commit).expect("it is honest");
            leaves.extend(found);
            coordinator.load(id, worker.live.len() as u64);
        }
    }
    listener.listen(&mut coordinator);
    leaves.sort();
    (leaves, deaths)
}

/// Of the tree.
const DEPTH: usize = 15;

#[test]
fn random_orders_of_asking_giving_and_dying_lose_no_leaf_and_count_none_twice() {
    let _limit = testkit::limit();
    let all = leaves(DEPTH);
    assert!(all.len() > 1000, "{} leaves", all.len());
    for seed in 0..45 {
        let n = 1 + seed as u32 % 9;
        let (found, _) = explore(seed, n, DEPTH, 0);
        assert!(found == all, "seed {seed} without deaths");
        let (found, deaths) = explore(seed, n, DEPTH, 30);
        assert!(found == all, "seed {seed} with {deaths} deaths");
        assert!(deaths > 0, "seed {seed}: nobody died");
    }
}

#[test]
fn all_workers_get_something_to_do() {
    let _limit = testkit::limit();
    let mut coordinator = divide((0..10).map(|n| vec![n]));
    (0..4).for_each(|id| coordinator.join(WorkerId(id)));
    let sizes: Vec<usize> = coordinator
        .orders()
        .into_iter()
        .map(|(_, order)| match order {
            Order::Work(prefixes) => prefixes.len(),
            Order::Give(_) | Order::Task { .. } => panic!("there is work in the queue"),
        })
        .collect();
    assert_eq!(sizes, [3, 3, 2, 2]);
    // Who comes first leaves something for those that are to come.
    let mut coordinator = divide((0..10).map(|n| vec![n]));
    coordinator.expect(2);
    coordinator.join(WorkerId(0));
    let orders = coordinator.orders();
    assert!(matches!(&orders[..], [(_, Order::Work(w))] if w.len() == 5));
}

#[test]
fn who_has_most_is_asked_and_once_only() {
    let _limit = testkit::limit();
    let mut coordinator = divide([vec![1], vec![2]]);
    (0..3).for_each(|id| coordinator.join(WorkerId(id)));
    assert_eq!(coordinator.orders().len(), 2);
    coordinator.load(WorkerId(0), 10);
    coordinator.load(WorkerId(1), 300);
    let asked = vec![(WorkerId(1), Order::Give(150))];
    assert_eq!(coordinator.orders(), asked);
    assert_eq!(coordinator.orders(), []);
    // It has nothing to give after all: the next one is asked, and it is left alone until it says more.
    let mut nothing = Commit {
        answers: true,
        ..Commit::default()
    };
    coordinator.commit(WorkerId(1), &mut nothing).unwrap();
    assert_eq!(coordinator.orders(), [(WorkerId(0), Order::Give(5))]);
}

#[test]
fn a_prefix_that_crashes_two_workers_is_set_aside() {
    let _limit = testkit::limit();
    let mut coordinator = divide([vec![1], vec![2]]);
    let mut listener = Listener::new(&coordinator);
    let mut aside = Vec::new();
    for id in 0..3 {
        listener.listen(&mut coordinator);
        coordinator.join(WorkerId(id));
        let bad = coordinator.orders().into_iter().find_map(|(_, order)| {
            let Order::Work(prefixes) = order else {
                return None;
            };
            let bad = prefixes.into_iter().find(|(_, prefix)| **prefix == [1]);
            bad.map(|(key, _)| key)
        });
        aside.extend(coordinator.died(WorkerId(id), bad, Death::Crashed));
    }
    listener.listen(&mut coordinator);
    assert_eq!(aside.len(), 1);
    assert_eq!(aside[0].0, Ok(vec![1].into()));
    let read = |p: &Arc<Piece>| p.read().unwrap().into_owned();
    let left: Vec<Node> = coordinator.frontier().iter().map(read).collect();
    assert_eq!(left, [[2]]);
}

/// A worker that crashes late on a long path has told before how far it is on it.
#[test]
fn a_path_is_blamed_wherever_it_crashes_its_workers() {
    let _limit = testkit::limit();
    let mut coordinator = divide([vec![0]]);
    let mut aside = Vec::new();
    for (id, how) in (0..).zip([Death::Killed, Death::Crashed, Death::Killed, Death::Crashed]) {
        assert!(aside.is_empty(), "{id} deaths");
        coordinator.join(WorkerId(id));
        let orders = coordinator.orders();
        let [(_, Order::Work(work))] = &orders[..] else {
            panic!("{orders:?}");
        };
        let (key, prefix) = work[0].clone();
        let farther = vec![prefix[0] + 1];
        let mut commit = Commit {
            change: Change {
                gone: vec![key],
                new: vec![New {
                    key: Key::own(1),
                    from: key,
                    prefix: farther.into(),
                }],
                given: Vec::new(),
            },
            ..Commit::default()
        };
        coordinator.commit(WorkerId(id), &mut commit).unwrap();
        aside.extend(coordinator.died(WorkerId(id), Some(Key::own(1)), how));
    }
    assert_eq!(aside.len(), 1);
    assert_eq!(aside[0].0, Ok(vec![4].into()));
    assert!(coordinator.is_done());
}

#[test]
fn who_gives_back_what_it_does_not_have_is_not_believed() {
    let _limit = testkit::limit();
    let mut coordinator = divide([vec![1]]);
    coordinator.join(WorkerId(0));
    coordinator.join(WorkerId(1));
    assert_eq!(coordinator.orders().len(), 1);
    let mut lie = Commit {
        change: Change {
            gone: vec![Key::leased(0)],
            ..Change::default()
        },
        ..Commit::default()
    };
    assert!(coordinator.commit(WorkerId(1), &mut lie.clone()).is_err());
    assert!(coordinator.commit(WorkerId(9), &mut lie.clone()).is_err());
    assert!(!coordinator.is_done());
    assert!(coordinator.commit(WorkerId(0), &mut lie).is_ok());
    assert!(coordinator.is_done());
}

/// A worker whose whole share could not be read again waits for the next one, and what is lost is told.
#[test]
fn what_cannot_be_read_again_is_told_and_nobody_waits_for_it() {
    let _limit = testkit::limit();
    let dir = std::env::temp_dir().join(format!("unreadable-{}", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let shelf = Shelf::new(&dir, 0, 1 << 20);
    let nodes: Vec<_> = (0..4).map(|n| Arc::new(shelf.put(vec![n]))).collect();
    // The shelf's file has no name any more, but this process has it open.
    for fd in std::fs::read_dir("/proc/self/fd").unwrap() {
        let path = fd.unwrap().path();
        if std::fs::read_link(&path).is_ok_and(|to| to.starts_with(&dir)) {
            let file = std::fs::OpenOptions::new().write(true).open(&path);
            file.unwrap().set_len(0).unwrap();
        }
    }
    std::fs::remove_dir(&dir).unwrap();
    let mut coordinator = Coordinator::new(shelf, nodes);
    coordinator.join(WorkerId(1));
    assert_eq!(coordinator.orders(), []);
    assert!(coordinator.is_idle(WorkerId(1)) && coordinator.is_done());
    let lost = coordinator.unreadable().expect("it is told");
    assert_eq!(lost.prefixes, 4, "{}", lost.why);
}
