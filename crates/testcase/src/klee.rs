//! A test case as a `.ktest` that KLEE's own tools (ktest-tool, klee-replay) accept.
//!
//! klee-replay runs `klee_init_env` over the header arguments and takes the objects strictly in the
//! order in which that function asks for them: per symbolic argument `argNN` (LEN+1 bytes), before
//! a `--sym-args` group `n_args`, then `A_data`, `A_data_stat` …, `stdin`, `stdin_stat`, `stdout`,
//! `stdout_stat`, `model_version`. So header and objects are generated together, per test; objects
//! that the engine did not make (the `stat` ones) are filled in from the file's description.
//!
//! Things that the format cannot express (files of different sizes, empty concrete arguments, other file names …) are
//! listed in [`KleeTest::limits`]; the test's directory is authoritative.

use crate::ktest::KTest;
use crate::model::{FileSpec, TestCase};

/// The result of [`to_ktest`].
pub struct KleeTest {
    /// The test in KLEE's format.
    pub ktest: KTest,
    /// Why KLEE's tools will not run the test exactly as we did; empty when they will.
    pub limits: Vec<String>,
}

/// Size of `struct stat` on x86-64 Linux.
const STAT_SIZE: usize = 144;
/// The size of KLEE's symbolic standard output.
const STDOUT_SIZE: usize = 1024;

/// Converts a test.
pub fn to_ktest(test: &TestCase) -> KleeTest {
    let inputs = &test.objects[..(test.input_objects as usize).min(test.objects.len())];
    let mut out = KleeTest {
        ktest: KTest::default(),
        limits: Vec::new(),
    };
    arguments(test, inputs, &mut out);
    files(test, inputs, &mut out);
    // The program's own objects come last: it makes them after its environment was set up.
    let own = &test.objects[inputs.len()..];
    for (name, data) in own {
        push(&mut out, name, data);
    }
    if out
        .ktest
        .objects
        .iter()
        .any(|(name, data)| name.is_empty() || data.is_empty())
    {
        out.limits.push("an object has no bytes or no name".into());
    }
    if !out.ktest.args.iter().all(|a| a.is_ascii()) {
        out.limits.push("an argument is not ASCII".into());
    }
    out
}

fn push(out: &mut KleeTest, name: &str, data: &[u8]) {
    out.ktest
        .objects
        .push((vocab::bytes_of(name), data.to_vec()));
}

/// Header arguments for `argv`, and the objects of the symbolic ones.
///
/// Which arguments are symbolic follows from the objects: they are matched to `argv` in order, by
/// value (so a wrong match cannot change the argument vector that a replay builds).
fn arguments(test: &TestCase, inputs: &[(String, Vec<u8>)], out: &mut KleeTest) {
    let program = test.args.first().map_or(&b"program"[..], |a| a);
    out.ktest.args.push(program.to_vec());
    let mut objects = inputs
        .iter()
        .filter(|(n, _)| is_n_args(n) || is_arg(n))
        .peekable();
    let mut argv = test.args.iter().skip(1).peekable();
    // Arguments still to come from the current `--sym-args` group.
    let mut group: u32 = 0;
    loop {
        if let Some((name, data)) = objects.peek().filter(|(n, _)| is_n_args(n)) {
            // Copy the concrete arguments that precede the group's first member.
            let count = little_endian(data);
            let mut ahead = objects.clone();
            ahead.next();
            let members: Vec<_> = ahead
                .take(count as usize)
                .filter(|(n, _)| is_arg(n))
                .collect();
            if let Some((_, first)) = members.first() {
                while let Some(arg) = argv.next_if(|a| a.as_slice() != c_string(first)) {
                    concrete(out, arg);
                }
            }
            let len = members
                .iter()
                .map(|(_, d)| d.len().saturating_sub(1))
                .max()
                .unwrap_or(1);
            if members.iter().any(|(_, d)| d.len() != len + 1) {
                out.limits
                    .push("symbolic arguments of one group differ in length".into());
            }
            // `n_args` is an object only if the range has two values or more.
            option(
                out,
                &[
                    "--sym-args",
                    "0",
                    &count.max(1).to_string(),
                    &len.to_string(),
                ],
            );
            push(out, name, data);
            group = members.len() as u32;
            objects.next();
            continue;
        }
        match (objects.peek(), argv.peek()) {
            (Some((name, data)), Some(arg)) if c_string(data) == arg.as_slice() => {
                if group == 0 {
                    option(
                        out,
                        &["--sym-arg", &(data.len().saturating_sub(1)).to_string()],
                    );
                } else {
                    group -= 1;
                }
                push(out, name, data);
                objects.next();
                argv.next();
            }
            (_, Some(arg)) => {
                if group > 0 {
                    out.limits
                        .push("a concrete argument stands inside a symbolic group".into());
                }
                concrete(out, arg);
                argv.next();
            }
            (Some((name, data)), None) => {
                out.limits
                    .push(format!("object {name} is not an argument of the program"));
                push(out, name, data);
                objects.next();
            }
            (None, None) => break,
        }
    }
}

