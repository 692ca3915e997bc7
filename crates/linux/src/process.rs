//! The process itself: identity, limits, names of the machine, and refused calls (those that make processes or
//! threads).

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Arg, Byte, Bytes, Word};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::config::WorldConfig;
use crate::state::CallAnswer;

/// Real, effective and saved identity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    pub(crate) real: u32,
    pub(crate) effective: u32,
    pub(crate) saved: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) uid: Ids,
    pub(crate) gid: Ids,
    pub(crate) umask: u32,
    limits: Rc<[(u64, u64); 16]>,
    name: [u8; 16],
    nice: i32,
    /// Attempts to start another process, which a program that only retries would go on making.
    forks: u32,
    /// Supplementary groups, in order.
    pub(crate) groups: Rc<[u32]>,
    /// Did the program lock pages in memory?
    pub(crate) has_locked_pages: bool,
    /// PR_SET_DUMPABLE.
    pub(crate) dumpable: u64,
}

/// Failed attempts to start a process after which the path is ended.
const FORK_ATTEMPTS: u32 = 64;
const UNLIMITED: u64 = u64::MAX;
const RLIMIT_STACK: usize = 3;
const RLIMIT_NOFILE: usize = 7;

impl Process {
    pub(crate) fn new(config: &WorldConfig) -> Process {
        let ids = |id| Ids {
            real: id,
            effective: id,
            saved: id,
        };
        let mut limits = [(UNLIMITED, UNLIMITED); 16];
        limits[RLIMIT_STACK] = (config.stack, UNLIMITED);
        limits[4] = (0, UNLIMITED);
        limits[6] = (30000, 30000);
        limits[RLIMIT_NOFILE] = (DESCRIPTORS_MAX as u64, DESCRIPTORS_MAX as u64);
        limits[13] = (0, 0);
        limits[14] = (0, 0);
        let mut name = [0; 16];
        let base = config.program.rsplit('/').next().unwrap_or("").as_bytes();
        let len = base.len().min(15);
        name[..len].copy_from_slice(&base[..len]);
        Process {
            pid: config.pid,
            uid: ids(config.uid),
            gid: ids(config.gid),
            umask: config.umask & 0o777,
            limits: Rc::new(limits),
            name,
            nice: 0,
            forks: 0,
            groups: Rc::new([config.gid]),
            has_locked_pages: false,
            dumpable: 1,
        }
    }

    /// Is a group that of the process, or one of its supplementary ones?
    pub(crate) fn is_in_group(&self, gid: u32) -> bool {
        self.gid.effective == gid || self.groups.contains(&gid)
    }

    /// One more than the largest descriptor.
    pub(crate) fn descriptor_limit(&self) -> usize {
        self.limits[RLIMIT_NOFILE].0.min(1 << 20) as usize
    }

    /// Largest size of the stack.
    pub(crate) fn stack_limit(&self) -> u64 {
        self.limits[RLIMIT_STACK].0
    }

    /// Largest file size, RLIMIT_FSIZE.
    pub(crate) fn file_size_limit(&self) -> u64 {
        self.limits[1].0
    }
}

pub(crate) fn exit(call: &mut Call<'_>) -> CallResult {
    let status: Arg = call.args[0];
    Err(CallAnswer::Exit(status).into())
}

pub(crate) fn getpid(call: &mut Call<'_>) -> CallResult {
    Ok((call.world().process.pid as u64).into())
}

pub(crate) fn getppid(call: &mut Call<'_>) -> CallResult {
    Ok((call.world().process.pid as u64 - 1).into())
}

/// The process leads a group of its own. Its parent, and init, lead theirs.
pub(crate) fn getpgid(call: &mut Call<'_>) -> CallResult {
    let pid = call.int(0, "a process number");
    let own = call.world().process.pid as i32;
    match pid {
        0 => Ok((own as u64).into()),
        1 => Ok(1.into()),
        _ if pid == own || pid == own - 1 => Ok((pid as u64).into()),
        _ => Err(ESRCH.into()),
    }
}

