//! The coordinator among workers that are honest, die, lie, say nothing and come late. There are no processes, no sockets and no clock: what
//! happens is decided by a seed, and what it comes to is compared with the tree that is explored.
//!
//! At each step each leaf of the tree is in one place: it is explored and counts, it is below a prefix that is left, or it is below one that was set
//! aside.

mod puppet;
mod tree;

use super::plan::{Plan, Prefixes, RoundLimits};
use super::{Advance, Crew};
use crate::jobs::board::Board;
use crate::jobs::checkpoint::Checkpoint;
use crate::jobs::explored::Explored;
use crate::jobs::{Welcome, share_of_memory};
use crate::plan::{ProgressForm, Tests};
use crate::progress::Progress;
use crate::record::Nothing;
use crate::record::{Atlas, Cases, Recorder};
use explore::{Ending, Loss, PathEnd, PathOutcome, Place, Places};
use fleet::{Death, ToWorker};
use host::blob::Blob;
use host::shelf::Shelf;
use host::{Stop, TimeLimits};
use puppet::{Lie, Mood, PROGRAM, Puppets, Stage};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use testcase::{Coverage, OutputDir, Reserved, frontier};
use testkit::Random;
use tree::{Node, Tree};

/// What is known of places: all that was said to be covered, in its order.
#[derive(Clone)]
struct Log {
    places: usize,
    /// As often as it was said.
    said: Rc<RefCell<Vec<Place>>>,
    is_over: bool,
}

impl Atlas for Log {
    fn check(&self, news: &Places) -> Result<(), String> {
        match news.covered.iter().find(|&&p| p >= self.places as Place) {
            Some(place) => Err(format!("there is no place {place}")),
            None => Ok(()),
        }
    }

    fn take_in(&mut self, news: &Places) -> Result<Vec<Place>, String> {
        self.check(news)?;
        if !self.is_over {
            self.said.borrow_mut().extend(&news.covered);
        }
        Ok(news.covered.clone())
    }

    fn all(&self) -> Places {
        Places::of(self.said.borrow().clone())
    }

    /// What the scout has covered is forgotten when everything is explored.
    fn clear(&mut self) {
        self.is_over = true;
    }

    fn branches(&self) -> (u64, u64) {
        (0, 0)
    }

    fn instructions(&self) -> (u64, u64) {
        (0, 0)
    }

    fn coverage(&mut self) -> Coverage {
        Coverage::default()
    }
}

/// A run, and where it happens.
struct Scene {
    seed: u64,
    jobs: u32,
    memory: u64,
    in_rounds: bool,
    /// What an earlier run has left.
    begin: Option<Checkpoint>,
    tree: Rc<Tree>,
    stage: Rc<RefCell<Stage>>,
    said: Rc<RefCell<Vec<Place>>>,
    /// What was set aside.
    aside: Arc<Mutex<Vec<Node>>>,
    stop: Stop,
    out: tempfile::TempDir,
    recorder: Recorder,
}

impl Scene {
    fn new(seed: u64, jobs: u32) -> Scene {
        let tree = Rc::new(Tree::new(8));
        let stop = Stop::new();
        let stage = Rc::new(RefCell::new(Stage::new(tree.clone(), seed, stop)));
        let out = tempfile::tempdir().expect("a directory");
        let place = Reserved::new(Some(out.path()), out.path()).expect("an empty directory");
        let place = OutputDir::begin(place).expect("a directory for results");
        let said = Rc::new(RefCell::new(Vec::new()));
        let log = Log {
            places: tree.size(),
            said: said.clone(),
            is_over: false,
        };
        let cases = Cases {
            tests: Tests::All,
            given: Box::new(Nothing),
        };
        let progress = Progress::new(ProgressForm::Line, true);
        Scene {
            seed,
            jobs,
            memory: 0,
            in_rounds: false,
            begin: None,
            tree,
            stage,
            said,
            aside: Arc::default(),
            stop,
            out,
            recorder: Recorder::new(Arc::new(place), progress, cases, Box::new(log)),
        }
    }

