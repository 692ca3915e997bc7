//! Processes on the way behind the fence.

use std::io;

/// Forks; the child runs `work`, ends with the status that it returns (1 for an error), and dies with its parent at the latest.
pub(crate) fn fork(work: impl FnOnce() -> io::Result<i32>) -> io::Result<libc::pid_t> {
    // SAFETY: the child goes on alone, in a program that has (but in tests) one thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            // SAFETY: numbers only.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
            let status = work().unwrap_or(1);
            // SAFETY: ends the process.
            unsafe { libc::_exit(status) }
        }
        pid => Ok(pid),
    }
}

/// Waits for a child's end, and returns its status, or 128 and the number of the signal that killed it.
pub(crate) fn wait_for(pid: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: fills the status.
    while unsafe { libc::waitpid(pid, &mut status, 0) } < 0 {
        if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return 1;
        }
    }
    if libc::WIFSIGNALED(status) {
        128 + libc::WTERMSIG(status)
    } else {
        libc::WEXITSTATUS(status)
    }
}

/// Processes that lose their parent become children of this one.
pub(crate) fn adopt() {
    // SAFETY: numbers only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Ends this process with the status of another one: by its signal, if one killed it.
pub(crate) fn end_like(status: i32) -> ! {
    // SAFETY: numbers only; ends the process.
    unsafe {
        if status > 128 {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::signal(status - 128, libc::SIG_DFL);
            libc::kill(libc::getpid(), status - 128);
        }
        libc::_exit(status)
    }
}
