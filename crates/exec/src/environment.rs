//! The environment of a program: its first state, the functions that it calls and has no code for, and the part of the
//! operating system that each of its paths keeps.
//!
//! The machine knows code, values, memory and paths. Everything else of a language or a system belongs to its
//! [`Environment`]: one value for a run, given to [`Machine::new`], and a part in each state ([`EnvState`]), which the
//! machine only copies and shows to the collector. Crate `env-c` is the environment of C programs; the tests have a
//! small language of their own with another one.
//!
//! How to add a function that the engine supplies: write a [`Builtin`] in the file of its family and add a row to that
//! file's table. A builtin that asks `decide` or `concretize` may be re-executed from its start in a fork, so it asks
//! before it changes anything.

use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::{EnvState, State};
use explore::Output;
use ir::{FixedRegisters, Function, Landing, Reg, VarArg, Verified};
use memory::{Fault, Memory, Object, Value};
use smallvec::SmallVec;
use solver::Model;
use std::cell::Cell;
use std::rc::Rc;
use term::Term;

/// One call of a builtin.
pub struct Call<'a> {
    /// The arguments.
    pub args: SmallVec<[Value; 6]>,
    /// Width in bits of each argument.
    pub widths: SmallVec<[u16; 6]>,
    /// First register of the result.
    pub dst: Reg,
    /// Widths in bits of the results that the call expects.
    pub results: &'a [u16],
    /// An argument was asked for that the call does not have.
    pub(crate) lacks: Cell<bool>,
}

impl Call<'_> {
    /// Argument `i`; a missing one (a call through a wrong declaration) is zero, and an error if such calls are.
    #[inline]
    pub fn arg(&self, i: usize) -> Value {
        self.args.get(i).copied().unwrap_or_else(|| {
            self.lacks.set(true);
            Value::concrete(0)
        })
    }

    /// Argument `i` with the width that it has, which is that of a register if it is missing.
    #[inline]
    pub fn wide(&self, i: usize) -> (Value, u32) {
        let width = self.widths.get(i).copied().unwrap_or(64);
        (self.arg(i), u32::from(width))
    }
}

/// How a builtin ends.
pub enum Done {
    /// Continue behind the call; the result, if there is one, is zero.
    Next,
    /// Continue behind the call with this result.
    Value(Value),
    /// The builtin has set `pc` itself.
    Moved,
}

/// A function that the engine supplies.
pub type Builtin = fn(&mut Machine, &mut State, &Call) -> Result<Done, Termination>;

/// Checks the requirements on the arguments of a call, given the name of the function.
///
/// It only reads, and may run again in a fork.
pub type Contract = fn(&mut Machine, &mut State, &str, &[Value]) -> Result<(), Termination>;

/// The environment of the programs of a run.
///
/// The methods with a default are moments at which an environment may watch a path or answer for it; most environments
/// do not need them. They must do the same whenever a path is followed again.
pub trait Environment {
    /// The function of this name, which the program calls and has no code for.
    fn builtin(&self, name: &str) -> Option<Builtin>;

    /// The states in which the program begins: at least one, each made by [`Machine::new_state`] with its own number,
    /// entered by [`Machine::begin`], and with a witness that satisfies its path. `memory` holds the globals.
    ///
    /// # Errors
    /// Why the program cannot begin, in words.
    // The engine keeps its states in boxes: they move between lists and are large.
    #[allow(clippy::vec_box)]
    fn first_states(&self, m: &mut Machine, memory: &Memory) -> Result<Vec<Box<State>>, String>;

    /// Shows the collector all terms in the parts that states keep. Parts may share what they hold.
    fn trace(
        &self,
        parts: &mut dyn Iterator<Item = &mut dyn EnvState>,
        visit: &mut dyn FnMut(&mut Term),
    );

    /// Names of builtins that frames return to instead of to a caller; see [`Machine::landing`].
    fn landings(&self) -> &'static [&'static str] {
        &[]
    }

    /// The output that a path has written, under a model of it.
    fn output(&self, _: &mut Machine, _: &State, _: &Model) -> Output {
        Output::default()
    }

    /// A path is about to run for a while; or it ends now.
    fn may_run(&self, _: &mut Machine, _: &State) -> Result<(), Termination> {
        Ok(())
    }

    /// A path decides a symbolic condition.
    fn decides(&self, _: &mut Machine, _: &mut State, _: Term) {}

    /// Has the program a handler for a fault, to be run in place of an error ([`Environment::goes_on`])?
    fn catches(&self, _: &State, _: &Fault) -> bool {
        false
    }

    /// A fault that the program does not [catch](Environment::catches) becomes an error.
    fn uncaught(&self, _: &mut Machine, _: &State, _: &Fault) {}

    /// An instruction ends the path, perhaps by a fault that the program [catches](Environment::catches): it may go on
    /// elsewhere.
    ///
    /// # Errors
    /// The end of the path, if it ends.
    fn goes_on(
        &self,
        _: &mut Machine,
        _: &mut State,
        _: Option<Fault>,
        end: Termination,
    ) -> Result<(), Termination> {
        Err(end)
    }

    /// How a path really ends that comes to this end, if it is another one.
    fn judged(&self, _: &mut Machine, _: &State, _: &Termination) -> Option<Termination> {
        None
    }

    /// The condition that an object of symbolic size, of which `proven` bytes certainly exist, has `count` bytes;
    /// `None` if its size says it best.
    fn has_bytes(
        &self,
        _: &mut Machine,
        _: &State,
        _: &Object,
        _proven: u64,
        _count: u64,
    ) -> Option<Term> {
        None
    }

    /// The contract of a function that is defined outside of the program's own code: its requirements on calls by the
    /// program.
    fn contract(&self, _: &Function) -> Option<Contract> {
        None
    }

    /// Lays out the arguments that are passed beyond a function's parameters, and returns the value of
    /// [`Frame::varargs`](crate::Frame::varargs) of the callee. `args` are the arguments of its parameters.
    ///
    /// # Errors
    /// The end of the path, if they cannot be passed.
    fn variable_arguments(
        &self,
        m: &mut Machine,
        s: &mut State,
        _fixed: FixedRegisters,
        _list: &[VarArg],
        callee: &Function,
        _args: &[Value],
    ) -> Result<u64, Termination> {
        Err(m.unsupported(s, &format!("variable arguments of {}", callee.name)))
    }
}

/// The links of a program to its environment: the builtin for each function that it has no code for, and the contract
/// of each function that has one.
pub(crate) struct Links {
    pub environment: Rc<dyn Environment>,
    /// Builtins by the number of the external function.
    pub builtins: Vec<Option<Builtin>>,
    /// Contracts by function.
    pub contracts: Vec<Option<Contract>>,
    /// The addresses to which frames return that call the functions of [`Environment::landings`].
    pub landings: Vec<Landing>,
}

impl Links {
    /// Connects a program, to which code is added for the landings.
    pub fn of(mut module: Verified, environment: Rc<dyn Environment>) -> (Verified, Links) {
        let mut landings = Vec::new();
        for name in environment.landings() {
            let landing;
            (module, landing) = module.with_landing(name);
            landings.push(landing);
        }
        let externs = module.externs.iter();
        let builtins = externs.map(|name| environment.builtin(name)).collect();
        let functions = module.functions.iter();
        let contracts = functions.map(|f| environment.contract(f)).collect();
        let links = Links {
            environment,
            builtins,
            contracts,
            landings,
        };
        (module, links)
    }
}
