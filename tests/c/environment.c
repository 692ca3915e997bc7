/* Arguments, environment, time arithmetic, limits of the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    printf("%d %d\n", argc, argv[argc] == NULL);
    printf("%d\n", getenv("NO_SUCH_VARIABLE") == NULL);
    setenv("MINE", "value", 1);
    setenv("MINE", "other", 0);
    putenv("PUT=this");
    printf("%s %s\n", getenv("MINE"), getenv("PUT"));
    unsetenv("MINE");
    printf("%d\n", getenv("MINE") == NULL);
    time_t t = 1000000000;
    struct tm tm = *gmtime(&t);
    char buf[64];
    strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S %a %j", &tm);
    puts(buf);
    tm.tm_mon += 14;
    tm.tm_mday = 31;
    setenv("TZ", "UTC0", 1);
    tzset();
    t = mktime(&tm);
    printf("%lld %s", (long long)t, ctime(&t));
    printf("%d %d\n", time(NULL) > 0, clock() >= 0);
    printf("%d %ld\n", getpid() > 0, sysconf(_SC_PAGESIZE));
    opterr = 0;
    char *av[] = {"prog", "-a", "-b", "arg", "-c", "rest", NULL};
    for (int c; (c = getopt(6, av, "ab:")) != -1;) printf("%c%s ", c, optarg ? optarg : "");
    printf("%s\n", av[optind]);
    return argc;
}
