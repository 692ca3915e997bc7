//! Programs that eat memory, each in its own way, under `--memory 300`: the process stays near the cap, the results
//! say what was left out and how much memory it was, and can be read.

use std::fs;
use std::process::Stdio;
use std::time::Duration;
use testkit::{Place, engine};

/// The cap, and what a run may take: some is needed to end what is too large, and to say so.
const CAP_MB: u64 = 300;
const MOST_MB: u64 = 375;

struct Hog {
    name: &'static str,
    options: &'static [&'static str],
    /// Part of what the run says it left out; `None`: a matter of the machine's speed (memory, time or nothing).
    halted: Option<&'static str>,
    program: &'static str,
}

const HOGS: &[Hog] = &[
    Hog {
        name: "symbolic-sizes",
        options: &["--time", "5"],
        halted: None,
        program: "#include <klee/klee.h>\n#include <stdlib.h>\n#include <string.h>\n\
            int main(void) { size_t n[20]; klee_make_symbolic(n, sizeof n, \"n\");\n\
            for (int i = 0; i < 20; i++) { char *p = malloc(n[i]); if (p) memset(p, i + 1, n[i]); } return 0; }",
    },
    Hog {
        name: "symbolic-array",
        options: &[],
        halted: Some("memory"),
        program: "#include <klee/klee.h>\nstatic char a[100 << 20];\n\
            int main(void) { klee_make_symbolic(a, sizeof a, \"a\"); return a[5] == 3; }",
    },
    Hog {
        name: "global",
        options: &[],
        halted: Some("memory"),
        program: "static char g[1500u << 20];\n\
            int main(int c, char **v) { for (unsigned long i = 0; i < sizeof g; i += 512) g[i] = i >> 9; return g[c]; }",
    },
    Hog {
        name: "file",
        options: &[],
        halted: Some("output"),
        program: "#include <stdio.h>\n\
            int main(void) { FILE *f = fopen(\"out\", \"w\"); char b[4096] = {1}; for (;;) fwrite(b, 1, sizeof b, f); }",
    },
    Hog {
        name: "output",
        options: &[],
        halted: Some("output"),
        program: "#include <klee/klee.h>\n#include <stdio.h>\n\
            int main(void) { int x; klee_make_symbolic(&x, 4, \"x\"); if (x == 7) for (;;) puts(\"hello\"); return 0; }",
    },
    Hog {
        name: "heap",
        options: &[],
        halted: Some("memory"),
        program: "#include <stdlib.h>\n\
            int main(void) { for (;;) { char *p = malloc(1000); if (!p) return 1; p[0] = 1; p[999] = 2; } }",
    },
    Hog {
        name: "small-objects",
        options: &[],
        halted: Some("memory"),
        program: "#include <stdlib.h>\n\
            int main(void) { void **h = 0; for (;;) { void **p = malloc(16); if (!p) return 1; *p = h; h = p; } }",
    },
    Hog {
        name: "mappings",
        options: &[],
        halted: Some("memory"),
        program: "#include <sys/mman.h>\n\
            int main(void) { for (;;) { char *p = mmap(0, 1ul << 30, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n\
            if (p == MAP_FAILED) return 1; for (long i = 0; i < 1l << 30; i += 512) p[i] = 1 + i / 512; } }",
    },
    Hog {
        name: "copies",
        options: &["--mode", "concolic"],
        halted: Some("memory"),
        program: "#include <stdlib.h>\n#include <string.h>\nstatic char from[1 << 20];\n\
            int main(int c, char **v) { from[7] = c; for (;;) { char *p = malloc(1 << 20); if (!p) return 1;\n\
            memcpy(p + 1, from, (1 << 20) - 1); } }",
    },
    Hog {
        name: "terms",
        options: &[],
        halted: Some("memory"),
        program: "#include <klee/klee.h>\n\
            int main(void) { unsigned x, y; klee_make_symbolic(&x, 4, \"x\"); klee_make_symbolic(&y, 4, \"y\");\n\
            if (y == 9) return 1; for (;;) { x = x * y + (x >> 3); y = y ^ x * 5; } }",
    },
    Hog {
        name: "random-file",
        options: &[],
        halted: Some("memory"),
        program: "#include <fcntl.h>\n#include <unistd.h>\nstatic char b[1u << 30];\n\
            int main(void) { int f = open(\"/dev/urandom\", O_RDONLY); for (long i = 0; i < 1l << 30;) {\n\
            long k = read(f, b + i, (1l << 30) - i); if (k <= 0) return 1; i += k; } return 0; }",
    },
    Hog {
        name: "states",
        options: &["--time", "3"],
        halted: Some("time"),
        program: "#include <klee/klee.h>\n\
            int main(void) { unsigned char a[4000], b[4000]; klee_make_symbolic(a, sizeof a, \"a\"); int s = 0;\n\
            for (int i = 0; i < 4000; i++) { b[i] = i; if (a[i] > 100) s++; } return s + b[s]; }",
    },
];

/// The most memory in MB that a process has had since its program began. (What `wait4` tells counts what the process was
/// before that, too: a copy of this one, with the memory of all tests.)
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes >> 10)
}

