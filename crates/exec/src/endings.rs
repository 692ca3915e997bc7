//! What a run claims, as two tables: how a path can end, and what else a run can leave out.
//!
//! [`left_out`] goes over both. To say "everything was explored" of a run that left something out, a row would have
//! to lie: nothing else is asked. A new way to end a path is a row of `endings!`, a new way to leave something out one
//! of `losses!`; `tests/losses.rs` of crate `cli` runs a program for each row.

use crate::engine::Counters;
use crate::machine::Machine;
use host::Cause;
use std::collections::BTreeMap;

/// When an ended path becomes a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Its input is worth having, whatever it covered.
    Always,
    /// If it covered something new.
    New,
    Never,
}

macro_rules! endings {
    ($($variant:ident $name:literal $complete:literal $keep:ident $loss:expr, $help:literal;)*) => {
        /// How a path ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Ending { $(#[doc = $help] $variant),* }

        impl Ending {
            /// All endings, in the order of the table.
            pub const ALL: &[Ending] = &[$(Ending::$variant),*];

            /// The name in `stats.json`.
            pub const fn name(self) -> &'static str {
                match self { $(Ending::$variant => $name),* }
            }

            /// Whether the path was explored to its end.
            pub const fn is_complete(self) -> bool {
                match self { $(Ending::$variant => $complete),* }
            }

            /// When such a path becomes a test.
            pub const fn keep(self) -> Keep {
                match self { $(Ending::$variant => Keep::$keep),* }
            }

            /// What it means, and what can be done.
            pub const fn help(self) -> &'static str {
                match self { $(Ending::$variant => $help),* }
            }

            /// What a run with such paths has left out, after their number; `None`: nothing, or it is counted as
            /// something else.
            pub const fn loss(self) -> Option<&'static str> {
                match self { $(Ending::$variant => $loss),* }
            }
        }
    };
}

endings! {
    // variant   name                   complete  test
    Exit        "exit"                   true  Always None,
        "The program exited.";
    Error       "error"                  true  Always None,
        "An error of the program; counted by its kind.";
    Again       "again"                  true  New    None,
        "The program exited as on a path that was explored before, with floats as terms.";
    Silent      "silent"                 false Never  None,
        "The program asked for no test (`klee_silent_exit`), or assumed what cannot hold here.";
    Undecided   "assumption not decided" false Never  None,
        "The solver did not decide an assumption: the side on which it holds is parked, and counted there.";
    Unsupported "unsupported"            false New    Some("paths unsupported"),
        "Polypath cannot execute a construct; the line that says so names it. If the program does not need it, make the call fail or leave it out of the build.";
    Retries     "retries"                false New    Some("paths with too many ways through one instruction"),
        "One instruction was executed anew on too many forks of itself: it asks about many symbolic values at once. --max-retries raises the limit; less symbolic input avoids it.";
    Blocked     "blocked"                false New    Some("paths blocked"),
        "The program waits for what never comes: a signal, a child, the other end of a pipe. Nothing follows on that path.";
    Memory      "memory"                 false Always Some("paths ended for memory"),
        "The run's memory was short. Nobody comes back to it: its input is all that stays of it. Raise --memory, or search depth first (--search dfs), which keeps fewer states.";
    Output      "output"                 false New    Some("paths ended for too much output (--max-output)"),
        "Its files and its output took more than one path may: --max-output raises the limit.";
    Time        "time"                   false New    Some("paths unfinished"),
        "The run's time was over: --time and --cpu-time raise it.";
    Interrupted "interrupted"            false New    Some("paths unfinished"),
        "Somebody stopped the run.";
    NoForks     "max-forks"              false New    Some("paths unfinished"),
        "No fork was left, and the path did not come to its end by itself.";
    Instructions "instructions"          false New    Some("runs too long"),
        "A concolic run took more instructions than one run may; its input is likely to make the program loop.";
    Internal    "internal"               false Always Some("internal errors"),
        "The engine contradicts itself. The input that led there is kept as a test: please report it, a maintainer needs it.";
}

