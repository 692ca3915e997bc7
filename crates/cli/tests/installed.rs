//! An installation: programs in `bin`, parts in `lib/polypath`, wherever both are (`polypath-dist` packs them so).

use std::fs;
use std::path::{Path, PathBuf};
use testkit::{Place, Ran, place};

/// Runs a shell command, with $P for polypath, which ends with this status.
#[track_caller]
fn ends(dir: &Place, status: i32, command: &str) -> Ran {
    let ran = Ran::from(dir.shell(command).output().unwrap());
    assert_eq!(ran.code, status, "{command}\n{}", ran.text());
    ran
}

/// An installation in `dir/prefix`, of the programs that are tested and of the C library that they have built.
fn install(dir: &Place, folder: &str, stamp: &str) -> PathBuf {
    let prefix = dir.join("prefix");
    let parts = prefix.join("lib/polypath");
    fs::create_dir_all(prefix.join("bin")).unwrap();
    let installed = parts.join(folder);
    fs::create_dir_all(&installed).unwrap();
    let built = dir.binary();
    // By another process: a program that this one has open for writing cannot be started while it forks.
    let copy = |from: &Path, to: PathBuf| {
        ends(dir, 0, &format!("cp {} {}", from.display(), to.display()));
    };
    copy(built, prefix.join("bin/polypath"));
    copy(
        &built.with_file_name("polypath-lower"),
        parts.join("polypath-lower"),
    );
    let sysroot = toolchain::sysroot::ensure(&mut |_| {}).unwrap().root;
    for folder in ["include", "lib", "src"] {
        std::os::unix::fs::symlink(sysroot.join(folder), installed.join(folder)).unwrap();
    }
    fs::write(installed.join("stamp"), stamp).unwrap();
    prefix
}

const SHARE: &str = "#include <stdlib.h>\nint main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 1; return 9 / (n - 4); }\n";

#[test]
fn an_installation_needs_no_sources_and_no_home_that_can_be_written() {
    let dir = place!("installed");
    let stamp = toolchain::runtime::SYSROOT_HASH;
    let prefix = install(&dir, &toolchain::sysroot::folder(), stamp);
    dir.write("share.c", SHARE);
    // Only LLVM's tools: what builds a C library is not there.
    let tools = dir.join("tools");
    fs::create_dir_all(&tools).unwrap();
    for tool in toolchain::tools::Tool::ALL {
        std::os::unix::fs::symlink(tool.find().unwrap(), tools.join(tool.program())).unwrap();
    }
    let polypath = prefix.join("bin/polypath");
    let alone = |command: &str| {
        format!(
            "env -i PATH={} HOME={} TMPDIR={} XDG_CACHE_HOME=/proc/none {} {command}",
            tools.display(),
            dir.join("").display(),
            dir.join("").display(),
            polypath.display()
        )
    };
    let words = ends(&dir, 1, &alone("run share.c --sym-args 0 1 1 --out out")).stderr;
    assert!(words.contains("share.c:2 in main"), "{words}");
    assert!(words.contains("everything was explored"), "{words}");
    assert!(!words.contains("building"), "{words}");
    // Among the temporary files.
    let user = this_user();
    assert!(dir.join(format!("polypath-cache-{user}/ir")).is_dir());
    let text = ends(&dir, 0, &alone("doctor --json")).stdout;
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let state = |name: &str| {
        let tools = all["tools"].as_array().unwrap();
        let line = tools.iter().find(|line| line["name"] == name);
        line.unwrap_or_else(|| panic!("no {name}: {text}"))["state"].clone()
    };
    assert_eq!(state("sysroot"), "good", "{text}");
    assert_eq!(state("make"), "note", "{text}");
    assert_eq!(state("java"), "note", "{text}");
}

fn this_user() -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").unwrap().uid()
}

#[test]
fn parts_of_another_version_are_named() {
    let dir = place!("installed-other");
    dir.write("share.c", SHARE);
    // One of another version, and one of this version that is not whole.
    let ours = toolchain::sysroot::folder();
    for (folder, stamp) in [("sysroot-0123456789abcdef", "another"), (ours.as_str(), "")] {
        let prefix = install(&dir, folder, stamp);
        let polypath = prefix.join("bin/polypath");
        let words = ends(&dir, 3, &format!("{} run share.c", polypath.display())).text();
        assert!(
            words.contains("belongs to another version, or was not unpacked whole"),
            "{words}"
        );
        let words = ends(&dir, 3, &format!("{} doctor", polypath.display())).text();
        assert!(words.contains("sysroot          MISSING"), "{words}");
        fs::remove_dir_all(prefix).unwrap();
    }
}

