//! A program in IR as a [`Language`] of runs.

use super::concolic;
use super::limits;
use super::prepare::{self, Aside, Ready, Search, Whose};
use super::seeds::{self, Seeds};
use super::shared::{Begin, Shared};
use crate::exit::UsageError;
use crate::figures::{self, Figures};
use crate::jobs::checkpoint::Checkpoint;
use crate::jobs::crew::{self, Pids};
use crate::jobs::solo::Before;
use crate::language::{Extras, Language, Limits, RecordParts, Setting};
use crate::last_words::{self, LastWords};
use crate::plan::{Mode, Named, Plan};
use crate::progress::Progress;
use crate::record::{Cases, Recorder, Sites, Starts, saver, told_of_live};
use crate::{frontend, harness, usage};
use anyhow::{Context, Error};
use exec::{Engine, RunLimits};
use explore::{Bound, Counters, Exploration, Totals};
use host::shelf::Shelf;
use host::{Stop, Watchdog};
use solver::Solver;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use testcase::{OutputDir, RunInfo, RunStats};
use toolchain::compile::SourceKind;

/// See the module.
pub struct IrProgram {
    schedule: Option<Schedule>,
    /// The solver of the only worker.
    solver: Option<Solver>,
    /// The setup of several workers, each with a searcher of its own, if there may be any.
    others: Option<Shared>,
    /// The driver of a function.
    built: Option<harness::Built>,
    /// The prepared program, until it runs.
    ready: Option<Ready>,
    begin: Option<Begin>,
}

/// Decides what runs next.
enum Schedule {
    Fork(Box<dyn search::Searcher>, Option<exec::PruningPlan>, Seeds),
    Concolic(concolic::Begin),
}

const NOT_READY: &str = "the program was not loaded";

impl IrProgram {
    /// The program of a plan, after the checks that must pass before anything begins.
    ///
    /// # Errors
    /// The plan has unknown names, or further machines cannot join.
    pub fn new(plan: &Plan, pids: Pids) -> anyhow::Result<IrProgram> {
        let pruning = plan.pruning(plan.search.seed)?;
        plan.drop_seed(plan.search.seed)?;
        let schedule = match plan.search.mode {
            Mode::Concolic => Schedule::Concolic(concolic::Begin::new(plan)?),
            Mode::Fork => {
                let searcher = prepare::searcher(plan, plan.search.seed)?;
                Schedule::Fork(searcher, pruning, Seeds::of(plan)?)
            }
        };
        let others = plan.has_workers() || plan.may_get_workers();
        let others = others.then(|| Shared::new(plan, pids)).transpose()?;
        let whose = if plan.has_workers() {
            Whose::Coordinator
        } else {
            Whose::Alone
        };
        Ok(IrProgram {
            schedule: Some(schedule),
            solver: Some(prepare::solver(plan, whose)?),
            others,
            built: None,
            ready: None,
            begin: None,
        })
    }

    fn ready(&self) -> anyhow::Result<&Ready> {
        self.ready.as_ref().context(NOT_READY)
    }

    /// The resources of an exploration apart from its program.
    fn aside(ready: &Ready, setting: Setting<'_>) -> anyhow::Result<Aside> {
        let Setting { plan, results, .. } = setting;
        let save_fs = plan.c().map_err(Error::msg)?.save_fs.clone();
        Ok(Aside {
            disk: Some(Shelf::new(results, 0, plan.spill_bytes(results))),
            at_first_end: saver(save_fs, &ready.config),
        })
    }
}

fn run_limits(setting: Setting<'_>) -> Result<RunLimits, UsageError> {
    let plan = setting.plan;
    Ok(RunLimits {
        grace: setting.watchdog.grace() / 2,
        memory: plan.memory(),
        budget: None,
        live: limits::live(plan, setting.watchdog.limits()),
        drop_seed: plan.drop_seed(plan.search.seed)?,
    })
}

impl Language for IrProgram {
    fn first_words(&self, plan: &Plan) -> Vec<String> {
        let mut words = Vec::new();
        if let Ok(c) = plan.c() {
            let file = c.entry.as_ref().map_or(&c.program.file, |e| &e.library);
            let verb = match toolchain::compile::kind(file) {
                Some(SourceKind::C | SourceKind::Cxx) => "compiling",
                Some(SourceKind::Assembly | SourceKind::Bitcode) | None => "reading",
            };
            let program = file.display();
            words.push(match &c.entry {
                Some(entry) => format!("{verb} {program} for {}", entry.function),
                None => format!("{verb} {program}"),
            });
        }
        if let Some(option) = plan.alone_because() {
            words.push(format!(
                "one worker explores: with {option} there are no more"
            ));
        }
        let input = plan.c().map(|c| &c.program.input);
        if input.is_ok_and(linux::ProgramInput::has_placeholder) {
            words.push(format!("note: {}", super::PLACEHOLDER));
        }
        words
    }

