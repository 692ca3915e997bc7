//! SMT-LIB text of a generated problem.

use std::fmt::Write;

/// A problem, and its answer where the construction fixes it.
pub struct Problem {
    pub script: String,
    pub is_sat: Option<bool>,
}

/// A script in the making.
pub struct Script(String);

/// A linear form: factors and names.
pub type Terms = Vec<(i128, String)>;

impl Script {
    pub fn new() -> Script {
        Script("(set-logic QF_LIA)\n".into())
    }

    /// Declares an integer and gives its name.
    pub fn int(&mut self, name: impl Into<String>) -> String {
        self.declare(name.into(), "Int")
    }

    pub fn bool(&mut self, name: impl Into<String>) -> String {
        self.declare(name.into(), "Bool")
    }

    fn declare(&mut self, name: String, sort: &str) -> String {
        let _ = writeln!(self.0, "(declare-const {name} {sort})");
        name
    }

    /// `count` integers with a common prefix.
    pub fn ints(&mut self, prefix: &str, count: usize) -> Vec<String> {
        (0..count)
            .map(|i| self.int(format!("{prefix}{i}")))
            .collect()
    }

    pub fn assert(&mut self, condition: impl AsRef<str>) {
        let _ = writeln!(self.0, "(assert {})", condition.as_ref());
    }

    /// Bounds an integer on both sides.
    pub fn within(&mut self, name: &str, low: i128, high: i128) {
        self.assert(format!("(<= {} {name} {})", number(low), number(high)));
    }

    pub fn problem(mut self, is_sat: Option<bool>) -> Problem {
        self.0 += "(check-sat)\n";
        Problem {
            script: self.0,
            is_sat,
        }
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
