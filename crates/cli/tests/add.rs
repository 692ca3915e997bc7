//! Libraries that `polypath add` builds, builds that miss them, and what is written for GCC and glibc.

use std::path::Path;
use std::process::Output;
use testkit::{Place, place};

/// A directory of its own for each test.
struct Dir(Place);

impl Dir {
    fn new(name: &str) -> Dir {
        Dir(place!(name))
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        self.0.write(name, text);
        self
    }

    /// Runs a shell command with $P for polypath and the libraries named by `visible`.
    fn sh(&self, visible: &str, command: &str) -> Output {
        let mut shell = self.0.shell(command);
        shell.env("POLYPATH_LIBRARIES", visible).output().unwrap()
    }

    /// The same, which must succeed; standard output and error.
    fn ok(&self, visible: &str, command: &str) -> String {
        let output = self.sh(visible, command);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            output.status.success(),
            "{command}: {}\n{text}",
            output.status
        );
        text
    }

    /// The same, which must fail; standard error.
    fn fails(&self, visible: &str, command: &str) -> String {
        let output = self.sh(visible, command);
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{command} succeeded\n{words}");
        words
    }
}

const USES_ZLIB: &str = "\
#include <zlib.h>
#include <stdio.h>
int main(void) {
    unsigned char out[64];
    unsigned long n = sizeof out;
    if (compress(out, &n, (const unsigned char *)\"aaaaaaaaaaaaaaaa\", 16) != Z_OK) return 1;
    printf(\"%lu\\n\", n);
    return 0;
}
";

#[test]
fn a_library_is_added_once_and_found_by_compiles_builds_and_pkg_config() {
    let dir = Dir::new("zlib");
    dir.write("a.c", USES_ZLIB);
    let first = dir.ok("", "$P add zlib");
    let prefix = first.lines().next().unwrap().to_owned();
    assert!(
        Path::new(&prefix).join("include/zlib.h").exists(),
        "{first}"
    );
    let again = dir.ok("", "$P add zlib.h -lz");
    assert!(!again.contains("building"), "{again}");
    assert!(
        dir.ok("zlib", "$P add --list")
            .contains("zlib           1:1.")
    );

    dir.ok("zlib", "$P cc a.c -lz -o a && ./a");
    dir.ok("zlib", "$P build -- make a LDLIBS=-lz -B && ./a");
    dir.ok(
        "zlib",
        "$P build -- sh -ec '$CC a.c $($PKG_CONFIG --cflags --libs zlib) -o a' && ./a",
    );
    // The archive has its bitcode.
    dir.ok(
        "zlib",
        "$P extract a -o a.bc && llvm-nm-19 a.bc | grep -q ' T deflate$'",
    );
}

#[test]
fn what_is_missing_is_named_with_the_command_that_adds_it() {
    let dir = Dir::new("missing");
    dir.write("a.c", USES_ZLIB)
        .write(
            "b.c",
            "int deflate(void); int main(void) { return deflate(); }\n",
        )
        .write("c.c", "#include \"frobnicate.h\"\n")
        .write("inner.h", "#include <openssl/ssl.h>\n")
        .write("d.c", "#include \"inner.h\"\n");
    for (command, library) in [
        ("$P cc -c a.c", "zlib"),
        ("$P cc b.c -lz -o b", "zlib"),
        ("$P cc -c d.c", "openssl"),
    ] {
        let words = dir.fails("", command);
        let wanted = format!("polypath add {library}");
        assert!(
            words.lines().last().unwrap().ends_with(&wanted),
            "{command}: {words}"
        );
    }
    let words = dir.fails("", "$P cc -c c.c");
    assert!(!words.contains("polypath add"), "{words}");
    // A build ends with it, although later lines of make follow the compiler's, and the probes of configure are silent.
    for command in [
        "$P build -- make a.o",
        "$P build -- sh -c '$PKG_CONFIG --exists \"zlib >= 1.2\" || exit 1'",
        "cp a.c conftest.c; $P build -- sh -c '$CC -c conftest.c 2>/dev/null || { echo no zlib; exit 1; }'",
    ] {
        let words = dir.fails("", command);
        assert!(
            words.trim_end().ends_with("polypath add zlib"),
            "{command}: {words}"
        );
    }
    let words = dir.fails("", "$P run a.c");
    assert!(words.trim_end().ends_with("polypath add zlib"), "{words}");
    let words = dir.fails("", "$P add frobnicate");
    assert!(words.contains("no library 'frobnicate'"), "{words}");
}

#[test]
fn warnings_that_gcc_would_not_give_are_no_errors() {
    let dir = Dir::new("werror");
    dir.write(
        "a.c",
        "#include <stdio.h>\nint f(a) int a; { return a; }\nint main(int c, char **v) { unsigned u = c; if ((c == 1)) c = 2; if (u < 0) c = 3; printf(v[0]); return f(c); }\n",
    );
    let flags = "-Wall -Wextra -Werror -Wlogical-op -Wno-stringop-overflow -Wformat-truncation=2 -finline-limit=100 -fconserve-stack";
    let words = dir.ok("", &format!("$P cc {flags} -c a.c"));
    assert!(
        !words.contains("unknown") && !words.contains("optimization flag"),
        "{words}"
    );
    // Asked for by name, a warning is an error as ever.
    dir.write("b.c", "int main(void) { return g(); }\n");
    dir.fails("", "$P cc -Werror=implicit-function-declaration -c b.c");
    dir.ok("", "$P cc -Werror -c b.c");
}

#[test]
fn compiler_tests_get_gccs_answers() {
    let dir = Dir::new("probes");
    dir.write("conftest.c", "int main(void) { return 0; }\n");
    for flag in [
        "-Wlogical-op",
        "-Wall",
        "-fno-strict-aliasing",
        "-fconserve-stack",
    ] {
        dir.ok("", &format!("$P cc -Werror {flag} -c conftest.c"));
    }
    for flag in ["-Wfrobnicate", "-ffrobnicate"] {
        dir.fails("", &format!("$P cc -Werror {flag} -c conftest.c"));
    }
    // A function that is not declared: an error with -Werror, a warning without.
    dir.write("conftest.c", "int main(void) { return g(); }\n");
    dir.fails("", "$P cc -Werror -c conftest.c");
    dir.fails(
        "",
        "$P cc -Werror=implicit-function-declaration -c conftest.c",
    );
    dir.ok("", "$P cc -c conftest.c");
    // glibc's own names are there for sources that need them, but not for who asks what there is.
    let asks =
        "char gnu_get_libc_version(void); int main(void) { return gnu_get_libc_version(); }\n";
    dir.write("conftest.c", asks).write("a.c", asks);
    dir.fails("", "$P cc conftest.c -o conftest");
    dir.ok("", "$P cc a.c -o a");
}

#[test]
fn kernel_headers_are_there_and_the_hosts_libraries_are_not() {
    let dir = Dir::new("headers");
    dir.write(
        "a.c",
        "#include <linux/kd.h>\n#include <linux/version.h>\n#include <asm/types.h>\n#include <mtd/ubi-user.h>\n#include <sys/socket.h>\n#include <linux/if_packet.h>\n#include <net/if.h>\n#include <linux/fs.h>\n#include <sys/stat.h>\nint main(void) { return KDGKBTYPE != 0x4b33; }\n",
    );
    dir.ok(
        "",
        "$P cc -I/usr/include -L/usr/lib/x86_64-linux-gnu a.c -o a && ./a",
    );
    dir.write("b.c", "int main(void) { return 0; }\n");
    dir.fails("", "$P cc b.c -lBrokenLocale -o b");
}

/// Runs `gcc -E` with the flags on a program, compiles the result with ours, and gives both programs' output.
fn preprocessed(dir: &Dir, flags: &str, input: &str) -> (String, String) {
    dir.ok(
        "",
        &format!("gcc {flags} -E a.c -o b.i && gcc {flags} -w a.c -o gcc.out"),
    );
    dir.ok("", "$P cc -w b.i -o ours.out");
    let run = |program: &str| {
        let output = dir.sh(
            "",
            &format!("printf '{input}' | ./{program} x y 2>/dev/null"),
        );
        format!(
            "{}{:?}",
            String::from_utf8_lossy(&output.stdout),
            output.status.code()
        )
    };
    (run("gcc.out"), run("ours.out"))
}

const GLIBC: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
static jmp_buf env;
static sigjmp_buf senv;
static int visit(const char *path, const struct stat *st, int type, struct FTW *level)
{
    printf("%s %d %d\n", path, type == FTW_F, level->level);
    return 0;
}
static void line(const char *format, ...)
{
    char text[64];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    puts(text);
}
int main(int argc, char **argv)
{
    char b[32], c[32], l[16];
    int n;
    strcpy(b, "Hello"), strcat(b, " World"), memcpy(c, b, strlen(b) + 1), memmove(c + 1, c, 4), memset(c + 6, 'x', 2);
    strncpy(c + 8, "zz", 3), sprintf(b + 11, "%d", argc), snprintf(l, sizeof l, "%s!", b);
    printf("%s %s %s\n", b, c, l), fprintf(stdout, "%d %c\n", isalpha(c[0]) != 0, toupper(c[1])), line("%s-%d", "x", 3);
    if (setjmp(env) == 0) longjmp(env, 1);
    if (sigsetjmp(senv, 1) == 0) siglongjmp(senv, 2);
    double d = strtod("2.5", 0);
    printf("%d %d %d %d %d\n", isnan(d), isinf(-d / 0.0), signbit(d) != 0, fpclassify(d) == FP_NORMAL, isfinite(d));
    n = 0;
    sscanf("12 ab", "%d %31s", &n, b), printf("%d %s %ld\n", n, b, strtol("0x1f", 0, 0));
    struct stat st;
    if (stat("/", &st) == 0 && S_ISDIR(st.st_mode) && lstat("/", &st) == 0 && fstat(0, &st) == 0) puts("dir");
    fd_set set;
    FD_ZERO(&set);
    FD_SET(3, &set);
    printf("%d\n", FD_ISSET(3, &set) != 0);
    regex_t r;
    regmatch_t m[2];
    if (regcomp(&r, "a(b+)c", REG_EXTENDED)) return 9;
    if (!regexec(&r, "xxabbc", 2, m, 0)) printf("%zu %d %d %d\n", r.re_nsub, m[0].rm_so, m[1].rm_so, m[1].rm_eo);
    regfree(&r);
    nftw("/etc/passwd", visit, 4, FTW_PHYS);
    wchar_t w[8];
    wcscpy(w, L"ab"), printf("%zu %d\n", wcslen(w), iswalpha(L'a') != 0);
    printf("%d %s", fgets(l, sizeof l, stdin) != 0, l);
    n = getc(stdin), printf("%d %d %zd\n", n, feof(stdin) != 0, read(0, l, sizeof l));
    char *s = strdup("abc");
    assert(s), error(0, 2, "message %d", argc), free(s);
    return errno == EPERM;
}
"#;

#[test]
fn sources_preprocessed_against_glibc_compile_and_run_as_with_gcc() {
    let dir = Dir::new("glibc");
    dir.write("a.c", GLIBC);
    for flags in [
        "-O0",
        "-O2 -D_FORTIFY_SOURCE=2",
        "-O2 -D_FORTIFY_SOURCE=3 -std=c99",
    ] {
        let (gcc, ours) = preprocessed(&dir, flags, "line one\\nx");
        assert!(
            gcc.contains("0 -1 0 1 1") || gcc.contains("0 1 0 1 1"),
            "{flags}: {gcc}"
        );
        // isinf is 1 or -1 for -inf, as the compiler likes.
        assert_eq!(
            ours.replace("0 -1 0", "0 1 0"),
            gcc.replace("0 -1 0", "0 1 0"),
            "{flags}"
        );
    }
    let words = dir.ok("", "$P run b.i --time 300 --out run");
    assert!(words.contains("everything was explored"), "{words}");
}

#[test]
fn what_fortify_checks_is_an_error_at_the_call() {
    let dir = Dir::new("fortify");
    for (call, size) in [
        ("strcpy(s.a, text)", 0),
        ("sprintf(s.a, \"%s\", text)", 0),
        ("strncpy(s.a, text, strlen(text) + 1)", 0),
        ("snprintf(s.a, strlen(text) + 2, \"%s\", text)", 1),
    ] {
        dir.write(
            "a.c",
            &format!(
                "#include <stdio.h>\n#include <string.h>\nstruct {{ char a[8], b[24]; }} s;\nint main(int argc, char **argv) {{ char *text = argc > 1 ? argv[1] : \"\"; {call}; puts(s.a); return 0; }}\n"
            ),
        );
        dir.ok(
            "",
            "gcc -O2 -D_FORTIFY_SOURCE=2 -w -E a.c -o b.i && $P cc -w b.i -o b",
        );
        let fits = "1234567"[size..].to_owned();
        dir.ok("", &format!("./b {fits}"));
        let words = dir.fails("", "./b 12345678");
        assert!(
            words.contains("buffer overflow detected"),
            "{call}: {words}"
        );
        let words = dir.sh(
            "",
            "rm -rf run; $P run b.i --time 300 --sym-args 1 1 10 --out run",
        );
        let words = String::from_utf8_lossy(&words.stderr).into_owned();
        assert!(words.contains("a.c:4"), "{call}: {words}");
    }
}
