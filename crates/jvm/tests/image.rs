//! The woven JDK: the verifier of the JVM accepts each class of it, and our versions of its classes have the members of the
//! JDK's.

use polypath_jvm::{Kit, Tools};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `tests/java/Links.java` says of the classes in a directory, line by line.
fn link(kit: &Kit, classes: &Path, root: &Path) -> Vec<String> {
    let mut command = Command::new(kit.java());
    command.args(kit.options());
    command.args(["-Xverify:all", "-cp"]).arg(classes);
    let output = command.arg("Links").arg(root).output().expect("java");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_string).collect()
}

/// Compiles a program of `tests/java`, and gives the place of its classes.
fn compile(place: &str, source: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(place);
    std::fs::create_dir_all(&place).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/java")
        .join(source);
    let mut command = testkit::java::javac();
    let status = command.arg("-d").arg(&place).arg(source).status();
    assert!(status.expect("javac").success());
    place
}

#[test]
fn the_verifier_accepts_every_woven_class() {
    let _limit = testkit::limit();
    if !testkit::need("java") {
        return;
    }
    let place = compile("java-image", "Links.java");
    let kit = Kit::ensure(Tools::find(None).unwrap(), &mut |_| {}).unwrap();
    let said = link(&kit, &place, &kit.base());
    let [last] = &said[..] else {
        panic!("{said:?}");
    };
    let count: u32 = last.strip_prefix("linked ").unwrap().parse().unwrap();
    assert!(count > 1500, "{count}");
    // A class that is not of the base module is not found there: the program does notice.
    let said = link(&kit, &place, &place);
    assert!(
        said[0].starts_with("Links: java.lang.ClassNotFoundException"),
        "{said:?}"
    );
}

#[test]
fn our_versions_of_classes_have_the_members_of_the_jdks() {
    let _limit = testkit::limit();
    if !testkit::need("java") {
        return;
    }
    let place = compile("java-members", "Members.java");
    let kit = Kit::ensure(Tools::find(None).unwrap(), &mut |_| {}).unwrap();
    let members = |java: &Path, options: &[String]| {
        let mut command = Command::new(java);
        command.args(options).arg("-cp").arg(&place);
        let output = command.arg("Members").output().expect("java");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let plain = members(&kit.tools.java, &[]);
    assert!(plain.lines().count() > 100, "{plain}");
    assert_eq!(members(&kit.java(), &kit.options()), plain);
}