/// The processes that one has started.
fn children(pid: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect()
}

/// Runs to the end: exit status, and the most memory in MB that the process or one of its children had.
fn run(dir: &Place, args: &[&str]) -> (i32, u64, String) {
    let said = fs::File::create(dir.join("said")).unwrap();
    let mut child = dir
        .command()
        .arg("run")
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .expect("polypath starts");
    let mut most = 0;
    let status = loop {
        let seen = std::iter::once(child.id()).chain(children(child.id()));
        most = seen.filter_map(peak).fold(most, u64::max);
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let code = status.code();
    let said = fs::read_to_string(dir.join("said")).unwrap();
    let code = code.unwrap_or_else(|| panic!("killed: {status}: {said}"));
    (code, most, said)
}

fn check(hog: &Hog, dir: &Place) -> Result<(), String> {
    dir.write("hog.c", hog.program);
    let cap = CAP_MB.to_string();
    let mut args = vec!["--out", "out", "--memory", &cap];
    if !hog.options.contains(&"--time") {
        args.extend(["--time", "300"]);
    }
    args.extend(hog.options);
    args.push("hog.c");
    let (code, most, said) = run(dir, &args);
    let stats =
        fs::read(dir.join("out/stats.json")).map_err(|e| format!("no results: {e}: {said}"))?;
    let stats: serde_json::Value = serde_json::from_slice(&stats).map_err(|e| e.to_string())?;
    let mut problems = Vec::new();
    testcase::read::tests(&dir.join("out/tests"), &mut problems).map_err(|e| e.to_string())?;
    let claimed = stats["memory_max_mb"].as_f64().unwrap_or(0.0);
    let halted = stats["halted"].as_str().unwrap_or("");
    let told = match hog.halted {
        Some(text) => halted.contains(text),
        None => true,
    };
    // What is claimed is of the whole tree; the system's figure is of the largest process in it.
    let is_true = claimed >= 0.9 * most as f64 && claimed <= MOST_MB as f64;
    // A path that memory ended may have been the only one.
    if !matches!(code, 0 | 4) || most > MOST_MB || !told || !is_true || !problems.is_empty() {
        return Err(format!(
            "status {code}, {most} MB, claimed {claimed}, halted {halted:?}, {problems:?}\n{said}"
        ));
    }
    Ok(())
}

#[test]
fn hogs_end_below_the_cap() {
    let mut failures = Vec::new();
    for hog in HOGS {
        let Some(dir) = engine!(hog.name) else { return };
        if let Err(why) = check(hog, &dir) {
            failures.push(format!("{}: {why}", hog.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn input_that_does_not_fit_is_refused_by_name() {
    let Some(dir) = engine!("input") else { return };
    fs::write(dir.join("read.c"), "int main(void) { return 0; }").unwrap();
    let (code, most, said) = run(
        &dir,
        &["--memory", "300", "--sym-stdin", "100000000", "read.c"],
    );
    assert_ne!(code, 0);
    assert!(said.contains("too large for --memory"), "{said}");
    assert!(most < MOST_MB, "{most} MB");
}

/// 2048 paths, of whose states a third fits: breadth first search has all of them at once.
const WIDE: &str = "#include <klee/klee.h>\nint main(void) { char s[11]; static char big[1 << 16]; unsigned n = 0;\n\
    klee_make_symbolic(s, sizeof s, \"s\"); for (int i = 0; i < 11; i++) { if (s[i] == 'x') n += i;\n\
    for (unsigned k = 0; k < sizeof big; k += 512) big[k] = i + n; } return n == 5; }";

#[test]
fn states_that_memory_drops_at_random_leave_their_tests() {
    let Some(dir) = engine!("random-drop") else {
        return;
    };
    dir.write("wide.c", WIDE);
    let drop = ["--memory-policy", "drop", "--memory", "96", "--jobs", "1"];
    let args = [&drop[..], &["--search", "bfs", "--out", "out", "wide.c"]].concat();
    let (code, _, said) = run(&dir, &args);
    assert!(matches!(code, 0 | 4), "{code}: {said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    let ended = |how: &str| stats["endings"][how].as_u64().unwrap_or(0);
    let (dropped, whole) = (ended("dropped at random"), ended("exit"));
    assert!(dropped > 0 && dropped + whole < 2048, "{stats}");
    assert_eq!(stats["states_spilled"], 0, "{stats}");
    let killed = dropped + ended("memory");
    assert_eq!(stats["memory_killed"], killed, "{stats}");
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("out/tests"), &mut problems).expect("tests");
    assert_eq!(tests.len() as u64, killed + whole, "{stats}");
    let words = format!("{dropped} paths dropped at random for memory");
    assert!(said.contains(&words), "{said}");
}

#[test]
fn concolic_mode_has_no_states_to_drop() {
    let Some(dir) = engine!("concolic-drop") else {
        return;
    };
    dir.write("wide.c", WIDE);
    let args = ["--memory-policy", "drop", "--mode", "concolic", "wide.c"];
    let (code, _, said) = run(&dir, &args);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("only with --mode fork"), "{said}");
}