/// The session is that of the parent.
pub(crate) fn getsid(call: &mut Call<'_>) -> CallResult {
    let pid = call.int(0, "a process number");
    let own = call.world().process.pid as i32;
    match pid {
        1 => Ok(1.into()),
        _ if pid == 0 || pid == own || pid == own - 1 => Ok((own as u64 - 1).into()),
        _ => Err(ESRCH.into()),
    }
}

pub(crate) fn getpgrp(call: &mut Call<'_>) -> CallResult {
    getpid(call)
}

pub(crate) fn setpgid(call: &mut Call<'_>) -> CallResult {
    let (pid, group) = (
        call.int(0, "a process number"),
        call.int(1, "a process group"),
    );
    let own = call.world().process.pid as i32;
    match () {
        () if group < 0 => Err(EINVAL.into()),
        () if pid != 0 && pid != own => Err(ESRCH.into()),
        () if group == 0 || group == own => Ok(0.into()),
        () => Err(EPERM.into()),
    }
}

/// The process leads its group already.
pub(crate) fn setsid(_: &mut Call<'_>) -> CallResult {
    Err(EPERM.into())
}

/// What the superuser may do is not modelled; others may not.
fn not_permitted(call: &mut Call<'_>, name: &str) -> CallResult {
    if call.world().process.uid.effective == 0 {
        call.note_unmodelled(&format!("{name} by the superuser"));
    }
    Err(EPERM.into())
}

/// Calls that ask for the permission first.
macro_rules! not_permitted {
    ($($name:ident),*) => {
        $(pub(crate) fn $name(call: &mut Call<'_>) -> CallResult {
            not_permitted(call, stringify!($name))
        })*
    };
}

not_permitted!(
    acct,
    reboot,
    setdomainname,
    sethostname,
    swapoff,
    swapon,
    vhangup
);

/// A call whose path has to lead to something (a directory, for `chroot`) before the permission is asked for.
fn not_permitted_at(call: &mut Call<'_>, name: &str, index: usize) -> CallResult {
    let path = call.path(index)?;
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    if name == "chroot" {
        if !call.world().fs.get(ino).is_directory() {
            return Err(ENOTDIR.into());
        }
        call.require(ino, 1)?;
    }
    not_permitted(call, name)
}

pub(crate) fn chroot(call: &mut Call<'_>) -> CallResult {
    not_permitted_at(call, "chroot", 0)
}

pub(crate) fn mount(call: &mut Call<'_>) -> CallResult {
    not_permitted_at(call, "mount", 1)
}

pub(crate) fn umount2(call: &mut Call<'_>) -> CallResult {
    if call.flags(1, "flags") & !0xf != 0 {
        return Err(EINVAL.into());
    }
    not_permitted_at(call, "umount2", 0)
}

/// The clock cannot be set by any user.
pub(crate) fn clock_not_permitted(call: &mut Call<'_>) -> CallResult {
    not_permitted(call, "setting the clock")
}

pub(crate) fn set_robust_list(call: &mut Call<'_>) -> CallResult {
    const HEAD: u64 = 24;
    if call.arg(1, "the size of a list's head") == HEAD {
        Ok(0.into())
    } else {
        Err(EINVAL.into())
    }
}

/// SCHED_OTHER.
pub(crate) fn sched_getscheduler(call: &mut Call<'_>) -> CallResult {
    let pid = call.int(0, "a process number");
    match pid {
        ..0 => Err(EINVAL.into()),
        _ if pid == 0 || pid == call.world().process.pid as i32 => Ok(0.into()),
        // Parent and init exist.
        _ if pid == 1 || pid == call.world().process.pid as i32 - 1 => Ok(0.into()),
        _ => Err(ESRCH.into()),
    }
}

pub(crate) fn umask(call: &mut Call<'_>) -> CallResult {
    let mask = call.flags(0, "a file mode creation mask") & 0o777;
    let old = call.world().process.umask;
    call.change().process.umask = mask;
    Ok((old as u64).into())
}

