//! The tools that were found, for `polypath doctor`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache;
use crate::sysroot;
use crate::tools::{self, Tool};

/// One line of the report.
#[derive(Clone, Debug)]
pub struct DoctorLine {
    /// The tool.
    pub name: &'static str,
    /// Its path and its version, or the problem.
    pub text: String,
    /// Whether something has to be done.
    pub state: State,
    /// The command that mends it.
    pub remedy: Option<String>,
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there.
    Good,
    /// Something optional is not there, or will be made on first use.
    Note,
    /// Something needed is not there.
    Bad,
}

/// The shared library of LLVM 19 that `polypath-lower` loads, where the dynamic linker finds it.
pub fn libllvm() -> Option<PathBuf> {
    if let Some(bundled) = tools::bundled::library() {
        return Some(bundled);
    }
    [
        "/usr/lib/llvm-19/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/local/lib",
        "/usr/lib",
    ]
    .iter()
    .flat_map(|dir| {
        ["libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"]
            .map(|name| Path::new(dir).join(name))
    })
    .find(|path| path.exists())
}

/// Looks at everything.
pub fn examine() -> Vec<DoctorLine> {
    let mut out: Vec<DoctorLine> = Tool::ALL.iter().map(|&tool| program(tool)).collect();
    out.push(match libllvm() {
        Some(path) => good("libLLVM", path.display().to_string()),
        None => bad("libLLVM", "libLLVM.so.19.1 is missing".into()),
    });
    // An installation has the C library.
    let lacks: fn(&'static str, String) -> DoctorLine = if sysroot::is_installed() {
        |name, text| note(name, format!("{text} (only for `polypath add`)"))
    } else {
        bad
    };
    for (name, needed_for) in [
        ("make", "to build C libraries"),
        ("apt-get", "to fetch the sources of C libraries"),
        ("dpkg-source", "to unpack the sources of C libraries"),
    ] {
        out.push(match tools::find_program(name) {
            Some(path) => good(name, path.display().to_string()),
            None => lacks(name, format!("missing; needed {needed_for}")),
        });
    }
    out.push(if Path::new(sysroot::KERNEL_HEADER).exists() {
        good("kernel headers", sysroot::KERNEL_HEADER.into())
    } else {
        lacks("kernel headers", "linux-libc-dev is missing".into())
    });
    out.push(match sysroot::existing() {
        Ok(Some(sysroot)) => good("sysroot", sysroot.root.display().to_string()),
        Ok(None) => note(
            "sysroot",
            "not built yet (the first `polypath cc` does it, about a minute)".into(),
        ),
        Err(error) => DoctorLine {
            remedy: None,
            ..bad("sysroot", error.to_string())
        },
    });
    out.push(cache_line());
    out
}

fn good(name: &'static str, text: String) -> DoctorLine {
    DoctorLine {
        name,
        text,
        state: State::Good,
        remedy: None,
    }
}

fn note(name: &'static str, text: String) -> DoctorLine {
    DoctorLine {
        state: State::Note,
        ..good(name, text)
    }
}

/// Where what is built once is kept, and whether it can be.
fn cache_line() -> DoctorLine {
    const NAME: &str = "cache";
    let root = match cache::root() {
        Ok(root) => root,
        Err(error) => {
            return DoctorLine {
                remedy: Some("set XDG_CACHE_HOME to a directory that can be written".into()),
                ..bad(NAME, error.to_string())
            };
        }
    };
    let place = root.display();
    match std::fs::create_dir_all(&root).and_then(|()| try_writing(&root)) {
        Ok(()) => good(NAME, place.to_string()),
        Err(error) => DoctorLine {
            remedy: Some("set XDG_CACHE_HOME to a directory that can be written".into()),
            ..bad(NAME, format!("{place} cannot be written: {error}"))
        },
    }
}

/// Writes and removes a file there.
fn try_writing(dir: &Path) -> std::io::Result<()> {
    let path = dir.join(format!("doctor-{}", std::process::id()));
    std::fs::write(&path, "x")?;
    std::fs::remove_file(path)
}

fn bad(name: &'static str, text: String) -> DoctorLine {
    DoctorLine {
        name,
        text,
        state: State::Bad,
        remedy: Some(tools::INSTALL.into()),
    }
}

fn program(tool: Tool) -> DoctorLine {
    match tool.find() {
        Err(_) => bad(tool.program(), "missing".into()),
        Ok(path) => match version(&path) {
            Some(version) if version.contains("19.") => {
                good(tool.program(), format!("{} ({version})", path.display()))
            }
            Some(version) => bad(
                tool.program(),
                format!("{} is another version: {version}", path.display()),
            ),
            None if tools::bundled::is_ours(&path) => DoctorLine {
                remedy: Some(format!("pip install {}", tools::bundled::ZIG_PACKAGE)),
                ..bad(tool.program(), format!("{} does not run", path.display()))
            },
            None => bad(tool.program(), format!("{} does not run", path.display())),
        },
    }
}

/// The line of `--version` that has the number.
fn version(path: &Path) -> Option<String> {
    let output = Command::new(path)
        .arg("--version")
        .output()
        .ok()
        .filter(|o| o.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(str::trim)
        .find(|l| l.contains("version") || l.contains("LLD "))
        .map(String::from)
}
