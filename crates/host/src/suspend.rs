//! Ctrl-Z: what this process has started stops with it, and goes on with it.
//!
//! Children are in process groups of their own, and programs under test in sessions and namespaces, so the terminal's SIGTSTP reaches this process alone.
//! It then stops every process below it, whatever group it is in, and itself last. When it is continued (`fg`, SIGCONT) it continues those that it has stopped.

use crate::child;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::iterator::Signals;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often this process was continued.
static CONTINUED: AtomicU32 = AtomicU32::new(0);

/// How often it had been when it was asked to stop.
static ASKED: AtomicU32 = AtomicU32::new(0);

/// Looks for processes that others have started meanwhile end here; one that is stopped starts none.
const LOOKS: usize = 50;

/// Begins to listen, in a thread that alone takes these signals: a thread that the caller starts from now on is not interrupted by them.
///
/// # Errors
/// When a handler cannot be installed or the thread does not start.
pub(crate) fn listen() -> io::Result<()> {
    let count = || {
        CONTINUED.fetch_add(1, Ordering::Relaxed);
    };
    let note = || ASKED.store(CONTINUED.load(Ordering::Relaxed), Ordering::Relaxed);
    // SAFETY: the handlers touch atomics only.
    unsafe {
        signal_hook::low_level::register(libc::SIGCONT, count)?;
        // Before the next one: who is woken finds it noted.
        signal_hook::low_level::register(libc::SIGTSTP, note)?;
    }
    let mut asked = Signals::new([libc::SIGTSTP])?;
    std::thread::Builder::new()
        .name("suspend".into())
        .spawn(move || {
            mask(libc::SIG_UNBLOCK);
            for _ in asked.forever() {
                suspend();
            }
        })?;
    mask(libc::SIG_BLOCK);
    Ok(())
}

/// A child begins with both signals as programs expect them. Between `fork` and `exec`.
pub(crate) fn unblock() {
    mask(libc::SIG_UNBLOCK);
}

/// Blocks or unblocks both signals in this thread.
fn mask(how: libc::c_int) {
    // SAFETY: the set is made by sigemptyset.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGTSTP);
        libc::sigaddset(&mut set, libc::SIGCONT);
        libc::pthread_sigmask(how, &set, std::ptr::null_mut());
    }
}

/// Stops all, and goes on with all when this process is continued.
fn suspend() {
    child::while_none_begins(|| {
        let stopped = stop_below();
        // If it was continued meanwhile, nobody would continue it again.
        if CONTINUED.load(Ordering::Relaxed) == ASKED.load(Ordering::Relaxed) {
            // SAFETY: takes a number. This thread has stopped when the call returns.
            unsafe { libc::raise(libc::SIGSTOP) };
        }
        // Those that were started last first: who waits for one finds it at work.
        for pid in stopped.into_iter().rev() {
            // One that has ended meanwhile needs nothing.
            let _ = kill_process(pid, Signal::CONT);
        }
    });
}

/// Stops all processes below this one but those that are stopped already; in the order in which they were found.
fn stop_below() -> Vec<Pid> {
    let mut stopped = Vec::new();
    let mut known = BTreeSet::new();
    for _ in 0..LOOKS {
        let new: Vec<Pid> = below()
            .into_iter()
            .filter(|&(pid, state)| state != 'T' && known.insert(pid))
            .filter_map(|(pid, _)| Pid::from_raw(pid))
            .collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            // Refused for a program that has other rights (set-user-ID), which Polypath starts none of.
            if kill_process(pid, Signal::STOP).is_ok() {
                stopped.push(pid);
            }
        }
    }
    stopped
}

/// The processes below this one, those before whom they have started, with their states.
fn below() -> Vec<(i32, char)> {
    let mut children: BTreeMap<i32, Vec<(i32, char)>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // One that has just ended has none.
        let text = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        if let Some((state, parent)) = state_and_parent(&text) {
            children.entry(parent).or_default().push((pid, state));
        }
    }
    let mut found: Vec<(i32, char)> = Vec::new();
    let mut next = vec![rustix::process::getpid().as_raw_pid()];
    while let Some(pid) = next.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        next.extend(below.iter().map(|&(pid, _)| pid));
        found.extend(below);
    }
    found
}

/// Of a line of `/proc/PID/stat`; the name before them may have any characters.
fn state_and_parent(stat: &str) -> Option<(char, i32)> {
    let (_, behind) = stat.rsplit_once(')')?;
    let mut fields = behind.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::state_and_parent;

    #[test]
    fn a_name_cannot_forge_a_parent() {
        assert_eq!(state_and_parent("7 (x) R 1 (y) S 42 7"), Some(('S', 42)));
        assert_eq!(state_and_parent("7 (x"), None);
    }
}
