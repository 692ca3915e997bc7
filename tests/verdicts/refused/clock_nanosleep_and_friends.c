// Usual calls are not refused.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timeval tv;
    struct rlimit limit;
    struct stat st;
    gettimeofday(&tv, 0);
    getrlimit(RLIMIT_NOFILE, &limit);
    umask(022);
    usleep(10);
    return stat("/", &st) || isatty(7) || getpid() <= 0 || time(0) < 0;
}
