//! The fence by namespaces (Linux 5.12 and later, where user namespaces are allowed): the programs see the host's
//! files read-only, temporary directories of their own, no other processes, no network, and the user that the
//! machine's world has. Modes, owners, times and links of the host's files are thereby out of reach, while a program may
//! change those of its own files as it likes.

use crate::View;
use rustix::fs::{CWD, FileType, fstat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    mount_remount, move_mount, open_tree,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Why there is no such fence.
pub(crate) enum Failure {
    /// The kernel, or what governs this process, does not allow it.
    Lacking(String),
    /// It should have worked.
    Broken(String),
}

/// Directories in which programs may write, or that lead to services of the host: empty ones instead.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/run", "/dev"];
/// What there is of the host's devices: to root's programs a disk would be open.
pub(crate) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];
/// Of each, in memory.
const SIZE: &CStr = c"mode=1777,size=512m,nr_inodes=100k";

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
    // What has to stay visible below the private directories, or writable.
    let mut kept: Vec<(PathBuf, OwnedFd)> = Vec::new();
    let directories = view
        .needed
        .iter()
        .filter_map(|p| p.parent())
        .filter(|d| is_private(d));
    for dir in directories {
        if PRIVATE.iter().any(|p| Path::new(p) == dir) || kept.iter().any(|(k, _)| k == dir) {
            continue;
        }
        let tree = clone_tree(dir).map_err(broken("open_tree"))?;
        read_only(tree.as_fd(), c"").map_err(broken("read-only mount"))?;
        kept.push((dir.to_owned(), tree));
    }
    // Of those in /tmp itself only the file.
    for file in &view.needed {
        if file
            .parent()
            .is_some_and(|d| PRIVATE.iter().any(|p| Path::new(p) == d))
        {
            let tree = clone_tree(file).map_err(broken("open_tree"))?;
            read_only(tree.as_fd(), c"").map_err(broken("read-only mount"))?;
            kept.push((file.clone(), tree));
        }
    }
    for device in DEVICES.iter().map(Path::new).filter(|d| d.exists()) {
        kept.push((
            device.to_owned(),
            clone_tree(device).map_err(broken("open_tree"))?,
        ));
    }
    for dir in &view.writable {
        kept.retain(|(k, _)| k != dir);
        kept.push((dir.clone(), clone_tree(dir).map_err(broken("open_tree"))?));
    }
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    read_only(CWD, c"/").map_err(broken("read-only mounts"))?;
    for dir in PRIVATE {
        if Path::new(dir).is_dir() {
            let flags = MountFlags::NOSUID | MountFlags::NODEV;
            mount("tmpfs", *dir, "tmpfs", flags, SIZE).map_err(broken(dir))?;
        }
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

fn is_private(path: &Path) -> bool {
    PRIVATE.iter().any(|p| path.starts_with(p))
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

fn read_only(dir: BorrowedFd, path: &CStr) -> io::Result<()> {
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
            libc::AT_RECURSIVE | libc::AT_EMPTY_PATH,
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
