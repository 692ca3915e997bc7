//! Steps of a child process on its way behind the fence.

use rustix::io::Errno;
use rustix::process::{self, Pid, Resource, Rlimit, Signal, WaitOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// Forks; the child runs `work`, ends with the status that it returns (1 for an error), and dies with its parent at the latest.
pub(crate) fn fork(work: impl FnOnce() -> io::Result<i32>) -> io::Result<Pid> {
    fork_loose(|| {
        process::set_parent_process_death_signal(Some(Signal::KILL))?;
        work()
    })
}

/// The same, but the child lives on when its parent dies.
fn fork_loose(work: impl FnOnce() -> io::Result<i32>) -> io::Result<Pid> {
    // SAFETY: the child goes on alone, in a program that has (but in tests) one thread.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    // (The child gets 0.)
    Pid::from_raw(pid).map_or_else(
        || {
            let done = work();
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

/// Bytes in the place of a program that has no file system of its own, at most. (Native replay allows a test less, and says so.)
const PLACE_SIZE: u64 = 1 << 30;
/// The longest pause between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Runs `work` in a child in our process group, and returns its status. Another process between the two, which stands outside of the group so that
/// it outlives whoever ends that, ends what the child leaves behind: also when we die. It looks how much lies in `place`, and ends the child if
/// it is too much.
pub(crate) fn reaped(place: &Path, work: impl FnOnce() -> io::Result<i32>) -> io::Result<i32> {
    let (parent, group) = (process::getpid(), process::getpgrp());
    let reaper = fork_loose(|| {
        process::setpgid(None, None)?;
        // (The argument only has to be something.)
        process::set_child_subreaper(Some(process::getpid()))?;
        let child = fork(|| {
            process::setpgid(None, Some(group))?;
            work()
        })?;
        Ok(wait_within(child, place, parent))
    })?;
    Ok(wait_for(reaper))
}

/// Waits for a child's end, or its own parent's; then ends all that the child left behind, which has become our child.
fn wait_within(pid: Pid, place: &Path, parent: Pid) -> i32 {
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match process::waitpid(Some(pid), WaitOptions::NOHANG) {
            Ok(Some((_, status))) => {
                let signal = status.terminating_signal().map(|signal| 128 + signal);
                break signal.or(status.exit_status()).unwrap_or(1);
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => break 1,
        }
        if process::getppid() != Some(parent) {
            break 1;
        }
        if pause == LOOK_EVERY && size_of(place) > PLACE_SIZE {
            end_children();
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(LOOK_EVERY);
    };
    loop {
        end_children();
        match process::wait(WaitOptions::from_bits_retain(libc::__WALL as u32)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return status,
        }
    }
}

/// Kills all children of this thread. (What they have started becomes a child where this process reaps orphans.)
pub fn end_children() {
    // What the kernel does not tell cannot be ended.
    let children = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let numbers = children.split_whitespace().filter_map(|p| p.parse().ok());
    for pid in numbers.filter_map(Pid::from_raw) {
        // One that has just ended needs no ending.
        let _ = process::kill_process(pid, Signal::KILL);
    }
}

/// The bytes that files below a directory hold, each of which counts at least as a page. What goes meanwhile counts nothing.
pub fn size_of(dir: &Path) -> u64 {
    const LEAST: u64 = 4096;
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => LEAST + size_of(&entry.path()),
        Ok(data) => LEAST.max(512 * data.blocks()),
        Err(_) => 0,
    });
    sizes.sum()
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
