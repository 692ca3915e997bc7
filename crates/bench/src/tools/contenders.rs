//! The solvers as processes that are given a list of files and print a line for each.
//!
//! Every line is `; WORD READ SOLVE`, CPU seconds; ours are the answers of `polypath solve FILE…`. A
//! process that says nothing for too long, or dies, is started again with the files behind the one
//! that it was at, which counts as unknown. The limit is CPU time where a solver can be stopped by it (bitwuzla,
//! z3), else the clock's, stretched by the load; who uses three times the limit is ended.

use super::Context;
use super::kept::ResultStore;
use anyhow::{Context as _, Result, bail};
use oracle::formulas::solvers::{PACKAGES, python};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
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
/// Who uses so many times the limit is ended.
const MOST: f64 = 3.0;
/// So many files a process: a list of arguments has its bounds.
const BATCH: usize = 500;

const SERVER: &str = r#"
import re, signal, sys, threading, time
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
        logic = re.search(r"\(set-logic (\S+)\)", text)
        s = z3.SolverFor(logic[1]) if logic and logic[1] != "ALL" else z3.Solver()
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContenderAnswer {
    /// `sat`, `unsat`, `unknown`, or what it says instead.
    pub word: String,
    /// CPU seconds of reading.
    pub read: f64,
    /// CPU seconds from then on.
    pub solve: f64,
}

impl ContenderAnswer {
    pub fn is_decided(&self) -> bool {
        self.word == "sat" || self.word == "unsat"
    }
}

/// A solver.
pub struct Contender {
    pub name: String,
    pub is_ours: bool,
    /// Options of `polypath solve`.
    options: Vec<String>,
    /// What its answers are kept under for a later run, if they are.
    kept: Option<String>,
}

/// Other solvers, at first the one that we want to be as quick as.
pub const PEERS: &[&str] = &["bitwuzla", "z3", "cvc5"];

impl Contender {
    /// Ours, which is asked anew by each run.
    pub fn ours() -> Contender {
        Contender {
            name: "polypath".into(),
            is_ours: true,
            options: Vec::new(),
            kept: None,
        }
    }

    /// Ours with options under a name of its own. A later run of the same build takes its answers again.
    pub fn ours_with(context: &Context, name: &str, options: &[&str]) -> Result<Contender> {
        Ok(Contender {
            name: name.into(),
            is_ours: true,
            options: options.iter().map(|o| o.to_string()).collect(),
            kept: Some(format!("{name} {}", context.build()?)),
        })
    }

    /// The others: those that `--only` names, or all.
    pub fn peers(context: &Context) -> Vec<Contender> {
        let chosen = context.choose(PEERS, |name| name).into_iter();
        chosen
            .map(|&name| Contender {
                name: name.into(),
                is_ours: false,
                options: Vec::new(),
                kept: Some(name.into()),
            })
            .collect()
    }

    /// What it says about each of the files, in their order. What is kept of its answers to the same text under the
    /// same limit is taken again.
    pub fn answer(
        &self,
        context: &Context,
        kept: &mut ResultStore<ContenderAnswer>,
        files: &[PathBuf],
        limit: f64,
    ) -> Result<Vec<ContenderAnswer>> {
        let mut answers: Vec<Option<ContenderAnswer>> = Vec::with_capacity(files.len());
        let mut keys = Vec::with_capacity(files.len());
        for file in files {
            let key = self.key(file, limit)?;
            answers.push(key.as_ref().and_then(|key| kept.find(key)));
            keys.push(key);
        }
        let wait = Duration::from_secs_f64(limit * BUSY.0 * 1.2 + 20.0);
        loop {
            let open = (0..files.len()).filter(|&k| answers[k].is_none());
            let batch: Vec<usize> = open.take(BATCH).collect();
            if batch.is_empty() {
                return Ok(answers.into_iter().flatten().collect());
            }
            let paths: Vec<PathBuf> = batch.iter().map(|&k| files[k].clone()).collect();
            let (mut child, lines) = self.start(context, &paths, limit)?;
            for k in batch {
                let received = lines.recv_timeout(wait);
                let gives_up = received.is_err();
                let answer = match received {
                    Ok(answer) => answer?,
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                        say::err!("{} gives up {}", self.name, files[k].display());
                        ContenderAnswer {
                            word: "unknown".into(),
                            read: 0.0,
                            solve: MOST * limit,
                        }
                    }
                };
                if let Some(key) = &keys[k] {
                    kept.put(key, answer.clone())?;
                }
                answers[k] = Some(answer);
                if gives_up {
                    break;
                }
            }
            // It may have ended by itself.
            let _ = child.kill();
            child.wait()?;
        }
    }

    /// What an answer is kept under, if it is.
    fn key(&self, file: &Path, limit: f64) -> Result<Option<String>> {
        let Some(kept) = &self.kept else {
            return Ok(None);
        };
        let text = std::fs::read(file).with_context(|| file.display().to_string())?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&text);
        Ok(Some(format!("{kept} {limit} {:016x}", hasher.finish())))
    }

    /// The process, and its answers as they come.
    fn start(
        &self,
        context: &Context,
        files: &[PathBuf],
        limit: f64,
    ) -> Result<(Child, Receiver<Result<ContenderAnswer>>)> {
        let seconds = limit * busy();
        let mut command = if self.is_ours {
            let mut command = Command::new(&context.polypath);
            command.args(["solve", "--jobs", "1", "--time", &seconds.to_string()]);
            command.args(&self.options);
            command.args(files).stdin(Stdio::null());
            command
        } else {
            let mut command = Command::new(python()?);
            let milliseconds = (seconds * 1000.0) as u64;
            command.args(["-c", SERVER, &self.name, &milliseconds.to_string()]);
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
fn list_of(context: &Context, files: &[PathBuf]) -> Result<File> {
    let path: &Path = &context.out.join("list-of-queries");
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    std::fs::write(path, names.join("\n"))?;
    File::open(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The answer in a line; `word` is what was said before it.
fn read_line(line: &str, word: &str) -> Result<ContenderAnswer> {
    let fields: Vec<&str> = line.split(' ').collect();
    let (word, read, solve) = match fields[..] {
        [_, "read", read, "solve", solve, ..] => (word, read, solve),
        [_, word, read, solve] => (word, read, solve),
        _ => bail!("not an answer of {}: {line}", PACKAGES.join(", ")),
    };
    Ok(ContenderAnswer {
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
