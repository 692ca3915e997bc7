//! Chooses the workers: one in this process, several, or one and then several.

use super::checkpoint::Checkpoint;
use super::crew::{Advance, Crew, Plan};
use super::explored::Explored;
use super::head_start::HeadStart;
use super::machine::ThisMachine;
use super::solo::{Finished, Solo};
use crate::record::Recorder;
use anyhow::Context;
use explore::{Exploration, Places};
use host::Watchdog;
use testcase::frontier;

/// Explores the given frontier with several workers.
///
/// # Errors
/// Workers cannot be started.
pub fn together(plan: Plan, left: Checkpoint, recorder: &mut Recorder) -> anyhow::Result<Explored> {
    let advance = Advance::none(&plan, Box::new(ThisMachine::new()));
    after(advance, plan, left, recorder)
}

/// The same, where a scout may have begun.
fn after(
    advance: Advance,
    mut plan: Plan,
    left: Checkpoint,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    plan.begin = left;
    Crew::new(plan, advance, recorder)?.run()
}

/// Explores the program with this hash with one worker in this process, and with the others from when there has been enough to do for a
/// while, if there are any.
///
/// # Errors
/// Workers cannot be started.
pub fn alone(
    mut all: Box<dyn Exploration>,
    program: String,
    others: Option<Plan>,
    watchdog: &Watchdog,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let _lock = frontier::lock(recorder.out.path())?;
    all.record();
    if let Some((plan, scout)) = others.as_ref().and_then(|plan| Some((plan, plan.scout?))) {
        all.resize(plan.memory + scout.kept - scout.most);
    }
    let solo = Solo::new(recorder, program, watchdog);
    let mut solo = solo.beside(others.map(HeadStart::new));
    let halt = all.run(&mut solo);
    let Finished {
        goes_on,
        head_start,
    } = solo.finish(&mut *all, halt);
    let head_start = match head_start {
        Some(head_start) if goes_on => head_start,
        ended => {
            let mut explored = Explored::by(all, halt, 0, recorder);
            if let Some(head_start) = ended {
                add_scouted(&mut explored, &head_start, recorder);
            }
            return Ok(explored);
        }
    };
    drop(all);
    crate::process::release();
    let left = frontier::read(recorder.out.path())?.context("the frontier is gone")?;
    let left = Checkpoint::read(left, &head_start.plan.shelf)?;
    let workers = head_start.plan.jobs;
    let text = format!("continuing with {workers} workers (--jobs 1: one)");
    recorder.progress.note(&text);
    let (plan, advance) = head_start.hand_over();
    after(advance, plan, left, recorder)
}

/// Continues with one worker in this process, which has nothing to do yet but the rest of the run.
///
/// # Errors
/// The rest makes no sense.
pub fn go_on_alone(
    mut all: Box<dyn Exploration>,
    left: Checkpoint,
    watchdog: &Watchdog,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let mut solo = Solo::new(recorder, left.program.clone(), watchdog);
    let unread = solo.go_on(left, &mut *all)?;
    let halt = all.run(&mut solo);
    solo.finish(&mut *all, halt);
    Ok(Explored::by(all, halt, unread, recorder))
}

/// Adds the scout's findings, unless everything was explored: then the worker has found them as well.
fn add_scouted(explored: &mut Explored, head_start: &HeadStart, recorder: &mut Recorder) {
    explored.rejected.extend_from_slice(head_start.rejected());
    if explored.halted.is_some()
        && let Err(why) = recorder.take_in(&Places::of(head_start.scouted()))
    {
        recorder.progress.say(&format!("the scout: {why}"));
    }
}
