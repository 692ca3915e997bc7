//! `polypath java test`: all methods of a class path under one budget.

use crate::java_kit::{bank, javac, polypath, test_all};
use testkit::place;

/// Methods of one JVM: the second one leaves it blocked, so that the third one gets another.
#[test]
fn all_packages_are_explored_under_one_budget() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("package");
    bank(&place);
    let more = "public class Several {
        private final int kept;
        public Several(int k) { kept = k; }
        public int aGetter() { return kept; }
        public static int never(int x) throws Exception {
            if (x == 9) synchronized (Several.class) { Several.class.wait(); }
            return x;
        }
        public static int zero(int x) { return x == 7 ? 1 : 0; }
    }";
    std::fs::write(place.join("Several.java"), more).expect("written");
    javac(&place, ".", "classes", &["Several.java".into()]);
    let more = ["--time", "60", "--", "--array-len", "1"];
    let (code, methods, said) = test_all(&place, &more);
    assert_eq!(code, Some(0), "{said}");
    let names: Vec<&str> = methods
        .iter()
        .filter_map(|m| m["method"].as_str())
        .collect();
    // Account is no public class.
    assert_eq!(names.len(), 8, "{said}");
    assert!(
        names.contains(&"bank.Shapes.kinds(bank.Shapes$Shape)")
            || names.iter().any(|n| n.starts_with("bank.")),
        "{said}"
    );
    assert_eq!(names.last(), Some(&"Several.aGetter()"), "{said}");
    for m in &methods {
        let name = m["method"].as_str().expect("a name");
        let tests = m["tests"].as_u64().unwrap_or(0);
        if name.contains(".refused(") {
            assert!(
                m["trouble"].as_str().is_some_and(|t| t.contains("Thread")),
                "{m}"
            );
        } else if name.starts_with("Several.") {
            // The path that is blocked has no test.
            let paths = if name.contains("zero") { 2 } else { 1 };
            let blocked = m["halted"].as_str().is_some_and(|h| h.contains("blocked"));
            assert_eq!((tests, blocked), (paths, name.contains("never")), "{m}");
        } else {
            assert!(tests > 0 && m["covered_lines"].as_u64() > Some(0), "{m}");
        }
    }
    assert!(!said.contains("a full pass needs"), "{said}");
    // Results of another time stay as they are.
    let again = ["java", "test", "classes", "--out", "out"];
    let again = polypath(&place, &again);
    let refused = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(2), "{refused}");
    assert!(refused.contains("out exists and is not empty"), "{refused}");
}

/// A budget that is less than what one method needs.
#[test]
fn methods_that_the_budget_leaves_out_are_named() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("leftout");
    bank(&place);
    let (code, methods, said) = test_all(&place, &["--time", "0.2", "--package", "bank"]);
    assert_eq!(code, Some(4), "{said}");
    assert_eq!(methods.len(), 4, "{said}");
    let told = "0 of 4 methods served within --time 0.2; a full pass needs about 3 s";
    assert!(said.contains(told), "{said}");
    let left_out = ": not served: there was no time left";
    assert_eq!(said.matches(left_out).count(), 4, "{said}");
}

/// Each part of a method is too short for a path, however fast the machine is (the user's own limit holds): it has the turns that a method gets, and then
/// the progress, its line, the sum and `methods.json` say the same of it.
#[test]
fn a_method_that_comes_to_no_path_has_more_turns_and_is_told_as_not_served() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("short");
    let source = "public class Short { public static int share(int n) { return n == 7 ? 1 : 2; }
        public static int other(Thread t) { return t == null ? 1 : 2; } }";
    place.write("Short.java", source);
    javac(&place, ".", "classes", &["Short.java".into()]);
    let more = [
        "--time",
        "60",
        "--progress",
        "json",
        "--",
        "--time",
        "0.001",
    ];
    let (code, methods, said) = test_all(&place, &more);
    assert_eq!(code, Some(4), "{said}");
    let state = |of: &str| {
        let name = format!("Short.{of}");
        let is_it = |m: &&serde_json::Value| m["method"].as_str().is_some_and(|m| m == name);
        let method = methods.iter().find(is_it);
        let method = method.unwrap_or_else(|| panic!("{name}: {said}"));
        (
            method["state"].as_str().expect("a state"),
            method["trouble"].as_str().unwrap_or_default(),
        )
    };
    let (short, why) = state("share(int)");
    assert_eq!(short, "not_served", "{said}");
    let turns = "no path came to its end in 4 parts of ";
    assert!(why.starts_with(turns), "{said}");
    assert!(
        said.contains(&format!("Short.share(int): not served: {turns}")),
        "{said}"
    );
    // That it cannot be called is all that there is to say, unless a busy machine has not come to that in so little time.
    let (refused, why) = state("other(java.lang.Thread)");
    assert_eq!(refused, "not_run", "{said}");
    let is_told = why.contains("Thread") || why.contains("time limit");
    assert!(is_told, "{said}");
    for told in [
        "2 methods: 0 tests, 0 errors; 0 explored, 0 in part, 1 not run, 1 not served",
        "1 of 2 methods served within --time 60; ",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(!said.contains("\"done\":2,"), "{said}");
}
