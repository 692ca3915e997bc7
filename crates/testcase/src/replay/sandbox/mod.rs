//! Native runs of tests: an empty directory of their own with the test's files, a fixed
//! environment, limits on time, processors, memory, processes and file sizes, and a fence around them.
//!
//! A test is an input that a solver made: `sort -o/etc/x`, `rm -r /home`. In the run it met a modelled world;
//! natively it would meet the host's. So programs are started by *workers*, small processes that build the fence once
//! (crate `fence`) and then run one test after the other. A worker is small, so that starting a program from it costs little,
//! and its directories are in memory.

mod child;
mod copy;
mod float_traps;
mod job;
mod loader;
mod traced;
mod worker;

pub use fence::{Fence, Launcher};
pub use float_traps::FloatTrap;
pub use job::{Fault, NativeEnd, Observed};
pub use worker::main as worker_main;

use crate::model::TestCase;
use host::clock::Patience;
use job::{Input, Job, Ready, Reply, Setup};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Limits and surroundings of native runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SandboxLimits {
    /// Time of one run by the clock; more where it does not get the processor ([`Patience`]).
    pub time: Duration,
    /// Bytes the program may write to any one file.
    pub file_size: u64,
    /// Address space in bytes of each process; `None` for sanitised builds, which reserve terabytes.
    pub memory: Option<u64>,
    /// The size in bytes to which a program's stack may grow.
    pub stack: u64,
    /// Processes at the same time.
    pub processes: u32,
    /// Bytes of memory in use by all processes of a test together.
    pub resident: u64,
    /// Bytes of all files of a test together, where they are not in memory.
    pub disk: u64,
    /// On a time-out first send this signal and wait a second (coverage builds save their counts).
    pub warn_signal: Option<i32>,
    /// Note the faults that the program meets, also those that it handles itself.
    pub trace: bool,
    /// Note the instructions that raise one of these floating-point exceptions (bits of the processor's status words);
    /// needs `trace`.
    pub float_traps: Option<u16>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// The directory of the host in which programs start ([`Config::needed`] has it): as a copy of their own, or as it is, read-only, if
    /// it is too large to be copied for each test.
    pub start: Option<PathBuf>,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        SandboxLimits {
            time: Duration::from_secs(5),
            file_size: 64 << 20,
            memory: Some(4 << 30),
            stack: ir::layout::STACK_SIZE,
            processes: 64,
            resident: 4 << 30,
            disk: 512 << 20,
            warn_signal: None,
            trace: false,
            float_traps: None,
            env: Vec::new(),
            start: None,
        }
    }
}

/// The argument that makes `polypath` a worker, a program that calls [`worker_main`].
pub const WORKER: &str = "--replay-worker";

/// The surroundings of the programs.
#[derive(Clone, Debug)]
pub struct Config {
    /// How workers are started.
    pub launcher: Launcher,
    /// The user and group that programs see, where the fence can choose.
    pub user: (u32, u32),
    /// Binaries and libraries that programs need: their directories stay visible.
    pub needed: Vec<PathBuf>,
    /// Further directories that the program may write to.
    pub writable: Vec<PathBuf>,
    /// No fence, since the user wants none.
    pub open: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            launcher: Launcher::this_program(WORKER),
            user: fence::USER,
            needed: Vec::new(),
            writable: Vec::new(),
            open: false,
        }
    }
}

/// The sandbox: runs tests natively in workers, which are started as they are needed.
pub struct Sandbox {
    config: Config,
    fence: Fence,
    idle: Mutex<Vec<Worker>>,
    /// The links of all workers, by which they are ended.
    links: Mutex<Vec<UnixStream>>,
}

struct Worker {
    process: Child,
    link: UnixStream,
}

/// Longer than any step of a worker takes in addition to the program's own time.
const GRACE: Duration = Duration::from_secs(20);
/// Longer than a worker takes to end the processes that it started.
const END: Duration = Duration::from_millis(500);

impl Sandbox {
    /// Starts a first worker.
    ///
    /// # Errors
    /// The fence cannot be built although the kernel could; or the kernel cannot, and nobody said that there may be none.
    pub fn new(mut config: Config) -> io::Result<Sandbox> {
        let libraries = config
            .needed
            .iter()
            .map(|program| loader::libraries(program));
        let libraries: Vec<PathBuf> = libraries.collect::<io::Result<Vec<_>>>()?.concat();
        config.needed.extend(libraries);
        let (first, fence) = Worker::start(&config)?;
        if let Fence::None(why) = &fence {
            return Err(io::Error::other(format!(
                "{why}: there is no fence between tests and this machine's files; --no-fence runs them all the same"
            )));
        }
        Ok(Sandbox {
            config,
            fence,
            links: Mutex::new(vec![first.link.try_clone()?]),
            idle: Mutex::new(vec![first]),
        })
    }

