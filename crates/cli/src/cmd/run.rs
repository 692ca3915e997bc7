//! `polypath run PROGRAM`

mod concolic;

use crate::exit::{Exit, UsageError};
use crate::session::options::{Args, Check, Mode};
use crate::session::progress::{Progress, short};
use crate::session::record::Recorder;
use crate::session::{harness, load, signals};
use anyhow::{Context, anyhow};
use exec::{Counters, Engine, Limits, Machine, Options, Policy};
use solver::{Budget, Solver, SolverOptions};
use std::time::{SystemTime, UNIX_EPOCH};
use testcase::{OutputDir, RunInfo, Stats};

pub use crate::session::options::Args as RunArgs;

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    args.check()?;
    let way = match args.mode {
        Mode::Concolic => Way::Concolic(args.strategy()?),
        Mode::Fork => Way::Fork(searcher(args)?),
    };
    let input = args.input()?;
    let config = args.world()?;
    let stop = signals::stop_flag().context("cannot listen to signals")?;
    let limit = (!args.time.is_zero()).then_some(args.time);
    let mut progress = Progress::new(limit, args.quiet);
    let built = harness::build(args, &mut |text| progress.say(text))?;
    let args = built.as_ref().map_or(args, |b| &b.args);
    let loaded = load::load(args, &mut |text| progress.say(text))?;

    let symbolic = input.is_symbolic() || load::makes_symbolic(&loaded.module);
    if symbolic && args.save_fs.is_some() {
        return Err(UsageError("--save-fs: only for a run without symbolic input".into()).into());
    }
    let solver = Solver::new(SolverOptions {
        layers: args.solver_layers.clone(),
        log_queries: args.log_queries.clone(),
        seed: args.seed,
        arrays: args.arrays,
        theory: args.theory,
        ..SolverOptions::default()
    })
    .map_err(|e| UsageError(format!("--solver-layers: {e}")))?;
    let options = Options {
        policy: match args.mode {
            Mode::Fork => Policy::Fork,
            Mode::Concolic => Policy::Record,
        },
        budget: Budget::seconds(args.solver_time),
        max_depth: args.max_depth,
        max_forks: args.max_forks,
        check_leaks: args.wants(Check::Leak),
        fail_syscalls: args.fail_syscalls.max(input.max_fail),
        echo: !symbolic,
        ..Options::default()
    };
    let mut info = run_info(args, &loaded);
    let mut machine = Machine::new(loaded.module, solver, options);
    let checks = memory::Checks {
        uninitialized: args.wants(Check::Uninit),
        ..memory::Checks::default()
    };
    let (first, starts) = machine
        .first_states(&config, &input, checks)
        .map_err(|e| anyhow!("{e}"))?;

    let out = OutputDir::create(args.out.as_deref(), &std::env::current_dir()?)?;
    if let Some(built) = &built {
        built.keep(out.path(), &mut info)?;
    }
    out.write_info(&info);
    if !args.quiet {
        progress.say(&format!("results in {}", out.path().display()));
    }
    let mut recorder = Recorder::new(out, progress, args.tests(), starts, config);
    recorder.save_fs.clone_from(&args.save_fs);
    let limits = Limits {
        time: limit,
        cpu_time: (!args.cpu_time.is_zero()).then_some(args.cpu_time),
        memory: args.memory << 20,
        release: Some(crate::release_memory),
    };
    let explored = match way {
        Way::Fork(searcher) => {
            let mut engine = Engine::new(machine, searcher, first, limits);
            let stopped = engine.run(&mut recorder, &stop);
            let halted = halted(stopped, &engine.counters, &engine.machine, 0);
            let Engine {
                machine, counters, ..
            } = engine;
            Explored {
                machine,
                counters,
                halted,
            }
        }
        Way::Concolic(strategy) => {
            concolic::explore(args, machine, strategy, first, limits, &stop, &mut recorder)?
        }
    };
    recorder.progress.clear();
    recorder.point(&explored.machine, &explored.counters);
    let stats = recorder.write_stats(
        &explored.machine,
        &explored.counters,
        explored.halted.as_deref(),
    );
    let written = recorder.out.finish();
    let found = recorder.out.program_errors();
    if !args.quiet {
        summary(&explored.machine, &stats, found, &recorder.out, &written);
    }
    if let Some(failure) = &written.first_failure {
        eprintln!(
            "polypath: {} tests and {} other files could not be written: {failure}",
            written.lost, written.failed_writes
        );
    }
    // States, memory and terms die with the process: taking them apart costs more than the run.
    std::mem::forget(explored);
    Ok(if found > 0 {
        Exit::Found
    } else if written.lost > 0 {
        Exit::Failed
    } else {
        Exit::Nothing
    })
}

