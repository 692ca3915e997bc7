//! `polypath run --jobs N` with N above 1: the coordinator's part of the command.

use super::Explored;
use super::prepare::Ready;
use crate::exit::UsageError;
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::cluster::hall::Offer;
use crate::session::jobs::cluster::ray::{self, Launcher};
use crate::session::jobs::cluster::{Entrance, Job, secret};
use crate::session::jobs::crew::{Cluster, Crew, Pids, Plan};
use crate::session::jobs::{self, Welcome};
use crate::session::options::Args;
use crate::session::plan::RunPlan;
use crate::session::record::Recorder;
use anyhow::Context;
use exec::{ObjectEnd, Output, PathEnd, PathInput, PathOutcome, PortablePrefix};
use fleet::Prefix;
use fleet::net::door::Door;
use fleet::net::handshake::Secret;
use host::blob::Blob;
use host::{Stop, Watchdog};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What several workers need beside what one needs.
pub struct Shared {
    pids: Pids,
    /// Where further machines may join, and who starts workers there.
    entrance: Option<Entrance>,
    launcher: Option<Launcher>,
    /// The program's IR.
    pub ir: Vec<u8>,
}

impl Shared {
    /// Takes the address at which further machines may join, if they may, and has a cluster's engine start its workers.
    ///
    /// # Errors
    /// The address cannot be had, there is no secret, or the engine does not start.
    pub fn new(args: &Args, pids: Pids) -> anyhow::Result<Shared> {
        let mut shared = Shared {
            pids,
            entrance: None,
            launcher: None,
            ir: Vec::new(),
        };
        let Some(address) = &args.listen else {
            return Ok(shared);
        };
        let secret = match args.ray {
            // Nobody else needs to know it.
            Some(_) => secret::random()?,
            None => secret::read(args.secret_file.as_deref())?,
        };
        let door = Door::open(address);
        let door = door.map_err(|e| UsageError(format!("--listen {address}: {e}")))?;
        if let Some(cluster) = &args.ray {
            shared.launcher = Some(Launcher::start(&ray::Plan {
                address: cluster.clone(),
                python: args.python.clone(),
                listen: door.address,
                secret: secret.clone(),
            })?);
        }
        let secret = Secret::new(secret.as_bytes()).map_err(UsageError)?;
        shared.entrance = Some(Entrance { door, secret });
        Ok(shared)
    }

    /// Waits until the engine has answered, if there is one.
    ///
    /// # Errors
    /// There is no such cluster.
    pub fn wait(&self, stop: Stop) -> anyhow::Result<()> {
        self.launcher
            .as_ref()
            .map_or(Ok(()), |launcher| launcher.wait(stop))
    }

    /// Explores. `args` are those of the program that is run.
    ///
    /// # Errors
    /// Workers cannot be started.
    pub fn explore(
        self,
        ready: Ready,
        args: &Args,
        plan: &RunPlan,
        past: Option<Checkpoint>,
        watchdog: &Watchdog,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Explored> {
        let Ready {
            machine,
            first,
            frontend,
            hash,
            ..
        } = ready;
        let module = machine.module.clone();
        let begins: Vec<Vec<(String, usize)>> = first
            .iter()
            .map(|s| {
                let sizes = s.objects.iter();
                sizes
                    .map(|o| (o.name.to_string(), o.symbols.len()))
                    .collect()
            })
            .collect();
        let inputs: Vec<u32> = first.iter().map(|s| s.input_objects).collect();
        let begin = exec::first_prefixes(&machine, &first).into_iter();
        let begin = past.unwrap_or_else(|| Checkpoint {
            prefixes: begin.map(Prefix::from).collect(),
            ..Checkpoint::default()
        });
        let plan = serde_json::to_string(plan);
        let plan = plan.map_err(|e| UsageError(format!("--jobs {}: {e}", args.jobs)))?;
        // Behind `polypath run`.
        let words: Vec<OsString> = crate::arguments().iter().skip(2).cloned().collect();
        let blob = Blob::new(&self.ir).context("no memory to share with workers")?;
        let cluster = self.entrance.map(|entrance| Cluster {
            entrance,
            launcher: self.launcher,
            offer: Offer {
                program: hash.clone(),
                job: Job::new(&words, module.sites.len(), args.memory << 20),
                ir: self.ir,
            },
        });
        let plan = Plan {
            jobs: args.jobs,
            cluster,
            cpu_time: args.cpu_time,
            args: words,
            welcome: Welcome {
                plan,
                frontend: frontend.into(),
                ir: blob.path(),
                invented: recorder.cases.invented.clone(),
                elapsed: Duration::ZERO,
                board: PathBuf::new(),
                seat: 0,
                number: 0,
                memory: jobs::share_of_memory(args.memory << 20, args.jobs),
                grace: watchdog.grace() / 4,
            },
            program: hash,
            module: module.clone(),
            begin,
            stop: watchdog.stop(),
            grace: watchdog.grace(),
            pids: self.pids,
            lost: Box::new(move |bytes| lost(bytes, &begins, &inputs)),
        };
        // The workers have their own.
        drop((machine, first));
        let outcome = Crew::new(plan, recorder)?.run()?;
        Ok(Explored {
            totals: outcome.totals,
            halted: outcome.halted,
            rejected: outcome.rejected,
            module,
            covered: outcome.covered,
            branches: outcome.branches,
            worker: None,
        })
    }
}

/// The end of a path on which workers crashed: what is known of its input. `begins` and `inputs` are the objects of the
/// first states and how many of them are input.
fn lost(bytes: &[u8], begins: &[Vec<(String, usize)>], inputs: &[u32]) -> Result<PathEnd, String> {
    let mut prefix = PortablePrefix::from_bytes(bytes)?;
    let start = prefix.start as usize;
    let begin = begins.get(start).ok_or("the program has no such start")?;
    let mut objects = Vec::new();
    let mut add = |name: String, bytes| {
        objects.push(ObjectEnd {
            name,
            bytes,
            relevant: Vec::new(),
        });
    };
    for (name, size) in begin {
        let at = prefix
            .objects
            .iter()
            .position(|(n, b)| n == name && b.len() == *size);
        let bytes = at.map(|at| prefix.objects.swap_remove(at).1);
        add(name.clone(), bytes.unwrap_or_else(|| vec![0; *size]));
    }
    let choices = prefix.choices();
    prefix
        .objects
        .drain(..)
        .for_each(|(name, bytes)| add(name, bytes));
    Ok(PathEnd {
        outcome: PathOutcome::Internal("the processes that explored this path crashed".into()),
        is_new: false,
        covered_new: false,
        start: prefix.start,
        instructions: prefix.instructions(),
        stack: None,
        objects,
        input: Some(PathInput {
            input_objects: inputs.get(start).copied().unwrap_or(0),
            output: Output::default(),
            hash: prefix.hash,
            prefix: choices,
        }),
    })
}
