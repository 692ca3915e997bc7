//! Facts about the process that are set once: the time when it began, its command line, and the function by which its
//! allocator gives memory back.

use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::Instant;

/// When the command began: at the first call.
pub fn started() -> Instant {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    *STARTED.get_or_init(Instant::now)
}

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();
static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Sets the command line as it was understood: for a command that stands for another one, that of the other. The first
/// call counts.
pub fn set_arguments(arguments: Vec<OsString>) {
    ARGUMENTS.get_or_init(|| arguments);
}

/// The command line.
pub(crate) fn arguments() -> &'static [OsString] {
    ARGUMENTS.get().map_or(&[], Vec::as_slice)
}

/// This gives memory that is free inside the allocator back to the system. The first one counts.
pub fn set_release(release: fn()) {
    RELEASE.get_or_init(|| release);
}

/// Gives memory that is free inside the allocator back to the system, if the allocator is one that can.
pub(crate) fn release() {
    if let Some(release) = RELEASE.get() {
        release();
    }
}
