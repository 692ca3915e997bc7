//! A row of the table of options.

use super::draft::Draft;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches};
use run::plan::Named;

/// A command that has options of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// `polypath run`: C and what else is LLVM bitcode.
    Run,
    /// `polypath java run`.
    JavaRun,
    /// `polypath harness`, which has those on the parameters of a function.
    Harness,
}

impl Whose {
    /// Its words behind `polypath`.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Whose::Run => &["run"],
            Whose::JavaRun => &["java", "run"],
            Whose::Harness => &["harness"],
        }
    }
}

/// Puts the value of an option where it goes.
type Setter = Box<dyn Fn(&mut Draft, &ArgMatches)>;

/// An option: its clap argument, the commands that have it, whether it may change when a run is continued, and the
/// field that it sets.
pub struct OptionRow {
    pub arg: Arg,
    pub commands: &'static [Whose],
    /// May it differ from its value when the run began? Then it does not change which paths the program has.
    pub may_change: bool,
    /// A command that has no such option, since it makes no sense there, and why not.
    pub refused: Option<(Whose, &'static str)>,
    /// Why it is no key of `polypath.toml`, if it is none.
    pub not_in_file: Option<&'static str>,
    pub set: Setter,
}

/// A parser whose values can be kept.
pub trait Parser: TypedValueParser<Value: Clone + Send + Sync> {}
impl<P: TypedValueParser<Value: Clone + Send + Sync>> Parser for P {}

impl OptionRow {
    /// The name by which clap knows it.
    pub fn id(&self) -> &str {
        self.arg.get_id().as_str()
    }

    fn new(arg: Arg, set: impl Fn(&mut Draft, &ArgMatches) + 'static) -> OptionRow {
        OptionRow {
            arg,
            commands: &[],
            may_change: false,
            refused: None,
            not_in_file: None,
            set: Box::new(set),
        }
    }

    /// An option without a value.
    pub fn flag(name: &'static str, help: &'static str, set: fn(&mut Draft, bool)) -> OptionRow {
        let arg = Arg::new(name).long(name).help(help);
        let arg = arg.action(ArgAction::SetTrue).overrides_with(name);
        OptionRow::new(arg, move |draft, m| set(draft, m.get_flag(name)))
    }

    /// An option that has one value: the one that was given last.
    pub fn one<P: Parser>(
        name: &'static str,
        value: &'static str,
        parser: P,
        help: &'static str,
        set: fn(&mut Draft, P::Value),
    ) -> OptionRow {
        let arg = Arg::new(name).long(name).value_name(value).help(help);
        let arg = arg.action(ArgAction::Set).overrides_with(name);
        OptionRow::new(arg.value_parser(parser), move |draft, m| {
            if let Some(value) = m.get_one::<P::Value>(name) {
                set(draft, value.clone());
            }
        })
    }

    /// An option that may be given several times, each with one value.
    pub fn many<P: Parser>(
        name: &'static str,
        value: &'static str,
        parser: P,
        help: &'static str,
        set: fn(&mut Draft, Vec<P::Value>),
    ) -> OptionRow {
        let arg = Arg::new(name).long(name).value_name(value).help(help);
        OptionRow::of_many(name, arg.action(ArgAction::Append), parser, set)
    }

    /// The same, with several values joined by commas.
    pub fn list<P: Parser>(
        name: &'static str,
        parser: P,
        help: &'static str,
        set: fn(&mut Draft, Vec<P::Value>),
    ) -> OptionRow {
        let mut row = OptionRow::many(name, "LIST", parser, help, set);
        row.arg = row.arg.value_delimiter(',');
        row
    }

    /// An option that has several values at once: those that were given last, or all of them with `repeats`.
    pub fn tuple<P: Parser>(
        name: &'static str,
        values: &'static [&'static str],
        repeats: bool,
        parser: P,
        help: &'static str,
        set: fn(&mut Draft, Vec<P::Value>),
    ) -> OptionRow {
        let arg = Arg::new(name).long(name).help(help);
        let arg = arg.value_names(values).num_args(values.len());
        let arg = if repeats {
            arg.action(ArgAction::Append)
        } else {
            arg.action(ArgAction::Set).overrides_with(name)
        };
        OptionRow::of_many(name, arg, parser, set)
    }

    /// The positional argument that names the program.
    pub fn program(
        name: &'static str,
        help: &'static str,
        set: fn(&mut Draft, std::path::PathBuf),
    ) -> OptionRow {
        let arg = Arg::new(name).value_name(name).required(true).help(help);
        let arg = arg.value_parser(clap::value_parser!(std::path::PathBuf));
        OptionRow::new(arg, move |draft, m| {
            if let Some(value) = m.get_one::<std::path::PathBuf>(name) {
                set(draft, value.clone());
            }
        })
    }

    /// The words behind `--`.
    pub fn rest(help: &'static str, set: fn(&mut Draft, Vec<String>)) -> OptionRow {
        const ARGS: &str = "ARGS";
        let arg = Arg::new(ARGS).value_name(ARGS).help(help);
        let arg = arg.last(true).num_args(1..).action(ArgAction::Append);
        OptionRow::of_many(ARGS, arg, clap::builder::StringValueParser::new(), set)
    }

    fn of_many<P: Parser>(
        name: &'static str,
        arg: Arg,
        parser: P,
        set: fn(&mut Draft, Vec<P::Value>),
    ) -> OptionRow {
        OptionRow::new(arg.value_parser(parser), move |draft, m| {
            let values = m.get_many::<P::Value>(name);
            set(draft, values.into_iter().flatten().cloned().collect());
        })
    }

    /// Whose it is.
    pub fn of(mut self, commands: &'static [Whose]) -> OptionRow {
        self.commands = commands;
        self
    }

    /// It may change when a run is continued.
    pub fn may_change(mut self) -> OptionRow {
        self.may_change = true;
        self
    }

    /// This command has no such option, for this reason.
    pub fn not_of(mut self, command: Whose, why: &'static str) -> OptionRow {
        self.refused = Some((command, why));
        self
    }

    /// It is about one invocation, for this reason, and so no key of `polypath.toml`.
    pub fn not_in_file(mut self, why: &'static str) -> OptionRow {
        self.not_in_file = Some(why);
        self
    }

    /// Its value if it is not given.
    pub fn default(self, value: &'static str) -> OptionRow {
        self.clap(|arg| arg.default_value(value))
    }

    /// The heading under which help shows it.
    pub fn under(self, heading: &'static str) -> OptionRow {
        self.clap(|arg| arg.help_heading(heading))
    }

    /// It makes no sense without this one.
    pub fn requires(self, other: &'static str) -> OptionRow {
        self.clap(|arg| arg.requires(other))
    }

    /// Changes what clap knows of it.
    pub fn clap(mut self, change: impl FnOnce(Arg) -> Arg) -> OptionRow {
        self.arg = change(self.arg);
        self
    }
}

/// Reads the name of a value.
pub fn named<T: Named + Send + Sync>() -> impl Parser<Value = T> {
    named_if(|_| true)
}

/// Reads the name of one of some values.
pub fn named_if<T: Named + Send + Sync>(is_offered: fn(T) -> bool) -> impl Parser<Value = T> {
    let offered = T::ALL.iter().filter(move |row| is_offered(row.0));
    let values = offered.map(|&(_, name, help)| match help {
        Some(help) => PossibleValue::new(name).help(help),
        None => PossibleValue::new(name),
    });
    PossibleValuesParser::new(values)
        .map(|name| T::by_name(&name).expect("a name of the values that were offered"))
}
