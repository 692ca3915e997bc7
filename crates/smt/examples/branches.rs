//! Would the queries of branches gain from the passes that scripts have?
//!
//! `cargo run -p polypath-smt --example branches -- QUERIES.smt2…`, for logs that `polypath run --log-queries DIR` has written. Each query
//! is asked of one solver as the run asked it (path, condition and witness). Those that took effort in circuits and SAT are asked twice
//! more, alone (the slice of the path that matters), each of a new solver: as they are, and after the passes. Printed for each log: the queries and the
//! time of all; how many took effort; decided, effort and CPU seconds of these in each way; how many took less and more effort
//! after the passes than alone.
//!
//! The passes rest on nothing but the text of a query. Indices of the log have windows that hold on the path only (a pass would conclude
//! conjuncts of the path from them, and drop these), so what is asked alone is read without.

use polypath_smt::ScriptSolver;
use smtlib::{Command, Meaning, Reader};
use solver::{Ask, Budget, Model, NoTrials, Origin, Outcome, PathCondition, Slice, SolverOptions};
use std::collections::HashMap;
use std::fs::File;
use term::{Evaluator, Op, Pool, Symbol, Term};

/// The executor's first attempt at a query.
const EFFORT: u64 = 4_000_000;
/// Queries that are looked at in one log.
const MOST: usize = 20_000;

/// What one way of asking took.
#[derive(Clone, Copy, Default)]
struct Spent {
    effort: u64,
    seconds: f64,
    decided: u64,
}

impl Spent {
    fn add(&mut self, other: Spent) {
        self.effort += other.effort;
        self.seconds += other.seconds;
        self.decided += other.decided;
    }
}

/// What a question to a solver takes, and its answer.
fn measured(
    solver: &mut ScriptSolver,
    ask: impl FnOnce(&mut ScriptSolver) -> Outcome,
) -> (Spent, Outcome) {
    let cpu = || host::clock::thread_time().as_secs_f64();
    let (begun, before) = (cpu(), solver.base.stats().effort);
    let outcome = ask(solver);
    let spent = Spent {
        effort: solver.base.stats().effort - before,
        seconds: cpu() - begun,
        decided: u64::from(!matches!(outcome, Outcome::Unknown(_))),
    };
    (spent, outcome)
}

fn budget() -> Budget {
    Budget {
        effort: EFFORT,
        ..Budget::default()
    }
}

/// The conditions of a conjunction.
fn conjuncts(pool: &Pool, t: Term, into: &mut Vec<Term>) {
    if pool.op(t) == Op::And {
        for &kid in pool.children(t) {
            conjuncts(pool, kid, into);
        }
    } else {
        into.push(t);
    }
}

struct Level {
    condition: Term,
    path: PathCondition,
}

/// A query: the path, the condition, and a model of the path.
struct Question {
    path: PathCondition,
    condition: Term,
    witness: Model,
}

/// A log that is read.
struct Log {
    reader: Reader<File>,
    pool: Pool,
    /// Keeps the byte sets of paths.
    solver: ScriptSolver,
    evaluator: Evaluator,
    levels: Vec<Level>,
    symbols: HashMap<String, Symbol>,
    known: usize,
    witness: Option<String>,
}

impl Log {
    fn open(log: &str, has_windows: bool) -> Log {
        let mut reader = Reader::new(File::open(log).unwrap_or_else(|e| panic!("{log}: {e}")));
        reader.trust_log(has_windows);
        reader.global_declarations(true);
        let (condition, path) = (Term::TRUE, PathCondition::new());
        Log {
            reader,
            pool: Pool::new(),
            solver: ScriptSolver::new(SolverOptions::default()),
            evaluator: Evaluator::new(),
            levels: vec![Level { condition, path }],
            symbols: HashMap::new(),
            known: 0,
            witness: None,
        }
    }

    /// The next query; without a path that its witness satisfies, the inner `None`.
    fn next(&mut self) -> Option<Option<Question>> {
        loop {
            match self.reader.next(&mut self.pool).expect("a log")? {
                Command::Assert(assertion) => self.assert(assertion.term),
                Command::Push(n) => (0..n).for_each(|_| {
                    let below = self.levels.last();
                    let path = below.map(|l| l.path.clone()).unwrap_or_default();
                    let condition = Term::TRUE;
                    self.levels.push(Level { condition, path });
                }),
                Command::Pop(n) => {
                    let left = self.levels.len().saturating_sub(n as usize);
                    self.levels.truncate(left.max(1));
                }
                Command::SetInfo(key, value) if key == solver::WITNESS => {
                    self.witness = Some(value);
                }
                Command::CheckSat => return Some(self.question()),
                _ => {}
            }
        }
    }

