//! The world against the real kernel: the same random sequences of system calls, by the same
//! numbers, in a temporary directory and in a `World`; results, errors and buffers must agree.
//!
//! `POLYPATH_KERNEL=SEQUENCES` or `SEQUENCES:FIRST_SEED` says how many (400 if unset). A sequence that
//! disagrees is shrunk before it is shown. What cannot agree is not compared: inode numbers,
//! devices, times that were not set, sizes of directories.
//!
//! As root the test first locks itself up in a directory of its own (`chroot`), so that `/` and
//! `..` can be tried without harm, and it also runs as a user who is not root. Without such a cage
//! paths that lead up are left out.

mod bench;
mod cage;
mod calls;
mod regressions;
mod run;
mod signals;

use bench::Bench;
use cage::{counts_links, enter_cage, remove};
use calls::Op;
use calls::Val::Int;
use polypath_linux::WorldConfig;
use regressions::regressions;
use signals::{SIGNALS, signal_op};
use std::path::{Path, PathBuf};
use testkit::Random as Rng;

/// How many sequences, and the first one's seed.
fn extent() -> (u64, u64) {
    let Ok(given) = std::env::var("POLYPATH_KERNEL") else {
        return (400, 1);
    };
    let (count, first) = given.split_once(':').unwrap_or((&given, "1"));
    let number = |text: &str| {
        text.parse().unwrap_or_else(|_| {
            panic!("POLYPATH_KERNEL={given}: SEQUENCES or SEQUENCES:FIRST_SEED")
        })
    };
    (number(count), number(first))
}

/// Names the directory of the process that does the work, in its environment.
const DIRECTORY: &str = "POLYPATH_KERNEL_DIRECTORY";

/// Does the work in a process of one thread: a signal that is sent to the process reaches any thread of it.
fn alone(work: impl FnOnce() -> u8) -> i32 {
    // SAFETY: the harness's other thread waits and holds no lock that the copy needs; the copy ends here.
    unsafe {
        match libc::fork() {
            0 => std::process::exit(work().into()),
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &mut status, 0), child);
                if libc::WIFEXITED(status) {
                    libc::WEXITSTATUS(status)
                } else {
                    1
                }
            }
        }
    }
}

/// The work is done by a process of its own, this binary again: it changes the directory, the limits and the descriptors
/// of the whole process, and a cage cannot be left. This one tidies up.
#[test]
fn the_world_and_the_kernel_agree() {
    if let Some(outside) = std::env::var_os(DIRECTORY) {
        std::process::exit(alone(|| compare(Path::new(&outside))));
    }
    let _limit = testkit::limit();
    let outside = std::env::temp_dir().join(format!("polypath-kernel-{}", std::process::id()));
    std::fs::create_dir(&outside).unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kernel::the_world_and_the_kernel_agree"])
        .args(["--nocapture", "--test-threads=1"])
        .env(DIRECTORY, &outside)
        .output();
    remove(&outside);
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{}: {said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    // Not done by a harness that found no such test.
    assert!(said.contains("agree with the real kernel"), "{said}");
}

/// Compares in a directory, and says what came of it; the exit status.
fn compare(outside: &Path) -> u8 {
    let (sequences, first) = extent();
    // SAFETY: asks for identities.
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    let dir = if uid == 0 && enter_cage(outside) {
        PathBuf::from("/base/work")
    } else {
        outside.join("work")
    };
    let users = match uid {
        0 => vec![(0, 0), (1000, 1000)],
        _ => vec![(uid, gid)],
    };
    let limit = libc::rlimit {
        rlim_cur: 1024,
        rlim_max: 1024,
    };
    // SAFETY: lowers a limit of this process to the world's.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
    // SAFETY: closes what was inherited.
    (3..1024).for_each(|fd| unsafe { _ = libc::close(fd) });
    let count_links = counts_links(dir.parent().unwrap());
    let mut failed = false;
    let mut compared = 0;
    for (uid, gid) in users {
        let cwd = dir.to_str().unwrap().to_string();
        let config = WorldConfig {
            uid,
            gid,
            cwd,
            umask: 0o022,
            pid: std::process::id(),
            ..WorldConfig::default()
        };
        let bench = Bench {
            dir: dir.clone(),
            config,
            count_links,
        };
        for (name, ops) in regressions() {
            if let Err((index, model, real)) = bench.run(&ops) {
                println!(
                    "regression as user {uid}: {name}: call {index}: model {model:?}, real {real:?}"
                );
                failed = true;
            }
        }
        for seed in first..first + sequences {
            let mut rng = Rng::new(seed);
            // Every fifth sequence is about signals.
            let make = if seed % 5 == 0 { signal_op } else { calls::op };
            let mut ops: Vec<Op> = (0..60).map(|_| make(&mut rng)).collect();
            if seed % 5 == 0 {
                let handled = |&s: &i64| {
                    let args = vec![Int(s), Int(2), Int(0), Int(0)];
                    Op { nr: 13, args }
                };
                ops.splice(0..0, SIGNALS.iter().map(handled));
            }
            // Offsets in directories differ: a sequence either seeks or lists.
            let left_out = if seed % 2 == 0 { 8 } else { 217 };
            ops.retain(|op| op.nr != left_out);
            match bench.run(&ops) {
                Ok(count) => compared += count,
                Err((index, ..)) => {
                    bench.explain(seed, &bench.shrink(ops[..=index].to_vec()));
                    failed = true;
                    break;
                }
            }
        }
    }
    if failed {
        println!("kernel: the world and the kernel disagree")
    } else {
        println!("kernel: {compared} calls agree with the real kernel")
    }
    failed.into()
}
