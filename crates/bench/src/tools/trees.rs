//! Source packages built with bitcode and for coverage, which `bench/fetch` and `bench/gcov` leave in the cache.

use anyhow::{Result, ensure};
use std::path::PathBuf;

/// Where they are.
pub fn work_dir() -> Result<PathBuf> {
    Ok(toolchain::cache::root()?.join("work"))
}

/// The tree that `bench/fetch NAME` leaves.
pub fn fetched(name: &str) -> Result<PathBuf> {
    let tree = work_dir()?.join(name);
    ensure!(
        tree.is_dir(),
        "{} is missing: run bench/fetch {name} first",
        tree.display()
    );
    Ok(tree)
}

/// The tree that `bench/gcov NAME` leaves.
pub fn judge(name: &str) -> Result<PathBuf> {
    let tree = work_dir()?.join(format!("{name}-gcov"));
    ensure!(
        tree.is_dir(),
        "{} is missing: run bench/gcov {name} first",
        tree.display()
    );
    Ok(tree)
}
