//! The solvers as processes that are given a list of files and print a line for each.
//!
//! Every line is `; WORD READ SOLVE`, CPU seconds; ours are the answers of `polypath solve FILE…`. A
//! process that says nothing for too long, or dies, is started again with the files behind the one
//! that it was at, which counts as unknown. The limit is CPU time where a solver can be stopped by it (bitwuzla,
//! z3), else the clock's, stretched by the load; who uses three times the limit is ended.

use crate::tools::Context;
use anyhow::{Context as _, Result, bail};
use oracle::formulas::solvers::{PACKAGES, python};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How much faster than a solver's CPU time the wall clock may run, at most and at least.
const BUSY: (f64, f64) = (16.0, 2.0);

/// How much faster it may run now: twice the processes that share a core. Limits by the clock are all that the others offer.
fn busy() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    load.map_or(BUSY.0, |load| 2.0 * load / cores as f64)
        .clamp(BUSY.1, BUSY.0)
}
/// So many files a process: a list of arguments has its bounds.
const BATCH: usize = 500;

const SERVER: &str = r#"
import signal, sys, threading, time
now = time.process_time
name, limit, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
READ = 0.5 # as much for reading
if name == "z3":
    import z3
    z3.set_param("warning", False) # attributes of our own
    lock, end = threading.Lock(), None
    def watch():
        while True:
            time.sleep(0.005)
            with lock:
                if end is not None and now() >= end:
                    z3.main_ctx().interrupt()
    threading.Thread(target=watch, daemon=True).start()
    def ask(text):
        global end
        assertions = z3.parse_smt2_string(text)
        s = z3.SolverFor("QF_AUFBV")
        read = now()
        s.add(assertions)
        with lock:
            end = read + seconds
        word = str(s.check())
        with lock:
            end = None
        return read, word
elif name == "bitwuzla":
    import bitwuzla
    def ask(text):
        parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
        parser.parse(text, True, False)
        read = now()
        solver = parser.bitwuzla()
        solver.configure_terminator(lambda: now() >= read + seconds)
        return read, str(solver.check_sat()).split(".")[-1].lower()
else:
    import cvc5
    def ask(text):
        s = cvc5.Solver()
        s.setOption("tlimit-per", str(limit))
        s.setOption("arrays-exp", "true") # constant arrays
        parser = cvc5.InputParser(s)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
        symbols = parser.getSymbolManager()
        while True:
            command = parser.nextCommand()
            if command.isNull():
                break
            if command.getCommandName() != "check-sat":
                command.invoke(s, symbols)
        read = now()
        r = s.checkSat()
        return read, "sat" if r.isSat() else "unsat" if r.isUnsat() else "unknown"
for path in sys.stdin.read().splitlines():
    text = open(path).read()
    begun = now()
    signal.setitimer(signal.ITIMER_PROF, READ + 3 * seconds) # ends the process if it does not stop by itself
    try:
        read, word = ask(text)
    except Exception as error:
        read, word = now(), "error"
        print(path, error, file=sys.stderr)
    print(";", word, read - begun, now() - read, flush=True)
"#;

/// What a solver says about a file.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// `sat`, `unsat`, `unknown`, or what it says instead.
    pub word: String,
    /// CPU seconds of reading.
    pub read: f64,
    /// CPU seconds from then on.
    pub solve: f64,
}

impl Answer {
    fn line(&self) -> String {
        format!("; {} {} {}\n", self.word, self.read, self.solve)
    }

    pub fn is_decided(&self) -> bool {
        self.word == "sat" || self.word == "unsat"
    }
}

/// A solver.
pub(super) struct Contender {
    pub name: &'static str,
    pub is_ours: bool,
}

/// Ours first, then the one that we want to be as quick as.
#[rustfmt::skip]
pub(super) const CONTENDERS: &[Contender] = &[
    Contender { name: "polypath", is_ours: true },
    Contender { name: "bitwuzla", is_ours: false },
    Contender { name: "z3", is_ours: false },
    Contender { name: "cvc5", is_ours: false },
];

/// Those that `--only` names among the programs, or all; ours always, as the first.
pub(super) fn chosen(context: &Context) -> Vec<&'static Contender> {
    let is_named = |c: &&Contender| context.only.iter().any(|o| o == c.name);
    let all = CONTENDERS.iter();
    if CONTENDERS.iter().skip(1).any(|c| is_named(&c)) {
        all.filter(|c| c.is_ours || is_named(c)).collect()
    } else {
        all.collect()
    }
}

