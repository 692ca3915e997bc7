//! LLVM 19 of an installation that brings it along: the wheel, which needs no packages of a distribution.
//!
//! What passes over bitcode is LLVM's own programs and library, copied from a release of Rust, which are made for old systems. The compiler and the
//! linker are those of PyPI's package `ziglang`, whose program `zig` has clang and lld of LLVM 19 within it: `zig clang` is clang's own driver, without the flags,
//! cache and run-time checks that `zig cc` adds, and `zig ld.lld` is lld. To the rest of Polypath both are programs by the names of LLVM's: scripts
//! ([`LAUNCHERS`]) beside the copied programs.

use std::path::{Path, PathBuf};

/// The folder of the bundled LLVM below [`host::installed::FOLDER`]: `bin` and `lib`.
pub const FOLDER: &str = "llvm";

/// Names zig's program. The wheel's command sets it to that of its own Python.
pub const ZIG_VARIABLE: &str = "POLYPATH_ZIG";

/// The package of PyPI and its version that has LLVM 19: clang 19.1.7.
pub const ZIG_PACKAGE: &str = "ziglang==0.14.1";

/// The scripts that stand for programs of LLVM: their names, and what `zig` is given before the arguments.
const LAUNCHERS: [(&str, &str); 3] = [
    // Headers of the compiler's own, such as <stddef.h>: zig has them elsewhere than clang looks.
    ("clang-19", "clang -resource-dir \"${zig%/*}/lib\""),
    (
        "clang++-19",
        "clang --driver-mode=g++ -resource-dir \"${zig%/*}/lib\"",
    ),
    ("ld.lld-19", "ld.lld"),
];

/// The programs of LLVM that are copied, by the names without a version.
pub const PROGRAMS: [&str; 7] = [
    "llvm-ar",
    "llvm-as",
    "llvm-dis",
    "llvm-link",
    "llvm-nm",
    "llvm-ranlib",
    "opt",
];

/// The release of Rust whose LLVM is copied (its component `llvm-tools`, and the library of its compiler): the last one with LLVM 19.
pub const RUST_RELEASE: &str = "1.86.0";

/// The library, by the name that LLVM itself gives it: each looks for it by that.
pub const LIBRARY: &str = "libLLVM.so.19.1";

/// The scripts by name, for who packs an installation. They look for zig where the variable says, else among the packages of the Python
/// that this installation is a package of: `ziglang` beside `polypath`.
pub fn launchers() -> impl Iterator<Item = (&'static str, String)> {
    LAUNCHERS.iter().map(|&(name, arguments)| {
        let text = format!(
            "#!/bin/sh\n\
             # {name}, by the program of PyPI's package ziglang.\n\
             zig=${{{ZIG_VARIABLE}:-${{0%/*}}/../../../../../ziglang/zig}}\n\
             if [ ! -x \"$zig\" ]; then\n    \
             echo \"polypath: the compiler is missing ($zig): pip install {ZIG_PACKAGE}\" >&2\n    \
             exit 127\n\
             fi\n\
             exec \"$zig\" {arguments} \"$@\"\n"
        );
        (name, text)
    })
}

/// The directory of the bundled programs; `None` for an installation without them.
pub fn programs() -> Option<PathBuf> {
    folder("bin")
}

/// The bundled library of LLVM; `None` for an installation without it.
pub fn library() -> Option<PathBuf> {
    Some(folder("lib")?.join(LIBRARY)).filter(|path| path.is_file())
}

fn folder(name: &str) -> Option<PathBuf> {
    let parts = host::installed::folder()?;
    Some(parts.join(FOLDER).join(name)).filter(|path| path.is_dir())
}

/// Whether a program is one of the bundle.
pub fn is_ours(program: &Path) -> bool {
    programs().is_some_and(|dir| program.starts_with(dir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Output};

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// By a shell: a program that was written just now may still be open in a child that another test forks.
    fn ran(script: &Path, zig: Option<&Path>) -> Output {
        let mut command = Command::new("sh");
        command.arg(script).args(["-c", "a b.c"]);
        match zig {
            Some(zig) => command.env(ZIG_VARIABLE, zig),
            None => command.env_remove(ZIG_VARIABLE),
        };
        command.output().unwrap()
    }

    #[test]
    fn each_tool_is_a_copied_program_or_a_script() {
        for tool in crate::tools::Tool::ALL {
            let name = tool.program();
            let is_script = launchers().any(|(script, _)| script == name);
            let is_copied = PROGRAMS.contains(&name.trim_end_matches("-19"));
            assert!(is_script || is_copied, "{name}");
        }
    }

    #[test]
    fn the_compiler_is_that_of_the_package_beside_ours_or_the_one_that_is_named() {
        let site = tempfile::tempdir().unwrap();
        let bin = site.path().join("polypath/lib/polypath/llvm/bin");
        for (name, text) in launchers() {
            write(&bin.join(name), &text);
        }
        let clang = bin.join("clang++-19");
        let missing = ran(&clang, None);
        let words = String::from_utf8(missing.stderr).unwrap();
        assert_eq!(missing.status.code(), Some(127), "{words}");
        assert!(words.contains("pip install ziglang==0.14.1"), "{words}");
        let zig = "#!/bin/sh\nfor word; do echo \"$word\"; done\n";
        write(&site.path().join("ziglang/zig"), zig);
        let said = String::from_utf8(ran(&clang, None).stdout).unwrap();
        let words: Vec<&str> = said.lines().collect();
        assert_eq!(words[..2], ["clang", "--driver-mode=g++"]);
        assert!(words[3].ends_with("/ziglang/lib"), "{said}");
        assert_eq!(words[4..], ["-c", "a b.c"]);
        let other = site.path().join("other/zig");
        write(&other, zig);
        let said = String::from_utf8(ran(&bin.join("clang-19"), Some(&other)).stdout).unwrap();
        assert!(said.contains("/other/lib\n"), "{said}");
    }
}
