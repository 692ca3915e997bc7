//! The symbolic input of the program: KLEE's options inside ARGS, and the objects that they make.
//!
//! The layout of the objects is that of KLEE's POSIX runtime (`n_args`, `argNN` of LEN+1 bytes,
//! `A_data`, `A_data_stat`, `stdin`, `stdin_stat`, `stdout`, `stdout_stat`, `model_version`), so a
//! test converts to a `.ktest` as it is. Where we differ: a symbolic file is an ordinary one and stdin a
//! pipe unless their attributes are asked for (`--sym-stat`), and a stat object is then free only where a
//! real file can be laid out so, namely permission bits, one or two links, and the times of access and
//! modification, or the choice between file and pipe for a standard stream. Everything else in it
//! is fixed. KLEE leaves all of `struct stat` free, and such a test cannot be replayed for real.
//!
//! The number of arguments of `--sym-args MIN MAX LEN` is a choice of the initial state: `starts`
//! lists one `Start` per combination, in which `n_args` is a fixed object.

use serde::{Deserialize, Serialize};
use term::{Pool, Term};

use crate::abi::{S_IFIFO, S_IFREG};
use crate::bytes::Bytes;
use crate::config::WorldConfig;
use crate::inode::StreamKind;
use crate::sizes::Sizes;

/// Permission bits of a file whose attributes are no input.
const FILE_MODE: u32 = 0o644;
/// Size of KLEE's `stdout` object.
const STDOUT_SIZE: usize = 1024;
/// Size of `struct stat`.
pub(crate) const STAT_SIZE: usize = 144;
/// `st_dev` of every file of the private file system.
pub(crate) const DEVICE: u64 = 0x803;
/// `st_ino` of the symbolic files A, B, … and, after them, of the standard streams.
pub(crate) const FIRST_SYMBOLIC_INO: u32 = 2;

/// The program's arguments and which inputs are symbolic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramInput {
    /// The arguments after argv[0], in order.
    pub args: Vec<ArgSpec>,
    /// Symbolic files A, B, C, … in the current directory.
    pub files: Option<SymFiles>,
    /// Length of a symbolic standard input.
    pub stdin: Option<u64>,
    /// Sizes that each symbolic file, and a symbolic stdin, may have.
    pub sizes: Sizes,
    /// Whether permissions, links and times of symbolic files are input, and whether a symbolic stdin is a file or a pipe
    /// (`--sym-stat`). Without it a file is an ordinary one, and stdin is a pipe.
    pub attributes: bool,
    /// Whether the kind of stdout (file or pipe) is symbolic and its content is part of a test.
    pub stdout: bool,
    /// System calls that may fail by choice on a path (`--fail-syscalls`, `--max-fail`, `--fd-fail`).
    pub max_fail: u32,
}

/// Symbolic files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymFiles {
    /// How many: A, B, C, …
    pub count: u32,
    /// Bytes in each.
    pub len: u64,
}

/// One argument, or a group of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgSpec {
    /// As given.
    Concrete(Vec<u8>),
    /// `--sym-arg LEN`: one argument of at most LEN bytes.
    Symbolic {
        /// Longest length.
        len: u64,
    },
    /// `--sym-args MIN MAX LEN`: MIN to MAX arguments of at most LEN bytes.
    Several {
        /// Fewest arguments.
        min: u32,
        /// Most arguments.
        max: u32,
        /// Longest length of each.
        len: u64,
    },
}

impl ArgSpec {
    fn is_placeholder(&self) -> bool {
        matches!(self, ArgSpec::Concrete(bytes) if bytes == b"@@")
    }
}

/// One initial state: a number of arguments for each group.
#[derive(Clone, Debug)]
pub struct Start {
    /// The arguments after argv[0].
    pub argv: Vec<ArgSource>,
    /// The objects of a test, in KLEE's order.
    pub objects: Vec<ObjectSpec>,
    /// How many arguments each `--sym-args` group has here.
    pub choice: Vec<u32>,
    /// The sizes of files and of stdin.
    pub sizes: Sizes,
}

/// The source of an argument's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgSource {
    /// These bytes, without a NUL.
    Concrete(Vec<u8>),
    /// The object with this index, NUL included.
    Object(usize),
}

