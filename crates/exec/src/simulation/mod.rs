//! Floating point by integer simulation.
//!
//! An operation on a symbolic float is not turned into a float term but entered as a call: of the function of
//! `runtime/softfloat` that computes it over integers. Its branches fork, are parked and recorded like those of
//! the program, and path conditions stay about bit-vectors. Operations on concrete floats never get here.
//! (The integer simulation of papers/004, III-A; there every operation is replaced, symbolic or not.)
//!
//! The module's table says which operations have a function; it is empty without simulation, and then all of this costs
//! nothing. What has no function becomes a float term. So does every operation on a path that is not simulated yet.
//!
//! `operations` enters the functions, and `starts` keeps the places from which paths are simulated later. A path's own
//! data is [`Floats`](crate::Floats). The rest of the machine uses only the methods here, the engine also [`Starts`].

mod operations;
mod starts;

pub(crate) use starts::Kept;

use crate::machine::Machine;
use crate::state::State;
use ir::{FuncId, Module};
use operations::Functions;
use starts::Starts;

/// The machine's data for simulation.
pub(crate) struct Simulation {
    functions: Functions,
    /// Starts of paths that were not decided without simulation, and continue with it.
    pub starts: Starts,
}

impl Simulation {
    /// The simulation with the functions that the module has.
    pub fn of(module: &Module) -> Simulation {
        Simulation {
            functions: Functions::of(module),
            starts: Starts::default(),
        }
    }

    /// The function computes an operation: it is not a place of the program.
    #[inline]
    pub fn has(&self, function: FuncId) -> bool {
        self.functions.contains(function)
    }
}

impl Machine {
    /// Is the path inside of an operation that is simulated?
    pub(crate) fn is_simulating(&self, s: &State) -> bool {
        self.observers.simulation.has(s.frame().function)
    }

    /// May a builtin make float terms on this path, of which some code is another way? Not where floats are simulated. A path on which
    /// they may be simulated later comes back to the call then.
    pub fn makes_float_terms(&mut self, s: &mut State) -> bool {
        let is_simulated = s.floats.are_simulated();
        if !is_simulated && self.observers.simulation.functions.are_some() {
            self.keep_float_start(s);
        }
        !is_simulated
    }

    /// Counts a branch of a simulated operation.
    pub(crate) fn count_branch(&mut self, s: &State) {
        self.stats.soft_float_branches += u64::from(self.is_simulating(s));
    }

    /// Counts a fork of a simulated operation.
    pub(crate) fn count_fork(&mut self, s: &State) {
        self.stats.soft_float_forks += u64::from(self.is_simulating(s));
    }
}
