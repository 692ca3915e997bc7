//! What a program under test inherits: nothing of the caller's but what stands here. Each way to start one goes through
//! this module: native replay and its checked builds, valgrind and coverage builds, all JVMs ([`crate::launch`]), and the
//! modelled replay.
//!
//! | what | the program has | by |
//! |---|---|---|
//! | descriptors | 0, 1 and 2, which are files or pipes of ours (and the link of the modelled replay) | [`leave_caller`], [`settle`], [`crate::behind`] |
//! | environment | that of the test; Java programs, and tests that bring none: [`JAVA_ENVIRONMENT`], [`ENVIRONMENT`] | who starts it |
//! | working directory | an empty one with the test's files | who starts it |
//! | umask | [`UMASK`] | [`leave_caller`], [`settle`] |
//! | signals | none blocked, none ignored | [`settle`] |
//! | limits | core files: none; a higher priority: none; descriptors: [`DESCRIPTORS`]; size of files; in replay also processor time, memory, stack and processes; the others are the caller's | [`settle`], who starts it |
//! | terminal | none controls it | [`leave_caller`] |
//! | capabilities | none, and `exec` brings none back | [`crate::launch::drop_rights`] |
//! | keyrings | a session keyring of its own, if the kernel gives one, and behind a fence no calls for keys | [`leave_caller`], `filter` |
//! | processes, System V's IPC, message queues, network | of their own with namespaces; with Landlock's rules there are no sockets and no IPC, and signals to others are refused | `namespaces`, `rules`, `filter` |
//! | niceness, processors, cgroup, host name | the caller's | – |
//!
//! The modelled replay has no fence but a filter that allows memory and its link only; it goes by the same [`settle`].

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit};
use rustix::thread::CapabilitySet;
use std::io;
use std::os::fd::RawFd;

/// The environment of a C program whose test brings none.
pub const ENVIRONMENT: &[(&str, &str)] =
    &[("LC_ALL", "C"), ("TZ", "UTC0"), ("PATH", "/usr/bin:/bin")];

/// The environment of Java programs, when they are explored and when their tests are replayed. (With the locale C a JVM could not open
/// files whose names are not ASCII.)
pub const JAVA_ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC0"),
    ("PATH", "/usr/bin:/bin"),
];

/// The bits that new files do not get, as in the machine's world.
pub const UMASK: u32 = 0o022;

/// Descriptors that a program may have at the same time, as in the machine's world.
pub const DESCRIPTORS: u64 = 1024;

/// The first descriptor behind the standard streams.
const FIRST: RawFd = 3;
/// `KEYCTL_JOIN_SESSION_KEYRING`.
const JOIN_SESSION: libc::c_long = 1;

/// For a process that does nothing but start programs, as it begins: gives up what it has of its caller but the standard
/// streams. No descriptor above them may be in use.
///
/// # Errors
/// The kernel refuses.
pub fn leave_caller() -> io::Result<()> {
    over(None, false)?;
    leave_terminal();
    // SAFETY: a number and no name. Without keyrings, or without room for one, the old one stays.
    unsafe { libc::syscall(libc::SYS_keyctl, JOIN_SESSION, 0) };
    rustix::process::umask(Mode::from_raw_mode(UMASK));
    // A caller that ignores the ends of its children would keep us from waiting for ours. Our own writing to a pipe that is
    // closed is an error and not the end.
    default_signals(Some(libc::SIGPIPE));
    Ok(())
}

/// In the process that becomes the program, as the last step before `exec`: descriptors above the standard streams, but `kept`,
/// are closed by `exec`; umask, signals and limits have their fixed values. Makes system calls only.
///
/// # Errors
/// The kernel refuses.
pub fn settle(kept: Option<RawFd>) -> io::Result<()> {
    rustix::process::umask(Mode::from_raw_mode(UMASK));
    default_signals(None);
    // SAFETY: the set is made by sigemptyset.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
    limit(Resource::Core, 0)?;
    // Where a user may raise priorities, as some may for sound.
    limit(Resource::Nice, 0)?;
    limit(Resource::Rtprio, 0)?;
    limit(Resource::Nofile, DESCRIPTORS)?;
    close_at_exec(kept)
}

