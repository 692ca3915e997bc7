//! Workers without processes, and a clock that somebody has to turn: nothing happens unless the coordinator listens, and what happens then is
//! decided by a seed.

use super::super::{Heard, Surroundings};
use super::tree::{Node, Tree};
use crate::jobs::board::Board;
use crate::jobs::cluster::Entrance;
use crate::jobs::cluster::hall::Offer;
use crate::jobs::member::{Carrier, Event, Fate};
use crate::jobs::{Halted, Report, Swayed, Welcome, link};
use crate::plan::Tests;
use crate::record::{Cases, Finding, Nothing};
use explore::{Ended, Ending, Output, PathEnd, PathInput, PathOutcome, Place, Places, Totals};
use fleet::{Change, Commit, Death, Key, New, Spent, Task, ToCoordinator, ToWorker, WorkerId};
use host::{Cause, Stop};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};
use testkit::Random;

/// The hash of the program that all explore.
pub const PROGRAM: &str = "the program";
/// Work that a node costs: a tenth of what a task may take at least.
const COST: u64 = 6_000_000;
/// What is done until everything is explored, at most.
const MOST: u64 = 200_000;

/// How a worker behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Honest,
    /// It says nothing, ever.
    Silent,
    /// It greets, takes what it gets, and says nothing more.
    Mute,
    /// It ends before it says a word.
    Stillborn,
    /// It is of another version.
    Foreign,
    /// It does so once it has something to explore.
    Lies(Lie),
}

/// What a worker says that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// It gives back what it does not have.
    ForeignKey,
    /// It has a prefix that the coordinator sent, which it did not.
    Lease,
    /// Two prefixes have one name.
    Twice,
    /// It covered what the program does not have.
    Place,
    /// What it found is no report.
    Garbage,
    /// The same of what was sent ahead.
    GarbageAhead,
    /// It greets again.
    Greeting,
    /// It ends as if it had explored all that it has.
    Leaving,
    /// What it found is no report, and then it goes on as if nothing had been.
    Torn,
}

/// A node that waits, with its name if it was told of, and that of which it is a part.
struct Live {
    key: Option<Key>,
    from: Key,
    node: Node,
}

/// A worker.
pub struct Puppet {
    pub mood: Mood,
    pub welcome: Option<Welcome>,
    pub inbox: VecDeque<ToWorker>,
    has_greeted: bool,
    is_gone: bool,
    is_idle: bool,
    death: Death,
    live: Vec<Live>,
    told: BTreeSet<Key>,
    next: u64,
    asked: Option<u32>,
    found: Vec<Place>,
    findings: Vec<Finding>,
    totals: Totals,
}

/// All that happens.
pub struct Stage {
    pub tree: Rc<Tree>,
    pub random: Random,
    pub now: Instant,
    /// What a look at the clock takes.
    pub tick: Duration,
    pub heard: VecDeque<Heard>,
    pub puppets: BTreeMap<WorkerId, Puppet>,
    board: Option<Board>,
    /// How those who are started behave.
    pub mood: Box<dyn FnMut(&mut Random) -> Mood>,
    /// One of so many acts is a death; 0: none.
    pub dies: u64,
    /// Whoever comes to this leaf crashes.
    pub poison: Option<Place>,
    /// After so many acts the run is stopped.
    pub stops_after: Option<u64>,
    pub stop: Stop,
    acts: u64,
    cases: Cases,
    /// Bytes that a worker has.
    pub memory: Box<dyn Fn(WorkerId) -> u64>,
    /// What is heard of who has ended: its last words come after its end.
    pub comes_late: bool,
    /// Deaths, and lies that were told.
    pub deaths: u64,
    pub lies: u64,
    /// Leaves are written, as tests with so many bytes: writing takes most of the time of a run of puppets.
    pub writes: bool,
    pub weight: usize,
}

impl Stage {
    pub fn new(tree: Rc<Tree>, seed: u64, stop: Stop) -> Stage {
        Stage {
            tree,
            random: Random::new(seed),
            now: Instant::now(),
            tick: Duration::from_micros(1),
            heard: VecDeque::new(),
            puppets: BTreeMap::new(),
            board: None,
            mood: Box::new(|_| Mood::Honest),
            dies: 0,
            poison: None,
            stops_after: None,
            stop,
            acts: 0,
            cases: Cases {
                tests: Tests::All,
                given: Box::new(Nothing),
            },
            memory: Box::new(|_| 0),
            comes_late: false,
            deaths: 0,
            lies: 0,
            writes: false,
            weight: 0,
        }
    }