/// An object of a test: a named array of bytes, free or fixed.
#[derive(Clone, Debug)]
pub struct ObjectSpec {
    /// KLEE's name for it.
    pub name: String,
    /// `None` is free: the machine makes an 8-bit symbol.
    pub bytes: Vec<Option<u8>>,
    /// Conditions that must hold for the object to exist.
    pub constraints: Vec<Constraint>,
    /// Preferred properties of a test.
    pub preferences: Vec<Constraint>,
}

/// A condition on the little-endian integer of `width` bytes at `offset` of an object, after `mask`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// First byte.
    pub offset: usize,
    /// Bytes, at most 8.
    pub width: usize,
    /// Applied to the value.
    pub mask: u64,
    /// Inclusive ranges; one of them must contain the masked value.
    pub ranges: Vec<(u64, u64)>,
}

impl Constraint {
    fn new(offset: usize, width: usize, mask: u64, ranges: &[(u64, u64)]) -> Constraint {
        Constraint {
            offset,
            width,
            mask,
            ranges: ranges.to_vec(),
        }
    }

    /// The condition over the bytes of the object, as BitVec(1).
    pub fn term(&self, pool: &mut Pool, object: &Bytes) -> Term {
        let value = object.word(pool, self.offset, self.width).term(pool);
        let mask = pool.bv(64, self.mask);
        let value = pool.and(value, mask);
        let mut any = pool.bool(false);
        for &(low, high) in &self.ranges {
            let (low, high) = (pool.bv(64, low), pool.bv(64, high));
            let inside = if low == high {
                pool.eq(value, low)
            } else {
                let (above, below) = (pool.ule(low, value), pool.ule(value, high));
                pool.and(above, below)
            };
            any = pool.or(any, inside);
        }
        any
    }

    /// Whether concrete bytes satisfy the condition.
    pub fn holds(&self, object: &[u8]) -> bool {
        let bytes = &object[self.offset..self.offset + self.width];
        let value = bytes.iter().rev().fold(0, |v, &b| v << 8 | b as u64) & self.mask;
        self.ranges
            .iter()
            .any(|&(low, high)| (low..=high).contains(&value))
    }
}

/// Reads KLEE's options for symbolic input out of the program's arguments; everything else is a
/// concrete argument. Options may start with one dash or two.
pub fn parse_program_args(args: &[String]) -> Result<ProgramInput, String> {
    let mut input = ProgramInput::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let name = arg
            .strip_prefix("--")
            .or_else(|| arg.strip_prefix('-'))
            .unwrap_or("");
        let mut number = |what: &str| -> Result<u64, String> {
            let text = rest.next().ok_or_else(|| format!("{arg} needs {what}"))?;
            let value = text
                .parse::<u64>()
                .map_err(|_| format!("{arg}: {what} is a number, not '{text}'"))?;
            if value > 1 << 30 {
                return Err(format!("{arg}: {what} is too large: {value}"));
            }
            Ok(value)
        };
        match name {
            "sym-arg" => {
                let len = number("a length")?;
                input.args.push(ArgSpec::Symbolic { len });
            }
            "sym-args" => {
                let (min, max) = (
                    number("a least number of arguments")?,
                    number("a largest number of arguments")?,
                );
                let len = number("a length")?;
                if min > max || max > 99 {
                    return Err(format!(
                        "{arg}: the numbers of arguments {min} to {max} are not a range within 0 to 99"
                    ));
                }
                input.args.push(ArgSpec::Several {
                    min: min as u32,
                    max: max as u32,
                    len,
                });
            }
            "sym-files" => {
                let (count, len) = (number("a number of files")?, number("a length")?);
                if count > 26 {
                    return Err(format!("{arg}: at most 26 files (A to Z), not {count}"));
                }
                if len == 0 && count > 0 {
                    return Err(format!(
                        "{arg}: the length of a symbolic file is at least 1"
                    ));
                }
                input.files = (count > 0).then_some(SymFiles {
                    count: count as u32,
                    len,
                });
            }
            "sym-stdin" => input.stdin = Some(number("a length")?),
            "sym-stdout" => input.stdout = true,
            "sym-exact" => input.sizes = Sizes::Full,
            "sym-empty" => input.sizes = Sizes::FullOrEmpty,
            "sym-size" => input.sizes = Sizes::Growing,
            "sym-stat" => input.attributes = true,
            "save-all-writes" => {}
            "fd-fail" => input.max_fail = 1,
            "max-fail" => input.max_fail = number("a number of failures")? as u32,
            _ => input.args.push(ArgSpec::Concrete(arg.clone().into_bytes())),
        }
    }
    Ok(input)
}

