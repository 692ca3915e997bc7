//! Filters of system calls (seccomp): what neither namespaces nor Landlock's rules keep from the host. A call that is refused fails
//! with EPERM, as in a container; nothing but numbers can be compared, so that a path or an address of a socket cannot be asked for.

use std::io;

/// Behind either fence: services of the host, and parts of the kernel that no test needs and that go past these filters.
const BOTH: &[libc::c_long] = &[
    // Keys of the host's users: there are no namespaces for them.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Its operations are not seen by a filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_open_by_handle_at,
];

/// What Landlock lets pass.
const RULED: &[libc::c_long] = &[
    // Files of others, and a program's own, since a filter cannot read paths.
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
    469, // file_setattr
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
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    // Memory, messages and locks that stay when the program has ended.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Other processes of the user.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_ioprio_set,
];

/// Calls that may name another process by their first argument: 0 is the caller.
const OF_A_PROCESS: &[libc::c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
];

/// Offsets in `struct seccomp_data`. (The lower halves of the first two arguments.)
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST: u32 = 16;
const SECOND: u32 = 24;
const SECOND_HIGH: u32 = 28;
const AUDIT_ARCH_X86_64: u32 = 0xC000_003E;
/// Set in the numbers of the x32 way of calling.
const X32: u32 = 0x4000_0000;
/// `CLONE_NEWUSER`: all rights, in a namespace of one's own.
const NEW_USER: u32 = 0x1000_0000;

const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// If the number is equal, the next `jt` steps are left out, else the next `jf`.
const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const AT_LEAST: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
const HAS_BITS: u32 = libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K;

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

/// A filter that is ready to be entered.
#[derive(Debug)]
pub(crate) struct Filter(Vec<libc::sock_filter>);

impl Filter {
    /// With namespaces.
    pub fn beside_namespaces() -> Filter {
        let mut filter = Filter::new();
        // The socket of a service has a path, which leads there from a read-only file system, too; the network's namespace has the
        // others.
        filter.unless_first(libc::SYS_socket, |unix| {
            step(EQUAL, 0, unix, libc::AF_UNIX as u32)
        });
        filter.end()
    }

    /// Beside Landlock's rules. With `sets_times` the times of an open file may be set. `truncates`: Landlock knows `truncate`.
    pub fn beside_rules(sets_times: bool, truncates: bool) -> Filter {
        let mut filter = Filter::new();
        if sets_times {
            // Without a path it is the open file (`futimens`).
            filter.0.extend([
                step(EQUAL, 0, 6, libc::SYS_utimensat as u32),
                load(SECOND),
                step(EQUAL, 0, 3, 0),
                load(SECOND_HIGH),
                step(EQUAL, 0, 1, 0),
                give(libc::SECCOMP_RET_ALLOW),
                load(NUMBER),
            ]);
        }
        RULED.iter().for_each(|number| filter.refuse(*number));
        if !truncates {
            filter.refuse(libc::SYS_truncate);
        }
        for number in OF_A_PROCESS {
            filter.unless_first(*number, |other| step(EQUAL, other, 0, 0));
        }
        // The first argument says what the second one numbers: a process (0), which is the caller (0).
        filter.0.extend([
            step(EQUAL, 0, 6, libc::SYS_setpriority as u32),
            load(FIRST),
            step(EQUAL, 0, 2, 0),
            load(SECOND),
            step(EQUAL, 1, 0, 0),
            give(REFUSE),
            load(NUMBER),
        ]);
        filter.end()
    }

    fn new() -> Filter {
        let mut filter = Filter(vec![
            load(ARCHITECTURE),
            step(EQUAL, 1, 0, AUDIT_ARCH_X86_64),
            // Another architecture's numbers would pass by the list.
            give(libc::SECCOMP_RET_KILL_PROCESS),
            load(NUMBER),
            step(AT_LEAST, 0, 1, X32),
            give(REFUSE),
        ]);
        BOTH.iter().for_each(|number| filter.refuse(*number));
        // Its flags lie in memory; libraries then use `clone`.
        filter
            .0
            .extend([step(EQUAL, 0, 1, libc::SYS_clone3 as u32), give(UNKNOWN)]);
        filter.unless_first(libc::SYS_clone, |other| step(HAS_BITS, 0, other, NEW_USER));
        filter
    }

    fn refuse(&mut self, number: libc::c_long) {
        self.0
            .extend([step(EQUAL, 0, 1, number as u32), give(REFUSE)]);
    }

    /// Refuses a call by the lower half of its first argument: `allow` is a step that leaves out so many (1) where it may pass.
    fn unless_first(&mut self, number: libc::c_long, allow: impl Fn(u8) -> libc::sock_filter) {
        self.0.extend([
            step(EQUAL, 0, 4, number as u32),
            load(FIRST),
            allow(1),
            give(REFUSE),
            load(NUMBER),
        ]);
    }

    fn end(mut self) -> Filter {
        self.0.push(give(libc::SECCOMP_RET_ALLOW));
        self
    }

    /// Puts this process and all that it starts behind the filter. Makes system calls only.
    pub fn enter(&self) -> io::Result<()> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.0.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
            filter: self.0.as_ptr().cast_mut(),
        };
        rustix::thread::set_no_new_privs(true)?;
        // SAFETY: numbers, and a program that lives during the call, which only reads it.
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
}
