//! The help text about exit statuses.

pub use run::exit::{Exit, UsageError};

pub const HELP: &str = "\
Exit status:
  0  no errors found (stderr has what `run` left out, also with --quiet)
  1  errors found in the program under test; solve: commands that failed
  2  wrong usage
  3  Polypath failed, or could not write its results
  4  run --strict: no errors found, but something was left out
cc, c++ and build return the exit status of the command that they run.";
