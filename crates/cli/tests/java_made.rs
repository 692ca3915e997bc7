//! What a Java method is called with: objects that a user can make, when they make paths, and what an error says of them.

use crate::java_kit::{bank, explore, javac, outcomes, polypath, replay, sources, test_all};
use testkit::place;

#[test]
fn an_object_that_its_constructor_refuses_is_a_test_and_no_error() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("refused");
    let text = "package bank; class Limit { final int part;
        record Day(int n) { Day { if (n > 31) throw new IllegalArgumentException(); } }
        Limit(int most, Day day) { part = 100 / most; }
        int path(byte b) { return part > b ? 1 : 2; } }";
    place.write("Limit.java", text);
    javac(&place, ".", "classes", &[place.join("Limit.java")]);
    let (_, text) = explore(&place, "out", "bank.Limit.path", "5", "1");
    // What is evaluated after the exception is anything.
    for call in [
        "assertThrows(ArithmeticException.class, () -> new Limit(0, ",
        "assertThrows(IllegalArgumentException.class, () -> new Limit(",
    ] {
        assert!(text.contains(call), "{call}: {text}");
    }
    let errors = std::fs::read_to_string(place.join("out/errors.json"));
    assert_eq!(errors.expect("errors.json").trim(), "[]");
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
}

/// A string's length, and whether its characters fit into bytes, make paths when the program looks at it and not before.
#[test]
fn strings_make_paths_where_the_program_looks_at_them() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("lazy");
    let at = sources().join("bank/Lazy.java");
    javac(&place, ".", "classes", &[at]);
    // No first character, one that is 'k', another one, with characters of one byte or some of two. No list, or one of three sizes.
    // What has the length that is asked for, or another one.
    let cases = [
        ("five", 4 + 1 + 2 + 2, 1),
        ("never", 2 + 3 * 2, 0),
        ("wide", 2 + 3, 0),
        ("same", 3 + 1, 0),
    ];
    for (method, paths, errors) in cases {
        let entry = format!("bank.Lazy.{method}");
        let sizes = ["--array-len", "0-2"];
        let run = ["java", "run", "classes", "--out", method, "--entry", &entry];
        let ran = polypath(&place, &[&run[..], &sizes].concat());
        let said = String::from_utf8_lossy(&ran.stderr);
        let stats = place.json(&format!("{method}/stats.json"));
        assert!(stats["halted"].is_null(), "{said}");
        assert_eq!(stats["java_wrong"], serde_json::json!([]), "{said}");
        let run = testcase::Run::read(&place.join(method)).expect("a run");
        assert_eq!(
            (run.tests.len(), run.errors.len()),
            (paths, errors),
            "{said}"
        );
        let (_, summary, said) = replay(&place, method);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    }
}

#[test]
fn objects_are_made_by_constructors_and_written_as_source() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("objects");
    bank(&place);
    let cases: [(&str, &str, &[&str]); 3] = [
        (
            "area",
            "1",
            &[
                "returned I -1",
                "returned I 1",
                "returned I 2",
                "returned I 3",
            ],
        ),
        ("names", "2", &["\"null\"", "\"found\"", "\"other\""]),
        (
            "sizes",
            "1",
            &[
                "returned I -1",
                "returned I 0",
                "returned I 1",
                "returned I 5",
            ],
        ),
    ];
    for (method, length, wanted) in cases {
        let entry = format!("bank.Shapes.{method}");
        let (_, text) = explore(&place, method, &entry, "5", length);
        let found = outcomes(&place.join(method));
        for outcome in wanted {
            assert!(found.contains(*outcome), "{method}: {outcome}: {found:?}");
        }
        assert!(!text.contains("that have an argument"), "{text}");
        let (_, summary, said) = replay(&place, method);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    }
    let args = [
        "java",
        "run",
        "classes",
        "--entry",
        "bank.Shapes.refused",
        "--out",
        "no",
    ];
    let refused = polypath(&place, &args);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("java.lang.Thread"), "{said}");
}

