//! Guards: the tools and rights that a test needs on its machine.
//!
//! Rust's test harness knows no test that decides at run time not to run: whoever returns early has passed. So a
//! skipped test says `skipped: TEST: WHY` in a line of its own, which `./x test` counts and takes off the passed ones.
//! The line is written to standard error directly, because the harness captures only what the print macros write.
//!
//! With `POLYPATH_REQUIRE=1` in the environment (`./x test` and `.ci/run` set it) a missing tool is a failure.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A tool that some test needs.
struct Tool {
    name: &'static str,
    is_there: fn() -> bool,
    /// How it is installed.
    install: &'static str,
}

/// All of them. To add one: a row, and its package in `run_tests` of the script `x`.
const TOOLS: &[Tool] = &[
    Tool {
        name: "clang-19",
        is_there: || in_path("clang-19"),
        install: "apt-get install clang-19 lld-19 llvm-19 libllvm19",
    },
    Tool {
        name: "sanitizers",
        is_there: || {
            // The versions of the package differ in where it lies.
            let lib = Path::new("/usr/lib/llvm-19/lib/clang/19/lib");
            [
                "linux/libclang_rt.asan-x86_64.a",
                "x86_64-pc-linux-gnu/libclang_rt.asan.a",
            ]
            .iter()
            .any(|file| lib.join(file).is_file())
        },
        install: "apt-get install libclang-rt-19-dev",
    },
    Tool {
        name: "gcc",
        is_there: || in_path("gcc"),
        install: "apt-get install gcc libc6-dev",
    },
    Tool {
        name: "g++",
        is_there: || in_path("g++"),
        install: "apt-get install g++",
    },
    Tool {
        name: "cmake",
        is_there: || in_path("cmake"),
        install: "apt-get install cmake",
    },
    Tool {
        name: "csmith",
        is_there: || in_path("csmith") && Path::new("/usr/include/csmith/csmith.h").is_file(),
        install: "apt-get install csmith libcsmith-dev",
    },
    Tool {
        name: "java",
        is_there: || in_path("javac") && Path::new("/usr/share/java/asm-tree.jar").is_file(),
        install: "apt-get install openjdk-17-jdk-headless libasm-java",
    },
    Tool {
        name: "junit4",
        is_there: || Path::new("/usr/share/java/junit4.jar").is_file(),
        install: "apt-get install junit4",
    },
    Tool {
        name: "junit5",
        is_there: || Path::new("/usr/share/java/junit-platform-console.jar").is_file(),
        install: "apt-get install junit5",
    },
    Tool {
        name: "namespaces",
        is_there: || {
            let all = ["--user", "--mount", "--pid", "--net", "--ipc"];
            let mut command = Command::new("unshare");
            command
                .args(all)
                .args(["--fork", "--map-root-user", "true"]);
            command.stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        },
        install: "apt-get install util-linux; sysctl user.max_user_namespaces=10000; outside of a container that forbids them",
    },
    Tool {
        name: "chromium",
        is_there: || in_path("chromium"),
        install: "apt-get install chromium",
    },
    Tool {
        name: "llvm-22",
        is_there: || crate::llvm_22().is_some(),
        install: "rustup toolchain install 1.95.0, or apt-get install libllvm22",
    },
    Tool {
        name: "rustc",
        is_there: || in_path("rustc"),
        install: "see rustup.rs",
    },
];

fn in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Whether the tool is installed. If it is not, the test is counted as skipped and has to return; with
/// `POLYPATH_REQUIRE=1` it fails here.
///
/// # Panics
///
/// If the tool is required and missing, and for a name that is not in the table of tools.
#[track_caller]
pub fn need(name: &str) -> bool {
    let Some(tool) = TOOLS.iter().find(|t| t.name == name) else {
        panic!("'{name}' has no row in testkit's table of tools");
    };
    let is_there = (tool.is_there)();
    if let Some(line) = missing(tool, is_there, is_required()) {
        skip(&line);
    }
    is_there
}

/// Why a test is skipped, if it is.
#[track_caller]
fn missing(tool: &Tool, is_there: bool, is_required: bool) -> Option<String> {
    let Tool { name, install, .. } = tool;
    assert!(
        is_there || !is_required,
        "{name} is not installed, and POLYPATH_REQUIRE is set: {install}"
    );
    (!is_there).then(|| format!("{name} is not installed ({install})"))
}

fn is_required() -> bool {
    std::env::var_os("POLYPATH_REQUIRE").is_some_and(|v| !v.is_empty() && v != "0")
}

/// Counts the running test as skipped; it has to return. For what stays optional, and for what no installation
/// changes: rights, features of the kernel.
pub fn skip(why: &str) {
    // A standard error that is closed has no reader who counts.
    let _ = std::io::stderr().write_all(line(why).as_bytes());
}

/// The line that `./x test` counts.
fn line(why: &str) -> String {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("main");
    format!(
        "skipped: {}::{test}: {}\n",
        package(),
        why.replace('\n', " ")
    )
}

/// Whose test it is: Cargo says so where it runs the test. Else the name of the binary, which several crates have.
fn package() -> String {
    let of_cargo = std::env::var("CARGO_PKG_NAME");
    of_cargo.unwrap_or_else(|_| {
        let binary = std::env::current_exe().ok();
        let stem = binary.as_deref().and_then(Path::file_stem);
        let stem = stem.unwrap_or_default().to_string_lossy();
        // Cargo appends a hash.
        let name = stem.rsplit_once('-').map_or(&*stem, |(name, _)| name);
        name.replace('_', "-")
    })
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, line, missing, need};

    #[test]
    fn a_missing_tool_is_named_and_a_required_one_fails() {
        let tool = &TOOLS[0];
        assert_eq!(missing(tool, true, true), None);
        assert_eq!(missing(tool, true, false), None);
        let why = missing(tool, false, false).expect("a reason");
        assert!(why.starts_with("clang-19 is not installed"), "{why}");
        let failed = std::panic::catch_unwind(|| missing(tool, false, true));
        let words = failed.expect_err("a failure");
        let words = words.downcast_ref::<String>().expect("words");
        assert!(words.contains("apt-get install clang-19"), "{words}");
    }

    #[test]
    fn a_line_names_package_and_test() {
        let line = line("two\nlines");
        assert!(line.starts_with("skipped: polypath-testkit::"), "{line}");
        assert!(
            line.contains("::a_line_names_package_and_test: two lines\n"),
            "{line}"
        );
    }

    #[test]
    #[should_panic(expected = "no row")]
    fn a_tool_without_a_row_is_a_mistake() {
        need("no-such-tool");
    }
}