pub(crate) fn uname(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(0, "an address");
    let mut record = Bytes::zeros(6 * 65);
    let fields = ["Linux", "polypath", "6.1.0", "#1 SMP", "x86_64", "(none)"];
    for (i, field) in fields.iter().enumerate() {
        for (k, &byte) in field.as_bytes().iter().enumerate() {
            record.put(65 * i + k, Byte::Concrete(byte));
        }
    }
    call.cx.write(addr, &record)?;
    Ok(0.into())
}

/// 8 GiB of memory, half of it free; up for an hour.
pub(crate) fn sysinfo(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(0, "an address");
    let mut record = Bytes::zeros(112);
    record.put_int(0, 8, 3600 + call.cx.instructions() / 1_000_000_000);
    record.put_int(32, 8, 8 << 30);
    record.put_int(40, 8, 4 << 30);
    record.put_int(80, 2, 1);
    record.put_int(104, 4, 1);
    call.cx.write(addr, &record)?;
    Ok(0.into())
}

pub(crate) fn getrusage(call: &mut Call<'_>) -> CallResult {
    let (who, addr) = (call.int(0, "whose usage"), call.arg(1, "an address"));
    if !matches!(who, -1..=1) {
        return Err(EINVAL.into());
    }
    let mut record = Bytes::zeros(144);
    if who != -1 {
        let instructions = call.cx.instructions();
        record.put_int(0, 8, instructions / 1_000_000_000);
        record.put_int(8, 8, instructions % 1_000_000_000 / 1000);
        record.put_int(32, 8, 4096);
    }
    call.cx.write(addr, &record)?;
    Ok(0.into())
}

/// Limits that a program could run into natively, and does not here.
const UNENFORCED: [(usize, &str); 5] = [
    (0, "RLIMIT_CPU"),
    (2, "RLIMIT_DATA"),
    (8, "RLIMIT_MEMLOCK"),
    (9, "RLIMIT_AS"),
    (11, "RLIMIT_SIGPENDING"),
];

fn limit(call: &mut Call<'_>, resource: u32, new: u64, old: u64) -> CallResult {
    let index = resource as usize;
    if index >= 16 {
        return Err(EINVAL.into());
    }
    let present = call.world().process.limits[index];
    let mut wanted = None;
    if new != 0 {
        let (soft, hard) = (
            call.read_int(new, 8, "a limit")?,
            call.read_int(new + 8, 8, "a limit")?,
        );
        if soft > hard {
            return Err(EINVAL.into());
        }
        if hard > present.1 && call.world().process.uid.effective != 0 {
            return Err(EPERM.into());
        }
        wanted = Some((soft, hard));
    }
    if old != 0 {
        let mut record = Bytes::zeros(16);
        record.put_int(0, 8, present.0);
        record.put_int(8, 8, present.1);
        call.cx.write(old, &record)?;
    }
    if wanted.is_some_and(|(soft, _)| soft < present.0)
        && let Some((_, name)) = UNENFORCED.iter().find(|(number, _)| *number == index)
    {
        call.note_unmodelled(&format!("setrlimit({name}), which has no effect"));
    }
    if let Some(limits) = wanted {
        Rc::make_mut(&mut call.change().process.limits)[index] = limits;
    }
    Ok(0.into())
}

pub(crate) fn getrlimit(call: &mut Call<'_>) -> CallResult {
    let (resource, old) = (call.flags(0, "a resource"), call.arg(1, "an address"));
    limit(call, resource, 0, old)
}

pub(crate) fn setrlimit(call: &mut Call<'_>) -> CallResult {
    let (resource, new) = (call.flags(0, "a resource"), call.arg(1, "an address"));
    limit(call, resource, new, 0)
}

