//! Several workers explore one program, in both modes: they give each other prefixes, through the coordinator of crate `fleet`, and
//! die at any time. The paths must be those of one worker, each once.

use explore::{Ended, Exploration, InDoubt, PathEnd, PathOutcome, Sink};
use fleet::{Change, Commit, Coordinator, Death, Dispatch, Key, New, Order, Prefix, WorkerId};
use host::shelf::Shelf;
use ir::Verified;
use polypath_exec::{
    Concolic, Engine, Machine, MachineOptions, Policy, RunLimits, State, Subject, first_prefixes,
};
use solver::{Solver, SolverOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use testkit::Random;

/// 3^7 paths: branches, an address that means one of two objects, an array, a switch, and an error on each path but one.
const PROGRAM: &str = r#"
entry main main
extern klee_make_symbolic
global x size 7
global name size 2 "x"
constant a size 4 "\01\02\03\04"
constant b size 4 "\05\06\07\08"
global seen size 256

function main(32, 64, 64) -> (32)
    CallSite extern klee_make_symbolic(64 &x, 64 7, 64 &name) -> ()
    r3 = Copy.64 0
    r10 = Copy.32 0
again:
    r4 = LoadIndex.1 &x, r3, scale 1
    r5 = Zext.8.64 r4
    CmpBranch.Ult.8 r4, 100, low, high
low:
    StoreIndex.1 &seen, r5, scale 1, 7
    r10 = Add.32 r10, 1
    Jump next
high:
    r6 = Ult.8 r4, 200
    r7 = Select.64 r6, &a, &b
    r8 = LoadOffset.1 r7, offset 2
    r9 = Zext.8.32 r8
    r10 = Add.32 r10, r9
next:
    r3 = Add.64 r3, 1
    CmpBranch.Ult.64 r3, 7, again, done
done:
    Ret r10
"#;

/// What tells a path from others: its choices, its hash, and how it ended.
type Path = (Vec<(u32, u8, u32)>, Option<u64>, String);

fn path(end: PathEnd) -> Path {
    let how = match end.outcome {
        // Paths that differ in their input only are one.
        PathOutcome::Exit(_) => "exit".into(),
        PathOutcome::Error(e) => format!("{}: {}", e.kind.id(), e.message),
        PathOutcome::Cut(ending) => ending.name().into(),
        PathOutcome::Returned(_) | PathOutcome::Thrown(_) => panic!("no end of a C program"),
        PathOutcome::Internal(what) => panic!("the machine contradicts itself: {what}"),
    };
    let input = end.input.expect("it is wanted");
    (input.prefix, input.hash, how)
}

#[allow(clippy::vec_box)]
fn machine(program: &Verified, policy: Policy) -> (Machine, Vec<Box<State>>) {
    let solver = Solver::new(SolverOptions::default());
    let linux = Rc::new(env_c::Linux::default());
    let options = MachineOptions {
        // Otherwise who comes first decides which paths show an error.
        dedupe_errors: false,
        policy,
        ..MachineOptions::default()
    };
    let mut machine = Machine::new(program.clone(), linux, solver, options);
    let first = machine.first_states(memory::Checks::default());
    (machine, first.expect("the program has a beginning"))
}

fn searcher(random: &mut Random) -> Box<dyn search::Searcher> {
    let names = ["dfs", "bfs", "random-state", "random-path"];
    let options = search::SearchOptions {
        seed: random.next(),
        batch_instructions: 0,
    };
    search::parse(names[random.index(names.len())], &options).expect("it exists")
}

fn concolic(program: &Verified, random: &mut Random) -> Concolic {
    let (machine, first) = machine(program, Policy::Record);
    let subject = Subject::new(machine, first, RunLimits::default());
    let names = ["dfs", "bfs", "random", "cover-new"];
    let strategy = search::strategy(names[random.index(names.len())], random.next());
    let partial = [&[][..], solver::Technique::ALL][random.index(2)];
    let options = subject.explorer_options(partial.into());
    Concolic::new(subject, strategy.expect("it exists"), options)
}

/// One that explores with others.
fn shared(program: &Verified, policy: Policy, random: &mut Random) -> Box<dyn Exploration> {
    if policy == Policy::Record {
        return Box::new(concolic(program, random).shared());
    }
    let (machine, first) = machine(program, policy);
    let searcher = searcher(random);
    Box::new(Engine::shared(
        machine,
        searcher,
        first,
        RunLimits::default(),
    ))
}

/// All that there is to explore.
fn beginning(program: &Verified, policy: Policy) -> Vec<Vec<u8>> {
    let (machine, first) = machine(program, policy);
    match policy {
        Policy::Fork => first_prefixes(&machine, &first),
        Policy::Record => {
            let subject = Subject::new(machine, first, RunLimits::default());
            dse::first_prefixes(&subject, Vec::new())
        }
    }
}

#[derive(Default)]
struct Paths(Vec<Path>);

impl Sink for Paths {
    fn wants_input(&mut self, _: Ended) -> bool {
        true
    }

    fn ended(&mut self, end: PathEnd) -> Option<InDoubt> {
        self.0.push(path(end));
        None
    }
}

fn alone(program: &Verified, policy: Policy) -> Vec<Path> {
    let mut paths = Paths::default();
    let mut random = Random::new(1);
    let halted = match policy {
        Policy::Record => {
            let concolic = concolic(program, &mut random);
            concolic.from_inputs(Vec::new()).run(&mut paths)
        }
        Policy::Fork => {
            let (machine, first) = machine(program, policy);
            let searcher = searcher(&mut random);
            Engine::new(machine, searcher, first, RunLimits::default()).run(&mut paths)
        }
    };
    assert_eq!(halted, None);
    paths
        .0
        .sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
    paths.0
}

/// From a worker: what it did since it said so last, or that it died.
type Said = (WorkerId, Option<(Commit, Vec<Path>)>);

/// A worker in a thread.
struct Worker {
    id: WorkerId,
    paths: Paths,
    orders: Receiver<Order>,
    say: Sender<Said>,
    random: Random,
    /// It dies at one of so many looks; 0: it does not.
    dies: u64,
}

impl Worker {
    fn obey(&mut self, engine: &mut dyn Exploration, order: Order) {
        match order {
            Order::Work(prefixes) => {
                for (key, prefix) in prefixes {
                    engine.adopt(key.0, &prefix).expect("it is a prefix");
                }
            }
            Order::Give(n) => {
                let given = engine.give(n as usize);
                self.commit(engine, Some(given));
            }
            Order::Task { .. } => panic!("there are no rounds"),
        }
    }

    fn commit(&mut self, engine: &mut dyn Exploration, given: Option<Vec<Vec<u8>>>) {
        let mut new = Vec::new();
        let changes = engine.changes(false, &mut |told| {
            new.push(New {
                key: Key(told.key),
                from: Key(told.from),
                prefix: told.prefix.to_vec().into(),
            });
            true
        });
        let changes = changes.expect("it was not stopped");
        let commit = Commit {
            answers: given.is_some(),
            is_idle: engine.live() == 0,
            change: Change {
                gone: changes.gone.into_iter().map(Key).collect(),
                new,
                given: given.into_iter().flatten().map(Prefix::from).collect(),
            },
            ..Commit::default()
        };
        let found = std::mem::take(&mut self.paths.0);
        // If nobody listens any more, it is over.
        let _ = self.say.send((self.id, Some((commit, found))));
    }

    fn may_die(&mut self) {
        if self.dies > 0 && self.random.below(self.dies) == 0 {
            std::panic::resume_unwind(Box::new("it dies"));
        }
    }
}

impl Sink for Worker {
    fn wants_input(&mut self, _: Ended) -> bool {
        true
    }

    fn ended(&mut self, end: PathEnd) -> Option<InDoubt> {
        self.paths.ended(end);
        None
    }

    fn look(&mut self, engine: &mut dyn Exploration) {
        self.may_die();
        while let Ok(order) = self.orders.try_recv() {
            self.obey(engine, order);
        }
        if self.random.below(8) == 0 {
            self.commit(engine, None);
        }
    }

    fn wait(&mut self, engine: &mut dyn Exploration) -> bool {
        self.commit(engine, None);
        self.may_die();
        let order = self.orders.recv();
        order.is_ok_and(|order| {
            self.obey(engine, order);
            true
        })
    }
}

fn start(program: &Verified, policy: Policy, mut worker: Worker) -> JoinHandle<()> {
    let program = program.clone();
    std::thread::spawn(move || {
        let mut engine = shared(&program, policy, &mut worker.random);
        let (id, say) = (worker.id, worker.say.clone());
        let run = std::panic::AssertUnwindSafe(|| engine.run(&mut worker));
        if std::panic::catch_unwind(run).is_err() {
            let _ = say.send((id, None));
        }
    })
}

/// What came of several workers.
struct Together {
    paths: Vec<Path>,
    /// How often one died.
    deaths: u32,
    /// States that were given away.
    given: usize,
}

/// Explores with `n` workers, of which one dies in `dies` looks; in concolic mode, where there is one for each run, more.
fn together(program: &Verified, policy: Policy, n: usize, seed: u64, dies: u64) -> Together {
    let first = beginning(program, policy).into_iter();
    let shelf = Shelf::in_memory();
    let first: Vec<_> = first.map(|bytes| Arc::new(shelf.put(bytes))).collect();
    let mut coordinator = Coordinator::new(shelf, first);
    let (say, hear) = channel::<Said>();
    let mut workers: BTreeMap<WorkerId, (Sender<Order>, JoinHandle<()>)> = BTreeMap::new();
    let (mut paths, mut born, mut deaths, mut given) = (Vec::new(), 0, 0, 0);
    while !coordinator.is_done() {
        while workers.len() < n {
            born += 1;
            let id = WorkerId(born);
            let (orders, from) = channel();
            let worker = Worker {
                id,
                paths: Paths::default(),
                orders: from,
                say: say.clone(),
                random: Random::new(seed * 1000 + u64::from(born)),
                dies: match policy {
                    Policy::Fork => dies,
                    Policy::Record => 10 * dies,
                },
            };
            workers.insert(id, (orders, start(program, policy, worker)));
            coordinator.join(id);
        }
        for (id, order) in coordinator.orders() {
            // It may have died meanwhile.
            let _ = workers[&id].0.send(order);
        }
        match hear.recv().expect("workers say something") {
            (id, Some((mut commit, found))) => {
                given += commit.change.given.len();
                coordinator.commit(id, &mut commit).expect("it is honest");
                paths.extend(found);
            }
            (id, None) => {
                deaths += 1;
                assert_eq!(coordinator.died(id, None, Death::Killed), None);
                let (_, thread) = workers.remove(&id).expect("it lived");
                thread.join().expect("it was caught");
            }
        }
    }
    for (_, (orders, thread)) in workers {
        drop(orders);
        thread.join().expect("it was caught");
    }
    paths.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
    Together {
        paths,
        deaths,
        given,
    }
}

fn compare(name: &str, program: &Verified) -> usize {
    let forked = compare_mode(name, program, Policy::Fork);
    let run = compare_mode(name, program, Policy::Record);
    // Forced decisions are choices in concolic mode, too.
    let bare = |paths: &[Path]| -> BTreeSet<(u64, String)> {
        paths
            .iter()
            .map(|(_, hash, how)| (hash.unwrap_or_default(), how.clone()))
            .collect()
    };
    assert!(bare(&forked) == bare(&run), "{name}: modes differ");
    forked.len()
}

fn compare_mode(name: &str, program: &Verified, policy: Policy) -> Vec<Path> {
    let all = alone(program, policy);
    for (n, dies, seeds) in [(2, 0, 1), (8, 0, 1), (2, 25, 1), (5, 25, 2)] {
        for seed in 0..seeds {
            let Together { paths, deaths, .. } = together(program, policy, n, seed, dies);
            let what = format!("{name}, {policy:?}: {n} workers, {deaths} deaths, seed {seed}");
            assert_eq!(paths.len(), all.len(), "{what}");
            assert!(paths == all, "{what}");
        }
    }
    all
}

fn parsed(text: &str) -> Verified {
    Verified::new(ir::parse::parse(text).expect("it can be read")).expect("it is valid")
}

#[test]
fn several_workers_find_the_paths_of_one() {
    let _limit = testkit::limit();
    assert_eq!(compare("many paths", &parsed(PROGRAM)), 3usize.pow(7));
    for policy in [Policy::Fork, Policy::Record] {
        let Together { deaths, given, .. } = together(&parsed(PROGRAM), policy, 4, 7, 25);
        assert!(deaths > 3, "{policy:?}: {deaths} deaths");
        assert!(given > 20, "{policy:?}: {given} prefixes were given away");
    }
}

#[test]
fn so_they_do_for_each_program_in_this_directory() {
    let _limit = testkit::limit();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ir");
    let mut compared = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "ir") {
            let text = std::fs::read_to_string(&path).unwrap();
            // Simulation of floats begins again where the first one was, with the worker that was there.
            if !path.ends_with("floats.ir") {
                compare(&path.display().to_string(), &parsed(&text));
                compared += 1;
            }
        }
    }
    assert!(compared > 10);
}

