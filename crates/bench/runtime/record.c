/* Stands in for a program while its project's own tests run: writes down how it was called, then
   becomes the program.

   This binary is TOP/src/NAME (a hard link per program); TOP/real/NAME is the program. Tests run
   below TEST in TOP's folder `work`. Each call makes a directory TOP/records/N with

     argv, env    each string followed by a NUL
     meta         lines "key value": program, test, cwd, umask, stdin (file, pipe, null, closed,
                  terminal, other), and "skip REASON" when the call cannot be repeated
     stdin        the bytes of standard input from its position on
     tree.tar     the test's folder as it was then

   Nothing here may disturb the test: what fails is a reason to skip the call, never an error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TREE_ENTRIES = 400, INPUT_BYTES = 1 << 20, IDLE_MS = 1000 };
static const long long TREE_BYTES = 4 << 20;

static char record[2 * PATH_MAX];
static const char *skip;

static int open_part(const char *name) {
  char path[3 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", record, name);
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n <= 0) {
      skip = "the record could not be written";
      return;
    }
    data += n, size -= n;
  }
}

static void put_strings(const char *name, char **strings) {
  int fd = open_part(name);
  for (; *strings; strings++) write_all(fd, *strings, strlen(*strings) + 1);
  close(fd);
}

static long long tree_bytes, tree_entries;
static int count(const char *path, const struct stat *st, int type, struct FTW *walk) {
  (void)path, (void)walk;
  tree_entries++;
  if (type == FTW_F) {
    /* Sparse files count by their blocks here; their size counts when they are laid out. */
    tree_bytes += st->st_blocks * 512LL;
    if (!S_ISREG(st->st_mode) && !S_ISFIFO(st->st_mode)) skip = "devices or sockets among the files";
    if (st->st_size > 64LL * TREE_BYTES) skip = "a huge sparse file";
  }
  if (type == FTW_DNR || type == FTW_NS) skip = "files that the user cannot read";
  if (tree_bytes > TREE_BYTES || tree_entries > TREE_ENTRIES) {
    skip = "many or large files";
    return 1;
  }
  return 0;
}

/* Packs the directory `root`. */
static void pack(const char *root) {
  nftw(root, count, 16, FTW_PHYS);
  if (skip) return;
  char archive[3 * PATH_MAX];
  snprintf(archive, sizeof archive, "%s/tree.tar", record);
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    char *environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", 0};
    char *arguments[] = {"tar", "--format=posix", "--sparse", "-C", (char *)root, "-cf", archive, ".", 0};
    execve("/bin/tar", arguments, environment);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    skip = "files that the user cannot read";
}

/* Programs that read standard input whatever their arguments: only theirs is taken from a pipe,
   which can be read but once. */
static int reads_input(const char *name, char **argv) {
  static const char *readers =
      " cat head tail tac nl od wc cut tr sort uniq comm paste join fold fmt pr expand unexpand tsort "
      "sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum base32 base64 basenc "
      "numfmt factor shuf split csplit tee dd ptx ";
  char word[64];
  snprintf(word, sizeof word, " %s ", name);
  if (!strstr(readers, word)) return 0;
  int operands = 0, dash = 0;
  for (int i = 1; argv[i]; i++) {
    operands += argv[i][0] != '-';
    dash |= !strcmp(argv[i], "-");
  }
  static const char *always = " tr tee dd numfmt factor cut head tail sort od uniq fmt fold ";
  return dash || operands == 0 || strstr(always, word) != 0;
}

/* Reads the pipe to its end, and gives the program a new one with the same bytes. */
static void take_pipe(int out) {
  char *data = malloc(INPUT_BYTES);
  size_t size = 0;
  int ended = 0;
  while (data && size < INPUT_BYTES) {
    struct pollfd wait = {.fd = 0, .events = POLLIN};
    if (poll(&wait, 1, IDLE_MS) <= 0) break;
    ssize_t n = read(0, data + size, INPUT_BYTES - size);
    if (n <= 0) {
      ended = n == 0;
      break;
    }
    size += n;
  }
  if (!ended) skip = "endless, large or slow input";
  else write_all(out, data, size);
  int ends[2];
  if (pipe(ends) != 0) return;
  /* The feeder is nobody's child, so that the program never waits for it. */
  pid_t middle = fork();
  if (middle == 0) {
    if (fork() != 0) _exit(0);
    /* What was read, then the rest of an endless one. */
    close(ends[0]);
    for (int fd = 1; fd < 20; fd++)
      if (fd != ends[1]) close(fd);
    write_all(ends[1], data, size);
    ssize_t n;
    while (!ended && (n = read(0, data, INPUT_BYTES)) > 0 && write(ends[1], data, n) == n) continue;
    _exit(0);
  }
  if (middle > 0) waitpid(middle, 0, 0);
  close(ends[1]);
  dup2(ends[0], 0);
  if (ends[0]) close(ends[0]);
}

static const char *take_input(const char *name, char **argv) {
  struct stat st;
  if (fstat(0, &st) != 0) return "closed";
  if (isatty(0)) return "terminal";
  if (S_ISCHR(st.st_mode)) return st.st_rdev == makedev(1, 3) ? "null" : "other";
  int out = open_part("stdin");
  const char *kind = "other";
  if (S_ISREG(st.st_mode)) {
    kind = "file";
    off_t at = lseek(0, 0, SEEK_CUR);
    static char buffer[1 << 16];
    ssize_t n;
    off_t from = at;
    while ((n = pread(0, buffer, sizeof buffer, at)) > 0 && at - from < INPUT_BYTES)
      write_all(out, buffer, n), at += n;
    if (n != 0) skip = "endless, large or slow input";
  } else if (S_ISFIFO(st.st_mode)) {
    kind = "pipe";
    if (reads_input(name, argv)) take_pipe(out);
  }
  close(out);
  return kind;
}

/* The folder of TOP in which tests run. */
#define WORK "work"

static void describe(const char *top, const char *name, char **argv, mode_t mask) {
  char cwd[PATH_MAX], work[PATH_MAX], root[PATH_MAX];
  snprintf(record, sizeof record, "%s/records/XXXXXX", top);
  if (!mkdtemp(record)) return;
  size_t prefix = snprintf(work, sizeof work, "%s/" WORK "/", top);
  const char *test = "";
  if (!getcwd(cwd, sizeof cwd)) {
    strcpy(cwd, "?");
    skip = "no working directory";
  } else if (strncmp(cwd, work, prefix)) {
    skip = "runs outside the test's directory";
  } else {
    snprintf(root, sizeof root, "%s", cwd);
    char *end = strchr(root + prefix, '/');
    if (end) *end = 0;
    test = root + prefix;
    pack(root);
  }
  put_strings("argv", argv);
  put_strings("env", environ);
  const char *input = take_input(name, argv);
  FILE *meta = fdopen(open_part("meta"), "w");
  if (!meta) return;
  fprintf(meta, "program %s\ntest %s\ncwd %s\numask %o\nstdin %s\n", name, test, cwd, mask, input);
  if (skip) fprintf(meta, "skip %s\n", skip);
  fclose(meta);
}

int main(int argc, char **argv) {
  (void)argc;
  char top[PATH_MAX], real[2 * PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", top, sizeof top - 1);
  if (size <= 0) return 127;
  top[size] = 0;
  char *slash = strrchr(top, '/');
  const char *name = slash + 1;
  *slash = 0;
  *strrchr(top, '/') = 0;
  mode_t mask = umask(0);
  describe(top, name, argv, mask);
  umask(mask);
  snprintf(real, sizeof real, "%s/real/%s", top, name);
  execv(real, argv);
  return 127;
}
