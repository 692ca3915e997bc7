//! Calls that the model refuses, and the consequences for the path.
//!
//! A real system starts the thread that the model cannot start. A program that relies on it, without checking the
//! result, fails in the model only: its behaviour from then on is not its fault. A program that checks the result
//! handles a failure that a real system may show as well, and its behaviour after that counts.
//!
//! So the result of a refused call of [`RELIED_ON`] becomes a symbol that can only have the value of the failure. It
//! changes nothing for the solver, but each branch of the program that depends on it is seen here. The path is in doubt
//! while some result of success would have taken the same way at all of them: `pid == 0` tells a failed fork from the
//! child, not from the parent. A path that ends in doubt ends as *unsupported*, by the name of the function
//! that the program called. So does one that dies by its own decision (an assertion, `abort`) in the function that looked:
//! `assert(pthread_create(…) == 0)` relies on the thread no less. Each refusal counts against "everything was explored" in any case.

use super::process::{Doubt, process, process_mut};
use super::{REFUSED_RETURN, Table};
use exec::Machine;
use exec::State;
use exec::{Call, Done};
use exec::{ErrorKind, ProgramError, Termination};
use explore::Ending;
use ir::{Inst, Pc, Reg};
use memory::Value;
use solver::{Model, Origin};
use std::rc::Rc;
use term::{Symbol, Term};

/// Name of the engine function behind a refused call.
pub const RETURN: &str = "__polypath_refused_return";

pub const TABLE: Table = &[(RETURN, returns)];

/// Instructions that a path in doubt goes on at most: it may wait for a thread that does not exist.
const PATIENCE: u64 = 10_000_000;

/// A result of success for functions that return zero, a descriptor or an id, and a pointer.
const ZERO: &[u64] = &[0];
const NUMBER: &[u64] = &[3];
const FORK: &[u64] = &[0, 4242];
const POINTER: &[u64] = &[0x10_0000];

/// Functions that a program relies on and the model may refuse, with results that they have when they succeed. One
/// that does not return then (`execve`) has zero.
#[rustfmt::skip]
const RELIED_ON: &[(&str, &[u64])] = &[
    ("pthread_create", ZERO), ("thrd_create", ZERO),
    ("fork", FORK), ("vfork", FORK), ("_Fork", FORK), ("clone", FORK), ("forkpty", FORK), ("daemon", ZERO),
    ("system", ZERO), ("popen", POINTER), ("posix_spawn", ZERO), ("posix_spawnp", ZERO), ("wordexp", ZERO),
    ("execve", ZERO), ("execv", ZERO), ("execvp", ZERO), ("execvpe", ZERO), ("execl", ZERO), ("execlp", ZERO),
    ("execle", ZERO), ("fexecve", ZERO),
    ("socket", NUMBER), ("socketpair", ZERO), ("connect", ZERO), ("bind", ZERO), ("listen", ZERO), ("accept", NUMBER),
    ("accept4", NUMBER),
    ("epoll_create", NUMBER), ("epoll_create1", NUMBER), ("epoll_ctl", ZERO), ("epoll_wait", ZERO),
    ("eventfd", NUMBER), ("signalfd", NUMBER), ("timerfd_create", NUMBER), ("timerfd_settime", ZERO),
    ("inotify_init", NUMBER), ("inotify_init1", NUMBER), ("inotify_add_watch", NUMBER), ("memfd_create", NUMBER),
    ("timer_create", ZERO), ("timer_settime", ZERO),
    ("shmget", NUMBER), ("shmat", POINTER), ("semget", NUMBER), ("semop", ZERO), ("msgget", NUMBER),
    ("msgsnd", ZERO), ("msgrcv", NUMBER), ("mq_open", NUMBER),
    ("ptrace", ZERO), ("unshare", ZERO), ("setns", ZERO), ("syscall", ZERO),
];

/// The refused function has returned.
fn returns(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let depth = s.frames().len();
    let doubts = process(s).doubts.clone();
    let waiting = |d: &Doubt| d.depth == depth && d.result.is_empty();
    let Some(at) = doubts.iter().rposition(waiting) else {
        return Err(Termination::Internal(
            "a refused call returns to nowhere".into(),
        ));
    };
    let resume = doubts[at].resume;
    if let Some((dst, width)) = result_of(m, resume) {
        let bytes = usize::from(width.min(64)).div_ceil(8);
        // Unique on the path.
        let name = format!("refused call at {}", s.progress.instructions);
        let value = s.reg(dst.0 as usize).bits;
        let symbols = m.symbols_of(&name, bytes)?.to_vec();
        let mut term = Term::NONE;
        for (i, &symbol) in symbols.iter().enumerate() {
            let byte = m.reason.pool.symbol_term(symbol);
            s.witness.set(symbol, value >> (8 * i) & 0xff);
            term = match i {
                0 => byte,
                _ => m.reason.pool.concat(byte, term),
            };
        }
        let failure = m
            .reason
            .pool
            .bv(8 * bytes as u32, value & ir::bits::mask(8 * bytes as u8));
        let same = m.reason.pool.eq(term, failure);
        m.assume(s, same, Origin::Assume);
        if width % 8 != 0 {
            term = m.reason.pool.extract(u32::from(width) - 1, 0, term);
        }
        s.set(dst, Value { bits: value, term });
        doubts_mut(s)[at].result = symbols;
    }
    // Whatever is called from here on returns to its own place.
    doubts_mut(s)[at].depth = usize::MAX;
    m.goto(s, resume)?;
    Ok(Done::Moved)
}

