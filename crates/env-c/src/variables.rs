//! Variables that the environment of the program lacks.

use super::Table;
use super::text::c_string;
use exec::Machine;
use exec::State;
use exec::Termination;
use exec::{Call, Done};
use memory::Value;
use vocab::Bound;

pub const TABLE: Table = &[("__polypath_unset", unset)];

/// `getenv` did not find a variable (`runtime/musl/build`). What libc itself looks for does not count: without it libc does
/// what its world is said to do.
fn unset(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let mut callers = s
        .frames()
        .iter()
        .rev()
        .map(|f| &m.module.functions[f.function as usize]);
    let caller = callers.find(|f| !f.name.ends_with("getenv"));
    let name = c.arg(0);
    if caller.is_some_and(|f| f.own) && Machine::is_concrete(name) {
        let name = c_string(m, s, Value::concrete(name.bits))?;
        m.meets(Bound::Unset, name);
    }
    Ok(Done::Next)
}
