//! The recent success of a layer, for layers that are worth their time on some programs only.

/// Queries after which older ones count half.
const MEMORY: u32 = 256;

/// Queries decided and missed.
pub(crate) struct Record {
    found: u32,
    missed: u32,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            found: 1,
            missed: 0,
        }
    }
}

impl Record {
    /// One more query.
    pub fn note(&mut self, found: bool) {
        self.found += u32::from(found);
        self.missed += u32::from(!found);
        if self.found + self.missed > MEMORY {
            self.found = (self.found / 2).max(1);
            self.missed /= 2;
        }
    }

    /// Were at least `factor` queries missed for each one decided?
    pub fn is_poor(&self, factor: u32) -> bool {
        self.missed >= factor * self.found
    }
}
