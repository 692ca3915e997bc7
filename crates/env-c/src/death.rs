//! The reason why a program was killed by a signal, in its author's terms: "assertion failed: x > 3", not "raise".
//!
//! Libc ends a program in few functions, all by way of `abort`. The function that was called is on the stack, and its
//! arguments are in the registers of its caller, which no code touches any more.

use super::text::c_string;
use exec::Machine;
use exec::{ErrorKind, Termination};
use exec::{Frame, State};
use ir::{Inst, Val};
use memory::Value;

/// The rest of the message.
enum Detail {
    Nothing,
    /// The text that this argument points to.
    Text(usize),
}

/// A function that ends the program: its name, the kind of error that this is, and the message.
type FatalFunction = (&'static str, ErrorKind, &'static str, Detail);

/// Functions of libc and the run time that end the program, and the error that each stands for. The outermost one that
/// was called counts: `__assert_fail` calls `abort`.
#[rustfmt::skip]
const ENDS: &[FatalFunction] = {
    use Detail::*;
    use ErrorKind::*;
    &[
        ("__assert_fail", Assert, "assertion failed: ", Text(0)),
        ("__assert", Assert, "assertion failed: ", Text(0)),
        ("__assert_rtn", Assert, "assertion failed: ", Text(3)),
        ("__assert_perror_fail", Assert, "assertion failed: an error number is not zero", Nothing),
        ("__stack_chk_fail", OutOfBounds, "stack smashing detected", Nothing),
        ("__chk_fail", OutOfBounds, "buffer overflow detected by a fortified function", Nothing),
        ("__fortify_fail", OutOfBounds, "", Text(0)),
        ("_ZSt9terminatev", Abort, "std::terminate was called", Nothing),
        ("__cxa_pure_virtual", Abort, "a pure virtual function was called", Nothing),
        ("__cxa_deleted_virtual", Abort, "a deleted virtual function was called", Nothing),
        ("__cxa_guard_acquire", Abort, "a static variable is initialized by its own initializer", Nothing),
        ("operator_new", Abort, "operator new: out of memory", Nothing),
        ("operator_new_array", Abort, "operator new[]: out of memory", Nothing),
        ("operator_new_aligned", Abort, "operator new: out of memory", Nothing),
        ("operator_new_array_aligned", Abort, "operator new[]: out of memory", Nothing),
        ("abort", Abort, "abort was called", Nothing),
    ]
};

/// Signals by name.
const SIGNALS: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (10, "SIGUSR1"),
    (11, "SIGSEGV"),
    (12, "SIGUSR2"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (31, "SIGSYS"),
];

/// The program is killed by a signal, which it sent itself or which a call of its caused.
pub fn killed(m: &mut Machine, s: &mut State, signal: i32) -> Termination {
    let name = SIGNALS.iter().find(|(n, _)| *n == signal);
    let name = name.map_or(format!("signal {signal}"), |(_, name)| (*name).to_string());
    match end_called(m, s) {
        Some((frame, (_, kind, words, detail))) => {
            let text = match detail {
                Detail::Nothing => String::new(),
                Detail::Text(i) => text_argument(m, s, frame, *i).unwrap_or("?".into()),
            };
            m.error(s, *kind, format!("{words}{text}"))
        }
        None => {
            let message = format!("the program dies of {name}");
            m.error(s, ErrorKind::Abort, message)
        }
    }
}

/// Has the program called a function that found an error in it, an assertion above all? A call of `abort` alone is what the
/// program decided, as long as it decides what happens then.
pub fn is_error_called(m: &Machine, s: &State) -> bool {
    end_called(m, s).is_some_and(|(_, (_, kind, ..))| *kind != ErrorKind::Abort)
}

/// The outermost function of the table that the program called, with the index of its frame.
fn end_called(m: &Machine, s: &State) -> Option<(usize, &'static FatalFunction)> {
    let mut found = None;
    for (i, f) in s.frames().iter().enumerate().rev() {
        if !m.is_library(f.function) {
            break;
        }
        let name = &m.module.functions[f.function as usize].name;
        if let Some(row) = ENDS.iter().find(|row| row.0 == name) {
            found = Some((i, row));
        }
    }
    found
}

/// The string that a frame's function was called with.
fn text_argument(m: &mut Machine, s: &mut State, frame: usize, argument: usize) -> Option<String> {
    let module = m.module.clone();
    let caller = s.frames().get(frame.checked_sub(1)?)?.clone();
    let call = s.frames()[frame].return_pc.checked_sub(1)?;
    let operand = match module.code.get(call as usize)? {
        Inst::Call { args, count, .. } if argument < usize::from(*count) => {
            module.operands[*args as usize + argument]
        }
        Inst::CallSite { site } => {
            let site = &module.call_sites[*site as usize];
            *site.args.get(argument)?
        }
        _ => return None,
    };
    let at = register_of(s, &caller, &module.consts, operand);
    c_string(m, s, at).ok()
}

/// An operand as a frame that is not the current one has it.
fn register_of(s: &State, frame: &Frame, consts: &[u64], operand: Val) -> Value {
    if operand.is_const() {
        return Value::concrete(consts[operand.index()]);
    }
    s.reg_of(frame, operand.index())
}
