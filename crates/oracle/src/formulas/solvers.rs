//! The solvers that are compared, each as one process that answers over pipes: ours in an
//! SMT-LIB dialogue, the others behind a few lines of Python.

use super::script::{Script, ScriptStep};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The packages of the other solvers.
pub const PACKAGES: &[&str] = &["z3-solver==5.4.0", "bitwuzla==0.9.1", "cvc5==1.4.2"];

const SERVER: &str = r#"
import signal, sys
import z3, bitwuzla
def ask_z3(text, limit):
    s = z3.Solver()
    s.set("timeout", limit)
    s.from_string(text)
    return str(s.check())
def ask_bitwuzla(text, limit):
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, limit)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text, True, False)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()
print("ready", flush=True)
while True:
    head = sys.stdin.buffer.readline().split()
    if not head:
        break
    name, limit, size = head[0].decode(), int(head[1]), int(head[2])
    text = sys.stdin.buffer.read(size).decode()
    # Limits are processor time: their own, by the clock, would leave questions open on a busy machine. What takes longer ends the process.
    signal.setitimer(signal.ITIMER_PROF, limit / 1000)
    try:
        answer = (ask_z3 if name == "z3" else ask_bitwuzla)(text, 20 * limit)
    except Exception as error:
        answer = "error " + str(error).replace("\n", " ")[:300]
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(answer, flush=True)
"#;

/// A process with pipes.
struct Piped {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Piped {
    fn start(command: &mut Command) -> Result<Piped> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let input = child.stdin.take().context("no pipe")?;
        let output = BufReader::new(child.stdout.take().context("no pipe")?);
        Ok(Piped {
            child,
            input,
            output,
        })
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the process has ended: {}", self.child.wait()?);
        }
        Ok(line.trim_end().to_string())
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other solvers.
pub struct Oracles {
    python: PathBuf,
    process: Piped,
    milliseconds: u64,
    /// Who gave no answer, and how it ended.
    pub crashes: Vec<String>,
}

impl Oracles {
    /// Starts them under a Python that has [`PACKAGES`].
    pub fn start(python: &Path, milliseconds: u64) -> Result<Oracles> {
        Ok(Oracles {
            python: python.into(),
            process: serve(python)?,
            milliseconds,
            crashes: Vec::new(),
        })
    }

    /// What a solver says to a script: `sat`, `unsat`, `unknown`, or `error …` if it refuses it. One that crashes or does
    /// not look at its limit is started again: it knows nothing.
    pub fn ask(&mut self, name: &str, script: &str) -> Result<String> {
        match self.try_ask(name, script) {
            Ok(answer) => Ok(answer),
            Err(error) => {
                self.process = serve(&self.python)?;
                self.crashes.push(format!("{name}: {error:#}"));
                Ok("unknown".into())
            }
        }
    }

    fn try_ask(&mut self, name: &str, script: &str) -> Result<String> {
        let head = format!("{name} {} {}\n", self.milliseconds, script.len());
        let input = &mut self.process.input;
        input.write_all(head.as_bytes())?;
        input.write_all(script.as_bytes())?;
        input.flush()?;
        self.process.line()
    }
}

fn serve(python: &Path) -> Result<Piped> {
    let mut command = Command::new(python);
    let mut process = Piped::start(command.args(["-c", SERVER]).stderr(Stdio::null()))?;
    if process.line()? != "ready" {
        bail!("the solvers do not start");
    }
    Ok(process)
}

/// Finds or makes a Python with [`PACKAGES`], in the cache.
pub fn python() -> Result<PathBuf> {
    crate::python::with("oracles", PACKAGES, "import z3, bitwuzla, cvc5")
}

/// Our answer to a check.
#[derive(Clone, Default)]
pub struct Answer {
    /// `sat`, `unsat`, `unknown`, or what came instead.
    pub word: String,
    /// After `sat`: the definitions, one a line.
    pub model: Vec<String>,
    /// After `unsat`: names of assertions.
    pub core: Vec<String>,
    /// After `unsat` under assumptions: those that failed.
    pub failed: Vec<String>,
}

/// Who is compared with the others.
pub trait Subject {
    /// The answers to the checks of a script.
    fn answers(&mut self, script: &Script) -> Vec<Answer>;
}

/// Our solver.
pub struct Polypath {
    binary: PathBuf,
    options: Vec<String>,
    milliseconds: u64,
    process: Option<Piped>,
}

impl Polypath {
    /// This binary, with further options of `polypath solve` and a limit for each question.
    pub fn new(binary: &Path, options: &[String], milliseconds: u64) -> Polypath {
        Polypath {
            binary: binary.into(),
            options: options.to_vec(),
            milliseconds,
            process: None,
        }
    }

    /// Says something and gives the lines of the answer.
    fn say(&mut self, text: &str) -> Result<Vec<String>> {
        let process = match &mut self.process {
            Some(process) => process,
            None => {
                let mut command = Command::new(&self.binary);
                command.args(["solve", "-"]).args(&self.options);
                self.process.insert(Piped::start(&mut command)?)
            }
        };
        process.input.write_all(text.as_bytes())?;
        process.input.write_all(b"(echo \"end of answer\")\n")?;
        process.input.flush()?;
        let mut lines = Vec::new();
        loop {
            let line = process.line()?;
            if line == "\"end of answer\"" {
                return Ok(lines);
            }
            lines.push(line);
        }
    }

    /// Executes a script; the answer that was not given ends it.
    fn execute(&mut self, script: &Script, answers: &mut Vec<Answer>) -> Result<()> {
        let head = format!(
            "(reset)\n(set-option :timeout {})\n{}",
            self.milliseconds,
            script.declarations()
        );
        let mut due = head;
        for (at, step) in script.steps.iter().enumerate() {
            due.push_str(&script.command(at));
            let ScriptStep::Check(assumed) = step else {
                continue;
            };
            let mut answer = Answer {
                word: self.say(&std::mem::take(&mut due))?.join(" "),
                ..Answer::default()
            };
            match &answer.word[..] {
                "sat" => {
                    let lines = self.say("(get-model)\n")?;
                    let inner = lines.len().saturating_sub(1).max(1);
                    answer.model = lines[1.min(inner)..inner].to_vec();
                }
                "unsat" => {
                    answer.core = list(&self.say("(get-unsat-core)\n")?);
                    if !assumed.is_empty() {
                        answer.failed = list(&self.say("(get-unsat-assumptions)\n")?);
                    }
                }
                _ => {}
            }
            answers.push(answer);
        }
        Ok(())
    }
}

impl Subject for Polypath {
    fn answers(&mut self, script: &Script) -> Vec<Answer> {
        let mut answers = Vec::new();
        if let Err(error) = self.execute(script, &mut answers) {
            self.process = None;
            answers.push(Answer {
                word: format!("died: {error:#}"),
                ..Answer::default()
            });
        }
        answers
    }
}

/// The members of a list: symbols, or applications without lists inside.
fn list(lines: &[String]) -> Vec<String> {
    let text = lines.join(" ");
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let mut members: Vec<String> = Vec::new();
    let mut open = false;
    for word in inner.unwrap_or(&text).split_whitespace() {
        match members.last_mut() {
            Some(last) if open => *last = format!("{last} {word}"),
            _ => members.push(word.to_string()),
        }
        open = (open || word.starts_with('(')) && !word.ends_with(')');
    }
    members
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn lists_of_names_and_negations() {
        let lines = ["(p0 (not p1)".to_string(), "p2)".into()];
        assert_eq!(list(&lines), ["p0", "(not p1)", "p2"]);
        assert!(list(&["()".to_string()]).is_empty());
    }
}