    fn stage(&self) -> std::cell::RefMut<'_, Stage> {
        self.stage.borrow_mut()
    }

    /// Goes on with what an earlier run has left.
    fn goes_on(&mut self, left: Checkpoint) {
        self.recorder.goes_on(left.next_test, Duration::ZERO, 0.0);
        self.begin = Some(left);
    }

    fn plan(&mut self) -> Plan {
        let board = Board::new(self.jobs + 1, self.tree.size()).expect("memory");
        let shelf = Shelf::new(self.out.path(), 200, 1 << 20);
        let blob = Blob::new(&[0]).expect("memory");
        let aside = self.aside.clone();
        let lost = move |prefix: &[u8]| {
            aside.lock().expect("no panic").push(prefix.to_vec());
            Ok(PathEnd {
                outcome: PathOutcome::Internal("it crashes its workers".into()),
                is_new: true,
                covered_new: false,
                is_ahead: false,
                start: 0,
                instructions: 0,
                stack: None,
                objects: Vec::new(),
                input: None,
            })
        };
        Plan {
            jobs: self.jobs,
            cluster: None,
            cpu_time: Duration::ZERO,
            rich: Duration::ZERO,
            welcome: Welcome {
                class_path: None,
                plan: String::new(),
                program: PROGRAM.into(),
                results: self.out.path().into(),
                frontend: String::new(),
                ir: PathBuf::new(),
                invented: harness::Invented::default(),
                elapsed: Duration::ZERO,
                board: board.path().expect("a path"),
                seat: 0,
                number: 0,
                memory: share_of_memory(self.memory, self.jobs),
                grace: Duration::from_millis(100),
                has_task: self.in_rounds,
                scouts: None,
                spill: None,
            },
            _ir: blob,
            board,
            program: PROGRAM.into(),
            begin: self.begin.take().unwrap_or_else(|| Checkpoint {
                prefixes: vec![Arc::new(shelf.put(Node::new()))],
                ..Checkpoint::default()
            }),
            shelf,
            memory: self.memory,
            stop: self.stop,
            limits: TimeLimits {
                started: Instant::now(),
                wall: None,
                cpu: None,
            },
            pids: Arc::default(),
            prefixes: Prefixes {
                lost: Box::new(lost),
                open: None,
            },
            scout: None,
            rounds: self.in_rounds.then_some(RoundLimits {
                max_forks: None,
                least_work: 60_000_000,
            }),
        }
    }

    /// The coordinator, before it has done anything.
    fn crew(&mut self) -> Crew<'_> {
        let plan = self.plan();
        let advance = Advance::none(&plan, Box::new(Puppets(self.stage.clone())));
        Crew::new(plan, advance, &mut self.recorder).expect("a crew")
    }

    /// Explores, and looks at each step where everything is.
    fn explore(&mut self) -> anyhow::Result<Explored> {
        let (seed, tree) = (self.seed, self.tree.clone());
        let (said, aside) = (self.said.clone(), self.aside.clone());
        let mut crew = self.crew();
        loop {
            match crew.outcome() {
                ControlFlow::Continue(()) => crew.step()?,
                ControlFlow::Break(halt) => return crew.conclude(halt),
            }
            let left = Checkpoint {
                prefixes: crew.dispatch.frontier(),
                ..crew.checkpoint()
            };
            assert_eq!(
                left.totals.counters.completed as usize,
                said.borrow().len(),
                "seed {seed}: what a later run begins with counts what was explored"
            );
            let aside = aside.lock().expect("no panic").clone();
            divides(seed, &tree, &said.borrow(), &read(&left), &aside);
        }
    }

    /// What is left on the disk.
    fn left(&self) -> Option<Checkpoint> {
        let kept = frontier::read(self.out.path()).expect("it can be read")?;
        let shelf = Shelf::in_memory();
        Some(Checkpoint::read(kept, &shelf).expect("it can be read"))
    }

    fn aside(&self) -> Vec<Node> {
        self.aside.lock().expect("no panic").clone()
    }

    /// Was this said to the user?
    fn was_said(&self, words: &str) -> bool {
        let said = &self.recorder.progress.said;
        said.iter().any(|text| text.contains(words))
    }

    /// Everything was explored, once, and it is said so.
    fn assert_complete(&self, explored: &Explored) {
        let seed = self.seed;
        assert_eq!(explored.halted, None, "seed {seed}");
        divides(seed, &self.tree, &self.said.borrow(), &[], &[]);
        let n = &explored.totals.counters;
        let size = self.tree.size() as u64;
        assert_eq!((n.completed, n.partial), (size, 0), "seed {seed}");
        let wanted = if self.stage().writes { size } else { 0 };
        let written = u64::from(self.recorder.next_test() - 1);
        assert_eq!(written, wanted, "seed {seed}: tests");
        assert!(self.recorder.has_nothing_left, "seed {seed}");
    }
}

