//! What a run has taken of the machine.

/// The most memory that this process and its children ever had, as the system saw it.
pub fn peak_memory_mb() -> f64 {
    room::peak().max(room::peak_of_children()) as f64 / f64::from(1 << 20)
}

/// CPU seconds of this process and its children.
pub fn cpu_seconds() -> f64 {
    host::clock::family_time().as_secs_f64()
}
