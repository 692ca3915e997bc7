//! Runs one test natively: fresh directory, which alone it may write to, fixed environment, limits, captured output.
//!
//! The program gets a process group of its own, which is killed when it ends or runs out of time.
//! Its output goes to files outside its working directory (no pipe to drain, and the size limit
//! holds), standard input comes from a file or, where the test says so, a pipe.

use super::fence::{self, Fence};
use crate::model::{FileSpec, TestCase};
use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How a native run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Signaled(i32),
    TimedOut,
}

/// What a native run did.
#[derive(Clone, Debug)]
pub struct Observed {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Limits and surroundings of native runs.
#[derive(Clone, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes the program may write to any one file.
    pub file_size: u64,
    /// Address space in bytes; `None` for sanitised builds, which reserve terabytes.
    pub memory: Option<u64>,
    /// On a time-out first send this signal and wait a second (coverage builds save their counts).
    pub warn_signal: Option<i32>,
    /// Directories beside its own that the program may write to (`fence`).
    pub writable: Vec<PathBuf>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(5),
            file_size: 64 << 20,
            memory: Some(4 << 30),
            warn_signal: None,
            writable: Vec::new(),
            env: Vec::new(),
        }
    }
}

/// Output beyond this is not kept.
const OUTPUT_KEPT: u64 = 16 << 20;
/// The environment of tests that bring none.
const DEFAULT_ENV: &[(&str, &str)] = &[("LC_ALL", "C"), ("TZ", "UTC0"), ("PATH", "/usr/bin:/bin")];

/// A temporary directory that is removed with its contents.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new directory below the system's temporary directory.
    pub fn new(what: &str) -> io::Result<Scratch> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("polypath-{what}-{}-{n}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                done => return done.map(|()| Scratch(path)),
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_err() {
            // The program may have made directories that even we cannot enter.
            make_removable(&self.0);
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

fn make_removable(dir: &Path) {
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            make_removable(&entry.path());
        }
    }
}

