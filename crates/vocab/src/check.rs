//! The checks of `--check`.

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
    Builtin      "builtin"       true  true,  "Zero given to a builtin that counts the zeros at one end of a number";
    Align        "align"         true  true,  "Accesses by vector instructions that fault at an address that is not aligned";
    Overlap      "overlap"       true  true,  "A memcpy between ranges that overlap";
    Scope        "scope"         true  true,  "An access to a variable after its block";
    Varargs      "varargs"       true  false, "Reading more variable arguments than were passed";
    Libc         "libc"          true  false, "Calls of libc functions with formats, streams or characters that C leaves undefined";
    Alloc        "alloc"         true  false, "Memory that is freed by another family of functions than allocated it";
    FunctionType "function-type" true  false, "A call through another type than the function has";
    Pedantic     "pedantic"      false false, "What C leaves undefined and x86-64 or its libraries define";
    Overflow     "overflow"      false true,  "Signed additions, subtractions and multiplications that overflow";
    Bounds       "bounds"        false true,  "Indices outside of an array that lies in a larger object";
    Uninit       "uninit"        false true,  "Reads of memory that was never written";
    Leak         "leak"          false false, "Heap memory that nothing points to at exit";
    Memcmp       "memcmp"        false false, "memcmp reads both ranges whole, as C says, and not up to the first difference";
    FpOverflow   "fp-overflow"   false true,  "Float operations on finite numbers whose result is too large";
    FpUnderflow  "fp-underflow"  false true,  "Float operations whose result is so small that it loses digits";
    FpDiv        "fp-div"        false true,  "Float divisions of a finite number by zero";
    FpInvalid    "fp-invalid"    false true,  "Float operations without a meaning: 0/0, inf - inf, the root of -1";
    FpInexact    "fp-inexact"    false true,  "Float operations whose result is rounded";
    FpNan        "fp-nan"        false true,  "NaNs that come of operands that are none, in a libm call too";
    FpCast       "fp-cast"       false true,  "Floats that do not fit the integer that they are converted to";
}

/// Several checks under one name.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name on the command line.
    pub name: &'static str,
    /// What they find.
    pub help: &'static str,
    checks: &'static [Check],
}

impl Group {
    /// All groups.
    pub const ALL: &[Group] = &[Group {
        name: "fp",
        help: "fp-overflow, fp-underflow, fp-div and fp-invalid",
        checks: &[
            Check::FpOverflow,
            Check::FpUnderflow,
            Check::FpDiv,
            Check::FpInvalid,
        ],
    }];
}

impl Check {
    /// Those about floating-point exceptions.
    pub const FLOATS: &[Check] = &[
        Check::FpOverflow,
        Check::FpUnderflow,
        Check::FpDiv,
        Check::FpInvalid,
        Check::FpInexact,
        Check::FpNan,
        Check::FpCast,
    ];
}

/// A set of checks; serialized as the list of their names.
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

    /// Whether floating-point exceptions are among what is looked for.
    pub fn have_floats(self) -> bool {
        Check::FLOATS.iter().any(|&c| self.has(c))
    }

    /// The checks, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        Check::ALL.iter().copied().filter(move |&c| self.has(c))
    }

    /// Those of a check's or a group's name; none if it is no such name.
    pub fn named(name: &str) -> Checks {
        let one = Check::ALL.iter().copied().filter(|c| c.name() == name);
        let groups = Group::ALL.iter().filter(|g| g.name == name);
        one.chain(groups.flat_map(|g| g.checks.iter().copied()))
            .collect()
    }

    /// The checks of a list of names with commas between.
    ///
    /// # Errors
    /// A name that is neither a check's nor a group's.
    pub fn parse(list: &str) -> Result<Checks, String> {
        let names = list.split(',').filter(|name| !name.is_empty());
        Checks::of_names(names)
    }

    fn of_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<Checks, String> {
        let mut all = Checks::NONE;
        for name in names {
            match Checks::named(name) {
                Checks::NONE => return Err(format!("unknown check {name}")),
                Checks(named) => all.0 |= named,
            }
        }
        Ok(all)
    }
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
        Checks::of_names(names.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_its_names() {
        assert!(Check::ALL.len() <= 32);
        let text = Checks::default().to_string();
        assert_eq!(
            text,
            "memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,alloc,function-type"
        );
        assert_eq!(Checks::parse(&text), Ok(Checks::default()));
        let some = Checks::NONE.with(Check::Leak).with(Check::Div);
        assert_eq!(some.lowered(), Checks::NONE.with(Check::Div));
        let json = serde_json::to_string(&some).unwrap();
        assert_eq!(json, r#"["div","leak"]"#);
        assert_eq!(serde_json::from_str::<Checks>(&json).unwrap(), some);
        assert!(serde_json::from_str::<Checks>(r#"["no-such"]"#).is_err());
        assert!(Checks::parse("div,no-such").is_err());
        let floats = Checks::parse("fp,fp-nan").unwrap().to_string();
        assert_eq!(floats, "fp-overflow,fp-underflow,fp-div,fp-invalid,fp-nan");
    }
}
