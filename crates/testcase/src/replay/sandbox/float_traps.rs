//! Which instructions of a traced program raise a floating-point exception.
//!
//! The exceptions that are looked for are unmasked in MXCSR and in x87's control word, so that the first one of each
//! operation is a SIGFPE. The tracer then masks them, lets the instruction run alone and asks the flags what it raised
//! (an unmasked underflow also traps on tiny results that are exact). It goes on step by step, with a look at the flags
//! after each, until the function has returned a few times: an exception inside of a library's function belongs to the line
//! that called it. Then the exceptions are unmasked again; the program sees no signal, and its flags are as without us.
//!
//! x87 reports an exception at its next instruction and may leave another result than without traps. So only its
//! first one is looked at, and x87's exceptions are masked from there on.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;

/// An instruction that raised an exception.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FloatTrap {
    /// The instruction.
    pub pc: u64,
    /// Where the functions around it returned to, innermost first.
    pub callers: Vec<u64>,
}

/// Returns that a walk waits for.
const CALLERS: usize = 4;
/// Steps and traps of one run, after which the exceptions stay masked.
const STEPS: u32 = 200_000;
/// All exceptions, in the order of the status words.
const ALL: u16 = 0x3f;
/// Exceptions that are not masked are pending.
const X87_PENDING: u16 = 0x80;
/// The masks stand this far above the flags in MXCSR.
const MASKS: u32 = 7;

/// Looks for exceptions while a program runs.
pub(super) struct FloatTraps {
    pid: libc::pid_t,
    /// As bits of the status words.
    wanted: u16,
    /// What was found.
    pub found: Vec<FloatTrap>,
    known: HashSet<u64>,
    walks: Vec<Walk>,
    step: Option<Step>,
    steps: u32,
    looks_at_x87: bool,
}

/// On the way out of the functions around an instruction.
struct Walk {
    /// Into `found`.
    trap: usize,
    /// A return from here or above leaves the function.
    stack: u64,
}

/// An instruction that runs alone.
struct Step {
    pc: u64,
    stack: u64,
    returns: bool,
    /// The flags of before.
    flags: u32,
}

impl FloatTraps {
    /// Looks for the exceptions whose bits of the status words are set.
    pub fn new(pid: libc::pid_t, wanted: u16) -> FloatTraps {
        FloatTraps {
            pid,
            wanted,
            found: Vec::new(),
            known: HashSet::new(),
            walks: Vec::new(),
            step: None,
            steps: 0,
            looks_at_x87: true,
        }
    }

    /// Unmasks the exceptions; at the program's start.
    pub fn begin(&self) -> io::Result<()> {
        self.change(|floats| {
            floats.mxcsr &= !(u32::from(self.wanted) << MASKS);
            if self.looks_at_x87 {
                floats.cwd &= !self.wanted;
            }
        })
    }

