/* Directories: making, listing, changing, removing. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* One value a call: the order of evaluation of arguments is not defined. */
#define N(e) printf("%lld ", (long long)(e))
int main(void) {
    N(mkdir("dirs.tmp", 0755)); puts("");
    N(mkdir("dirs.tmp", 0755)); N(errno == EEXIST); puts("");
    const char *names[] = {"b", "a", "c.txt", ".hidden"};
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "dirs.tmp/%s", names[i]);
        FILE *f = fopen(path, "w");
        fputs(names[i], f);
        fclose(f);
    }
    mkdir("dirs.tmp/sub", 0700);
    DIR *d = opendir("dirs.tmp");
    char *found[16];
    int n = 0;
    for (struct dirent *e; (e = readdir(d)) && n < 16;) found[n++] = strdup(e->d_name);
    closedir(d);
    qsort(found, n, sizeof *found, compare);
    for (int i = 0; i < n; i++) { printf("%s ", found[i]); free(found[i]); }
    puts("");
    N(chdir("dirs.tmp/sub")); puts("");
    char cwd[4096];
    N(getcwd(cwd, sizeof cwd) && strstr(cwd, "dirs.tmp/sub") != NULL); puts("");
    N(access("../a", R_OK)); N(chdir("../..")); puts("");
    N(rmdir("dirs.tmp")); N(errno == ENOTEMPTY || errno == EEXIST); puts("");
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "dirs.tmp/%s", names[i]);
        unlink(path);
    }
    N(rmdir("dirs.tmp/sub")); N(rmdir("dirs.tmp")); puts("");
    N(opendir("dirs.tmp") == NULL); N(errno == ENOENT); puts("");
    return 0;
}
