//! System call numbers, names and handlers: the one table.
//!
//! To add a call: write a handler `fn(&mut Call) -> Outcome` in the file of its family (under
//! `calls/`, or signals, time, process), give its row here the handler, and add it to the sequence
//! generator of `tests/kernel` when the real kernel can be asked the same. A handler first
//! reads its arguments and asks what it must (`arg`, `path`, `ask`), then writes the program's
//! memory, then changes the world. A row `refuse ERRNO` answers a call that we do not model, and
//! notes its name; use the errno of a kernel without that feature. A number without a row is
//! answered ENOSYS in the same way.

use crate::abi::*;
use crate::bytes::Arg;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::calls::{attributes, control, directory, io, memory, names, offset, open, poll, status};
use crate::{identity, process, signals, time};

macro_rules! calls {
    ($($number:literal $name:ident $kind:ident $handler:path;)*) => {
        /// The name of a system call, or `"syscall"` for a number that is not in the table.
        pub fn syscall_name(nr: u64) -> &'static str {
            match nr {
                $($number => stringify!($name),)*
                _ => "syscall",
            }
        }

        /// Whether a call has a handler.
        pub fn modelled(nr: u64) -> bool {
            match nr {
                $($number => calls!(@modelled $kind),)*
                _ => false,
            }
        }

        pub(crate) fn run(nr: u64, call: &mut Call<'_>) -> CallResult {
            match nr {
                $($number => calls!(@run $kind $handler, call, $name),)*
                _ => refuse(call, &format!("system call {nr}"), ENOSYS),
            }
        }
    };
    (@modelled is) => { true };
    (@modelled refuse) => { false };
    (@run is $handler:path, $call:ident, $name:ident) => { $handler($call) };
    (@run refuse $errno:path, $call:ident, $name:ident) => { refuse($call, stringify!($name), $errno) };
}

/// The argument that is the name of a file, in calls that look one up and fail where there is none.
pub(crate) fn looks_up(nr: u64) -> Option<usize> {
    match syscall_name(nr) {
        "open" | "stat" | "lstat" | "access" | "chdir" | "readlink" | "statfs" | "truncate"
        | "unlink" | "rename" | "rmdir" | "link" | "chmod" | "chown" | "lchown" | "utime"
        | "utimes" | "execve" | "chroot" | "umount2" | "getxattr" | "lgetxattr" | "setxattr"
        | "lsetxattr" | "listxattr" | "llistxattr" | "removexattr" | "lremovexattr" => Some(0),
        "openat" | "newfstatat" | "faccessat" | "faccessat2" | "readlinkat" | "statx"
        | "unlinkat" | "renameat" | "renameat2" | "linkat" | "fchmodat" | "fchownat"
        | "utimensat" | "mount" => Some(1),
        _ => None,
    }
}

fn refuse(call: &mut Call<'_>, name: &str, errno: i32) -> CallResult {
    call.note_unmodelled(name);
    Err(EarlyReturn::Errno(errno))
}

