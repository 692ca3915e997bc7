//! The processor time and memory that a run has used.

/// The most memory that this process and its children ever had, as the system saw it.
pub fn peak_memory_mb() -> f64 {
    room::peak().max(room::peak_of_children()) as f64 / f64::from(1 << 20)
}

/// CPU seconds of this process and its children.
pub fn cpu_seconds() -> f64 {
    host::clock::family_time().as_secs_f64()
}

/// A warning if engine and program leave little of the memory for exploring; printed before the first step.
pub fn little_memory(cap: u64) -> Option<String> {
    const ENOUGH: u64 = 32 << 20;
    let used = room::sample();
    (cap > 0 && cap < used + ENOUGH).then(|| {
        format!(
            "note: the engine and the program take {} of the {} MB of --memory before the first step: paths that do not fit into the rest will end (--memory {} leaves room)",
            used >> 20,
            cap >> 20,
            (used + 2 * ENOUGH) >> 20,
        )
    })
}