fn concrete(out: &mut KleeTest, arg: &[u8]) {
    if arg.is_empty() {
        out.limits.push("an empty concrete argument".into());
    }
    out.ktest.args.push(arg.to_vec());
}

fn option(out: &mut KleeTest, words: &[&str]) {
    out.ktest
        .args
        .extend(words.iter().map(|w| w.as_bytes().to_vec()));
}

/// `--sym-files`, `--sym-stdin`, `--sym-stdout` and their objects.
fn files(test: &TestCase, inputs: &[(String, Vec<u8>)], out: &mut KleeTest) {
    let find = |name: &str| {
        inputs
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, d)| d.as_slice())
    };
    let letters: Vec<char> = ('A'..='Z')
        .take_while(|c| find(&format!("{c}_data")).is_some())
        .collect();
    let stdin = find("stdin");
    let stdout = find("stdout");
    if letters.is_empty() && stdin.is_none() && stdout.is_none() {
        if test.stdin.is_some() {
            out.limits.push("standard input is concrete".into());
        }
        if !test.files.is_empty() {
            out.limits.push("files are concrete".into());
        }
        return;
    }
    let spec = |name: &str| test.files.iter().find(|f| f.path == name);
    if !letters.is_empty() {
        let sizes: Vec<usize> = letters
            .iter()
            .map(|c| find(&format!("{c}_data")).map_or(0, <[u8]>::len))
            .collect();
        let size = sizes.iter().copied().max().unwrap_or(0);
        if sizes.iter().any(|s| *s != size) {
            out.limits.push("symbolic files differ in size".into());
        }
        option(
            out,
            &["--sym-files", &letters.len().to_string(), &size.to_string()],
        );
        for c in &letters {
            let name = format!("{c}_data");
            let data = find(&name).unwrap_or_default();
            push(out, &name, data);
            let stat = format!("{name}_stat");
            push_stat(out, &stat, find(&stat), spec(&c.to_string()), data.len());
        }
    }
    if let Some(data) = stdin {
        option(out, &["--sym-stdin", &data.len().to_string()]);
        push(out, "stdin", data);
        push_stat(out, "stdin_stat", find("stdin_stat"), None, data.len());
    } else if test.stdin.is_some() {
        out.limits.push("standard input is concrete".into());
    }
    if let Some(data) = stdout {
        option(out, &["--sym-stdout"]);
        let mut padded = data.to_vec();
        padded.resize(STDOUT_SIZE, 0);
        push(out, "stdout", &padded);
        push_stat(out, "stdout_stat", find("stdout_stat"), None, STDOUT_SIZE);
    }
    let others = test
        .files
        .iter()
        .any(|f| !letters.iter().any(|c| f.path == c.to_string()));
    if others {
        out.limits.push("further files beside A, B, …".into());
    }
    push(
        out,
        "model_version",
        find("model_version").unwrap_or(&[1, 0, 0, 0]),
    );
}

fn push_stat(
    out: &mut KleeTest,
    name: &str,
    given: Option<&[u8]>,
    spec: Option<&FileSpec>,
    size: usize,
) {
    match given {
        Some(data) if data.len() == STAT_SIZE => push(out, name, data),
        _ => push(out, name, &stat(spec, size)),
    }
}

/// A `struct stat` for a regular file.
fn stat(spec: Option<&FileSpec>, size: usize) -> [u8; STAT_SIZE] {
    let mut s = [0; STAT_SIZE];
    let mut put = |at: usize, bytes: &[u8]| s[at..at + bytes.len()].copy_from_slice(bytes);
    let mode = match spec.map_or(0, |f| f.mode) {
        0 => libc::S_IFREG | 0o644,
        m if m & libc::S_IFMT == 0 => libc::S_IFREG | m,
        m => m,
    };
    let (atime, mtime) = spec.map_or((0, 0), |f| (f.atime, f.mtime));
    put(0, &1u64.to_le_bytes()); // st_dev
    put(8, &1u64.to_le_bytes()); // st_ino
    put(16, &1u64.to_le_bytes()); // st_nlink
    put(24, &mode.to_le_bytes());
    put(48, &(size as i64).to_le_bytes());
    put(56, &4096i64.to_le_bytes()); // st_blksize
    put(64, &8i64.to_le_bytes()); // st_blocks
    put(72, &atime.to_le_bytes());
    put(88, &mtime.to_le_bytes());
    put(104, &mtime.to_le_bytes()); // st_ctime
    s
}

fn c_string(data: &[u8]) -> &[u8] {
    data.split(|b| *b == 0).next().unwrap_or_default()
}

fn little_endian(data: &[u8]) -> u32 {
    data.iter()
        .take(4)
        .rev()
        .fold(0, |n, b| n << 8 | u32::from(*b))
}

fn is_n_args(name: &str) -> bool {
    name.starts_with("n_args")
}

fn is_arg(name: &str) -> bool {
    name.strip_prefix("arg")
        .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}
