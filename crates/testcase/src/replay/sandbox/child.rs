//! One native run: lays out the files, starts the program, watches it, and ends it with everything that it started.

use super::float_traps::FloatTraps;
use super::job::{Fault, Job, NativeEnd, Observed};
use super::traced::{self, Traced};
use super::{SandboxLimits, remove};
use crate::model::FileSpec;
use host::clock::Patience;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, CWD, Mode, Timestamps, mkfifoat, utimensat};
use rustix::io::Errno;
use rustix::process::{self, Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The worker's surroundings.
pub(super) struct Around {
    /// The directory of the tests' directories.
    pub place: PathBuf,
    /// All other processes that can be seen belong to the test.
    pub all_processes: bool,
    /// `/proc` lists those.
    pub sees_processes: bool,
    /// What a test enters before it begins.
    pub rules: Option<Arc<fence::Rules>>,
    /// When this ends, so does the test.
    pub link: UnixStream,
}

/// Output beyond this is not kept.
const OUTPUT_KEPT: u64 = 16 << 20;
/// Bytes for which a pipe has room on every machine.
const ALWAYS_FITS: usize = 4096;
/// How often the processes of a test are counted.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// At first more often: processes that only make processes double in milliseconds.
const LOOK_FIRST: Duration = Duration::from_millis(5);
/// Faults after which a program that handles them all is ended.
const FAULTS: usize = 64;

pub(super) fn run(job: &Job, around: &Around) -> io::Result<Observed> {
    let (home, own) = (around.place.join("home"), around.place.join("own"));
    let cwd = around.place.join(fence::HOME);
    for dir in [&home, &own] {
        remove(dir);
    }
    for dir in [&cwd, &own] {
        fs::create_dir_all(dir)?;
    }
    let seen = run_in(job, around, &cwd, &own);
    remove(&home);
    seen
}

fn run_in(job: &Job, around: &Around, cwd: &Path, own: &Path) -> io::Result<Observed> {
    let input = &job.input;
    let start = match &job.limits.start {
        Some(shown) if !super::copy::directory(shown, cwd)? => {
            if !input.files.is_empty() {
                let why = format!(
                    "{}, the directory of --fs, is too large to be copied for a test with files of its own",
                    shown.display()
                );
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            shown
        }
        _ => cwd,
    };
    for file in &input.files {
        lay_out(cwd, file)?;
    }
    let mut command = Command::new(&job.binary);
    if let Some(name) = input.args.first() {
        command.arg0(OsStr::from_bytes(name));
    }
    command.args(input.args.iter().skip(1).map(|a| OsStr::from_bytes(a)));
    command.current_dir(start).env_clear();
    for (name, value) in &input.env {
        command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
    }
    if let Some(objects) = &input.objects {
        let path = own.join("objects.ktest");
        fs::write(&path, objects)?;
        command.env("KTEST_FILE", path);
    }
    command.envs(job.limits.env.iter().map(|(n, v)| (n, v)));

    let mut feeder = None;
    if input.stdin_is_pipe {
        let (reader, mut writer) = io::pipe()?;
        command.stdin(reader);
        // All of it is there when the program begins, and nobody writes any more, as in the model.
        if input.stdin.len() <= ALWAYS_FITS {
            writer.write_all(&input.stdin)?;
        } else {
            feeder = Some(writer);
        }
    } else {
        let path = own.join("stdin");
        fs::write(&path, &input.stdin)?;
        command.stdin(File::open(path)?);
    }
    let (out, err) = (own.join("stdout"), own.join("stderr"));
    let mut drain = None;
    if input.stdout_is_pipe {
        let (mut reader, writer) = io::pipe()?;
        command.stdout(writer);
        drain = Some(std::thread::spawn(move || {
            let mut kept = Vec::new();
            let done = reader.by_ref().take(OUTPUT_KEPT).read_to_end(&mut kept);
            // Keep the pipe flowing so that the program ends as it would.
            done.and_then(|_| io::copy(&mut reader, &mut io::sink()))
                .map(|_| kept)
        }));
    } else {
        command.stdout(File::create(&out)?);
    }
    command.stderr(File::create(&err)?);
    // Opened before the program begins: it may put another file in their places.
    let out = if input.stdout_is_pipe {
        None
    } else {
        Some(File::open(&out)?)
    };
    let err = File::open(&err)?;
    confine(&mut command, &job.limits, around);

    let program = spawn(&mut command)?;
    // The parent's copies of the pipe ends must go, or a reader never sees the end.
    drop(command);
    let feeder = feeder.map(|mut writer| {
        let bytes = input.stdin.clone();
        // A program that does not read its input closes the pipe: no error of the replay.
        std::thread::spawn(move || writer.write_all(&bytes).is_ok())
    });
    let pid = Pid::from_child(&program);
    let program = Traced(pid);
    let mut traced = Tracer {
        program,
        begun: false,
        faults: Vec::new(),
        floats: job.limits.float_traps.map(|f| FloatTraps::new(program, f)),
    };
    let end = wait(&mut traced, &job.limits, around);
    // What it left running goes with it.
    end_all(pid, around);
    let stdout = match (drain, out) {
        (Some(thread), _) => thread
            .join()
            .map_err(|_| io::Error::other("reading the output failed"))??,
        (None, Some(out)) => read_capped(out)?,
        (None, None) => Vec::new(),
    };
    if let Some(thread) = feeder {
        thread
            .join()
            .map_err(|_| io::Error::other("writing the input failed"))?;
    }
    Ok(Observed {
        end: end?,
        stdout,
        stderr: read_capped(err)?,
        faults: traced.faults,
        float_traps: traced.floats.map_or(Vec::new(), |f| f.found),
    })
}

fn lay_out(cwd: &Path, file: &FileSpec) -> io::Result<()> {
    let path = cwd.join(&file.path);
    if let Some(parent) = path.parent() {
        // A link among the test's own files would lead out of its directory.
        let above = parent.ancestors().take_while(|dir| *dir != cwd);
        for dir in above {
            if fs::symlink_metadata(dir).is_ok_and(|data| data.is_symlink()) {
                let why = format!("file {:?} lies behind a symbolic link", file.path);
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
        }
        fs::create_dir_all(parent)?;
    }
    if fs::symlink_metadata(&path).is_ok_and(|data| data.is_symlink()) {
        let why = format!("file {:?} is there twice", file.path);
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
    }
    match file.mode & libc::S_IFMT {
        libc::S_IFDIR => fs::create_dir_all(&path)?,
        libc::S_IFLNK => return symlink(OsStr::from_bytes(&file.bytes), &path),
        libc::S_IFIFO => mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR)?,
        0 | libc::S_IFREG => fs::write(&path, &file.bytes)?,
        other => {
            let why = format!(
                "file {:?} has type {:o}, which a replay cannot make",
                file.path, other
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
    }
    set_times(&path, file.atime, file.mtime)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(file.mode & 0o7777))
}

/// The times of access and modification of a file, in seconds.
pub(super) fn set_times(path: &Path, access: i64, modification: i64) -> io::Result<()> {
    let time = |seconds: i64| Timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    };
    let times = Timestamps {
        last_access: time(access),
        last_modification: time(modification),
    };
    Ok(utimensat(CWD, path, &times, AtFlags::empty())?)
}

fn confine(command: &mut Command, limits: &SandboxLimits, around: &Around) {
    let (file_size, memory, trace) = (limits.file_size, limits.memory, limits.trace);
    let stack = limits.stack;
    // Longer than the program may take by the clock: it is the clock that ends it.
    let cpu = Patience::longest(limits.time).as_secs() + 2;
    let processes = u64::from(limits.processes);
    // Outside of namespaces the user's other processes would count, too.
    let count = around.all_processes;
    let rules = around.rules.clone();
    let set = |what, value: u64| {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        process::setrlimit(what, limit)
    };
    let prepare = move || {
        process::setpgid(None, None)?;
        // The machine's world has an ordinary user.
        fence::launch::drop_rights()?;
        fence::inherit::settle(None)?;
        size_stack(stack)?;
        set(Resource::Cpu, cpu)?;
        set(Resource::Fsize, file_size)?;
        memory.map_or(Ok(()), |bytes| set(Resource::As, bytes))?;
        if count {
            set(Resource::Nproc, processes)?;
        }
        if trace {
            traced::begin()?;
        }
        // The last step: the rules know no tracing.
        rules.as_ref().map_or(Ok(()), |rules| rules.enter())
    };
    // SAFETY: the closure allocates nothing and makes system calls only.
    unsafe { command.pre_exec(prepare) };
}

/// Gives the process a stack of this size, which it may raise as far as the user may.
fn size_stack(size: u64) -> rustix::io::Result<()> {
    let maximum = process::getrlimit(Resource::Stack).maximum;
    let current = Some(maximum.map_or(size, |most| most.min(size)));
    process::setrlimit(Resource::Stack, Rlimit { current, maximum })
}

/// Another process may just have forked with the binary's file open for writing: try again.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..50 {
        match command.spawn() {
            Err(e) if e.raw_os_error() == Some(libc::ETXTBSY) => {
                std::thread::sleep(Duration::from_millis(10))
            }
            other => return other,
        }
    }
    command.spawn()
}