/// Objects come from the public interface. Where it has no way to make one, errors that may depend on that are marked.
#[test]
fn errors_need_objects_that_a_caller_can_make_or_say_so() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("made");
    let files = ["Point", "Plan", "Token", "Cost", "Lexer"];
    let at = sources().join("../made/lib");
    javac(
        &place,
        ".",
        "classes",
        &files.map(|f| at.join(format!("{f}.java"))),
    );
    let (_, methods, said) = test_all(&place, &["--time", "240", "--", "--array-len", "0-3"]);
    let errors = |method: &str| {
        let found = methods
            .iter()
            .find(|m| m["method"].as_str().is_some_and(|n| n.starts_with(method)));
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        assert!(found["tests"].as_u64() > Some(0), "{found}");
        let dir = place
            .join("out")
            .join(found["directory"].as_str().expect("a directory"));
        let run = testcase::Run::read(&dir).expect("a run");
        let calls = run
            .tests
            .iter()
            .map(|t| String::from_utf8_lossy(&t.args.join(&b' ')).into_owned());
        (run.errors, calls.collect::<Vec<_>>().join("\n"), dir)
    };
    let (none, calls, _) = errors("lib.Point.first");
    assert!(
        none.is_empty() && calls.contains("Point.of(7)"),
        "{none:?} {calls}"
    );
    let (none, calls, _) = errors("lib.Plan.share");
    assert!(
        none.is_empty() && calls.contains("new Plan.Builder(") && calls.contains(").build()"),
        "{none:?} {calls}"
    );
    let (none, calls, _) = errors("lib.Cost.twice");
    assert!(
        none.is_empty() && calls.contains("new Cost.Fixed(") && !calls.contains("Once"),
        "{none:?} {calls}"
    );

    // No lexer gives an empty word: there is one error.
    let (certain, calls, _) = errors("lib.Lexer$Word.share");
    let made = calls.contains("new Lexer(\"") && calls.contains(").next()");
    assert!(made, "{calls}");
    assert_eq!(certain.len(), 1, "{certain:?}");
    assert_eq!(certain[0].precondition, None, "{certain:?}");
    let (marked, _, dir) = errors("lib.Token.length");
    let why = "this is a Token that no public method makes";
    assert_eq!(marked.len(), 1, "{said}");
    assert_eq!(marked[0].precondition.as_deref(), Some(why));
    let out = dir.to_str().expect("a path");
    let (_, summary, replayed) = replay(&place, out);
    assert!(
        replayed.contains(&format!("happens if {why}")),
        "{replayed}"
    );
    assert_eq!(summary["errors"][0]["precondition"], why, "{summary}");
    // It was seen with a token first, and without one as well.
    let (certain, ..) = errors("lib.Token.share");
    assert_eq!(certain.len(), 1, "{certain:?}");
    assert_eq!(certain[0].precondition, None, "{certain:?}");
}

/// Longer input waits until shorter brings nothing new. Each length is explored once, and the claim has the bound that was reached.
#[test]
fn bounds_of_strings_and_arrays_grow() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("longer");
    let at = sources().join("../made/lib/Longer.java");
    javac(&place, ".", "classes", &[at]);
    let explored = |entry: &str, more: &[&str]| {
        let entry = format!("lib.Longer.{entry}");
        let run = ["java", "run", "classes", "--entry", &entry, "--out", &entry];
        let ran = polypath(&place, &[&run[..], more].concat());
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let run =
            testcase::Run::read(&place.join(&entry)).unwrap_or_else(|e| panic!("{e}: {said}"));
        let marks = run.errors.iter().map(|e| e.precondition.clone());
        let marks: Vec<Option<String>> = marks.collect();
        (run.tests, marks, said)
    };
    let most = ["--array-max", "16", "--string-max", "16"];
    let (tests, marks, said) = explored("fields", &most);
    assert_eq!(marks, [None], "{said}");
    let of_error = tests.iter().find(|t| t.error.is_some()).expect("a test");
    assert_eq!(of_error.args[1].iter().filter(|&&c| c == b',').count(), 1);
    let (tests, marks, said) = explored("far", &most);
    // Shorter than ten within each bound, and then three.
    assert_eq!((tests.len(), marks.len()), (5, 1), "{said}");
    let reached =
        "arrays, strings and collections have up to 16 elements (--array-max, --string-max)";
    assert!(said.contains(reached), "{said}");
    // What is not looked at has no length.
    let (tests, ..) = explored("unread", &most);
    assert_eq!(tests.len(), 1);
    let (tests, ..) = explored("within", &most);
    let results = tests
        .iter()
        .filter(|t| t.expected.stderr.starts_with(b"returned"));
    assert!(results.count() > 0);
    // Numbers are held against the length of the array, also where its lengths do not begin with none.
    let (_, marks, said) = explored("part", &["--array-len", "6-7"]);
    assert_eq!(marks, [None], "{said}");
}

