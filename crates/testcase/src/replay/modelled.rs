//! Modelled replay: does a native binary take the machine's path?
//!
//! The binary is emitted from the module that the machine's IR was made of ([`crate::sanitize`]).
//! Its coverage sites update the path hash (`ir::trace`); its system calls ask us (over a socket,
//! see `runtime/modelled.c`), and we answer from the test by the same model of Linux that the
//! machine uses, behind the trait [`World`]. Its memory we read and write through the kernel.
//!
//! The process forks a child for each test (as AFL's fork server does), so that a test costs no start of a program. It
//! may ask the kernel only for memory and for the link.
//!
//! A path that ended with `exit` must end with the machine's hash; one that ended in an error or was
//! ended by us must pass through it. Anything else is a divergence, and a bug of ours (or of a
//! program that reads memory it never wrote, compares addresses, or looks at the clock, which
//! counts the machine's instructions).

use crate::model::{ExitKind, TestCase};
use host::clock::{Patience, time_of_process};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, kill_process_group};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Answers the system calls of one path.
pub trait World {
    /// The initial memory of the program: arguments and environment.
    fn image(&self) -> Image;
    /// A system call of the program.
    fn call(&mut self, number: u64, args: &[u64; 6], process: &mut dyn Process) -> ModelAnswer;
    /// The handler of the last [`ModelAnswer::Handle`] came back, with this signal mask in its context.
    fn handler_returned(&mut self, mask: u64) -> ModelAnswer;
    /// Whether the program has installed a handler for the signal.
    fn has_handler(&self, signal: i32) -> bool;
}

/// The initial stack, as the System V ABI lays it out.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The address of argc, which the other arguments follow.
    pub stack_pointer: u64,
    /// Addresses and bytes.
    pub parts: Vec<(u64, Vec<u8>)>,
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

/// The answer to a system call.
#[derive(Clone, Debug)]
pub enum ModelAnswer {
    /// It returns this (`-errno` for errors).
    Return(i64),
    /// The program exits.
    Exit(i32),
    /// A signal kills the program.
    Kill(i32),
    /// A signal handler runs first.
    Handle {
        /// Its number.
        signal: i32,
        /// Address of the program's handler.
        handler: u64,
        /// The data for the handler (`siginfo_t`).
        siginfo: [u8; 128],
        /// The signal mask in its context.
        mask: u64,
    },
    /// The model cannot answer, for the reason named.
    Unsupported(String),
}

/// Opens the world of a test; an error in words when it cannot be rebuilt.
pub type Open<'a> = dyn Fn(&TestCase) -> Result<Box<dyn World>, String> + Sync + 'a;

/// Modelled replay of tests: programs are started as they are needed.
pub struct Modelled<'a> {
    /// The binary.
    binary: PathBuf,
    open: &'a Open<'a>,
    time: Duration,
    stop: &'a AtomicBool,
    idle: Mutex<Vec<Server>>,
}

/// The outcome for one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelledOutcome {
    /// The machine's path.
    Same,
    /// Another path; how.
    Diverged(String),
    /// It could not be run; why.
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

const FD_LINK: RawFd = 1021;
const HELLO: i64 = -1;
const REACHED: i64 = -2;
const HANDLER_RETURNED: i64 = -3;
const OBJECT: i64 = -4;
const SERVING: i64 = -5;
const ENDED: i64 = -6;
const RETURN: u64 = 1;
const EXECUTE: u64 = 2;
const HANDLE: u64 = 3;
const EXIT: u64 = 4;
const START: u64 = 5;
const REQUEST: usize = 64;
/// How often a program that computes is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Bytes of memory that it may use.
const RESIDENT: u64 = 4 << 30;
/// For starting a server, and for the end of a program that was told to end.
const GRACE: Duration = Duration::from_secs(10);