/// Holds SIGCHLD back, so that [`wait`] can sleep until it comes.
pub(super) fn wait_by_signal() -> io::Result<()> {
    let set = child_signal();
    // SAFETY: a valid set. (Programs are started with an empty mask.)
    match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) } {
        0 => Ok(()),
        e => Err(io::Error::from_raw_os_error(e)),
    }
}

fn child_signal() -> libc::sigset_t {
    // SAFETY: the set is made by sigemptyset.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        set
    }
}

/// Sleeps until a child changes, at most so long.
fn sleep_for_child(most: Duration) {
    let set = child_signal();
    let time = libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    };
    // SAFETY: valid arguments. Whatever it returns, the children are looked at.
    unsafe { libc::sigtimedwait(&set, std::ptr::null_mut(), &time) };
}

/// Waits for the program's end or a limit.
fn wait(traced: &mut Tracer, limits: &SandboxLimits, around: &Around) -> io::Result<NativeEnd> {
    let pid = traced.program.0;
    let mut patience = Patience::new(limits.time);
    let mut pause = LOOK_FIRST;
    let mut next_look = Instant::now() + pause;
    let mut warned = false;
    loop {
        match process::waitpid(Some(pid), WaitOptions::NOHANG | all_kinds())? {
            None => {}
            Some((_, status)) if status.stopped() => {
                traced.go_on(status)?;
                if let Some(last) = traced.faults.get(FAULTS - 1) {
                    return Ok(NativeEnd::Signaled(last.signal));
                }
                continue;
            }
            Some(_) if warned => return Ok(NativeEnd::TimedOut),
            Some((_, status)) => return Ok(end_of(status)),
        }
        let now = Instant::now();
        let used = || host::child::time_of_tree(pid.as_raw_pid().unsigned_abs());
        if patience.is_over(used) {
            match limits.warn_signal {
                Some(signal) if !warned => {
                    warned = true;
                    patience = Patience::new(Duration::from_secs(1));
                    let signal = Signal::from_named_raw(signal).ok_or(Errno::INVAL)?;
                    // (It may be in another group by now.)
                    let _ = process::kill_process_group(pid, signal);
                }
                _ => return Ok(NativeEnd::TimedOut),
            }
        }
        if now >= next_look {
            pause = (2 * pause).min(LOOK_EVERY);
            next_look = now + pause;
            if has_ended(&around.link) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let (processes, resident) = if around.sees_processes {
                in_use()
            } else {
                (0, 0)
            };
            // The worker is one of them.
            if processes > limits.processes + 1 {
                return Ok(NativeEnd::TooManyProcesses);
            }
            if resident > limits.resident {
                return Ok(NativeEnd::TooMuchMemory);
            }
            if !around.all_processes && fence::size_of(&around.place) > limits.disk {
                return Ok(NativeEnd::TooMuchDisk);
            }
        }
        sleep_for_child(patience.pause(next_look.saturating_duration_since(now)));
    }
}