    fn assert(&mut self, condition: Term) {
        let level = self.levels.last_mut().expect("the first level stays");
        let mut parts = Vec::new();
        conjuncts(&self.pool, condition, &mut parts);
        for part in parts {
            let path = &mut level.path;
            let base = &mut self.solver.base;
            base.push(&mut self.pool, path, part, Origin::Branch);
        }
        level.condition = self.pool.and(level.condition, condition);
    }

    fn question(&mut self) -> Option<Question> {
        let declared = self.reader.declarations();
        for declaration in &declared[self.known..] {
            if let Meaning::Symbol(symbol) = declaration.meaning {
                self.symbols.insert(declaration.name.to_string(), symbol);
            }
        }
        self.known = declared.len();
        let find = |name: &str| self.symbols.get(name).copied();
        let witness = solver::parse_witness(&self.witness.take()?, find)?;
        let [.., below, last] = &self.levels[..] else {
            return None;
        };
        let terms: Vec<Term> = below.path.iter().map(|c| c.term).collect();
        let violated = self.evaluator.first_false(&self.pool, &terms, &witness);
        violated.is_none().then(|| Question {
            path: below.path.clone(),
            condition: last.condition,
            witness,
        })
    }

    /// Asks as the run asked.
    fn ask(&mut self, question: &Question) -> (Spent, Outcome) {
        let (budget, pool) = (budget(), &mut self.pool);
        measured(&mut self.solver, |solver| {
            let ask = Ask::new(&question.path, &question.witness, &budget);
            solver.base.feasible(pool, question.condition, ask)
        })
    }

    /// Asks a new solver about the slice, as it is and after the passes.
    fn ask_alone(&mut self, question: &Question) -> [(Spent, Outcome); 2] {
        let pool = &mut self.pool;
        let slice = Slice::of(pool, &question.path, question.condition);
        [false, true].map(|has_passes| {
            let mut solver = ScriptSolver::new(SolverOptions::default());
            let mut path = PathCondition::new();
            for &t in slice.terms.iter().chain([&question.condition]) {
                solver.base.push(pool, &mut path, t, Origin::Branch);
            }
            measured(&mut solver, |solver| {
                if has_passes {
                    solver.solve_once(pool, &path, &budget(), &mut NoTrials)
                } else {
                    solver.base.solve(pool, &path, &budget(), &mut NoTrials)
                }
            })
        })
    }
}

fn is_opposite(a: &Outcome, b: &Outcome) -> bool {
    matches!(
        (a, b),
        (Outcome::Sat(_), Outcome::Unsat(_)) | (Outcome::Unsat(_), Outcome::Sat(_))
    )
}

fn main() {
    println!("log | queries in s | with effort | as the run | alone | after passes | less, more");
    for log in std::env::args().skip(1) {
        let [mut run, mut text] = [true, false].map(|has_windows| Log::open(&log, has_windows));
        let (mut count, mut hard, mut less, mut more) = (0, 0, 0, 0);
        let (mut whole, mut sums) = (Spent::default(), [Spent::default(); 3]);
        while count < MOST
            && let (Some(as_run), Some(as_text)) = (run.next(), text.next())
        {
            let (Some(as_run), Some(as_text)) = (as_run, as_text) else {
                continue;
            };
            count += 1;
            let (spent, outcome) = run.ask(&as_run);
            whole.add(spent);
            if spent.effort == 0 {
                continue; // no circuit was asked
            }
            hard += 1;
            let [alone, passes] = text.ask_alone(&as_text);
            for (_, other) in [&alone, &passes] {
                assert!(!is_opposite(&outcome, other), "{log}: answers differ");
            }
            less += u64::from(passes.0.effort < alone.0.effort);
            more += u64::from(passes.0.effort > alone.0.effort);
            for (sum, spent) in sums.iter_mut().zip([spent, alone.0, passes.0]) {
                sum.add(spent);
            }
        }
        let shown = sums.map(|s| format!("{}, {}, {:.3}", s.decided, s.effort, s.seconds));
        let [as_run, alone, passes] = shown;
        println!(
            "{log} | {count} in {:.3} | {hard} | {as_run} | {alone} | {passes} | {less}, {more}",
            whole.seconds
        );
    }
}
