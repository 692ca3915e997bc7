//! A Java program as a [`Language`] of runs.

use super::given::Blocks;
use super::parts::{self, LOG, place_of};
use super::plain::tools;
use super::policy::Policy;
use super::sources::Sources;
use super::witness;
use crate::c::limits::cpu_guard;
use crate::exit::UsageError;
use crate::figures::{self, Figures};
use crate::jobs::checkpoint::Checkpoint;
use crate::jobs::cluster::{Form, Invitation, Parcel, classes};
use crate::jobs::crew::{self, Pids, Prefixes};
use crate::jobs::solo::Before;
use crate::language::{Extras, Language, Limits, RecordParts, Setting};
use crate::last_words::LastWords;
use crate::plan::{self, Plan};
use crate::progress::Progress;
use crate::record::Recorder;
use crate::{last_words, usage};
use anyhow::{Context, Error, anyhow};
use dse::{Concolic, Input};
use explore::{Ending, Exploration, Totals};
use fence::Fence;
use harness::RawInput;
use host::{Cause, Stop, Watchdog};
use jvm::{Borrowed, Failure, Java, Kit};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use testcase::java::Method;
use testcase::java::junit::{self, Version};
use testcase::{OutputDir, RunInfo, RunStats};

/// How long there has to have been something to give to others, until others begin: they start a JVM each, and load the classes
/// again.
const RICH: Duration = Duration::from_secs(2);
/// The least work of a task of a run in rounds, about two seconds: that is what a JVM takes to start and to load and compile classes.
const LEAST_WORK: u64 = 1_200_000_000;
/// Blocks that several workers cover, at most: beyond that each of them is the first there.
const BLOCKS: usize = 1 << 20;
/// Warnings that are shown.
const WARNINGS: usize = 2;

const NOT_STARTED: &str = "the program was not started";

/// See the module.
pub struct JavaProgram {
    policy: Policy,
    junit: Option<Version>,
    class: Class,
    pids: Pids,
    /// Further machines may join.
    invitation: Option<Invitation>,
    /// The kit, which is compiled once.
    kit: Option<Kit>,
    /// Inputs to begin with, by name.
    seeds: Vec<(String, Vec<u8>)>,
    /// The program with its first inputs, until it runs.
    started: Option<(Java, Vec<Input>)>,
}

/// The method under test and the JUnit that its class is written for, once they are known and if one is wanted.
type Class = Arc<Mutex<Option<(Method, Version)>>>;

fn java(plan: &Plan) -> anyhow::Result<&plan::Java> {
    plan.java().map_err(Error::msg)
}

impl JavaProgram {
    /// The program of a plan, after the checks that must pass before anything begins.
    ///
    /// # Errors
    /// The plan has unknown names.
    pub fn new(plan: &Plan, pids: Pids) -> anyhow::Result<JavaProgram> {
        let of = java(plan)?;
        let program = JavaProgram {
            policy: Policy::new(&of.expect, &of.check)?,
            junit: of.junit()?,
            class: Class::default(),
            pids,
            invitation: Invitation::new(plan)?,
            kit: None,
            seeds: parts::seeds(plan)?,
            started: None,
        };
        if let Some(method) = &of.method {
            program.tests(method);
        }
        Ok(program)
    }

    /// The run's tests become a class of this method.
    fn tests(&self, method: &Method) {
        let mut class = self.class.lock().unwrap_or_else(PoisonError::into_inner);
        *class = self.junit.map(|version| (method.clone(), version));
    }

    /// The program for other machines.
    fn parcel(&self, of: &plan::Java) -> anyhow::Result<Parcel> {
        let kit = self.kit.as_ref().context(NOT_STARTED)?;
        let bytes = classes::pack(&of.class_path)?;
        Ok(Parcel {
            form: Form::Java {
                version: kit.tools.version.clone(),
            },
            hash: classes::hash(&bytes),
            bytes,
        })
    }

    /// The program, in a JVM of this process.
    fn start_java(&mut self, plan: &Plan, results: &Path, stop: Stop) -> anyhow::Result<Java> {
        let kit = self.kit.clone().context(NOT_STARTED)?;
        let mut options = parts::options(java(plan)?, kit, results, 0)?;
        options.borrowed = Borrowed::take().context("the JVM that was lent")?;
        let (log, entry) = (options.log.clone(), options.entry.clone());
        let solver = parts::solver(plan, false)?;
        let judge = std::mem::take(&mut self.policy).judge();
        let mut java = match Java::new(options, solver, judge, stop, plan.memory()) {
            Ok(java) => java,
            Err(Failure::Refused(why)) => {
                return Err(UsageError(format!("{entry}: {why}")).into());
            }
            Err(error) => return Err(anyhow!("{error}{}", said(&log))),
        };
        java.put_aside_on(plan.shelf(results));
        Ok(java)
    }
}

