//! The state of a dialogue, and what each command does to it.

use super::check::conjuncts;
use super::options::{ScriptOptions, Set};
use crate::limits::ScriptLimits;
use crate::script::ScriptSolver;
use rustc_hash::FxHashMap;
use smtlib::{Assertion, Assumption, Command, Reader, write};
use solver::{Core, Model, Origin, PathCondition, SolverOptions, StatRow, TraceSet};
use std::io::{self, Read, Write};
use term::{Evaluator, Pool, Term, Trace};

/// The pool is collected when it has doubled, but not below this many terms.
const COLLECT_ABOVE: usize = 1 << 20;

/// Does the dialogue go on?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

/// The status of the last check. It is void once anything is asserted, pushed or popped.
pub(crate) enum Status {
    None,
    Sat(Model),
    Unsat(Core),
    Unknown(String),
}

/// The state to which `pop` returns.
struct Level {
    assertions: usize,
    path: PathCondition,
    axioms: usize,
    real_axioms: usize,
    lost: bool,
    sizes_matter: bool,
}

/// What a dialogue knows of its products of integers.
#[derive(Default)]
pub(crate) struct ProductState {
    /// Lemmas by the product that they are about.
    pub lemmas: FxHashMap<Term, Vec<Term>>,
    /// How often products of the current check were looked at.
    pub rounds: u32,
}

/// A dialogue.
pub(crate) struct Session {
    pub limits: ScriptLimits,
    pub options: ScriptOptions,
    pub solver_options: SolverOptions,
    pub solver: ScriptSolver,
    pub evaluator: Evaluator,
    pub assertions: Vec<Assertion>,
    pub path: PathCondition,
    levels: Vec<Level>,
    /// Is an assertion missing?
    lost: bool,
    /// Conditions that hold on every level, see [`Reader::take_axioms`].
    pub axioms: Vec<Term>,
    /// Conditions on reals that hold as long as the level stays on which they were read, lemmas included.
    pub real_axioms: Vec<Term>,
    pub assumptions: Vec<Assumption>,
    /// The theory of reals, and their values in the last model.
    pub theory: lra::Theory,
    pub reals: Vec<linear::Rational>,
    pub status: Status,
    /// Was the last check decided after the passes? Then its refutation names no conjuncts.
    pub is_preprocessed: bool,
    pub partial_solutions: bool,
    pub print_models: bool,
    /// Lines to print before the answer.
    pub comments: Vec<String>,
    /// Errors reported.
    pub errors: u64,
    /// Did the solver fail in a way that is our bug?
    pub failed: bool,
    /// Do the assertions or definitions need [`Reader::take_sizes_matter`]?
    pub sizes_matter: bool,
    /// Applications of functions and products that the last check knew.
    pub applications: usize,
    /// What is known of products of integers.
    pub products: ProductState,
    collect_at: usize,
}

impl Session {
    /// An empty dialogue.
    pub fn new(
        solver_options: SolverOptions,
        limits: ScriptLimits,
        partial_solutions: bool,
        print_models: bool,
    ) -> Session {
        Session {
            limits,
            options: ScriptOptions::default(),
            solver: ScriptSolver::new(solver_options.clone()),
            solver_options,
            evaluator: Evaluator::new(),
            assertions: Vec::new(),
            path: PathCondition::new(),
            levels: Vec::new(),
            lost: false,
            axioms: Vec::new(),
            real_axioms: Vec::new(),
            sizes_matter: false,
            assumptions: Vec::new(),
            theory: lra::Theory::default(),
            reals: Vec::new(),
            status: Status::None,
            is_preprocessed: false,
            partial_solutions,
            print_models,
            comments: Vec::new(),
            errors: 0,
            failed: false,
            applications: 0,
            products: ProductState::default(),
            collect_at: COLLECT_ABOVE,
        }
    }

