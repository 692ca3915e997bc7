//! The compiler wrapper, run as users and their builds run it.

use std::fs;
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

    /// Runs a shell command with $P for polypath.
    fn sh(&self, command: &str) -> Output {
        self.0.shell(command).output().unwrap()
    }

    /// The same, which must succeed; standard output and error.
    fn ok(&self, command: &str) -> (String, String) {
        let output = self.sh(command);
        let text = (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        );
        assert!(
            output.status.success(),
            "{command}: {}\n{}{}",
            output.status,
            text.0,
            text.1
        );
        text
    }

    /// The same, which must fail with this status; standard error.
    fn fails(&self, status: i32, command: &str) -> String {
        let output = self.sh(command);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}\n{words}");
        words
    }

    /// Symbols defined in the bitcode of a binary, and those undefined.
    fn symbols(&self, binary: &str) -> (Vec<String>, Vec<String>) {
        self.ok(&format!("$P extract {binary} -o symbols.bc"));
        let (text, _) = self.ok("llvm-nm-19 symbols.bc");
        let (mut defined, mut undefined) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let mut words = line.split_whitespace().rev();
            let name = words.next().unwrap().to_owned();
            if words.next() == Some("U") {
                &mut undefined
            } else {
                &mut defined
            }
            .push(name);
        }
        (defined, undefined)
    }
}

const HELLO: &str =
    "#include <stdio.h>\nint main(void) { printf(\"%s %.3f\\n\", \"hello\", 1.5); return 7; }\n";

#[test]
fn a_binary_runs_and_carries_its_libc() {
    let dir = Dir::new("hello");
    dir.write("a.c", HELLO).ok("$P cc -O2 a.c -o a");
    assert_eq!(dir.sh("./a").stdout, b"hello 1.500\n");
    assert_eq!(dir.sh("./a").status.code(), Some(7));
    let (defined, undefined) = dir.symbols("a");
    for name in [
        "main",
        "printf",
        "vfprintf",
        "_start_c",
        "__libc_start_main",
    ] {
        assert!(defined.iter().any(|d| d == name), "{name} has no bitcode");
    }
    // Operations of the engine stay external.
    for name in ["__polypath_syscall6", "memcpy", "__set_thread_area"] {
        assert!(undefined.iter().any(|d| d == name), "{name} has bitcode");
    }
}

#[test]
fn bitcode_is_unoptimized_and_can_be_optimized_later() {
    let dir = Dir::new("unoptimized");
    dir.write(
        "a.c",
        "int f(int *p) { int unused = *p; return 1 / (int)sizeof unused; }\n",
    );
    for level in ["", "-O0", "-O2", "-Ofast -fno-math-errno"] {
        dir.ok(&format!(
            "$P cc {level} -c a.c && $P extract a.o -o a.bc && llvm-dis-19 a.bc"
        ));
        let text = fs::read_to_string(dir.0.join("a.ll")).unwrap();
        assert!(text.contains("alloca"), "{level}: passes ran:\n{text}");
        assert!(!text.contains("optnone"), "{level}");
        assert!(text.contains("!DILocation"), "{level}: no line table");
    }
}

#[test]
fn libm_calls_stay_calls() {
    let dir = Dir::new("libm");
    dir.write(
        "a.c",
        "#include <math.h>\ndouble f(double x) { return exp(x) + pow(x, x) * sin(x); }\n",
    );
    dir.ok("$P cc -O3 -ffast-math -c a.c && $P extract a.o -o a.bc && llvm-dis-19 a.bc");
    let text = fs::read_to_string(dir.0.join("a.ll")).unwrap();
    for name in ["@exp(", "@pow(", "@sin("] {
        assert!(text.contains(name), "{name}:\n{text}");
    }
    assert!(
        !text.contains("fmuladd") && !text.contains("constrained"),
        "{text}"
    );
}

#[test]
fn input_from_standard_input_and_response_files() {
    let dir = Dir::new("stdin");
    dir.ok("echo 'int main(void){return 0;}' | $P cc -x c - -o a && ./a");
    dir.write("my file.c", "int main(void) { return X; }\n")
        .write("r.rsp", "-DX=5 \"my file.c\"\n-o 'b c'");
    dir.ok("$P cc @r.rsp");
    assert_eq!(dir.sh("'./b c'").status.code(), Some(5));
    let many: String = (0..4000)
        .map(|i| format!("-DLONG_ENOUGH_TO_NEED_A_RESPONSE_FILE_{i}={i}\n"))
        .collect();
    dir.write("many.rsp", &many).ok("$P cc @many.rsp @r.rsp");
}