/// Is the other end closed?
fn has_ended(link: &UnixStream) -> bool {
    let mut ends = [PollFd::new(link, PollFlags::RDHUP)];
    poll(&mut ends, Some(&Timespec::default())).is_ok_and(|n| n > 0)
}

/// Processes here, and the bytes of memory that they use.
fn in_use() -> (u32, u64) {
    let (mut processes, mut pages) = (0, 0u64);
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.as_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        processes += 1;
        // One that has just ended uses nothing.
        let text = fs::read_to_string(entry.path().join("statm")).unwrap_or_default();
        let resident = text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
        pages += resident.unwrap_or(0);
    }
    (processes, pages * rustix::param::page_size() as u64)
}

fn end_of(status: WaitStatus) -> NativeEnd {
    match status.terminating_signal() {
        Some(libc::SIGXCPU) => NativeEnd::TimedOut,
        Some(signal) => NativeEnd::Signaled(signal),
        None => NativeEnd::Exited(libc::WEXITSTATUS(status.as_raw())),
    }
}

/// Ends everything that a test started, and waits for its end.
fn end_all(group: Pid, around: &Around) {
    if around.all_processes {
        // SAFETY: takes numbers. With process numbers of our own, -1 is all but us.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    } else {
        let _ = process::kill_process_group(group, Signal::KILL);
    }
    loop {
        if !around.all_processes {
            // What became our child.
            fence::end_children();
        }
        match process::wait(all_kinds()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Waits for children of all kinds: also for those that are traced.
fn all_kinds() -> WaitOptions {
    WaitOptions::from_bits_retain(libc::__WALL as u32)
}

/// A program of which every signal is seen before it is delivered.
struct Tracer {
    program: Traced,
    begun: bool,
    faults: Vec<Fault>,
    floats: Option<FloatTraps>,
}

impl Tracer {
    /// Lets a stopped program go on; notes the fault that stopped it.
    fn go_on(&mut self, status: WaitStatus) -> io::Result<()> {
        let mut signal = libc::WSTOPSIG(status.as_raw());
        if !self.begun {
            // The first stop is that of exec.
            self.begun = true;
            self.program
                .set_options(libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACEEXEC)?;
            if let Some(floats) = &self.floats {
                floats.begin()?;
            }
            signal = 0;
        } else if status.as_raw() >> 16 != 0 {
            if let Some(floats) = &self.floats {
                // Another program, with a processor in its first state.
                floats.begin()?;
            }
            signal = 0;
        } else if self.takes_float_trap(signal)? {
            return Ok(());
        } else {
            self.faults.extend(self.fault(signal));
        }
        self.program.resume(libc::PTRACE_CONT, signal);
        Ok(())
    }

    fn takes_float_trap(&mut self, signal: i32) -> io::Result<bool> {
        let Some(floats) = &mut self.floats else {
            return Ok(false);
        };
        match floats.takes(signal) {
            // It was killed meanwhile: the next wait says so.
            Err(e) if e.raw_os_error() == Some(libc::ESRCH) => Ok(true),
            other => other,
        }
    }

    /// The signal as a fault of the program, if it is one: raised by the processor, or by the program's own abort.
    fn fault(&self, signal: i32) -> Option<Fault> {
        let of_interest = [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGABRT,
        ];
        if !of_interest.contains(&signal) {
            return None;
        }
        let info = self.program.signal().ok()?;
        let pc = self.program.registers().ok()?.rip;
        let raised = info.si_code > 0;
        let pid = self.program.0.as_raw_pid();
        // SAFETY: the fields of a signal that a process sent, or of a fault.
        let (from_itself, address) = unsafe { (info.si_pid() == pid, info.si_addr() as u64) };
        (raised || (signal == libc::SIGABRT && from_itself)).then_some(Fault {
            signal,
            address: if raised { address } else { 0 },
            pc,
        })
    }
}

fn read_capped(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(OUTPUT_KEPT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
