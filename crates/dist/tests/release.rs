//! `./x release`, in a small source tree of its own: what it refuses for, which steps it says, and the tag.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a shell command in the tree; its status and its words.
fn ran(dir: &Path, command: &str) -> (Option<i32>, String) {
    let output = Command::new("bash")
        .args(["-c", command])
        .current_dir(dir)
        .envs([
            ("GIT_AUTHOR_NAME", "test"),
            ("GIT_AUTHOR_EMAIL", "test@localhost"),
            ("GIT_COMMITTER_NAME", "test"),
            ("GIT_COMMITTER_EMAIL", "test@localhost"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ])
        .output()
        .expect("bash");
    let words = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&words).into_owned(),
    )
}

#[track_caller]
fn ends(dir: &Path, status: i32, command: &str, wanted: &[&str]) -> String {
    let (code, words) = ran(dir, command);
    assert_eq!(code, Some(status), "{command}: {words}");
    for wanted in wanted {
        assert!(words.contains(wanted), "{wanted:?} not in {words}");
    }
    words
}

#[test]
fn a_release_says_its_steps_and_refuses_what_is_not_ready() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::copy(source.join("x"), dir.join("x")).unwrap();
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).unwrap();
    write(
        "Cargo.toml",
        "[workspace]\nmembers = []\n\n[workspace.package]\nversion = \"1.2.3\"\n",
    );
    write("CHANGELOG.md", "## [Unreleased]\n");
    write("README.md", "apt-get install ./polypath_1.2.2_amd64.deb\n");
    write(".gitignore", "target\n");
    ends(
        dir,
        0,
        "cargo generate-lockfile --offline && git init -q",
        &[],
    );
    let reasons = [
        "there are changes that are not committed",
        "CHANGELOG.md has no section [1.2.3]",
        "README.md installs another version than 1.2.3",
    ];
    let words = ends(dir, 0, "./x release --dry-run", &reasons);
    assert!(
        words.ends_with(
            "release: tests\nrelease: packages\nrelease: trials\nrelease: manual\nrelease: tag\n"
        ),
        "{words}"
    );
    let words = ends(dir, 3, "./x release", &reasons);
    assert!(!words.contains("release:"), "{words}");
    ends(
        dir,
        3,
        "./x release --without luck",
        &["--without one of: tests"],
    );
    write("CHANGELOG.md", "## [Unreleased]\n\n## [1.2.3]\n");
    write("README.md", "apt-get install ./polypath_1.2.3_amd64.deb\n");
    ends(dir, 0, "git add -A && git commit -qm all", &[]);
    let most = "./x release --without tests --without packages --without trials --without manual";
    let said = [
        "release: left out: tests\n",
        "release: tag\n",
        "released: 1.2.3",
    ];
    ends(dir, 0, most, &said);
    let tag = "git tag -l -n1 'v*'";
    ends(
        dir,
        0,
        tag,
        &[
            "v1.2.3",
            "Polypath 1.2.3 (without: tests packages trials manual)",
        ],
    );
    ends(dir, 3, most, &["v1.2.3 is released already"]);
}