#[test]
fn dependencies_preprocessing_and_assembly() {
    let dir = Dir::new("stages");
    dir.write("a.c", "#include \"a.h\"\nint main(void) { return A; }\n")
        .write("a.h", "#define A 3\n");
    dir.ok("$P cc -MD -MF deps -MT target -c a.c -o a.o");
    assert!(
        fs::read_to_string(dir.0.join("deps"))
            .unwrap()
            .starts_with("target: a.c a.h")
    );
    assert_eq!(dir.ok("$P cc -MM a.c").0.trim(), "a.o: a.c a.h");
    assert!(dir.ok("$P cc -E a.c").0.contains("return 3"));
    // Assembly that the compiler wrote contains the bitcode, and keeps it.
    let (_, words) =
        dir.ok("$P cc -S a.c -o a.s && $P cc -c a.s -o b.o && $P extract b.o && $P cc b.o -o b");
    assert!(!words.contains("no bitcode"), "{words}");
    dir.ok("$P cc a.c -o /dev/null");
    assert!(dir.ok("$P cc --version").0.contains("clang version 19"));
    assert!(dir.ok("$P cc -dumpmachine").0.contains("musl"));
}

/// libbsd and gnulib do that.
#[test]
fn a_header_of_the_users_may_stand_before_the_c_librarys() {
    let dir = Dir::new("before");
    fs::create_dir(dir.0.join("own")).unwrap();
    dir.write("own/stdio.h", "#include_next <stdio.h>\n#define OWN 42\n")
        .write(
            "a.c",
            "#include <stdio.h>\nint main(void) { return printf(\"%d\\n\", OWN) < 0; }\n",
        );
    for option in ["-I", "-isystem"] {
        dir.ok(&format!("$P cc {option} own a.c -o a"));
        assert_eq!(dir.ok("./a").0, "42\n", "{option}");
    }
}

#[test]
fn headers_of_glibc_that_programs_rely_on() {
    let dir = Dir::new("headers");
    dir.write(
        "a.c",
        "#include <stddef.h>\n#include <sys/cdefs.h>\n#include <sys/queue.h>\n#include <error.h>\n\
         __BEGIN_DECLS\nint f __P((int));\n__END_DECLS\n\
         LIST_HEAD(list, node);\nstruct node { LIST_ENTRY(node) next; };\n\
         #if __STDC_ISO_10646__ < 200000 || !defined __STDC_IEC_559__\n#error\n#endif\n\
         int main(void) { struct list l = LIST_HEAD_INITIALIZER(l); error(0, 0, \"%d\", LIST_EMPTY(&l)); return 0; }\n",
    );
    dir.ok("$P cc a.c -o a");
    assert_eq!(dir.ok("./a").1, "./a: 1\n");
}

#[test]
fn assembly_sources_have_no_bitcode_and_say_so_but_not_to_configure() {
    let dir = Dir::new("assembly");
    let text = "#define RESULT 9\n.globl f\nf: mov $RESULT, %eax\n ret\n";
    dir.write("f.S", text)
        .write("conftest.S", text)
        .write("m.c", "int f(void);\nint main(void) { return f(); }\n");
    let (_, words) = dir.ok("$P cc -c f.S");
    assert!(words.contains("f.S: no bitcode"), "{words}");
    for silent in [
        "POLYPATH_QUIET=1 $P cc -c f.S",
        "$P cc -c conftest.S",
        "$P cc -c m.c",
        "$P cc -c f.S -o /dev/null",
    ] {
        assert_eq!(dir.ok(silent).1, "", "{silent}");
    }
    dir.ok("$P cc m.c f.o -o m");
    assert_eq!(dir.sh("./m").status.code(), Some(9));
    assert!(dir.symbols("m").1.contains(&"f".into()));
}

#[test]
fn make_with_static_archives_in_parallel() {
    let dir = Dir::new("make");
    dir.write(
        "Makefile",
        "prog: m.o libz.a\n\tgcc -o $@ m.o libz.a\nlibz.a: f.o g.o\n\t$(AR) rcs $@ $^\n\t$(RANLIB) $@\n%.o: %.c\n\t$(CC) -MMD -c -o $@ $<\n",
    );
    dir.write("m.c", "int f(void);\nint main(void) { return f(); }\n");
    dir.write("f.c", "int f(void) { return 4; }\n")
        .write("g.c", "int g(void) { return 5; }\n");
    dir.ok("$P build -- make -j4");
    assert_eq!(dir.sh("./prog").status.code(), Some(4));
    let (defined, _) = dir.symbols("prog");
    assert!(
        defined.contains(&"f".into()) && !defined.contains(&"g".into()),
        "as the linker pulled them in"
    );
    assert_eq!(
        dir.sh("$P build -- sh -c 'exit 42'").status.code(),
        Some(42)
    );
}

#[test]
fn shared_libraries_become_objects_that_link() {
    let dir = Dir::new("shared");
    dir.write("f.c", "int f(void) { return 6; }\n")
        .write("m.c", "int f(void);\nint main(void) { return f(); }\n");
    dir.ok("$P cc -shared -fPIC -Wl,-soname,libf.so.1 f.c -o libf.so");
    dir.ok("test -x libf.so && $P cc m.c -L. -lf -Wl,-rpath,. -o a && $P cc m.c ./libf.so -o b");
    for binary in ["a", "b"] {
        assert_eq!(dir.sh(&format!("./{binary}")).status.code(), Some(6));
        assert!(dir.symbols(binary).0.contains(&"f".into()));
    }
}

