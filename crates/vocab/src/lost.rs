//! Losses at known places of the program.

use crate::Bound;
use serde::{Deserialize, Serialize};

/// What was left out at a place of the program without ending a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// The kinds in the order of the numbers that records have for them.
    pub const ALL: [Lost; 16] = [
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
    pub fn bound(self) -> Option<Bound> {
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
    pub fn words(self) -> &'static str {
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
