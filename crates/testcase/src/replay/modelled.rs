//! Modelled replay: does a native binary take the machine's path?
//!
//! The binary is emitted from the module that the machine's IR was made of ([`crate::sanitize`]).
//! Its coverage sites update the path hash (`ir::trace`); its system calls ask us (over a socket,
//! see `runtime/modelled.c`), and we answer from the test by the same model of Linux that the
//! machine uses, behind the trait [`World`]. Its memory we read and write through the kernel.
//!
//! A path that ended with `exit` must end with the machine's hash; one that ended in an error or was
//! ended by us must pass through it. Anything else is a divergence, and a bug of ours (or of a
//! program that reads memory it never wrote, compares addresses, or looks at the clock, which
//! counts the machine's instructions).

use super::sandbox::{self, End, Limits, Scratch};
use crate::model::{ExitKind, TestCase};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Answers the system calls of one path.
pub trait World {
    /// A system call of the program.
    fn call(&mut self, number: u64, args: &[u64; 6], process: &mut dyn Process) -> Answer;
    /// The handler of the last [`Answer::Handle`] came back.
    fn handler_returned(&mut self) -> Answer;
}

/// The program that asks.
pub trait Process {
    /// Its memory; `None` where there is none.
    fn read(&mut self, address: u64, length: u64) -> Option<Vec<u8>>;
    /// Writes its memory; `false` where it cannot be written.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;
    /// Makes it execute a real system call (for its own address space only).
    fn execute(&mut self, number: u64, args: [u64; 6]) -> i64;
}

/// What becomes of a system call.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It returns this (`-errno` for errors).
    Return(i64),
    /// The program exits.
    Exit(i32),
    /// A signal kills the program.
    Kill(i32),
    /// A signal handler runs first.
    Handle {
        signal: i32,
        handler: u64,
        siginfo: [u8; 128],
    },
    /// The model cannot answer, for the reason named.
    Unsupported(String),
}

/// Opens the world of a test; an error in words when it cannot be rebuilt.
pub type Open<'a> = dyn Fn(&TestCase) -> Result<Box<dyn World>, String> + Sync + 'a;

/// What modelled replay needs.
pub struct Modelled<'a> {
    /// The binary.
    pub binary: PathBuf,
    pub open: &'a Open<'a>,
    pub time: Duration,
}

/// The outcome for one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelledOutcome {
    Same,
    Diverged(String),
    NotRun(String),
}

impl ModelledOutcome {
    /// Short name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            ModelledOutcome::Same => "same path",
            ModelledOutcome::Diverged(_) => "diverged",
            ModelledOutcome::NotRun(_) => "not run",
        }
    }
}

const FD_OBJECTS: RawFd = 1020;
const FD_LINK: RawFd = 1021;
const HELLO: i64 = -1;
const REACHED: i64 = -2;
const HANDLER_RETURNED: i64 = -3;
const RETURN: u64 = 1;
const EXECUTE: u64 = 2;
const HANDLE: u64 = 3;
const EXIT: u64 = 4;
const REQUEST: usize = 64;

impl Modelled<'_> {
    /// Replays one test.
    pub fn run(&self, test: &TestCase) -> ModelledOutcome {
        let Some(target) = test.expected.path_hash else {
            return ModelledOutcome::NotRun("the test has no path hash".into());
        };
        match (self.open)(test) {
            Ok(world) => self
                .follow(test, target, world)
                .unwrap_or_else(|e| ModelledOutcome::NotRun(e.to_string())),
            Err(why) => ModelledOutcome::NotRun(why),
        }
    }

    fn follow(
        &self,
        test: &TestCase,
        target: u64,
        world: Box<dyn World>,
    ) -> io::Result<ModelledOutcome> {
        let complete = matches!(test.expected.exit, ExitKind::Status(_));
        let scratch = Scratch::new("modelled")?;
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = self.command(test, &scratch)?;
        let own = &test.objects[(test.input_objects as usize).min(test.objects.len())..];
        let objects = scratch.path().join("objects");
        fs::write(&objects, sandbox::objects_file(test, own))?;
        if !own.is_empty() {
            command.env("KTEST_FILE", format!("/proc/self/fd/{FD_OBJECTS}"));
        }
        let objects = File::open(objects)?;
        let fds = [
            (objects.as_raw_fd(), FD_OBJECTS),
            (theirs.as_raw_fd(), FD_LINK),
        ];
        let prepare = move || {
            for (from, to) in fds {
                // SAFETY: dup2 and setpgid are async-signal-safe.
                if unsafe { libc::dup2(from, to) } < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            // SAFETY: as above.
            unsafe { libc::setpgid(0, 0) };
            Ok(())
        };
        // SAFETY: the closure makes system calls only.
        unsafe { command.pre_exec(prepare) };
        let mut child = sandbox::spawn(&mut command)?;
        drop(theirs);
        let link = Link {
            stream: ours,
            pid: child.id() as libc::pid_t,
            deadline: Instant::now() + self.time,
        };
        let talk = Talk {
            link,
            world,
            target,
            complete,
        };
        let verdict = talk.run();
        let left = if verdict.is_ok() {
            Duration::from_millis(500)
        } else {
            Duration::ZERO
        };
        let end = sandbox::wait(
            &mut child,
            &Limits {
                time: left,
                ..Limits::default()
            },
        )?;
        Ok(match verdict {
            Ok(outcome) => outcome,
            Err(e) if is_timeout(&e) => ModelledOutcome::Diverged("time-out".into()),
            Err(_) => {
                ModelledOutcome::Diverged(format!("the binary ended on its own: {}", describe(end)))
            }
        })
    }

    fn command(&self, test: &TestCase, scratch: &Scratch) -> io::Result<Command> {
        let mut command = Command::new(&self.binary);
        if let Some(name) = test.args.first() {
            command.arg0(OsStr::from_bytes(name));
        }
        command.args(test.args.iter().skip(1).map(|a| OsStr::from_bytes(a)));
        command.env_clear().current_dir(scratch.path());
        for (name, value) in sandbox::variables(test) {
            command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
        }
        // Nothing the program does reaches these.
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(command)
    }
}

