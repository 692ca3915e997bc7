//! Names of parameters, in what a run says of its input.

use crate::java_kit::{polypath, replay, test_all};
use testkit::{Place, place};

/// What is made of a parameter has its name, where the class file has it; what is asked of numbers beside arrays, and of texts by their
/// name, holds whatever the names are.
#[test]
fn parameters_have_the_names_of_the_source() {
    if !testkit::need("java") {
        return;
    }
    let numbers = "public class Named {
        private final byte[] data; private final int offset, length;
        public Named(byte[] data, int offset, int length) { this.data = data; this.offset = offset; this.length = length; }
        public int sum() { int s = 0; for (int i = 0; i < length; i++) s += data[offset + i]; return s; }
        public static int at(long unused, int index) { int[] all = new int[3]; return all[index + 1]; }
    }";
    let texts = "import java.util.regex.*;
    public class Named {
        public static int groups(String startRegex) {
            Matcher m = Pattern.compile(\"x\" + startRegex).matcher(\"x\");
            return m.find() ? m.group(1).length() : 0;
        }
        public static boolean prefixed(String prefix) { return Pattern.compile(\"^\" + prefix).matcher(\"a\").find(); }
    }";
    let explored = |names: &str, options: &str, source: &str| {
        let place = place!(&format!("named-{names}"));
        place.write("Named.java", source);
        let mut command = testkit::java::javac();
        command.current_dir(&*place);
        command.args([options, "-d", "classes", "Named.java"]);
        assert!(command.status().expect("javac").success());
        let (_, methods, _) = test_all(&place, &["--time", "10", "--", "--array-len", "2"]);
        let marks = |m: &serde_json::Value| {
            let dir = m["directory"].as_str().expect("a directory");
            let run = testcase::Run::read(&place.join("out").join(dir)).expect("a run");
            let marks = run.errors.into_iter().map(|e| e.precondition);
            let marks: std::collections::BTreeSet<String> =
                marks.map(Option::unwrap_or_default).collect();
            (m["method"].as_str().expect("a name").to_string(), marks)
        };
        methods
            .iter()
            .map(marks)
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    for (names, options, data, index) in [
        ("debug", "-g", "this.data", "index"),
        ("kept", "-parameters", "this.data", "index"),
        ("none", "-g:lines", "this.0", "arg1"),
    ] {
        let marks = explored(names, options, numbers);
        // (`this.length` is how long an array is: such a name is not used.)
        let of_data = format!("is no part of {data}, which has ");
        let sum = &marks["Named.sum()"];
        assert!(
            !sum.is_empty() && sum.iter().all(|m| m.contains(&of_data)),
            "{names}: {marks:?}"
        );
        let at: Vec<&String> = marks["Named.at(long,int)"].iter().collect();
        assert_eq!(at, [&format!("{index} is no index")], "{names}");
    }
    let marks = explored("texts", "-g", texts);
    let groups: Vec<&String> = marks["Named.groups(java.lang.String)"].iter().collect();
    let wanted = [
        "startRegex has not the groups that are asked for",
        "startRegex is no part of a regular expression",
    ];
    assert_eq!(groups, wanted, "{marks:?}");
    let prefixed: Vec<&String> = marks["Named.prefixed(java.lang.String)"].iter().collect();
    assert_eq!(prefixed, [""], "{marks:?}");
}

/// A class file that says of parameters what no source can: its compiler wrote names as long as the ones that are put in their place.
fn with_names(place: &Place, class: &str, names: &[(&str, &str)]) {
    let file = place.join("classes").join(format!("{class}.class"));
    let mut bytes = std::fs::read(&file).expect("a class file");
    for (name, other) in names {
        // A constant of the class file: its kind, its length in two bytes, and the text.
        let constant = |text: &str| [&[1, 0, text.len() as u8], text.as_bytes()].concat();
        let (from, to) = (constant(name), constant(other));
        assert_eq!(from.len(), to.len(), "{name}: {other}");
        let at = bytes.windows(from.len()).position(|w| w == from);
        let at = at.unwrap_or_else(|| panic!("{name} is in the class file"));
        bytes[at..at + to.len()].copy_from_slice(&to);
    }
    std::fs::write(file, bytes).expect("a class file");
}

/// Names are those that Java's source can have, whatever their letters are. Of others, and of the second of two, the place is the name; so no two parameters are
/// one input, and no line of what is said ends within a name.
#[test]
fn odd_names_are_taken_and_impossible_ones_are_not() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("odd-names");
    let sum = |of: &[&str]| {
        let parameters: Vec<String> = of.iter().map(|name| format!("int {name}")).collect();
        let terms = of.iter().enumerate();
        let cases = terms.map(|(k, name)| format!("if ({name} == {}) return {k};", 1000 + k));
        let cases: Vec<String> = cases.collect();
        format!(
            "public static int of({}) {{ {} return -1; }}",
            parameters.join(", "),
            cases.join(" ")
        )
    };
    let odd = [
        "$data",
        "größe",
        "_x",
        "\u{1d49c}",
        "record",
        "this$0",
        "日本",
        "arg1",
    ];
    let (wrong, patched) = (
        [
            "aaaaa", "bbbbb", "ccccc", "ddddd", "eeeee", "fffff", "ggggg",
        ],
        [
            ("bbbbb", "aaaaa"),
            ("ccccc", "break"),
            ("ddddd", "d\nddd"),
            ("eeeee", "1eeee"),
            ("fffff", "f fff"),
            ("ggggg", "g\u{ad}gg"),
        ],
    );
    let malformed = ["hhhhh", "iiiii"];
    let classes = [
        ("Odd", &odd[..]),
        ("Wrong", &wrong),
        ("Malformed", &malformed),
    ];
    for (class, names) in classes {
        let text = format!("public class {class} {{ {} }}", sum(names));
        place.write(&format!("{class}.java"), text);
    }
    for (class, option) in [
        ("Odd", "-g"),
        ("Wrong", "-parameters"),
        ("Malformed", "-parameters"),
    ] {
        let mut command = testkit::java::javac();
        command.current_dir(&*place);
        command.args(["-encoding", "UTF-8", option, "-d", "classes"]);
        let status = command.arg(format!("{class}.java")).status();
        assert!(status.expect("javac").success());
    }
    with_names(&place, "Wrong", &patched);
    with_names(&place, "Malformed", &[("iiiii", "i.iii")]);
    let named = |class: &str, of: &[&str]| {
        let entry = format!("{class}.of");
        let ran = polypath(
            &place,
            &["java", "run", "classes", "--entry", &entry, "--out", class],
        );
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{class}: {said}");
        let run = testcase::Run::read(&place.join(class)).expect("a run");
        // Each decides by its own.
        assert_eq!(run.tests.len(), of.len() + 1, "{class}: {said}");
        let all = run.tests.iter().flat_map(|t| &t.objects);
        let all: std::collections::BTreeSet<&str> = all.map(|(name, _)| &name[..]).collect();
        let wanted: std::collections::BTreeSet<&str> = of.iter().copied().collect();
        assert_eq!(all, wanted, "{class}: {said}");
        let (code, _, said) = replay(&place, class);
        assert_eq!(code, Some(0), "{class}: {said}");
    };
    // (What looks like a parameter's number is not taken for another one's.)
    let (last, others) = odd.split_last().expect("names");
    assert_eq!(*last, "arg1");
    named("Odd", &[others, &["arg7"]].concat());
    named(
        "Wrong",
        &["aaaaa", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6"],
    );
    named("Malformed", &["arg0", "arg1"]);
}
