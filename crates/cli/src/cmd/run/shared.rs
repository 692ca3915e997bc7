//! The part of `polypath run` that knows of several workers: they explore from the beginning (`--jobs N`), or go on with what one
//! worker has left.

use super::Explored;
use super::prepare::Ready;
use crate::exit::UsageError;
use crate::session::jobs::board::Board;
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::cluster::hall::Offer;
use crate::session::jobs::cluster::ray::{self, Launcher};
use crate::session::jobs::cluster::{Entrance, Job, secret};
use crate::session::jobs::crew::{Advance, Cluster, Crew, Pids, Plan, Prefixes, RoundLimits};
use crate::session::jobs::head_start::HeadStart;
use crate::session::jobs::solo::{Finished, Solo};
use crate::session::jobs::{self, Spill, Welcome, scout};
use crate::session::options::{Args, Mode};
use crate::session::plan::RunPlan;
use crate::session::record::Recorder;
use crate::session::resume::Past;
use anyhow::Context;
use exec::{
    Exploration, Halt, ObjectEnd, Output, PathEnd, PathInput, PathOutcome, PortablePart,
    PortablePrefix, State,
};
use fleet::net::door::Door;
use fleet::net::handshake::Secret;
use host::blob::Blob;
use host::shelf::Shelf;
use host::{Stop, Watchdog};
use std::ffi::OsString;
use std::rc::Rc;
use std::time::Duration;
use testcase::frontier;

/// What several workers need beside what one needs.
pub struct Shared {
    pids: Pids,
    /// Where further machines may join, and who starts workers there.
    entrance: Option<Entrance>,
    launcher: Option<Launcher>,
    /// The program's IR.
    pub ir: Vec<u8>,
}

impl Shared {
    /// Takes the address at which further machines may join, if they may, and has a cluster's engine start its workers.
    ///
    /// # Errors
    /// The address cannot be had, there is no secret, or the engine does not start.
    pub fn new(args: &Args, pids: Pids) -> anyhow::Result<Shared> {
        let mut shared = Shared {
            pids,
            entrance: None,
            launcher: None,
            ir: Vec::new(),
        };
        let Some(address) = &args.listen else {
            return Ok(shared);
        };
        let secret = match args.ray {
            // Nobody else needs to know it.
            Some(_) => secret::random()?,
            None => secret::read(args.secret_file.as_deref())?,
        };
        let door = Door::open(address);
        let door = door.map_err(|e| UsageError(format!("--listen {address}: {e}")))?;
        if let Some(cluster) = &args.ray {
            shared.launcher = Some(Launcher::start(&ray::Plan {
                address: cluster.clone(),
                python: args.python.clone(),
                listen: door.address,
                secret: secret.clone(),
            })?);
        }
        let secret = Secret::new(secret.as_bytes()).map_err(UsageError)?;
        shared.entrance = Some(Entrance { door, secret });
        Ok(shared)
    }

    /// Waits until the engine has answered, if there is one.
    ///
    /// # Errors
    /// There is no such cluster.
    pub fn wait(&self, stop: Stop) -> anyhow::Result<()> {
        self.launcher
            .as_ref()
            .map_or(Ok(()), |launcher| launcher.wait(stop))
    }