/// From now on no program that this process starts has descriptors of this one above the standard streams, but `kept`. Makes system
/// calls only.
///
/// # Errors
/// The kernel refuses.
pub fn close_at_exec(kept: Option<RawFd>) -> io::Result<()> {
    over(kept, true)
}

/// Sets a limit, or leaves a lower one as it is.
fn limit(what: Resource, most: u64) -> io::Result<()> {
    let old = rustix::process::getrlimit(what).maximum;
    let most = Some(old.map_or(most, |old| old.min(most)));
    let (current, maximum) = (most, most);
    Ok(rustix::process::setrlimit(
        what,
        Rlimit { current, maximum },
    )?)
}

/// The kernel's `struct sigaction` of the default action.
const DEFAULT: [u64; 4] = [libc::SIG_DFL as u64, 0, 0, 0];
/// All signals of the kernel.
const SIGNALS: libc::c_int = 64;

/// Gives signals but `kept` their default action. (For a few there is no other one, which is an error without effect.)
fn default_signals(kept: Option<libc::c_int>) {
    for signal in (1..=SIGNALS).filter(|signal| Some(*signal) != kept) {
        // Asked directly: the C library keeps two for itself, which it does not let anybody change.
        // SAFETY: a structure that lives during the call, and the size of its mask.
        unsafe {
            let no_old = std::ptr::null_mut::<u8>();
            libc::syscall(libc::SYS_rt_sigaction, signal, DEFAULT.as_ptr(), no_old, 8);
        }
    }
}

/// Closes the descriptors above the standard streams, but `kept`: now, or at `exec`.
fn over(kept: Option<RawFd>, at_exec: bool) -> io::Result<()> {
    match kept {
        Some(kept) => {
            range(FIRST, kept - 1, at_exec)?;
            range(kept + 1, RawFd::MAX, at_exec)
        }
        None => range(FIRST, RawFd::MAX, at_exec),
    }
}

fn range(first: RawFd, last: RawFd, at_exec: bool) -> io::Result<()> {
    if first > last {
        return Ok(());
    }
    let flags = if at_exec {
        libc::CLOSE_RANGE_CLOEXEC
    } else {
        0
    };
    // SAFETY: numbers. Nobody uses descriptors that are closed now, by the promise of `leave_caller`.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if done == 0 {
        return Ok(());
    }
    one_by_one(first, last, at_exec)
}

/// Where the kernel has no such call (before 5.11), or a container's filter does not know it.
fn one_by_one(first: RawFd, last: RawFd, at_exec: bool) -> io::Result<()> {
    /// As many as a system allows that nobody has configured.
    const ALL: RawFd = 1 << 20;
    let most = rustix::process::getrlimit(Resource::Nofile).maximum;
    let most = most.and_then(|most| RawFd::try_from(most).ok());
    for number in first..=last.min(most.unwrap_or(ALL).min(ALL)) {
        // SAFETY: as in `range`. One that is not open is an error without effect.
        unsafe {
            if at_exec {
                libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC);
            } else {
                libc::close(number);
            }
        }
    }
    Ok(())
}

/// Nothing that is started from here can reach the terminal of the user by `/dev/tty`.
fn leave_terminal() {
    // SAFETY: a C string and numbers. A session's leader would take the terminal from others, too.
    unsafe {
        if libc::getsid(0) == libc::getpid() {
            return;
        }
        let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
        let terminal = libc::open(c"/dev/tty".as_ptr(), flags);
        if terminal >= 0 {
            libc::ioctl(terminal, libc::TIOCNOTTY);
            libc::close(terminal);
        }
    }
}

/// Takes capabilities away that `exec` would keep past the bounding set.
pub(crate) fn keep_no_capabilities() -> io::Result<()> {
    let mut sets = rustix::thread::capabilities(None)?;
    sets.inheritable = CapabilitySet::empty();
    // What is not inheritable is not ambient either.
    Ok(rustix::thread::set_capabilities(None, sets)?)
}
