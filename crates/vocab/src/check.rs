//! What a run looks for: the checks of `--check`.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! checks {
    ($($variant:ident $name:literal $default:literal $lowered:literal, $help:literal;)*) => {
        /// Something that a run can look for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Check { $(#[doc = $help] $variant),* }

        impl Check {
            /// All checks, in the order of the table.
            pub const ALL: &[Check] = &[$(Check::$variant),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Check::$variant => $name),* }
            }

            /// What it finds.
            pub const fn help(self) -> &'static str {
                match self { $(Check::$variant => $help),* }
            }

            /// Whether a run has it if nobody says anything.
            pub const fn is_default(self) -> bool {
                match self { $(Check::$variant => $default),* }
            }

            /// Whether lowering puts something into the program for it.
            pub const fn is_lowered(self) -> bool {
                match self { $(Check::$variant => $lowered),* }
            }
        }
    };
}

#[rustfmt::skip]
checks! {
    // variant   name            default lowered
    Memory       "memory"        true  false, "Accesses outside of objects, to freed memory and through null";
    Assert       "assert"        true  false, "Assertions that fail";
    Div          "div"           true  true,  "Divisions by zero, and the lowest number divided by -1";
    Shift        "shift"         true  true,  "Shifts by the width of the type or more";
    Overlap      "overlap"       true  true,  "A memcpy between ranges that overlap";
    Scope        "scope"         true  true,  "An access to a variable after its block";
    Varargs      "varargs"       true  false, "Reading more variable arguments than were passed";
    Overflow     "overflow"      false true,  "Signed additions, subtractions and multiplications that overflow";
    Bounds       "bounds"        false true,  "Indices outside of an array that lies in a larger object";
    Uninit       "uninit"        false true,  "Reads of memory that was never written";
    Leak         "leak"          false false, "Heap memory that nothing points to at exit";
    Memcmp       "memcmp"        false false, "memcmp reads both ranges whole, as C says, and not up to the first difference";
    FunctionType "function-type" false false, "A call through another type than the function has";
}

/// A set of checks; serialised as the list of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<String>", try_from = "Vec<String>")]
pub struct Checks(u32);

impl Default for Checks {
    /// Those that a run has if nobody says anything.
    fn default() -> Checks {
        Check::ALL
            .iter()
            .copied()
            .filter(|c| c.is_default())
            .collect()
    }
}

impl Checks {
    /// No check.
    pub const NONE: Checks = Checks(0);

    /// Whether it is looked for.
    pub const fn has(self, check: Check) -> bool {
        self.0 >> check as u32 & 1 != 0
    }

    /// With one more.
    pub const fn with(self, check: Check) -> Checks {
        Checks(self.0 | 1 << check as u32)
    }

    /// Those for which lowering puts something into the program.
    pub fn lowered(self) -> Checks {
        self.iter().filter(|c| c.is_lowered()).collect()
    }

    /// The checks, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        Check::ALL.iter().copied().filter(move |&c| self.has(c))
    }

    /// The checks of a list of names with commas between.
    ///
    /// # Errors
    /// A name that is in no row.
    pub fn parse(list: &str) -> Result<Checks, String> {
        let names = list.split(',').filter(|name| !name.is_empty());
        names.map(by_name).collect()
    }
}

fn by_name(name: &str) -> Result<Check, String> {
    let known = Check::ALL.iter().copied().find(|c| c.name() == name);
    known.ok_or_else(|| format!("unknown check {name}"))
}

impl FromIterator<Check> for Checks {
    fn from_iter<I: IntoIterator<Item = Check>>(checks: I) -> Checks {
        checks.into_iter().fold(Checks::NONE, Checks::with)
    }
}

impl fmt::Display for Checks {
    /// The names with commas between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Check::name).collect();
        f.write_str(&names.join(","))
    }
}

impl From<Checks> for Vec<String> {
    fn from(checks: Checks) -> Vec<String> {
        checks.iter().map(|c| c.name().to_owned()).collect()
    }
}

impl TryFrom<Vec<String>> for Checks {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Checks, String> {
        names.iter().map(|name| by_name(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_its_names() {
        assert!(Check::ALL.len() <= 32);
        let text = Checks::default().to_string();
        assert_eq!(text, "memory,assert,div,shift,overlap,scope,varargs");
        assert_eq!(Checks::parse(&text), Ok(Checks::default()));
        let some = Checks::NONE.with(Check::Leak).with(Check::Div);
        assert_eq!(some.lowered(), Checks::NONE.with(Check::Div));
        let json = serde_json::to_string(&some).unwrap();
        assert_eq!(json, r#"["div","leak"]"#);
        assert_eq!(serde_json::from_str::<Checks>(&json).unwrap(), some);
        assert!(serde_json::from_str::<Checks>(r#"["no-such"]"#).is_err());
        assert!(Checks::parse("div,no-such").is_err());
    }
}