impl Contender {
    /// What it says about each of the files, in their order. What another solver than ours said about the
    /// same sample under the same limit is read again.
    pub fn answer(&self, context: &Context, files: &[PathBuf], limit: f64) -> Result<Vec<Answer>> {
        let name = format!("solvers/said-{}-{limit}", self.name);
        let kept = context.out.join(name);
        let mut answers = Vec::with_capacity(files.len());
        if !self.is_ours && kept.exists() {
            for line in std::fs::read_to_string(&kept)?.lines().take(files.len()) {
                answers.push(read_line(line, "")?);
            }
        }
        let wait = Duration::from_secs_f64(limit * BUSY.0 * 1.2 + 20.0);
        while answers.len() < files.len() {
            let from = answers.len();
            let to = files.len().min(from + BATCH);
            let (mut child, lines) = self.start(context, &files[from..to], limit)?;
            while answers.len() < to {
                match lines.recv_timeout(wait) {
                    Ok(answer) => answers.push(answer?),
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                        say::err!(
                            "solvers: {} gives up {}",
                            self.name,
                            files[answers.len()].display()
                        );
                        answers.push(Answer {
                            word: "unknown".into(),
                            read: 0.0,
                            solve: f64::INFINITY,
                        });
                        break;
                    }
                }
            }
            // It may have ended by itself.
            let _ = child.kill();
            child.wait()?;
            if !self.is_ours {
                let lines = answers.iter().map(Answer::line);
                std::fs::write(&kept, lines.collect::<String>())?;
            }
        }
        Ok(answers)
    }

    /// The process, and its answers as they come.
    fn start(
        &self,
        context: &Context,
        files: &[PathBuf],
        limit: f64,
    ) -> Result<(Child, Receiver<Result<Answer>>)> {
        let seconds = limit * busy();
        let mut command = if self.is_ours {
            let mut command = Command::new(&context.polypath);
            command.arg("solve").arg("--time").arg(seconds.to_string());
            command.args(files).stdin(Stdio::null());
            command
        } else {
            let mut command = Command::new(python()?);
            let milliseconds = (seconds * 1000.0) as u64;
            command.args(["-c", SERVER, self.name, &milliseconds.to_string()]);
            command.arg(limit.to_string());
            command.stdin(list_of(context, files)?);
            command
        };
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let output = BufReader::new(child.stdout.take().context("no pipe")?);
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut word = "unknown".to_string();
            for line in output.lines() {
                let answer = match line {
                    Ok(line) if line.starts_with("; ") => read_line(&line, &word),
                    Ok(line) => {
                        word = line;
                        continue;
                    }
                    Err(error) => Err(error.into()),
                };
                if sender.send(answer).is_err() {
                    return; // nobody listens any more
                }
            }
        });
        Ok((child, receiver))
    }
}

/// An open file that lists files.
fn list_of(context: &Context, files: &[PathBuf]) -> Result<std::fs::File> {
    let path: &Path = &context.out.join("solvers-list");
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    std::fs::write(path, names.join("\n"))?;
    std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The answer in a line; `word` is what was said before it.
fn read_line(line: &str, word: &str) -> Result<Answer> {
    let fields: Vec<&str> = line.split(' ').collect();
    let (word, read, solve) = match fields[..] {
        [_, "read", read, "solve", solve, ..] => (word, read, solve),
        [_, word, read, solve] => (word, read, solve),
        _ => bail!("not an answer of {}: {line}", PACKAGES.join(", ")),
    };
    Ok(Answer {
        word: word.into(),
        read: read.parse()?,
        solve: solve.parse()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_answers() {
        let ours = read_line("; read 0.5 solve 0.25 a/b.smt2", "sat").unwrap();
        assert_eq!((&ours.word[..], ours.read, ours.solve), ("sat", 0.5, 0.25));
        let theirs = read_line("; unsat 1e-3 2", "").unwrap();
        assert_eq!((&theirs.word[..], theirs.solve), ("unsat", 2.0));
        assert!(read_line("; hm", "").is_err());
    }
}