/// What the library asks of a value, a method that hands it on asks of its callers, and says so; it does not where it is a parser that declares
/// another exception, or where it has made the value itself.
#[test]
fn what_the_library_asks_of_a_value_is_asked_of_the_caller() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("asking");
    let at = sources().join("../made/lib/Asking.java");
    javac(&place, ".", "classes", &[at]);
    let more = ["--time", "240", "--", "--array-len", "2", "--heap", "64"];
    let (_, methods, said) = test_all(&place, &more);
    let marks = |method: &str| {
        let name = format!("lib.Asking.{method}(");
        let of =
            |m: &&serde_json::Value| m["method"].as_str().is_some_and(|n| n.starts_with(&name));
        let found = methods.iter().find(of);
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        let dir = found["directory"].as_str().expect("a directory");
        let run = testcase::Run::read(&place.join("out").join(dir)).expect("a run");
        let marks = run.errors.into_iter().map(|e| e.precondition);
        let marks: std::collections::BTreeSet<Option<String>> = marks.collect();
        marks.into_iter().collect::<Vec<_>>()
    };
    let marked = |what: &str| vec![Some(what.to_string())];
    assert_eq!(marks("number"), marked("text is no number"));
    assert_eq!(marks("part"), marked("text is no number"));
    assert_eq!(marks("parse"), [None]);
    assert_eq!(marks("composed"), [None]);
    let no_room = "out has 2, no room for what is written";
    assert_eq!(marks("result"), marked(no_room));
    assert_eq!(marks("shifted"), [None]);
    let begins = |method: &str, what: &str| {
        let marks = marks(method);
        let is_it = |m: &Option<String>| m.as_deref().is_some_and(|m| m.contains(what));
        assert!(
            !marks.is_empty() && marks.iter().all(is_it),
            "{method}: {marks:?}"
        );
    };
    begins("sized", "is no size");
    begins("large", "size = ");
    begins("between", "is no ");
    begins("held", "numbers holds a String");
    // The caller's is the number that is an argument, but not one among many.
    let places = marks("position");
    assert_eq!((places.len(), &places[0]), (2, &None), "{places:?}");
    let of_argument = places[1].as_deref().is_some_and(|m| m.starts_with("at "));
    assert!(of_argument, "{places:?}");
    assert_eq!(marks("keyLength"), []);
    assert_eq!(marks("constants"), marked("type is null"));
}

/// Methods that change an object are called after its constructor, in runs that come after those without such calls.
#[test]
fn objects_are_changed_by_their_own_methods() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("changed");
    let at = sources().join("../made/lib/Tank.java");
    javac(&place, ".", "classes", &[at]);
    let entry = "lib.Tank.share";
    let run = ["java", "run", "classes", "--entry", entry, "--out", "out"];
    let ran = polypath(&place, &run);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let stats = place.json("out/stats.json");
    assert!(stats["halted"].is_null(), "{stats}");
    let run = testcase::Run::read(&place.join("out")).expect("a run");
    let call = |t: &testcase::TestCase| String::from_utf8_lossy(&t.args[1]).into_owned();
    assert_eq!(call(&run.tests[0]), "new Tank()");
    // There is no tank whose level is below zero.
    let found = outcomes(&place.join("out"));
    let wanted = [
        "ArithmeticException",
        "returned I 0",
        "returned I 1",
        "returned I 2",
    ];
    assert!(found.iter().eq(&wanted), "{found:?}");
    let of_error = run.tests.iter().find(|t| t.error.is_some()).map(call);
    let of_error = of_error.expect("an error");
    let calls = of_error.contains("o0.setLevel(77); ") && of_error.contains("o0.open(); ");
    assert!(
        calls && of_error.ends_with("return o0; }).call()"),
        "{of_error}"
    );
    assert_eq!(run.errors[0].precondition, None);
    let (status, summary, said) = replay(&place, "out");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    assert_eq!(summary["error_totals"]["confirmed"], 1, "{said}");
    assert_eq!(status, Some(1), "{said}");
}