calls! {
    0 read is io::read;
    1 write is io::write;
    2 open is open::open;
    3 close is open::close;
    4 stat is status::stat;
    5 fstat is status::fstat;
    6 lstat is status::lstat;
    7 poll is poll::poll;
    8 lseek is offset::lseek;
    9 mmap is memory::mmap;
    10 mprotect is memory::mprotect;
    11 munmap is memory::munmap;
    12 brk is memory::brk;
    13 rt_sigaction is signals::rt_sigaction;
    14 rt_sigprocmask is signals::rt_sigprocmask;
    15 rt_sigreturn refuse ENOSYS;
    16 ioctl is control::ioctl;
    17 pread64 is io::pread64;
    18 pwrite64 is io::pwrite64;
    19 readv is io::readv;
    20 writev is io::writev;
    21 access is status::access;
    22 pipe is open::pipe;
    23 select is poll::select;
    24 sched_yield is process::nothing;
    25 mremap is memory::mremap;
    26 msync is memory::msync;
    27 mincore refuse ENOSYS;
    28 madvise is memory::madvise;
    29 shmget refuse ENOSYS;
    30 shmat refuse ENOSYS;
    31 shmctl refuse ENOSYS;
    32 dup is open::dup;
    33 dup2 is open::dup2;
    34 pause is signals::pause;
    35 nanosleep is time::nanosleep;
    36 getitimer is time::getitimer;
    37 alarm is time::alarm;
    38 setitimer is time::setitimer;
    39 getpid is process::getpid;
    40 sendfile is offset::sendfile;
    41 socket refuse EAFNOSUPPORT;
    42 connect refuse ENOTSOCK;
    43 accept refuse ENOTSOCK;
    44 sendto refuse ENOTSOCK;
    45 recvfrom refuse ENOTSOCK;
    46 sendmsg refuse ENOTSOCK;
    47 recvmsg refuse ENOTSOCK;
    48 shutdown refuse ENOTSOCK;
    49 bind refuse ENOTSOCK;
    50 listen refuse ENOTSOCK;
    51 getsockname refuse ENOTSOCK;
    52 getpeername refuse ENOTSOCK;
    53 socketpair refuse EAFNOSUPPORT;
    54 setsockopt refuse ENOTSOCK;
    55 getsockopt refuse ENOTSOCK;
    56 clone is process::fork;
    57 fork is process::fork;
    58 vfork is process::fork;
    59 execve is process::execve;
    60 exit is process::exit;
    61 wait4 is process::wait4;
    62 kill is signals::kill;
    63 uname is process::uname;
    64 semget refuse ENOSYS;
    65 semop refuse ENOSYS;
    66 semctl refuse ENOSYS;
    67 shmdt refuse ENOSYS;
    68 msgget refuse ENOSYS;
    69 msgsnd refuse ENOSYS;
    70 msgrcv refuse ENOSYS;
    71 msgctl refuse ENOSYS;
    72 fcntl is control::fcntl;
    73 flock is control::flock;
    74 fsync is offset::fsync;
    75 fdatasync is offset::fsync;
    76 truncate is attributes::truncate;
    77 ftruncate is attributes::ftruncate;
    78 getdents refuse ENOSYS;
    79 getcwd is directory::getcwd;
    80 chdir is directory::chdir;
    81 fchdir is directory::fchdir;
    82 rename is names::rename;
    83 mkdir is names::mkdir;
    84 rmdir is names::rmdir;
    85 creat is open::creat;
    86 link is names::link;
    87 unlink is names::unlink;
    88 symlink is names::symlink;
    89 readlink is status::readlink;
    90 chmod is attributes::chmod;
    91 fchmod is attributes::fchmod;
    92 chown is attributes::chown;
    93 fchown is attributes::fchown;
    94 lchown is attributes::lchown;
    95 umask is process::umask;
    96 gettimeofday is time::gettimeofday;
    97 getrlimit is process::getrlimit;
    98 getrusage is process::getrusage;
    99 sysinfo is process::sysinfo;
    100 times is time::times;
    101 ptrace refuse EPERM;
    102 getuid is identity::getuid;
    103 syslog refuse EPERM;
    104 getgid is identity::getgid;
    105 setuid is identity::setuid;
    106 setgid is identity::setgid;
    107 geteuid is identity::geteuid;
    108 getegid is identity::getegid;
    109 setpgid is process::setpgid;
    110 getppid is process::getppid;
    111 getpgrp is process::getpgrp;
    112 setsid is process::setsid;
    113 setreuid is identity::setreuid;
    114 setregid is identity::setregid;
    115 getgroups is identity::getgroups;
    116 setgroups is identity::setgroups;
    117 setresuid is identity::setresuid;
    118 getresuid is identity::getresuid;
    119 setresgid is identity::setresgid;
    120 getresgid is identity::getresgid;
    121 getpgid is process::getpgid;
    122 setfsuid is identity::setfsuid;
    123 setfsgid is identity::setfsgid;
    124 getsid is process::getsid;
    125 capget refuse ENOSYS;
    126 capset refuse ENOSYS;
    127 rt_sigpending is signals::rt_sigpending;
    128 rt_sigtimedwait is signals::rt_sigtimedwait;
    129 rt_sigqueueinfo is signals::rt_sigqueueinfo;
    130 rt_sigsuspend is signals::rt_sigsuspend;
    131 sigaltstack is signals::sigaltstack;
    132 utime is attributes::utime;
    133 mknod is names::mknod;
    135 personality is process::personality;
    137 statfs is status::statfs;
    138 fstatfs is status::fstatfs;
    140 getpriority is process::getpriority;
    141 setpriority is process::setpriority;
    142 sched_setparam refuse EPERM;
    143 sched_getparam refuse ENOSYS;
    144 sched_setscheduler refuse EPERM;
    145 sched_getscheduler is process::sched_getscheduler;
    146 sched_get_priority_max is process::sched_get_priority_max;
    147 sched_get_priority_min is process::sched_get_priority_min;
    148 sched_rr_get_interval refuse ENOSYS;
    149 mlock is memory::mlock;
    150 munlock is memory::munlock;
    151 mlockall is memory::mlockall;
    152 munlockall is memory::munlockall;
    153 vhangup is process::vhangup;
    155 pivot_root refuse EPERM;
    157 prctl is process::prctl;
    158 arch_prctl is process::arch_prctl;
    159 adjtimex refuse EPERM;
    160 setrlimit is process::setrlimit;
    161 chroot is process::chroot;
    162 sync is process::nothing;
    163 acct is process::acct;
    164 settimeofday is time::settimeofday;
    165 mount is process::mount;
    166 umount2 is process::umount2;
    167 swapon is process::swapon;
    168 swapoff is process::swapoff;
    169 reboot is process::reboot;
    170 sethostname is process::sethostname;
    171 setdomainname is process::setdomainname;
    172 iopl refuse EPERM;
    173 ioperm refuse EPERM;
    175 init_module refuse EPERM;
    176 delete_module refuse EPERM;
    179 quotactl refuse EPERM;
    186 gettid is process::getpid;
    187 readahead is offset::readahead;
    188 setxattr is attributes::no_attributes_of_path;
    189 lsetxattr is attributes::no_attributes_of_link;
    190 fsetxattr is attributes::no_attributes_of_descriptor;
    191 getxattr is attributes::no_attributes_of_path;
    192 lgetxattr is attributes::no_attributes_of_link;
    193 fgetxattr is attributes::no_attributes_of_descriptor;
    194 listxattr is attributes::no_attributes_of_path;
    195 llistxattr is attributes::no_attributes_of_link;
    196 flistxattr is attributes::no_attributes_of_descriptor;
    197 removexattr is attributes::no_attributes_of_path;
    198 lremovexattr is attributes::no_attributes_of_link;
    199 fremovexattr is attributes::no_attributes_of_descriptor;
    200 tkill is signals::tkill;
    201 time is time::time;
    202 futex is process::futex;
    203 sched_setaffinity is process::sched_setaffinity;
    204 sched_getaffinity is process::sched_getaffinity;
    205 set_thread_area refuse ENOSYS;
    213 epoll_create refuse ENOSYS;
    216 remap_file_pages refuse ENOSYS;
    217 getdents64 is directory::getdents64;
    218 set_tid_address is process::set_tid_address;
    220 semtimedop refuse ENOSYS;
    221 fadvise64 is offset::fadvise64;
    222 timer_create refuse ENOSYS;
    223 timer_settime refuse ENOSYS;
    224 timer_gettime refuse ENOSYS;
    225 timer_getoverrun refuse ENOSYS;
    226 timer_delete refuse ENOSYS;
    227 clock_settime is time::clock_settime;
    228 clock_gettime is time::clock_gettime;
    229 clock_getres is time::clock_getres;
    230 clock_nanosleep is time::clock_nanosleep;
    231 exit_group is process::exit;
    232 epoll_wait refuse ENOSYS;
    233 epoll_ctl refuse ENOSYS;
    234 tgkill is signals::tgkill;
    235 utimes is attributes::utimes;
    240 mq_open refuse ENOSYS;
    241 mq_unlink refuse ENOSYS;
    242 mq_timedsend refuse EBADF;
    243 mq_timedreceive refuse EBADF;
    244 mq_notify refuse EBADF;
    245 mq_getsetattr refuse EBADF;
    247 waitid is process::waitid;
    253 inotify_init refuse ENOSYS;
    254 inotify_add_watch refuse ENOSYS;
    255 inotify_rm_watch refuse ENOSYS;
    257 openat is open::openat;
    258 mkdirat is names::mkdirat;
    259 mknodat is names::mknodat;
    260 fchownat is attributes::fchownat;
    261 futimesat is attributes::futimesat;
    262 newfstatat is status::newfstatat;
    263 unlinkat is names::unlinkat;
    264 renameat is names::renameat;
    265 linkat is names::linkat;
    266 symlinkat is names::symlinkat;
    267 readlinkat is status::readlinkat;
    268 fchmodat is attributes::fchmodat;
    269 faccessat is status::faccessat;
    270 pselect6 is poll::pselect6;
    271 ppoll is poll::ppoll;
    272 unshare refuse EPERM;
    273 set_robust_list is process::set_robust_list;
    274 get_robust_list refuse ENOSYS;
    275 splice refuse EINVAL;
    276 tee refuse EINVAL;
    277 sync_file_range is offset::sync_file_range;
    278 vmsplice refuse EINVAL;
    280 utimensat is attributes::utimensat;
    281 epoll_pwait refuse ENOSYS;
    282 signalfd refuse ENOSYS;
    283 timerfd_create refuse ENOSYS;
    284 eventfd refuse ENOSYS;
    285 fallocate is attributes::fallocate;
    286 timerfd_settime refuse ENOSYS;
    287 timerfd_gettime refuse ENOSYS;
    288 accept4 refuse ENOTSOCK;
    289 signalfd4 refuse ENOSYS;
    290 eventfd2 refuse ENOSYS;
    291 epoll_create1 refuse ENOSYS;
    292 dup3 is open::dup3;
    293 pipe2 is open::pipe2;
    294 inotify_init1 refuse ENOSYS;
    295 preadv is io::preadv;
    296 pwritev is io::pwritev;
    299 recvmmsg refuse ENOTSOCK;
    300 fanotify_init refuse EPERM;
    301 fanotify_mark refuse EBADF;
    302 prlimit64 is process::prlimit64;
    303 name_to_handle_at refuse EOPNOTSUPP;
    304 open_by_handle_at refuse EPERM;
    305 clock_adjtime refuse EPERM;
    306 syncfs is offset::syncfs;
    307 sendmmsg refuse ENOTSOCK;
    308 setns refuse EPERM;
    309 getcpu is process::getcpu;
    310 process_vm_readv refuse EPERM;
    311 process_vm_writev refuse EPERM;
    316 renameat2 is names::renameat2;
    317 seccomp refuse EINVAL;
    318 getrandom is process::getrandom;
    319 memfd_create refuse ENOSYS;
    322 execveat is process::execveat;
    324 membarrier refuse ENOSYS;
    325 mlock2 is memory::mlock2;
    326 copy_file_range is offset::copy_file_range;
    327 preadv2 refuse ENOSYS;
    328 pwritev2 refuse ENOSYS;
    332 statx is status::statx;
    334 rseq refuse ENOSYS;
    424 pidfd_send_signal refuse ENOSYS;
    425 io_uring_setup refuse ENOSYS;
    434 pidfd_open refuse ENOSYS;
    435 clone3 is process::fork;
    436 close_range is open::close_range;
    437 openat2 refuse ENOSYS;
    439 faccessat2 is status::faccessat2;
    452 fchmodat2 refuse ENOSYS;
}

