/* Tries to do to the host what a program under test must not be able to do. The first byte of standard input says what: each attempt is a
 * path of its own. The machine's world is not the host's, which the program notices by a file: there nothing is tried and the program ends
 * with 0. Natively it ends with 0 if everything failed, else with the number of the attempt.
 *
 * Names and numbers of what it attacks are in the file that ESCAPE names, one in each line (see `crates/cli/tests/escape.rs`). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

static char lines[16][256];
#define VICTIM lines[0]    /* a file */
#define DIRECTORY lines[1] /* a directory with a file `kept` */
#define SECRET lines[2]    /* a file in the user's home */
#define SOCKET lines[3]    /* a server's socket */
#define AGENT lines[4]     /* the same in the user's home */
#define ABSTRACT lines[5]  /* the same without a file */
#define MARK lines[6]      /* the name of what must not stay in /tmp, and the seconds that a process would stay */
static int pid, tcp, udp, key;

static int read_lines(void) {
    FILE *f = fopen(getenv("ESCAPE") ? getenv("ESCAPE") : "/nothing", "r");
    if (!f) return 0;
    int n = 0;
    while (n < 16 && fgets(lines[n], sizeof lines[n], f)) {
        lines[n][strcspn(lines[n], "\n")] = 0;
        n++;
    }
    fclose(f);
    pid = atoi(lines[7]), tcp = atoi(lines[8]), udp = atoi(lines[9]), key = atoi(lines[10]);
    return n >= 11;
}

static char *joined(const char *a, const char *b) {
    static char text[4][600];
    static int n;
    char *out = text[n++ % 4];
    snprintf(out, 600, "%s%s", a, b);
    return out;
}

static int can_open(const char *name, int flags) {
    int fd = open(name, flags | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static int writes(void) {
    int fd = open(VICTIM, O_WRONLY | O_APPEND);
    if (fd >= 0) return write(fd, "!", 1) || 1;
    return truncate(VICTIM, 1) == 0 || unlink(VICTIM) == 0 || rename(VICTIM, joined(VICTIM, ".moved")) == 0 ||
           link(VICTIM, joined(VICTIM, ".link")) == 0 || chmod(VICTIM, 0777) == 0 || chown(VICTIM, getuid(), getgid()) == 0 ||
           utime(VICTIM, 0) == 0 || syscall(SYS_setxattr, VICTIM, "user.x", "y", 1, 0) == 0 ||
           can_open(joined(VICTIM, ".new"), O_WRONLY | O_CREAT) || mkdir(joined(VICTIM, ".dir"), 0700) == 0 ||
           mkfifo(joined(VICTIM, ".fifo"), 0600) == 0 || symlink("x", joined(VICTIM, ".symlink")) == 0;
}

static int reads_secret(void) {
    return can_open(SECRET, O_RDONLY);
}

static int signals(void) {
    return kill(pid, SIGWINCH) == 0 || syscall(SYS_tkill, pid, SIGWINCH) == 0 || syscall(SYS_pidfd_send_signal, -1, 0, 0, 0) == 0;
}

static int connects(int family, const void *address, socklen_t length, int type) {
    int fd = socket(family, type, 0);
    int works = fd >= 0 && connect(fd, address, length) == 0 && write(fd, "x", 1) == 1;
    if (fd >= 0) close(fd);
    return works;
}

static int on_network(int type, int port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return connects(AF_INET, &a, sizeof a, type);
}

static int by_name(const char *name, int is_abstract) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length > sizeof a.sun_path - 2) return 1;
    memcpy(a.sun_path + is_abstract, name, length);
    return connects(AF_UNIX, &a, offsetof(struct sockaddr_un, sun_path) + length + 1, SOCK_STREAM);
}

static int fills(void) {
    /* As many files as may be, each as large as may be; what stops it is not this program's to see. */
    static char block[1 << 20];
    memset(block, 'x', sizeof block);
    char name[32];
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "fill%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0) return 0;
        while (write(fd, block, sizeof block) == sizeof block) {}
        close(fd);
        if (errno == ENOSPC) return 0;
    }
    return 1;
}

static int stays(void) {
    /* The test looks for it afterwards. */
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) {
            signal(SIGHUP, SIG_IGN), signal(SIGTERM, SIG_IGN);
            execl("/bin/sleep", "sleep", MARK, (char *)0);
        }
        _exit(0);
    }
    waitpid(child, 0, 0);
    return 0;
}

