//! Child processes that end with this one: on a stop the watchdog kills their process groups, and if this process
//! is killed, the system kills them.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Process groups of the children at work.
static GROUPS: Mutex<Groups> = Mutex::new(Groups {
    all: Vec::new(),
    closed: false,
});

struct ProcessGroup {
    leader: Pid,
    /// Those whose time counts as the leader's ([`Tied::adopt`]).
    below: Vec<Pid>,
}

impl ProcessGroup {
    fn time_below(&self) -> Duration {
        self.below.iter().copied().map(time_of).sum()
    }

    /// Kills all; the time of those whom nobody can wait for then is kept.
    fn kill(&mut self) {
        let below = self.time_below().as_nanos();
        self.below.clear();
        NOT_WAITED_FOR.fetch_add(u64::try_from(below).unwrap_or(0), Ordering::Relaxed);
        // A group that is gone is an error without effect.
        let _ = kill_process_group(self.leader, Signal::KILL);
    }
}

struct Groups {
    all: Vec<ProcessGroup>,
    /// The run has to end: no further child begins.
    closed: bool,
}

fn groups() -> MutexGuard<'static, Groups> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the child die when the *thread* that starts it is gone: start it from one that waits for it.
fn tie(command: &mut Command, signal: Signal) {
    let parent = rustix::process::getpid();
    let end_with_parent = move || -> io::Result<()> {
        crate::suspend::unblock();
        rustix::process::set_parent_process_death_signal(Some(signal))?;
        // It may have died before.
        if rustix::process::getppid() != Some(parent) {
            crate::end_now(128 + signal.as_raw());
        }
        Ok(())
    };
    // SAFETY: between fork and exec it only makes system calls.
    unsafe { command.pre_exec(end_with_parent) };
}

/// As `tie`, for a child that is asked to end, so that it can end its own children.
pub fn tie_gently(command: &mut Command) {
    tie(command, Signal::TERM);
}

/// For a child that works for this process, and ends when this process says so or dies: the watchdog leaves it alone, and
/// signals of the terminal do not reach it. Start it from a thread that lives as long as the child is to.
pub fn tie_worker(command: &mut Command) {
    tie(command, Signal::KILL);
    command.process_group(0);
}

/// Asks a child that nobody has waited for yet to end.
pub fn terminate(child: &Child) {
    // The number is the child's as long as nobody has waited for it; one that has ended hears nothing.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
}

/// A child in a process group of its own, which the watchdog kills on a stop.
pub struct Tied {
    child: Option<Child>,
    leader: Pid,
}

/// Starts a command so.
///
/// # Errors
/// Those of [`Command::spawn`]; [`io::ErrorKind::Interrupted`] if the run has to end.
pub fn spawn(command: &mut Command) -> io::Result<Tied> {
    tie(command, Signal::KILL);
    command.process_group(0);
    let mut groups = groups();
    if groups.closed {
        return Err(stopped());
    }
    let child = command.spawn()?;
    let leader = Pid::from_child(&child);
    groups.all.push(ProcessGroup {
        leader,
        below: Vec::new(),
    });
    Ok(Tied {
        child: Some(child),
        leader,
    })
}

/// Runs a command to its end without input, and takes what it says.
///
/// # Errors
/// Those of [`Command::output`]; [`io::ErrorKind::Interrupted`] if the run has to end.
pub fn output(command: &mut Command) -> io::Result<Output> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut tied = spawn(command)?;
    let child = tied.child.take().ok_or_else(stopped)?;
    let output = child.wait_with_output()?;
    if groups().closed {
        return Err(stopped());
    }
    Ok(output)
}

/// Runs a command to its end, with this process's streams where it names no others.
///
/// # Errors
/// Those of [`Command::status`]; [`io::ErrorKind::Interrupted`] if the run has to end.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    let status = spawn(command)?.wait()?;
    if groups().closed {
        return Err(stopped());
    }
    Ok(status)
}

/// Between two looks at a flag that asks a child to end.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a command to its end with the input that it has, and takes what it says. When the flag is set, the child is asked to end, and is waited for.
///
/// # Errors
/// Those of [`Command::output`].
pub fn output_until(command: &mut Command, stop: &AtomicBool) -> io::Result<Output> {
    tie_gently(command);
    // Signals of the terminal reach it through this process alone.
    command.process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn()?;
    until(child, stop, Child::wait_with_output)
}