/// Counts a call that the model refuses, `what` in the world's words, and watches what the program makes of it.
pub fn refuse(m: &mut Machine, s: &mut State, what: &str) {
    // The function that the program itself called.
    let own = |f: &exec::Frame| !m.is_library(f.function);
    let called = match s.frames().iter().rposition(own) {
        Some(i) if i + 1 < s.frames().len() => i + 1,
        _ => {
            *m.stats.refused.entry(what.to_string()).or_default() += 1;
            return;
        }
    };
    let name = &m.module.functions[s.frames()[called].function as usize].name;
    let Some(&(name, open)) = RELIED_ON.iter().find(|row| plain(row.0) == plain(name)) else {
        *m.stats.refused.entry(what.to_string()).or_default() += 1;
        return;
    };
    let resume = s.frames()[called].return_pc;
    let landing = m.landing(REFUSED_RETURN).pc;
    if resume == landing {
        return; // It has tried before, in the same call.
    }
    *m.stats.refused.entry(name.to_string()).or_default() += 1;
    s.frames_mut()[called].return_pc = landing;
    let since = s.progress.instructions;
    doubts_mut(s).push(Doubt {
        name,
        depth: called,
        resume,
        result: Vec::new(),
        open: open.to_vec(),
        seen: None,
        since,
    });
}

/// Register and width of the result of the call that returns to `resume`.
fn result_of(m: &Machine, resume: Pc) -> Option<(Reg, u16)> {
    match m.module.code.get(resume.checked_sub(1)? as usize)? {
        Inst::Call { callee, dst, .. } => {
            let results = &m.module.functions[*callee as usize].results;
            Some((*dst, *results.first()?))
        }
        Inst::CallSite { site } => {
            let site = &m.module.call_sites[*site as usize];
            Some((site.dst, *site.results.first()?))
        }
        _ => None,
    }
}

/// The program branches on `cond`: which results of success would have gone the other way?
pub fn look(m: &mut Machine, s: &mut State, cond: Term) {
    if process(s).doubts.is_empty() || m.is_library(s.frame().function) {
        return;
    }
    let doubts = process(s).doubts.clone();
    let symbols = m.reason.pool.symbols(cond);
    for (i, doubt) in doubts.iter().enumerate().filter(|(_, d)| d.seen.is_none()) {
        let asked = |&x: &Symbol| m.reason.pool.set_contains(symbols, x);
        if !doubt.result.iter().any(asked) {
            continue;
        }
        let taken = m.eval(s, cond);
        let mut open = doubt.open.clone();
        open.retain(|&value| {
            let model = with(&s.witness, &doubt.result, value);
            m.reason.evaluator.eval(&m.reason.pool, cond, &model) == taken
        });
        let seen = open
            .is_empty()
            .then(|| (s.frames().len(), s.frame().function));
        let doubt = &mut doubts_mut(s)[i];
        (doubt.open, doubt.seen) = (open, seen);
    }
}

/// How a path really ends: in doubt, nothing that it did after the refusal is the program's.
pub fn judged(m: &mut Machine, s: &State, why: &Termination) -> Option<Termination> {
    let doubts = &process(s).doubts;
    if doubts.is_empty() {
        return None;
    }
    let (counts, deliberate) = match why {
        Termination::Exit(_) => (true, false),
        Termination::Error(e) => match e.kind {
            ErrorKind::Unsupported => (false, false),
            ErrorKind::Assert | ErrorKind::Abort | ErrorKind::User => (true, true),
            _ => (true, false),
        },
        Termination::Cut(ending) => (*ending == Ending::Blocked, false),
        Termination::Internal(_) => (false, false),
    };
    let gives_up = |d: &&Doubt| match d.seen {
        None => counts,
        Some((depth, function)) => {
            let frame = s.frames().get(depth - 1);
            deliberate && frame.is_some_and(|f| f.function == function)
        }
    };
    let doubt = doubts.iter().find(gives_up)?;
    Some(doubted(m, s, doubt))
}

/// A path that has gone on in doubt for too long ends.
pub fn may_run(m: &mut Machine, s: &State) -> Result<(), Termination> {
    let mut doubts = process(s).doubts.iter();
    match doubts.find(|d| d.seen.is_none()) {
        Some(d) if s.progress.instructions - d.since > PATIENCE => Err(doubted(m, s, d)),
        _ => Ok(()),
    }
}

fn doubted(m: &mut Machine, s: &State, doubt: &Doubt) -> Termination {
    let message = match doubt.seen {
        None => format!("{} (the program does not check that it failed)", doubt.name),
        Some(_) => format!("{} (the program gives up when it fails)", doubt.name),
    };
    *m.stats.unsupported.entry(message.clone()).or_default() += 1;
    Termination::Error(ProgramError {
        kind: ErrorKind::Unsupported,
        message,
        pc: s.hot.pc,
        object: None,
    })
}

fn doubts_mut(s: &mut State) -> &mut Vec<Doubt> {
    Rc::make_mut(&mut process_mut(s).doubts)
}

/// Libc's own name of a function has underscores in front.
fn plain(name: &str) -> &str {
    name.trim_start_matches('_')
}

/// A model with a value in place of the failure.
fn with(witness: &Model, result: &[Symbol], value: u64) -> Model {
    let mut model = witness.clone();
    for (i, &symbol) in result.iter().enumerate() {
        model.set(symbol, value >> (8 * i) & 0xff);
    }
    model
}
