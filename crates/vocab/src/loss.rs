//! Losses: parts of the program that a run can leave out without ending a path, with counts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

macro_rules! losses {
    ($($variant:ident $name:literal $words:literal, $help:literal;)*) => {
        /// What a run left out without ending a path.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Loss { $(#[doc = $help] $variant),* }

        impl Loss {
            /// All losses, in the order of the table.
            pub const ALL: &[Loss] = &[$(Loss::$variant),*];

            /// The name in `stats.json`.
            pub const fn name(self) -> &'static str {
                match self { $(Loss::$variant => $name),* }
            }

            /// What it means, and what can be done.
            pub const fn help(self) -> &'static str {
                match self { $(Loss::$variant => $help),* }
            }

            /// What was left out, after its number.
            pub const fn words(self) -> &'static str {
                match self { $(Loss::$variant => $words),* }
            }
        }
    };
}

losses! {
    Parked      "parked_sides"        "branches parked",
        "The solver did not decide the other side of a branch within its budget; the reasons are in brackets and under `parked` in stats.json. --solver-time raises the budget of a query. A side parked with `budget` or `timeout` is asked again with more while time is left; `float`: the method decides no such condition, --fp-solver isc does.";
    Concretized "concretizations"     "values made concrete",
        "A system call or an operation of the engine needs one value where a symbolic one had more than 64: it got one of them, and the others are not explored. Restrict the value with klee_assume, or make less input symbolic.";
    Values      "given_values"        "values given for symbolic ones (klee_get_value)",
        "The program asked for one value of something symbolic (klee_get_value) and continues with it alone.";
    Resolutions "limited_resolutions" "symbolic addresses limited",
        "A symbolic address could be in more than 64 objects: the others were cut off. Or the solver did not decide whether it can be outside of the nearest object: if it can, no error is seen.";
    Sizes       "limited_sizes"       "allocation sizes above 65536 bytes",
        "A symbolic allocation size that can be above 65,536 bytes takes one value there.";
    Leaks       "unasked_leaks"       "objects kept by symbolic pointers alone, not checked for leaks",
        "Pointers that depend on input alone lead to these objects: whether some input loses them was asked for 16 objects of a path, or the solver did not know.";
    FloatChecks "open_float_checks" "floating-point checks not decided",
        "The solver did not decide whether an operation can raise a floating-point exception (--check fp-...), and no other path showed that it can. Counted by place and kind of exception. --solver-time raises the budget of a query.";
    Forks       "limited_forks"       "forks limited",
        "--max-forks or --max-depth kept the other side of a branch from being followed.";
    Dropped     "dropped_states"      "forks that concolic mode cannot follow",
        "Concolic mode follows one path at a time and left other outcomes out (--fail-syscalls). Use --mode fork.";
    Unchecked   "unchecked_calls"     "calls that cannot be checked",
        "A check that was asked for cannot be made. In code that an optimizer wrote (shift, overflow, bounds): it shifts and adds where the program does not. Give bitcode that was compiled without optimization (polypath cc keeps it, whatever -O says), or leave these checks out (--check). Of a call of libc: its format depends on the input (libc), or its strings lie at addresses that depend on the input (overlap).";
    Refused     "refused_calls"       "calls refused that a real system would do",
        "The program made a call that the model of the system refuses and a real system would execute (threads, new processes, the network, more memory than our limits allow). The program saw an error, as it might natively.";
    Models      "wrong_models"        "wrong models of our solver, which were not used",
        "A model of our solver did not satisfy the query. It was not used; the query is kept as wrong-model-N.smt2: please report it.";
    Output      "lost_output"         "outputs of the program not passed on",
        "What the program wrote could not be passed on to our own standard output or error.";
    Unsaved     "unsaved_tests"       "tests not written in time",
        "When the run ended there was no time to write the tests of all paths that were alive and had covered something new. With several workers these are also tests of paths that were explored: `polypath run --resume` writes them.";
    Open        "open_branches"       "branches left open",
        "Branches whose other side was not tried: the run ended before.";
    Divergences "divergences"         "divergences",
        "An input did not take the path for which it was made. In Java something on which the path depends is no input (the clock, random numbers, other threads), and `polypath replay` shows where. A run of a C program depends on its input alone: there each of these is an internal error, too, whose input is kept.";
    Forgotten   "forgotten_branches"  "branches dropped for memory",
        "There was not enough memory for all branches that concolic mode has yet to try: raise --memory.";
}

/// A number for each row of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "Row: Ord + Deserialize<'de>"))]
pub struct Tally<Row>(BTreeMap<Row, u64>);

impl<Row> Default for Tally<Row> {
    fn default() -> Tally<Row> {
        Tally(BTreeMap::new())
    }
}

impl<Row: Ord + Copy> Tally<Row> {
    /// Counts `n` more.
    pub fn add(&mut self, row: Row, n: u64) {
        if n > 0 {
            *self.0.entry(row).or_default() += n;
        }
    }

    /// Replaces a number.
    pub fn set(&mut self, row: Row, n: u64) {
        self.0.insert(row, n);
    }

    /// Counts as many more as `other` has, in each row.
    pub fn add_all(&mut self, other: &Tally<Row>) {
        other.0.iter().for_each(|(&row, &n)| self.add(row, n));
    }

    /// How many there were.
    pub fn of(&self, row: Row) -> u64 {
        self.0.get(&row).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let losses: HashSet<&str> = Loss::ALL.iter().map(|l| l.name()).collect();
        assert_eq!(losses.len(), Loss::ALL.len());
    }
}