impl ProgramInput {
    /// Whether anything is symbolic.
    pub fn is_symbolic(&self) -> bool {
        let symbolic_arg = self.args.iter().any(|a| !matches!(a, ArgSpec::Concrete(_)));
        symbolic_arg || self.files.is_some() || self.stdin.is_some() || self.stdout
    }

    /// Is one of the arguments AFL's placeholder of the input file?
    pub fn has_placeholder(&self) -> bool {
        self.args.iter().any(ArgSpec::is_placeholder)
    }

    /// Writes the name of the first symbolic file for that placeholder.
    pub fn fill_placeholder(&mut self) {
        for arg in self.args.iter_mut().filter(|a| a.is_placeholder()) {
            *arg = ArgSpec::Concrete(b"A".to_vec());
        }
    }

    /// Symbolic bytes of the largest start, but for attributes of files.
    pub fn symbolic_bytes(&self) -> u64 {
        let args = self.args.iter().map(|arg| match arg {
            ArgSpec::Concrete(_) => 0,
            ArgSpec::Symbolic { len } => *len,
            ArgSpec::Several { max, len, .. } => u64::from(*max).saturating_mul(*len),
        });
        let files = self
            .files
            .map_or(0, |files| u64::from(files.count).saturating_mul(files.len));
        args.chain([files, self.stdin.unwrap_or(0)])
            .fold(0, u64::saturating_add)
    }

    /// One initial state per combination of argument counts; the largest counts last.
    pub fn starts(&self, config: &WorldConfig) -> Vec<Start> {
        let ranges = self.args.iter().filter_map(|a| match a {
            ArgSpec::Several { min, max, .. } => Some((*min, *max)),
            _ => None,
        });
        let mut choices = vec![Vec::new()];
        for (min, max) in ranges {
            choices = choices
                .iter()
                .flat_map(|c: &Vec<u32>| (min..=max).map(move |n| [&c[..], &[n]].concat()))
                .collect();
        }
        choices
            .into_iter()
            .map(|choice| self.start(config, choice))
            .collect()
    }

    fn start(&self, config: &WorldConfig, choice: Vec<u32>) -> Start {
        let mut start = Start {
            argv: Vec::new(),
            objects: Vec::new(),
            choice,
            sizes: self.sizes,
        };
        let mut counts = start.choice.clone().into_iter();
        let (mut groups, mut symbolic_args) = (0, 0);
        for arg in &self.args {
            let (count, len) = match arg {
                ArgSpec::Concrete(bytes) => {
                    start.argv.push(ArgSource::Concrete(bytes.clone()));
                    continue;
                }
                ArgSpec::Symbolic { len } => (1, *len),
                ArgSpec::Several { len, .. } => {
                    let count = counts.next().unwrap_or(0);
                    let name = if groups == 0 {
                        "n_args".to_string()
                    } else {
                        format!("n_args_{groups}")
                    };
                    groups += 1;
                    start
                        .objects
                        .push(ObjectSpec::fixed(&name, &count.to_le_bytes()));
                    (count, *len)
                }
            };
            for _ in 0..count {
                start.argv.push(ArgSource::Object(start.objects.len()));
                start
                    .objects
                    .push(ObjectSpec::argument(symbolic_args, len as usize));
                symbolic_args += 1;
            }
        }
        let mut ino = FIRST_SYMBOLIC_INO;
        let first_file = start.objects.len();
        if let Some(files) = self.files {
            for k in 0..files.count {
                let name = format!("{}_data", (b'A' + k as u8) as char);
                start
                    .objects
                    .push(ObjectSpec::free(&name, files.len as usize));
                let mut stat = ObjectSpec::file_stat(&name, ino, files.len, config);
                if self.attributes {
                    stat.free_attributes(config);
                }
                start.objects.push(stat);
                ino += 1;
            }
        }
        if let Some(len) = self.stdin {
            start.objects.push(ObjectSpec::free("stdin", len as usize));
            let kind = match config.stdin_kind {
                StreamKind::Any if !self.attributes => StreamKind::Pipe,
                kind => kind,
            };
            start
                .objects
                .push(ObjectSpec::stream_stat("stdin", ino, len, kind, config));
        }
        for object in &mut start.objects[first_file..] {
            object.free_size(self.sizes);
        }
        if self.stdout {
            start
                .objects
                .push(ObjectSpec::fixed("stdout", &[0; STDOUT_SIZE]));
            start.objects.push(ObjectSpec::stream_stat(
                "stdout",
                ino + 1,
                0,
                config.stdout_kind,
                config,
            ));
        }
        if !start.objects.is_empty() {
            start
                .objects
                .push(ObjectSpec::fixed("model_version", &1u32.to_le_bytes()));
        }
        start
    }
}

