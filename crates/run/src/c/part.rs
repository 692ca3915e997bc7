//! A worker process that explores a part of a run of a program in IR, or its scout.

use super::concolic;
use super::prepare::{self, Aside, Whose};
use crate::exit::Exit;
use crate::frontend;
use crate::jobs::Scouting;
use crate::jobs::hired::Hired;
use crate::jobs::scout::{self, Ahead, ScoutLink};
use crate::jobs::task::{Known, TaskLink};
use crate::record::{Cases, Starts, saver};
use anyhow::{Context, Error};
use exec::{Budget, RunLimits};
use explore::Exploration as _;
use host::shelf::Shelf;
use std::rc::Rc;

/// Seconds of processor time for one query of a task.
const LONG_QUERY_S: f64 = 60.0;

/// Explores what the run gives.
///
/// # Errors
/// The program cannot be run.
pub fn run(hired: Hired) -> anyhow::Result<Exit> {
    let (welcome, seat, stop) = (&hired.welcome, hired.seat.clone(), hired.stop());
    let plan = match welcome.scouts {
        Some(_) => scout::ahead(hired.plan.clone()),
        None => hired.plan.clone(),
    };
    let c = plan.c().map_err(Error::msg)?;
    let solver = prepare::solver(&plan, Whose::Worker)?;
    let ir = std::fs::read(&welcome.ir).context("the run's program")?;
    let program = frontend::reload(&welcome.frontend, &c.program, &ir)?;
    drop(ir);
    let mut ready = prepare::ready(&plan, program, solver, stop)?;
    let at_first_end = saver(c.save_fs.clone(), &ready.config);
    let mut starts = Starts::new(ready.starts, ready.config, &mut |_| {});
    starts.invented.clone_from(&welcome.invented);
    let cases = Cases {
        tests: plan.output.tests,
        given: Box::new(starts),
    };
    let mut limits = RunLimits {
        grace: welcome.grace,
        memory: welcome.memory,
        budget: None,
    };
    let mut link = hired.ready(ready.hash, cases)?;
    if let Some(scouting) = welcome.scouts {
        let ahead = Rc::new(Ahead::new(seat));
        ready.machine.share(ahead.clone());
        let begin = concolic::Begin::new(&plan)?;
        let mut all = begin.begin(ready.machine, ready.first, limits);
        let mut link = ScoutLink::new(link, ahead, stop, scouting == Scouting::First);
        let halt = all.run(&mut link);
        link.finish(&mut all, halt);
        std::mem::forget(all);
        return Ok(Exit::Nothing);
    }
    let seed = plan.search.seed;
    if !welcome.has_task {
        let search = prepare::Search::new(&plan, seed.wrapping_add(u64::from(welcome.number)))?;
        ready.machine.share(seat);
        let spill = welcome.spill.as_ref();
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
    let search = prepare::Search::new(&plan, seed.wrapping_add(task.number))?;
    limits.budget = Some(Budget {
        work: task.budget.work,
        forks: task.budget.forks,
        retries: task.budget.retries,
    });
    // Effort limits the queries. The clock is for what nobody has thought of, and then the run says so.
    let budget = &mut ready.machine.options.budget;
    budget.seconds = budget.seconds.max(LONG_QUERY_S);
    let others = plan.limits.max_forks.saturating_sub(task.budget.most_forks);
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
