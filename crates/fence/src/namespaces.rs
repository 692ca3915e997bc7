//! The fence by namespaces (Linux 5.12 and later, where user namespaces are allowed): the programs see the host's
//! files read-only without the homes of users, temporary directories of their own, no other processes, no network, and the user that the
//! machine's world has. Modes, owners, times and links of the host's files are thereby out of reach, while a program may
//! change those of its own files as it likes.

use crate::{View, hidden};
use rustix::fs::{CWD, FileType, fstat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    mount_remount, move_mount, open_tree,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Why there is no such fence.
pub(crate) enum Failure {
    /// The kernel, or what governs this process, does not allow it.
    Lacking(String),
    /// It should have worked.
    Broken(String),
}

/// What there is of the host's devices: to root's programs a disk would be open.
pub(crate) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];
/// Of each private directory, in memory.
const SIZE: &CStr = c"mode=1777,size=512m,nr_inodes=100k";
/// Of what stands for a home: places of what is needed there, and no more.
const EMPTY: &CStr = c"mode=755,size=1m";

/// A refusal is a rule of this machine (a container, AppArmor); all else is a fault.
fn broken<E: Into<io::Error>>(what: &str) -> impl Fn(E) -> Failure {
    move |e| {
        let e: io::Error = e.into();
        match Errno::from_io_error(&e) {
            Some(Errno::PERM | Errno::ACCESS | Errno::NOSYS) => {
                Failure::Lacking(format!("no namespaces here ({what}: {e})"))
            }
            _ => Failure::Broken(format!("{what}: {e}")),
        }
    }
}

/// Puts this process, which must have one thread, behind the fence; process numbers are new for its children only.
/// After a failure it is of no further use.
pub(crate) fn enter(view: &View) -> Result<(), Failure> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC;
    // SAFETY: no table of descriptors is unshared.
    unsafe { unshare_unsafe(flags) }.map_err(|e| match e {
        // Forbidden, limited to none, or unknown.
        Errno::PERM | Errno::NOSPC | Errno::INVAL | Errno::NOSYS | Errno::USERS => {
            Failure::Lacking(format!("no namespaces here ({e})"))
        }
        _ => Failure::Broken(format!("unshare: {e}")),
    })?;
    let write = |name: &str, text: String| fs::write(name, text).map_err(broken(name));
    write("/proc/self/setgroups", "deny".into())?;
    write("/proc/self/uid_map", format!("{} {user} 1", view.user.0))?;
    write("/proc/self/gid_map", format!("{} {group} 1", view.user.1))?;
    mount_change(
        "/",
        MountPropagationFlags::REC | MountPropagationFlags::PRIVATE,
    )
    .map_err(broken("private mounts"))?;
    // What has to stay visible below the hidden directories, or writable.
    let mut kept: Vec<(PathBuf, OwnedFd)> = Vec::new();
    for path in hidden::needed(view) {
        let tree = clone_tree(&path).map_err(broken("open_tree"))?;
        read_only(tree.as_fd(), c"", true).map_err(broken("read-only mount"))?;
        kept.push((path, tree));
    }
    for device in DEVICES.iter().map(Path::new).filter(|d| d.exists()) {
        kept.push((
            device.to_owned(),
            clone_tree(device).map_err(broken("open_tree"))?,
        ));
    }
    for dir in &view.writable {
        // What is needed below it is in it, and would lie over it, read-only.
        kept.retain(|(k, _)| !k.starts_with(dir));
        kept.push((dir.clone(), clone_tree(dir).map_err(broken("open_tree"))?));
    }
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    read_only(CWD, c"/", true).map_err(broken("read-only mounts"))?;
    let private = |dir: &Path| hidden::PRIVATE.iter().any(|p| Path::new(p) == dir);
    let roots = hidden::roots(view);
    for dir in roots.iter().filter(|dir| dir.is_dir()) {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        let size = if private(dir) { SIZE } else { EMPTY };
        mount("tmpfs", dir, "tmpfs", flags, size).map_err(broken(&dir.display().to_string()))?;
    }
    for (name, target) in [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
        // Shared memory is as private as temporary files.
        ("/dev/shm", "/tmp"),
    ] {
        std::os::unix::fs::symlink(target, name).map_err(broken(name))?;
    }
    // After the links: what is kept below one of their names comes to where it leads.
    for (path, tree) in kept {
        place(&path, &tree).map_err(broken(&path.display().to_string()))?;
    }
    for home in roots.iter().filter(|dir| dir.is_dir() && !private(dir)) {
        let name = CString::new(home.as_os_str().as_bytes()).map_err(broken("a name"))?;
        // Itself: what a program may write to can lie below.
        read_only(CWD, &name, false).map_err(broken("read-only home"))?;
    }
    Ok(())
}

/// In the first process of the new numbers: `/proc` shows those, read-only: the kernel's settings there ask for root's number,
/// not for its rights. Where it must not be mounted (some containers), the old one stays.
pub(crate) fn show_processes() -> io::Result<bool> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    match mount("proc", "/proc", "proc", flags, None::<&CStr>) {
        Ok(()) => {}
        Err(Errno::PERM | Errno::BUSY) => return Ok(false),
        Err(e) => return Err(e.into()),
    }
    limit_numbers()?;
    mount_remount("/proc", flags | MountFlags::BIND | MountFlags::RDONLY, c"")?;
    Ok(true)
}

/// As few process numbers as there can be: the kernel does not count root's processes against RLIMIT_NPROC.
fn limit_numbers() -> io::Result<()> {
    /// The least that the kernel takes, and some.
    const NUMBERS: &str = "400";
    // Before 6.14 the setting is that of the whole system, and not ours to change.
    let release = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let mut parts = release
        .split(['.', '-'])
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version < (6, 14) {
        return Ok(());
    }
    fs::write("/proc/sys/kernel/pid_max", NUMBERS)
}

/// `struct mount_attr`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const MOUNT_ATTR_RDONLY: u64 = 1;
const MOUNT_ATTR_NOSUID: u64 = 2;

/// Makes what is mounted there read-only, and with `all` what is mounted below.
fn read_only(dir: BorrowedFd, path: &CStr, all: bool) -> io::Result<()> {
    let wanted = MountAttributes {
        set: MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
        clear: 0,
        propagation: 0,
        user_namespace: 0,
    };
    // SAFETY: a C string and a structure of the size given.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            dir.as_raw_fd(),
            path.as_ptr(),
            libc::AT_EMPTY_PATH | if all { libc::AT_RECURSIVE } else { 0 },
            &wanted,
            size_of::<MountAttributes>(),
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A detached copy of what is mounted at a path and below it.
fn clone_tree(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, flags)
}

/// Puts a detached tree where it was, making the place if a private directory covers it.
fn place(path: &Path, tree: &OwnedFd) -> io::Result<()> {
    if fs::symlink_metadata(path).is_err() {
        let parent = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent)?;
        if FileType::from_raw_mode(fstat(tree)?.st_mode).is_dir() {
            fs::create_dir(path)?;
        } else {
            fs::write(path, b"")?;
        }
    }
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    Ok(move_mount(tree, c"", CWD, path, flags)?)
}