    /// Executes a command and writes its answer.
    pub fn execute<R: Read>(
        &mut self,
        pool: &mut Pool,
        reader: &mut Reader<R>,
        command: Command,
        out: &mut dyn Write,
    ) -> io::Result<Flow> {
        let sizes_matter = reader.take_sizes_matter();
        self.sizes_matter |= sizes_matter && !matches!(command, Command::GetValue(_));
        let axioms = self.axioms.len();
        self.axioms.extend(reader.take_axioms());
        self.assume_axioms(pool, axioms);
        self.hear_of_reals(pool, reader.take_real_axioms());
        match command {
            Command::SetLogic(_) | Command::SetInfo(..) => self.success(out)?,
            Command::Declared => {
                self.status = Status::None;
                self.success(out)?;
            }
            Command::SetOption(name, value) => match self.options.set(&name, &value) {
                Set::Done => {
                    reader.keep_text(self.options.produce_assertions);
                    reader.global_declarations(self.options.global_declarations);
                    if name == ":random-seed" || name == ":seed" {
                        self.reseed();
                    }
                    self.success(out)?;
                }
                Set::Unsupported => writeln!(out, "unsupported")?,
                Set::Wrong(due) => self.report(out, &format!("{name}: {due}"))?,
            },
            Command::Assert(assertion) => {
                for part in conjuncts(pool, assertion.term) {
                    self.solver
                        .base
                        .push(pool, &mut self.path, part, Origin::Assume);
                }
                self.assertions.push(assertion);
                self.status = Status::None;
                self.success(out)?;
            }
            Command::CheckSat => self.check(pool, reader, Vec::new(), out)?,
            Command::CheckSatAssuming(assumptions) => {
                self.check(pool, reader, assumptions, out)?;
            }
            Command::Push(count) => {
                for _ in 0..count {
                    self.levels.push(Level {
                        assertions: self.assertions.len(),
                        path: self.path.clone(),
                        axioms: self.axioms.len(),
                        real_axioms: self.real_axioms.len(),
                        lost: self.lost,
                        sizes_matter: self.sizes_matter,
                    });
                }
                self.status = Status::None;
                self.success(out)?;
            }
            Command::Pop(count) => {
                for _ in 0..count {
                    // The reader has counted the levels.
                    if let Some(level) = self.levels.pop() {
                        self.assertions.truncate(level.assertions);
                        self.path = level.path;
                        self.lost = level.lost;
                        self.assume_axioms(pool, level.axioms);
                        self.pop_reals(pool, level.real_axioms);
                        // A definition may stay that says so.
                        self.sizes_matter &= level.sizes_matter || self.options.global_declarations;
                    }
                }
                self.status = Status::None;
                self.success(out)?;
            }
            Command::Reset => {
                self.axioms.clear();
                self.real_axioms.clear();
                self.forget(pool);
                self.options = ScriptOptions::default();
                self.sizes_matter = false;
                self.renew_solver(); // what follows stands alone again
                self.success(out)?;
            }
            Command::ResetAssertions => {
                self.forget(pool);
                self.success(out)?;
            }
            Command::GetModel if self.options.produce_models => self.model(pool, reader, out)?,
            Command::GetModel => self.report(out, ":produce-models is off")?,
            Command::GetValue(terms) => self.values(pool, reader, &terms, out)?,
            Command::GetAssignment => self.assignment(pool, reader, out)?,
            Command::GetUnsatCore if self.options.produce_cores => {
                let core = self.core(pool);
                self.list(
                    core,
                    "there is no core: the last check did not say unsat",
                    out,
                )?;
            }
            Command::GetUnsatAssumptions if self.options.produce_cores => {
                let failed = self.failed_assumptions(pool);
                self.list(failed, "the last check did not say unsat", out)?;
            }
            Command::GetUnsatCore | Command::GetUnsatAssumptions => {
                self.report(out, "unsat cores are off")?;
            }
            Command::GetAssertions if self.options.produce_assertions => {
                writeln!(out, "(")?;
                for text in self.assertions.iter().filter_map(|a| a.text.as_ref()) {
                    writeln!(out, " {text}")?;
                }
                writeln!(out, ")")?;
            }
            Command::GetAssertions => self.report(out, ":produce-assertions is off")?,
            Command::GetInfo(name) => self.info(&name, out)?,
            Command::GetOption(name) => match self.options.get(&name) {
                Some(value) => writeln!(out, "{value}")?,
                None => writeln!(out, "unsupported")?,
            },
            Command::Echo(text) => writeln!(out, "{}", write::string(&text))?,
            Command::Exit => {
                self.success(out)?;
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Puts the axioms from the given one on onto the path.
    fn assume_axioms(&mut self, pool: &mut Pool, from: usize) {
        for &axiom in &self.axioms[from..] {
            self.solver
                .base
                .push(pool, &mut self.path, axiom, Origin::Assume);
        }
    }

    /// An assertion could not be read: a model without it need not satisfy it.
    pub fn lose(&mut self) {
        self.status = Status::None;
        self.lost = true;
    }

    /// Is an assertion missing, so that `sat` cannot be answered?
    pub fn has_lost(&self) -> bool {
        self.lost
    }

    /// Levels that were pushed.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The reason of the last check's `unknown`.
    pub fn reason_unknown(&self) -> Option<String> {
        match &self.status {
            Status::Unknown(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    /// The word for a command that has no other answer.
    pub fn success(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.options.print_success {
            writeln!(out, "success")?;
        }
        Ok(())
    }

    /// Answers with an error.
    pub fn report(&mut self, out: &mut dyn Write, message: &str) -> io::Result<()> {
        self.errors += 1;
        writeln!(out, "(error {})", write::string(message))
    }

    /// The solver's statistics.
    pub fn statistics(&self) -> Vec<StatRow> {
        self.solver.rows()
    }

    /// Prints the statistics that are not 0.
    pub fn print_stats(&self) {
        for row in self.statistics().iter().filter(|row| row.value != 0.0) {
            say::err!("{:<20} {:>12} {}", row.name, row.value, row.unit);
        }
        say::err!("{:<20} {:>12.3} seconds", "time", self.limits.elapsed());
    }

    fn forget(&mut self, pool: &mut Pool) {
        self.assertions.clear();
        self.path = PathCondition::new();
        self.levels.clear();
        self.assume_axioms(pool, 0);
        self.pop_reals(pool, 0);
        self.lost = false;
        self.sizes_matter &= self.options.global_declarations;
        self.assumptions.clear();
        self.status = Status::None;
    }

    fn reseed(&mut self) {
        self.solver_options.seed = self.options.random_seed;
        self.renew_solver();
    }

    fn renew_solver(&mut self) {
        self.solver = ScriptSolver::new(self.solver_options.clone());
    }

    fn list(
        &mut self,
        names: Option<Vec<String>>,
        none: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match names {
            Some(names) => writeln!(out, "({})", names.join(" ")),
            None => self.report(out, none),
        }
    }

    fn values<R: Read>(
        &mut self,
        pool: &Pool,
        reader: &Reader<R>,
        terms: &[(String, smtlib::Typed)],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !self.options.produce_models {
            return self.report(out, ":produce-models is off");
        }
        let mut pairs = Vec::new();
        for (text, typed) in terms {
            let Some(value) = self.evaluate(pool, reader, *typed) else {
                return self.report(out, "there is no model: the last check did not say sat");
            };
            let value = write::value(reader.sorts(), typed.sort, &value);
            pairs.push(format!("({text} {value})"));
        }
        writeln!(out, "({})", pairs.join(" "))
    }

    fn assignment<R: Read>(
        &mut self,
        pool: &Pool,
        reader: &Reader<R>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut pairs = Vec::new();
        for named in reader.named() {
            if named.value.sort != smtlib::ScriptSort::BOOL {
                continue;
            }
            let Some(value) = self.evaluate(pool, reader, named.value) else {
                return self.report(out, "there is no model: the last check did not say sat");
            };
            let value = write::value(reader.sorts(), named.value.sort, &value);
            pairs.push(format!("({} {value})", write::symbol(&named.name)));
        }
        writeln!(out, "({})", pairs.join(" "))
    }

    /// All conditions of the current check, in the order of the script.
    pub fn conditions(&self, assumptions: &[Assumption]) -> Vec<Term> {
        let assertions = self.assertions.iter().map(|a| a.term);
        let assumed = assumptions.iter().map(|a| a.term);
        let axioms = self.axioms.iter().copied();
        let axioms = axioms.chain(self.real_axioms.iter().copied());
        axioms.chain(assertions).chain(assumed).collect()
    }

    /// Compacts the pool when it has doubled. The assumptions are those of the check that is about to be made.
    pub fn collect<R: Read>(
        &mut self,
        pool: &mut Pool,
        reader: &mut Reader<R>,
        assumptions: &mut [Assumption],
    ) {
        if pool.len() < self.collect_at {
            return;
        }
        self.status = Status::None;
        self.assumptions.clear();
        self.products.lemmas.clear();
        let relocation = pool.collect(&mut |visit| {
            let mut seen = TraceSet::new();
            reader.trace(visit);
            self.axioms.iter_mut().for_each(&mut *visit);
            self.real_axioms.iter_mut().for_each(&mut *visit);
            self.assertions.iter_mut().for_each(|a| visit(&mut a.term));
            assumptions.iter_mut().for_each(|a| visit(&mut a.term));
            self.path.trace_shared(&mut seen, visit);
            for level in &mut self.levels {
                level.path.trace_shared(&mut seen, visit);
            }
            self.solver.base.trace(visit);
        });
        self.solver.base.relocate(&relocation);
        self.collect_at = COLLECT_ABOVE.max(2 * pool.len());
    }
}
