//! What programs behind the fence inherit, which is nothing of the caller's (`docs/hostile.md`, 2).

use super::inside::{behind_fence, host, tried, view};
use super::namespaces::original;
use polypath_fence::inherit;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// A number for the open file under which programs that are started inherit it.
fn inheritable(open: &fs::File) -> RawFd {
    // SAFETY: numbers only.
    let number = unsafe { libc::fcntl(open.as_raw_fd(), libc::F_DUPFD, 200) };
    assert!(number >= 200, "no descriptor");
    number
}

/// A shell that appends to what it has open under this number.
fn writer(number: RawFd) -> Command {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("printf ', changed' >&{number}")]);
    shell
}

/// Is there a keyring of the user?
fn finds_keys() -> bool {
    const GET_ID: libc::c_long = 0;
    const OF_USER: libc::c_long = -4;
    // SAFETY: numbers only.
    unsafe { libc::syscall(libc::SYS_keyctl, GET_ID, OF_USER, 1) >= 0 }
}

#[test]
fn a_descriptor_of_the_caller_is_closed_for_programs() {
    if !testkit::need("namespaces") {
        return;
    }
    for ruled in [false, true] {
        let name = format!("descriptors-{ruled}");
        let file = original(&host(&name));
        let open = OpenOptions::new().append(true).open(&file);
        let number = inheritable(&open.expect("it is there"));
        // Without the fence it is open.
        assert!(writer(number).status().expect("a shell").success());
        let (fence, said) = behind_fence(&view(&name), ruled, |_| {
            let wrote = writer(number).status()?.success();
            Ok(tried(&[
                ("name", OpenOptions::new().append(true).open(&file).is_ok()),
                ("number", wrote),
                ("keys", finds_keys()),
            ]))
        });
        // SAFETY: it is ours, and nobody uses it any more.
        unsafe { libc::close(number) };
        let wants = if fence.starts_with("None(") {
            "name: true\nnumber: false\nkeys: false\n"
        } else {
            "name: false\nnumber: false\nkeys: false\n"
        };
        assert_eq!(said, wants, "{fence}");
        assert_eq!(fence == "Namespaces", !ruled, "{fence}");
        assert_eq!(fs::read(&file).expect("it is there"), b"original, changed");
    }
}

/// What a shell that goes by `settle` says of itself.
fn settled(caller: impl Fn() + Send + Sync + 'static, script: &str) -> String {
    let mut shell = Command::new("bash");
    shell.args(["-c", script]);
    let prepare = move || -> io::Result<()> {
        caller();
        inherit::settle(None)
    };
    // SAFETY: system calls only.
    unsafe { shell.pre_exec(prepare) };
    let output = shell.output().expect("a shell");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn umask_signals_and_limits_are_not_those_of_the_caller() {
    let careless = || {
        // SAFETY: numbers, and a set that is made by sigemptyset.
        unsafe {
            libc::umask(0);
            for signal in [libc::SIGPIPE, libc::SIGHUP, libc::SIGCHLD] {
                libc::signal(signal, libc::SIG_IGN);
            }
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, libc::SIGTERM);
            libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        }
    };
    let script = "umask; ulimit -n; ulimit -c; exec grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let nothing = "0000000000000000";
    let wants = format!("0022\n1024\n0\nSigBlk:\t{nothing}\nSigIgn:\t{nothing}\n");
    assert_eq!(settled(careless, script), wants);
}
