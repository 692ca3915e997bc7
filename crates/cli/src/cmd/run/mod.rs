//! `polypath run PROGRAM`

pub mod concolic;
pub mod limits;
pub mod part;
pub mod prepare;
mod shared;

use crate::exit::{Exit, UsageError};
use crate::options::{Invocation, RunArgs};
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::crew::Pids;
use crate::session::jobs::explored::{self, Explored};
use crate::session::jobs::solo::Before;
use crate::session::plan::{Mode, Named, Plan};
use crate::session::progress::{Progress, short};
use crate::session::record::{Cases, Recorder, STILL_RUNNING, Sites, Starts, saver};
use crate::session::resume::Past;
use crate::session::usage::{self, cpu_seconds, peak_memory_mb};
use crate::session::{claim, frontend, harness, last_words};
use crate::words;
use anyhow::{Context, Error};
use exec::{Engine, RunLimits};
use explore::{Bound, Counters, Ending, Exploration, Loss, Totals};
use host::shelf::Shelf;
use host::{Cause, Watchdog};
use prepare::{Aside, Ready, Whose};
use shared::Shared;
use solver::Solver;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use testcase::{OutputDir, Reserved, RunInfo, RunStats};
use toolchain::compile::SourceKind;

/// Explores.
///
/// # Errors
/// Wrong usage, a program that cannot be run, files that cannot be written.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let (plan, Invocation { out, resume }) = args.plan()?;
    exec::limit_memory(plan.memory());
    let pruning = plan.pruning(plan.search.seed)?;
    let pids = Pids::default();
    let schedule = match plan.search.mode {
        Mode::Concolic => Schedule::Concolic(concolic::Begin::new(&plan)?),
        Mode::Fork => Schedule::Fork(prepare::searcher(&plan, plan.search.seed)?, pruning),
    };
    let others = plan.has_workers() || plan.may_get_workers();
    let others = others.then(|| Shared::new(&plan, pids.clone()));
    let way = Way {
        schedule,
        others: others.transpose()?,
        at_once: plan.has_workers(),
    };
    let past = resume.as_deref();
    let past = past.map(|dir| Past::read(dir, plan.shelf(dir)));
    let past = past.transpose()?;
    let solver = prepare::solver(
        &plan,
        if way.at_once {
            Whose::Coordinator
        } else {
            Whose::Alone
        },
    )?;
    let (limit, quiet) = (plan.limits.time, plan.output.quiet);
    let limit = (!limit.is_zero()).then_some(limit);
    let mut progress = Progress::new(limit, quiet);
    let place = past.is_none().then(|| place(out.as_deref()));
    let place = place.transpose()?;
    let place: Place = Arc::new(Mutex::new(place));
    // The first sign of life, before a compiler starts.
    if !quiet {
        progress.say(&first_words(&plan)?);
        if let Some(option) = plan.alone_because() {
            progress.say(&format!(
                "one worker explores: with {option} there are no more"
            ));
        }
        if args.has_placeholder() {
            progress.say(&format!("note: {}", words::PLACEHOLDER));
        }
    }
    let watchdog = limits::watch(&plan, &mut progress, &pids)?;
    let stopped = (plan.clone(), place.clone());
    watchdog.on_end(Box::new(move |cause| {
        never_began(&stopped.0, cause, &stopped.1).into()
    }));
    let prepared = match prepare(&plan, way, solver, past, &mut progress, watchdog.stop()) {
        Ok(prepared) => prepared,
        Err(error) => match watchdog.stop().cause() {
            // Whatever failed, failed because it was stopped.
            Some(cause) => return Ok(never_began(&plan, cause, &place)),
            None => {
                // What was made for a run that does not begin goes again.
                drop(taken(&place));
                return Err(error);
            }
        },
    };
    explore(prepared, progress, &watchdog, &place)
}