/// What no class implements is a stub, whose methods return input. Errors say so, unless it is a function that users write.
#[test]
fn interfaces_that_nothing_implements_get_stubs() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("stubs");
    let at = sources().join("../made/lib/Stubbed.java");
    javac(&place, ".", "classes", &[at]);
    let more = ["--time", "90", "--", "--array-len", "1"];
    let (_, methods, said) = test_all(&place, &more);
    let find = |method: &str| {
        let of = |m: &&serde_json::Value| m["method"].as_str().is_some_and(|n| n.contains(method));
        let found = methods.iter().find(of);
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        let dir = found["directory"].as_str().expect("a directory");
        let dir = format!("out/{dir}");
        let run = testcase::Run::read(&place.join(&dir)).expect("a run");
        let calls = run.tests.iter().map(|t| t.args.join(&b' '));
        let calls: Vec<String> = calls.map(|c| String::from_utf8_lossy(&c).into()).collect();
        let marks = run.errors.iter().map(|e| e.precondition.clone());
        let mut marks: Vec<Option<String>> = marks.collect();
        marks.sort();
        marks.dedup();
        let (_, summary, said) = replay(&place, &dir);
        assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
        assert_eq!(summary["totals"].get("not run"), None, "{said}");
        (outcomes(&place.join(&dir)), calls.join("\n"), marks)
    };
    let marked = |what: &str| vec![Some(what.to_string())];
    let (found, calls, marks) = find("Stubbed.share(");
    for outcome in ["returned I -1", "returned I 5", "returned I 0"] {
        assert!(found.contains(outcome), "{outcome}: {found:?}");
    }
    assert!(calls.contains("new Stubbed.Source() { "), "{calls}");
    // Each of its errors, also where a method of the stub returns null.
    let is_of_stub = |mark: &Option<String>| {
        let mark = mark.as_deref();
        mark.is_some_and(|m| m.starts_with("source is a stub of Source"))
    };
    assert!(marks.iter().all(is_of_stub), "{marks:?}");
    let (_, calls, marks) = find("Stubbed$Shape.share(");
    assert!(calls.contains("new Stubbed.Shape("), "{calls}");
    assert_eq!(marks, marked("this is a stub of Shape"));
    // Anybody can write a function that returns null.
    let (found, calls, marks) = find("Stubbed.apply(");
    assert!(found.contains("returned I 1"), "{found:?}");
    let function = "((java.util.function.Function) (p0) -> Integer.valueOf(42))";
    assert!(calls.contains(function), "{calls}");
    let of_null = |m: &Option<String>| m.as_deref() == Some("f.apply is null");
    assert!(marks.iter().all(of_null), "{marks:?}");
    let (found, ..) = find("Stubbed.nested(");
    assert!(found.contains("returned I 3"), "{found:?}");
    let (found, ..) = find("Stubbed.same(");
    assert!(found.contains("returned L lib.Stubbed$Check"), "{found:?}");
}

