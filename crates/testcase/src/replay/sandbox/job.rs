//! The messages between Polypath and a worker: a set-up and its answer, then jobs and their results. Each message is a
//! length and its bytes.

use super::{Fence, FloatTrap, SandboxLimits};
use crate::model::{FileSpec, TestCase};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// How a native run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NativeEnd {
    /// It exited with this status.
    Exited(i32),
    /// A signal killed it.
    Signaled(i32),
    /// It took too long and was killed.
    TimedOut,
    /// It had more processes than it may.
    TooManyProcesses,
    /// Its processes together used more memory than they may.
    TooMuchMemory,
    /// Its files together used more of the disk than they may. (Where they lie in memory a write fails instead.)
    TooMuchDisk,
}

/// A fault of the program, as the kernel reported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The signal's number.
    pub signal: i32,
    /// The address that could not be accessed; meaningless for some signals.
    pub address: u64,
    /// The instruction.
    pub pc: u64,
}

/// The result of a native run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observed {
    /// How it ended.
    pub end: NativeEnd,
    /// Its output on stdout.
    pub stdout: Vec<u8>,
    /// Its output on stderr.
    pub stderr: Vec<u8>,
    /// If asked for ([`SandboxLimits::trace`]): of the first process, in order, also those that it handled.
    pub faults: Vec<Fault>,
    /// If asked for ([`SandboxLimits::float_traps`]): instructions of the first process, each once.
    pub float_traps: Vec<FloatTrap>,
}

/// The first message.
#[derive(Serialize, Deserialize)]
pub(super) struct Setup {
    pub user: (u32, u32),
    pub needed: Vec<PathBuf>,
    pub hidden: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    pub open: bool,
}

pub(super) type Ready = Result<Fence, String>;

/// One run.
#[derive(Serialize, Deserialize)]
pub(super) struct Job {
    pub binary: PathBuf,
    pub input: Input,
    pub limits: SandboxLimits,
}

pub(super) type Reply = Result<Observed, String>;

/// A test as a native run needs it.
#[derive(Serialize, Deserialize)]
pub(super) struct Input {
    pub args: Vec<Vec<u8>>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub stdin: Vec<u8>,
    pub stdin_is_pipe: bool,
    pub stdout_is_pipe: bool,
    pub files: Vec<FileSpec>,
    /// A `.ktest` for `KTEST_FILE`.
    pub objects: Option<Vec<u8>>,
}

impl Input {
    pub fn of(test: &TestCase) -> io::Result<Input> {
        for file in &test.files {
            if !crate::testdir::is_inside(&file.path) {
                let why = format!("file {:?} is outside the working directory", file.path);
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
        }
        let own = &test.objects[(test.input_objects as usize).min(test.objects.len())..];
        let pair = |(n, v): (&[u8], &[u8])| (n.to_vec(), v.to_vec());
        Ok(Input {
            args: test.args.clone(),
            env: super::variables(test).into_iter().map(pair).collect(),
            stdin: test.stdin.clone().unwrap_or_default(),
            stdin_is_pipe: stream_type(test, "stdin_stat") == Some(libc::S_IFIFO),
            stdout_is_pipe: stream_type(test, "stdout_stat") == Some(libc::S_IFIFO),
            files: test.files.clone(),
            objects: (!own.is_empty()).then(|| super::objects_file(test, own)),
        })
    }
}

/// The file type in the `struct stat` object that the engine made for a standard stream.
fn stream_type(test: &TestCase, name: &str) -> Option<u32> {
    // The program's own objects have names of its choice.
    let input = test.objects.iter().take(test.input_objects as usize);
    let (_, stat) = input.into_iter().find(|(n, _)| n == name)?;
    let mode = stat.get(24..28)?;
    Some(u32::from_le_bytes([mode[0], mode[1], mode[2], mode[3]]) & libc::S_IFMT)
}

pub(super) fn send<T: Serialize>(link: &mut UnixStream, message: &T) -> io::Result<()> {
    let mut bytes = vec![0; 8];
    bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = (bytes.len() - 8) as u64;
    bytes[..8].copy_from_slice(&length.to_le_bytes());
    link.write_all(&bytes)
}

pub(super) fn receive<T: for<'a> Deserialize<'a>>(link: &mut UnixStream) -> io::Result<T> {
    let mut length = [0; 8];
    link.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    link.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}
