//! Steps of a child process on its way behind the fence.

use rustix::io::Errno;
use rustix::process::{self, Pid, Resource, Rlimit, Signal, WaitOptions};
use std::io;

/// Forks; the child runs `work`, ends with the status that it returns (1 for an error), and dies with its parent at the latest.
pub(crate) fn fork(work: impl FnOnce() -> io::Result<i32>) -> io::Result<Pid> {
    // SAFETY: the child goes on alone, in a program that has (but in tests) one thread.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    // (The child gets 0.)
    Pid::from_raw(pid).map_or_else(
        || {
            let tied = process::set_parent_process_death_signal(Some(Signal::KILL));
            let done = tied.map_err(io::Error::from).and_then(|()| work());
            end_now(done.unwrap_or(1))
        },
        Ok,
    )
}

/// Waits for a child's end, and returns its status, or 128 and the number of the signal that killed it.
pub(crate) fn wait_for(pid: Pid) -> i32 {
    loop {
        match process::waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => {
                let signal = status.terminating_signal().map(|signal| 128 + signal);
                return signal.or(status.exit_status()).unwrap_or(1);
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return 1,
        }
    }
}

/// Ends this process with the status of another one: by its signal, if one killed it.
pub(crate) fn end_like(status: i32) -> ! {
    if status > 128 {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        // Without a core file; if the limit is refused, with one.
        let _ = process::setrlimit(Resource::Core, none);
        // SAFETY: numbers only. (If it lives on, the status tells.)
        unsafe {
            libc::signal(status - 128, libc::SIG_DFL);
            libc::raise(status - 128);
        }
    }
    end_now(status)
}

/// Ends the process on the spot with this status: nothing is flushed, and no destructor runs. It may have been made by `fork`.
pub fn end_now(status: i32) -> ! {
    // SAFETY: takes a number, touches no memory, and does not return.
    unsafe { libc::_exit(status) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_ends_with_its_status_its_error_or_the_signal_of_another_one() {
        let end = |work: fn() -> io::Result<i32>| wait_for(fork(work).expect("a process"));
        assert_eq!(end(|| Ok(7)), 7);
        assert_eq!(end(|| Err(io::ErrorKind::Other.into())), 1);
        assert_eq!(end(|| end_like(3)), 3);
        assert_eq!(end(|| end_like(128 + libc::SIGTERM)), 143);
        // One of those without a name.
        assert_eq!(end(|| end_like(128 + 40)), 168);
    }
}