/// What a method never reads makes no paths: neither whether it is null nor what it is.
#[test]
fn a_parameter_that_is_never_read_is_no_input() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("unread");
    let source = "public class Unread {
        public static int share(Object o, java.util.List<String> all, int n, String text, Unread[] more) { return n == 7 ? 1 : 2; }
        public static int read(Unread o, int n) { Object p = o; return n == 7 ? 1 : p == null ? 2 : 3; }
    }";
    place.write("Unread.java", source);
    javac(&place, ".", "classes", &["Unread.java".into()]);
    // (Whether a parameter is null is decided when it is read, which is at once here.)
    for (method, paths) in [("share", 2), ("read", 4)] {
        let entry = format!("Unread.{method}");
        let run = ["java", "run", "classes", "--entry", &entry, "--out", method];
        let ran = polypath(&place, &run);
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        let stats = place.json(&format!("{method}/stats.json"));
        assert_eq!(stats["completed_paths"], paths, "{stats}");
        assert!(stats["halted"].is_null(), "{stats}");
        let (code, _, said) = replay(&place, method);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// Methods of one name are as other methods are: what they read of their own parameters says nothing of those of the method under test.
#[test]
fn methods_of_one_name_come_to_what_those_of_other_names_do() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("overloads");
    // With more parameters than the first one, with fewer, in another order, and the first one again.
    let program = |class: &str, names: [&str; 4]| {
        let [a, b, c, d] = names;
        format!(
            "public class {class} {{
        private static final char[] LETTERS = {{'0', '1', '2', '3'}};
        public static int {a}(byte[] v) {{ return {b}(v, v == null ? 1 : v.length, LETTERS); }}
        static int {b}(byte[] v, int n, char[] t) {{
            if (n > 3) return 3;
            char[] out = new char[n];
            if (v != null) for (int i = 0; i < v.length; i++) out[i] = t[v[i] & 3];
            return {c}(n, t, v) + {d}();
        }}
        static int {c}(int n, char[] t, byte[] v) {{ return t[n & 1] == '0' ? n : v == null ? 7 : {a}(null); }}
        static int {d}() {{ return 0; }}
        public static int {a}(Integer n, String s) {{ return n == null ? {a}(new byte[2]) : n > 3 ? {c}(n, LETTERS, null) : 9; }}
    }}"
        )
    };
    let mut found = Vec::new();
    for (class, names) in [
        ("Same", ["m", "m", "m", "m"]),
        ("Other", ["m", "second", "third", "fourth"]),
    ] {
        let file = format!("{class}.java");
        place.write(&file, program(class, names));
        javac(&place, ".", class, &[file.into()]);
        for types in ["byte[]", "Integer,String"] {
            let entry = format!("{class}.m({types})").replace("Integer", "java.lang.Integer");
            let entry = entry.replace("String", "java.lang.String");
            let out = format!("out-{class}-{}", types.len());
            let run = ["java", "run", class, "--entry", &entry, "--out", &out];
            let ran = polypath(&place, &run);
            assert_eq!(ran.status.code(), Some(0), "{ran:?}");
            let stats = place.json(&format!("{out}/stats.json"));
            assert!(stats["halted"].is_null(), "{stats}");
            found.push((types, stats["completed_paths"].clone()));
            let (code, _, said) = replay(&place, &out);
            assert_eq!(code, Some(0), "{said}");
        }
    }
    let (same, other) = found.split_at(2);
    assert_eq!(same, other);
}

