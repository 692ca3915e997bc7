//! SIGINT, SIGTERM and SIGHUP: the first one is counted, the second one ends the process on the spot.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many came.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The signals that ask for an end: SIGHUP only if it is not ignored (nohup).
pub fn heeded() -> impl Iterator<Item = libc::c_int> {
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
        for signal in heeded() {
            let handler = move || {
                if COUNT.fetch_add(1, Ordering::Relaxed) > 0 {
                    // SAFETY: _exit may be called from a handler.
                    unsafe { libc::_exit(128 + signal) }
                }
            };
            // SAFETY: the handler touches an atomic and calls _exit, both of which are safe there.
            let installed = unsafe { signal_hook::low_level::register(signal, handler) };
            if let Err(e) = installed {
                result = Err(e);
            }
        }
    });
    result
}

/// Has one come?
pub fn came() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
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
