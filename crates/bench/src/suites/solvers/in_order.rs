//! Queries in the order in which the executor asked them: each solver keeps its state from one to the next.
//!
//! Ours is a script for `polypath solve`; the others are driven through their incremental interfaces: the definitions are
//! read first, then every condition is a name. What is counted is the CPU time of popping, pushing,
//! asserting and checking. A check has the limit of a single query, a whole stream [`MOST`] seconds.

use crate::tools::Context;
use crate::tools::contenders::Contender;
use crate::tools::queries::Stream;
use anyhow::{Context as _, Result, ensure};
use oracle::formulas::solvers::python;
use std::process::{Command, Stdio};

/// Most CPU seconds for a stream; what is not reached by then is not decided.
const MOST: f64 = 60.0;

const SERVER: &str = r#"
import sys, time
now = time.process_time
name, limit, most, base = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
definitions = open(base + ".definitions").read()
if name == "z3":
    import z3
    z3.set_param("warning", False) # attributes of our own
    context = z3.Context()
    say = lambda text: z3.Z3_eval_smtlib2_string(context.ref(), text)
    say("(set-option :timeout %d)" % limit)
    say(definitions)
    def ask(pop, push):
        text = "(pop %d)" % pop if pop else ""
        say(text + "".join("(push 1)(assert %s)" % c for c in push))
        return say("(check-sat)").strip()
elif name == "bitwuzla":
    import bitwuzla
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, limit)
    terms = bitwuzla.TermManager()
    parser = bitwuzla.Parser(terms, options)
    parser.parse(definitions, True, False)
    solver = bitwuzla.Bitwuzla(terms, options)
    def ask(pop, push):
        if pop:
            solver.pop(pop)
        for condition in push:
            solver.push(1)
            solver.assert_formula(parser.parse_term(condition))
        return str(solver.check_sat()).split(".")[-1].lower()
else:
    import cvc5
    solver = cvc5.Solver()
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", str(limit))
    solver.setOption("arrays-exp", "true") # constant arrays
    parser = cvc5.InputParser(solver)
    symbols = parser.getSymbolManager()
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, definitions, "definitions")
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        command.invoke(solver, symbols)
    def ask(pop, push):
        if pop:
            solver.pop(pop)
        for condition in push:
            parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, condition, "condition")
            term = parser.nextTerm()
            solver.push(1)
            solver.assertFormula(term)
        r = solver.checkSat()
        return "sat" if r.isSat() else "unsat" if r.isUnsat() else "unknown"
begun = now()
for line in open(base + ".steps"):
    pop, *push = line.rstrip("\n").split("\t")
    try:
        word = ask(int(pop), push)
    except Exception as error:
        print(base, error, file=sys.stderr)
        break # its levels are not known any more
    spent = now() - begun
    print(word, flush=True)
    if spent > most:
        break
print("; solve", now() - begun, flush=True)
"#;

/// What a solver said.
pub(super) struct Said {
    /// By query.
    pub words: Vec<String>,
    /// CPU seconds for all that it reached.
    pub solve: f64,
}

impl Said {
    fn decided(&self) -> usize {
        let is_decided = |w: &&String| *w == "sat" || *w == "unsat";
        self.words.iter().filter(is_decided).count()
    }

    /// CPU seconds, and twice the limit for each query without an answer.
    pub fn par2(&self, queries: usize, limit: f64) -> f64 {
        self.solve + 2.0 * limit * (queries - self.decided()) as f64
    }
}

/// What a contender says to a stream.
pub(super) fn ask(
    stream: &Stream,
    context: &Context,
    contender: &Contender,
    limit: f64,
) -> Result<Said> {
    let mut command = if contender.is_ours {
        let script = stream.script(limit)?;
        let mut command = Command::new(&context.polypath);
        command.arg("solve").arg("--time").arg(MOST.to_string());
        // Times are said where there are several scripts.
        command.args(["--jobs", "1"]).arg(script).arg("/dev/null");
        command
    } else {
        let mut command = Command::new(python()?);
        let milliseconds = (limit * 1000.0) as u64;
        command.args(["-c", SERVER, &contender.name]);
        command.args([milliseconds.to_string(), MOST.to_string()]);
        command.arg(stream.base());
        command
    };
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let said = parse(&text);
    ensure!(
        said.words.len() <= stream.queries()?,
        "{}: too many answers of {}",
        stream.program,
        contender.name
    );
    Ok(said)
}

/// Words, and the time in the first comment behind them. A process that was ended by its own limit says no
/// time: then it is the whole.
fn parse(text: &str) -> Said {
    let is_comment = |line: &&str| line.starts_with(';');
    let words = text.lines().take_while(|line| !is_comment(line));
    let seconds = text.lines().find(is_comment).and_then(|line| {
        let mut fields = line.split(' ');
        fields.find(|f| *f == "solve")?;
        fields.next()?.parse().ok()
    });
    Said {
        words: words.map(str::to_string).collect(),
        solve: seconds.unwrap_or(MOST),
    }
}

/// Is the same query sat to one and unsat to another?
pub(super) fn is_disputed(all: &[Said], query: usize) -> bool {
    let said = |word: &str| {
        all.iter()
            .any(|s| s.words.get(query).is_some_and(|w| w == word))
    };
    said("sat") && said("unsat")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_end_at_the_comment() {
        let said = parse("sat\nunknown\n; read 0.5 solve 0.25 a/b.smt2\n; read 0 solve 0 x\n");
        assert_eq!((said.words.len(), said.solve), (2, 0.25));
        assert_eq!(said.par2(3, 1.0), 0.25 + 4.0);
        assert_eq!(parse("sat\n").solve, MOST);
        let other = parse("unsat\n; solve 1\n");
        assert!(is_disputed(&[said, other], 0));
    }
}