impl<'a> Modelled<'a> {
    /// With a binary made by [`crate::sanitize::Tools::hashed`]. Each test has `time`; when `stop` is set, all end.
    pub fn new(
        binary: PathBuf,
        open: &'a Open<'a>,
        time: Duration,
        stop: &'a AtomicBool,
    ) -> Modelled<'a> {
        Modelled {
            binary,
            open,
            time,
            stop,
            idle: Mutex::default(),
        }
    }

    /// Replays one test.
    pub fn run(&self, test: &TestCase) -> ModelledOutcome {
        self.run_logged(test, false).0
    }

    /// The same; also the coverage sites that the program passed, as far as there was room.
    pub fn trace(&self, test: &TestCase) -> (ModelledOutcome, Vec<u32>) {
        self.run_logged(test, true)
    }

    fn run_logged(&self, test: &TestCase, log: bool) -> (ModelledOutcome, Vec<u32>) {
        let failed = |why: String| (ModelledOutcome::NotRun(why), Vec::new());
        let Some(target) = test.expected.path_hash else {
            return failed("the test has no path hash".into());
        };
        match (self.open)(test) {
            Ok(world) => self
                .follow(test, target, world, log)
                .unwrap_or_else(|e| failed(e.to_string())),
            Err(why) => failed(why),
        }
    }

    fn follow(
        &self,
        test: &TestCase,
        target: u64,
        world: Box<dyn World>,
        log: bool,
    ) -> io::Result<(ModelledOutcome, Vec<u32>)> {
        let idle = || self.idle.lock().unwrap_or_else(|e| e.into_inner());
        let next = idle().pop();
        let mut server = match next {
            Some(server) => server,
            None => Server::start(&self.binary)?,
        };
        let complete = matches!(test.expected.exit, ExitKind::Status(_));
        let image = world.image();
        let own = &test.objects[(test.input_objects as usize).min(test.objects.len())..];
        let mut talk = Talk {
            link: &mut server.link,
            stop: self.stop,
            patience: Patience::new(self.time),
            pid: None,
            world,
            target,
            complete,
            objects: own.iter().map(Some).collect(),
            image,
        };
        let spoken = talk.run(log);
        let ended = talk.end();
        let signal = ended.as_ref().ok().and_then(|&status| fault(status));
        let is_handled = signal.is_some_and(|signal| talk.world.has_handler(signal));
        let end = match ended {
            // The server is in an unknown state: it is dropped.
            Err(e) => return Err(spoken.err().unwrap_or(e)),
            Ok(end) => end,
        };
        let sites = if log { server.sites() } else { Vec::new() };
        idle().push(server);
        let outcome = match spoken {
            Ok(outcome) => outcome,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {
                ModelledOutcome::NotRun("interrupted".into())
            }
            Err(e) if e.kind() == io::ErrorKind::TimedOut => {
                ModelledOutcome::Diverged("time-out".into())
            }
            Err(e) if e.kind() == io::ErrorKind::OutOfMemory => {
                ModelledOutcome::NotRun("the program used too much memory".into())
            }
            // The kernel knows no handlers of a program in the model.
            Err(_) if is_handled => {
                ModelledOutcome::NotRun("handlers of faults do not run in the model".into())
            }
            Err(_) => {
                ModelledOutcome::Diverged(format!("the binary ended on its own: {}", words(end)))
            }
        };
        Ok((outcome, sites))
    }
}

/// The signal of the fault that ended a child, of a status as `wait` gives it.
fn fault(status: i32) -> Option<i32> {
    let signal = libc::WTERMSIG(status);
    (libc::WIFSIGNALED(status) && [libc::SIGSEGV, libc::SIGBUS].contains(&signal)).then_some(signal)
}

/// How a child ended, in words; of a status as `wait` gives it.
fn words(status: i32) -> String {
    use super::compare::words;
    use super::sandbox::NativeEnd;
    words(if libc::WIFSIGNALED(status) {
        NativeEnd::Signaled(libc::WTERMSIG(status))
    } else {
        NativeEnd::Exited(libc::WEXITSTATUS(status))
    })
}

/// A process that forks programs.
struct Server {
    process: Child,
    link: Link,
    /// The address at which it counts and lists sites.
    sites_at: u64,
}

impl Server {
    fn start(binary: &std::path::Path) -> io::Result<Server> {
        let (ours, theirs) = UnixStream::pair()?;
        let from = theirs.as_raw_fd();
        let mut command = Command::new(binary);
        command
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let prepare = move || {
            // SAFETY: takes numbers, and is async-signal-safe.
            if unsafe { libc::dup2(from, FD_LINK) } < 0 {
                return Err(io::Error::last_os_error());
            }
            let most = |what, most| {
                let (current, maximum) = (most, most);
                rustix::process::setrlimit(what, Rlimit { current, maximum })
            };
            // The machine's stack is deeper than the usual limit. Refused where the hard limit is lower: then that one holds.
            let _ = most(Resource::Stack, None);
            fence::inherit::settle(Some(FD_LINK))
        };
        // SAFETY: the closure makes system calls only.
        unsafe { command.pre_exec(prepare) };
        let process = command.spawn()?;
        drop(theirs);
        let mut server = Server {
            process,
            link: Link {
                stream: ours,
                pid: 0,
                ended: None,
            },
            sites_at: 0,
        };
        let never = AtomicBool::new(false);
        let said = server
            .link
            .hear(&mut Patience::new(GRACE), &never)
            .map_err(|e| io::Error::other(format!("the replay binary does not start: {e}")))?;
        if said.number != SERVING {
            return Err(io::Error::other("the replay binary does not start"));
        }
        server.sites_at = said.args[0];
        Ok(server)
    }

