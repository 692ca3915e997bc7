//! The fixed surroundings of the program: environment, identity, time, extra files.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use crate::inode::StreamKind;

/// Everything about the world that is not an input of the program. The defaults are what a real
/// replay sets up: an almost empty environment, the C locale, a fixed umask.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorldConfig {
    /// argv[0].
    pub program: String,
    /// The environment, in order.
    pub env: Vec<(String, String)>,
    /// Current directory; made when it does not exist.
    pub cwd: String,
    /// User; permissions are checked for it (0 may do everything).
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// File mode creation mask.
    pub umask: u32,
    /// Host directories that the program sees, read-only for the host: writes stay in the world.
    pub views: Vec<HostView>,
    /// Standard input when it is not symbolic.
    pub stdin: Vec<u8>,
    /// What stdin is connected to. `Any` means: symbolic when stdin is, else a pipe.
    pub stdin_kind: StreamKind,
    /// What stdout is connected to. `Any` means: symbolic with `--sym-stdout`, else a pipe.
    pub stdout_kind: StreamKind,
    /// What stderr is connected to. `Any` means a pipe.
    pub stderr_kind: StreamKind,
    /// Further files: path (relative to `cwd` or absolute), content, permission bits.
    pub files: Vec<(String, Vec<u8>, u32)>,
    /// Seconds since 1970 when the program starts.
    pub epoch: i64,
    /// Process number; the parent's is one less.
    pub pid: u32,
    /// The size in bytes to which the stack may grow (RLIMIT_STACK), which the program may change.
    pub stack: u64,
    /// Bytes that the files of one path and its output may hold together; 0 is no limit.
    pub max_output: u64,
    /// Start value of `/dev/urandom`, `getrandom` and AT_RANDOM.
    pub random_seed: u64,
}

/// A directory of the host and where the program sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostView {
    /// The directory on the host.
    pub host: PathBuf,
    /// Its path in the world.
    pub at: String,
}

impl Default for WorldConfig {
    fn default() -> WorldConfig {
        WorldConfig {
            program: "program".to_string(),
            env: vec![("LC_ALL".to_string(), "C".to_string())],
            cwd: "/home/user".to_string(),
            uid: 1000,
            gid: 1000,
            umask: 0o022,
            views: Vec::new(),
            stdin: Vec::new(),
            stdin_kind: StreamKind::Any,
            stdout_kind: StreamKind::Any,
            stderr_kind: StreamKind::Pipe,
            files: Vec::new(),
            epoch: 1_700_000_000,
            pid: 1000,
            stack: 8 << 20,
            max_output: 0,
            random_seed: 0x5EED,
        }
    }
}
