//! The table of options. Its order is the one in which help shows them, and headings come in the order of their first rows.

use super::row::{OptionRow, Whose, named, named_if};
use super::values;
use clap::builder::{PathBufValueParser, RangedU64ValueParser, StringValueParser};
use clap::value_parser;
use run::plan::FpSolver;

const C: &[Whose] = &[Whose::Run];
const JAVA: &[Whose] = &[Whose::JavaRun];
const BOTH: &[Whose] = &[Whose::Run, Whose::JavaRun];
const PARAMETERS: &[Whose] = &[Whose::Run, Whose::Harness];

const EXPLORATION: &str = "Exploration";
const PRUNING: &str = "State pruning";
const LIMITS: &str = "Limits";
const SOLVER: &str = "Solver";
const INPUT: &str = "Symbolic input";
const WHOLE: &str = "Input of a whole program";
const WORLD: &str = "The program's world";
const ERRORS: &str = "Errors";
const PROGRAM: &str = "Program";
const FUNCTION: &str = "One function";
const OUTPUT: &str = "Output";

/// MiB of memory of a Java run, by default.
pub const MEMORY_OF_JAVA: u64 = 2000;
/// MiB of the heap of a JVM, by default, as an option has it.
pub const HEAP_OF_JAVA: &str = "512";

const NO_SCOUT: &str = "runs of Java programs have no scout; it is a concolic process beside workers that fork, and their workers are \
    concolic (docs/java.md)";

/// Why these are no keys of `polypath.toml`.
const CLUSTER: &str = "the machines that explore are those of one invocation";
const SHOWN: &str = "`polypath test` decides what is shown";

/// The text below the options of `polypath run`.
pub const EXAMPLES: &str = "\
Examples:
  polypath run max.c                                   the objects of klee_make_symbolic are symbolic
  polypath run ./src/cut --sym-args 0 2 4 --sym-files 1 8 --time 60
  polypath run ./target --seed-input corpus            a fuzz target of libFuzzer, linked by polypath cc -fsanitize=fuzzer
  polypath run prog.bc --check memory,overflow -- -x file
  polypath run libgsl.a --entry gsl_sort --array-len data=n*stride --time 60
  polypath replay polypath-last; polypath report polypath-last      run the tests natively; write the report

