//! A worker process that explores a part of a run of a program in IR, or its scout.

use super::concolic;
use super::prepare::{self, Aside, Ready, Whose};
use crate::exit::Exit;
use crate::frontend;
use crate::jobs::Scouting;
use crate::jobs::hired::Hired;
use crate::jobs::scout::{self, Ahead, ScoutLink};
use crate::record::{Cases, Starts, saver};
use anyhow::{Context, Error};
use exec::RunLimits;
use explore::Exploration as _;
use host::shelf::Shelf;
use std::rc::Rc;

/// Explores what the run gives.
///
/// # Errors
/// The program cannot be run.
pub fn run(hired: &Hired) -> anyhow::Result<Exit> {
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
    let link = hired.ready(ready.hash, cases)?;
    let limits = |budget| RunLimits {
        grace: welcome.grace,
        memory: welcome.memory,
        budget,
        live: super::limits::live_of_worker(&plan, hired.started),
        drop_seed: None,
    };
    if let Some(scouting) = welcome.scouts {
        let ahead = Rc::new(Ahead::new(seat));
        ready.machine.share(ahead.clone());
        let begin = concolic::Begin::new(&plan)?;
        let mut all = begin.begin(ready.machine, ready.first, limits(None));
        let mut link = ScoutLink::new(link, ahead, stop, scouting == Scouting::First);
        let halt = all.run(&mut link);
        link.finish(&mut all, halt);
        std::mem::forget(all);
        return Ok(Exit::Nothing);
    }
    let Ready {
        mut machine, first, ..
    } = ready;
    hired.explore(link, |role| {
        let search = prepare::Search::new(&plan, role.seed)?;
        let seconds = &mut machine.options.budget.seconds;
        *seconds = role.query_s(*seconds);
        let spill = welcome.spill.as_ref().filter(|_| role.budget.is_none());
        let aside = Aside {
            disk: spill.map(|spill| Shelf::new(&spill.dir, 0, spill.bytes)),
            at_first_end,
        };
        machine.share(role.commons);
        let limits = RunLimits {
            drop_seed: plan.drop_seed(role.seed)?,
            ..limits(role.budget)
        };
        Ok(search.shared(machine, first, limits, aside))
    })
}
