//! The endings of paths.
//!
//! A new ending is a row; `tests/losses.rs` of crate `cli` runs a program for each one that counts as a loss.

use serde::{Deserialize, Serialize};

/// When an ended path becomes a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Its input is worth having, whatever it covered.
    Always,
    /// If it covered something new.
    New,
    /// Never.
    Never,
}

macro_rules! endings {
    ($($variant:ident $name:literal $complete:literal $keep:ident $loss:expr, $help:literal;)*) => {
        /// How a path ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
        "The path ended as one that was explored before: with floats as terms, or in an earlier round of --homi.";
    Silent      "silent"                 false Never  None,
        "The program asked for no test (`klee_silent_exit`), or made an assumption that cannot hold here.";
    Undecided   "assumption not decided" false Never  None,
        "The solver did not decide an assumption: the side on which it holds is parked, and counted there.";
    Unsupported "unsupported"            false New    Some("paths unsupported"),
        "Polypath cannot execute a construct; the line names it. If the program does not need it, make the call fail or leave it out of the build.";
    Retries     "retries"                false New    Some("paths with too many ways through one instruction"),
        "One instruction was re-executed on too many forks of itself: it depends on many symbolic values at once. --max-retries raises the limit; less symbolic input avoids it.";
    Blocked     "blocked"                false New    Some("paths blocked"),
        "The program waits for what never comes: a signal, a child, the other end of a pipe. Nothing follows on that path.";
    Memory      "memory"                 false Always Some("paths ended for memory"),
        "The run's memory was short, and the state could not be put aside to be rebuilt later: its input is all that stays of it. Raise --memory, or explore with one worker (--jobs 1), which puts states aside on the disk, too (--spill-disk).";
    Disk        "disk"                   false Always Some("paths ended because the disk took no more (--spill-disk)"),
        "The run's memory was short, and there was no room on the disk either to put the state aside until it is rebuilt: its input is all that stays of it. --spill-disk and --memory raise the limits; another --out is on another disk.";
    RandomDrop  "dropped at random"      false Always Some("paths dropped at random for memory (--memory-policy drop)"),
        "The run's memory was short, and --memory-policy drop ended a random tenth of the live states for good: the test of each is kept, and what follows on its path is not explored. --memory-policy spill puts states aside and comes back to them; --memory raises the limit.";
    Pruned      "pruned"                 false Always Some("paths pruned (--homi)"),
        "--homi dropped the state as not promising enough, or a round was over, and no later round took it up again: its test is kept, and what follows on that path is not explored. Without --homi all states are kept.";
    Output      "output"                 false New    Some("paths ended for too much output (--max-output)"),
        "Its files and its output took more than one path may: --max-output raises the limit.";
    Time        "time"                   false New    Some("paths unfinished"),
        "The run's time was over: --time and --cpu-time raise it.";
    Interrupted "interrupted"            false New    Some("paths unfinished"),
        "The run was stopped by its user.";
    NoForks     "max-forks"              false New    Some("paths unfinished"),
        "No fork was left, and the path did not come to its end by itself.";
    Instructions "instructions"          false New    Some("runs too long"),
        "A concolic run took more instructions than one run may; its input is likely to make the program loop.";
    Internal    "internal"               false Always Some("internal errors"),
        "The engine contradicts itself. The input that led there is kept as a test: please report it, a maintainer needs it.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_an_incomplete_path_is_a_loss_or_says_why_not() {
        let endings: HashSet<&str> = Ending::ALL.iter().map(|e| e.name()).collect();
        assert_eq!(endings.len(), Ending::ALL.len());
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
