//! The fence by namespaces (Linux 5.12 and later, where user namespaces are allowed): the programs see the host's
//! files read-only, temporary directories of their own, no other processes, no network, and the user that the
//! machine's world has. Modes, owners, times and links of the host's files are thereby out of reach, while a program may
//! change those of its own files as it likes.

use crate::View;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
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
const SIZE: &str = "mode=1777,size=512m,nr_inodes=100k";

/// A refusal is a rule of this machine (a container, AppArmor); all else is a fault.
fn broken(what: &str) -> impl Fn(io::Error) -> Failure {
    move |e| match e.raw_os_error() {
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => {
            Failure::Lacking(format!("no namespaces here ({what}: {e})"))
        }
        _ => Failure::Broken(format!("{what}: {e}")),
    }
}

fn check(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// Puts this process, which must have one thread, behind the fence; process numbers are new for its children only.
/// After a failure it is of no further use.
pub(crate) fn enter(view: &View) -> Result<(), Failure> {
    let (user, group) = outer_ids();
    let flags = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWIPC;
    // SAFETY: flags only.
    if unsafe { libc::unshare(flags) } != 0 {
        let e = io::Error::last_os_error();
        return Err(match e.raw_os_error() {
            // Forbidden, limited to none, or unknown.
            Some(libc::EPERM | libc::ENOSPC | libc::EINVAL | libc::ENOSYS | libc::EUSERS) => {
                Failure::Lacking(format!("no namespaces here ({e})"))
            }
            _ => Failure::Broken(format!("unshare: {e}")),
        });
    }
    let write = |name: &str, text: String| fs::write(name, text).map_err(broken(name));
    write("/proc/self/setgroups", "deny".into())?;
    write("/proc/self/uid_map", format!("{} {user} 1", view.user.0))?;
    write("/proc/self/gid_map", format!("{} {group} 1", view.user.1))?;
    mount(None, "/", None, libc::MS_REC | libc::MS_PRIVATE, None)
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
        read_only(tree.as_raw_fd(), "").map_err(broken("read-only mount"))?;
        kept.push((dir.to_owned(), tree));
    }
    // Of those in /tmp itself only the file.
    for file in &view.needed {
        if file
            .parent()
            .is_some_and(|d| PRIVATE.iter().any(|p| Path::new(p) == d))
        {
            let tree = clone_tree(file).map_err(broken("open_tree"))?;
            read_only(tree.as_raw_fd(), "").map_err(broken("read-only mount"))?;
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
    read_only(libc::AT_FDCWD, "/").map_err(broken("read-only mounts"))?;
    for dir in PRIVATE {
        if Path::new(dir).is_dir() {
            mount(
                Some("tmpfs"),
                dir,
                Some("tmpfs"),
                libc::MS_NOSUID | libc::MS_NODEV,
                Some(SIZE),
            )
            .map_err(broken(dir))?;
        }
    }
    for (path, tree) in kept {
        place(&path, &tree).map_err(broken(&path.display().to_string()))?;
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
    Ok(())
}

/// In the first process of the new numbers: `/proc` shows those, read-only: the kernel's settings there ask for root's number,
/// not for its rights. Where it must not be mounted (some containers), the old one stays.
pub(crate) fn show_processes() -> io::Result<bool> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    match mount(Some("proc"), "/proc", Some("proc"), flags, None) {
        Ok(()) => {}
        Err(e) if matches!(e.raw_os_error(), Some(libc::EPERM | libc::EBUSY)) => return Ok(false),
        Err(e) => return Err(e),
    }
    limit_numbers()?;
    let flags = flags | libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY;
    mount(None, "/proc", None, flags, None)?;
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

fn outer_ids() -> (u32, u32) {
    // SAFETY: they take nothing and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

fn is_private(path: &Path) -> bool {
    PRIVATE.iter().any(|p| path.starts_with(p))
}

fn mount(
    source: Option<&str>,
    target: &str,
    kind: Option<&str>,
    flags: libc::c_ulong,
    data: Option<&str>,
) -> io::Result<()> {
    let text = |t: Option<&str>| t.map(CString::new).transpose();
    let (source, kind, data) = (text(source)?, text(kind)?, text(data)?);
    let target = CString::new(target)?;
    let pointer = |t: &Option<CString>| t.as_ref().map_or(std::ptr::null(), |t| t.as_ptr());
    // SAFETY: C strings or null.
    let done = unsafe {
        libc::mount(
            pointer(&source),
            target.as_ptr(),
            pointer(&kind),
            flags,
            pointer(&data).cast(),
        )
    };
    check(done.into()).map(drop)
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
const AT_RECURSIVE: libc::c_long = 0x8000;
const AT_EMPTY_PATH: libc::c_long = libc::AT_EMPTY_PATH as libc::c_long;
const OPEN_TREE_CLONE: libc::c_long = 1;
const OPEN_TREE_CLOEXEC: libc::c_long = libc::O_CLOEXEC as libc::c_long;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_long = 4;

fn read_only(dir: i32, path: &str) -> io::Result<()> {
    let path = CString::new(path)?;
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
            dir,
            path.as_ptr(),
            AT_RECURSIVE | AT_EMPTY_PATH,
            &wanted,
            size_of::<MountAttributes>(),
        )
    };
    check(done).map(drop)
}

/// A detached copy of what is mounted at a path and below it.
fn clone_tree(path: &Path) -> io::Result<OwnedFd> {
    let path = c_path(path)?;
    // SAFETY: a C string.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_open_tree,
            libc::AT_FDCWD,
            path.as_ptr(),
            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE,
        )
    };
    // SAFETY: the kernel just gave us this descriptor.
    check(fd).map(|fd| unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Puts a detached tree where it was, making the place if a private directory covers it.
fn place(path: &Path, tree: &OwnedFd) -> io::Result<()> {
    if fs::symlink_metadata(path).is_err() {
        let parent = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent)?;
        // SAFETY: fstat fills the zeroed structure or fails.
        let stat = unsafe {
            let mut stat: libc::stat = std::mem::zeroed();
            check(libc::fstat(tree.as_raw_fd(), &mut stat).into())?;
            stat
        };
        if stat.st_mode & libc::S_IFMT == libc::S_IFDIR {
            fs::create_dir(path)?;
        } else {
            fs::write(path, b"")?;
        }
    }
    let path = c_path(path)?;
    // SAFETY: C strings.
    let done = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    check(done).map(drop)
}