/// The exploration of a program, by one worker.
fn concolic(setting: Setting<'_>, program: Java) -> anyhow::Result<Concolic<Java>> {
    let Setting { plan, watchdog, .. } = setting;
    let explorer = parts::explorer(
        plan,
        java(plan)?,
        watchdog.stop(),
        (plan.solver.seconds, None),
    )?;
    let strategy = plan.strategy(plan.search.seed)?;
    Ok(Concolic::new(program, strategy, explorer))
}

impl Language for JavaProgram {
    fn first_words(&self, plan: &Plan) -> Vec<String> {
        let workers = || format!("{} workers explore", plan.jobs());
        plan.has_workers().then(workers).into_iter().collect()
    }

    fn install(&mut self, _: &mut Plan, progress: &mut Progress) -> anyhow::Result<()> {
        self.kit = Some(Kit::ensure(tools()?, &mut |text| progress.note(text))?);
        Ok(())
    }

    fn limits(&self, plan: &Plan, pids: &Pids) -> Limits {
        let (cap, cpu) = (plan.memory(), plan.limits.cpu_time);
        let most = cap + (cap / 10).max(64 << 20);
        let mut guards: Vec<host::Guard> = vec![Box::new(move || {
            let used = room::resident().unwrap_or_else(room::used);
            (cap > 0 && used > most).then_some(Cause::Memory)
        })];
        if !cpu.is_zero() {
            guards.push(cpu_guard(cpu, pids.clone()));
        }
        Limits { cpu: None, guards }
    }

    fn load(&mut self, plan: &mut Plan, _: Stop, _: &mut Progress) -> anyhow::Result<String> {
        let kit = self.kit.as_ref().context(NOT_STARTED)?;
        if let plan::Language::Java(of) = &mut plan.language
            && of.entry.is_none()
        {
            of.entry = Some(main_method(of, kit)?);
        }
        // The program's own JVM starts where the results are: what it says goes there.
        Ok(java(plan)?.hash.clone())
    }