    /// Whether a stop with this signal was ours; the program goes on then.
    pub fn takes(&mut self, signal: i32) -> io::Result<bool> {
        if signal == libc::SIGTRAP && self.step.is_some() {
            self.stepped()?;
            return Ok(true);
        }
        if signal != libc::SIGFPE {
            if self.step.take().is_some() {
                // A handler may run now: the walks end here.
                self.walks.clear();
                self.begin()?;
            }
            return Ok(false);
        }
        let floats = self.floats()?;
        if floats.swd & X87_PENDING != 0 {
            self.note(floats.rip, u64::MAX);
            self.looks_at_x87 = false;
            self.change(|floats| {
                floats.cwd |= ALL;
                floats.swd &= !(ALL | X87_PENDING | 1 << 15);
            })?;
            self.resume(libc::PTRACE_CONT);
            return Ok(true);
        }
        // SAFETY: our own stopped child; the structure is filled or the call fails.
        let code = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            checked(libc::ptrace(
                libc::PTRACE_GETSIGINFO,
                self.pid,
                0,
                &mut info,
            ))?;
            info.si_code
        };
        // FPE_FLTDIV to FPE_FLTINV: not those of integers, nor of a process that sends the signal.
        if !(3..=7).contains(&code) {
            return Ok(false);
        }
        self.step_alone()?;
        Ok(true)
    }

    /// Lets the next instruction run alone, without traps and flags.
    fn step_alone(&mut self) -> io::Result<()> {
        let registers = self.registers()?;
        let floats = self.floats()?;
        self.step = Some(Step {
            pc: registers.rip,
            stack: registers.rsp,
            returns: self.is_return(registers.rip),
            flags: floats.mxcsr & u32::from(ALL),
        });
        self.change(|floats| {
            floats.mxcsr |= u32::from(ALL) << MASKS;
            floats.mxcsr &= !u32::from(ALL);
        })?;
        self.resume(libc::PTRACE_SINGLESTEP);
        Ok(())
    }

    fn stepped(&mut self) -> io::Result<()> {
        let Some(step) = self.step.take() else {
            return Ok(());
        };
        let now = self.registers()?;
        let raised = self.floats()?.mxcsr & u32::from(ALL);
        self.change(|floats| floats.mxcsr |= step.flags)?;
        if raised & u32::from(self.wanted) != 0 {
            self.note(step.pc, step.stack);
        }
        if step.returns {
            let found = &mut self.found;
            self.walks.retain_mut(|walk| {
                if step.stack >= walk.stack {
                    found[walk.trap].callers.push(now.rip);
                    walk.stack = now.rsp;
                }
                found[walk.trap].callers.len() < CALLERS
            });
        }
        self.steps += 1;
        if self.steps >= STEPS {
            // They stay masked.
            self.walks.clear();
        } else if !self.walks.is_empty() {
            return self.step_alone();
        } else {
            self.begin()?;
        }
        self.resume(libc::PTRACE_CONT);
        Ok(())
    }

    /// An instruction raised what is looked for.
    fn note(&mut self, pc: u64, stack: u64) {
        if self.known.insert(pc) {
            self.found.push(FloatTrap {
                pc,
                callers: Vec::new(),
            });
            // Of one of x87 the frame is not known.
            if stack != u64::MAX {
                let trap = self.found.len() - 1;
                self.walks.push(Walk { trap, stack });
            }
        }
    }

    fn is_return(&self, pc: u64) -> bool {
        // SAFETY: reads a word of our own stopped child; an address without memory gives -1, which is no return.
        let word = unsafe { libc::ptrace(libc::PTRACE_PEEKTEXT, self.pid, pc, 0) };
        matches!(word.to_le_bytes(), [0xc2 | 0xc3, ..] | [0xf3, 0xc3, ..])
    }

    fn registers(&self) -> io::Result<libc::user_regs_struct> {
        // SAFETY: our own stopped child; the structure is filled or the call fails.
        unsafe {
            let mut registers: libc::user_regs_struct = std::mem::zeroed();
            checked(libc::ptrace(
                libc::PTRACE_GETREGS,
                self.pid,
                0,
                &mut registers,
            ))?;
            Ok(registers)
        }
    }

    fn floats(&self) -> io::Result<libc::user_fpregs_struct> {
        // SAFETY: as above.
        unsafe {
            let mut floats: libc::user_fpregs_struct = std::mem::zeroed();
            checked(libc::ptrace(
                libc::PTRACE_GETFPREGS,
                self.pid,
                0,
                &mut floats,
            ))?;
            Ok(floats)
        }
    }

    fn change(&self, change: impl FnOnce(&mut libc::user_fpregs_struct)) -> io::Result<()> {
        let mut floats = self.floats()?;
        change(&mut floats);
        // SAFETY: our own stopped child gets what it had, changed.
        unsafe { checked(libc::ptrace(libc::PTRACE_SETFPREGS, self.pid, 0, &floats)) }
    }

    fn resume(&self, how: libc::c_uint) {
        // SAFETY: our own stopped child. It may have been killed meanwhile: the next wait says so.
        unsafe { libc::ptrace(how, self.pid, 0, 0) };
    }
}

fn checked(result: libc::c_long) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