#[test]
fn half_an_installation_is_told() {
    let dir = place!("installed-half");
    dir.write("share.c", SHARE);
    let stamp = toolchain::runtime::SYSROOT_HASH;
    let prefix = install(&dir, &toolchain::sysroot::folder(), stamp);
    let run = format!("{} run share.c", prefix.join("bin/polypath").display());
    fs::remove_file(prefix.join("lib/polypath/polypath-lower")).unwrap();
    let words = ends(&dir, 3, &run).text();
    assert!(words.contains("polypath-lower not found"), "{words}");
    assert!(words.contains("install all parts again"), "{words}");
    // The C library's machine code and bitcode; its stamp is there.
    fs::remove_file(
        prefix
            .join("lib/polypath")
            .join(toolchain::sysroot::folder())
            .join("lib"),
    )
    .unwrap();
    let words = ends(&dir, 3, &run).text();
    assert!(words.contains("was not unpacked whole"), "{words}");
}

#[test]
fn a_full_disk_and_a_missing_proc_are_told_with_what_helps() {
    let dir = place!("installed-bare");
    // In namespaces of its own, where mounting is allowed without root.
    let alone = |command: &str| format!("unshare --user --map-root-user --mount sh -c '{command}'");
    let can_mount = dir.shell(&alone("mount -t tmpfs tmpfs /mnt")).output();
    if !can_mount.unwrap().status.success() {
        testkit::skip("no namespaces in which mounts are allowed");
        return;
    }
    dir.write("share.c", SHARE);
    let stamp = toolchain::runtime::SYSROOT_HASH;
    let prefix = install(&dir, &toolchain::sysroot::folder(), stamp);
    let polypath = prefix.join("bin/polypath");
    fs::create_dir_all(dir.join("small")).unwrap();
    let full = alone(&format!(
        "mount -t tmpfs -o size=64k tmpfs small && XDG_CACHE_HOME=$PWD/small {} run share.c --out out",
        polypath.display()
    ));
    let words = ends(&dir, 3, &full).text();
    assert!(words.contains("No space left on device"), "{words}");
    assert!(words.contains("/small/polypath/"), "{words}");
    assert!(
        words.contains("set XDG_CACHE_HOME to a directory"),
        "{words}"
    );
    let bare = alone("mount -t tmpfs tmpfs /proc && $P doctor");
    let words = ends(&dir, 3, &bare).text();
    assert!(words.contains("mount -t proc proc /proc"), "{words}");
}

#[test]
fn pages_and_completions_are_those_of_the_commands() {
    let dir = place!("man");
    let page = ends(&dir, 0, "$P man java test").stdout;
    assert!(
        page.starts_with(".ie") && page.contains("\\-\\-time"),
        "{page}"
    );
    ends(&dir, 0, "$P man --to pages");
    for name in ["polypath.1", "polypath-run.1", "polypath-java-test.1"] {
        assert!(dir.join("pages").join(name).is_file(), "{name}");
    }
    // Commands for processes of ours have no page.
    assert!(!dir.join("pages/polypath-part.1").exists());
    let words = ends(&dir, 2, "$P man runn").stderr;
    assert!(words.contains("there is no command 'runn'"), "{words}");
    ends(
        &dir,
        0,
        "$P completions bash >words && bash -c 'source ./words && complete -p polypath'",
    );
}

#[test]
fn the_cache_is_listed_and_emptied() {
    let dir = place!("clean");
    ends(
        &dir,
        0,
        "mkdir -p cache/polypath/ir cache/polypath/old-1 && head -c 3000000 /dev/zero >cache/polypath/old-1/x",
    );
    ends(
        &dir,
        0,
        "touch -d '9 days ago' cache/polypath/old-1 && true >cache/polypath/old-1.lock && touch -d '9 days ago' cache/polypath/old-1.lock",
    );
    let clean = |options: &str| {
        let command = format!("XDG_CACHE_HOME=$PWD/cache $P clean {options}");
        ends(&dir, 0, &command).stdout
    };
    assert!(clean("--dry-run").contains("2 MB  would be removed"));
    assert!(dir.join("cache/polypath/old-1").exists());
    let said = clean("--unused 7");
    assert!(
        said.contains("polypath/old-1") && !said.contains("polypath/ir"),
        "{said}"
    );
    assert!(!dir.join("cache/polypath/old-1").exists() && dir.join("cache/polypath/ir").exists());
    // What a process uses stays.
    ends(&dir, 0, "mkdir cache/polypath/used-1");
    let said = ends(
        &dir,
        0,
        "exec 3>cache/polypath/used-1.lock && flock -s 3 && XDG_CACHE_HOME=$PWD/cache $P clean 2>&1",
    );
    assert!(
        said.text().contains("used-1 is in use and stays"),
        "{said:?}"
    );
    assert!(dir.join("cache/polypath/used-1").exists() && !dir.join("cache/polypath/ir").exists());
}
