//! The woven JDK: the verifier of the JVM accepts each class of it.

use polypath_jvm::{Kit, Tools};
use std::path::Path;
use std::process::Command;

/// What `tests/java/Links.java` says of the classes in a directory, line by line.
fn link(kit: &Kit, classes: &Path, root: &Path) -> Vec<String> {
    let mut command = Command::new(&kit.tools.java);
    command.args(kit.options());
    command.args(["-Xverify:all", "-cp"]).arg(classes);
    let output = command.arg("Links").arg(root).output().expect("java");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_string).collect()
}

#[test]
fn the_verifier_accepts_every_woven_class() {
    if !testkit::need("java") {
        return;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-image");
    std::fs::create_dir_all(&place).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java/Links.java");
    let mut command = Command::new("javac");
    let status = command.arg("-d").arg(&place).arg(source).status();
    assert!(status.expect("javac").success());
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
