//! The nodes of a Ray cluster join the run: a small Python program asks Ray for one actor a node, each of which runs
//! `polypath worker` with all cores of its node. Ray brings the binary to the nodes and sees them come and go; it
//! takes no part in the exploration.

use anyhow::{Context, bail};
use host::Stop;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

const SCRIPT: &str = include_str!("ray.py");
/// How long Ray may take to answer.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The request to Ray.
pub struct Plan {
    /// The cluster's address as Ray understands it.
    pub address: String,
    pub python: PathBuf,
    /// The address at which the run listens, and the secret.
    pub listen: SocketAddr,
    pub secret: String,
}

/// The Python program at work. It ends with this value.
pub struct Launcher {
    child: Child,
    /// Nothing when it is ready, or why it ended.
    news: Receiver<Result<(), String>>,
}

impl Launcher {
    /// Starts it. Call this from the thread that lives as long as the run.
    ///
    /// # Errors
    /// There is no such Python.
    pub fn start(plan: &Plan) -> anyhow::Result<Launcher> {
        let mut command = Command::new(&plan.python);
        command
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        host::child::tie_gently(&mut command);
        let name = plan.python.display();
        let started = command.spawn();
        let mut child = started.with_context(|| format!("cannot start {name} for Ray"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (mut stdin, stdout) = stdin.zip(stdout).context("Python has no pipes")?;
        let host = (!plan.listen.ip().is_unspecified()).then(|| plan.listen.ip().to_string());
        let job = json!({
            "address": plan.address,
            "binary": binary()?,
            "host": host,
            "port": plan.listen.port(),
            "secret": plan.secret,
            "memory": null,
        });
        let (put, news) = channel();
        std::thread::Builder::new()
            .name("ray".into())
            .spawn(move || {
                // A Python that reads nothing ends, which is heard below.
                let mut why = match stdin.write_all(job.to_string().as_bytes()) {
                    Ok(()) => "it ended without a word".to_string(),
                    Err(e) => e.to_string(),
                };
                drop(stdin);
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    match line.split_once(' ').unwrap_or((&line, "")) {
                        ("ready", _) if put.send(Ok(())).is_err() => return,
                        ("fail", text) => why = text.into(),
                        ("say", text) => say::err!("polypath: {text}"),
                        _ => {}
                    }
                }
                // Nobody wants to know if the run has ended.
                put.send(Err(why)).unwrap_or_default();
            })?;
        Ok(Launcher { child, news })
    }

    /// Waits until the cluster is reached.
    ///
    /// # Errors
    /// It is not, and why; or the run has to end.
    pub fn wait(&self, stop: Stop) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.news.recv_timeout(LOOK_EVERY) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(why)) => bail!("Ray: {why}"),
                Err(RecvTimeoutError::Disconnected) => bail!("Ray: it ended without a word"),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.is_set() {
                bail!("the run was stopped");
            }
            if Instant::now() > end {
                bail!("Ray: no answer within {} s", PATIENCE.as_secs());
            }
        }
    }

    /// The reason why it can start no further workers, reported once.
    pub fn failure(&self) -> Option<String> {
        self.news.try_recv().ok()?.err()
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // It may have ended with the run.
        if self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}

/// This program's file, which every node gets.
fn binary() -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe().context("the file of this program")?;
    Ok(Path::new(&here).canonicalize().unwrap_or(here))
}
