//! The same exploration for every number of workers (`--deterministic`).
//!
//! The frontier is explored in rounds. A round is a list of *tasks*: each has some prefixes of the frontier, in their order,
//! and a budget of work, both of which depend on earlier rounds only. A worker explores one task from scratch and reports
//! its findings and the frontier of the task; which worker does it, and when, makes no difference. Findings count in the order of the tasks:
//! those of a task that is done early wait. The next round begins when all tasks of this one are done, with the frontiers of
//! all of them.
//!
//! Branches that were too hard for a task wait until a round has nothing else; they are tried again in the next one.
//!
//! Forks are divided among the tasks of a round, too. When few are left, the round that follows is the last one: its
//! tasks explore up to the end of the forks instead of up to their budget.

use crate::coordinator::{PrefixEntry, Unreadable};
use crate::dispatch::{Dispatch, FrontierChanges, Settle};
use crate::{Budget, Commit, Death, Key, New, Order, Prefix, SetAside, Spent, Task, WorkerId};
use host::shelf::{Piece, Shelf};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tasks of a round, if there are so many prefixes. With a long run come more, so that many workers have enough to do.
const TASKS: u64 = 16;
const MOST_TASKS: u64 = 4096;
/// Prefixes of one task at most.
const MOST_PREFIXES: usize = 4096;
/// Work of one task, in the unit of [`Budget::work`] (a nanosecond or two), at most: it is a sixteenth of all work before (in long runs, which have more tasks
/// in a round, a smaller part), and at least what makes a start worth it. Less costs too many starts, more makes workers wait for the last task of a round.
const MOST_WORK: u64 = 2_500_000_000;
/// Forks that a task may have before it is put aside, as a part of those that it has at most: a slice of a state is never cut off.
const FORKS_PART: u64 = 4;
/// Forks for each task below which a round is the last one.
const FEW_FORKS: u64 = 16;
/// Tasks that may be done while an earlier one still runs: their findings are kept in memory until they count.
const MOST_DONE: usize = 256;

/// A task and its parts.
#[derive(Debug)]
struct Assignment {
    number: u64,
    budget: Budget,
    entries: Vec<PrefixEntry>,
}

/// A task at work: its prefixes by the keys under which they were sent.
#[derive(Debug)]
struct Running {
    first: u64,
    assignment: Assignment,
    /// Its frontier, as far as it was reported before the commit.
    ahead: Vec<PrefixEntry>,
}

/// A task that is done, and waits for those before it.
#[derive(Debug)]
struct Done<Found> {
    /// The assignment.
    assignment: Assignment,
    /// Its remaining frontier.
    left: Vec<PrefixEntry>,
    spent: Spent,
    /// Something of it was explored.
    has_moved: bool,
    found: Found,
}

/// See the module.
#[derive(Debug)]
pub struct Rounds<Found> {
    /// The shelf of prefixes.
    shelf: Shelf,
    round: u64,
    /// The tasks of this round: those that wait for a worker, that run, and that are done; and the number of the task
    /// that counts next.
    waiting: BTreeMap<u64, Assignment>,
    running: BTreeMap<WorkerId, Running>,
    done: BTreeMap<u64, Done<Found>>,
    counted: u64,
    /// For the next round.
    next: Vec<PrefixEntry>,
    /// For a later run.
    left: Vec<PrefixEntry>,
    idle: BTreeSet<WorkerId>,
    /// Numbers of tasks, and keys.
    tasks: u64,
    leases: u64,
    /// Work so far.
    work: u64,
    /// The least work of a task.
    least_work: u64,
    /// Forks that are left, if they are limited.
    forks: Option<u64>,
    /// Something was explored in this round.
    has_moved: bool,
    unreadable: Option<Unreadable>,
}

impl<Found> Rounds<Found> {
    /// Begins with these prefixes, and so many forks if they are limited. Reported prefixes go on the shelf. A task has at least so
    /// much work.
    pub fn new(
        shelf: Shelf,
        prefixes: impl IntoIterator<Item = Arc<Piece>>,
        forks: Option<u64>,
        least_work: u64,
    ) -> Rounds<Found> {
        Rounds {
            shelf,
            unreadable: None,
            round: 0,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            done: BTreeMap::new(),
            counted: 0,
            next: prefixes.into_iter().map(PrefixEntry::of).collect(),
            left: Vec::new(),
            idle: BTreeSet::new(),
            tasks: 0,
            leases: 0,
            work: 0,
            least_work: least_work.min(MOST_WORK),
            forks,
            has_moved: true,
        }
    }

