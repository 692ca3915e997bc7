//! C programs on the modelled Linux: the environment of everything that crate `llvm` makes.
//!
//! It is a plain user of the machine: [`Linux`] is an [`exec::Environment`], its builtins are functions over a machine and a state,
//! and the machine does not know it. Another language has another crate like this one.
//!
//! `start` makes the first states, `system_call` is the door between the program and `linux`, and the other modules
//! are families of builtins. A path's part of it is its [`Process`].

#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod alloc;
mod contracts;
mod death;
mod fenv;
mod formats;
mod jump;
mod klee;
mod leaks;
mod libm;
mod mem;
mod numbers;
mod output;
mod process;
mod refusal;
mod signal;
mod start;
pub mod svcomp;
mod system_call;
mod text;
mod unwind;
mod varargs;
mod variables;

use exec::Machine;
use exec::Termination;
use exec::{Builtin, Contract, Environment};
use exec::{EnvState, State};
use explore::Output;
use ir::{FixedRegisters, Function, VarArg};
use linux::{ProgramInput, WorldConfig};
use memory::{Fault, Memory, Object, Value};
use process::Process;
use solver::Model;
use term::Term;

pub use formats::Known as Formats;
pub use output::bytes_under;
pub use process::world;
pub use start::initial_stack;

type Table = &'static [(&'static str, Builtin)];

const TABLES: &[Table] = &[
    alloc::TABLE,
    contracts::TABLE,
    fenv::TABLE,
    jump::TABLE,
    klee::TABLE,
    libm::TABLE,
    mem::TABLE,
    numbers::TABLE,
    refusal::TABLE,
    signal::TABLE,
    svcomp::TABLE,
    system_call::TABLE,
    unwind::TABLE,
    varargs::TABLE,
    variables::TABLE,
];

/// The functions that the engine supplies, by name.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().map(|(name, _)| *name)
}

/// The places outside of its own code to which frames of a C program return.
const LANDINGS: &[&str] = &[signal::RETURN, refusal::RETURN];
const SIGNAL_RETURN: usize = 0;
const REFUSED_RETURN: usize = 1;

/// The environment of a C program.
#[derive(Clone, Debug, Default)]
pub struct Linux {
    /// The world around the program.
    pub config: WorldConfig,
    /// Which of its input is symbolic.
    pub input: ProgramInput,
    /// Print what the program writes to its standard output and error (concrete runs).
    pub echo: bool,
    /// Formats that were looked at, none at first.
    pub formats: Formats,
}

impl Environment for Linux {
    fn builtin(&self, name: &str) -> Option<Builtin> {
        let mut rows = TABLES.iter().copied().flatten();
        rows.find(|(n, _)| *n == name).map(|(_, f)| *f)
    }

    fn first_states(&self, m: &mut Machine, memory: &Memory) -> Result<Vec<Box<State>>, String> {
        start::first_states(self, m, memory)
    }

    fn trace(
        &self,
        parts: &mut dyn Iterator<Item = &mut dyn EnvState>,
        visit: &mut dyn FnMut(&mut Term),
    ) {
        let mut seen = linux::Seen::default();
        for part in parts {
            let world = &part.get::<Process>().world;
            world.trace_shared(&mut seen, visit);
        }
    }

    fn landings(&self) -> &'static [&'static str] {
        LANDINGS
    }

    fn output(&self, m: &mut Machine, s: &State, model: &Model) -> Output {
        output::output(m, s, model)
    }

    fn may_run(&self, m: &mut Machine, s: &State) -> Result<(), Termination> {
        refusal::may_run(m, s)
    }

    fn decides(&self, m: &mut Machine, s: &mut State, cond: Term) {
        refusal::look(m, s, cond);
    }

    fn catches(&self, s: &State, fault: &Fault) -> bool {
        signal::catches(s, fault)
    }

    fn uncaught(&self, m: &mut Machine, s: &State, fault: &Fault) {
        signal::uncaught(m, s, fault);
    }

    fn goes_on(
        &self,
        m: &mut Machine,
        s: &mut State,
        fault: Option<Fault>,
        end: Termination,
    ) -> Result<(), Termination> {
        signal::goes_on(m, s, fault, end)
    }

    fn judged(&self, m: &mut Machine, s: &State, why: &Termination) -> Option<Termination> {
        refusal::judged(m, s, why)
    }

    fn has_bytes(
        &self,
        m: &mut Machine,
        s: &State,
        object: &Object,
        proven: u64,
        count: u64,
    ) -> Option<Term> {
        text::has_bytes(m, s, object, proven, count)
    }

    fn contract(&self, function: &Function) -> Option<Contract> {
        (!function.own).then(|| contracts::contract(&function.name))?
    }

    fn variable_arguments(
        &self,
        m: &mut Machine,
        s: &mut State,
        fixed: FixedRegisters,
        list: &[VarArg],
        callee: &Function,
        args: &[Value],
    ) -> Result<u64, Termination> {
        if m.is_own(s) {
            formats::look(&self.formats, m, s, callee, args, list)?;
        }
        varargs::lay_out(m, s, fixed, list, callee)
    }
}
