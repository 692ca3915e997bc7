//! `polypath replay DIR [-- BINARY]`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use testcase::kind::ReplayCheck;
use testcase::replay::sandbox::{Config, Sandbox, Scratch};
use testcase::replay::{
    self, Build, ExitSummary, Modelled, ReplayOptions, SandboxLimits, Selection,
};
use testcase::sanitize::{self, Tools};
use testcase::{ErrorRecord, Located, Run, TestCase};
use toolchain::compile::SourceKind;

use crate::exit::{Exit, UsageError};
use crate::options::{named, seconds};
use run::frontend;
use run::native::{self, NativeProgram};
use run::plan::{CProgram, Plan, ProgressForm};

mod divergence;
pub(super) mod status;
pub(super) mod within;
mod world;

use within::{Cut, Steps, within};

#[derive(clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", crate::exit::HELP))]
pub struct Args {
    /// The output directory of a run, or one of its tests (DIR/tests/test000001), also if it is in the pack
    dir: PathBuf,
    /// The native binary [default: the program that was run]
    #[arg(last = true, value_name = "BINARY")]
    binary: Option<PathBuf>,
    /// Seconds for each test
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    time: Duration,
    /// Tests to run at the same time
    #[arg(long, value_name = "N", default_value_t = parallelism())]
    jobs: usize,
    /// Replay N tests, evenly chosen
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Replay only tests that covered something new or ended in an error
    #[arg(long)]
    new: bool,
    /// Do not build the checked binaries that confirm errors
    #[arg(long)]
    no_confirm: bool,
    /// Do not follow the machine's paths with a binary made of its bitcode
    #[arg(long)]
    no_modelled: bool,
    /// How the progress is shown on stderr (docs/progress.md)
    #[arg(long, value_name = "FORM", default_value = "line", value_parser = named::<ProgressForm>())]
    progress: ProgressForm,
    /// Run tests without the fence: they can do what you can. Needed where the kernel gives none
    #[arg(long)]
    no_fence: bool,
}

const EXAMPLES: &str = "\
Examples:
  polypath replay polypath-last                        every test of the last run; which errors are confirmed
  polypath replay polypath-last/tests/test000003       one test
  polypath replay polypath-last -- ./prog-asan         with another build of the program

Each test is run natively and compared with the prediction: output, exit status and the path itself.";

/// The step before the replay of Java tests.
pub(super) const JAVA_BUILD: &str = "the build of the tests as Java";

/// The default of --time.
const TIME: Duration = Duration::from_secs(5);