/// The prefixes that are left.
fn read(left: &Checkpoint) -> Vec<Node> {
    let prefixes = left.prefixes.iter();
    let bytes = prefixes.map(|piece| piece.read().expect("it can be read").into_owned());
    bytes.collect()
}

/// Each leaf is explored, below one prefix that is left, or below one that was set aside, and that once.
fn divides(seed: u64, tree: &Tree, explored: &[Place], left: &[Node], aside: &[Node]) {
    let mut all = explored.to_vec();
    for node in left.iter().chain(aside) {
        all.extend(tree.below(node));
    }
    all.sort_unstable();
    let twice = all.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "seed {seed}: a leaf is in two places");
    assert_eq!(all.len(), tree.size(), "seed {seed}: leaves are lost");
}

/// A stage on which honest workers die now and then.
fn random_scene(seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let scene = Scene::new(seed, 1 + random.below(6) as u32);
    scene.stage().dies = random.pick(&[0, 0, 200, 60]);
    scene.stage().writes = seed.is_multiple_of(8);
    scene
}

#[test]
fn honest_workers_explore_everything_once_however_they_take_turns_and_die() {
    let _limit = testkit::limit();
    let mut deaths = 0;
    for seed in 1..=40 {
        let mut scene = random_scene(seed);
        let explored = scene.explore().expect("it can be explored");
        scene.assert_complete(&explored);
        deaths += scene.stage().deaths;
    }
    assert!(deaths > 40, "{deaths} deaths");
}

/// Some workers tell a lie once they have something to explore.
fn lie(lie: Lie, in_rounds: bool) {
    let _limit = testkit::limit();
    let mut lies = 0;
    for seed in 1..=8 {
        let mut scene = Scene::new(seed, 3);
        scene.in_rounds = in_rounds;
        let mut liars = 4;
        scene.stage().mood = Box::new(move |random| {
            if liars > 0 && random.chance(50) {
                liars -= 1;
                return Mood::Lies(lie);
            }
            Mood::Honest
        });
        let explored = scene.explore();
        let explored = explored.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        scene.assert_complete(&explored);
        let told = scene.stage().lies;
        let is_named = scene.was_said("makes no sense");
        assert_eq!(told > 0, is_named, "seed {seed}");
        lies += told;
    }
    assert!(lies > 8, "{lies} lies");
}

#[test]
fn who_gives_back_what_it_does_not_have_is_not_believed() {
    lie(Lie::ForeignKey, false);
}

#[test]
fn who_gives_back_a_part_of_another_task_is_not_believed() {
    lie(Lie::ForeignKey, true);
}

#[test]
fn who_invents_a_lease_is_not_believed() {
    lie(Lie::Lease, false);
}

