//! The fence where there are no namespaces: Landlock's rules and a filter of system calls, compared with the host's files.

use super::inside::{behind_fence, host, tried, view};
use std::fs::{self, OpenOptions, Permissions};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

#[test]
fn without_namespaces_files_of_others_can_be_read_and_not_changed() {
    if !testkit::need("namespaces") {
        return;
    }
    let dir = host("rules");
    let file = dir.join("file");
    fs::write(&file, "original").expect("a file");
    let view = view("rules");
    let (fence, said) = behind_fence(&view, true, |inside| {
        let mine = inside.place.join("mine");
        Ok(tried(&[
            ("read", fs::read(&file).is_ok_and(|b| b == b"original")),
            (
                "own",
                fs::write(&mine, "x").is_ok() && fs::remove_file(&mine).is_ok(),
            ),
            ("write", OpenOptions::new().write(true).open(&file).is_ok()),
            (
                "chmod",
                fs::set_permissions(&file, Permissions::from_mode(0o777)).is_ok(),
            ),
            ("make", fs::write(dir.join("new"), "x").is_ok()),
            ("remove", fs::remove_file(&file).is_ok()),
            (
                "socket",
                TcpStream::connect("127.0.0.1:1")
                    .is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionRefused),
            ),
        ]))
    });
    if fence.starts_with("None(") {
        testkit::skip("this kernel has no Landlock");
        return;
    }
    assert!(fence.starts_with("Rules("), "{fence}: {said}");
    let could: Vec<&str> = said.lines().filter(|l| l.ends_with("true")).collect();
    assert_eq!(could, ["read: true", "own: true"], "{said}");
    assert_eq!(fs::read(&file).expect("it is there"), b"original");
}
