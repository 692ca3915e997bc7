//! KLEE's `.ktest` format, version 3.
//!
//! All numbers are 32-bit big-endian: `"KTEST"`, version, number of arguments, each argument as
//! length and bytes, `symArgvs`, `symArgvLen` (from version 2 on), number of objects, each object
//! as name (length and bytes) and data (length and bytes). Old files start with `"BOUT\n"`.
//!
//! The reader takes no length on trust: a count or length beyond the end of the file is an error.

use std::fmt;

/// A test in KLEE's format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KTest {
    /// The command line, symbolic options (`--sym-args` …) included.
    pub args: Vec<Vec<u8>>,
    /// The header's number of symbolic arguments.
    pub sym_argvs: u32,
    /// The header's length of those arguments, in bytes.
    pub sym_argv_len: u32,
    /// Symbolic objects in the order in which they were made: (name, content).
    pub objects: Vec<(Vec<u8>, Vec<u8>)>,
}

const MAGIC: &[u8; 5] = b"KTEST";
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";
const VERSION: u32 = 3;

/// Why a file is not a `.ktest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The first five bytes are neither `KTEST` nor `BOUT\n`.
    Magic,
    /// A version newer than 3.
    Version(u32),
    /// The file ends inside the named part.
    Truncated(&'static str),
    /// Bytes follow the last object.
    Trailing(usize),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Magic => write!(f, "not a .ktest file (no KTEST header)"),
            ParseError::Version(v) => write!(f, ".ktest version {v} is newer than {VERSION}"),
            ParseError::Truncated(what) => write!(f, "the .ktest file ends inside {what}"),
            ParseError::Trailing(n) => write!(f, "{n} bytes follow the last object of the .ktest"),
        }
    }
}

impl std::error::Error for ParseError {}

impl KTest {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        out.extend_from_slice(MAGIC);
        put(&mut out, VERSION);
        put_len(&mut out, self.args.len());
        for arg in &self.args {
            put_bytes(&mut out, arg);
        }
        put(&mut out, self.sym_argvs);
        put(&mut out, self.sym_argv_len);
        put_len(&mut out, self.objects.len());
        for (name, data) in &self.objects {
            put_bytes(&mut out, name);
            put_bytes(&mut out, data);
        }
        out
    }

    /// Parses a whole file.
    pub fn parse(file: &[u8]) -> Result<KTest, ParseError> {
        let mut rest = file;
        let magic = take(&mut rest, 5).ok_or(ParseError::Magic)?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(ParseError::Magic);
        }
        let version = number(&mut rest, "the version")?;
        if version > VERSION {
            return Err(ParseError::Version(version));
        }
        let mut test = KTest::default();
        for _ in 0..number(&mut rest, "the number of arguments")? {
            test.args.push(bytes(&mut rest, "an argument")?);
        }
        if version >= 2 {
            test.sym_argvs = number(&mut rest, "symArgvs")?;
            test.sym_argv_len = number(&mut rest, "symArgvLen")?;
        }
        for _ in 0..number(&mut rest, "the number of objects")? {
            let name = bytes(&mut rest, "an object's name")?;
            let data = bytes(&mut rest, "an object's data")?;
            test.objects.push((name, data));
        }
        match rest.len() {
            0 => Ok(test),
            n => Err(ParseError::Trailing(n)),
        }
    }
}

fn put(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

fn put_len(out: &mut Vec<u8>, len: usize) {
    put(
        out,
        u32::try_from(len).expect("a part of a test is smaller than 4 GiB"),
    );
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(n)?;
    *rest = tail;
    Some(head)
}

fn number(rest: &mut &[u8], what: &'static str) -> Result<u32, ParseError> {
    let b = take(rest, 4).ok_or(ParseError::Truncated(what))?;
    Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

fn bytes(rest: &mut &[u8], what: &'static str) -> Result<Vec<u8>, ParseError> {
    let n = number(rest, what)? as usize;
    Ok(take(rest, n).ok_or(ParseError::Truncated(what))?.to_vec())
}