#[test]
fn two_prefixes_of_one_name_are_not_believed() {
    lie(Lie::Twice, false);
}

#[test]
fn who_covers_what_there_is_not_is_not_believed() {
    lie(Lie::Place, false);
    lie(Lie::Place, true);
}

#[test]
fn a_report_that_is_none_is_not_believed() {
    lie(Lie::Garbage, false);
    lie(Lie::Garbage, true);
}

#[test]
fn a_part_of_a_report_that_is_none_is_not_believed() {
    lie(Lie::GarbageAhead, false);
    lie(Lie::GarbageAhead, true);
}

#[test]
fn who_greets_again_still_has_what_it_got() {
    lie(Lie::Greeting, false);
}

#[test]
fn who_greets_again_still_has_its_task() {
    lie(Lie::Greeting, true);
}

#[test]
fn who_leaves_without_a_reason_leaves_what_it_has_to_others() {
    lie(Lie::Leaving, false);
}

#[test]
fn after_what_is_not_believed_nothing_is_heard_of_a_worker() {
    lie(Lie::Torn, false);
}

#[test]
fn what_comes_after_the_end_of_its_worker_counts_for_nothing() {
    let _limit = testkit::limit();
    for seed in 1..=20 {
        let mut scene = random_scene(seed);
        scene.in_rounds = seed.is_multiple_of(2);
        scene.stage().dies = 30;
        scene.stage().comes_late = true;
        let explored = scene.explore().expect("it can be explored");
        scene.assert_complete(&explored);
    }
}

#[test]
fn who_never_says_a_word_does_not_hinder_the_others() {
    let _limit = testkit::limit();
    for seed in 1..=10 {
        let mut scene = Scene::new(seed, 3);
        let mut silent = 2;
        scene.stage().mood = Box::new(move |_| {
            silent -= 1;
            if silent >= 0 {
                Mood::Silent
            } else {
                Mood::Honest
            }
        });
        let explored = scene.explore().expect("it can be explored");
        scene.assert_complete(&explored);
    }
}

#[test]
fn no_more_is_heard_while_much_waits_to_be_written() {
    let mut scene = Scene::new(1, 1);
    // Half of the coordinator's part: 32 KiB.
    scene.memory = 1 << 20;
    let (findings, stage) = (scene.stage().findings(20), scene.stage.clone());
    let mut crew = scene.crew();
    findings.into_iter().for_each(|f| crew.await_writing(f));
    assert!(crew.unwritten_size > crew.unwritten_most());
    let stranger = super::WorkerId(7);
    stage.borrow_mut().greet(stranger, PROGRAM);
    // Each test takes as long as a turn.
    stage.borrow_mut().tick = super::TURN / 2;
    let waits = |stage: &Rc<RefCell<Stage>>| stage.borrow().heard.len();
    while crew.unwritten_size >= crew.unwritten_most() {
        assert_eq!(waits(&stage), 1, "{} bytes", crew.unwritten_size);
        let before = crew.unwritten.len();
        crew.turn().expect("nobody is there");
        assert!(crew.unwritten.len() < before, "nothing is written");
    }
    crew.turn().expect("nobody is there");
    assert_eq!(waits(&stage), 0, "{} bytes", crew.unwritten_size);
}

#[test]
fn a_run_whose_tests_take_long_to_write_is_complete() {
    let _limit = testkit::limit();
    for seed in 1..=2 {
        let mut scene = random_scene(seed);
        scene.memory = 1 << 20;
        scene.stage().writes = true;
        scene.stage().weight = 4 << 10;
        scene.stage().tick = Duration::from_millis(3);
        let explored = scene.explore().expect("it can be explored");
        scene.assert_complete(&explored);
    }
}

