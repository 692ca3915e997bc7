//! The user as whom the commands run.

use super::USER;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Whether we may, and should, give up rights.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Lets a command run without the rights of root.
pub(super) fn as_user(command: &mut Command) {
    if is_root() {
        command.gid(USER).uid(USER);
    }
}
