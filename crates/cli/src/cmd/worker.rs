//! `polypath worker`: this machine explores, too, for a run on another one (docs/cluster.md).

use crate::exit::Exit;
use crate::exit::UsageError;
use crate::options::seconds;
use anyhow::{Context, anyhow};
use fleet::net::Connection;
use fleet::net::handshake::{Refusal, Secret};
use run::jobs::cluster::agent::{self, Means};
use run::jobs::cluster::secret;
use run::jobs::{LEAST_MEMORY, MOST, Spill};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two attempts to reach a run.
const AGAIN: Duration = Duration::from_millis(500);

/// Explores for a run on another machine.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = crate::exit::HELP)]
pub struct Args {
    /// Address of the run
    #[arg(long, value_name = "HOST:PORT")]
    connect: String,

    /// A file with the secret that the run shares with its machines [default: the variable POLYPATH_SECRET]
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// Processes that explore [default: the cores]
    #[arg(long, value_name = "N")]
    jobs: Option<u32>,

    /// Memory of all of them in MiB (0: no limit) [default: as much as the run has]
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,

    /// Directory for states that wait on disk while memory is short [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    spill_dir: Option<PathBuf>,

    /// Disk that they may take there in MiB, all workers together (0: none) [default: half of the free space]
    #[arg(long, value_name = "MB")]
    spill_disk: Option<u64>,

    /// Seconds to wait for a run that does not listen yet
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    wait: Duration,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let workers = args.jobs.unwrap_or_else(|| cores().min(MOST));
    if workers == 0 || workers > MOST {
        return Err(UsageError(format!("--jobs {workers}: between 1 and {MOST}")).into());
    }
    if args
        .memory
        .is_some_and(|mb| mb > 0 && mb << 20 < LEAST_MEMORY)
    {
        let least = LEAST_MEMORY >> 20;
        return Err(UsageError(format!("--memory: at least {least} MiB are needed")).into());
    }
    let secret = secret::read(args.secret_file.as_deref())?;
    let secret = Secret::new(secret.as_bytes()).map_err(UsageError)?;
    let spill = args.spill()?;
    let place = &args.connect;
    let connection = reach(place, &secret, args.wait).with_context(|| place.clone())?;
    say::err!("polypath: {workers} workers for the run at {place}");
    let means = Means {
        workers,
        memory: args.memory.map(|mb| mb << 20),
        spill,
    };
    agent::work(connection, &means).with_context(|| place.clone())?;
    say::err!("polypath: the run at {place} has ended");
    Ok(Exit::Nothing)
}

impl Args {
    /// Room on disk; none if the system does not report the free space and the user gives no number.
    fn spill(&self) -> Result<Option<Spill>, UsageError> {
        let missing = self.spill_dir.as_ref().filter(|dir| !dir.is_dir());
        if let Some(dir) = missing {
            let dir = dir.display();
            return Err(UsageError(format!("--spill-dir {dir}: is no directory")));
        }
        let dir = self.spill_dir.clone().unwrap_or("/var/tmp".into());
        let bytes = match self.spill_disk {
            Some(megabytes) => megabytes.saturating_mul(1 << 20),
            None => host::shelf::free_disk(&dir).map_or(0, |free| free / 2),
        };
        Ok((bytes > 0).then_some(Spill { dir, bytes }))
    }
}

/// Connects to the run, which may not have begun to listen.
fn reach(place: &str, secret: &Secret, wait: Duration) -> anyhow::Result<Connection> {
    let end = Instant::now() + wait;
    loop {
        match fleet::net::connect(place, secret, env!("CARGO_PKG_VERSION")) {
            Ok(connection) => return Ok(connection),
            Err(Refusal::Io(_)) if Instant::now() + AGAIN < end => std::thread::sleep(AGAIN),
            Err(Refusal::Refused(why)) => {
                return Err(anyhow!("the run refuses this machine: {why}"));
            }
            Err(why) => return Err(anyhow!("{why}")),
        }
    }
}