#[test]
fn who_needs_much_memory_gets_what_the_others_do_not_need() {
    const MIB: u64 = 1 << 20;
    let mut scene = Scene::new(1, 4);
    scene.memory = 1024 * MIB;
    // They take what there is to do, and go on for ever.
    scene.stage().mood = Box::new(|_| Mood::Mute);
    let large = super::WorkerId(1);
    scene.stage().memory = Box::new(move |id| if id == large { 200 } else { 10 } * MIB);
    let stage = scene.stage.clone();
    let end = stage.borrow().now + Duration::from_secs(3);
    let mut crew = scene.crew();
    while stage.borrow().now < end {
        crew.step().expect("it goes on");
    }
    let parts = |crew: &Crew<'_>| -> Vec<u64> { crew.members.values().map(|m| m.memory).collect() };
    let all = crew.plan.welcome.memory * 4;
    let before = parts(&crew);
    assert!(before.iter().sum::<u64>() <= all, "{before:?}");
    assert!(before[0] >= before[1] + 190 * MIB, "{before:?}");
    assert!(before.iter().all(|&part| part > 10 * MIB), "{before:?}");
    let told = |id| {
        let stage = stage.borrow();
        let words = stage.puppets[&id].inbox.iter();
        let mut told = words.filter_map(|word| match word {
            ToWorker::Memory(bytes) => Some(*bytes),
            _ => None,
        });
        told.next_back()
    };
    assert_eq!(told(large), Some(before[0]));
    // Who comes in place of another gets no more than what is free.
    let small = super::WorkerId(2);
    stage.borrow_mut().ends(small, Death::Killed);
    while crew.members.contains_key(&small) || crew.members.len() < 4 {
        crew.step().expect("it goes on");
    }
    let after = parts(&crew);
    assert!(after.iter().sum::<u64>() <= all, "{after:?}");
}

#[test]
fn a_run_that_is_stopped_names_what_is_left_and_can_go_on() {
    let _limit = testkit::limit();
    let (mut stopped, mut stuck) = (0, 0);
    for seed in 1..=40 {
        let mut scene = random_scene(seed);
        let after = Random::new(!seed).below(120);
        scene.stage().stops_after = Some(after);
        // Some never answer.
        scene.stage().mood = Box::new(|random| match random.below(6) {
            0 => Mood::Mute,
            1 => Mood::Silent,
            _ => Mood::Honest,
        });
        let explored = scene.explore().expect("it can be explored");
        let Some(halted) = &explored.halted else {
            scene.assert_complete(&explored);
            continue;
        };
        stopped += 1;
        assert!(halted.starts_with("time limit"), "seed {seed}: {halted}");
        stuck += u64::from(halted.contains("stopped inside an operation"));
        let left = scene.left().expect("something is left");
        let prefixes = read(&left);
        divides(seed, &scene.tree, &scene.said.borrow(), &prefixes, &[]);
        // Explored and cut in the results; in what a later run begins with, explored alone.
        let (n, before) = (&explored.totals.counters, &left.totals.counters);
        let said = scene.said.borrow().len() as u64;
        assert_eq!((n.completed, before.completed), (said, said), "seed {seed}");
        assert_eq!(before.partial, 0, "seed {seed}");
        let cut = prefixes.len() as u64;
        assert_eq!(
            (n.partial, n.endings.of(Ending::Time)),
            (cut, cut),
            "seed {seed}"
        );
        // With another number of workers, and in the other way perhaps.
        let mut later = Scene::new(!seed, 1 + (seed % 3) as u32);
        later.in_rounds = seed.is_multiple_of(4);
        later.stage().writes = scene.stage().writes;
        later.goes_on(left);
        let explored = later.explore().expect("it can be explored");
        later.assert_complete(&explored);
    }
    assert!(
        stopped > 20 && stuck > 5,
        "{stopped} stopped, {stuck} stuck"
    );
}

