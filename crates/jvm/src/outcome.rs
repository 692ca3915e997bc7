//! The outcome of a run of the program.

use explore::{Ending, Error, ErrorKind, PathOutcome, Stack, StackEntry, Thrown, UnfitInput};
use std::collections::BTreeSet;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The entry point returned: its result as a letter of its type and a number, or as the class of an object.
    Returned(String),
    /// It threw.
    Thrown(Box<Thrown>, Stack),
    /// The program asked for the end of the process.
    Exit(i32),
    /// The program assumed what does not hold here.
    Assumed,
    /// It took all steps that it was given.
    Steps,
    /// It took longer than a run may by the clock: it waits, or works in code that is not woven.
    Hangs,
    /// Something that cannot be followed, by name.
    Unsupported(String),
    /// The JVM crashed.
    Crashed(String),
    /// The whole run was stopped meanwhile.
    Stopped,
}

/// Gives the kind of error of an exception that leaves the entry point; `None` for one that is a test like others.
pub type Judge = Box<dyn Fn(&Thrown) -> Option<ErrorKind>>;

/// The call of the entry point, as Java source has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EntryCall {
    /// How many pieces of input it was made of: the first ones.
    pub pieces: usize,
    /// The object, unless the method is static, and the arguments; "?" for one that source cannot make.
    pub arguments: Vec<String>,
}

/// A call, as an error is known by it: file, method and line.
pub(crate) type At = (String, String, u32);

/// Kind, file and line of an error; for unsupported things the name in place of a file.
pub(crate) type ErrorPlace = (ErrorKind, String, u32);

/// How an error is known: its place, and the calls that lead there. `None` for what is no error.
pub(crate) fn known_by(
    outcome: &PathOutcome,
    stack: Option<&Stack>,
) -> Option<(ErrorPlace, BTreeSet<At>)> {
    let kind = outcome.error()?;
    if let PathOutcome::Error(e) = outcome {
        return Some(((kind, e.message.clone(), 0), BTreeSet::new()));
    }
    let frames = stack
        .into_iter()
        .flat_map(|s| s.inside.iter().chain(&s.frames));
    let calls = frames.map(|f| (f.file.clone(), f.function.clone(), f.line));
    let first = stack.and_then(|s| s.frames.first());
    let (file, line) = first.map_or((String::new(), 0), |f| (f.file.clone(), f.line));
    Some(((kind, file, line), calls.collect()))
}

impl EntryCall {
    /// From the driver's words: a number and the arguments, each after a tab.
    pub(crate) fn parse(text: &str) -> Option<EntryCall> {
        let mut parts = text.split('\t');
        Some(EntryCall {
            pieces: parts.next()?.parse().ok()?,
            arguments: parts.map(str::to_string).collect(),
        })
    }
}

impl Outcome {
    /// In the form of events, with the calls of an exception.
    pub fn told(self, judge: &Judge) -> (PathOutcome, Option<Stack>) {
        let outcome = match self {
            Outcome::Returned(value) => PathOutcome::Returned(value),
            Outcome::Thrown(thrown, stack) => {
                let error = judge(&thrown);
                let thrown = Thrown { error, ..*thrown };
                return (PathOutcome::Thrown(thrown), Some(stack));
            }
            Outcome::Exit(status) => PathOutcome::Exit(status & 255),
            Outcome::Assumed => PathOutcome::Cut(Ending::Silent),
            Outcome::Steps => PathOutcome::Cut(Ending::Instructions),
            Outcome::Hangs => PathOutcome::Cut(Ending::Blocked),
            Outcome::Unsupported(message) => PathOutcome::Error(Error {
                kind: ErrorKind::Unsupported,
                message,
                object: None,
                is_precondition: false,
            }),
            Outcome::Crashed(what) => PathOutcome::Internal(what),
            Outcome::Stopped => PathOutcome::Cut(Ending::Interrupted),
        };
        (outcome, None)
    }

    /// From the driver's words.
    pub(crate) fn parse(text: &str) -> Outcome {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let (how, what) = first.split_once(' ').unwrap_or((first, ""));
        match how {
            "return" => Outcome::Returned(rest.to_string()),
            "exit" => match what.parse() {
                Ok(status) => Outcome::Exit(status),
                Err(_) => Outcome::Crashed(format!("the driver reported: {text}")),
            },
            "assume" => Outcome::Assumed,
            "steps" => Outcome::Steps,
            "unsupported" => Outcome::Unsupported(what.to_string()),
            "exception" => {
                let (thrown, stack) = thrown(rest);
                Outcome::Thrown(Box::new(thrown), stack)
            }
            _ => Outcome::Crashed(format!("the driver reported: {text}")),
        }
    }
}