    fn install(&mut self, plan: &mut Plan, progress: &mut Progress) -> anyhow::Result<()> {
        let program = &plan.c().map_err(Error::msg)?.program;
        frontend::install(program, &mut |text| progress.say(text))
    }

    fn limits(&self, plan: &Plan, pids: &Pids) -> Limits {
        limits::of(plan, pids)
    }

    fn load(
        &mut self,
        plan: &mut Plan,
        stop: Stop,
        progress: &mut Progress,
    ) -> anyhow::Result<String> {
        // What was built for a function is kept with the run.
        if !plan.goes_on {
            self.built = harness::build(plan, &mut |text| progress.say(text))?;
        }
        if let Some(built) = &self.built {
            *plan = plan.of_driver(&built.program);
        }
        let program = &plan.c().map_err(Error::msg)?.program;
        let program = frontend::load(program, &mut |text| progress.say(text))?;
        if let Some(others) = &mut self.others {
            // Before the machine adds code of its own.
            others.ir = ir::file::to_bytes(&program.module);
        }
        let solver = self
            .solver
            .take()
            .context("the program was loaded before")?;
        let ready = prepare::ready(plan, program, solver, stop)?;
        if let Some(note) = usage::little_memory(plan.memory()) {
            progress.say(&note);
        }
        if let Some(others) = self.others.as_ref().filter(|_| plan.has_workers()) {
            others.wait(stop)?;
        }
        let parameter = self.built.as_ref().and_then(|b| b.raw.as_ref());
        let makes_objects = frontend::c::makes_symbolic(&ready.machine.module);
        let seeds = match &mut self.schedule {
            Some(Schedule::Fork(_, _, seeds)) => Some(seeds),
            Some(Schedule::Concolic(begin)) => Some(&mut begin.seeds),
            None => None,
        };
        if let Some(seeds) = seeds {
            seeds.fit(&ready.starts, parameter, makes_objects)?;
        }
        let hash = ready.hash.clone();
        self.begin = Some(Begin::of(&ready));
        self.ready = Some(ready);
        Ok(hash)
    }