/// Who decides what runs next.
enum Way {
    Fork(Box<dyn search::Searcher>),
    Concolic(Box<dyn dse::strategy::Strategy>),
}

/// What is left of an exploration.
struct Explored {
    machine: Machine,
    counters: Counters,
    halted: Option<String>,
}

fn searcher(args: &Args) -> anyhow::Result<Box<dyn search::Searcher>> {
    let options = search::Options {
        seed: args.seed,
        batch_instructions: args.batch_instructions,
    };
    search::parse(args.search_name(), &options)
        .map_err(|e| UsageError(format!("--search: {e}")).into())
}

/// Why the exploration is not complete, all reasons; `None` when it is. `open` branches were never tried.
fn halted(stopped: Option<String>, n: &Counters, m: &Machine, open: u64) -> Option<String> {
    let mut reasons: Vec<String> = stopped.into_iter().collect();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            reasons.push(format!("{count} {what}"));
        }
    };
    add(
        n.endings.get("unsupported").copied().unwrap_or(0),
        "paths unsupported",
    );
    add(n.parked, "branches parked");
    add(m.stats.concretizations, "values made concrete");
    add(m.stats.limited_resolutions, "symbolic addresses limited");
    add(m.stats.limited_forks, "forks limited");
    add(n.memory_killed, "paths ended for memory");
    add(n.internal_errors, "internal errors");
    add(
        n.endings.get("blocked").copied().unwrap_or(0),
        "paths blocked",
    );
    add(open, "branches left open");
    add(
        n.endings.get("instructions").copied().unwrap_or(0),
        "runs too long",
    );
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn run_info(args: &Args, loaded: &load::Loaded) -> RunInfo {
    use std::os::unix::ffi::OsStringExt;
    let absolute = |p: &std::path::Path| {
        std::path::absolute(p)
            .unwrap_or(p.to_path_buf())
            .to_string_lossy()
            .into_owned()
    };
    RunInfo {
        command: std::env::args_os().map(OsStringExt::into_vec).collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        program: absolute(&args.program),
        native: loaded.native.as_deref().map(absolute),
        bitcode: loaded.bitcode.first().map(|p| absolute(p)),
        ir_hash: loaded.hash.clone(),
        mode: format!("{:?}", args.mode).to_lowercase(),
        search: args.search_name().to_string(),
        seed: args.seed,
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        ..RunInfo::default()
    }
}

fn summary(
    m: &Machine,
    stats: &Stats,
    found: u64,
    out: &OutputDir,
    written: &testcase::WriteSummary,
) {
    for warning in &m.stats.warnings {
        eprintln!("polypath: {warning}");
    }
    for (what, paths) in &m.stats.unmodelled {
        eprintln!("polypath: not supported: {what} ({paths} paths)");
    }
    let percent = |a: u64, b: u64| {
        if b == 0 {
            100.0
        } else {
            100.0 * a as f64 / b as f64
        }
    };
    eprintln!(
        "polypath: {} paths complete, {} partial; {} tests in {}",
        stats.completed_paths,
        stats.partial_paths,
        written.written(),
        out.path().display()
    );
    eprintln!(
        "polypath: {} of {} branches ({:.1} %), {} of {} lines ({:.1} %)",
        stats.covered_branches,
        stats.total_branches,
        percent(stats.covered_branches, stats.total_branches),
        stats.covered_lines,
        stats.total_lines,
        percent(stats.covered_lines, stats.total_lines)
    );
    eprintln!(
        "polypath: {} instructions, {} queries, solver {:.2} s, CPU {:.2} s, wall {:.2} s, {:.0} MB",
        short(stats.instructions),
        stats.queries,
        stats.solver_time_s,
        stats.cpu_s,
        stats.wall_s,
        stats.memory_max_mb
    );
    if found > 0 {
        eprintln!(
            "polypath: {found} errors found: {}",
            out.path().join("errors.json").display()
        );
    }
    match &stats.halted {
        None => eprintln!("polypath: everything was explored"),
        Some(why) => eprintln!("polypath: not everything was explored: {why}"),
    }
}
