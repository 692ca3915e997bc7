//! Inputs whose size is open: small readers of standard input and of a file, in every way in which a program can read, against the
//! native program on all inputs of all sizes. A path's output says what was decided on it, so both print the same set of lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::{Place, Random, engine};

/// The most bytes of an input.
const LEN: usize = 3;
/// One byte of each class that the readers tell apart.
const CLASSES: &[u8] = b"ab\n.\0";

/// The ways to read: each defines `n`, the number of bytes that were read into `b`, from descriptor or stream.
const WAYS: &[(&str, &str)] = &[
    (
        "read by one",
        "while (n < 16 && read(fd, b + n, 1) == 1) n++;",
    ),
    (
        "read by two",
        "for (long k; n < 16 && (k = read(fd, b + n, 2)) > 0; n += k) note(k);",
    ),
    ("read", "n = read(fd, b, 16); note(read(fd, b, 1));"),
    ("fread", "n = fread(b, 1, 16, f); note(feof(f) != 0);"),
    (
        "fread of words",
        "n = 2 * fread(b, 2, 8, f); note(feof(f) != 0);",
    ),
    (
        "getc",
        "for (int c; n < 16 && (c = getc(f)) != EOF; ) b[n++] = c;",
    ),
    (
        "fgets",
        "char l[4]; while (fgets(l, 3, f)) { note(strlen(l)); for (char *p = l; *p && n < 16; p++) b[n++] = *p; }",
    ),
    ("one byte", "int k = getc(f); if (k != EOF) b[n++] = k;"),
];

/// The ways that only a file has.
const FILE_WAYS: &[(&str, &str)] = &[
    (
        "size",
        "struct stat s; fstat(fd, &s); n = s.st_size; note(n > 1); pread(fd, b, n, 0);",
    ),
    (
        "seek",
        "n = lseek(fd, 0, SEEK_END); lseek(fd, 0, SEEK_SET); read(fd, b, n);",
    ),
    (
        "map",
        "struct stat s; fstat(fd, &s); n = s.st_size; if (n) { char *p = mmap(0, n, PROT_READ, MAP_PRIVATE, fd, 0); for (int i = 0; i < n; i++) b[i] = p[i]; }",
    ),
];

/// A reader: notes what it decides on, and prints it.
fn program(read: &str, random: &mut Random) -> String {
    let mut tests = String::new();
    for _ in 0..1 + random.below(3) {
        let class = ["'a'", "'b'", "'\\n'"][random.below(3) as usize];
        let (at, count) = (random.below(LEN as u64), 1 + random.below(LEN as u64));
        tests += &match random.below(3) {
            0 => format!("if (n > {at}) {{ if (b[{at}] == {class}) note(7); else note(8); }}\n"),
            1 => format!("if (n == {count}) note(9);\n"),
            _ => format!(
                "for (int i = 0; i < n; i++) if (b[i] == {class}) {{ note(i + 10); break; }}\n"
            ),
        };
    }
    format!(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
         static unsigned h; static void note(unsigned k) {{ h = h * 31 + k + 1; }}\n\
         int main(int c, char **v) {{ FILE *f = c > 1 ? fopen(v[1], \"rb\") : stdin; if (!f) return 9;\n\
         int fd = fileno(f); long n = 0; char b[32] = {{ 0 }}; (void)fd;\n{read}\n{tests}\
         printf(\"%u\\n\", h); return 0; }}\n"
    )
}

/// What the native program prints on an input.
fn native(binary: &Path, input: &Path, is_file: bool) -> Vec<u8> {
    let mut command = Command::new(binary);
    if is_file {
        command.arg(input).stdin(Stdio::null());
    } else {
        command.stdin(fs::File::open(input).expect("the input"));
    }
    command.output().expect("it runs").stdout
}

/// All inputs of these sizes, a byte of each class at each place.
fn inputs(sizes: &[usize]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for &size in sizes {
        for mut number in 0..CLASSES.len().pow(size as u32) {
            let digit = |_| {
                let byte = CLASSES[number % CLASSES.len()];
                number /= CLASSES.len();
                byte
            };
            all.push((0..size).map(digit).collect());
        }
    }
    all
}

fn explored(dir: &Place, input: &[&str]) -> BTreeSet<Vec<u8>> {
    if dir.join("out").exists() {
        fs::remove_dir_all(dir.join("out")).expect("the last results");
    }
    let first = ["run", "p.c", "--jobs", "1", "--out", "out"];
    let ran = dir.polypath([&first, input].concat());
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(
        ran.text().contains("everything was explored"),
        "{}",
        ran.text()
    );
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("out/tests"), &mut problems).expect("tests");
    assert_eq!(problems, Vec::<String>::new());
    tests.into_iter().map(|t| t.expected.stdout).collect()
}

#[test]
fn inputs_of_all_sizes_are_explored() {
    let Some(dir) = engine!("readers") else {
        return;
    };
    let mut random = Random::new(11);
    let seen = |is_file: bool| WAYS.iter().chain(if is_file { FILE_WAYS } else { &[] });
    let whole: Vec<usize> = (0..=LEN).collect();
    // Each way with one of the options, and one of the modes; all options occur with each input.
    let options: [(&[&str], &[usize]); 4] = [
        (&[], &whole),
        (&["--sym-size"], &whole),
        (&["--sym-empty"], &[0, LEN]),
        (&["--sym-exact"], &[LEN]),
    ];
    let mut turn = 0;
    for is_file in [false, true] {
        for (name, read) in seen(is_file) {
            let text = program(read, &mut random);
            dir.write("p.c", &text);
            let made = Command::new("cc")
                .args(["-w", "-O1", "-o"])
                .arg(dir.join("native"))
                .arg(dir.join("p.c"))
                .status();
            assert!(made.expect("a compiler").success(), "{text}");
            let (option, sizes) = options[if turn % 2 == 0 { 0 } else { turn / 2 % 4 }];
            let mode = ["fork", "concolic"][turn / 3 % 2];
            turn += 1;
            let expected: BTreeSet<Vec<u8>> = inputs(sizes)
                .iter()
                .map(|input| {
                    dir.write("input", input);
                    native(&dir.join("native"), &dir.join("input"), is_file)
                })
                .collect();
            let length = LEN.to_string();
            let from: &[&str] = if is_file {
                &["--sym-files", "1", &length, "--", "A"]
            } else {
                &["--sym-stdin", &length]
            };
            let found = explored(&dir, &[&["--mode", mode], option, from].concat());
            assert_eq!(found, expected, "{name} {option:?} {mode}\n{text}");
        }
    }
}