fn parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Args {
    /// Those of a replay of all tests of a run.
    pub fn of_run(dir: PathBuf, no_fence: bool) -> Args {
        Args {
            dir,
            binary: None,
            time: TIME,
            jobs: parallelism(),
            sample: None,
            new: false,
            no_confirm: false,
            no_modelled: false,
            progress: ProgressForm::Line,
            no_fence,
        }
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.time.is_zero() {
        say::err!("polypath: --time: a test that hangs needs an end");
        return Ok(Exit::Usage);
    }
    if args.jobs == 0 || args.sample == Some(0) {
        say::err!("polypath: --jobs and --sample must be at least 1");
        return Ok(Exit::Usage);
    }
    let stop = host::signals::flag().context("cannot listen to signals")?;
    let (summary, is_java) = match replay(args, None, &stop) {
        Ok(replayed) => replayed,
        Err(e) => return unless_cut(e),
    };
    say::out_part!(
        "{}",
        if is_java {
            summary.text_of_jvm()
        } else {
            summary.text()
        }
    );
    Ok(exit(&summary))
}

/// The exit status of a replay that has no results because it was ended before its tests began.
///
/// # Errors
/// It failed for another reason.
pub(super) fn unless_cut(error: anyhow::Error) -> anyhow::Result<Exit> {
    if !error.is::<Cut>() {
        return Err(error);
    }
    say::err!("polypath: no test was replayed: {error}");
    Ok(Exit::LeftOut.unless_stopped())
}

/// The directory of the tests that a path names, and what has to stay until they are replayed: one that is in the pack alone is
/// unpacked there.
///
/// # Errors
/// There is no such test, or no temporary directory.
pub(super) fn directory_of(located: &Located) -> anyhow::Result<(Scratch, PathBuf)> {
    let unpacked = Scratch::new("test").context("cannot create a temporary directory")?;
    let dir = located
        .directory(unpacked.path())
        .map_err(|e| UsageError(format!("{e:#}")))?;
    Ok((unpacked, dir))
}

/// Replays until the flag is set, or for so long; what has to be built for it may take as long as that, too. Also tells whether the
/// program is one of Java.
///
/// # Errors
/// What cannot be replayed, and tools that are missing.
pub fn replay(
    args: &Args,
    limit: Option<Duration>,
    stop: &AtomicBool,
) -> anyhow::Result<(ExitSummary, bool)> {
    let dir = std::path::absolute(&args.dir)?;
    let given = args.binary.as_ref().map(std::path::absolute).transpose()?;
    if let Some(binary) = given.as_ref().filter(|b| !b.is_file()) {
        return Err(UsageError(format!("{}: no such program", binary.display())).into());
    }
    let located = Located::of(&dir)?;
    let run = Run::without_tests(&located.run)?;
    // A test that is in the pack is a directory here.
    let (_unpacked, dir) = directory_of(&located)?;
    if run.info.as_ref().is_some_and(|info| info.mode == "java") {
        if given.is_some() {
            let why = "a Java program has no binary to replay on";
            return Err(UsageError(why.into()).into());
        }
        let selection = Selection {
            only_new: args.new,
            sample: args.sample,
        };
        let summary = within(limit, stop, |end| {
            Steps::new(limit, stop, end).take(JAVA_BUILD, || {
                super::java::replay_run(
                    &run,
                    &dir,
                    args.time,
                    selection,
                    args.no_fence,
                    args.progress,
                    end,
                )
            })
        })?;
        return Ok((summary, true));
    }
    let recorded = recorded(&run);
    if let Ok(plan) = &recorded
        && let Err(e) = std::env::set_current_dir(&plan.directory)
    {
        // Relative names mean what they meant in the run.
        let there = plan.directory.display();
        status::say(&format!(
            "cannot enter {there}, the directory of the run ({e}): relative names are looked up here"
        ));
    }
    let plan = recorded.and_then(|plan| plan.c().map(|c| c.program.clone()));
    let scratch = Scratch::new("builds").context("cannot create a temporary directory")?;
    let mut say = status::say;
    let built = within(limit, stop, |end| {
        let steps = Steps::new(limit, stop, end);
        build(args, &run, &plan, given, scratch.path(), steps, &mut say)
    })?;
    let Built {
        binary,
        address,
        traps,
        follow,
        left_out,
    } = built;
    let open = |test: &TestCase| match &plan {
        Ok(plan) => world::open(plan, test),
        Err(why) => Err(why.clone()),
    };
    let time = args.time;
    let (follow, locator) = match (follow, &plan) {
        (Some(hashed), Ok(plan)) => {
            let mut locator = divergence::Locator::new(plan, hashed.module);
            locator.addresses = hashed.refused;
            (Some(hashed.binary), Some(locator))
        }
        _ => (None, None),
    };
    let explain = |test: &TestCase, sites: &[u32]| locator.as_ref()?.explain(test, sites);
    let program = |name: &str| toolchain::tools::find_program(name);
    let valgrind = program("valgrind");
    let mut needed = vec![binary.clone()];
    needed.extend([&address, &traps].into_iter().flatten().cloned());
    needed.extend(traps.iter().map(|t| sanitize::for_valgrind(t)));
    let views = plan.as_ref().map_or(Vec::new(), |plan| plan.world().views);
    let start = plan.as_ref().ok().and_then(|plan| start_of(&plan.world()));
    // What the program saw of the host it sees at the same place.
    needed.extend(
        views
            .into_iter()
            .map(|view| view.host)
            .filter(|dir| dir.is_dir()),
    );
    let sandbox = Sandbox::new(Config {
        needed,
        open: args.no_fence,
        ..Config::default()
    })
    .context("cannot start programs")?;
    if let Some(warning) = sandbox.fence().warning() {
        say(&warning);
    }
    let usual = SandboxLimits::default();
    let line = status::StatusLine::new(args.progress, "replayed");
    let progress = |p| line.show(&p);
    let summary = within(limit, stop, |stop| {
        let modelled = follow.map(|binary| Modelled::new(binary, &open, time, stop));
        replay::run(&ReplayOptions {
            dir,
            binary,
            address,
            traps,
            valgrind,
            modelled,
            explain: Some(&explain),
            limits: SandboxLimits {
                time,
                stack: plan.as_ref().map_or(usual.stack, |plan| plan.world().stack),
                start,
                ..usual
            },
            sandbox: &sandbox,
            selection: Selection {
                only_new: args.new,
                sample: args.sample,
            },
            jobs: args.jobs,
            progress: Some(&progress),
            left_out,
            stop,
        })
    })?;
    line.clear();
    Ok((summary, false))
}

/// What the tests run on.
struct Built {
    binary: PathBuf,
    address: Build,
    traps: Build,
    follow: Option<Hashed>,
    /// Builds that were ended before they were done.
    left_out: Vec<String>,
}

/// Builds what a replay needs, as far as its time goes.
///
/// # Errors
/// There is no binary to replay on.
fn build(
    args: &Args,
    run: &Run,
    plan: &Result<CProgram, String>,
    given: Option<PathBuf>,
    scratch: &Path,
    steps: Steps<'_>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Built> {
    let carrier = steps.take("the native build of the program", || {
        carrier(run, plan.as_ref().ok(), scratch, say).map_err(anyhow::Error::msg)
    });
    let binary = match (given, &carrier) {
        (Some(binary), _) => binary,
        (None, Ok(binary)) => binary.clone(),
        (None, Err(why)) if !why.is::<Cut>() => {
            let why = format!("{why:#}; name a binary: polypath replay DIR -- BINARY");
            return Err(UsageError(why).into());
        }
        (None, Err(_)) => return Err(carrier.expect_err("it was looked at")),
    };
    let carrier = carrier.map_err(|e| format!("{e:#}"));
    let (address, traps) = checked_builds(args, &run.errors, &carrier, scratch, &steps, say);
    let follow = if args.no_modelled {
        None
    } else {
        let hashed = steps.take("the build for the modelled replay", || {
            hashed_build(run, plan, scratch, say)
        });
        hashed
            .map_err(|e| say(&format!("no modelled replay: {e:#}")))
            .ok()
    };
    Ok(Built {
        binary,
        address,
        traps,
        follow,
        left_out: steps.cut(),
    })
}

/// The directory of `--fs` in which the program started, if its tests do not carry its files.
fn start_of(world: &linux::WorldConfig) -> Option<PathBuf> {
    let here = Path::new(&world.cwd);
    let shown = world.views.iter().find_map(|view| {
        let below = here.strip_prefix(&view.at).ok()?;
        Some(view.host.join(below))
    })?;
    (shown.is_dir() && run::shown_files(world).is_err()).then_some(shown)
}

/// The exit status of a replay.
pub(super) fn exit(summary: &ExitSummary) -> Exit {
    let exit = match summary.exit_code() {
        0 => Exit::Nothing,
        1 => Exit::Found,
        4 => Exit::LeftOut,
        _ => Exit::Failed,
    };
    if summary.interrupted {
        exit.unless_stopped()
    } else {
        exit
    }
}

/// The native binary that carries the program's bitcode: the program itself, or a source compiled
/// as `polypath run` did it.
fn carrier(
    run: &Run,
    plan: Option<&CProgram>,
    scratch: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<PathBuf, String> {
    let Some(info) = &run.info else {
        return Err("the run has no record of its program (info.json)".into());
    };
    if let Some(native) = NativeProgram::of(info).filter(|native| !native.is_there()) {
        // Its run was killed before the end.
        link_function(native.file())?;
    }
    if let Some(native) = &info.native {
        return Ok(native.into());
    }
    let program = plan.map_or(Path::new(&info.program), |p| &p.file);
    let command = match toolchain::compile::kind(program) {
        Some(SourceKind::C) => "cc",
        Some(SourceKind::Cxx) => "c++",
        Some(SourceKind::Bitcode) if is_kept(program, &run.dir) => {
            return link_function(&program.with_extension(""));
        }
        Some(SourceKind::Assembly | SourceKind::Bitcode) => {
            return Err(format!(
                "{} is bitcode, not a native program",
                program.display()
            ));
        }
        None => return Ok(program.into()),
    };
    let flags = plan.map_or(&[][..], |p| &p.cc_flags);
    compile(program, flags, command, &scratch.join("program"), say).map_err(|e| format!("{e:#}"))
}

/// Is it the bitcode of a function, which its run keeps?
fn is_kept(bitcode: &Path, run: &Path) -> bool {
    let kept = run.join(run::harness::KEPT).canonicalize();
    let parent = bitcode.parent().map(Path::canonicalize);
    matches!((kept, parent), (Ok(kept), Some(Ok(parent))) if kept == parent)
}

/// Links the native program of a function of its bitcode.
fn link_function(file: &Path) -> Result<PathBuf, String> {
    let linked = native::link(file, host::child::output).map_err(|e| format!("{e:#}"))?;
    linked.map_err(|why| {
        format!("the program does not link: {why} (`polypath run --with FILE` adds a library)")
    })?;
    Ok(file.into())
}

/// The plan of the run, if its record has one.
fn recorded(run: &Run) -> Result<Plan, String> {
    let info = run
        .info
        .as_ref()
        .ok_or("the run has no record of its program (info.json)")?;
    Plan::of(info)
}

fn compile(
    program: &Path,
    flags: &[String],
    command: &str,
    out: &Path,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<PathBuf> {
    toolchain::sysroot::ensure(say)?;
    // The driver replaces its process, so it gets one of its own.
    let mut driver = Command::new(std::env::current_exe()?);
    driver.arg(command).args(flags).arg(program);
    driver.arg("-o").arg(out).env("POLYPATH_QUIET", "1");
    let status = host::child::status(&mut driver)?;
    if !status.success() {
        bail!("{} does not link as a native program", program.display());
    }
    Ok(out.to_owned())
}

/// The binary for modelled replay.
struct Hashed {
    binary: PathBuf,
    module: ir::Verified,
    /// Why things do not lie where the machine has them.
    refused: Option<String>,
}

/// The binary for modelled replay, from the module that the machine's IR was made of.
fn hashed_build(
    run: &Run,
    plan: &Result<CProgram, String>,
    scratch: &Path,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Hashed> {
    let info = run
        .info
        .as_ref()
        .context("the run has no record of its program (info.json)")?;
    let plan = plan.as_ref().map_err(|e| anyhow!("{e}"))?;
    let sysroot = toolchain::sysroot::ensure(say)?;
    let bitcode = frontend::c::bitcode(plan, say)?;
    let module = scratch.join("program.ll");
    let lowered = frontend::c::lower(plan, &bitcode, Some(module.clone()), say)?;
    let hash = format!("{:016x}", lowered.checksum);
    if !info.ir_hash.is_empty() && hash != info.ir_hash {
        bail!("{} has changed since the run", plan.file.display());
    }
    let binary = scratch.join("hashed");
    let limits = memory::Checks::default();
    let places = testcase::addresses::AddressLayout {
        heap: memory::HEAP_START,
        stack: memory::STACK_START,
        largest: limits.max_object,
        all: limits.max_heap,
    };
    let refused = Tools::find(&sysroot.lib, libcxx()?, toolchain::tools::find_llvm)?.hashed(
        &module,
        &lowered.module,
        places,
        &binary,
    )?;
    // A divergence says so, too, among its likely causes.
    if let Some(why) = &refused {
        say(&format!(
            "modelled replay without the machine's addresses: {why}"
        ));
    }
    Ok(Hashed {
        binary,
        module: lowered.module,
        refused,
    })
}

/// The C++ library, if there is one.
fn libcxx() -> anyhow::Result<Option<PathBuf>> {
    Ok(toolchain::cxx::existing()?.map(|library| library.archive))
}

const CHECKED_BUILDS: &str = "the builds with checks, which confirm errors";

/// The builds that the errors of this run need for their confirmation.
fn checked_builds(
    args: &Args,
    errors: &[ErrorRecord],
    carrier: &Result<PathBuf, String>,
    scratch: &Path,
    steps: &Steps<'_>,
    say: &mut dyn FnMut(&str),
) -> (Build, Build) {
    let checks = |e: &ErrorRecord| testcase::kind::checks(e.kind);
    let needs_address = |e: &&ErrorRecord| {
        checks(e)
            .iter()
            .any(|c| matches!(c, ReplayCheck::Address(_) | ReplayCheck::Unset))
    };
    let needs_traps = |e: &&ErrorRecord| {
        checks(e).iter().any(|c| {
            matches!(
                c,
                ReplayCheck::Traps | ReplayCheck::Valgrind | ReplayCheck::Exception(..)
            )
        })
    };
    let address = errors.iter().any(|e| needs_address(&e));
    let of_stack = |e: &ErrorRecord| {
        let frames = e.stack.iter().map(|f| f.function.clone());
        frames.chain([e.function.clone()]).collect::<Vec<_>>()
    };
    let functions: BTreeSet<String> = errors
        .iter()
        .filter(needs_traps)
        .flat_map(of_stack)
        .collect();
    let derived: BTreeSet<String> = errors
        .iter()
        .filter(needs_address)
        .flat_map(of_stack)
        .collect();
    if args.no_confirm || (!address && functions.is_empty()) {
        let none = || Err("checked builds were not asked for".to_owned());
        return (none(), none());
    }
    let prepared = carrier.clone().and_then(|carrier| {
        steps
            .take(CHECKED_BUILDS, || prepare(&carrier, scratch, say))
            .map_err(|e| format!("no checked build: {e:#}"))
    });
    let (tools, bitcode) = match prepared {
        Ok(prepared) => prepared,
        Err(why) => return (Err(why.clone()), Err(why)),
    };
    let build = |wanted: bool, name: &str, make: &dyn Fn(&Path) -> anyhow::Result<()>| {
        let out = scratch.join(name);
        if wanted {
            steps
                .take(CHECKED_BUILDS, || make(&out))
                .map(|()| out)
                .map_err(|e| format!("no checked build: {e:#}"))
        } else {
            Err("not needed".into())
        }
    };
    (
        build(address, "address", &|out| {
            tools.address(&bitcode, &derived, out)
        }),
        build(!functions.is_empty(), "traps", &|out| {
            tools.traps(&bitcode, &functions, out)
        }),
    )
}

fn prepare(
    carrier: &Path,
    scratch: &Path,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<(Tools, PathBuf)> {
    let sysroot = toolchain::sysroot::ensure(say)?;
    let tools = Tools::find(&sysroot.lib, libcxx()?, toolchain::tools::find_llvm)?;
    let bitcode = scratch.join("program.bc");
    let modules = toolchain::extract::modules(carrier)?;
    toolchain::link::link(modules, &bitcode).map_err(|e| anyhow!("{e}"))?;
    Ok((tools, bitcode))
}
