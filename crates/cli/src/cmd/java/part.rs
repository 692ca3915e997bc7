//! `polypath java part`: a worker, which explores a part of a run. `polypath java run` starts it with the run's own options. Its
//! standard input is a socket that leads there.

use super::given::Calls;
use super::options::RunArgs;
use super::policy::Policy;
use super::replay::tools;
use super::sources::Sources;
use crate::exit::Exit;
use crate::session::jobs::Welcome;
use crate::session::jobs::board::{Board, Seat};
use crate::session::jobs::link::Link;
use crate::session::record::Cases;
use anyhow::{Context, anyhow, bail};
use dse::Concolic;
use explore::Exploration as _;
use fleet::{ToWorker, frame};
use host::Watchdog;
use jvm::{Java, Kit};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

/// The name of the command.
pub const NAME: &str = "part";

/// What a worker has to know of the run that its command line does not say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The entry point, and the hash of the program's classes.
    pub entry: String,
    pub program: String,
    /// The directory of results.
    pub results: PathBuf,
}

/// Explores what the run gives.
///
/// # Errors
/// Nobody has started it, or the program cannot be run.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let mut socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let Ok(ToWorker::Welcome(welcome)) = frame::read(&mut socket) else {
        bail!("`polypath java {NAME}` is started by `polypath java run`");
    };
    let welcome: Welcome = postcard::from_bytes(&welcome).context("another version's welcome")?;
    let task: Task = serde_json::from_str(&welcome.plan).context("another version's plan")?;
    let now = Instant::now();
    let started = now.checked_sub(welcome.elapsed).unwrap_or(now);
    exec::limit_memory(welcome.memory);
    let watchdog = Watchdog::of_worker(Exit::Failed.into()).context("cannot watch the worker")?;
    let stop = watchdog.stop();
    let seat = Rc::new(Seat {
        board: Board::open(&welcome.board).context("the run's shared memory")?,
        number: welcome.seat,
    });
    let class_path = args.classes()?;
    let sources = Rc::new(RefCell::new(Sources::new(&args.source_path, &class_path)));
    let cases = Cases {
        tests: args.tests,
        given: Box::new(Calls {
            entry: task.entry.clone(),
            sources,
            lengths: args.lengths(),
        }),
    };
    let kit = Kit::ensure(tools()?, &mut |_| {})?;
    let options = args.program(kit, task.entry, &task.results, welcome.seat)?;
    let policy = Policy::new(&args.expect, &args.check)?;
    let (solver, memory) = (args.solver(true)?, welcome.memory);
    let java = Java::new(options, solver, policy.judge(), stop, memory);
    let mut java = java.map_err(|e| anyhow!("{e}"))?;
    java.put_aside_on(args.shelf(&task.results));
    java.commons = Some(seat.clone());
    let strategy = args.strategy(welcome.number)?;
    let mut all = Concolic::new(java, strategy, args.explorer(stop)?).shared();
    let mut link = Link::new(socket, cases, seat, stop, Some(started))?;
    link.greet(task.program);
    let halt = all.run(&mut link);
    link.finish(&mut all, halt);
    // The JVM ends first, so that its time is counted.
    drop(all.into_program());
    Ok(Exit::Nothing)
}