/// Runs `binary` on the input of `test`. An error means that the test could not be set up.
pub fn run(binary: &Path, test: &TestCase, limits: &Limits) -> io::Result<Observed> {
    let scratch = Scratch::new("replay")?;
    let cwd = scratch.path().join("cwd");
    fs::create_dir(&cwd)?;
    for file in &test.files {
        lay_out(&cwd, file)?;
    }
    let mut command = Command::new(binary);
    if let Some(name) = test.args.first() {
        command.arg0(OsStr::from_bytes(name));
    }
    command.args(test.args.iter().skip(1).map(|a| OsStr::from_bytes(a)));
    command.current_dir(&cwd).env_clear();
    environment(&mut command, test, limits, scratch.path())?;

    let stdin_bytes = test.stdin.as_deref().unwrap_or_default();
    let mut feeder = None;
    if stream_type(test, "stdin_stat") == Some(libc::S_IFIFO) {
        let (reader, writer) = io::pipe()?;
        command.stdin(reader);
        feeder = Some(writer);
    } else {
        let path = scratch.path().join("stdin");
        fs::write(&path, stdin_bytes)?;
        command.stdin(File::open(path)?);
    }
    let out = scratch.path().join("stdout");
    let err = scratch.path().join("stderr");
    let mut drain = None;
    if stream_type(test, "stdout_stat") == Some(libc::S_IFIFO) {
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
    let own = std::iter::once(scratch.path());
    let fence = Fence::around(own.chain(limits.writable.iter().map(PathBuf::as_path)));
    confine(&mut command, limits, &fence);

    let mut child = spawn(&mut command)?;
    // The parent's copies of the pipe ends must go, or a reader never sees the end.
    drop(command);
    let feeder = feeder.map(|mut writer| {
        let bytes = stdin_bytes.to_vec();
        // A program that does not read its input closes the pipe: no error of the replay.
        std::thread::spawn(move || writer.write_all(&bytes).is_ok())
    });
    let end = wait(&mut child, limits)?;
    let stdout = match drain {
        Some(thread) => thread
            .join()
            .map_err(|_| io::Error::other("reading the output failed"))??,
        None => read_capped(&out)?,
    };
    if let Some(thread) = feeder {
        thread
            .join()
            .map_err(|_| io::Error::other("writing the input failed"))?;
    }
    Ok(Observed {
        end,
        stdout,
        stderr: read_capped(&err)?,
    })
}

fn environment(
    command: &mut Command,
    test: &TestCase,
    limits: &Limits,
    scratch: &Path,
) -> io::Result<()> {
    for (name, value) in variables(test) {
        command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
    }
    let own = &test.objects[(test.input_objects as usize).min(test.objects.len())..];
    if !own.is_empty() {
        let path = scratch.join("objects.ktest");
        fs::write(&path, objects_file(test, own))?;
        command.env("KTEST_FILE", path);
    }
    command.envs(limits.env.iter().map(|(n, v)| (n, v)));
    Ok(())
}

/// The environment of a test, as names and values.
pub(super) fn variables(test: &TestCase) -> Vec<(&[u8], &[u8])> {
    if test.env.is_empty() {
        return DEFAULT_ENV
            .iter()
            .map(|(n, v)| (n.as_bytes(), v.as_bytes()))
            .collect();
    }
    let split = |entry: &'_ Vec<u8>| entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
    let pair = |entry| {
        let at = split(entry);
        (&entry[..at], entry.get(at + 1..).unwrap_or_default())
    };
    test.env
        .iter()
        .map(pair)
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// A `.ktest` with the objects that the program itself makes.
pub(super) fn objects_file(test: &TestCase, own: &[(String, Vec<u8>)]) -> Vec<u8> {
    crate::ktest::KTest {
        args: vec![test.args.first().cloned().unwrap_or_default()],
        objects: own
            .iter()
            .map(|(n, d)| (n.clone().into_bytes(), d.clone()))
            .collect(),
        ..Default::default()
    }
    .to_bytes()
}

/// The file type in the `struct stat` object that the engine made for a standard stream.
fn stream_type(test: &TestCase, name: &str) -> Option<u32> {
    let (_, stat) = test.objects.iter().find(|(n, _)| n == name)?;
    let mode = stat.get(24..28)?;
    Some(u32::from_le_bytes([mode[0], mode[1], mode[2], mode[3]]) & libc::S_IFMT)
}

fn lay_out(cwd: &Path, file: &FileSpec) -> io::Result<()> {
    if !crate::testdir::is_inside(&file.path) {
        let why = format!("file {:?} is outside the working directory", file.path);
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    let path = cwd.join(&file.path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let c_path = CString::new(path.as_os_str().as_bytes())?;
    match file.mode & libc::S_IFMT {
        libc::S_IFDIR => fs::create_dir_all(&path)?,
        libc::S_IFLNK => return symlink(OsStr::from_bytes(&file.bytes), &path),
        libc::S_IFIFO => {
            // SAFETY: a valid C string.
            if unsafe { libc::mkfifo(c_path.as_ptr(), 0o600) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        0 | libc::S_IFREG => fs::write(&path, &file.bytes)?,
        other => {
            let why = format!(
                "file {:?} has type {:o}, which a replay cannot make",
                file.path, other
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
    }
    let time = |seconds: i64| libc::timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    };
    let times = [time(file.atime), time(file.mtime)];
    // SAFETY: a valid C string and two timespecs.
    if unsafe { libc::utimensat(libc::AT_FDCWD, c_path.as_ptr(), times.as_ptr(), 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(file.mode & 0o7777))
}

fn confine(command: &mut Command, limits: &Limits, fence: &Fence) {
    let (file_size, memory) = (limits.file_size, limits.memory);
    let cpu = limits.time.as_secs() + 2;
    let fence = fence.raw();
    let set = |what, value: u64| {
        let limit = libc::rlimit {
            rlim_cur: value,
            rlim_max: value,
        };
        // SAFETY: a valid rlimit.
        if unsafe { libc::setrlimit(what, &limit) } == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    };
    // SAFETY: no memory is passed.
    let root = unsafe { libc::geteuid() } == 0;
    let prepare = move || {
        // SAFETY: async-signal-safe calls only, between fork and exec.
        unsafe {
            libc::setpgid(0, 0);
            libc::umask(0o022);
            // The machine's world has an ordinary user: file permissions must hold for root too.
            // (Numbers that the kernel does not know are refused, without harm.)
            for capability in (0..64).take_while(|_| root) {
                libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
            }
        }
        set(libc::RLIMIT_CORE, 0)?;
        set(libc::RLIMIT_CPU, cpu)?;
        set(libc::RLIMIT_FSIZE, file_size)?;
        memory.map_or(Ok(()), |bytes| set(libc::RLIMIT_AS, bytes))?;
        fence.map_or(Ok(()), fence::enter)
    };
    // SAFETY: the closure allocates nothing and makes system calls only.
    unsafe { command.pre_exec(prepare) };
}

/// Another thread may just have forked with the binary's file open for writing: try again.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
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

/// Waits for the end or the time limit; then ends the whole process group.
pub(super) fn wait(child: &mut Child, limits: &Limits) -> io::Result<End> {
    let group = -(child.id() as libc::pid_t);
    let deadline = Instant::now() + limits.time;
    let mut status = wait_until(child, deadline)?;
    let timed_out = status.is_none();
    if let (true, Some(signal)) = (timed_out, limits.warn_signal) {
        // SAFETY: signals our own child's group only.
        unsafe { libc::kill(group, signal) };
        status = wait_until(child, Instant::now() + Duration::from_secs(1))?;
    }
    // What it left running goes with it. SAFETY: as above.
    unsafe { libc::kill(group, libc::SIGKILL) };
    let status = match status {
        Some(status) => status,
        None => child.wait()?,
    };
    Ok(if timed_out {
        End::TimedOut
    } else {
        end_of(status)
    })
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (_, Some(libc::SIGXCPU)) => End::TimedOut,
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signaled(signal),
        (None, None) => End::Exited(-1),
    }
}

/// Waits for the child's end; `None` when the deadline came first.
fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    // SAFETY: no memory is passed.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id() as libc::pid_t, 0) };
    // SAFETY: the kernel just gave us this descriptor.
    let pidfd = (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd as i32) });
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        match &pidfd {
            Some(fd) => {
                let mut poll = libc::pollfd {
                    fd: fd.as_raw_fd(),
                    events: libc::POLLIN,
                    revents: 0,
                };
                // SAFETY: one valid pollfd. An interruption only makes us look again.
                unsafe { libc::poll(&mut poll, 1, left.as_millis().min(60_000) as i32 + 1) };
            }
            // Kernels before 5.3.
            None => std::thread::sleep(left.min(Duration::from_millis(2))),
        }
    }
}

fn read_capped(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(OUTPUT_KEPT)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// For commands that are part of a replay (compilers, gcov): output, or what went wrong in words.
pub fn tool(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    use anyhow::{Context, bail};
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{name} failed ({}): {}", output.status, words.trim());
    }
    Ok(output.stdout)
}