#[test]
fn gnu_strip_keeps_bitcode_and_llvm_strip_is_named() {
    let dir = Dir::new("strip");
    dir.write("a.c", HELLO).ok("$P cc -s a.c -o a && $P extract a && strip a && $P extract a && install -s a b && $P extract b");
    assert!(
        dir.fails(2, "llvm-strip-19 a && $P extract a")
            .contains("without `polypath cc`, or stripped")
    );
}

#[test]
fn a_binary_that_was_cut_off_is_damaged() {
    let dir = Dir::new("bad");
    dir.write("a.c", HELLO)
        .ok("$P cc a.c -o a && head -c 20000 a > cut");
    let said = dir.fails(2, "$P extract cut -o x.bc");
    assert!(said.contains("damaged file"), "{said}");
}

#[test]
fn flags_that_cannot_work_are_left_out_or_refused() {
    let dir = Dir::new("flags");
    dir.write("a.c", HELLO);
    dir.ok("$P cc -flto -pie -static -rdynamic -fuse-ld=gold -g0 -gsplit-dwarf -march=native a.c -o a && $P extract a");
    assert!(
        dir.ok("$P cc -fsanitize=address a.c -o a && $P extract a")
            .1
            .contains("-fsanitize=address is left out")
    );
}

#[test]
fn cxx_with_operators_and_virtual_functions() {
    let dir = Dir::new("cxx");
    dir.write(
        "a.cpp",
        "#include <cstdio>\n#include <new>\nstruct A { virtual int f() { return 1; } virtual ~A() {} };\n\
         struct B : A { int f() override { return 2; } };\nstatic B global;\n\
         int main() { static A *p = new B; int r = p->f() + global.f(); delete p; int *q = new int[4]; delete[] q; return r; }\n",
    );
    dir.ok("$P c++ a.cpp -o a");
    assert_eq!(dir.sh("./a").status.code(), Some(4));
    assert!(dir.symbols("a").0.iter().any(|d| d == "_Znwm"));
}

#[test]
fn complex_arithmetic_and_wide_integers_are_closed() {
    let dir = Dir::new("complex");
    dir.write(
        "a.c",
        "#include <complex.h>\n#include <math.h>\n\
         int main(int argc, char **argv) {\n\
           double _Complex z = argc + 2.0 * I, inf = CMPLX(INFINITY, NAN);\n\
           long double _Complex w = z;\n  float _Complex v = z;\n\
           z = z * z / (1 + I), w = w * w / (1 + I), v = v * v / (1 + I);\n\
           inf = inf * z;\n\
           unsigned __int128 n = (unsigned __int128)argc << 100;\n\
           if (creal(z) != 0.5 || cimag(z) != 3.5 || creall(w) != 0.5L || cimagf(v) != 3.5f) return 1;\n\
           if (!isinf(creal(inf)) && !isinf(cimag(inf))) return 2;\n\
           if ((int)(n / ((unsigned __int128)(argc + 2) << 90)) != 341 || (int)(n % 1000) != 376) return 3;\n\
           if ((double)n != 0x1p100) return 4;\n  return 0;\n}\n",
    );
    dir.ok("$P cc a.c -o a && ./a");
    let (_, undefined) = dir.symbols("a");
    assert!(
        undefined
            .iter()
            .all(|u| !u.ends_with("c3") && !u.ends_with("ti3")),
        "{undefined:?}"
    );
}

#[test]
fn fenv_keeps_its_machine_code() {
    let dir = Dir::new("fenv");
    dir.write(
        "a.c",
        "#include <fenv.h>\n#include <math.h>\nint main(int argc, char **argv) {\n\
         volatile double one = argc, three = 3;\n  volatile double x = one / three;\n\
         if (!fetestexcept(FE_INEXACT)) return 1;\n  if (fesetround(FE_UPWARD)) return 2;\n\
         volatile double y = one / three;\n  if (!(y > x) || fegetround() != FE_UPWARD) return 3;\n  return 0;\n}\n",
    );
    dir.ok("$P cc a.c -o a && ./a");
    assert!(dir.symbols("a").1.contains(&"fetestexcept".into()));
}

/// A test file in KLEE's format with these objects.
fn ktest(objects: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"KTEST".to_vec();
    let word = |out: &mut Vec<u8>, n: usize| out.extend((n as u32).to_be_bytes());
    for n in [3, 0, 0, 0, objects.len()] {
        word(&mut out, n);
    }
    for (name, bytes) in objects {
        word(&mut out, name.len());
        out.extend(name.as_bytes());
        word(&mut out, bytes.len());
        out.extend(*bytes);
    }
    out
}