/// The results of a run that was stopped before it explored anything. It may be said by the watchdog's thread.
fn never_began(plan: &Plan, cause: Cause, place: &Place) -> Exit {
    let halted = format!("{cause} (before the exploration began)");
    let written = taken(place)
        .context("no directory for the results")
        .and_then(OutputDir::begin);
    let (place, exit) = match written {
        Ok(out) => {
            out.write_info(&run_info(plan, None));
            out.write_stats(&RunStats {
                halted: Some(halted.clone()),
                wall_s: crate::started().elapsed().as_secs_f64(),
                cpu_s: cpu_seconds(),
                memory_max_mb: peak_memory_mb(),
                ..RunStats::default()
            });
            match out.finish().first_failure {
                None => (
                    out.path().display().to_string(),
                    Exit::of_run(0, false, true, plan.output.strict),
                ),
                Some(failure) => (failure, Exit::Failed),
            }
        }
        Err(error) => (format!("{error:#}"), Exit::Failed),
    };
    last_words::say(&format!("not everything was explored: {halted}; {place}"));
    exit
}

/// What is ready before the first step.
struct Prepared {
    way: Way,
    ready: Ready,
    /// The plan; of a function, with its driver as the program.
    plan: Plan,
    built: Option<harness::Built>,
    past: Option<Past>,
}

fn prepare(
    plan: &Plan,
    mut way: Way,
    solver: Solver,
    past: Option<Past>,
    progress: &mut Progress,
    stop: host::Stop,
) -> anyhow::Result<Prepared> {
    // What was built for a function is kept with the run.
    let built = match past {
        Some(_) => None,
        None => harness::build(plan, &mut |text| progress.say(text))?,
    };
    let plan = match &built {
        Some(built) => plan.of_driver(&built.program),
        None => plan.clone(),
    };
    let program = &plan.c().map_err(Error::msg)?.program;
    let program = frontend::load(program, &mut |text| progress.say(text))?;
    if let Some(shared) = &mut way.others {
        // Before the machine adds code of its own.
        shared.ir = ir::file::to_bytes(&program.module);
    }
    let ready = prepare::ready(&plan, program, solver, stop)?;
    if let Some(note) = usage::little_memory(plan.memory()) {
        progress.say(&note);
    }
    if let Some(shared) = way.others.as_ref().filter(|_| way.at_once) {
        shared.wait(stop)?;
    }
    if let Schedule::Concolic(begin) = &mut way.schedule {
        begin.fit(&ready.first, ready.starts.first())?;
    }
    if let Some(past) = past.as_ref().filter(|p| p.checkpoint.program != ready.hash) {
        let dir = past.dir.display();
        return Err(UsageError(format!("--resume {dir}: the program is another one now")).into());
    }
    Ok(Prepared {
        way,
        ready,
        plan,
        built,
        past,
    })
}

/// Who decides what runs next.
enum Schedule {
    Fork(Box<dyn search::Searcher>, Option<exec::PruningPlan>),
    Concolic(concolic::Begin),
}

/// How a run is explored.
struct Way {
    schedule: Schedule,
    /// Several workers, each with a searcher of its own, if there may be any: from the beginning, or once it pays.
    others: Option<Shared>,
    at_once: bool,
}

impl Schedule {
    /// All that there is to explore, as bytes.
    fn first_prefixes(self, ready: Ready) -> Vec<Vec<u8>> {
        match self {
            Schedule::Fork(..) => exec::first_prefixes(&ready.machine, &ready.first),
            Schedule::Concolic(begin) => begin.first_prefixes(ready.machine, ready.first),
        }
    }

    /// One that has everything to explore.
    fn begin(self, ready: Ready, limits: RunLimits, aside: Aside) -> Box<dyn Exploration> {
        match self {
            Schedule::Fork(searcher, pruning) => {
                let engine = Engine::new(ready.machine, searcher, ready.first, limits);
                aside.of_engine(engine.pruned_by(pruning))
            }
            Schedule::Concolic(begin) => {
                aside.of_concolic(begin.begin(ready.machine, ready.first, limits))
            }
        }
    }
}

