//! The fence where namespaces are not allowed: Landlock (Linux 5.13 and later) keeps programs from writing outside of
//! their directory and from reading what is hidden, and a filter of system calls refuses what Landlock does not control: changes of modes,
//! owners, times and attributes of files (for a program's own files too, since a filter cannot read paths), sockets, and
//! what stays after a program's end. There are no temporary files in `/tmp`, which is everybody's. Signals to other processes
//! are refused where the kernel can (6.12).
//!
//! Each program enters the rules by itself, so that whoever started it stands outside: it lays out a test's files with their modes and times,
//! and the program can neither trace nor signal it.

use crate::filter::Filter;
use crate::namespaces::DEVICES;
use crate::{View, hidden};
use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The rights of the newest kernel that is known of; what an older one lacks is left out.
const KNOWN: ABI = ABI::V6;
/// The first version of Landlock that knows `truncate`.
const TRUNCATES: libc::c_long = 3;

/// Rules that a program enters before it begins.
#[derive(Debug)]
pub struct Rules {
    /// None: the kernel has no Landlock.
    ruleset: Option<OwnedFd>,
    filter: Filter,
}

impl Rules {
    /// Writing is allowed in the place and to what the view says is writable; reading everywhere but where it is hidden and not needed.
    pub(crate) fn new(view: &View) -> Result<Rules, String> {
        let ruleset = ruleset(view).map_err(|e| format!("Landlock: {e}"))?.into();
        let filter = Filter::beside_rules(view.sets_times, version() >= TRUNCATES);
        Ok(Rules { ruleset, filter })
    }

    /// Does Landlock keep files?
    pub(crate) fn keep_files(&self) -> bool {
        self.ruleset.is_some()
    }

    /// Puts this process and all that it starts behind the rules. Makes system calls only.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn enter(&self) -> io::Result<()> {
        rustix::thread::set_no_new_privs(true)?;
        if let Some(ruleset) = &self.ruleset {
            // SAFETY: numbers.
            let done =
                unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
            if done != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        self.filter.enter()
    }
}

/// The version of the kernel's Landlock; negative without.
fn version() -> libc::c_long {
    const VERSION: u32 = 1;
    // SAFETY: nothing is read where the version is asked for.
    unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0,
            VERSION,
        )
    }
}

#[derive(Debug)]
enum RuleFault {
    Rules(RulesetError),
    Path(PathFdError),
}

impl std::fmt::Display for RuleFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RuleFault::Rules(e) => e.fmt(f),
            RuleFault::Path(e) => e.fmt(f),
        }
    }
}

impl From<RulesetError> for RuleFault {
    fn from(e: RulesetError) -> RuleFault {
        RuleFault::Rules(e)
    }
}

impl From<PathFdError> for RuleFault {
    fn from(e: PathFdError) -> RuleFault {
        RuleFault::Path(e)
    }
}

fn ruleset(view: &View) -> Result<RulesetCreated, RuleFault> {
    let (read, write) = (
        AccessFs::ReadFile | AccessFs::ReadDir,
        AccessFs::from_write(KNOWN),
    );
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(read | write)?
        .scope(Scope::Signal)?
        .create()?;
    for path in visible(view) {
        // What goes meanwhile, or is not the user's to look at, cannot be read.
        if let Ok(open) = PathFd::new(&path) {
            let read = of_kind(read, &path);
            rules = rules.add_rule(PathBeneath::new(open, read))?;
        }
    }
    let places = view.writable.iter().chain([&view.place]);
    for dir in places {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(dir)?, read | write))?;
    }
    for device in DEVICES.iter().filter(|d| Path::new(d).exists()) {
        let use_it = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
        rules = rules.add_rule(PathBeneath::new(PathFd::new(device)?, use_it))?;
    }
    Ok(rules)
}

fn of_kind(access: BitFlags<AccessFs>, path: &Path) -> BitFlags<AccessFs> {
    if path.is_dir() {
        access
    } else {
        access & AccessFs::ReadFile
    }
}

/// What of the host's files can be read.
fn visible(view: &View) -> Vec<PathBuf> {
    let mut all = hidden::needed(view);
    beside(Path::new("/"), &hidden::roots(view), &mut all);
    all
}

/// What stands in a directory, or below, beside the hidden ones. (Links are left out: where they lead stands somewhere else.)
fn beside(dir: &Path, hidden: &[PathBuf], all: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let is_link = entry.file_type().map_or(true, |kind| kind.is_symlink());
        if is_link || hidden.contains(&path) {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            beside(&path, hidden, all);
        } else {
            all.push(path);
        }
    }
}