#[test]
fn programs_with_intrinsics_replay_a_test_natively() {
    let dir = Dir::new("klee");
    dir.write(
        "a.c",
        "#include <klee/klee.h>\n#include <stdio.h>\nint __VERIFIER_nondet_int(void);\n\
         int main(void) {\n  int a, b[2];\n  klee_make_symbolic(&a, sizeof a, \"a\");\n\
           klee_make_symbolic(b, sizeof b, \"a\");\n  klee_assume(a > 0);\n\
           printf(\"%d %d %d %d\\n\", a, b[1], klee_range(0, 10, \"r\"), __VERIFIER_nondet_int());\n\
           klee_assert(a != 3);\n  return 0;\n}\n",
    );
    dir.ok("$P cc a.c -o a");
    let int = |n: i32| n.to_le_bytes();
    let test = |a: i32| {
        let second = [int(8), int(9)].concat();
        ktest(&[
            ("n_args", &int(0)),
            ("a", &int(a)),
            ("a_1", &second),
            ("r", &int(4)),
            ("nondet_int", &int(-1)),
        ])
    };
    fs::write(dir.0.join("good.ktest"), test(2)).unwrap();
    fs::write(dir.0.join("assert.ktest"), test(3)).unwrap();
    fs::write(dir.0.join("assume.ktest"), test(-3)).unwrap();
    fs::write(dir.0.join("short.ktest"), &test(2)[..40]).unwrap();
    fs::write(dir.0.join("other.ktest"), ktest(&[("z", &int(1))])).unwrap();
    assert_eq!(dir.ok("KTEST_FILE=good.ktest ./a").0, "2 9 4 -1\n");
    let output = dir.sh("KTEST_FILE=assert.ktest exec ./a");
    assert!(
        std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(6),
        "{output:?}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("ASSERTION FAIL: a != 3"));
    assert!(
        dir.fails(85, "KTEST_FILE=assume.ktest ./a")
            .contains("assumption")
    );
    assert!(
        dir.fails(86, "KTEST_FILE=short.ktest ./a")
            .contains("cut short")
    );
    assert!(
        dir.fails(86, "KTEST_FILE=other.ktest ./a")
            .contains("no further object a")
    );
    // They are operations of the engine, not bitcode.
    assert!(dir.symbols("a").1.contains(&"klee_make_symbolic".into()));
}

#[test]
fn usage_errors_have_their_status() {
    let dir = Dir::new("usage");
    dir.fails(2, "$P extract");
    dir.fails(2, "$P build");
    dir.fails(2, "$P no-such-command");
    assert!(
        dir.ok("$P --help")
            .0
            .contains("2  what was given cannot be used")
    );
    assert!(
        dir.fails(127, "$P build -- ./no-such-build")
            .contains("no-such-build")
    );
}

#[test]
fn the_doctor_finds_everything() {
    let dir = Dir::new("doctor");
    let (text, _) = dir.ok("$P doctor");
    for name in [
        "clang-19",
        "ld.lld-19",
        "libLLVM",
        "newer libLLVM",
        "sysroot",
    ] {
        assert!(text.contains(name), "{text}");
    }
    let words = dir.fails(
        3,
        "cp $P p && POLYPATH_LLVM=/nowhere PATH=/nowhere ./p cc -c x.c",
    );
    assert!(
        words.contains("clang-19 is missing; install it with: apt-get install"),
        "{words}"
    );
}

/// What the linker is told decides which definition is called: the run does what the binary does. Each program aborts
/// where the linker leads it to the definitions that are called bad, natively, too.
#[test]
fn the_linkers_choice_of_a_definition_is_that_of_the_run() {
    const MAIN: &str = "#include <stdlib.h>\n\
        int foo(int);\n\
        int main(int c, char **v) { if (c > 1 && foo(v[1][0]) == 7) abort(); return 0; }\n";
    const WEAK: &str = "#include <stdlib.h>\n\
        __attribute__((weak)) int foo(int x) { return 0; }\n\
        int bad(int x) { return x == 'c' ? 7 : 0; }\n\
        int main(int c, char **v) { if (c > 1 && foo(v[1][0]) == 7) abort(); return 0; }\n";
    const VARIABLE: &str = "#include <stdlib.h>\n\
        __attribute__((weak)) int limit = 3; int other = 'c';\n\
        int main(int c, char **v) { if (c > 1 && limit == 'c' && v[1][0] == 'c') abort(); return 0; }\n";
    const WRAPPER: &str = "int __real_foo(int);\n\
        int __wrap_foo(int x) { return x == 'c' ? 7 : __real_foo(x); }\n";
    let dir = Dir::new("definitions");
    dir.write("main.c", MAIN)
        .write("weak.c", WEAK)
        .write("variable.c", VARIABLE)
        .write("wrapper.c", WRAPPER)
        .write("good.c", "int foo(int x) { return 0; }\n")
        .write("bad.c", "int foo(int x) { return x == 'c' ? 7 : 0; }\n")
        .write("bad2.c", "int bad(int x) { return x == 'c' ? 7 : 0; }\n")
        .write("script.ld", "foo = bad;\n");
    for (link, aborts) in [
        ("weak.c", false),
        ("weak.c -Wl,--defsym=foo=bad", true),
        ("weak.c -Wl,-T,script.ld", true),
        ("main.c bad2.c -Wl,--defsym=foo=bad", true),
        ("variable.c", false),
        ("variable.c -Wl,--defsym=limit=other", true),
        ("main.c good.c bad.c -Wl,-z,muldefs", false),
        ("main.c bad.c good.c -Wl,--allow-multiple-definition", true),
        ("weak.c bad.c", true),
        ("main.c good.c wrapper.c -Wl,--wrap=foo", true),
        ("main.c good.c wrapper.c -Xlinker --wrap -Xlinker foo", true),
        ("main.c good.c wrapper.c -Wl,--defsym=__real_foo=foo", false),
    ] {
        dir.ok(&format!("$P cc -g {link} -o p"));
        let native = !dir.sh("./p c").status.success();
        assert_eq!(native, aborts, "{link}: natively");
        let run = "rm -rf out; $P run p --sym-arg 1 --jobs 1 --time 300 --out out";
        let (status, words) = {
            let output = dir.sh(run);
            (
                output.status.code(),
                String::from_utf8(output.stderr).unwrap(),
            )
        };
        assert_eq!(status, Some(i32::from(aborts)), "{link}:\n{words}");
        assert!(
            words.contains("everything was explored"),
            "{link}:\n{words}"
        );
    }
    // Without a table of symbols, what the linker was told counts.
    for (link, aborts) in [
        ("weak.c", false),
        ("weak.c -Wl,--defsym=foo=bad", true),
        ("variable.c -Wl,--defsym,limit=other", true),
        ("main.c bad.c good.c -Wl,-z,muldefs", true),
        ("main.c good.c wrapper.c -Wl,--wrap=foo", true),
    ] {
        dir.ok(&format!("$P cc -g {link} -s -o p"));
        assert_eq!(
            !dir.sh("./p c").status.success(),
            aborts,
            "{link}: natively"
        );
        let output =
            dir.sh("rm -rf out; $P run p --sym-arg 1 --jobs 1 --time 300 --strict --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code(),
            Some(i32::from(aborts)),
            "{link}:\n{words}"
        );
    }
    for (link, why) in [
        (
            "weak.c -Wl,-T,script.ld",
            "stripped, and its linker was given a script",
        ),
        (
            "weak.c -Wl,--icf=all",
            "stripped, and its linker was given --icf=all",
        ),
        (
            "weak.c -Wl,--defsym=foo=bad+4",
            "the linker gave foo another value",
        ),
    ] {
        dir.ok(&format!("$P cc -g {link} -o p && strip p"));
        let output = dir.sh("rm -rf out; $P run p --sym-arg 1 --jobs 1 --time 300 --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{link}:\n{words}");
        assert!(words.contains(why), "{link}:\n{words}");
    }
    // Another linker leaves no word of what it was told.
    dir.ok("$P cc -g weak.c -o p && objcopy --remove-section=.note.package p q");
    for (program, status) in [("p", 0), ("q", 4)] {
        let run = format!(
            "rm -rf out; $P run {program} --sym-arg 1 --jobs 1 --time 300 --strict --out out"
        );
        let output = dir.sh(&run);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{words}");
        assert_eq!(
            words.contains("not linked by polypath cc"),
            status == 4,
            "{words}"
        );
    }
    // Another value than a definition's is not followed, and said to be so.
    dir.ok("$P cc -g weak.c -Wl,--defsym=foo=bad+4 -o p");
    let output = dir.sh("$P run p --sym-arg 1 --jobs 1 --time 300 --out other");
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(
        words.contains("the linker gave foo another value"),
        "{words}"
    );
}

/// Assembly outside of functions gives names a meaning, and the linker folds equal functions, which have one address then.
#[test]
fn names_of_assembly_and_folded_functions_are_those_of_the_binary() {
    const SET: &str = "#include <stdlib.h>\n\
        __attribute__((used)) static int bad(int x) { return x == 'c' ? 7 : 0; }\n\
        __asm__(\".globl foo\\n.set foo, bad\");\n\
        int foo(int);\n\
        int main(int c, char **v) { if (c > 1 && foo(v[1][0]) == 7) abort(); return 0; }\n";
    const OTHER: &str = "__attribute__((weak)) int foo(int x) { return 0; }\n";
    const PLACE: &str = "__asm__(\".globl foo\\nfoo: mov $7, %eax\\nret\\n.size foo, .-foo\\n.type foo, @function\");\n";
    const MAIN: &str = "#include <stdlib.h>\n\
        int foo(int);\n\
        int main(int c, char **v) { if (c > 1 && foo(v[1][0]) == 7) abort(); return 0; }\n";
    const FOLDED: &str = "#include <stdlib.h>\n\
        int one(int x) { return x * 3 + 1; }\n\
        int two(int x) { return x * 3 + 1; }\n\
        int (*const table[])(int) = { one, two };\n\
        int main(int c, char **v) { if (c > 1 && v[1][0] == 'c' && table[0] == table[1]) abort(); return one(1) - two(1); }\n";
    let dir = Dir::new("assembly");
    dir.write("set.c", SET)
        .write("other.c", OTHER)
        .write("place.c", PLACE)
        .write(
            "place.s",
            ".globl foo\nfoo: mov $7, %eax\nret\n.size foo, .-foo\n.type foo, @function\n",
        )
        .write("main.c", MAIN)
        .write("folded.c", FOLDED);
    for (link, aborts) in [
        ("set.c", true),
        ("set.c other.c", true),
        ("folded.c -ffunction-sections", false),
        ("folded.c -ffunction-sections -Wl,--icf=all", true),
        (
            "folded.c -ffunction-sections -Wl,--gc-sections,-z,now,-Bsymbolic,--emit-relocs",
            false,
        ),
    ] {
        dir.ok(&format!("$P cc -g {link} -o p"));
        assert_eq!(
            !dir.sh("./p c").status.success(),
            aborts,
            "{link}: natively"
        );
        let output =
            dir.sh("rm -rf out; $P run p --sym-arg 1 --jobs 1 --time 300 --strict --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code(),
            Some(i32::from(aborts)),
            "{link}:\n{words}"
        );
    }
    // What assembly itself does in the place of a definition is not explored.
    for (link, why) in [
        ("main.c other.c place.c", "defines foo"),
        ("main.c other.c place.s", "foo has a weak definition"),
    ] {
        dir.ok(&format!("$P cc -g {link} -o p"));
        assert!(!dir.sh("./p c").status.success(), "{link}: natively");
        let output = dir.sh("rm -rf out; $P run p --sym-arg 1 --jobs 1 --time 300 --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{link}:\n{words}");
        assert!(words.contains(why), "{link}:\n{words}");
    }
}

/// What runs before and after `main` is what the sections and the entry of the binary say, or the program is refused by name.
#[test]
fn what_runs_beside_main_runs_or_is_refused() {
    const LISTS: &str = "#include <stdlib.h>\n#include <stdio.h>\n\
        #define F(n) static void n(void) { puts(#n); }\n\
        F(f1) F(f2) F(f3) F(f4) F(f5)\n\
        __attribute__((constructor)) static void c1(void) { puts(\"c1\"); }\n\
        __attribute__((constructor(200))) static void c2(void) { puts(\"c2\"); }\n\
        __attribute__((destructor)) static void d1(void) { puts(\"d1\"); }\n\
        __attribute__((section(\".init_array\"), used, aligned(8))) static void (*a[])(void) = { f1, f2 };\n\
        __attribute__((section(\".init_array.150\"), used)) static void (*b)(void) = f3;\n\
        __attribute__((section(\".fini_array\"), used)) static void (*e)(void) = f4;\n\
        __attribute__((section(\".ctors\"), used)) static void (*old)(void) = f5;\n\
        int main(void) { puts(\"main\"); return 0; }\n";
    const HOOKS: &str = "#include <stdio.h>\n\
        #define NO __attribute__((no_instrument_function))\n\
        NO void __cyg_profile_func_enter(void *f, void *c) { puts(\"enter\"); }\n\
        NO void __cyg_profile_func_exit(void *f, void *c) { puts(\"exit\"); }\n\
        static int f(int x) { puts(\"f\"); return x; }\n\
        int main(void) { return f(0); }\n";
    let dir = Dir::new("beside_main");
    dir.write("lists.c", LISTS)
        .write("more.c", &LISTS.replace("int main(void)", "int more(void)"))
        .write(
            "start.c",
            "#include <stdlib.h>\nint main(void) { return 0; }\nvoid _start(void) { abort(); }\n",
        )
        .write(
            "entry.c",
            "#include <stdlib.h>\nint main(void) { return 0; }\nvoid other(void) { abort(); }\n",
        )
        .write("hooks.c", HOOKS)
        .write("piece.c", "__attribute__((section(\".fini\"), used)) static void f(void) { }\nint main(void) { return 0; }\n")
        .write(
            "init.c",
            "#include <stdlib.h>\nvoid other(void) { abort(); }\nint main(void) { return 0; }\n\
            __asm__(\".pushsection .init,\\\"ax\\\"\\ncall other\\n.popsection\");\n",
        );
    dir.ok("$P cc -g lists.c more.c -o lists && ./lists >native && $P run lists --quiet --out out-lists >model && cmp native model");
    // Objects that another compiler made have no bitcode.
    dir.write(
        "plain.c",
        "int main(int c, char **v) { return getppid() == 77; }\n",
    )
    .write(
        "constructor.c",
        "__attribute__((constructor)) static void f(void) { __builtin_abort(); }\n",
    )
    .write("libc.c", "int getppid(void) { return 77; }\n")
    .write("hook.c", "int hook(void) { return 7; }\n")
    .write(
        "asks.c",
        "__attribute__((weak)) int hook(void);\nint main(void) { return hook ? hook() : 0; }\n",
    );
    // One that may be missing is there, so that there is no way past the call.
    dir.ok("clang-19 -c hook.c && $P cc -g asks.c hook.o -o asks && $P cc -g asks.c -o lacks");
    for (program, status, word) in [
        ("asks", 4, "external function hook"),
        ("lacks", 0, "no input"),
    ] {
        let output = dir.sh(&format!(
            "$P run {program} --strict --time 300 --out out-{program}"
        ));
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{words}");
        assert!(words.contains(word), "{words}");
    }
    for (object, why) in [
        (
            "constructor",
            "1 functions run before or after main (.init_array), and 0 of them have bitcode",
        ),
        ("libc", "replaces libc's getppid by its own"),
    ] {
        dir.ok(&format!("clang-19 -c {object}.c && $P cc -g -w -Wno-implicit-function-declaration plain.c {object}.o -o p"));
        assert!(!dir.sh("./p").status.success(), "{object}: natively");
        let output = dir.sh("rm -rf out; $P run p --time 300 --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{object}:\n{words}");
        assert!(words.contains(why), "{object}:\n{words}");
    }
    // What is called around each function is called here, too.
    for flag in [
        "-finstrument-functions",
        "-finstrument-functions-after-inlining",
    ] {
        dir.ok(&format!(
            "$P cc -g hooks.c {flag} -o hooks && ./hooks >native && grep -c enter native | grep -qx 2 && \
             rm -rf out-hooks && $P run hooks --quiet --out out-hooks >model && cmp native model"
        ));
    }
    for (link, why) in [
        ("start.c -nostartfiles", "a _start of its own"),
        ("entry.c -Wl,-e,other", "told to begin at 0x"),
        ("entry.c -e other -s", "told to begin at other"),
        ("init.c", "into section .init,"),
        ("piece.c", "lies in section .fini"),
    ] {
        dir.ok(&format!("$P cc -g {link} -o p"));
        let output = dir.sh("rm -rf out; $P run p --time 300 --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{link}:\n{words}");
        assert!(words.contains(why), "{link}:\n{words}");
    }
}

/// Objects of a section that the program names are one array between its ends, in the linker's order.
#[test]
fn sections_with_names_are_arrays() {
    const HEAD: &str = "struct cmd { const char *name; int (*run)(int); };\n";
    let entry = |name: &str, code: &str| {
        format!(
            "{HEAD}static int run(int x) {{ return {code}; }}\n\
             static struct cmd entry __attribute__((used, retain, section(\"cmds\"))) = {{ \"{name}\", run }};\n"
        )
    };
    let main = format!(
        "{HEAD}extern struct cmd __start_cmds[], __stop_cmds[];\n\
         extern char __start_none[] __attribute__((weak));\n\
         int main(int c, char **v) {{ int s = 0; if (c < 2 || __start_none) return 1;\n\
         for (struct cmd *p = __start_cmds; p < __stop_cmds; p++) s = s * 10 + p->run(v[1][0]);\n\
         if (s == 123 && v[1][0] == 'c') __builtin_abort();\n\
         return v[1][0] == 'd' ? __stop_cmds->run(1) : 0; }}\n"
    );
    let dir = Dir::new("sections");
    dir.write("main.c", &main)
        .write("one.c", &entry("one", "1"))
        .write("two.c", &entry("two", "x == 'z' ? 5 : 2"))
        .write("three.c", &entry("three", "3"));
    for (link, aborts) in [
        ("main.c one.c two.c three.c", true),
        ("main.c one.c two.c three.c -s", true),
        ("main.c one.c two.c three.c -Wl,--gc-sections", true),
        ("one.c two.c three.c main.c", true),
        ("main.c three.c two.c one.c", false),
    ] {
        dir.ok(&format!("$P cc -g {link} -o p"));
        assert_eq!(
            !dir.sh("./p c").status.success(),
            aborts,
            "{link}: natively"
        );
        let output = dir.sh("rm -rf out; $P run p --sym-arg 1 --jobs 1 --time 300 --out out");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{link}:\n{words}");
        // What is behind the last one is no part of the section.
        assert!(words.contains("out_of_bounds: read"), "{link}:\n{words}");
        assert_eq!(words.contains("abort"), aborts, "{link}:\n{words}");
        assert!(
            words.contains("everything was explored"),
            "{link}:\n{words}"
        );
    }
    // Assembly adds to it what nobody here knows.
    dir.write("more.s", ".section cmds,\"aw\"\n.quad 0, main\n");
    dir.ok("$P cc -g main.c one.c two.c three.c more.s -o p");
    let output = dir.sh("$P run p --sym-arg 1 --time 300 --out more");
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(
        words.contains("the linker laid section cmds out"),
        "{words}"
    );
}

/// The joined bitcode of a binary is explored as the binary is.
#[test]
fn extracted_bitcode_runs_like_its_binary() {
    let dir = Dir::new("extracted");
    dir.write(
        "a.c",
        "#include <string.h>\nint main(int c, char **v) { char b[2]; strcpy(b, v[1]); return b[0] == 'x'; }\n",
    );
    dir.ok("$P cc -g a.c -o a && $P extract a -o a.bc");
    let said = |program: &str| {
        let run = format!("$P run {program} --sym-arg 3 --jobs 1 --time 300 --out out-{program}");
        let output = dir.sh(&run);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{words}");
        let told = |l: &&str| {
            ["out_of_bounds", "paths complete", "explored"]
                .iter()
                .any(|w| l.contains(w))
        };
        let lines: Vec<String> = words
            .lines()
            .filter(told)
            .map(|l| l.replace(&format!("out-{program}"), "out"))
            .collect();
        lines.join("\n")
    };
    assert_eq!(said("a.bc"), said("a"));
    let output = dir.sh("$P cc -g a.c -Wl,--defsym=other=main -o b && $P extract b");
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(
        words.contains("(defsym=other=main) is in the binary only"),
        "{words}"
    );
}

#[test]
fn objects_of_another_compiler_are_named_at_the_link_and_a_build_ends_with_what_can_be_explored() {
    let Some(dir) = testkit::engine!("foreign") else {
        return;
    };
    if !testkit::need("gcc") {
        return;
    }
    dir.write(
        "main.c",
        "int f(int); int main(int c, char **v) { return f(c); }\n",
    );
    dir.write("f.c", "int f(int x) { return x + 1; }\n");
    dir.write("g.c", "int g(int x) { return x + 2; }\n");
    dir.write("alone.c", "int main(void) { return 0; }\n");
    dir.write(
        "make.sh",
        // The host's own compiler, by its path, as some builds have it.
        "set -e\n\
         /usr/bin/gcc -O1 -fno-pic -c f.c -o foreign.o\n\
         /usr/bin/gcc -O1 -fno-pic -c alone.c -o alone.o\n\
         cc -c g.c -o g.o\n\
         rm -f libf.a; ar rcs libf.a foreign.o g.o\n\
         cc -c main.c -o main.o\n\
         cc main.o foreign.o -o part\n\
         cc main.o -L. -lf -o archive\n\
         cc alone.o -o nothing\n\
         cc main.o f.c -o whole\n\
         cc main.o f.c -o removed && rm removed\n",
    );
    let ran = dir.polypath(["build", "--", "sh", "make.sh"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let note = |words: &str| {
        ran.stderr
            .lines()
            .filter(|l| l.contains("note:") && l.contains(words))
            .count()
    };
    assert_eq!(note("foreign.o: no bitcode"), 1, "{}", ran.stderr);
    assert_eq!(
        note("libf.a (1 of 2 members): no bitcode"),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(note("alone.o: no bitcode"), 1, "{}", ran.stderr);
    assert_eq!(
        note("nothing in it has bitcode but the run-time library"),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(note("main.o"), 0, "{}", ran.stderr);
    let end: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|l| l.starts_with("polypath build: "))
        .collect();
    assert_eq!(end.len(), 4, "{}", ran.stderr);
    assert!(
        end[0].contains("can be explored: ./whole (polypath run ./whole"),
        "{}",
        ran.stderr
    );
    for (words, line) in [
        "in part: ./part: no bitcode in foreign.o",
        "in part: ./archive: no bitcode in",
        "cannot be explored: ./nothing",
    ]
    .iter()
    .zip(&end[1..])
    {
        assert!(
            line.contains(words) && line.contains("polypath cc"),
            "{words}: {}",
            ran.stderr
        );
    }
    // What it says is so.
    let whole = dir.polypath(["run", "./whole", "--out", "out-whole"]);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let part = dir.polypath(["run", "./part", "--out", "out-part"]);
    assert_eq!(part.code, 4, "{}", part.stderr);
    let nothing = dir.polypath(["run", "./nothing", "--out", "out-nothing"]);
    assert_ne!(nothing.code, 0, "{}", nothing.stderr);
    // And not where nobody wants to know.
    let quiet = dir
        .command()
        .args(["cc", "main.o", "foreign.o", "-o", "quiet"])
        .env("POLYPATH_QUIET", "1")
        .output();
    assert!(quiet.expect("polypath").stderr.is_empty());
}

#[test]
fn headers_give_what_glibcs_give_without_being_asked() {
    let Some(dir) = testkit::engine!("unasked") else {
        return;
    };
    // figlet's own header, in short: it names no <sys/cdefs.h>.
    dir.write(
        "t.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         __BEGIN_DECLS\nextern int f __P((int)) __THROW;\n__END_DECLS\n\
         static __always_inline int g(int x) { return __glibc_likely(x) ? x : 0; }\n\
         int f(int x) { return g(x) + sizeof(__STRING(x)); }\n\
         int main(void) { return f(1) != 3; }\n",
    );
    let built = dir.polypath(["cc", "-Wall", "-Werror", "t.c", "-o", "t"]);
    assert_eq!(built.code, 0, "{}", built.stderr);
    assert_eq!(dir.polypath(["run", "./t", "--out", "out"]).code, 0);
}
