//! The help text about exit statuses.

pub use run::exit::{Exit, UsageError};

pub const HELP: &str = "\
Exit status:
  0  no errors found (stderr has what `run` left out, also with --quiet)
  1  errors found in the program under test; solve: commands that failed
  2  what was given cannot be used: command line, program (it does not compile, …), directory
  3  Polypath failed, or could not write its results
  4  no errors found, but no path was explored to its end; run --strict: something was left out;
     replay: tests came out differently, or were not run
  130, 143, 129  stopped by SIGINT, SIGTERM, SIGHUP, and no errors found until then
cc, c++ and build return the exit status of the command that they run. All cases: docs/exit.md";
