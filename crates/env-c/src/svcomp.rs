//! The functions of the software verification competition.

use super::Table;
use super::klee::{fresh, truth};
use exec::Machine;
use exec::State;
use exec::{Call, Done};
use exec::{ErrorKind, Termination};
use memory::Value;

/// A function that returns any value of a C type, `__VERIFIER_nondet_NAME`.
pub struct Nondet {
    /// What follows `__VERIFIER_nondet_`; each call makes an object `nondet_NAME`.
    pub name: &'static str,
    /// The result as C spells it.
    pub c_type: &'static str,
    /// Its size.
    pub bytes: usize,
}

macro_rules! nondet {
    ($($function:ident $name:literal $c_type:literal $bytes:literal;)*) => {
        $(fn $function(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
            any(m, s, c, concat!("nondet_", $name), $bytes)
        })*

        /// The set, for the native run time too: see [`c_header`].
        pub const NONDET: &[Nondet] = &[
            $(Nondet { name: $name, c_type: $c_type, bytes: $bytes },)*
        ];

        /// The functions, with what they do.
        pub const TABLE: Table = &[
            ("__VERIFIER_nondet_memory", nondet_memory),
            ("__VERIFIER_assume", assume),
            ("__VERIFIER_assert", assert),
            ("__VERIFIER_error", reach_error),
            ("reach_error", reach_error),
            ("__VERIFIER_atomic_begin", nothing),
            ("__VERIFIER_atomic_end", nothing),
            $((concat!("__VERIFIER_nondet_", $name), $function),)*
        ];
    };
}

nondet! {
    nondet_bool "bool" "_Bool" 1;
    nondet_c_bool "_Bool" "_Bool" 1;
    nondet_char "char" "char" 1;
    nondet_schar "schar" "signed char" 1;
    nondet_uchar "uchar" "unsigned char" 1;
    nondet_u8 "u8" "unsigned char" 1;
    nondet_short "short" "short" 2;
    nondet_ushort "ushort" "unsigned short" 2;
    nondet_u16 "u16" "unsigned short" 2;
    nondet_int "int" "int" 4;
    nondet_uint "uint" "unsigned" 4;
    nondet_unsigned "unsigned" "unsigned" 4;
    nondet_unsigned_int "unsigned_int" "unsigned" 4;
    nondet_u32 "u32" "unsigned" 4;
    nondet_long "long" "long" 8;
    nondet_ulong "ulong" "unsigned long" 8;
    nondet_longlong "longlong" "long long" 8;
    nondet_ulonglong "ulonglong" "unsigned long long" 8;
    nondet_u64 "u64" "unsigned long" 8;
    nondet_int128 "int128" "__int128" 16;
    nondet_uint128 "uint128" "unsigned __int128" 16;
    nondet_loff_t "loff_t" "long long" 8;
    nondet_sector_t "sector_t" "unsigned long" 8;
    nondet_pthread_t "pthread_t" "unsigned long" 8;
    nondet_size_t "size_t" "unsigned long" 8;
    nondet_pointer "pointer" "void *" 8;
    nondet_pchar "pchar" "char *" 8;
    nondet_charp "charp" "char *" 8;
    nondet_const_char_pointer "const_char_pointer" "const char *" 8;
    nondet_float "float" "float" 4;
    nondet_double "double" "double" 8;
}

/// The set as the native run time includes it (`runtime/native/verifier_names.h`; a test compares).
pub fn c_header() -> String {
    let mut text = String::from(
        "/* SV-COMP's functions NONDET(name, type, bytes). Written by a test of crates/env-c from its table\n\
         \x20* (svcomp.rs): change it there. */\n",
    );
    for f in NONDET {
        text += &format!("NONDET({}, {}, {})\n", f.name, f.c_type, f.bytes);
    }
    text
}

/// A new object of `bytes` bytes as the result; a boolean is 0 or 1.
fn any(
    m: &mut Machine,
    s: &mut State,
    c: &Call,
    name: &str,
    bytes: usize,
) -> Result<Done, Termination> {
    let t = fresh(m, s, name, bytes)?;
    if matches!(name, "nondet_bool" | "nondet__Bool") {
        let two = m.reason.pool.bv(8, 2);
        let cond = m.reason.pool.ult(t, two);
        m.require(s, cond)?;
    }
    if bytes <= 8 {
        return Ok(Done::Value(m.value(t)));
    }
    if c.results.len() > 1 {
        let high = m.reason.pool.extract(127, 64, t);
        let high = m.value(high);
        s.set(ir::Reg(c.dst.0 + 1), high);
    }
    let low = m.reason.pool.extract(63, 0, t);
    Ok(Done::Value(m.value(low)))
}

/// `__VERIFIER_nondet_memory(address, size)`: that many bytes in place.
fn nondet_memory(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concrete_address(s, c.arg(0));
    let len = m.concretize(s, c.arg(1), 64);
    m.check_bytes(s, at, Value::concrete(len), true)?;
    let Ok(count) = usize::try_from(len) else {
        return Err(m.unsupported(s, "__VERIFIER_nondet_memory of a huge object"));
    };
    let terms = m.new_object(s, "nondet_memory", count)?;
    s.memory
        .make_symbolic(&mut m.tlb, at, &terms)
        .map_err(|f| m.fault(s, &f))?;
    Ok(Done::Next)
}

fn assume(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let cond = truth(m, c.wide(0));
    m.require(s, cond)?;
    Ok(Done::Next)
}

fn assert(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let holds = truth(m, c.wide(0));
    let bad = m.reason.pool.not(holds);
    m.forbid(s, bad, ErrorKind::Assert, || {
        "__VERIFIER_assert failed".into()
    })?;
    Ok(Done::Next)
}

/// There is one thread: all that it does is one step for the others.
fn nothing(_: &mut Machine, _: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Next)
}

fn reach_error(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Err(m.error(s, ErrorKind::User, "the error function was reached".into()))
}

#[cfg(test)]
mod tests {
    /// `POLYPATH_BLESS=1` writes the header.
    #[test]
    fn the_native_run_time_has_the_same_set() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../runtime/native/verifier_names.h"
        );
        let wanted = super::c_header();
        if std::env::var_os("POLYPATH_BLESS").is_some() {
            std::fs::write(path, &wanted).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), wanted);
    }
}
