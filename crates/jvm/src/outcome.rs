//! What became of a run of the program.

use serde::{Deserialize, Serialize};
use vocab::Bound;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The entry point returned: its result as a letter of its type and a number, or as the class of an object.
    Returned(String),
    /// It threw.
    Thrown(Thrown),
    /// The program asked for the end of the process.
    Exit(i32),
    /// The program assumed what does not hold here.
    Assumed,
    /// It took all steps that it was given.
    Steps,
    /// It took longer than a run may by the clock: it waits, or works in code that is not woven.
    Hangs,
    /// What cannot be followed, by name.
    Unsupported(String),
    /// The JVM crashed.
    Crashed(String),
    /// The whole run was stopped meanwhile.
    Stopped,
}

/// An exception that left the entry point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thrown {
    /// Its class, and the classes above.
    pub class: String,
    /// All its classes, itself first.
    pub classes: Vec<String>,
    /// Its message; empty for none.
    pub message: String,
    /// The program's own code threw it, or the entry point declares it.
    pub is_deliberate: bool,
    /// It left the code of another thread, and the entry point came to its end all the same.
    pub in_thread: bool,
    /// The nearest class above that source in the entry point's package can name, as it names it.
    pub nameable: String,
    /// The calls, innermost first.
    pub stack: Vec<Frame>,
}

/// A call on the stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Class and method.
    pub function: String,
    /// Source file, empty if unknown.
    pub file: String,
    /// Line, 0 if unknown.
    pub line: u32,
    /// Of the JDK and not of the program.
    pub is_library: bool,
}

/// What was left out on a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lost {
    /// A value was given to a method that is not woven.
    Call,
    /// A value was returned to code that is not woven.
    Result,
    /// A value was used in another thread.
    Thread,
    /// A value was written to a field of the library.
    Field,
    /// A value was given to code that is made at run time (lambdas, strings).
    Dynamic,
    /// A value was given to a method that has no woven code for this object.
    Override,
    /// The program asked for input that can be more than it is given: long strings, objects.
    Input,
    /// A value came to a method that is too long when it is woven.
    Method,
    /// A file of input was read in a way that is not followed, or after it was changed.
    File,
    /// Threads of the program ran in one order of many.
    Order,
    /// A function was called of which only the JVM knows the last bit: what follows from its value is found, and never proved.
    Function,
    /// The program read to the end of its standard input or of a file of input. Within that, nothing is left out.
    End,
    /// An array, a string or a collection of input has a length up to a limit that is ours. Within that, nothing is left out.
    Length,
    /// The time, a random number or an object's identity was asked for, which another run answers in another way.
    Unsteady,
    /// A property or a variable of the environment was asked for that is not set.
    Unset,
    /// A file was looked for that is not there.
    Missing,
}

impl Lost {
    /// The kinds in the order of their numbers in the records.
    pub(crate) const ALL: [Lost; 16] = [
        Lost::Call,
        Lost::Result,
        Lost::Thread,
        Lost::Field,
        Lost::Dynamic,
        Lost::Override,
        Lost::Input,
        Lost::Method,
        Lost::File,
        Lost::Order,
        Lost::Function,
        Lost::End,
        Lost::Length,
        Lost::Unsteady,
        Lost::Unset,
        Lost::Missing,
    ];

    /// The limit of the claim that this is, if the claim holds within it.
    pub fn bound(&self) -> Option<Bound> {
        match self {
            Lost::End => Some(Bound::InputEnd),
            Lost::Length => Some(Bound::Lengths),
            Lost::Unsteady => Some(Bound::Unsteady),
            Lost::Unset => Some(Bound::Unset),
            Lost::Missing => Some(Bound::Missing),
            _ => None,
        }
    }

    /// In words, after a number.
    pub fn words(&self) -> &'static str {
        match self {
            Lost::Call => "values given to the library",
            Lost::Result => "results given to the library",
            Lost::Thread => "values in other threads",
            Lost::Field => "values in fields of the library",
            Lost::Dynamic => "values in lambdas and strings",
            Lost::Input => "pieces of input without all their values",
            Lost::Method => "values in methods too long to be woven",
            Lost::File => "reads of input files that are not followed",
            Lost::Order => "runs of threads in one order only",
            Lost::Function => "values of functions that are known but for their last bits",
            Lost::End => "ends of input that were read",
            Lost::Length => "lengths of input up to a limit",
            Lost::Unsteady => "answers of the world that change from run to run",
            Lost::Missing => "files that are not there",
            Lost::Unset => "properties and variables that are not set",
            Lost::Override => "values given to methods without woven code",
        }
    }
}

