//! Finds the instructions of a traced program that raise a floating-point exception.
//!
//! The exceptions that are looked for are unmasked in MXCSR and in x87's control word, so that the first one of each
//! operation is a SIGFPE. The tracer then masks them, lets the instruction run alone and asks the flags what it raised
//! (an unmasked underflow also traps on tiny results that are exact). It goes on step by step, with a look at the flags
//! after each, until the function has returned a few times: an exception inside of a library's function belongs to the line
//! that called it. Then the exceptions are unmasked again; the program sees no signal, and its flags are as without us.
//!
//! x87 reports an exception at its next instruction and may leave another result than without traps. So only its
//! first one is looked at, and x87's exceptions are masked from there on.

use super::traced::Traced;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;

/// An instruction that raised an exception.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FloatTrap {
    /// The instruction.
    pub pc: u64,
    /// The return addresses of the functions around it, innermost first.
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
    program: Traced,
    /// The wanted exceptions as bits of the status words.
    wanted: u16,
    /// The exceptions found.
    pub found: Vec<FloatTrap>,
    known: HashSet<u64>,
    walks: Vec<StepOut>,
    step: Option<SingleStep>,
    steps: u32,
    looks_at_x87: bool,
}

/// On the way out of the functions around an instruction.
struct StepOut {
    /// Into `found`.
    trap: usize,
    /// A return from here or above leaves the function.
    stack: u64,
}

/// An instruction that runs alone.
struct SingleStep {
    pc: u64,
    stack: u64,
    returns: bool,
    /// The flags of before.
    flags: u32,
}

impl FloatTraps {
    /// Looks for the exceptions whose bits of the status words are set.
    pub fn new(program: Traced, wanted: u16) -> FloatTraps {
        FloatTraps {
            program,
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
        let floats = self.program.floats()?;
        if floats.swd & X87_PENDING != 0 {
            self.note(floats.rip, u64::MAX);
            self.looks_at_x87 = false;
            self.change(|floats| {
                floats.cwd |= ALL;
                floats.swd &= !(ALL | X87_PENDING | 1 << 15);
            })?;
            self.program.resume(libc::PTRACE_CONT, 0);
            return Ok(true);
        }
        // FPE_FLTDIV to FPE_FLTINV: not those of integers, nor of a process that sends the signal.
        if !(3..=7).contains(&self.program.signal()?.si_code) {
            return Ok(false);
        }
        self.step_alone()?;
        Ok(true)
    }

    /// Lets the next instruction run alone, without traps and flags.
    fn step_alone(&mut self) -> io::Result<()> {
        let registers = self.program.registers()?;
        let floats = self.program.floats()?;
        self.step = Some(SingleStep {
            pc: registers.rip,
            stack: registers.rsp,
            returns: self.is_return(registers.rip),
            flags: floats.mxcsr & u32::from(ALL),
        });
        self.change(|floats| {
            floats.mxcsr |= u32::from(ALL) << MASKS;
            floats.mxcsr &= !u32::from(ALL);
        })?;
        self.program.resume(libc::PTRACE_SINGLESTEP, 0);
        Ok(())
    }

    fn stepped(&mut self) -> io::Result<()> {
        let Some(step) = self.step.take() else {
            return Ok(());
        };
        let now = self.program.registers()?;
        let raised = self.program.floats()?.mxcsr & u32::from(ALL);
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
        self.program.resume(libc::PTRACE_CONT, 0);
        Ok(())
    }

    /// An instruction raised a wanted exception.
    fn note(&mut self, pc: u64, stack: u64) {
        if self.known.insert(pc) {
            self.found.push(FloatTrap {
                pc,
                callers: Vec::new(),
            });
            // Of one of x87 the frame is not known.
            if stack != u64::MAX {
                let trap = self.found.len() - 1;
                self.walks.push(StepOut { trap, stack });
            }
        }
    }

    fn is_return(&self, pc: u64) -> bool {
        // An address without memory gives -1, which is no return.
        matches!(
            self.program.word(pc).to_le_bytes(),
            [0xc2 | 0xc3, ..] | [0xf3, 0xc3, ..]
        )
    }

    fn change(&self, change: impl FnOnce(&mut libc::user_fpregs_struct)) -> io::Result<()> {
        let mut floats = self.program.floats()?;
        change(&mut floats);
        self.program.set_floats(&floats)
    }
}
