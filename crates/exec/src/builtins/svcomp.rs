//! The functions of the software verification competition.

use super::klee::{fresh, truth};
use super::{Call, Done, Table};
use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::state::State;

macro_rules! nondet {
    ($($function:ident $name:literal $bytes:literal;)*) => {
        $(fn $function(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
            let t = fresh(m, s, &$name[b"__VERIFIER_".len()..], $bytes);
            Ok(Done::Value(m.value(t)))
        })*

        pub const TABLE: Table = &[
            ("__VERIFIER_nondet_bool", nondet_bool),
            ("__VERIFIER_nondet__Bool", nondet_bool),
            ("__VERIFIER_assume", assume),
            ("__VERIFIER_assert", assert),
            ("__VERIFIER_error", reach_error),
            ("reach_error", reach_error),
            $(($name, $function),)*
        ];
    };
}

nondet! {
    nondet_char "__VERIFIER_nondet_char" 1;
    nondet_schar "__VERIFIER_nondet_schar" 1;
    nondet_uchar "__VERIFIER_nondet_uchar" 1;
    nondet_u8 "__VERIFIER_nondet_u8" 1;
    nondet_short "__VERIFIER_nondet_short" 2;
    nondet_ushort "__VERIFIER_nondet_ushort" 2;
    nondet_u16 "__VERIFIER_nondet_u16" 2;
    nondet_int "__VERIFIER_nondet_int" 4;
    nondet_uint "__VERIFIER_nondet_uint" 4;
    nondet_unsigned "__VERIFIER_nondet_unsigned" 4;
    nondet_u32 "__VERIFIER_nondet_u32" 4;
    nondet_long "__VERIFIER_nondet_long" 8;
    nondet_ulong "__VERIFIER_nondet_ulong" 8;
    nondet_longlong "__VERIFIER_nondet_longlong" 8;
    nondet_ulonglong "__VERIFIER_nondet_ulonglong" 8;
    nondet_u64 "__VERIFIER_nondet_u64" 8;
    nondet_loff_t "__VERIFIER_nondet_loff_t" 8;
    nondet_size_t "__VERIFIER_nondet_size_t" 8;
    nondet_pointer "__VERIFIER_nondet_pointer" 8;
    nondet_float "__VERIFIER_nondet_float" 4;
    nondet_double "__VERIFIER_nondet_double" 8;
}

fn nondet_bool(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let t = fresh(m, s, "nondet_bool", 1);
    let two = m.pool.bv(8, 2);
    let cond = m.pool.ult(t, two);
    m.require(s, cond)?;
    Ok(Done::Value(m.value(t)))
}

fn assume(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let cond = truth(m, c.arg(0), u32::from(c.widths[0]));
    m.require(s, cond)?;
    Ok(Done::Next)
}

fn assert(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let holds = truth(m, c.arg(0), u32::from(c.widths[0]));
    let bad = m.pool.not(holds);
    m.forbid(s, bad, ErrorKind::Assert, || {
        "__VERIFIER_assert failed".into()
    })?;
    Ok(Done::Next)
}

fn reach_error(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.error(s, ErrorKind::User, "the error function was reached".into()))
}
