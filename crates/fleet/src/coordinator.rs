//! The coordinator's record of the prefixes and the workers that hold them.
//!
//! Each prefix is in one place: in the queue, or on the list of one worker. An idle worker gets prefixes from the queue; if
//! that is empty, the worker with the most live states is asked to give some away. A worker's
//! reports change its list only as a whole ([`Commit`]), so that the list of a worker that dies names exactly the part of its work that
//! is still unexplored.

use crate::dispatch::{Dispatch, FrontierChanges, Settle};
use crate::message::{Change, Commit, Key, New, Prefix, Task};
use host::shelf::{Piece, Shelf};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Names a worker; one that replaces another has a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u32);

/// Prefixes that are sent at once, and states that are asked for at once, at most.
const MOST_SENT: usize = 4096;
const MOST_ASKED: u64 = 256;

/// How a worker died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// By its own fault, as far as can be known: a crash.
    Crashed,
    /// It was killed: by a user, or by the kernel when memory was short.
    Killed,
}

impl Death {
    /// Its weight when a prefix is to blame: two crashes are as much as many kills.
    pub const fn weight(self) -> u32 {
        match self {
            Death::Crashed => 32,
            Death::Killed => 1,
        }
    }
}

/// An order to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Explore these.
    Work(Vec<(Key, Prefix)>),
    /// Give away so many states at most.
    Give(u32),
    /// Explore this task, which is one of this round. The caller adds the coverage at the beginning of the round.
    Task {
        /// The number of the round.
        round: u64,
        /// See [`Task`].
        task: Task,
    },
}

/// A prefix that killed its workers; in words, why it cannot be read, if it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside(pub Result<Prefix, String>);

/// Prefixes that could not be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// How many.
    pub prefixes: u64,
    /// Why the last one could not.
    pub why: String,
}

