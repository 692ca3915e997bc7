//! Options of GCC that clang does not have or understands differently.
//!
//! Projects are written for GCC. Warnings and optimizations that only GCC has are accepted and left out; and warnings
//! that only clang has must not end a build with `-Werror`. Configure tests, however, use `-Werror` to find out which
//! options exist, and must get GCC's answer.

use crate::command_line::CommandLine;

/// Warnings of GCC (up to 14) that clang does not know, without `-W` or `-Wno-`; `*` and `=` at the end stand for anything,
/// and for a value.
const WARNINGS: &str = "
aggressive-loop-optimizations aliasing align-commons alloc-zero alloc-size alloc-size-larger-than
alloca-larger-than analyzer-* arith-conversion array-compare array-parameter= array-bounds=
attribute-alias bidi-chars bool-compare builtin-declaration-mismatch c11-c2x-compat c11-c23-compat
c90-c99-compat c99-c11-compat calloc-transposed-args cannot-profile cast-result catch-value class-
memaccess clobbered comma-subscript complain-wrong-lang coverage-invalid-line-number coverage-
mismatch dangling-pointer designated-init discarded-array-qualifiers discarded-qualifiers
duplicated-branches duplicated-cond flex-array-member-not-at-end format-contains-nul format-diag
format-overflow= format-truncation= hsa if-not-aligned implicit-fallthrough= infinite-recursion=
inherited-variadic-ctor init-list-lifetime interference-size invalid-memory-model jump-misses-init
larger-than literal-suffix logical-op lto-type-mismatch maybe-uninitialized memset-elt-size
mismatched-dealloc missing-attributes missing-parameter-type missing-profile missing-requires
missing-template-keyword multiple-inheritance multistatement-macros namespaces noexcept non-
template-friend nonnull-compare normalized old-style-declaration openacc-parallelism openmp-simd
override-init-side-effects packed-bitfield-compat packed-not-aligned placement-new pmf-conversions
redundant-tags restrict scalar-storage-order shadow= shadow-compatible-local shadow-local shift-
overflow= sized-deallocation stack-usage strict-null-sentinel stringop-overflow stringop-overread
stringop-truncation subobject-linkage suggest-attribute suggest-final-methods suggest-final-types
switch-outside-range switch-unreachable sync-nand templates terminate traditional traditional-
conversion trampolines trivial-auto-var-init tsan unsafe-loop-optimizations unsuffixed-float-
constants unused-but-set-parameter= unused-const-variable= use-after-free useless-cast vector-
operation-performance virtual-inheritance virtual-move-assign vla-larger-than vla-parameter volatile
zero-length-bounds missing-variable-declarations= enum-int-mismatch
";

/// Optimizations and reports of GCC (after `-f` or `-fno-`) that clang does not know.
const FEATURES: &str = "
aggressive-loop-optimizations allocation-dce allow-store-data-races analyzer* auto-inc-dec bit-tests branch-probabilities
branch-target-load-optimize* btr-bb-exclusive callgraph-info* check-data-deps checking* code-hoisting combine-stack-adjustments
compare-elim conserve-stack cprop-registers crossjumping cse-* dce delayed-branch delete-dead-exceptions devirtualize-at-ltrans
diagnostics-column-* diagnostics-generate-patch diagnostics-minimum-margin-width=* diagnostics-path-format=* diagnostics-plain-output
diagnostics-show-caret diagnostics-show-cwe diagnostics-show-labels diagnostics-show-path-depths diagnostics-urls=* dse dump-*
early-inlining eliminate-dwarf2-dups forward-propagate function-cse gcse* graphite* guess-branch-probability harden-*
hoist-adjacent-loads if-conversion* indirect-inlining inline-atomics inline-limit* ipa-* ira-* isolate-erroneous-paths-*
keep-gc-roots-live keep-static-functions large-source-files lifetime-dse* limit-function-alignment live-patching* live-range-shrinkage
loop-* lra-remat mem-report* merge-debug-strings move-loop-* nothrow-opt opt-info* optimize-register-move optimize-strlen
partial-inlining peephole* predictive-commoning printf-return-value regmove rename-registers reorder-* report-bug rerun-*
reschedule-modulo-scheduled-loops sched-* schedule-* sched2-* section-anchors sel-sched-* selective-scheduling* shrink-wrap*
simd-cost-model=* split-ivs-in-unroller split-loops split-paths split-wide-types* ssa-* stack-check* stack-protector-explicit stack-reuse=* stdarg-opt store-merging sync-libcalls
thread-jumps time-report-details toplevel-reorder trampolines tree-* unconstrained-commons
unroll-completely-grow-size var-tracking* vect-cost-model=* version-loops-for-strides vpt web zee
";

/// The same for the machine (after `-m` or `-mno-`).
const MACHINE: &str = "
accumulate-outgoing-args align-stringops avx256-split-* branch-cost=* fancy-math-387 force-drap fused-madd incoming-stack-boundary=*
indirect-branch-register inline-all-stringops inline-stringops-dynamically mitigate-rop move-max=* prefer-avx128 preferred-stack-boundary=*
push-args store-max=* stringop-strategy=* stv tune-ctrl=* veclibabi=* vzeroupper
";

