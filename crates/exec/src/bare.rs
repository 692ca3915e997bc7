//! A minimal environment for the unit tests of this crate.

use crate::environment::{Builtin, Call, Done, Environment};
use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::{EnvState, State};
use memory::Memory;
use std::rc::Rc;
use term::Term;

/// Memory that is asked for to make a byte symbolic.
const BYTES: u64 = 4096;

/// `symbolic(address)` makes a byte symbolic, `panic()` panics. The program begins at its entry, without arguments.
pub(crate) struct Bare;

struct Nothing;

impl EnvState for Nothing {
    fn fork(&self) -> Box<dyn EnvState> {
        Box::new(Nothing)
    }
}

impl Bare {
    /// A machine for a program in IR text.
    pub fn machine(program: &str) -> Machine {
        let module = ir::parse::parse(program).expect("it can be read");
        let module = ir::Verified::new(module).expect("it is valid");
        let solver = solver::Solver::new(solver::SolverOptions::default());
        Machine::new(module, Rc::new(Bare), solver, Default::default())
    }
}

impl Environment for Bare {
    fn builtin(&self, name: &str) -> Option<Builtin> {
        match name {
            "symbolic" => Some(symbolic),
            "panic" => Some(panic),
            _ => None,
        }
    }

    fn first_states(&self, m: &mut Machine, memory: &Memory) -> Result<Vec<Box<State>>, String> {
        let mut s = m.new_state(0, memory, Box::new(Nothing));
        let entry = m.module.entry.main.ok_or("a program without main")?;
        let begun = m.begin(&mut s, entry, &[]);
        begun.map_err(|end| format!("{end:?}"))?;
        Ok(vec![Box::new(s)])
    }

    fn trace(&self, _: &mut dyn Iterator<Item = &mut dyn EnvState>, _: &mut dyn FnMut(&mut Term)) {}
}

fn symbolic(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    // As whoever takes much does.
    room::need(BYTES);
    let terms = m.new_object(s, "x", 1)?;
    let made = s.memory.make_symbolic(&mut m.tlb, c.arg(0).bits, &terms);
    made.map_err(|fault| m.fault(s, &fault))?;
    Ok(Done::Next)
}

fn panic(_: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    panic!("asked for");
}
