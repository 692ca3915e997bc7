//! Ctrl-C, SIGTERM and SIGHUP ask the run to stop; it then ends with its report. A second one kills.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first SIGINT, SIGTERM or SIGHUP sets.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in host::signals::heeded() {
        // Order matters: the shutdown looks at the flag before the next line sets it.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(flag)
}
