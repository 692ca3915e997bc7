//! Options as keys of `polypath.toml`: a key is the long name of an option, and its value becomes the words by which a command
//! line gives it. The same `clap::Command` reads them.

use super::draft::Draft;
use super::row::{OptionRow, Whose};
use super::{JavaRunArgs, RunArgs, apply, augmented, is_given, refused, rows};
use crate::exit::UsageError;
use clap::{ArgAction, FromArgMatches};
use run::plan::Plan;

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Flag(bool),
    /// A string, or a number as it is written.
    Word(String),
    List(Vec<Value>),
}

/// An option that may be a key of the file.
pub struct OptionKey(OptionRow);

impl OptionKey {
    /// Those of a command, those among them that make no sense in a file, too.
    pub fn all(of: Whose) -> impl Iterator<Item = OptionKey> {
        rows(of)
            .filter(|row| row.arg.get_long().is_some())
            .map(OptionKey)
    }

    /// The one of this name.
    pub fn named(of: Whose, name: &str) -> Option<OptionKey> {
        OptionKey::all(of).find(|key| key.name() == name)
    }

    /// Why a command has no such option, where that is known.
    pub fn refused(of: Whose, name: &str) -> Option<&'static str> {
        let mut refused = refused(of);
        refused.find_map(|(row, why)| (row.id() == name).then_some(why))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.0.id()
    }

    /// Is it one that help shows, and that the file may have?
    pub fn is_offered(&self) -> bool {
        self.0.not_in_file.is_none() && !self.0.arg.is_hide_set()
    }

    /// Why the file must not have it.
    pub fn not_in_file(&self) -> Option<&'static str> {
        self.0.not_in_file
    }

    /// May it change when a run is continued?
    pub fn may_change(&self) -> bool {
        self.0.may_change
    }

    /// The words that give the option this value.
    ///
    /// # Errors
    /// What kind of value it needs instead.
    pub fn words(&self, value: &Value) -> Result<Vec<String>, String> {
        let name = self.name();
        let arg = &self.0.arg;
        let action = arg.get_action();
        if !action.takes_values() {
            return match value {
                Value::Flag(true) => Ok(vec![format!("--{name}")]),
                Value::Flag(false) => Ok(Vec::new()),
                _ => Err("true or false".into()),
            };
        }
        let range = arg.get_num_args();
        let (least, most) = range.map_or((1, 1), |n| (n.min_values(), n.max_values()));
        let repeats = matches!(action, ArgAction::Append);
        match (value, most) {
            (Value::Flag(true), _) if least == 0 => Ok(vec![format!("--{name}")]),
            (Value::Flag(false), _) if least == 0 => Ok(Vec::new()),
            (Value::Word(word), 1) => Ok(vec![format!("--{name}={word}")]),
            (Value::List(values), 1) if repeats => values
                .iter()
                .map(|value| match value {
                    Value::Word(word) => Ok(format!("--{name}={word}")),
                    _ => Err("a list of words or numbers".into()),
                })
                .collect(),
            (Value::List(values), 2..) if repeats && values.iter().all(is_list) => {
                let tuples = values.iter().map(|tuple| self.tuple(tuple, most));
                Ok(tuples.collect::<Result<Vec<_>, _>>()?.concat())
            }
            (_, 2..) => self.tuple(value, most),
            (_, _) if repeats => Err("a word or number, or a list of them".into()),
            (_, _) if least == 0 => Err("true, or a word or number".into()),
            _ => Err("a word or number".into()),
        }
    }

    /// The words for so many values at once.
    fn tuple(&self, value: &Value, count: usize) -> Result<Vec<String>, String> {
        let word = |value: &Value| match value {
            Value::Word(word) => Some(word.clone()),
            _ => None,
        };
        let words: Option<Vec<String>> = match value {
            Value::List(values) if values.len() == count => values.iter().map(word).collect(),
            _ => None,
        };
        let words = words.ok_or_else(|| {
            let names = self.0.arg.get_value_names().unwrap_or_default();
            format!("a list of {count}: [{}]", names.join(", "))
        })?;
        Ok([vec![format!("--{}", self.name())], words].concat())
    }
}

fn is_list(value: &Value) -> bool {
    matches!(value, Value::List(_))
}

/// The words of a run that begins, as its command has understood them.
#[derive(Clone, Debug)]
pub enum TargetArgs {
    C(RunArgs),
    Java(JavaRunArgs),
}

impl TargetArgs {
    /// Reads the words behind those of the command: options, program and arguments.
    ///
    /// # Errors
    /// clap's.
    pub fn read(of: Whose, words: &[String]) -> Result<TargetArgs, clap::Error> {
        let command = augmented(clap::Command::new("polypath"), of).no_binary_name(true);
        let matches = command.try_get_matches_from(words)?;
        Ok(match of {
            Whose::JavaRun => TargetArgs::Java(JavaRunArgs::from_arg_matches(&matches)?),
            Whose::Run | Whose::Harness => TargetArgs::C(RunArgs::from_arg_matches(&matches)?),
        })
    }

    /// The options that were given.
    pub fn given(&self) -> Vec<OptionKey> {
        let (matches, of) = match self {
            TargetArgs::C(RunArgs(matches)) => (matches, Whose::Run),
            TargetArgs::Java(JavaRunArgs(matches)) => (matches, Whose::JavaRun),
        };
        OptionKey::all(of)
            .filter(|key| is_given(matches, &key.0))
            .collect()
    }

    /// Refuses what is wrong whatever there is on the disk: the program may be built later.
    ///
    /// # Errors
    /// Options that contradict each other, or have an unknown value.
    pub fn settle(&self) -> anyhow::Result<()> {
        match self {
            TargetArgs::C(RunArgs(matches)) => {
                let mut draft = Draft::of_c()?;
                apply(matches, Whose::Run, &mut draft);
                draft.settle_c()
            }
            TargetArgs::Java(JavaRunArgs(matches)) => {
                if let Some((row, why)) =
                    refused(Whose::JavaRun).find(|(row, _)| is_given(matches, row))
                {
                    return Err(UsageError(format!("--{}: {why}", row.id())).into());
                }
                let mut draft = Draft::of_java()?;
                apply(matches, Whose::JavaRun, &mut draft);
                draft.settle_java()
            }
        }
    }

    /// The plan of the run.
    ///
    /// # Errors
    /// Options that contradict each other, and files that cannot be read.
    pub fn plan(&self) -> anyhow::Result<Plan> {
        let (plan, _) = match self {
            TargetArgs::C(args) => args.plan()?,
            TargetArgs::Java(args) => args.plan()?,
        };
        Ok(plan)
    }
}