/// What a parameter is (null or not, its class, how many elements it has and which) is decided when the method first reads it. Ways that end before that are one each.
#[test]
fn what_a_parameter_is_makes_paths_where_it_is_read() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("late");
    // Two ways do not read what is given; `rest` tells what the value is then.
    let method = |name: &str, given: &str, rest: &str| {
        let head = "if (n < 10) return n == 7 ? 1 : 2;";
        format!("    public static int {name}(int n, {given} v) {{ {head} return {rest}; }}\n")
    };
    // The number of values that are told apart, and of those that are not but by how they are made.
    let lists = 1 + 1 + 1 + 1;
    let boxes = 1 + 1 + 2 + 4;
    let cases = [
        ("box", "Integer", "v == null ? 3 : v > 1 ? 4 : 5", 3),
        ("color", "Color", "v == Color.RED ? 3 : 4", 3),
        (
            "list",
            "java.util.List<String>",
            "v == null ? 3 : v.size() > 1 ? 4 : 5",
            lists,
        ),
        (
            "boxes",
            "java.util.List<Integer>",
            "v == null ? 3 : v.size() > 1 ? 4 : 5",
            boxes,
        ),
        ("array", "Integer[]", "v.length > 1 ? 4 : 5", boxes - 1),
        (
            "kind",
            "Object",
            "v == null ? 3 : v instanceof String ? 4 : 5",
            3,
        ),
        ("point", "Point", "v == null ? 3 : v.x > 1 ? 4 : 5", 3),
        (
            "pair",
            "Pair",
            "v == null ? 3 : v.color() == Color.RED ? 4 : 5",
            4,
        ),
        (
            "shape",
            "Shape",
            "v == null ? 3 : v instanceof Circle ? 4 : 5",
            3,
        ),
        (
            "function",
            "java.util.function.IntUnaryOperator",
            "v == null ? 3 : v.applyAsInt(3) == 4 ? 4 : 5",
            3,
        ),
        (
            "charset",
            "java.nio.charset.Charset",
            "v == null ? 3 : 4",
            5,
        ),
        // Its own parameter is read where it calls itself, too.
        (
            "again",
            "Integer",
            "n == 10 ? again(7, null) : v == null ? 3 : v > 1 ? 4 : 5",
            4,
        ),
    ];
    let methods: String = cases.iter().map(|c| method(c.0, c.1, c.2)).collect();
    let source = format!(
        "public class Late {{
    public enum Color {{ RED, GREEN, BLUE }}
    public static final class Point {{ final int x; public Point(int x) {{ this.x = x; }} }}
    public record Pair(Color color, String name) {{}}
    public interface Shape {{}}
    public static final class Circle implements Shape {{ public Circle(double r) {{}} }}
    public static final class Square implements Shape {{ final double s; public Square(double s) {{ this.s = s; }} }}
    /** There is none below zero: its constructor decides, throws, and says something. */
    public static final class Checked {{
        final int x;
        public Checked(int x) {{ System.out.print(x < 0 ? '-' : '+'); if (x < 0) throw new IllegalArgumentException(); this.x = x; }}
    }}
    /** What is called is not what was named. */
    public static class Above {{
        private Above() {{}}
        public static Above of() {{ return new Below(); }}
        public int late(int n, Integer v) {{ return n < 10 ? 1 : v == null ? 2 : 3; }}
    }}
    static final class Below extends Above {{
        public int late(int n, Integer v) {{ Integer w = v; return n < 10 ? 4 : w == null ? 5 : 6; }}
    }}
{methods}{}}}",
        method("checked", "Checked", "v == null ? 3 : v.x > 1 ? 4 : 5")
    );
    place.write("Late.java", source);
    javac(&place, ".", "classes", &["Late.java".into()]);
    let more = [
        "--time",
        "90",
        "--",
        "--junit",
        "none",
        "--array-len",
        "0-2",
    ];
    let (_, methods, said) = test_all(&place, &more);
    // (Each replay starts a compiler and a JVM.)
    let replayed = ["Late.pair", "Late.checked"];
    let paths = |method: &str| {
        let is_it = |m: &&serde_json::Value| {
            m["method"]
                .as_str()
                .is_some_and(|name| name.starts_with(&format!("{method}(")))
        };
        let found = methods.iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("{method}: {said}"));
        let dir = format!("out/{}", found["directory"].as_str().expect("a directory"));
        let stats = place.json(&format!("{dir}/stats.json"));
        assert_eq!(
            stats["java_wrong"],
            serde_json::json!([]),
            "{method}: {said}"
        );
        let is_left = stats["halted"]
            .as_str()
            .is_some_and(|why| why.contains("left open"));
        assert!(!is_left, "{method}: {stats}");
        if replayed.contains(&method) {
            let (code, _, said) = replay(&place, &dir);
            assert_eq!(code, Some(0), "{method}: {said}");
        }
        let found = outcomes(&place.join(dir));
        (stats["completed_paths"].as_u64().expect("a number"), found)
    };
    for (name, _, rest, values) in cases {
        let (all, found) = paths(&format!("Late.{name}"));
        assert_eq!(all, 2 + values, "{name}: {found:?}");
        // Each outcome is reached that there is.
        for outcome in 1..6 {
            let is_there = outcome < 3 || rest.contains(&format!(" {outcome}"));
            let text = format!("returned I {outcome}");
            assert_eq!(found.contains(&text), is_there, "{name}: {found:?}");
        }
    }
    // No object, none that can be made, or one; and its constructor has said so before anything else.
    let (all, _) = paths("Late.checked");
    assert_eq!(all, 3 + 1 + 4);
    let (_, found) = paths("Late$Above.late");
    let of_below = ["returned I 4", "returned I 5", "returned I 6"];
    assert!(found.iter().eq(&of_below), "{found:?}");
}

/// The arguments of a program that it does not look at make no paths.
#[test]
fn arguments_that_a_program_does_not_read_make_no_paths() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("late-main");
    let source =
        "public class Late { public static void main(String[] args) throws java.io.IOException {
        if (System.in.read() != 'q') return;
        System.exit(args.length > 1 ? 1 : 0);
    } }";
    place.write("Late.java", source);
    javac(&place, ".", "classes", &["Late.java".into()]);
    let run = ["java", "run", "classes", "--out", "out"];
    let input = ["--sym-stdin", "1", "--sym-args", "0", "3", "2"];
    let ran = polypath(&place, &[&run[..], &input].concat());
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let stats = place.json("out/stats.json");
    assert!(stats["halted"].is_null(), "{stats}");
    // One way back at once, and four numbers of arguments.
    assert_eq!(stats["completed_paths"], 5, "{stats}");
    let (code, _, said) = replay(&place, "out");
    assert_eq!(code, Some(0), "{said}");
}
