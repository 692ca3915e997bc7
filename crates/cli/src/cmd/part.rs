//! `polypath part`: a worker, which explores a part of a run. `polypath run --jobs N` and `polypath worker` start it with the
//! run's own options. Its standard input is a socket that leads there.

use super::run::concolic;
use super::run::prepare::{self, Aside, Whose};
use crate::exit::Exit;
use crate::session::frontend;
use crate::session::jobs::board::{Board, Seat};
use crate::session::jobs::link::Link;
use crate::session::jobs::scout::{self, Ahead, ScoutLink};
use crate::session::jobs::task::{Known, TaskLink};
use crate::session::jobs::{Scouting, Welcome};
use crate::session::options::Args;
use crate::session::plan::RunPlan;
use crate::session::record::{Cases, Starts, saver};
use anyhow::{Context, bail};
use exec::{Budget, RunLimits};
use explore::Exploration as _;
use fleet::{ToWorker, frame};
use host::Watchdog;
use host::shelf::Shelf;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Instant;

/// Seconds of processor time for one query of a task.
const LONG_QUERY_S: f64 = 60.0;

/// The name of the command.
pub const NAME: &str = "part";

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let said = frame::read(&mut socket);
    let Ok(ToWorker::Welcome(welcome)) = said else {
        bail!("`polypath {NAME}` is started by `polypath run` and `polypath worker`");
    };
    let welcome: Welcome = postcard::from_bytes(&welcome).context("another version's welcome")?;
    let as_scout = welcome.scouts.map(|_| scout::options(args));
    let args = as_scout.as_ref().unwrap_or(args);
    let now = Instant::now();
    let started = now.checked_sub(welcome.elapsed).unwrap_or(now);
    exec::limit_memory(welcome.memory);
    let watchdog = Watchdog::of_worker(Exit::Failed.into()).context("cannot watch the worker")?;
    // What the run has made of the program and its input.
    let plan: RunPlan = serde_json::from_str(&welcome.plan).context("another version's plan")?;
    let solver = prepare::solver(args, Whose::Worker)?;
    let ir = std::fs::read(&welcome.ir).context("the run's program")?;
    let program = frontend::reload(&welcome.frontend, &plan, &ir)?;
    drop(ir);
    let mut ready = prepare::ready(args, &plan, program, solver, watchdog.stop())?;
    let seat = Rc::new(Seat {
        board: Board::open(&welcome.board).context("the run's shared memory")?,
        number: welcome.seat,
    });
    let at_first_end = saver(args.save_fs.clone(), &ready.config);
    let mut starts = Starts::new(ready.starts, ready.config, &mut |_| {});
    starts.invented = welcome.invented;
    let cases = Cases {
        tests: args.tests(),
        given: Box::new(starts),
    };
    let mut limits = RunLimits {
        grace: welcome.grace,
        memory: welcome.memory,
        budget: None,
    };
    let started = (!welcome.has_task).then_some(started);
    let (shared, stop) = (seat.clone(), watchdog.stop());
    let mut link = Link::new(socket, cases, shared, stop, started)?;
    link.greet(ready.hash);
    if let Some(scouting) = welcome.scouts {
        let ahead = Rc::new(Ahead::new(seat));
        ready.machine.share(ahead.clone());
        let plan = concolic::Plan::new(args)?;
        let mut all = plan.begin(ready.machine, ready.first, limits);
        let mut link = ScoutLink::new(link, ahead, watchdog.stop(), scouting == Scouting::First);
        let halt = all.run(&mut link);
        link.finish(&mut all, halt);
        std::mem::forget(all);
        return Ok(Exit::Nothing);
    }
    if !welcome.has_task {
        let search = prepare::Search::new(args, args.seed.wrapping_add(u64::from(welcome.number)))?;
        ready.machine.share(seat);
        let spill = welcome.spill;
        let aside = Aside {
            disk: spill.map(|spill| Shelf::new(&spill.dir, 0, spill.bytes)),
            at_first_end,
        };
        let mut all = search.shared(ready.machine, ready.first, limits, aside);
        let halt = all.run(&mut link);
        link.finish(&mut *all, halt);
        // It dies with the process: taking it apart costs more than the run may still take.
        std::mem::forget(all);
        return Ok(Exit::Nothing);
    }
    let Some(task) = link.task() else {
        link.part();
        return Ok(Exit::Nothing);
    };
    let search = prepare::Search::new(args, args.seed.wrapping_add(task.number))?;
    limits.budget = Some(Budget {
        work: task.budget.work,
        forks: task.budget.forks,
        retries: task.budget.retries,
    });
    // Effort limits the queries. The clock is for what nobody has thought of, and then the run says so.
    let budget = &mut ready.machine.options.budget;
    budget.seconds = budget.seconds.max(LONG_QUERY_S);
    let others = args.max_forks.saturating_sub(task.budget.most_forks);
    let known = Known::new(seat, &task.known, others).context("another version's task")?;
    let covered = known.covered();
    ready.machine.share(Rc::new(known));
    let aside = Aside {
        disk: None,
        at_first_end,
    };
    let mut all = search.shared(ready.machine, ready.first, limits, aside);
    let Some(mut link) = TaskLink::new(link, &mut *all, &task, &covered) else {
        return Ok(Exit::Nothing);
    };
    let halt = all.run(&mut link);
    link.finish(&mut *all, halt);
    std::mem::forget(all);
    Ok(Exit::Nothing)
}
