//! What stands around a program: where it begins, what it calls and has no code for, and what each of its paths
//! keeps of the system that it runs on.
//!
//! The machine knows code, values, memory and paths. All else that a language or a system has is its
//! [`Environment`]'s: one value for a run, given to [`Machine::new`], and a part in each state ([`EnvState`]) that the
//! machine only copies and shows to the collector. Crate `env-c` is the environment of C programs; the tests
//! have a small language of their own with another one.
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

/// Asks what has to hold of the arguments of a call, given the name of the function.
///
/// It may be asked again in a fork, and only looks.
pub type Contract = fn(&mut Machine, &mut State, &str, &[Value]) -> Result<(), Termination>;

/// What the programs of a run have around them.
///
/// The methods with a default are moments at which an environment may watch a path or answer for it; most do not need
/// them. They must do the same whenever a path is taken again.
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

    /// What a path has written, under a model of it.
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

    /// The condition that an object of symbolic size, which has `proven` bytes for certain, has `count` ones, where it
    /// can be said better than by its size.
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

    /// What a function that is defined outside of the program's own code asks of the program's calls.
    fn contract(&self, _: &Function) -> Option<Contract> {
        None
    }

    /// Lays out what is passed to a function beyond its parameters; gives what [`Frame::varargs`](crate::Frame::varargs)
    /// of the callee becomes. `args` are those of its parameters.
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

/// What the open ends of a program are connected to: its environment, and for each function that it has no code for, or that asks
/// something of its callers, what the environment has for it.
pub(crate) struct Links {
    pub environment: Rc<dyn Environment>,
    /// By the number of the external function.
    pub builtins: Vec<Option<Builtin>>,
    /// What each function asks of the calls of the program.
    pub contracts: Vec<Option<Contract>>,
    /// Where frames return to that shall call what [`Environment::landings`] names.
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
