//! What the engine supplies to the program under test: functions without bitcode.
//!
//! How to add one: write a [`Builtin`] in the file of its family and add a row to that file's `TABLE`.
//! A builtin that asks `decide` or `concretize` may be re-executed from its start in a fork, so
//! it asks before it changes anything.

mod alloc;
mod jump;
mod klee;
mod mem;
mod process;
pub(crate) mod signal;
pub mod svcomp;

use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use crate::varargs;
use ir::Reg;
use memory::Value;
use smallvec::SmallVec;

/// One call of a builtin.
pub struct Call<'a> {
    pub args: SmallVec<[Value; 6]>,
    /// Width in bits of each argument.
    pub widths: SmallVec<[u16; 6]>,
    pub dst: Reg,
    pub results: &'a [u16],
}

impl Call<'_> {
    /// Argument `i`; a missing one (a call through a wrong declaration) is zero.
    pub fn arg(&self, i: usize) -> Value {
        self.args.get(i).copied().unwrap_or(Value::concrete(0))
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

/// An engine function.
pub type Builtin = fn(&mut Machine, &mut State, &Call) -> Result<Done, Termination>;

pub(crate) type Table = &'static [(&'static str, Builtin)];

const TABLES: &[Table] = &[
    alloc::TABLE,
    jump::TABLE,
    klee::TABLE,
    mem::TABLE,
    process::TABLE,
    signal::TABLE,
    svcomp::TABLE,
    varargs::TABLE,
];

/// The engine's function of this name.
pub fn find(name: &str) -> Option<Builtin> {
    TABLES
        .iter()
        .flat_map(|t| t.iter())
        .find(|(n, _)| *n == name)
        .map(|(_, f)| *f)
}

/// The names of all engine functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|t| t.iter()).map(|(n, _)| *n)
}
