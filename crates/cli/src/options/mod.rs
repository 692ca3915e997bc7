//! The options of `polypath run` and `polypath java run`: one table, in which each option stands once.
//!
//! Clap's arguments, `--help`, the table in `docs/options.md`, the options that may change with `--resume`, and the
//! plan of the run ([`Plan`]) all come from the table. If an option with one value is given twice, the last value
//! counts.
//!
//! To add one: a row in [`table`], at the place where help shows it, with the field of the plan that it sets.

mod draft;
mod file;
mod resume;
mod row;
mod table;
mod target;
mod values;

use draft::Draft;
pub use draft::{Invocation, class_path};
pub use file::{OptionKey, TargetArgs, Value};
pub use resume::{is_said, lenient};
use row::OptionRow;
pub use row::{Whose, named, named_if};
use table::EXAMPLES;
pub use table::{HEAP_OF_JAVA, MEMORY_OF_JAVA};
pub use values::{arrays_help, seconds};

use crate::exit::UsageError;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};
use run::plan::{FuzzPlan, Mode, Parameters, Plan};

/// The rows of a command's options, in the order in which help shows them.
fn rows(of: Whose) -> impl Iterator<Item = OptionRow> {
    let table = table::table().into_iter();
    table.filter(move |row| row.commands.contains(&of))
}

/// The rows of options that a command has not, and why not.
fn refused(of: Whose) -> impl Iterator<Item = (OptionRow, &'static str)> {
    let table = table::table().into_iter();
    table.filter_map(move |row| {
        let (command, why) = row.refused?;
        (command == of).then_some((row, why))
    })
}

/// The arguments of `polypath run`.
#[derive(Clone, Debug)]
pub struct RunArgs(ArgMatches);

/// The arguments of `polypath java run`.
#[derive(Clone, Debug)]
pub struct JavaRunArgs(ArgMatches);

/// The given options about the parameters of a function.
#[derive(Clone, Debug)]
pub struct ParameterArgs(pub Parameters);

fn augmented(command: clap::Command, of: Whose) -> clap::Command {
    // What it has not is read to be refused with a reason.
    let refused = refused(of).map(|(row, _)| row.arg.hide(true));
    let command = command.args(rows(of).map(|row| row.arg).chain(refused));
    match of {
        Whose::Run => command.after_long_help(format!("{EXAMPLES}\n\n{}", crate::exit::HELP)),
        Whose::JavaRun | Whose::Harness => command,
    }
}

/// Puts the options that were given, or have a default, into the draft.
fn apply(matches: &ArgMatches, of: Whose, draft: &mut Draft) {
    for row in rows(of) {
        (row.set)(draft, matches);
    }
}

impl RunArgs {
    /// The plan of the run, and the settings of this invocation alone.
    ///
    /// # Errors
    /// Options that contradict each other, files that cannot be read, or a run that cannot be continued.
    pub fn plan(&self) -> anyhow::Result<(Plan, Invocation)> {
        match resume::directory(&self.0)? {
            Some(dir) => resume::plan(&self.0, Whose::Run, &dir),
            None => {
                let mut draft = Draft::of_c()?;
                apply(&self.0, Whose::Run, &mut draft);
                draft.plan_of_c()
            }
        }
    }
}

impl RunArgs {
    /// The same for a run with native fuzzers: what the program reads is its input, whether or not an option says so, and
    /// concolic mode is the default. A run that goes on has the fuzzers that it had.
    ///
    /// # Errors
    /// As for [`RunArgs::plan`].
    pub fn fuzz_plan(&self, fuzzing: FuzzPlan) -> anyhow::Result<(Plan, Invocation)> {
        if let Some(dir) = resume::directory(&self.0)? {
            let (plan, invocation) = resume::plan(&self.0, Whose::Run, &dir)?;
            if plan.fuzz.is_none() {
                let dir = dir.display();
                let why = "that run has no fuzzers; polypath run --resume goes on with it";
                return Err(UsageError(format!("--resume {dir}: {why}")).into());
            }
            return Ok((plan, invocation));
        }
        let mut draft = Draft::of_c()?;
        apply(&self.0, Whose::Run, &mut draft);
        let workers = &draft.plan.workers;
        for (name, is_given) in [
            ("--deterministic", workers.deterministic),
            ("--listen", workers.listen.is_some()),
        ] {
            if is_given {
                let why = "what fuzzers find, and when, is not the same in each run, and stays on this machine";
                return Err(UsageError(format!("{name}: not with polypath fuzz: {why}")).into());
            }
        }
        draft.plan.check_jobs()?;
        if self.0.value_source("mode") != Some(ValueSource::CommandLine) {
            draft.plan.search.mode = Mode::Concolic;
        }
        // One of the processes explores.
        let processes = draft.plan.jobs().saturating_sub(1).max(1);
        draft.plan.workers.jobs = Some(1);
        draft.plan.fuzz = Some(FuzzPlan {
            processes,
            ..fuzzing
        });
        let (plan, invocation) = draft.plan_of_c()?;
        plan.native_input()?;
        Ok((plan, invocation))
    }
}

impl JavaRunArgs {
    /// The same for a Java program.
    ///
    /// # Errors
    /// As for [`RunArgs::plan`].
    pub fn plan(&self) -> anyhow::Result<(Plan, Invocation)> {
        if let Some((row, why)) = refused(Whose::JavaRun).find(|(row, _)| is_given(&self.0, row)) {
            return Err(UsageError(format!("--{}: {why}", row.id())).into());
        }
        match resume::directory(&self.0)? {
            Some(dir) => resume::plan(&self.0, Whose::JavaRun, &dir),
            None => {
                let mut draft = Draft::of_java()?;
                apply(&self.0, Whose::JavaRun, &mut draft);
                draft.plan_of_java()
            }
        }
    }
}

macro_rules! of_the_table {
    ($args:ident, $command:expr, $read:expr) => {
        impl FromArgMatches for $args {
            fn from_arg_matches(matches: &ArgMatches) -> Result<$args, clap::Error> {
                let read: fn(&ArgMatches) -> Result<$args, clap::Error> = $read;
                read(matches)
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = $args::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl clap::Args for $args {
            fn augment_args(command: clap::Command) -> clap::Command {
                augmented(command, $command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                augmented(command, $command)
            }
        }
    };
}

of_the_table!(RunArgs, Whose::Run, |m| Ok(RunArgs(m.clone())));
of_the_table!(JavaRunArgs, Whose::JavaRun, |m| Ok(JavaRunArgs(m.clone())));
of_the_table!(ParameterArgs, Whose::Harness, |m| {
    let mut draft = Draft::of_c()
        .map_err(|e| clap::Error::raw(clap::error::ErrorKind::Io, format!("{e:#}\n")))?;
    apply(m, Whose::Harness, &mut draft);
    Ok(ParameterArgs(draft.entry.parameters))
});

/// Was this given on the command line?
fn is_given(matches: &ArgMatches, row: &OptionRow) -> bool {
    let source = matches.value_source(row.id());
    source == Some(ValueSource::CommandLine)
}

#[cfg(test)]
mod tests;