fn explore(
    prepared: Prepared,
    progress: Progress,
    watchdog: &Watchdog,
    place: &Place,
) -> anyhow::Result<Exit> {
    let Prepared {
        way,
        mut ready,
        plan,
        built,
        past,
    } = prepared;
    let mut progress = progress;
    let (quiet, strict) = (plan.output.quiet, plan.output.strict);
    let out = match &past {
        Some(past) => {
            let Checkpoint {
                written, next_test, ..
            } = &past.checkpoint;
            OutputDir::resume(&past.dir, written.clone(), *next_test)?
        }
        None => begin(&ready, &plan, built.as_ref(), place, &mut progress)?,
    };
    if !quiet {
        progress.say(&format!("results in {}", out.path().display()));
    }
    let out = Arc::new(out);
    let (starts, config) = (std::mem::take(&mut ready.starts), ready.config.clone());
    let mut starts = Starts::new(starts, config, &mut |text| progress.say(text));
    starts.invented = match &past {
        Some(past) => past.checkpoint.invented.clone(),
        None => built.as_ref().map_or(Vec::new(), |b| b.invented.clone()),
    };
    let cases = Cases {
        tests: plan.output.tests,
        given: Box::new(starts),
    };
    let at_first_end = saver(plan.c().map_err(Error::msg)?.save_fs.clone(), &ready.config);
    let atlas = Sites::new(ready.machine.module.clone());
    let mut recorder = Recorder::new(out.clone(), progress, cases, Box::new(atlas));
    recorder.has_branches = plan.search.mode == Mode::Concolic;
    recorder.limits = built.as_ref().map_or(BTreeMap::new(), |b| b.limits.clone());
    if let Some(native) = &ready.native
        && toolchain::extract::link(native)? == toolchain::extract::Link::Unknown
    {
        let words = "another linker than that of polypath cc made the binary, and what it made of names is not known";
        recorder.limits.insert(Bound::Link, words.into());
    }
    // Whatever kills the run from here on, what it leaves can be read.
    if let Some(Past { checkpoint, .. }) = &past {
        let wall = Duration::from_secs_f64(checkpoint.wall_s.max(0.0));
        recorder.goes_on(checkpoint.next_test, wall, checkpoint.cpu_s);
        recorder.limits.clone_from(&checkpoint.limits);
    } else {
        let nothing = exec::totals(&ready.machine, &Counters::default());
        recorder.write_stats(&nothing, Some(STILL_RUNNING));
    }
    recorder.out.finish();
    let snapshot = recorder.snapshot.clone();
    watchdog.on_end(Box::new(move |cause| {
        last_words::write(cause, &out, &snapshot, "run", strict).into()
    }));
    let limits = RunLimits {
        grace: watchdog.grace() / 2,
        memory: plan.memory(),
        budget: None,
    };
    let Way {
        schedule,
        others,
        at_once,
    } = way;
    let results = recorder.out.path();
    let aside = Aside {
        disk: Some(Shelf::new(results, 0, plan.spill_bytes(results))),
        at_first_end,
    };
    let begin = shared::Begin::of(&ready);
    let ways = shared::Ways {
        plan: &plan,
        watchdog,
    };
    let explored = match (schedule, others) {
        (schedule, Some(shared)) if at_once => {
            // The workers have machines of their own.
            let (left, shelf, _lock) = match past {
                Some(past) => {
                    drop((schedule, ready));
                    (past.checkpoint, past.shelf, past.lock)
                }
                None => {
                    let shelf = plan.shelf(recorder.out.path());
                    let first = schedule.first_prefixes(ready).into_iter();
                    let left = Checkpoint {
                        prefixes: first.map(|bytes| Arc::new(shelf.put(bytes))).collect(),
                        ..Checkpoint::default()
                    };
                    let lock = testcase::frontier::lock(recorder.out.path())?;
                    (left, shelf, lock)
                }
            };
            shared.explore(&begin, (left, shelf), ways, &mut recorder)?
        }
        (_, None) if past.is_some() => {
            let search = prepare::Search::new(&plan, plan.search.seed)?;
            let past = past.context("a run to go on with")?;
            ready.machine.share(Rc::new(Before::of(&past.checkpoint)));
            let all = search.shared(ready.machine, ready.first, limits, aside);
            let (left, _lock) = (past.checkpoint, past.lock);
            explored::go_on_alone(all, left, watchdog, &mut recorder)?
        }
        (schedule, others) => {
            let mut all = schedule.begin(ready, limits, aside);
            if plan.alone().is_some() {
                // What was explored is known to this process alone: nobody can go on with it.
                let halt = all.run(&mut recorder);
                Explored::by(all, halt, &mut recorder)
            } else {
                let others = shared::others(&begin, others, ways, &mut recorder);
                explored::alone(all, begin.hash, others, watchdog, &mut recorder)?
            }
        }
    };
    recorder.progress.clear();
    let totals = &explored.totals;
    recorder.point(totals);
    if explored.halted.is_none() {
        recorder.out.settle();
    }
    let stats = recorder.write_stats(totals, explored.halted.as_deref());
    let written = recorder.out.finish();
    // Not before: who is killed on the way has something to go on with.
    if recorder.has_nothing_left
        && let Err(e) = testcase::frontier::remove(recorder.out.path())
    {
        let text = format!("cannot remove the frontier: {e}");
        recorder.progress.say(&text);
    }
    let found = recorder.out.program_errors();
    let wrong = totals.losses.of(Loss::Models);
    let internal = totals.counters.endings.of(Ending::Internal);
    let failed = internal + wrong + written.lost + written.failed_writes > 0;
    let exit = claim::exit(&stats, found, failed, strict);
    watchdog.settle(exit.into());
    if !quiet {
        summary(totals, &stats, found, &recorder.out, &written);
    }
    if let Some(failure) = &written.first_failure {
        say::err!(
            "polypath: {} tests and {} other files could not be written: {failure}",
            written.lost,
            written.failed_writes
        );
    }
    for (i, script) in explored.rejected.iter().enumerate() {
        let path = recorder.out.path().join(format!("wrong-model-{i}.smt2"));
        match std::fs::write(&path, script) {
            Ok(()) => say::err!(
                "polypath: the solver found a wrong model (it was not used): please report {}",
                path.display()
            ),
            Err(e) => say::err!("polypath: cannot write {}: {e}", path.display()),
        }
    }
    if internal > 0 {
        say::err!(
            "polypath: {internal} internal errors: please report them; the inputs that led there are the tests in {} \
             that end in `internal error: …`",
            recorder.out.path().join("tests").display()
        );
    }
    claim::say(&stats, recorder.out.path(), "polypath run", quiet, strict);
    Ok(exit)
}

