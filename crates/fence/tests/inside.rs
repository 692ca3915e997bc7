//! Runs a function behind the fence.

use polypath_fence::{Inside, View, behind, end_now};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What a program sees by default; in `name` below the directory of the tests it has its files, if there is no private `/tmp`.
pub fn view(name: &str) -> View {
    View {
        user: polypath_fence::USER,
        needed: Vec::new(),
        hidden: Vec::new(),
        writable: Vec::new(),
        place: path(name).join("place"),
        sets_times: true,
        open: false,
    }
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// An empty directory of the host, which is not in `/tmp`. What an earlier test could change that failed is gone.
pub fn host(name: &str) -> PathBuf {
    let dir = path(name);
    if dir.is_dir() {
        fs::remove_dir_all(&dir).expect("it is ours");
    }
    fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// Runs `look` behind the fence, in a process of its own that has one thread. Returns the fence, and what it says it saw. If `ruled`, there are
/// no namespaces for it.
pub fn behind_fence(
    view: &View,
    ruled: bool,
    look: impl FnOnce(&Inside) -> io::Result<String>,
) -> (String, String) {
    let (mut reader, mut writer) = io::pipe().expect("a pipe");
    // SAFETY: the child runs what follows and ends without returning; glibc's allocator can be used after a fork.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "no process");
    if pid == 0 {
        let go = || -> io::Result<i32> {
            if ruled {
                forbid_namespaces()?;
            }
            behind(view, |inside| {
                if let Ok(inside) = &inside
                    && let Some(rules) = &inside.rules
                {
                    rules.enter()?;
                }
                let said = match &inside {
                    Ok(inside) => look(inside).unwrap_or_else(|e| format!("failed: {e}")),
                    Err(why) => why.clone(),
                };
                let fence = inside.map_or("broken".into(), |inside| format!("{:?}", inside.fence));
                writer.write_all(format!("{fence}\n{said}").as_bytes())?;
                Ok(0)
            })
        };
        let said = go().err().map(|e| format!("no fence\n{e}"));
        if let Some(said) = said {
            writer.write_all(said.as_bytes()).unwrap_or_default();
        }
        end_now(0);
    }
    drop(writer);
    let mut said = String::new();
    reader.read_to_string(&mut said).expect("what it says");
    let mut status = 0;
    // SAFETY: waits for a child that was made above.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    let (fence, said) = said.split_once('\n').expect("a fence");
    (fence.into(), said.into())
}

/// From now on this process can have no namespaces.
fn forbid_namespaces() -> io::Result<()> {
    // SAFETY: takes a number; this process has one thread.
    if unsafe { libc::unshare(libc::CLONE_NEWUSER) } != 0 {
        return Err(io::Error::last_os_error());
    }
    fs::write("/proc/sys/user/max_user_namespaces", "0")
}

/// One line for each thing that was tried: whether it could be done.
pub fn tried(all: &[(&str, bool)]) -> String {
    let line = |(what, could): &(&str, bool)| format!("{what}: {could}\n");
    all.iter().map(line).collect()
}
