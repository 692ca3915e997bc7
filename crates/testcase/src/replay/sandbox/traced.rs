//! The calls of `ptrace` on a stopped child of ours.

use rustix::process::Pid;
use std::io;

/// A child that is traced and has stopped. Calls fail if it has not, or is gone (`ESRCH`).
#[derive(Clone, Copy)]
pub(super) struct Traced(pub Pid);

/// Lets the parent trace this process. A system call only.
pub(super) fn begin() -> io::Result<()> {
    checked(with_numbers(libc::PTRACE_TRACEME, 0, 0, 0))
}

impl Traced {
    /// Options `PTRACE_O_…`.
    pub fn set_options(self, options: i32) -> io::Result<()> {
        checked(with_numbers(
            libc::PTRACE_SETOPTIONS,
            self.pid(),
            0,
            options,
        ))
    }

    /// Continues it (`PTRACE_CONT`, `PTRACE_SINGLESTEP`) with this signal, or none (0). It may have been killed
    /// meanwhile: the next wait reports that.
    pub fn resume(self, how: libc::c_uint, signal: i32) {
        with_numbers(how, self.pid(), 0, signal);
    }

    /// The word at an address of its memory; -1 where there is none.
    pub fn word(self, address: u64) -> i64 {
        with_numbers(libc::PTRACE_PEEKTEXT, self.pid(), address, 0)
    }

    /// The data of the signal that stopped it.
    pub fn signal(self) -> io::Result<libc::siginfo_t> {
        self.get(libc::PTRACE_GETSIGINFO)
    }

    pub fn registers(self) -> io::Result<libc::user_regs_struct> {
        self.get(libc::PTRACE_GETREGS)
    }

    /// The registers of x87 and SSE.
    pub fn floats(self) -> io::Result<libc::user_fpregs_struct> {
        self.get(libc::PTRACE_GETFPREGS)
    }

    pub fn set_floats(self, floats: &libc::user_fpregs_struct) -> io::Result<()> {
        // SAFETY: the call reads such a structure.
        checked(unsafe { libc::ptrace(libc::PTRACE_SETFPREGS, self.pid(), 0, floats) })
    }

    /// The result of such a request: the callers above name the structure that belongs to it.
    fn get<T>(self, request: libc::c_uint) -> io::Result<T> {
        // SAFETY: the request fills a `T` (see above), a structure of C for which zeros are valid.
        unsafe {
            let mut value: T = std::mem::zeroed();
            checked(libc::ptrace(request, self.pid(), 0, &mut value))?;
            Ok(value)
        }
    }

    fn pid(self) -> libc::pid_t {
        self.0.as_raw_pid()
    }
}

/// A request without memory of ours: the callers above make no other.
fn with_numbers(
    request: libc::c_uint,
    pid: libc::pid_t,
    address: u64,
    number: i32,
) -> libc::c_long {
    // SAFETY: numbers only (see above); an address is that of another process, which the kernel checks.
    unsafe { libc::ptrace(request, pid, address, number) }
}

fn checked(result: libc::c_long) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