/// The directory of a run that begins, with what is known of the run.
fn begin(
    ready: &Ready,
    plan: &Plan,
    built: Option<&harness::Built>,
    place: &Place,
    progress: &mut Progress,
) -> anyhow::Result<OutputDir> {
    let mut info = run_info(plan, Some(ready));
    let out = OutputDir::begin(taken(place).context("the run was stopped")?)?;
    if let Some(built) = built {
        built.keep(out.path(), &mut info)?;
    }
    if let Err(e) = plan.keep(&mut info, built.is_some()) {
        progress.say(&format!("no modelled replay of this run: {e}"));
    }
    out.write_info(&info);
    Ok(out)
}

/// The place of the results until the run begins: it, or what stops it before, takes the place.
type Place = Arc<Mutex<Option<Reserved>>>;

fn taken(place: &Place) -> Option<Reserved> {
    limits::locked(place).take()
}

/// Takes the directory of the results before anything is compiled.
fn place(out: Option<&Path>) -> anyhow::Result<Reserved> {
    Reserved::new(out, &std::env::current_dir()?).map_err(|e| {
        let full = e
            .root_cause()
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| {
                use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
                matches!(e.kind(), QuotaExceeded | ReadOnlyFilesystem | StorageFull)
            });
        if full {
            e
        } else {
            UsageError(format!("{e:#}")).into()
        }
    })
}