fn thrown(text: &str) -> (Thrown, Stack) {
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_default().to_string();
    let class = next();
    let message = next().replace("\\n", "\n").replace("\\\\", "\\");
    let how = next();
    let mut words = how.split('\t');
    let how = words.next().unwrap_or_default();
    let nameable = words.next().unwrap_or("Throwable");
    let why = words.next().filter(|why| !why.is_empty());
    let unfit = why.map(|why| UnfitInput {
        why: why.to_string(),
        objects: words.map(str::to_string).collect(),
        is_certain: false,
    });
    let (is_deliberate, in_thread) = (how == "deliberate", how == "thread");
    let nameable = nameable.to_string();
    let names = |call: &str| call.split_whitespace().map(str::to_string).collect();
    let calls = next().split('\t').map(names).collect();
    let classes = next().split(' ').map(str::to_string).collect();
    let thrown = Thrown {
        class,
        classes,
        message,
        is_deliberate,
        in_thread,
        nameable,
        calls,
        unfit,
        error: None,
    };
    // A deep recursion is known by its innermost calls.
    const FRAMES: usize = 64;
    let mut inside: Vec<StackEntry> = lines.map(frame).collect();
    let own = inside.iter().position(|f| !f.library);
    let mut frames = inside.split_off(own.unwrap_or(inside.len()));
    inside.truncate(FRAMES);
    frames.truncate(FRAMES);
    (thrown, Stack { inside, frames })
}

fn frame(line: &str) -> StackEntry {
    let mut parts = line.split('\t');
    let mut next = || parts.next().unwrap_or_default();
    let (class, method, file) = (next(), next(), next());
    StackEntry {
        function: format!("{class}.{method}"),
        file: file.to_string(),
        line: next().parse().unwrap_or(0),
        column: 0,
        library: !next().is_empty(),
        times: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_comes_with_its_calls() {
        let text = "exception\njava.lang.ArithmeticException\n/ by\\nzero\nraised\tArithmeticException\tis no number\ta\tb\na b\tb.0\n\
                    java.lang.ArithmeticException java.lang.RuntimeException\nA\tf\tA.java\t7\t\n\
                    java.util.List\tget\tList.java\t9\tjava.base";
        let Outcome::Thrown(t, stack) = Outcome::parse(text) else {
            panic!("an exception");
        };
        assert_eq!(t.message, "/ by\nzero");
        assert!(!t.is_deliberate && t.classes.len() == 2);
        assert_eq!(t.nameable, "ArithmeticException");
        let unfit = t.unfit.expect("input that it is about");
        assert_eq!(unfit.why, "is no number");
        assert_eq!(unfit.objects, ["a", "b"]);
        assert_eq!(t.calls, [vec!["a", "b"], vec!["b.0"]]);
        assert!(stack.inside.is_empty());
        assert_eq!(stack.frames[0].function, "A.f");
        assert_eq!((stack.frames[0].line, stack.frames[0].library), (7, false));
        assert!(stack.frames[1].library);
        assert_eq!(Outcome::parse("exit 3"), Outcome::Exit(3));
        assert!(matches!(Outcome::parse("what"), Outcome::Crashed(_)));
    }

    #[test]
    fn an_error_is_known_by_its_place_and_the_ways_to_it() {
        let known = |lines: &[u32]| {
            let thrown = Thrown {
                error: Some(ErrorKind::Exception),
                ..Thrown::default()
            };
            let frame = |&line| frame(&format!("A\tf\tA.java\t{line}\t"));
            let stack = Stack {
                frames: lines.iter().map(frame).collect(),
                ..Stack::default()
            };
            known_by(&PathOutcome::Thrown(thrown), Some(&stack)).expect("an error")
        };
        assert_ne!(known(&[7, 9]), known(&[7, 8]), "other calls");
        assert_eq!(known(&[7, 9]), known(&[7, 9, 9]), "a recursion counts once");
        assert_ne!(known(&[7, 9]).0, known(&[9, 7]).0, "another place");
        assert_eq!(known_by(&PathOutcome::Exit(0), None), None);
    }
}