    /// What the run is, with nothing to explore yet.
    ///
    /// # Errors
    /// There is no memory to share with workers.
    fn plan(
        self,
        begin: &Begin,
        shelf: Shelf,
        ways: Ways<'_>,
        recorder: &Recorder,
    ) -> anyhow::Result<Plan> {
        const NO_MEMORY: &str = "no memory to share with workers";
        let Ways {
            args,
            plan,
            watchdog,
        } = ways;
        let (jobs, mode) = (args.jobs(), args.mode);
        let plan = serde_json::to_string(plan);
        let plan = plan.map_err(|e| UsageError(format!("--jobs {jobs}: {e}")))?;
        // Behind `polypath run`.
        let words: Vec<OsString> = crate::arguments().iter().skip(2).cloned().collect();
        let dir = recorder.out.path().to_owned();
        let (_, disk) = jobs::shares_of_disk(args.spill_bytes(&dir), jobs);
        let blob = Blob::new(&self.ir).context(NO_MEMORY)?;
        let sites = begin.module.sites.len();
        let cluster = self.entrance.map(|entrance| Cluster {
            entrance,
            launcher: self.launcher,
            offer: Offer {
                program: begin.hash.clone(),
                job: Job::new(&words, sites, args.memory << 20),
                ir: self.ir,
            },
        });
        let seats = Plan::seats(jobs, cluster.is_some());
        let board = Board::new(seats + 1, sites).context(NO_MEMORY)?;
        let scout = scout::memory(args);
        let memory = (args.memory << 20) - scout.map_or(0, |scout| scout.kept);
        let (objects, inputs) = (begin.objects.clone(), begin.inputs.clone());
        Ok(Plan {
            jobs,
            cluster,
            cpu_time: args.cpu_time,
            args: words,
            welcome: Welcome {
                plan,
                frontend: begin.frontend.into(),
                ir: blob.path(),
                invented: recorder.cases.invented.clone(),
                elapsed: Duration::ZERO,
                board: board.path().context(NO_MEMORY)?,
                seat: 0,
                number: 0,
                memory: jobs::share_of_memory(memory, jobs),
                grace: watchdog.grace() / 4,
                has_task: args.deterministic,
                scouts: None,
                spill: (disk > 0).then_some(Spill { dir, bytes: disk }),
            },
            _ir: blob,
            board,
            program: begin.hash.clone(),
            module: begin.module.clone(),
            begin: Checkpoint::default(),
            shelf,
            memory,
            scout,
            stop: watchdog.stop(),
            limits: watchdog.limits(),
            pids: self.pids,
            prefixes: Prefixes {
                lost: Box::new(move |bytes| lost(mode, bytes, &objects, &inputs)),
                open: (mode == Mode::Concolic).then_some(open_branches),
            },
            rounds: args.deterministic.then(|| RoundLimits {
                max_forks: (args.max_forks > 0).then_some(args.max_forks),
            }),
        })
    }

    /// Explores with several workers what is left, which is on the shelf.
    ///
    /// # Errors
    /// Workers cannot be started.
    pub fn explore(
        self,
        begin: &Begin,
        (left, shelf): (Checkpoint, Shelf),
        ways: Ways<'_>,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Explored> {
        let plan = self.plan(begin, shelf, ways, recorder)?;
        explore_with(plan, None, left, recorder)
    }
}

/// Explores with several workers what is left; their scout may have begun.
fn explore_with(
    mut plan: Plan,
    advance: Option<Advance>,
    left: Checkpoint,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let module = plan.module.clone();
    plan.begin = left;
    let outcome = Crew::new(plan, advance, recorder)?.run()?;
    Ok(Explored {
        totals: outcome.totals,
        halted: outcome.halted,
        rejected: outcome.rejected,
        module,
        covered: outcome.covered,
        branches: outcome.branches,
        worker: None,
    })
}

/// What stays of a program when the machine that would run it here is gone.
pub struct Begin {
    module: Rc<ir::Verified>,
    hash: String,
    frontend: &'static str,
    /// The objects of the first states with their sizes, and how many of them are input.
    objects: Vec<Vec<(String, usize)>>,
    inputs: Vec<u32>,
}

/// What decides how a run goes on with workers.
#[derive(Clone, Copy)]
pub struct Ways<'a> {
    /// Of the program that is run.
    pub args: &'a Args,
    pub plan: &'a RunPlan,
    pub watchdog: &'a Watchdog,
}

impl Begin {
    /// Of a program that is ready.
    pub fn of(ready: &Ready) -> Begin {
        let objects = |s: &State| {
            let sizes = s.objects.iter();
            sizes
                .map(|o| (o.name.to_string(), o.symbols.len()))
                .collect()
        };
        Begin {
            module: ready.machine.module.clone(),
            hash: ready.hash.clone(),
            frontend: ready.frontend,
            objects: ready.first.iter().map(|s| objects(s)).collect(),
            inputs: ready.first.iter().map(|s| s.input_objects).collect(),
        }
    }
}