impl Unreadable {
    /// One more.
    pub(crate) fn add(all: &mut Option<Unreadable>, why: String) {
        let prefixes = all.take().map_or(0, |all| all.prefixes) + 1;
        *all = Some(Unreadable { prefixes, why });
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PrefixEntry {
    pub prefix: Arc<Piece>,
    /// How often a worker crashed, and how often one was killed, while it ran this.
    crashes: u32,
    kills: u32,
}

impl PrefixEntry {
    /// The weight of deaths after which a prefix is set aside.
    const DEATHS: u32 = 2 * Death::Crashed.weight();

    pub fn of(prefix: Arc<Piece>) -> PrefixEntry {
        PrefixEntry {
            prefix,
            crashes: 0,
            kills: 0,
        }
    }

    /// An entry for a reported prefix, which goes on the shelf.
    pub fn kept(prefix: Prefix, shelf: &Shelf) -> PrefixEntry {
        PrefixEntry::of(Arc::new(shelf.put(prefix.into_vec())))
    }

    /// The bytes of the prefix.
    ///
    /// # Errors
    /// They cannot be read again, in words.
    pub fn read(&self) -> Result<Prefix, String> {
        let bytes = self.prefix.read().map_err(|e| e.to_string())?;
        Ok(Prefix::from(bytes.into_owned()))
    }

    /// An entry for a part that a worker has reported of this one. If a worker crashed on the way there, the fault may
    /// still be ahead: a path that runs long before it crashes its worker is reported many times before.
    fn part(&self, part: PrefixEntry) -> PrefixEntry {
        PrefixEntry {
            crashes: self.crashes,
            ..part
        }
    }

    /// Its worker has died. Returns whether that was once too often.
    pub fn blame(&mut self, how: Death) -> bool {
        match how {
            Death::Crashed => self.crashes += 1,
            Death::Killed => self.kills += 1,
        }
        let deaths = self.crashes * Death::Crashed.weight() + self.kills * Death::Killed.weight();
        deaths >= PrefixEntry::DEATHS
    }
}

#[derive(Debug, Default)]
struct WorkerRecord {
    holds: HashMap<Key, PrefixEntry>,
    /// Told of as a part of its next commit: the key, that of which it is a part, and the entry.
    ahead: Vec<(Key, Key, PrefixEntry)>,
    /// Live states, as it reported them.
    load: u64,
    is_idle: bool,
    /// It was asked to give and has not answered.
    is_asked: bool,
    /// It had nothing to give when it was asked, and has not reported its number of states since.
    has_nothing: bool,
}

impl WorkerRecord {
    /// May it have a state to spare?
    fn can_give(&self) -> bool {
        !self.is_idle && !self.is_asked && !self.has_nothing && self.load > 1
    }
}

/// The workers that wait, and those that can give, ranked: with a thousand workers nobody can look through all for
/// each message.
#[derive(Debug, Default)]
struct Ranks {
    idle: BTreeSet<WorkerId>,
    able: BTreeSet<(u64, Reverse<WorkerId>)>,
    /// How many were asked to give and have not answered.
    asked: usize,
}

impl Ranks {
    fn add(&mut self, worker: WorkerId, member: &WorkerRecord) {
        if member.is_idle {
            self.idle.insert(worker);
        }
        if member.can_give() {
            self.able.insert((member.load, Reverse(worker)));
        }
        self.asked += usize::from(member.is_asked);
    }

    /// Before the member changes or goes.
    fn remove(&mut self, worker: WorkerId, member: &WorkerRecord) {
        self.idle.remove(&worker);
        self.able.remove(&(member.load, Reverse(worker)));
        self.asked -= usize::from(member.is_asked);
    }
}

/// See the module.
#[derive(Debug)]
pub struct Coordinator {
    /// The shelf of prefixes.
    shelf: Shelf,
    queue: VecDeque<PrefixEntry>,
    workers: BTreeMap<WorkerId, WorkerRecord>,
    ranks: Ranks,
    /// Prefixes of workers that ended with the run.
    left: Vec<PrefixEntry>,
    changes: FrontierChanges,
    leases: u64,
    /// Workers that there are going to be.
    expected: usize,
    unreadable: Option<Unreadable>,
}

impl Coordinator {
    /// Begins with these prefixes. Reported ones go on the shelf.
    pub fn new(shelf: Shelf, prefixes: impl IntoIterator<Item = Arc<Piece>>) -> Coordinator {
        Coordinator {
            shelf,
            queue: prefixes.into_iter().map(PrefixEntry::of).collect(),
            workers: BTreeMap::new(),
            ranks: Ranks::default(),
            left: Vec::new(),
            changes: FrontierChanges::default(),
            leases: 0,
            expected: 0,
            unreadable: None,
        }
    }

    /// Takes over a worker's report about its prefixes. Nothing is taken from an unknown worker.
    ///
    /// # Errors
    /// It gives back a prefix that it does not have, in words: it cannot be believed.
    pub fn commit(&mut self, worker: WorkerId, commit: &mut Commit) -> Result<(), String> {
        let Change { gone, new, given } = std::mem::take(&mut commit.change);
        self.ahead(worker, new);
        let Some(member) = self.workers.get_mut(&worker) else {
            return Err("the sender is no worker of this run".into());
        };
        let new = std::mem::take(&mut member.ahead);
        if let Some(key) = gone.iter().find(|key| !member.holds.contains_key(key)) {
            return Err(format!("it gives back {key:?}, which it does not have"));
        }
        if let Some((key, ..)) = new.iter().find(|(key, ..)| key.is_leased()) {
            return Err(format!("it invents the lease {key:?}"));
        }
        // Two entries of one name would be one: the other would be explored by nobody.
        let mut named = HashSet::with_capacity(new.len());
        let stays = |key| member.holds.contains_key(key) && !gone.contains(key);
        if let Some((key, ..)) = new.iter().find(|(k, ..)| !named.insert(*k) || stays(k)) {
            return Err(format!("it tells of {key:?} twice"));
        }
        self.ranks.remove(worker, member);
        let entry = |(key, from, entry)| match member.holds.get(&from) {
            Some(whole) => (key, whole.part(entry)),
            None => (key, entry),
        };
        let new: Vec<(Key, PrefixEntry)> = new.into_iter().map(entry).collect();
        for key in gone {
            if let Some(entry) = member.holds.remove(&key) {
                self.changes.remove(&entry.prefix);
            }
        }
        new.iter()
            .for_each(|(_, entry)| self.changes.add(&entry.prefix));
        member.holds.extend(new);
        if commit.answers {
            member.is_asked = false;
            member.has_nothing = given.is_empty();
        }
        member.is_idle = commit.is_idle && member.holds.is_empty();
        member.load = member.holds.len() as u64;
        self.ranks.add(worker, member);
        for prefix in given {
            let entry = PrefixEntry::kept(prefix, &self.shelf);
            self.changes.add(&entry.prefix);
            self.queue.push_back(entry);
        }
        Ok(())
    }

    fn lease(&mut self, worker: WorkerId, n: usize) -> Vec<(Key, Prefix)> {
        let Some(member) = self.workers.get_mut(&worker) else {
            return Vec::new();
        };
        self.ranks.remove(worker, member);
        let mut work = Vec::new();
        for entry in self.queue.drain(..n.min(self.queue.len())) {
            let prefix = match entry.read() {
                Ok(prefix) => prefix,
                Err(why) => {
                    self.changes.remove(&entry.prefix);
                    Unreadable::add(&mut self.unreadable, why);
                    continue;
                }
            };
            let key = Key::leased(self.leases);
            self.leases += 1;
            work.push((key, prefix));
            member.holds.insert(key, entry);
        }
        // If nothing could be read, it goes on waiting.
        member.is_idle &= work.is_empty();
        member.load = member.holds.len() as u64;
        self.ranks.add(worker, member);
        work
    }
}

impl Dispatch for Coordinator {
    fn expect(&mut self, workers: usize) {
        self.expected = workers;
    }

    fn join(&mut self, worker: WorkerId) {
        let member = WorkerRecord {
            is_idle: true,
            ..WorkerRecord::default()
        };
        self.leave(worker);
        self.ranks.add(worker, &member);
        self.workers.insert(worker, member);
    }

    fn load(&mut self, worker: WorkerId, states: u64) {
        if let Some(member) = self.workers.get_mut(&worker)
            && (member.load != states || member.has_nothing)
        {
            self.ranks.remove(worker, member);
            member.load = states;
            member.has_nothing = false;
            self.ranks.add(worker, member);
        }
    }

    fn ahead(&mut self, worker: WorkerId, new: Vec<New>) {
        if let Some(member) = self.workers.get_mut(&worker) {
            let shelf = &self.shelf;
            let entries = new.into_iter();
            let entries = entries.map(|n| (n.key, n.from, PrefixEntry::kept(n.prefix, shelf)));
            member.ahead.extend(entries);
        }
    }

    fn died(&mut self, worker: WorkerId, ran: Option<Key>, how: Death) -> Option<SetAside> {
        let member = self.workers.remove(&worker)?;
        self.ranks.remove(worker, &member);
        let mut aside = None;
        let mut back: Vec<(Key, PrefixEntry)> = member.holds.into_iter().collect();
        back.sort_unstable_by_key(|&(key, _)| key);
        for (key, mut entry) in back {
            if Some(key) == ran && entry.blame(how) {
                self.changes.remove(&entry.prefix);
                aside = Some(SetAside(entry.read()));
            } else {
                self.queue.push_back(entry);
            }
        }
        aside
    }

    fn leave(&mut self, worker: WorkerId) {
        if let Some(member) = self.workers.remove(&worker) {
            self.ranks.remove(worker, &member);
            self.left.extend(member.holds.into_values());
        }
    }

    fn orders(&mut self) -> Vec<(WorkerId, Order)> {
        let mut orders = Vec::new();
        while !self.queue.is_empty()
            && let Some(&worker) = self.ranks.idle.first()
        {
            // A part for each who waits, and no more than a part of the queue: what is left is for who asks next.
            let coming = self.expected.saturating_sub(self.workers.len());
            let waiting = self.ranks.idle.len() + coming;
            let share = self.queue.len().div_ceil(waiting).min(MOST_SENT);
            let work = self.lease(worker, share);
            if !work.is_empty() {
                orders.push((worker, Order::Work(work)));
            }
        }
        while self.ranks.asked < self.ranks.idle.len()
            && let Some(&(load, Reverse(worker))) = self.ranks.able.last()
            && let Some(member) = self.workers.get_mut(&worker)
        {
            self.ranks.remove(worker, member);
            member.is_asked = true;
            self.ranks.add(worker, member);
            let n = (load / 2).clamp(1, MOST_ASKED);
            orders.push((worker, Order::Give(n as u32)));
        }
        orders
    }

    fn is_done(&self) -> bool {
        self.queue.is_empty() && self.workers.values().all(|m| m.holds.is_empty())
    }

    fn has_work(&self, worker: WorkerId) -> bool {
        let member = self.workers.get(&worker);
        member.is_some_and(|m| !m.holds.is_empty())
    }

    fn is_idle(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_some_and(|m| m.is_idle)
    }

    fn queued(&self) -> usize {
        self.queue.len()
    }

    fn unreadable(&mut self) -> Option<Unreadable> {
        self.unreadable.take()
    }

    fn abandoned(&self) -> Vec<Arc<Piece>> {
        let held = self.workers.values().flat_map(|m| m.holds.values());
        let all = self.queue.iter().chain(held);
        all.map(|e| e.prefix.clone()).collect()
    }

    fn frontier(&self) -> Vec<Arc<Piece>> {
        let held = self.workers.values().flat_map(|m| m.holds.values());
        let all = self.queue.iter().chain(held).chain(&self.left);
        all.map(|e| e.prefix.clone()).collect()
    }

    fn changes(&mut self) -> Option<FrontierChanges> {
        Some(std::mem::take(&mut self.changes))
    }
}

impl<Found> Settle<Found> for Coordinator {
    fn commit(
        &mut self,
        worker: WorkerId,
        mut commit: Commit,
        found: Found,
    ) -> Result<Vec<Found>, String> {
        self.commit(worker, &mut commit)?;
        Ok(vec![found])
    }

    fn close(&mut self) -> Vec<Found> {
        Vec::new()
    }
}
