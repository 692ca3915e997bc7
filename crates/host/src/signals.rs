//! SIGINT, SIGTERM and SIGHUP (and SIGTSTP, see `suspend`): the first one is noted, the second one ends the process on the spot, unless it comes together
//! with the first: `timeout` sends its signal to the program, and then to the whole process group.

use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};
use std::sync::{Arc, Once};

/// When the first one came, in milliseconds; 0 before.
static FIRST: AtomicI64 = AtomicI64::new(0);

/// Its number; 0 before.
static WHICH: AtomicI32 = AtomicI32::new(0);

/// Signals that come so soon after the first one, in milliseconds, are one with it.
const TOGETHER: i64 = 300;

/// The signals that ask for an end: SIGHUP only if it is not ignored (nohup).
fn heeded() -> impl Iterator<Item = libc::c_int> {
    let all = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
    all.into_iter()
        .filter(|&signal| signal != libc::SIGHUP || !is_ignored(signal))
}

/// Begins to listen.
///
/// # Errors
/// When a handler cannot be installed.
pub fn listen() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut result = Ok(());
    ONCE.call_once(|| {
        if !is_ignored(libc::SIGTSTP)
            && let Err(e) = crate::suspend::listen()
        {
            result = Err(e);
        }
        for signal in heeded() {
            let handler = move || {
                let now = now();
                let order = Ordering::Relaxed;
                // Before the time: who sees that one came asks which one.
                let _ = WHICH.compare_exchange(0, signal, order, order);
                if let Err(first) = FIRST.compare_exchange(0, now, Ordering::Release, order)
                    && now - first >= TOGETHER
                {
                    crate::end_now(128 + signal);
                }
            };
            // SAFETY: the handler touches an atomic and calls clock_gettime and _exit, all of which are safe there.
            let installed = unsafe { signal_hook::low_level::register(signal, handler) };
            if let Err(e) = installed {
                result = Err(e);
            }
        }
    });
    result
}

/// Begins to listen; the first one sets the flag, too.
///
/// # Errors
/// When a handler cannot be installed.
pub fn flag() -> io::Result<Arc<AtomicBool>> {
    listen()?;
    let flag = Arc::new(AtomicBool::new(false));
    for signal in heeded() {
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(flag)
}

/// Has one come?
pub fn came() -> bool {
    FIRST.load(Ordering::Acquire) > 0
}

/// The exit status of a process that ends because one has come, as shells show the end by a signal: 130 after SIGINT,
/// 143 after SIGTERM.
pub fn status() -> Option<u8> {
    let signal = came().then(|| WHICH.load(Ordering::Relaxed))?;
    u8::try_from(128 + signal).ok()
}

/// Milliseconds since some moment before the program began, more than 0.
fn now() -> i64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec * 1000 + time.tv_nsec / 1_000_000).max(1)
}

fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: with a null new action, sigaction only fills the zeroed structure.
    let old = unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut old);
        old
    };
    old.sa_sigaction == libc::SIG_IGN
}