/// Offsets and widths in `struct stat`.
pub(crate) mod stat {
    pub(crate) const DEV: usize = 0;
    pub(crate) const INO: usize = 8;
    pub(crate) const NLINK: usize = 16;
    pub(crate) const MODE: usize = 24;
    pub(crate) const UID: usize = 28;
    pub(crate) const GID: usize = 32;
    pub(crate) const RDEV: usize = 40;
    pub(crate) const SIZE: usize = 48;
    pub(crate) const BLKSIZE: usize = 56;
    pub(crate) const BLOCKS: usize = 64;
    pub(crate) const ATIME: usize = 72;
    pub(crate) const MTIME: usize = 88;
    pub(crate) const CTIME: usize = 104;
}

impl ObjectSpec {
    /// Offset and length of each run of free bytes.
    pub fn free_ranges(&self) -> Vec<(usize, usize)> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let free = |(_, byte): &(usize, &Option<u8>)| byte.is_none();
        for (at, _) in self.bytes.iter().enumerate().filter(free) {
            match ranges.last_mut() {
                Some((first, length)) if *first + *length == at => *length += 1,
                _ => ranges.push((at, 1)),
            }
        }
        ranges
    }

    /// Where the size stands in a `struct stat` in which it is open: the offset of four little-endian bytes.
    pub fn open_size(&self) -> Option<usize> {
        let is_open = self.name.ends_with("_stat") && self.bytes[stat::SIZE].is_none();
        is_open.then_some(stat::SIZE)
    }

    /// Is it a `struct stat` that these bytes, at this offset, contradict in what a program asks of a file: its type and permissions,
    /// links and times?
    pub fn has_other_attributes(&self, offset: usize, bytes: &[u8]) -> bool {
        const FIELDS: [(usize, usize); 4] = [
            (stat::MODE, 4),
            (stat::NLINK, 8),
            (stat::ATIME, 8),
            (stat::MTIME, 8),
        ];
        let given = |at: usize| bytes.get(at.checked_sub(offset)?);
        let differs = |at: usize| match (self.bytes[at], given(at)) {
            (Some(fixed), Some(&given)) => fixed != given,
            _ => false,
        };
        let mut fields = FIELDS.iter().flat_map(|&(at, width)| at..at + width);
        self.name.ends_with("_stat") && fields.any(differs)
    }

    /// A content of the object that fulfils its conditions and preferences: an ordinary file, say.
    pub fn usual(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.bytes.iter().map(|b| b.unwrap_or(0)).collect();
        for c in self.constraints.iter().chain(&self.preferences) {
            let Some(&(value, _)) = c.ranges.first() else {
                continue;
            };
            for (i, byte) in bytes[c.offset..c.offset + c.width].iter_mut().enumerate() {
                let (mask, value) = ((c.mask >> (8 * i)) as u8, (value >> (8 * i)) as u8);
                *byte = *byte & !mask | value & mask;
            }
        }
        bytes
    }

    fn fixed(name: &str, bytes: &[u8]) -> ObjectSpec {
        let bytes = bytes.iter().map(|&b| Some(b)).collect();
        ObjectSpec {
            name: name.to_string(),
            bytes,
            constraints: Vec::new(),
            preferences: Vec::new(),
        }
    }

    fn free(name: &str, len: usize) -> ObjectSpec {
        ObjectSpec {
            name: name.to_string(),
            bytes: vec![None; len],
            constraints: Vec::new(),
            preferences: Vec::new(),
        }
    }

    fn argument(number: usize, len: usize) -> ObjectSpec {
        let mut object = ObjectSpec::free(&format!("arg{number:02}"), len);
        object.bytes.push(Some(0));
        let printable = |i| Constraint::new(i, 1, 0xff, &[(0x20, 0x7e)]);
        object.preferences = (0..len).map(printable).collect();
        object
    }

    /// `struct stat` with everything fixed that does not depend on the kind of file.
    fn stat(name: &str, ino: u32, size: u64, config: &WorldConfig) -> ObjectSpec {
        let mut object = ObjectSpec::fixed(&format!("{name}_stat"), &[0; STAT_SIZE]);
        object.set(stat::DEV, 8, DEVICE);
        object.set(stat::INO, 8, ino as u64);
        object.set(stat::NLINK, 8, 1);
        object.set(stat::UID, 4, config.uid as u64);
        object.set(stat::GID, 4, config.gid as u64);
        object.set(stat::SIZE, 8, size);
        object.set(stat::BLKSIZE, 8, 4096);
        object.set(stat::BLOCKS, 8, size.div_ceil(4096) * 8);
        for offset in [stat::ATIME, stat::MTIME, stat::CTIME] {
            object.set(offset, 8, config.epoch as u64);
        }
        object
    }

    fn file_stat(name: &str, ino: u32, size: u64, config: &WorldConfig) -> ObjectSpec {
        let mut object = ObjectSpec::stat(name, ino, size, config);
        object.set(stat::MODE, 4, (S_IFREG | FILE_MODE) as u64);
        object
    }

    /// Frees what a real file can have in its `struct stat`.
    fn free_attributes(&mut self, config: &WorldConfig) {
        self.free_bytes(stat::MODE, 2);
        self.require(stat::MODE, 2, 0xf000, &[(S_IFREG as u64, S_IFREG as u64)]);
        let mode = FILE_MODE as u64;
        self.prefer(stat::MODE, 2, 0o7777, &[(mode, mode)]);
        self.free_bytes(stat::NLINK, 1);
        self.require(stat::NLINK, 1, 0xff, &[(1, 2)]);
        self.prefer(stat::NLINK, 1, 0xff, &[(1, 1)]);
        for offset in [stat::ATIME, stat::MTIME] {
            self.free_bytes(offset, 4);
            self.require(offset, 4, 0xffff_ffff, &[(0, 0x7fff_ffff)]);
            let epoch = config.epoch as u64;
            self.prefer(offset, 4, 0xffff_ffff, &[(epoch, epoch)]);
        }
    }

    /// Frees the size in a `struct stat`.
    fn free_size(&mut self, sizes: Sizes) {
        if !self.name.ends_with("_stat") {
            return;
        }
        let bytes = self.bytes[stat::SIZE..stat::SIZE + 4].iter().rev();
        let size = bytes.fold(0, |v, b| v << 8 | b.unwrap_or(0) as u64);
        match sizes {
            Sizes::Full => return,
            Sizes::FullOrEmpty => self.require(stat::SIZE, 4, u64::MAX, &[(0, 0), (size, size)]),
            Sizes::Any | Sizes::Growing => {
                self.require(stat::SIZE, 4, u64::MAX, &[(0, size)]);
            }
        }
        // Only the bytes that can differ: conditions over one byte are the solver's cheapest.
        self.free_bytes(stat::SIZE, (64 - size.leading_zeros()).div_ceil(8) as usize);
        self.prefer(stat::SIZE, 4, u64::MAX, &[(size, size)]);
    }

    fn stream_stat(
        name: &str,
        ino: u32,
        size: u64,
        kind: StreamKind,
        config: &WorldConfig,
    ) -> ObjectSpec {
        let mut object = ObjectSpec::stat(name, ino, size, config);
        match kind.mode() {
            Some(mode) => object.set(stat::MODE, 4, mode as u64),
            None => {
                let high = |file_type: u32| (file_type | 0o600) as u64 >> 8;
                let kinds = [S_IFREG, S_IFIFO].map(|t| (high(t), high(t)));
                object.set(stat::MODE, 2, 0o600);
                object.free_bytes(stat::MODE + 1, 1);
                object.require(stat::MODE + 1, 1, 0xff, &kinds);
                object.prefer(
                    stat::MODE + 1,
                    1,
                    0xf0,
                    &[(S_IFREG as u64 >> 8, S_IFREG as u64 >> 8)],
                );
            }
        }
        object
    }

    fn set(&mut self, offset: usize, width: usize, value: u64) {
        for i in 0..width {
            self.bytes[offset + i] = Some((value >> (8 * i)) as u8);
        }
    }

    fn free_bytes(&mut self, offset: usize, width: usize) {
        self.bytes[offset..offset + width].fill(None);
    }

    fn require(&mut self, offset: usize, width: usize, mask: u64, ranges: &[(u64, u64)]) {
        self.constraints
            .push(Constraint::new(offset, width, mask, ranges));
    }

    fn prefer(&mut self, offset: usize, width: usize, mask: u64, ranges: &[(u64, u64)]) {
        self.preferences
            .push(Constraint::new(offset, width, mask, ranges));
    }
}