/// A worker that records its frontier at random moments, now its changes, now all of it.
struct Log {
    random: Random,
    frontier: BTreeMap<u64, Vec<u8>>,
    /// How often the changes and all of it were the same.
    compared: u32,
}

impl Log {
    /// Takes changes in, as a record does.
    fn record(&mut self, engine: &mut dyn Exploration, whole: bool) {
        if whole {
            self.frontier.clear();
        }
        let frontier = &mut self.frontier;
        let changes = engine.changes(whole, &mut |told| {
            frontier.insert(told.key, told.prefix.to_vec());
            true
        });
        for gone in changes.expect("it was not stopped").gone {
            frontier.remove(&gone);
        }
    }
}

impl Sink for Log {
    fn wants_input(&mut self, _: Ended) -> bool {
        true
    }

    fn ended(&mut self, _: PathEnd) -> Option<InDoubt> {
        None
    }

    fn look(&mut self, engine: &mut dyn Exploration) {
        if self.random.below(3) > 0 {
            return;
        }
        self.record(engine, false);
        if self.random.below(4) == 0 {
            let changed = self.frontier.clone();
            self.record(engine, true);
            assert_eq!(
                changed.keys().collect::<Vec<_>>(),
                self.frontier.keys().collect::<Vec<_>>()
            );
            assert!(changed == self.frontier, "an entry changed unseen");
            self.compared += 1;
        }
    }
}

/// What was reported piece by piece is the whole frontier at each moment, entry by entry.
#[test]
fn changes_add_up_to_the_frontier() {
    let _limit = testkit::limit();
    let program = parsed(PROGRAM);
    for policy in [Policy::Fork, Policy::Record] {
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let mut engine: Box<dyn Exploration> = match policy {
                Policy::Record => Box::new(concolic(&program, &mut random).from_inputs(Vec::new())),
                Policy::Fork => {
                    let (machine, first) = machine(&program, policy);
                    let searcher = searcher(&mut random);
                    Box::new(Engine::new(machine, searcher, first, RunLimits::default()))
                }
            };
            engine.record();
            let mut log = Log {
                random,
                frontier: BTreeMap::new(),
                compared: 0,
            };
            log.record(&mut *engine, true);
            assert_eq!(engine.run(&mut log), None);
            assert!(log.compared > 10, "{policy:?}: {} looks", log.compared);
            log.record(&mut *engine, false);
            assert!(log.frontier.is_empty(), "{policy:?}: nothing is left");
        }
    }
}