/// Runs a command to its end without input and output; what it says on stderr is given away line by line. When the flag is set, the
/// child is asked to end, and is waited for.
///
/// # Errors
/// Those of [`Command::status`].
pub fn lines_until(
    command: &mut Command,
    stop: &AtomicBool,
    mut line: impl FnMut(&str),
) -> io::Result<ExitStatus> {
    tie_gently(command);
    // Signals of the terminal reach it through this process alone: one of each, however slow the machine is.
    command.process_group(0);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.spawn()?;
    until(child, stop, |mut child| {
        let said = child.stderr.take().map(BufReader::new);
        for bytes in said.into_iter().flat_map(|said| said.split(b'\n')) {
            line(&String::from_utf8_lossy(&bytes?));
        }
        child.wait()
    })
}

/// Runs a command to its end without input, and takes what it says, also when the run has to end: neither the watchdog nor signals of
/// the terminal end it. One that takes longer than `limit` is killed.
///
/// # Errors
/// Those of [`Command::output`]; [`io::ErrorKind::TimedOut`] if it was killed.
pub fn last(command: &mut Command, limit: Duration) -> io::Result<Output> {
    tie(command, Signal::KILL);
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let (has_ended, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let begun = Instant::now();
    let output = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !has_ended.load(Ordering::Acquire) {
                let Some(left) = limit.checked_sub(begun.elapsed()) else {
                    is_over.store(true, Ordering::Release);
                    // A group that is gone is an error without effect.
                    let _ = kill_process_group(pid, Signal::KILL);
                    return;
                };
                std::thread::park_timeout(left);
            }
        });
        let output = child.wait_with_output();
        has_ended.store(true, Ordering::Release);
        watcher.thread().unpark();
        output
    })?;
    if is_over.load(Ordering::Acquire) && !output.status.success() {
        let why = format!("it took longer than {} s", limit.as_secs());
        return Err(io::Error::new(io::ErrorKind::TimedOut, why));
    }
    Ok(output)
}

/// What the group of a child may take to end when it was asked to.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs a command to its end without input, in a process group of its own. When the flag is set the whole group is asked to end, and
/// is killed if it does not.
///
/// # Errors
/// Those of [`Command::status`].
pub fn group_until(command: &mut Command, stop: &AtomicBool) -> io::Result<ExitStatus> {
    tie_gently(command);
    command.process_group(0).stdin(Stdio::null());
    let child = command.spawn()?;
    let end = |pid, has_ended: &dyn Fn() -> bool| {
        // A group that is gone is an error without effect.
        let _ = kill_process_group(pid, Signal::TERM);
        let asked = Instant::now();
        while !has_ended() && asked.elapsed() < PATIENCE {
            std::thread::sleep(LOOK);
        }
        // The leader may have ended before those that it has started.
        let _ = kill_process_group(pid, Signal::KILL);
    };
    when_set(child, stop, end, |mut child| child.wait())
}

/// Waits for a child, which is asked to end when the flag is set.
fn until<T>(child: Child, stop: &AtomicBool, wait: impl FnOnce(Child) -> T) -> T {
    let end = |pid, _: &dyn Fn() -> bool| {
        // If the child has ended just now its number is free, but not yet another's.
        let _ = kill_process(pid, Signal::TERM);
    };
    when_set(child, stop, end, wait)
}

/// Waits for a child, and ends it so when the flag is set; `end` can ask whether it has ended.
fn when_set<T>(
    child: Child,
    stop: &AtomicBool,
    end: impl FnOnce(Pid, &dyn Fn() -> bool) + Send,
    wait: impl FnOnce(Child) -> T,
) -> T {
    let pid = Pid::from_child(&child);
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK);
            }
            if !has_ended.load(Ordering::Relaxed) {
                end(pid, &|| has_ended.load(Ordering::Relaxed));
            }
        });
        let ended = wait(child);
        has_ended.store(true, Ordering::Relaxed);
        ended
    })
}

impl Tied {
    /// Its standard input and output, if they are pipes and nobody took them.
    ///
    /// # Errors
    /// They are not.
    pub fn pipes(&mut self) -> io::Result<(ChildStdin, ChildStdout)> {
        let child = self.child.as_mut().ok_or_else(stopped)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        pipes.ok_or_else(|| io::Error::other("the child has no pipes"))
    }

    /// Its standard output, if that is a pipe and nobody took it.
    ///
    /// # Errors
    /// It is not.
    pub fn stdout(&mut self) -> io::Result<ChildStdout> {
        let child = self.child.as_mut().ok_or_else(stopped)?;
        let pipe = child.stdout.take();
        pipe.ok_or_else(|| io::Error::other("the child has no pipe"))
    }

    /// Its standard input, if that is a pipe and nobody took it.
    ///
    /// # Errors
    /// It is not.
    pub fn stdin(&mut self) -> io::Result<ChildStdin> {
        let child = self.child.as_mut().ok_or_else(stopped)?;
        let pipe = child.stdin.take();
        pipe.ok_or_else(|| io::Error::other("the child has no pipe"))
    }

