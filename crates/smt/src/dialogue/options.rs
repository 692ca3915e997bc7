//! The options of `set-option`.

use super::session::Session;
use std::io;

/// The options of the dialogue.
pub(crate) struct ScriptOptions {
    pub print_success: bool,
    pub produce_models: bool,
    pub produce_cores: bool,
    pub produce_assignments: bool,
    pub produce_assertions: bool,
    pub global_declarations: bool,
    pub random_seed: u64,
    /// Milliseconds for each check; 0 for none.
    pub timeout: u64,
}

impl Default for ScriptOptions {
    fn default() -> Self {
        ScriptOptions {
            print_success: false,
            produce_models: true,
            produce_cores: true,
            produce_assignments: true,
            produce_assertions: false,
            global_declarations: false,
            random_seed: 0,
            timeout: 0,
        }
    }
}

/// How setting an option went.
pub(crate) enum Set {
    Done,
    /// The option is not known.
    Unsupported,
    /// The value does not fit.
    Wrong(&'static str),
}

impl ScriptOptions {
    fn flag(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            ":print-success" => &mut self.print_success,
            ":produce-models" => &mut self.produce_models,
            ":produce-unsat-cores" | ":produce-unsat-assumptions" => &mut self.produce_cores,
            ":produce-assignments" => &mut self.produce_assignments,
            ":produce-assertions" | ":interactive-mode" => &mut self.produce_assertions,
            ":global-declarations" => &mut self.global_declarations,
            _ => return None,
        })
    }

    fn number(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            ":random-seed" | ":seed" => &mut self.random_seed,
            ":timeout" | ":tlimit-per" | ":time-limit-per" => &mut self.timeout,
            _ => return None,
        })
    }

    /// Sets an option from text.
    pub fn set(&mut self, name: &str, value: &str) -> Set {
        if let Some(flag) = self.flag(name) {
            let Ok(value) = value.parse() else {
                return Set::Wrong("true or false expected");
            };
            *flag = value;
            return Set::Done;
        }
        if let Some(number) = self.number(name) {
            let Ok(value) = value.parse() else {
                return Set::Wrong("a number expected");
            };
            *number = value;
            return Set::Done;
        }
        match (name, value) {
            (":regular-output-channel", "\"stdout\"")
            | (":diagnostic-output-channel", "\"stderr\"") => Set::Done,
            _ => Set::Unsupported,
        }
    }

    /// The value of an option as text.
    pub fn get(&mut self, name: &str) -> Option<String> {
        if let Some(flag) = self.flag(name) {
            return Some(flag.to_string());
        }
        if let Some(number) = self.number(name) {
            return Some(number.to_string());
        }
        match name {
            ":regular-output-channel" => Some("\"stdout\"".into()),
            ":diagnostic-output-channel" => Some("\"stderr\"".into()),
            _ => None,
        }
    }
}

impl Session {
    /// `get-info`.
    pub(super) fn info(&mut self, name: &str, out: &mut dyn io::Write) -> io::Result<()> {
        match name {
            ":name" => writeln!(out, "(:name \"polypath\")"),
            ":version" => writeln!(out, "(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            ":authors" => writeln!(out, "(:authors \"the Polypath authors\")"),
            ":error-behavior" => writeln!(out, "(:error-behavior continued-execution)"),
            ":assertion-stack-levels" => {
                writeln!(out, "(:assertion-stack-levels {})", self.levels())
            }
            ":reason-unknown" => match self.reason_unknown() {
                Some(reason) => writeln!(out, "(:reason-unknown {reason})"),
                None => self.report(out, "the last check did not say unknown"),
            },
            ":all-statistics" => {
                writeln!(out, "(")?;
                for row in self.statistics() {
                    writeln!(out, " :{} {}", row.name.replace('_', "-"), row.value)?;
                }
                writeln!(out, ")")
            }
            _ => writeln!(out, "unsupported"),
        }
    }
}