macro_rules! losses {
    ($($variant:ident $name:literal $words:literal, $help:literal;)*) => {
        /// What a run left out without ending a path.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
        "The solver did not decide the other side of a branch within its budget; the reasons stand in brackets and under `parked` in stats.json. --solver-time raises the budget of a query; `float`: --fp-solver isc.";
    Concretized "concretizations"     "values made concrete",
        "A system call or an operation of the engine needs one value where a symbolic one had more than 64: it got one of them, and the others are not explored. Restrict the value with klee_assume, or make less input symbolic.";
    Values      "given_values"        "values given for symbolic ones (klee_get_value)",
        "The program asked for one value of something symbolic (klee_get_value) and goes on with it alone.";
    Resolutions "limited_resolutions" "symbolic addresses limited",
        "A symbolic address could mean more than 64 objects: the rest was cut off.";
    Sizes       "limited_sizes"       "allocation sizes above 65536 bytes",
        "A symbolic allocation size that can be above 65,536 bytes takes one value there.";
    Leaks       "unasked_leaks"       "objects kept by symbolic pointers alone, not checked for leaks",
        "Pointers that depend on input alone lead to these objects: whether some input loses them was asked for 16 objects of a path, or the solver did not know.";
    Forks       "limited_forks"       "forks limited",
        "--max-forks or --max-depth kept the other side of a branch from being followed.";
    Dropped     "dropped_states"      "forks that concolic mode cannot follow",
        "Concolic mode follows one path at a time and left other outcomes out (--fail-syscalls). Use --mode fork.";
    Refused     "refused_calls"       "calls refused that a real system would do",
        "The program called what the model of the system refuses and a real system would do (threads, new processes, the network). The program saw an error, as it might natively.";
    Models      "wrong_models"        "wrong models of our solver, which were not used",
        "A model of our solver did not satisfy the query. It was not used; the query is kept as wrong-model-N.smt2: please report it.";
    Output      "lost_output"         "outputs of the program not passed on",
        "What the program wrote could not be passed on to our own standard output or error.";
    Unsaved     "unsaved_tests"       "tests of cut paths not written",
        "When the run ended there was no time to write the tests of all paths that were alive and had covered something new.";
    Open        "open_branches"       "branches left open",
        "Branches whose other side nobody has tried yet: the run ended before.";
    Divergences "divergences"         "divergences",
        "An input did not take the path that it was made for. Something that the path depends on is no input; `polypath replay` says where.";
    Forgotten   "forgotten_branches"  "branches dropped for memory",
        "There was not enough memory for all branches that concolic mode has yet to try: raise --memory.";
}

/// Why a run stops before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A limit, or the user.
    Stopped(Cause),
    /// `--max-forks`.
    Forks,
}

impl Halt {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Halt::Stopped(cause) => cause.name(),
            Halt::Forks => "fork limit",
        }
    }

    /// How the paths end that are still alive then.
    pub fn ending(self) -> Ending {
        match self {
            Halt::Stopped(cause) => Ending::stopped(cause),
            Halt::Forks => Ending::NoForks,
        }
    }
}

impl Ending {
    /// The end of a path that was alive when the run had to end.
    pub fn stopped(cause: Cause) -> Ending {
        match cause {
            Cause::Signal => Ending::Interrupted,
            Cause::Time | Cause::CpuTime => Ending::Time,
            Cause::Memory => Ending::Memory,
        }
    }
}

/// A number for each row of a table.
#[derive(Clone, Debug)]
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

    /// How many there were.
    pub fn of(&self, row: Row) -> u64 {
        self.0.get(&row).copied().unwrap_or(0)
    }
}

/// How often something was left out.
pub fn lost(loss: Loss, n: &Counters, m: &Machine) -> u64 {
    match loss {
        Loss::Parked => n.parked,
        Loss::Refused => m.stats.refused.values().sum(),
        Loss::Models => m.solver.stats().models_rejected,
        Loss::Unsaved => n.unsaved,
        _ => m.stats.losses.of(loss),
    }
}

/// What a run left out, all of it in words; `None`: everything was explored.
pub fn left_out(stopped: Option<&str>, n: &Counters, m: &Machine) -> Option<String> {
    let mut reasons: Vec<String> = stopped.map(str::to_string).into_iter().collect();
    for &ending in Ending::ALL {
        let count = n.endings.of(ending);
        if let Some(words) = ending.loss().filter(|_| count > 0) {
            let which = match ending {
                Ending::Unsupported => named(&m.stats.unsupported),
                _ => String::new(),
            };
            reasons.push(format!("{count} {words}{which}"));
        }
    }
    for &loss in Loss::ALL {
        let count = lost(loss, n, m);
        if count > 0 {
            let which = match loss {
                Loss::Parked => named(&n.parked_by),
                Loss::Refused => named(&m.stats.refused),
                _ => String::new(),
            };
            reasons.push(format!("{count} {}{which}", loss.words()));
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The most frequent names, in brackets.
fn named<Name: AsRef<str>>(names: &BTreeMap<Name, u64>) -> String {
    const SHOWN: usize = 3;
    let all = names.iter().filter(|&(_, &n)| n > 0);
    let mut all: Vec<(&str, u64)> = all.map(|(name, n)| (name.as_ref(), *n)).collect();
    all.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    let more = if all.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<&str> = all.iter().take(SHOWN).map(|&(name, _)| name).collect();
    match shown.is_empty() {
        true => String::new(),
        false => format!(" ({}{more})", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_an_incomplete_path_is_a_loss_or_says_why_not() {
        let endings: HashSet<&str> = Ending::ALL.iter().map(|e| e.name()).collect();
        assert_eq!(endings.len(), Ending::ALL.len());
        let losses: HashSet<&str> = Loss::ALL.iter().map(|l| l.name()).collect();
        assert_eq!(losses.len(), Loss::ALL.len());
        for &e in Ending::ALL {
            let elsewhere = matches!(e, Ending::Silent | Ending::Undecided);
            assert_eq!(
                e.is_complete() || elsewhere,
                e.loss().is_none(),
                "{}",
                e.name()
            );
        }
    }
}