    /// The sites that the last program passed.
    fn sites(&mut self) -> Vec<u32> {
        let pid = self.process.id() as libc::pid_t;
        let read = |at, length| read_memory(pid, at, length).unwrap_or_default();
        let count = read(self.sites_at, 8)
            .iter()
            .rev()
            .fold(0u64, |n, b| n << 8 | u64::from(*b));
        read(self.sites_at + 8, 4 * count)
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its group: a program that still runs, too.
        let _ = kill_process_group(Pid::from_child(&self.process), Signal::KILL);
        let _ = self.process.wait();
    }
}

/// The conversation with one program.
struct Talk<'a> {
    link: &'a mut Link,
    stop: &'a AtomicBool,
    patience: Patience,
    /// The process id, once the program has sent its greeting.
    pid: Option<libc::pid_t>,
    world: Box<dyn World>,
    target: u64,
    complete: bool,
    /// The test's own objects that were not taken yet.
    objects: Vec<Option<&'a (String, Vec<u8>)>>,
    image: Image,
}

/// times, getrusage, gettimeofday, time, clock_gettime.
const TIME_CALLS: &[i64] = &[100, 98, 96, 201, 228];

/// The server reports that the program has ended, with this status.
const PROGRAM_ENDED: &str = "the program ended";

impl Talk<'_> {
    fn run(&mut self, log: bool) -> io::Result<ModelledOutcome> {
        let start = [
            self.target as i64,
            i64::from(self.complete),
            self.image.stack_pointer as i64,
            i64::from(log),
        ];
        self.link.pid = 0;
        self.link.tell(START, &start, None)?;
        let mut calls = 0u64;
        let mut of_time = "";
        loop {
            let request = self.link.hear(&mut self.patience, self.stop)?;
            let answer = match request.number {
                HELLO => {
                    self.pid = Some(request.args[0] as libc::pid_t);
                    self.link.pid = request.args[0] as libc::pid_t;
                    let image = std::mem::take(&mut self.image);
                    if !image.parts.iter().all(|(at, b)| self.link.write(*at, b)) {
                        return Err(io::Error::other("the program's memory cannot be written"));
                    }
                    ModelAnswer::Return(0)
                }
                REACHED => {
                    self.link.tell(EXIT, &[0], None)?;
                    return Ok(ModelledOutcome::Same);
                }
                // Heard by `end`.
                ENDED => {
                    self.link.ended = Some(request);
                    return Err(io::Error::other(PROGRAM_ENDED));
                }
                HANDLER_RETURNED => self.world.handler_returned(request.args[0]),
                OBJECT => match self.object(&request) {
                    Ok(()) => ModelAnswer::Return(0),
                    Err(why) => {
                        self.link.tell(EXIT, &[1], None)?;
                        return Ok(ModelledOutcome::Diverged(why));
                    }
                },
                number => {
                    calls += 1;
                    if TIME_CALLS.contains(&number) {
                        of_time = ", after it looked at the clock, which counts instructions in the machine";
                    }
                    self.world.call(number as u64, &request.args, self.link)
                }
            };
            if let Some(broken) = self.link.broken() {
                return Err(broken);
            }
            let (status, same) = match answer {
                ModelAnswer::Return(result) => {
                    self.link.tell(RETURN, &[result], None)?;
                    continue;
                }
                ModelAnswer::Handle {
                    signal,
                    handler,
                    siginfo,
                    mask,
                } => {
                    let args = [i64::from(signal), handler as i64, mask as i64];
                    self.link.tell(HANDLE, &args, Some(&siginfo))?;
                    continue;
                }
                ModelAnswer::Exit(status) => (status, self.complete && request.hash == self.target),
                ModelAnswer::Kill(signal) => (128 + signal, request.hash == self.target),
                ModelAnswer::Unsupported(why) => {
                    self.link.tell(EXIT, &[1], None)?;
                    return Ok(ModelledOutcome::NotRun(why));
                }
            };
            self.link.tell(EXIT, &[i64::from(status)], None)?;
            let how = || {
                format!(
                    "ended (status {status}, after {calls} system calls) with path hash {:016x}, the machine's is {:016x}{of_time}",
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

    /// Gives the program the next object whose name fits: `x`, or as names are made unique in a test, `x_1`, …
    fn object(&mut self, request: &Request) -> Result<(), String> {
        let [at, size, name, length, ..] = request.args;
        let name = self.link.read(name, length.min(4096));
        let name = name.ok_or("a symbolic object has a name that cannot be read")?;
        let name = vocab::text_of(&name);
        let fits = |o: &str| {
            o.strip_prefix(&*name).is_some_and(|rest| {
                rest.is_empty()
                    || rest
                        .strip_prefix('_')
                        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            })
        };
        let next = self
            .objects
            .iter_mut()
            .find(|o| o.is_some_and(|(n, _)| fits(n)))
            .and_then(Option::take);
        let (_, bytes) = next.ok_or_else(|| format!("the test has no further object {name}"))?;
        if bytes.len() as u64 != size {
            return Err(format!(
                "object {name} has {} bytes in the test, {size} in the program",
                bytes.len()
            ));
        }
        if self.link.write(at, bytes) {
            Ok(())
        } else {
            Err(format!("object {name} cannot be written"))
        }
    }

    /// Waits until the server reports how the program ended; one that continues is killed.
    fn end(&mut self) -> io::Result<i32> {
        let never = AtomicBool::new(false);
        let mut patience = Patience::new(Duration::from_millis(500));
        loop {
            let said = match self.link.ended.take() {
                Some(said) => said,
                None => match self.link.hear(&mut patience, &never) {
                    Ok(said) => said,
                    Err(e) if e.kind() == io::ErrorKind::TimedOut => {
                        let Some(pid) = self.pid.take() else {
                            return Err(e);
                        };
                        // The server has not waited for it yet, so it is still that one.
                        let _ =
                            Pid::from_raw(pid.max(0)).map(|pid| kill_process(pid, Signal::KILL));
                        patience = Patience::new(GRACE);
                        continue;
                    }
                    Err(e) => return Err(e),
                },
            };
            if said.number == ENDED {
                return match said.args[0] {
                    0 => Ok(said.args[1] as i32),
                    _ => Err(io::Error::other("the replay binary cannot fork")),
                };
            }
            // A last word of the program, which gets no answer: it is killed above.
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
    /// The program that runs; 0 before there is one.
    pid: libc::pid_t,
    /// The report that it has ended, if it came first.
    ended: Option<Request>,
}

impl Link {
    /// The next request. Fails with `TimedOut` at the deadline, with `Interrupted` when told to stop, with
    /// `OutOfMemory` when the program uses too much.
    fn hear(&mut self, patience: &mut Patience, stop: &AtomicBool) -> io::Result<Request> {
        loop {
            // Also of a program that asks and asks: between two of its requests it was not stopped.
            let pid = u32::try_from(self.pid).unwrap_or(0);
            if patience.is_over(|| time_of_process(pid).unwrap_or_default()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let mut ready = [PollFd::new(&self.stream, PollFlags::IN)];
            let wait = Timespec::try_from(patience.pause(LOOK_EVERY)).map_err(io::Error::other)?;
            // An interruption only makes us look again.
            if poll(&mut ready, Some(&wait)).is_ok_and(|n| n > 0) {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.pid != 0 && resident(self.pid) > RESIDENT {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
        }
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

/// Bytes of memory in use by a process; none by one that has ended.
fn resident(pid: libc::pid_t) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

/// Memory of another process of ours.
fn read_memory(pid: libc::pid_t, address: u64, length: u64) -> Option<Vec<u8>> {
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
    let n = unsafe { libc::process_vm_readv(pid, &local, 1, &remote, 1, 0) };
    (n == bytes.len() as isize).then_some(bytes)
}

impl Process for Link {
    fn read(&mut self, address: u64, length: u64) -> Option<Vec<u8>> {
        read_memory(self.pid, address, length)
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
        let never = AtomicBool::new(false);
        let done = self
            .tell(EXECUTE, &[number as i64, a, b, c, d, e, f], None)
            .and_then(|()| self.hear(&mut Patience::new(GRACE), &never));
        // The next exchange fails as well and ends the conversation.
        done.map_or(-i64::from(libc::EIO), |r| r.number)
    }
}