    fn say(&mut self, id: WorkerId, message: ToCoordinator) {
        self.heard
            .push_back(Heard::Worker(Event::Said(id, message)));
    }

    /// A worker's process has ended, which is heard after all that it has said.
    pub fn ends(&mut self, id: WorkerId, death: Death) {
        if let Some(puppet) = self.puppets.get_mut(&id)
            && !std::mem::replace(&mut puppet.is_gone, true)
        {
            puppet.death = death;
            let late = puppet.changes();
            self.heard.push_back(Heard::Worker(Event::Gone(id, None)));
            if self.comes_late {
                let found = self.everything();
                self.say(id, ToCoordinator::Found(link::bytes(&[0u8; 3]).into()));
                self.say(id, ToCoordinator::New(late.change.new.clone()));
                self.say(id, ToCoordinator::Commit(Commit { found, ..late }));
                self.greet(id, PROGRAM);
            }
        }
    }

    /// Somebody does something.
    pub fn act(&mut self) {
        self.acts += 1;
        assert!(self.acts < MOST, "it does not end");
        if self.stops_after.is_some_and(|acts| self.acts > acts) {
            self.stop.set(Cause::Time);
        }
        let there = self.puppets.iter().filter(|(_, p)| !p.is_gone);
        let there: Vec<WorkerId> = there.map(|(&id, _)| id).collect();
        if there.is_empty() {
            return;
        }
        let id = self.random.pick(&there);
        let Some(mut puppet) = self.puppets.remove(&id) else {
            return;
        };
        let end = self.play(id, &mut puppet);
        self.puppets.insert(id, puppet);
        if let Some(death) = end {
            self.ends(id, death);
        }
    }

    /// A worker does something. If it ends, how.
    fn play(&mut self, id: WorkerId, puppet: &mut Puppet) -> Option<Death> {
        match puppet.mood {
            Mood::Silent => return None,
            Mood::Stillborn => return Some(Death::Crashed),
            _ if !puppet.has_greeted => {
                puppet.has_greeted = true;
                let foreign = matches!(puppet.mood, Mood::Foreign);
                let program = if foreign { "another one" } else { PROGRAM };
                self.greet(id, program);
                return None;
            }
            Mood::Mute => return None,
            Mood::Honest | Mood::Foreign | Mood::Lies(_) => {}
        }
        while let Some(message) = puppet.inbox.pop_front() {
            match message {
                ToWorker::Welcome(welcome) => {
                    let welcome = postcard::from_bytes(&welcome);
                    puppet.welcome = Some(welcome.expect("a welcome"));
                }
                ToWorker::Work(prefixes) => puppet.adopt(prefixes),
                ToWorker::Give(n) => puppet.asked = Some(n),
                ToWorker::Task(task) => return self.explore_task(id, puppet, task),
                ToWorker::Memory(_) | ToWorker::Covered(_) => {}
                ToWorker::Stop(cause) => return self.halts(id, puppet, cause),
                ToWorker::Finish => {
                    let last = Commit {
                        is_last: true,
                        ..puppet.changes()
                    };
                    return self.commits(id, puppet, last, None);
                }
            }
        }
        let has_task = puppet.welcome.as_ref().is_some_and(|w| w.has_task);
        if let Mood::Lies(lie) = puppet.mood
            && !puppet.live.is_empty()
            && puppet.told.len() > 1
        {
            return self.lies(id, puppet, lie);
        }
        for _ in 0..self.random.below(6) {
            if let Err(death) = self.explore(puppet) {
                return Some(death);
            }
        }
        if self.dies > 0 && self.random.below(self.dies) == 0 {
            return self.dies();
        }
        let idles = puppet.live.is_empty() && !puppet.is_idle;
        if !has_task && (puppet.asked.is_some() || idles || self.random.chance(40)) {
            let commit = puppet.changes();
            return self.commits(id, puppet, commit, None);
        }
        None
    }

    pub fn greet(&mut self, id: WorkerId, program: &str) {
        let version = env!("CARGO_PKG_VERSION").into();
        let program = program.into();
        self.say(id, ToCoordinator::Hello { version, program });
    }

    fn dies(&mut self) -> Option<Death> {
        self.deaths += 1;
        Some(Death::Killed)
    }

