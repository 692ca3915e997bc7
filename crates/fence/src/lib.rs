//! A sandbox (the *fence*) around programs that run natively on generated inputs: `sort -o/etc/x`, `rm -r /home`. They
//! see the host's files read-only but no homes of users, have temporary files and process numbers of their own, and no network; where
//! the kernel refuses namespaces, Landlock and a filter of system calls keep them from changing files of others.
//!
//! What programs inherit of whoever starts them is a list in [`inherit`].
//!
//! Building the fence takes a process with one thread, so that programs are started by small processes: native replay
//! has workers that run one test after the other ([`behind`]); a JVM under exploration has a fence of its own
//! ([`launch`]).

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod child;
mod filter;
mod hidden;
pub mod inherit;
pub mod launch;
mod namespaces;
mod rules;

pub use child::{end_children, end_now, size_of};
pub use hidden::homes;
pub use rules::Rules;

use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Where programs have their directories, in the private `/tmp`.
const PLACE: &str = "/tmp/polypath";
/// Below a place, the directory in which programs begin. As in the machine's world, nothing else stands beside it.
pub const HOME: &str = "home/user";

/// The user and group of the machine's world, which programs see if nobody says otherwise.
pub const USER: (u32, u32) = (1000, 1000);

/// What programs see of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The user and group that programs see, where the fence can choose.
    pub user: (u32, u32),
    /// Binaries and libraries that programs need: their directories stay visible. Absolute, without links.
    pub needed: Vec<PathBuf>,
    /// Directories of which programs see only what they need ([`homes`]), beside those of temporary files. Absolute, without links.
    pub hidden: Vec<PathBuf>,
    /// Directories beside its own that a program may write to. Absolute.
    pub writable: Vec<PathBuf>,
    /// Where programs have their directories if there is no private `/tmp`: made when it is needed. Absolute.
    pub place: PathBuf,
    /// May a program set the times of a file that it has open, where the fence cannot tell its own files from others?
    pub sets_times: bool,
    /// The user wants no fence: programs can do what the user can.
    pub open: bool,
}

/// What keeps programs from changing the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fence {
    /// A view of the file system of their own, read-only but for their directory, and no other processes or network.
    Namespaces,
    /// Landlock's rules and a filter of system calls; why not namespaces.
    Rules(String),
    /// The kernel has neither; what it lacks.
    None(String),
    /// The user wants none ([`View::open`]).
    Open,
}

impl Fence {
    /// What a user has to know, if anything.
    pub fn warning(&self) -> Option<String> {
        match self {
            Fence::Namespaces => None,
            Fence::Rules(why) => Some(format!(
                "{why}: programs are kept from writing elsewhere by Landlock; those that change modes of their own files, or write to /tmp, fail"
            )),
            Fence::None(why) => Some(format!(
                "{why}: nothing keeps programs from changing files that an input names"
            )),
            Fence::Open => {
                Some("without a fence: programs can change files that an input names".into())
            }
        }
    }
}

/// How it is behind the fence.
#[derive(Debug)]
pub struct Inside {
    /// What stands between here and the host.
    pub fence: Fence,
    /// Where programs have their directories.
    pub place: PathBuf,
    /// All other processes that can be seen were started from here.
    pub all_processes: bool,
    /// `/proc` lists those.
    pub sees_processes: bool,
    /// What each program enters before it begins, where that is the fence.
    pub rules: Option<Rules>,
}

/// Runs `work` in a process behind the fence, or tells it why there is none although the kernel could, and returns the status
/// with which that process ended: 128 and the number of the signal if one killed it. Programs that it starts have no
/// descriptors of the caller above the standard streams. (The process that calls this should have one
/// thread. The others die with it.)
///
/// # Errors
/// No process can be started.
pub fn behind(
    view: &View,
    work: impl FnOnce(Result<Inside, String>) -> io::Result<i32>,
) -> io::Result<i32> {
    // Each process has its own copy; one of them uses it.
    let mut work = Some(work);
    let mut go = |inside| match work.take() {
        Some(work) => work(inside),
        None => Err(io::ErrorKind::InvalidInput.into()),
    };
    if view.open {
        return child::reaped(&view.place, || go(without(view)));
    }
    let (mut reader, mut writer) = io::pipe()?;
    let child = child::fork(|| match namespaces::enter(view) {
        // Process numbers are new for children only.
        Ok(()) => Ok(child::wait_for(child::fork(|| go(private()))?)),
        Err(namespaces::Failure::Broken(why)) => go(Err(why)),
        Err(namespaces::Failure::Lacking(why)) => writer.write_all(why.as_bytes()).map(|()| 0),
    })?;
    // (The child keeps its end open for as long as it works.)
    drop(writer);
    let mut lacking = String::new();
    reader.read_to_string(&mut lacking)?;
    let status = child::wait_for(child);
    if lacking.is_empty() {
        return Ok(status);
    }
    child::reaped(&view.place, || go(ruled(view, &lacking)))
}

/// In the first process of the new process numbers.
fn private() -> Result<Inside, String> {
    inherit::close_at_exec(None).map_err(|e| format!("descriptors: {e}"))?;
    let sees_processes = namespaces::show_processes().map_err(|e| format!("/proc: {e}"))?;
    std::fs::create_dir(PLACE).map_err(|e| format!("{PLACE}: {e}"))?;
    match filter::Filter::beside_namespaces().enter() {
        // A kernel without filters.
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) => {}
        done => done.map_err(|e| format!("seccomp: {e}"))?,
    }
    Ok(Inside {
        fence: Fence::Namespaces,
        place: PLACE.into(),
        all_processes: true,
        sees_processes,
        rules: None,
    })
}

/// In a process that is not allowed namespaces.
fn ruled(view: &View, why: &str) -> Result<Inside, String> {
    let mut inside = without(view)?;
    let rules = Rules::new(view)?;
    inside.fence = if rules.keep_files() {
        Fence::Rules(why.into())
    } else {
        Fence::None(format!("{why}, no Landlock"))
    };
    inside.rules = Some(rules);
    Ok(inside)
}

/// In a process that has no fence.
fn without(view: &View) -> Result<Inside, String> {
    inherit::close_at_exec(None).map_err(|e| format!("descriptors: {e}"))?;
    std::fs::create_dir_all(&view.place).map_err(|e| format!("{}: {e}", view.place.display()))?;
    // What a program leaves behind becomes our child, to be ended. (The argument only has to be something.)
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|e| format!("orphans: {e}"))?;
    Ok(Inside {
        fence: Fence::Open,
        place: view.place.clone(),
        all_processes: false,
        sees_processes: false,
        rules: None,
    })
}

/// How this program is started as another one.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<std::ffi::OsString>,
}

impl Launcher {
    /// This program, with an argument that says what it is to be.
    pub fn this_program(mode: &str) -> Launcher {
        Launcher {
            program: "/proc/self/exe".into(),
            args: vec![mode.into()],
        }
    }
}