    /// Has it ended? (One that cannot be asked has.)
    pub fn has_ended(&mut self) -> bool {
        let child = self.child.as_mut();
        child.is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.leader.as_raw_pid().unsigned_abs()
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// Those of [`Child::wait`].
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        self.child.take().ok_or_else(stopped)?.wait()
    }

    /// Those that it has started by now, with its first thread, and those that they have: their time counts as its own. (The
    /// children of a launcher, which waits for them.)
    pub fn adopt(&self) {
        let below = all_below(self.leader);
        self.with_group(|group| group.below = below);
    }

    /// Its processor time so far; none when it has ended.
    pub fn time(&self) -> Duration {
        let below = self.with_group(|group| group.time_below());
        time_of(self.leader) + below.unwrap_or_default()
    }

    fn with_group<T>(&self, what: impl FnOnce(&mut ProcessGroup) -> T) -> Option<T> {
        let mut groups = groups();
        let mine = groups.all.iter_mut().find(|g| g.leader == self.leader);
        mine.map(what)
    }
}

/// The processes that this one's first thread has started, and those that theirs have.
fn all_below(leader: Pid) -> Vec<Pid> {
    let mut below = Vec::new();
    let mut next = vec![leader];
    while let Some(pid) = next.pop() {
        // One that is gone has none, and so it is where the kernel does not list them.
        let listed = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let listed = listed.unwrap_or_default();
        let children = listed.split_whitespace();
        let known = next.len();
        next.extend(children.filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
        below.extend(&next[known..]);
    }
    below
}

/// Processor time of a process, of those below it, and of those that they have waited for; none if there is no such process.
pub fn time_of_tree(pid: u32) -> Duration {
    let leader = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(leader) = leader else {
        return Duration::ZERO;
    };
    let all = std::iter::once(leader).chain(all_below(leader));
    all.map(|pid| time_of(pid) + waited_for(pid)).sum()
}

/// Processor time of the children that a process has waited for.
fn waited_for(pid: Pid) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program, in brackets, may have spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.filter_map(|n| n.parse::<u64>().ok()).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Processor time of the children at work, so far.
pub fn time_of_running() -> Duration {
    let groups = groups();
    let all = groups.all.iter();
    all.map(|group| time_of(group.leader) + group.time_below())
        .sum()
}

/// None if there is no such process.
fn time_of(pid: Pid) -> Duration {
    crate::clock::time_of_process(pid.as_raw_pid().unsigned_abs()).unwrap_or_default()
}

/// Nanoseconds of processor time of processes that nobody could wait for, since their parents were killed with them.
static NOT_WAITED_FOR: AtomicU64 = AtomicU64::new(0);

/// Processor time of what children had started when they were killed.
pub fn time_of_killed() -> Duration {
    Duration::from_nanos(NOT_WAITED_FOR.load(Ordering::Relaxed))
}

impl Drop for Tied {
    /// Ends it, if nobody has waited for its end: its processor time counts as that of a child from then on.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // (It was not waited for, so its number is its own.)
            self.with_group(ProcessGroup::kill);
            // One that cannot be waited for is gone.
            drop(child.wait());
        }
        groups().all.retain(|group| group.leader != self.leader);
    }
}

/// The children at work.
pub fn running() -> Vec<u32> {
    let groups = groups();
    let leaders = groups.all.iter().map(|group| group.leader);
    leaders.map(|pid| pid.as_raw_pid().unsigned_abs()).collect()
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "the run was stopped")
}

/// Kills the groups of all children; later ones do not begin, until [`allow`] says so.
pub fn kill_all() {
    let mut groups = groups();
    groups.closed = true;
    groups.all.iter_mut().for_each(ProcessGroup::kill);
}

/// Does something while no child begins.
pub(crate) fn while_none_begins<T>(work: impl FnOnce() -> T) -> T {
    let _groups = groups();
    work()
}

/// Children may begin again: what they were killed for is over. Not for a process that a watchdog ends.
pub fn allow() {
    groups().closed = false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_runs_when_no_other_may_begin() {
        let run = |script: &str, limit| {
            let mut command = Command::new("sh");
            last(command.args(["-c", script]), limit)
        };
        kill_all();
        let refused = output(&mut Command::new("true")).map_err(|e| e.kind());
        let done = run("echo said", Duration::from_secs(60));
        let killed = run("sleep 60", Duration::from_millis(20)).map_err(|e| e.kind());
        allow();
        assert_eq!(refused, Err(io::ErrorKind::Interrupted));
        assert_eq!(done.unwrap().stdout, b"said\n");
        assert_eq!(killed, Err(io::ErrorKind::TimedOut));
    }
}
