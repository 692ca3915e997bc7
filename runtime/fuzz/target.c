/* The main function of a fuzz target, which has LLVMFuzzerTestOneInput instead of one (`polypath cc -fsanitize=fuzzer`). Each argument is a
 * file with an input, or a directory of such files, as libFuzzer takes them; without any, standard input is the input. Words that begin with
 * `-` are libFuzzer's options, which have no meaning here. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* By this section a binary is known to be a fuzz target. */
__attribute__((used, retain, section("polypath_fuzz_target"))) static const char mark = 1;

/* What a mutator of the target's own calls, which nothing here uses. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data, (void)max_size;
    return size;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void *memory(size_t size)
{
    void *block = malloc(size);
    if (!block) fail("the input");
    return block;
}

/* Reads up to `size` bytes. */
static size_t fill(int fd, uint8_t *data, size_t size, const char *name)
{
    size_t have = 0;
    while (have < size) {
        ssize_t n = read(fd, data + have, size - have);
        if (n < 0) fail(name);
        if (n == 0) break;
        have += n;
    }
    return have;
}

/* Calls the target with a copy that has exactly this size, so that a read behind the input is seen. */
static void call_with_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = memory(size);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* A stream, whose size is only known at its end. */
static void run_stream(int fd, const char *name)
{
    size_t room = 4096, have = 0;
    uint8_t *data = memory(room);
    for (;;) {
        have += fill(fd, data + have, room - have, name);
        if (have < room) break;
        room *= 2;
        data = realloc(data, room);
        if (!data) fail(name);
    }
    call_with_copy(data, have);
    free(data);
}

/* A file, whose size is asked for first. */
static void run_file(int fd, const char *name, off_t end)
{
    uint8_t *data = memory(end);
    size_t have = fill(fd, data, end, name);
    if (have == (size_t)end)
        LLVMFuzzerTestOneInput(data, have);
    else
        call_with_copy(data, have);
    free(data);
}

static void run_directory(const char *path);

/* `is_told`: with its name on stderr, where it is one of several. */
static void run_path(const char *path, int is_told)
{
    struct stat about;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &about)) fail(path);
    if (S_ISDIR(about.st_mode)) {
        close(fd);
        run_directory(path);
        return;
    }
    if (is_told) fprintf(stderr, "Running: %s\n", path);
    off_t end = lseek(fd, 0, SEEK_END);
    if (end >= 0 && lseek(fd, 0, SEEK_SET) == 0)
        run_file(fd, path, end);
    else
        run_stream(fd, path);
    close(fd);
}

static void run_directory(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, 0, alphasort);
    if (count < 0) fail(path);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            size_t size = strlen(path) + strlen(entries[i]->d_name) + 2;
            char *inside = memory(size);
            snprintf(inside, size, "%s/%s", path, entries[i]->d_name);
            run_path(inside, 1);
            free(inside);
        }
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    int inputs = 0, done = 0;
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) inputs += argv[i][0] != '-';
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-') run_path(argv[i], inputs > 1), done++;
    if (done) return 0;
    if (isatty(0)) {
        fprintf(stderr, "usage: %s FILE|DIRECTORY...\nThe fuzz target is called with each file. `polypath run %s` looks for inputs.\n",
                argv[0], argv[0]);
        return 2;
    }
    run_stream(0, "standard input");
    return 0;
}
