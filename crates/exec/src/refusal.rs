//! Calls that the model refuses, and what a program may conclude from that.
//!
//! A real system starts the thread that the model cannot start. A program that relies on it, and does not look whether
//! it could, goes wrong in the model only: what it does then is not its fault. One that looks handles a
//! failure that a real system may show as well, and all it does after that counts.
//!
//! So the result of a refused call of [`RELIED_ON`] becomes a symbol that can only have the value of the failure. It
//! changes nothing for the solver, but each branch of the program that depends on it is seen here. The path is in doubt
//! while some result of success would have taken the same way at all of them: `pid == 0` tells a failed fork from the
//! child, not from the parent. A path that ends in doubt ends as *unsupported*, by the name of the function
//! that the program called. So does one that dies by its own decision (an assertion, `abort`) in the function that looked:
//! `assert(pthread_create(…) == 0)` relies on the thread no less. Each refusal counts against "everything was explored" in any case.

use crate::builtins::{Call, Done};
use crate::endings::Ending;
use crate::errors::{ErrorKind, ProgramError, Termination};
use crate::machine::Machine;
use crate::state::State;
use ir::{FuncId, Inst, Pc, Reg};
use memory::Value;
use solver::{Model, Origin};
use std::rc::Rc;
use term::{Symbol, Term};

/// Name of the engine function behind a refused call.
pub(crate) const RETURN: &str = "__polypath_refused_return";

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

/// A refused call of which the program has not yet seen that it failed.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The function that the program called.
    name: &'static str,
    /// How many frames there are where it called it.
    depth: usize,
    /// Where the call returns to.
    resume: Pc,
    /// The result's bytes, once there is one.
    result: Vec<Symbol>,
    /// Results of success that would have come the same way. None: the program has seen that it failed.
    open: Vec<u64>,
    /// Where it saw that: how many frames there were, and the function of the last one.
    seen: Option<(usize, FuncId)>,
    /// Instructions of the path when it was refused.
    since: u64,
}

/// The refused function has returned.
pub(crate) fn returns(m: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let depth = s.frames.len();
    let doubts = s.doubts.clone();
    let waiting = |d: &Doubt| d.depth == depth && d.result.is_empty();
    let Some(at) = doubts.iter().rposition(waiting) else {
        return Err(Termination::Internal(
            "a refused call returns to nowhere".into(),
        ));
    };
    let resume = doubts[at].resume;
    if let Some((dst, width)) = m.result_of(resume) {
        let bytes = usize::from(width.min(64)).div_ceil(8);
        // Unique on the path.
        let name = format!("refused call at {}", s.progress.instructions);
        let value = s.reg(dst.0 as usize).bits;
        let symbols = m.symbols_of(&name, bytes)?.to_vec();
        let mut term = Term::NONE;
        for (i, &symbol) in symbols.iter().enumerate() {
            let byte = m.pool.symbol_term(symbol);
            s.witness.set(symbol, value >> (8 * i) & 0xff);
            term = match i {
                0 => byte,
                _ => m.pool.concat(byte, term),
            };
        }
        let failure = m.pool.bv(
            8 * bytes as u32,
            value & crate::concrete::mask(8 * bytes as u8),
        );
        let same = m.pool.eq(term, failure);
        m.assume(s, same, Origin::Assume);
        if width % 8 != 0 {
            term = m.pool.extract(u32::from(width) - 1, 0, term);
        }
        s.set(dst, Value { bits: value, term });
        Rc::make_mut(&mut s.doubts)[at].result = symbols;
    }
    // Whatever is called from here on returns to its own place.
    Rc::make_mut(&mut s.doubts)[at].depth = usize::MAX;
    m.goto(s, resume)?;
    Ok(Done::Moved)
}

