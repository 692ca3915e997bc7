//! Runs tests on a plain JVM, with classes that are not woven.

use crate::plan::Java;
use anyhow::Context;
use jvm::{Kit, Tools};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testcase::java::replay as plain;
use testcase::replay::sandbox::{Config, Sandbox, Scratch};
use testcase::replay::{ReplayProgress, Selection};

/// The tools that Java programs take, of the JDK that the user names or that is in the PATH.
pub fn tools() -> Result<Tools, jvm::KitError> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    Tools::find(home.as_deref())
}

/// Which tests are run on a plain JVM, and how long each may take.
pub struct How<'a> {
    /// The time limit of one test.
    pub time: Duration,
    /// Which ones.
    pub selection: Selection,
    /// Without a fence, which the user does not want.
    pub open: bool,
    /// Receives the progress.
    pub progress: &'a dyn Fn(ReplayProgress),
    /// When this is set, the replay ends with the results so far.
    pub stop: &'a AtomicBool,
}

/// Runs a function over the tests of a directory on a plain JVM in the sandbox.
///
/// # Errors
/// There is no JDK, the sandbox cannot be made, or an error of `run`.
pub fn on_plain_jvm<T>(
    dir: &Path,
    plan: &Java,
    how: &How<'_>,
    run: impl FnOnce(&plain::Options<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let kit = Kit::ensure(tools()?, &mut say)?;
    let scratch = Scratch::new("java").context("cannot create a temporary directory")?;
    let driver = kit.plain();
    let java = kit.tools.java.canonicalize()?;
    let mut needed = vec![kit.home()?, scratch.path().join("classes")];
    std::fs::create_dir_all(&needed[1])?;
    needed.extend(plan.class_path.iter().cloned());
    needed.extend(std::env::split_paths(&driver));
    let (agent, seen) = kit.agent();
    needed.extend([agent.clone(), seen]);
    let sandbox = Sandbox::new(Config {
        needed,
        open: how.open,
        ..Config::default()
    })
    .context("cannot start programs")?;
    if let Some(warning) = sandbox.fence().warning() {
        say(&warning);
    }
    let stand_ins: Vec<_> = Kit::stand_in_sources().collect();
    run(&plain::Options {
        dir,
        method: plan.method()?,
        class_path: &plan.class_path,
        java: &java,
        javac: &kit.tools.javac,
        driver: &driver,
        agent: &agent,
        stand_ins: &stand_ins,
        scratch: &scratch,
        world: &jvm::WORLD,
        heap_mb: plan.heap_mb,
        time: how.time,
        sandbox: &sandbox,
        selection: how.selection,
        progress: how.progress,
        stop: how.stop,
    })
}

fn say(text: &str) {
    say::err!("polypath: {text}");
}