    /// Divides the frontier into the tasks of a new round.
    fn begin_round(&mut self) {
        self.round += 1;
        let entries = std::mem::take(&mut self.next);
        let most = (self.work / MOST_WORK).clamp(TASKS, MOST_TASKS);
        let tasks = most.min(entries.len() as u64).max(1);
        let work = (self.work / most).clamp(self.least_work, MOST_WORK);
        let is_last = self.forks.is_some_and(|left| left / tasks < FEW_FORKS);
        // If nothing but what was too hard is left, it is tried again.
        let retries = !std::mem::take(&mut self.has_moved);
        let size = entries
            .len()
            .div_ceil(tasks as usize)
            .clamp(1, MOST_PREFIXES);
        let mut entries = entries.into_iter();
        for i in 0..tasks {
            let entries: Vec<PrefixEntry> = entries.by_ref().take(size).collect();
            if entries.is_empty() {
                break;
            }
            let most_forks = self
                .forks
                .map_or(u64::MAX, |left| left / tasks + u64::from(i < left % tasks));
            let budget = if is_last {
                Budget {
                    work: u64::MAX,
                    forks: u64::MAX,
                    most_forks,
                    retries,
                }
            } else {
                Budget {
                    work,
                    forks: most_forks / FORKS_PART,
                    most_forks,
                    retries,
                }
            };
            let assignment = Assignment {
                number: self.tasks,
                budget,
                entries,
            };
            self.waiting.insert(self.tasks, assignment);
            self.tasks += 1;
        }
        self.next.extend(entries);
    }

    fn is_between_rounds(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty() && self.done.is_empty()
    }

    /// The number of the task that a worker may begin: the first one, unless too much that was found waits for one which is at work.
    fn may_begin(&self) -> Option<u64> {
        let (&first, _) = self.waiting.first_key_value()?;
        (self.done.len() < MOST_DONE || first == self.counted).then_some(first)
    }

    /// A task counts.
    fn count(&mut self, done: Done<Found>) -> Found {
        self.work = self.work.saturating_add(done.spent.work);
        self.has_moved |= done.has_moved;
        if let Some(forks) = &mut self.forks {
            *forks = forks.saturating_sub(done.spent.forks);
        }
        let left = done.left;
        if done.spent.was_halted {
            self.left.extend(left);
        } else {
            self.next.extend(left);
        }
        done.found
    }

    fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        let running = self.running.values().map(|r| &r.assignment);
        let done = self.done.values().map(|d| &d.assignment);
        self.waiting.values().chain(running).chain(done)
    }
}

impl<Found> Dispatch for Rounds<Found> {
    fn expect(&mut self, _: usize) {}

    fn join(&mut self, worker: WorkerId) {
        self.leave(worker);
        self.idle.insert(worker);
    }

    fn load(&mut self, _: WorkerId, _: u64) {}

    fn ahead(&mut self, worker: WorkerId, new: Vec<New>) {
        if let Some(running) = self.running.get_mut(&worker) {
            let entries = new.into_iter();
            let entries = entries.map(|new| PrefixEntry::kept(new.prefix, &self.shelf));
            running.ahead.extend(entries);
        }
    }

    fn died(&mut self, worker: WorkerId, ran: Option<Key>, how: Death) -> Option<SetAside> {
        self.idle.remove(&worker);
        let Running {
            first,
            mut assignment,
            ..
        } = self.running.remove(&worker)?;
        let mut aside = None;
        let blamed = (0..).take(assignment.entries.len());
        let blamed = blamed.map(|i| Key::leased(first + i as u64));
        if let Some(at) = blamed.into_iter().position(|key| Some(key) == ran)
            && assignment.entries[at].blame(how)
        {
            aside = Some(SetAside(assignment.entries.remove(at).read()));
        }
        // Also if nothing is left of it: its number has to come.
        self.waiting.insert(assignment.number, assignment);
        aside
    }

    fn leave(&mut self, worker: WorkerId) {
        self.idle.remove(&worker);
        if let Some(running) = self.running.remove(&worker) {
            self.left.extend(running.assignment.entries);
        }
    }

