//! `polypath solve --replay`: the logged queries of a run, asked again as the run asked them.
//!
//! In the script that `polypath run --log-queries` writes the last level is the condition, those below it are the
//! path, and the state's model stands in a `set-info`. All queries go to one solver, so that everything that the
//! executor profits from (circuits, cores and models of earlier queries, intervals) counts, too, and the same log
//! serves every configuration. Only the query itself is timed, not reading and not building the path, which the
//! executor does as it goes. With `--partial-solutions` a receiver judges the trials, as in concolic mode, within the
//! time of the query. Floats have SMT-LIB's one NaN there, and a function of libm that is one operation is any
//! function of its arguments.

use crate::dialogue::{conjuncts, partial};
use crate::limits::ScriptLimits;
use crate::run::{Ended, Unreadable, Work, cpu_seconds};
use crate::script::ScriptSolver;
use anyhow::{Context as _, Result, bail};
use smtlib::{Command, Meaning, Reader};
use solver::{
    Ask, Budget, Model, NoTrials, Origin, Outcome, PathCondition, Receiver, Trial, Trials,
};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use term::{Evaluator, Pool, Symbol, Term};

/// [`Budget::effort`] of a query, as in the executor's first attempt at one.
const EFFORT: u64 = 4_000_000;

/// A conjunct and the path up to it.
struct Level {
    condition: Term,
    path: PathCondition,
}

/// The queries of one log and their solver.
struct Replay {
    solver: ScriptSolver,
    pool: Pool,
    evaluator: Evaluator,
    levels: Vec<Level>,
    /// The witness of the next query, as it is written.
    witness: Option<String>,
    /// CPU seconds of questions.
    spent: f64,
    /// Is what the solver tries kept?
    is_watched: bool,
    /// The trials that were kept of the last query, and its number of conditions.
    kept: (Vec<Trial>, usize),
}

impl Replay {
    /// Asserts on the last level.
    fn assert(&mut self, condition: Term) {
        let Some(mut level) = self.levels.pop() else {
            return;
        };
        for part in conjuncts(&self.pool, condition) {
            let path = &mut level.path;
            self.solver
                .base
                .push(&mut self.pool, path, part, Origin::Branch);
        }
        level.condition = self.pool.and(level.condition, condition);
        self.levels.push(level);
    }

    fn push(&mut self) {
        let below = self.levels.last();
        self.levels.push(Level {
            condition: Term::TRUE,
            path: below.map(|l| l.path.clone()).unwrap_or_default(),
        });
    }

    /// Asks the last level's condition on the path below it, or the whole path where no model of it is
    /// known.
    fn ask(&mut self, witness: Option<Model>) -> Outcome {
        let budget = Budget {
            effort: EFFORT,
            ..Budget::default()
        };
        let Replay {
            solver,
            pool,
            levels,
            evaluator,
            ..
        } = self;
        let empty = PathCondition::new();
        let (path, question) = match (&witness, &levels[..]) {
            (Some(witness), [.., path, last]) => {
                let conditions: Vec<Term> = path.path.iter().map(|c| c.term).collect();
                match evaluator.first_false(pool, &conditions, witness) {
                    None => (&path.path, Some((witness, last.condition))),
                    Some(_) => (&last.path, None),
                }
            }
            (_, levels) => (levels.last().map_or(&empty, |l| &l.path), None),
        };
        let begun = cpu_seconds();
        let condition = question.map_or(Term::TRUE, |(_, condition)| condition);
        let mut receiver = self
            .is_watched
            .then(|| Receiver::of_path(path, condition, |_| true));
        let trials: &mut dyn Trials = match &mut receiver {
            Some(receiver) => receiver,
            None => &mut NoTrials,
        };
        let outcome = match question {
            Some((witness, cond)) => solver.base.feasible(
                pool,
                cond,
                Ask::new(path, witness, &budget).heard_by(trials),
            ),
            None => solver.base.solve(pool, path, &budget, trials),
        };
        let kept = receiver.map_or_else(Vec::new, |r| r.judge(pool, evaluator));
        self.spent += cpu_seconds() - begun;
        self.kept = (kept, path.len() + usize::from(question.is_some()));
        outcome
    }
}

/// Asks the queries of some of the logs.
pub(crate) fn run(work: &Work, logs: &[PathBuf]) -> Result<Ended> {
    let _limits = ScriptLimits::start(work.started, None, work.memory, false)?;
    for script in logs {
        replay(work, script).with_context(|| script.display().to_string())?;
    }
    Ok(Ended::Answered)
}

fn replay(work: &Work, script: &Path) -> Result<()> {
    let mut replay = Replay {
        solver: ScriptSolver::new(work.solver.clone()),
        pool: Pool::new(),
        evaluator: Evaluator::new(),
        levels: Vec::new(),
        witness: None,
        spent: 0.0,
        is_watched: work.partial_solutions,
        kept: (Vec::new(), 0),
    };
    let mut reader = Reader::new(File::open(script).map_err(|e| Unreadable(e.to_string()))?);
    reader.trust_log(true);
    reader.global_declarations(true);
    let mut out = say::Results::new();
    // The conditions below every level are part of each path.
    replay.push();
    let mut known = 0;
    let mut symbols: rustc_hash::FxHashMap<String, Symbol> = Default::default();
    while let Some(command) = reader.next(&mut replay.pool)? {
        match command {
            Command::Assert(assertion) => replay.assert(assertion.term),
            Command::Push(count) => (0..count).for_each(|_| replay.push()),
            Command::Pop(count) => {
                let left = replay.levels.len().saturating_sub(count as usize);
                replay.levels.truncate(left.max(1));
            }
            Command::SetInfo(key, value) if key == solver::WITNESS => replay.witness = Some(value),
            Command::SetLogic(_) | Command::SetInfo(..) | Command::SetOption(..) => {}
            Command::Declared => {}
            Command::CheckSat => {
                let declared = reader.declarations();
                let constants = declared[known..].iter().filter(|d| d.params.is_empty());
                symbols.extend(constants.filter_map(|d| match d.meaning {
                    Meaning::Symbol(symbol) => Some((d.name.to_string(), symbol)),
                    Meaning::Real(_) | Meaning::Applied(_) => None,
                }));
                known = declared.len();
                let find = |name: &str| symbols.get(name).copied();
                let witness = replay.witness.take();
                let witness = witness.and_then(|text| solver::parse_witness(&text, find));
                let before = replay.spent;
                let word = match replay.ask(witness) {
                    Outcome::Sat(_) => "sat",
                    Outcome::Unsat(_) => "unsat",
                    Outcome::Unknown(_) => "unknown",
                };
                let (kept, conditions) = std::mem::take(&mut replay.kept);
                for trial in kept {
                    let (sorts, all) = (reader.sorts(), reader.declarations());
                    let line = partial::line(&replay.pool, sorts, all, conditions, &trial);
                    writeln!(out, "{line}")?;
                }
                writeln!(out, "{word} {:.6}", replay.spent - before)?;
                out.flush()?;
            }
            _ => bail!("not a log of queries"),
        }
        if work
            .time
            .is_some_and(|time| replay.spent >= time.as_secs_f64())
        {
            break;
        }
    }
    if work.stats {
        for row in replay.solver.rows() {
            if row.value != 0.0 {
                say::err!("{:<20} {:>12} {}", row.name, row.value, row.unit);
            }
        }
        say::err!("{:<20} {:>12.6} seconds", "time", replay.spent);
    }
    // Terms die with the process.
    std::mem::forget(replay);
    Ok(())
}
