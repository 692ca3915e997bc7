//! A program behind the fence that runs one input after the other: the fuzzer's side of `runtime/server.c`.

use fence::{Fence, Launcher, View};
use memmap2::MmapMut;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// How a program gets its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// As the content of the file `A` in its directory.
    File = 1,
    /// On its standard input, a pipe.
    Stdin = 2,
    /// As an argument of `LLVMFuzzerTestOneInput`, without a new process.
    Call = 3,
}

/// What is to run, and within which limits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NativeSetting {
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// How it gets its input.
    pub by: By,
    /// The longest input, in bytes.
    pub max_len: usize,
    /// Time for one input.
    pub time: Duration,
    /// Bytes of address space that the program may have; 0: no limit.
    pub memory: u64,
    /// A directory for the program where the fence has no private one.
    pub place: PathBuf,
    /// The user wants no fence.
    pub open: bool,
    /// Variables of the program's environment, beside the usual ones.
    pub environment: Vec<(String, String)>,
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end; the status, or what the target returned.
    Ended(i32),
    /// A signal killed it.
    Killed(i32),
    /// It took too long, and was ended.
    TimedOut,
    /// It did not begin: again and again something keeps the program from being started.
    Broken,
}

const MAGIC: u64 = 0x5059_5352_5646_555a;
const PAGE: usize = 4096;
/// Bytes for the operands of comparisons.
const LOG: usize = 1 << 20;
/// Inputs that one process of a target gets, before a new one begins: what a target leaves behind is gone then.
const ROUNDS: u64 = 10_000;
/// For the start of a server.
const START: Duration = Duration::from_secs(20);
/// For its answer to the word that ends an execution.
const GRACE: Duration = Duration::from_secs(5);
/// Bytes of a reply.
const REPLY: usize = 16;
/// Bytes before those of an input.
const HEAD: usize = 12;

/// A program with its server.
pub struct Server {
    program: PathBuf,
    setting: NativeSetting,
    has_log: bool,
    alive: Option<Alive>,
    /// The counters, and behind them everything else that both sides see.
    memory: MmapMut,
    file: File,
    counters: usize,
    input_at: usize,
    log_at: usize,
    /// What keeps the program from changing the host.
    pub fence: Fence,
    /// Starts after the first one.
    pub restarts: u64,
    /// The number of the last execution, and executions of this process.
    serial: u32,
    runs: u64,
}

/// Its process.
struct Alive {
    /// Ends with this.
    _process: host::child::Tied,
    link: UnixStream,
    kill: UnixStream,
}