static int traces(void) {
    char text[64];
    struct iovec local = {text, 8}, remote = {(void *)0x10000, 8};
    snprintf(text, sizeof text, "/proc/%d/mem", pid);
    if (can_open(text, O_RDWR) || can_open(text, O_RDONLY)) return 1;
    snprintf(text, sizeof text, "/proc/%d/environ", pid);
    if (can_open(text, O_RDONLY)) return 1;
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0) return 1;
    long n = syscall(SYS_process_vm_writev, pid, &local, 1, &remote, 1, 0);
    if (n >= 0 || errno == EFAULT) return 1;
    n = syscall(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);
    return n >= 0 || errno == EFAULT || syscall(SYS_kcmp, getpid(), pid, 0, 0, 0) >= 0;
}

static int mounts(void) {
    if (mount("tmpfs", "/mnt", "tmpfs", 0, 0) == 0 || mount("/tmp", "/mnt", 0, MS_BIND, 0) == 0) return 1;
    if (umount2("/tmp", MNT_DETACH) == 0 || chroot("/tmp") == 0) return 1;
    if (mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0) == 0) return 1;
    if (unshare(CLONE_NEWUSER) == 0) return 1;
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) return 1;
    unsigned long long arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
    child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    return child > 0;
}

static int agent(void) {
    return getenv("SSH_AUTH_SOCK") != 0 || by_name(AGENT, 0);
}

static int messages(void) {
    return syscall(SYS_shmget, key, 0, 0) >= 0 || syscall(SYS_semget, key, 0, 0) >= 0 || syscall(SYS_msgget, key, 0) >= 0 ||
           syscall(SYS_mq_open, joined("", MARK), O_RDWR, 0, 0) >= 0;
}

static int leaves_messages(void) {
    /* With namespaces these work, and go. */
    syscall(SYS_shmget, key + 1, 4096, 01600), syscall(SYS_semget, key + 1, 1, 01600), syscall(SYS_msgget, key + 1, 01600);
    int queue = syscall(SYS_mq_open, joined(MARK, "-made"), O_RDWR | O_CREAT, 0600, 0);
    if (queue >= 0) close(queue);
    return 0;
}

static int keys(void) {
    return syscall(SYS_keyctl, 0, -4, 1) >= 0 || syscall(SYS_add_key, "user", "escape", "x", 1L, -4) >= 0 ||
           syscall(SYS_request_key, "user", "escape", 0, -4) >= 0;
}

static int inherited(void) {
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) return 1;
    return 0;
}

static int by_proc(void) {
    static const char *const forms[] = {"/proc/self/fd/%d", "/proc/%d/cwd", "/proc/%d/root", "/proc/%d/exe"};
    char name[64];
    for (int fd = 3; fd < 1024; fd++) {
        snprintf(name, sizeof name, forms[0], fd);
        if (can_open(name, O_RDONLY) || can_open(name, O_WRONLY)) return 1;
    }
    for (int i = 1; i < 4; i++) {
        snprintf(name, sizeof name, forms[i], pid);
        if (can_open(name, O_RDONLY)) return 1;
    }
    snprintf(name, sizeof name, "/proc/%d/mem", getppid());
    return can_open(name, O_RDWR);
}

static int kernel(void) {
    char nothing[256] = {0};
    return syscall(SYS_io_uring_setup, 1, nothing) >= 0 || syscall(SYS_userfaultfd, 1) >= 0 || syscall(SYS_bpf, 0, nothing, 64) >= 0 ||
           syscall(SYS_perf_event_open, nothing, 0, -1, -1, 0) >= 0 || syscall(SYS_open_by_handle_at, AT_FDCWD, nothing, 0) >= 0;
}

static int terminal(void) {
    char x = 'x';
    for (int fd = 0; fd < 3; fd++)
        if (ioctl(fd, TIOCSTI, &x) == 0) return 1;
    if (can_open("/dev/tty", O_RDWR)) return 1;
    DIR *all = opendir("/dev/pts");
    int works = 0;
    for (struct dirent *e; all && (e = readdir(all));)
        if (e->d_name[0] != '.' && (can_open(joined("/dev/pts/", e->d_name), O_RDONLY) || can_open(joined("/dev/pts/", e->d_name), O_WRONLY)))
            works = 1;
    if (all) closedir(all);
    return works;
}

static int rights(void) {
    /* (A user without rights cannot even give some up; then it has none to get, either.) */
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || (geteuid() == 0 && prctl(PR_CAPBSET_READ, 21, 0, 0, 0) != 0)) return 1;
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "CapPrm:", 7) && strtoull(line + 7, 0, 16) != 0) return 1;
    if (!status) return 1;
    fclose(status);
    return setuid(0) == 0 && getuid() == 0 && can_open("/etc/shadow", O_WRONLY);
}

