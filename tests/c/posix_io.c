/* File descriptors: pipes, dup, seeks, readv, fcntl, failures. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* One value a call: the order of evaluation of arguments is not defined. */
#define N(e) printf("%lld ", (long long)(e))
int main(void) {
    char buf[32] = {0};
    int p[2];
    N(pipe(p)); puts("");
    N(write(p[1], "through a pipe", 14)); N(read(p[0], buf, 7)); puts("");
    printf("%s|\n", buf);
    memset(buf, 0, sizeof buf);
    close(p[1]);
    N(read(p[0], buf, sizeof buf));
    printf("%s|", buf);
    N(read(p[0], buf, sizeof buf)); puts("");
    close(p[0]);
    int fd = open("posix.tmp", O_RDWR | O_CREAT | O_TRUNC, 0640);
    struct stat st;
    N(fd >= 0); N(write(fd, "0123456789", 10)); N(lseek(fd, 4, SEEK_SET)); puts("");
    int copy = dup(fd);
    N(read(copy, buf, 2));
    printf("%.2s ", buf);
    N(lseek(fd, 0, SEEK_CUR));
    puts("");
    N(pread(fd, buf, 3, 7));
    printf("%.3s\n", buf);
    N(pwrite(fd, "AB", 2, 12)); N(lseek(fd, 0, SEEK_END)); puts("");
    fstat(fd, &st);
    printf("%lld %o\n", (long long)st.st_size, st.st_mode & 0700);
    N(ftruncate(fd, 3)); N(lseek(fd, 0, SEEK_END)); puts("");
    lseek(fd, 0, SEEK_SET);
    char a[2], b[2];
    struct iovec v[2] = {{a, 2}, {b, 2}};
    N(readv(fd, v, 2));
    printf("%.2s %.1s\n", a, b);
    N(fcntl(fd, F_GETFL) & O_ACCMODE); N(fcntl(fd, F_GETFD)); puts("");
    fcntl(fd, F_SETFL, O_APPEND);
    N(!!(fcntl(fd, F_GETFL) & O_APPEND)); puts("");
    close(fd);
    N(write(fd, "x", 1)); N(errno == EBADF); puts("");
    close(copy);
    N(open("posix.tmp", O_CREAT | O_EXCL | O_WRONLY, 0600)); N(errno == EEXIST); puts("");
    N(open("no/such/dir", O_RDONLY)); N(errno == ENOENT); puts("");
    fflush(stdout);
    int saved = dup(1), file = open("posix.tmp", O_WRONLY | O_TRUNC);
    dup2(file, 1);
    printf("redirected\n");
    fflush(stdout);
    dup2(saved, 1);
    close(file);
    file = open("posix.tmp", O_RDONLY);
    N(read(file, buf, sizeof buf)); puts("");
    close(file);
    N(isatty(99)); N(symlink("posix.tmp", "posix.link")); puts("");
    N(readlink("posix.link", buf, sizeof buf));
    printf("%.5s ", buf);
    N(lstat("posix.link", &st));
    N(S_ISLNK(st.st_mode)); puts("");
    unlink("posix.link");
    unlink("posix.tmp");
    return 3;
}