/// Whether this is an option of GCC's that changes nothing here.
pub fn only_gcc_knows(flag: &str) -> bool {
    let (names, rest) = if let Some(rest) = flag.strip_prefix("-W") {
        let rest = rest.strip_prefix("no-").unwrap_or(rest);
        (WARNINGS, rest.strip_prefix("error=").unwrap_or(rest))
    } else if let Some(rest) = flag.strip_prefix("-f") {
        (FEATURES, rest)
    } else if let Some(rest) = flag.strip_prefix("-m") {
        (MACHINE, rest)
    } else {
        return false;
    };
    let name = rest.strip_prefix("no-").unwrap_or(rest);
    names.split_whitespace().any(|known| {
        if let Some(prefix) = known.strip_suffix('*') {
            name.starts_with(prefix)
        } else if known.ends_with('=') {
            name.starts_with(known)
        } else {
            name.strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        }
    })
}

/// Default warnings of clang that GCC has not at all.
const CLANG_ALONE: &[&str] = &[
    "absolute-value",
    "bitfield-constant-conversion",
    "constant-conversion",
    "deprecated-non-prototype",
    "enum-conversion",
    "extern-initializer",
    "gnu-folding-constant",
    "ignored-optimization-argument",
    "implicit-const-int-float-conversion",
    "invalid-source-encoding",
    "literal-conversion",
    "many-braces-around-scalar-init",
    "non-literal-null-conversion",
    "parentheses-equality",
    "self-assign",
    "string-compare",
    "string-plus-int",
    "tautological-compare",
    "unsequenced",
    "unused-command-line-argument",
    "visibility",
];

/// Default warnings of clang that GCC gives with `-Wall` or `-Wextra` only.
const ONLY_ON_DEMAND: &[&str] = &[
    "comment",
    "dangling-else",
    "empty-body",
    "format",
    "format-security",
    "logical-not-parentheses",
    "pointer-sign",
    "return-type",
    "switch",
    "unknown-pragmas",
    "unused-value",
];

/// Default warnings of GCC that [`crate::flags`] makes warnings of clang, too: with `-Werror` they are errors.
const OF_BOTH: &[&str] = &[
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
];

/// What comes behind the user's flags so that warnings become errors where they would with GCC. In a build no warning is
/// an error unless it was asked for by its name (`-Werror=…`); what warns is the same as without.
pub fn errors(line: &CommandLine, is_probe: bool) -> Vec<String> {
    if !is_probe {
        return [
            "-Wno-error",
            "-Wno-unknown-warning-option",
            "-Wno-ignored-optimization-argument",
        ]
        .map(String::from)
        .into();
    }
    let given = |flag: &str| line.arguments.iter().any(|a| a == flag);
    let last = line
        .arguments
        .iter()
        .rfind(|a| *a == "-Werror" || *a == "-Wno-error");
    if last.is_none_or(|flag| flag != "-Werror") {
        return Vec::new();
    }
    let mut flags = vec!["-Werror=unknown-warning-option".to_owned()];
    for name in OF_BOTH {
        if !given(&format!("-Wno-{name}")) && !given(&format!("-Wno-error={name}")) {
            flags.push(format!("-Werror={name}"));
        }
    }
    let demanded = ["-Wall", "-Wextra", "-W"].into_iter().any(given);
    let silent = if demanded { &[] } else { ONLY_ON_DEMAND };
    for name in CLANG_ALONE.iter().chain(silent) {
        if !given(&format!("-Werror={name}")) {
            flags.push(format!("-Wno-error={name}"));
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line;

    #[test]
    fn options_of_gcc_are_known_by_name_negation_and_value() {
        for flag in [
            "-Wlogical-op",
            "-Wno-maybe-uninitialized",
            "-Werror=discarded-qualifiers",
            "-Wno-error=stringop-overflow",
            "-Wstringop-overflow=4",
            "-Wformat-truncation=2",
            "-Wimplicit-fallthrough=3",
            "-Wanalyzer-double-free",
            "-fno-tree-vectorize",
            "-fconserve-stack",
            "-mpreferred-stack-boundary=4",
            "-mno-accumulate-outgoing-args",
        ] {
            assert!(only_gcc_knows(flag), "{flag}");
        }
        // Known to clang as well, unknown to both, or with a meaning.
        for flag in [
            "-Wall",
            "-Wformat-truncation",
            "-Wimplicit-fallthrough",
            "-Wfrobnicate",
            "-Werror",
            "-fwrapv",
            "-fno-strict-aliasing",
            "-ftrapv",
            "-mcmodel=large",
            "-msse4.2",
            "-funsigned-char",
        ] {
            assert!(!only_gcc_knows(flag), "{flag}");
        }
    }

    #[test]
    fn werror_counts_in_probes_only() {
        let errors = |text: &str, is_probe| {
            let words: Vec<String> = text.split(' ').map(String::from).collect();
            errors(&command_line::parse(&words), is_probe)
        };
        assert_eq!(errors("-c -Werror a.c", false)[0], "-Wno-error");
        assert!(errors("-c a.c", true).is_empty());
        assert!(errors("-c -Werror -Wno-error a.c", true).is_empty());
        let probe = errors("-c -Werror -Wno-int-conversion conftest.c", true);
        assert!(probe.contains(&"-Werror=unknown-warning-option".into()));
        assert!(probe.contains(&"-Werror=implicit-function-declaration".into()));
        assert!(!probe.contains(&"-Werror=int-conversion".into()));
        assert!(probe.contains(&"-Wno-error=format".into()));
        assert!(!errors("-c -Werror -Wall a.c", true).contains(&"-Wno-error=format".into()));
    }
}
