//! Many small checks on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs the checks on all cores.
///
/// # Panics
///
/// With the complaints of all of them, sorted, if there are any.
#[track_caller]
pub fn in_parallel<T: Sync>(jobs: &[T], check: impl Fn(&T) -> Vec<String> + Sync) {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wrong = check(job);
                    complaints.lock().expect("no panic").extend(wrong);
                }
            });
        }
    });
    let mut complaints = complaints.into_inner().expect("no panic");
    complaints.sort();
    assert!(
        complaints.is_empty(),
        "{} jobs, {} complaints:\n{}",
        jobs.len(),
        complaints.len(),
        complaints.join("\n")
    );
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn every_job_is_checked_and_every_complaint_heard() {
        let odd = |n: &u32| match n % 2 {
            1 => vec![format!("{n} is odd")],
            _ => Vec::new(),
        };
        in_parallel(&[0, 2, 4], odd);
        let failed = std::panic::catch_unwind(|| in_parallel(&[3, 2, 1], odd));
        let words = failed.expect_err("a failure");
        let words = words.downcast_ref::<String>().expect("words");
        assert_eq!(words, "3 jobs, 2 complaints:\n1 is odd\n3 is odd");
    }
}