impl Machine {
    /// Counts a call that the model refuses, `what` in the world's words, and watches what the program makes of it.
    pub(crate) fn refuse(&mut self, s: &mut State, what: &str) {
        // The function that the program itself called.
        let own = |f: &crate::Frame| !self.is_library(f.function);
        let called = match s.frames.iter().rposition(own) {
            Some(i) if i + 1 < s.frames.len() => i + 1,
            _ => {
                *self.stats.refused.entry(what.to_string()).or_default() += 1;
                return;
            }
        };
        let name = &self.module.functions[s.frames[called].function as usize].name;
        let Some(&(name, open)) = RELIED_ON.iter().find(|row| plain(row.0) == plain(name)) else {
            *self.stats.refused.entry(what.to_string()).or_default() += 1;
            return;
        };
        let resume = s.frames[called].return_pc;
        if resume == self.refused_return {
            return; // It has tried before, in the same call.
        }
        *self.stats.refused.entry(name.to_string()).or_default() += 1;
        s.frames[called].return_pc = self.refused_return;
        Rc::make_mut(&mut s.doubts).push(Doubt {
            name,
            depth: called,
            resume,
            result: Vec::new(),
            open: open.to_vec(),
            seen: None,
            since: s.progress.instructions,
        });
    }

    /// Register and width of the result of the call that returns to `resume`.
    fn result_of(&self, resume: Pc) -> Option<(Reg, u16)> {
        match self.module.code.get(resume.checked_sub(1)? as usize)? {
            Inst::Call { callee, dst, .. } => {
                let results = &self.module.functions[*callee as usize].results;
                Some((*dst, *results.first()?))
            }
            Inst::CallSite { site } => {
                let site = &self.module.call_sites[*site as usize];
                Some((site.dst, *site.results.first()?))
            }
            _ => None,
        }
    }

    /// The program branches on `cond`: which results of success would have gone the other way?
    pub(crate) fn look_at_doubts(&mut self, s: &mut State, cond: Term) {
        if self.is_library(s.frame().function) {
            return;
        }
        let doubts = s.doubts.clone();
        let symbols = self.pool.symbols(cond);
        for (i, doubt) in doubts.iter().enumerate().filter(|(_, d)| d.seen.is_none()) {
            let asked = |&x: &Symbol| self.pool.set_contains(symbols, x);
            if !doubt.result.iter().any(asked) {
                continue;
            }
            let taken = self.eval(s, cond);
            let mut open = doubt.open.clone();
            open.retain(|&value| {
                let model = with(&s.witness, &doubt.result, value);
                self.evaluator.eval(&self.pool, cond, &model) == taken
            });
            let seen = open
                .is_empty()
                .then(|| (s.frames.len(), s.frame().function));
            let doubt = &mut Rc::make_mut(&mut s.doubts)[i];
            (doubt.open, doubt.seen) = (open, seen);
        }
    }

    /// How a path really ends: in doubt, nothing that it did after the refusal is the program's.
    #[inline]
    pub(crate) fn judged(&mut self, s: &State, why: &Termination) -> Termination {
        match s.doubts.is_empty() {
            true => why.clone(),
            false => self.judged_in_doubt(s, why),
        }
    }

    fn judged_in_doubt(&mut self, s: &State, why: &Termination) -> Termination {
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
                let frame = s.frames.get(depth - 1);
                deliberate && frame.is_some_and(|f| f.function == function)
            }
        };
        match s.doubts.iter().find(gives_up) {
            Some(doubt) => self.doubted(s, doubt),
            None => why.clone(),
        }
    }

    /// The end of a path that has gone on in doubt for too long.
    pub(crate) fn in_doubt_too_long(&mut self, s: &State) -> Option<Termination> {
        let doubt = s.doubts.iter().find(|d| d.seen.is_none())?;
        let long = s.progress.instructions - doubt.since > PATIENCE;
        long.then(|| self.doubted(s, doubt))
    }

    fn doubted(&mut self, s: &State, doubt: &Doubt) -> Termination {
        let message = match doubt.seen {
            None => format!("{} (the program does not check that it failed)", doubt.name),
            Some(_) => format!("{} (the program gives up when it fails)", doubt.name),
        };
        *self.stats.unsupported.entry(message.clone()).or_default() += 1;
        Termination::Error(ProgramError {
            kind: ErrorKind::Unsupported,
            message,
            pc: s.pc,
        })
    }
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
