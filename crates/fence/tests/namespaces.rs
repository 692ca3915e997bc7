//! The fence by namespaces, compared with the host's files, processes and network.

use super::inside::{behind_fence, host, tried, view};
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const FENCE: &str = "Namespaces";

/// What a program may try with a file.
fn change(file: &Path) -> Vec<(&'static str, bool)> {
    let beside = file.with_extension("new");
    vec![
        (
            "read",
            fs::read(file).is_ok_and(|bytes| bytes == b"original"),
        ),
        ("write", OpenOptions::new().write(true).open(file).is_ok()),
        (
            "chmod",
            fs::set_permissions(file, Permissions::from_mode(0o777)).is_ok(),
        ),
        ("rename", fs::rename(file, &beside).is_ok()),
        ("link", fs::hard_link(file, &beside).is_ok()),
        ("make", fs::write(&beside, "x").is_ok()),
        (
            "symlink",
            symlink(file, file.with_extension("link")).is_ok(),
        ),
        ("remove", fs::remove_file(file).is_ok()),
    ]
}

/// A file of the host's, with its content.
pub fn original(dir: &Path) -> PathBuf {
    let file = dir.join("file");
    fs::write(&file, "original").expect("a file");
    file
}

#[test]
fn files_of_the_host_can_be_read_and_not_changed() {
    if !testkit::need("namespaces") {
        return;
    }
    let dir = host("read-only");
    let file = original(&dir);
    let before = fs::metadata(&file).expect("it is there");
    let (fence, said) = behind_fence(&view("read-only"), false, |_| Ok(tried(&change(&file))));
    assert_eq!(fence, FENCE, "{said}");
    let could: Vec<&str> = said.lines().filter(|l| l.ends_with("true")).collect();
    assert_eq!(could, ["read: true"], "{said}");
    let after = fs::metadata(&file).expect("it is there");
    assert_eq!(fs::read(&file).expect("it is there"), b"original");
    assert_eq!(
        (before.mode(), before.nlink()),
        (after.mode(), after.nlink())
    );
    let names = fs::read_dir(&dir).expect("a directory");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["file"]);
}

#[test]
fn a_directory_that_is_said_to_be_writable_is() {
    if !testkit::need("namespaces") {
        return;
    }
    let dir = host("writable");
    let file = original(&dir);
    let mut view = view("writable");
    view.writable.push(dir.clone());
    let (fence, said) = behind_fence(&view, false, |_| {
        fs::write(&file, "changed")?;
        Ok(tried(&[(
            "beside",
            fs::write(dir.with_extension("x"), "x").is_ok(),
        )]))
    });
    assert_eq!((&fence[..], &said[..]), (FENCE, "beside: false\n"));
    assert_eq!(fs::read(&file).expect("it is there"), b"changed");
}

#[test]
fn temporary_files_are_its_own_and_what_it_needs_there_is_seen() {
    if !testkit::need("namespaces") {
        return;
    }
    let name = format!("polypath-fence-{}", std::process::id());
    let [needed, hidden, made] = ["needed", "hidden", "made"].map(|what| {
        let path = Path::new("/tmp").join(format!("{name}-{what}"));
        if what != "made" {
            fs::write(&path, "original").expect("a file");
        }
        path
    });
    let mut view = view("temporary");
    view.needed.push(needed.clone());
    let (fence, said) = behind_fence(&view, false, |inside| {
        fs::write(&made, "mine")?;
        fs::write("/dev/shm/mine", "mine")?;
        Ok(tried(&[
            (
                "place",
                inside.place.starts_with("/tmp") && inside.place.is_dir(),
            ),
            ("hidden", hidden.exists()),
            ("needed", fs::read(&needed).is_ok_and(|b| b == b"original")),
            (
                "write",
                OpenOptions::new().write(true).open(&needed).is_ok(),
            ),
            ("shared", Path::new("/tmp/mine").exists()),
            ("run", fs::read_dir("/run")?.next().is_some()),
        ]))
    });
    let is_made = made.exists();
    for file in [&needed, &hidden] {
        fs::remove_file(file).expect("it is there still");
    }
    assert_eq!(fence, FENCE, "{said}");
    let expected =
        "place: true\nhidden: false\nneeded: true\nwrite: false\nshared: true\nrun: false\n";
    assert_eq!(said, expected);
    assert!(!is_made, "{} is on the host", made.display());
}

#[test]
fn there_are_a_few_devices_and_no_disk() {
    if !testkit::need("namespaces") {
        return;
    }
    let (fence, said) = behind_fence(&view("devices"), false, |_| {
        fs::write("/dev/null", "x")?;
        let names = fs::read_dir("/dev")?.map(|e| Ok(e?.file_name().to_string_lossy().into()));
        let mut names = names.collect::<io::Result<Vec<String>>>()?;
        names.sort();
        Ok(names.join(" "))
    });
    assert_eq!(fence, FENCE, "{said}");
    let allowed = "fd full null random shm stderr stdin stdout tty urandom zero";
    let allowed: Vec<&str> = allowed.split(' ').collect();
    assert!(
        said.split(' ').all(|name| allowed.contains(&name)),
        "{said}"
    );
    assert!(said.contains("null") && said.contains("urandom"), "{said}");
}

#[test]
fn it_sees_no_process_and_no_network_of_the_host_and_is_another_user() {
    if !testkit::need("namespaces") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("a port");
    let mut sleeper = Command::new("sleep").arg("600").spawn().expect("sleep");
    let pid = sleeper.id();
    let (fence, said) = behind_fence(&view("processes"), false, |inside| {
        // SAFETY: system calls that take numbers.
        let (killed, user, own) = unsafe {
            let killed = libc::kill(pid.cast_signed(), libc::SIGKILL) == 0;
            (killed, libc::getuid(), libc::getpid())
        };
        let seen = fs::read_dir("/proc")?.filter(|e| {
            let name = e.as_ref().map(|e| e.file_name());
            name.is_ok_and(|name| name.to_string_lossy().parse::<u32>().is_ok())
        });
        let few = !inside.sees_processes || seen.count() == 1;
        Ok(tried(&[
            ("connect", TcpStream::connect(address).is_ok()),
            ("kill", killed),
            ("user", user == 1000),
            ("first", own == 1),
            ("few", few),
            ("all", inside.all_processes),
        ]))
    });
    let lives = sleeper.try_wait().expect("it can be asked").is_none();
    sleeper.kill().expect("it is ours");
    sleeper.wait().expect("it is ours");
    assert_eq!(fence, FENCE, "{said}");
    let expected = "connect: false\nkill: false\nuser: true\nfirst: true\nfew: true\nall: true\n";
    assert_eq!(said, expected);
    assert!(lives, "the host's process was killed");
}
