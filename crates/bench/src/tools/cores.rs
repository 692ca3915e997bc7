//! Several runs at the same time.

use super::Context;
use anyhow::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

impl Context {
    /// What the cases come to, in their order: as many are at work at the same time as `--jobs` says. After a failure no
    /// further one begins.
    ///
    /// For runs that are compared by counts or processor time, and share no files.
    pub fn each<T: Sync, R: Send>(
        &self,
        cases: &[T],
        run: impl Fn(&T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let results: Vec<Mutex<Option<Result<R>>>> =
            cases.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            while !has_failed.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let (Some(case), Some(place)) = (cases.get(at), results.get(at)) else {
                    return;
                };
                let result = run(case);
                has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs.min(cases.len()) {
                scope.spawn(work);
            }
            work();
        });
        // Cases without a result stand behind one that has failed.
        let results = results.into_iter();
        let results =
            results.filter_map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner));
        results.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(jobs: usize) -> Context {
        Context {
            jobs,
            ..Context::default()
        }
    }

    #[test]
    fn results_have_the_order_of_their_cases() {
        let cases: Vec<u64> = (0..20).collect();
        for jobs in [1, 3, 100] {
            let squares = context(jobs).each(&cases, |n| {
                std::thread::sleep(std::time::Duration::from_millis(20 - n));
                Ok(n * n)
            });
            let wanted: Vec<u64> = cases.iter().map(|n| n * n).collect();
            assert_eq!(squares.unwrap(), wanted);
        }
        assert!(context(2).each(&cases[..0], |_| Ok(())).unwrap().is_empty());
    }

    #[test]
    fn a_failure_is_told_and_ends_the_others() {
        let begun = AtomicUsize::new(0);
        let cases: Vec<usize> = (0..1000).collect();
        let failed = |jobs| {
            let ended = context(jobs).each(&cases, |&n| {
                begun.fetch_add(1, Ordering::Relaxed);
                anyhow::ensure!(n != 5, "the sixth one");
                Ok(())
            });
            ended.unwrap_err().to_string()
        };
        assert_eq!(failed(1), "the sixth one");
        assert_eq!(begun.load(Ordering::Relaxed), 6);
        // How many others have begun by then is a matter of luck.
        assert_eq!(failed(2), "the sixth one");
    }
}