pub(crate) fn prlimit64(call: &mut Call<'_>) -> CallResult {
    let (pid, resource) = (call.int(0, "a process number"), call.flags(1, "a resource"));
    let (new, old) = (call.arg(2, "an address"), call.arg(3, "an address"));
    if pid != 0 && pid != call.world().process.pid as i32 {
        return Err(ESRCH.into());
    }
    limit(call, resource, new, old)
}

pub(crate) fn getpriority(call: &mut Call<'_>) -> CallResult {
    let (which, who) = (
        call.int(0, "what has the priority"),
        call.int(1, "whose priority"),
    );
    check_priority(call, which, who)?;
    Ok(((20 - call.world().process.nice) as u64).into())
}

pub(crate) fn setpriority(call: &mut Call<'_>) -> CallResult {
    let (which, who) = (
        call.int(0, "what has the priority"),
        call.int(1, "whose priority"),
    );
    let nice = call.int(2, "a priority").clamp(-20, 19);
    check_priority(call, which, who)?;
    if nice < call.world().process.nice && call.world().process.uid.effective != 0 {
        return Err(EACCES.into());
    }
    call.change().process.nice = nice;
    Ok(0.into())
}

fn check_priority(call: &Call<'_>, which: i32, who: i32) -> Result<(), EarlyReturn> {
    let process = &call.world().process;
    let own = match which {
        0 | 1 => process.pid as i32,
        2 => process.uid.real as i32,
        _ => return Err(EINVAL.into()),
    };
    if who == 0 || who == own {
        Ok(())
    } else {
        Err(ESRCH.into())
    }
}

pub(crate) fn set_tid_address(call: &mut Call<'_>) -> CallResult {
    getpid(call)
}

pub(crate) fn nothing(_: &mut Call<'_>) -> CallResult {
    Ok(0.into())
}

pub(crate) fn arch_prctl(call: &mut Call<'_>) -> CallResult {
    const SET_FS: u64 = 0x1002;
    const GET_FS: u64 = 0x1003;
    let (code, addr) = (call.arg(0, "what to set"), call.arg(1, "an address"));
    match code {
        SET_FS => call.cx.set_thread_pointer(addr),
        GET_FS => {
            let pointer = call.cx.thread_pointer();
            call.write_int(addr, 8, pointer)?;
        }
        _ => {
            call.note_unmodelled(&format!("arch_prctl code {code:#x}"));
            return Err(EINVAL.into());
        }
    }
    Ok(0.into())
}

/// There is one execution domain, that of Linux; asking for it is all that programs do.
pub(crate) fn personality(call: &mut Call<'_>) -> CallResult {
    let wanted = call.flags(0, "an execution domain");
    if wanted != 0 && wanted != u32::MAX {
        call.note_unmodelled("personality other than that of Linux");
        return Err(EINVAL.into());
    }
    Ok(0.into())
}

/// The priorities of a scheduling policy: 1 to 99 for the two of real time, 0 for the others.
fn priorities(call: &mut Call<'_>) -> Result<(u64, u64), EarlyReturn> {
    match call.int(0, "a scheduling policy") {
        1 | 2 => Ok((1, 99)),
        0 | 3 | 5 | 6 => Ok((0, 0)),
        _ => Err(EINVAL.into()),
    }
}

pub(crate) fn sched_get_priority_min(call: &mut Call<'_>) -> CallResult {
    Ok(priorities(call)?.0.into())
}

pub(crate) fn sched_get_priority_max(call: &mut Call<'_>) -> CallResult {
    Ok(priorities(call)?.1.into())
}

/// The process has one processor, and keeps it if it is among those that are asked for.
pub(crate) fn sched_setaffinity(call: &mut Call<'_>) -> CallResult {
    let (pid, size, addr) = (
        call.int(0, "a process number"),
        call.arg(1, "a size"),
        call.arg(2, "an address"),
    );
    let processors = if size == 0 {
        0
    } else {
        call.read_int(addr, size.min(8) as usize, "a set of processors")?
    };
    if pid != 0 && pid != call.world().process.pid as i32 {
        return Err(ESRCH.into());
    }
    if processors & 1 == 0 {
        return Err(EINVAL.into());
    }
    Ok(0.into())
}