/// What is done first.
fn first_words(plan: &Plan) -> anyhow::Result<String> {
    let c = plan.c().map_err(Error::msg)?;
    let file = c.entry.as_ref().map_or(&c.program.file, |e| &e.library);
    let program = file.display();
    let verb = match toolchain::compile::kind(file) {
        Some(SourceKind::C | SourceKind::Cxx) => "compiling",
        Some(SourceKind::Assembly | SourceKind::Bitcode) | None => "reading",
    };
    Ok(match &c.entry {
        Some(entry) => format!("{verb} {program} for {}", entry.function),
        None => format!("{verb} {program}"),
    })
}

fn run_info(plan: &Plan, ready: Option<&Ready>) -> RunInfo {
    use std::os::unix::ffi::OsStringExt;
    let absolute = |p: &Path| {
        std::path::absolute(p)
            .unwrap_or(p.to_path_buf())
            .to_string_lossy()
            .into_owned()
    };
    let words = crate::arguments().iter().cloned();
    RunInfo {
        command: words.map(OsStringExt::into_vec).collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        program: plan
            .c()
            .map_or_else(|_| String::new(), |c| absolute(&c.program.file)),
        native: ready.and_then(|r| r.native.as_deref()).map(absolute),
        bitcode: ready.and_then(|r| r.bitcode.as_deref()).map(absolute),
        ir_hash: ready.map(|r| r.hash.clone()).unwrap_or_default(),
        mode: plan.search.mode.name().into(),
        search: plan.search_name().to_string(),
        seed: plan.search.seed,
        one_worker: plan.alone_because().map(str::to_string),
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        ..RunInfo::default()
    }
}

fn summary(
    totals: &Totals,
    stats: &RunStats,
    found: u64,
    out: &OutputDir,
    written: &testcase::WriteSummary,
) {
    for warning in &totals.machine.warnings {
        say::err!("polypath: {warning}");
    }
    for (what, paths) in &totals.machine.unsupported {
        say::err!("polypath: not supported: {what} ({paths} paths)");
    }
    for (what, times) in &totals.machine.refused {
        say::err!("polypath: refused, the model has none: {what} ({times} times)");
    }
    let percent = |a: u64, b: u64| {
        if b == 0 {
            100.0
        } else {
            100.0 * a as f64 / b as f64
        }
    };
    say::err!(
        "polypath: {} paths complete, {} partial; {} tests in {}",
        stats.completed_paths,
        stats.partial_paths,
        written.written(),
        out.path().display()
    );
    say::err!(
        "polypath: {} of {} branches ({:.1} %), {} of {} lines ({:.1} %)",
        stats.covered_branches,
        stats.total_branches,
        percent(stats.covered_branches, stats.total_branches),
        stats.covered_lines,
        stats.total_lines,
        percent(stats.covered_lines, stats.total_lines)
    );
    say::err!(
        "polypath: {} instructions, {} queries, solver {:.2} s, CPU {:.2} s, wall {:.2} s, {:.0} MB",
        short(stats.instructions),
        stats.queries,
        stats.solver_time_s,
        stats.cpu_s,
        stats.wall_s,
        stats.memory_max_mb
    );
    if found > 0 {
        say::err!(
            "polypath: {found} {} found: {}",
            if found == 1 { "error" } else { "errors" },
            out.path().join("errors.json").display()
        );
    }
}
