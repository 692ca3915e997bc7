//! Many workers in simulated time, and the real coordinator among them.
//!
//! Workers, the network and the disk are simulated; messages are real ones, and what the coordinator does with each (reading it,
//! its books, orders, writing them) is done and timed. That time passes in the simulation, too: the coordinator is one
//! server that takes one message after the other. A worker does what `run::jobs::link` does: it commits after a
//! pause that grows to a second, gives its least deep states when it is asked, and follows a prefix before it runs on.

use super::tree::{Tree, TreePosition};
use fleet::frame;
use fleet::{
    Change, Commit, Coordinator, Dispatch, Key, New, Order, Prefix, ToCoordinator, ToWorker,
    WorkerId,
};
use host::shelf::{Piece, Shelf};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Nanoseconds.
type Time = u64;
pub const SECOND: Time = 1_000_000_000;
const MILLISECOND: Time = 1_000_000;

/// Between two commits, at first and later.
const PAUSE_FIRST: Time = 50 * MILLISECOND;
const PAUSE: Time = SECOND;
/// Between two times that the coordinator hears how many live states each worker has; of one that has something to spare and
/// had nothing, it hears sooner.
const LOADS_EVERY: Time = 100 * MILLISECOND;
const NEWS_EVERY: Time = 10 * MILLISECOND;
/// Between two times that it writes the frontier, at least, and how much longer that may take.
const FRONTIER_EVERY: Time = 3 * SECOND;
const FRONTIER_PART: Time = 50;
/// What lies in the coordinator's queue and in the sockets, in time: then workers wait.
const BACKLOG: Time = 100 * MILLISECOND;
/// Bytes of tests that are told with one commit.
const UNCOMMITTED: usize = 64 << 10;
/// Nanoseconds that a byte takes on its way to the disk.
const DISK: f64 = 2.0;

/// What things cost, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Costs {
    /// A worker until it can begin.
    pub start: Time,
    /// To follow a path of average depth.
    pub follow: f64,
    /// A message on its way.
    pub message: Time,
    /// To write a test; 0: none is written.
    pub test: f64,
    /// Bytes of a test.
    pub test_bytes: usize,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulated {
    pub workers: u32,
    /// From the start to the end.
    pub time: Time,
    /// Of all workers: at work on what one worker alone would do, too, and following prefixes.
    pub useful: Time,
    pub following: Time,
    pub paths: u64,
    pub messages: u64,
    pub bytes: u64,
    /// Of the coordinator: at work, most of it at once in queue, and bytes of prefixes that it had at once.
    pub busy: Time,
    pub behind: Time,
    pub held: u64,
}

impl Simulated {
    /// The part of the workers' time that was useful.
    pub fn share(&self) -> f64 {
        self.useful as f64 / (self.time as f64 * f64::from(self.workers))
    }
}

#[derive(Clone, Copy)]
struct State {
    place: TreePosition,
    /// The number under which the coordinator knows it.
    key: Option<Key>,
    /// It has to be followed first.
    is_prefix: bool,
}

#[derive(Default)]
struct SimulatedWorker {
    states: Vec<State>,
    /// What it runs, until its next step.
    running: Option<State>,
    gone: Vec<Key>,
    /// Keys given last.
    last_key: u64,
    orders: Vec<ToWorker>,
    last_commit: Time,
    pause: Time,
    /// Paths that ended since the last commit.
    ended: u64,
    is_idle: bool,
    /// Live states, as the coordinator heard last.
    told: u64,
}

enum Event {
    Started(u32),
    /// The worker has come to the end of a piece.
    Step(u32),
    ToCoordinator(u32, Vec<u8>),
    ToWorker(u32, Vec<u8>),
    Loads,
    Frontier,
}

/// Events, the next one first; those of the same moment in their order.
#[derive(Default)]
struct Queue {
    times: BinaryHeap<Reverse<(Time, u64, usize)>>,
    events: Vec<Option<Event>>,
    free: Vec<usize>,
    count: u64,
}

impl Queue {
    fn put(&mut self, time: Time, event: Event) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.events.push(None);
            self.events.len() - 1
        });
        self.events[slot] = Some(event);
        self.count += 1;
        self.times.push(Reverse((time, self.count, slot)));
    }

    fn take(&mut self) -> Option<(Time, Event)> {
        let Reverse((time, _, slot)) = self.times.pop()?;
        self.free.push(slot);
        self.events[slot].take().map(|event| (time, event))
    }
}

/// See the module.
pub struct Simulation<'a> {
    tree: &'a Tree,
    costs: Costs,
    workers: Vec<SimulatedWorker>,
    coordinator: Coordinator,
    queue: Queue,
    now: Time,
    /// The coordinator has something to do until then.
    busy_until: Time,
    outcome: Simulated,
}

/// A message as bytes.
fn written(message: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, message).expect("it fits");
    bytes
}

/// What this thread's processor time is, in nanoseconds.
fn clock() -> Time {
    host::clock::thread_time().as_nanos() as Time
}