pub(crate) fn prctl(call: &mut Call<'_>) -> CallResult {
    let (option, addr) = (call.int(0, "a process option"), call.arg(1, "an address"));
    match option {
        // PR_SET_NAME, PR_GET_NAME
        15 => {
            let string = call.string(addr, 16).or_else(|stop| match stop {
                EarlyReturn::Errno(ENAMETOOLONG) => Ok(call.cx.read(addr, 15)?),
                stop => Err(stop),
            })?;
            let Some(bytes) = string.as_concrete() else {
                call.note_unmodelled("prctl PR_SET_NAME with a name that depends on the input");
                return Err(EINVAL.into());
            };
            let bytes: Vec<u8> = bytes
                .iter()
                .copied()
                .take_while(|&b| b != 0)
                .take(15)
                .collect();
            let mut name = [0; 16];
            name[..bytes.len()].copy_from_slice(&bytes);
            call.change().process.name = name;
            Ok(0.into())
        }
        16 => {
            let name = call.world().process.name;
            call.cx.write(addr, &Bytes::concrete(name))?;
            Ok(0.into())
        }
        // PR_SET_PDEATHSIG, whose signal nobody sends
        1 if addr <= NSIG as u64 => Ok(0.into()),
        1 => Err(EINVAL.into()),
        // PR_GET_DUMPABLE, PR_SET_DUMPABLE
        3 => Ok(call.world().process.dumpable.into()),
        4 if addr <= 1 => {
            call.change().process.dumpable = addr;
            Ok(0.into())
        }
        4 => Err(EINVAL.into()),
        // PR_SET_TIMERSLACK, PR_SET_NO_NEW_PRIVS
        29 => Ok(0.into()),
        38 => {
            let rest = [2, 3, 4].map(|i| call.arg(i, "an argument of prctl"));
            if addr == 1 && rest == [0; 3] {
                Ok(0.into())
            } else {
                Err(EINVAL.into())
            }
        }
        _ => {
            call.note_unmodelled(&format!("prctl option {option}"));
            Err(EINVAL.into())
        }
    }
}

/// fork, vfork, clone, clone3: there is one process and one thread.
pub(crate) fn fork(call: &mut Call<'_>) -> CallResult {
    call.note_unmodelled("fork (starting another process or thread)");
    let process = &mut call.change().process;
    process.forks += 1;
    if process.forks > FORK_ATTEMPTS {
        return Err(CallAnswer::Unsupported(
            "fork: the program keeps trying to start processes".to_string(),
        )
        .into());
    }
    Err(ENOSYS.into())
}

pub(crate) fn execve(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    execute(call, AT_FDCWD, &path, true)
}

pub(crate) fn execveat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let path = call.path(1)?;
    let flags = call.flags(4, "flags");
    execute(call, dirfd, &path, flags & AT_SYMLINK_NOFOLLOW == 0)
}

/// What the private file system does not hold fails as it really would; what it does hold cannot
/// run in this process.
fn execute(call: &mut Call<'_>, dirfd: i32, path: &Bytes, follow: bool) -> CallResult {
    call.note_unmodelled("execve (running another program)");
    let ino = call.resolve(dirfd, path, follow)?;
    if call.world().fs.get(ino).file_type() != Some(S_IFREG) {
        return Err(EACCES.into());
    }
    call.require(ino, 1)?;
    Err(CallAnswer::Unsupported("execve: the program runs another program".to_string()).into())
}

/// There are no children.
pub(crate) fn wait4(call: &mut Call<'_>) -> CallResult {
    let (pid, options) = (call.int(0, "a process number"), call.flags(2, "options"));
    // WNOHANG, WUNTRACED, WCONTINUED, __WNOTHREAD, __WALL, __WCLONE.
    match pid {
        _ if options & !0xe000_000b != 0 => Err(EINVAL.into()),
        i32::MIN => Err(ESRCH.into()),
        _ => Err(ECHILD.into()),
    }
}

