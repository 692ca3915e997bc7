//! Python environments with packages from the Python index, made once and kept in the cache.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The package with which `polypath cluster ray` works.
const RAY: &[&str] = &["ray[default]==2.60.0"];

/// A Python with Ray.
///
/// # Errors
/// There is no Python that can make environments, or pip reaches no index.
pub fn with_ray() -> Result<PathBuf> {
    with("ray", RAY, "import ray, ray.cluster_utils")
}

/// Finds or makes the environment of this name, with these packages. `test` is a Python statement that works then.
///
/// # Errors
/// As above.
pub fn with(name: &str, packages: &[&str], test: &str) -> Result<PathBuf> {
    let folder = toolchain::cache::root()?.join(name);
    let python = folder.join("bin/python3");
    let works = |python: &Path| {
        Command::new(python)
            .args(["-c", test])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if works(&python) {
        return Ok(python);
    }
    let run = |command: &mut Command| -> Result<()> {
        let output = command
            .output()
            .with_context(|| format!("cannot run {command:?}"))?;
        if !output.status.success() {
            bail!(
                "{command:?}: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        Ok(())
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(packages))?;
    if !works(&python) {
        bail!("the packages were installed, but cannot be imported");
    }
    Ok(python)
}