impl<'a> Simulation<'a> {
    /// So many workers on a tree.
    pub fn new(tree: &'a Tree, workers: u32, costs: Costs) -> Simulation<'a> {
        let mut simulation = Simulation {
            tree,
            costs,
            workers: Vec::new(),
            coordinator: Coordinator::new(Shelf::in_memory(), []),
            queue: Queue::default(),
            now: 0,
            busy_until: 0,
            outcome: Simulated {
                workers,
                ..Simulated::default()
            },
        };
        let shelf = Shelf::in_memory();
        let root = shelf.put(simulation.prefix(tree.root()).into_vec());
        simulation.coordinator = Coordinator::new(shelf, [Arc::new(root)]);
        simulation
            .workers
            .resize_with(workers as usize, || SimulatedWorker {
                pause: PAUSE_FIRST,
                ..SimulatedWorker::default()
            });
        for worker in 0..workers {
            simulation.queue.put(costs.start, Event::Started(worker));
        }
        simulation.queue.put(LOADS_EVERY, Event::Loads);
        simulation.queue.put(FRONTIER_EVERY, Event::Frontier);
        simulation
    }

    /// Until everything is explored.
    pub fn run(mut self) -> Simulated {
        while !self.coordinator.is_done() {
            let Some((time, event)) = self.queue.take() else {
                break;
            };
            self.now = time;
            match event {
                Event::Started(worker) => {
                    self.workers[worker as usize].is_idle = true;
                    self.serve(|c| c.join(WorkerId(worker)));
                }
                Event::Step(worker) => self.step(worker),
                Event::ToCoordinator(worker, bytes) => self.hear(worker, &bytes),
                Event::ToWorker(worker, bytes) => self.arrive(worker, &bytes),
                Event::Loads => self.loads(),
                Event::Frontier => self.write_frontier(),
            }
        }
        self.outcome.time = self.busy_until.max(self.now);
        self.outcome
    }

    /// A place as the bytes that lead there: about what `exec::PortablePrefix` has.
    fn prefix(&self, place: TreePosition) -> Prefix {
        let mut bytes = super::tree::bytes(place).to_vec();
        bytes.resize(60 + 3 * self.tree.depth(place) as usize, 0);
        bytes.into()
    }

    /// The coordinator does something, which takes its time; then it sends its orders.
    fn serve(&mut self, what: impl FnOnce(&mut Coordinator)) {
        let begun = clock();
        what(&mut self.coordinator);
        let orders: Vec<(WorkerId, Vec<u8>)> = self
            .coordinator
            .orders()
            .into_iter()
            .map(|(worker, order)| {
                let message = match order {
                    Order::Work(prefixes) => ToWorker::Work(prefixes),
                    Order::Give(n) => ToWorker::Give(n),
                    Order::Task { .. } => unreachable!("the coordinator gives prefixes"),
                };
                (worker, written(&message))
            })
            .collect();
        self.spend(clock() - begun);
        for (WorkerId(worker), bytes) in orders {
            self.outcome.messages += 1;
            self.outcome.bytes += bytes.len() as u64;
            let time = self.busy_until + self.costs.message;
            self.queue.put(time, Event::ToWorker(worker, bytes));
        }
    }

    fn spend(&mut self, time: Time) {
        self.busy_until = self.busy_until.max(self.now) + time;
        self.outcome.busy += time;
        let behind = self.busy_until - self.now;
        self.outcome.behind = self.outcome.behind.max(behind);
    }

    fn hear(&mut self, worker: u32, bytes: &[u8]) {
        let costs = self.costs;
        let mut tests = 0;
        self.serve(|coordinator| {
            let message =
                frame::read::<ToCoordinator>(&mut &bytes[..]).expect("it was written here");
            if let ToCoordinator::Commit(mut commit) = message {
                tests = commit.found.len() / costs.test_bytes.max(1);
                coordinator
                    .commit(WorkerId(worker), &mut commit)
                    .expect("workers are honest here");
            }
        });
        self.spend((tests as f64 * costs.test) as Time);
    }

    fn loads(&mut self) {
        let is_full = self.now.is_multiple_of(LOADS_EVERY);
        let mut loads = Vec::new();
        for (id, w) in (0..).zip(&mut self.workers) {
            let live = w.states.len() as u64 + u64::from(w.running.is_some());
            if is_full || (live > 1 && w.told <= 1) {
                w.told = live;
                loads.push((id, live));
            }
        }
        self.serve(|coordinator| {
            for &(id, live) in &loads {
                coordinator.load(WorkerId(id), live);
            }
        });
        self.queue.put(self.now + NEWS_EVERY, Event::Loads);
    }

    fn write_frontier(&mut self) {
        let mut bytes = 0;
        let begun = clock();
        let all = self.coordinator.frontier();
        let bytes_of = |p: &Arc<Piece>| p.read().expect("it is in memory").into_owned();
        let copy: Vec<Prefix> = all.iter().map(|p| bytes_of(p).into()).collect();
        let all = postcard::to_stdvec(&copy).expect("bytes can be written");
        bytes += all.len() as u64;
        let time = clock() - begun + (bytes as f64 * DISK) as Time;
        self.spend(time);
        self.outcome.held = self.outcome.held.max(bytes);
        let pause = FRONTIER_EVERY.max(time * FRONTIER_PART);
        self.queue.put(self.busy_until + pause, Event::Frontier);
    }

    fn arrive(&mut self, worker: u32, bytes: &[u8]) {
        let message = frame::read::<ToWorker>(&mut &bytes[..]).expect("it was written here");
        let w = &mut self.workers[worker as usize];
        w.orders.push(message);
        if w.is_idle {
            w.is_idle = false;
            self.go_on(worker, self.now);
        }
    }

    /// A piece is done.
    fn step(&mut self, worker: u32) {
        let w = &mut self.workers[worker as usize];
        if let Some(done) = w.running.take() {
            let before = w.states.len();
            self.tree.next(done.place, |place| {
                w.states.push(State {
                    place,
                    key: None,
                    is_prefix: false,
                });
            });
            if w.states.len() == before {
                w.ended += 1;
                self.outcome.paths += 1;
            }
            self.outcome.useful += self.tree.cost(done.place);
        }
        self.go_on(worker, self.now);
    }

    /// What a worker does between two pieces.
    fn go_on(&mut self, worker: u32, mut time: Time) {
        for order in std::mem::take(&mut self.workers[worker as usize].orders) {
            match order {
                ToWorker::Work(prefixes) => {
                    let states = prefixes.into_iter().map(|(key, prefix)| State {
                        place: super::tree::place(&prefix),
                        key: Some(key),
                        is_prefix: true,
                    });
                    self.workers[worker as usize].states.extend(states);
                }
                ToWorker::Give(n) => {
                    let given = self.give(worker, n as usize);
                    time = self.commit(worker, time, given, true);
                }
                _ => {}
            }
        }
        let w = &self.workers[worker as usize];
        if w.states.is_empty() {
            self.commit(worker, time, Vec::new(), false);
            self.workers[worker as usize].is_idle = true;
            return;
        }
        let is_full = w.ended as usize * self.costs.test_bytes > UNCOMMITTED;
        if is_full || time.saturating_sub(w.last_commit) > w.pause {
            time = self.commit(worker, time, Vec::new(), false);
        }
        let w = &mut self.workers[worker as usize];
        let Some(mut next) = w.states.pop() else {
            return;
        };
        w.gone.extend(next.key.take());
        let mut cost = self.tree.cost(next.place);
        if std::mem::take(&mut next.is_prefix) {
            let depth = f64::from(self.tree.depth(next.place));
            let follow = (self.costs.follow * depth / self.tree.mean_depth.max(1.0)) as Time;
            self.outcome.following += follow;
            cost += follow;
        }
        w.running = Some(next);
        self.queue.put(time + cost, Event::Step(worker));
    }

    /// The least deep states of a worker, at most half of them.
    fn give(&mut self, worker: u32, n: usize) -> Vec<Prefix> {
        let tree = self.tree;
        let w = &mut self.workers[worker as usize];
        let n = n.min(w.states.len() / 2);
        if n == 0 {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..w.states.len()).collect();
        order.select_nth_unstable_by_key(n - 1, |&i| (tree.depth(w.states[i].place), i));
        let mut chosen = order[..n].to_vec();
        chosen.sort_unstable();
        let mut given = Vec::new();
        for &i in chosen.iter().rev() {
            let state = w.states.remove(i);
            w.gone.extend(state.key);
            given.push(state.place);
        }
        given.into_iter().map(|place| self.prefix(place)).collect()
    }

    /// Tells what has changed. Returns when the worker goes on.
    fn commit(&mut self, worker: u32, time: Time, given: Vec<Prefix>, answers: bool) -> Time {
        let begun = clock();
        let w = &mut self.workers[worker as usize];
        let mut new = Vec::new();
        let last = &mut w.last_key;
        for state in &mut w.states {
            if state.key.is_none() {
                *last += 1;
                state.key = Some(Key::own(*last));
                new.push((Key::own(*last), state.place));
            }
        }
        let gone = std::mem::take(&mut w.gone);
        let found = vec![0; std::mem::take(&mut w.ended) as usize * self.costs.test_bytes];
        let is_idle = w.states.is_empty();
        let new = new.into_iter().map(|(key, place)| New {
            key,
            from: Key::own(0),
            prefix: self.prefix(place),
        });
        let commit = Commit {
            change: Change {
                gone,
                new: new.collect(),
                given,
            },
            found: found.into(),
            is_idle,
            answers,
            ..Commit::default()
        };
        let bytes = written(&ToCoordinator::Commit(commit));
        let sent = time + (clock() - begun);
        self.outcome.messages += 1;
        self.outcome.bytes += bytes.len() as u64;
        let arrives = sent + self.costs.message;
        self.queue.put(arrives, Event::ToCoordinator(worker, bytes));
        let w = &mut self.workers[worker as usize];
        w.last_commit = sent;
        w.pause = (2 * w.pause).min(PAUSE);
        // Sockets are full when the coordinator is behind.
        sent.max(self.busy_until.saturating_sub(BACKLOG))
    }
}