/// A path at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathEnd {
    /// How it ended.
    pub outcome: Outcome,
    /// Input, in the order in which the program asked for it.
    pub input: Vec<Piece>,
    /// The call as Java source has it, if it came to that.
    pub call: Option<Call>,
    /// What it printed.
    pub output: String,
    /// The numbers of the blocks ([`Places`](crate::Places)) that it was the first to cover.
    pub covered: Vec<u32>,
    /// Instructions of the program's classes.
    pub steps: u64,
    /// The way through the blocks of the program's classes, from the entry point's first one on (`Way.java`); `None` if another JVM may
    /// take another one.
    pub way: Option<u64>,
}

/// The call of the entry point, as Java source has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// How many pieces of input it was made of: the first ones.
    pub pieces: usize,
    /// The object, unless the method is static, and the arguments; "?" for one that source cannot make.
    pub arguments: Vec<String>,
}

impl Call {
    /// From the driver's words: a number and the arguments, each after a tab.
    pub(crate) fn parse(text: &str) -> Option<Call> {
        let mut parts = text.split('\t');
        Some(Call {
            pieces: parts.next()?.parse().ok()?,
            arguments: parts.map(str::to_string).collect(),
        })
    }
}

/// An object of the input of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// The type of its values, as a letter of Java's descriptions.
    pub kind: char,
    /// The values, little-endian.
    pub bytes: Vec<u8>,
    /// Which values the path's conditions depend on.
    pub relevant: Vec<usize>,
}

impl Outcome {
    /// From the driver's words.
    pub(crate) fn parse(text: &str) -> Outcome {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let (how, what) = first.split_once(' ').unwrap_or((first, ""));
        match how {
            "return" => Outcome::Returned(rest.to_string()),
            "exit" => match what.parse() {
                Ok(status) => Outcome::Exit(status),
                Err(_) => Outcome::Crashed(format!("the driver said: {text}")),
            },
            "assume" => Outcome::Assumed,
            "steps" => Outcome::Steps,
            "unsupported" => Outcome::Unsupported(what.to_string()),
            "exception" => Outcome::Thrown(thrown(rest)),
            _ => Outcome::Crashed(format!("the driver said: {text}")),
        }
    }
}

fn thrown(text: &str) -> Thrown {
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_default().to_string();
    let class = next();
    let message = next().replace("\\n", "\n").replace("\\\\", "\\");
    let how = next();
    let (how, nameable) = how.split_once('\t').unwrap_or((&how, "Throwable"));
    let (is_deliberate, in_thread) = (how == "deliberate", how == "thread");
    let nameable = nameable.to_string();
    let classes = next().split(' ').map(str::to_string).collect();
    Thrown {
        class,
        classes,
        message,
        is_deliberate,
        in_thread,
        nameable,
        stack: lines.map(frame).collect(),
    }
}

fn frame(line: &str) -> Frame {
    let mut parts = line.split('\t');
    let mut next = || parts.next().unwrap_or_default();
    let (class, method, file) = (next(), next(), next());
    Frame {
        function: format!("{class}.{method}"),
        file: file.to_string(),
        line: next().parse().unwrap_or(0),
        is_library: !next().is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_comes_with_its_calls() {
        let text = "exception\njava.lang.ArithmeticException\n/ by\\nzero\nraised\tArithmeticException\n\
                    java.lang.ArithmeticException java.lang.RuntimeException\nA\tf\tA.java\t7\t\n\
                    java.util.List\tget\tList.java\t9\tjava.base";
        let Outcome::Thrown(t) = Outcome::parse(text) else {
            panic!("an exception");
        };
        assert_eq!(t.message, "/ by\nzero");
        assert!(!t.is_deliberate && t.classes.len() == 2);
        assert_eq!(t.nameable, "ArithmeticException");
        assert_eq!(t.stack[0].function, "A.f");
        assert_eq!((t.stack[0].line, t.stack[0].is_library), (7, false));
        assert!(t.stack[1].is_library);
        assert_eq!(Outcome::parse("exit 3"), Outcome::Exit(3));
        assert!(matches!(Outcome::parse("what"), Outcome::Crashed(_)));
    }
}
