//! Brings the frontier to the disk beside the run.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use testcase::frontier;

/// One at a time: a slow disk may take longer than passes between two records.
#[derive(Clone, Default)]
pub struct Syncer {
    is_at_work: Arc<AtomicBool>,
}

impl Syncer {
    /// Begins to bring the record in this directory to the disk, unless it is still about the one before. If it does not come there, the
    /// next one may.
    pub fn begin(&self, dir: &Path) {
        if self.is_at_work.swap(true, Relaxed) {
            return;
        }
        let (dir, is_at_work) = (dir.to_owned(), self.is_at_work.clone());
        let thread = std::thread::Builder::new().name("sync".into());
        let begun = thread.spawn(move || {
            let synced = frontier::sync(&dir);
            is_at_work.store(false, Relaxed);
            synced
        });
        if begun.is_err() {
            // There is no room for another thread now.
            self.is_at_work.store(false, Relaxed);
        }
    }
}
