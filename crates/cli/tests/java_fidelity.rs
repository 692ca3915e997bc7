//! What a program says on the woven JVM is what it says on a plain one: what reflection shows, what is inherited by way of classes
//! that are not woven, the JDK's own hierarchies. (`./x bench java-fidelity` has unit tests of libraries.)

use std::process::{Command, Output, Stdio};
use testkit::{java, place};

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_program_says_what_it_says_on_a_plain_jvm() {
    if !testkit::need("java") {
        return;
    }
    // Without the names of locals it says their numbers.
    for (class, options) in [
        ("Mirror", ""),
        ("Nulls", ""),
        ("Nulls", "-g:lines"),
        ("Surroundings", ""),
    ] {
        says_the_same(class, options);
    }
}

fn says_the_same(class: &str, options: &str) {
    let place = place!(&format!("mirror{class}{options}"));
    let options: Vec<&str> = options.split_whitespace().collect();
    let source = java::source(&format!("fidelity/{class}.java"));
    java::compile(&place, &options, &[source]);
    let mut plain = Command::new("java");
    // In the environment that ours has: the encoding of file names comes from there.
    plain.env_clear();
    plain.envs(fence::inherit::JAVA_ENVIRONMENT.iter().copied());
    plain.current_dir(&*place).args(jvm::WORLD);
    plain.args(["-cp", "classes", class]);
    let plain = plain.stdin(Stdio::null()).output().expect("java");
    assert!(plain.status.success(), "{plain:?}");
    let mut woven = Command::new(env!("CARGO_BIN_EXE_polypath"));
    woven.current_dir(&*place).args(["java", "run", "classes"]);
    woven.args(["--main", class, "--sym-stdin", "1"]);
    woven.args(["--time", "120", "--out", "out"]);
    let woven = woven.output().expect("polypath");
    let text = String::from_utf8_lossy(&woven.stderr).into_owned();
    assert_eq!(woven.status.code(), Some(0), "{text}");
    let run = testcase::Run::read(&place.join("out")).expect("the run");
    assert_eq!(run.tests.len(), 2, "{text}");
    let plain = said(&plain);
    for test in &run.tests {
        let ours = String::from_utf8_lossy(&test.expected.stdout).into_owned();
        let ours = ours.trim_end_matches("x\n");
        for (ours, plain) in ours.lines().zip(plain.lines()) {
            assert_eq!(ours, plain);
        }
        assert_eq!(ours.lines().count(), plain.lines().count(), "{text}");
    }
}
