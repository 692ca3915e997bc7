//! The product from outside: what `polypath` does with programs, scripts and directories.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod add;
mod automata;
mod bad_input;
mod browser;
mod c_tests;
mod cc;
mod cluster;
mod concolic;
mod cxx;
mod deterministic;
mod entry;
mod entry_doubts;
mod entry_kit;
mod entry_made;
mod entry_tags;
mod errors;
mod escape;
mod exchange;
mod exits;
mod export;
mod fenv;
#[path = "../../../tests/fidelity/mod.rs"]
mod fidelity;
mod findings;
mod float;
mod float_checks;
mod formulas;
mod fuzz;
mod homi;
mod installed;
mod intrinsics;
mod java;
mod java_anew;
mod java_brute;
mod java_fence;
mod java_fidelity;
mod java_files;
mod java_hard;
mod java_input;
mod java_jobs;
mod java_kit;
mod java_lengths;
mod java_made;
mod java_names;
mod java_output;
mod java_peeks;
mod java_resume;
mod java_runs;
mod java_tasks;
mod java_test;
mod java_threads;
mod jobs;
mod libm;
mod library;
mod limits;
mod limits_memory;
mod live;
mod losses;
mod manual;
mod messages;
mod native;
mod neighbours;
mod newer_llvm;
mod numbers;
mod options;
mod papers;
mod planted;
mod prefixes;
mod project;
mod provenance;
mod ray;
mod readers;
mod replay;
mod sanitizers;
mod scout;
mod seeds;
mod serve;
mod show;
mod solve;
mod stops;
mod streams;
mod suspend;
mod tables;
mod targets;
mod tidy;
mod torn;
mod undefined;
mod unread;
mod verdicts;
mod world;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A turn for tests that have several processes at work, whose effect on each other would be measured: one at a time.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