    /// The fence between the programs and the host.
    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Ends all workers: the runs that they are at fail.
    pub fn cancel(&self) {
        let mut links = self.links.lock().unwrap_or_else(|e| e.into_inner());
        for link in links.drain(..) {
            // One that is gone needs no ending.
            let _ = link.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Runs `binary` on the input of `test`. An error means that the test could not be set up.
    pub fn run(
        &self,
        binary: &Path,
        test: &TestCase,
        limits: &SandboxLimits,
    ) -> io::Result<Observed> {
        let job = Job {
            binary: binary.to_owned(),
            input: Input::of(test)?,
            limits: limits.clone(),
        };
        let idle = || self.idle.lock().unwrap_or_else(|e| e.into_inner());
        let next = idle().pop();
        let mut worker = match next {
            Some(worker) => worker,
            None => {
                let (worker, _) = Worker::start(&self.config)?;
                let link = worker.link.try_clone()?;
                self.links
                    .lock()
                    .unwrap_or_else(|e| e.into_inner())
                    .push(link);
                worker
            }
        };
        let reply: Reply = worker.ask(&job, Patience::longest(limits.time) + GRACE)?;
        // A worker that broke off is dropped with everything that it started.
        idle().push(worker);
        reply.map_err(io::Error::other)
    }
}

impl Worker {
    fn start(config: &Config) -> io::Result<(Worker, Fence)> {
        let (link, theirs) = UnixStream::pair()?;
        let process = Command::new(&config.launcher.program)
            .args(&config.launcher.args)
            // A program could read it in /proc where it has no process numbers of its own.
            .env_clear()
            .envs(std::env::var_os("TMPDIR").map(|dir| ("TMPDIR", dir)))
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            // A Ctrl-C is for us.
            .process_group(0)
            .spawn()?;
        let mut worker = Worker { process, link };
        let absolute = |paths: &[PathBuf]| -> io::Result<Vec<PathBuf>> {
            paths.iter().map(|p| p.canonicalize()).collect()
        };
        let setup = Setup {
            user: config.user,
            needed: absolute(&config.needed)?,
            hidden: fence::homes(),
            writable: absolute(&config.writable)?,
            open: config.open,
        };
        let ready: Ready = worker.ask(&setup, GRACE)?;
        let fence =
            ready.map_err(|why| io::Error::other(format!("cannot fence programs in: {why}")))?;
        Ok((worker, fence))
    }

    fn ask<A: Serialize, R: for<'a> Deserialize<'a>>(
        &mut self,
        question: &A,
        patience: Duration,
    ) -> io::Result<R> {
        let lost = |e: io::Error| match e.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {
                io::Error::other("the replaying process ended")
            }
            _ => e,
        };
        self.link.set_read_timeout(Some(patience))?;
        job::send(&mut self.link, question).map_err(lost)?;
        job::receive(&mut self.link).map_err(lost)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It and all that it started end when the link does, and it removes its files; it is not waited for long.
        let _ = self.link.shutdown(std::net::Shutdown::Both);
        let patience = Instant::now() + END;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The environment of a test, as names and values.
pub(super) fn variables(test: &TestCase) -> Vec<(&[u8], &[u8])> {
    if test.env.is_empty() {
        return fence::inherit::ENVIRONMENT
            .iter()
            .map(|(n, v)| (n.as_bytes(), v.as_bytes()))
            .collect();
    }
    let split = |entry: &'_ Vec<u8>| entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
    let pair = |entry| {
        let at = split(entry);
        (&entry[..at], entry.get(at + 1..).unwrap_or_default())
    };
    test.env
        .iter()
        .map(pair)
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// A `.ktest` with the objects that the program itself makes.
pub(super) fn objects_file(test: &TestCase, own: &[(String, Vec<u8>)]) -> Vec<u8> {
    crate::ktest::KTest {
        args: vec![test.args.first().cloned().unwrap_or_default()],
        objects: own
            .iter()
            .map(|(n, d)| (vocab::bytes_of(n), d.clone()))
            .collect(),
        ..Default::default()
    }
    .to_bytes()
}

/// A temporary directory that is removed with its contents.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new directory below the system's temporary directory.
    pub fn new(what: &str) -> io::Result<Scratch> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("polypath-{what}-{}-{n}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                done => return done.map(|()| Scratch(path)),
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Removes a directory in which a program may have made directories that even we cannot enter.
fn remove(dir: &Path) {
    let is_link = fs::symlink_metadata(dir).is_ok_and(|data| data.is_symlink());
    if fs::remove_dir_all(dir).is_err() && !is_link {
        make_removable(dir);
        let _ = fs::remove_dir_all(dir);
    }
}

fn make_removable(dir: &Path) {
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            make_removable(&entry.path());
        }
    }
}

/// For commands that are part of a replay (compilers, gcov), which end with it: output, or what went wrong in words.
pub fn tool(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    use anyhow::{Context, bail};
    let name = command.get_program().to_string_lossy().into_owned();
    let output = host::child::output(command).with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{name} failed ({}): {}", output.status, words.trim());
    }
    Ok(output.stdout)
}
