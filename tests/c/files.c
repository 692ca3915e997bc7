/* stdio on files: writing, reading back, seeking, renaming, failing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One value a call: the order of evaluation of arguments is not defined. */
#define N(e) printf("%lld ", (long long)(e))
int main(void) {
    FILE *f = fopen("files.tmp", "w+");
    if (!f) { perror("fopen"); return 1; }
    for (int i = 0; i < 200; i++) fprintf(f, "line %d of many\n", i);
    N(ftell(f)); puts("");
    rewind(f);
    char line[64];
    int lines = 0;
    while (fgets(line, sizeof line, f)) lines++;
    N(lines); N(!!feof(f)); N(!!ferror(f)); puts("");
    fseek(f, 100, SEEK_SET);
    fgets(line, sizeof line, f);
    printf("%s", line);
    fseek(f, -10, SEEK_END);
    int c = fgetc(f);
    ungetc('Z', f);
    putchar(c); putchar(fgetc(f)); putchar(fgetc(f));
    puts("");
    fseek(f, 0, SEEK_SET);
    fputs("LINE", f);
    fflush(f);
    fseek(f, 0, SEEK_CUR);
    int number = -1;
    N(fscanf(f, "LINE %d of", &number)); N(number); puts("");
    fclose(f);

    f = fopen("files.tmp", "a");
    setvbuf(f, NULL, _IONBF, 0);
    fwrite("binary\0data", 1, 11, f);
    fclose(f);
    struct stat st;
    N(stat("files.tmp", &st)); N(st.st_size); N(S_ISREG(st.st_mode)); puts("");
    f = fopen("files.tmp", "rb");
    fseek(f, -4, SEEK_END);
    char tail[5] = {0};
    N(fread(tail, 1, 4, f));
    puts(tail);
    fclose(f);

    N(rename("files.tmp", "files2.tmp")); puts("");
    f = fopen("files.tmp", "r");
    N(f == NULL); N(errno == ENOENT); puts("");
    N(access("files2.tmp", F_OK)); N(truncate("files2.tmp", 7)); N(stat("files2.tmp", &st)); puts("");
    N(st.st_size); puts("");
    f = freopen("files2.tmp", "r", stdin);
    N(f == stdin);
    while ((c = getchar()) != EOF) putchar(c);
    puts("");
    N(remove("files2.tmp")); N(remove("files2.tmp")); puts("");
    char name[] = "tmpXXXXXX";
    int fd = mkstemp(name);
    printf("%d %zu\n", fd >= 0, strlen(name));
    close(fd);
    unlink(name);
    char *memory = NULL;
    size_t size = 0;
    f = open_memstream(&memory, &size);
    fprintf(f, "in memory %d", 5);
    fclose(f);
    printf("%zu %s\n", size, memory);
    free(memory);
    return 0;
}