fn describe(end: End) -> String {
    super::compare::words(end)
}

fn is_timeout(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// The conversation with one program.
struct Talk {
    link: Link,
    world: Box<dyn World>,
    target: u64,
    complete: bool,
}

impl Talk {
    fn run(mut self) -> io::Result<ModelledOutcome> {
        let mut calls = 0u64;
        loop {
            let request = self.link.hear()?;
            let answer = match request.number {
                HELLO => {
                    let word = if request.args[0] == 0 {
                        self.target as i64
                    } else {
                        i64::from(self.complete)
                    };
                    Answer::Return(word)
                }
                REACHED => {
                    self.link.tell(EXIT, &[0], None)?;
                    return Ok(ModelledOutcome::Same);
                }
                HANDLER_RETURNED => self.world.handler_returned(),
                number => {
                    calls += 1;
                    self.world
                        .call(number as u64, &request.args, &mut self.link)
                }
            };
            if let Some(broken) = self.link.broken() {
                return Err(broken);
            }
            let (status, same) = match answer {
                Answer::Return(result) => {
                    self.link.tell(RETURN, &[result], None)?;
                    continue;
                }
                Answer::Handle {
                    signal,
                    handler,
                    siginfo,
                } => {
                    self.link
                        .tell(HANDLE, &[i64::from(signal), handler as i64], Some(&siginfo))?;
                    continue;
                }
                Answer::Exit(status) => (status, self.complete && request.hash == self.target),
                Answer::Kill(signal) => (128 + signal, request.hash == self.target),
                Answer::Unsupported(why) => {
                    self.link.tell(EXIT, &[1], None)?;
                    return Ok(ModelledOutcome::NotRun(why));
                }
            };
            self.link.tell(EXIT, &[i64::from(status)], None)?;
            let how = || {
                format!(
                    "ended (status {status}, after {calls} system calls) with path hash {:016x}, the machine's is {:016x}",
                    request.hash, self.target
                )
            };
            return Ok(if same {
                ModelledOutcome::Same
            } else {
                ModelledOutcome::Diverged(how())
            });
        }
    }
}

struct Request {
    number: i64,
    args: [u64; 6],
    hash: u64,
}

struct Link {
    stream: UnixStream,
    pid: libc::pid_t,
    deadline: Instant,
}

impl Link {
    fn hear(&mut self) -> io::Result<Request> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        // Zero would mean "for ever".
        self.stream
            .set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let mut bytes = [0; REQUEST];
        self.stream.read_exact(&mut bytes)?;
        let word = |i: usize| {
            bytes[8 * i..8 * i + 8]
                .iter()
                .rev()
                .fold(0u64, |n, b| n << 8 | u64::from(*b))
        };
        let args = [word(1), word(2), word(3), word(4), word(5), word(6)];
        Ok(Request {
            number: word(0) as i64,
            args,
            hash: word(7),
        })
    }

    fn tell(&mut self, kind: u64, args: &[i64], siginfo: Option<&[u8; 128]>) -> io::Result<()> {
        let mut bytes = kind.to_le_bytes().to_vec();
        for i in 0..7 {
            bytes.extend_from_slice(&args.get(i).copied().unwrap_or(0).to_le_bytes());
        }
        bytes.extend_from_slice(siginfo.unwrap_or(&[0; 128]));
        self.stream.write_all(&bytes)
    }

    /// An error of the socket that happened while the world was asking.
    fn broken(&self) -> Option<io::Error> {
        self.stream.take_error().unwrap_or_else(Some)
    }
}

impl Process for Link {
    fn read(&mut self, address: u64, length: u64) -> Option<Vec<u8>> {
        // No argument of a system call is larger.
        let mut bytes = vec![0u8; usize::try_from(length).ok().filter(|n| *n <= 1 << 30)?];
        let local = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut libc::c_void,
            iov_len: bytes.len(),
        };
        // SAFETY: the local range is our buffer; the remote one is checked by the kernel.
        let n = unsafe { libc::process_vm_readv(self.pid, &local, 1, &remote, 1, 0) };
        (n == bytes.len() as isize).then_some(bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let local = libc::iovec {
            iov_base: bytes.as_ptr().cast_mut().cast(),
            iov_len: bytes.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut libc::c_void,
            iov_len: bytes.len(),
        };
        // SAFETY: the local range is only read; the remote one is checked by the kernel.
        let n = unsafe { libc::process_vm_writev(self.pid, &local, 1, &remote, 1, 0) };
        n == bytes.len() as isize
    }

    fn execute(&mut self, number: u64, args: [u64; 6]) -> i64 {
        let [a, b, c, d, e, f] = args.map(|x| x as i64);
        let done = self
            .tell(EXECUTE, &[number as i64, a, b, c, d, e, f], None)
            .and_then(|()| self.hear());
        // The next exchange fails as well and ends the conversation.
        done.map_or(-i64::from(libc::EIO), |r| r.number)
    }
}
