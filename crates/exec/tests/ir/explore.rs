//! Runs a program on all of its paths, depth first.

use explore::Ending;
use ir::{Module, Verified};
use memory::Checks;
use polypath_exec::{Machine, MachineOptions, SliceEnd, State, Termination, Turn};
use solver::{Model, Solver, SolverOptions};
use std::rc::Rc;
use term::Term;

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Way {
    pub options: MachineOptions,
    pub checks: Checks,
    /// Instructions of a slice.
    pub slice: u64,
    /// Paths at most; the others are dropped.
    pub paths: usize,
    /// Instructions of a path at most.
    pub instructions: u64,
}

impl Default for Way {
    fn default() -> Way {
        Way {
            options: MachineOptions::default(),
            checks: Checks::default(),
            slice: 200_000,
            paths: 1000,
            instructions: 1_000_000,
        }
    }
}

/// The ended paths in order, and what they ended in.
pub struct Explored {
    pub machine: Machine,
    pub paths: Vec<(Box<State>, Termination)>,
    /// Nothing was dropped or left undecided.
    pub complete: bool,
}

/// Runs the program. A panic of the machine ends a path as an internal error.
pub fn explore(module: Verified, way: &Way) -> Explored {
    let solver = Solver::new(SolverOptions::default());
    let linux = Rc::new(env_c::Linux::default());
    let mut machine = Machine::new(module, linux, solver, way.options.clone());
    let first = machine.first_states(way.checks);
    let mut live = first.expect("the program has a beginning");
    let mut paths = Vec::new();
    let mut turn = Turn::default();
    while paths.len() < way.paths
        && let Some(mut s) = live.pop()
    {
        loop {
            let mut slice = machine.slice(way.slice);
            let stop = machine.run_guarded(&mut s, &mut slice, &mut turn);
            live.append(&mut turn.forks);
            paths.append(&mut turn.ended);
            let end = match stop {
                SliceEnd::Ended(end) => end,
                _ if s.progress.instructions > way.instructions => {
                    Termination::Cut(Ending::Instructions)
                }
                _ => continue,
            };
            paths.push((s, end));
            break;
        }
    }
    let complete = live.is_empty() && turn.parked.is_empty();
    Explored {
        machine,
        paths,
        complete,
    }
}

/// The bytes of an object of the program's memory under an assignment; `None` where nothing was written.
pub fn content(
    m: &mut Machine,
    s: &mut State,
    address: u64,
    size: u64,
    model: &Model,
) -> Vec<Option<u8>> {
    let bytes = (address..address + size).map(|at| {
        let v = s.memory.load(&mut m.reason.pool, &mut m.tlb, at, 1).ok()?;
        Some(match v.term {
            Term::NONE => v.bits as u8,
            term => m.reason.evaluator.eval(&m.reason.pool, term, model) as u8,
        })
    });
    bytes.collect()
}

/// The address and size of the global of this name.
pub fn global(module: &Module, name: &str) -> Option<(u64, u64)> {
    let g = module.globals.iter().find(|g| g.name == name)?;
    Some((g.address, g.size))
}