static int priority(void) {
    struct sched_param p = {1};
    struct rlimit none = {0, 0}, *no = 0;
    if (setpriority(PRIO_PROCESS, 0, -5) == 0 || syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &p) == 0) return 1;
    if (setpriority(PRIO_PROCESS, pid, 5) == 0 || syscall(SYS_prlimit64, pid, RLIMIT_CORE, &none, no) == 0) return 1;
    unsigned long one[16] = {1};
    return syscall(SYS_sched_setaffinity, pid, sizeof one, one) == 0;
}

static int core(void) {
    struct rlimit all = {1 << 20, 1 << 20}, now;
    if (setrlimit(RLIMIT_CORE, &all) == 0) return 1;
    getrlimit(RLIMIT_CORE, &now);
    pid_t child = fork();
    if (child == 0) abort();
    int status = 0;
    waitpid(child, &status, 0);
    return now.rlim_max != 0 || WCOREDUMP(status);
}

static int links(void) {
    /* What is removed after the test, and read as its output, is not where these lead. */
    char here[512];
    if (!getcwd(here, sizeof here)) return 1;
    if (symlink(DIRECTORY, "link") == 0 && can_open("link/made", O_WRONLY | O_CREAT)) return 1;
    if (rename(DIRECTORY, "mine") == 0 || link(joined(DIRECTORY, "/kept"), "mine") == 0) return 1;
    mkdir("deep", 0700), mkdir("deep/er", 0700), symlink(DIRECTORY, "deep/er/link"), chmod("deep/er", 0);
    if (chdir("/") == 0 && rename(here, joined(here, ".old")) == 0) symlink(DIRECTORY, here);
    for (int i = 0; i < 2; i++) here[strrchr(here, '/') - here] = 0;
    rename(joined(here, "/own"), joined(here, "/old"));
    symlink(DIRECTORY, joined(here, "/own"));
    symlink(DIRECTORY, joined(here, "/home.new"));
    return 0;
}

static int devices(void) {
    static const char *const names[] = {"/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm", "/dev/net/tun"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (can_open(names[i], O_RDONLY) || can_open(names[i], O_WRONLY)) return 1;
    return mknod("disk", S_IFBLK | 0600, 254 << 8) == 0;
}

static int settings(void) {
    struct { long seconds, nanoseconds; } then = {0, 0};
    return can_open("/proc/sys/kernel/core_pattern", O_WRONLY) || can_open("/proc/sys/vm/drop_caches", O_WRONLY) ||
           can_open("/proc/sysrq-trigger", O_WRONLY) || can_open("/sys/power/state", O_WRONLY) || sethostname("x", 1) == 0 ||
           syscall(SYS_clock_settime, 0, &then) == 0 || can_open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
}

static int leaves(void) {
    /* With namespaces these are its own, and go; the test looks for them. */
    static const char *const places[] = {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/", "/"};
    for (int i = 0; i < 5; i++) can_open(joined(places[i], MARK), O_WRONLY | O_CREAT);
    return 0;
}

static int (*const attempts[])(void) = {
    writes,   reads_secret, signals, 0,    0,         0,      0,      stays,    traces,   mounts, agent,  messages, leaves_messages,
    keys,     inherited,    by_proc, kernel, terminal, rights, priority, core,   devices,  settings, leaves, links,    fills,
};
enum { COUNT = sizeof attempts / sizeof *attempts };

static int attempt(int i) {
    switch (i) {
        case 3: return on_network(SOCK_STREAM, tcp);
        case 4: return on_network(SOCK_DGRAM, udp);
        case 5: return by_name(SOCKET, 0);
        case 6: return by_name(ABSTRACT, 1);
        default: return attempts[i]();
    }
}

int main(void) {
    int which = getchar() - 'a', n = 0;
    /* One path for each. */
    for (int i = 0; i < COUNT; i++)
        if (which == i) n = i + 1;
    int is_native = access("/usr/bin/env", X_OK) == 0;
    if (is_native && !read_lines()) return 99;
    if (n && is_native && attempt(n - 1)) return n;
    if (which == -1) {
        /* An error, for the builds that confirm it; they try everything that is quick. */
        for (int i = 0; is_native && i < COUNT - 2; i++)
            if (attempt(i)) _exit(i + 1);
        char *a = malloc(8);
        free(a);
        return a[n & 7];
    }
    return 0;
}