pub(crate) fn waitid(call: &mut Call<'_>) -> CallResult {
    // WSTOPPED, WEXITED, WCONTINUED, of which one has to be there.
    const STATES: u32 = 0xe;
    let (kind, id) = (
        call.int(0, "what to wait for"),
        call.int(1, "a process number"),
    );
    let options = call.flags(3, "options");
    if options & !0xe100_000f != 0 || options & STATES == 0 {
        return Err(EINVAL.into());
    }
    match kind {
        0 => Err(ECHILD.into()),
        1 if id > 0 => Err(ECHILD.into()),
        2 if id >= 0 => Err(ECHILD.into()),
        3 if id >= 0 => {
            call.note_unmodelled("waitid of a descriptor of a process");
            Err(EBADF.into())
        }
        _ => Err(EINVAL.into()),
    }
}

pub(crate) fn futex(call: &mut Call<'_>) -> CallResult {
    let (addr, operation) = (call.arg(0, "an address"), call.int(1, "a futex operation"));
    let expected = call.flags(2, "a futex value");
    let timeout = call.arg(3, "an address");
    match operation & 0x7f {
        // FUTEX_WAIT, FUTEX_WAIT_BITSET: nobody else could wake us.
        0 | 9 => {
            if call.read_int(addr, 4, "a futex")? as u32 != expected {
                return Err(EAGAIN.into());
            }
            if timeout == 0 {
                return Err(CallAnswer::Block(
                    "futex waits for a thread that does not exist".to_string(),
                )
                .into());
            }
            let nanoseconds = call.read_duration(timeout)?;
            call.sleep(nanoseconds);
            Err(ETIMEDOUT.into())
        }
        // FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_BITSET: nobody waits.
        1 | 3 | 4 | 10 => Ok(0.into()),
        // FUTEX_LOCK_PI on a free lock cannot be told from its word alone; musl falls back.
        other => {
            call.note_unmodelled(&format!("futex operation {other}"));
            Err(ENOSYS.into())
        }
    }
}

/// One processor.
pub(crate) fn sched_getaffinity(call: &mut Call<'_>) -> CallResult {
    let (pid, size, addr) = (
        call.int(0, "a process number"),
        call.arg(1, "a size"),
        call.arg(2, "an address"),
    );
    if pid != 0 && pid != call.world().process.pid as i32 {
        return Err(ESRCH.into());
    }
    if size < 8 || size % 8 != 0 {
        return Err(EINVAL.into());
    }
    call.write_int(addr, 8, 1)?;
    Ok(8.into())
}

pub(crate) fn getcpu(call: &mut Call<'_>) -> CallResult {
    for i in 0..2 {
        let addr = call.arg(i, "an address");
        if addr != 0 {
            call.write_int(addr, 4, 0)?;
        }
    }
    Ok(0.into())
}

/// Pseudo-random bytes from the seed: the same in every run.
pub(crate) fn random_bytes(call: &mut Call<'_>, len: usize) -> (Bytes, u64) {
    let mut state = call.world().random;
    let bytes = random_stream(&mut state, len);
    (Bytes::concrete(bytes), state)
}

/// The generator splitmix64 (Steele et al., OOPSLA 2014), written out: what a program reads is part of what a stored test
/// means, so it must not change with the version of a library.
pub(crate) fn random_stream(state: &mut u64, len: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bytes.extend_from_slice(&(z ^ z >> 31).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

pub(crate) fn getrandom(call: &mut Call<'_>) -> CallResult {
    let (addr, len) = (call.arg(0, "an address"), call.arg(1, "a number of bytes"));
    let flags = call.flags(2, "flags");
    if flags & !7 != 0 {
        return Err(EINVAL.into());
    }
    let len = len.min(0x1ff_ffff);
    let (bytes, state) = random_bytes(call, len as usize);
    call.cx.write(addr, &bytes)?;
    call.change().random = state;
    Ok(Word::Concrete(len))
}
