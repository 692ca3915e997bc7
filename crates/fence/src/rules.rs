//! The fence where namespaces are not allowed: Landlock (Linux 5.13 and later) keeps programs from writing outside of
//! their directory, and a filter of system calls refuses what Landlock does not control: changes of modes, owners,
//! times and attributes of files (for a program's own files too, since a filter cannot read paths), and sockets.
//! Reading stays free, temporary files in `/tmp` too. Signals to other processes are refused where the kernel can
//! (6.12).
//!
//! Where there are namespaces the filter refuses one thing, keys of the host's users.

use crate::namespaces::DEVICES;
use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::io;
use std::path::Path;

/// The rights of the newest kernel that is known of; what an older one lacks is left out.
const KNOWN: ABI = ABI::V6;

/// Puts this process and all that it starts behind the rules: writing is allowed below these directories, to devices, and
/// to files in /tmp. With `sets_times` the times of an open file may be set. `false`: the kernel has no Landlock.
pub(crate) fn enter(writable: &[&Path], sets_times: bool) -> Result<bool, String> {
    let status = landlock_rules(writable).map_err(|e| format!("Landlock: {e}"))?;
    filter(sets_times).map_err(|e| format!("seccomp: {e}"))?;
    Ok(status != RulesetStatus::NotEnforced)
}

#[derive(Debug)]
enum RuleFault {
    Rules(RulesetError),
    Path(PathFdError),
}

impl std::fmt::Display for RuleFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RuleFault::Rules(e) => e.fmt(f),
            RuleFault::Path(e) => e.fmt(f),
        }
    }
}

impl From<RulesetError> for RuleFault {
    fn from(e: RulesetError) -> RuleFault {
        RuleFault::Rules(e)
    }
}

impl From<PathFdError> for RuleFault {
    fn from(e: PathFdError) -> RuleFault {
        RuleFault::Path(e)
    }
}

fn landlock_rules(writable: &[&Path]) -> Result<RulesetStatus, RuleFault> {
    let write = AccessFs::from_write(KNOWN);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write)?
        .scope(Scope::Signal)?
        .create()?;
    for dir in writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(dir)?, write))?;
    }
    for device in DEVICES.iter().filter(|d| Path::new(d).exists()) {
        let use_it = AccessFs::WriteFile | AccessFs::IoctlDev;
        rules = rules.add_rule(PathBeneath::new(PathFd::new(device)?, use_it))?;
    }
    if Path::new("/tmp").is_dir() {
        // tmpfile and mkstemp; directories stay.
        let files =
            AccessFs::MakeReg | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::RemoveFile;
        rules = rules.add_rule(PathBeneath::new(PathFd::new("/tmp")?, files))?;
    }
    // Sets no_new_privs, which the filter needs, too.
    Ok(rules.restrict_self()?.ruleset)
}

/// What Landlock lets pass: it fails with EPERM.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    452, // fchmodat2
    libc::SYS_chown,
    libc::SYS_fchown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    463, // setxattrat
    466, // removexattrat
    // Network, and services of the host.
    libc::SYS_socket,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_ptrace,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
];

/// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
/// The halves of the second argument.
const SECOND: [u32; 2] = [24, 28];
const AUDIT_ARCH_X86_64: u32 = 0xC000_003E;
/// Set in the numbers of the x32 way of calling.
const X32: u32 = 0x4000_0000;

/// The system calls of keyrings, which are the host's behind either fence; of the other way of calling, too.
const KEYS: [u32; 3] = [
    libc::SYS_add_key as u32,
    libc::SYS_request_key as u32,
    libc::SYS_keyctl as u32,
];
const KEYS_OF_I386: [u32; 3] = [286, 287, 288];
const AUDIT_ARCH_I386: u32 = 0x4000_0003;

fn step(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    let code = code as u16;
    libc::sock_filter { code, jt, jf, k }
}

fn load(at: u32) -> libc::sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, at)
}

fn give(what: u32) -> libc::sock_filter {
    step(libc::BPF_RET | libc::BPF_K, 0, 0, what)
}

/// If the number is equal, the next `jt` steps are left out, else the next `jf`.
const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

/// With namespaces: there are none for keyrings.
pub(crate) fn refuse_keys() -> io::Result<()> {
    let refused = |numbers: &[u32]| -> Vec<libc::sock_filter> {
        let each = numbers.iter();
        let each = each.flat_map(|number| [step(EQUAL, 0, 1, *number), give(REFUSE)]);
        std::iter::once(load(NUMBER))
            .chain(each)
            .chain([give(libc::SECCOMP_RET_ALLOW)])
            .collect()
    };
    let other = refused(&KEYS_OF_I386);
    let over = u8::try_from(other.len()).map_err(io::Error::other)?;
    let mut program = vec![load(ARCHITECTURE), step(EQUAL, 0, over, AUDIT_ARCH_I386)];
    program.extend(other);
    let all: Vec<u32> = KEYS.iter().flat_map(|n| [*n, n | X32]).collect();
    program.extend(refused(&all));
    install(program)
}

fn filter(sets_times: bool) -> io::Result<()> {
    let (equal, refuse) = (EQUAL, REFUSE);
    let mut program = vec![
        load(ARCHITECTURE),
        step(equal, 1, 0, AUDIT_ARCH_X86_64),
        // Another architecture's numbers would pass by the list.
        give(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        give(refuse),
    ];
    if sets_times {
        // Without a path it is the open file (`futimens`).
        program.push(step(equal, 0, 5, libc::SYS_utimensat as u32));
        program.push(load(SECOND[0]));
        program.push(step(equal, 0, 3, 0));
        program.push(load(SECOND[1]));
        program.push(step(equal, 0, 1, 0));
        program.push(give(libc::SECCOMP_RET_ALLOW));
        program.push(load(NUMBER));
    }
    for &number in REFUSED {
        program.push(step(equal, 0, 1, number as u32));
        program.push(give(refuse));
    }
    program.push(give(libc::SECCOMP_RET_ALLOW));
    install(program)
}

/// Puts this process and all that it starts behind the filter.
fn install(mut program: Vec<libc::sock_filter>) -> io::Result<()> {
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog {
        len: length,
        filter: program.as_mut_ptr(),
    };
    rustix::thread::set_no_new_privs(true)?;
    // SAFETY: numbers, and a program that lives during the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0,
            &program,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