    fn orders(&mut self) -> Vec<(WorkerId, Order)> {
        let mut orders = Vec::new();
        if self.is_between_rounds() && !self.next.is_empty() {
            self.begin_round();
        }
        while let Some(number) = self.may_begin()
            && let Some(worker) = self.idle.pop_first()
            && let Some(mut assignment) = self.waiting.remove(&number)
        {
            let first = self.leases;
            let mut prefixes = Vec::new();
            assignment.entries.retain(|entry| {
                match entry.read() {
                    Ok(prefix) => {
                        prefixes.push((Key::leased(self.leases), prefix));
                        self.leases += 1;
                        return true;
                    }
                    Err(why) => Unreadable::add(&mut self.unreadable, why),
                }
                false
            });
            let task = Task {
                number: assignment.number,
                budget: assignment.budget,
                known: Prefix::new(),
                prefixes,
            };
            orders.push((
                worker,
                Order::Task {
                    round: self.round,
                    task,
                },
            ));
            let running = Running {
                first,
                assignment,
                ahead: Vec::new(),
            };
            self.running.insert(worker, running);
        }
        orders
    }

    fn is_done(&self) -> bool {
        self.is_between_rounds() && self.next.is_empty()
    }

    fn has_work(&self, worker: WorkerId) -> bool {
        self.running.contains_key(&worker)
    }

    fn is_idle(&self, worker: WorkerId) -> bool {
        !self.running.contains_key(&worker)
    }

    fn queued(&self) -> usize {
        let waiting = self.waiting.values().map(|a| a.entries.len());
        waiting.sum::<usize>() + self.next.len()
    }

    fn unreadable(&mut self) -> Option<Unreadable> {
        self.unreadable.take()
    }

    fn abandoned(&self) -> Vec<Arc<Piece>> {
        let running = self.running.values().map(|r| &r.assignment);
        let waiting = self.waiting.values();
        let entries = waiting.chain(running).flat_map(|a| &a.entries);
        let all = entries.chain(&self.next);
        all.map(|e| e.prefix.clone()).collect()
    }

    fn frontier(&self) -> Vec<Arc<Piece>> {
        let entries = self.assignments().flat_map(|a| &a.entries);
        let all = entries.chain(&self.next).chain(&self.left);
        all.map(|e| e.prefix.clone()).collect()
    }

    fn changes(&mut self) -> Option<FrontierChanges> {
        // Its order counts, which is another one after each round.
        None
    }
}

impl<Found> Settle<Found> for Rounds<Found> {
    fn commit(
        &mut self,
        worker: WorkerId,
        commit: Commit,
        found: Found,
    ) -> Result<Vec<Found>, String> {
        if self.idle.remove(&worker) && commit.is_last {
            // There was nothing for it to do.
            return Ok(Vec::new());
        }
        let Some(Running {
            first, assignment, ..
        }) = self.running.get(&worker)
        else {
            return Err("it has no task".into());
        };
        let mut gone = vec![false; assignment.entries.len()];
        for key in &commit.change.gone {
            let at = key.0.checked_sub(Key::leased(*first).0);
            let gone = at.and_then(|at| gone.get_mut(usize::try_from(at).ok()?));
            let Some(gone) = gone else {
                return Err(format!("it gives back {key:?}, which it does not have"));
            };
            *gone = true;
        }
        self.ahead(worker, commit.change.new);
        let Some(running) = self.running.remove(&worker) else {
            return Err("it has no task".into());
        };
        let Running {
            assignment, ahead, ..
        } = running;
        // What it did not come to is last: the next one begins with the last.
        let untouched = assignment.entries.iter().zip(&gone);
        let untouched = untouched.filter(|&(_, &gone)| !gone);
        let untouched = untouched.map(|(entry, _)| PrefixEntry::of(entry.prefix.clone()));
        let left = ahead.into_iter().chain(untouched).collect();
        let done = Done {
            left,
            spent: commit.spent,
            has_moved: !commit.change.gone.is_empty(),
            found,
            assignment,
        };
        self.done.insert(done.assignment.number, done);
        let mut counted = Vec::new();
        while let Some(done) = self.done.remove(&self.counted) {
            self.counted += 1;
            counted.push(self.count(done));
        }
        Ok(counted)
    }

    fn close(&mut self) -> Vec<Found> {
        let done = std::mem::take(&mut self.done);
        done.into_values().map(|done| self.count(done)).collect()
    }
}
