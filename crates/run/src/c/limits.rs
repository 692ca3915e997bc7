//! The limits of a run of a program in IR: processor time and memory, of all its processes.

use crate::jobs::crew::Pids;
use crate::language::Limits;
use crate::plan::{Plan, Tests};
use exec::LiveTests;
use host::{Cause, TimeLimits, clock};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Those of a plan; workers have these numbers.
pub fn of(plan: &Plan, pids: &Pids) -> Limits {
    let cpu = plan.limits.cpu_time;
    let cpu = (!cpu.is_zero()).then_some(cpu);
    let has_children = plan.has_workers() || plan.may_get_workers();
    let mut guards = vec![memory_guard(plan.memory(), pids.clone())];
    if let Some(most) = cpu.filter(|_| has_children) {
        guards.push(cpu_guard(most, pids.clone()));
    }
    Limits {
        cpu: cpu.filter(|_| !has_children),
        guards,
    }
}

/// What live states of the only worker may take for their tests.
pub fn live(plan: &Plan, limits: TimeLimits) -> LiveTests {
    let cpu = plan.limits.cpu_time;
    LiveTests {
        wall: limits.wall.map(|wall| (limits.started, wall)),
        cpu: (!cpu.is_zero()).then_some((Duration::ZERO, cpu)),
        // As `of` has it.
        with_children: limits.cpu.is_none(),
        ..share(plan)
    }
}

/// The same of one of several workers of a run that began then.
pub fn live_of_worker(plan: &Plan, started: Instant) -> LiveTests {
    let (wall, cpu) = (plan.limits.time, plan.limits.cpu_time);
    // Before it had workers, the run was one process. Coordinator and scout together take as much as another worker, at most: who
    // begins too early goes on with the exploration behind it.
    let left = cpu.saturating_sub(started.elapsed()) / (plan.jobs() + 1);
    LiveTests {
        wall: (!wall.is_zero()).then_some((started, wall)),
        cpu: (!cpu.is_zero()).then_some((clock::process_time(), left)),
        ..share(plan)
    }
}

fn share(plan: &Plan) -> LiveTests {
    LiveTests {
        share: plan.limits.live_share,
        every: plan.output.tests == Tests::Live,
        ..LiveTests::default()
    }
}

/// The last resort: allocations that no [`room`] was asked for may exceed the cap by a tenth; then the run ends.
/// (`room` refuses the others before they are made.) Children count: they compile and lower, and the workers explore.
fn memory_guard(cap: u64, workers: Pids) -> host::Guard {
    let most = cap + (cap / 10).max(64 << 20);
    Box::new(move || {
        let mut children = host::child::running();
        children.extend(&*locked(&workers));
        let children: u64 = children.into_iter().filter_map(room::resident_of).sum();
        let all = room::resident().unwrap_or_else(room::used) + children;
        room::saw(all);
        (cap > 0 && all > most).then_some(Cause::Memory)
    })
}

/// Looks at the processor time of workers cost at most this part of a processor.
const LOOKS: u32 = 50;

/// Processor time of all processes that explore, with the JVMs that they run, and those that have ended.
pub fn cpu_guard(most: Duration, workers: Pids) -> host::Guard {
    let mut next = Instant::now();
    Box::new(move || {
        let begun = Instant::now();
        if begun < next {
            return None;
        }
        let live = locked(&workers).clone().into_iter();
        let live: Duration = live.map(host::child::time_of_tree).sum();
        let spent = clock::family_time() + host::child::time_of_running() + live;
        next = begun + LOOKS * begun.elapsed();
        (spent >= most).then_some(Cause::CpuTime)
    })
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