    /// Explores a node, or dies there.
    fn explore(&mut self, puppet: &mut Puppet) -> Result<(), Death> {
        if puppet.live.is_empty() {
            return Ok(());
        }
        let at = self.random.index(puppet.live.len());
        let Live { key, from, node } = puppet.live.swap_remove(at);
        let from = key.unwrap_or(from);
        self.shows(puppet, from);
        if let Some(leaf) = self.tree.leaf(&node) {
            if Some(leaf) == self.poison {
                self.deaths += 1;
                return Err(Death::Crashed);
            }
            puppet.found.push(leaf);
            puppet.totals.counters.completed += 1;
            if self.writes {
                puppet.findings.push(self.finding());
            }
        }
        let below = self.tree.children(&node).into_iter();
        puppet.live.extend(below.map(|node| Live {
            key: None,
            from,
            node,
        }));
        self.shows(puppet, from);
        Ok(())
    }

    /// Shows on the board what a worker works for, and how much it has.
    fn shows(&self, puppet: &Puppet, lease: Key) {
        if let (Some(board), Some(welcome)) = (&self.board, &puppet.welcome) {
            board.see(welcome.seat, lease.0, puppet.live.len() as u64);
        }
    }

    /// So many findings, of 4 KiB each.
    pub fn findings(&mut self, n: usize) -> Vec<Finding> {
        self.weight = 4 << 10;
        (0..n).map(|_| self.finding()).collect()
    }

    /// What is written of a leaf.
    fn finding(&mut self) -> Finding {
        let output = Output {
            stdout: vec![b'x'; self.weight],
            stderr: Vec::new(),
        };
        let end = PathEnd {
            outcome: PathOutcome::Exit(0),
            is_new: false,
            covered_new: false,
            is_ahead: false,
            start: 0,
            instructions: 1,
            stack: None,
            objects: Vec::new(),
            input: Some(PathInput {
                input_objects: 0,
                output,
                hash: None,
                unsteady: Vec::new(),
                arguments: Vec::new(),
                prefix: Vec::new(),
            }),
        };
        let ended = Ended {
            ending: Ending::Exit,
            is_new: false,
            covered_new: false,
        };
        assert!(self.cases.wants(ended));
        self.cases.finding(end, 0.0).packed()
    }

    /// Says what has changed, a part of it ahead.
    fn commits(
        &mut self,
        id: WorkerId,
        puppet: &mut Puppet,
        mut commit: Commit,
        halted: Option<Halted>,
    ) -> Option<Death> {
        if self.random.chance(30) && !commit.change.new.is_empty() {
            let n = self.random.index(commit.change.new.len());
            let ahead = commit.change.new.drain(..n).collect();
            self.say(id, ToCoordinator::New(ahead));
        }
        let mut findings = std::mem::take(&mut puppet.findings);
        if self.random.chance(30) {
            let ahead = link::bytes(&std::mem::take(&mut findings));
            self.say(id, ToCoordinator::Found(ahead.into()));
            // It may die before the commit for which that was.
            if self.dies > 0 && self.random.chance(10) {
                return self.dies();
            }
        }
        let report = Report {
            findings,
            totals: puppet.totals.clone(),
            places: Places::of(std::mem::take(&mut puppet.found)),
            halted,
            ..Report::default()
        };
        commit.found = link::bytes(&report).into();
        puppet.is_idle = commit.is_idle;
        let is_last = commit.is_last;
        self.say(id, ToCoordinator::Commit(commit));
        is_last.then_some(Death::Killed)
    }

    /// The run has to end: what is alive ends with it, once it was told of.
    fn halts(&mut self, id: WorkerId, puppet: &mut Puppet, cause: u8) -> Option<Death> {
        let mut last = Commit {
            is_last: true,
            ..Commit::default()
        };
        if puppet.welcome.as_ref().is_some_and(|w| w.has_task) {
            return self.commits(id, puppet, last, None);
        }
        let told = puppet.changes();
        if let Some(death) = self.commits(id, puppet, told, None) {
            return Some(death);
        }
        puppet.cut();
        last.is_idle = false;
        self.commits(id, puppet, last, Some(Halted::Stopped(cause)))
    }

