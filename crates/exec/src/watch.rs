//! Watches the memory of a run, in fork mode and in concolic mode.

/// The memory use at which a run begins to spill and to free caches.
pub(crate) struct Pressure {
    /// Bytes that the run may take, 0 = no limit.
    cap: u64,
    above: u64,
}

impl Pressure {
    pub fn new(cap: u64) -> Pressure {
        let above = first_threshold(cap);
        Pressure { cap, above }
    }

    /// Is there a limit, and is this much use above the threshold?
    pub fn is_over(&self, bytes: u64) -> bool {
        self.cap > 0 && bytes >= self.above
    }

    /// Is at most half of the memory in use?
    pub fn has_plenty(&self, bytes: u64) -> bool {
        self.cap == 0 || bytes < self.cap / 2
    }

    /// Is it so little that memory would not be full without the rest?
    pub fn is_little(&self, bytes: u64) -> bool {
        bytes < self.cap / 8
    }

    /// Is there a limit?
    pub fn is_limited(&self) -> bool {
        self.cap > 0
    }

    /// Memory was freed, and this much is still in use. Freed memory that the system did not get back is fragmentation
    /// and will be reused: only growth beyond it counts from now on, and the limit of refusal stays above it.
    pub fn settle(&mut self, bytes: u64) {
        let highest = self.cap - self.cap / 8;
        self.above = first_threshold(self.cap)
            .max(bytes + bytes / 50)
            .min(highest);
        room::set_alarm(self.above);
    }

    /// Nothing can go: only growth beyond this much counts, up to where memory is refused.
    pub fn let_grow(&mut self, bytes: u64) {
        self.above = self.above.max(bytes + bytes / 50);
        room::set_alarm(self.above);
    }

    /// An alarm for growth beyond this much, which changes no threshold.
    pub fn alarm_beyond(&self, bytes: u64) {
        room::set_alarm(self.above.max(bytes + bytes / 50));
    }
}

/// Memory use at which states begin to go: it takes some to let them go.
fn first_threshold(cap: u64) -> u64 {
    cap - cap / 5
}

/// Holds what the program under test makes the machine allocate below the cap (0: none), with some room left to
/// say so. Before the first states are made: they may be large.
pub fn limit_memory(cap: u64) {
    room::set_limit(cap - cap / 16);
    room::set_alarm(first_threshold(cap));
    room::sample();
}