Results, in --out: tests/ (one directory per test, and KLEE's .ktest), errors.json, stats.json, coverage.json.";

fn text() -> StringValueParser {
    StringValueParser::new()
}

fn path() -> PathBufValueParser {
    PathBufValueParser::new()
}

/// All rows.
#[rustfmt::skip]
pub fn table() -> Vec<OptionRow> {
    let u16_from_1 = || value_parser!(u16).range(1..);
    let from_1 = || RangedU64ValueParser::<u64>::new().range(1..);
    let stack = || RangedU64ValueParser::<u64>::new().range(1..=ir::layout::STACK_MOST >> 20);
    vec![
        // What is run.
        OptionRow::program("PROGRAM", "A C source (.c, .cpp), bitcode (.bc, .ll), or a native binary built by `polypath cc`",
            |d, v| d.program = v).of(C),
        OptionRow::rest("The program's arguments; KLEE's --sym-… options may stand among them",
            |d, v| d.arguments = v).of(C),
        OptionRow::program("CLASS_PATH", "Directories and .jar files with the program's classes, joined by colons",
            |d, v| d.program = v).of(JAVA),

        // Exploration of programs in IR.
        OptionRow::one("mode", "MODE", named(),
            "Fork states at branches, or run one input after the other and ask the solver for the next",
            |d, v| d.plan.search.mode = v).of(C).under(EXPLORATION).default("fork"),
        OptionRow::one("search", "NAME", text(),
            "The state that runs next, or (concolic) the open branch that is solved for; see --help",
            |d, v| d.plan.search.name = Some(v)).of(C).under(EXPLORATION).may_change()
            .clap(|a| a.long_help(values::search_help())),
        OptionRow::flag("partial-solutions", "Also run the assignments that the solver tried (with --mode concolic)",
            |d, v| d.plan.search.partial_solutions = v).of(C).under(EXPLORATION),
        OptionRow::list("partial-from", text(), "Of the assignments tried, only run those of these techniques (with --partial-solutions)",
            |d, v| d.plan.search.partial_from = v).of(C).under(EXPLORATION).requires("partial-solutions")
            .clap(|a| a.long_help(format!("Of the assignments tried, only run those of these techniques (with --partial-solutions): {}", values::techniques()))),
        OptionRow::one("partial-tried", "N", value_parser!(u32), "Of the assignments tried in one query, look at this many (with --partial-solutions)",
            |d, v| d.plan.search.partial_limits.tried = v).of(BOTH).under(EXPLORATION).default("128").requires("partial-solutions"),
        OptionRow::one("partial-kept", "N", value_parser!(u32), "Of one query's assignments that open branches, keep this many (with --partial-solutions)",
            |d, v| d.plan.search.partial_limits.kept = v).of(BOTH).under(EXPLORATION).default("32").requires("partial-solutions"),
        OptionRow::one("partial-waiting", "N", value_parser!(u32), "Assignments that may wait for their run (with --partial-solutions)",
            |d, v| d.plan.search.partial_limits.waiting = v).of(BOTH).under(EXPLORATION).default("4096").requires("partial-solutions"),
        OptionRow::flag("partial-always",
            "Look at each technique's assignments in every query, not only while their runs pay for the time that they take (with \
             --partial-solutions)",
            |d, v| d.plan.search.partial_limits.is_always_asked = v).of(BOTH).under(EXPLORATION).requires("partial-solutions"),
        OptionRow::one("seed-input", "DIR", path(),
            "Begin with the inputs in this directory: raw files, test directories, .ktest files, or an output directory of AFL++",
            |d, v| d.plan.search.seed_input = Some(v)).of(C).under(EXPLORATION),
        OptionRow::one("sync", "DIR", path(),
            "Exchange inputs with fuzzers while the run goes on: new files of DIR/*/queue are taken, and what covers something new is given as \
             DIR/polypath/queue/id:NNNNNN,…, as AFL++ has it; a DIR with files of its own is one corpus for both. One worker explores",
            |d, v| d.plan.search.sync = Some(v)).of(C).under(EXPLORATION),
        OptionRow::one("batch-instructions", "N", value_parser!(u64),
            "A selected state keeps running for this many instructions (0: choose anew at each fork)",
            |d, v| d.plan.search.batch_instructions = v).of(C).under(EXPLORATION).default("10000").may_change(),
        OptionRow::one("seed", "N", value_parser!(u64),
            "Seed of everything random: same seed, same run (with --jobs 1 or --deterministic)",
            |d, v| d.plan.search.seed = v).of(C).under(EXPLORATION).default("0"),
        OptionRow::flag("deterministic",
            "The same files for every --jobs and on every machine (docs/jobs.md): tests, errors and coverage depend on program, \
             options and seed only, unless a limit of time or memory influences the run, which is then reported. It costs a part of the speed",
            |d, v| d.plan.workers.deterministic = v).of(BOTH).under(EXPLORATION),
        OptionRow::one("jobs", "N", value_parser!(u32),
            "Processes that explore (docs/jobs.md); --memory, --cpu-time and --max-forks are for all together. With 1, the same \
             seed gives the same run [default: one, and all cores once there has been enough to do for half a second]",
            |d, v| d.plan.workers.jobs = Some(v)).of(C).under(EXPLORATION).may_change(),
        OptionRow::flag("no-scout",
            "Do not start the scout, a process that with several workers and the default search runs ahead in concolic mode \
             (docs/jobs.md)",
            |d, v| d.plan.workers.no_scout = v).of(C).under(EXPLORATION).may_change()
            .not_of(Whose::JavaRun, NO_SCOUT),
        OptionRow::one("resume", "DIR", path(),
            "Continue the run in DIR, which was stopped or killed (docs/jobs.md). It keeps its options; limits, --jobs and --search \
             may be changed",
            |d, v| d.invocation.resume = Some(v)).of(C).under(EXPLORATION)
            .not_in_file("`polypath test --resume` goes on with what was stopped"),
        OptionRow::one("listen", "HOST:PORT", text(),
            "Let further machines explore, too: they run `polypath worker --connect HOST:PORT` (docs/cluster.md). With port 0 \
             the system chooses a free one; with --jobs 0 this machine only coordinates",
            |d, v| d.plan.workers.listen = Some(v)).of(BOTH).under(EXPLORATION).may_change()
            .not_in_file(CLUSTER),
        OptionRow::one("secret-file", "FILE", path(),
            "A file with the secret that this run and its further machines share [default: the variable POLYPATH_SECRET]",
            |d, v| d.plan.workers.secret_file = Some(d.absolute(&v))).of(BOTH).under(EXPLORATION).may_change().requires("listen")
            .not_in_file(CLUSTER),
        OptionRow::one("ray", "ADDRESS", text(),
            "A Ray cluster whose nodes explore, and the Python that has Ray: `polypath cluster ray`",
            |d, v| d.plan.workers.ray = Some(v)).of(C).may_change().requires("listen").clap(|a| a.hide(true))
            .not_in_file(CLUSTER),
        OptionRow::one("python", "FILE", path(), "The Python that has Ray",
            |d, v| d.plan.workers.python = v).of(C).default("python3").may_change().clap(|a| a.hide(true))
            .not_in_file(CLUSTER),

        // Learned state pruning.
        OptionRow::one("homi", "METHOD", values::homi(), "Keep only promising states, and learn which they are (docs/homi.md)",
            |d, v| d.plan.search.homi.method = Some(v)).of(C).under(PRUNING)
            .clap(|a| a.num_args(0..=1).require_equals(true).default_missing_value(search::homi::METHODS[0].name)),
        OptionRow::one("homi-cycle", "T", values::span,
            "Time between two prunings: seconds, or ticks (\"20000t\", about a millisecond each): then a run repeats [default: \
             1/600 of the run's time, or 30]",
            |d, v| d.plan.search.homi.cycle = Some(v)).of(C).under(PRUNING).requires("homi"),
        OptionRow::one("homi-round", "T", values::span,
            "The longest round; the next one uses what was learned in it [default: 2/45 of the run's time, or 800]",
            |d, v| d.plan.search.homi.round = Some(v)).of(C).under(PRUNING).requires("homi"),
        OptionRow::one("homi-round-steps", "N", u16_from_1(), "Lengths of rounds to choose from, in equal steps up to --homi-round",
            |d, v| d.plan.search.homi.round_steps = v).of(C).under(PRUNING).default("4").requires("homi"),
        OptionRow::one("homi-ratio", "R", values::share, "The largest share of the states that one pruning removes, below 1",
            |d, v| d.plan.search.homi.ratio = v).of(C).under(PRUNING).default("0.6").requires("homi"),
        OptionRow::one("homi-ratio-steps", "N", u16_from_1(), "Shares to choose from, in equal steps up to --homi-ratio",
            |d, v| d.plan.search.homi.ratio_steps = v).of(C).under(PRUNING).default("3").requires("homi"),
        OptionRow::one("homi-explore", "N", value_parser!(u16), "Rounds after the first one that only explore weights",
            |d, v| d.plan.search.homi.explore = v).of(C).under(PRUNING).default("10").requires("homi"),
        OptionRow::one("homi-draws", "N", u16_from_1(), "Number of draws to find a weight that differs from the learned ones",
            |d, v| d.plan.search.homi.draws = v).of(C).under(PRUNING).default("100").requires("homi"),
        OptionRow::one("homi-portfolio", "LIST", text(),
            "Searchers from which each round chooses one in place of --search, joined by `/` [without a list: KLEE's nine]",
            |d, v| d.plan.search.homi.portfolio = Some(v)).of(C).under(PRUNING).requires("homi")
            .clap(|a| a.num_args(0..=1).require_equals(true).default_missing_value("")),
        OptionRow::one("homi-resume", "N", value_parser!(u16),
            "Promising states among those pruned earlier that a round resumes [default: as many as an eighth of a round rebuilds \
             if rounds are continued, else 0]",
            |d, v| d.plan.search.homi.resume = Some(v)).of(C).under(PRUNING).requires("homi"),

        OptionRow::one("homi-test-share", "P", values::percent,
            "Percent of the run's work in which the inputs of pruned states run on to the end of the program, so that what their tests \
             cover there is learned, too [default: 10 with --homi=learned, else 0]",
            |d, v| d.plan.search.homi.test_share = Some(v)).of(C).under(PRUNING).requires("homi"),

        // Limits of a run of a program in IR.
        OptionRow::one("time", "S", values::seconds,
            "Stop this many seconds after the start of the command (0: no limit); \"90\", \"15m\", \"2h\"",
            |d, v| d.plan.limits.time = v).of(C).under(LIMITS).default("0").may_change(),
        OptionRow::one("cpu-time", "S", values::seconds,
            "Stop after this many seconds of processor time (0: no limit). Of two runs with the same seed and --jobs 1, the \
             shorter one is the beginning of the longer one",
            |d, v| d.plan.limits.cpu_time = v).of(C).under(LIMITS).default("0").may_change(),
        OptionRow::one("memory", "MB", value_parser!(u64),
            "Memory of the whole process in MiB (0: no limit); the least promising states are put aside and rebuilt later (--memory-policy)",
            |d, v| d.plan.limits.memory_mb = v).of(C).under(LIMITS).default("2048").may_change(),
        OptionRow::one("memory-policy", "POLICY", named(), "What happens to live states when memory is short (docs/limits.md)",
            |d, v| d.plan.limits.memory_policy = v).of(C).under(LIMITS).default("spill"),
        OptionRow::one("spill-disk", "MB", value_parser!(u64),
            "Disk for the prefixes of states that were put aside and do not fit into memory, in MiB (0: none); all workers of this \
             machine together [default: half of the free space of the disk with the results]",
            |d, v| d.plan.limits.spill_disk_mb = Some(v)).of(C).under(LIMITS).may_change(),
        OptionRow::one("max-output", "MB", value_parser!(u64),
            "Largest size of the files and the output of one path together, in MiB (0: no limit); beyond it the path ends [default: \
             a sixteenth of --memory]",
            |d, v| d.world.max_output = Some(v)).of(C).under(LIMITS),
        OptionRow::one("max-forks", "N", value_parser!(u64),
            "Forks in the whole run (0: no limit); the live states then run for a while longer, and the run ends",
            |d, v| d.plan.limits.max_forks = v).of(C).under(LIMITS).default("0").may_change(),
        OptionRow::one("live-share", "P", values::percent,
            "Percent of the run's time in which the inputs of live states run on to the end of the program, for the tests that cover \
             something new there: now and then, and before a limit of time is reached (0: none; docs/results.md)",
            |d, v| d.plan.limits.live_share = v).of(C).under(LIMITS).default("5").may_change(),
        OptionRow::flag("first-look",
            "With --entry: end when what is left has longer arrays and strings than the first ones, or when nothing new was covered for as long as it took until then. A resumed run goes on",
            |d, v| d.plan.limits.first_look = v).of(C).under(LIMITS).may_change(),
        OptionRow::one("max-depth", "N", value_parser!(u32), "Forks on one path (0: no limit)",
            |d, v| d.plan.limits.max_depth = v).of(C).under(LIMITS).default("0"),

        // A Java program and its input.
        OptionRow::one("resume", "DIR", path(),
            "Continue the run that wrote DIR, with its class path and options; --time, --memory, --jobs, --search, --quiet and \
             --strict may be changed",
            |d, v| d.invocation.resume = Some(v)).of(JAVA)
            .not_in_file("`polypath test --resume` goes on with what was stopped"),
        OptionRow::one("entry", "METHOD", text(),
            "The method to explore, each of its parameters symbolic: CLASS.METHOD, or CLASS.METHOD(TYPES) if several methods \
             have the name",
            |d, v| d.java.entry = Some(v)).of(JAVA),
        OptionRow::one("main", "CLASS", text(),
            "The class whose method main is run, without --entry [default: the main class of the archive, or the only class with \
             such a method]",
            |d, v| d.java.main = Some(v)).of(JAVA).clap(|a| a.conflicts_with("entry")),
        OptionRow::tuple("sym-args", &["MIN", "MAX", "LEN"], true, value_parser!(u32),
            "MIN to MAX symbolic arguments of at most LEN characters (repeatable)",
            |d, v| d.input.java_args = v).of(JAVA).under(WHOLE).clap(|a| a.conflicts_with("entry")),
        OptionRow::many("sym-arg", "N", value_parser!(u32), "One symbolic argument of at most N characters (repeatable)",
            |d, v| d.input.java_arg = v).of(JAVA).under(WHOLE).clap(|a| a.conflicts_with("entry")),
        OptionRow::one("sym-stdin", "N", value_parser!(u32), "N symbolic bytes on standard input",
            |d, v| d.input.java_stdin = Some(v)).of(JAVA).under(WHOLE).clap(|a| a.conflicts_with("entry")),
        OptionRow::tuple("sym-files", &["N", "LEN"], false, value_parser!(u32),
            "N symbolic files of LEN bytes, named A, B and so on, in the directory that the program then works in",
            |d, v| d.input.java_files = v).of(JAVA).under(WHOLE).clap(|a| a.conflicts_with("entry")),
        OptionRow::rest("Arguments of the program, before the symbolic ones",
            |d, v| d.arguments = v).of(JAVA).under(WHOLE).clap(|a| a.conflicts_with("entry")),
        OptionRow::one("array-len", "N", values::sizes,
            "The most elements of an array or characters of a string that is a parameter, or the fewest and the most (MIN-MAX); \
             its length is input, too. Without it bounds grow: --array-max, --string-max",
            |d, v| d.java.array_len = Some(v)).of(JAVA),
        OptionRow::one("array-max", "N", value_parser!(u16), "The most elements of an array or collection that is a parameter. It is 4 at first, and doubles when that brings nothing new",
            |d, v| d.java.array_max = v.into()).of(JAVA).default("64"),
        OptionRow::one("string-max", "N", value_parser!(u16), "The most characters of a string that is a parameter. At first 4",
            |d, v| d.java.string_max = v.into()).of(JAVA).default("64"),
        OptionRow::one("string-len", "N", value_parser!(u16),
            "The most characters of a string that the program asks for (Verifier.nondetString and its like). Without it they have \
             up to 12, and the run does not claim to be complete",
            |d, v| d.java.string_len = Some(v)).of(JAVA),
        OptionRow::one("seed-input", "DIR", path(),
            "Begin with the contents of the files in DIR, each as the first array of bytes or string that is a parameter, or as \
             standard input",
            |d, v| d.plan.search.seed_input = Some(v)).of(JAVA),
        OptionRow::one("witness", "FILE", path(),
            "Write a violation witness in SV-COMP's form (GraphML) for the first error, with the values that the program asked for",
            |d, v| d.java.witness = Some(v)).of(JAVA),
        OptionRow::list("expect", text(), "Exceptions that are no errors, by the names of their classes or superclasses",
            |d, v| d.java.expect = v).of(JAVA),
        OptionRow::list("check", text(), "Only these kinds of errors; `deliberate` adds exceptions that the program throws on purpose",
            |d, v| d.java.check = v).of(JAVA),
        OptionRow::many("source-path", "DIR", path(), "Directory of sources, for reports [default: near the class path] (repeatable)",
            |d, v| d.java.source_path = v).of(JAVA),
        OptionRow::one("search", "NAME", text(), "The open branch that is solved for next",
            |d, v| d.plan.search.name = Some(v)).of(JAVA).under(EXPLORATION).default("cover-shallow").may_change(),
        OptionRow::flag("partial-solutions", "Also run the assignments that the solver tried",
            |d, v| d.plan.search.partial_solutions = v).of(JAVA).under(EXPLORATION),
        OptionRow::list("partial-from", text(), "Of the assignments tried, only run those of these techniques",
            |d, v| d.plan.search.partial_from = v).of(JAVA).under(EXPLORATION).requires("partial-solutions"),
        OptionRow::one("jobs", "N", value_parser!(u32),
            "Processes that explore, each with its own JVM [default: one, and as many as there are cores once the run turns out \
             to be long]",
            |d, v| d.plan.workers.jobs = Some(v)).of(JAVA).under(EXPLORATION).may_change(),
        OptionRow::one("seed", "N", value_parser!(u64), "Seed of everything random",
            |d, v| d.plan.search.seed = v).of(JAVA).under(EXPLORATION).default("0"),

        // The solver.
        OptionRow::one("theory", "NAME", values::theory, "Theory tried first: bits, or lia (linear integers)",
            |d, v| d.plan.solver.theory = v).of(JAVA).under(SOLVER).default("bits"),
        OptionRow::one("solver-time", "S", <f64 as std::str::FromStr>::from_str,
            "Seconds of processor time for one query before its side of the branch is parked",
            |d, v| d.plan.solver.seconds = v).of(BOTH).under(SOLVER).default("10"),
        OptionRow::list("solver-layers", values::layer, "Solver layers to use, joined by commas (default: all)",
            |d, v| d.plan.solver.layers = v).of(C).under(SOLVER),
        OptionRow::one("arrays", "NAME", values::arrays, "The method that decides reads of arrays",
            |d, v| d.plan.solver.arrays = v).of(C).under(SOLVER).default("auto")
            .clap(|a| a.long_help(values::arrays_help())),
        OptionRow::one("theory", "NAME", values::theory,
            "Theory tried first: bits, or lia (linear integers as if nothing wrapped around; models are checked on the bits, and \
             queries that integers leave open go to the bits)",
            |d, v| d.plan.solver.theory = v).of(C).under(SOLVER).default("bits"),
        OptionRow::one("sat-start", "NAME", values::sat_start,
            "Where a SAT solver's search begins: witness (near the values that take the path so far), none (with no values of it), or \
             fresh (none, in a solver that knows no earlier query)",
            |d, v| d.plan.solver.sat_start = v).of(BOTH).under(SOLVER).default("witness"),
        OptionRow::one("fp-solver", "NAME", named(), "The method that decides conditions on symbolic floats",
            |d, v| d.plan.solver.floats = v).of(C).under(SOLVER).default("auto"),
        OptionRow::one("fp-solver", "NAME", named_if(FpSolver::decides_conditions), "The method that decides conditions on symbolic floats",
            |d, v| d.plan.solver.floats = v).of(JAVA).under(SOLVER).default("auto"),
        OptionRow::one("libm", "HOW", named(), "The meaning of calls of sin, exp, pow and the like, for `double` and `float`",
            |d, v| d.c.libm = v).of(C).under(SOLVER).default("code"),
        OptionRow::one("conversions", "HOW", named(),
            "What strtod, strtol, scanf, printf and their like do between text and numbers",
            |d, v| d.c.conversions = v).of(C).under(SOLVER).default("call"),
        OptionRow::one("log-queries", "DIR", path(),
            "Write every query, before simplification, into DIR/queries.smt2 (with several workers into DIR/queries-N.smt2, a file for each): a \
             script for an incremental SMT-LIB solver",
            |d, v| d.plan.solver.log = Some(v)).of(BOTH).under(SOLVER),

        // Limits of a Java run.
        OptionRow::one("time", "TIME", values::seconds, "Wall-clock time of the run (0: none)",
            |d, v| d.plan.limits.time = v).of(JAVA).under(LIMITS).default("0").may_change(),
        OptionRow::one("cpu-time", "TIME", values::seconds, "Processor time of all processes of the run, JVMs included (0: none)",
            |d, v| d.plan.limits.cpu_time = v).of(JAVA).under(LIMITS).default("0").may_change(),
        OptionRow::one("run-time", "TIME", values::seconds, "Wall-clock time of one execution of the method (on a busy machine up to four times as long)",
            |d, v| d.java.run_time = v).of(JAVA).under(LIMITS).default("10"),
        OptionRow::one("run-steps", "N", from_1(), "Instructions of one execution of the method at most, turns of the JDK's loops included",
            // Some seconds of a loop.
            |d, v| d.java.run_steps = v).of(JAVA).under(LIMITS).default("268435456"),
        OptionRow::one("memory", "MIB", value_parser!(u64), "Memory of all processes of the run in MiB, without the JVMs (0: no limit)",
            |d, v| d.plan.limits.memory_mb = v).of(JAVA).under(LIMITS).default("2000").may_change(),
        OptionRow::one("heap", "MIB", value_parser!(u64), "Heap of each JVM in MiB",
            |d, v| d.java.heap_mb = v).of(JAVA).under(LIMITS).default(HEAP_OF_JAVA),

        // What a program in IR is given.
        OptionRow::tuple("sym-args", &["MIN", "MAX", "LEN"], true, text(),
            "Between MIN and MAX symbolic arguments of at most LEN bytes each",
            |d, v| d.input.args = v).of(C).under(INPUT),
        OptionRow::many("sym-arg", "LEN", value_parser!(u64), "One symbolic argument of at most LEN bytes",
            |d, v| d.input.arg = v).of(C).under(INPUT),
        OptionRow::tuple("sym-files", &["N", "LEN"], false, value_parser!(u64), "N symbolic files (A, B, C, …) of up to LEN bytes each, or as many as the longest raw file of --seed-input has",
            |d, v| d.input.files = v).of(C).under(INPUT),
        OptionRow::one("sym-stdin", "LEN", value_parser!(u64), "Symbolic standard input of up to LEN bytes, or as many as the longest raw file of --seed-input has",
            |d, v| d.input.stdin = Some(v)).of(C).under(INPUT),
        OptionRow::one("max-len", "N", from_1(), "Bytes of the input of a fuzz target at most, the short inputs first [default: the longest raw file of --seed-input, or 4096]",
            |d, v| d.max_len = Some(v)).of(C).under(INPUT),
        OptionRow::flag("sym-size", "Short symbolic files and standard input come first: at most 8 bytes, and twice as many where that brings nothing new. \
             Without it LEN bytes come first, and then shorter ones",
            |d, v| d.input.grows = v).of(C).under(INPUT),
        OptionRow::flag("sym-empty", "Symbolic files and standard input have LEN bytes or none",
            |d, v| d.input.may_be_empty = v).of(C).under(INPUT),
        OptionRow::flag("sym-exact", "Symbolic files and standard input have exactly LEN bytes, as KLEE has it",
            |d, v| d.input.is_exact = v).of(C).under(INPUT),
        OptionRow::flag("sym-stat", "Permissions, links and times of symbolic files are input, too, and whether standard input is a file or a pipe: as KLEE has it. \
             Without it a file is an ordinary one, and standard input a pipe",
            |d, v| d.input.attributes = v).of(C).under(INPUT),
        OptionRow::flag("sym-stdout", "Record the standard output as KLEE does",
            |d, v| d.input.stdout = v).of(C).under(INPUT),
        OptionRow::one("fail-syscalls", "N", value_parser!(u32), "System calls that may fail on one path, by choice",
            |d, v| d.input.fail_syscalls = v).of(C).under(INPUT).default("0"),
        OptionRow::many("fs", "DIR", path(),
            "Show this directory of the host to the program, at the same path; changes do not reach the host. The program starts \
             in the current directory if that is inside a DIR, else in the first DIR",
            |d, v| d.world.fs = v).of(C).under(WORLD),
        OptionRow::one("save-fs", "NEW-DIR", path(),
            "When the one path of a concrete run ends, write the content of the first --fs directory",
            |d, v| d.save_fs = Some(v)).of(C).under(WORLD).requires("fs")
            .not_in_file("its directory must be new, and is not for the second run"),
        OptionRow::one("stdin", "FILE", path(), "Standard input of the program, from a file (concrete)",
            |d, v| d.world.stdin = Some(v)).of(C).under(WORLD),
        OptionRow::one("stdin-kind", "KIND", named(),
            "The kind of concrete standard input: file pipe terminal null",
            |d, v| d.world.stdin_kind = v).of(C).under(WORLD).default("file"),
        OptionRow::many("env", "NAME=VALUE", text(),
            "Set a variable of the program's environment, which is otherwise LC_ALL=C; NAME alone removes it",
            |d, v| d.world.env = v).of(C).under(WORLD),
        OptionRow::one("umask", "OCTAL", values::octal, "The program's file mode creation mask",
            |d, v| d.world.umask = v).of(C).under(WORLD).default("022"),
        OptionRow::one("stack", "MB", stack(), "The size of the program's stack (RLIMIT_STACK) in MiB, at most 64",
            |d, v| d.world.stack_mb = v).of(C).under(WORLD).default("8"),
        OptionRow::one("clock", "SECONDS", value_parser!(i64), "The program's clock at its start, in seconds since 1970",
            |d, v| d.world.clock = v).of(C).under(WORLD).default("1700000000"),
        OptionRow::list("check", values::checks(), "Errors to look for: a list with commas (docs/errors.md)",
            |d, v| d.c.checks = v.iter().flat_map(|c| c.iter()).collect()).of(C).under(ERRORS)
            .default("memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,alloc,function-type"),
        OptionRow::flag("silent-assume", "Do not report a klee_assume that no path gets past",
            |d, v| d.silent_assume = v).of(C).under(ERRORS),
        OptionRow::many("cc-flag", "FLAG", text(), "A flag for the compiler when PROGRAM is a source (repeatable)",
            |d, v| d.c.cc_flags = v).of(C).under(PROGRAM).clap(|a| a.allow_hyphen_values(true)),

        // One function.
        OptionRow::one("entry", "FUNCTION", text(),
            "Explore this function of PROGRAM (then also an archive) instead of main, its parameters symbolic by their types; \
             FILE:FUNCTION if several have the name. `polypath harness` shows the driver",
            |d, v| d.function = Some(v)).of(C).under(FUNCTION),
        OptionRow::one("harness", "FILE", path(), "The driver that calls it: an edited driver from `polypath harness`",
            |d, v| d.entry.harness = Some(v)).of(C).under(FUNCTION).requires("entry"),
        OptionRow::one("precondition", "FUNCTION", text(),
            "Call the function only with parameters for which this one (same parameters, returns int) is not 0",
            |d, v| d.entry.parameters.precondition = Some(v)).of(PARAMETERS).under(FUNCTION),
        OptionRow::many("array-len", "ARRAY=LENGTH[:MAX]", text(),
            "The array behind a parameter or field has this many elements, an expression of other ones, each at most MAX: a=n, \
             m->data=m->rows*m->cols:3, buf=16",
            |d, v| d.entry.parameters.array_len = v).of(PARAMETERS).under(FUNCTION),
        OptionRow::one("array-max", "N", value_parser!(u64), "Greatest bound of lengths, and most elements of arrays of unknown length. It is 4 at first, and doubles when that brings nothing new",
            |d, v| d.entry.parameters.array_max = v).of(PARAMETERS).under(FUNCTION).default("64"),
        OptionRow::one("string-max", "N", value_parser!(u64), "Most characters of a string. At first 8",
            |d, v| d.entry.parameters.string_max = v).of(PARAMETERS).under(FUNCTION).default("64"),
        OptionRow::one("pointer-depth", "N", value_parser!(u32), "Length of a chain of objects behind a pointer",
            |d, v| d.entry.parameters.pointer_depth = v).of(PARAMETERS).under(FUNCTION).default("3"),
        OptionRow::flag("no-null", "No pointer is null",
            |d, v| d.entry.parameters.no_null = v).of(PARAMETERS).under(FUNCTION),
        OptionRow::flag("null", "Parameters may be null that the code uses without ever asking, too, although nothing says that callers may pass null",
            |d, v| d.entry.parameters.null = v).of(PARAMETERS).under(FUNCTION).clap(|a| a.conflicts_with("no-null")),
        OptionRow::flag("no-alias", "No two pointers point to the same object",
            |d, v| d.entry.parameters.no_alias = v).of(PARAMETERS).under(FUNCTION),
        OptionRow::flag("by-hand", "Make structures with visible members member by member, even if the library has a function that \
             initializes them: more states, of which some may never occur",
            |d, v| d.entry.parameters.by_hand = v).of(PARAMETERS).under(FUNCTION),
        OptionRow::one("prior-calls", "N", value_parser!(u32).range(0..=8),
            "Most calls of the library's functions on an object between its constructor and the tested call",
            |d, v| d.entry.parameters.prior_calls = v).of(PARAMETERS).under(FUNCTION).default("2"),
        OptionRow::many("with", "FILE", path(),
            "A further source, object or archive of the library (repeatable), as for a precondition",
            |d, v| d.entry.parameters.with = v).of(PARAMETERS).under(FUNCTION),

        // What is written and said.
        OptionRow::one("out", "DIR", path(), "Directory for the results [default: polypath-out-N, with a link polypath-last]",
            |d, v| d.invocation.out = Some(v)).of(BOTH).under(OUTPUT)
            .not_in_file("the file has one `out` for all targets, and each has a directory of its name there"),
        OptionRow::one("tests", "WHICH", named(), "The paths that get a test",
            |d, v| d.plan.output.tests = v).of(BOTH).under(OUTPUT).default("all"),
        OptionRow::one("write-tests", "KIND", named(),
            "Write the telling tests as source, too, into DIR/ctest: to keep beside the library, and to run by CTest without Polypath (with \
             --entry; docs/entry.md)",
            |d, v| d.plan.output.kept_tests = Some(v)).of(C).under(OUTPUT),
        OptionRow::flag("no-tests", "Write no tests",
            |d, v| d.no_tests = v).of(C).under(OUTPUT),
        OptionRow::flag("quiet", "No progress and no summary; only errors and losses",
            |d, v| d.plan.output.quiet = v).of(BOTH).under(OUTPUT).may_change().clap(|a| a.short('q'))
            .not_in_file(SHOWN),
        OptionRow::one("progress", "FORM", named(), "How the progress is shown on stderr (docs/progress.md)",
            |d, v| d.plan.output.progress = v).of(BOTH).under(OUTPUT).default("line").may_change()
            .not_in_file(SHOWN),
        OptionRow::one("junit", "VERSION", text(), "Write the tests as a class for this JUnit into DIR/junit: 5, 4, or none",
            |d, v| d.java.junit = v).of(JAVA).under(OUTPUT).default("5"),
        OptionRow::one("max-retries", "N", value_parser!(u32), "Forks of one instruction that may execute it anew, in a row",
            |d, v| d.plan.limits.max_retries = v).of(C).default("100000").clap(|a| a.hide(true)),
        OptionRow::flag("strict", "Exit with status 4 if no error was found but something was left out",
            |d, v| d.plan.output.strict = v).of(C).under(OUTPUT).may_change(),
        OptionRow::flag("strict", "Exit with status 4 if something was left out",
            |d, v| d.plan.output.strict = v).of(JAVA).under(OUTPUT).may_change(),
    ]
}