#[test]
fn a_path_that_crashes_two_workers_is_set_aside_and_named() {
    let _limit = testkit::limit();
    for seed in 1..=20 {
        let mut scene = Scene::new(seed, 1 + (seed % 4) as u32);
        let poison = Random::new(seed).below(scene.tree.size() as u64);
        scene.stage().poison = Some(poison);
        let explored = scene.explore().expect("it can be explored");
        let aside = scene.aside();
        assert_eq!(aside.len(), 1, "seed {seed}");
        divides(seed, &scene.tree, &scene.said.borrow(), &[], &aside);
        assert!(
            scene.tree.below(&aside[0]).any(|leaf| leaf == poison),
            "seed {seed}"
        );
        let n = &explored.totals.counters;
        assert_eq!(
            (n.endings.of(Ending::Internal), n.partial),
            (1, 1),
            "seed {seed}"
        );
        assert_eq!(
            n.completed as usize,
            scene.said.borrow().len(),
            "seed {seed}"
        );
        assert!(explored.halted.is_some(), "seed {seed}: a loss has a name");
        assert_eq!(explored.totals.losses.of(Loss::Open), 0);
    }
}

#[test]
fn workers_that_end_before_they_begin_end_the_run() {
    let mut scene = Scene::new(1, 2);
    scene.stage().mood = Box::new(|_| Mood::Stillborn);
    let why = scene.explore().err().expect("nobody explores").to_string();
    assert!(why.contains("workers end before they begin"), "{why}");
    // If one in two is, the others do the work.
    let mut scene = Scene::new(1, 2);
    scene.stage().mood = Box::new(|random| {
        if random.chance(50) {
            Mood::Stillborn
        } else {
            Mood::Honest
        }
    });
    scene.stage().dies = 60;
    let explored = scene.explore().expect("it can be explored");
    scene.assert_complete(&explored);
}

#[test]
fn a_worker_of_another_program_ends_the_run() {
    let mut scene = Scene::new(1, 2);
    scene.stage().mood = Box::new(|_| Mood::Foreign);
    let why = scene.explore().err().expect("nobody explores").to_string();
    assert!(why.contains("another program"), "{why}");
}

#[test]
fn rounds_come_to_the_same_in_the_same_order_whoever_explores_or_dies() {
    let _limit = testkit::limit();
    let mut first: Option<Vec<Place>> = None;
    for seed in 1..=30 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new(seed, 1 + random.below(6) as u32);
        scene.in_rounds = true;
        scene.stage().dies = random.pick(&[0, 8, 4]);
        let explored = scene.explore().expect("it can be explored");
        scene.assert_complete(&explored);
        assert_eq!(scene.recorder.beside.repeatable, Some(true), "seed {seed}");
        let order = scene.said.borrow().clone();
        assert_eq!(*first.get_or_insert(order.clone()), order, "seed {seed}");
    }
}

#[test]
fn rounds_that_are_stopped_name_what_is_left_and_can_go_on() {
    let _limit = testkit::limit();
    let mut stopped = 0;
    for seed in 1..=40 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new(seed, 1 + random.below(6) as u32);
        scene.in_rounds = true;
        scene.stage().dies = random.pick(&[0, 8]);
        scene.stage().stops_after = Some(random.below(150));
        let explored = scene.explore().expect("it can be explored");
        if explored.halted.is_none() {
            scene.assert_complete(&explored);
            continue;
        }
        stopped += 1;
        assert_eq!(scene.recorder.beside.repeatable, Some(false), "seed {seed}");
        let left = scene.left().expect("something is left");
        let prefixes = read(&left);
        divides(seed, &scene.tree, &scene.said.borrow(), &prefixes, &[]);
        let (n, later) = (&explored.totals.counters, &left.totals.counters);
        let said = scene.said.borrow().len() as u64;
        assert_eq!((n.completed, later.completed), (said, said), "seed {seed}");
        assert_eq!(
            (n.partial, later.partial),
            (prefixes.len() as u64, 0),
            "seed {seed}"
        );
    }
    assert!(stopped > 20, "{stopped} stopped");
}