    /// Explores a task in an order of its own, whatever else there is.
    fn explore_task(&mut self, id: WorkerId, puppet: &mut Puppet, task: Task) -> Option<Death> {
        let mut random = Random::new(task.number);
        std::mem::swap(&mut self.random, &mut random);
        puppet.adopt(task.prefixes);
        if let Mood::Lies(lie) = puppet.mood {
            std::mem::swap(&mut self.random, &mut random);
            return self.lies(id, puppet, lie);
        }
        let is_stopped = puppet.inbox.iter().find_map(|word| match word {
            ToWorker::Stop(cause) => Some(*cause),
            _ => None,
        });
        let mut spent = Spent::default();
        let mut died = None;
        while spent.work < task.budget.work
            && !puppet.live.is_empty()
            && !(is_stopped.is_some() && spent.work > 3 * COST)
            && died.is_none()
        {
            died = self.explore(puppet).err();
            spent.work += COST;
        }
        std::mem::swap(&mut self.random, &mut random);
        if died.is_some() {
            return died;
        }
        if self.dies > 0 && self.random.below(self.dies) == 0 {
            return self.dies();
        }
        let mut commit = puppet.changes();
        commit.is_last = true;
        commit.is_idle = false;
        spent.was_halted = is_stopped.is_some() && !puppet.live.is_empty();
        commit.spent = spent;
        let before_end = spent.was_halted.then(|| puppet.totals.clone());
        if spent.was_halted {
            puppet.cut();
        }
        let report = Report {
            findings: std::mem::take(&mut puppet.findings),
            totals: puppet.totals.clone(),
            places: Places::of(std::mem::take(&mut puppet.found)),
            halted: is_stopped.filter(|_| spent.was_halted).map(Halted::Stopped),
            swayed: before_end.as_ref().map(|_| Swayed::Clock),
            before_end,
            ..Report::default()
        };
        commit.found = link::bytes(&report).into();
        self.say(id, ToCoordinator::Commit(commit));
        Some(Death::Killed)
    }

    /// A report in which everything is covered: if it is believed, that is seen.
    fn everything(&self) -> serde_bytes::ByteBuf {
        let places = Places::of(self.tree.below(&[]).collect());
        let report = Report {
            places,
            ..Report::default()
        };
        link::bytes(&report).into()
    }

    /// Says what cannot be.
    fn lies(&mut self, id: WorkerId, puppet: &mut Puppet, lie: Lie) -> Option<Death> {
        self.lies += 1;
        let gone: Vec<Key> = puppet.told.iter().copied().collect();
        let mut commit = Commit {
            found: self.everything(),
            ..Commit::default()
        };
        let new = |key| New {
            key,
            from: Key::own(0),
            prefix: vec![0].into(),
        };
        match lie {
            Lie::ForeignKey => {
                commit.change.gone = gone;
                commit.change.gone.push(Key::leased(1 << 40));
            }
            Lie::Lease => {
                commit.change.gone = gone;
                commit.change.new.push(new(Key::leased(1 << 40)));
            }
            Lie::Twice => {
                commit.change.gone = gone;
                let key = Key::own(1 << 40);
                commit.change.new.extend([new(key), new(key)]);
            }
            Lie::Place => {
                commit.change.gone = gone;
                let report = Report {
                    places: Places::of(vec![0, self.tree.size() as Place]),
                    ..Report::default()
                };
                commit.found = link::bytes(&report).into();
            }
            Lie::Garbage => {
                commit.change.gone = gone;
                commit.found = vec![0xff; 40].into();
            }
            Lie::GarbageAhead => {
                commit.change.gone = gone;
                self.say(id, ToCoordinator::Found(vec![0xff; 40].into()));
            }
            Lie::Greeting => {
                self.greet(id, PROGRAM);
                puppet.mood = Mood::Mute;
                return None;
            }
            Lie::Leaving => {
                let report = Report {
                    totals: puppet.totals.clone(),
                    places: Places::of(std::mem::take(&mut puppet.found)),
                    findings: std::mem::take(&mut puppet.findings),
                    ..Report::default()
                };
                commit.found = link::bytes(&report).into();
                commit.is_last = true;
                self.say(id, ToCoordinator::Commit(commit));
                return Some(Death::Killed);
            }
            Lie::Torn => {
                for _ in 0..40 {
                    if let Err(death) = self.explore(puppet) {
                        return Some(death);
                    }
                }
                commit = puppet.changes();
                commit.found = vec![0xff; 40].into();
                puppet.found.clear();
                puppet.findings.clear();
                self.say(id, ToCoordinator::Commit(commit));
                let next = puppet.changes();
                return self.commits(id, puppet, next, None);
            }
        }
        self.say(id, ToCoordinator::Commit(commit));
        None
    }
}

