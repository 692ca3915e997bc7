/* _FORTIFY_SOURCE: system calls that fill a buffer. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    FITS(n, room);
    return read(fd, to, n);
}

ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
    FITS(n, room);
    return pread(fd, to, n, at);
}

ssize_t __pread64_chk(int fd, void *to, size_t n, off_t at, size_t room) { return __pread_chk(fd, to, n, at, room); }

ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
    FITS(n, room);
    return recv(fd, to, n, flags);
}

ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from, socklen_t *length)
{
    FITS(n, room);
    return recvfrom(fd, to, n, flags, from, length);
}

ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room)
{
    FITS(n, room);
    return readlink(path, to, n);
}

ssize_t __readlinkat_chk(int fd, const char *path, char *to, size_t n, size_t room)
{
    FITS(n, room);
    return readlinkat(fd, path, to, n);
}

char *__getcwd_chk(char *to, size_t n, size_t room)
{
    if (to) FITS(n, room);
    return getcwd(to, n);
}

char *__getwd_chk(char *to, size_t room)
{
    return getcwd(to, room < PATH_MAX ? room : PATH_MAX);
}

char *__realpath_chk(const char *path, char *to, size_t room)
{
    if (to) FITS(PATH_MAX, room);
    return realpath(path, to);
}

size_t __confstr_chk(int name, char *to, size_t n, size_t room)
{
    FITS(n, room);
    return confstr(name, to, n);
}

int __getgroups_chk(int n, gid_t *to, size_t room)
{
    FIT(n < 0 ? 0 : n, sizeof *to, room);
    return getgroups(n, to);
}

int __ttyname_r_chk(int fd, char *to, size_t n, size_t room)
{
    FITS(n, room);
    return ttyname_r(fd, to, n);
}

int __ptsname_r_chk(int fd, char *to, size_t n, size_t room)
{
    FITS(n, room);
    return ptsname_r(fd, to, n);
}

int __getlogin_r_chk(char *to, size_t n, size_t room)
{
    FITS(n, room);
    return getlogin_r(to, n);
}

int __gethostname_chk(char *to, size_t n, size_t room)
{
    FITS(n, room);
    return gethostname(to, n);
}

int __getdomainname_chk(char *to, size_t n, size_t room)
{
    FITS(n, room);
    return getdomainname(to, n);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    FIT(n, sizeof *fds, room);
    return poll(fds, n, timeout);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room)
{
    FIT(n, sizeof *fds, room);
    return ppoll(fds, n, timeout, mask);
}

/* The index of a file descriptor in an fd_set, for FD_SET and friends. */
long __fdelt_chk(long fd)
{
    FITS(fd, FD_SETSIZE - 1);
    return fd / (long)(8 * sizeof(long));
}

long __fdelt_warn(long fd) { return __fdelt_chk(fd); }

/* open without a mode: an error in the program if the flags may create a file. */
static void needs_no_mode(int flags)
{
    int creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    if (creates) __assert_fail("open with O_CREAT or O_TMPFILE has a mode", __FILE__, __LINE__, __func__);
}

int __open_2(const char *path, int flags)
{
    needs_no_mode(flags);
    return open(path, flags);
}

int __open64_2(const char *path, int flags) { return __open_2(path, flags); }

int __openat_2(int fd, const char *path, int flags)
{
    needs_no_mode(flags);
    return openat(fd, path, flags);
}

int __openat64_2(int fd, const char *path, int flags) { return __openat_2(fd, path, flags); }