    fn has_changed(&self) -> &'static str {
        "the classes have changed since"
    }

    fn info(&self, plan: &Plan) -> RunInfo {
        RunInfo {
            program: plan
                .java()
                .map_or_else(|_| String::new(), |of| of.named.clone()),
            mode: "java".into(),
            ..RunInfo::default()
        }
    }

    fn keep(
        &self,
        _: &Plan,
        _: &OutputDir,
        info: &mut RunInfo,
        _: &mut Progress,
    ) -> anyhow::Result<()> {
        let kit = self.kit.as_ref().context(NOT_STARTED)?;
        let version = kit.tools.version.clone();
        info.versions.insert("java".into(), version);
        Ok(())
    }

    fn record(
        &mut self,
        plan: &Plan,
        _: Option<&Checkpoint>,
        _: &mut Progress,
    ) -> anyhow::Result<RecordParts> {
        let of = java(plan)?;
        let sources = Sources::new(&of.source_path, &of.class_path);
        let sources = Rc::new(RefCell::new(sources));
        Ok(RecordParts {
            cases: parts::cases(plan, of, sources.clone())?,
            atlas: Box::new(Blocks {
                places: jvm::Places::default(),
                sources,
            }),
            limits: BTreeMap::new(),
        })
    }

    fn nothing(&self) -> Totals {
        Totals::default()
    }

    fn last_words(&self) -> LastWords {
        let class = self.class.clone();
        Arc::new(move |out| {
            let class = class.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((method, version)) = &*class
                && let Err(e) = junit::write(out.path(), method, *version)
            {
                last_words::say(&format!("no JUnit class was written: {e:#}"));
            }
        })
    }

    fn figures(&self) -> Figures {
        figures::of_java
    }

    fn start(
        &mut self,
        plan: &mut Plan,
        info: &mut RunInfo,
        watchdog: &Watchdog,
        recorder: &mut Recorder,
    ) -> anyhow::Result<()> {
        let out = recorder.out.clone();
        let mut program = self.start_java(plan, out.path(), watchdog.stop())?;
        if let plan::Language::Java(of) = &mut plan.language {
            of.learn(program.facts())?;
        }
        self.tests(java(plan)?.method()?);
        let most = u64::from(java(plan)?.array_max);
        info.parameter = program.raw_array().map(|name| RawInput::whole(name, most));
        plan.keep(info, false)?;
        out.write_info(info);
        if let Some(warning) = program.fence().and_then(Fence::warning) {
            // Also where nothing else is said.
            recorder.progress.say(&format!(
                "{}{warning}",
                super::WARNING.trim_start_matches("polypath: ")
            ));
        }
        let exploring = format!("exploring {}", program.description());
        recorder.progress.note(&exploring);
        if let Some(note) = usage::little_memory(plan.memory()) {
            recorder.progress.note(&note);
        }
        let mut inputs = Vec::new();
        for (name, bytes) in &self.seeds {
            let input = program.raw_input(bytes);
            inputs.push(input.map_err(|why| UsageError(format!("{name}: {why}")))?);
        }
        self.started = Some((program, inputs));
        Ok(())
    }

    fn first_prefixes(&mut self, _: &Plan) -> anyhow::Result<Vec<Vec<u8>>> {
        // The workers have JVMs of their own.
        let (program, inputs) = self.started.take().context(NOT_STARTED)?;
        Ok(dse::first_prefixes(&program, inputs))
    }

    fn begin(&mut self, setting: Setting<'_>) -> anyhow::Result<Box<dyn Exploration>> {
        let (program, inputs) = self.started.take().context(NOT_STARTED)?;
        Ok(Box::new(concolic(setting, program)?.from_inputs(inputs)))
    }

    fn go_on(
        &mut self,
        setting: Setting<'_>,
        left: &Checkpoint,
    ) -> anyhow::Result<Box<dyn Exploration>> {
        let Setting { plan, results, .. } = setting;
        let mut program = self.start_java(plan, results, setting.watchdog.stop())?;
        program.commons = Some(Rc::new(Before::of(left)));
        Ok(Box::new(concolic(setting, program)?.shared()))
    }

    fn shared(&mut self, plan: &Plan) -> anyhow::Result<crew::Shared> {
        let of = java(plan)?;
        let invitation = self.invitation.take();
        let parcel = invitation.is_some().then(|| self.parcel(of)).transpose()?;
        Ok(crew::Shared {
            program: of.hash.clone(),
            places: BLOCKS,
            // They read nothing of it: a Java program's classes are files.
            ir: vec![0],
            frontend: String::new(),
            prefixes: Prefixes {
                lost: Box::new(jvm::lost),
                open: Some(jvm::open_branches),
            },
            rich: RICH,
            least_work: LEAST_WORK,
            spills: false,
            invitation,
            parcel,
            pids: self.pids.clone(),
        })
    }

    fn extras(&mut self, plan: &Plan, out: &OutputDir, totals: &Totals) -> Extras {
        let mut extras = Extras::default();
        discard_places(out, plan);
        let written = match (self.junit, plan.java().map(plan::Java::method)) {
            (Some(version), Ok(Ok(method))) => junit::write(out.path(), method, version),
            (None, _) => Ok(None),
            (Some(_), Ok(Err(e))) => Err(e),
            (Some(_), Err(e)) => Err(Error::msg(e)),
        };
        match written {
            Ok(Some(path)) => extras.notes.push(format!("JUnit: {}", path.display())),
            Ok(None) if self.junit.is_some() && java(plan).is_ok_and(|of| of.whole.is_some()) => {
                let why = "no JUnit class: a whole program has no method to call (polypath replay runs its tests)";
                extras.notes.push(why.into());
            }
            Ok(None) => {}
            Err(e) => {
                let text = format!("no JUnit class was written: {e:#}");
                extras.failures.push(text);
            }
        }
        if let Ok(of) = plan.java()
            && let Some(file) = &of.witness
        {
            match witness::write(file, out, of) {
                Ok(what) => extras.notes.push(what),
                Err(e) => {
                    let text = format!("no witness was written: {e:#}");
                    extras.failures.push(text);
                }
            }
        }
        let internal = totals.counters.endings.of(Ending::Internal) > 0;
        let log = out.path().join(LOG);
        for why in totals.machine.warnings.iter().take(WARNINGS) {
            let said = if internal { said(&log) } else { String::new() };
            extras.warnings.push(format!("{why}{said}"));
        }
        for wrong in &totals.wrong {
            let text = format!("a term is wrong, please report it: {wrong}");
            extras.failures.push(text);
        }
        extras
    }

    fn summary(&self, _: &Totals, stats: &RunStats, tests: &str) -> Vec<String> {
        figures::of_java(stats, tests)
    }
}

/// The method main of a whole program.
fn main_method(java: &plan::Java, kit: &Kit) -> anyhow::Result<String> {
    let class = match &java.main {
        Some(class) => class.clone(),
        None => {
            let mut all = kit.list(&["main"], &java.class_path)?;
            match (all.pop(), all.is_empty()) {
                (Some(class), true) => class,
                (None, _) => {
                    let why =
                        "no class of the class path has a method main: name a method with --entry";
                    return Err(UsageError(why.into()).into());
                }
                (Some(last), false) => {
                    all.push(last);
                    let why = format!(
                        "several classes have a method main; name one with --main: {}",
                        all.join(", ")
                    );
                    return Err(UsageError(why).into());
                }
            }
        }
    };
    Ok(format!("{class}.main(java.lang.String[])"))
}

/// The JVM's own messages, if there are any.
fn said(log: &Path) -> String {
    match std::fs::read_to_string(log) {
        Ok(text) if !text.trim().is_empty() => format!("\n{}", text.trim_end()),
        _ => String::new(),
    }
}

/// The files that programs worked with are no results.
fn discard_places(out: &OutputDir, plan: &Plan) {
    for worker in 0..plan.jobs() {
        let place = place_of(out.path(), worker);
        match std::fs::remove_dir_all(&place) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                say::err!("polypath: cannot remove {}: {e}", place.display());
            }
            _ => {}
        }
    }
}