impl Server {
    /// Starts a program that was made by [`crate::Programs`]. With `has_log` it reports operands of comparisons.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(program: &Path, setting: &NativeSetting, has_log: bool) -> io::Result<Server> {
        let (link, process, fence, counters) = begin(program, setting)?;
        let input_at = (counters + 1).next_multiple_of(PAGE);
        let log_at = (input_at + HEAD + setting.max_len).next_multiple_of(PAGE);
        let size = log_at + if has_log { LOG } else { 0 };
        let file = File::from(memfd_create("fuzz", MemfdFlags::CLOEXEC)?);
        file.set_len(size as u64)?;
        // SAFETY: the other side writes there as well. What is read is numbers and bytes, all of whose values are valid, and
        // nothing is read while the program runs.
        let memory = unsafe { MmapMut::map_mut(&file)? };
        let mut server = Server {
            program: program.to_owned(),
            setting: setting.clone(),
            has_log,
            alive: None,
            memory,
            file,
            counters,
            input_at,
            log_at,
            fence,
            restarts: 0,
            serial: 0,
            runs: 0,
        };
        server.join(link, process)?;
        Ok(server)
    }

    /// Gives a process that has just begun its memory.
    fn join(&mut self, mut link: UnixStream, process: host::child::Tied) -> io::Result<()> {
        let (kill, theirs) = UnixStream::pair()?;
        let words = [
            self.memory.len() as u64,
            self.input_at as u64,
            self.setting.max_len as u64,
            if self.has_log { self.log_at as u64 } else { 0 },
            LOG as u64,
            self.setting.memory,
            self.setting.by as u64,
            ROUNDS,
        ];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let sent = [self.file.as_fd(), theirs.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !ancillary.push(SendAncillaryMessage::ScmRights(&sent)) {
            return Err(io::Error::other("no room for two descriptors"));
        }
        sendmsg(
            &link,
            &[IoSlice::new(&bytes)],
            &mut ancillary,
            SendFlags::empty(),
        )?;
        let mut ready = [0];
        hear(&mut link, &mut ready, START)?;
        self.alive = Some(Alive {
            _process: process,
            link,
            kill,
        });
        Ok(())
    }

    /// The counters of edges of the last execution.
    ///
    /// The last one belongs to no edge, and is set after each execution.
    pub fn counters(&mut self) -> &mut [u8] {
        &mut self.memory[..=self.counters]
    }

    /// Takes back what the last execution covered.
    pub fn forget(&mut self) {
        self.memory[..self.counters].fill(0);
        self.memory[self.counters] = 1;
    }

    /// What the last execution compared, as the server wrote it.
    pub fn log(&self) -> &[u8] {
        &self.memory[self.log_at..]
    }

    /// Runs an input, of which what is longer than the longest is cut off. A server that has ended is started again, once.
    ///
    /// # Errors
    /// It does not start any more.
    pub fn run(&mut self, input: &[u8]) -> io::Result<End> {
        self.serial = self.serial.wrapping_add(1);
        for _ in 0..2 {
            if self.alive.is_none() || self.runs >= ROUNDS && self.setting.by != By::Call {
                // What the program has left behind goes with the server.
                self.restart()?;
                self.runs = 0;
            }
            match self.try_run(input) {
                Ok(end) => {
                    self.runs += 1;
                    return Ok(end);
                }
                // Something has ended the server itself.
                Err(_) => self.alive = None,
            }
        }
        self.forget();
        Ok(End::Broken)
    }

    fn restart(&mut self) -> io::Result<()> {
        let (link, process, _, counters) = begin(&self.program, &self.setting)?;
        if counters != self.counters {
            return Err(io::Error::other("the program has changed"));
        }
        if self.alive.take().is_none() {
            self.restarts += 1;
        }
        self.join(link, process)
    }

    fn try_run(&mut self, input: &[u8]) -> io::Result<End> {
        let size = input.len().min(self.setting.max_len);
        self.forget();
        let at = self.input_at;
        self.memory[at..at + 4].copy_from_slice(&(size as u32).to_ne_bytes());
        self.memory[at + 4..at + 8].fill(0);
        self.memory[at + 8..at + HEAD].copy_from_slice(&self.serial.to_ne_bytes());
        self.memory[at + HEAD..at + HEAD + size].copy_from_slice(&input[..size]);
        let alive = self.alive.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        alive.link.write_all(&[1])?;
        let mut reply = [0; REPLY];
        let serial = self.serial;
        let is_late = match hear_of(&mut alive.link, serial, &mut reply, self.setting.time) {
            Err(e) if e.kind() == io::ErrorKind::TimedOut => {
                alive.kill.write_all(&serial.to_ne_bytes())?;
                hear_of(&mut alive.link, serial, &mut reply, GRACE)?;
                true
            }
            heard => heard.map(|()| false)?,
        };
        let word = |at: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&reply[at..at + 4]);
            i32::from_ne_bytes(bytes)
        };
        match (word(0), word(4)) {
            (2, libc::SIGKILL) if is_late => Ok(End::TimedOut),
            (1, status) => Ok(End::Ended(status)),
            // The limit of files is ours.
            (2, libc::SIGXFSZ) => Ok(End::Ended(0)),
            (2, signal) => Ok(End::Killed(signal)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Starts a program, which says how many counters it has.
fn begin(
    program: &Path,
    setting: &NativeSetting,
) -> io::Result<(UnixStream, host::child::Tied, Fence, usize)> {
    let program = program.canonicalize()?;
    let view = View {
        user: fence::USER,
        needed: vec![program.clone()],
        hidden: fence::homes(),
        writable: Vec::new(),
        place: std::path::absolute(&setting.place)?,
        sets_times: true,
        open: setting.open,
    };
    let launcher = Launcher::this_program(fence::launch::MODE);
    let mut command = fence::launch::command(&launcher, &view)?;
    let (mut link, theirs) = UnixStream::pair()?;
    command
        .arg(&program)
        .args(&setting.arguments)
        .env_clear()
        .envs(fence::inherit::ENVIRONMENT.iter().copied())
        .envs(setting.environment.iter().cloned())
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut process = host::child::spawn(&mut command)?;
    // The other end of the link is the program's alone.
    drop(command);
    let mut stdout = process.stdout()?;
    let fence = fence::launch::fence(&mut stdout)?;
    process.adopt();
    let mut hello = [0; 24];
    hear(&mut link, &mut hello, START)?;
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hello[at..at + 8]);
        u64::from_ne_bytes(bytes)
    };
    if word(0) != MAGIC {
        return Err(io::Error::other("that is no program for fuzzing"));
    }
    if setting.by == By::Call && word(16) == 0 {
        return Err(io::Error::other(
            "the program has no LLVMFuzzerTestOneInput",
        ));
    }
    Ok((link, process, fence, word(8) as usize))
}

/// Reads the reply of an execution, past those of earlier ones.
fn hear_of(
    link: &mut UnixStream,
    serial: u32,
    reply: &mut [u8; REPLY],
    time: Duration,
) -> io::Result<()> {
    loop {
        hear(link, reply, time)?;
        if reply[8..12] == serial.to_ne_bytes() {
            return Ok(());
        }
    }
}

/// Reads so many bytes, within this time.
fn hear(link: &mut UnixStream, bytes: &mut [u8], time: Duration) -> io::Result<()> {
    let mut polled = [PollFd::new(&*link, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: i64::from(time.subsec_nanos()),
    };
    loop {
        match poll(&mut polled, Some(&limit)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => return link.read_exact(bytes),
            // A signal to this process: the limit begins anew.
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
}