/// The error numbers that `--fail-syscalls` explores: for each call the one that a full disk, a
/// broken device, a lost permission or too little memory would give.
pub(crate) fn failures(nr: u64, args: &[Arg; 6]) -> &'static [i32] {
    match syscall_name(nr) {
        "read" | "readv" | "pread64" | "preadv" | "getdents64" => &[EIO],
        "write" | "writev" | "pwrite64" | "pwritev" => &[ENOSPC],
        "open" | "openat" | "creat" => &[EACCES],
        "close" | "fsync" | "fdatasync" | "statfs" | "fstatfs" => &[EIO],
        "stat" | "lstat" | "fstat" | "newfstatat" | "statx" => &[EIO],
        "lseek" => &[ESPIPE],
        "sendfile" => &[EIO],
        "ftruncate" | "truncate" | "fallocate" => &[ENOSPC],
        "chmod" | "fchmod" | "fchmodat" | "chown" | "fchown" | "lchown" | "fchownat" => &[EPERM],
        "utimensat" | "utimes" | "futimesat" | "utime" => &[EPERM],
        "mkdir" | "mkdirat" | "mknod" | "mknodat" | "link" | "linkat" | "symlink" | "symlinkat" => {
            &[ENOSPC]
        }
        "rename" | "renameat" | "renameat2" | "unlink" | "unlinkat" | "rmdir" => &[EACCES],
        "getcwd" | "readlink" | "readlinkat" | "chdir" | "fchdir" => &[EACCES],
        "mmap" | "mremap" => &[ENOMEM],
        "pipe" | "pipe2" | "dup" | "dup2" | "dup3" => &[EMFILE],
        "fcntl" if matches!(args[1].bits as u32, F_DUPFD | F_DUPFD_CLOEXEC) => &[EMFILE],
        "getrandom" => &[ENOSYS],
        _ => &[],
    }
}
