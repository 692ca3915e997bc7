//! SMT-LIB text of a generated problem, in the making.

use oracle::random::Random;
use std::fmt::Write;

/// A problem, and its answer where the construction fixes it.
pub struct Problem {
    pub script: String,
    pub is_sat: Option<bool>,
}

/// A script in the making.
pub struct ScriptBuilder(String);

impl ScriptBuilder {
    /// In this logic.
    pub fn new(logic: &str) -> ScriptBuilder {
        ScriptBuilder(format!("(set-logic {logic})\n"))
    }

    /// Any line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.0, "{}", line.as_ref());
    }

    /// Declares a constant and gives its name.
    pub fn declare(&mut self, name: impl Into<String>, sort: &str) -> String {
        let name = name.into();
        self.line(format!("(declare-const {name} {sort})"));
        name
    }

    /// So many constants of a sort, with a common prefix.
    pub fn declare_all(&mut self, prefix: &str, count: usize, sort: &str) -> Vec<String> {
        (0..count)
            .map(|k| self.declare(format!("{prefix}{k}"), sort))
            .collect()
    }

    pub fn assert(&mut self, condition: impl AsRef<str>) {
        self.line(format!("(assert {})", condition.as_ref()));
    }

    /// With its question.
    pub fn problem(mut self, is_sat: Option<bool>) -> Problem {
        self.line("(check-sat)");
        Problem {
            script: self.0,
            is_sat,
        }
    }
}

/// A list in another order.
pub fn shuffle<T>(random: &mut Random, list: &mut [T]) {
    for k in (1..list.len()).rev() {
        list.swap(k, random.below(k as u32 + 1) as usize);
    }
}