    fn has_changed(&self) -> &'static str {
        "the program is another one now"
    }

    fn info(&self, plan: &Plan) -> RunInfo {
        let absolute = |p: &Path| {
            std::path::absolute(p)
                .unwrap_or(p.to_path_buf())
                .to_string_lossy()
                .into_owned()
        };
        let ready = self.ready.as_ref();
        RunInfo {
            program: plan
                .c()
                .map_or_else(|_| String::new(), |c| absolute(&c.program.file)),
            native: ready.and_then(|r| r.native.as_deref()).map(absolute),
            bitcode: ready.and_then(|r| r.bitcode.as_deref()).map(absolute),
            ir_hash: ready.map(|r| r.hash.clone()).unwrap_or_default(),
            mode: plan.search.mode.name().into(),
            ..RunInfo::default()
        }
    }

    fn keep(
        &self,
        plan: &Plan,
        out: &OutputDir,
        info: &mut RunInfo,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        if let Some(built) = &self.built {
            built.keep(out.path(), info)?;
        }
        if let Err(e) = plan.keep(info, self.built.is_some()) {
            progress.say(&format!("no modelled replay of this run: {e}"));
        }
        Ok(())
    }

    fn record(
        &mut self,
        plan: &Plan,
        left: Option<&Checkpoint>,
        progress: &mut Progress,
    ) -> anyhow::Result<RecordParts> {
        let built = self.built.as_ref();
        let ready = self.ready.as_mut().context(NOT_READY)?;
        let (starts, config) = (std::mem::take(&mut ready.starts), ready.config.clone());
        let mut starts = Starts::new(starts, config, &mut |text| progress.say(text));
        starts.invented = match left {
            Some(left) => left.invented.clone(),
            None => built.map_or_else(Default::default, |b| b.invented.clone()),
        };
        starts.parameter = built.and_then(|b| b.raw.clone());
        let mut limits = built.map_or(BTreeMap::new(), |b| b.limits.clone());
        if let Some(most) = plan.c().map_err(Error::msg)?.longest_input {
            let words = format!("inputs have up to {most} bytes (--max-len)");
            limits.insert(Bound::InputEnd, words);
        }
        if let Some(native) = &ready.native
            && toolchain::extract::link(native)? == toolchain::extract::Link::Unknown
        {
            let words = "the binary was not linked by polypath cc, so it is unknown which names the linker's options changed";
            limits.insert(Bound::Link, words.into());
        }
        Ok(RecordParts {
            cases: Cases {
                tests: plan.output.tests,
                given: Box::new(starts),
            },
            atlas: Box::new(Sites::new(ready.machine.module.clone())),
            limits,
        })
    }

    fn nothing(&self) -> Totals {
        let ready = self.ready.as_ref();
        ready.map_or_else(Totals::default, |ready| {
            exec::totals(&ready.machine, &Counters::default())
        })
    }

    fn last_words(&self) -> LastWords {
        Arc::new(|out| {
            if let Err(e) = testcase::ctest::write(out.path()) {
                last_words::say(&format!("no tests as C were written: {e:#}"));
            }
        })
    }

    fn figures(&self) -> Figures {
        figures::of_c
    }

    fn start(
        &mut self,
        _: &mut Plan,
        _: &mut RunInfo,
        _: &Watchdog,
        _: &mut Recorder,
    ) -> anyhow::Result<()> {
        // It was loaded.
        self.ready().map(|_| ())
    }

    fn first_prefixes(&mut self, _: &Plan) -> anyhow::Result<Vec<Vec<u8>>> {
        // The workers have machines of their own.
        let ready = self.ready.take().context(NOT_READY)?;
        Ok(match self.schedule.take().context(NOT_READY)? {
            Schedule::Fork(..) => exec::first_prefixes(&ready.machine, &ready.first),
            Schedule::Concolic(begin) => begin.first_prefixes(ready.machine, ready.first),
        })
    }

    fn begin(&mut self, setting: Setting<'_>) -> anyhow::Result<Box<dyn Exploration>> {
        let ready = self.ready.take().context(NOT_READY)?;
        let (limits, aside) = (run_limits(setting)?, IrProgram::aside(&ready, setting)?);
        Ok(match self.schedule.take().context(NOT_READY)? {
            Schedule::Fork(searcher, pruning, seeds) => {
                let engine = Engine::new(ready.machine, searcher, ready.first, limits);
                let mut engine = engine.pruned_by(pruning);
                let (names, parts): (Vec<_>, Vec<_>) = seeds.into_parts().unzip();
                for unfit in engine.begin_with(&parts) {
                    seeds::left_out(&names[unfit]);
                }
                aside.of_engine(engine)
            }
            Schedule::Concolic(begin) => {
                aside.of_concolic(begin.begin(ready.machine, ready.first, limits))
            }
        })
    }

    fn go_on(
        &mut self,
        setting: Setting<'_>,
        left: &Checkpoint,
    ) -> anyhow::Result<Box<dyn Exploration>> {
        let mut ready = self.ready.take().context(NOT_READY)?;
        let (limits, aside) = (run_limits(setting)?, IrProgram::aside(&ready, setting)?);
        let search = Search::new(setting.plan, setting.plan.search.seed)?;
        ready.machine.share(Rc::new(Before::of(left)));
        Ok(search.shared(ready.machine, ready.first, limits, aside))
    }

    fn shared(&mut self, plan: &Plan) -> anyhow::Result<crew::Shared> {
        // What would run here is not needed any more.
        drop((self.schedule.take(), self.ready.take()));
        let others = self.others.take().context("there are no other workers")?;
        let begin = self.begin.as_ref().context(NOT_READY)?;
        Ok(others.of(begin, plan.search.mode))
    }

    fn extras(&mut self, _: &Plan, out: &OutputDir, _: &Totals) -> Extras {
        let mut extras = Extras::default();
        match testcase::ctest::write(out.path()) {
            Ok(written) => extras.notes.extend(written.map(|w| w.to_string())),
            Err(e) => extras
                .failures
                .push(format!("no tests as C were written: {e:#}")),
        }
        extras
    }

    fn summary(&self, totals: &Totals, stats: &RunStats, tests: &str) -> Vec<String> {
        let mut lines = totals.machine.warnings.clone();
        for (what, paths) in &totals.machine.unsupported {
            lines.push(format!("not supported: {what} ({paths} paths)"));
        }
        for (what, times) in &totals.machine.refused {
            lines.push(format!(
                "refused, the model has none: {what} ({times} times)"
            ));
        }
        lines.extend(figures::of_c(stats, tests));
        lines.extend(told_of_live(&totals.counters));
        lines
    }
}