impl Puppet {
    fn adopt(&mut self, prefixes: Vec<(Key, fleet::Prefix)>) {
        self.is_idle = false;
        for (key, prefix) in prefixes {
            self.told.insert(key);
            self.live.push(Live {
                key: Some(key),
                from: key,
                node: prefix.into_vec(),
            });
        }
    }

    /// A commit of what has changed since the last one.
    fn changes(&mut self) -> Commit {
        let asked = self.asked.take();
        let mut given = Vec::new();
        for _ in 0..asked.unwrap_or(0) {
            if self.live.len() > 1 {
                given.push(self.live.remove(0).node.into());
            }
        }
        let (mut new, mut now) = (Vec::new(), BTreeSet::new());
        for live in &mut self.live {
            let key = *live.key.get_or_insert_with(|| {
                self.next += 1;
                let key = Key::own(self.next);
                new.push(New {
                    key,
                    from: live.from,
                    prefix: live.node.clone().into(),
                });
                key
            });
            now.insert(key);
        }
        let gone = self.told.difference(&now).copied().collect();
        self.told = now;
        Commit {
            change: Change { gone, new, given },
            is_idle: self.live.is_empty(),
            answers: asked.is_some(),
            ..Commit::default()
        }
    }

    /// What is alive ends with the run.
    fn cut(&mut self) {
        let n = &mut self.totals.counters;
        n.partial += self.live.len() as u64;
        n.endings.add(Ending::Time, self.live.len() as u64);
        self.live.clear();
    }
}

/// What the coordinator has of all that.
pub struct Puppets(pub Rc<RefCell<Stage>>);

impl Surroundings for Puppets {
    fn now(&self) -> Instant {
        let mut stage = self.0.borrow_mut();
        let tick = stage.tick;
        stage.now += tick;
        stage.now
    }

    fn hear(&mut self, patience: Duration) -> Option<Heard> {
        let mut stage = self.0.borrow_mut();
        if stage.heard.is_empty() && !patience.is_zero() {
            for _ in 0..=stage.random.below(3) {
                stage.act();
            }
        }
        let heard = stage.heard.pop_front();
        if heard.is_none() {
            stage.now += patience;
        }
        heard
    }

    fn start(&mut self, id: WorkerId) -> io::Result<Box<dyn Carrier>> {
        let mut guard = self.0.borrow_mut();
        let stage = &mut *guard;
        let puppet = Puppet {
            mood: (stage.mood)(&mut stage.random),
            welcome: None,
            inbox: VecDeque::new(),
            has_greeted: false,
            is_gone: false,
            is_idle: true,
            death: Death::Killed,
            live: Vec::new(),
            told: BTreeSet::new(),
            next: 0,
            asked: None,
            found: Vec::new(),
            findings: Vec::new(),
            totals: Totals::default(),
        };
        assert!(stage.puppets.insert(id, puppet).is_none(), "{id:?} twice");
        let stage = self.0.clone();
        Ok(Box::new(Strings { id, stage }))
    }

    fn admit(&mut self, _: Entrance, _: Offer) -> io::Result<()> {
        unreachable!("there are no other machines")
    }

    fn memory(&self) -> u64 {
        0
    }

    fn memory_of(&self, pid: u32) -> Option<u64> {
        Some((self.0.borrow().memory)(WorkerId(pid)))
    }

    fn time_of(&self, _: u32) -> Option<Duration> {
        None
    }
}

/// What leads to a puppet.
struct Strings {
    id: WorkerId,
    stage: Rc<RefCell<Stage>>,
}

impl Carrier for Strings {
    fn say(&mut self, message: ToWorker) {
        let mut stage = self.stage.borrow_mut();
        if let ToWorker::Welcome(welcome) = &message
            && stage.board.is_none()
        {
            let welcome: Welcome = postcard::from_bytes(welcome).expect("a welcome");
            stage.board = Some(Board::open(&welcome.board).expect("a board"));
        }
        if let Some(puppet) = stage.puppets.get_mut(&self.id) {
            puppet.inbox.push_back(message);
        }
    }

    fn kill(&mut self) {
        self.stage.borrow_mut().ends(self.id, Death::Killed);
    }

    fn pid(&self) -> Option<u32> {
        Some(self.id.0)
    }

    fn bury(&mut self, has_ended: bool) -> Fate {
        let stage = self.stage.borrow();
        let puppet = &stage.puppets[&self.id];
        assert!(has_ended || puppet.is_gone, "nobody waits for who lives on");
        Fate {
            death: puppet.death,
            words: "as the test has it".into(),
        }
    }
}
