//! SMT-LIB text of a generated problem over integers.

pub use crate::tools::script::{Problem, shuffle};
use std::ops::{Deref, DerefMut};

/// A script in the making.
pub struct ScriptBuilder(crate::tools::script::ScriptBuilder);

/// A linear form: factors and names.
pub type Terms = Vec<(i128, String)>;

impl Deref for ScriptBuilder {
    type Target = crate::tools::script::ScriptBuilder;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for ScriptBuilder {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl ScriptBuilder {
    pub fn new() -> ScriptBuilder {
        ScriptBuilder(crate::tools::script::ScriptBuilder::new("QF_LIA"))
    }

    /// Declares an integer and gives its name.
    pub fn int(&mut self, name: impl Into<String>) -> String {
        self.declare(name, "Int")
    }

    pub fn bool(&mut self, name: impl Into<String>) -> String {
        self.declare(name, "Bool")
    }

    /// `count` integers with a common prefix.
    pub fn ints(&mut self, prefix: &str, count: usize) -> Vec<String> {
        self.declare_all(prefix, count, "Int")
    }

    /// Bounds an integer on both sides.
    pub fn within(&mut self, name: &str, low: i128, high: i128) {
        self.assert(format!("(<= {} {name} {})", number(low), number(high)));
    }

    /// With its question.
    pub fn problem(self, is_sat: Option<bool>) -> Problem {
        self.0.problem(is_sat)
    }
}

/// A numeral; SMT-LIB has no negative ones.
pub fn number(n: i128) -> String {
    if n < 0 {
        format!("(- {})", n.unsigned_abs())
    } else {
        n.to_string()
    }
}

/// The sum of a linear form.
pub fn sum(terms: &[(i128, String)]) -> String {
    let parts: Vec<String> = terms
        .iter()
        .filter(|(c, _)| *c != 0)
        .map(|(c, name)| match c {
            1 => name.clone(),
            _ => format!("(* {} {name})", number(*c)),
        })
        .collect();
    add(&parts)
}

/// The sum of terms.
pub fn add(parts: &[String]) -> String {
    match parts {
        [] => "0".into(),
        [one] => one.clone(),
        _ => format!("(+ {})", parts.join(" ")),
    }
}

/// One of the conditions holds.
pub fn or(parts: &[String]) -> String {
    match parts {
        [] => "false".into(),
        [one] => one.clone(),
        _ => format!("(or {})", parts.join(" ")),
    }
}

/// The value of a linear form at a point, whose coordinates stand in the order of the terms.
pub fn at(terms: &[(i128, String)], point: &[i128]) -> i128 {
    terms.iter().zip(point).map(|((c, _), v)| c * v).sum()
}
