//! Running one state for a while, and what the user is told of it.

use crate::errors::{ErrorKind, Termination};
use crate::fast::{self, Exit};
use crate::machine::Machine;
use crate::state::State;
use ir::{Location, Pc};
use linux::{Byte, Bytes, Stream, World};
use memory::{Object, ObjectKind};
use solver::Model;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why [`Machine::run`] came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The instruction budget is spent.
    Fuel,
    /// Other states came into being: the searcher may prefer one of them.
    Forked,
    /// The path is over.
    Ended(Termination),
}

/// A call frame as shown to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackEntry {
    pub function: String,
    pub file: String,
    pub location: Location,
}

impl std::fmt::Display for StackEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} ({}:{})",
            self.function, self.file, self.location.line
        )
    }
}

/// A slice ends early when its queries took this much [`Budget::effort`](solver::Budget::effort): the
/// engine's limits are looked at between slices.
const SLICE_EFFORT: u64 = 2_000_000;

/// And when it wrote to this many new pages (16 MiB).
pub(crate) const SLICE_PAGES: u64 = 4096;

impl Machine {
    /// Runs `s` until it ends, forks, or has executed about `fuel` instructions. The TLB must be
    /// flushed by the caller when `s` is not the state that ran last.
    pub fn run(&mut self, s: &mut State, fuel: u64) -> Stop {
        let mut fuel = fuel;
        let patience = self.solver.stats().effort + SLICE_EFFORT;
        let room = self.tlb.pages_made() + SLICE_PAGES;
        loop {
            let module = &*self.module;
            let (tlb, covered) = (&mut self.tlb, &self.covered);
            let exit = if s.frame().symbolic {
                fast::run::<true>(module, s, tlb, covered, &mut fuel)
            } else {
                fast::run::<false>(module, s, tlb, covered, &mut fuel)
            };
            match exit {
                Exit::Fuel => return Stop::Fuel,
                Exit::Mode => {}
                Exit::Slow => {
                    if let Err(t) = self.step(s) {
                        return Stop::Ended(t);
                    }
                    if !self.spawned.is_empty() || !self.ended.is_empty() {
                        return Stop::Forked;
                    }
                    fuel = fuel.saturating_sub(1);
                    let is_long = self.solver.stats().effort > patience;
                    if fuel == 0 || is_long || self.tlb.pages_made() > room {
                        return Stop::Fuel;
                    }
                }
            }
        }
    }

    /// The same. A panic inside is an error of ours that ends this path, not the run.
    pub(crate) fn run_guarded(&mut self, s: &mut State, fuel: u64) -> Stop {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run(s, fuel)));
        outcome.unwrap_or_else(|panic| {
            let what = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default();
            // Half-made forks and cached pages may be inconsistent; the pool only ever grows.
            self.spawned.clear();
            self.ended.clear();
            self.tlb.flush();
            self.evaluator = term::Evaluator::new();
            Stop::Ended(Termination::Internal(what))
        })
    }

    /// The call stack, innermost first.
    pub fn stack(&self, s: &State) -> Vec<StackEntry> {
        let mut out = Vec::new();
        let mut pc = s.pc;
        for f in s.frames.iter().rev() {
            // The operation that is simulated stands in the caller.
            if !self.soft_floats.contains(f.function) {
                out.push(self.stack_entry(f.function, pc));
            }
            // The call itself stands before the place of return.
            pc = f.return_pc.saturating_sub(1);
        }
        out
    }

    fn stack_entry(&self, function: ir::FuncId, pc: Pc) -> StackEntry {
        let location = self.module.location_at(pc);
        let known = self.module.function_at(pc) == Some(function);
        let location = if known {
            location
        } else {
            self.module.functions[function as usize].location
        };
        StackEntry {
            function: self.module.functions[function as usize].name.clone(),
            file: self.module.file_name(location).to_string(),
            location,
        }
    }

    /// The model for a path's test case: its witness, moved towards the path's preferences.
    pub fn test_model(&mut self, s: &State) -> Model {
        if s.soft.is_empty() {
            return s.witness.clone();
        }
        let budget = &self.options.budget;
        self.solver
            .prefer(&mut self.pool, &s.path, &s.witness, &s.soft, budget)
    }

    /// Bytes of the world as a model has them.
    pub fn bytes_under(&mut self, bytes: &Bytes, model: &Model) -> Vec<u8> {
        bytes
            .iter()
            .map(|b| match b {
                Byte::Concrete(b) => b,
                Byte::Symbolic(t) => self.evaluator.eval(&self.pool, t, model) as u8,
            })
            .collect()
    }

    /// What the user knows an object by.
    pub(crate) fn object_name(&self, s: &State, o: &Object) -> Option<String> {
        match o.kind {
            ObjectKind::Global => s.memory.global_name(o).map(|n| format!("`{n}`")),
            ObjectKind::Stack => self
                .module
                .strings
                .get(o.tag as usize)
                .map(|n| format!("`{n}`")),
            ObjectKind::Heap => {
                let at = self.module.location_at(o.tag);
                (at.line != 0)
                    .then(|| format!("allocated at {}:{}", self.module.file_name(at), at.line))
            }
            ObjectKind::Mapping => None,
        }
    }

    /// Heap objects still allocated at exit that no pointer in memory leads to, if that check is on.
    pub(crate) fn check_leaks(&mut self, s: &mut State) -> Result<(), Termination> {
        if !self.options.check_leaks {
            return Ok(());
        }
        let reachable = crate::leaks::unreachable(s);
        match reachable.first() {
            None => Ok(()),
            Some(o) => {
                let name = self.object_name(s, o).unwrap_or_default();
                let message = format!(
                    "{} heap objects leak, the first of {} bytes {name}",
                    reachable.len(),
                    o.size
                );
                Err(self.error(s, ErrorKind::Leak, message))
            }
        }
    }

    /// Passes on what a concrete run writes to its standard output and error.
    pub(crate) fn echo(&mut self, s: &State, world: &World, since: u64) {
        for out in world.output_since(since) {
            let bytes = self.bytes_under(&out.bytes, &s.witness);
            let written = match out.stream {
                Stream::Stdout => std::io::stdout().lock().write_all(&bytes),
                Stream::Stderr => std::io::stderr().lock().write_all(&bytes),
                // Written to its standard input, which it may: nobody reads that.
                Stream::Stdin => Ok(()),
            };
            if let Err(e) = written {
                self.warn_once(format!("the program's output could not be passed on: {e}"));
            }
        }
    }
}
