//! Keeps a replayed program from writing outside of its directory (Landlock, Linux 5.13 and later).
//!
//! A test is an input that a solver made: `sort -o/etc/x`, `rm -r /home`. In the run it met a modelled world;
//! natively it would meet the host's. Reading stays free, temporary files too. Signals to other processes are refused where the kernel can
//! (6.12). Without Landlock nothing is refused, and [`holds`] says so.

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::Path;

/// A set of rules that a child takes upon itself.
pub(super) struct Fence(Option<OwnedFd>);

/// The rights of the newest kernel that is known of; what an older one lacks is left out.
const KNOWN: ABI = ABI::V6;

impl Fence {
    /// Writing is allowed below these directories, to devices, and to files below /tmp. No fence where the kernel,
    /// or a container's filter of system calls, refuses one.
    pub fn around<'a>(writable: impl Iterator<Item = &'a Path>) -> Fence {
        Fence(build(writable).unwrap_or_default())
    }

    /// For [`enter`].
    pub fn raw(&self) -> Option<RawFd> {
        self.0.as_ref().map(AsRawFd::as_raw_fd)
    }
}

fn build<'a>(
    writable: impl Iterator<Item = &'a Path>,
) -> Result<Option<OwnedFd>, landlock::RulesetError> {
    let write = AccessFs::from_write(KNOWN);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write)?
        .scope(Scope::Signal)?
        .create()?;
    for dir in writable {
        if let Ok(dir) = PathFd::new(dir) {
            rules = rules.add_rule(PathBeneath::new(dir, write))?;
        }
    }
    if let Ok(devices) = PathFd::new("/dev") {
        let use_them = AccessFs::WriteFile | AccessFs::IoctlDev;
        rules = rules.add_rule(PathBeneath::new(devices, use_them))?;
    }
    if let Ok(temporary) = PathFd::new("/tmp") {
        // tmpfile and mkstemp; directories stay.
        let files =
            AccessFs::MakeReg | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::RemoveFile;
        rules = rules.add_rule(PathBeneath::new(temporary, files))?;
    }
    Ok(rules.into())
}

/// Takes the rules upon this process: for a child between fork and exec, system calls only.
pub(super) fn enter(rules: RawFd) -> io::Result<()> {
    // SAFETY: numbers only.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::syscall(libc::SYS_landlock_restrict_self, rules, 0) == 0
    };
    match done {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    }
}

/// Does the kernel keep replayed programs from writing elsewhere?
pub fn holds() -> bool {
    Fence::around([].into_iter()).raw().is_some()
}
