//! Several scripts at the same time: each is solved by a process of its own, which is this command again for one of its scripts.
//!
//! Answers are printed in the order of the scripts: the output of a script waits until those before it have ended. Not
//! more than [`AHEAD`] scripts for each process wait in this way.

use crate::limits;
use crate::run::{Ended, Work};
use anyhow::{Context as _, Result, anyhow};
use std::collections::VecDeque;
use std::io::{self, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The environment's variable that tells a process which one of the scripts is its own, counted from 0.
const ONLY: &str = "POLYPATH_SOLVE_ONLY";

/// Scripts that may be begun while the first one is at work, for each process.
const AHEAD: usize = 64;

/// How often signals are looked at.
const PERIOD: Duration = Duration::from_millis(20);

/// The script of this process, if it is one of several processes.
pub(crate) fn only() -> Option<usize> {
    std::env::var(ONLY).ok()?.parse().ok()
}

/// The output of a process.
enum Said {
    Answers(Vec<u8>),
    /// On standard error.
    Words(Vec<u8>),
    /// One of the two has ended.
    Nothing,
}

/// A script at work, or one whose output waits to be printed.
struct ScriptProcess {
    process: Child,
    /// Its output that has not been printed yet.
    untold: Vec<Said>,
    /// How many of its outputs have not ended.
    open: u32,
    /// How it ended.
    status: Option<ExitStatus>,
}

impl ScriptProcess {
    /// Begins with the script of this number.
    fn begin(number: usize, to: &Sender<(usize, Said)>) -> Result<ScriptProcess> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut command = Command::new(program);
        command
            .args(std::env::args_os().skip(1))
            .env(ONLY, number.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // The thread that calls this lives as long as all of them.
        host::child::tie_gently(&mut command);
        let mut process = command.spawn().context("cannot start a process")?;
        let answers = process.stdout.take().context("no pipe")?;
        let words = process.stderr.take().context("no pipe")?;
        pass_on(number, answers, Said::Answers, to)?;
        pass_on(number, words, Said::Words, to)?;
        Ok(ScriptProcess {
            process,
            untold: Vec::new(),
            open: 2,
            status: None,
        })
    }

    /// Takes output of the process.
    fn hear(&mut self, said: Said) -> io::Result<()> {
        if !matches!(said, Said::Nothing) {
            self.untold.push(said);
            return Ok(());
        }
        self.open -= 1;
        if self.open == 0 {
            self.status = Some(self.process.wait()?);
        }
        Ok(())
    }

    /// Prints its output.
    fn tell(&mut self) -> io::Result<()> {
        for said in self.untold.drain(..) {
            match said {
                Said::Answers(text) => {
                    let mut out = say::Results::new();
                    out.write_all(&text)?;
                    out.flush()?;
                }
                Said::Words(text) => say::err_part!("{}", String::from_utf8_lossy(&text)),
                Said::Nothing => {}
            }
        }
        Ok(())
    }

    /// Asks it to end, which it does with the answer that is due.
    fn stop(&self) {
        if self.status.is_none() {
            host::child::terminate(&self.process);
        }
    }
}

/// Passes on the output of a process, until that ends.
fn pass_on(
    number: usize,
    mut pipe: impl Read + Send + 'static,
    said: fn(Vec<u8>) -> Said,
    to: &Sender<(usize, Said)>,
) -> Result<()> {
    let to = to.clone();
    let read = move || {
        let mut buffer = vec![0; 1 << 16];
        // If a pipe cannot be read, that is its end: the status of the process says how it was.
        while let Ok(n @ 1..) = pipe.read(&mut buffer) {
            if to.send((number, said(buffer[..n].to_vec()))).is_err() {
                return; // nobody listens any more
            }
        }
        drop(to.send((number, Said::Nothing)));
    };
    let thread = std::thread::Builder::new().spawn(read);
    thread.map(drop).context("cannot start a thread")
}

/// Solves the scripts, so many at the same time.
pub(crate) fn run(work: &Work) -> Result<Ended> {
    host::signals::listen().context("cannot listen to signals")?;
    if let Some(time) = work.time {
        watch_reader(time)?;
    }
    let (sender, receiver) = channel();
    // Those that were begun from the `first` one on which is not told to its end.
    let mut begun: VecDeque<ScriptProcess> = VecDeque::new();
    let mut first = 0;
    let mut worst = Ended::Answered;
    let mut is_stopped = false;
    loop {
        if host::signals::came() && !is_stopped {
            is_stopped = true;
            begun.iter().for_each(ScriptProcess::stop);
        }
        let mut at_work = begun.iter().filter(|s| s.status.is_none()).count();
        while !is_stopped
            && at_work < work.jobs
            && begun.len() < work.jobs.saturating_mul(AHEAD)
            && first + begun.len() < work.scripts.len()
        {
            begun.push_back(ScriptProcess::begin(first + begun.len(), &sender)?);
            at_work += 1;
        }
        while let Some(script) = begun.front_mut() {
            match script.tell() {
                Ok(()) => {}
                // The reader of our answers has gone: nobody is left to tell.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                    begun.iter().for_each(ScriptProcess::stop);
                    return Ok(worst);
                }
                Err(e) => return Err(anyhow!("cannot write to standard output: {e}")),
            }
            let Some(status) = script.status else { break };
            if let Some(signal) = status.signal() {
                let name = work.scripts[first].display();
                say::out!("(error \"{name}: the process was ended by signal {signal}\")");
            }
            worst = worst.max(exit(status));
            begun.pop_front();
            first += 1;
        }
        if begun.is_empty() && (is_stopped || first == work.scripts.len()) {
            return Ok(worst);
        }
        match receiver.recv_timeout(PERIOD) {
            Ok((number, said)) => begun[number - first].hear(said)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the sender is here"),
        }
    }
}

/// Ends the process when the reader of its answers has taken nothing for longer than a script may take.
fn watch_reader(time: Duration) -> Result<()> {
    let longest = time.saturating_add(limits::STALLED);
    let watch = move || {
        loop {
            std::thread::sleep(PERIOD);
            if say::stalled() >= longest {
                limits::end_unread("nobody reads it");
            }
        }
    };
    let thread = std::thread::Builder::new().name("reader".into());
    thread
        .spawn(watch)
        .map(drop)
        .context("cannot start a thread")
}

/// The exit status of a script.
fn exit(status: ExitStatus) -> Ended {
    match status.code() {
        Some(0) => Ended::Answered,
        Some(1) => Ended::Errors,
        Some(2) => Ended::Usage,
        _ => Ended::Failed,
    }
}
