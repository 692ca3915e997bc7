//! Decides which exceptions that leave the entry point are errors (`--expect`, `--check`).

use crate::exit::UsageError;
use explore::Thrown;
use jvm::Judge;
use testcase::ErrorKind;

/// By the exception's class or a superclass; the first row that fits counts.
pub const KINDS: &[(&str, ErrorKind)] = &[
    ("java.lang.AssertionError", ErrorKind::Assert),
    ("java.lang.ArithmeticException", ErrorKind::DivZero),
    (
        "java.lang.IndexOutOfBoundsException",
        ErrorKind::OutOfBounds,
    ),
    ("java.lang.NullPointerException", ErrorKind::Null),
    ("java.lang.ClassCastException", ErrorKind::ClassCast),
    (
        "java.lang.NegativeArraySizeException",
        ErrorKind::NegativeSize,
    ),
    ("java.lang.ArrayStoreException", ErrorKind::ArrayStore),
    ("java.lang.StackOverflowError", ErrorKind::StackOverflow),
    ("java.lang.OutOfMemoryError", ErrorKind::OutOfMemory),
];

/// The word of `--check` for exceptions that the program throws on purpose, or the entry point declares.
const DELIBERATE: &str = "deliberate";

/// The exceptions that the user wants to see as errors.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Classes of exceptions that are none, with those below them.
    expected: Vec<String>,
    /// Only these kinds; all if there are none.
    kinds: Vec<ErrorKind>,
    /// Those that are thrown on purpose, too.
    deliberate: bool,
}

impl Policy {
    /// # Errors
    /// A check has a name that is none.
    pub fn new(expect: &[String], check: &[String]) -> Result<Policy, UsageError> {
        let mut policy = Policy {
            expected: expect.to_vec(),
            ..Policy::default()
        };
        let kinds = || {
            KINDS
                .iter()
                .map(|(_, kind)| *kind)
                .chain([ErrorKind::Exception])
        };
        for name in check {
            if name == DELIBERATE {
                policy.deliberate = true;
                continue;
            }
            let kind = kinds().find(|k| k.id() == name).ok_or_else(|| {
                let names: Vec<&str> = kinds().map(ErrorKind::id).collect();
                UsageError(format!(
                    "--check {name}: there are {}, {DELIBERATE}",
                    names.join(", ")
                ))
            })?;
            policy.kinds.push(kind);
        }
        // Alone it adds to all.
        Ok(policy)
    }

    /// Gives the kind of error of an exception.
    pub fn judge(self) -> Judge {
        Box::new(move |thrown| self.kind(thrown))
    }

    /// The kind of error that an exception is; `None` for one that is a test like others. An assertion that fails is
    /// an error although the program throws it.
    pub fn kind(&self, thrown: &Thrown) -> Option<ErrorKind> {
        let fits = |name: &str| thrown.classes.iter().any(|c| c == name);
        let simple = |c: &String| c.rsplit(['.', '$']).next().map(str::to_string);
        let is_expected = |name: &String| {
            fits(name)
                || thrown
                    .classes
                    .iter()
                    .any(|c| simple(c).as_ref() == Some(name))
        };
        if self.expected.iter().any(is_expected) {
            return None;
        }
        let kind = KINDS.iter().find(|(name, _)| fits(name)).map(|k| k.1);
        let kind = kind.unwrap_or(ErrorKind::Exception);
        let excused = thrown.is_deliberate && kind != ErrorKind::Assert && !self.deliberate;
        let wanted = self.kinds.is_empty() || self.kinds.contains(&kind);
        (wanted && !excused).then_some(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(policy: &Policy, class: &str, above: &str, is_deliberate: bool) -> Option<ErrorKind> {
        policy.kind(&Thrown {
            class: class.into(),
            classes: vec![class.into(), above.into()],
            is_deliberate,
            ..Thrown::default()
        })
    }

    const BOUNDS: &str = "java.lang.IndexOutOfBoundsException";
    const ARRAY: &str = "java.lang.ArrayIndexOutOfBoundsException";

    #[test]
    fn what_the_program_throws_itself_is_an_error_only_as_an_assertion() {
        let usual = Policy::default();
        assert_eq!(
            kind(&usual, ARRAY, BOUNDS, false),
            Some(ErrorKind::OutOfBounds)
        );
        assert_eq!(kind(&usual, ARRAY, BOUNDS, true), None);
        let assertion = kind(&usual, "java.lang.AssertionError", "java.lang.Error", true);
        assert_eq!(assertion, Some(ErrorKind::Assert));
        let other = kind(&usual, "a.B", "java.lang.Exception", false);
        assert_eq!(other, Some(ErrorKind::Exception));
    }

    #[test]
    fn what_is_expected_is_no_error_and_what_is_checked_alone_is_one() {
        let list = |words: &[&str]| words.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        for name in [BOUNDS, "IndexOutOfBoundsException", ARRAY] {
            let policy = Policy::new(&list(&[name]), &[]).unwrap();
            assert_eq!(kind(&policy, ARRAY, BOUNDS, false), None, "{name}");
        }
        let only = Policy::new(&[], &list(&["null"])).unwrap();
        assert_eq!(kind(&only, ARRAY, BOUNDS, false), None);
        let all = Policy::new(&[], &list(&["deliberate"])).unwrap();
        assert_eq!(
            kind(&all, ARRAY, BOUNDS, true),
            Some(ErrorKind::OutOfBounds)
        );
        assert!(Policy::new(&[], &list(&["nul"])).is_err());
    }
}
