//! Options of other tools, and their counterparts here. To add one: a row.

use super::Tool::{self, *};

/// The counterpart of another tool's option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Here {
    /// This option, with the same value.
    Is(&'static str),
    /// This option, whose value is a number of seconds; KLEE writes `1h30min`.
    Seconds(&'static str),
    /// These words, whatever the value was.
    Words(&'static [&'static str]),
    /// Always on: no option is needed.
    Always(&'static str),
    /// Not there; what to do instead.
    Instead(&'static str),
}

/// One option of another tool.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub tool: Tool,
    /// Without dashes.
    pub name: &'static str,
    /// Whether a value may follow as a word of its own.
    pub value: bool,
    pub here: Here,
}

const fn with(tool: Tool, name: &'static str, here: Here) -> Word {
    Word {
        tool,
        name,
        value: true,
        here,
    }
}

const fn flag(tool: Tool, name: &'static str, here: Here) -> Word {
    Word {
        tool,
        name,
        value: false,
        here,
    }
}

const EACH_PATH: &str = "each path that ends has its test and errors.json each distinct error";
const ONE_LIBC: &str =
    "the program always runs with a real C library (musl), and system calls are modelled";
const ONE_PROGRAM: &str = "libraries are linked before: `polypath build -- make` or `polypath cc`";
const OWN_SOLVER: &str = "the solver is built in; --solver-layers and --arrays change it";
const PROGRESS: &str =
    "stats.json and run.jsonl are written all the time; --progress json prints the latter's lines";
const BOUND: &str =
    "loops are not unrolled but explored; --time, --max-depth and --max-forks bound a run";

/// All of them.
#[rustfmt::skip]
pub const WORDS: &[Word] = {
    use Here::*;
    &[
        with(Klee, "max-time", Seconds("--time")),
        with(Klee, "max-memory", Is("--memory")),
        with(Klee, "max-solver-time", Seconds("--solver-time")),
        with(Klee, "max-core-solver-time", Seconds("--solver-time")),
        with(Klee, "max-instructions", Instead("--time bounds the run, --max-depth a path")),
        with(Klee, "max-instruction-time", Instead("--solver-time bounds a query, --time the run")),
        with(Klee, "max-stack-frames", Always("a stack that is full is an error of kind stack_overflow")),
        with(Klee, "max-tests", Instead("--tests new writes only tests that covered something new")),
        with(Klee, "output-dir", Is("--out")),
        with(Klee, "entry-point", Is("--entry")),
        with(Klee, "rng-initial-seed", Is("--seed")),
        with(Klee, "batch-time", Instead("--batch-instructions N")),
        flag(Klee, "use-batching-search", Always("see --batch-instructions")),
        flag(Klee, "use-merge", Instead("states are not merged")),
        flag(Klee, "use-incomplete-merge", Instead("states are not merged")),
        flag(Klee, "use-iterative-deepening-time-search", Instead("--search bfs")),
        flag(Klee, "optimize", Always("the program is optimized on its way into the engine; --cc-flag -O2 for a source")),
        flag(Klee, "optimize-aggressive", Always("the program is optimized on its way into the engine")),
        with(Klee, "switch-type", Always("a switch is one instruction with all its cases")),
        with(Klee, "libc", Always(ONE_LIBC)),
        flag(Klee, "libcxx", Always("programs of C++ have LLVM's library")),
        flag(Klee, "posix-runtime", Always(ONE_LIBC)),
        with(Klee, "uclibc-path", Always(ONE_LIBC)),
        with(Klee, "link-llvm-lib", Instead(ONE_PROGRAM)),
        with(Klee, "runtime-build", Always(ONE_LIBC)),
        flag(Klee, "ubsan-runtime", Words(&["--check", "memory,assert,div,shift,overflow"])),
        with(Klee, "external-calls", Always("nothing is called outside: all of the program is executed")),
        flag(Klee, "allow-external-sym-calls", Always("nothing is called outside: all of the program is executed")),
        flag(Klee, "disable-verify", Instead("bitcode is always verified")),
        flag(Klee, "warn-all-external-symbols", Always("the end of the run lists what is not modelled")),
        flag(Klee, "warn-all-externals", Always("the end of the run lists what is not modelled")),
        flag(Klee, "suppress-external-warnings", Always("things that are not modelled are reported once")),
        flag(Klee, "warnings-only-to-file", Words(&["--quiet"])),
        flag(Klee, "silent-klee-assume", Instead("a klee_assume that cannot hold is an error of kind user")),
        flag(Klee, "emit-all-errors", Always(EACH_PATH)),
        flag(Klee, "emit-all-errors-in-same-path", Always(EACH_PATH)),
        flag(Klee, "only-output-states-covering-new", Words(&["--tests", "new"])),
        flag(Klee, "write-no-tests", Words(&["--no-tests"])),
        flag(Klee, "dump-states-on-halt", Words(&["--tests", "live"])),
        flag(Klee, "exit-on-error", Instead("the run continues, and its exit status is 1")),
        with(Klee, "exit-on-error-type", Instead("the run continues; errors.json has the kinds")),
        flag(Klee, "readable-posix-inputs", Always("of several inputs that follow a path, a readable one is written")),
        flag(Klee, "check-div-zero", Always("--check div is among the defaults")),
        flag(Klee, "check-overshift", Always("--check shift is among the defaults")),
        flag(Klee, "write-cov", Always("polypath report writes lcov.info")),
        flag(Klee, "write-paths", Always("each test keeps its path (meta.json)")),
        flag(Klee, "write-sym-paths", Always("each test keeps its path (meta.json)")),
        flag(Klee, "write-test-info", Always("each test has a directory of plain files")),
        flag(Klee, "write-ktests", Always("tests are written as .ktest, too")),
        flag(Klee, "write-kqueries", Instead("--log-queries DIR writes all queries as SMT-LIB")),
        flag(Klee, "write-cvcs", Instead("--log-queries DIR writes all queries as SMT-LIB")),
        flag(Klee, "write-smt2s", Instead("--log-queries DIR writes all queries as SMT-LIB")),
        with(Klee, "use-query-log", Instead("--log-queries DIR writes all queries as SMT-LIB")),
        with(Klee, "min-query-time-to-log", Instead("--log-queries DIR writes all queries as SMT-LIB")),
        with(Klee, "solver-backend", Always(OWN_SOLVER)),
        with(Klee, "validate-solver", Always("every model is evaluated on the original query")),
        flag(Klee, "use-cex-cache", Always(OWN_SOLVER)),
        flag(Klee, "use-branch-cache", Always(OWN_SOLVER)),
        flag(Klee, "use-cache", Always(OWN_SOLVER)),
        flag(Klee, "use-independent-solver", Always(OWN_SOLVER)),
        flag(Klee, "use-fast-cex-solver", Always(OWN_SOLVER)),
        flag(Klee, "use-forked-solver", Always(OWN_SOLVER)),
        flag(Klee, "use-construct-hash-stp", Always(OWN_SOLVER)),
        flag(Klee, "use-construct-hash-z3", Always(OWN_SOLVER)),
        flag(Klee, "rewrite-equalities", Always(OWN_SOLVER)),
        flag(Klee, "simplify-sym-indices", Always(OWN_SOLVER)),
        flag(Klee, "const-array-opt", Always(OWN_SOLVER)),
        with(Klee, "optimize-array", Instead("--arrays NAME chooses the method for reads of arrays")),
        with(Klee, "max-sym-array-size", Instead("--arrays NAME chooses the method for reads of arrays")),
        flag(Klee, "equality-substitution", Always(OWN_SOLVER)),
        with(Klee, "max-static-fork-pct", Instead("--max-forks and --max-depth bound forks")),
        with(Klee, "max-static-solve-pct", Instead("--solver-time bounds a query")),
        with(Klee, "max-static-cpfork-pct", Instead("--max-forks and --max-depth bound forks")),
        with(Klee, "max-static-cpsolve-pct", Instead("--solver-time bounds a query")),
        flag(Klee, "max-memory-inhibit", Always("near --memory the least promising states are put aside")),
        with(Klee, "seed-dir", Is("--seed-input")),
        with(Klee, "seed-file", Instead("--seed-input DIR, the directory of the file")),
        with(Klee, "seed-out", Instead("--seed-input DIR, the directory of the file")),
        with(Klee, "seed-out-dir", Is("--seed-input")),
        flag(Klee, "only-seed", Instead("--seed-input DIR begins with seeds and explores further")),
        flag(Klee, "only-replay-seeds", Instead("polypath replay runs tests")),
        flag(Klee, "allow-seed-extension", Always("the input is as long as the longest seed, and may be shorter")),
        flag(Klee, "allow-seed-truncation", Always("the input is as long as the longest seed, and may be shorter")),
        flag(Klee, "zero-seed-extension", Always("the input is as long as the longest seed, and may be shorter")),
        flag(Klee, "named-seed-matching", Always("seeds are matched by name")),
        with(Klee, "replay-ktest-file", Instead("polypath replay DIR runs tests natively")),
        with(Klee, "replay-ktest-dir", Instead("polypath replay DIR runs tests natively")),
        with(Klee, "replay-path", Instead("polypath replay DIR runs tests natively")),
        with(Klee, "make-concrete-symbolic", Instead("make input symbolic: klee_make_symbolic or --sym-…")),
        with(Klee, "env-file", Instead("--env NAME=VALUE, repeatable")),
        with(Klee, "run-in-dir", Instead("--fs DIR shows a directory to the program")),
        flag(Klee, "watchdog", Always("--time holds by itself")),
        flag(Klee, "output-stats", Always(PROGRESS)),
        flag(Klee, "output-istats", Always(PROGRESS)),
        with(Klee, "stats-write-interval", Always(PROGRESS)),
        with(Klee, "istats-write-interval", Always(PROGRESS)),
        with(Klee, "stats-write-after-instructions", Always(PROGRESS)),
        with(Klee, "istats-write-after-instructions", Always(PROGRESS)),
        with(Klee, "uncovered-update-interval", Always(PROGRESS)),
        with(Klee, "delete-dead-loops", Always("checks are fixed before any optimization")),
        flag(Klee, "single-object-resolution", Always("a pointer keeps to the object that it was derived from")),
        flag(Klee, "kdalloc", Always("addresses are the same in every run")),
        flag(Klee, "allocate-determ", Always("addresses are the same in every run")),
        with(Klee, "kdalloc-quarantine", Always("freed objects are not reused at once")),
        with(Klee, "debug-print-instructions", Instead("polypath report shows which lines each run reached")),
        flag(Klee, "debug-report-symbdeps", Instead("the report shows which bytes of an input mattered")),
        flag(Klee, "track-instruction-time", Instead("stats.json has the time of the solver")),

        with(Cbmc, "unwind", Instead(BOUND)),
        with(Cbmc, "unwindset", Instead(BOUND)),
        with(Cbmc, "depth", Is("--max-depth")),
        flag(Cbmc, "unwinding-assertions", Always("the end of a run lists its losses")),
        flag(Cbmc, "no-unwinding-assertions", Always("the end of a run lists its losses")),
        flag(Cbmc, "partial-loops", Instead(BOUND)),
        flag(Cbmc, "bounds-check", Always("--check memory is among the defaults")),
        flag(Cbmc, "pointer-check", Always("--check memory is among the defaults")),
        flag(Cbmc, "pointer-overflow-check", Always("an access outside of its object is an error")),
        flag(Cbmc, "pointer-primitive-check", Always("an access outside of its object is an error")),
        flag(Cbmc, "memory-leak-check", Words(&["--check", "memory,assert,div,shift,leak"])),
        flag(Cbmc, "memory-cleanup-check", Words(&["--check", "memory,assert,div,shift,leak"])),
        flag(Cbmc, "div-by-zero-check", Always("--check div is among the defaults")),
        flag(Cbmc, "undefined-shift-check", Always("--check shift is among the defaults")),
        flag(Cbmc, "signed-overflow-check", Words(&["--check", "memory,assert,div,shift,overflow"])),
        flag(Cbmc, "unsigned-overflow-check", Instead("unsigned numbers wrap around in C, which is no error")),
        flag(Cbmc, "conversion-check", Instead("not there; --check overflow sees signed overflow")),
        flag(Cbmc, "float-overflow-check", Words(&["--check", "memory,assert,div,shift,fp-overflow"])),
        flag(Cbmc, "float-div-by-zero-check", Words(&["--check", "memory,assert,div,shift,fp-div"])),
        flag(Cbmc, "nan-check", Words(&["--check", "memory,assert,div,shift,fp-nan"])),
        flag(Cbmc, "no-standard-checks", Instead("--check LIST names the errors to look for")),
        with(Cbmc, "function", Is("--entry")),
        with(Cbmc, "property", Instead("all errors are looked for; --check LIST names kinds")),
        flag(Cbmc, "trace", Always("each error has a test and a stack; polypath report shows them")),
        flag(Cbmc, "stop-on-fail", Instead("the run continues, and its exit status is 1")),
        with(Cbmc, "cover", Always("tests are written for all paths; polypath report shows the coverage")),
        flag(Cbmc, "show-properties", Instead("all errors are looked for")),
        with(Cbmc, "object-bits", Always("pointers have 64 bits")),
        with(Cbmc, "malloc-fail-null", Instead("an allocation fails when its size is absurd; --fail-syscalls N lets system calls fail")),
        flag(Cbmc, "64", Always("programs are those of x86-64 Linux")),
        flag(Cbmc, "32", Instead("programs are those of x86-64 Linux")),

        with(Fuzzer, "max_total_time", Seconds("--time")),
        with(Fuzzer, "max_len", Is("--max-len")),
        with(Fuzzer, "rss_limit_mb", Is("--memory")),
        with(Fuzzer, "malloc_limit_mb", Instead("--memory is for the whole run")),
        with(Fuzzer, "runs", Instead("--time bounds the run; a fuzz target that `polypath cc` links runs the files that are its arguments once, as with -runs=0")),
        with(Fuzzer, "timeout", Instead("--time bounds the run")),
        with(Fuzzer, "fork", Is("--jobs")),
        with(Fuzzer, "workers", Is("--jobs")),
        with(Fuzzer, "merge", Instead("polypath export DIR --minimal --raw OUT writes a minimal corpus of a run")),
        with(Fuzzer, "set_cover_merge", Instead("polypath export DIR --minimal --raw OUT writes a minimal corpus of a run")),
        with(Fuzzer, "minimize_crash", Instead("not there; among the tests of an error the shortest is shown first")),
        with(Fuzzer, "dict", Instead("not needed: the solver finds what comparisons ask for; polypath export DIR --dict FILE writes what it found")),
        with(Fuzzer, "artifact_prefix", Instead("polypath export DIR --raw OUT: crash files are in OUT/crashes")),
        with(Fuzzer, "exact_artifact_path", Instead("polypath export DIR --raw OUT: crash files are in OUT/crashes")),
        with(Fuzzer, "use_value_profile", Always("the solver finds what comparisons ask for")),
        with(Fuzzer, "use_cmp", Always("the solver finds what comparisons ask for")),
        with(Fuzzer, "entropic", Instead("--search NAME chooses what runs next")),
        with(Fuzzer, "len_control", Always("short inputs come first, and grow when they bring nothing new")),
        with(Fuzzer, "prefer_small", Always("short inputs come first, and grow when they bring nothing new")),
        with(Fuzzer, "shuffle", Always("all seeds run first")),
        with(Fuzzer, "mutate_depth", Instead("nothing is mutated: each input is solved for")),
        with(Fuzzer, "cross_over", Instead("nothing is mutated: each input is solved for")),
        with(Fuzzer, "mutation_graph_file", Instead("nothing is mutated: each input is solved for")),
        with(Fuzzer, "reduce_inputs", Instead("polypath export DIR --minimal --raw OUT writes a minimal corpus of a run")),
        with(Fuzzer, "shrink", Instead("polypath export DIR --minimal --raw OUT writes a minimal corpus of a run")),
        with(Fuzzer, "only_ascii", Instead("klee_assume in the target says which inputs are meant (klee/klee.h)")),
        with(Fuzzer, "detect_leaks", Instead("--check LIST with `leak` in it looks for leaks")),
        with(Fuzzer, "ignore_crashes", Always("a run goes on after an error")),
        with(Fuzzer, "ignore_timeouts", Always("a run goes on after an error")),
        with(Fuzzer, "ignore_ooms", Always("a run goes on after an error")),
        with(Fuzzer, "close_fd_mask", Always("what the program prints is kept in its tests and not shown")),
        with(Fuzzer, "print_final_stats", Always(PROGRESS)),
        with(Fuzzer, "print_coverage", Instead("polypath report DIR writes the coverage")),
        with(Fuzzer, "print_pcs", Instead("polypath report DIR writes the coverage")),
        with(Fuzzer, "print_funcs", Instead("polypath report DIR writes the coverage")),
        with(Fuzzer, "i", Instead("AFL's input directory: --mode concolic --seed-input DIR begins with its files")),
        with(Fuzzer, "o", Is("--out")),
        with(Fuzzer, "x", Instead("AFL's dictionary is not needed: the solver finds what comparisons ask for")),
        with(Fuzzer, "t", Instead("AFL's time-out: --time bounds the run")),
        with(Fuzzer, "V", Seconds("--time")),
        with(Fuzzer, "M", Instead("--jobs N has several workers; --sync DIR exchanges inputs with AFL++ instances")),
        with(Fuzzer, "S", Instead("--jobs N has several workers; --sync DIR exchanges inputs with AFL++ instances")),
        with(Fuzzer, "F", Is("--sync")),
        with(Fuzzer, "reload", Instead("--sync DIR exchanges inputs while both run")),
        flag(Fuzzer, "Q", Instead("no emulation: the program is built by `polypath build` or `polypath cc`")),
    ]
};