/// Explores with one worker in this process, and with the others from when there has been enough to do for a while, if there are
/// any.
///
/// # Errors
/// Workers cannot be started.
pub fn explore_alone(
    mut all: Box<dyn Exploration>,
    begin: Begin,
    others: Option<Shared>,
    ways: Ways<'_>,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let args = ways.args;
    let _lock = frontier::lock(recorder.out.path())?;
    all.record();
    let limits = ways.watchdog.limits();
    let others = others.filter(|_| is_enough_for_each(args));
    let shelf = args.shelf(recorder.out.path());
    let plan = others.map(|others| others.plan(&begin, shelf, ways, recorder));
    let head_start = match plan.transpose() {
        Ok(plan) => plan.map(HeadStart::new),
        Err(e) => {
            let text = format!("one worker explores, others cannot: {e:#}");
            recorder.progress.say(&text);
            None
        }
    };
    if let Some(scout) = scout::memory(args).filter(|_| head_start.is_some()) {
        all.resize((args.memory << 20) - scout.most);
    }
    let solo = Solo::new(recorder, begin.hash.clone(), limits);
    let mut solo = solo.beside(head_start);
    let halt = all.run(&mut solo);
    let Finished {
        goes_on,
        head_start,
    } = solo.finish(&mut *all, halt);
    let head_start = match head_start {
        Some(head_start) if goes_on => head_start,
        ended => {
            let worker = all.into_worker();
            let mut explored = Explored::by(worker, halt.map(Halt::name), recorder);
            if let Some(head_start) = ended {
                explored.add_scouted(&head_start);
            }
            return Ok(explored);
        }
    };
    drop(all);
    crate::allocator::release();
    let left = frontier::read(recorder.out.path())?.context("the frontier is gone")?;
    let left = Checkpoint::read(left, &head_start.plan.shelf)?;
    if !args.quiet {
        let text = format!("{} workers go on (--jobs 1: one)", args.jobs());
        recorder.progress.say(&text);
    }
    let (plan, advance) = head_start.hand_over();
    explore_with(plan, Some(advance), left, recorder)
}

/// Goes on with one worker in this process, which has nothing to do yet but what is left of the run.
///
/// # Errors
/// What is left makes no sense.
pub fn go_on_alone(
    mut all: Box<dyn Exploration>,
    past: Past,
    ways: Ways<'_>,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let Past {
        checkpoint,
        lock: _lock,
        ..
    } = past;
    let program = checkpoint.program.clone();
    let mut solo = Solo::new(recorder, program, ways.watchdog.limits());
    solo.go_on(checkpoint, &mut *all)?;
    let halt = all.run(&mut solo);
    solo.finish(&mut *all, halt);
    let worker = all.into_worker();
    Ok(Explored::by(worker, halt.map(Halt::name), recorder))
}

/// Would each of several workers have memory to work with? Each needs what this one has before it begins, and as much again.
fn is_enough_for_each(args: &Args) -> bool {
    let share = jobs::share_of_memory(args.memory << 20, args.jobs());
    share == 0 || share >= 2 * room::sample()
}

/// How many open branches a prefix of concolic mode is.
fn open_branches(bytes: &[u8]) -> u64 {
    // One that cannot be read is no less a loss.
    PortablePart::from_bytes(bytes).map_or(1, |part| part.len() as u64)
}

/// The end of a path on which workers crashed: what is known of its input. `begins` and `inputs` are the objects of the
/// first states and how many of them are input.
fn lost(
    mode: Mode,
    bytes: &[u8],
    begins: &[Vec<(String, usize)>],
    inputs: &[u32],
) -> Result<PathEnd, String> {
    let (start, mut given, instructions, hash, choices) = match mode {
        Mode::Fork => {
            let prefix = PortablePrefix::from_bytes(bytes)?;
            let (choices, instructions) = (prefix.choices()?, prefix.instructions());
            let PortablePrefix {
                start,
                objects,
                hash,
                ..
            } = prefix;
            (start, objects, instructions, hash, choices)
        }
        Mode::Concolic => {
            let part = PortablePart::from_bytes(bytes)?;
            (part.start, part.objects, 0, 0, Vec::new())
        }
    };
    let begin = begins.get(start as usize);
    let begin = begin.ok_or("the program has no such start")?;
    let mut objects = Vec::new();
    let mut add = |name: String, bytes| {
        objects.push(ObjectEnd {
            name,
            bytes,
            relevant: Vec::new(),
        });
    };
    for (name, size) in begin {
        let at = given
            .iter()
            .position(|(n, b)| n == name && b.len() == *size);
        let bytes = at.map(|at| given.swap_remove(at).1);
        add(name.clone(), bytes.unwrap_or_else(|| vec![0; *size]));
    }
    given.drain(..).for_each(|(name, bytes)| add(name, bytes));
    Ok(PathEnd {
        outcome: PathOutcome::Internal("the processes that explored this path crashed".into()),
        is_new: false,
        covered_new: false,
        start,
        instructions,
        stack: None,
        objects,
        input: Some(PathInput {
            input_objects: inputs.get(start as usize).copied().unwrap_or(0),
            output: Output::default(),
            hash,
            prefix: choices,
        }),
    })
}
