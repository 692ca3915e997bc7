//! Errors in scripts.

use std::fmt;

/// A place in the text, counted from 1; columns are characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Character within the line.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

/// A feature of SMT-LIB that this reader lacks, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Feature(pub(crate) &'static str);

impl Feature {
    /// The feature's name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// Why a command was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// It is not SMT-LIB, or does not fit the declarations.
    Malformed(String),
    /// It may be right, but is refused.
    Unsupported(Feature),
    /// Reading failed.
    Io(String),
}

/// A command that was not read. The reader goes on behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The position.
    pub at: Position,
    /// Why.
    pub kind: ErrorKind,
    /// Was it an assertion? Then a model without it need not satisfy it.
    pub lost_assertion: bool,
}

impl Error {
    pub(crate) fn malformed(at: Position, message: impl Into<String>) -> Error {
        Error {
            at,
            kind: ErrorKind::Malformed(message.into()),
            lost_assertion: false,
        }
    }

    pub(crate) fn unsupported(at: Position, feature: Feature) -> Error {
        Error {
            at,
            kind: ErrorKind::Unsupported(feature),
            lost_assertion: false,
        }
    }

    /// The refused feature.
    pub fn feature(&self) -> Option<Feature> {
        match self.kind {
            ErrorKind::Unsupported(feature) => Some(feature),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.at)?;
        match &self.kind {
            ErrorKind::Malformed(message) => f.write_str(message),
            ErrorKind::Unsupported(feature) => write!(f, "not supported: {}", feature.name()),
            ErrorKind::Io(message) => write!(f, "cannot read: {message}"),
        }
    }
}

impl std::error::Error for Error {}

/// The result of a construct over terms; the reader adds the position of an error.
pub(crate) type Checked<T> = Result<T, ErrorKind>;

pub(crate) fn wrong<T>(message: impl Into<String>) -> Checked<T> {
    Err(ErrorKind::Malformed(message.into()))
}

pub(crate) fn refuse<T>(name: &'static str) -> Checked<T> {
    Err(ErrorKind::Unsupported(Feature(name)))
}
